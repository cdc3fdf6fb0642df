//! A node of a dump: its resources, and its GPUs.

use std::collections::BTreeMap;

use crossover_allocation::MOST_GPUS;
use crossover_quantity::unread::{Unread, UnreadKind};
use k8s_openapi::api::core::v1::Node;

use super::conventions::{self, AMD_MODES, Meaning, REGISTERS, REPLICAS};
use super::facts::{Facts, Remarks};
use super::{nvidia, others, quantity, shared};
use crate::gpus::{Device, ParsedNode};
use crate::left_out::shown;

/// The allocatable resources of a node.
pub(super) fn read(node: &Node, remarks: &mut Remarks, unread: &mut Unread) -> Result<ParsedNode, String> {
    let name = node.metadata.name.clone().filter(|name| !name.is_empty()).ok_or("metadata.name is absent")?;
    let none = BTreeMap::new();
    let labels = node.metadata.labels.as_ref().unwrap_or(&none);
    let annotations = node.metadata.annotations.as_ref().unwrap_or(&none);
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
    let facts = Facts { name: &name, labels, annotations, has };
    let mut devices = nvidia::devices(&facts, remarks)?;
    let shared = shared::devices(&facts, remarks)?;
    devices.extend(others::devices(&facts, &shared, remarks)?);
    devices.extend(shared);
    let gpus: u64 = devices.iter().map(|(_, count)| *count).fold(0, u64::saturating_add);
    if gpus > MOST_GPUS as u64 {
        return Err(format!(
            "it has {gpus} GPUs; at most {MOST_GPUS} per node are supported. Parts of GPUs are distinguished from GPUs by \
             labels such as {} and {}, or by the annotation {}",
            REPLICAS[0], AMD_MODES[0], REGISTERS[0]
        ));
    }
    report(&facts, &devices, unread);
    if is_rounded {
        remarks.rounded.add(&name);
    }
    if devices.iter().any(|(device, _)| device.label.is_empty()) {
        remarks.unnamed.add(&name);
    }
    if devices.iter().any(|(device, _)| device.is_rounded()) {
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

/// Reports what may change the GPUs of a node and was not used.
fn report(facts: &Facts<'_>, devices: &[(Device, u64)], unread: &mut Unread) {
    let place = format!("node {}", facts.name);
    for (resource, quantity) in facts.has {
        let is_offered = devices.iter().any(|(device, _)| device.offers.contains_key(resource));
        // Memory and cores say nothing on the nodes whose GPUs are known.
        let is_measure = !devices.is_empty()
            && conventions::of(resource).is_some_and(|(meaning, _)| {
                !matches!(meaning, Meaning::Gpu | Meaning::Instance | Meaning::OfNode | Meaning::Slot)
            });
        let is_zero = quantity::thousandths(&quantity.0) == Some(0);
        if conventions::is_extended(resource) && !is_offered && !is_measure && !is_zero {
            unread.add(UnreadKind::Resource, resource, &place);
        }
    }
    for (names, kind) in [(facts.labels, UnreadKind::Label), (facts.annotations, UnreadKind::Annotation)] {
        for name in names.keys().filter(|name| conventions::is_unread(name)) {
            unread.add(kind, name, &place);
        }
    }
}
