//! A cluster of Kubernetes and its pods, as `kubectl get nodes,pods -A -o json` prints them.
//!
//! GPUs are whole, shared among replicas, cut into instances, or split among virtual ones, by the conventions that
//! `conventions` lists: those of device plugins, clouds and schedulers. A part is a fraction of its GPU: 1/replicas, its slices
//! of seven, or the larger of its shares of compute and memory. An instance has no fixed place: a study may cut a GPU otherwise
//! than it is cut now. Resources, labels, annotations and environment variables of accelerators that are in no convention are
//! reported as not used.

mod claims;
mod class_claims;
mod conventions;
mod facts;
pub mod live;
mod node;
mod nvidia;
mod others;
mod pod;
mod quantity;
mod registered;
mod shared;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crossover_allocation::{MOST_GPUS, Part, Request, Requests, Task, Trace, WHOLE};
use crossover_quantity::balance::{BalanceOf, Tally};
use crossover_quantity::unread::{Unread, UnreadKind};
use k8s_openapi::api::core::v1::{Node, Pod};
use serde::de::DeserializeOwned;
use serde_json::Value;

use self::claims::{ClaimRef, Claims};
use self::pod::{Gpus, ParsedPod};
use crate::error::TraceError;
use crate::gpus::{Device, GpuRequest, Limits, ParsedNode, Types};
use crate::json;
use crate::left_out::{LeftOut, Named, shown};

/// A GPU, or what a node gives instead of one: a replica, an instance.
pub(crate) const GPU: &str = "nvidia.com/gpu";
/// The same resource where the device plugin renames shared GPUs.
const GPU_SHARED: &str = "nvidia.com/gpu.shared";
/// Instances of MIG with the mixed strategy; a profile follows.
const MIG: &str = "nvidia.com/mig-";
/// GPUs of a node or pod of the published simulator of openb.
pub(crate) const GPU_COUNT: &str = "alibabacloud.com/gpu-count";
/// Annotation with the indices of the GPUs of a pod on its node, as openb's simulator writes them: `0-1`.
pub(crate) const GPU_INDEX: &str = "alibabacloud.com/gpu-index";
/// Thousandths of each GPU of such a pod.
pub(crate) const GPU_MILLI: &str = "alibabacloud.com/gpu-milli";
/// Name of a node, as labels have it.
pub(crate) const HOSTNAME: &str = "kubernetes.io/hostname";
/// Product of a node's GPUs, as GPU feature discovery names it.
const PRODUCT: &str = "nvidia.com/gpu.product";
/// The same on a node of the simulator of openb.
const CARD_MODEL: &str = "alibabacloud.com/gpu-card-model";
/// The same on a node of Google's.
const GKE_ACCELERATOR: &str = "cloud.google.com/gke-accelerator";
/// The command that writes the file.
const COMMAND: &str = "kubectl get nodes,pods -A -o json";

/// Nodes and pods of one file or of several. A pod's task is named `namespace/name`; it
/// arrives when the pod was created, and is latency-sensitive if its priority is above 0, or it has none and is of the class
/// Guaranteed. Pods that ended are tasks that ran from their start to the end of their last
/// container. Memory is rounded to MiB, down for nodes and up for pods.
///
/// # Errors
/// [`TraceError`]: unreadable, no JSON, or neither a node nor a pod. A bad entry is left out, also one that repeats a
/// name, and notes say so, also for a truncated file.
pub fn read(files: &[&Path]) -> Result<Trace, TraceError> {
    let mut dump = Dump::default();
    let mut notes = Vec::new();
    let expected = format!("what “{COMMAND}” prints");
    for path in files {
        let mut left_out = LeftOut::new("entry", "entries");
        let ended = json::each(path, "items", &expected, |place, item| dump.take(place, item, &mut left_out))?;
        if let Some(problem) = ended.broken {
            let entries = ended.entries;
            notes.push(format!("{}: damaged after entry {entries}; the rest is not read: {problem}", path.display()));
        }
        left_out.note(path, &mut notes);
        if dump.nodes.is_empty() && dump.pods.is_empty() && Some(path) == files.last() {
            let problem = format!("{}; run “{COMMAND} > cluster.json”", left_out.nothing_of("node or pod"));
            return Err(TraceError::unusable(path, problem));
        }
    }
    let Some(first) = files.first() else { return Ok(Trace::default()) };
    dump.node_remarks.note(&mut notes);
    dump.pod_remarks.note(&mut notes);
    dump.into_trace(first, notes).map_err(|problem| TraceError::unusable(first, problem))
}

/// Nodes and pods read so far.
#[derive(Default)]
struct Dump {
    nodes: Vec<ParsedNode>,
    node_names: BTreeSet<String>,
    /// Nodes that are left out, with their number of GPUs, and the reason.
    refused_nodes: Vec<(f64, String)>,
    /// Why pods are left out.
    refused_pods: Vec<String>,
    node_remarks: facts::Remarks,
    pods: Vec<ParsedPod>,
    pod_names: BTreeSet<String>,
    pod_remarks: pod::Remarks,
    claims: Claims,
    unread: Unread,
}

impl Dump {
    /// One entry of a list: a node or a pod; others are ignored.
    fn take(&mut self, place: usize, item: Value, left_out: &mut LeftOut) {
        let text = |pointer: &str| item.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
        let kind = match text("/kind") {
            // The API's own lists name the kind once, for all entries.
            kind if kind.is_empty() && item.pointer("/spec/containers").is_some() => "Pod".to_owned(),
            kind if kind.is_empty() && item.pointer("/status/allocatable").is_some() => "Node".to_owned(),
            kind => kind,
        };
        let name = text("/metadata/name");
        let gpus = if kind == "Node" { listed_gpus(&item) } else { 0.0 };
        let outcome = match kind.as_str() {
            "Node" => self.take_node(item),
            "Pod" => self.take_pod(item),
            "" => Err("no kind; expected Node or Pod".to_owned()),
            other => {
                self.claims.take(other, &item);
                Ok(())
            }
        };
        if let Err(problem) = outcome {
            match kind.as_str() {
                "Node" => self.refused_nodes.push((gpus, problem.clone())),
                "Pod" => self.refused_pods.push(problem.clone()),
                _ => {}
            }
            left_out.add(|| format!("entry {place} ({} “{}”)", shown(&kind), shown(&name)), &problem);
        }
    }

    fn take_node(&mut self, item: Value) -> Result<(), String> {
        let node: Node = typed(item)?;
        if node.metadata.name.as_ref().is_some_and(|name| self.node_names.contains(name)) {
            return Err("duplicate node name".to_owned());
        }
        let found = node::read(&node, &mut self.node_remarks, &mut self.unread)?;
        self.node_names.insert(found.name.clone());
        self.nodes.push(found);
        Ok(())
    }

    fn take_pod(&mut self, item: Value) -> Result<(), String> {
        let pod = typed_pod(item)?;
        if self.pod_names.contains(&pod::name(&pod.metadata)?) {
            return Err("duplicate pod name".to_owned());
        }
        let found = pod::read(&pod, &mut self.pod_remarks, &mut self.unread)?;
        self.pod_names.insert(found.name.clone());
        let is_reservation =
            pod.metadata.namespace.as_deref().is_some_and(|name| conventions::KAI_RESERVATIONS.contains(&name));
        if is_reservation {
            self.pod_remarks.reservations.add(&found.name);
        } else {
            self.pods.push(found);
        }
        Ok(())
    }

    /// Adds the GPUs of resource slices to the nodes, and resolves what pods claim.
    fn join_claims(&mut self, notes: &mut Vec<String>) {
        let mut too_many = Named::default();
        self.claims.add_to(&mut self.nodes, &mut too_many);
        let remark = format!(
            "resource slices with more than {MOST_GPUS} GPUs, the most that are supported; the others are left out"
        );
        too_many.note(notes, ["node", "nodes"], &remark);
        self.claims.report(&mut self.unread);
        self.resolve_claims(notes);
    }

    fn into_trace(mut self, file: &Path, mut notes: Vec<String>) -> Result<Trace, String> {
        self.join_claims(&mut notes);
        let types = if self.nodes.is_empty() {
            let problem = if self.refused_nodes.is_empty() {
                format!("no node in it; run “{COMMAND} > cluster.json”")
            } else {
                "no node can be read, for the reasons above".to_owned()
            };
            notes.push(format!("{}: {problem}. All GPUs are assumed to be whole and of one type", file.display()));
            let requested = self.pods.iter().filter_map(|pod| match &pod.gpus {
                Gpus::Requested { resource: Some(resource), .. } => {
                    Some((resource.clone(), conventions::part(resource)))
                }
                _ => None,
            });
            Types::unknown(requested.chain([(GPU.to_owned(), Part::ONE)]).collect())
        } else {
            Types::of(&self.nodes)?
        };
        let knows_products = !self.nodes.is_empty();
        let begin = self.pods.iter().filter_map(|pod| pod.came).min().unwrap_or(0);
        let mut left_out = LeftOut::new("pod", "pods");
        let mut requests = Requests::default();
        let mut without_memory = Named::default();
        let mut tasks = Vec::new();
        let (mut of_nodes, mut of_gpus) = (Tally::new(BalanceOf::Nodes), Tally::new(BalanceOf::Gpus));
        of_nodes.keep(self.nodes.len() as f64);
        of_gpus.keep(self.nodes.iter().flat_map(|node| &node.devices).map(|(_, count)| *count).sum::<usize>() as f64);
        for (gpus, problem) in &self.refused_nodes {
            of_nodes.lose(1.0, problem);
            of_gpus.lose(*gpus, problem);
        }
        let (mut of_jobs, mut of_requests) = (Tally::new(BalanceOf::Jobs), Tally::new(BalanceOf::RequestedGpus));
        for problem in &self.refused_pods {
            of_jobs.lose(1.0, problem);
        }
        for pod in self.pods {
            let found = taken(&pod, &types, knows_products, &mut without_memory);
            of_jobs.add(1.0, &found);
            of_requests.add(pod.gpus.count(), &found);
            let taken = match found {
                Ok(taken) => taken,
                Err(problem) => {
                    left_out.add(|| shown(&pod.name), &problem);
                    continue;
                }
            };
            let ParsedPod { name, cpu_milli, memory_mib, is_sensitive, .. } = pod;
            let request = Request { cpu_milli, memory_mib, gpus: taken.0, shares: taken.1 };
            let arrives = pod.came.map_or(0.0, |came| (came - begin) as f64);
            let seconds = pod.seconds.map(|seconds| seconds as f64);
            let request = requests.place(request);
            tasks.push(Task { name, request, pieces: 1, is_sensitive, arrives, seconds, waited: None });
        }
        left_out.note(file, &mut notes);
        let remark = "they request GPU memory, and that of the GPUs is not known; whole GPUs are assumed";
        without_memory.note(&mut notes, ["pod", "pods"], remark);
        tasks.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(Trace {
            types: types.names(),
            nodes: types.nodes(self.nodes),
            requests: requests.into_list(),
            tasks,
            notes,
            may_spread: false,
            unread: self.unread,
            balances: [of_nodes, of_gpus, of_jobs, of_requests].into_iter().filter_map(Tally::balance).collect(),
        })
    }
}

impl Dump {
    /// Turns the claims of pods into requests for GPUs; reports those that are not known.
    fn resolve_claims(&mut self, notes: &mut Vec<String>) {
        let mut users: BTreeMap<ClaimRef, u64> = BTreeMap::new();
        for claim in self.pods.iter().flat_map(|pod| &pod.claims).filter(|claim| !claim.is_template) {
            *users.entry(claim.clone()).or_default() += 1;
        }
        let mut shared = Named::default();
        for pod in &mut self.pods {
            let mut is_claimed = false;
            for claim in std::mem::take(&mut pod.claims) {
                let users = users.get(&claim).copied().unwrap_or(1);
                match (self.claims.of(&claim), &mut pod.gpus) {
                    (Some((resource, devices)), gpus @ Gpus::None) => {
                        let mut limits = Limits::default();
                        if users > 1 {
                            shared.add(&pod.name);
                            limits = limits.at_least(u16::try_from(u64::from(WHOLE) / users).unwrap_or(WHOLE));
                        }
                        *gpus = Gpus::Requested { resource: Some(resource), count: devices, limits };
                        is_claimed = true;
                    }
                    // A further claim for GPUs of the same kind.
                    (Some((resource, devices)), Gpus::Requested { resource: Some(other), count, limits })
                        if is_claimed && users == 1 && limits.is_none() && *other == resource =>
                    {
                        *count = count.saturating_add(devices);
                    }
                    _ => self.unread.add(UnreadKind::Claim, &claim.name, &format!("pod {}", pod.name)),
                }
            }
        }
        shared.note(notes, ["pod", "pods"], "they share the GPUs of a claim with others; equal parts are assumed");
    }
}

/// GPUs that an entry of a node lists, also one that cannot be read: the amounts of its resources that are called `gpu`.
fn listed_gpus(item: &Value) -> f64 {
    let resources = item.pointer("/status/allocatable").and_then(Value::as_object);
    let amounts = resources.into_iter().flatten().filter(|(name, _)| name.ends_with("/gpu")).map(|(_, amount)| amount);
    let number = |amount: &Value| amount.as_f64().or_else(|| amount.as_str()?.parse().ok());
    amounts.filter_map(number).filter(|count| (0.0..=MOST_GPUS as f64).contains(count)).sum()
}

/// GPUs that a pod requests, and the share of each by type.
fn taken(
    pod: &ParsedPod,
    types: &Types,
    knows_products: bool,
    without_memory: &mut Named,
) -> Result<(u8, Vec<Option<u16>>), String> {
    let may_use = |device: &Device| {
        let is_named = |name: &String| *name == device.label || *name == device.product;
        !knows_products || pod.products.is_empty() || pod.products.iter().any(is_named)
    };
    let of =
        || if pod.products.is_empty() { String::new() } else { format!(" of {}", shown(&pod.products.join(", "))) };
    let GpuRequest { gpus, shares } = match &pod.gpus {
        Gpus::None => GpuRequest { gpus: 0, shares: vec![Some(0); types.devices().len()] },
        Gpus::Requested { resource: Some(name), count, limits } if limits.is_none() => {
            let taken = types.taken(name, *count, may_use);
            taken.ok_or_else(|| format!("it requests {count} {}{}; no node offers that", shown(name), of()))?
        }
        Gpus::Requested { resource, count, limits } => {
            let offers = |device: &Device| resource.as_ref().is_none_or(|name| device.offers.contains_key(name));
            let able = |device| (offers(device) && may_use(device)).then_some(device);
            let able: Vec<Option<&Device>> = types.devices().iter().map(able).collect();
            if let Some(name) = resource.as_ref().filter(|_| able.iter().all(Option::is_none)) {
                return Err(format!("it requests {count} {}{}; no node offers that", shown(name), of()));
            }
            if able.iter().flatten().any(|device| limits.share(device).is_none()) {
                without_memory.add(&pod.name);
            }
            let share = |device: &Device| {
                let share = limits.share(device).unwrap_or(WHOLE);
                let partition = resource.as_ref().filter(|name| conventions::is_partitioned(name));
                let part = partition.and_then(|name| device.offers.get(name));
                part.map_or(share, |part| whole_parts(share, *part))
            };
            // More than a GPU has: it cannot run there.
            let fitting = |share: &u16| *share <= WHOLE;
            let shares: Vec<Option<u16>> = able.into_iter().map(|device| device.map(share).filter(fitting)).collect();
            if shares.iter().all(Option::is_none) && !types.devices().is_empty() && resource.is_some() {
                return Err(format!("it requests more of a GPU than any{} has", of()));
            }
            GpuRequest { gpus: *count, shares }
        }
    };
    let of_a_node = u8::try_from(gpus).ok().filter(|gpus| usize::from(*gpus) <= MOST_GPUS);
    let gpus =
        of_a_node.ok_or_else(|| format!("it requests {gpus} GPUs; at most {MOST_GPUS} per node are supported"))?;
    if gpus > 0 && shares.iter().all(Option::is_none) {
        return Err(format!("it requests a GPU{}; no node has one", of()));
    }
    Ok((gpus, shares))
}

/// A share of a GPU that is cut into parts, rounded up to whole ones; one that no GPU has stays as it is.
fn whole_parts(share: u16, part: Part) -> u16 {
    let part = u16::try_from(part.times(1).units()).unwrap_or(WHOLE).max(1);
    if share > WHOLE { share } else { share.div_ceil(part).saturating_mul(part).min(WHOLE) }
}

/// An entry as a pod.
fn typed_pod(mut item: Value) -> Result<Pod, String> {
    // Before Kubernetes 1.31 the names of claims stood in a field of their own.
    let claims = item.pointer_mut("/spec/resourceClaims").and_then(Value::as_array_mut);
    for claim in claims.into_iter().flatten().filter_map(Value::as_object_mut) {
        if let Some(Value::Object(source)) = claim.remove("source") {
            claim.extend(source);
        }
    }
    typed(item)
}

/// An entry as the type that its kind names.
fn typed<T: DeserializeOwned>(item: Value) -> Result<T, String> {
    serde_json::from_value(item).map_err(|error| error.to_string())
}
