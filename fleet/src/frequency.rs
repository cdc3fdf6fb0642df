//! How often the runs of a fleet recur in a month.

/// Days of a month: a twelfth of 365.25.
pub const DAYS_PER_MONTH: f64 = 30.437_5;
/// Days that logs must cover: what runs once a week is in them, too.
pub const FEWEST_DAYS: f64 = 7.0;
/// Longest time without a run in a history, days: weekly runs, of which one may be missing.
pub const MOST_DAYS_APART: f64 = 14.0;
/// Milliseconds of a day.
const MS_PER_DAY: f64 = 86_400_000.0;

/// How often each application of a list runs in a month. Each log is one run of its application.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Frequency {
    /// So many times, as the user entered.
    Entered(f64),
    /// As often as in the logs, which cover so many days.
    History(f64),
    /// Not known: the logs cover less than [`FEWEST_DAYS`]. Costs are of one run of each application.
    Unknown,
    /// Not known: the logs are single runs with long times between them. Costs are of one run of each application.
    Sparse {
        /// Days that the logs cover.
        days: f64,
        /// Longest time in them without a run, days.
        days_apart: f64,
    },
}

impl Frequency {
    /// The entered number of runs per month, where 0 is none; else that of the logs, whose runs have these starts and ends in
    /// milliseconds since 1970, if they cover [`FEWEST_DAYS`] and two of them are never more than [`MOST_DAYS_APART`] apart.
    #[must_use]
    pub fn new(entered: Option<f64>, runs_ms: impl IntoIterator<Item = (u64, u64)>) -> Self {
        if let Some(runs) = entered.filter(|runs| *runs > 0.0) {
            return Self::Entered(runs);
        }
        let mut runs_ms: Vec<(u64, u64)> = runs_ms.into_iter().collect();
        runs_ms.sort_unstable();
        let Some(&(first, _)) = runs_ms.first() else { return Self::Unknown };
        let (mut last, mut apart) = (first, 0);
        for (start, end) in runs_ms {
            apart = apart.max(start.saturating_sub(last));
            last = last.max(start).max(end);
        }
        let [days, days_apart] = [last - first, apart].map(|ms| ms as f64 / MS_PER_DAY);
        if days < FEWEST_DAYS {
            Self::Unknown
        } else if days_apart > MOST_DAYS_APART {
            Self::Sparse { days, days_apart }
        } else {
            Self::History(days)
        }
    }

    /// What a run counts in sums: the runs of a month, or 1 if they are not known.
    #[must_use]
    pub fn runs(self) -> f64 {
        match self {
            Self::Entered(runs) => runs,
            Self::History(days) => DAYS_PER_MONTH / days,
            Self::Unknown | Self::Sparse { .. } => 1.0,
        }
    }

    /// Whether costs are per month; else they are of one run of each application.
    #[must_use]
    pub fn is_monthly(self) -> bool {
        matches!(self, Self::Entered(_) | Self::History(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Milliseconds of a day.
    const DAY: u64 = 86_400_000;

    #[test]
    fn logs_of_two_weeks_recur_about_twice_a_month_and_those_of_a_day_are_no_history() {
        let days = |days: u64| [(1_000, 1_000 + days * DAY)];
        assert_eq!(Frequency::new(None, days(14)), Frequency::History(14.0));
        assert!((Frequency::new(None, days(14)).runs() - 2.174_107).abs() < 1e-6);
        assert_eq!(Frequency::new(None, days(6)), Frequency::Unknown);
        assert_eq!(Frequency::new(None, []), Frequency::Unknown);
        assert_eq!(Frequency::new(Some(100.0), days(14)).runs(), 100.0);
        assert_eq!(Frequency::new(Some(0.0), days(14)), Frequency::History(14.0));
    }

    #[test]
    fn single_runs_that_are_months_apart_are_no_history() {
        // Runs of an hour on these days, in no order.
        let runs = |days: &[u64]| {
            let runs: Vec<(u64, u64)> = days.iter().map(|day| (day * DAY, day * DAY + DAY / 24)).collect();
            Frequency::new(None, runs)
        };
        let Frequency::Sparse { days, days_apart } = runs(&[1190, 0, 400]) else { panic!("a history") };
        assert!((days - (1190.0 + 1.0 / 24.0)).abs() < 1e-9, "{days}");
        assert!((days_apart - (790.0 - 1.0 / 24.0)).abs() < 1e-9, "{days_apart}");
        let sparse = runs(&[1190, 0, 400]);
        assert_eq!((sparse.runs(), sparse.is_monthly()), (1.0, false));
        // Once a week; and one that runs all the time between two others.
        assert!(runs(&[0, 7, 14, 21, 28]).is_monthly());
        assert!(Frequency::new(None, [(0, 60 * DAY), (DAY, 2 * DAY), (59 * DAY, 61 * DAY)]).is_monthly());
    }
}
