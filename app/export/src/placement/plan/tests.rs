//! A small Spark plan in every format.

use crossover_placement::whole::decide;
use crossover_placement::{Placement, Query, Side, evaluate};
use crossover_quantity::unit::Unit;
use crossover_query::{Amount, Kind, Metric, Node, Plan};
use serde_json::Value;

use super::super::recommendations;
use super::PlanFormat;
use crate::Format;
use crate::csv::parse;

/// Two joins on different sides by pins, user code without a switch, a shuffle that is read twice.
fn study() -> Placement {
    let scenario = crossover_scenario::read(include_str!("../../../../../scenarios/placement-small.ron")).unwrap();
    let mut study = scenario.placement().unwrap().clone();
    let node = |name: &str, kind: Kind, class: &str, inputs: &[usize], rows: f64, bytes: f64| Node {
        class: (!class.is_empty()).then(|| class.to_owned()),
        inputs: inputs.to_vec(),
        rows_out: (rows > 0.0).then(|| Amount::reported(rows)),
        bytes_out: (bytes > 0.0).then(|| Amount::reported(bytes)),
        ..Node::new(name, kind)
    };
    let mut nodes = vec![
        node("CollectLimit", Kind::Limit, "CollectLimitExec", &[1], 1e6, 8e9),
        node("WholeStageCodegen (3)", Kind::Wrapper, "", &[2], 0.0, 0.0),
        node("SortMergeJoin", Kind::Join, "SortMergeJoinExec", &[3, 6], 1e6, 8e9),
        node("Exchange", Kind::Shuffle, "ShuffleExchangeExec", &[4], 1e8, 8e9),
        node("Filter", Kind::Filter, "FilterExec", &[5], 1e8, 8e9),
        node("Scan parquet sales", Kind::Scan, "FileSourceScanExec", &[], 1e9, 8e10),
        node("SortMergeJoin", Kind::Join, "SortMergeJoinExec", &[7, 9], 0.0, 0.0),
        node("MapElements", Kind::UserCode, "MapElementsExec", &[8], 0.0, 0.0),
        node("Scan json", Kind::Scan, "BatchScanExec", &[], 1e6, 1e8),
        node("ReusedExchange", Kind::Wrapper, "", &[], 0.0, 0.0),
    ];
    nodes[9].reuses = Some(3);
    nodes[5].detail = "=HYPERLINK(\"a\")".to_owned();
    nodes[3].stages = vec![0, 1];
    let metric = |name: &str, total| Metric { name: name.to_owned(), unit: "sum".to_owned(), total };
    nodes[3].metrics = vec![metric("shuffle records written", Some(1e8)), metric("records read", None)];
    let plan = Plan {
        engine: "Spark 3.5.1".to_owned(),
        file: "a.zstd".to_owned(),
        query: "7".to_owned(),
        description: "sales".to_owned(),
        duration_seconds: Some(12.5),
        nodes,
        ..Plan::default()
    };
    let pins = [(2, Side::Cpu), (6, Side::Gpu)].into();
    study.query = Some(Box::new(Query { plan: plan.into(), pins, ..Query::default() }));
    study
}

fn written(format: Format) -> String {
    let study = study();
    recommendations("Sales", &study, &evaluate(&study), decide(&study).as_ref()).write(format)
}

fn parsed() -> Value {
    serde_json::from_str(&written(Format::Json)).unwrap()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

/// The settings of a properties file, comments left out.
fn settings(text: &str) -> Vec<(String, String)> {
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| line.split_once('=').expect("key=value")).map(|(key, value)| (key.into(), value.into())).collect()
}

#[test]
fn json_tells_reported_numbers_from_estimates() {
    let plan = &parsed()["plan"];
    assert_eq!((&plan["query"], &plan["duration_seconds"]), (&"7".into(), &12.5.into()));
    let nodes = plan["nodes"].as_array().unwrap();
    assert_eq!(nodes.len(), 10);
    assert_eq!(nodes[4]["rows_out"].to_string(), "100000000");
    assert_eq!(nodes[4]["origins"]["rows_out"], "reported by the engine");
    assert_eq!(nodes[4]["origins"]["rows_in"], "derived: sum of the inputs' output");
    // The larger input of the second join is the reused shuffle.
    assert_eq!((&nodes[6]["rows_out"], &nodes[6]["origins"]["rows_out"]), (&Value::Null, &Value::Null));
    let expected = serde_json::json!({ "value": 100_000_000, "rule": "as many rows as the larger input" });
    assert_eq!(nodes[6]["estimates"]["rows_out"], expected);
    assert_eq!(nodes[3]["metrics"].to_string(), r#"{"records read":null,"shuffle records written":100000000}"#);
    assert_eq!((&nodes[1]["placement"], &nodes[1]["seconds"]), (&Value::Null, &Value::Null), "a wrapper");
    assert_eq!((&nodes[9]["placement"], &nodes[9]["reuses"]), (&Value::Null, &3.into()));
    assert_eq!((&nodes[2]["placement"], &nodes[2]["fixed"]), (&"cpu".into(), &"pinned".into()));
    assert_eq!((&nodes[6]["placement"], &nodes[6]["fixed"]), (&"gpu".into(), &"pinned".into()));
    assert!(nodes[6]["reason"].as_str().unwrap().starts_with("GPU: pinned"), "{}", nodes[6]);
    assert_eq!((&nodes[7]["placement"], &nodes[7]["fixed"]), (&"cpu".into(), &"cpu only".into()));
}

#[test]
fn seconds_of_operators_and_of_the_bus_between_them_add_up_to_the_plan() {
    let plan = &parsed()["plan"];
    let nodes = plan["nodes"].as_array().unwrap();
    let edges = plan["edges"].as_array().unwrap();
    let ends: Vec<(u64, u64)> =
        edges.iter().map(|edge| (edge["from"].as_u64().unwrap(), edge["to"].as_u64().unwrap())).collect();
    for end in [(2, 0), (3, 2), (6, 2), (4, 3), (5, 4), (7, 6), (3, 6), (8, 7)] {
        assert!(ends.contains(&end), "{end:?} in {ends:?}");
    }
    assert_eq!(ends.len(), 8, "wrappers are seen through");
    let own: f64 = nodes.iter().filter_map(|node| node["seconds"].as_f64()).sum();
    let bus: f64 = edges.iter().map(|edge| number(&edge["seconds"])).sum();
    assert!(bus > 0.0, "the pins are on different sides");
    assert!(((own + bus) / number(&plan["totals"]["seconds"]) - 1.0).abs() < 1e-12);
    assert_eq!(number(&plan["totals"]["transfer_seconds"]), bus);
    let terms = plan["breakdown"].as_object().unwrap();
    let sum: f64 = terms.values().map(number).sum();
    assert!((sum / number(&plan["totals"]["seconds"]) - 1.0).abs() < 1e-12);
}

#[test]
fn csv_has_a_line_for_each_node_and_no_formula() {
    let records = parse(&written(Format::Csv));
    let column = |name: &str| records[0].iter().position(|title| title == name).unwrap();
    assert_eq!(records.len(), 11);
    assert!(records.iter().all(|record| record.len() == records[0].len()));
    assert_eq!(records[6][column("detail")], "'=HYPERLINK(\"a\")");
    assert_eq!((&*records[7][column("rows_out")], &*records[7][column("rows_out_origin")]), ("100000000", "estimated"));
    assert_eq!(&*records[3][column("inputs")], "3 6");
    assert_eq!(&*records[4][column("stages")], "0 1");
    assert_eq!((&*records[2][column("placement")], &*records[2][column("seconds")]), ("", ""), "a wrapper");
    let bus: f64 =
        records[1..].iter().filter_map(|record| record[column("transfer_seconds")].parse::<f64>().ok()).sum();
    assert!((bus / number(&parsed()["plan"]["totals"]["transfer_seconds"]) - 1.0).abs() < 1e-12);
}

#[test]
fn people_find_an_operator_of_spark_in_their_history_server() {
    let write = |study: &Placement, format: Format| {
        recommendations("Sales", study, &evaluate(study), decide(study).as_ref()).write(format)
    };
    let without = study();
    assert!(!write(&without, Format::Table).contains("Spark UI"), "another engine has no such page");
    let mut study = study();
    study.query.as_mut().unwrap().plan.nodes[4].spark_ui_id = Some(17);
    let document: Value = serde_json::from_str(&write(&study, Format::Json)).unwrap();
    let nodes = &document["plan"]["nodes"];
    assert_eq!((&nodes[4]["spark_ui_id"], &nodes[5]["spark_ui_id"]), (&17.into(), &Value::Null));
    let records = parse(&write(&study, Format::Csv));
    let column = records[0].iter().position(|title| title == "spark_ui_id").unwrap();
    assert_eq!((&*records[5][column], &*records[6][column]), ("17", ""));
    let table = write(&study, Format::Table);
    assert!(table.contains("Spark UI"), "{table}");
    let row = table.lines().find(|line| line.contains("Filter ")).unwrap();
    assert_eq!(row.split_whitespace().take(2).collect::<Vec<_>>(), ["4", "17"], "{row}");
    let document: Value = serde_json::from_str(&PlanFormat::Json.write("Sales", &study).unwrap()).unwrap();
    let operator = document["operators"].as_array().unwrap().iter().find(|operator| operator["id"] == 4);
    assert_eq!(operator.unwrap()["spark_ui_id"], 17);
}

#[test]
fn the_choice_by_class_is_what_the_exported_switches_say() {
    let document = parsed();
    let by_class = &document["plan"]["by_class"];
    let chosen: Vec<(String, bool)> = by_class["classes"]
        .as_object()
        .unwrap()
        .iter()
        .map(|(class, choice)| (class.clone(), choice["placement"] == "gpu"))
        .collect();
    assert!(chosen.iter().all(|(class, _)| class != "MapElementsExec"), "it has no switch");
    let text = PlanFormat::SparkConf.write("Sales", &study()).unwrap();
    let switches = settings(&text)
        .into_iter()
        .filter_map(|(key, value)| Some((key.strip_prefix("spark.rapids.sql.exec.")?.to_owned(), value == "true")));
    let mut switches: Vec<(String, bool)> = switches.collect();
    switches.sort_unstable();
    assert_eq!(chosen, switches);
    let seconds = Unit::Seconds.format(number(&by_class["seconds"]));
    assert!(text.contains(&format!("# Per operator class  {seconds},")), "{seconds} in {text}");
}

#[test]
fn the_plan_in_a_terminal() {
    insta::assert_snapshot!(written(Format::Table));
}

#[test]
fn the_plan_in_markdown() {
    insta::assert_snapshot!(written(Format::Markdown));
}

#[test]
fn the_plan_as_spark_configuration() {
    insta::assert_snapshot!(PlanFormat::SparkConf.write("Sales", &study()).unwrap());
}

#[test]
fn every_class_with_a_switch_has_one_and_torn_classes_are_told() {
    let text = PlanFormat::SparkConf.write("Sales", &study()).unwrap();
    let switches: Vec<(String, String)> =
        settings(&text).into_iter().filter(|(key, _)| key.starts_with("spark.rapids.sql.exec.")).collect();
    let classes: Vec<&str> = switches.iter().map(|(key, _)| key.trim_start_matches("spark.rapids.sql.exec.")).collect();
    let expected = [
        "BatchScanExec",
        "CollectLimitExec",
        "FileSourceScanExec",
        "FilterExec",
        "ShuffleExchangeExec",
        "SortMergeJoinExec",
    ];
    assert_eq!(classes, expected);
    assert!(switches.iter().all(|(_, value)| value == "true" || value == "false"));
    // Pinned to both sides, so the CPU has them all.
    assert_eq!(switches[5].1, "false");
    assert!(text.contains("# SortMergeJoinExec: the plan places 1 on CPU (node 2) and 1 on GPU (node 6)"), "{text}");
    assert!(text.contains("# No switch, counted on CPU above: MapElementsExec"), "{text}");
    assert!(text.contains("spark.rapids.sql.mode=explainOnly"), "{text}");
}

#[test]
fn what_one_side_for_a_torn_class_costs_is_the_difference_of_the_plans_times() {
    let text = PlanFormat::SparkConf.write("Sales", &study()).unwrap();
    let plan = &parsed()["plan"];
    let node = |id: usize| &plan["nodes"][id];
    for neighbour in [2, 3, 7] {
        assert_eq!(node(neighbour)["placement"], "cpu", "otherwise another edge moves data");
    }
    let edge = |from: u64, to: u64| {
        let edges = plan["edges"].as_array().unwrap().iter();
        edges.into_iter().find(|edge| edge["from"] == from && edge["to"] == to).unwrap()
    };
    // Node 6 moves to the CPU, where all it reads from and what reads it are.
    let gpu = number(&node(6)["gpu_seconds"])
        + number(&edge(7, 6)["to_gpu_seconds"])
        + number(&edge(3, 6)["to_gpu_seconds"])
        + number(&edge(6, 2)["from_gpu_seconds"]);
    let saved = crossover_quantity::unit::Unit::Seconds.format(gpu - number(&node(6)["cpu_seconds"]));
    assert!(text.contains(&format!("Setting the whole class to CPU saves {saved}.\n")), "{saved} in\n{text}");
}

#[test]
fn costs_are_seconds_of_a_class_per_row_that_it_gives() {
    let settings = settings(&PlanFormat::SparkConf.write("Sales", &study()).unwrap());
    let value = |key: &str| -> f64 {
        let key = format!("spark.rapids.sql.optimizer.{key}");
        settings.iter().find(|(known, _)| *known == key).expect(&key).1.parse().expect("a number")
    };
    let plan = &parsed()["plan"];
    let seconds = |id: usize, side: &str| number(&plan["nodes"][id][side]);
    let near = |found: f64, expected: f64| assert!((found / expected - 1.0).abs() < 1e-3, "{found}, not {expected}");
    near(value("cpu.exec.FilterExec"), seconds(4, "cpu_seconds") / 1e8);
    near(value("gpu.exec.FilterExec"), seconds(4, "gpu_seconds") / 1e8);
    // Two joins with a million and (estimated) a hundred million output rows.
    let joins = seconds(2, "cpu_seconds") + seconds(6, "cpu_seconds");
    near(value("cpu.exec.SortMergeJoinExec"), joins / 1.01e8);
    // 8 GB on 8 machines go back over the bus at 26.8 GB/s; the optimizer counts that itself.
    near(value("gpu.exec.CollectLimitExec"), (seconds(0, "gpu_seconds") - 1.0 / 26.8) / 1e6);
    // Eight machines of 66.6 GB/s, in units of 2^30 bytes.
    near(value("cpuReadSpeed"), 8.0 * 66.6 / 1.073_741_824);
    assert!(settings.contains(&("spark.rapids.sql.optimizer.enabled".to_owned(), "false".to_owned())));
}

#[test]
fn no_name_can_add_a_setting() {
    let mut study = study();
    let query = study.query.as_mut().unwrap();
    query.plan.file = "a\nspark.evil=1".to_owned();
    query.plan.nodes[7].class = Some("Evil\nspark.evil=1".to_owned());
    let text = PlanFormat::SparkConf.write("b\nspark.evil=1", &study).unwrap();
    assert!(settings(&text).len() > 5, "{text}");
    assert!(settings(&text).iter().all(|(key, _)| key.starts_with("spark.rapids.sql.")), "{text}");
}

#[test]
fn the_placement_for_programs_says_how_sure_it_is() {
    let mut study = study();
    let query = study.query.as_mut().unwrap();
    query.plan.nodes[5].bytes_in = Some(Amount::reported(8e10));
    let document: Value = serde_json::from_str(&PlanFormat::Json.write("Sales", &study).unwrap()).unwrap();
    let operators = document["operators"].as_array().unwrap();
    let of = |id: u64| operators.iter().find(|operator| operator["id"] == id);
    assert_eq!(operators.len(), 8);
    assert!(of(1).is_none() && of(9).is_none(), "wrappers run nowhere");
    let confidence = |id: u64| of(id).unwrap()["confidence"].as_str().unwrap().to_owned();
    assert_eq!(
        (confidence(5), confidence(4), confidence(6)),
        ("reported".into(), "derived".into(), "estimated".into())
    );
    assert_eq!(of(6).unwrap()["class"], "SortMergeJoinExec");
    assert_eq!(of(6).unwrap()["placement"], "gpu");
    assert_eq!(document["cluster"], "8 machines, 25 Gb Ethernet, TCP without compression");
}

#[test]
fn a_study_says_why_it_cannot_be_written() {
    let mut study = study();
    for node in &mut study.query.as_mut().unwrap().plan.nodes {
        node.class = None;
    }
    assert!(PlanFormat::SparkConf.write("a", &study).unwrap_err().contains("no operator of the plan has a class"));
    assert!(PlanFormat::Json.write("a", &study).is_ok());
    study.query = None;
    assert!(PlanFormat::Json.write("a", &study).unwrap_err().contains("no query plan"));
}
