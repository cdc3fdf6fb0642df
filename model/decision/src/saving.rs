//! What an option saves in a month, and the time that pays back the effort of a move.
//!
//! ```text
//! effort = money + hours of work × hourly rate
//! month = S × runs per month
//! payback = effort ÷ month             later than three years: not worth a move or a trial
//! largest effort = 36 × month          that is paid back in three years: named where the effort is not entered, or above it
//! hours = largest effort ÷ $100        where the effort is not entered; less than one: too small, unless the effort is smaller
//! ```

use crate::decision::{Decision, DecisionOption};

/// An option that pays back the effort of the move later than this is not recommended. Three years are the longest term of AWS Savings Plans
/// and of Google Cloud's committed use discounts; for longer, clouds promise no price.
pub(crate) const LONGEST_PAYBACK_MONTHS: f64 = 36.0;

/// What an hour of work costs where no effort is entered, US dollars: assumed. The smallest saving worth acting on pays back one hour within
/// [`LONGEST_PAYBACK_MONTHS`].
pub(crate) const ASSUMED_HOURLY_RATE_USD: f64 = 100.0;

/// The longest payback time of a move that is recommended, in words: "36 months".
#[must_use]
pub fn longest_payback() -> String {
    format!("{LONGEST_PAYBACK_MONTHS} months")
}

/// The effort of a move, US dollars: money, and hours of work at an hourly rate. Without a rate, hours are not counted. `None` if the
/// effort is 0.
#[must_use]
pub fn effort_usd(usd: Option<f64>, hours: Option<f64>, hourly_rate_usd: Option<f64>) -> Option<f64> {
    let work = hours.zip(hourly_rate_usd).map_or(0.0, |(hours, usd)| hours * usd);
    Some(usd.unwrap_or(0.0) + work).filter(|effort| *effort > 0.0)
}

/// A saving of a month, US dollars.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MonthlySaving {
    /// The expected saving with the fewest and with the most runs, the smaller one first; the same if the runs are exact.
    pub expected: [f64; 2],
    /// The lowest and the highest end of its 90 % interval over the range of the runs; `None` without a measured error.
    pub interval: Option<[f64; 2]>,
}

/// When the expected saving is as large as the effort of a move.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Payback {
    /// After this many months, at least and at most.
    Months([f64; 2]),
    /// After this many runs: runs per month are not known.
    Runs(f64),
    /// Never: no saving is expected.
    Never,
}

impl Payback {
    /// When this saving of a run, US dollars, is as large as an effort, US dollars, with the fewest and the most runs of a month; `None`:
    /// they are not known.
    #[must_use]
    pub fn of(effort_usd: f64, saving_usd: f64, runs_per_month: Option<[f64; 2]>) -> Self {
        if saving_usd <= 0.0 {
            return Self::Never;
        }
        match runs_per_month {
            Some(runs) => {
                let [latest, earliest] = runs.map(|runs| effort_usd / (saving_usd * runs));
                Self::Months([earliest, latest])
            }
            None => Self::Runs(effort_usd / saving_usd),
        }
    }

    /// Whether it is later than [`LONGEST_PAYBACK_MONTHS`] even with the most runs.
    pub(crate) fn is_late(&self) -> bool {
        matches!(self, Self::Months([least, _]) if *least > LONGEST_PAYBACK_MONTHS)
    }
}

impl Decision {
    /// The saving of a month with an option; `None` without runs per month, or where time decides.
    #[must_use]
    pub fn monthly_saving(&self, option: &DecisionOption) -> Option<MonthlySaving> {
        let saving = option.saving.filter(|_| !self.is_by_time())?;
        let [fewest, most] = self.objective.runs()?;
        let interval = option.saving_interval.map(|[low, high]| {
            let [low, high] = [low.min(high), low.max(high)];
            [(low * fewest).min(low * most), (high * fewest).max(high * most)]
        });
        let [one, other] = [saving * fewest, saving * most];
        Some(MonthlySaving { expected: [one.min(other), one.max(other)], interval })
    }

    /// When an option has paid back the effort of the move; `None` if the effort is not known, or where time decides.
    #[must_use]
    pub fn payback(&self, option: &DecisionOption) -> Option<Payback> {
        let effort = self.objective.effort_usd?;
        let saving = option.saving.filter(|_| !self.is_by_time())?;
        Some(Payback::of(effort, saving, self.objective.runs()))
    }

    /// The payback of an option that does not pay back the effort within [`LONGEST_PAYBACK_MONTHS`] even with the most runs; `None` if it
    /// does, or if it is not known: without an effort, without runs per month, and where time decides. Also `None` where today's run breaks the
    /// limit: then no saving pays for the move.
    pub(crate) fn late_payback(&self, option: &DecisionOption) -> Option<Payback> {
        self.payback(option).filter(|payback| !self.is_limit_broken_today() && payback.is_late())
    }

    /// The largest effort of a move, US dollars, that an option pays back within [`LONGEST_PAYBACK_MONTHS`] with the most runs; `None`
    /// without runs per month, or where time decides.
    pub(crate) fn largest_effort(&self, option: &DecisionOption) -> Option<f64> {
        let [_, most] = self.monthly_saving(option)?.expected;
        Some(LONGEST_PAYBACK_MONTHS * most)
    }
}
