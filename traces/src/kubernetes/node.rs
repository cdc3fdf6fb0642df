//! A node of a dump: its resources, and how its GPUs are shared.

use std::collections::BTreeMap;

use crossover_allocation::MOST_GPUS;
use k8s_openapi::api::core::v1::Node;
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;

use super::{CARD_MODEL, GKE_ACCELERATOR, GPU, GPU_COUNT, GPU_SHARED, MIG, PRODUCT, quantity};
use crate::gpus::{Device, ParsedNode, Part};
use crate::left_out::{Named, shown};
use crate::mig::{self, Profile};

/// Number of tasks that share a GPU.
const REPLICAS: &str = "nvidia.com/gpu.replicas";

/// Notes on the nodes that were read.
#[derive(Default)]
pub(super) struct Remarks {
    pub(super) cordoned: Named,
    pub(super) tainted: Named,
    pub(super) rounded: Named,
    pub(super) unnamed: Named,
    pub(super) uneven: Named,
    pub(super) cut: Named,
}

impl Remarks {
    pub(super) fn note(&self, notes: &mut Vec<String>) {
        const NODES: [&str; 2] = ["node", "nodes"];
        self.cordoned.note(notes, NODES, "unschedulable; assumed schedulable");
        self.tainted.note(notes, NODES, "tainted; assumed tolerated by every task");
        self.rounded.note(notes, NODES, "cores rounded down to thousandths, memory to MiB");
        self.unnamed.note(notes, NODES, "no label names their GPU type; it is called “GPU”");
        self.uneven.note(notes, NODES, "replicas do not add up to whole GPUs; the remainder is left out");
        self.cut.note(notes, NODES, "GPU shares rounded down to thousandths: 1/7 becomes 0.142");
    }
}

type Labels = BTreeMap<String, String>;
type Quantities = BTreeMap<String, Quantity>;

/// The allocatable resources of a node.
pub(super) fn read(node: &Node, remarks: &mut Remarks) -> Result<ParsedNode, String> {
    let name = node.metadata.name.clone().filter(|name| !name.is_empty()).ok_or("metadata.name is absent")?;
    let no_labels = Labels::new();
    let labels = node.metadata.labels.as_ref().unwrap_or(&no_labels);
    let status = node.status.as_ref().ok_or("status is absent; expected the resources of the node")?;
    let has = status.allocatable.as_ref().or(status.capacity.as_ref());
    let has = has.ok_or("status.allocatable is absent; expected the resources of the node")?;
    let field = |name: &str| has.get(name).map(|quantity| quantity.0.as_str());
    let cpu = field("cpu").ok_or("status.allocatable.cpu is absent")?;
    let memory = field("memory").ok_or("status.allocatable.memory is absent")?;
    let cpu_milli = quantity::cpu_milli("status.allocatable.cpu", cpu)?;
    let (memory_mib, is_rounded) = quantity::mib(quantity::memory("status.allocatable.memory", memory)?, false);
    let [cpu_milli, memory_mib] = [cpu_milli, memory_mib].map(u32::try_from);
    let cpu_milli =
        cpu_milli.map_err(|_| format!("status.allocatable.cpu is “{}”; more cores than supported", shown(cpu)))?;
    let memory_mib =
        memory_mib.map_err(|_| format!("status.allocatable.memory is “{}”; more than supported", shown(memory)))?;
    let devices = devices(&name, labels, has, remarks)?;
    let gpus: u64 = devices.iter().map(|(_, count)| *count).fold(0, u64::saturating_add);
    if gpus > MOST_GPUS as u64 {
        return Err(format!("it has {gpus} GPUs; at most {MOST_GPUS} per node are supported"));
    }
    if is_rounded {
        remarks.rounded.add(&name);
    }
    if devices.iter().any(|(device, _)| device.product == "GPU") {
        remarks.unnamed.add(&name);
    }
    if devices.iter().any(|(device, _)| !device.cut.is_empty()) {
        remarks.cut.add(&name);
    }
    let spec = node.spec.as_ref();
    if spec.and_then(|spec| spec.unschedulable) == Some(true) {
        remarks.cordoned.add(&name);
    } else if spec.and_then(|spec| spec.taints.as_ref()).is_some_and(|taints| !taints.is_empty()) {
        remarks.tainted.add(&name);
    }
    // Checked: 0 … 16 altogether.
    let devices = devices.into_iter().map(|(device, count)| (device, usize::try_from(count).unwrap_or(MOST_GPUS)));
    Ok(ParsedNode { name, cpu_milli, memory_mib, devices: devices.collect() })
}

/// GPUs of a node, alike ones together. Labels are those of GPU feature discovery:
/// <https://github.com/NVIDIA/k8s-device-plugin/blob/main/docs/gpu-feature-discovery/README.md>
fn devices(name: &str, labels: &Labels, has: &Quantities, remarks: &mut Remarks) -> Result<Vec<(Device, u64)>, String> {
    let count = |resource: &str| {
        let quantity = has.get(resource).map_or("0", |quantity| quantity.0.as_str());
        quantity::count(&format!("status.allocatable of {resource}"), quantity)
    };
    let label = [PRODUCT, CARD_MODEL, GKE_ACCELERATOR].into_iter().find_map(|label| labels.get(label));
    let label = label.map_or("GPU", String::as_str);
    let whole_product = label.strip_suffix("-SHARED").unwrap_or(label);
    let (product, profile) = match whole_product.split_once("-MIG-") {
        Some((product, profile)) => {
            let known = Profile::parse(profile);
            let problem =
                || format!("label {PRODUCT} is “{}”; expected a profile like 1g.5gb at its end", shown(label));
            (product, Some((profile, known.ok_or_else(problem)?)))
        }
        None => (whole_product, None),
    };
    let device = |cut: String, offers: BTreeMap<String, Part>| Device {
        product: product.to_owned(),
        cut,
        label: label.to_owned(),
        offers,
    };
    let offer = |resource: &str, part| BTreeMap::from([(resource.to_owned(), part)]);
    let mut found = Vec::new();

    let (plain, shared) = (count(GPU)?, count(GPU_SHARED)?);
    let (resource, units) = if shared > 0 { (GPU_SHARED, shared) } else { (GPU, plain) };
    if plain > 0 && shared > 0 {
        return Err(format!("it offers {GPU} and {GPU_SHARED}; expected one of them"));
    }
    let is_shared = shared > 0 || label.ends_with("-SHARED");
    let replicas = replicas(labels, REPLICAS)?;
    if units > 0 && is_shared && replicas.is_none() {
        return Err(format!("its GPUs are shared, but the label {REPLICAS} is absent"));
    }
    let replicas = replicas.unwrap_or(1);
    if !units.is_multiple_of(u64::from(replicas)) {
        remarks.uneven.add(name);
    }
    let instances = units / u64::from(replicas);
    let among = if replicas > 1 { format!("{replicas} replicas") } else { String::new() };
    if let Some((profile_name, profile)) = profile {
        let gpus = mig::gpus(product, &BTreeMap::from([(profile, instances)]));
        let cut = format!("MIG {profile_name} {among}").trim_end().to_owned();
        found.push((device(cut, offer(resource, part_of(profile.part(product), replicas))), gpus));
    } else {
        found.push((device(among, offer(resource, part_of(Part::ONE, replicas))), instances));
    }
    // A node of the published simulator of openb.
    let counted = count(GPU_COUNT)?;
    if counted > 0 && units == 0 {
        found.push((device(String::new(), offer(GPU, Part::ONE)), counted));
    }
    found.extend(mixed(product, labels, has)?.map(|(cut, offers, gpus)| (device(cut, offers), gpus)));
    found.retain(|(_, count)| *count > 0);
    Ok(found)
}

/// GPUs that are cut into instances of several profiles.
#[expect(clippy::type_complexity, reason = "how they are cut, what they offer, and how many they are")]
fn mixed(
    product: &str,
    labels: &Labels,
    has: &Quantities,
) -> Result<Option<(String, BTreeMap<String, Part>, u64)>, String> {
    let (mut offers, mut instances, mut cut) = (BTreeMap::new(), BTreeMap::new(), Vec::new());
    for (resource, quantity) in has.iter().filter(|(resource, _)| resource.starts_with(MIG)) {
        let units = quantity::count(&format!("status.allocatable of {resource}"), &quantity.0)?;
        let name = resource.strip_suffix(".shared").unwrap_or(resource);
        let profile_name = &name[MIG.len()..];
        let problem = || format!("it offers {}; expected a profile like {MIG}1g.5gb", shown(resource));
        let profile = Profile::parse(profile_name).ok_or_else(problem)?;
        if units == 0 {
            continue;
        }
        let replicas = replicas(labels, &format!("{name}.replicas"))?.unwrap_or(1);
        offers.insert(resource.clone(), part_of(profile.part(product), replicas));
        *instances.entry(profile).or_insert(0_u64) += units / u64::from(replicas);
        cut.push(profile_name);
    }
    let gpus = mig::gpus(product, &instances);
    Ok((gpus > 0).then(|| (format!("MIG {}", cut.join(" ")), offers, gpus)))
}

/// Number of tasks that share a GPU, from a label.
fn replicas(labels: &Labels, label: &str) -> Result<Option<u32>, String> {
    let Some(text) = labels.get(label) else { return Ok(None) };
    let number = text.parse().ok().filter(|number| *number <= 1_000);
    let number: u32 = number.ok_or_else(|| format!("label {label} is “{}”; allowed: 0 to 1000", shown(text)))?;
    Ok(Some(number.max(1)))
}

fn part_of(part: Part, replicas: u32) -> Part {
    Part { of: part.of, whole: part.whole * replicas }
}
