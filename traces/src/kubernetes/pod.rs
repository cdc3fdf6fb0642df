//! A pod of a dump: its requests, arrival and end.

use std::collections::BTreeMap;

use crossover_allocation::{MOST_GPUS, WHOLE};
use k8s_openapi::api::core::v1::{Container, Pod, PodSpec, PodStatus, ResourceRequirements};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, Time};

use super::{CARD_MODEL, GKE_ACCELERATOR, GPU_COUNT, GPU_MILLI, PRODUCT, quantity};
use crate::left_out::{Named, shown};

/// Notes on the pods that were read.
#[derive(Default)]
pub(super) struct Remarks {
    pub(super) rounded: Named,
    pub(super) placed: Named,
    pub(super) timeless: Named,
    pub(super) claims: Named,
}

impl Remarks {
    pub(super) fn note(&self, notes: &mut Vec<String>) {
        const PODS: [&str; 2] = ["pod", "pods"];
        self.rounded.note(notes, PODS, "memory rounded up to MiB");
        self.placed.note(notes, PODS, "scheduling constraints other than the GPU type are ignored");
        self.timeless.note(notes, PODS, "no creation time; assumed present from the start");
        self.claims.note(notes, PODS, "device claims (DRA) are ignored");
    }
}

/// GPUs that a pod requests.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Gpus {
    None,
    /// So many of a resource.
    Resource {
        name: String,
        count: u64,
    },
    /// So many GPUs, with so many thousandths of each, by annotations.
    Annotated {
        count: u8,
        milli: u16,
    },
}

/// A pod that was read.
pub(super) struct ParsedPod {
    pub(super) name: String,
    pub(super) cpu_milli: u32,
    pub(super) memory_mib: u32,
    pub(super) gpus: Gpus,
    /// Products of which one will do; empty: any.
    pub(super) products: Vec<String>,
    pub(super) is_sensitive: bool,
    /// Arrival, seconds since 1970.
    pub(super) came: Option<i64>,
    /// How long it ran, seconds, if it ended.
    pub(super) seconds: Option<i64>,
}

/// Thousandths of each resource.
type Amounts = BTreeMap<String, u128>;

/// The name of a pod, which is unique in its namespace only.
pub(super) fn name(metadata: &ObjectMeta) -> Result<String, String> {
    let name = metadata.name.clone().filter(|name| !name.is_empty()).ok_or("metadata.name is absent")?;
    Ok(metadata.namespace.as_ref().map_or(name.clone(), |namespace| format!("{namespace}/{name}")))
}

/// Requests and times of a pod.
pub(super) fn read(pod: &Pod, remarks: &mut Remarks) -> Result<ParsedPod, String> {
    let metadata = &pod.metadata;
    let name = name(metadata)?;
    let spec = pod.spec.as_ref().ok_or("spec is absent")?;
    let amounts = amounts(spec)?;
    let amount = |resource: &str| amounts.get(resource).copied().unwrap_or(0);
    let (memory_mib, is_rounded) = quantity::mib(amount("memory"), true);
    let cpu_milli = u32::try_from(amount("cpu")).map_err(|_| "it requests more cores than any node has")?;
    let memory_mib = u32::try_from(memory_mib).map_err(|_| "it requests more memory than any node has")?;
    let no_annotations = BTreeMap::new();
    let annotations = metadata.annotations.as_ref().unwrap_or(&no_annotations);
    let gpus = gpus(annotations, &amounts)?;

    let models = annotations.get(CARD_MODEL).into_iter().flat_map(|models| models.split('|'));
    let mut products: Vec<String> = models.map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect();
    let selector = spec.node_selector.iter().flatten();
    let (of_product, others): (Vec<_>, Vec<_>) =
        selector.partition(|(label, _)| [PRODUCT, CARD_MODEL, GKE_ACCELERATOR].contains(&label.as_str()));
    products.extend(of_product.into_iter().map(|(_, product)| product.clone()));
    let is_placed = others.iter().any(|(label, _)| *label != super::HOSTNAME) || spec.affinity.is_some();

    let status = pod.status.as_ref();
    let started = status.and_then(|status| seconds_of(status.start_time.as_ref()));
    let came = seconds_of(metadata.creation_timestamp.as_ref()).or(started);
    let seconds = match status.and_then(|status| status.phase.as_deref()) {
        Some(phase @ ("Succeeded" | "Failed")) => {
            let ended = status
                .and_then(ended)
                .ok_or_else(|| format!("its phase is {phase}, but no container has an end time"))?;
            let began = started.or(came).unwrap_or(ended);
            if ended < began {
                return Err("its end is before its start".to_owned());
            }
            Some(ended - began)
        }
        _ => None,
    };
    if is_rounded {
        remarks.rounded.add(&name);
    }
    if is_placed {
        remarks.placed.add(&name);
    }
    if spec.resource_claims.as_ref().is_some_and(|claims| !claims.is_empty()) {
        remarks.claims.add(&name);
    }
    if came.is_none() {
        remarks.timeless.add(&name);
    }
    let is_sensitive = is_sensitive(spec, status);
    Ok(ParsedPod { name, cpu_milli, memory_mib, gpus, products, is_sensitive, came, seconds })
}

/// Whether it is latency-sensitive: its priority is above 0, or it has none and its class is Guaranteed.
fn is_sensitive(spec: &PodSpec, status: Option<&PodStatus>) -> bool {
    match spec.priority.unwrap_or(0) {
        0 => status.and_then(|status| status.qos_class.as_deref()) == Some("Guaranteed"),
        priority => priority > 0,
    }
}

fn seconds_of(time: Option<&Time>) -> Option<i64> {
    time.map(|time| time.0.as_second())
}

/// When the last container ended.
fn ended(status: &PodStatus) -> Option<i64> {
    let states = status.container_statuses.iter().flatten().filter_map(|status| status.state.as_ref());
    states.filter_map(|state| seconds_of(state.terminated.as_ref()?.finished_at.as_ref())).max()
}

/// Requests of a pod: the sum of its containers, or the maximum with init containers, plus overhead. Sidecars count with all
/// containers that run after them.
/// <https://kubernetes.io/docs/concepts/workloads/pods/sidecar-containers/#resource-sharing-within-containers>
fn amounts(spec: &PodSpec) -> Result<Amounts, String> {
    let (mut staying, mut most) = (Amounts::new(), Amounts::new());
    for container in spec.init_containers.iter().flatten() {
        let of_container = requests(container)?;
        if container.restart_policy.as_deref() == Some("Always") {
            add(&mut staying, &of_container);
            raise(&mut most, &staying);
        } else {
            let mut at_once = staying.clone();
            add(&mut at_once, &of_container);
            raise(&mut most, &at_once);
        }
    }
    for container in &spec.containers {
        add(&mut staying, &requests(container)?);
    }
    raise(&mut most, &staying);
    // Requests of the pod as a whole replace the sum.
    if let Some(resources) = &spec.resources {
        most.extend(requested("the pod", resources)?);
    }
    if let Some(overhead) = &spec.overhead {
        add(&mut most, &parsed("its overhead", overhead)?);
    }
    Ok(most)
}

fn requests(container: &Container) -> Result<Amounts, String> {
    let of = || format!("container {}", shown(&container.name));
    container.resources.as_ref().map_or_else(|| Ok(Amounts::new()), |resources| requested(&of(), resources))
}

/// Requests; limits where there is no request, as the API server would set it.
fn requested(of: &str, resources: &ResourceRequirements) -> Result<Amounts, String> {
    let none = BTreeMap::new();
    let mut amounts = parsed(of, resources.limits.as_ref().unwrap_or(&none))?;
    amounts.extend(parsed(of, resources.requests.as_ref().unwrap_or(&none))?);
    Ok(amounts)
}

fn parsed(of: &str, quantities: &BTreeMap<String, Quantity>) -> Result<Amounts, String> {
    let amount = |(resource, quantity): (&String, &Quantity)| {
        let field = || format!("{} of {of}", shown(resource));
        let value = if resource == "memory" {
            quantity::memory(&field(), &quantity.0)
        } else {
            quantity::cpu_milli(&field(), &quantity.0)
        };
        value.map(|value| (resource.clone(), value))
    };
    quantities.iter().map(amount).collect()
}

fn add(sum: &mut Amounts, more: &Amounts) {
    for (resource, amount) in more {
        let sum = sum.entry(resource.clone()).or_default();
        *sum = sum.saturating_add(*amount);
    }
}

fn raise(most: &mut Amounts, other: &Amounts) {
    for (resource, amount) in other {
        let most = most.entry(resource.clone()).or_default();
        *most = (*most).max(*amount);
    }
}

/// GPUs by annotations, otherwise by resources.
fn gpus(annotations: &BTreeMap<String, String>, amounts: &Amounts) -> Result<Gpus, String> {
    if let Some(milli_text) = annotations.get(GPU_MILLI) {
        let count_text = annotations.get(GPU_COUNT).map_or("1", String::as_str);
        let milli = milli_text.parse().ok().filter(|milli| *milli <= WHOLE);
        let milli: u16 =
            milli.ok_or_else(|| format!("{GPU_MILLI} is “{}”; allowed: 0 to {WHOLE}", shown(milli_text)))?;
        let count = count_text.parse().ok().filter(|count| usize::from(*count) <= MOST_GPUS);
        let count: u8 =
            count.ok_or_else(|| format!("{GPU_COUNT} is “{}”; allowed: 0 to {MOST_GPUS}", shown(count_text)))?;
        return Ok(if milli == 0 || count == 0 { Gpus::None } else { Gpus::Annotated { count, milli } });
    }
    let mut of_gpus = amounts.iter().filter(|(resource, amount)| super::is_gpu(resource) && **amount > 0);
    let Some((name, thousandths)) = of_gpus.next() else { return Ok(Gpus::None) };
    if let Some((other, _)) = of_gpus.next() {
        return Err(format!("it requests {} and {} at once; expected one kind of GPU", shown(name), shown(other)));
    }
    let count = u64::try_from(thousandths / 1000).ok().filter(|_| thousandths.is_multiple_of(1000));
    let count = count.ok_or_else(|| format!("it requests a fraction of {}; expected a whole number", shown(name)))?;
    Ok(Gpus::Resource { name: name.clone(), count })
}
