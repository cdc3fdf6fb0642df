//! Filters, sorts and groups a fleet: within a frame where that is quick, else on a thread of its own.

use std::sync::Arc;

use crossover_chart::lines::LineChart;
use crossover_chart::scatter::Scatter;
use crossover_fleet::listed::{Arranged, Arrangement, arrange};
use crossover_page::compute::background::Ticket;
use crossover_page::compute::computed::Work;

use super::charts;
use super::opening::Fleet;
use super::words::answer_of_shown;

/// About the time for one application, milliseconds: a name is compared some fifteen times, and the standard deviations
/// of its queries are summed.
const MS_PER_APPLICATION: f64 = 1.5e-3;

/// A fleet, and how to arrange it.
#[derive(Debug, Clone)]
pub(super) struct Arranging {
    pub(super) fleet: Arc<Result<Fleet, String>>,
    pub(super) wanted: Arrangement,
}

/// The list as it is shown, with its charts.
#[derive(Debug)]
pub(super) struct Shown {
    /// The fleet that it is of.
    pub(super) of: Arc<Result<Fleet, String>>,
    pub(super) arranged: Arranged,
    /// The sum of the filtered applications, as a sentence; `None` without a filter.
    pub(super) sentence: Option<String>,
    pub(super) scatter: Scatter,
    pub(super) cumulative: Option<LineChart>,
}

impl Work for Arranging {
    type Outcome = Shown;
    const NAME: &'static str = "sorting";
    const AGAIN: &'static str = "Sort";

    fn milliseconds(&self) -> f64 {
        self.fleet.as_ref().as_ref().map_or(0.0, |fleet| MS_PER_APPLICATION * fleet.rows.len() as f64)
    }

    fn in_words(&self) -> String {
        "Sorting the applications".to_owned()
    }

    fn compute(&self, _: Option<&Self::Outcome>, _: &Ticket) -> Option<Self::Outcome> {
        let rows = self.fleet.as_ref().as_ref().map_or(&[][..], |fleet| &fleet.rows);
        let arranged = arrange(rows, &self.wanted);
        let is_set = self.wanted.filter.is_set();
        Some(Shown {
            of: Arc::clone(&self.fleet),
            sentence: is_set.then(|| answer_of_shown(rows, &arranged)),
            scatter: charts::scatter(rows, &arranged),
            cumulative: charts::cumulative(&arranged.cumulative),
            arranged,
        })
    }
}
