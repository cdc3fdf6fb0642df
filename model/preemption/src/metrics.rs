//! Metrics of a policy on a stream, as for multiprogram workloads (Eyerman and Eeckhout, IEEE Micro 28, 2008).

use super::policy::Policy;
use super::run::Run;
use super::stream::Launches;
use crossover_quantity::estimate::{BAND_CONFIDENCE, CONFIDENCE, Estimate, interval};

/// Measures of one stream.
#[derive(Debug, Clone, PartialEq)]
pub struct Measures {
    /// STP: sum of cycles alone ÷ cycles from the first arrival to the last end.
    pub throughput: f64,
    /// ANTT: time from arrival to end ÷ time alone, mean over launches.
    pub turnaround: f64,
    /// Least ÷ largest mean progress of a kernel: 1 is fair.
    pub fairness: f64,
    /// Mean time from arrival to end, cycles.
    pub latency: f64,
    /// p99 latency: the time from arrival to end that 99 % of the launches do not exceed, cycles.
    pub latency_p99: f64,
    /// Preemptions per launch.
    pub preemptions: f64,
    /// Context-switch time, as a share of the time.
    pub context_switch_share: f64,
    /// Wasted work, as a share of the work.
    pub wasted_share: f64,
    /// Share of the time in which a kernel runs.
    pub utilisation: f64,
    /// Until the last arrival: work done per busy cycle less work that arrives per cycle, in cycles alone. Below 0 the queue grows.
    pub headroom: f64,
    /// Time from arrival to end ÷ time alone, mean of each kernel; none for kernels without launches.
    pub slowdowns: Vec<Option<f64>>,
}

impl Measures {
    /// Of a run of a stream with at least one launch of so many kernels.
    #[must_use]
    pub fn of(launches: &Launches, run: &Run, kernels: usize) -> Self {
        let count = launches.len();
        let mut latencies: Vec<f64> =
            run.done.iter().zip(&launches.arrivals).map(|(done, arrival)| done - arrival).collect();
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
        let first = launches.arrivals.first().copied().unwrap_or(0.0);
        let elapsed = run.done.iter().copied().fold(first, f64::max) - first;
        let latency = mean(&latencies);
        let rank = super::study::count((0.99 * count as f64).ceil());
        let (_, latency_p99, _) = latencies.select_nth_unstable_by(rank.clamp(1, count) - 1, f64::total_cmp);
        Self {
            throughput: all / elapsed,
            turnaround: turnaround / count as f64,
            fairness: least / most,
            latency,
            latency_p99: *latency_p99,
            preemptions: f64::from(run.preemptions) / count as f64,
            context_switch_share: run.context_switch_cycles / elapsed,
            wasted_share: run.wasted_work / run.worked,
            utilisation: run.busy / elapsed,
            headroom: headroom(launches, run),
            slowdowns: sums.iter().map(|[launched, slow, _]| (*launched > 0.0).then(|| slow / launched)).collect(),
        }
    }
}

fn headroom(launches: &Launches, run: &Run) -> f64 {
    let [worked, occupied] = run.until_last;
    let (Some(first), Some(last)) = (launches.arrivals.first(), launches.arrivals.last()) else { return 0.0 };
    // The last one comes at the end.
    let came: f64 = launches.cycles[..launches.len() - 1].iter().sum();
    if occupied > 0.0 && last > first { worked / occupied - came / (last - first) } else { 0.0 }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Means over streams, with their 90 % intervals.
#[derive(Debug, Clone, PartialEq)]
pub struct Means {
    /// STP.
    pub throughput: Estimate,
    /// ANTT.
    pub turnaround: Estimate,
    /// Least ÷ largest mean progress of a kernel.
    pub fairness: Estimate,
    /// Mean latency, cycles.
    pub latency: Estimate,
    /// p99 latency, cycles.
    pub latency_p99: Estimate,
    /// Preemptions per launch.
    pub preemptions: f64,
    /// Context-switch time, as a share of the time.
    pub context_switch_share: f64,
    /// Wasted work, as a share of the work.
    pub wasted_share: f64,
    /// Share of the time in which a kernel runs.
    pub utilisation: f64,
    /// Work done per busy cycle less work that arrives per cycle, of each stream.
    headroom: Vec<f64>,
    /// Metrics of each stream.
    streams: Vec<Compared>,
    /// Slowdown of each kernel, in the order of the study; none for kernels without launches.
    pub slowdowns: Vec<Option<f64>>,
}

impl Means {
    /// Over streams; none without any.
    #[must_use]
    pub fn of(measures: &[Measures]) -> Option<Self> {
        let estimate = |field: fn(&Measures) -> f64| {
            Estimate::with_confidence(&measures.iter().map(field).collect::<Vec<f64>>(), BAND_CONFIDENCE)
        };
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
            latency_p99: estimate(|of| of.latency_p99)?,
            preemptions: over(|of| of.preemptions),
            context_switch_share: over(|of| of.context_switch_share),
            wasted_share: over(|of| of.wasted_share),
            utilisation: over(|of| of.utilisation),
            headroom: measures.iter().map(|of| of.headroom).collect(),
            streams: measures.iter().map(Compared::of).collect(),
            slowdowns: slowdowns.collect(),
        })
    }
}

/// Metric by which policies are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ComparedMetric {
    /// STP.
    Throughput,
    /// ANTT.
    Turnaround,
    /// Least ÷ largest mean progress of a kernel.
    Fairness,
    /// Mean latency.
    Latency,
    /// p99 latency.
    Latency99,
}

/// The same of one stream: throughput, turnaround, fairness, and both latencies in cycles.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Compared([f64; 5]);

impl Compared {
    fn of(measures: &Measures) -> Self {
        let Measures { throughput, turnaround, fairness, latency, latency_p99, .. } = measures;
        Self([*throughput, *turnaround, *fairness, *latency, *latency_p99])
    }

    fn by(self, by: ComparedMetric) -> f64 {
        let [throughput, turnaround, fairness, latency, latency_p99] = self.0;
        match by {
            ComparedMetric::Throughput => throughput,
            ComparedMetric::Turnaround => turnaround,
            ComparedMetric::Fairness => fairness,
            ComparedMetric::Latency => latency,
            ComparedMetric::Latency99 => latency_p99,
        }
    }
}

/// Comparison of a metric of two policies on the same streams.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Comparison {
    /// They differ by this share of the other's value, on average over the streams.
    Differs(f64),
    /// They do not differ significantly.
    Equal,
    /// There is one drawn stream, so significance is unknown.
    Unknown,
}

impl Means {
    /// Compares the throughput of two policies stream by stream; `is_fixed`: the only stream is not random.
    #[must_use]
    pub fn more_work(&self, other: &Self, is_fixed: bool) -> Comparison {
        self.more(other, ComparedMetric::Throughput, is_fixed)
    }

    /// Compares a metric of two policies stream by stream; `is_fixed`: the only stream is not random. Higher is better
    /// for throughput and fairness only.
    #[must_use]
    pub fn more(&self, other: &Self, by: ComparedMetric, is_fixed: bool) -> Comparison {
        let by: Vec<f64> =
            self.streams.iter().zip(&other.streams).map(|(own, other)| own.by(by) / other.by(by) - 1.0).collect();
        let by_mean = mean(&by);
        match interval(&by, CONFIDENCE) {
            _ if by_mean.abs() < SAME => Comparison::Equal,
            Some([low, high]) if low <= 0.0 && high >= 0.0 => Comparison::Equal,
            None if !is_fixed => Comparison::Unknown,
            _ => Comparison::Differs(by_mean),
        }
    }

    /// Whether the queue grows as long as launches come.
    #[must_use]
    pub fn is_growing(&self) -> bool {
        interval(&self.headroom, CONFIDENCE)
            .map_or(self.headroom.iter().all(|of| *of < -SURELY), |[_, high]| high < 0.0)
    }
}

/// Relative differences below this one are rounding.
const SAME: f64 = 1e-9;
/// Least lack of capacity, as a share of the GPU, for which one stream is sufficient evidence.
const SURELY: f64 = 0.1;

/// Results of a policy.
#[derive(Debug, Clone, PartialEq)]
pub struct PolicyOutcome {
    /// The policy.
    pub policy: Policy,
    /// Means over the streams.
    pub means: Means,
    /// Latencies of all launches of the first stream, cycles, ascending.
    pub latencies: Vec<f64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn means(throughputs: &[f64], latencies: &[f64]) -> Means {
        let measures: Vec<Measures> = throughputs
            .iter()
            .zip(latencies)
            .map(|(throughput, latency)| Measures {
                throughput: *throughput,
                turnaround: 1.0,
                fairness: 1.0,
                latency: *latency,
                latency_p99: *latency,
                preemptions: 0.0,
                context_switch_share: 0.0,
                wasted_share: 0.0,
                utilisation: 1.0,
                headroom: 0.0,
                slowdowns: Vec::new(),
            })
            .collect();
        Means::of(&measures).expect("streams")
    }

    /// Mean 2.5, standard deviation √(5/3), standard error √(5/12); Student's t of 3 degrees of freedom is 2.353 for 90 %.
    #[test]
    fn means_have_90_percent_intervals() {
        let of = means(&[1.0, 2.0, 3.0, 4.0], &[1.0; 4]).throughput;
        let [low, high] = of.interval.expect("four streams");
        let half = 2.353 * (5.0_f64 / 12.0).sqrt();
        assert!((high - 2.5 - half).abs() < 1e-3 && (2.5 - low - half).abs() < 1e-3, "{low} {high}");
    }

    #[test]
    fn policies_are_compared_stream_by_stream_not_by_their_intervals() {
        // Streams differ far more than the policies do on each of them: 10 to 12 % more work every time.
        let other = means(&[1.0, 2.0, 3.0, 4.0], &[5.0, 1.0, 4.0, 2.0]);
        let own = means(&[1.1, 2.24, 3.33, 4.44], &[4.0, 2.0, 5.0, 1.0]);
        let [low, high] = other.throughput.interval.expect("four streams");
        assert!((low..=high).contains(&own.throughput.mean));
        let Comparison::Differs(more) = own.more(&other, ComparedMetric::Throughput, false) else {
            panic!("told apart")
        };
        assert!((more - 0.11).abs() < 1e-12, "{more}");
        assert_eq!(own.more_work(&other, false), Comparison::Differs(more));
        // Twice less, twice more; and the same.
        assert_eq!(own.more(&other, ComparedMetric::Latency, false), Comparison::Equal);
        assert_eq!(own.more(&other, ComparedMetric::Fairness, false), Comparison::Equal);
        // One stream tells nothing of others, unless it is all there is.
        let (one, another) = (means(&[1.1], &[1.0]), means(&[1.0], &[1.0]));
        assert_eq!(one.more(&another, ComparedMetric::Throughput, false), Comparison::Unknown);
        assert!(
            matches!(one.more(&another, ComparedMetric::Throughput, true), Comparison::Differs(more) if (more - 0.1).abs() < 1e-12)
        );
    }
}
