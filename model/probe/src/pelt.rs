//! Change points of a series: PELT of Killick, Fearnhead and Eckley (Optimal detection of changepoints with a linear
//! computational cost, JASA 107, 2012), with squared differences from the mean of each part.

/// First index of each part, beginning with 0. The parts minimise the sum of squared differences from their means plus a penalty
/// for each part; each has at least `least` values.
#[must_use]
pub fn parts(values: &[f64], penalty: f64, least: usize) -> Vec<usize> {
    let count = values.len();
    let least = least.max(1);
    if count < 2 * least {
        return vec![0];
    }
    // Cumulative sums of values and squares, relative to the mean: sums of large numbers would lose digits.
    let mean = values.iter().sum::<f64>() / count as f64;
    let mut sums = vec![[0.0; 2]];
    for value in values {
        let centred = value - mean;
        let [sum, squares] = sums[sums.len() - 1];
        sums.push([sum + centred, squares + centred * centred]);
    }
    let cost = |from: usize, until: usize| {
        let [sum, squares] = [0, 1].map(|axis| sums[until][axis] - sums[from][axis]);
        (squares - sum * sum / (until - from) as f64).max(0.0)
    };
    // The least cost of the values up to an index, and where its last part begins.
    let mut best = vec![(0.0, 0); count + 1];
    best[0].0 = -penalty;
    // Where a last part may begin, and the end from which on that start is pruned.
    let mut possible: Vec<(usize, usize)> = vec![(0, usize::MAX)];
    for until in least..=count {
        if until >= 2 * least {
            possible.push((until - least, usize::MAX));
        }
        possible.retain(|(_, dead)| until < *dead);
        let with = |from: usize| best[from].0 + cost(from, until) + penalty;
        let nearest = possible.iter().map(|(from, _)| *from).min_by(|a, b| with(*a).total_cmp(&with(*b))).unwrap_or(0);
        let cheapest = with(nearest);
        // A start that is worse by more than a penalty stays worse, once a part of the least length fits behind this index.
        for (from, dead) in possible.iter_mut().filter(|(_, dead)| *dead == usize::MAX) {
            if with(*from) - penalty > cheapest {
                *dead = until + least;
            }
        }
        best[until] = (cheapest, nearest);
    }
    let mut begins = Vec::new();
    let mut until = count;
    while until > 0 {
        until = best[until].1;
        begins.push(until);
    }
    begins.reverse();
    begins
}

/// The penalty 5 σ² ln n: of series of white noise with a hundred values or more, about one in a thousand gets a change point.
/// σ is estimated from the smallest nine tenths of the differences of neighbours, on which change points have little effect.
#[must_use]
pub fn usual_penalty(values: &[f64]) -> f64 {
    /// Mean of the smallest nine tenths of |N(0, 1)|: √(2/π) · (1 − exp(−q²/2)) / 0.9 with q = 1.645.
    const TRIMMED_MEAN: f64 = 0.6574;
    let mut steps: Vec<f64> = values.windows(2).map(|pair| (pair[1] - pair[0]).abs()).collect();
    if steps.is_empty() {
        return 0.0;
    }
    steps.sort_by(f64::total_cmp);
    let step = steps.iter().copied().find(|step| *step > 1e-12).unwrap_or(0.0);
    steps.truncate((9 * steps.len()).div_ceil(10));
    // Differences of N(0, σ²) are N(0, 2σ²).
    let mean = steps.iter().sum::<f64>() / steps.len() as f64;
    // Rounded values differ by nothing or by whole steps, so the noise is at least half a step.
    let sigma = (mean / (TRIMMED_MEAN * std::f64::consts::SQRT_2)).max(step / 2.0);
    5.0 * sigma * sigma * libm::log(values.len() as f64)
}
