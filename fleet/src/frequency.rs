//! How often the runs of a fleet recur in a month.

/// Days of a month: a twelfth of 365.25.
pub const DAYS_PER_MONTH: f64 = 30.437_5;
/// Days that logs must cover: what runs once a week is in them, too.
pub const FEWEST_DAYS: f64 = 7.0;
/// Milliseconds of a day.
const MS_PER_DAY: f64 = 86_400_000.0;

/// How often each application of a list runs in a month. Each log is one run of its application.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Frequency {
    /// So many times, as the user entered.
    Entered(f64),
    /// As often as in the logs, which cover so many days.
    History(f64),
    /// Not known: the logs cover too few days. Costs are of one run of each application.
    Unknown,
}

impl Frequency {
    /// The entered number of runs per month; else that of the logs, from the first start to the last end in milliseconds since
    /// 1970, if they cover [`FEWEST_DAYS`].
    #[must_use]
    pub fn new(entered: Option<f64>, period_ms: Option<(u64, u64)>) -> Self {
        if let Some(runs) = entered {
            return Self::Entered(runs);
        }
        let days = period_ms.map_or(0.0, |(from, to)| to.saturating_sub(from) as f64 / MS_PER_DAY);
        if days >= FEWEST_DAYS { Self::History(days) } else { Self::Unknown }
    }

    /// What a run counts in sums: the runs of a month, or 1 if they are not known.
    #[must_use]
    pub fn runs(self) -> f64 {
        match self {
            Self::Entered(runs) => runs,
            Self::History(days) => DAYS_PER_MONTH / days,
            Self::Unknown => 1.0,
        }
    }

    /// Whether costs are per month; else they are of one run of each application.
    #[must_use]
    pub fn is_monthly(self) -> bool {
        self != Self::Unknown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logs_of_two_weeks_recur_about_twice_a_month_and_those_of_a_day_are_no_history() {
        let days = |days: u64| Some((1_000, 1_000 + days * 86_400_000));
        assert_eq!(Frequency::new(None, days(14)), Frequency::History(14.0));
        assert!((Frequency::new(None, days(14)).runs() - 2.174_107).abs() < 1e-6);
        assert_eq!(Frequency::new(None, days(6)), Frequency::Unknown);
        assert_eq!(Frequency::new(None, None), Frequency::Unknown);
        assert_eq!(Frequency::new(Some(100.0), days(14)).runs(), 100.0);
    }
}
