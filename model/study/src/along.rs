//! Values along a range, and results for each of them.

use rayon::prelude::*;

use super::watch::Watch;

/// `count` values from one end to the other, evenly spaced in the logarithm or linearly; ends included.
#[must_use]
pub fn samples([from, to]: [f64; 2], count: usize, is_logarithmic: bool) -> Vec<f64> {
    let last = count.saturating_sub(1).max(1) as f64;
    (0..count)
        .map(|index| {
            let part = index as f64 / last;
            if index == 0 {
                from
            } else if index + 1 == count {
                to
            } else if is_logarithmic {
                (from.ln() + part * (to.ln() - from.ln())).exp()
            } else {
                from + part * (to - from)
            }
        })
        .collect()
}

/// Results for each value, computed on all cores: `start` makes the scratch state of `at`. `None` if it was cancelled. The
/// same on any number of threads, if `at` depends on the value only.
pub fn along<S, V: Copy + Sync, T: Send>(
    values: &[V],
    watch: Watch<'_>,
    start: impl Fn() -> S + Sync + Send,
    at: impl Fn(&mut S, V) -> Option<T> + Sync + Send,
) -> Option<Vec<T>> {
    let one = |state: &mut S, value: &V| {
        if watch.is_cancelled() {
            return None;
        }
        let found = at(state, *value)?;
        watch.count(1);
        Some(found)
    };
    values.par_iter().map_init(start, one).collect()
}
