//! Node and GPUs of tasks: the worked examples of the published method, and general properties.

mod always;
mod amounts;
mod history;
mod live;
mod memory;
mod placing;
mod replaying;
mod study;

use crossover_allocation::{
    Arrival, Cluster, NodeSpec, Policy, Replay, Replayed, Request, SharingPolicy, THOUSANDTH, Typical, Workload,
};
use crossover_study::Watch;

/// Types of GPUs of the published examples.
const A1: u16 = 0;

const A2: u16 = 1;

const A3: u16 = 2;

/// Nodes with GPUs of these types, of which so many percent are left.
fn cluster(nodes: &[&[(u16, u16)]]) -> Cluster {
    let specs: Vec<NodeSpec> = nodes
        .iter()
        .enumerate()
        .map(|(place, gpus)| NodeSpec {
            name: ["A", "B", "C"][place].to_owned(),
            cpu_milli: 64_000,
            memory_mib: 262_144,
            devices: gpus.iter().map(|(device, _)| *device).collect(),
        })
        .collect();
    let mut cluster = Cluster::new(&specs);
    for (node, gpus) in cluster.nodes.iter_mut().zip(nodes) {
        for (left, (_, percent)) in node.left.iter_mut().zip(*gpus) {
            *left = percent * 10 * THOUSANDTH;
        }
    }
    cluster
}

/// A task that needs these percent of a GPU of each type.
fn needs(percent: [u16; 3]) -> Request {
    Request {
        cpu_milli: 1_000,
        memory_mib: 1_024,
        gpus: 1,
        shares: percent.map(|share| Some(share * 10 * THOUSANDTH)).to_vec(),
    }
}

/// Seed of the order of nodes that the policy ranks equally.
const SEED: u64 = 1;

/// Replays tasks, each `(at, request, seconds, is_sensitive)`.
fn replayed(
    cluster: &Cluster,
    workload: &Workload,
    policy: Policy,
    preempts: bool,
    arrivals: &[(f64, usize, f64, bool)],
) -> Replayed {
    let sharing =
        SharingPolicy { preempts, checkpoint_seconds: 5.0, ..SharingPolicy::none(workload.requests().len(), 3) };
    replayed_with(cluster, workload, policy, &sharing, arrivals)
}

/// The same with a sharing policy.
fn replayed_with(
    cluster: &Cluster,
    workload: &Workload,
    policy: Policy,
    sharing: &SharingPolicy,
    arrivals: &[(f64, usize, f64, bool)],
) -> Replayed {
    let typical = Typical::new(cluster, workload, &vec![1; workload.requests().len()]);
    let replay = Replay { cluster, workload, typical: &typical, policy, seed: SEED, sharing, most_logged: 1_000 };
    let arrivals = arrivals.iter().map(|(at, request, seconds, is_sensitive)| Arrival {
        at: *at,
        request: *request,
        seconds: *seconds,
        is_sensitive: *is_sensitive,
        uses: 1.0,
    });
    Watch::uncancellable(|watch| replay.run(arrivals, watch)).expect("it cannot be cancelled")
}
