//! Balances of clusters: what a file says in total is what nodes and tasks have, and what is left out.

use crossover_allocation::Trace;
use crossover_quantity::balance::{Balance, BalanceOf};
use serde_json::{Value, json};

use super::{node, of, pod};

/// Total, accounted, unaccounted.
fn amounts(trace: &Trace, quantity: BalanceOf) -> [f64; 3] {
    let balance = trace.balances.iter().find(|balance| balance.quantity == quantity);
    balance.map_or([0.0; 3], |balance| [balance.total, balance.accounted, balance.missing()])
}

#[test]
fn gpus_of_a_node_that_is_left_out_are_named() {
    let product = json!({ "nvidia.com/gpu.product": "Tesla-T4" });
    let of_gpus = |name: &str, gpus: &str| node(name, &product, &json!({ "nvidia.com/gpu": gpus }));
    let trace = of(&[of_gpus("a", "6"), of_gpus("a", "2")]).expect("a node");
    assert_eq!(amounts(&trace, BalanceOf::Gpus), [8.0, 6.0, 2.0]);
    let expected = "of this cluster, 25 % of its number of GPUs (2 of 8) belongs to no node: duplicate node name";
    assert!(trace.messages().iter().any(|message| message == expected), "{:?}", trace.messages());
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(100))]

    /// Some nodes repeat the name of the first one, and some pods request what no node offers.
    #[test]
    fn what_goes_into_a_cluster_comes_out_or_is_named(
        nodes in proptest::collection::vec((1_u32..=8, proptest::bool::ANY), 1..12),
        pods in proptest::collection::vec((1_u32..=8, proptest::bool::ANY), 0..12),
    ) {
        let product = json!({ "nvidia.com/gpu.product": "Tesla-T4" });
        let (mut items, mut gpus, mut requests) = (Vec::new(), [0.0; 3], [0.0; 3]);
        let add = |sums: &mut [f64; 3], amount: u32, is_lost: bool| {
            sums[0] += f64::from(amount);
            sums[1 + usize::from(is_lost)] += f64::from(amount);
        };
        let (mut all_nodes, mut all_pods) = ([0.0; 3], [0.0; 3]);
        for (place, (amount, repeats)) in nodes.iter().enumerate() {
            let is_lost = *repeats && place > 0;
            let name = if is_lost { "n0".to_owned() } else { format!("n{place}") };
            items.push(node(&name, &product, &json!({ "nvidia.com/gpu": amount.to_string() })));
            add(&mut gpus, *amount, is_lost);
            add(&mut all_nodes, 1, is_lost);
        }
        for (place, (amount, is_lost)) in pods.iter().enumerate() {
            let resource = if *is_lost { "nvidia.com/mig-1g.5gb" } else { "nvidia.com/gpu" };
            items.push(pod(&format!("p{place}"), &Value::from_iter([(resource, amount.to_string())])));
            add(&mut requests, *amount, *is_lost);
            add(&mut all_pods, 1, *is_lost);
        }
        let trace = of(&items).expect("a node");
        proptest::prop_assert_eq!(amounts(&trace, BalanceOf::Gpus), gpus);
        proptest::prop_assert_eq!(amounts(&trace, BalanceOf::Nodes), all_nodes);
        proptest::prop_assert_eq!(amounts(&trace, BalanceOf::Jobs), all_pods);
        proptest::prop_assert_eq!(amounts(&trace, BalanceOf::RequestedGpus), requests);
        let devices: usize = trace.nodes.iter().map(|node| node.devices.len()).sum();
        proptest::prop_assert_eq!(devices as f64, gpus[1]);
        let of_whole = |balance: &Balance| balance.accounted + balance.missing() == balance.total;
        proptest::prop_assert!(trace.balances.iter().all(of_whole), "{:?}", trace.balances);
    }
}
