//! Mean CPU costs of a plan's operators, by kind.

use std::collections::BTreeMap;

use super::kind::Kind;
use super::{Numbers, Plan};

/// Bytes of 100 MB.
const UNIT_OF_WORK: f64 = 1e8;

/// CPU seconds per 100 MB read, over all nodes of a kind that have CPU seconds and read anything. `numbers` are those
/// of [`super::fill()`]. Kinds without such a node are absent.
#[must_use]
pub fn measured_seconds_per_100mb(plan: &Plan, numbers: &[Numbers]) -> BTreeMap<Kind, f64> {
    let mut sums: BTreeMap<Kind, (f64, f64)> = BTreeMap::new();
    for (node, numbers) in
        plan.nodes.iter().zip(numbers).filter(|(node, _)| node.works() && !node.is_without_operator())
    {
        if let Some(seconds) = node.cpu_seconds {
            let sum = sums.entry(node.kind).or_default();
            sum.0 += seconds.value;
            sum.1 += numbers.bytes_in.value;
        }
    }
    let read = sums.into_iter().filter(|(_, (_, bytes))| *bytes > 0.0);
    read.map(|(kind, (seconds, bytes))| (kind, seconds / (bytes / UNIT_OF_WORK))).collect()
}
