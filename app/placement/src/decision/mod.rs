//! "What should run this query?": the decision between today's engine and its options, in time and money.

mod application;
mod clusters;
mod dependence;
mod growing;
mod missing;
mod next_steps;
mod objective;
mod table;
mod trial;

use std::sync::Arc;

use crossover_chart::Chart;
use crossover_chart::bars::BarChart;
use crossover_chart::lines::LineChart;
use crossover_chart::screen;
use crossover_decision::{Decision, Objective, Verdict, words};
use crossover_export::decided::engine_titles;
use crossover_export::decision::{
    DecidedTrial, OptionsTable, chart, dependence as of_dependence, warnings, what_changes_it, without_data,
};
use crossover_page::command::Command;
use crossover_page::compute::computed::Computed;
use crossover_page::headline::{headline, headline_as_wide, strip};
use crossover_page::widgets::focus;
use crossover_placement::Placement;
use crossover_plan::decide::Workload;
use crossover_quantity::unit::Unit;
use egui::{CollapsingHeader, Label, RichText, ScrollArea, TextStyle, TextWrapMode, Ui, WidgetText};
use jiff::Zoned;

use growing::Growing;

pub(super) use clusters::show as show_where;
pub(super) use missing::lacks_machines;
pub use table::show as show_options;

use super::import::ApplicationWorkload;
use super::plan::PlanBoard;
use super::steps::{self, Step};
use super::{Env, Mode, Modes, mode_switch};

/// The question of the page, or of its part about the query.
const TITLE: &str = "What should run this query?";
/// Height of the chart, in points.
const CHART: f32 = 230.0;
/// Runs of a month by which a sentence without them has its room.
const USUAL_RUNS: f64 = 10_000.0;

/// The decision on screen, and the text that is being typed.
#[derive(Default)]
pub(super) struct State {
    decided: Option<Decided>,
    growing: Computed<Growing>,
    clusters: clusters::State,
    application: application::State,
}

/// A decision, and what it was made from.
struct Decided {
    plan: Arc<PlanBoard>,
    objective: Objective,
    decision: Arc<Decision>,
    /// The trial of one of its options.
    trial: Option<DecidedTrial>,
    /// Time against cost of every option.
    options: Option<LineChart>,
    /// The options, and why each is recommended or not.
    table: OptionsTable,
    /// What it depends on most.
    dependence: Option<BarChart>,
    /// The recommendation in words.
    sentence: String,
    /// The same with runs per month, if none are entered: it has the room of this one.
    sentence_with_runs: Option<String>,
    /// Prices at which another option is recommended, a sentence each.
    changes: Vec<String>,
}

impl Decided {
    fn new(plan: &Arc<PlanBoard>, workload: &Workload, objective: Objective) -> Self {
        let mut workload = workload.clone();
        let today = Zoned::now().date();
        for candidate in &mut workload.candidates {
            candidate.warn_of_age(today);
        }
        let decision = workload.decide(objective);
        let found = decision.depends_on();
        Self {
            plan: Arc::clone(plan),
            objective,
            trial: trial::decided(&workload, workload.decide_before_trial(objective)),
            options: chart(&decision),
            table: OptionsTable::new(&decision),
            dependence: found.and_then(|found| of_dependence::chart(&decision, &found)),
            sentence: decision.sentence(),
            sentence_with_runs: sentence_with_runs(&decision),
            changes: what_changes_it(&decision, &decision.prices_of_a_change()),
            decision: Arc::new(decision),
        }
    }
}

/// The sentence of a decision as it is after runs per month are entered; `None` if they are.
fn sentence_with_runs(decision: &Decision) -> Option<String> {
    let Objective { runs_per_month: None, .. } = decision.objective else { return None };
    let objective = Objective { runs_per_month: Some(USUAL_RUNS), ..decision.objective };
    Some(Decision { objective, ..decision.clone() }.sentence())
}

/// Draws a sentence with the room of another one, so that what is below stays in place when that one takes its place.
fn lead(ui: &mut Ui, sentence: String, other: Option<&str>) {
    let text = |text: String| RichText::new(text).size(16.0).strong();
    ui.scope(|ui| {
        if let Some(other) = other {
            let other = WidgetText::from(text(other.to_owned()));
            let galley = other.into_galley(ui, Some(TextWrapMode::Wrap), ui.available_width(), TextStyle::Body);
            ui.set_min_height(galley.size().y);
        }
        ui.add(Label::new(text(sentence)).wrap());
    });
}

impl State {
    /// The decision about a plan, made anew if the plan or the objective changed; `None` without engines.
    pub(super) fn decide(&mut self, plan: &Arc<PlanBoard>, objective: Objective) -> Option<&Decision> {
        let workload = plan.workload()?;
        let is_same = |of: &Decided| Arc::ptr_eq(&of.plan, plan) && of.objective == objective;
        if !self.decided.as_ref().is_some_and(is_same) {
            self.decided = Some(Decided::new(plan, workload, objective));
        }
        self.decided.as_ref().map(|decided| &*decided.decision)
    }

    /// The decision of the headline: that about the whole application, or else about the query; `None` without engines.
    pub(super) fn headline(&mut self, plan: &Arc<PlanBoard>, objective: Objective) -> Option<Headline<'_>> {
        self.decide(plan, objective)?;
        let is_part = self.application.workload().is_some_and(|whole| whole.is_more_than_a_query());
        match self.application.decide(plan, objective) {
            Some(whole) => {
                Some(Headline { decision: &whole.decision, sentence: whole.sentence(), subject: Subject::Application })
            }
            None => self.decided.as_ref().map(|decided| Headline {
                decision: &decided.decision,
                sentence: &decided.sentence,
                subject: if is_part { Subject::Part } else { Subject::Query },
            }),
        }
    }

    /// What the pages of the operators say if the decision about a query recommends another pair of engines and machines than they
    /// compare.
    pub(super) fn other_pairs(&mut self, plan: &Arc<PlanBoard>, study: &Placement) -> OtherPairs {
        let decision = self.decide(plan, crossover_plan::decide::objective(study));
        let Some((decision, engines)) = decision.zip(study.engines.as_deref()) else { return OtherPairs::default() };
        let of_study = engine_titles(engines);
        let in_plan = other_pair(decision, plan.pair().unwrap_or(&of_study));
        let in_curves = other_pair(decision, &of_study);
        let best = decision.best_option().filter(|_| in_curves.is_some());
        let in_inspector = best.map(|best| {
            let [today, cluster] = &of_study;
            let pages = if in_plan.is_none() {
                "Plan shows the recommended option, Curves this pair."
            } else {
                "Plan and Curves compare this pair."
            };
            let title = &best.candidate.title;
            format!("The measured pair of engines: {today} and {cluster}. The decision recommends {title}. {pages}")
        });
        OtherPairs { in_plan, in_curves, in_inspector }
    }

    /// What could run the whole application of the query.
    pub(super) fn application(&self) -> Option<Arc<ApplicationWorkload>> {
        self.application.workload()
    }

    /// Sets what could run the whole application of the query.
    pub(super) fn set_application(&mut self, workload: Option<Arc<ApplicationWorkload>>) {
        self.application = application::State::new(workload);
    }

    /// The charts on screen.
    pub(super) fn charts(&self) -> Vec<Chart> {
        let Some(Decided { options, dependence, .. }) = &self.decided else { return Vec::new() };
        let options = options.iter().cloned().map(Chart::Lines);
        options.chain(dependence.iter().cloned().map(Chart::Bars)).collect()
    }

    /// Whether another thread works for the screen.
    pub(super) fn is_busy(&self) -> bool {
        self.growing.is_busy()
    }
}

/// What pages say that compare another pair of engines than the decision recommends; `None` where they compare it.
#[derive(Default)]
pub(super) struct OtherPairs {
    /// On the page of the plan.
    pub(super) in_plan: Option<String>,
    /// On the page of the curves.
    pub(super) in_curves: Option<String>,
    /// Above the numbers of the study's engines.
    pub(super) in_inspector: Option<String>,
}

/// "The decision about this query recommends RAPIDS, 2 × g6.2xlarge: 5.6 s. This page compares Spark with RAPIDS, 4 × g6.2xlarge.";
/// `None` if the recommendation is the second of the compared engines, or there is none.
fn other_pair(decision: &Decision, [today, compared]: &[String; 2]) -> Option<String> {
    let best = &decision.best_option()?.candidate;
    // The basis of a price may stand behind the machines.
    if best.title.strip_prefix(compared.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with(" (")) {
        return None;
    }
    let time = best.time.as_ref().map(|time| format!(": {}", words::seconds(time.value()))).unwrap_or_default();
    Some(format!(
        "The decision about this query recommends {}{time}. This page compares {today} with {compared}.",
        best.title
    ))
}

/// A decision, and what it is about.
pub(super) struct Headline<'a> {
    pub(super) decision: &'a Decision,
    sentence: &'a str,
    subject: Subject,
}

/// What a decision is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Subject {
    /// A whole application.
    Application,
    /// A query of an application that cannot be judged.
    Part,
    /// A query that is not known to be a part of something.
    Query,
}

impl Subject {
    /// "the application: "; empty where it needs no name.
    fn prefix(self) -> &'static str {
        match self {
            Self::Application => "the application: ",
            Self::Part => "this query alone: ",
            Self::Query => "",
        }
    }
}

/// The figures of the strip: what to do, time, cost and chance.
pub(super) fn figures(ui: &mut Ui, Headline { decision, sentence, subject }: Headline<'_>) {
    let today = &decision.baseline.time;
    let now =
        if decision.baseline.is_measured { Unit::Seconds.format(today.value()) } else { words::seconds(today.value()) };
    let of = subject.prefix();
    strip(ui, |ui| {
        let best = decision.best_option();
        let (figure, meaning) = match (decision.verdict, best) {
            (Verdict::Move, Some(best)) => ("Move", format!("{of}to {}", best.candidate.title)),
            (Verdict::Try, Some(best)) => ("Try", format!("{of}{}", best.candidate.title)),
            (Verdict::CannotJudge, _) => ("Cannot be judged", format!("{of}see what is missing below")),
            _ => ("Stay", format!("{of}{}", decision.baseline.title)),
        };
        headline(ui, figure, &meaning, sentence);
        let Some(best) = best else {
            headline(ui, &now, "time today", &decision.baseline.title);
            return;
        };
        if let Some(time) = &best.candidate.time {
            let then = words::seconds(time.value());
            headline(ui, &format!("{now} → {then}"), "time, today → option", &words::time(time));
        }
        if let (Some(now), Some(then)) = (decision.today_usd(), best.usd) {
            let [now, then_text] = [now.value, then.value].map(words::dollars);
            headline(ui, &format!("{now} → {then_text}"), "cost, today → option", &words::cost(&then));
        }
        if let Some(better) = best.better {
            headline(ui, &words::likely(better), &format!("likely to be {}", decision.wanted()), sentence);
        }
        // Before the runs are entered the block has that of a run, so that the strip keeps its lines.
        let of_run = best.saving.filter(|_| !decision.is_by_time());
        let (month, run) = ("expected saving per month", "expected saving per run");
        if let Some(saving) = decision.saving_per_month() {
            headline(ui, &words::dollars(saving), month, "Mean saving of a run × runs per month.");
        } else if let Some(saving) = of_run {
            let tooltip = "Mean saving of a run. Enter the runs per month for that of a month.";
            headline_as_wide(ui, &words::dollars(saving), run, month, tooltip);
        }
    });
}

/// Draws the decisions about the application and the query: what is wanted, the recommendation, the options, what would change it, and
/// the evidence.
pub(super) fn show(
    ui: &mut Ui,
    state: &mut State,
    mode: &mut Option<Mode>,
    plan: &Arc<PlanBoard>,
    study: &mut Placement,
    env: &mut Env<'_>,
) {
    go_to(steps::header(ui, Step::Answer, Step::Answer), mode, env);
    let has_whole = state.application.decide(plan, crossover_plan::decide::objective(study)).is_some();
    ui.horizontal_wrapped(|ui| {
        mode_switch(ui, mode, Mode::Answer, Modes::of(plan));
        ui.heading(if has_whole { application::TITLE } else { TITLE });
        crossover_page::export_menu::show(ui, env, 0..state.charts().len(), true);
    });
    objective::show(ui, study);
    let now = crossover_plan::decide::objective(study);
    if let Some(headline) = state.headline(plan, now) {
        objective::unmet(ui, study, headline.decision);
    }
    let State { decided: Some(decided), growing, application, .. } = state else { return };
    let decision = &decided.decision;
    let is_same = |growing: &Growing| Arc::ptr_eq(&growing.decision, decision);
    growing.refresh(ui.ctx(), is_same, || Growing { study: study.clone(), decision: Arc::clone(decision) });
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        focus::follow(ui);
        ui.add_space(4.0);
        let whole = application.decide(plan, now);
        let is_same = whole.map(|whole| application::recommends_the_same(&whole.decision, decision));
        if is_same.is_some() {
            application::show(ui, application, decision, &plan.plan().settings);
            ui.add_space(8.0);
            ui.separator();
            ui.heading(TITLE);
        } else if let Some(why_not) = application.why_not() {
            ui.add(Label::new(why_not).wrap());
            ui.weak("This query alone:");
        }
        let step = match is_same {
            None => NextStep::Own,
            Some(true) => NextStep::OfApplication,
            Some(false) => NextStep::Another,
        };
        of_query(ui, decided, growing, mode, step, study, env);
    });
}

/// The next step of a query beside that of its application.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NextStep {
    /// There is no decision about an application.
    Own,
    /// That of the application, which is above.
    OfApplication,
    /// Another one.
    Another,
}

/// Draws the decision about the query.
fn of_query(
    ui: &mut Ui,
    decided: &Decided,
    growing: &mut Computed<Growing>,
    mode: &mut Option<Mode>,
    step: NextStep,
    study: &mut Placement,
    env: &mut Env<'_>,
) {
    let (decision, plan) = (&*decided.decision, &decided.plan);
    let has_trial = study.decision.as_deref().is_some_and(|inputs| inputs.trial.is_some());
    let after = if decided.trial.is_some() { "After the trial: " } else { "" };
    let with_runs = decided.sentence_with_runs.as_ref().map(|sentence| format!("{after}{sentence}"));
    lead(ui, format!("{after}{}", decided.sentence), with_runs.as_deref());
    if decision.baseline.price.is_none() {
        ui.horizontal_wrapped(|ui| {
            ui.label("Only times are compared: today’s machines have no price.");
            if ui.button("Enter a price").clicked() {
                *mode = Some(Mode::Where);
            }
        });
    }
    if has_trial {
        trial::show(ui, study, decided.trial.as_ref(), env);
    }
    ui.add_space(6.0);
    if let Some(chart) = &decided.options {
        ui.strong(&chart.title);
        screen::legend(ui, chart);
        screen::lines(ui, "options", chart, None, CHART);
        ui.weak("A number in the chart stands for that row of the table below.");
        ui.add_space(6.0);
    }
    ui.strong("Options");
    table::show(ui, &decided.table);
    missing::region(ui, plan.workload(), " under 2 Where");
    for warning in warnings(decision) {
        missing::note(ui, &format!("Warning: {warning}"));
    }
    if let Some(without) = without_data(decision) {
        ui.add(Label::new(RichText::new(without).weak()).wrap());
    }
    if let Some(chart) = &decided.dependence {
        dependence::show(ui, chart);
    }
    changes(ui, &decided.changes, growing, step);
    if step != NextStep::OfApplication {
        next_steps::of_query(ui, decision, &plan.plan().settings, step == NextStep::Another);
    }
    if !has_trial {
        trial::show(ui, study, None, env);
    }
    evidence(ui, decision);
}

/// What would change the recommendation: a limit, a price, and the growth of the data.
fn changes(ui: &mut Ui, changes: &[String], growing: &mut Computed<Growing>, step: NextStep) {
    // The growth of an earlier decision may name another option.
    let growth = growing.shown().filter(|_| !growing.is_stale());
    let growth: &[String] = growth.map_or(&[], |sentences| sentences.as_slice());
    if !changes.is_empty() || !growth.is_empty() {
        ui.add_space(8.0);
        ui.strong(if step == NextStep::Own { "What would change it" } else { "What would change it for this query" });
        for sentence in changes.iter().chain(growth) {
            ui.add(Label::new(sentence).wrap());
        }
    }
    growing.state(ui);
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

/// What the prediction is based on, opened on request.
fn evidence(ui: &mut Ui, decision: &Decision) {
    ui.add_space(8.0);
    CollapsingHeader::new("Evidence").show(ui, |ui| {
        let price = match &decision.baseline.price {
            Some(price) => format!(
                "Price of today’s machines: {} per hour ({}).",
                words::price_dollars(price.usd_per_hour),
                price.origin()
            ),
            None => "Today’s machines have no price: enter one under 2 Where.".to_owned(),
        };
        ui.add(Label::new(price).wrap());
        for option in decision.options.iter().filter(|option| option.candidate.time.is_some()) {
            let [(_, title), others @ ..] = &crossover_export::decision::evidence(option)[..] else { continue };
            ui.add(Label::new(title).wrap());
            for (name, text) in others.iter().filter(|(_, text)| !text.is_empty()) {
                ui.add(Label::new(RichText::new(format!("    {name}: {text}")).weak()).wrap());
            }
        }
        ui.weak("docs/FIDELITY.md shows how accurate these predictions are.");
    });
}

#[cfg(test)]
mod tests {
    use crossover_decision::{Baseline, Candidate, PredictedTime, Price, decide};

    use super::*;

    #[test]
    fn a_recommendation_outside_of_the_compared_pair_is_named_with_its_time() {
        let recommended = |title: &str| {
            let baseline = Baseline {
                title: "Spark".to_owned(),
                time: PredictedTime::measured(40.0),
                is_measured: true,
                machines: 1.0,
                price: Some(Price::entered(1.0)),
                runs: None,
            };
            let time = PredictedTime::within(5.6, 1.5);
            let candidate = Candidate {
                title: title.to_owned(),
                engine: "RAPIDS".to_owned(),
                time: Some(time),
                deviation_of_ratio: time.deviation,
                price: Some(Price::entered(1.0)),
                ..Candidate::default()
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
}
