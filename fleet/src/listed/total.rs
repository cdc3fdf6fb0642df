//! Sums of applications: of a list, of its groups and of the overview.

use super::row::Row;
use crate::application::{Range, Summary, Verdict, saved};
use crate::spread::Sum;

/// The sum of some applications.
#[derive(Debug, Clone, PartialEq)]
pub struct Total {
    /// Their number.
    pub applications: usize,
    /// Their time today, seconds.
    pub seconds: f64,
    /// Number of applications to move.
    pub moving: usize,
    /// Their time once those have moved, seconds.
    pub moved: Range,
    /// Saved cost, US dollars; `None` if a price is missing, or no application moves.
    pub saved_usd: Option<f64>,
}

/// The cumulative saving, largest saving first.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Cumulative {
    /// Saving of the first one, the first two …, seconds, without applications that save nothing.
    pub seconds: Vec<f64>,
    /// Number of applications.
    pub applications: usize,
}

/// The numbers of one application in a sum.
pub(crate) struct Summand<'a> {
    seconds: Option<f64>,
    option_time: Option<Range>,
    staying_seconds: f64,
    saved_usd: Option<f64>,
    verdict: Verdict,
    option_engine: &'a str,
    standard_deviations: &'a [(String, f64)],
}

impl<'a> From<&'a Row> for Summand<'a> {
    fn from(row: &'a Row) -> Self {
        let Row { seconds, option_time, staying_seconds, saved_usd, verdict, .. } = *row;
        Self {
            seconds,
            option_time,
            staying_seconds,
            saved_usd,
            verdict,
            option_engine: &row.option_engine,
            standard_deviations: &row.standard_deviations,
        }
    }
}

impl<'a> From<&'a Summary> for Summand<'a> {
    fn from(summary: &'a Summary) -> Self {
        let Summary { seconds, option_time, staying_seconds, verdict, .. } = *summary;
        let saved_usd = summary.saved_usd();
        Self {
            seconds,
            option_time,
            staying_seconds,
            saved_usd,
            verdict,
            option_engine: &summary.option_engine,
            standard_deviations: &summary.standard_deviations,
        }
    }
}

impl Total {
    /// Saving of the applications to move, seconds.
    #[must_use]
    pub fn saved(&self) -> Range {
        let Range { value, low, high } = self.moved;
        Range { value: saved(self.seconds, value), low: saved(self.seconds, high), high: saved(self.seconds, low) }
    }

    pub(crate) fn of<'a>(all: impl Iterator<Item = Summand<'a>>) -> Self {
        let (mut there, mut staying, mut usd) = (Sum::default(), 0.0, Some(0.0));
        let (mut applications, mut seconds, mut moving) = (0, 0.0, 0);
        for one in all {
            applications += 1;
            let today = one.seconds.unwrap_or(0.0);
            seconds += today;
            let Some(there_time) = one.option_time.filter(|_| one.verdict == Verdict::Move && one.seconds.is_some())
            else {
                staying += today;
                continue;
            };
            moving += 1;
            staying += one.staying_seconds;
            let standard_deviations =
                one.standard_deviations.iter().map(|(query, deviation)| (query.as_str(), *deviation));
            there.add_all(one.option_engine, there_time.value - one.staying_seconds, standard_deviations);
            usd = usd.zip(one.saved_usd).map(|(sum, saved)| sum + saved);
        }
        let saved_usd = usd.filter(|_| moving > 0);
        Self { applications, seconds, moving, moved: there.range(staying), saved_usd }
    }
}

impl Cumulative {
    /// From the saving of each application, seconds; not positive if it is not to move.
    pub(crate) fn of(saved: impl Iterator<Item = f64>) -> Self {
        let mut applications = 0;
        let mut seconds: Vec<f64> = saved.inspect(|_| applications += 1).filter(|saved| *saved > 0.0).collect();
        seconds.sort_by(|a, b| b.total_cmp(a));
        let mut sum = 0.0;
        for saved in &mut seconds {
            sum += *saved;
            *saved = sum;
        }
        Self { seconds, applications }
    }

    /// The fewest applications that bring this share of the saving; `None` if nothing is saved.
    #[must_use]
    pub fn top_for(&self, share: f64) -> Option<usize> {
        let all = self.seconds.last()?;
        let reaches = |sum: &f64| *sum >= share * all * (1.0 - 1e-9);
        self.seconds.iter().position(reaches).map(|place| place + 1)
    }
}
