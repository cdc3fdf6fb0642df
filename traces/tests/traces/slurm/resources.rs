//! Generic resources of Slurm: shards and instances of GPUs, and what is no GPU.

use crossover_allocation::{Trace, WHOLE};
use crossover_traces::slurm::read;
use serde_json::json;

use super::{file, job, of, requested};

#[test]
fn generic_resources_that_are_not_read_are_named() {
    let nodes = "NodeName=n CPUTot=8 RealMemory=1000 Gres=gpu:1,npu:ascend:8\n";
    let trace = of(nodes, &[job(1, &json!({ "tres_per_node": "gres/gpu:1,gres/npu:4" }))]).expect("a job");
    let named: Vec<(&str, usize)> = trace.unread.names().map(|name| (name.name, name.count)).collect();
    assert_eq!(named, [("gres/npu", 2)]);
}

/// Sites name instances as they like.
#[test]
fn instances_are_known_by_the_profile_at_the_end_of_their_type() {
    for of_type in [
        "h100_1g.10gb",
        "h100-1g.10gb",
        "h100:1g.10gb",
        "h100_1g10gb",
        "h100-mig-1g.10gb",
        "h100_MIG_1g.10gb",
        "1g.10gb",
    ] {
        let nodes = format!("NodeName=n CPUTot=8 RealMemory=1000 Gres=gpu:{of_type}:14\n");
        let trace = of(&nodes, &[job(1, &json!({ "tres_per_node": "gres/gpu:1" }))]).expect("a job");
        assert_eq!(trace.nodes[0].devices.len(), 2, "{of_type}");
        assert_eq!(trace.types, [if of_type.starts_with("h100") { "h100" } else { "GPU" }], "{of_type}");
        assert_eq!(requested(&trace, "1 wrap").4, [Some(142)], "{of_type}");
    }
}

#[test]
fn all_instances_and_shards_of_a_gpu_together_are_the_gpu() {
    for (gres, requested, parts) in
        [("gpu:a100_1g.5gb:7", "gres/gpu:a100_1g.5gb=1", 7), ("gpu:l40:1,shard:l40:12", "gres/shard:l40=1", 12)]
    {
        let nodes = format!("NodeName=n CPUTot=64 RealMemory=1000 Gres={gres}\n");
        let trace = of(&nodes, &[job(1, &json!({ "tres_per_node": requested }))]).expect("a node and a job");
        assert_eq!(trace.nodes[0].devices.len(), 1, "{gres}");
        let share = trace.requests[trace.tasks[0].request].shares[0].expect("it can run there");
        assert_eq!(share * parts, WHOLE, "{gres}");
    }
}

/// Shards of two types, and those of one type in two lines of gres.conf.
#[test]
fn shards_of_every_type_and_line_are_parts_of_their_gpus() {
    let nodes = "NodeName=n CPUTot=64 RealMemory=1000 \
                 Gres=gpu:l4:4(S:0),gpu:t4:2(S:1),shard:l4:8(S:0),shard:l4:8(S:1),shard:t4:20(S:1)\n";
    let jobs = [
        job(1, &json!({ "tres_per_node": "gres/shard:l4:1" })),
        job(2, &json!({ "tres_per_node": "gres/shard:t4:1" })),
        job(3, &json!({ "tres_per_node": "gres/shard:1" })),
    ];
    let trace = of(nodes, &jobs).expect("a node and jobs");
    assert_eq!(trace.types, ["l4", "t4"]);
    assert_eq!(trace.nodes[0].devices.len(), 6);
    // 16 shards are 4 GPUs of one type, 20 are 2 of the other.
    assert_eq!(requested(&trace, "1 wrap").4, [Some(250), None]);
    assert_eq!(requested(&trace, "2 wrap").4, [None, Some(100)]);
    assert_eq!(requested(&trace, "3 wrap").4, [Some(250), Some(100)]);
}

#[test]
fn a_node_without_gres_that_calls_itself_one_with_gpus_is_named() {
    let nodes = "NodeName=n CPUTot=8 RealMemory=1000 Gres=(null) ActiveFeatures=rack7,gpu-a100 CfgTRES=cpu=8,gres/gpu=4\n\
                 NodeName=m CPUTot=8 RealMemory=1000 Gres=gpu:2 ActiveFeatures=gpu-a100 CfgTRES=cpu=8,gres/gpu=2\n";
    let trace = read(file(nodes).path(), None).expect("nodes");
    let named: Vec<(&str, usize, &str)> =
        trace.unread.names().map(|name| (name.name, name.count, name.first)).collect();
    assert_eq!(named, [("gres/gpu", 1, "node n"), ("gpu-a100", 1, "node n")]);
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(100))]

    /// Whatever a generic resource is called, its accelerators are GPUs of the node, or the resource is named, or the node is;
    /// and what a job requests of it is part of its request, or named, or the job is.
    #[test]
    fn no_generic_resource_vanishes(
        kind in "(gpu|shard|mps|npu|tpu|dcu|fpga|[a-z]{2,6})",
        of_type in "(:[a-z][a-z0-9]{1,5}|:a100_1g\\.5gb)?",
        count in 1_u32..=14,
    ) {
        let nodes = format!("NodeName=n CPUTot=8 RealMemory=1000 Gres={kind}{of_type}:{count}\n");
        let is_named = |trace: &Trace| trace.unread.names().any(|unread| unread.name == format!("gres/{kind}"));
        match read(file(&nodes).path(), None) {
            Ok(trace) => {
                let gpus: usize = trace.nodes.iter().map(|node| node.devices.len()).sum();
                proptest::prop_assert!(gpus > 0 || is_named(&trace), "{nodes}: {:?}", trace.messages());
            }
            Err(error) => proptest::prop_assert!(error.to_string().contains("(n)"), "{error}"),
        }

        let request = json!({ "tres_per_node": format!("gres/{kind}{of_type}:{count}") });
        let nodes = format!("NodeName=n CPUTot=8 RealMemory=1000 Gres={kind}{of_type}:{count},gpu:2\n");
        match of(&nodes, &[job(1, &json!({})), job(2, &request)]) {
            Ok(trace) => {
                let requested = trace.tasks.iter().map(|task| trace.requests[task.request].gpus).max();
                let is_left_out = trace.notes.iter().any(|note| note.contains("(job 2)"));
                proptest::prop_assert!(
                    requested > Some(0) || is_named(&trace) || is_left_out,
                    "{request}: {:?}",
                    trace.messages()
                );
            }
            Err(error) => proptest::prop_assert!(error.to_string().contains("(n)"), "{error}"),
        }
    }
}
