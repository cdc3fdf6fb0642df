//! What a log says of its run that an answer needs. Each text is made here, and is a warning or a note wherever it is shown: damage,
//! time without operators and estimated numbers are warnings; machines, what has no price and idle task slots are notes.

use std::collections::BTreeSet;

use crossover_placement::Placement;
use crossover_quantity::provenance::Provenance;
use crossover_quantity::text::{counted, counted_of};
use crossover_quantity::unit::{Unit, predicted};
use crossover_query::measured_run::{covered, time_parts};
use crossover_query::{Balance, fill};

use crate::import::{Import, Query};
use crate::options::versions::build;
use crate::skew::{SKEWED, WORTH_A_WORD, skewed};
use crate::today::{is_spark, measured_seconds};

/// Of an application whose clock was set back.
const CLOCK_SET_BACK: &str =
    "the application ends before it starts: a clock was set back; its time is that of its queries";

/// Most warnings that are listed about a log; the others are counted.
const MOST_WARNINGS: usize = 20;

/// What a log says of its run: a sentence each, without a full stop.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Remarks {
    /// What may make the answer wrong, or impossible.
    pub warnings: Vec<String>,
    /// What the answer does not contain, and what else the log shows.
    pub notes: Vec<String>,
}

/// Warnings of a reader about a log, or about the query in it with the id `only`, each once: damage, missing ends, failures, impossible
/// numbers, and time that belongs to no operator. Of more than 20, the others are counted by one sentence behind the first.
#[must_use]
pub fn warnings(import: &Import, only: Option<&str>) -> Vec<String> {
    let queries = || queries(import, only);
    let is_set_back = import.run.start_ms.zip(import.run.end_ms).is_some_and(|(start, end)| end < start);
    let clock = is_set_back.then(|| CLOCK_SET_BACK.to_owned());
    let of_queries = queries().flat_map(|query| query.warnings.iter().cloned());
    let all =
        clock.into_iter().chain(import.warnings.iter().cloned()).chain(queries().flat_map(balances)).chain(of_queries);
    let mut seen = BTreeSet::new();
    let mut listed: Vec<String> = all.filter(|warning| seen.insert(warning.clone())).collect();
    let others = listed.len().saturating_sub(MOST_WARNINGS);
    listed.truncate(MOST_WARNINGS);
    listed.extend((others > 0).then(|| format!("and {} about the log", counted(others as f64, "more warning"))));
    listed
}

/// Warnings and notes about a log, or about the query in it with the id `only`. Those that count operators or time say of what.
#[must_use]
pub fn remarks(import: &Import, only: Option<&str>) -> Remarks {
    let timed = || queries(import, only).filter(|query| measured_seconds(query).is_some());
    let scope = match (only, import.queries.len()) {
        (Some(_), _) | (None, ..=1) => "in this query",
        (None, _) => "in the application’s queries",
    };
    let scoped = |remark: String| format!("{scope}, {remark}");
    let mut warnings = warnings(import, only);
    warnings.extend(estimated(timed()).map(scoped));
    let notes = machines(import).into_iter().chain(surcharge(import)).chain(idle(timed()).map(scoped));
    Remarks { warnings, notes: notes.collect() }
}

/// Whether the file of a study, or the user, says how many machines ran it, and how many cores each has: others are those of the measurement.
#[must_use]
pub fn are_machines_known(study: &Placement) -> [bool; 2] {
    // An entered number has no source, and cores of a machine that the user chose have that of the catalogue.
    let is_known = |source: &Provenance| matches!(source, Provenance::Imported { .. } | Provenance::Preset { .. });
    ["machines", "lanes"].map(|field| study.sources.get(&format!("engines.cpu.{field}")).is_none_or(is_known))
}

/// What is that of the measurement, because it is not known of today's machines: "how many machines"; `None` if machines and cores are
/// known.
#[must_use]
pub fn unknown_machines(are_known: [bool; 2]) -> Option<&'static str> {
    match are_known {
        [false, false] => Some("how many machines with how many cores"),
        [false, true] => Some("how many machines"),
        [true, false] => Some("how many cores of a machine"),
        [true, true] => None,
    }
}

/// A warning that machines or cores that are not known are assumed, without a full stop.
#[must_use]
pub fn assumed_machines(are_known: [bool; 2]) -> Option<String> {
    let unknown = unknown_machines(are_known)?;
    Some(format!("the file does not say {unknown} ran the query: those of the measured cluster are assumed"))
}

/// The queries of a file, or the one with the id `only`.
fn queries<'a>(import: &'a Import, only: Option<&'a str>) -> impl Iterator<Item = &'a Query> {
    import.queries.iter().filter(move |query| only.is_none_or(|id| query.id == id))
}

/// A warning for each total of a query that its operators do not have.
fn balances(query: &Query) -> impl Iterator<Item = String> {
    let clauses = query.plan.balances.iter().filter_map(Balance::clause);
    clauses.map(|clause| format!("query {}: {clause}", query.id))
}

/// The executors of a log of Spark, and what of its cluster has no price; `None` for other logs, or without executors.
fn machines(import: &Import) -> Option<String> {
    const UNPRICED: &str = "the driver, idle machines and machine start-up have no price";
    if !is_spark(&import.engine) {
        return None;
    }
    let cluster = &import.cluster;
    let (machines, cores) = cluster.machines.zip(cluster.cores_per_machine)?;
    let named = |executors: u64| {
        let each = cores as f64 / executors as f64;
        format!(
            "the log has {} with {} each on {}, but not the number of cores of a host; {UNPRICED}",
            counted(executors.saturating_mul(machines) as f64, "executor"),
            counted(each, "core"),
            counted(machines as f64, "host"),
        )
    };
    Some(match cluster.executors_per_machine.filter(|executors| *executors > 0) {
        Some(_) if cluster.machine_type.is_some() => UNPRICED.to_owned(),
        Some(executors) => named(executors),
        None => {
            let cores = counted(cores as f64, "core");
            format!(
                "Spark ran in local mode: the driver ran the tasks with {cores}; idle machines and machine start-up have no price"
            )
        }
    })
}

/// That prices of the catalogue are without the surcharge of the product that ran a log; `None` for Apache Spark and other engines.
fn surcharge(import: &Import) -> Option<String> {
    let product = build(&import.engine).filter(|_| is_spark(&import.engine))?;
    Some(format!(
        "prices of the catalogue do not include the surcharge of {product} on the price of machines; enter prices that include it"
    ))
}

/// How many operators have rows or bytes that the log does not report; `None` if there are none.
fn estimated<'a>(queries: impl Iterator<Item = &'a Query>) -> Option<String> {
    let (mut guessed, mut all) = (0_usize, 0_usize);
    for query in queries {
        for (_, numbers) in query.plan.nodes.iter().zip(fill(&query.plan)).filter(|(node, _)| node.works()) {
            all += 1;
            guessed += usize::from(numbers.rows_out.is_estimated() || numbers.bytes_out.is_estimated());
        }
    }
    (guessed > 0).then(|| {
        let operators = counted_of(guessed as f64, all as f64, "operator");
        format!("rows or bytes of {operators} are estimated, not reported")
    })
}

/// How much of the stages' time task slots were idle, and what even tasks could save on today's machines; `None` below a tenth.
fn idle<'a>(queries: impl Iterator<Item = &'a Query>) -> Option<String> {
    let (mut saved, mut of_stages, mut total) = (0.0, 0.0, 0.0);
    let (mut skewed_stages, mut saved_in_skewed) = (0_usize, 0.0);
    for query in queries {
        let stages = &query.plan.stages;
        total += query.duration_seconds.unwrap_or(0.0);
        if stages.iter().any(|stage| stage.slots > 0.0) {
            saved += time_parts(stages).idle;
            of_stages += covered(stages);
            let (count, of_skewed) = skewed(stages);
            skewed_stages += count;
            saved_in_skewed += of_skewed;
        }
    }
    if total <= 0.0 || saved < WORTH_A_WORD * total {
        return None;
    }
    let shown = |seconds: f64| Unit::Seconds.format(predicted(seconds));
    let [skew, in_skewed] = if skewed_stages == 0 {
        [String::new(), String::new()]
    } else {
        let stages = counted(skewed_stages as f64, "stage");
        let skew = format!(", and in {stages} the longest task took at least {} the mean", Unit::Factor.format(SKEWED));
        [
            skew,
            format!(
                ", up to {} of it in the skewed {}",
                shown(saved_in_skewed),
                if skewed_stages == 1 { "stage" } else { "stages" }
            ),
        ]
    };
    Some(format!(
        "task slots were idle for {} of the time in which stages ran{skew}; tasks of equal length on all slots, in every stage, \
         would save up to {} of {} on today’s machines{in_skewed}",
        Unit::Share.format((100.0 * saved / of_stages).round() / 100.0),
        shown(saved),
        Unit::Seconds.format(total)
    ))
}

#[cfg(test)]
mod tests {
    use crossover_query::{BalanceOf, Kind, Node, Plan, StageRun};

    use super::*;
    use crate::import::{Cluster, Run};

    fn query(stages: Vec<StageRun>, seconds: f64) -> Query {
        let plan = Plan { nodes: vec![Node::new("Scan", Kind::Scan)], stages, ..Plan::default() };
        Query { id: "1".to_owned(), duration_seconds: Some(seconds), plan: plan.into(), ..Query::default() }
    }

    fn import(queries: Vec<Query>, cluster: Cluster) -> Import {
        Import { engine: "Spark 3.5.3".to_owned(), queries, cluster, ..Import::default() }
    }

    #[test]
    fn machines_and_cores_that_a_file_lacks_are_warned_of() {
        assert_eq!(assumed_machines([true, true]), None);
        let lacks = |are_known: [bool; 2], expected: &str| {
            let text = assumed_machines(are_known).expect("a warning");
            assert!(text.starts_with(&format!("the file does not say {expected} ran the query:")), "{text}");
        };
        lacks([false, true], "how many machines");
        lacks([true, false], "how many cores of a machine");
        lacks([false, false], "how many machines with how many cores");
        // Numbers without a source are entered.
        let scenario = crossover_scenario::read(include_str!("../../scenarios/placement-published.ron"));
        let mut study = scenario.expect("a valid scenario").placement().expect("a placement study").clone();
        assert_eq!(are_machines_known(&study), [true, true]);
        let chosen = Provenance::Preset { entry: "c5d.12xlarge".to_owned(), source: "a list".to_owned() };
        for (source, is_known) in [(chosen, true), (Provenance::Published("a benchmark".to_owned()), false)] {
            study.sources.insert("engines.cpu.lanes".to_owned(), source);
            assert_eq!(are_machines_known(&study), [true, is_known]);
        }
    }

    /// Ten seconds on four slots are 40 slot-seconds, of which tasks ran 10: 2.5 s if all slots were busy.
    #[test]
    fn idle_slots_and_skew_are_named_with_what_even_tasks_save() {
        let stage = StageRun { end: 10.0, tasks: 8.0, slots: 4.0, run: 10.0, longest: 9.0, ..StageRun::default() };
        let of = |stage: StageRun, only: Option<&str>| {
            let found = remarks(&import(vec![query(vec![stage], 12.0)], Cluster::default()), only);
            found.notes.into_iter().find(|remark| remark.starts_with("in this query, task slots"))
        };
        let found = of(stage, None).expect("a remark");
        assert!(found.contains("idle for 75 % of the time") && found.contains("in 1 stage the longest"), "{found}");
        let saves = "save up to 7.5 s of 12 s on today’s machines, up to 7.5 s of it in the skewed stage";
        assert!(found.ends_with(saves), "{found}");
        assert_eq!(of(stage, Some("1")), Some(found));
        // Without a skewed stage, all of it is of others.
        let even = of(StageRun { longest: 2.0, ..stage }, None).expect("a remark");
        assert!(even.ends_with("save up to 7.5 s of 12 s on today’s machines"), "{even}");
        assert_eq!(of(stage, Some("2")), None);
        assert_eq!(of(StageRun { run: 39.0, longest: 5.0, ..stage }, None), None);
    }

    #[test]
    fn the_executors_of_a_log_are_named_and_what_has_no_price() {
        let of = |executors_per_machine: Option<u64>| {
            let cluster =
                Cluster { machines: Some(1), cores_per_machine: Some(30), executors_per_machine, ..Cluster::default() };
            remarks(&import(Vec::new(), cluster), None).notes
        };
        let executors = &of(Some(10))[0];
        assert!(
            executors.starts_with(
                "the log has 10 executors with 3 cores each on 1 host, but not the number of cores of a host;"
            ),
            "{executors}"
        );
        assert!(executors.contains("the driver, idle machines and machine start-up have no price"), "{executors}");
        assert!(of(None)[0].contains("local mode"), "{:?}", of(None));
    }

    #[test]
    fn the_surcharge_of_a_product_that_prices_do_not_include_is_noted() {
        let of = |engine: &str| {
            let log = Import { engine: engine.to_owned(), ..import(Vec::new(), Cluster::default()) };
            remarks(&log, None).notes
        };
        let note = "prices of the catalogue do not include the surcharge of Amazon EMR on the price of machines; enter prices \
                    that include it";
        assert_eq!(of("Spark 3.3.0-amzn-0"), [note]);
        assert_eq!(of("Spark 3.5.3"), [""; 0]);
    }

    /// A scan without reported rows.
    #[test]
    fn estimated_numbers_are_counted() {
        let found = remarks(&import(vec![query(Vec::new(), 1.0)], Cluster::default()), None);
        assert_eq!(found.warnings, ["in this query, rows or bytes of 1 of 1 operator are estimated, not reported"]);
        assert_eq!(found.notes, [""; 0]);
    }

    /// Beside the warnings of one of its queries, those of an application would else look like other numbers of the same.
    #[test]
    fn remarks_name_whether_they_are_about_the_application_or_one_query() {
        let other = Query { id: "2".to_owned(), ..query(Vec::new(), 1.0) };
        let log = import(vec![query(Vec::new(), 1.0), other], Cluster::default());
        let clause = "are estimated, not reported";
        for (only, expected) in [
            (None, format!("in the application’s queries, rows or bytes of 2 of 2 operators {clause}")),
            (Some("2"), format!("in this query, rows or bytes of 1 of 1 operator {clause}")),
        ] {
            assert_eq!(remarks(&log, only).warnings, [expected]);
        }
    }

    /// 3 s of a query's 10 s belong to none of its operators.
    #[test]
    fn warnings_are_those_of_the_file_and_of_the_queries_each_once() {
        let same = || vec!["a part is missing".to_owned(), "the query failed".to_owned()];
        let balance = Balance::new(BalanceOf::CpuSeconds, 10.0, 7.0).without(3.0, "no operator ran in stage 1");
        let plan = Plan { balances: vec![balance], ..Plan::default() };
        let one = Query { id: "1".to_owned(), warnings: same(), plan: plan.into(), ..Query::default() };
        let other = Query { id: "2".to_owned(), warnings: same(), ..Query::default() };
        let run = Run { start_ms: Some(2), end_ms: Some(1), ..Run::default() };
        let cut = vec!["the log is cut".to_owned()];
        let log = Import { warnings: cut, run, ..import(vec![one, other], Cluster::default()) };
        let of_query = "query 1: 30 % of its CPU time (3 s of 10 s) belongs to no operator: no operator ran in stage 1";
        let expected = [CLOCK_SET_BACK, "the log is cut", of_query, "a part is missing", "the query failed"];
        assert_eq!(warnings(&log, None), expected);
        assert!(!warnings(&log, Some("2")).contains(&of_query.to_owned()), "{:?}", warnings(&log, Some("2")));
        let found = remarks(&log, None);
        assert!(found.warnings.starts_with(&warnings(&log, None)), "{found:?}");
        assert!(found.notes.iter().all(|note| !found.warnings.contains(note)), "{found:?}");
    }

    #[test]
    fn many_warnings_are_counted_behind_the_first_ones() {
        let failed = |count: usize| {
            let query = |id: usize| Query { warnings: vec![format!("query {id} failed")], ..Query::default() };
            warnings(&import((0..count).map(query).collect(), Cluster::default()), None)
        };
        assert_eq!((failed(20).len(), failed(20).last().map(String::as_str)), (20, Some("query 19 failed")));
        let many = failed(5_000);
        assert_eq!((many.len(), many[19].as_str()), (21, "query 19 failed"));
        assert_eq!(many[20], "and 4,980 more warnings about the log");
    }
}
