//! What predictions are based on: the evidence of an option, what has no data, and warnings.

use crossover_decision::candidate::NO_DATA;
use crossover_decision::{Decision, DecisionOption};
use crossover_plan::skew::SkewStep;
use crossover_quantity::spread::Z_90;
use crossover_quantity::unit::{Unit, predicted};
use serde::Serialize;

/// The line below the table of options if tasks are skewed. The time that tasks of equal length save has an upper bound, but no measured
/// error, so it has no likelihood and cannot be recommended.
pub const EVEN_TASKS: &str = "Not an option: tasks of equal length on today’s machines. Their saving has an upper bound, but no measured error. \
                              See “Next step on today’s machines”.";

/// What to change on today's machines against skewed tasks, whatever the decision. Programs read the step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct WithoutAMove {
    /// The step in sentences.
    pub step: String,
    /// What today's run would then take, beside the limit that it breaks.
    #[serde(skip)]
    limit: Option<String>,
}

impl WithoutAMove {
    /// The step beside a decision.
    #[must_use]
    pub fn new(step: &SkewStep, decision: Option<&Decision>) -> Self {
        Self { step: step.in_words(decision), limit: decision.and_then(|decision| step.beside_limit(decision)) }
    }

    /// The line near the answer that leads to the step.
    #[must_use]
    pub fn line(&self) -> String {
        let saving = "Tasks of equal length would save time on today’s machines, too";
        let section = "“Next step on today’s machines”";
        match &self.limit {
            None => format!("{saving}: see {section}."),
            Some(limit) => format!("{saving}. Today’s run would then take {limit}: see {section}."),
        }
    }
}

/// What the prediction of an option is based on: labels with their values, empty where nothing is known.
#[must_use]
pub fn evidence(option: &DecisionOption) -> Vec<(&'static str, String)> {
    let evidence = &option.candidate.evidence;
    let runs = if evidence.runs.is_empty() { "no measured runs".to_owned() } else { evidence.runs.clone() };
    let support = evidence.support.as_ref();
    vec![
        ("Option", option.candidate.title.clone()),
        ("Fitted to", runs),
        ("Measured", evidence.date.clone()),
        ("Predicted from", evidence.basis.clone()),
        ("Error factor", error_factor(option).unwrap_or_default()),
        ("Version of Spark", support.map(|of| format!("{} ({})", of.sentence, of.source)).unwrap_or_default()),
        ("Differences", evidence.distance.join("; ")),
    ]
}

/// "2.8 (90 %) for each query: the prediction uses …; 1.9 for their sum, in which errors of different queries partly cancel out".
fn error_factor(option: &DecisionOption) -> Option<String> {
    let error = option.candidate.evidence.error.as_ref()?;
    let factor = |factor: f64| Unit::Ratio.format(predicted(factor));
    let of_query = factor(error.factor_90);
    let of_sum = option.candidate.deviation_of_ratio.map(|deviation| factor((Z_90 * deviation).exp()));
    Some(match of_sum.filter(|of_sum| *of_sum != of_query) {
        None => format!("{of_query} (90 %): {}", error.why),
        Some(of_sum) => format!(
            "{of_query} (90 %) for each query: {}; {of_sum} for their sum, in which errors of different queries partly cancel out",
            error.why
        ),
    })
}

/// "No measured data: Photon (…)."; `None` if all options have some.
#[must_use]
pub fn without_data(decision: &Decision) -> Option<String> {
    let without = decision.options.iter().filter(|option| option.candidate.time.is_none());
    let named = without.map(|option| {
        let why = option.candidate.blocked_by.as_deref().unwrap_or_default();
        let why = why.strip_prefix(NO_DATA).unwrap_or(why);
        format!("{} ({why})", option.candidate.title)
    });
    let named: Vec<String> = named.collect();
    (!named.is_empty()).then(|| format!("No measured data: {}.", named.join("; ")))
}

/// The warnings beside a decision: these about its log or its study, then those about its options. Every form of the answer prints them and
/// counts them.
#[must_use]
pub fn all_warnings(others: &[String], decision: Option<&Decision>) -> Vec<String> {
    others.iter().cloned().chain(decision.map(warnings).unwrap_or_default()).collect()
}

/// Warnings about the evidence of each engine with a time, and about prices: "RAPIDS 25.12 (L4): measured on …".
#[must_use]
pub fn warnings(decision: &Decision) -> Vec<String> {
    let mut of_engines: Vec<(&str, &str)> = Vec::new();
    for option in decision.options.iter().filter(|option| option.candidate.time.is_some()) {
        let engine = option.candidate.engine.as_str();
        for warning in option.candidate.evidence.warnings.iter().map(String::as_str) {
            if !of_engines.contains(&(engine, warning)) {
                of_engines.push((engine, warning));
            }
        }
    }
    let of_engines = of_engines.into_iter().map(|(engine, warning)| format!("{engine}: {warning}"));
    of_engines.chain(decision.dates_of_prices()).collect()
}

#[cfg(test)]
mod tests {
    use crossover_decision::{Baseline, Candidate, Objective, PredictedTime, Price, decide};

    use super::*;
    use crate::decision::DecidedWorkload;

    #[test]
    fn even_tasks_are_named_below_the_table_as_what_it_leaves_out() {
        let baseline = Baseline::measured("today", 20.0, Some(Price::entered(1.0)));
        let time = PredictedTime::within(10.0, 1.5);
        let option = Candidate::predicted("option", time, Some(Price::entered(1.0)));
        let decision = decide(baseline, vec![option], Objective::default());
        let said = |without_a_move: Option<WithoutAMove>| {
            let decided = DecidedWorkload::new("shop".to_owned(), "log".to_owned(), Some(decision.clone()), "");
            DecidedWorkload { without_a_move, ..decided }.text_report().terminal()
        };
        let step = |limit: Option<&str>| WithoutAMove {
            step: "Skewed tasks: in 1 stage".to_owned(),
            limit: limit.map(str::to_owned),
        };
        let skewed = said(Some(step(None)));
        let line =
            "Tasks of equal length would save time on today’s machines, too: see “Next step on today’s machines”.";
        let places = [line, "Options", EVEN_TASKS, "Skewed tasks: in 1 stage"].map(|part| skewed.find(part));
        assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{skewed}");
        let broken = said(Some(step(Some("29 s or more, longer than the limit of 20 s"))));
        let line = "machines, too. Today’s run would then take 29 s or more, longer than the limit of 20 s: see “Next";
        assert!(broken.contains(line), "{broken}");
        assert!(!said(None).contains(EVEN_TASKS) && !said(None).contains("Tasks of equal length would save"));
    }
}
