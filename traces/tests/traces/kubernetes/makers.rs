//! Accelerators of all makers, and how `HAMi` shares them.

use serde_json::{Value, json};

use super::{node, of, pod, requested};

/// A card of 24,576 MiB that `HAMi` splits in four: 6,144 MiB are a quarter of it, and 40 % of the cores are more.
#[test]
fn cards_that_hami_splits_are_cards_and_pods_request_parts_of_them() {
    let mut split = node("h", &json!({ "gpu": "on" }), &json!({ "nvidia.com/gpu": "8" }));
    split["metadata"]["annotations"] = json!({
        "hami.io/node-nvidia-register":
            "GPU-a,4,24576,100,NVIDIA-NVIDIA A10,0,true:GPU-b,4,24576,100,NVIDIA-NVIDIA A10,1,true:"
    });
    let items = [
        split,
        pod("memory", &json!({ "nvidia.com/gpu": "1", "nvidia.com/gpumem": "6144" })),
        pod("cores", &json!({ "nvidia.com/gpu": "1", "nvidia.com/gpumem": "6144", "nvidia.com/gpucores": "40" })),
        pod("percent", &json!({ "nvidia.com/gpu": "2", "nvidia.com/gpumem-percentage": "60" })),
        pod("whole", &json!({ "nvidia.com/gpu": "1" })),
        pod("large", &json!({ "nvidia.com/gpu": "1", "nvidia.com/gpumem": "30k" })),
    ];
    let trace = of(&items).expect("a node and pods");
    assert_eq!((trace.types[0].as_str(), trace.nodes[0].devices.len()), ("NVIDIA A10", 2));
    let share = |name: &str| requested(&trace, name);
    assert_eq!(share("ml/memory"), (0, 0, 1, vec![Some(250)]));
    assert_eq!(share("ml/cores"), (0, 0, 1, vec![Some(400)]));
    assert_eq!(share("ml/percent"), (0, 0, 2, vec![Some(600)]));
    assert_eq!(share("ml/whole"), (0, 0, 1, vec![Some(1000)]));
    let refused = "ml/large: it requests more of a GPU than any has";
    assert!(trace.notes.iter().any(|note| note.contains(refused)), "{:?}", trace.notes);
    // Without the annotation the label of memory is enough, and 8 of 2 GPUs are 4 of each.
    let labels = json!({
        "nvidia.com/gpu.product": "NVIDIA-A10", "nvidia.com/gpu.memory": "24576", "nvidia.com/gpu.count": "2"
    });
    let items = [
        node("h", &labels, &json!({ "nvidia.com/gpu": "8" })),
        pod("memory", &json!({ "nvidia.com/gpu": "1", "nvidia.com/gpumem": "6144" })),
    ];
    let trace = of(&items).expect("a node and a pod");
    assert_eq!((trace.nodes[0].devices.len(), requested(&trace, "ml/memory").3), (2, vec![Some(250)]));
}

#[test]
fn accelerators_of_all_makers_are_counted() {
    let labels = json!({ "amd.com/gpu.product-name": "MI325X" });
    let partitioned = json!({ "amd.com/gpu.compute-memory-partition": "cpx_nps1" });
    let numbered = json!({ "gpu.intel.com/gpu-numbers": "0.1" });
    let mut volcano =
        node("v", &json!({}), &json!({ "volcano.sh/vgpu-number": "6", "volcano.sh/vgpu-memory": "98304" }));
    volcano["metadata"]["annotations"] =
        json!({ "volcano.sh/node-vgpu-register": "GPU-a,6,16384,NVIDIA-Tesla V100,false:" });
    let items = [
        node("a", &labels, &json!({ "amd.com/gpu": "8" })),
        node("b", &partitioned, &json!({ "amd.com/gpu": "64" })),
        node("c", &json!({}), &json!({ "amd.com/cpx_nps4": "16" })),
        node("d", &numbered, &json!({ "gpu.intel.com/i915": "10", "gpu.intel.com/i915_monitoring": "1" })),
        node("e", &json!({}), &json!({ "habana.ai/gaudi": "8" })),
        node("f", &json!({}), &json!({ "huawei.com/Ascend910": "8" })),
        node("g", &json!({}), &json!({ "huawei.com/Ascend310P-2c": "4" })),
        node("h", &json!({}), &json!({ "aliyun.com/gpu-mem": "32", "aliyun.com/gpu-count": "2" })),
        node("i", &json!({}), &json!({ "koordinator.sh/gpu-core": "400", "koordinator.sh/gpu-memory-ratio": "400" })),
        volcano,
        pod("amd", &json!({ "amd.com/gpu": "4" })),
        pod("intel", &json!({ "gpu.intel.com/i915": "1" })),
        pod("npu", &json!({ "huawei.com/Ascend310P-2c": "1" })),
        pod("units", &json!({ "aliyun.com/gpu-mem": "4" })),
        pod("percent", &json!({ "koordinator.sh/gpu-core": "30", "koordinator.sh/gpu-memory-ratio": "45" })),
        pod("two", &json!({ "koordinator.sh/gpu-core": "200", "koordinator.sh/gpu-memory-ratio": "200" })),
        pod("vgpu", &json!({ "volcano.sh/vgpu-number": "1", "volcano.sh/vgpu-memory": "4096" })),
    ];
    let trace = of(&items).expect("nodes and pods");
    let gpus: Vec<usize> = trace.nodes.iter().map(|node| node.devices.len()).collect();
    assert_eq!(gpus, [8, 8, 2, 2, 8, 8, 1, 2, 4, 1]);
    let of_pod = |name: &str| {
        let (_, _, gpus, shares) = requested(&trace, name);
        let mut shares: Vec<u16> = shares.into_iter().flatten().collect();
        shares.sort_unstable();
        (gpus, shares)
    };
    // A resource is a GPU of node "a", and an eighth of one of node "b".
    assert_eq!(of_pod("ml/amd"), (4, vec![125, 1000]));
    assert_eq!(of_pod("ml/intel"), (1, vec![200]));
    assert_eq!(of_pod("ml/npu"), (1, vec![250]));
    assert_eq!(of_pod("ml/units"), (1, vec![250]));
    assert_eq!(of_pod("ml/percent"), (1, vec![450]));
    assert_eq!(of_pod("ml/two"), (2, vec![1000]));
    assert_eq!(of_pod("ml/vgpu"), (1, vec![250]));
    assert!(trace.unread.is_empty(), "{:?}", trace.unread);
}

/// Places on shared GPUs are no GPUs, and are named where no annotation says how many GPUs there are.
#[test]
fn whole_accelerators_of_further_makers_are_gpus() {
    for (resource, product) in [
        ("cambricon.com/mlu", "Cambricon MLU"),
        ("metax-tech.com/gpu", "MetaX GPU"),
        ("enflame.com/gcu", "Enflame GCU"),
    ] {
        let gpus = json!({ resource: "8", "hygon.com/dcunum": "4" });
        let trace = of(&[node("n", &json!({}), &gpus), pod("p", &json!({ resource: "2" }))]).expect("a node and a pod");
        assert_eq!((trace.types[0].as_str(), trace.nodes[0].devices.len()), (product, 8));
        assert_eq!(requested(&trace, "ml/p"), (0, 0, 2, vec![Some(1000)]));
        assert_eq!(trace.unread.names().map(|name| name.name).collect::<Vec<_>>(), ["hygon.com/dcunum"]);
    }
}

/// A node that offers these resources, with these annotations, is read as so many GPUs of a product; each request of a pod is of so
/// many GPUs, and of so many thousandths of each.
fn check_shared((offers, annotations): (Value, Value), (product, gpus): (&str, usize), requests: &[(Value, u8, u16)]) {
    let mut shared = node("n", &json!({}), &offers);
    shared["metadata"]["annotations"] = annotations;
    let pods = requests.iter().enumerate().map(|(place, (request, ..))| pod(&format!("p{place}"), request));
    let items: Vec<Value> = std::iter::once(shared).chain(pods).collect();
    let trace = of(&items).expect("a node and pods");
    assert_eq!((trace.types[0].as_str(), trace.nodes[0].devices.len()), (product, gpus));
    for (place, (request, gpus, share)) in requests.iter().enumerate() {
        let expected = (0, 0, *gpus, vec![Some(*share)]);
        assert_eq!(requested(&trace, &format!("ml/p{place}")), expected, "{request}");
    }
    assert!(trace.unread.is_empty(), "{product}: {:?}", trace.unread);
    assert!(!trace.notes.iter().any(|note| note.contains("contradicting")), "{:?}", trace.notes);
}

/// As the documents and tests of `HAMi` show them: <https://github.com/Project-HAMi/HAMi/tree/master/pkg/device>. Cores count
/// where they are the larger part; a task of Hygon or `MetaX` that names none has all of them.
#[test]
fn gpus_that_hami_registers_are_gpus_and_pods_request_parts_of_them() {
    let of_hygon = "D-0,4,16384,100,DCU-Z100,0,true,0,m:D-1,4,16384,100,DCU-Z100,0,true,1,m:";
    check_shared(
        (json!({ "hygon.com/dcunum": "8" }), json!({ "hami.io/node-dcu-register": of_hygon })),
        ("DCU-Z100", 2),
        &[
            (json!({ "hygon.com/dcunum": "1", "hygon.com/dcumem": "4096", "hygon.com/dcucores": "60" }), 1, 600),
            (json!({ "hygon.com/dcunum": "1", "hygon.com/dcumem": "4096", "hygon.com/dcucores": "10" }), 1, 250),
            (json!({ "hygon.com/dcunum": "1", "hygon.com/dcumem": "4096" }), 1, 1000),
            (json!({ "hygon.com/dcunum": "2" }), 2, 1000),
        ],
    );
    let of_metax =
        json!([{ "uuid": "G", "model": "C500", "totalDevCount": 16, "totalCompute": 100, "totalVRam": 65_536 }]);
    let request = |cores: &str, memory: &str| json!({ "metax-tech.com/sgpu": "1", "metax-tech.com/vcore": cores, "metax-tech.com/vmemory": memory });
    check_shared(
        (json!({ "metax-tech.com/sgpu": "16" }), json!({ "metax-tech.com/node-gpu-devices": of_metax.to_string() })),
        ("C500", 1),
        // GiB, or bytes with a unit: 8 of 64 GiB.
        &[(request("60", "4"), 1, 600), (request("5", "8192Mi"), 1, 125), (request("5", "8"), 1, 125)],
    );
    // 32 blocks of 256 MiB are 8 of 32 GiB.
    let request = json!({
        "iluvatar.ai/MR-V100-vgpu": "1", "iluvatar.ai/MR-V100.vCore": "10", "iluvatar.ai/MR-V100.vMem": "32"
    });
    check_shared(
        (
            json!({ "iluvatar.ai/MR-V100-vgpu": "10" }),
            json!({ "hami.io/node-MR-V100-register": "I-0,10,32768,100,MR-V100,0,true:" }),
        ),
        ("MR-V100", 1),
        &[(request, 1, 250), (json!({ "iluvatar.ai/MR-V100-vgpu": "1", "iluvatar.ai/MR-V100.vCore": "100" }), 1, 1000)],
    );
}

/// Enflame cuts a GPU into partitions of some of its slices, by request.
#[test]
fn partitions_that_hami_cuts_are_the_smallest_that_hold_a_request() {
    let of_enflame = json!({
        "devices": [{ "index": "0", "minor": "0", "capacity": 6 }, { "index": "1", "minor": "1", "capacity": 6 }],
        "profiles": { "1g.6gb": "0", "3g.20gb": "1", "6g.40gb": "2" }
    });
    check_shared(
        (json!({ "enflame.com/drs-gcu": "12" }), json!({ "enflame.com/gcu-drs-capacity": of_enflame.to_string() })),
        ("Enflame GCU", 2),
        &[
            (json!({ "enflame.com/drs-gcu": "3" }), 1, 500),
            (json!({ "enflame.com/gcu-memory": "20480", "enflame.com/gcu-core": "40" }), 1, 500),
            // A fifth of the cores takes two of six slices.
            (json!({ "enflame.com/gcu-core": "20" }), 1, 333),
        ],
    );
}

/// Nodes of Cambricon and Moore Threads offer the cores and the memory of all their GPUs.
#[test]
fn gpus_follow_from_their_cores_where_nothing_registers_them() {
    let request = |memory: &str, cores: &str| {
        json!({
            "cambricon.com/vmlu": "1", "cambricon.com/mlu.smlu.vmemory": memory, "cambricon.com/mlu.smlu.vcore": cores
        })
    };
    check_shared(
        // 192 blocks of 256 MiB are 24,576 MiB of each of two GPUs.
        (json!({ "cambricon.com/mlu.smlu.vcore": "200", "cambricon.com/mlu.smlu.vmemory": "192" }), json!({})),
        ("Cambricon MLU", 2),
        &[(request("24", "10"), 1, 250), (json!({ "cambricon.com/vmlu": "1" }), 1, 1000)],
    );
    let request = |gpus: &str, memory: &str, cores: &str| json!({ "mthreads.com/vgpu": gpus, "mthreads.com/sgpu-memory": memory, "mthreads.com/sgpu-core": cores });
    check_shared(
        // 16 cores are a GPU; a request is of all GPUs of a task together.
        (json!({ "mthreads.com/sgpu-core": "32", "mthreads.com/sgpu-memory": "192" }), json!({})),
        ("Moore Threads GPU", 2),
        &[(request("1", "24", "8"), 1, 500), (request("2", "48", "4"), 2, 250)],
    );
}

/// Without a label that says so, 64 partitions look like 64 GPUs.
#[test]
fn a_node_with_too_many_gpus_says_what_tells_parts_from_gpus() {
    let error = of(&[node("n", &json!({}), &json!({ "amd.com/gpu": "64" }))]).expect_err("too many").to_string();
    assert!(error.contains("it has 64 GPUs; at most 16 per node are supported"), "{error}");
    assert!(error.contains("amd.com/gpu.compute-memory-partition"), "{error}");
    // Beside a pod it is left out, and no message asks for the list of nodes, which the file already has.
    let items = [node("n", &json!({}), &json!({ "amd.com/gpu": "64" })), pod("p", &json!({ "amd.com/gpu": "1" }))];
    let notes = of(&items).expect("a pod").notes.join("\n");
    assert!(notes.contains("no node can be read") && !notes.contains("no node in it"), "{notes}");
}
