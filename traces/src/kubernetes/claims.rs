//! Devices of dynamic resource allocation (DRA): slices name the GPUs of nodes, claims and their templates those that pods request.
//! <https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/>
//!
//! A device class stands for the resource of a device plugin, so that pods of both kinds share GPUs. Fields are those of
//! `resource.k8s.io` from v1beta1 to v1; those of v1alpha2 are in `class_claims`.

use std::collections::BTreeMap;

use crossover_allocation::{MOST_GPUS, Part};
use crossover_quantity::unread::{Unread, UnreadKind};
use serde_json::Value;

use super::class_claims::{ClassClaim, ClassRequest, Classes, DraDevice, devices_of_node};
use super::quantity;
use crate::gpus::{Device, ParsedNode};
use crate::left_out::Named;
use crate::mig::{self, Profile};

/// Classes and drivers of whole GPUs, the resource that they stand for, and the name of GPUs without a product.
const CLASSES: [(&str, &str, &str); 3] = [
    ("gpu.nvidia.com", super::GPU, "GPU"),
    ("gpu.amd.com", "amd.com/gpu", "AMD GPU"),
    ("gpu.intel.com", "gpu.intel.com/xe", "Intel GPU"),
];

/// The class of instances (MIG). Their profile is in an expression of the claim.
const MIG_CLASS: &str = "mig.nvidia.com";

/// A claim that a pod names: by itself, or a template from which it gets one of its own.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ClaimRef {
    pub(super) is_template: bool,
    pub(super) namespace: String,
    pub(super) name: String,
}

/// Claims and devices read so far.
#[derive(Default)]
pub(super) struct Claims {
    /// Devices that each claim or template requests: resource and count; `None` if that is not understood.
    requests: BTreeMap<ClaimRef, Option<(String, u64)>>,
    /// Claims of v1alpha2, and what they refer to.
    of_classes: BTreeMap<ClaimRef, ClassClaim>,
    classes: Classes,
    /// GPUs of nodes by their names, each with their count.
    devices: BTreeMap<String, BTreeMap<Device, usize>>,
    /// Drivers that are not known, the nodes of their slices, and how many devices they have there.
    unknown: Vec<(String, String, usize)>,
}

impl Claims {
    /// Takes a claim, a template, a slice or an object that they refer to; other objects are ignored.
    pub(super) fn take(&mut self, kind: &str, item: &Value) {
        let text = |pointer: &str| item.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
        let spec = match kind {
            "ResourceClaim" => item.get("spec"),
            "ResourceClaimTemplate" => item.pointer("/spec/spec"),
            "ResourceSlice" => return self.take_slice(item),
            _ => {
                self.classes.take(kind, item);
                if let Some((class, devices)) = devices_of_node(kind, item) {
                    self.add_devices(&text("/metadata/name"), &class, &devices);
                }
                return;
            }
        };
        let key = ClaimRef {
            is_template: kind == "ResourceClaimTemplate",
            namespace: text("/metadata/namespace"),
            name: text("/metadata/name"),
        };
        if let Some(claim) = spec.and_then(|spec| ClassClaim::of(spec, &key.namespace)) {
            self.of_classes.insert(key, claim);
        } else {
            self.requests.insert(key, spec.and_then(|spec| requested(spec.pointer("/devices/requests")?)));
        }
    }

    /// Takes a slice; the fields of v1alpha2 have no specification above them.
    fn take_slice(&mut self, item: &Value) {
        let at = |pointer: &str, other: &str| item.pointer(pointer).or_else(|| item.pointer(other));
        let text = |value: Option<&Value>| value.and_then(Value::as_str).unwrap_or_default().to_owned();
        let (node, driver) = (text(at("/spec/nodeName", "/nodeName")), text(at("/spec/driver", "/driverName")));
        let entries = at("/spec/devices", "/namedResources/instances").and_then(Value::as_array);
        if !CLASSES.iter().any(|(class, ..)| *class == driver) {
            let devices = entries.map_or(0, Vec::len);
            self.unknown.push((driver, node, devices));
            return;
        }
        let devices: Vec<DraDevice> = entries.into_iter().flatten().filter_map(device).collect();
        self.add_devices(&node, &driver, &devices);
    }

    /// Adds the devices of a node of a class.
    fn add_devices(&mut self, node: &str, class: &str, found: &[DraDevice]) {
        let Some((_, resource, unnamed)) = CLASSES.into_iter().find(|(known, ..)| *known == class) else {
            self.unknown.push((class.to_owned(), node.to_owned(), found.len()));
            return;
        };
        let mut whole: Vec<Device> = Vec::new();
        let mut instances: BTreeMap<&str, BTreeMap<Profile, (&str, u64)>> = BTreeMap::new();
        for device in found {
            let label = device.product.as_str();
            let Some(name) = &device.profile else {
                whole.push(Device {
                    product: if label.is_empty() { unnamed.to_owned() } else { label.to_owned() },
                    cut: String::new(),
                    label: label.to_owned(),
                    offers: BTreeMap::from([(resource.to_owned(), Part::ONE)]),
                    memory_mib: u32::try_from(device.memory_mib).unwrap_or(0),
                });
                continue;
            };
            if let Some(profile) = Profile::parse(name) {
                instances.entry(label).or_default().entry(profile).or_insert((name.as_str(), 0)).1 += 1;
            }
        }
        let devices = self.devices.entry(node.to_owned()).or_default();
        if whole.is_empty() {
            for (label, instances) in instances {
                let counts = instances.iter().map(|(profile, (_, count))| (*profile, *count)).collect();
                let gpus = usize::try_from(mig::gpus(label, &counts)).unwrap_or(MOST_GPUS);
                let names: Vec<&str> = instances.values().map(|(name, _)| *name).collect();
                let device = Device {
                    product: if label.is_empty() { unnamed.to_owned() } else { label.to_owned() },
                    cut: format!("MIG {}", names.join(" ")),
                    label: label.to_owned(),
                    offers: offers(label, &instances),
                    memory_mib: 0,
                };
                *devices.entry(device).or_default() += gpus;
            }
            return;
        }
        // GPUs that are cut when a claim needs it offer all their profiles.
        for mut device in whole {
            if let Some(instances) = instances.get(device.label.as_str()) {
                device.offers.extend(offers(&device.label, instances));
            }
            *devices.entry(device).or_default() += 1;
        }
    }

    /// Adds the GPUs of slices to nodes that do not offer them by a device plugin. Remembers nodes with more than any may have.
    pub(super) fn add_to(&mut self, nodes: &mut [ParsedNode], too_many: &mut Named) {
        for node in nodes {
            let Some(devices) = self.devices.remove(&node.name) else { continue };
            let by_plugin: Vec<Device> = node.devices.iter().map(|(device, _)| device.clone()).collect();
            for (device, count) in devices {
                let offers = |known: &Device| known.offers.keys().any(|resource| device.offers.contains_key(resource));
                if by_plugin.iter().any(offers) {
                    continue;
                }
                let free = MOST_GPUS.saturating_sub(node.devices.iter().map(|(_, count)| *count).sum());
                if count > free {
                    too_many.add(&node.name);
                }
                if free > 0 {
                    node.devices.push((device, count.min(free)));
                }
            }
        }
    }

    /// Reports the devices of drivers that are not known.
    pub(super) fn report(&self, unread: &mut Unread) {
        for (driver, node, devices) in self.unknown.iter().filter(|(.., devices)| *devices > 0) {
            unread.add_several(UnreadKind::Resource, driver, &format!("node {node}"), *devices);
        }
    }

    /// The resource and the count of a claim; `None` if it is not in the dump, or not understood.
    pub(super) fn of(&self, claim: &ClaimRef) -> Option<(String, u64)> {
        let Some(claim) = self.of_classes.get(claim) else { return self.requests.get(claim)?.clone() };
        let ClassRequest { class, profile, count } = self.classes.request(claim)?;
        let resource = match profile {
            Some(profile) => Profile::parse(&profile).map(|_| of_profile(&profile)),
            None => of_class(&class),
        };
        Some((resource?, count))
    }
}

/// A device of a slice; `None` for pass-through devices, which are of the same GPUs.
fn device(entry: &Value) -> Option<DraDevice> {
    let at = |pointer: &str| entry.pointer(&format!("/basic{pointer}")).or_else(|| entry.pointer(pointer));
    let text = |pointer: &str| at(pointer).and_then(Value::as_str);
    let product = text("/attributes/productName/string").unwrap_or_default().to_owned();
    match text("/attributes/type/string").unwrap_or("gpu") {
        "gpu" => {
            let memory = text("/capacity/memory/value").or_else(|| text("/capacity/memory"));
            let bytes = memory.and_then(quantity::thousandths).unwrap_or(0);
            let memory_mib = u64::try_from(quantity::mib(bytes, false).0).unwrap_or(0);
            Some(DraDevice { product, profile: None, memory_mib })
        }
        "mig" => {
            let profile = text("/attributes/profile/string")?.to_owned();
            Some(DraDevice { product, profile: Some(profile), memory_mib: 0 })
        }
        _ => None,
    }
}

/// The resource that whole GPUs of a class are.
fn of_class(class: &str) -> Option<String> {
    CLASSES.into_iter().find(|(known, ..)| *known == class).map(|(_, resource, _)| resource.to_owned())
}

/// The resource that an instance of a profile is.
fn of_profile(profile: &str) -> String {
    format!("{}{}", super::MIG, profile.replace('+', "."))
}

/// The parts of a product that instances are, by the resources of the device plugin.
fn offers(product: &str, instances: &BTreeMap<Profile, (&str, u64)>) -> BTreeMap<String, Part> {
    let of_instance = |(profile, (name, _)): (&Profile, &(&str, u64))| (of_profile(name), profile.part(product));
    instances.iter().map(of_instance).collect()
}

/// The resource that a request for an instance stands for: `device.attributes['gpu.nvidia.com'].profile == '1g.5gb'`.
fn instance(request: &Value) -> Option<String> {
    let selectors = request.get("selectors")?.as_array()?;
    let expressions = selectors.iter().filter_map(|selector| selector.pointer("/cel/expression")?.as_str());
    // Every second part is in quotes.
    let mut quoted = expressions.flat_map(|expression| expression.split(['\'', '"']).skip(1).step_by(2));
    let profile = quoted.find(|text| Profile::parse(text).is_some())?;
    Some(of_profile(profile))
}

/// The resource and count that a list of requests stands for, if all are of one known class.
fn requested(requests: &Value) -> Option<(String, u64)> {
    let mut all: Option<(String, u64)> = None;
    for request in requests.as_array()? {
        // Of alternatives the first is preferred.
        let request = request.get("exactly").or_else(|| request.pointer("/firstAvailable/0")).unwrap_or(request);
        let class = request.get("deviceClassName").and_then(Value::as_str)?;
        if request.get("allocationMode").and_then(Value::as_str) == Some("All") {
            return None;
        }
        let resource = if class == MIG_CLASS { instance(request) } else { of_class(class) }?;
        let count = request.get("count").map_or(Some(1), Value::as_u64)?;
        all = match all {
            None => Some((resource, count)),
            Some((known, sum)) if known == resource => Some((known, sum.saturating_add(count))),
            Some(_) => return None,
        };
    }
    all
}
