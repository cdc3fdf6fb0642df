//! A pod of a dump: its requests, arrival and end.

use std::collections::BTreeMap;

use crossover_allocation::{MOST_GPUS, THOUSANDTH, WHOLE};
use crossover_quantity::unread::{Unread, UnreadKind};
use k8s_openapi::api::core::v1::{Container, Pod, PodResourceClaim, PodSpec, PodStatus, ResourceRequirements};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, Time};

use super::claims::ClaimRef;
use super::conventions::{self, KAI_DEVICES, KAI_FRACTION, KAI_MEMORY, Meaning, PRODUCTS, SIMULATOR_MEMORY};
use super::{CARD_MODEL, GPU_COUNT, GPU_MILLI, quantity};
use crate::gpus::Limits;
use crate::left_out::{Named, shown};

/// A whole GPU, in the thousandths of the annotation.
const MOST_MILLI: u16 = 1_000;

/// From so many thousandths on an amount of memory is in bytes: that of 1 MiB, which no GPU has as GiB.
const BYTES_FROM: u128 = 1_000 << 20;

/// Notes on the pods that were read.
#[derive(Default)]
pub(super) struct Remarks {
    pub(super) rounded: Named,
    pub(super) placed: Named,
    pub(super) timeless: Named,
    pub(super) reservations: Named,
}

impl Remarks {
    pub(super) fn note(&self, notes: &mut Vec<String>) {
        const PODS: [&str; 2] = ["pod", "pods"];
        self.rounded.note(notes, PODS, "memory rounded up to MiB");
        self.placed.note(notes, PODS, "scheduling constraints other than the GPU type are ignored");
        self.timeless.note(notes, PODS, "no creation time; assumed present from the start");
        self.reservations.note(
            notes,
            PODS,
            "they hold GPUs that other pods use in fractions (KAI, Run:ai); left out so that no GPU counts twice",
        );
    }
}

/// GPUs that a pod requests.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Gpus {
    None,
    /// So many of a resource, or without one so many GPUs; of each only a part, if that is limited.
    Requested {
        resource: Option<String>,
        count: u64,
        limits: Limits,
    },
}

impl Gpus {
    /// How many GPUs or parts of them.
    pub(super) fn count(&self) -> f64 {
        match self {
            Self::None => 0.0,
            Self::Requested { count, .. } => *count as f64,
        }
    }
}

/// A pod that was read.
pub(super) struct ParsedPod {
    pub(super) name: String,
    pub(super) cpu_milli: u32,
    pub(super) memory_mib: u32,
    pub(super) gpus: Gpus,
    /// Claims for devices.
    pub(super) claims: Vec<ClaimRef>,
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
pub(super) fn read(pod: &Pod, remarks: &mut Remarks, unread: &mut Unread) -> Result<ParsedPod, String> {
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
    let labels = metadata.labels.as_ref().unwrap_or(&no_annotations);
    let gpus = gpus([annotations, labels], &amounts)?;

    let models = annotations.get(CARD_MODEL).into_iter().flat_map(|models| models.split('|'));
    let mut products: Vec<String> = models.map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect();
    let selector = spec.node_selector.iter().flatten();
    let (of_product, others): (Vec<_>, Vec<_>) = selector.partition(|(label, _)| PRODUCTS.contains(&label.as_str()));
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
    report(&name, pod, spec, &amounts, unread);
    if came.is_none() {
        remarks.timeless.add(&name);
    }
    let is_sensitive = is_sensitive(spec, status);
    let claims = claims(pod, spec);
    Ok(ParsedPod { name, cpu_milli, memory_mib, gpus, claims, products, is_sensitive, came, seconds })
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

/// Adds what runs at the same time. Amounts for each GPU are not added: the largest one counts.
fn add(sum: &mut Amounts, more: &Amounts) {
    for (resource, amount) in more {
        let sum = sum.entry(resource.clone()).or_default();
        let is_of_each = conventions::of(resource).is_some_and(|(meaning, _)| match meaning {
            Meaning::Cores { of_all, .. } | Meaning::Memory { of_all, .. } => !of_all,
            meaning => matches!(meaning, Meaning::MemoryPercent | Meaning::MemoryGib),
        });
        *sum = if is_of_each { (*sum).max(*amount) } else { sum.saturating_add(*amount) };
    }
}

fn raise(most: &mut Amounts, other: &Amounts) {
    for (resource, amount) in other {
        let most = most.entry(resource.clone()).or_default();
        *most = (*most).max(*amount);
    }
}

/// GPUs by annotations, otherwise by resources.
fn gpus(named: [&BTreeMap<String, String>; 2], amounts: &Amounts) -> Result<Gpus, String> {
    if let Some(of_simulator) = of_simulator(named[0])? {
        return Ok(of_simulator);
    }
    if let Some(of_kai) = of_kai(named)? {
        return Ok(of_kai);
    }
    let of = |wanted: &'static [Meaning]| {
        amounts.iter().filter_map(move |(resource, amount)| {
            let (meaning, _) = conventions::of(resource).filter(|_| *amount > 0)?;
            wanted.contains(&meaning).then_some((resource, meaning, *amount))
        })
    };
    let mut counted = of(&[Meaning::Gpu, Meaning::Instance, Meaning::OfNode, Meaning::Slot]);
    let mut percents = of(&[Meaning::PercentOfOne]);
    let Some((name, _, thousandths)) = counted.next() else {
        let most = percents.by_ref().max_by_key(|(.., amount)| *amount);
        return match most {
            Some((name, _, thousandths)) => percent_of_gpus(name, thousandths),
            None => uncounted(amounts),
        };
    };
    if let Some((other, ..)) = counted.next() {
        return Err(format!("it requests {} and {} at once; expected one kind of GPU", shown(name), shown(other)));
    }
    let count = u64::try_from(thousandths / 1000).ok().filter(|_| thousandths.is_multiple_of(1000));
    let count = count.ok_or_else(|| format!("it requests a fraction of {}; expected a whole number", shown(name)))?;
    let limits = limits(amounts, count)?;
    // Percents beside a count of GPUs are those of all of them.
    let of_each = percents.map(|(_, _, amount)| amount / u128::from(count.max(1))).max();
    let limits = match of_each {
        Some(percent) => limits.at_least(units_of(name, percent, 100)?),
        None => limits,
    };
    Ok(Gpus::Requested { resource: Some(name.clone()), count, limits })
}

/// One GPU of which only cores or memory are requested.
fn uncounted(amounts: &Amounts) -> Result<Gpus, String> {
    let is_part = |meaning| {
        use Meaning::{Cores, Memory, MemoryGib, MemoryPercent};
        matches!(meaning, Cores { .. } | Memory { .. } | MemoryGib | MemoryPercent)
    };
    let found = amounts.iter().find(|(resource, amount)| {
        **amount > 0 && conventions::of(resource).is_some_and(|(meaning, _)| is_part(meaning))
    });
    let Some((resource, _)) = found else { return Ok(Gpus::None) };
    let resource = Some(conventions::counted_by(resource).to_owned());
    Ok(Gpus::Requested { resource, count: 1, limits: limits(amounts, 1)? })
}

/// The share of a GPU that thousandths of a number are of which `whole` are a GPU, in units of which [`WHOLE`] are one, rounded
/// up.
fn units_of(resource: &str, thousandths: u128, whole: u32) -> Result<u16, String> {
    let units = thousandths.saturating_mul(u128::from(WHOLE)).div_ceil(1_000 * u128::from(whole));
    let units = u16::try_from(units).ok().filter(|units| *units <= WHOLE);
    units.ok_or_else(|| format!("it requests more than a GPU has by {}; expected up to {whole}", shown(resource)))
}

/// GPUs of a resource that counts percents of one: up to 100 are of one GPU, more are whole GPUs.
fn percent_of_gpus(resource: &str, thousandths: u128) -> Result<Gpus, String> {
    let whole = thousandths.div_ceil(100_000);
    let (count, units) = if whole > 1 { (whole, WHOLE) } else { (1, units_of(resource, thousandths, 100)?) };
    let count =
        u64::try_from(count).map_err(|_| format!("it requests more of {} than any node has", shown(resource)))?;
    Ok(Gpus::Requested { resource: Some(resource.to_owned()), count, limits: Limits::default().at_least(units) })
}

/// How much of each of so many GPUs a pod requests by resources of `HAMi` and Volcano. None named: the whole GPU.
fn limits(amounts: &Amounts, count: u64) -> Result<Limits, String> {
    let known = || {
        let named = amounts.iter().filter(|(_, amount)| **amount > 0);
        named.filter_map(|(resource, amount)| {
            conventions::of(resource).map(|(meaning, product)| (resource, meaning, product, *amount))
        })
    };
    let mut limits = Limits::default();
    let mut is_memory_limited = false;
    for (resource, meaning, product, amount) in known() {
        let each = |of_all: bool| if of_all { amount / u128::from(count.max(1)) } else { amount };
        let mib = match meaning {
            Meaning::Cores { whole, of_all } => {
                limits = limits.at_least(units_of(resource, each(of_all), whole)?);
                // Cores alone do not limit the memory, but for those of a partition.
                is_memory_limited |= conventions::is_partitioned(resource);
                continue;
            }
            Meaning::MemoryPercent => {
                limits = limits.at_least(units_of(resource, amount, 100)?);
                is_memory_limited = true;
                continue;
            }
            Meaning::Memory { mib, of_all } => each(of_all).saturating_mul(u128::from(mib)).div_ceil(1_000),
            Meaning::MemoryGib if amount < BYTES_FROM => amount.saturating_mul(1_024).div_ceil(1_000),
            Meaning::MemoryGib => quantity::mib(amount, true).0,
            _ => continue,
        };
        is_memory_limited = true;
        limits.memory_mib = Some(u64::try_from(mib).unwrap_or(u64::MAX));
        let names_cores = known().any(|(_, meaning, of, _)| of == product && matches!(meaning, Meaning::Cores { .. }));
        if conventions::takes_all_cores(product) && !names_cores {
            limits = limits.at_least(WHOLE);
        }
    }
    // A task that may use all of the memory has the GPU for itself.
    Ok(if is_memory_limited { limits } else { Limits::default() })
}

/// GPUs of a pod of the simulator of openb, or of Alibaba's simulator.
fn of_simulator(annotations: &BTreeMap<String, String>) -> Result<Option<Gpus>, String> {
    let (milli, memory) = (annotations.get(GPU_MILLI), annotations.get(SIMULATOR_MEMORY));
    if milli.is_none() && memory.is_none() {
        return Ok(None);
    }
    let count_text = annotations.get(GPU_COUNT).map_or("1", String::as_str);
    let count = count_text.parse().ok().filter(|count| usize::from(*count) <= MOST_GPUS);
    let count: u8 =
        count.ok_or_else(|| format!("{GPU_COUNT} is “{}”; allowed: 0 to {MOST_GPUS}", shown(count_text)))?;
    let mut limits = Limits::default();
    if let Some(text) = milli {
        let milli = text.parse().ok().filter(|milli| *milli <= MOST_MILLI);
        let milli: u16 =
            milli.ok_or_else(|| format!("{GPU_MILLI} is “{}”; allowed: 0 to {MOST_MILLI}", shown(text)))?;
        if milli == 0 {
            return Ok(Some(Gpus::None));
        }
        limits = limits.at_least(milli * THOUSANDTH);
    }
    if let Some(text) = memory {
        let (mib, _) = quantity::mib(quantity::memory(SIMULATOR_MEMORY, text)?, true);
        limits.memory_mib = Some(u64::try_from(mib).unwrap_or(u64::MAX));
    }
    let requested = Gpus::Requested { resource: None, count: u64::from(count), limits };
    Ok(Some(if count == 0 { Gpus::None } else { requested }))
}

/// GPUs of a pod of KAI or Run:ai: fractions, or memory.
fn of_kai(named: [&BTreeMap<String, String>; 2]) -> Result<Option<Gpus>, String> {
    let get = |names: &[&'static str]| {
        named.iter().find_map(|of| names.iter().find_map(|name| Some((*name, of.get(*name)?.as_str()))))
    };
    let (fraction, memory) = (get(&KAI_FRACTION), get(&KAI_MEMORY));
    if fraction.is_none() && memory.is_none() {
        return Ok(None);
    }
    let count = match get(&KAI_DEVICES) {
        Some((name, text)) => {
            let count = text.parse().ok().filter(|count: &u64| (1..=MOST_GPUS as u64).contains(count));
            count.ok_or_else(|| format!("{name} is “{}”; allowed: 1 to {MOST_GPUS}", shown(text)))?
        }
        None => 1,
    };
    let mut limits = Limits::default();
    if let Some((name, text)) = fraction {
        let share = text.parse().ok().filter(|share: &f64| *share > 0.0 && *share <= 1.0);
        let share = share.ok_or_else(|| format!("{name} is “{}”; allowed: above 0 and up to 1", shown(text)))?;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked: up to 1")]
        // Rounded up, but for the error of the product.
        let units = (share * f64::from(WHOLE) - 1e-6).ceil() as u16;
        limits = limits.at_least(units);
    }
    if let Some((name, text)) = memory {
        let mib = text.parse().ok().filter(|mib: &u64| *mib > 0);
        let mib = mib.ok_or_else(|| format!("{name} is “{}”; expected MiB like 2000", shown(text)))?;
        limits.memory_mib = Some(mib);
    }
    Ok(Some(Gpus::Requested { resource: None, count, limits }))
}

/// Reports what may change the GPUs of a pod and was not used.
fn report(name: &str, pod: &Pod, spec: &PodSpec, amounts: &Amounts, unread: &mut Unread) {
    let place = format!("pod {name}");
    let unknown = amounts.iter().filter(|(resource, amount)| {
        **amount > 0 && conventions::is_extended(resource) && conventions::of(resource).is_none()
    });
    for (resource, _) in unknown {
        unread.add(UnreadKind::Resource, resource, &place);
    }
    let selector = spec.node_selector.iter().flatten().map(|(label, _)| label);
    let labels = pod.metadata.labels.iter().flatten().map(|(label, _)| label);
    let annotations = pod.metadata.annotations.iter().flatten().map(|(annotation, _)| annotation);
    for label in labels.chain(selector).filter(|label| conventions::is_unread(label)) {
        unread.add(UnreadKind::Label, label, &place);
    }
    for annotation in annotations.filter(|annotation| conventions::is_unread(annotation)) {
        unread.add(UnreadKind::Annotation, annotation, &place);
    }
    let containers = spec.init_containers.iter().flatten().chain(&spec.containers);
    let variables = containers.flat_map(|container| container.env.iter().flatten()).map(|variable| &variable.name);
    for variable in variables.filter(|variable| conventions::is_unread_variable(variable)) {
        unread.add(UnreadKind::Variable, variable, &place);
    }
}

/// The claims for devices that a pod names.
fn claims(pod: &Pod, spec: &PodSpec) -> Vec<ClaimRef> {
    let namespace = pod.metadata.namespace.clone().unwrap_or_default();
    let of_claim = |claim: &PodResourceClaim| {
        let template = claim.resource_claim_template_name.clone();
        ClaimRef {
            is_template: template.is_some(),
            namespace: namespace.clone(),
            name: template.or(claim.resource_claim_name.clone()).unwrap_or_else(|| claim.name.clone()),
        }
    };
    spec.resource_claims.iter().flatten().map(of_claim).collect()
}
