//! The upper bound: bound for any policy, including a clairvoyant one without switch cost.
//!
//! Work of a kernel counts 1 / s in a cycle, with s the largest sum of normalised IPC of any combination that it is in. No
//! combination does more than 1 of that in a cycle: n₁/s₁ + n₂/s₂ ≤ (n₁ + n₂) / (n₁ + n₂). So no combination is faster than one
//! machine of speed 1 that runs one launch at a time, with free preemption. On that machine
//!
//! - the last launch ends no sooner than all work that arrives after any moment allows,
//! - the mean latency is least when the shortest rest goes first (Schrage, Operations Research 16, 1968),
//! - the weighted sum of the mean times at which work is done is least when the largest weight for its work goes first, and half
//!   of its work later a launch is done (Goemans, SODA 1997): a bound of the mean turnaround.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::simulator::Simulator;
use super::stream::Launches;
use crossover_study::Watch;

/// Bounds of one stream.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bound {
    /// Throughput is at most so much.
    pub throughput: f64,
    /// Mean normalised turnaround is at least so much.
    pub turnaround: f64,
    /// Mean latency is at least so much, cycles.
    pub latency: f64,
}

/// A launch that waits for the machine: the largest key first.
#[derive(Debug, PartialEq)]
struct Next {
    key: f64,
    launch: Reverse<usize>,
}

impl Eq for Next {}

impl PartialOrd for Next {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Next {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key.total_cmp(&other.key).then_with(|| self.launch.cmp(&other.launch))
    }
}

impl Simulator<'_> {
    /// The bound of a stream; `None` if it was cancelled, or without launches.
    #[must_use]
    pub fn bound(&self, launches: &Launches, watch: Watch<'_>) -> Option<Bound> {
        let count = launches.len();
        let first = *launches.arrivals.first()?;
        let (sums, fastest) = (&self.best_sums, self.fastest);
        let work: Vec<f64> = launches
            .kernel
            .iter()
            .zip(&launches.cycles)
            .map(|(kernel, cycles)| cycles / sums[*kernel as usize])
            .collect();
        let (mut end, mut behind) = (0.0_f64, 0.0);
        for place in (0..count).rev() {
            behind += work[place];
            end = end
                .max(launches.arrivals[place] + behind)
                .max(launches.arrivals[place] + launches.cycles[place] / fastest);
        }
        if watch.is_cancelled() {
            return None;
        }
        let alone: f64 = launches.cycles.iter().map(|cycles| cycles / fastest).sum();
        let shortest = machine(launches, &work, |_, left| -left).0;
        let weighted = machine(launches, &work, |launch, _| 1.0 / (work[launch] * launches.cycles[launch])).1;
        let all: f64 = launches.cycles.iter().sum();
        let turnaround = launches
            .arrivals
            .iter()
            .zip(&launches.cycles)
            .zip(weighted.iter().zip(&work))
            .map(|((arrival, cycles), (mean, work))| (mean + work / 2.0 - arrival) / cycles);
        let turnaround = turnaround.sum::<f64>() / count as f64;
        let latency: f64 = shortest.iter().zip(&launches.arrivals).map(|(done, arrival)| done - arrival).sum();
        Some(Bound {
            throughput: all / (end - first),
            turnaround: turnaround.max(1.0 / fastest),
            latency: latency.max(alone) / count as f64,
        })
    }
}

/// When each launch is done on a machine of speed 1 where the largest key goes first, and the mean time at which its work is
/// done. Keys depend on the launch and on what is left of it.
fn machine(launches: &Launches, work: &[f64], key: impl Fn(usize, f64) -> f64) -> (Vec<f64>, Vec<f64>) {
    let count = launches.len();
    let mut left = work.to_vec();
    let (mut done, mut means) = (vec![0.0; count], vec![0.0; count]);
    let mut open: BinaryHeap<Next> = BinaryHeap::new();
    let mut now = 0.0_f64;
    let mut coming = 0;
    loop {
        if open.is_empty() {
            let Some(arrival) = launches.arrivals.get(coming) else { return (done, means) };
            now = now.max(*arrival);
        }
        while launches.arrivals.get(coming).is_some_and(|arrival| *arrival <= now) {
            open.push(Next { key: key(coming, left[coming]), launch: Reverse(coming) });
            coming += 1;
        }
        let Some(Next { launch: Reverse(launch), .. }) = open.pop() else { continue };
        let until = launches.arrivals.get(coming).copied().unwrap_or(f64::INFINITY);
        let step = left[launch].min(until - now);
        means[launch] += step / work[launch] * (now + step / 2.0);
        now += step;
        left[launch] -= step;
        if left[launch] <= 0.0 {
            done[launch] = now;
        } else {
            open.push(Next { key: key(launch, left[launch]), launch: Reverse(launch) });
        }
    }
}
