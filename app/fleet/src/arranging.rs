//! Filters, sorts and groups a fleet: within a frame where that is quick, else on a thread of its own.

use std::sync::Arc;

use crossover_chart::bars::BarChart;
use crossover_chart::lines::LineChart;
use crossover_chart::scatter::Scatter;
use crossover_fleet::application::Range;
use crossover_fleet::listed::{Arranged, Arrangement, Row, arrange};
use crossover_fleet::portfolio::Item;
use crossover_fleet::{Budget, EffortSum, Portfolio};
use crossover_page::compute::background::Ticket;
use crossover_page::compute::computed::{IN_FRAME_MS, Work};

use super::charts;
use super::money;
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
    /// Most GPU machines at a time; `None`: no limit.
    pub(super) machines: Option<u32>,
}

/// The list as it is shown, with its charts.
#[derive(Debug)]
pub(super) struct Shown {
    /// The fleet that it is of.
    pub(super) of: Arc<Result<Fleet, String>>,
    pub(super) arranged: Arranged,
    /// The sum of the filtered applications, as a sentence; `None` without a filter.
    pub(super) sentence: Option<String>,
    /// The applications that save most with the limit of GPU machines, in words.
    pub(super) portfolio: Vec<String>,
    pub(super) scatter: Scatter,
    pub(super) cumulative: Option<LineChart>,
    /// The same of few applications: a bar for each.
    pub(super) few: Option<BarChart>,
}

impl Work for Arranging {
    type Outcome = Shown;
    const NAME: &'static str = "sorting";
    const AGAIN: &'static str = "Sort";

    fn milliseconds(&self) -> f64 {
        let sorting = self.fleet.as_ref().as_ref().map_or(0.0, |fleet| MS_PER_APPLICATION * fleet.rows.len() as f64);
        // A portfolio of many applications is searched for up to a second.
        if self.machines.is_some() { sorting.max(10.0 * IN_FRAME_MS) } else { sorting }
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
            portfolio: self.machines.map(|machines| self.portfolio(&arranged, machines)).unwrap_or_default(),
            sentence: is_set.then(|| answer_of_shown(rows, &arranged)),
            scatter: charts::scatter(rows, &arranged),
            cumulative: charts::cumulative(&arranged.cumulative),
            few: charts::few(rows, &arranged),
            arranged,
        })
    }
}

impl Arranging {
    /// The applications shown that save most with at most so many GPU machines at a time.
    fn portfolio(&self, arranged: &Arranged, machines: u32) -> Vec<String> {
        let Ok(fleet) = self.fleet.as_ref() else { return Vec::new() };
        let item = |at: &usize| {
            let row = fleet.rows.get(*at)?;
            Some((row, row.item?.times(fleet.frequency.runs())))
        };
        let (rows, items): (Vec<&Row>, Vec<Item>) = arranged.shown.iter().filter_map(item).unzip();
        let found = Portfolio::of(&items, Budget::Instances(f64::from(machines)));
        let left_out: Vec<&str> = found.left_out.iter().map(|at| rows[*at].name.as_str()).collect();
        let is_price_assumed = found.chosen.iter().any(|at| rows[*at].is_price_assumed);
        // The interval is in the report, which has the errors of all costs.
        let saving = Range { value: found.saving_usd, low: found.saving_usd, high: found.saving_usd };
        let moves = found.chosen.iter().map(|at| (rows[*at].name.as_str(), rows[*at].user.as_str()));
        let effort = EffortSum::of(&fleet.inputs.objective(), fleet.frequency, moves, found.saving_usd);
        money::portfolio(&found, saving, is_price_assumed, fleet.frequency, &left_out, effort.as_ref())
    }
}
