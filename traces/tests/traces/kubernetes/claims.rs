//! Claims of dynamic resource allocation.

use crossover_allocation::WHOLE;
use serde_json::{Value, json};

use super::{node, of, pod, requested};

/// Objects of `resource.k8s.io/v1`: two GPUs of a node in a slice, a template for one, and a claim that two pods share.
#[test]
fn device_claims_are_requests_for_gpus() {
    let device = json!({
        "name": "gpu-0", "attributes": { "type": { "string": "gpu" }, "productName": { "string": "NVIDIA L40" } },
        "capacity": { "memory": { "value": "46068Mi" } }
    });
    let slice = json!({
        "apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": { "name": "s" },
        "spec": { "nodeName": "d", "driver": "gpu.nvidia.com", "devices": [device, device] }
    });
    let requests =
        json!({ "devices": { "requests": [{ "name": "r", "exactly": { "deviceClassName": "gpu.nvidia.com" } }] } });
    let object = |kind: &str, name: &str, spec: Value| json!({ "apiVersion": "resource.k8s.io/v1", "kind": kind, "metadata": { "name": name, "namespace": "ml" }, "spec": spec });
    let claiming = |name: &str, claims: Value| {
        let mut pod = pod(name, &json!({}));
        pod["spec"]["resourceClaims"] = claims;
        pod
    };
    let items = [
        node("d", &json!({}), &json!({})),
        slice,
        object("ResourceClaimTemplate", "one", json!({ "spec": requests })),
        object("ResourceClaim", "common", requests.clone()),
        claiming("own", json!([{ "name": "a", "resourceClaimTemplateName": "one" }])),
        claiming(
            "both",
            json!([
                { "name": "a", "resourceClaimTemplateName": "one" }, { "name": "b", "resourceClaimTemplateName": "one" }
            ]),
        ),
        claiming("half", json!([{ "name": "a", "resourceClaimName": "common" }])),
        claiming("other-half", json!([{ "name": "a", "resourceClaimName": "common" }])),
        claiming("lost", json!([{ "name": "a", "resourceClaimName": "elsewhere" }])),
    ];
    let trace = of(&items).expect("a node and pods");
    assert_eq!((trace.types[0].as_str(), &trace.nodes[0].devices), ("NVIDIA L40", &vec![0, 0]));
    assert_eq!(requested(&trace, "ml/own"), (0, 0, 1, vec![Some(1000)]));
    assert_eq!(requested(&trace, "ml/both"), (0, 0, 2, vec![Some(1000)]));
    assert_eq!(requested(&trace, "ml/half"), (0, 0, 1, vec![Some(500)]));
    let named: Vec<&str> = trace.unread.names().map(|name| name.name).collect();
    assert_eq!(named, ["elsewhere"]);
}

/// Objects of `resource.k8s.io/v1alpha2` as `InstaSlice` and NVIDIA's first driver write them: a class, parameters in an object of the driver,
/// the names of a pod's claims in `source`, and the GPUs of a node in its `NodeAllocationState`.
#[test]
fn claims_of_a_class_are_requests_for_gpus() {
    let object = |group: &str, kind: &str, name: &str, spec: Value| json!({ "apiVersion": group, "kind": kind, "metadata": { "name": name, "namespace": "ml" }, "spec": spec });
    let template = |name: &str, kind: &str| {
        let parameters = json!({ "apiGroup": "gpu.resource.nvidia.com", "kind": kind, "name": name });
        let spec = json!({ "spec": { "resourceClassName": "gpu.nvidia.com", "parametersRef": parameters } });
        object("resource.k8s.io/v1alpha2", "ResourceClaimTemplate", name, spec)
    };
    let claiming = |name: &str, template: &str| {
        let mut pod = pod(name, &json!({}));
        pod["spec"]["resourceClaims"] = json!([{ "name": "c", "source": { "resourceClaimTemplateName": template } }]);
        pod
    };
    let gpu =
        json!({ "gpu": { "uuid": "G", "productName": "NVIDIA A100-SXM4-40GB", "memoryBytes": 42_949_672_960_u64 } });
    let instances = json!({ "mig": { "profile": "1g.5gb", "parentProductName": "NVIDIA A100-SXM4-40GB" } });
    let items = [
        node("n", &json!({}), &json!({})),
        object(
            "nas.gpu.resource.nvidia.com/v1alpha1",
            "NodeAllocationState",
            "n",
            json!({ "allocatableDevices": [gpu, gpu, instances] }),
        ),
        json!({
            "apiVersion": "resource.k8s.io/v1alpha2", "kind": "ResourceClass", "metadata": { "name": "gpu.nvidia.com" },
            "driverName": "gpu.resource.nvidia.com"
        }),
        object("gpu.resource.nvidia.com/v1alpha1", "GpuClaimParameters", "two", json!({ "count": 2 })),
        object("gpu.resource.nvidia.com/v1alpha1", "MigDeviceClaimParameters", "slice", json!({ "profile": "1g.5gb" })),
        template("two", "GpuClaimParameters"),
        template("slice", "MigDeviceClaimParameters"),
        template("lost", "GpuClaimParameters"),
        claiming("whole", "two"),
        claiming("part", "slice"),
        claiming("unknown", "lost"),
    ];
    let trace = of(&items).expect("a node and pods");
    assert_eq!((trace.types[0].as_str(), trace.nodes[0].devices.len()), ("NVIDIA A100-SXM4-40GB", 2));
    assert_eq!(requested(&trace, "ml/whole"), (0, 0, 2, vec![Some(1000)]));
    assert_eq!(requested(&trace, "ml/part"), (0, 0, 1, vec![Some(142)]));
    assert_eq!(trace.unread.names().map(|name| (name.name, name.count)).collect::<Vec<_>>(), [("lost", 1)]);
}

/// The devices of a driver that is in no table, and slices of v1alpha2, are named with their count.
#[test]
fn slices_of_unknown_drivers_are_named() {
    let slice = json!({
        "apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": { "name": "s" },
        "spec": { "nodeName": "n", "driver": "npu.example.com", "devices": [{ "name": "a" }, { "name": "b" }] }
    });
    let old = json!({
        "apiVersion": "resource.k8s.io/v1alpha2", "kind": "ResourceSlice", "metadata": { "name": "t" }, "nodeName": "n",
        "driverName": "gpu.resource.nvidia.com", "namedResources": { "instances": [{ "name": "gpu-0" }] }
    });
    let trace = of(&[node("n", &json!({}), &json!({})), slice, old]).expect("a node");
    let named: Vec<_> = trace.unread.names().map(|name| (name.name, name.count, name.first)).collect();
    assert_eq!(named, [("gpu.resource.nvidia.com", 1, "node n"), ("npu.example.com", 2, "node n")]);
}

/// The layout of NVIDIA's driver for dynamic resource allocation: instances beside the GPU that they are cut from, or alone, and
/// the profile in an expression of the claim.
#[test]
fn a_claim_for_an_instance_is_a_part_of_a_gpu() {
    let instance = |name: &str| {
        json!({
            "name": name,
            "attributes": {
                "type": { "string": "mig" }, "profile": { "string": "1g.5gb" },
                "productName": { "string": "NVIDIA A100-SXM4-40GB" }
            }
        })
    };
    let gpu = json!({
        "name": "gpu-0",
        "attributes": { "type": { "string": "gpu" }, "productName": { "string": "NVIDIA A100-SXM4-40GB" } },
        "capacity": { "memory": { "value": "40Gi" } }
    });
    let template = |profile: &str| {
        let expression = format!("device.attributes['gpu.nvidia.com'].profile == '{profile}'");
        let request = json!({
            "name": "r",
            "exactly": { "deviceClassName": "mig.nvidia.com", "selectors": [{ "cel": { "expression": expression } }] }
        });
        json!({
            "apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaimTemplate",
            "metadata": { "name": profile, "namespace": "ml" }, "spec": { "spec": { "devices": { "requests": [request] } } }
        })
    };
    for devices in [json!([gpu, instance("a")]), json!([instance("a"), instance("b")])] {
        let slice = json!({
            "apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": { "name": "s" },
            "spec": { "nodeName": "n", "driver": "gpu.nvidia.com", "devices": devices }
        });
        let mut claiming = pod("p", &json!({}));
        claiming["spec"]["resourceClaims"] = json!([{ "name": "c", "resourceClaimTemplateName": "1g.5gb" }]);
        let trace =
            of(&[node("n", &json!({}), &json!({})), slice, template("1g.5gb"), claiming]).expect("a node and a pod");
        assert_eq!(trace.nodes[0].devices.len(), 1);
        assert_eq!(trace.requests[trace.tasks[0].request].shares, [Some(WHOLE / 7)]);
        assert!(trace.unread.is_empty(), "{:?}", trace.unread);
    }
}
