//! Allocation: sharing the GPUs of a cluster among tasks that each need a part of one, or several whole ones.
//!
//! - [`cluster`]: nodes and what is left on them
//! - [`trace`]: a recorded cluster and its tasks
//! - [`recorded`]: a trace whose tasks are placed at their times
//! - [`workload`]: what tasks ask for
//! - [`fragment`]: how much of what is left typical tasks cannot use
//! - [`policy`]: which node and which GPUs a task gets
//! - [`score`]: scores of all nodes for a task, kept until a node changes
//! - [`fill`]: a cluster that tasks arrive at and never leave, until more was asked for than it has
//! - [`replay`]: tasks that come, wait, run and leave
//! - [`reason`]: why a task got nothing
//! - [`explain`]: why a task ran where it ran
//! - [`described`]: node by node and task by task what a study describes
//! - [`study`], [`outcome`], [`subject`]: what the user enters, and what it answers

mod asked;
pub mod cluster;
pub mod coming;
pub mod described;
mod edit;
pub mod explain;
pub mod fill;
pub mod fragment;
pub mod named;
pub mod outcome;
pub mod policy;
pub mod reason;
pub mod recorded;
pub mod replay;
pub mod score;
pub mod study;
pub mod subject;
pub mod summary;
pub mod trace;
mod validate;
pub mod workload;

pub use cluster::{Cluster, Gpus, MOST_GPUS, Node, NodeSpec, WHOLE};
pub use coming::Coming;
pub use described::Described;
pub use fill::{Fill, FillPoint, Filled, Refused};
pub use fragment::Typical;
pub use named::{Form, Found, NamedFile, NamedTrace};
pub use outcome::{OfRule, Outcome, evaluate, evaluate_watched};
pub use policy::Policy;
pub use reason::Refusal;
pub use replay::{Arrival, Log, Manners, OfRequest, Replay, Replayed, Served, Stay};
pub use study::{Allocation, Arrivals, Board, GpuType, NodeGroup, Pair, Rule, RunsOn, TaskGroup, Timing};
pub use trace::{Requests, Task, Trace};
pub use workload::{Request, Workload};
