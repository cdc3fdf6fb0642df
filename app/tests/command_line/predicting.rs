//! Predictions of a task for every type of GPU, and networks from the tables that people have.

use std::fs;

use super::{refusal, result, run};
use serde_json::Value;

fn written(folder: &tempfile::TempDir, name: &str, text: &str) -> String {
    let path = folder.path().join(name);
    fs::write(&path, text).expect("written");
    path.to_str().expect("text").to_owned()
}

/// Name, capability, memory in GB, cores.
const TYPES: [(&str, [f64; 3]); 3] =
    [("V", [7.0, 32.0, 5_120.0]), ("T", [7.5, 16.0, 2_560.0]), ("P", [6.1, 24.0, 3_840.0])];

/// The truth: a share of the compute units, a share of the memory, and seconds.
fn truth([batch, matmul]: [f64; 2], [_, memory_gb, cores]: [f64; 3]) -> [f64; 3] {
    let compute = (4.0 + 0.2 * batch + matmul / 1_000.0) * (5_120.0 / cores).powf(0.8);
    let memory = (100.0 + 8.0 * batch) / memory_gb;
    [compute, memory, (50.0 + batch + matmul / 100.0) * 5_120.0 / cores * 20.0 / compute]
}

/// Runs of 200 tasks on every type.
fn runs() -> String {
    let mut text =
        "device,capability,memory,cores,batchsize,matmul,compute_percent,memory_percent,seconds\n".to_owned();
    for number in 0..200 {
        let at = |step: f64| (f64::from(number) * step).fract();
        let task = [8.0 + 56.0 * at(2_f64.sqrt()), 9_000.0 * at(3_f64.sqrt())];
        for (name, hardware) in TYPES {
            let ([capability, memory, cores], [batch, matmul]) = (hardware, task);
            let [compute, share, seconds] = truth(task, hardware);
            text += &format!("{name},{capability},{memory},{cores},{batch},{matmul},{compute},{share},{seconds}\n");
        }
    }
    text
}

fn predictions(json: &str) -> Vec<(String, String, f64, Option<f64>, bool)> {
    let found: Value = serde_json::from_str(json).expect("JSON");
    let all = found["predicted"].as_array().expect("predictions");
    let of = |one: &Value| {
        let text = |key: &str| one[key].as_str().expect("a text").to_owned();
        let value = one["value"].as_f64().expect("a number");
        (text("quantity"), text("device"), value, one["rmse"].as_f64(), one["is_unseen"] == true)
    };
    all.iter().map(of).collect()
}

#[test]
fn every_type_is_predicted_by_its_own_hardware_and_the_time_takes_the_predicted_shares() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = written(&folder, "runs.csv", &runs());
    let net = |name: &str| folder.path().join(name).to_str().expect("text").to_owned();
    let [compute, memory, time] = ["c.safetensors", "m.safetensors", "t.safetensors"].map(net);
    for (target, out) in [("compute", &compute), ("memory", &memory), ("time", &time)] {
        let mut arguments = vec!["train", "--data", &data, "--target", target, "--out", out, "--epochs", "200"];
        if target == "time" {
            arguments.push("--with-utilisation");
        }
        let (code, _, messages) = run(&arguments);
        assert_eq!(code, Some(0), "{messages}");
    }
    let layers = written(&folder, "net.csv", "operator,input_size,output_size,parameters\nMatMul,5000,10,50000\n");
    let task = [32.0, 5_000.0];
    // The GPU of the command line is the first type: the others keep their own hardware.
    let all = [
        "predict",
        &layers,
        "--batch",
        "32",
        "--capability",
        "7",
        "--memory-gb",
        "32",
        "--cores",
        "5120",
        "--format",
        "json",
        "--model",
        &time,
        "--model",
        &compute,
        "--model",
        &memory,
    ];
    let (code, json, messages) = run(&all);
    assert_eq!(code, Some(0), "{messages}");
    let found = predictions(&json);
    assert_eq!(found.len(), 9, "{found:?}");
    for (name, hardware) in TYPES {
        let [compute, memory, seconds] = truth(task, hardware);
        for (quantity, expected) in
            [("compute_percent, %", compute), ("memory_percent, %", memory), ("seconds, s", seconds)]
        {
            let (.., value, rmse, unseen) =
                found.iter().find(|(of, device, ..)| of == quantity && device == name).expect("a prediction");
            // Four times the stated error, which 1 of 16,000 normal errors exceeds, or a twentieth.
            let allowed = (4.0 * rmse.expect("a known error")).max(0.05 * expected);
            assert!(
                (value - expected).abs() < allowed && !unseen,
                "{quantity} on {name}: {value} instead of {expected}"
            );
        }
    }
    // The types differ by more than that: one hardware for all would show.
    assert!(truth(task, TYPES[1].1)[0] > 1.5 * truth(task, TYPES[0].1)[0]);

    // A type between them, which no run has: from its hardware, with a wider interval.
    let fourth = [&all[..], &["--gpu", "Q=7.2,20,3200"]].concat();
    let (_, json, _) = run(&fourth);
    let found = predictions(&json);
    let of = |name: &str| found.iter().find(|(of, device, ..)| of == "compute_percent, %" && device == name);
    let ((.., value, rmse, unseen), (.., known, _)) = (of("Q").expect("the fourth"), of("V").expect("the first"));
    assert!(*unseen && *rmse >= *known, "{found:?}");
    let expected = truth(task, [7.2, 20.0, 3_200.0])[0];
    assert!((value - expected).abs() < 2.0 * rmse.expect("a known error"), "{value} instead of {expected}");
    let (_, text, _) =
        run(&fourth.iter().copied().filter(|part| !["--format", "json"].contains(part)).collect::<Vec<_>>());
    assert!(text.contains("GPU compute utilisation on Q:"), "{text}");
    assert!(text.contains("from its hardware: the runs do not have this type"), "{text}");

    // Without the utilisations there is no time, and the message says what to add.
    let problem = refusal(1, &["predict", &layers, "--batch", "32", "--model", &time]);
    assert!(
        problem.contains("takes the predicted compute_percent and memory_percent; add a predictor of each"),
        "{problem}"
    );
    // A task with half as much of the GPU as predicted, and 40 of 100 iterations left, is a matter of the time model.
    let held = [&all[..], &["--share", "5", "--iterations", "40"]].concat();
    let (code, json, messages) = run(&held);
    assert_eq!(code, Some(0), "{messages}");
    let time_of = |found: &[(String, String, f64, Option<f64>, bool)]| {
        found.iter().find(|(of, device, ..)| of == "seconds, s" && device == "V").expect("a time").2
    };
    assert_ne!(time_of(&predictions(&json)), time_of(&found), "the share counts");
}

/// As torchinfo prints it by default.
const TORCHINFO: &str = "\
==========================================================================================
Layer (type:depth-idx)                   Output Shape              Param #
==========================================================================================
Net                                      [2, 10]                   --
├─Conv2d: 1-1                            [2, 8, 16, 16]            224
├─ReLU: 1-2                              [2, 8, 16, 16]            --
├─Conv2d: 1-3                            [2, 16, 16, 16]           1,168
├─AdaptiveAvgPool2d: 1-4                 [2, 16, 1, 1]             --
├─Linear: 1-5                            [2, 10]                   170
==========================================================================================
Total params: 1,562
Total mult-adds (M): 0.71
==========================================================================================
";

#[test]
fn default_tables_have_an_estimate_and_say_what_they_lack() {
    let folder = tempfile::tempdir().expect("a folder");
    let table = written(&folder, "net.txt", TORCHINFO);
    let (code, text, messages) = run(&["predict", &table, "--gflop-per-s", "8100", "--gb-per-s", "320"]);
    assert_eq!(code, Some(0), "{messages}");
    assert!(messages.contains("col_names=(\"input_size\""), "the note that helps: {messages}");
    assert!(messages.contains("lower bound: “Conv2d: 1-1” (Conv2D)"), "its input is not known: {messages}");
    assert!(text.contains("run time: at least "), "{text}");
    // 27 · 8 · 256 and 72 · 16 · 256 and 16 · 10 multiply-adds for a sample; 1,562 parameters of 4 bytes.
    assert!(text.contains(&format!("multiply-adds of a sample: {}", "350,368")), "{text}");
    assert!(text.contains("parameters: 1,562"), "{text}");
}

#[test]
fn an_unknown_operator_costs_its_own_time_and_half_precision_half_of_the_bytes() {
    let folder = tempfile::tempdir().expect("a folder");
    let rates = ["--gflop-per-s", "8100", "--gb-per-s", "320", "--format", "json"];
    let seconds = |file: &str, more: &[&str]| {
        let (code, json, messages) = run(&[&["predict", file][..], &rates, more].concat());
        assert_eq!(code, Some(0), "{messages}");
        let found: Value = serde_json::from_str(&json).expect("JSON");
        let notes: Vec<String> = found["notes"]
            .as_array()
            .expect("notes")
            .iter()
            .filter_map(|note| Some(note.as_str()?.to_owned()))
            .collect();
        (found["predicted"][0]["value"].as_f64().expect("seconds"), notes)
    };
    let relu = "ReLU,67108864,67108864,0\n";
    let head = "operator,input_size,output_size,parameters\n";
    let [one, two] =
        [1, 2].map(|count| written(&folder, &format!("{count}.csv"), &format!("{head}{}", relu.repeat(count))));
    let odd = written(&folder, "odd.csv", &format!("{head}{relu}Fancy,67108864,67108864,0\n"));
    let ((first, _), (both, _), (with_odd, notes)) = (seconds(&one, &[]), seconds(&two, &[]), seconds(&odd, &[]));
    // The unknown operator moves as much as the other, and is half of the time.
    assert!((both / first - 2.0).abs() < 1e-9 && (with_odd / both - 1.0).abs() < 1e-9, "{first} {both} {with_odd}");
    assert_eq!(
        notes.last().map(String::as_str),
        Some("1 × Fancy: unknown operator, counted as one operation for each output element, 50 % of the time")
    );
    // 537 MB at 320 GB/s · 0.86 and 9.3 µs; in half precision 268 MB.
    let by_hand = |bytes: f64| 2.0 * 67_108_864.0 * bytes / (320e9 * 0.86) + 9.3e-6;
    assert!((first / by_hand(4.0) - 1.0).abs() < 1e-9, "{first}");
    assert!((seconds(&one, &["--element-bits", "16"]).0 / by_hand(2.0) - 1.0).abs() < 1e-9);
}

#[test]
fn tables_that_cannot_be_used_say_what_to_do() {
    let folder = tempfile::tempdir().expect("a folder");
    let unbuilt = "\
Model: \"sequential\"
┏━━━━━━━━━━━━━━━━━━━━━━┳━━━━━━━━━━━━━━━━━━┳━━━━━━━━━━━━━━━┓
┃ Layer (type)         ┃ Output Shape     ┃       Param # ┃
┡━━━━━━━━━━━━━━━━━━━━━━╇━━━━━━━━━━━━━━━━━━╇━━━━━━━━━━━━━━━┩
│ dense (Dense)        │ ?                │   0 (unbuilt) │
└──────────────────────┴──────────────────┴───────────────┘
";
    let unbuilt = written(&folder, "unbuilt.txt", unbuilt);
    let problem = refusal(1, &["predict", &unbuilt]);
    assert!(
        problem.contains("line 5: the model is not built") && problem.contains("model.build(input_shape)"),
        "{problem}"
    );
    let wrong = written(&folder, "layers.csv", "operator,input_size\nReLU,8\n");
    let problem = refusal(1, &["predict", &wrong, "--dimension", "H=8"]);
    assert!(problem.contains("a layer list (CSV) has no open dimension “H”"), "{problem}");
    assert!(refusal(2, &["predict", &wrong, "--gpu", "T4"]).contains("NAME=CAPABILITY,MEMORY_GB,CORES"));
    assert!(result(&["predict", &wrong]).contains("relu"));
}
