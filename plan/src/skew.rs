//! Skewed stages of a log, and the next step against them on today's machines.
//!
//! Settings and their defaults: Spark's pages “Performance Tuning” (Optimizing Skew Join) and “SQL migration guide” (3.1 to 3.2,
//! which turns adaptive execution on).

use crossover_decision::words::{dollars, monthly_dollars};
use crossover_decision::{Baseline, Decision, PriceBasis};
use crossover_quantity::text::{between, counted};
use crossover_quantity::unit::{Unit, predicted};
use crossover_query::measured_run::{covered, time_parts};
use crossover_query::settings::{ADAPTIVE, SKEW_JOIN, SparkSettings};
use crossover_query::{Plan, StageRun};

use crate::import::Import;
use crate::options::versions::version;
use crate::today::{is_spark, measured_seconds};

/// Share of the measured time from which on idle task slots are worth a word.
pub(crate) const WORTH_A_WORD: f64 = 0.1;
/// Seconds of an hour, for which a price is.
const SECONDS_PER_HOUR: f64 = 3600.0;
/// Longest task ÷ mean task from which a stage counts as skewed.
pub(crate) const SKEWED: f64 = 3.0;
/// Size from which a partition counts as skewed.
const SKEW_JOIN_THRESHOLD: &str = "spark.sql.adaptive.skewJoin.skewedPartitionThresholdInBytes";
/// From this version of Spark on, joins of skewed partitions can be split.
const HAS_SKEW_JOIN: (u32, u32) = (3, 0);
/// From this version on, adaptive execution is on unless it is set.
const IS_ADAPTIVE: (u32, u32) = (3, 2);

/// Whether a stage is skewed.
fn is_skewed(stage: &StageRun) -> bool {
    stage.skew() >= SKEWED
}

/// Skewed stages of measured queries, and what to change in Spark against them.
#[derive(Debug, Clone, PartialEq)]
pub struct SkewStep {
    /// Skewed stages.
    stages: usize,
    /// What tasks of equal length in these stages would save at most, seconds.
    saved: f64,
    /// What the queries took, seconds.
    total: f64,
    /// What to change, in sentences.
    advice: String,
}

/// What to change in Spark against skewed tasks; `None` for other engines, or where tasks of equal length in skewed stages would save less
/// than a tenth of the measured time. `only`: id of the one query that counts.
#[must_use]
pub fn next_step(import: &Import, only: Option<&str>) -> Option<SkewStep> {
    let queries = import.queries.iter().filter(|query| only.is_none_or(|id| query.id == id));
    let timed = queries.filter_map(|query| Some((&*query.plan, measured_seconds(query)?)));
    step(&import.engine, &import.cluster.settings, timed)
}

/// The same for one plan with its settings, which took so many seconds.
#[must_use]
pub fn skew_of_plan(plan: &Plan, seconds: f64) -> Option<SkewStep> {
    step(&plan.engine, &plan.settings, std::iter::once((plan, seconds)))
}

/// The same for plans with their measured times, seconds.
fn step<'a>(engine: &str, settings: &SparkSettings, timed: impl Iterator<Item = (&'a Plan, f64)>) -> Option<SkewStep> {
    if !is_spark(engine) {
        return None;
    }
    let (mut stages, mut saved, mut total) = (0_usize, 0.0, 0.0);
    for (plan, seconds) in timed {
        total += seconds;
        let (of_query, saved_in_query) = skewed(&plan.stages);
        stages += of_query;
        saved += saved_in_query;
    }
    if stages == 0 || total <= 0.0 || saved < WORTH_A_WORD * total {
        return None;
    }
    Some(SkewStep { stages, saved, total, advice: advice(engine, settings) })
}

impl SkewStep {
    /// In sentences, with its worth at the price of what runs the queries today, and for the fewest and the most runs of a month:
    /// "Skewed tasks: in 4 stages the longest task took at least 3× the mean. Tasks of equal length in these stages would save up to 15 s of
    /// 25.26 s: up to $0.0072 per run, $14.4 a month. …" If today's run breaks the time limit, also whether it keeps it then: "Today’s run
    /// would then take 29 s or more, longer than the limit of 20 s."
    #[must_use]
    pub fn in_words(&self, decision: Option<&Decision>) -> String {
        let worth = decision.and_then(|decision| self.worth(&decision.baseline, decision.objective.runs()));
        let worth = worth.map(|worth| format!(": {worth}"));
        let limit = decision.and_then(|decision| self.beside_limit(decision));
        let limit = limit.map(|limit| format!(" Today’s run would then take {limit}."));
        format!(
            "Skewed tasks: in {} the longest task took at least {} the mean. Tasks of equal length in {} would save up to {} of {}{}.{} {}",
            counted(self.stages as f64, "stage"),
            Unit::Factor.format(SKEWED),
            if self.stages == 1 { "it" } else { "these stages" },
            Unit::Seconds.format(predicted(self.saved)),
            Unit::Seconds.format(self.total),
            worth.unwrap_or_default(),
            limit.unwrap_or_default(),
            self.advice
        )
    }

    /// What today's run would take, beside the time limit that it breaks: [`Decision::without_a_move`].
    #[must_use]
    pub fn beside_limit(&self, decision: &Decision) -> Option<String> {
        decision.without_a_move(self.saved)
    }

    /// "up to $0.0072 per run, $14.4 a month, at an assumed price"; `None` without a price.
    fn worth(&self, today: &Baseline, runs: Option<[f64; 2]>) -> Option<String> {
        let price = today.price.as_ref()?;
        let usd = self.saved / SECONDS_PER_HOUR * price.usd_per_hour;
        let a_month = runs.map(|runs| between(runs.map(|runs| monthly_dollars(usd * runs))));
        let a_month = a_month.map(|usd| format!(", {usd} a month")).unwrap_or_default();
        let assumed = if price.basis == PriceBasis::Assumed { ", at an assumed price" } else { "" };
        Some(format!("up to {} per run{a_month}{assumed}", dollars(usd)))
    }
}

/// The skewed stages of a query, and what tasks of equal length in them would save at most, seconds: the time in which they leave
/// slots idle.
pub(crate) fn skewed(all: &[StageRun]) -> (usize, f64) {
    let slots = all.iter().map(|stage| stage.slots).fold(0.0, f64::max);
    let stages: Vec<StageRun> = all.iter().filter(|stage| is_skewed(stage)).copied().collect();
    if slots <= 0.0 || stages.is_empty() {
        return (0, 0.0);
    }
    // Other stages may run at the same time.
    let alone = stages.iter().map(|stage| stage.run).sum::<f64>() / slots;
    let of_skewed = (covered(&stages) - alone).max(0.0);
    (stages.len(), of_skewed.min(time_parts(all).idle))
}

/// What to set, by what the log sets and what its version does without.
fn advice(engine: &str, settings: &SparkSettings) -> String {
    const SALT: &str = "salt the keys with most rows: add a random number to them before the join or aggregation";
    let version = version(engine);
    if version.is_some_and(|version| version < HAS_SKEW_JOIN) {
        return format!("This version of Spark does not split skewed partitions: {SALT}.");
    }
    let is_off = |name: &str| settings.get(name).is_some_and(|value| value.trim().eq_ignore_ascii_case("false"));
    // Without adaptive execution the other setting has no effect.
    let is_unset = settings.get(ADAPTIVE).is_none() && version.is_some_and(|version| version < IS_ADAPTIVE);
    let off: Vec<&str> = [(ADAPTIVE, is_unset), (SKEW_JOIN, false)]
        .into_iter()
        .filter(|(name, is_unset)| *is_unset || is_off(name))
        .map(|(name, _)| name)
        .collect();
    match off.as_slice() {
        [] => format!(
            "{SKEW_JOIN} is on, and splits partitions of joins above {SKEW_JOIN_THRESHOLD} (256 MB) only. Lower it, or {SALT}."
        ),
        off => {
            let set = off.iter().map(|name| format!("{name}=true")).collect::<Vec<String>>().join(" and ");
            let was = if is_unset { "off without a setting in this version" } else { "off in the log" };
            format!("Set {set} ({was}), so that Spark splits skewed partitions of joins. For aggregations, {SALT}.")
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use crossover_decision::{Candidate, Objective, PredictedTime, Price, TimeLimit, decide};
    use crossover_query::{Kind, Node};

    use super::*;
    use crate::import::{Cluster, Query};

    /// Ten seconds on four slots with tasks of 10 s, of which the longest took 9 s.
    fn import(engine: &str, set: &[(&str, &str)]) -> Import {
        let stage = StageRun { end: 10.0, tasks: 8.0, slots: 4.0, run: 10.0, longest: 9.0, ..StageRun::default() };
        let plan = Plan { nodes: vec![Node::new("Scan", Kind::Scan)], stages: vec![stage], ..Plan::default() };
        let query = Query { id: "1".to_owned(), duration_seconds: Some(12.0), plan: plan.into(), ..Query::default() };
        let mut settings = SparkSettings::default();
        let set: BTreeMap<String, String> =
            set.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        settings.take(&set);
        let cluster = Cluster { settings, ..Cluster::default() };
        Import { engine: engine.to_owned(), queries: vec![query], cluster, ..Import::default() }
    }

    #[test]
    fn a_setting_that_is_off_is_the_next_step_against_skew() {
        for (engine, set, expected) in [
            (
                "Spark 3.5.3",
                &[(SKEW_JOIN, "false")][..],
                "Set spark.sql.adaptive.skewJoin.enabled=true (off in the log)",
            ),
            ("Spark 3.5.3", &[(ADAPTIVE, "false")], "Set spark.sql.adaptive.enabled=true (off in the log)"),
            (
                "Spark 3.5.3",
                &[(ADAPTIVE, "false"), (SKEW_JOIN, "False")],
                "Set spark.sql.adaptive.enabled=true and spark.sql.adaptive.skewJoin.enabled=true (off in the log)",
            ),
            // Spark turned it on in 3.2: SQL migration guide.
            ("Spark 3.1.1", &[], "Set spark.sql.adaptive.enabled=true (off without a setting in this version)"),
            ("Spark 3.1.1", &[(ADAPTIVE, "true")], "skewedPartitionThresholdInBytes"),
            ("Spark 3.3.0-amzn-0", &[], "spark.sql.adaptive.skewJoin.enabled is on"),
            ("Spark 2.4.8", &[], "does not split skewed partitions: salt the keys"),
        ] {
            let found = next_step(&import(engine, set), None).expect("a skewed stage").in_words(None);
            assert!(found.contains(expected), "{engine}: {expected} is not in {found}");
            // By hand: 10 s less 10 s of tasks on four slots.
            assert!(found.contains("in 1 stage the longest task") && found.contains("up to 7.5 s of 12 s"), "{found}");
        }
    }

    #[test]
    fn a_plan_with_its_settings_has_the_step_of_its_log() {
        let import = import("Spark 3.5.3", &[(ADAPTIVE, "false")]);
        let Import { engine, cluster, .. } = &import;
        let of_log =
            Plan { engine: engine.clone(), settings: cluster.settings.clone(), ..(*import.queries[0].plan).clone() };
        let found = skew_of_plan(&of_log, 12.0);
        assert!(found.is_some());
        assert_eq!(found, next_step(&import, None));
        // A tenth of 100 s is more than the 7.5 s.
        assert_eq!(skew_of_plan(&of_log, 100.0), None);
    }

    /// 7.5 s at $4.80 an hour are a cent, and at 1,000 to 2,000 runs a month $10 to $20.
    #[test]
    fn the_time_that_even_tasks_save_has_its_worth() {
        let step = next_step(&import("Spark 3.5.3", &[]), None).expect("a skewed stage");
        let of = |price: Option<Price>, runs: Option<[f64; 2]>| {
            let runs_per_month = runs.map(|[fewest, most]| f64::midpoint(fewest, most));
            let objective = Objective { runs_per_month, runs_range: runs, ..Objective::default() };
            step.in_words(Some(&decide(Baseline::measured("today", 12.0, price), Vec::new(), objective)))
        };
        let saves = "Tasks of equal length in it would save up to 7.5 s of 12 s";
        let price = Price::entered(4.8);
        for (found, expected) in [
            (of(None, None), ". "),
            (of(Some(price.clone()), None), ": up to $0.01 per run. "),
            (of(Some(price.clone()), Some([2000.0; 2])), ": up to $0.01 per run, $20 a month. "),
            (of(Some(price.clone()), Some([1000.0, 2000.0])), ": up to $0.01 per run, $10 … $20 a month. "),
            (
                of(Some(Price { basis: PriceBasis::Assumed, ..price }), None),
                ": up to $0.01 per run, at an assumed price. ",
            ),
        ] {
            assert!(found.contains(&format!("{saves}{expected}")), "{found}");
        }
    }

    /// An application of 30 s with a query of 12 s, of which tasks of equal length save up to 7.5 s: 22.5 s are left. Every option takes the 18 s
    /// outside of the query.
    #[test]
    fn the_step_says_whether_todays_run_keeps_the_limit_with_it() {
        let step = next_step(&import("Spark 3.5.3", &[]), None).expect("a skewed stage");
        let of = |limit: f64, known: f64| {
            let price = || Some(Price::entered(4.8));
            let time = PredictedTime::within(2.0, 1.1).plus_known(known);
            let objective = Objective { time_limit: TimeLimit::Factor(limit / 30.0), ..Objective::default() };
            let baseline = Baseline::measured("today", 30.0, price());
            let decision = decide(baseline, vec![Candidate::predicted("option", time, price())], objective);
            (step.beside_limit(&decision), step.in_words(Some(&decision)))
        };
        let (beside, step_in_words) = of(20.0, 18.0);
        let expected = "23 s or more, longer than the limit of 20 s (18 s outside of the queries leave 2 s of it)";
        assert_eq!(beside.as_deref(), Some(expected));
        assert!(step_in_words.contains(&format!(". Today’s run would then take {expected}. ")), "{step_in_words}");
        assert_eq!(of(20.0, 9.0).0.as_deref(), Some("23 s or more, longer than the limit of 20 s"));
        assert_eq!(of(25.0, 0.0).0.as_deref(), Some("23 s or more, which may be within the limit of 25 s"));
        let (beside, step_in_words) = of(30.0, 18.0);
        assert!(beside.is_none() && !step_in_words.contains("limit"), "{step_in_words}");
    }

    #[test]
    fn even_tasks_and_other_engines_have_no_step() {
        let skewed = import("Spark 3.5.3", &[]);
        assert!(next_step(&skewed, Some("1")).is_some());
        assert_eq!(next_step(&skewed, Some("2")), None);
        assert_eq!(next_step(&import("DuckDB 1.4", &[]), None), None);
        let mut even = skewed;
        even.queries[0].plan.stages[0].longest = 2.0;
        assert_eq!(next_step(&even, None), None);
    }
}
