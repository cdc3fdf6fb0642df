//! Claims for devices of `resource.k8s.io/v1alpha2` (Kubernetes 1.26 to 1.30): a class names the driver, and an object of the driver has
//! the parameters. What a node has is in an object of the driver, too, that is called like the node.
//! <https://github.com/kubernetes/enhancements/tree/master/keps/sig-node/3063-dynamic-resource-allocation>
//!
//! Read are the objects of the drivers of NVIDIA (`GpuClaimParameters`, `MigDeviceClaimParameters`, `NodeAllocationState`:
//! <https://github.com/NVIDIA/k8s-dra-driver>) and Intel (`GpuClaimParameters`, `GpuAllocationState`:
//! <https://github.com/intel/intel-resource-drivers-for-kubernetes>). `PodSchedulingContext` says where a pod may run, and counts
//! nothing.

use std::collections::BTreeMap;

use serde_json::Value;

/// Of a driver's name; without it, it is the class of later versions: `gpu.resource.nvidia.com`.
const MIDDLE: &str = ".resource.";

/// A claim of a class, with the parameters that it names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ClassClaim {
    class: String,
    namespace: String,
    /// Kind and name of the object that has the parameters.
    parameters: Option<(String, String)>,
}

impl ClassClaim {
    /// The claim of a specification; `None` if it names no class.
    pub(super) fn of(spec: &Value, namespace: &str) -> Option<Self> {
        let text = |pointer: &str| spec.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
        let parameters = text("/parametersRef/kind").zip(text("/parametersRef/name"));
        Some(Self { class: text("/resourceClassName")?, namespace: namespace.to_owned(), parameters })
    }
}

/// What a claim of a class requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ClassRequest {
    /// The class of later versions that it stands for, such as `gpu.nvidia.com`.
    pub(super) class: String,
    /// The profile of an instance; `None`: whole GPUs.
    pub(super) profile: Option<String>,
    /// How many.
    pub(super) count: u64,
}

/// A GPU of a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DraDevice {
    /// Product; empty: not named.
    pub(super) product: String,
    /// The profile of an instance; `None`: a whole GPU.
    pub(super) profile: Option<String>,
    /// Memory, MiB; 0: not known.
    pub(super) memory_mib: u64,
}

/// Classes and parameters read so far.
#[derive(Debug, Default)]
pub(super) struct Classes {
    /// Drivers of classes.
    drivers: BTreeMap<String, String>,
    /// Specifications by kind, namespace and name.
    parameters: BTreeMap<(String, String, String), Value>,
}

impl Classes {
    /// Takes a class, or an object with parameters; other objects are ignored.
    pub(super) fn take(&mut self, kind: &str, item: &Value) {
        let text = |pointer: &str| item.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
        if kind == "ResourceClass" {
            self.drivers.insert(text("/metadata/name"), text("/driverName"));
        } else if kind.ends_with("ClaimParameters") {
            let key = (kind.to_owned(), text("/metadata/namespace"), text("/metadata/name"));
            self.parameters.insert(key, item.get("spec").cloned().unwrap_or_default());
        }
    }

    /// What a claim requests; `None` if its parameters are not in the dump or say more than is understood.
    pub(super) fn request(&self, claim: &ClassClaim) -> Option<ClassRequest> {
        let driver = self.drivers.get(&claim.class).filter(|driver| !driver.is_empty());
        let class = class_of(driver.unwrap_or(&claim.class));
        let Some((kind, name)) = &claim.parameters else {
            return Some(ClassRequest { class, profile: None, count: 1 });
        };
        let spec = self.parameters.get(&(kind.clone(), claim.namespace.clone(), name.clone()))?;
        let count = spec.get("count").map_or(Some(1), Value::as_u64)?;
        match kind.as_str() {
            "MigDeviceClaimParameters" => {
                let profile = spec.get("profile")?.as_str()?.to_owned();
                Some(ClassRequest { class, profile: Some(profile), count })
            }
            // A part of a GPU of Intel is none of its whole ones.
            "GpuClaimParameters" if !["memory", "millicores"].iter().any(|part| spec.get(part).is_some()) => {
                Some(ClassRequest { class, profile: None, count })
            }
            _ => None,
        }
    }
}

/// The class of later versions that a driver stands for.
fn class_of(driver: &str) -> String {
    driver.replacen(MIDDLE, ".", 1)
}

/// The class and the GPUs of a node, from the object of its driver; `None` for other objects.
pub(super) fn devices_of_node(kind: &str, item: &Value) -> Option<(String, Vec<DraDevice>)> {
    let group = item.get("apiVersion")?.as_str()?.split('/').next()?;
    let text = |value: Option<&Value>| value.and_then(Value::as_str).unwrap_or_default().to_owned();
    match kind {
        "NodeAllocationState" => {
            let entries = item.pointer("/spec/allocatableDevices")?.as_array()?.iter();
            let device = |entry: &Value| {
                let whole = entry.get("gpu");
                let memory_mib = whole.and_then(|gpu| gpu.get("memoryBytes")?.as_u64()).unwrap_or(0) >> 20;
                match (whole, entry.get("mig")) {
                    (Some(gpu), _) => {
                        Some(DraDevice { product: text(gpu.get("productName")), profile: None, memory_mib })
                    }
                    (None, Some(mig)) => Some(DraDevice {
                        product: text(mig.get("parentProductName")),
                        profile: Some(text(mig.get("profile"))),
                        memory_mib: 0,
                    }),
                    (None, None) => None,
                }
            };
            // `nas.gpu.resource.nvidia.com`.
            Some((class_of(group.strip_prefix("nas.").unwrap_or(group)), entries.filter_map(device).collect()))
        }
        "GpuAllocationState" => {
            let allocatable = ["/spec/allocatable", "/spec/allocatableDevices"];
            let entries = allocatable.iter().find_map(|pointer| item.pointer(pointer)?.as_object())?;
            // Virtual functions are of the same GPUs.
            let is_whole = |entry: &&Value| text(entry.get("type")) == "gpu";
            let device = |entry: &Value| DraDevice {
                product: text(entry.get("model")),
                profile: None,
                memory_mib: entry.get("memory").and_then(Value::as_u64).unwrap_or(0),
            };
            Some((class_of(group), entries.values().filter(is_whole).map(device).collect()))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_claim_requests_what_its_parameters_say_of_the_class_of_its_driver() {
        let mut classes = Classes::default();
        classes
            .take("ResourceClass", &json!({ "metadata": { "name": "fast" }, "driverName": "gpu.resource.nvidia.com" }));
        let parameters =
            |name: &str, spec: Value| json!({ "metadata": { "name": name, "namespace": "ml" }, "spec": spec });
        classes.take("GpuClaimParameters", &parameters("two", json!({ "count": 2 })));
        classes.take("GpuClaimParameters", &parameters("part", json!({ "count": 1, "memory": 500 })));
        classes.take("MigDeviceClaimParameters", &parameters("slice", json!({ "profile": "1g.5gb" })));
        let request = |class: &str, parameters: Value| {
            let spec = json!({ "resourceClassName": class, "parametersRef": parameters });
            classes.request(&ClassClaim::of(&spec, "ml").expect("a class"))
        };
        let of = |profile: Option<&str>, count| {
            Some(ClassRequest { class: "gpu.nvidia.com".to_owned(), profile: profile.map(str::to_owned), count })
        };
        assert_eq!(request("fast", json!({ "kind": "GpuClaimParameters", "name": "two" })), of(None, 2));
        let slice = json!({ "kind": "MigDeviceClaimParameters", "name": "slice" });
        assert_eq!(request("gpu.nvidia.com", slice), of(Some("1g.5gb"), 1));
        assert_eq!(request("gpu.nvidia.com", Value::Null), of(None, 1));
        for name in ["part", "elsewhere"] {
            assert_eq!(request("fast", json!({ "kind": "GpuClaimParameters", "name": name })), None);
        }
        assert_eq!(ClassClaim::of(&json!({ "devices": {} }), "ml"), None);
    }

    /// As the document of Intel's driver shows it.
    #[test]
    fn virtual_functions_of_a_gpu_are_no_gpus() {
        let item = json!({
            "apiVersion": "gpu.resource.intel.com/v1alpha2", "kind": "GpuAllocationState", "metadata": { "name": "n" },
            "spec": { "allocatable": {
                "0000:b3:00.0-0x56c0": { "memory": 14248, "millicores": 1000, "model": "0x56c0", "type": "gpu" },
                "0000:b3:00.1-0x56c0": { "memory": 7000, "millicores": 500, "model": "0x56c0", "type": "vf" }
            } }
        });
        let expected = DraDevice { product: "0x56c0".to_owned(), profile: None, memory_mib: 14_248 };
        let found = devices_of_node("GpuAllocationState", &item);
        assert_eq!(found, Some(("gpu.intel.com".to_owned(), vec![expected])));
        assert_eq!(devices_of_node("Deployment", &item), None);
    }
}
