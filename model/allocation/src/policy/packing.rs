//! GPUs in use first, then idle GPUs of nodes in use, then idle nodes.

use super::super::amount::{THOUSANDTH, WHOLE};
use super::super::cluster::{Lanes, Node};
use super::super::workload::Request;
use super::tightest;

/// 100 − a tenth of the capacity left on the used GPUs, in hundredths; 50 − idle GPUs that the task takes, if any; 33 − GPUs of
/// an idle node.
pub(super) fn score(request: &Request, needs: &Lanes, node: &Node) -> i16 {
    if request.gpus == 0 {
        return 0;
    }
    let is_free = |gpu: &usize| node.left[*gpu] == WHOLE;
    let gpus = i16::from(node.gpus);
    if (0..usize::from(node.gpus)).all(|gpu| is_free(&gpu)) {
        return (33 - gpus).max(gpus);
    }
    let to_use = tightest(&node.left, needs, request.gpus);
    let free = i16::try_from(to_use.places().filter(is_free).count()).expect("at most 16");
    if free > 0 {
        return (50 - free).max(33);
    }
    let left: u16 = to_use.places().map(|gpu| node.left[gpu] / (10 * THOUSANDTH)).sum();
    (100 - i16::try_from(left / 10).expect("at most 160")).max(50)
}
