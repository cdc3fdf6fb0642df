//! "What should run this?": the decision between today's engine and its options, in time and money, about the whole application or
//! about its query.

mod application;
mod arguments;
mod clusters;
mod decided;
mod dependence;
mod growing;
mod headline;
mod learned_texts;
mod long_answers;
mod missing;
mod next_steps;
mod objective;
mod table;
mod trial;
mod trial_texts;

use std::sync::Arc;

use crossover_chart::Chart;
use crossover_decision::{Decision, Objective};
use crossover_engine::Engines;
use crossover_export::decided::engine_titles;
use crossover_export::decision::WithoutAMove;
use crossover_page::command::Command;
use crossover_page::compute::computed::Computed;
use crossover_page::headline::SteadyStrip;
use crossover_page::lazy_text::LazyText;
use crossover_page::tour::part;
use crossover_page::widgets::focus;
use crossover_page::widgets::wrapped::wrapped;
use crossover_placement::Placement;
use crossover_plan::decide::Workload;
use crossover_plan::skew::skew_of_plan;
use egui::{Context, Label, ScrollArea, Ui};
use jiff::Zoned;

use decided::Decided;
use growing::Growing;
use headline::Subject;
use learned_texts::LearnedTexts;
use objective::Today;
use trial_texts::TrialTexts;

pub use arguments::decide_arguments;
pub(super) use clusters::show as show_where;
pub(super) use missing::lacks_machines;
pub use table::show as show_options;

use super::import::{ApplicationFile, DecideApplication, OpenedApplication};
use super::plan::PlanBoard;
use super::steps::{self, Step};
use super::{Env, Mode, Modes, mode_switch, tour};

/// The decisions about the query and its application, and what of them is on screen.
#[derive(Default)]
pub(super) struct State {
    query: Option<DecidedQuery>,
    application: application::State,
    another: Option<application::Another>,
    /// Whether the query is shown although its application is known.
    shows_query: bool,
    growing: Computed<Growing>,
    /// The option whose settings are shown, of those of the next step.
    tried: usize,
    clusters: clusters::State,
}

/// The decision about the query, and what it was made from.
struct DecidedQuery {
    plan: Arc<PlanBoard>,
    objective: Objective,
    decided: Decided,
    other_pairs: Arc<OtherPairs>,
}

impl DecidedQuery {
    fn new(plan: &Arc<PlanBoard>, workload: &Workload, objective: Objective, study: &Placement) -> Self {
        let mut workload = workload.clone();
        let today = Zoned::now().date();
        for candidate in &mut workload.candidates {
            candidate.warn_of_age(today);
        }
        let decision = workload.decide(objective);
        let mut decided = Decided::new(decision, workload.region_difference.as_deref(), &plan.plan().settings);
        let baseline = &workload.baseline;
        let measured = baseline.is_measured.then(|| baseline.time.value());
        let skew = measured.and_then(|seconds| skew_of_plan(plan.plan(), seconds));
        decided.without_a_move = skew.map(|step| WithoutAMove::new(&step, Some(&decided.decision)));
        decided.trial =
            trial::decided(&workload, workload.decide_before_trial(objective)).as_ref().map(TrialTexts::new);
        if decided.trial.is_some() {
            decided.recommendation.insert_str(0, "After the trial: ");
        }
        decided.learned = LearnedTexts::new(study, &workload);
        decided.compare_with(decide_arguments(study, true));
        let engines = study.engines.as_deref();
        let other_pairs = engines.map(|engines| OtherPairs::new(&decided.decision, plan, engines)).unwrap_or_default();
        Self { plan: Arc::clone(plan), objective, decided, other_pairs: Arc::new(other_pairs) }
    }
}

impl State {
    /// Makes the decisions anew if the plan or what the user entered changed; there are none without engines.
    pub(super) fn refresh(&mut self, ctx: &Context, plan: &Arc<PlanBoard>, study: &Placement) {
        let Some(workload) = plan.workload() else {
            self.query = None;
            return;
        };
        let objective = crossover_plan::decide::objective(study);
        let is_same = |of: &DecidedQuery| Arc::ptr_eq(&of.plan, plan) && of.objective == objective;
        if !self.query.as_ref().is_some_and(is_same) {
            self.query = Some(DecidedQuery::new(plan, workload, objective, study));
        }
        self.application.refresh(ctx, study, &plan.plan().settings);
        self.refresh_another();
    }

    /// Compares the decisions about the application and about the query anew if one of them changed.
    fn refresh_another(&mut self) {
        let both = self.application.decided().zip(self.query.as_ref());
        let Some((whole, query)) = both.map(|(whole, query)| (&whole.decision, &query.decided.decision)) else {
            self.another = None;
            return;
        };
        if !self.another.as_ref().is_some_and(|another| another.is_of(whole, query)) {
            let why = self.application.why_another(query);
            self.another = Some(application::Another { whole: Arc::clone(whole), query: Arc::clone(query), why });
        }
    }

    /// What the page is about.
    fn subject(&self) -> Subject {
        match self.application.decided() {
            Some(_) if !self.shows_query => Subject::Application,
            _ if self.application.workload().is_some() || self.application.is_pending() => Subject::Part,
            _ => Subject::Query,
        }
    }

    /// The decision on screen; `None` without engines.
    fn shown(&self) -> Option<&Decided> {
        let of_query = &self.query.as_ref()?.decided;
        match self.subject() {
            Subject::Application => self.application.decided(),
            Subject::Part | Subject::Query => Some(of_query),
        }
    }

    /// The strip about the decision on screen; `None` without engines.
    pub(super) fn strip(&self) -> Option<&SteadyStrip> {
        self.shown().map(|decided| decided.strip(self.subject()))
    }

    /// Time and cost today of what the page is about; `None` without engines.
    fn today(&self) -> Option<Today> {
        self.shown().map(|decided| Today::of(&decided.decision))
    }

    /// Says that no option is likely to keep the limit, if so.
    fn show_unmet(&self, ui: &mut Ui, study: &mut Placement) {
        if let Some(unmet) = self.shown().and_then(|decided| decided.unmet.as_ref()) {
            unmet.show(ui, study);
        }
    }

    /// Whether the page is about the application.
    pub(super) fn is_about_application(&self) -> bool {
        self.subject() == Subject::Application
    }

    /// The file of the application, if the page is about it.
    pub(super) fn application_on_screen(&self) -> Option<ApplicationFile> {
        self.application.file().filter(|_| self.is_about_application())
    }

    /// The application with its time, if the page is about it: "shop: 8 queries, 56.71 s from start to end".
    fn application_in_words(&self) -> Option<&str> {
        self.application.title_in_words().filter(|_| self.is_about_application())
    }

    /// Looks for the growth of the data that changes the decision on screen.
    fn refresh_growth(&mut self, ctx: &Context, study: &Placement) {
        let Some(decision) = self.shown().map(|decided| Arc::clone(&decided.decision)) else { return };
        let application = self.application_on_screen();
        let is_same = |growing: &Growing| Arc::ptr_eq(&growing.decision, &decision);
        let input = || Growing { study: study.clone(), decision: Arc::clone(&decision), application };
        self.growing.refresh(ctx, is_same, input);
    }

    /// What the pages of the operators say if the decision about a query recommends another pair of engines and machines than they
    /// compare.
    pub(super) fn other_pairs(&self) -> Arc<OtherPairs> {
        self.query.as_ref().map(|query| Arc::clone(&query.other_pairs)).unwrap_or_default()
    }

    /// Sets the application of the query, as it was found when the query opened.
    pub(super) fn set_application(&mut self, application: &OpenedApplication) {
        self.application.set(application);
    }

    /// Sets what finds what could run applications.
    pub(super) fn decide_with(&mut self, decide: Option<DecideApplication>) {
        self.application.decide_with(decide);
    }

    /// Whether the application of the query is known.
    pub(super) fn has_application(&self) -> bool {
        self.application.file().is_some()
    }

    /// Whether the application is shown, if it has an answer.
    pub(super) fn shows_application(&self) -> bool {
        !self.shows_query
    }

    /// Shows the application, if it has an answer.
    pub(super) fn show_application(&mut self) {
        self.shows_query = false;
    }

    /// Shows the query, although its application has an answer.
    pub(super) fn show_query(&mut self) {
        self.shows_query = true;
    }

    /// The same as another one has.
    pub(super) fn with_application_of(other: &mut Self) -> Self {
        Self { application: std::mem::take(&mut other.application), ..Self::default() }
    }

    /// The charts on screen.
    pub(super) fn charts(&self) -> Vec<Chart> {
        self.shown().map(Decided::charts).unwrap_or_default()
    }

    /// The charts on screen as they are exported, with the name of the application, or of this query, in their titles.
    pub(super) fn named_charts(&self, query: &str) -> Vec<Chart> {
        let application = self.application.workload().filter(|_| self.is_about_application());
        let name = match application.map(|application| application.name.as_str()) {
            None => query.to_owned(),
            Some("") => format!("Application of {query}"),
            Some(name) => name.to_owned(),
        };
        self.shown().map(|decided| decided.named_charts(&name)).unwrap_or_default()
    }

    /// The numbers behind the charts on screen as CSV; `None` without a decision.
    pub(super) fn data_csv(&self) -> Option<LazyText> {
        self.shown().map(Decided::data_csv)
    }

    /// Whether another thread decides.
    pub(super) fn is_busy(&self) -> bool {
        self.application.is_busy()
    }

    /// Whether another thread finds what is only on this page.
    pub(super) fn is_page_busy(&self) -> bool {
        self.growing.is_busy() || self.application.is_busy_with_queries()
    }
}

/// What pages say that compare another pair of engines than the decision recommends; `None` where they compare it.
#[derive(Default)]
pub(super) struct OtherPairs {
    /// On the pages of the plan and of its curves.
    pub(super) pages: Option<String>,
    /// Above the numbers of the study's engines, and the same where the page is about the application.
    inspector: Option<[String; 2]>,
}

impl OtherPairs {
    fn new(decision: &Decision, plan: &PlanBoard, engines: &Engines) -> Self {
        let of_study = engine_titles(engines);
        let on_pages = other_pair(decision, plan.pair().unwrap_or(&of_study));
        let options = decision.recommended_title(" or ").filter(|_| other_pair(decision, &of_study).is_some());
        let in_inspector = options.map(|options| in_inspector(&of_study, plan.pair().unwrap_or(&of_study), &options));
        Self { pages: on_pages, inspector: in_inspector }
    }

    /// What is above the numbers of the study's engines.
    pub(super) fn in_inspector(&self, is_about_application: bool) -> Option<&str> {
        let [of_query, of_application] = self.inspector.as_ref()?;
        Some(if is_about_application { of_application.as_str() } else { of_query.as_str() })
    }
}

/// Which pair was measured, which one the pages compare, and what the decision recommends: on pages about the query, and about its
/// application.
fn in_inspector([today, measured]: &[String; 2], [first, second]: &[String; 2], options: &str) -> [String; 2] {
    let text = format!(
        "The measured pair of engines: {today} and {measured}. Plan and Curves compare {first} with {second}. The decision about this \
         query alone recommends {options}."
    );
    let of_application = format!("{text} The answer on this page is about the application.");
    [text, of_application]
}

/// "The decision about this query recommends RAPIDS, 2 × g6.2xlarge: 5.6 s. This page compares Spark with RAPIDS, 4 × g6.2xlarge.";
/// `None` if the recommendation is the second of the compared engines, or there is none.
fn other_pair(decision: &Decision, [today, compared]: &[String; 2]) -> Option<String> {
    let best = &decision.best_option()?.candidate;
    if decision.recommends_title(compared) {
        return None;
    }
    let time =
        best.time.as_ref().map(|time| format!(": {}", decision.predicted_seconds(time.value()))).unwrap_or_default();
    Some(format!(
        "The decision about this query recommends {}{time}. This page compares {today} with {compared}.",
        best.title
    ))
}

/// Draws the decision about the application or the query: what is wanted, the recommendation, the options, what would change it, and
/// the evidence.
pub(super) fn show(
    ui: &mut Ui,
    state: &mut State,
    mode: &mut Option<Mode>,
    plan: &Arc<PlanBoard>,
    study: &mut Placement,
    env: &mut Env<'_>,
) {
    let picked = part(ui, tour::WAY, |ui| steps::header(ui, Step::Answer, Step::Answer));
    go_to(picked, mode, env);
    ui.horizontal_wrapped(|ui| {
        mode_switch(ui, mode, Mode::Answer, Modes::of(plan));
        let combined = study.query.as_deref().map_or("", |query| query.combined.as_str());
        ui.heading(state.subject().question(combined));
        if state.application.decided().is_some() {
            for (shows_query, text, meaning) in [
                (false, "Application", "The decision about the whole application"),
                (true, "This query", "The decision about this query alone"),
            ] {
                ui.selectable_value(&mut state.shows_query, shows_query, text).on_hover_text(meaning);
            }
        }
        let captions = state.shown().map(Decided::captions).unwrap_or_default();
        crossover_page::export_menu::with_reports(ui, env, captions);
    });
    let today = state.today();
    part(ui, tour::GOAL, |ui| objective::show(ui, study, today));
    // The user may have entered another goal.
    state.refresh(ui.ctx(), plan, study);
    state.show_unmet(ui, study);
    state.refresh_growth(ui.ctx(), study);
    state.application.refresh_queries(ui.ctx(), study);
    ScrollArea::vertical().id_salt(if state.shows_query { "query answer" } else { "answer" }).auto_shrink(false).show(
        ui,
        |ui| {
            focus::follow(ui);
            ui.add_space(4.0);
            match state.subject() {
                Subject::Application => of_application(ui, state, mode, (plan.as_ref(), &*study), env),
                Subject::Part | Subject::Query => of_query(ui, state, mode, (plan.as_ref(), &mut *study), env),
            }
        },
    );
}

/// Draws the decision about the application.
fn of_application(
    ui: &mut Ui,
    state: &mut State,
    mode: &mut Option<Mode>,
    (plan, study): (&PlanBoard, &Placement),
    env: &mut Env<'_>,
) {
    let State { application, growing, tried, shows_query, .. } = state;
    application.state(ui);
    let Some(decided) = application.decided() else { return };
    application.dim(ui);
    let seeks_queries = application.title(ui);
    recommendation(ui, decided, mode);
    missing::beside_answer(ui, study, false, mode, env);
    if let Some(unchanged) = application.unchanged() {
        ui.add(Label::new(unchanged).wrap());
    }
    application.remarks(ui, plan, false);
    let has_trial = study.decision.as_deref().is_some_and(|inputs| inputs.trial.is_some());
    if has_trial {
        ui.horizontal_wrapped(|ui| {
            ui.label("The trial is of this query only: the decision about the application uses predicted times.");
            if ui.button("Show the trial").clicked() {
                *shows_query = true;
            }
        });
    }
    let drawn = part(ui, tour::OPTIONS, |ui| decided::chart_and_costs(ui, decided, mode));
    decided::show(ui, decided, &drawn, growing, tried, env.commands);
    application.show_queries(ui, seeks_queries);
    if !has_trial && trial::of_application(ui, study, decided.arguments()) {
        *shows_query = true;
    }
    decided::evidence(ui, decided);
}

/// Draws the decision about the query.
fn of_query(
    ui: &mut Ui,
    state: &mut State,
    mode: &mut Option<Mode>,
    (plan, study): (&PlanBoard, &mut Placement),
    env: &mut Env<'_>,
) {
    let State { query: Some(DecidedQuery { decided, .. }), application, another, growing, tried, .. } = state else {
        return;
    };
    if application.is_pending() {
        application.state(ui);
        ui.weak("This query alone:");
    }
    if let Some(why_not) = application.why_not() {
        ui.add(Label::new(why_not).wrap());
        ui.weak("This query alone:");
    }
    if let Some(text) = another.as_ref().and_then(|another| another.why.as_ref()) {
        ui.add(Label::new(text).wrap());
    }
    let has_trial = study.decision.as_deref().is_some_and(|inputs| inputs.trial.is_some());
    recommendation(ui, decided, mode);
    missing::beside_answer(ui, study, true, mode, env);
    application.remarks(ui, plan, true);
    let drawn = part(ui, tour::OPTIONS, |ui| decided::chart_and_costs(ui, decided, mode));
    if has_trial {
        trial::show(ui, study, decided, env);
    }
    decided::show(ui, decided, &drawn, growing, tried, env.commands);
    if !has_trial {
        trial::show(ui, study, decided, env);
    }
    decided::evidence(ui, decided);
}

/// What to do, and that a price is missing.
fn recommendation(ui: &mut Ui, decided: &Decided, mode: &mut Option<Mode>) {
    wrapped(ui, &decided.recommendation, |text| text.size(16.0).strong());
    for reason in &decided.others_not_judged {
        ui.add(Label::new(reason).wrap());
    }
    if decided.decision.baseline.price.is_none() {
        ui.horizontal_wrapped(|ui| {
            ui.label("Only times are compared: today’s machines have no price.");
            if ui.button("Enter a price").clicked() {
                *mode = Some(Mode::Where);
            }
        });
    }
}

/// Shows the step that was picked.
pub(super) fn go_to(picked: Option<Step>, mode: &mut Option<Mode>, env: &mut Env<'_>) {
    match picked {
        Some(Step::What) => env.commands.push(Command::ShowTool(steps::WHAT)),
        Some(Step::Where) => *mode = Some(Mode::Where),
        Some(Step::Answer) => *mode = Some(Mode::Answer),
        None => {}
    }
}

#[cfg(test)]
mod tests {
    use crossover_decision::{Baseline, Candidate, PredictedTime, Price, decide};

    use super::*;

    #[test]
    fn a_recommendation_outside_of_the_compared_pair_is_named_with_its_time() {
        let recommended = |title: &str| {
            let baseline = Baseline::measured("Spark", 40.0, Some(Price::entered(1.0)));
            let time = PredictedTime::within(5.6, 1.5);
            let candidate = Candidate {
                title: title.to_owned(),
                ..Candidate::predicted("RAPIDS", time, Some(Price::entered(1.0)))
            };
            let decision = decide(baseline, vec![candidate], Objective::default());
            other_pair(&decision, &["Spark".to_owned(), "RAPIDS, 4 × g6.2xlarge".to_owned()])
        };
        assert_eq!(
            recommended("RAPIDS, 2 × g6.2xlarge").as_deref(),
            Some(
                "The decision about this query recommends RAPIDS, 2 × g6.2xlarge: 5.6 s. This page compares Spark with RAPIDS, 4 × \
                 g6.2xlarge."
            )
        );
        assert_eq!(recommended("RAPIDS, 4 × g6.2xlarge"), None);
        assert_eq!(recommended("RAPIDS, 4 × g6.2xlarge (spot)"), None);
    }

    #[test]
    fn the_inspector_names_the_measured_pair_the_compared_one_and_the_recommended_options() {
        let pair = |cluster: &str| ["Spark".to_owned(), cluster.to_owned()];
        let [of_query, of_application] = in_inspector(&pair("RAPIDS, 4"), &pair("RAPIDS, 2"), "RAPIDS, 2 or Gluten");
        assert_eq!(
            of_query,
            "The measured pair of engines: Spark and RAPIDS, 4. Plan and Curves compare Spark with RAPIDS, 2. The decision about this \
             query alone recommends RAPIDS, 2 or Gluten."
        );
        assert_eq!(of_application, format!("{of_query} The answer on this page is about the application."));
    }
}
