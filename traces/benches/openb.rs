//! How long it takes to fill a cluster like Alibaba's: 1,213 nodes with 6,212 GPUs, 8,152 tasks and as many again until 130 %
//! was asked for. A prototype in Python with `NumPy` took 1 s for a seed.

use criterion::{Criterion, criterion_group, criterion_main};
use crossover_allocation::recorded::Recorded;
use crossover_allocation::{Fill, Policy};
use crossover_needs::test_data;
use crossover_study::Watch;
use std::hint::black_box;

fn fill(c: &mut Criterion) {
    let Some(folder) = test_data("openb") else { return };
    let files = ["openb_node_list_gpu_node.csv", "openb_pod_list_default.csv"].map(|name| folder.join(name));
    c.bench_function("read openb", |b| b.iter(|| crossover_traces::openb::read(&files[0], &files[1])));
    let trace = crossover_traces::openb::read(&files[0], &files[1]).expect("the trace");
    let Recorded { cluster, workload, typical, tasks, .. } = Recorded::new(&trace);
    for policy in Policy::ALL {
        let fill = Fill {
            cluster: &cluster,
            workload: &workload,
            needed: &workload,
            typical: &typical,
            tasks: &tasks,
            policy,
            seed: 42,
            until: 1.3,
        };
        c.bench_function(&format!("openb to 130 %, {}", policy.label()), |b| {
            b.iter(|| Watch::uncancellable(|watch| black_box(&fill).run(watch)));
        });
    }
}

criterion_group!(benches, fill);
criterion_main!(benches);
