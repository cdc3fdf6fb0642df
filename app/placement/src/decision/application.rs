//! The decision about the whole application, which comes before that about one of its queries.

use std::sync::Arc;

use crossover_decision::{Decision, DecisionOption, Objective};
use crossover_export::decision::{OptionsTable, warnings, what_changes_it};
use crossover_plan::decide::Workload;
use crossover_query::SparkSettings;
use egui::{CollapsingHeader, Label, RichText, Ui};

use super::super::import::ApplicationWorkload;
use super::super::plan::PlanBoard;
use super::{missing, next_steps, table};

/// The question of the page where there is an application.
pub(super) const TITLE: &str = "What should run this application?";

/// The application of the query, and the decision about it.
#[derive(Default)]
pub(super) struct State {
    /// `None` if the file is not in memory, or is of another engine than the shipped ones.
    workload: Option<Arc<ApplicationWorkload>>,
    decided: Option<Decided>,
}

/// A decision about an application, and what it was made from.
pub(super) struct Decided {
    plan: Arc<PlanBoard>,
    objective: Objective,
    pub(super) decision: Decision,
    table: OptionsTable,
    sentence: String,
    /// Prices at which another option is recommended, a sentence each.
    changes: Vec<String>,
    /// Whether the user compares the query with other machines than the application.
    has_other_options: bool,
}

impl State {
    pub(super) fn new(workload: Option<Arc<ApplicationWorkload>>) -> Self {
        Self { workload, decided: None }
    }

    pub(super) fn workload(&self) -> Option<Arc<ApplicationWorkload>> {
        self.workload.clone()
    }

    /// The decision for a query's plan and its objective, made anew if one of them changed; `None` if the application is the query,
    /// or cannot be judged.
    pub(super) fn decide(&mut self, plan: &Arc<PlanBoard>, objective: Objective) -> Option<&Decided> {
        let workload = self.workload.as_deref().filter(|workload| workload.is_more_than_a_query())?;
        let is_same = |of: &Decided| Arc::ptr_eq(&of.plan, plan) && of.objective == objective;
        if !self.decided.as_ref().is_some_and(is_same) {
            self.decided = Decided::new(workload, plan, objective);
        }
        self.decided.as_ref()
    }

    /// Why the application cannot be judged, if so.
    pub(super) fn why_not(&self) -> Option<String> {
        let workload = self.workload.as_deref().filter(|workload| workload.is_more_than_a_query())?;
        let why = workload.workload.as_ref().err()?;
        Some(format!("Whole application ({}): cannot be judged: {why}.", workload.title()))
    }
}

impl Decided {
    /// The recommendation in words.
    pub(super) fn sentence(&self) -> &str {
        &self.sentence
    }

    fn new(workload: &ApplicationWorkload, plan: &Arc<PlanBoard>, objective: Objective) -> Option<Self> {
        let of_query = plan.workload()?;
        let decision = workload.decide(of_query, objective)?;
        Some(Self {
            plan: Arc::clone(plan),
            objective,
            table: OptionsTable::new(&decision),
            has_other_options: has_other_options(of_query, &decision),
            sentence: decision.sentence(),
            changes: what_changes_it(&decision, &decision.prices_of_a_change()),
            decision,
        })
    }
}

/// Whether a query has an option with a time that the decision about its application lacks.
fn has_other_options(of_query: &Workload, whole: &Decision) -> bool {
    let is_known = |title: &str| whole.options.iter().any(|option| option.candidate.title == title);
    let mut timed = of_query.candidates.iter().filter(|candidate| candidate.time.is_some());
    of_query.baseline.title != whole.baseline.title || timed.any(|candidate| !is_known(&candidate.title))
}

/// Draws the decision about the application, why that about the query can be another one, and the next step; `settings`: those of
/// the log.
pub(super) fn show(ui: &mut Ui, state: &State, query: &Decision, settings: &SparkSettings) {
    let Some((workload, decided)) = state.workload.as_deref().zip(state.decided.as_ref()) else { return };
    let whole = &decided.decision;
    ui.weak(workload.title());
    ui.label(RichText::new(&decided.sentence).size(16.0).strong());
    if let Some(text) = why_they_differ(workload, whole, query, decided.has_other_options) {
        ui.add(Label::new(text).wrap());
    }
    for remark in &workload.remarks {
        missing::note(ui, &format!("Note: {remark}."));
    }
    if decided.has_other_options {
        let text = "Machines and clusters that were entered for this query are compared for the query alone.";
        ui.add(Label::new(RichText::new(text).weak()).wrap());
    }
    next_steps::of_application(ui, whole, settings);
    CollapsingHeader::new("Options for the application").show(ui, |ui| {
        table::show(ui, &decided.table);
        for warning in warnings(whole) {
            missing::note(ui, &format!("Warning: {warning}"));
        }
    });
    if !decided.changes.is_empty() {
        ui.strong("What would change it for the application");
        for sentence in &decided.changes {
            ui.add(Label::new(sentence).wrap());
        }
    }
}

/// Why the recommendation for a query can be another one than that for its application; `None` if there is nothing to explain.
fn why_they_differ(
    workload: &ApplicationWorkload,
    whole: &Decision,
    query: &Decision,
    has_other_options: bool,
) -> Option<String> {
    let differ = !recommends_the_same(whole, query);
    let is_known =
        |best: &DecisionOption| whole.options.iter().any(|option| option.candidate.title == best.candidate.title);
    if differ && has_other_options && query.best_option().is_some_and(|best| !is_known(best)) {
        return Some(
            "For this query alone, the recommendation differs: an option that was entered for this query only."
                .to_owned(),
        );
    }
    match (workload.unchanged_in_words(), differ) {
        (Some(unchanged), false) => Some(format!("{unchanged}; no option shortens them.")),
        (Some(unchanged), true) => Some(format!(
            "For this query alone, the recommendation differs: {unchanged}. No option shortens them, and they cost more on \
             machines with a higher price."
        )),
        (None, true) => Some(
            "For this query alone, the recommendation differs: options gain different shares of each query’s time."
                .to_owned(),
        ),
        (None, false) => None,
    }
}

/// Whether both recommend the same option, or to stay.
pub(super) fn recommends_the_same(one: &Decision, other: &Decision) -> bool {
    let title = |decision: &Decision| decision.best_option().map(|best| best.candidate.title.clone());
    title(one) == title(other)
}

#[cfg(test)]
mod tests {
    use crossover_decision::{Baseline, Candidate, PredictedTime, Price, decide};

    use super::*;

    fn workload(unchanged: f64) -> ApplicationWorkload {
        ApplicationWorkload {
            name: "shop".to_owned(),
            queries: 1,
            seconds: Some(40.0),
            unchanged_seconds: unchanged,
            region: None,
            remarks: Vec::new(),
            workload: Err(String::new()),
        }
    }

    /// 40 s today at 1 dollar per hour, and an option at this price.
    fn decision(option: &str, usd_per_hour: f64) -> Decision {
        let baseline = Baseline {
            title: "today".to_owned(),
            time: PredictedTime::measured(40.0),
            is_measured: true,
            machines: 1.0,
            price: Some(Price::entered(1.0)),
            runs: None,
        };
        let time = PredictedTime::within(10.0, 1.5);
        let candidate = Candidate {
            title: option.to_owned(),
            engine: option.to_owned(),
            time: Some(time),
            deviation_of_ratio: time.deviation,
            price: Some(Price::entered(usd_per_hour)),
            ..Candidate::default()
        };
        decide(baseline, vec![candidate], Objective::default())
    }

    #[test]
    fn the_time_outside_of_queries_explains_another_recommendation() {
        let (gpus, cpus) = (decision("GPUs", 1.0), decision("CPUs", 1.0));
        let of = |unchanged, query| why_they_differ(&workload(unchanged), &cpus, query, false);
        let same = "18 s of the application’s 40 s are outside of queries with a prediction; no option shortens them.";
        assert_eq!(of(18.0, &cpus).as_deref(), Some(same));
        assert_eq!(
            of(18.0, &gpus).as_deref(),
            Some(
                "For this query alone, the recommendation differs: 18 s of the application’s 40 s are outside of queries with a \
                 prediction. No option shortens them, and they cost more on machines with a higher price."
            )
        );
        assert_eq!(of(0.0, &cpus), None);
        assert!(of(0.0, &gpus).is_some_and(|text| text.contains("different shares")));
        // To stay is a recommendation, too.
        let stays = decision("CPUs", 100.0);
        assert!(stays.best_option().is_none() && !recommends_the_same(&stays, &cpus), "{}", stays.sentence());
    }
}
