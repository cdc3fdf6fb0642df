//! The published allocation of Alibaba's cluster (Weng and others, USENIX ATC 2023; results of its simulator, ten seeds).

use std::path::Path;

use crossover_allocation::recorded::Recorded;
use crossover_allocation::{Fill, Filled, GpuAmount, Policy};
use crossover_needs::test_data;
use crossover_study::Watch;

/// Name in the published tables, and ours.
const POLICIES: [(&str, Policy); 6] = [
    ("01-Random", Policy::Random),
    ("02-DotProd", Policy::DotProduct),
    ("03-GpuClustering", Policy::Clustering),
    ("04-GpuPacking", Policy::Packing),
    ("05-BestFit", Policy::BestFit),
    ("06-FGD", Policy::Fgd),
];
const SEEDS: std::ops::Range<u64> = 42..52;

/// Mean over the seeds of a column of a published table.
fn published(table: &Path, policy: &str, column: &str) -> f64 {
    let mut reader = csv::Reader::from_path(table).expect("the published table");
    let header = reader.headers().expect("a header").clone();
    let place = |name: &str| header.iter().position(|column| column == name).expect("a column");
    let (name, value) = (place("sc_policy"), place(column));
    let values: Vec<f64> = reader
        .records()
        .map(|record| record.expect("a row"))
        .filter(|record| &record[name] == policy)
        .map(|record| record[value].parse().expect("a number"))
        .collect();
    assert_eq!(values.len(), 10, "{policy}");
    values.iter().sum::<f64>() / 10.0
}

#[test]
fn six_policies_give_away_what_the_published_simulator_gave_away() {
    let Some(folder) = test_data("openb") else { return };
    let trace = crossover_traces::openb::read(
        &folder.join("openb_node_list_gpu_node.csv"),
        &folder.join("openb_pod_list_default.csv"),
    );
    let trace = trace.expect("the trace");
    assert_eq!((trace.nodes.len(), trace.tasks.len(), trace.notes.len()), (1_213, 8_152, 0));
    let Recorded { cluster, workload, typical, tasks, .. } = Recorded::new(&trace);
    assert_eq!(cluster.capacity, GpuAmount::whole(6_212));
    for (name, policy) in POLICIES {
        let filled: Vec<Filled> = SEEDS
            .map(|seed| {
                let fill = Fill {
                    cluster: &cluster,
                    workload: &workload,
                    needed: &workload,
                    typical: &typical,
                    tasks: &tasks,
                    policy,
                    seed,
                    until: 1.3,
                };
                Watch::uncancellable(|watch| fill.run(watch)).expect("it cannot be cancelled")
            })
            .collect();
        let mean = |of: &dyn Fn(&Filled) -> f64| filled.iter().map(of).sum::<f64>() / filled.len() as f64;
        for percent in [90, 100, 130] {
            let column = percent.to_string();
            let allocated = mean(&|filled| filled.at(percent).allocated_percent);
            let fragmented = mean(&|filled| filled.at(percent).fragmented_percent);
            let of = |table: &str| published(&folder.join(table), name, &column);
            let (allo, frag) = (of("expected_default_allo.csv"), of("expected_default_frag.csv"));
            println!(
                "{name} at {percent} %: {allocated:.2} ({allo:.2}) allocated, {fragmented:.2} ({frag:.2}) fragmented"
            );
            assert!((allocated - allo).abs() < 0.5, "{name} at {percent} %: {allocated} instead of {allo}");
            assert!((fragmented - frag).abs() < 0.5, "{name} at {percent} %: {fragmented} instead of {frag}");
        }
    }
}
