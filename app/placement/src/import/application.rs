//! What could run the whole application of a query.

use std::sync::Arc;

use crossover_decision::growth::GrowthChange;
use crossover_decision::{Decision, Objective};
use crossover_export::decision::DecidedWorkload;
use crossover_placement::Placement;
use crossover_plan::Import;
use crossover_plan::decide::Workload;
use crossover_plan::remarks::Remarks;
use crossover_quantity::text::counted;
use crossover_quantity::unit::Unit;

use super::MOST_KEPT;
use super::found::Found;

/// Finds what could run whole applications: the crate of fleets, which this crate does not know.
#[derive(Clone, Copy)]
pub struct DecideApplication {
    /// What could run the application of a file, with what the user entered in the study of one of its queries; `None` if no shipped
    /// engine is that of the file.
    pub workload: fn(&Import, &Placement) -> Option<ApplicationWorkload>,
    /// The growth of the data that changes a decision about it; `None` if none does, or if it is cancelled.
    pub growth: fn(&Import, &Placement, &Decision, &dyn Fn() -> bool) -> Option<GrowthChange>,
    /// The decision about it with everything that a report has; `None` as of `workload`.
    pub report: fn(&Import, &Placement) -> Option<DecidedWorkload>,
}

/// The file of an application, from which it is decided anew when the user enters something.
#[derive(Clone)]
pub(crate) struct ApplicationFile {
    plans: Plans,
    decide: DecideApplication,
}

/// The plans of an application.
#[derive(Clone)]
enum Plans {
    InMemory(Arc<Found>),
    /// Too large for the memory of a page: what is said instead of a decision.
    TooLarge(Arc<ApplicationWorkload>),
}

impl ApplicationFile {
    /// That of a file that was read.
    pub(super) fn new(found: &Arc<Found>, decide: DecideApplication) -> Self {
        let plans = if found.nodes <= MOST_KEPT {
            Plans::InMemory(Arc::clone(found))
        } else {
            Plans::TooLarge(Arc::new(ApplicationWorkload::too_large(found)))
        };
        Self { plans, decide }
    }

    /// Operators of all plans that are in memory.
    pub(crate) fn nodes(&self) -> usize {
        match &self.plans {
            Plans::InMemory(found) => found.nodes,
            Plans::TooLarge(_) => 0,
        }
    }

    /// What could run the application, with what the user entered in the study of one of its queries.
    pub(crate) fn workload(&self, study: &Placement) -> Option<ApplicationWorkload> {
        match &self.plans {
            Plans::InMemory(found) => (self.decide.workload)(&found.import, study),
            Plans::TooLarge(instead) => Some(ApplicationWorkload::clone(instead)),
        }
    }

    /// The growth of the data that changes a decision about the application.
    pub(crate) fn growth(
        &self,
        study: &Placement,
        decision: &Decision,
        is_cancelled: &dyn Fn() -> bool,
    ) -> Option<GrowthChange> {
        match &self.plans {
            Plans::InMemory(found) => (self.decide.growth)(&found.import, study, decision, is_cancelled),
            Plans::TooLarge(_) => None,
        }
    }

    /// The decision about the application with everything that a report has.
    pub(crate) fn report(&self, study: &Placement) -> Option<DecidedWorkload> {
        match &self.plans {
            Plans::InMemory(found) => (self.decide.report)(&found.import, study),
            Plans::TooLarge(_) => None,
        }
    }
}

/// An application as it is known when a query of it opens.
#[derive(Clone)]
pub(crate) struct OpenedApplication {
    /// Its file.
    pub(crate) file: ApplicationFile,
    /// The study of the query.
    pub(crate) study: Placement,
    /// What could run it; `None` if no shipped engine is that of the file.
    pub(crate) workload: Arc<Option<ApplicationWorkload>>,
}

impl OpenedApplication {
    /// Finds what could run it.
    pub(super) fn new(file: ApplicationFile, study: &Placement) -> Self {
        let workload = Arc::new(file.workload(study));
        Self { file, study: study.clone(), workload }
    }
}

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
    /// What the log says of its run.
    pub remarks: Remarks,
    /// What to change on today’s machines, whatever the decision; `None` if nothing in the log asks for it.
    pub without_a_move: Option<String>,
    /// What runs it today, and what could; else why it cannot be judged, as the end of a sentence.
    pub workload: Result<Workload, String>,
}

impl ApplicationWorkload {
    /// One whose plans are too large for the memory of a page.
    fn too_large(found: &Found) -> Self {
        let limit = Unit::Count.format(MOST_KEPT as f64);
        let why = format!("its plans have more than {limit} operators; “crossover decide” judges it");
        Self {
            name: found.import.application.clone(),
            queries: found.rows.len(),
            seconds: None,
            unchanged_seconds: 0.0,
            remarks: Remarks::default(),
            without_a_move: None,
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
        let queries = counted(self.queries as f64, "query");
        let lasted = self.seconds.map(|seconds| format!(", {} from start to end", Unit::Seconds.format(seconds)));
        format!("{name}: {queries}{}", lasted.unwrap_or_default())
    }

    /// The decision about it. The goal is that of the query, too; a budget is one of a query, so that of the application is what a run
    /// costs today. `None` if it cannot be judged.
    #[must_use]
    pub fn decide(&self, objective: Objective) -> Option<Decision> {
        let workload = self.workload.as_ref().ok()?;
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
