//! A scheduler extender of Kubernetes: kube-scheduler asks it over HTTP which nodes a pod fits, which is best, to bind it, and which pods
//! to evict for it.
//!
//! - `http`: requests and answers
//! - `protocol`: types of `k8s.io/kube-scheduler/extender/v1`
//! - `scheduler`: nodes and pods, and the choices of a policy
//! - `decision`: what it answers
//! - `annotations`: what is written to a pod
//! - `binding`: how it is bound
//! - `api_server`: requests to the API server over kept connections
//! - `proxy`: the `kubectl proxy` that forwards them
//! - `journal`: decisions as JSON lines
//! - `configuration`: the file with which kube-scheduler calls the extender
//! - `extender`: what each path answers
//! - `cluster`: reads nodes and pods again as they change

pub(crate) mod annotations;
pub(crate) mod api_server;
mod binding;
pub(crate) mod cluster;
pub(crate) mod configuration;
mod decision;
pub(crate) mod extender;
pub(crate) mod http;
pub(crate) mod journal;
mod protocol;
mod proxy;
pub(crate) mod scheduler;
