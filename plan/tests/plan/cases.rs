//! Case files: what stands in them, what is refused with its place, and plans over the tables that they ask for.

use std::fs;
use std::path::{Path, PathBuf};

use crossover_plan::cases::{Plans, Scale, Time, cases, sizes};
use crossover_plan::{Control, Format, duckdb};
use crossover_query::Kind;
use tempfile::TempDir;

use super::read;

const HEADER: &str = "case,plan,format,scale,scenario,cpu_seconds,gpu_seconds";

/// A folder with a plan, sizes and a scenario.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        let folder = TempDir::new().expect("a folder");
        let plan = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/duckdb-join.json");
        fs::copy(plan, folder.path().join("join.json")).expect("a sample");
        fs::write(folder.path().join("sizes.csv"), "table,rows\nsales,2000000\ncustomers,50000\n").expect("written");
        fs::write(folder.path().join("a.ron"), "").expect("written");
        Self(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn cases(&self, rows: &str) -> PathBuf {
        self.file("cases.csv", &format!("{HEADER}\n{rows}"))
    }

    fn file(&self, name: &str, text: &str) -> PathBuf {
        fs::write(self.path(name), text).expect("written");
        self.path(name)
    }

    /// What is said of a file, without its folder.
    fn message(&self, error: &impl ToString) -> String {
        error.to_string().replace(&format!("{}/", self.0.path().display()), "")
    }
}

#[test]
fn a_case_has_its_plan_tables_and_times() {
    let folder = Folder::new();
    let found = cases(&folder.cases("join,join.json,duckdb,sizes.csv,a.ron,1.5,\nagain,join.json,,10,a.ron,,2\n"));
    let [first, second] = &found.expect("two cases")[..] else { panic!("two cases") };
    assert_eq!((first.name.as_str(), first.format), ("join", Some(Format::DuckDb)));
    assert_eq!((first.cpu, first.gpu), (Time::Seconds(1.5), Time::Unknown));
    assert_eq!(first.scale, Scale::Sizes(folder.path("sizes.csv")));
    assert_eq!((second.format, &second.scale, second.gpu), (None, &Scale::Factor(10.0), Time::Seconds(2.0)));

    // 20,000 sales become 2 million, of which the same share passes.
    let planned = first.planned(&mut Plans::new(read), &Control::default()).expect("a plan");
    let sales = |plan: &crossover_query::Plan| -> (f64, f64) {
        let scan = plan.nodes.iter().find(|node| node.source.as_ref().is_some_and(|source| source.table == "sales"));
        let scan = scan.expect("a scan of the sales");
        (scan.rows_in.expect("rows").value, scan.rows_out.expect("rows").value)
    };
    assert_eq!(sales(&planned.query.plan), (2e6, 998_000.0));
    let scaled = second.planned(&mut Plans::new(read), &Control::default()).expect("a plan");
    assert_eq!(sales(&scaled.query.plan), (2e5, 99_800.0));
}

/// DuckDB's plan names columns by their places; keys have the tables' names.
#[test]
fn keys_and_tables_are_those_of_the_statement() {
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/duckdb-join.json");
    let import = duckdb::read(&sample, &Control::default());
    let plan = &import.expect("a sample").queries[0].plan;
    let keys = |kind: Kind| plan.nodes.iter().find(|node| node.kind == kind).expect("a node").keys.clone();
    assert_eq!(keys(Kind::Join), [["customer", "id"]]);
    assert_eq!(keys(Kind::Aggregate), [["region"]]);
    let sales = plan.nodes.iter().filter_map(|node| node.source.as_ref()).find(|source| source.table == "sales");
    let sales = sales.expect("a scan of the sales");
    assert_eq!(sales.columns, ["customer", "amount"]);
    assert_eq!((sales.filters.as_str(), &sales.filter_columns[..]), ("(amount > 50.0)", &[][..]));
    assert_eq!(sales.limited_by, ["customer"]);
}

#[test]
fn what_is_wrong_is_said_with_line_and_column() {
    let folder = Folder::new();
    for (rows, expected) in [
        ("", "cases.csv:1: a header without cases; expected at least one"),
        ("a,,duckdb,,a.ron,1,1", "cases.csv:2: plan: is empty"),
        ("a,b.json,duckdb,,a.ron,1,1", "cases.csv:2: plan: b.json does not exist"),
        (
            "a,join.json,duckdb,,a.ron,1,1\na,b.json,duckdb,,a.ron,1,1\na,c.json,duckdb,,a.ron,1,1\na,d.json,duckdb,,a.ron,1,1",
            "cases.csv:3: plan: b.json and 2 more plans do not exist (lines 4, 5)",
        ),
        #[cfg(unix)]
        ("a,/dev/null,duckdb,,a.ron,1,1", "cases.csv:2: plan: /dev/null is neither a file nor a folder"),
        ("a,join.json,duckdb,,,1,1", "cases.csv:2: scenario: is empty"),
        ("a,join.json,duckdb,,a.ron,1,1\n,join.json,duckdb,,a.ron,1,1", "cases.csv:3: case: is empty"),
        (
            "a,join.json,duck,,a.ron,1,1",
            "cases.csv:2: format: “duck” is not a format, did you mean “duckdb”?; allowed: spark-log, spark-plan, duckdb, postgres, sql, or nothing",
        ),
        (
            "a,join.json,duckdb,,a.ron,0,1",
            "cases.csv:2: cpu_seconds: 0 is not a valid time; allowed: more than 0, up to 1e9 s",
        ),
        (
            "a,join.json,duckdb,,a.ron,1,-2",
            "cases.csv:2: gpu_seconds: -2 is not a valid time; allowed: more than 0, up to 1e9 s",
        ),
        (
            "a,join.json,duckdb,,a.ron,NaN,1",
            "cases.csv:2: cpu_seconds: NaN is not a valid time; allowed: more than 0, up to 1e9 s",
        ),
        (
            "a,join.json,duckdb,,a.ron,fast,1",
            "cases.csv:2: cpu_seconds: “fast” is not a number of seconds; “plan” is the time in the plan",
        ),
        ("a,join.json,duckdb,0,a.ron,1,1", "cases.csv:2: scale: 0 is out of range; allowed: 1e-9 … 1e12"),
        ("a,join.json,duckdb,none.csv,a.ron,1,1", "cases.csv:2: scale: none.csv does not exist"),
        ("a,join.json,duckdb", "cases.csv:2: 3 cells where the header has 7"),
    ] {
        let error = cases(&folder.cases(rows)).expect_err(rows);
        assert_eq!(folder.message(&error), expected, "{rows}");
    }
    let header = |text: &str| folder.message(&cases(&folder.file("cases.csv", text)).expect_err(text));
    assert_eq!(header(""), "cases.csv:1: the file is empty");
    assert_eq!(
        header("case,plan,format,scale,scenario,cpu_seconds,gpu_second\n"),
        "cases.csv:1: there is no column “gpu_second”, did you mean “gpu_seconds”?; columns: case, plan, format, scale, scenario, cpu_seconds, gpu_seconds and query"
    );
    assert_eq!(header(&format!("{HEADER},case\n")), "cases.csv:1: the column “case” appears twice");
}

#[test]
fn lines_are_counted_the_same_with_either_line_end() {
    let folder = Folder::new();
    let text = format!("{HEADER}\r\na,join.json,duckdb,,a.ron,1,1\r\nb,join.json,duckdb,,a.ron,0,1\r\n");
    let error = cases(&folder.file("cases.csv", &text)).expect_err("a time of zero");
    assert_eq!(error.line, 3);
    let found = cases(&folder.file("cases.csv", &text.replace(",0,1", ",1,1"))).expect("two cases");
    assert_eq!(found.iter().map(|case| case.place.1).collect::<Vec<u64>>(), [2, 3]);
}

#[test]
fn sizes_that_cannot_be_used_are_refused_where_they_stand() {
    let folder = Folder::new();
    for (text, expected) in [
        ("table,rows\n", "s.csv:1: a header without tables; expected at least one"),
        ("table,row\na,1\n", "s.csv:1: the column “rows” is missing; found: table, row"),
        ("table,rows\na,0\n", "s.csv:2: rows: 0 is out of range; allowed: 1 … 1e18"),
        ("table,rows\na,many\n", "s.csv:2: rows: “many” is not a number"),
        ("table,rows\na,1\na,2\n", "s.csv:3: table: “a” appears twice"),
    ] {
        assert_eq!(folder.message(&sizes(&folder.file("s.csv", text)).expect_err(text)), expected);
    }
    let other = folder.file("other.csv", "table,rows\norders,10\n");
    let found = cases(&folder.cases("a,join.json,duckdb,other.csv,a.ron,1,1")).expect("a case");
    let error = found[0].planned(&mut Plans::new(read), &Control::default()).expect_err("no table has a size");
    assert_eq!(
        folder.message(&error),
        "cases.csv:2: scale: other.csv has none of the tables of the plan: customers, sales"
    );
    assert!(other.exists());
}

#[test]
fn a_log_tells_its_own_time_on_the_side_where_it_ran() {
    let folder = Folder::new();
    let log = concat!(env!("CARGO_MANIFEST_DIR"), "/samples/spark/shop-eventlog.zstd");
    let header = format!("{HEADER},query\n");
    let planned = |scale: &str, cpu: &str, gpu: &str| {
        let file = folder.path("log.csv");
        fs::write(&file, format!("{header}shop,{log},spark-log,{scale},a.ron,{cpu},{gpu},6\n")).expect("written");
        let cases = cases(&file).expect("a case");
        cases[0].planned(&mut Plans::new(read), &Control::default())
    };
    // The log: from the start of query 6 to its end, 10.45 s on CPUs.
    let found = planned("", "plan", "").expect("a plan");
    let seconds = found.cpu_seconds.expect("a time");
    assert!((seconds - 10.45).abs() < 0.01 && found.gpu_seconds.is_none(), "{seconds}");
    let refused = |scale: &str, cpu: &str, gpu: &str| folder.message(&planned(scale, cpu, gpu).expect_err("no time"));
    assert_eq!(refused("", "", "plan"), "log.csv:2: gpu_seconds: the plan ran on CPUs; write its time to cpu_seconds");
    let expected =
        "log.csv:2: cpu_seconds: the plan's time is for its own tables; leave scale empty, or write the seconds";
    assert_eq!(refused("10", "plan", ""), expected);
}

#[test]
fn lines_are_counted_over_blank_ones() {
    let folder = Folder::new();
    let refused = |text: String| {
        let file = folder.path("blank.csv");
        fs::write(&file, text).expect("written");
        folder.message(&cases(&file).expect_err("a refusal"))
    };
    let wrong = refused(format!("{HEADER}\n\n\n\na,join.json,duckdb,,a.ron,-5,1\n"));
    assert!(wrong.starts_with("blank.csv:5: cpu_seconds: -5 is not a valid time"), "{wrong}");
    let short = refused(format!("{HEADER}\na,join.json,duckdb,,a.ron,5,1\n\n\n# a comment\n"));
    assert!(short.starts_with("blank.csv:5: "), "{short}");
    assert_eq!(refused("\n".to_owned()), "blank.csv:1: the file is empty");
}
