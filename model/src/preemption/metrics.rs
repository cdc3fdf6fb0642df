//! What a policy does to a stream, in the terms of multiprogram measurement (Eyerman and Eeckhout, IEEE Micro 28, 2008).

use super::simulate::Run;
use super::stream::Launches;
use crate::estimate::Estimate;

/// Measures of one stream.
#[derive(Debug, Clone, PartialEq)]
pub struct Measures {
    /// STP: work done in a cycle from the first arrival to the last end, in cycles that it takes alone.
    pub throughput: f64,
    /// ANTT: time from arrival to end over time alone, mean over launches.
    pub turnaround: f64,
    /// Mean progress of the kernel that is slowed down most over that of the one slowed down least: 1 is fair.
    pub fairness: f64,
    /// Mean time from arrival to end, cycles.
    pub latency: f64,
    /// The same, of which 99 of 100 launches have less, cycles.
    pub latency_99: f64,
    /// Kernels that left before they were done, per launch.
    pub preemptions: f64,
    /// Share of the time in which the GPU switched.
    pub switching: f64,
    /// Share of the work that was thrown away.
    pub lost: f64,
    /// Share of the time in which a kernel ran.
    pub utilisation: f64,
    /// Work done in a cycle in which there was something to do, in cycles that it takes alone: a load above it never drains.
    pub pace: f64,
    /// Time from arrival to end over time alone, mean of each kernel; none of those that do not come.
    pub slowdowns: Vec<Option<f64>>,
}

impl Measures {
    /// Of a run of a stream with at least one launch of so many kernels.
    #[must_use]
    pub fn of(launches: &Launches, run: &Run, kernels: usize) -> Self {
        let count = launches.len();
        let mut latencies: Vec<f64> = run.done.iter().zip(&launches.comes).map(|(done, comes)| done - comes).collect();
        let mut sums = vec![[0.0; 3]; kernels];
        let (mut turnaround, mut all) = (0.0, 0.0);
        for (place, latency) in latencies.iter().enumerate() {
            let alone = launches.cycles[place];
            let slowdown = latency / alone;
            turnaround += slowdown;
            all += alone;
            let [launched, slow, progress] = &mut sums[launches.kernel[place] as usize];
            *launched += 1.0;
            *slow += slowdown;
            *progress += 1.0 / slowdown;
        }
        let progress =
            sums.iter().filter(|[launched, ..]| *launched > 0.0).map(|[launched, _, progress]| progress / launched);
        let (least, most) = progress.fold((f64::INFINITY, 0.0_f64), |(least, most), of| (least.min(of), most.max(of)));
        let first = launches.comes.first().copied().unwrap_or(0.0);
        let elapsed = run.done.iter().copied().fold(first, f64::max) - first;
        let latency = mean(&latencies);
        let rank = super::study::count((0.99 * count as f64).ceil());
        let (_, latency_99, _) = latencies.select_nth_unstable_by(rank.clamp(1, count) - 1, f64::total_cmp);
        Self {
            throughput: all / elapsed,
            turnaround: turnaround / count as f64,
            fairness: least / most,
            latency,
            latency_99: *latency_99,
            preemptions: f64::from(run.preemptions) / count as f64,
            switching: run.switching / elapsed,
            lost: run.lost / run.worked,
            utilisation: run.busy / elapsed,
            pace: all / run.occupied,
            slowdowns: sums.iter().map(|[launched, slow, _]| (*launched > 0.0).then(|| slow / launched)).collect(),
        }
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Means over streams, with their intervals.
#[derive(Debug, Clone, PartialEq)]
pub struct Means {
    /// STP.
    pub throughput: Estimate,
    /// ANTT.
    pub turnaround: Estimate,
    /// Progress of the slowest kernel over that of the fastest.
    pub fairness: Estimate,
    /// Mean latency, cycles.
    pub latency: Estimate,
    /// 99th percentile of the latency, cycles.
    pub latency_99: Estimate,
    /// Preemptions per launch.
    pub preemptions: f64,
    /// Share of the time in which the GPU switched.
    pub switching: f64,
    /// Share of the work that was thrown away.
    pub lost: f64,
    /// Share of the time in which a kernel ran.
    pub utilisation: f64,
    /// Work done in a cycle in which there was something to do.
    pub pace: f64,
    /// Slowdown of each kernel, in the order of the study; none of those that never came.
    pub slowdowns: Vec<Option<f64>>,
}

impl Means {
    /// Over streams; none without any.
    #[must_use]
    pub fn of(measures: &[Measures]) -> Option<Self> {
        let estimate = |field: fn(&Measures) -> f64| Estimate::of(&measures.iter().map(field).collect::<Vec<f64>>());
        let over = |field: fn(&Measures) -> f64| measures.iter().map(field).sum::<f64>() / measures.len() as f64;
        let kernels = measures.first()?.slowdowns.len();
        let slowdowns = (0..kernels).map(|kernel| {
            let of: Vec<f64> = measures.iter().filter_map(|of| of.slowdowns[kernel]).collect();
            (!of.is_empty()).then(|| mean(&of))
        });
        Some(Self {
            throughput: estimate(|of| of.throughput)?,
            turnaround: estimate(|of| of.turnaround)?,
            fairness: estimate(|of| of.fairness)?,
            latency: estimate(|of| of.latency)?,
            latency_99: estimate(|of| of.latency_99)?,
            preemptions: over(|of| of.preemptions),
            switching: over(|of| of.switching),
            lost: over(|of| of.lost),
            utilisation: over(|of| of.utilisation),
            pace: over(|of| of.pace),
            slowdowns: slowdowns.collect(),
        })
    }
}
