//! The whole application of the query, decided with what the user entered about the query.

mod each_query;

use std::sync::Arc;

use crossover_decision::{Decision, Objective};
use crossover_export::decision::WithoutAMove;
use crossover_page::compute::background::Ticket;
use crossover_page::compute::computed::{Computed, Work};
use crossover_page::widgets::text_table;
use crossover_placement::{DecisionInputs, Placement};
use crossover_plan::decide::objective;
use crossover_query::SparkSettings;
use egui::{Align, Context, Ui};

use super::super::import::{ApplicationFile, ApplicationWorkload, DecideApplication, OpenedApplication, QueriesAlone};
use super::super::plan::{PlanBoard, query_warnings};
use super::arguments::decide_arguments;
use super::decided::Decided;
use super::missing;
use each_query::EachQuery;

/// Upper estimate of the time for one operator, milliseconds: its plan is copied, and predicted for each engine. Not measured.
const NODE_MS: f64 = 0.02;
/// What time that no option shortens costs.
const DEARER: &str = ", and they cost more on machines with a higher price";

/// The application of the query; empty if the study has none.
#[derive(Default)]
pub(super) struct State {
    /// What decides; `None` before the page is drawn.
    decide: Option<DecideApplication>,
    open: Option<Open>,
}

struct Open {
    file: ApplicationFile,
    compared: Computed<Compared>,
    /// Its queries, each decided alone.
    queries: Computed<EachQuery>,
    made: Option<Made>,
}

/// An application with what the user entered in the study of one of its queries.
#[derive(Clone)]
pub(super) struct Compared {
    pub(super) file: ApplicationFile,
    pub(super) study: Placement,
}

/// A decision about an application, and what it was made from.
struct Made {
    workload: Arc<Option<ApplicationWorkload>>,
    objective: Objective,
    texts: Texts,
    /// `None` if the application is the query, or cannot be judged.
    decided: Option<Decided>,
}

/// Why the application has another recommendation or another saving than its query, and the decisions about both.
pub(super) struct Another {
    pub(super) whole: Arc<Decision>,
    pub(super) query: Arc<Decision>,
    /// `None` if it has neither.
    pub(super) why: Option<String>,
}

impl Another {
    /// Whether it is about these two.
    pub(super) fn is_of(&self, whole: &Arc<Decision>, query: &Arc<Decision>) -> bool {
        Arc::ptr_eq(&self.whole, whole) && Arc::ptr_eq(&self.query, query)
    }
}

impl Work for Compared {
    /// `None` if no shipped engine is that of the file.
    type Outcome = Option<ApplicationWorkload>;
    const NAME: &'static str = "application";
    const AGAIN: &'static str = "Compare its options";

    fn milliseconds(&self) -> f64 {
        NODE_MS * self.file.nodes() as f64
    }

    fn in_words(&self) -> String {
        "Comparing the options of the application".to_owned()
    }

    fn compute(&self, _: Option<&Self::Outcome>, _: &Ticket) -> Option<Self::Outcome> {
        Some(self.file.workload(&self.study))
    }
}

impl Compared {
    /// Whether a study has the same engines, prices and clusters. Asked in every frame, so nothing is copied.
    pub(super) fn is_same(&self, study: &Placement) -> bool {
        let none = DecisionInputs::default();
        let [before, now] = [&self.study, study].map(|study| study.decision.as_deref().unwrap_or(&none));
        self.study.engines == study.engines
            && self.study.sources == study.sources
            && before.candidates == now.candidates
            && before.today_price == now.today_price
            && before.today_region == now.today_region
            && before.learned == now.learned
    }
}

/// What the page says of an application, made once.
#[derive(Default)]
struct Texts {
    /// Its name, its queries and its time.
    title: String,
    /// Its time that no option shortens.
    unchanged: Option<String>,
    /// The note of a report about that.
    note_of_unchanged: Option<String>,
    /// Why it cannot be judged, if so.
    why_not: Option<String>,
}

impl Texts {
    fn new(workload: &ApplicationWorkload) -> Self {
        Self {
            title: workload.title(),
            unchanged: workload.unchanged_in_words().map(|unchanged| format!("{unchanged}; no option shortens them.")),
            note_of_unchanged: workload.note_of_unchanged(),
            why_not: workload.why_not_judged(),
        }
    }
}

impl Made {
    fn new(workload: &Arc<Option<ApplicationWorkload>>, study: &Placement, settings: &SparkSettings) -> Self {
        let objective = objective(study);
        let decide = |of: &ApplicationWorkload| {
            let region_difference = of.workload.as_ref().ok()?.region_difference.as_deref();
            let mut decided = Decided::new(of.decide(objective)?, region_difference, settings);
            decided.compare_with(decide_arguments(study, false));
            decided.without_a_move =
                of.without_a_move.as_ref().map(|step| WithoutAMove::new(step, Some(&decided.decision)));
            Some(decided)
        };
        let whole = (**workload).as_ref().filter(|workload| workload.is_more_than_a_query());
        let texts = whole.map(Texts::new).unwrap_or_default();
        Self { workload: Arc::clone(workload), objective, texts, decided: whole.and_then(decide) }
    }
}

impl State {
    /// Sets what finds what could run it.
    pub(super) fn decide_with(&mut self, decide: Option<DecideApplication>) {
        self.decide = decide;
    }

    /// Sets the one that was found when the query opened.
    pub(super) fn set(&mut self, OpenedApplication { file, study, workload }: &OpenedApplication) {
        let first = Compared { file: file.clone(), study: study.clone() };
        let compared = Computed::with(first, Arc::clone(workload));
        self.open = Some(Open { file: file.clone(), compared, queries: Computed::new(), made: None });
    }

    /// Opens the application of the study, unless it is open.
    fn reopen(&mut self, study: &Placement) {
        let kept = study.query.as_deref().and_then(|query| query.application.as_ref());
        let is_open = match (&self.open, kept) {
            (Some(open), Some(kept)) => open.file.is_of(kept),
            (open, kept) => open.is_none() && kept.is_none(),
        };
        if !is_open {
            self.open = kept.zip(self.decide).map(|(kept, decide)| Open {
                file: ApplicationFile::of_study(kept, decide),
                compared: Computed::new(),
                queries: Computed::new(),
                made: None,
            });
        }
    }

    /// Decides anew if the study has another application, or compares something else, or the goal changed; `settings`: those of the log.
    pub(super) fn refresh(&mut self, ctx: &Context, study: &Placement, settings: &SparkSettings) {
        self.reopen(study);
        let Some(Open { file, compared, made, .. }) = &mut self.open else { return };
        compared.refresh(ctx, |of| of.is_same(study), || Compared { file: file.clone(), study: study.clone() });
        let Some(workload) = compared.shown() else { return };
        let objective = objective(study);
        let is_same = |of: &Made| Arc::ptr_eq(&of.workload, workload) && of.objective == objective;
        if !made.as_ref().is_some_and(is_same) {
            *made = Some(Made::new(workload, study, settings));
        }
    }

    /// Decides each query of the application alone.
    pub(super) fn refresh_queries(&mut self, ctx: &Context, study: &Placement) {
        let Some(Open { file, queries, made: Some(Made { decided: Some(_), .. }), .. }) = &mut self.open else {
            return;
        };
        let objective = objective(study);
        queries.refresh(
            ctx,
            |of| of.objective == objective && of.compared.is_same(study),
            || EachQuery { compared: Compared { file: file.clone(), study: study.clone() }, objective },
        );
    }

    /// Its queries, each decided alone; `None` if they are not decided yet.
    fn queries(&self) -> Option<&QueriesAlone> {
        let queries = &self.open.as_ref()?.queries;
        queries.shown().filter(|_| !queries.is_stale()).map(AsRef::as_ref)
    }

    /// Whether another thread decides its queries.
    pub(super) fn is_busy_with_queries(&self) -> bool {
        self.open.as_ref().is_some_and(|open| open.queries.is_busy())
    }

    /// What the page says of it, if it is more than the query.
    fn texts(&self) -> Option<&Texts> {
        let made = self.open.as_ref()?.made.as_ref()?;
        self.workload().map(|_| &made.texts)
    }

    /// "shop: 8 queries, 56.71 s from start to end".
    pub(super) fn title_in_words(&self) -> Option<&str> {
        self.texts().map(|texts| texts.title.as_str())
    }

    /// Its time that no option shortens, as a sentence.
    pub(super) fn unchanged(&self) -> Option<&str> {
        self.texts()?.unchanged.as_deref()
    }

    /// Names the application, with a link to the table of its queries; returns whether to go there.
    pub(super) fn title(&self, ui: &mut Ui) -> bool {
        let title = self.title_in_words().unwrap_or_default();
        let has_table = self.queries().is_some_and(|queries| !queries.table.rows.is_empty());
        let seeks_queries = ui.horizontal_wrapped(|ui| {
            ui.weak(title);
            has_table
                && ui.link("Go to the queries").on_hover_text("Scrolls to the decision about each query").clicked()
        });
        seeks_queries.inner
    }

    /// Draws the decision about each query alone, as in a report; `is_sought`: the page scrolls to it.
    pub(super) fn show_queries(&self, ui: &mut Ui, is_sought: bool) {
        let Some(QueriesAlone { table, more, .. }) = self.queries().filter(|queries| !queries.table.rows.is_empty())
        else {
            return;
        };
        ui.add_space(8.0);
        let title = ui.strong("Queries");
        if is_sought {
            title.scroll_to_me(Some(Align::TOP));
        }
        text_table::show(ui, "queries alone", table, &[]);
        if let Some(more) = more {
            ui.weak(more);
        }
    }

    /// Whether its first decision is not known yet.
    pub(super) fn is_pending(&self) -> bool {
        self.open.as_ref().is_some_and(|open| open.made.is_none())
    }

    /// The file of the application.
    pub(super) fn file(&self) -> Option<ApplicationFile> {
        self.open.as_ref().map(|open| open.file.clone())
    }

    /// The application, if it is more than the query.
    pub(super) fn workload(&self) -> Option<&ApplicationWorkload> {
        let made = self.open.as_ref()?.made.as_ref()?;
        (*made.workload).as_ref().filter(|workload| workload.is_more_than_a_query())
    }

    /// Shows the warnings and notes about the log: those about its query, or about the application. If there are none about the query,
    /// shows those about its plan.
    pub(super) fn remarks(&self, ui: &mut Ui, plan: &PlanBoard, is_of_query: bool) {
        let of_query = self.workload().and_then(|workload| workload.of_query.as_ref());
        match (self.workload(), of_query) {
            (Some(workload), _) if !is_of_query => {
                let differing = self.queries().and_then(|queries| queries.note.as_deref());
                let unchanged = self.texts().and_then(|texts| texts.note_of_unchanged.as_deref());
                let of_decision: Vec<&str> = unchanged.into_iter().chain(differing).collect();
                missing::remarks(ui, &workload.remarks, &of_decision);
            }
            (_, Some(of_query)) => missing::remarks(ui, of_query, &[]),
            _ => {}
        }
        if of_query.is_none() {
            query_warnings(ui, plan);
        }
    }

    /// The decision about it; `None` if the application is the query, or cannot be judged.
    pub(super) fn decided(&self) -> Option<&Decided> {
        self.open.as_ref()?.made.as_ref()?.decided.as_ref()
    }

    /// Why the application cannot be judged, if so.
    pub(super) fn why_not(&self) -> Option<&str> {
        self.texts()?.why_not.as_deref()
    }

    /// Why the recommendation or the saving for the application is another one than this one for its query; `None` if both are the same.
    pub(super) fn why_another(&self, query: &Decision) -> Option<String> {
        why_another(self.workload()?, &self.decided()?.decision, query)
    }

    /// Whether another thread decides.
    pub(super) fn is_busy(&self) -> bool {
        self.open.as_ref().is_some_and(|open| open.compared.is_busy())
    }

    /// Fades the following content while it is of an earlier study.
    pub(super) fn dim(&self, ui: &mut Ui) {
        if let Some(open) = &self.open {
            open.compared.dim(ui);
        }
    }

    /// Shows the progress of the comparison.
    pub(super) fn state(&mut self, ui: &mut Ui) {
        if let Some(open) = &mut self.open {
            open.compared.state(ui);
        }
    }
}

/// Why an application has another recommendation than its query, or by the same one another saving; `None` if it has neither.
fn why_another(workload: &ApplicationWorkload, whole: &Decision, query: &Decision) -> Option<String> {
    if whole.agrees_with(query) {
        let saving = whole.other_saving_than(query)?;
        let unchanged = || {
            let dearer = if saving.is_on_dearer_machines { DEARER } else { "" };
            Some(format!("{}. No option shortens them{dearer}", workload.unchanged_in_words()?))
        };
        let why = saving.of_more_queries(workload.queries).or_else(unchanged);
        let why = why.map(|why| format!(": {why}")).unwrap_or_default();
        return Some(format!("For the application the expected {} is {}{why}.", saving.noun, saving.in_words));
    }
    let other = whole.recommended_title(" or ").unwrap_or_else(|| format!("stay with {}", whole.baseline.title));
    let why = match workload.unchanged_in_words() {
        Some(unchanged) => format!("{unchanged}. No option shortens them{DEARER}."),
        None => "options gain different shares of each query’s time.".to_owned(),
    };
    Some(format!("For the application, the recommendation is {other}: {why}"))
}

#[cfg(test)]
mod tests {
    use crossover_decision::{Baseline, Candidate, PredictedTime, Price, decide};
    use crossover_plan::remarks::Remarks;

    use super::*;

    fn workload(unchanged: f64) -> ApplicationWorkload {
        ApplicationWorkload {
            name: "shop".to_owned(),
            queries: 1,
            seconds: Some(40.0),
            unchanged_seconds: unchanged,
            remarks: Remarks::default(),
            of_query: None,
            without_a_move: None,
            workload: Err(String::new()),
        }
    }

    /// 40 s today at 1 dollar per hour, and an option at this price.
    fn decision(option: &str, usd_per_hour: f64) -> Decision {
        decision_with(option, usd_per_hour, [40.0, 0.0])
    }

    /// So many seconds today, of which some stay; an option takes a quarter of the others.
    fn decision_with(option: &str, usd_per_hour: f64, [today, staying]: [f64; 2]) -> Decision {
        let baseline = Baseline::measured("today", today, Some(Price::entered(1.0)));
        let time = PredictedTime::within((today - staying) / 4.0, 1.5);
        let time = PredictedTime { known_seconds: staying, ..time };
        let candidate = Candidate::predicted(option, time, Some(Price::entered(usd_per_hour)));
        decide(baseline, vec![candidate], Objective::default())
    }

    /// At 1.2 dollars an hour, 18 s outside of queries cost 0.1 cents more, and 22 s of queries become 5.5 s.
    #[test]
    fn the_time_outside_of_queries_explains_another_saving_by_the_same_option() {
        let [query, whole] = [[22.0, 0.0], [40.0, 18.0]].map(|times| decision_with("GPUs", 1.2, times));
        assert!(whole.agrees_with(&query) && whole.best.is_some(), "{}", whole.sentence());
        let text = why_another(&workload(18.0), &whole, &query).expect("another saving");
        let saving = whole.saving_in_words().expect("a price");
        assert_eq!(
            text,
            format!(
                "For the application the expected saving is {saving}: 18 s of the application’s 40 s are outside of queries with a \
                 prediction. No option shortens them, and they cost more on machines with a higher price."
            )
        );
        assert_eq!(why_another(&workload(18.0), &query, &query), None);
    }

    /// A second query adds to what the first one saves.
    #[test]
    fn an_application_that_saves_more_than_its_query_has_the_number_of_its_queries() {
        let [query, whole] = [[22.0, 0.0], [44.0, 0.0]].map(|times| decision_with("GPUs", 1.2, times));
        let of_two = ApplicationWorkload { queries: 2, ..workload(0.0) };
        let saving = whole.saving_in_words().expect("a price");
        assert_eq!(
            why_another(&of_two, &whole, &query),
            Some(format!("For the application the expected saving is {saving}: that of its 2 queries together."))
        );
    }

    #[test]
    fn the_time_outside_of_queries_explains_another_recommendation() {
        let (gpus, cpus) = (decision("GPUs", 1.0), decision("CPUs", 1.0));
        let of = |unchanged, query| why_another(&workload(unchanged), &cpus, query);
        assert_eq!(of(18.0, &cpus), None);
        assert_eq!(
            of(18.0, &gpus).as_deref(),
            Some(
                "For the application, the recommendation is CPUs: 18 s of the application’s 40 s are outside of queries with a \
                 prediction. No option shortens them, and they cost more on machines with a higher price."
            )
        );
        assert!(of(0.0, &gpus).is_some_and(|text| text.contains("different shares")));
        // To stay is a recommendation, too.
        let stays = decision("CPUs", 100.0);
        assert!(stays.best_option().is_none() && !stays.agrees_with(&cpus), "{}", stays.sentence());
    }
}
