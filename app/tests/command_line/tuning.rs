//! Regulation scenarios: better gains, which gains are safe, and recordings as demand.

use std::path::Path;

use serde_json::Value;

use super::{PUBLISHED, REGULATION, records, refusal, result, result_and_file, run};

fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&result(arguments)).expect("JSON")
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

#[test]
fn a_search_settles_sooner_within_the_overshoot_and_the_written_scenario_has_its_gains() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("tuned.ron");
    let arguments = ["tune", REGULATION, "--overshoot-limit", "5%", "--format", "json", "--out", text(&out)];
    let tuned: Value = serde_json::from_str(&result_and_file(&arguments, &out)).expect("JSON");
    let (present, found) = (&tuned["current"], &tuned["tuned"]);
    assert_eq!((number(&present["kp"]), number(&present["ki"]), number(&present["kd"])), (1.0, 0.3, 0.5));
    assert!(number(&found["settling_periods"]) < number(&present["settling_periods"]), "{tuned}");
    assert!(number(&found["overshoot"]) <= 0.05, "{tuned}");
    let document = json(&["evaluate", text(&out), "--format", "json"]);
    for figure in ["settling_periods", "overshoot", "steady_state_error", "integral_absolute_error"] {
        assert_eq!(document[figure], found[figure], "{figure}");
    }
    assert_eq!(document["after"]["tops"], found["tops"]);
    assert_eq!(document["steps"][0]["kp"], found["kp"]);
}

#[test]
fn learned_gains_are_judged_on_unseen_disturbances_and_the_written_scenario_has_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("learned.ron");
    let arguments = ["tune", REGULATION, "--rule", "learn", "--seed", "3", "--format", "json", "--out", text(&out)];
    let tuned: Value = serde_json::from_str(&result_and_file(&arguments, &out)).expect("JSON");
    let rule = &tuned["rule"]["learn"];
    assert_eq!(rule["seed"], 3);
    assert!(number(&rule["held_out"]) <= 1.0 && number(&rule["worst_held_out"]) >= number(&rule["held_out"]), "{rule}");
    let document = json(&["evaluate", text(&out), "--format", "json"]);
    assert_eq!(document["integral_absolute_error"], tuned["tuned"]["integral_absolute_error"]);
    let problem = refusal(1, &["tune", REGULATION, "--seed", "3"]);
    assert!(problem.contains("--seed belongs to --rule learn"), "{problem}");
}

/// Åström and Hägglund: Ku = 4·d / (π·a). Ziegler and Nichols for PID: 0.6·Ku, Ti = Tu/2, Td = Tu/8.
#[test]
fn an_experiment_gives_the_gains_of_ziegler_and_nichols() {
    let tuned = json(&["tune", REGULATION, "--rule", "ziegler-nichols", "--format", "json"]);
    let rule = &tuned["rule"]["ziegler_nichols"];
    assert_eq!((&rule["cluster"], &rule["relay_output"]), (&"I".into(), &0.2.into()), "the row (0.1, 0.3]");
    let ku = 4.0 * 0.2 / (std::f64::consts::PI * number(&rule["error_amplitude"]));
    let tu = number(&rule["period_seconds"]);
    let kp = 0.6 * ku;
    for (gain, expected) in [("kp", kp), ("ki", kp * 2.0 / tu), ("kd", kp * tu / 8.0)] {
        let found = number(&tuned["tuned"][gain]);
        assert!((found / expected - 1.0).abs() < 1e-9, "{gain}: {found} instead of {expected}");
    }
    let table = result(&["tune", REGULATION, "--rule", "ziegler-nichols"]);
    assert!(table.starts_with("Published regulation, controller PID\n\nGains "), "{table}");
    // PID leaves only what the limits of II do, see `published_regulation.rs`.
    let lines: Vec<&str> = table.lines().collect();
    assert!(lines[2].contains("Steady-state error  Remaining error"), "{table}");
    assert!(lines[3].contains("17.5 %              0 %    122 s"), "{table}");
}

#[test]
fn tuning_says_why_there_is_nothing_to_tune() {
    for (arguments, expected) in [
        (&[PUBLISHED][..], "this one is a placement scenario"),
        (&[REGULATION, "--rule", "ziegler-nichols", "--set", "policy.controller=PD"], "have no rule for PD"),
        (&[REGULATION, "--rule", "ziegler-nichols", "--cluster", "III"], "did you mean “II”?; there is: I, II"),
        (&[REGULATION, "--cluster", "I"], "--cluster belongs to --rule ziegler-nichols"),
        (&[REGULATION, "--set", "clusters.I.demand.shape=Day"], "demand changes until the end of the run"),
    ] {
        let message = refusal(1, &[&["tune"], arguments].concat());
        assert!(message.contains(expected), "{arguments:?}: {message}");
    }
    for share in ["10", "-1%", "2000%", "fast"] {
        let message = refusal(2, &["tune", REGULATION, &format!("--overshoot-limit={share}")]);
        assert!(message.contains("--overshoot-limit"), "{share}: {message}");
    }
}

/// Without gains nothing is moved: I keeps e = 1 − 0.5 and II e = 0.5 − 1, and I could still release vGPUs.
#[test]
fn a_map_has_a_cell_for_each_pair_of_gains() {
    let output = result(&["stability", REGULATION, "--size", "8"]);
    let lines: Vec<&str> = output.lines().collect();
    assert_eq!(lines.len(), 1 + 8 * 8);
    assert_eq!(lines[0], "kp,ki,class,settling_periods,overshoot,steady_state_error,remaining_error");
    assert_eq!(lines[1], "0,0,settles with error,0,0,0.5,0.5");
    let document = json(&["stability", REGULATION, "--size", "8", "--format", "json"]);
    assert_eq!((&document["controller"], &document["kd"]), (&"PID".into(), &0.5.into()));
    assert_eq!(document["cells"].as_array().map(Vec::len), Some(64));
    assert!(records(&output)[1..].iter().any(|cell| cell[2] == "settles"), "{output}");
    let message = refusal(1, &["stability", PUBLISHED]);
    assert!(message.contains("this one is a placement scenario"), "{message}");
    assert!(refusal(2, &["stability", REGULATION, "--size", "1"]).contains("2..=512"));
}

const RECORDING: &str = "seconds,gpu,sm_active,pcie_rx_gb_per_s,pcie_tx_gb_per_s\n\
    0,0,0.50,12.6,1.0\n1,0,0.60,12.8,1.1\n2,0,0.55,15.0,1.2\n3,0,0.20,6.0,0.5\n";

/// By hand: capacity 100 · 100 TOPS, so demands of 5000, 6000, 5500 and 2000 TOPS. Occupancies of 12.6/25, 12.8/25,
/// 15/25 and 6/25 give ceilings of 9920.6, 11,718.8, 9166.7 and 8333.3 TOPS, with a median of 9543.65.
#[test]
fn a_recording_becomes_the_demand_of_a_cluster() {
    let folder = tempfile::tempdir().expect("a folder");
    let (from, out) = (folder.path().join("gpus.csv"), folder.path().join("replayed.ron"));
    std::fs::write(&from, RECORDING).expect("the recording is written");
    let replay = ["replay", "--from", text(&from), "--apply", REGULATION, "--cluster", "I"];
    let table = result_and_file(&[&replay[..], &["--bus", "25 GB/s", "--out", text(&out)]].concat(), &out);
    assert!(table.contains("clusters.I.pcie_tops") && table.contains("9,544 TOPS"), "{table}");
    let document = json(&["evaluate", text(&out), "--strategy", "no control", "--format", "json"]);
    let demand = |period: usize| number(&document["steps"][2 * period]["demand"]);
    for (period, expected) in [5000.0, 6000.0, 5500.0, 2000.0, 5000.0].into_iter().enumerate() {
        assert!((demand(period) - expected).abs() < 1e-6, "{period}: {}", demand(period));
    }
    let written = std::fs::read_to_string(&out).expect("the scenario");
    assert!(written.contains("\"clusters.I.demand.series\": Imported(") && written.contains("gpus.csv"), "{written}");

    let (code, table, messages) = run(&replay);
    assert_eq!(code, Some(0));
    assert!(
        !table.contains("pcie_tops") && messages.contains("note: the transfer ceiling is not changed."),
        "{messages}"
    );
}

/// The published example simulates 600 s; four readings an hour apart last four hours.
#[test]
fn a_recording_longer_than_the_run_comes_with_the_fields_that_simulate_all_of_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let (from, out) = (folder.path().join("day.csv"), folder.path().join("replayed.ron"));
    std::fs::write(&from, "seconds,demand_tops\n0,1000\n3600,2000\n7200,3000\n10800,4000\n").expect("written");
    let (code, _, messages) =
        run(&["replay", "--from", text(&from), "--apply", REGULATION, "--cluster", "I", "--out", text(&out)]);
    assert_eq!(code, Some(0), "{messages}");
    assert!(messages.contains("the study simulates 600 s of the 14,400 s"), "{messages}");
    let named: Vec<&str> = messages.split("--set ").skip(1).filter_map(|rest| rest.split_whitespace().next()).collect();
    assert_eq!(named, ["run.period_seconds=3600", "run.periods=10", "run.average_periods=10"]);
    let set: Vec<&str> = named.iter().flat_map(|assignment| ["--set", assignment]).collect();
    let document = json(&[&["evaluate", text(&out), "--format", "json"], &set[..]].concat());
    assert_eq!(number(&document["steps"][2 * 3]["demand"]), 4000.0);
}

#[test]
fn a_recording_that_does_not_fit_is_refused_with_its_place() {
    let folder = tempfile::tempdir().expect("a folder");
    let from = folder.path().join("gpus.csv");
    for (contents, arguments, expected) in [
        ("seconds,sm_active\n0,0.5\n1,\n2,0.5\n", &[][..], ":3:3: sm_active: the value is missing"),
        ("", &[], ":1:1: the file is empty"),
        (RECORDING, &["--cluster", "III"], "--cluster: there is no cluster “III”, did you mean “II”?; there is: I, II"),
        (RECORDING, &["--gpu", "1"], "--gpu: there is no GPU “1”"),
        (
            "seconds,gpu,sm_active\n0,a,0.5\n1,a,0.5\n0,b,0.5\n1,b,0.5\n",
            &[],
            "the recording has 2 GPUs; choose one with --gpu",
        ),
    ] {
        std::fs::write(&from, contents).expect("the recording is written");
        let cluster: &[&str] = if arguments.contains(&"--cluster") { &[] } else { &["--cluster", "I"] };
        let message =
            refusal(1, &[&["replay", "--from", text(&from), "--apply", REGULATION], cluster, arguments].concat());
        assert!(message.contains(expected), "{message}");
    }
    let placement = ["replay", "--from", text(&from), "--apply", PUBLISHED, "--cluster", "I"];
    assert!(refusal(1, &placement).contains("this one is a placement scenario"));
    assert!(
        refusal(1, &["replay", "--from", "nowhere.csv", "--apply", REGULATION, "--cluster", "I"])
            .contains("cannot read nowhere.csv: ")
    );
}

#[test]
fn gains_that_no_study_can_have_are_refused_with_their_range() {
    // ±150 moves one vGPU, so the loop swings as ±0.2 lets it do, and Ku is 600/(π·0.0198), thousands.
    let row = |from: i32, to: i32, vgpus: i32| {
        format!("(from: {from}, to: {to}, precision: 0, frequency_mhz: 0, vgpus: {vgpus})")
    };
    let table = format!("table=[{}, {}, {}]", row(-200, -100, 1), row(-100, 100, 0), row(100, 200, -1));
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("tuned.ron");
    let arguments = ["tune", REGULATION, "--set", &table, "--rule", "ziegler-nichols", "--cluster", "I"];
    let message = refusal(1, &[&arguments[..], &["--out", text(&out)]].concat());
    assert!(message.contains("Kp = ") && message.contains("out of range; allowed: 0 … 1,000"), "{message}");
    assert!(!out.exists());
}
