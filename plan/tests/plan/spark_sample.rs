//! The log of `plan/samples/spark`, which a real Spark wrote: its rows are those that other statements counted.

use std::path::PathBuf;

use crossover_placement::Overlap;
use crossover_plan::remarks::warnings;
use crossover_plan::scenario::{self, Machines};
use crossover_plan::{Control, Import, spark};
use crossover_query::{Amount, Kind, Node, Plan, Rule, fill};
use crossover_scenario::{Scenario, Study, read};

fn file(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn import() -> Import {
    spark::read(&file("samples/spark/shop-eventlog.zstd"), &Control::default()).expect("the sample is a log")
}

/// What a statement of its own counted, see `make.py`.
fn counted(what: &str) -> f64 {
    let mut table = csv::Reader::from_path(file("samples/spark/shop-expected.csv")).expect("the counts are there");
    let mut rows = table.records().map(|row| row.expect("a row"));
    let row = rows.find(|row| &row[0] == what).expect("the statement was counted");
    row[1].parse().expect("a number")
}

fn plan(import: &Import, description: &str) -> Plan {
    let query = import.queries.iter().find(|query| query.description == description);
    (*query.expect("the query is in the log").plan).clone()
}

/// Rows that every operator of a kind gave, in the order of the plan.
fn rows(plan: &Plan, kind: Kind) -> Vec<f64> {
    let numbers = fill(plan);
    let works = |node: &Node| node.kind == kind && node.reuses.is_none();
    (0..plan.nodes.len()).filter(|id| works(&plan.nodes[*id])).map(|id| numbers[id].rows_out.value).collect()
}

#[test]
fn operators_give_the_rows_that_statements_of_their_own_counted() {
    let import = import();
    let revenue = plan(&import, "revenue by region and category");
    assert!(rows(&revenue, Kind::Filter).contains(&counted("sales of 2025")));
    assert_eq!(rows(&revenue, Kind::Join), [counted("sales of 2025 with customer"); 2]);
    assert_eq!(rows(&revenue, Kind::Sort)[0], counted("regions and categories"));

    let best = plan(&import, "best customers of each region");
    assert_eq!(rows(&best, Kind::Join), [counted("sales with customer")]);
    assert_eq!(rows(&best, Kind::Aggregate), [counted("customers with sales")]);

    let addresses = plan(&import, "addresses through user code");
    assert!(rows(&addresses, Kind::Filter).contains(&counted("first customers")));
    assert!(addresses.nodes.iter().any(|node| node.kind == Kind::UserCode), "{addresses:#?}");
}

#[test]
fn a_scan_whose_stage_counted_next_to_nothing_read_its_files() {
    let import = import();
    let revenue = plan(&import, "revenue by region and category");
    // The log: stage 12 counts 214,425 bytes for 3,000,000 rows; `size of files read` is 30,019,647.
    let is_large = |node: &&Node| node.kind == Kind::Scan && node.rows_out == Some(Amount::reported(3e6));
    let scan = revenue.nodes.iter().find(is_large).expect("the large scan");
    assert_eq!(scan.bytes_in, Some(Amount::reported(30_019_647.0)));
    // Of `scan time` 3.931 s, which is on the clock, the stage's part on CPUs.
    let cpu = scan.cpu_seconds.expect("a share");
    assert_eq!(cpu.origin, Amount::estimated(0.0, Rule::ShareOfTime).origin);
    assert!(cpu.value > 0.1 && cpu.value <= 1.03, "{cpu:?}");
    let query = import.queries.iter().find(|query| query.description == "revenue by region and category");
    let notes = &query.expect("the query is in the log").warnings;
    assert!(notes.iter().any(|note| note.contains("input metrics contradict")), "{notes:?}");
    let notes = warnings(&import, None);
    assert_eq!(notes.iter().filter(|note| note.contains("input metrics contradict")).count(), 1, "{notes:?}");
}

/// The log: `Executor Deserialize CPU Time` of its 50 tasks adds up to 1,758,224,677 ns.
#[test]
fn the_starts_of_tasks_are_listed_with_their_sum_and_without_a_warning() {
    let import = import();
    let named: Vec<_> = import.unread.names().filter(|name| name.seconds.is_some()).collect();
    let [starts] = &named[..] else { panic!("{named:?}") };
    assert_eq!((starts.name, starts.count, starts.first), ("Executor Deserialize CPU Time", 50, "stage 0"));
    assert!(starts.seconds.is_some_and(|seconds| (seconds - 1.758_224_677).abs() < 1e-6), "{starts:?}");
    assert!(!import.warnings.iter().any(|warning| warning.contains("Deserialize")), "{:?}", import.warnings);
}

#[test]
fn a_command_that_reads_nothing_costs_nothing() {
    let import = import();
    let commands: Vec<&Plan> = import
        .queries
        .iter()
        .map(|query| &*query.plan)
        .filter(|plan| plan.nodes.len() == 1 && plan.nodes[0].kind == Kind::Other)
        .collect();
    assert!(!commands.is_empty());
    for plan in commands {
        let numbers = fill(plan)[0];
        assert_eq!((numbers.rows_out.value, numbers.bytes_in.value, numbers.bytes_out.value), (0.0, 0.0, 0.0));
    }
}

/// After a change of the importer: `CROSSOVER_WRITE_EXAMPLES=1 cargo test -p crossover-plan --test spark_sample`.
#[test]
fn the_example_that_comes_along_is_this_log() {
    let path = file("../scenarios/placement-spark.ron");
    let text = std::fs::read_to_string(&path).expect("the example is there");
    let shipped = read(&text).expect("the example is valid");
    let base = std::fs::read_to_string(file("../scenarios/placement-small.ron")).expect("the template is there");
    let mut base = read(&base).expect("a valid scenario").placement().expect("a placement study").clone();
    base.policy.threshold = 1.0;
    base.policy.overlap = Overlap::Nothing;
    let import = import();
    let query = import.queries.iter().find(|query| query.description == "revenue by region and category");
    let study = scenario::placement(&base, Machines::OfFile, &import, query.expect("the query is in the log"));
    let made = Scenario::new(shipped.name, shipped.notes, Study::Placement(study));
    made.study.validate().expect("a valid study");
    if std::env::var_os("CROSSOVER_WRITE_EXAMPLES").is_some() {
        std::fs::write(&path, made.to_ron()).expect("a written scenario");
        panic!("{} is written; look at what changed, then run this without CROSSOVER_WRITE_EXAMPLES", path.display());
    }
    assert_eq!(std::fs::read_to_string(&path).expect("the example is there"), made.to_ron());
}

/// The stages of query 6 in the order of their starts, added up from the log by another program: id, first launch and last
/// finish after the query's start in ms, tasks, run time, CPU time, longest task, garbage collection, waiting for shuffled
/// data, all in ms.
const STAGES: [(u64, [f64; 8]); 7] = [
    (6, [881.0, 2791.0, 4.0, 4928.0, 931.836_414, 1560.0, 34.0, 0.0]),
    (7, [2151.0, 4534.0, 4.0, 6288.0, 1_029.144_436, 2272.0, 146.0, 0.0]),
    (8, [3787.0, 4188.0, 4.0, 453.0, 62.342_961, 148.0, 0.0, 0.0]),
    (11, [4934.0, 9101.0, 4.0, 13_791.0, 2_111.441_747, 3500.0, 868.0, 100.0]),
    (15, [9455.0, 9670.0, 1.0, 122.0, 35.826_753, 122.0, 0.0, 2.0]),
    (19, [9770.0, 10133.0, 1.0, 174.0, 43.157_603, 174.0, 0.0, 6.0]),
    (24, [10243.0, 10383.0, 1.0, 69.0, 29.445_595, 69.0, 0.0, 0.0]),
];

#[test]
fn the_run_of_a_query_is_told_stage_by_stage() {
    let import = import();
    let query = import.queries.iter().find(|query| query.id == "6").expect("the query is in the log");
    let stages = &query.plan.stages;
    assert_eq!(stages.iter().map(|stage| stage.id).collect::<Vec<_>>(), STAGES.map(|(id, _)| id));
    for (stage, (id, [start, end, tasks, run, cpu, longest, gc, fetch])) in stages.iter().zip(STAGES) {
        assert_eq!(stage.tasks, tasks, "{id}");
        let found = [stage.start, stage.end, stage.run, stage.cpu, stage.longest, stage.gc, stage.fetch];
        for (found, expected) in found.iter().zip([start, end, run, cpu, longest, gc, fetch]) {
            assert!((found - expected / 1e3).abs() < 1e-9, "{id}: {found}, expected {expected} ms");
        }
        assert_eq!((stage.slots, stage.spilled), (4.0, 0.0));
    }
}
