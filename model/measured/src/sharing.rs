//! Two programs that share a GPU or CPUs: measured alone, beside each other, and as a policy starts them.

use serde::{Deserialize, Serialize};

/// Version of the form of a report.
pub const SHARING_SCHEMA: u32 = 1;

/// Two programs alone and beside each other, round by round.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SharingReport {
    /// [`SHARING_SCHEMA`].
    pub schema: u32,
    /// What the report is about, which tells it from other reports.
    pub measures: SharingMeasures,
    /// The measuring program and its version.
    pub tool: String,
    /// Time of the measurement in UTC, `YYYY-MM-DDTHH:MM:SSZ`.
    pub time: String,
    /// What the programs share.
    pub on: SharedResource,
    /// Name of the GPU or processor.
    pub device: String,
    /// What limits the use of the figures, one sentence each.
    pub notes: Vec<String>,
    /// Command line of the first program.
    pub first: String,
    /// Command line of the second program.
    pub second: String,
    /// Launches of each program that wait in the queue of the policy.
    pub queue_launches: u32,
    /// How the programs were run beside each other.
    pub settings: Vec<SharingSetting>,
    /// The rounds; each measures everything once.
    pub rounds: Vec<SharingRound>,
}

/// What a report is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SharingMeasures {
    /// Programs beside each other.
    Sharing,
}

/// What two programs share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SharedResource {
    /// An NVIDIA GPU.
    Gpu,
    /// The CPUs of this machine.
    Cpu,
}

/// How two programs run beside each other.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SharingSetting {
    /// Both as they are: driver or system divide the device.
    Uncontrolled,
    /// Shares of the multiprocessors by MPS, percent.
    MpsShares {
        /// Of one program.
        first: u32,
        /// Of the other.
        second: u32,
    },
    /// Priorities of all streams of each program by MPS: 0 is the usual one, 1 the one below it.
    MpsPriorities {
        /// Of one program.
        first: u32,
        /// Of the other.
        second: u32,
    },
    /// Weights of CPU time.
    CpuWeights {
        /// Of one program.
        first: u32,
        /// Of the other.
        second: u32,
    },
    /// In turn, by signals that stop and continue a program.
    TimeSlices {
        /// Duration of a turn.
        seconds: f64,
    },
}

impl SharingSetting {
    /// "MPS shares 50:50": its name in tables.
    #[must_use]
    pub fn label(self) -> String {
        match self {
            Self::Uncontrolled => "uncontrolled".to_owned(),
            Self::MpsShares { first, second } => format!("MPS shares {first}:{second}"),
            Self::MpsPriorities { first, second } => format!("MPS priorities {first}:{second}"),
            Self::CpuWeights { first, second } => format!("CPU weights {first}:{second}"),
            Self::TimeSlices { seconds } => format!("time slices of {seconds} s"),
        }
    }
}

/// One of two programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// The one that is named first.
    First,
    /// The other.
    Second,
}

impl Side {
    /// Both, in their order.
    pub const BOTH: [Self; 2] = [Self::First, Self::Second];

    /// Its position in [`Self::BOTH`].
    #[must_use]
    pub fn index(self) -> usize {
        match self {
            Self::First => 0,
            Self::Second => 1,
        }
    }

    /// The program beside it.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
        }
    }
}

/// Everything measured once; times are wall times in seconds, in the order first, second.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SharingRound {
    /// Each program alone.
    pub alone_seconds: [f64; 2],
    /// Whole runs beside the other program, for each setting.
    pub together: Vec<SharedRuns>,
    /// The queue as the policy ran it.
    pub queue: Option<QueueRun>,
}

/// Whole runs of two programs, during which the other program ran all the time.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SharedRuns {
    /// Seconds of each run, of the first and of the second program.
    pub seconds: [Vec<f64>; 2],
}

/// A queue of launches that a policy ran.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct QueueRun {
    /// From the first start to the last end.
    pub makespan_seconds: f64,
    /// Every start, in order of time.
    pub decisions: Vec<SharingDecision>,
}

/// A start in a queue.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SharingDecision {
    /// Since the first start.
    pub at_seconds: f64,
    /// What was started.
    pub started: Vec<Side>,
    /// How it runs beside the other program; none: alone.
    pub setting: Option<SharingSetting>,
    /// Sum of normalised progress of this setting in the experience of the policy.
    pub expected_sum: Option<f64>,
}

/// Median of the rounds, and the range from the least to the greatest.
///
/// Of n independent rounds the range contains the true median with probability 1 − 2^(1 − n): 94 % for 5 rounds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RoundSpread {
    /// The median.
    pub median: f64,
    /// Least and greatest; none of a single round.
    pub range: Option<(f64, f64)>,
}

impl RoundSpread {
    /// None without values, or if one is not a number above 0.
    #[must_use]
    pub fn of(values: &[f64]) -> Option<Self> {
        let is_number = |value: &f64| value.is_finite() && *value > 0.0;
        if !values.iter().all(is_number) {
            return None;
        }
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let (least, greatest) = (*sorted.first()?, *sorted.last()?);
        let middle = sorted.len() / 2;
        let median =
            if sorted.len() % 2 == 1 { sorted[middle] } else { f64::midpoint(sorted[middle - 1], sorted[middle]) };
        Some(Self { median, range: (sorted.len() > 1).then_some((least, greatest)) })
    }
}

/// Normalised progress of two programs beside each other: seconds alone ÷ seconds beside the other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SharedProgress {
    /// Of each program.
    pub each: [RoundSpread; 2],
    /// Sum of both: above 1, sharing completes more work than running them one after the other.
    pub sum: RoundSpread,
}

impl SharingRound {
    /// Normalised progress of both programs with a setting; none if it was not measured.
    #[must_use]
    pub fn progress(&self, setting: usize) -> Option<[f64; 2]> {
        let runs = self.together.get(setting)?;
        let [first, second] = Side::BOTH.map(|side| {
            let seconds = &runs.seconds[side.index()];
            let mean = seconds.iter().sum::<f64>() / seconds.len() as f64;
            self.alone_seconds[side.index()] / mean
        });
        (first.is_finite() && second.is_finite()).then_some([first, second])
    }
}

impl SharingReport {
    /// Wall time of a program alone.
    #[must_use]
    pub fn alone(&self, side: Side) -> Option<RoundSpread> {
        let seconds: Vec<f64> = self.rounds.iter().map(|round| round.alone_seconds[side.index()]).collect();
        RoundSpread::of(&seconds)
    }

    /// Wall time of a run beside the other program: the mean of each round.
    #[must_use]
    pub fn beside(&self, setting: usize, side: Side) -> Option<RoundSpread> {
        let of_round = |round: &SharingRound| {
            let progress = round.progress(setting)?;
            Some(round.alone_seconds[side.index()] / progress[side.index()])
        };
        RoundSpread::of(&self.rounds.iter().filter_map(of_round).collect::<Vec<f64>>())
    }

    /// Normalised progress with a setting; each round by its own times alone.
    #[must_use]
    pub fn progress(&self, setting: usize) -> Option<SharedProgress> {
        let rounds: Vec<[f64; 2]> = self.rounds.iter().filter_map(|round| round.progress(setting)).collect();
        let spread = |of: fn(&[f64; 2]) -> f64| RoundSpread::of(&rounds.iter().map(of).collect::<Vec<f64>>());
        Some(SharedProgress {
            each: [spread(|[first, _]| *first)?, spread(|[_, second]| *second)?],
            sum: spread(|[first, second]| first + second)?,
        })
    }

    /// Throughput of the queue (STP): seconds alone of all launches ÷ seconds from the first start to the last end. Launches one after
    /// the other have 1.
    #[must_use]
    pub fn queue_throughput(&self) -> Option<RoundSpread> {
        let of_round = |round: &SharingRound| {
            let alone: f64 = round.alone_seconds.iter().sum();
            Some(f64::from(self.queue_launches) * alone / round.queue.as_ref()?.makespan_seconds)
        };
        RoundSpread::of(&self.rounds.iter().filter_map(of_round).collect::<Vec<f64>>())
    }

    /// The setting with the largest median sum of normalised progress; the first of equals.
    #[must_use]
    pub fn best_setting(&self) -> Option<(usize, SharedProgress)> {
        let measured = (0..self.settings.len()).filter_map(|setting| Some((setting, self.progress(setting)?)));
        measured.reduce(|best, next| if next.1.sum.median > best.1.sum.median { next } else { best })
    }
}

#[cfg(test)]
mod tests {
    use crossover_needs::sharing_report;

    use super::*;

    fn round(alone_seconds: [f64; 2], first: &[f64], second: &[f64], makespan_seconds: f64) -> SharingRound {
        let runs = SharedRuns { seconds: [first.to_vec(), second.to_vec()] };
        let queue = QueueRun { makespan_seconds, decisions: Vec::new() };
        SharingRound { alone_seconds, together: vec![runs], queue: Some(queue) }
    }

    fn report(rounds: Vec<SharingRound>) -> SharingReport {
        SharingReport { rounds, ..sharing_report() }
    }

    #[test]
    fn progress_is_time_alone_over_time_beside_the_other() {
        // One program takes 2 s instead of 1 s; two runs of the other take 4 and 6 s instead of 4 s.
        let report = report(vec![round([1.0, 4.0], &[2.0], &[4.0, 6.0], 8.0)]);
        let progress = report.progress(0).expect("measured");
        assert_eq!(progress.each.map(|of| of.median), [0.5, 0.8]);
        assert!((progress.sum.median - 1.3).abs() < 1e-12 && progress.sum.range.is_none(), "{progress:?}");
        assert_eq!(report.beside(0, Side::Second).map(|of| of.median), Some(5.0));
        // Two launches of each: 2 · (1 + 4) s of work in 8 s.
        assert_eq!(report.queue_throughput().map(|of| of.median), Some(1.25));
        assert_eq!(report.progress(1), None);
    }

    #[test]
    fn a_slow_round_changes_numerator_and_denominator_alike() {
        let quick = round([1.0, 1.0], &[2.0], &[2.0], 2.0);
        let slow = round([3.0, 3.0], &[6.0], &[6.0], 6.0);
        let progress = report(vec![quick, slow]).progress(0).expect("measured");
        assert_eq!(progress.sum, RoundSpread { median: 1.0, range: Some((1.0, 1.0)) });
    }

    #[test]
    fn the_median_lies_in_the_middle_and_its_range_is_that_of_the_rounds() {
        assert_eq!(RoundSpread::of(&[3.0, 1.0, 2.0]), Some(RoundSpread { median: 2.0, range: Some((1.0, 3.0)) }));
        assert_eq!(RoundSpread::of(&[3.0, 1.0]).map(|of| of.median), Some(2.0));
        for none in [&[][..], &[0.0], &[1.0, f64::NAN], &[f64::INFINITY], &[-1.0]] {
            assert_eq!(RoundSpread::of(none), None, "{none:?}");
        }
    }

    #[test]
    fn a_report_without_what_it_promises_has_no_figures() {
        let empty = SharingRound { alone_seconds: [1.0, 0.0], together: Vec::new(), queue: None };
        let nothing = report(vec![empty, round([1.0, 1.0], &[], &[1.0], 0.0)]);
        assert_eq!((nothing.progress(0), nothing.queue_throughput(), nothing.best_setting()), (None, None, None));
    }
}
