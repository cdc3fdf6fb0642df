//! What could run the whole application of a query.

use std::sync::{Arc, OnceLock};

use crossover_decision::growth::GrowthChange;
use crossover_decision::{Decision, Objective};
use crossover_export::decision::{ApplicationAnswer, DecidedWorkload};
use crossover_page::compute::background_drop::BackgroundDrop;
use crossover_placement::Placement;
use crossover_plan::Import;
use crossover_plan::decide::Workload;
use crossover_plan::remarks::Remarks;
use crossover_plan::skew::SkewStep;
use crossover_quantity::invalid::Invalid;
use crossover_quantity::shared::Shared;
use crossover_quantity::text::{Table, counted, shortened};
use crossover_quantity::unit::Unit;
use crossover_query::Application;
use crossover_query::application::LeftOut;
use crossover_scenario::Scenario;

use super::MOST_KEPT;
use super::found::Found;

/// Largest scenario with its application, bytes: each save, and each snapshot after an edit, writes all of it. A node takes about 455
/// bytes, so 13,000 nodes fit: more than a run of all 99 queries of TPC-DS has.
const MOST_BYTES: usize = 6_000_000;
/// Longest reason of a file, characters.
const LONGEST_REASON: usize = 300;

/// Finds what could run whole applications: the crate of fleets, which this crate does not know.
#[derive(Clone, Copy)]
pub struct DecideApplication {
    /// What could run the application of a file, with what the user entered in the study of one of its queries; `None` if no shipped
    /// engine is that of the file.
    pub workload: fn(&Import, &Placement) -> Option<ApplicationWorkload>,
    /// The growth of the data that changes a decision about it; `None` if none does, or if it is cancelled.
    pub growth: fn(&Import, &Placement, &Decision, &dyn Fn() -> bool) -> Option<GrowthChange>,
    /// Its queries, each decided alone; `None` as of `workload`.
    pub queries: fn(&Import, &Placement) -> Option<QueriesAlone>,
    /// The decision about it with everything that a report has; `None` as of `workload`.
    pub report: fn(&Import, &Placement) -> Option<DecidedWorkload>,
}

/// The queries of an application, each decided alone.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct QueriesAlone {
    /// Which of them have another recommendation than the application, as a report says it, without a full stop; `None` if none has.
    pub note: Option<String>,
    /// The first ones, as in a report.
    pub table: Table,
    /// How many the table lacks, as in a report; `None` if it has all.
    pub more: Option<String>,
}

/// An application, from which it is decided anew when the user enters something.
#[derive(Clone)]
pub(crate) struct ApplicationFile {
    /// As the study of its query has it.
    kept: Shared<Application>,
    facts: Facts,
    /// Operators of all plans that are in memory.
    nodes: usize,
    decide: DecideApplication,
}

/// What an application is decided from.
#[derive(Clone)]
enum Facts {
    /// What the study has, copied where it is first decided, which is on another thread if it is large.
    Kept(Arc<OnceLock<BackgroundDrop<Import>>>),
    /// The file that was read, where the study cannot have it.
    Read(Arc<Found>),
    /// Nothing: what is said instead of a decision.
    LeftOut(Arc<ApplicationWorkload>),
}

impl ApplicationFile {
    /// That of a study.
    pub(crate) fn of_study(kept: &Shared<Application>, decide: DecideApplication) -> Self {
        let facts = match &kept.left_out {
            None => Facts::Kept(Arc::default()),
            Some(left_out) => Facts::LeftOut(Arc::new(ApplicationWorkload::left_out(&kept.name, left_out))),
        };
        Self { kept: kept.clone(), facts, nodes: kept.nodes(), decide }
    }

    /// That of a file whose plans the scenario of a query cannot have: it is decided until the scenario is closed.
    fn of_file(kept: &Shared<Application>, found: &Arc<Found>, decide: DecideApplication) -> Self {
        Self { kept: kept.clone(), facts: Facts::Read(Arc::clone(found)), nodes: found.nodes, decide }
    }

    /// Whether it is the one of a study.
    pub(crate) fn is_of(&self, kept: &Shared<Application>) -> bool {
        self.kept.is_same(kept)
    }

    /// Operators of all plans that are in memory.
    pub(crate) fn nodes(&self) -> usize {
        self.nodes
    }

    fn import(&self) -> Option<&Import> {
        match &self.facts {
            Facts::Kept(import) => Some(import.get_or_init(|| BackgroundDrop::new(Import::from(&*self.kept)))),
            Facts::Read(found) => Some(&found.import),
            Facts::LeftOut(_) => None,
        }
    }

    /// What could run the application, with what the user entered in the study of one of its queries.
    pub(crate) fn workload(&self, study: &Placement) -> Option<ApplicationWorkload> {
        match &self.facts {
            Facts::LeftOut(instead) => Some(ApplicationWorkload::clone(instead)),
            Facts::Kept(_) | Facts::Read(_) => (self.decide.workload)(self.import()?, study),
        }
    }

    /// The growth of the data that changes a decision about the application.
    pub(crate) fn growth(
        &self,
        study: &Placement,
        decision: &Decision,
        is_cancelled: &dyn Fn() -> bool,
    ) -> Option<GrowthChange> {
        (self.decide.growth)(self.import()?, study, decision, is_cancelled)
    }

    /// The queries of the application, each decided alone.
    pub(crate) fn queries(&self, study: &Placement) -> Option<QueriesAlone> {
        (self.decide.queries)(self.import()?, study)
    }

    /// The decision about the application with everything that a report has.
    pub(crate) fn report(&self, study: &Placement) -> Option<DecidedWorkload> {
        (self.decide.report)(self.import()?, study)
    }
}

/// An application as it is known when a query of it opens.
#[derive(Clone)]
pub(crate) struct OpenedApplication {
    /// It.
    pub(crate) file: ApplicationFile,
    /// The study of the query.
    pub(crate) study: Placement,
    /// What could run it; `None` if no shipped engine is that of the file.
    pub(crate) workload: Arc<Option<ApplicationWorkload>>,
}

impl OpenedApplication {
    /// "Opened application shop: 8 queries"; `None` if the application cannot be judged: the page is then about the query.
    pub(super) fn opened(&self) -> Option<String> {
        let workload = (*self.workload).as_ref().filter(|of| of.workload.is_ok())?;
        let name = if workload.name.is_empty() { String::new() } else { format!(" {}", workload.name) };
        Some(format!("Opened application{name}: {}", counted(workload.queries as f64, "query")))
    }
}

/// Adds the application of a file to the scenario of one of its queries, and finds what could run it; `None` if it is not more than
/// the query, or if no shipped engine is that of the file.
pub(super) fn add(scenario: &mut Scenario, found: &Arc<Found>, decide: DecideApplication) -> Option<OpenedApplication> {
    let study = scenario.placement()?.clone();
    let kept = if found.nodes <= MOST_KEPT {
        Shared::from(found.import.to_application())
    } else {
        let limit = Unit::Count.format(MOST_KEPT as f64);
        left_out(found, format!("its plans have more than {limit} operators; “crossover decide” judges it"))
    };
    let file = ApplicationFile::of_study(&kept, decide);
    let workload = file.workload(&study).filter(ApplicationWorkload::is_more_than_a_query)?;
    let file = match keep(scenario, &kept) {
        Ok(()) => file,
        Err(why) => {
            let kept = left_out(found, format!("{why}; import its log again, or use “crossover decide”"));
            set(scenario, &kept);
            ApplicationFile::of_file(&kept, found, decide)
        }
    };
    Some(OpenedApplication { file, study, workload: Arc::new(Some(workload)) })
}

/// Adds an application to the scenario of its query.
///
/// # Errors
/// Why a file cannot have it.
fn keep(scenario: &mut Scenario, kept: &Shared<Application>) -> Result<(), String> {
    if let Err(Invalid { path, problem }) = kept.validate("query.application") {
        return Err(format!("its plans cannot be saved ({path}: {problem})"));
    }
    set(scenario, kept);
    if scenario.to_ron().len() > MOST_BYTES {
        return Err("its plans are too large for the scenario file".to_owned());
    }
    Ok(())
}

fn set(scenario: &mut Scenario, kept: &Shared<Application>) {
    if let Some(query) = scenario.study.placement_mut().and_then(|study| study.query.as_deref_mut()) {
        query.application = Some(kept.clone());
    }
}

/// The application of a file without its queries.
fn left_out(found: &Found, why: String) -> Shared<Application> {
    let Import { engine, file, application, .. } = &*found.import;
    Shared::from(Application {
        engine: engine.clone(),
        file: file.clone(),
        name: application.clone(),
        left_out: Some(LeftOut { queries: found.rows.len(), why }),
        ..Application::default()
    })
}

impl DecideApplication {
    /// The answer about the application of a study's query, as the page shows it where the study opens; `None` if the study has no
    /// application that is more than its query.
    #[must_use]
    pub fn answer(self, study: &Placement) -> Option<ApplicationAnswer> {
        let file = ApplicationFile::of_study(study.query.as_deref()?.application.as_ref()?, self);
        let workload = file.workload(study).filter(ApplicationWorkload::is_more_than_a_query)?;
        match workload.why_not_judged() {
            Some(why_not) => Some(ApplicationAnswer::NotJudged(why_not)),
            None => Some(ApplicationAnswer::Decided(Box::new(file.report(study)?))),
        }
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
    /// What it says of the run of the study's query; `None` if the study does not have the log's queries.
    pub of_query: Option<Remarks>,
    /// What to change on today’s machines, whatever the decision; `None` if nothing in the log asks for it.
    pub without_a_move: Option<SkewStep>,
    /// What runs it today, and what could; else why it cannot be judged, as the end of a sentence.
    pub workload: Result<Workload, String>,
}

/// The note of a report about time that no option changes, of all the time of an application, seconds: "18.39 s of the 43.66 s are outside
/// of queries with a prediction; every option is assumed to take as long for them".
#[must_use]
pub fn note_of_unchanged(unchanged: f64, all: f64) -> String {
    let [unchanged, all] = [unchanged, all].map(|seconds| Unit::Seconds.format(seconds));
    format!(
        "{unchanged} of the {all} are outside of queries with a prediction; every option is assumed to take as long for them"
    )
}

impl ApplicationWorkload {
    /// One whose queries a study does not have.
    fn left_out(name: &str, LeftOut { queries, why }: &LeftOut) -> Self {
        Self {
            name: name.to_owned(),
            queries: *queries,
            seconds: None,
            unchanged_seconds: 0.0,
            remarks: Remarks::default(),
            of_query: None,
            without_a_move: None,
            workload: Err(shortened(why, LONGEST_REASON)),
        }
    }

    /// Whether it is more than one query from its start to its end.
    #[must_use]
    pub fn is_more_than_a_query(&self) -> bool {
        self.queries > 1 || self.unchanged_seconds > 0.0
    }

    /// Why it cannot be judged, as a sentence; `None` if it can be.
    #[must_use]
    pub fn why_not_judged(&self) -> Option<String> {
        let why = self.workload.as_ref().err()?;
        Some(format!("Whole application ({}): cannot be judged: {why}.", self.title()))
    }

    /// "shop: 8 queries, 56.71 s from start to end".
    #[must_use]
    pub fn title(&self) -> String {
        let name = if self.name.is_empty() { "The application" } else { &self.name };
        let queries = counted(self.queries as f64, "query");
        let lasted = self.seconds.map(|seconds| format!(", {} from start to end", Unit::Seconds.format(seconds)));
        format!("{name}: {queries}{}", lasted.unwrap_or_default())
    }

    /// The decision about it; its limits are those of a run of the application. `None` if it cannot be judged.
    #[must_use]
    pub fn decide(&self, objective: Objective) -> Option<Decision> {
        Some(self.workload.as_ref().ok()?.decide(objective))
    }

    /// The note of a report about its time that no option changes; `None` if there is none.
    pub(crate) fn note_of_unchanged(&self) -> Option<String> {
        let seconds = self.seconds.filter(|_| self.unchanged_seconds > 0.0)?;
        Some(note_of_unchanged(self.unchanged_seconds, seconds))
    }

    /// "18.39 s of the application’s 43.66 s are outside of queries with a prediction"; `None` if nothing is.
    #[must_use]
    pub fn unchanged_in_words(&self) -> Option<String> {
        let seconds = self.seconds.filter(|_| self.unchanged_seconds > 0.0)?;
        let [unchanged, all] = [self.unchanged_seconds, seconds].map(|seconds| Unit::Seconds.format(seconds));
        Some(format!("{unchanged} of the application’s {all} are outside of queries with a prediction"))
    }
}
