//! What could run the whole application of a query.

use crossover_decision::{Decision, Objective};
use crossover_plan::Import;
use crossover_plan::decide::Workload;
use crossover_plan::options::region::name_region;
use crossover_quantity::unit::Unit;
use jiff::Zoned;

/// Finds what could run a whole application with the shipped engines: the crate of fleets, which this crate does not know. `None`
/// if no shipped engine is that of the file.
#[derive(Clone, Copy)]
pub struct DecideApplication(pub fn(Import) -> Option<ApplicationWorkload>);

/// A whole application.
#[derive(Debug, Clone, PartialEq)]
pub struct ApplicationWorkload {
    /// Its name; empty if the file has none.
    pub name: String,
    /// The number of its queries.
    pub queries: usize,
    /// From its start to its end, seconds; `None` if not known.
    pub seconds: Option<f64>,
    /// Part of it that no option changes: outside of queries, and in queries without a prediction, seconds.
    pub unchanged_seconds: f64,
    /// Region of its machines, if the log has one.
    pub region: Option<String>,
    /// Remarks about the log, a sentence each, without a full stop.
    pub remarks: Vec<String>,
    /// What runs it today, and what could; else why it cannot be judged, as the end of a sentence.
    pub workload: Result<Workload, String>,
}

impl ApplicationWorkload {
    /// One whose plans are too large for the memory of a page.
    pub(super) fn too_large(name: String, queries: usize, limit: usize) -> Self {
        let limit = Unit::Count.format(limit as f64);
        let why = format!("its plans have more than {limit} operators; “crossover decide” judges it");
        Self {
            name,
            queries,
            seconds: None,
            unchanged_seconds: 0.0,
            region: None,
            remarks: Vec::new(),
            workload: Err(why),
        }
    }

    /// Whether it is more than one query from its start to its end.
    #[must_use]
    pub fn is_more_than_a_query(&self) -> bool {
        self.queries > 1 || self.unchanged_seconds > 0.0
    }

    /// "shop: 8 queries, 56.71 s from start to end".
    #[must_use]
    pub fn title(&self) -> String {
        let name = if self.name.is_empty() { "The application" } else { &self.name };
        let count = Unit::Count.format(self.queries as f64);
        let queries = format!("{count} {}", if self.queries == 1 { "query" } else { "queries" });
        let lasted = self.seconds.map(|seconds| format!(", {} from start to end", Unit::Seconds.format(seconds)));
        format!("{name}: {queries}{}", lasted.unwrap_or_default())
    }

    /// The decision about it, with the prices of one of its queries, which the user may have entered. The goal is that of the query,
    /// too; a budget is one of a query, so that of the application is what a run costs today. `None` if it cannot be judged.
    #[must_use]
    pub fn decide(&self, of_query: &Workload, objective: Objective) -> Option<Decision> {
        let mut workload = self.workload.clone().ok()?;
        take_prices(&mut workload, of_query);
        let Workload { baseline, candidates, .. } = &mut workload;
        name_region(Some(&*baseline), candidates, self.region.as_deref());
        let today = Zoned::now().date();
        for candidate in candidates {
            candidate.warn_of_age(today);
        }
        Some(workload.decide(Objective { budget_usd: None, ..objective }))
    }

    /// "18.39 s of the application’s 43.66 s are outside of queries with a prediction"; `None` if nothing is.
    #[must_use]
    pub fn unchanged_in_words(&self) -> Option<String> {
        let seconds = self.seconds.filter(|_| self.unchanged_seconds > 0.0)?;
        let [unchanged, all] = [self.unchanged_seconds, seconds].map(|seconds| Unit::Seconds.format(seconds));
        Some(format!("{unchanged} of the application’s {all} are outside of queries with a prediction"))
    }
}

/// Sets the prices of a workload to those of a query on the same machines.
fn take_prices(workload: &mut Workload, of_query: &Workload) {
    if workload.baseline.title == of_query.baseline.title {
        workload.baseline.price.clone_from(&of_query.baseline.price);
    }
    for candidate in &mut workload.candidates {
        if let Some(other) = of_query.candidates.iter().find(|other| other.title == candidate.title) {
            candidate.price.clone_from(&other.price);
        }
    }
}
