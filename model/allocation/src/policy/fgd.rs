//! Fragmentation gradient descent: the node on which fragments grow least.

use std::sync::LazyLock;

use super::super::cluster::{Gpus, Lanes, MOST_GPUS, Node};
use super::super::fragment::Typical;
use super::super::workload::{Request, is_shared};
use super::{taken, tightest};

/// Least decrease of the fragment, in GPUs, for each score: 100 · σ(x) ≥ k where x ≥ ln(k/(100 − k)).
static FROM: LazyLock<[f64; 99]> = LazyLock::new(|| {
    std::array::from_fn(|place| {
        let score = (place + 1) as f64;
        libm::log(score / (100.0 - score))
    })
});

/// The best score of a node on which the task fits, and the GPUs for it: ⌊100 · σ(F before − F after)⌋, F in GPUs.
pub(super) fn score(typical: &Typical, request: &Request, needs: &Lanes, node: &Node, before: f64) -> (i16, Gpus) {
    let of = |gpus: Gpus| of_drop((before - typical.fragment(&taken(node, request, needs, gpus))) / 1000.0);
    if request.gpus == 0 || !is_shared(request, needs) {
        let gpus = tightest(&node.left, needs, request.gpus);
        return (of(gpus), gpus);
    }
    let mut best = (-1, Gpus::default());
    for gpu in (0..MOST_GPUS).filter(|gpu| node.left[*gpu] >= needs[*gpu]) {
        // GPUs with equal capacity left and equal needs have equal scores.
        let is_like = |other: usize| node.left[other] == node.left[gpu] && needs[other] == needs[gpu];
        if (0..gpu).any(is_like) {
            continue;
        }
        let score = of(Gpus::one(gpu));
        if score > best.0 {
            best = (score, Gpus::one(gpu));
        }
    }
    best
}

fn of_drop(drop: f64) -> i16 {
    i16::try_from(FROM.partition_point(|from| *from <= drop)).expect("at most 99")
}

#[cfg(test)]
mod tests {
    use super::of_drop;

    #[test]
    fn the_score_is_a_whole_number_of_hundredths_of_the_logistic_function() {
        // σ(0) = 0.5, σ(1) = 0.7310585786, σ(−1) = 0.2689414214, σ(0.2) = 0.5498339973.
        let check = |drop, expected| assert_eq!(of_drop(drop), expected, "{drop}");
        check(0.0, 50);
        check(1.0, 73);
        check(-1.0, 26);
        check(0.2, 54);
        check(100.0, 99);
        check(-100.0, 0);
    }
}
