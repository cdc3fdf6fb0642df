//! Accelerators of other makers than NVIDIA on a node: whole, partitioned (AMD, Huawei), or shared (Intel).

use std::collections::BTreeMap;

use crossover_allocation::Part;
use crossover_quantity::text::counted;

use super::conventions::{self, AMD_MODES, INTEL_NUMBERS, Meaning, PRODUCTS};
use super::facts::{Facts, Remarks};
use super::quantity;
use crate::gpus::Device;

/// Accelerators of a node, alike ones together. `shared`: those that are read already, with the resources that they offer.
pub(super) fn devices(
    facts: &Facts<'_>,
    shared: &[(Device, u64)],
    remarks: &mut Remarks,
) -> Result<Vec<(Device, u64)>, String> {
    let mut found = Vec::new();
    for resource in facts.has.keys() {
        let Some((meaning, product)) = conventions::of(resource) else { continue };
        // Those of NVIDIA are read elsewhere.
        let is_shared = shared.iter().any(|(device, _)| device.offers.contains_key(resource));
        if product == "GPU" || is_shared || !matches!(meaning, Meaning::Gpu | Meaning::Instance) {
            continue;
        }
        let units = facts.count(resource)?;
        let part = part(facts, resource, units, remarks);
        // As many GPUs as their parts make.
        let gpus = (units.saturating_mul(u64::from(part.of))).div_ceil(u64::from(part.whole));
        if gpus == 0 {
            continue;
        }
        let label = label(facts, resource);
        let name = if label.is_empty() { product } else { label };
        let cut = if part == Part::ONE { String::new() } else { format!("{} of {}", part.of, part.whole) };
        let offers = BTreeMap::from([(resource.clone(), part)]);
        let device = Device {
            product: name.to_owned(),
            cut,
            label: label.to_owned(),
            offers,
            memory_mib: memory_mib(facts, resource),
        };
        found.push((device, gpus));
    }
    Ok(found)
}

/// The part of a GPU that one of a resource is on a node.
fn part(facts: &Facts<'_>, resource: &str, units: u64, remarks: &mut Remarks) -> Part {
    if resource == "amd.com/gpu" {
        // All GPUs of the node are in this mode, and each partition counts as one.
        let mode = facts.label(&AMD_MODES).map(|(_, mode)| mode.split(['_', '-']).next().unwrap_or_default());
        return mode.and_then(conventions::mode_partitions).map_or(Part::ONE, Part::one_of);
    }
    if resource.starts_with("gpu.intel.com/")
        && let Some((label, numbers)) = facts.label(&INTEL_NUMBERS)
    {
        let gpus = numbers.split('.').filter(|number| !number.is_empty()).count() as u64;
        if gpus > 0 && units > gpus {
            if !units.is_multiple_of(gpus) {
                let what = format!("{units} {resource}, but label {label} has {}", counted(gpus as f64, "GPU"));
                remarks.contradictions.add(facts.name, &what);
            }
            // The plugin shares each GPU among as many tasks.
            return Part::one_of(u32::try_from(units.div_ceil(gpus)).unwrap_or(u32::MAX));
        }
    }
    conventions::part(resource)
}

/// The label that names the product, of the maker of a resource.
fn label<'a>(facts: &'a Facts<'_>, resource: &str) -> &'a str {
    let maker = resource.split('/').next().unwrap_or_default();
    let is_of = |label: &&str| match maker {
        "google.com" => label.contains("gke-tpu"),
        "huawei.com" => label.contains("npu.chip"),
        maker => label.split('/').next().is_some_and(|domain| domain.ends_with(maker)),
    };
    let labels: Vec<&'static str> = PRODUCTS.into_iter().filter(is_of).collect();
    facts.label(&labels).map_or("", |(_, text)| text)
}

/// Memory of a GPU of AMD, MiB, as its label has it: "192G"; 0 if it is not known.
fn memory_mib(facts: &Facts<'_>, resource: &str) -> u32 {
    if !resource.starts_with("amd.com/") {
        return 0;
    }
    let labels = ["amd.com/gpu.vram", "beta.amd.com/gpu.vram"];
    let bytes = facts.label(&labels).and_then(|(_, text)| quantity::thousandths(&text.replace('G', "Gi")));
    bytes.and_then(|bytes| u32::try_from(quantity::mib(bytes, false).0).ok()).unwrap_or(0)
}
