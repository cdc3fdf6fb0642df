//! Probes on the command line: built from tasks, read from reports, ranked; and what the tests of probes share.

use std::collections::BTreeMap;
use std::fs;

use serde_json::Value;

use super::{records, refusal, run};

pub(super) fn written(folder: &tempfile::TempDir, name: &str, text: &str) -> String {
    let path = folder.path().join(name);
    fs::write(&path, text).expect("written");
    path.to_str().expect("text").to_owned()
}

pub(super) const PUBLISHED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../scenarios/probe-published.ron");
pub(super) const CENTRES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../scenarios/probe-centres.ron");

/// A folder, and paths in it.
pub(super) struct Place(pub(super) tempfile::TempDir);

impl Place {
    pub(super) fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    pub(super) fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_str().expect("text").to_owned()
    }

    pub(super) fn lines(&self, name: &str) -> Vec<Value> {
        let text = fs::read_to_string(self.path(name)).expect("a file");
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    }
}

/// The JSON record of the only centre of a scenario.
pub(super) fn only_centre(scenario: &str) -> Value {
    let all: Value = serde_json::from_str(&run(&["evaluate", scenario, "--format", "json"]).1).expect("JSON");
    all["centres"][0].clone()
}

#[test]
fn the_published_example_is_built_as_published() {
    let place = Place::new();
    let task = place.path("task.ron");
    let (code, table, messages) = run(&["probe", "build", PUBLISHED, "--out", &task]);
    assert_eq!(code, Some(0), "{messages}");
    for row in [
        "operator 1            3,000  dgemm",
        "chosen                 3",
        "chosen                 2",
        "chosen                 1  operator 1, operator 2",
    ] {
        assert!(table.contains(row), "{row}: {table}");
    }
    let task = fs::read_to_string(task).expect("a probe");
    assert!(task.contains("executions: 3,") && task.contains("from: [\"operator 1\", \"operator 2\"]"), "{task}");
    // Table 1 of the document chooses units 2.
    assert_eq!(only_centre(PUBLISHED)["unit_type"], "unit 2");
}

#[test]
fn a_list_of_operators_becomes_a_probe_and_a_scenario() {
    let place = Place::new();
    let list = place.path("task.csv");
    let text = "name,executions,category,from\nConv2d_1,3000,AI,\nwhatsit,10,AI,Conv2d_1\nreduce sum,1,data,whatsit\n";
    fs::write(&list, text).expect("written");
    let scenario = place.path("s.ron");
    let (code, table, messages) = run(&["probe", "build", &list, "--scenario", &scenario, "--task-type", "vision"]);
    assert_eq!(code, Some(0), "{messages}");
    assert!(table.contains("convolution") && table.contains("no match"), "{table}");
    assert!(messages.contains("not in the probe, as no operator of the library matches: whatsit"), "{messages}");
    let found = only_centre(&scenario);
    assert_eq!((&found["centre"], &found["score"]), (&"this machine".into(), &Value::Null));
    // What cannot be is refused with its line.
    fs::write(&list, "name,executions\na,0\n").expect("written");
    assert!(refusal(1, &["probe", "build", &list]).contains("line 2: executions of a"), "refused");
    fs::write(&list, "name,executions,from\na,1,b\nb,1,a\n").expect("written");
    assert!(refusal(1, &["probe", "build", &list]).contains("form a cycle"), "refused");
    fs::write(&list, "name,executions\nwhatsit,1\n").expect("written");
    let (code, _, messages) = run(&["probe", "build", &list]);
    assert!(code == Some(1) && messages.contains("no operator of"), "{messages}");
}

#[test]
fn a_query_plan_and_a_network_become_probes() {
    let place = Place::new();
    let sql = place.path("q.sql");
    let text = "-- rows: 100 million\nCREATE TABLE t (a INT, b INT);\nSELECT a, sum(b) FROM t WHERE b > 3 GROUP BY a ORDER BY a;\n";
    fs::write(&sql, text).expect("written");
    let (code, table, messages) = run(&["probe", "build", &sql]);
    assert_eq!(code, Some(0), "{messages}");
    for operator in ["aggregate", "sort"] {
        assert!(table.contains(operator), "{operator}: {table}");
    }
    let layers = place.path("net.csv");
    let text = "name,operator,input_size,output_size,parameters\nc,conv2d,150528,802816,9408\nr,relu,802816,802816,0\nf,linear,2048,1000,2049000\n";
    fs::write(&layers, text).expect("written");
    let (code, table, messages) = run(&["probe", "build", &layers, "--multiplier", "1000000"]);
    assert_eq!(code, Some(0), "{messages}");
    assert!(table.contains("convolution") && table.contains("sgemm") && table.contains("triad"), "{table}");
}

/// As `nsys stats --format csv` prints it.
#[test]
fn a_profile_of_kernels_becomes_a_probe() {
    let place = Place::new();
    let profile = place.path("profile.csv");
    let text = "Time (%),Total Time (ns),Instances,Avg (ns),Name\n\
                90.0,180000,4000,45.0,ampere_dgemm_128x64_nn\n\
                9.0,20000,2000,10.0,\"void regular_fft<1024>(kernel_parameters_t)\"\n\
                1.0,1000,10,100.0,mine\n";
    fs::write(&profile, text).expect("written");
    let (code, table, messages) = run(&["probe", "build", &profile]);
    assert_eq!(code, Some(0), "{messages}");
    assert!(table.contains("dgemm") && table.contains("regular_fft") && table.contains("no match"), "{table}");
    assert!(messages.contains("a launch counts as one execution"), "{messages}");
}

/// A kernel of one's own, in a profile by its name, and in code by another name than the known one.
#[test]
fn a_kernel_of_ones_own_is_recognised_by_its_code() {
    const KERNELS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../model/probe/tests/probe/kernels");
    let place = Place::new();
    let [renamed, known] = ["renamed", "spmv"].map(|name| format!("{KERNELS}/{name}.ptx"));
    let (profile, known) = (place.path("profile.csv"), format!("spmv={known}"));
    let text = "Time (%),Total Time (ns),Instances,Avg (ns),Name\n\
                90.0,180000,4000,45.0,\"mine::row_product(int, const int *)\"\n";
    fs::write(&profile, text).expect("written");
    let (code, table, messages) = run(&["probe", "build", &profile, "--code", &renamed, "--known", &known]);
    assert_eq!(code, Some(0), "{messages}");
    let row = table.lines().find(|line| line.starts_with("mine::row_product")).expect("a row");
    let cells: Vec<&str> = row.split_whitespace().collect();
    assert_eq!(cells[1..3], ["4,000", "spmv"], "{table}");
    assert!(messages.contains("matched to spmv by code similar to csr (100 %; threshold 50 %)"), "{messages}");
    // The code alone, of a kernel that is not known.
    let other = format!("{KERNELS}/dgemm.ptx");
    let (code, _, messages) = run(&["probe", "build", &other, "--known", &known]);
    assert_eq!(code, Some(1), "{messages}");
    assert!(messages.contains("product: no known kernel has similar code; nearest is csr (17.65 %"), "{messages}");
    let problem = refusal(1, &["probe", "build", &renamed, "--known", "spnv=x.ptx"]);
    assert!(problem.contains("--known spnv: the library has no operator “spnv”"), "{problem}");
    let problem = refusal(1, &["probe", "build", &renamed, "--known", &format!("spmv={}", place.path("profile.csv"))]);
    assert!(problem.contains("no kernel found; expected PTX"), "{problem}");
}

#[test]
fn a_log_of_several_queries_is_taken_as_a_whole_and_one_of_them_by_its_id() {
    let place = Place::new();
    let log = concat!(env!("CARGO_MANIFEST_DIR"), "/../plan/samples/spark/shop-eventlog.zstd");
    let built = |more: &[&str]| {
        let out = place.path("s.ron");
        let arguments: Vec<&str> =
            ["probe", "build", log, "--scenario", &out].into_iter().chain(more.iter().copied()).collect();
        let (code, _, messages) = run(&arguments);
        assert!(code == Some(0) || messages.contains("no operator"), "{messages}");
        let text = fs::read_to_string(&out).unwrap_or_default();
        _ = fs::remove_file(&out);
        let scenario = crossover_scenario::read(&text).ok();
        let operators = scenario.and_then(|scenario| Some(scenario.probe()?.operators.clone())).unwrap_or_default();
        (operators, messages)
    };
    let (all, messages) = built(&[]);
    assert!(messages.contains("note: 9 queries together"), "{messages}");
    let mut sums: BTreeMap<String, [f64; 2]> = BTreeMap::new();
    for id in 0..9 {
        for of in built(&["--query", &id.to_string()]).0 {
            let [least, most] = sums.entry(of.name).or_default();
            // The rows of all queries are rounded up once, those of each of them by itself.
            (*least, *most) = (f64::max(*least, of.executions), *most + of.executions);
        }
    }
    assert!(sums.len() > 8 && all.iter().any(|of| of.name == "sort" && of.executions == 3.0), "{all:?}");
    assert!(sums.keys().all(|name| all.iter().any(|of| of.name == *name)), "{all:?}");
    for of in &all {
        match sums.get(&of.name) {
            Some([least, most]) => assert!((*least..=*most).contains(&of.executions), "{of:?}: {least} {most}"),
            None => assert_eq!(of.name, "other", "queries without anything else are no probe alone"),
        }
    }
    let problem = refusal(1, &["probe", "build", log, "--query", "nine"]);
    assert!(problem.contains("9 queries, none with the id nine; --query takes one of: 0, 1, 2"), "{problem}");
}

#[test]
fn reports_of_other_tools_are_read_into_centres() {
    let place = Place::new();
    let (table, out) = (place.path("runs.csv"), place.path("out.ron"));
    let text = "centre,unit_type,units,seconds,relative_error\neast,cpu,1,2.0,1e-14\neast,cpu,2,1.1,1e-14\neast,cpu,4,0.6,1e-14\nwest,cpu,1,1.0,1e-14\nwest,cpu,1,1.2,\n";
    fs::write(&table, text).expect("written");
    let (code, output, messages) = run(&["probe", "read", PUBLISHED, "--from", &table, "--out", &out]);
    assert_eq!(code, Some(0), "{messages}");
    assert!(output.contains("east, cpu") && messages.contains("east is a new centre"), "{output}{messages}");
    let ranked = run(&["probe", "rank", &out, "--format", "csv"]).1;
    let rows = records(&ranked);
    let east = rows.iter().find(|row| row[0] == "east").expect("east");
    // One run on one unit; 0.7 × 40 points for 2 s, 0.3 × 100 for the precision.
    assert_eq!((east[3].as_str(), east[9].as_str()), ("58", "1"));
    let hyperfine = place.path("h.json");
    let text = r#"{"results": [{"command": "solve", "mean": 1.5, "times": [1.4, 1.6], "exit_codes": [0, 1], "parameters": {"threads": "4"}}]}"#;
    fs::write(&hyperfine, text).expect("written");
    let (code, output, messages) =
        run(&["probe", "read", PUBLISHED, "--from", &hyperfine, "--centre", "example centre"]);
    assert_eq!(code, Some(0), "{messages}");
    assert!(output.contains("Failed: 4 units"), "{output}");
    fs::write(&hyperfine, "no measurements").expect("written");
    assert!(refusal(1, &["probe", "read", PUBLISHED, "--from", &hyperfine]).contains("ReFrame"), "formats are named");
}

#[test]
fn a_probe_is_kept_and_found_by_the_type_of_its_task() {
    let place = Place::new();
    let (folder, out) = (place.path("kept"), place.path("again.ron"));
    let (code, _, messages) = run(&["probe", "keep", CENTRES, "--folder", &folder]);
    assert!(code == Some(0) && messages.contains(": written; “crossover probe find” lists it"), "{messages}");
    let problem = refusal(1, &["probe", "keep", PUBLISHED, "--folder", &folder]);
    assert!(problem.contains("the task has no type"), "{problem}");
    let (code, _, messages) = run(&["probe", "keep", PUBLISHED, "--task-type", "dense", "--folder", &folder]);
    assert_eq!(code, Some(0), "{messages}");
    let (code, table, messages) = run(&["probe", "find", "--folder", &folder]);
    assert_eq!((code, messages.as_str(), table.lines().count()), (Some(0), "", 3), "{table}");
    let (code, table, messages) = run(&["probe", "find", "Climate", "--folder", &folder, "--out", &out]);
    assert_eq!(code, Some(0), "{messages}");
    assert!(table.lines().nth(1).is_some_and(|row| row.starts_with("climate    Three compute centres")), "{table}");
    // With its runs: the centres are ranked as before.
    assert_eq!(run(&["probe", "rank", &out]).1, run(&["probe", "rank", CENTRES]).1);
    let problem = refusal(1, &["probe", "find", "climat", "--folder", &folder]);
    assert!(problem.contains("no kept probe of the type “climat”") && problem.contains("climate, dense"), "{problem}");
}

#[test]
fn ranking_and_plan_are_parts_of_the_outcome() {
    let ranked = run(&["probe", "rank", CENTRES]);
    assert!(ranked.0 == Some(0) && ranked.1.starts_with("south has the highest score"), "{}", ranked.1);
    let (code, plan, _) = run(&["probe", "schedule", CENTRES, "--format", "csv"]);
    let rows = records(&plan);
    // 6 + 12 + 1 tasks.
    assert_eq!((code, rows.len()), (Some(0), 20));
    let (code, output, messages) = run(&["probe", "rank", PUBLISHED]);
    assert!(code == Some(1) && output.is_empty() && messages.contains("nothing to rank"), "{messages}");
    let (code, _, messages) = run(&["probe", "schedule", PUBLISHED]);
    assert!(code == Some(1) && messages.contains("no work to schedule"), "{messages}");
}
