//! The decision about the query of a scenario in whole engines: what pages, reports and commands print of it.

use crossover_decision::words::{cost, likely, time};
use crossover_decision::{BreakEvenPrices, Decision, PriceChange};
use crossover_engine::Engines;
use crossover_placement::Placement;
use crossover_plan::decide::{decision, on_recommended, workload};
use crossover_quantity::text::{Column, Table};
use crossover_quantity::unit::{Unit, chance};
use crossover_scenario::Study;
use serde::Serialize;

use crate::costs::{cost_today, costs};

/// A decision with its sentence and the prices that change it, as programs read it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DecisionRecord {
    /// The decision in words.
    pub sentence: String,
    /// Prices at which the recommendation is another one.
    pub price_changes: Vec<PriceChange>,
    /// Break-even prices of the recommended options.
    pub break_even_prices: Vec<BreakEvenPrices>,
    /// The decision.
    #[serde(flatten)]
    pub decision: Decision,
}

impl DecisionRecord {
    /// The record of a decision.
    #[must_use]
    pub fn new(decision: Decision) -> Self {
        Self {
            sentence: decision.sentence(),
            price_changes: decision.prices_of_a_change(),
            break_even_prices: decision.break_even_prices(),
            decision,
        }
    }
}

/// The same for a study of any kind.
#[must_use]
pub fn of_study(study: &Study) -> Option<Decision> {
    study.placement().and_then(decision)
}

/// "25.26 s measured on Spark 3.3.0, 2 × 15 cores".
#[must_use]
pub fn today(decision: &Decision) -> String {
    let baseline = &decision.baseline;
    if baseline.is_measured {
        format!("{} measured on {}{}", Unit::Seconds.format(baseline.time.value()), baseline.title, baseline.of_runs())
    } else {
        format!("{} predicted for {}", time(&baseline.time), baseline.title)
    }
}

/// The decision in a few lines: the recommendation, what a run takes today, and what it costs today and with the best option.
#[must_use]
pub fn facts(decision: &Decision) -> Vec<(&'static str, String)> {
    let mut facts = vec![("Recommendation", decision.sentence()), ("Today", today(decision))];
    facts.extend(costs(decision));
    facts
}

/// The cost of a run today of each decision; an amount that is the same in several rows has the same digits.
fn costs_today(decisions: &[(String, &Decision)]) -> Vec<String> {
    let known = decisions.iter().map(|(_, decision)| {
        let text = cost_today(decision)?;
        Some((decision.spending_today()?.usd_per_run, text))
    });
    let known: Vec<Option<(f64, String)>> = known.collect();
    let most_digits = |usd: f64| {
        let texts = known.iter().flatten().filter(|(other, _)| *other == usd).map(|(_, text)| text);
        texts.max_by_key(|text| text.len()).cloned()
    };
    known.iter().map(|cost| cost.as_ref().and_then(|(usd, _)| most_digits(*usd)).unwrap_or_default()).collect()
}

/// A row for each named decision: today, the verdict, and the option that is shown beside it.
#[must_use]
pub fn table<'a>(what: &'static str, decisions: impl IntoIterator<Item = (String, &'a Decision)>) -> Table {
    let decisions: Vec<(String, &Decision)> = decisions.into_iter().collect();
    let costs_today = costs_today(&decisions);
    let row = |((name, decision), cost_today): ((String, &Decision), String)| {
        let option = decision.shown();
        let rounded = |value: Option<f64>| value.map(chance).unwrap_or_default();
        vec![
            name,
            today(decision),
            cost_today,
            decision.verdict.label().to_owned(),
            decision
                .recommended_title(" or ")
                .or_else(|| option.map(|option| option.candidate.title.clone()))
                .unwrap_or_default(),
            option
                .and_then(|option| Some(decision.predicted_time(option.candidate.time.as_ref()?)))
                .unwrap_or_default(),
            option.and_then(|option| option.usd.as_ref().map(cost)).unwrap_or_default(),
            rounded(option.and_then(|option| option.faster)),
            rounded(option.and_then(|option| option.cheaper)),
            option.and_then(|option| option.better).map(likely).unwrap_or_default(),
        ]
    };
    let table = Table {
        columns: vec![
            Column::text(what),
            Column::text("today"),
            Column::number("cost today"),
            Column::text("verdict"),
            Column::text("option"),
            Column::number("median time with option"),
            Column::number("median cost with option"),
            Column::number("likely faster"),
            Column::number("likely cheaper"),
            Column::number("likely to meet goal"),
        ],
        rows: decisions.into_iter().zip(costs_today).map(row).collect(),
    };
    table.without_empty_columns()
}

/// The decision in words, and what samples of the uncertain numbers vary; empty without engines and a query.
#[must_use]
pub fn beside_samples(study: &Study) -> Vec<String> {
    of_study(study)
        .map_or_else(Vec::new, |decision| std::iter::once(decision.sentence()).chain(sampling_note(study)).collect())
}

/// What samples of the uncertain numbers vary, beside a decision that is not sampled; `None` without engines and a query.
#[must_use]
pub fn sampling_note(study: &Study) -> Option<String> {
    let study = study.placement().filter(|study| study.query.is_some())?;
    let engines = study.engines.as_deref()?;
    let [cpu, gpu] = engine_titles(engines);
    Some(format!(
        "The samples vary the times in “{cpu}” and “{gpu}” only. The recommendation and its likelihoods do not use the \
         samples. Figures have median times; the recommendation has mean costs."
    ))
}

/// A study with the engines that its operators have their times in: those of the recommended option, where the study's engine of GPUs
/// can run it; else its own.
#[must_use]
pub fn in_shown_engines(study: &Placement) -> Placement {
    let recommended = workload(study).and_then(|workload| on_recommended(study, &workload));
    recommended.unwrap_or_else(|| study.clone())
}

/// "Times in Spark 3.5.3, 8 × c5d.12xlarge and in RAPIDS 25.12 (L4), 2 × g6.2xlarge, the recommended option."
#[must_use]
pub fn operators_in(decision: &Decision, engines: &Engines) -> String {
    let [today, gpu] = engine_titles(engines);
    let relation = match decision.recommended_title(" or ") {
        _ if decision.recommends_title(&gpu) => ", the recommended option".to_owned(),
        Some(other) => format!("; the recommendation is {other}"),
        None => String::new(),
    };
    format!("Times in {today} and in {gpu}{relation}.")
}

/// "Spark 3.5.3, 8 × c5d.12xlarge" and "RAPIDS 25.12 (L4), 4 × g6.2xlarge".
#[must_use]
pub fn engine_titles(engines: &Engines) -> [String; 2] {
    [(&engines.cpu, "the CPU engine"), (&engines.gpu, "the GPU engine")].map(|(engine, other)| match engine.title() {
        title if engine.name.is_empty() => format!("{other}{title}"),
        title => title,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shipped(text: &str) -> Study {
        crossover_scenario::read(text).expect("a scenario").study
    }

    #[test]
    fn a_study_without_a_query_or_without_engines_has_no_decision() {
        for text in [
            include_str!("../../../scenarios/placement-published.ron"),
            include_str!("../../../scenarios/placement-truth-aws-l4.ron"),
            include_str!("../../../scenarios/placement-spark.ron"),
            include_str!("../../../scenarios/regulation-published.ron"),
        ] {
            let study = shipped(text);
            assert_eq!((of_study(&study), sampling_note(&study)), (None, None));
        }
    }
}
