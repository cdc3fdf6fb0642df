//! Allocation studies on the command line.

use std::fs;

use crossover_needs::test_data;

use super::{refusal, result, run};

const SHARED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../scenarios/allocation-shared.ron");

#[test]
fn every_format_names_every_rule() {
    for format in ["table", "csv", "json", "markdown", "ron"] {
        let text = result(&["evaluate", SHARED, "--format", format]);
        for rule in ["MostLeft", "Random", "DotProd", "Clustering", "Packing", "BestFit", "FGD"] {
            assert!(text.contains(rule), "{format}: {rule}");
        }
    }
}

#[test]
fn numbers_and_the_rule_are_overridden_and_swept() {
    let text = result(&["evaluate", SHARED, "--set", "policy.rule=BestFit", "--set", "nodes.training.nodes=20"]);
    assert!(text.contains("24 nodes with 176 GPUs"), "{text}");
    assert!(text.contains("of all GPUs by BestFit"), "{text}");
    let curve = result(&["sweep", SHARED, "--x", "nodes.training.nodes=8..16:3"]);
    assert!(curve.lines().count() >= 4, "{curve}");
    let problem = refusal(1, &["evaluate", SHARED, "--set", "policy.grows=elsewhere"]);
    assert!(problem.contains("elsewhere") && problem.contains("training"), "{problem}");
}

/// A cluster of two nodes and three pods, one line of which is bad.
#[test]
fn a_trace_is_filled_told_and_made_a_scenario() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).expect("written");
        path.to_str().expect("text").to_owned()
    };
    let nodes = file("nodes.csv", "sn,cpu_milli,memory_mib,gpu,model\nb,8000,16384,1,T4\na,64000,262144,2,V100\n");
    let head = "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,creation_time,deletion_time,scheduled_time\n";
    let pods = file(
        "pods.csv",
        &format!(
            "{head}p1,4000,1024,1,500,,LS,0,10,0\np2,4000,1024,1,1000,V100,BE,0,5,7\np3,4000,1024,2,1000,V100,BE,0,9,1\n"
        ),
    );
    let out = folder.path().join("made.ron");
    let out = out.to_str().expect("text");
    let arguments =
        ["import", "openb", "--nodes", &nodes, "--pods", &pods, "--demand", "1", "--format", "json", "--out", out];
    let (code, text, messages) = run(&arguments);
    assert_eq!(code, Some(0), "{messages}");
    assert!(messages.contains("1 line was left out: line 3: it ends at 5, before it begins at 7"), "{messages}");
    let record: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!((&record["policy"], &record["seed"]), (&"FGD".into(), &42.into()));
    let curve = record["curve"].as_array().expect("a curve");
    assert_eq!((curve.len(), &curve[100]["demand_percent"]), (101, &100.into()));
    let report = result(&["evaluate", out]);
    assert!(report.contains("2 nodes with 3 GPUs") && report.contains("imported"), "{report}");

    let absent = refusal(1, &["import", "openb", "--nodes", &pods, "--pods", &pods]);
    assert!(absent.contains("no column “sn”"), "{absent}");
    let unknown = file("unknown.csv", &format!("{head}p,4000,1024,1,500,H100,LS,0,10,0\n"));
    let unknown = refusal(1, &["import", "openb", "--nodes", &nodes, "--pods", &unknown]);
    assert!(
        unknown.contains("no pod in it; line 2: gpu_spec has “H100”, which no node has; there is T4, V100"),
        "{unknown}"
    );
    let rule = refusal(2, &["import", "openb", "--nodes", &nodes, "--pods", &pods, "--policy", "Best"]);
    assert!(rule.contains("allowed: MostLeft, Random"), "{rule}");
}

#[test]
fn the_scenario_of_alibabas_trace_gives_as_much_away_as_the_trace() {
    let Some(folder) = test_data("openb") else { return };
    let file = |name: &str| folder.join(name).to_str().expect("text").to_owned();
    let (nodes, pods) = (file("openb_node_list_gpu_node.csv"), file("openb_pod_list_default.csv"));
    let made = tempfile::tempdir().expect("a folder");
    let out = made.path().join("alibaba.ron");
    let out = out.to_str().expect("text");
    let (code, _, messages) = run(&["import", "openb", "--nodes", &nodes, "--pods", &pods, "--out", out]);
    assert_eq!(code, Some(0), "{messages}");
    let text = result(&["evaluate", out, "--set", "arrivals.orders=2", "--format", "csv"]);
    let fgd = text.lines().find(|line| line.starts_with("FGD,")).expect("a line");
    let given: f64 = fgd.split(',').nth(1).and_then(|number| number.parse().ok()).expect("a number");
    // 95.39 % in the published table; memory of tasks that are alike is a mean.
    assert!((given - 95.39).abs() < 0.5, "{given}");
}
