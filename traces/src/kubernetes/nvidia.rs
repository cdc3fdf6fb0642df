//! GPUs of NVIDIA on a node: whole, shared by time slices or MPS, cut into instances (MIG), or split by `HAMi` or Volcano.
//!
//! Labels are those of GPU feature discovery
//! (<https://github.com/NVIDIA/k8s-device-plugin/blob/main/docs/gpu-feature-discovery/README.md>) and of clouds. Where counts
//! contradict each other, the number of physical GPUs decides, and a note says so.

use std::collections::BTreeMap;

use crossover_allocation::Part;
use crossover_quantity::text::counted;

use super::conventions::{COUNTS, GKE_PARTITION, MEMORIES, Meaning, PRODUCTS, REPLICAS, RESOURCES, SIMULATOR_MEMORY};
use super::facts::{Facts, Remarks};
use super::registered::{self, Card};
use super::{GPU, GPU_COUNT, GPU_SHARED, MIG, quantity};
use crate::gpus::Device;
use crate::left_out::shown;
use crate::mig::{self, Profile};

/// Virtual GPUs of Volcano.
const VGPU: &str = "volcano.sh/vgpu-number";
/// Units of memory of the scheduler extender of Alibaba, and the GPUs behind them.
const UNITS: [&str; 2] = ["aliyun.com/gpu-mem", "aliyun.com/gpu-count"];

/// A device, and how many GPUs of a node it is.
type Counted = (Device, u64);

/// The product of a node's GPUs, and the profile into which all of them are cut.
struct Product<'a> {
    name: &'a str,
    /// As labels have it; empty if none names it.
    label: &'a str,
    profile: Option<(&'a str, Profile)>,
    memory_mib: u32,
}

impl Product<'_> {
    fn device(&self, cut: String, offers: BTreeMap<String, Part>) -> Device {
        let (product, label) = (self.name.to_owned(), self.label.to_owned());
        Device { product, cut, label, offers, memory_mib: self.memory_mib }
    }
}

/// GPUs of a node, alike ones together.
pub(super) fn devices(facts: &Facts<'_>, remarks: &mut Remarks) -> Result<Vec<Counted>, String> {
    let cards = registered::read(facts.annotations)?;
    let product = product(facts)?;
    let mut found = if cards.is_empty() {
        unregistered(facts, &product, remarks)?
    } else {
        split(facts, cards, &product, remarks)?
    };
    add_units(facts, &product, &mut found)?;
    found.retain(|(_, count)| *count > 0);
    Ok(found)
}

fn product<'a>(facts: &'a Facts<'_>) -> Result<Product<'a>, String> {
    let (label_name, label) = facts.label(&PRODUCTS).unwrap_or_default();
    let whole_product = label.strip_suffix("-SHARED").unwrap_or(label);
    let parse = |label: &str, text: &'a str| {
        let problem = || format!("label {label} is “{}”; expected a profile like 1g.5gb", shown(text));
        Profile::parse(text).ok_or_else(problem).map(|profile| (text, profile))
    };
    let (name, profile) = match whole_product.split_once("-MIG-") {
        Some((product, profile)) => (product, Some(parse(label_name, profile)?)),
        None => (whole_product, None),
    };
    let of_gke = || facts.label(&[GKE_PARTITION]).map(|(label, text)| parse(label, text)).transpose();
    let profile = if profile.is_some() { profile } else { of_gke()? };
    let memory_mib = facts.number(&MEMORIES).and_then(|(_, mib)| u32::try_from(mib).ok());
    // The label counts the memory of an instance on nodes that are cut into instances.
    let memory_mib = memory_mib.filter(|_| profile.is_none()).or_else(|| mig::memory_gb(name).map(|gb| gb * 1024));
    let name = if name.is_empty() { "GPU" } else { name };
    Ok(Product { name, label, profile, memory_mib: memory_mib.unwrap_or(0) })
}

/// GPUs that `HAMi` or Volcano registered.
fn split(
    facts: &Facts<'_>,
    cards: Vec<Card>,
    product: &Product<'_>,
    remarks: &mut Remarks,
) -> Result<Vec<Counted>, String> {
    let (of_plugin, of_volcano) = (facts.count(GPU)?, facts.count(VGPU)?);
    let (resource, offered) = if of_plugin == 0 && of_volcano > 0 { (VGPU, of_volcano) } else { (GPU, of_plugin) };
    let slots: u64 = cards.iter().map(|card| u64::from(card.slots)).sum();
    if offered != slots {
        let count = cards.len();
        let registered = counted(count as f64, "registered GPU");
        let what = format!("{offered} {resource}, but the slots of {registered} are {slots}; {count} read");
        remarks.contradictions.add(facts.name, &what);
    }
    if cards.iter().any(|card| card.slots > 1) {
        remarks.split.add(facts.name);
    }
    let mut alike: BTreeMap<(String, u32), u64> = BTreeMap::new();
    for card in cards {
        *alike.entry((card.product, card.memory_mib)).or_default() += 1;
    }
    let devices = alike.into_iter().map(|((name, memory_mib), count)| {
        let label = if product.label.is_empty() { name.clone() } else { product.label.to_owned() };
        let offers = BTreeMap::from([(resource.to_owned(), Part::ONE)]);
        (Device { product: name, cut: String::new(), label, offers, memory_mib }, count)
    });
    Ok(devices.collect())
}

/// GPUs that only resources and labels describe.
fn unregistered(facts: &Facts<'_>, product: &Product<'_>, remarks: &mut Remarks) -> Result<Vec<Counted>, String> {
    let (plain, shared, virtual_gpus) = (facts.count(GPU)?, facts.count(GPU_SHARED)?, facts.count(VGPU)?);
    if [plain, shared, virtual_gpus].iter().filter(|units| **units > 0).count() > 1 {
        return Err(format!("it offers {GPU}, {GPU_SHARED} and {VGPU}; expected one of them"));
    }
    let (resource, units) = match (shared, virtual_gpus) {
        (0, 0) => (GPU, plain),
        (0, units) => (VGPU, units),
        (units, _) => (GPU_SHARED, units),
    };
    let physical = facts.number(&COUNTS).filter(|(_, count)| *count > 0);
    let is_shared = shared > 0 || virtual_gpus > 0 || product.label.ends_with("-SHARED");
    let told = replicas(facts)?;
    if units > 0 && is_shared && told.is_none() && physical.is_none() {
        return Err(format!("its GPUs are shared, but the label {} is absent", REPLICAS[0]));
    }
    let replicas = told.map_or(1, |(_, replicas)| replicas);
    let offer = |part| BTreeMap::from([(resource.to_owned(), part)]);
    let among = |replicas: u32| if replicas > 1 { format!("{replicas} replicas") } else { String::new() };
    let mut found = Vec::new();
    if let Some((profile_name, profile)) = product.profile {
        note_uneven(facts, units, replicas, remarks);
        let instances = (units / u64::from(replicas)).max(u64::from(units > 0));
        let gpus = mig::gpus(product.name, &BTreeMap::from([(profile, instances)]));
        if let Some((label, count)) =
            physical.filter(|(label, count)| *label != COUNTS[0] && gpus > 0 && *count != gpus)
        {
            let what = format!(
                "label {label} is {count}, but {units} {resource} are instances of {}; {gpus} read",
                counted(gpus as f64, "GPU")
            );
            remarks.contradictions.add(facts.name, &what);
        }
        let cut = format!("MIG {profile_name} {}", among(replicas)).trim_end().to_owned();
        found.push((product.device(cut, offer(profile.part(product.name).among(replicas))), gpus));
    } else {
        let replicas = checked(facts, (resource, units), told, physical, remarks);
        note_uneven(facts, units, replicas, remarks);
        // A part of a GPU is one, too.
        let gpus = (units / u64::from(replicas)).max(u64::from(units > 0));
        found.push((product.device(among(replicas), offer(Part::ONE.among(replicas))), gpus));
    }
    // A node of the published simulator of openb.
    let simulated = facts.count(GPU_COUNT)?;
    if simulated > 0 && units == 0 {
        let all = facts.has.get(SIMULATOR_MEMORY).map(|quantity| quantity::memory(SIMULATOR_MEMORY, &quantity.0));
        let each = all.transpose()?.map_or(0, |all| quantity::mib(all, false).0 / u128::from(simulated));
        let memory_mib = u32::try_from(each).unwrap_or(0).max(product.memory_mib);
        let device = product.device(String::new(), BTreeMap::from([(GPU.to_owned(), Part::ONE)]));
        found.push((Device { memory_mib, ..device }, simulated));
    }
    if let Some((cut, offers, gpus)) = mixed(product.name, facts, remarks)? {
        let whole = all(&found);
        if let Some((label, count)) = physical.filter(|(_, count)| whole > 0 && whole.saturating_add(gpus) > *count) {
            let left = count.saturating_sub(gpus).min(whole);
            let what = format!(
                "{whole} {resource} beside instances of {}, but label {label} is {count}; {} read",
                counted(gpus as f64, "GPU"),
                counted(left as f64, "whole GPU")
            );
            remarks.contradictions.add(facts.name, &what);
            let mut left = left;
            for (_, count) in &mut found {
                *count = left.min(*count);
                left -= *count;
            }
        }
        found.push((product.device(cut, offers), gpus));
    }
    Ok(found)
}

/// GPUs of all types.
fn all(found: &[Counted]) -> u64 {
    found.iter().map(|(_, count)| *count).fold(0, u64::saturating_add)
}

/// The replicas of each GPU: as a label tells them, or as the number of physical GPUs does if it contradicts.
fn checked(
    facts: &Facts<'_>,
    (resource, units): (&str, u64),
    told: Option<(&'static str, u32)>,
    physical: Option<(&'static str, u64)>,
    remarks: &mut Remarks,
) -> u32 {
    let replicas = told.map_or(1, |(_, replicas)| replicas);
    // More GPUs than there are; or as many resources as GPUs, although each is shared.
    let is_wrong = |count: u64| units / u64::from(replicas) > count || replicas > 1 && units > 0 && units <= count;
    let Some((counts, physical)) = physical.filter(|(_, count)| is_wrong(*count)) else { return replicas };
    let each = u32::try_from(units.div_ceil(physical)).unwrap_or(u32::MAX);
    let says = told.map_or_else(
        || "no label names replicas".to_owned(),
        |(label, replicas)| format!("label {label} is {replicas}"),
    );
    let what =
        format!("{units} {resource}, label {counts} is {physical}, and {says}; read as {each} replicas of each GPU");
    remarks.contradictions.add(facts.name, &what);
    each
}

fn note_uneven(facts: &Facts<'_>, units: u64, replicas: u32, remarks: &mut Remarks) {
    if !units.is_multiple_of(u64::from(replicas)) {
        remarks.uneven.add(facts.name);
    }
}

/// GPUs that are cut into instances of several profiles.
#[expect(clippy::type_complexity, reason = "how they are cut, what they offer, and how many they are")]
fn mixed(
    product: &str,
    facts: &Facts<'_>,
    remarks: &mut Remarks,
) -> Result<Option<(String, BTreeMap<String, Part>, u64)>, String> {
    let (mut offers, mut instances, mut cut) = (BTreeMap::new(), BTreeMap::new(), Vec::new());
    for resource in facts.has.keys().filter(|resource| resource.starts_with(MIG)) {
        let units = facts.count(resource)?;
        let name = resource.strip_suffix(".shared").unwrap_or(resource);
        let profile_name = &name[MIG.len()..];
        let problem = || format!("it offers {}; expected a profile like {MIG}1g.5gb", shown(resource));
        let profile = Profile::parse(profile_name).ok_or_else(problem)?;
        if units == 0 {
            continue;
        }
        let replicas = replicas_of_instances(facts, name, name != resource, units)?;
        note_uneven(facts, units, replicas, remarks);
        offers.insert(resource.clone(), profile.part(product).among(replicas));
        // Fewer units than replicas are still one instance.
        *instances.entry(profile).or_insert(0_u64) += (units / u64::from(replicas)).max(1);
        cut.push(profile_name);
    }
    let gpus = mig::gpus(product, &instances);
    Ok((gpus > 0).then(|| (format!("MIG {}", cut.join(" ")), offers, gpus)))
}

/// Number of tasks that share each instance of a resource: from its label, else from the label with the number of instances. A
/// renamed resource is always shared.
fn replicas_of_instances(facts: &Facts<'_>, name: &str, is_renamed: bool, units: u64) -> Result<u32, String> {
    let [replicas, count, product] = ["replicas", "count", "product"].map(|end| format!("{name}.{end}"));
    if let Some(text) = facts.labels.get(&replicas) {
        return number_of_replicas(&replicas, text);
    }
    let is_shared = is_renamed || facts.labels.get(&product).is_some_and(|product| product.ends_with("-SHARED"));
    if !is_shared {
        return Ok(1);
    }
    let instances = facts.labels.get(&count).and_then(|text| text.parse::<u64>().ok()).filter(|count| *count > 0);
    let each = instances.and_then(|instances| u32::try_from(units.div_ceil(instances)).ok());
    each.ok_or_else(|| format!("its instances {} are shared, but the label {replicas} is absent", shown(name)))
}

/// Number of tasks that share a GPU, from the first label that has it.
fn replicas(facts: &Facts<'_>) -> Result<Option<(&'static str, u32)>, String> {
    let label = facts.label(&REPLICAS);
    label.map(|(label, text)| number_of_replicas(label, text).map(|replicas| (label, replicas))).transpose()
}

fn number_of_replicas(label: &str, text: &str) -> Result<u32, String> {
    let number = text.parse().ok().filter(|number| *number <= 1_000);
    let number: u32 = number.ok_or_else(|| format!("label {label} is “{}”; allowed: 0 to 1000", shown(text)))?;
    Ok(number.max(1))
}

/// Resources of which so many make a GPU: further offers of the GPUs found so far, or GPUs of their own.
fn add_units(facts: &Facts<'_>, product: &Product<'_>, found: &mut Vec<Counted>) -> Result<(), String> {
    let known = all(found);
    let [memory, gpus] = UNITS;
    let mut units = Vec::new();
    let all = facts.count(memory)?;
    let behind = if known > 0 { known } else { facts.count(gpus)? };
    if all > 0 && behind > 0 {
        units.push((memory, all / behind, behind));
    }
    let percents = RESOURCES.iter().filter(|known| known.meaning == Meaning::PercentOfOne);
    for resource in percents.map(|known| known.resource) {
        let all = facts.count(resource)?;
        if all > 0 {
            units.push((resource, 100, if known > 0 { known } else { all.div_ceil(100) }));
        }
    }
    for (resource, per_gpu, count) in units {
        let part = Part::one_of(u32::try_from(per_gpu).unwrap_or(u32::MAX));
        if found.iter().all(|(_, count)| *count == 0) {
            found.push((product.device(String::new(), BTreeMap::from([(resource.to_owned(), part)])), count));
        } else {
            for (device, _) in found.iter_mut().filter(|(_, count)| *count > 0) {
                device.offers.insert(resource.to_owned(), part);
            }
        }
    }
    Ok(())
}
