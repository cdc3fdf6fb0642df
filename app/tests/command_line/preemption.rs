//! Preemption studies on the command line.

use std::fs;

use crossover_gpu_bench::gpu::adapter::Description;
use crossover_gpu_bench::pairs::{KERNELS, Kernel, PairMode, PairsReport};
use crossover_measured::kernels::Class;
use crossover_needs::test_data;
use crossover_quantity::provenance::Provenance;
use crossover_traces::profiled;
use serde_json::Value;

#[cfg(unix)]
use super::{crossover, outcome_of};
use super::{refusal, run};

const PUBLISHED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../scenarios/preemption-published.ron");

fn path(folder: &tempfile::TempDir, name: &str) -> String {
    folder.path().join(name).to_str().expect("text").to_owned()
}

fn written(folder: &tempfile::TempDir, name: &str, text: &str) -> String {
    let path = path(folder, name);
    fs::write(&path, text).expect("written");
    path
}

/// What is printed; notes on standard error are allowed.
fn printed_and_messages(arguments: &[&str]) -> (String, String) {
    let (code, text, messages) = run(arguments);
    assert_eq!(code, Some(0), "{messages}");
    (text, messages)
}

/// Method M4, worked case.
#[test]
fn the_published_case_is_evaluated_with_its_gain_and_break_even() {
    let (text, _) = printed_and_messages(&["evaluate", PUBLISHED, "--format", "json"]);
    let value: Value = serde_json::from_str(&text).expect("JSON");
    let text = value.to_string();
    let decision = value["decisions"].as_array().and_then(|all| all.first()).unwrap_or_else(|| panic!("{text}"));
    let near = |key: &str, expected: f64| {
        let found = decision[key].as_f64().unwrap_or_else(|| panic!("{key} in {decision}"));
        assert!((found / expected - 1.0).abs() < 1e-6, "{key}: {found} instead of {expected}");
    };
    near("work_without_cycles", 1_040_000.0);
    near("work_with_cycles", 1_165_141.36);
    near("gain_cycles", 125_141.36);
    near("break_even_cycles", 321_428.57);
    near("preempt_cycles", 209_695.2);
}

#[test]
fn a_sweep_of_the_decay_changes_the_gain() {
    let (text, _) = printed_and_messages(&[
        "sweep",
        PUBLISHED,
        "--x",
        "rule.decay=0.83..0.97:2",
        "--figure",
        "gain_cycles",
        "--format",
        "csv",
    ]);
    // 0.7 · d · 209,695.2 + 1.75 · 590,304.8 − 1,040,000 at both ends.
    let gains: Vec<f64> = text.lines().skip(1).filter_map(|line| line.rsplit(',').next()?.parse().ok()).collect();
    for (gain, decay) in gains.iter().zip([0.83, 0.97]) {
        let expected = 0.7 * decay * 209_695.2 + 1.75 * (800_000.0 - 209_695.2) - 1_040_000.0;
        assert!((gain / expected - 1.0).abs() < 1e-6, "{gain} instead of {expected}");
    }
    assert_eq!(gains.len(), 2, "{text}");
}

#[test]
fn kernels_of_a_table_become_a_scenario_and_bad_ones_are_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let table = "name,instructions,ipc,register_bytes,shared_bytes,threads,blocks,miss_rate,class,is_idempotent,weight\n\
                 wide,1e8,30,16384,0,256,4096,0.1,compute,true,2\n\
                 streaming,2e7,5,8192,1024,128,512,0.8,memory,false,1\n";
    let file = written(&folder, "kernels.csv", table);
    let out = path(&folder, "made.ron");
    let (text, _) = printed_and_messages(&["import", "kernels", &file, "--out", &out]);
    assert!(text.contains("wide") && text.contains("streaming"), "{text}");
    let (evaluated, _) = printed_and_messages(&["evaluate", &out, "--format", "json"]);
    assert!(evaluated.contains("streaming"), "{evaluated}");

    // A block that no multiprocessor holds, and an IPC of nothing.
    let bad = table.replace("16384", "1e8").replace(",5,8192", ",0,8192");
    let file = written(&folder, "bad.csv", &bad);
    let (code, _, messages) = run(&["import", "kernels", &file]);
    assert_ne!(code, Some(0), "{messages}");
    assert!(messages.contains("wide") || messages.contains("ipc"), "{messages}");

    let missing = written(&folder, "missing.csv", "name,blocks\nwide,3\n");
    assert!(!refusal(1, &["import", "kernels", &missing]).is_empty());
}

#[test]
fn columns_of_a_table_of_kernels_that_are_not_known_are_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let table = "name,instructions,ipc,threads,blocks,registers\nwide,1e8,30,256,4096,16384\n";
    let (_, messages) = printed_and_messages(&["import", "kernels", &written(&folder, "kernels.csv", table)]);
    assert!(messages.contains("column “registers”"), "{messages}");
    assert!(messages.contains("columns of a kernel are name, instructions, ipc, register_bytes"), "{messages}");
    let missing = table.replace("instructions", "instruction");
    let refused = refusal(1, &["import", "kernels", &written(&folder, "missing.csv", &missing)]);
    assert!(
        refused.contains("no column “instructions”") && refused.contains("“instruction” (did you mean"),
        "{refused}"
    );
}

/// Of two launches, that of 15 µs has no threads; of three requests, one has no time.
#[test]
fn json_of_an_import_has_what_became_no_kernel_or_request() {
    let folder = tempfile::tempdir().expect("a folder");
    let trace = "Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (B),DymSMem (B),Bytes (MB),\
                 Throughput (MB/s),SrcMemKd,DstMemKd,Device,Ctx,GreenCtx,Strm,Name\n\
                 3000,45000,11,80,2,1,128,1,1,64,1024,2048,,,,,,1,,7,main_kernel\n\
                 90000,15000,12,80,2,1,,1,1,64,1024,2048,,,,,,1,,7,main_kernel\n";
    let amounts = |value: &Value, quantity: &str| {
        let [balance] = &value["balances"].as_array().expect("a list")[..] else { panic!("{value}") };
        assert_eq!(balance["quantity"], quantity);
        [&balance["total"], &balance["accounted"], &balance["unaccounted"][0]["amount"]]
            .map(|amount| amount.as_f64().expect("a number"))
    };
    let file = written(&folder, "trace.csv", trace);
    let (text, messages) = printed_and_messages(&["import", "kernels", &file, "--format", "json"]);
    assert!(messages.contains("25 % of its kernel time ("), "{messages}");
    let value: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!((&value["format"], &value["kernels"][0]["name"]), (&"Nsight Systems".into(), &"main_kernel".into()));
    let seconds = amounts(&value, "kernel_seconds");
    assert!(seconds.iter().zip([60e-6, 45e-6, 15e-6]).all(|(found, of)| (found / of - 1.0).abs() < 1e-9), "{text}");
    assert!(value["left_out"][0].as_str().is_some_and(|text| text.contains("line 3: BlkX is")), "{text}");

    let file = written(&folder, "requests.csv", "seconds\n5\nlater\n7\n");
    let (text, messages) = printed_and_messages(&["import", "arrivals", &file, "--format", "json"]);
    assert!(messages.contains("1 line was left out (1 of 3 requests): line 3: seconds is “later”"), "{messages}");
    let value: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!((&value["requests"], &value["span_seconds"]), (&2.into(), &2.0.into()));
    assert_eq!(amounts(&value, "requests"), [3.0, 2.0, 1.0]);
}

/// The lines of docs/SHARE-GPUS.md, one after the other.
#[test]
fn kernels_requests_and_pairs_become_one_scenario_step_by_step() {
    let folder = tempfile::tempdir().expect("a folder");
    let table = "name,instructions,ipc,threads,blocks,class\nA,1e8,30,256,4096,compute\nB,2e8,20,256,4096,memory\n";
    let kernels = written(&folder, "kernels.csv", table);
    let [first, second, ours] = ["kernels.ron", "requests.ron", "ours.ron"].map(|name| path(&folder, name));
    printed_and_messages(&["import", "kernels", &kernels, "--out", &first]);
    let requests = written(&folder, "requests.csv", "seconds\n0\n1\n90\n");
    printed_and_messages(&["import", "arrivals", &requests, "--base", &first, "--out", &second]);
    let measured = written(
        &folder,
        "measured.csv",
        "first,second,first_normalised,second_normalised\nA,B,0.9,0.8\nB,B,0.6,0.6\nA,A,0.7,0.7\n",
    );
    printed_and_messages(&["fit-pairs", &measured, "--base", &second, "--estimate", "--out", &ours]);
    let set = ["--set", "stream.launches=40", "--set", "stream.streams=2"];
    let (text, _) = printed_and_messages(&[&["evaluate", &ours][..], &set].concat());
    assert!(text.contains("at the times of 3 recorded requests over 1 min 30 s, stretched to a load of"), "{text}");
    let (json, _) = printed_and_messages(&[&["evaluate", &ours, "--format", "json"][..], &set].concat());
    let value: Value = serde_json::from_str(&json).expect("JSON");
    let setting = &value["setting"];
    assert_eq!((&setting["launches"], &setting["streams"], &setting["kernels"]), (&40.into(), &2.into(), &2.into()));
    assert_eq!(setting["arrivals"]["recorded"]["requests"], 3);
    assert_eq!(setting["arrivals"]["recorded"]["span_seconds"], 90.0);
    assert!(setting["load"].as_f64().is_some() && setting["seed"].as_f64().is_some(), "{setting}");
    assert!(setting["gpu"].as_str().is_some_and(|gpu| gpu.contains("K40")), "{setting}");
    // What is asked, what the answer is, and then the numbers.
    let places = ["\"question\"", "\"answer\"", "\"setting\"", "\"policies\""].map(|key| json.find(key).expect(key));
    assert!(places.is_sorted(), "{places:?}");
    // A file is never written over what the same command reads.
    let refused = refusal(1, &["import", "arrivals", &requests, "--base", &ours, "--out", &ours]);
    assert!(refused.contains("not written: it is also an input of this command"), "{refused}");
}

#[test]
fn requests_come_at_their_recorded_times() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = written(&folder, "requests.csv", "seconds,size\n0,1\n0.5,3\n0.75,2\n4,2\n");
    let out = path(&folder, "made.ron");
    let (text, _) = printed_and_messages(&["import", "arrivals", &file, "--out", &out]);
    assert!(text.starts_with("4 requests in 4 s"), "{text}");
    let (evaluated, _) = printed_and_messages(&["evaluate", &out, "--set", "stream.launches=50", "--format", "json"]);
    assert!(evaluated.contains("throughput"), "{evaluated}");
    assert!(!refusal(1, &["import", "arrivals", &written(&folder, "empty.csv", "")]).is_empty());
}

#[test]
fn measured_pairs_are_fitted_and_put_into_a_scenario() {
    let folder = tempfile::tempdir().expect("a folder");
    let pairs = "first,second,first_normalised,second_normalised,first_class,second_class\n\
                 A,B,0.6,0.5,memory,memory\nA,C,0.8,0.9,memory,compute\nB,D,0.7,0.8,memory,compute\n\
                 C,D,0.7,0.75,compute,compute\nA,D,0.75,0.85,memory,compute\n";
    let file = written(&folder, "pairs.csv", pairs);
    let (text, _) = printed_and_messages(&["fit-pairs", &file, "--format", "json"]);
    let value: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(value["devices"][0]["measured"], 5);
    // Means by hand: memory beside memory (0.6 + 0.5) / 2; memory beside compute (0.8 + 0.7 + 0.75) / 3.
    let class = |own: &str, other: &str| {
        let classes = value["devices"][0]["classes"].as_array().expect("a list");
        let found = classes.iter().find(|of| of["class"] == own && of["beside"] == other).expect("a class");
        found["normalised"].as_f64().expect("a number")
    };
    assert!((class("Memory", "Memory") - 0.55).abs() < 1e-9, "{text}");
    assert!((class("Memory", "Compute") - 0.75).abs() < 1e-9, "{text}");

    let out = path(&folder, "made.ron");
    let (_, messages) = printed_and_messages(&["fit-pairs", &file, "--base", PUBLISHED, "--estimate", "--out", &out]);
    assert!(messages.contains("2 measured pairs"), "{messages}");
    let ron = fs::read_to_string(&out).expect("written");
    assert!(ron.contains("Fitted(") && ron.contains("pairs.csv"), "{ron}");
    // What was estimated is estimated anew with better pairs; what was measured stays what it is.
    let better = written(&folder, "better.csv", &pairs.replace("A,C,0.8,0.9", "A,C,0.9,0.9"));
    let renewed = path(&folder, "renewed.ron");
    let (_, messages) = printed_and_messages(&["fit-pairs", &better, "--base", &out, "--estimate", "--out", &renewed]);
    assert!(messages.contains("2 measured pairs, 4 estimated pairs"), "{messages}");
    let ron = fs::read_to_string(&renewed).expect("written");
    assert!(ron.contains("pairs of better.csv") && !ron.contains("\"pairs of pairs.csv\""), "{ron}");
    assert!(!refusal(1, &["fit-pairs", &written(&folder, "none.csv", "first,second\nA,B\n")]).is_empty());
}

/// Sums above 1 of runnable pairs on K80, P100 and V100: 75, 87 and 78 % where both directions count, of which each pair counts
/// once here; recomputed from the data with Python: 73.5, 86.5 and 78.2 %.
#[test]
fn gavels_pairs_are_read_for_each_gpu() {
    let Some(folder) = test_data("dl/gavel") else { return };
    let file = folder.join("simulation_throughputs.json");
    let (text, _) = printed_and_messages(&["fit-pairs", file.to_str().expect("text"), "--format", "json"]);
    let value: Value = serde_json::from_str(&text).expect("JSON");
    for (device, share) in [("k80", 0.735), ("p100", 0.865), ("v100", 0.782)] {
        let devices = value["devices"].as_array().expect("a list");
        let of = devices.iter().find(|of| of["device"] == device).expect(device);
        let found = of["share_above_one"].as_f64().expect("a share");
        assert!((found - share).abs() < 6e-4, "{device}: {found}");
    }
}

#[test]
fn kernels_of_rodinia_are_read_and_their_instructions_follow_the_size() {
    let Some(folder) = test_data("kernels") else { return };
    let file = folder.join("rodinia_kernels.csv");
    let file = file.to_str().expect("text");
    assert!(refusal(1, &["import", "kernels", file]).contains("--device"));
    let (text, _) = printed_and_messages(&["import", "kernels", file, "--device", "Tesla-K40"]);
    assert!(text.contains("calculate_temp"), "{text}");
    assert!(refusal(1, &["import", "orion", file]).contains("import kernels"));
    let (text, _) = printed_and_messages(&[
        "fit-instructions",
        file,
        "--device",
        "Tesla-K40",
        "--size",
        "65536",
        "--format",
        "json",
    ]);
    let value: Value = serde_json::from_str(&text).expect("JSON");
    let laws = value.as_array().expect("a list");
    let adjust = laws.iter().find(|of| of["application"] == "backprop bpnn_adjust_weights_cuda").expect("a kernel");
    assert!(adjust["error"].as_f64() < Some(1e-3) && adjust["error_of_constant"].as_f64() > Some(0.3), "{adjust}");
}

/// A to C are kernels of the published case: two memory-intensive ones and one that computes.
#[test]
fn classes_that_a_file_of_pairs_does_not_tell_are_those_of_the_scenario() {
    let folder = tempfile::tempdir().expect("a folder");
    let pairs = "first,second,first_normalised,second_normalised,second_class\nA,B,0.6,0.5,\nA,C,0.8,0.9,\nB,D,0.7,0.8,compute\n";
    let file = written(&folder, "pairs.csv", pairs);
    let classes = |arguments: &[&str]| {
        let (text, _) = printed_and_messages(&[&["fit-pairs", &file, "--format", "json"], arguments].concat());
        let value: Value = serde_json::from_str(&text).expect("JSON");
        let all = value["devices"][0]["classes"].as_array().expect("a list").clone();
        let means = all.iter().map(|of| (of["class"].to_string(), of["beside"].to_string(), of["pairs"].as_u64()));
        means.collect::<Vec<_>>()
    };
    assert!(classes(&[]).is_empty());
    let [memory, compute] = ["\"Memory\"", "\"Compute\""].map(str::to_owned);
    let expected = [
        (memory.clone(), memory.clone(), Some(1)),
        (memory.clone(), compute.clone(), Some(2)),
        (compute, memory, Some(2)),
    ];
    assert_eq!(classes(&["--base", PUBLISHED]), expected);
}

#[test]
fn measurements_that_become_no_pair_are_counted_with_their_reasons() {
    let folder = tempfile::tempdir().expect("a folder");
    // A pair twice, one that cannot be as fast, and one that could not run together.
    let pairs =
        "first,second,first_normalised,second_normalised\nA,B,0.6,0.5\nB,A,0.5,0.6\nA,C,9,1\nB,C,0,0\nA,D,0.7,0.8\n";
    let file = written(&folder, "pairs.csv", pairs);
    let (text, _) = printed_and_messages(&["fit-pairs", &file, "--format", "json"]);
    let value: Value = serde_json::from_str(&text).expect("JSON");
    let balance = &value["balances"][0];
    assert_eq!(balance["quantity"], "pairs");
    assert_eq!(balance["total"], 5.0);
    assert_eq!(balance["accounted"], 3.0);
    let reasons = balance["unaccounted"].to_string();
    assert!(reasons.contains("normalised speed of the first is 9"), "{reasons}");
    assert!(reasons.contains("could not run together"), "{reasons}");
    assert!(value["left_out"][0].as_str().is_some_and(|note| note.contains("1 of 5 pairs")), "{text}");
}

#[test]
fn pairs_are_written_as_records_that_a_spreadsheet_reads() {
    let folder = tempfile::tempdir().expect("a folder");
    let file =
        written(&folder, "pairs.csv", "first,second,first_normalised,second_normalised\n=A,B,0.6,0.5\n=A,C,0.8,0.9\n");
    let (text, _) = printed_and_messages(&["fit-pairs", &file, "--format", "csv"]);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "device,first,second,first_normalised,second_normalised,is_measured");
    assert!(lines.contains(&",'=A,B,0.6,0.5,true"), "{text}");
    assert_eq!(lines.len(), 1 + 6, "{text}");
}

#[test]
fn more_kernels_than_can_be_learned_from_are_refused_with_the_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let pairs: Vec<String> = (1..=501).map(|kernel| format!("k{},k{kernel},0.7,0.8\n", kernel - 1)).collect();
    let pairs = pairs.concat();
    let file = written(&folder, "pairs.csv", &format!("first,second,first_normalised,second_normalised\n{pairs}"));
    let refused = refusal(1, &["fit-pairs", &file]);
    assert!(
        refused.contains("pairs.csv") && refused.contains("502 kernels in measured pairs; at most 500"),
        "{refused}"
    );
}

/// What `gpu-bench pairs` prints is what is read of its file: medians, which a repeat in which the system was busy does not move.
#[test]
fn a_report_of_gpu_bench_says_the_same_in_its_table_and_to_those_who_read_it() {
    let description = Description { name: "Example".to_owned(), ..Description::default() };
    let kernels: Vec<&Kernel> = KERNELS.iter().filter(|kernel| ["hash", "copy"].contains(&kernel.key)).collect();
    let mut report = PairsReport::new(&description, PairMode::Processes, 2.0, &kernels);
    report.kernels[0].alone_per_second = vec![100.0, 5.0, 100.0];
    report.kernels[1].alone_per_second = vec![210.0, 190.0, 20.0, 600.0];
    let values =
        [([40.0, 50.0, 60.0], [60.0, 50.0, 1.0]), ([80.0, 80.0, 2.0], [150.0, 160.0, 170.0]), ([90.0; 3], [110.0; 3])];
    for (pair, (first, second)) in report.pairs.iter_mut().zip(values) {
        (pair.first_per_second, pair.second_per_second) = (first.to_vec(), second.to_vec());
    }
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("pairs.json");
    fs::write(&file, report.json().expect("JSON")).expect("written");
    let read = profiled::pairs(&file).expect("a report");
    assert!(read.left_out.is_empty() && read.devices[0].device == "Example", "{read:?}");
    let text = report.text_report().terminal();
    let printed = |first: &str, second: &str| {
        let cells = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
        let row = cells.into_iter().find(|row| row.len() == 8 && row[..2] == [first, second]).expect("a pair");
        [row[2], row[4]].map(|cell| cell.parse::<f64>().expect("a number"))
    };
    assert_eq!(printed("copy", "hash"), [0.8, 0.8]);
    for pair in &read.devices[0].pairs {
        let found = [pair.first_normalised, pair.second_normalised];
        let expected = printed(&pair.first, &pair.second);
        assert!(
            found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 6e-4),
            "{pair:?}\n{text}"
        );
        assert_eq!(
            (pair.first_class, pair.first == "copy"),
            match pair.first.as_str() {
                "copy" => (Some(Class::Memory), true),
                _ => (Some(Class::Compute), false),
            }
        );
    }
    assert_eq!(read.devices[0].pairs.len(), 3);
}

#[test]
fn what_a_profile_does_not_tell_is_not_said_to_come_from_it_and_the_clock_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let profile = "Name,Profile,Memory_footprint,SM_usage,Duration\nConv,1,0,98,100480\nNorm,0,0,64,40480\n";
    let file = written(&folder, "profile.csv", profile);
    let out = path(&folder, "made.ron");
    let (_, messages) = printed_and_messages(&["import", "orion", &file, "--base", PUBLISHED, "--out", &out]);
    let clock = "by the clock of the study's GPU, 745 MHz of NVIDIA Tesla K40; the file does not name their GPU";
    assert!(messages.contains(clock), "{messages}");
    let made = crossover_scenario::read(&fs::read_to_string(&out).expect("written")).expect("a scenario");
    let study = made.preemption().expect("a preemption study");
    let imported: Vec<&str> =
        study.sources.keys().filter(|path| path.starts_with("kernels.")).map(String::as_str).collect();
    assert_eq!(imported, ["kernels.Conv.weight", "kernels.Norm.weight"]);
    // All is told of a table of kernels, on the GPU of the scenario or another.
    let table = "name,instructions,ipc,register_bytes,shared_bytes,threads,blocks,miss_rate,class\nA,1e8,30,16384,0,256,4096,0.1,compute\n";
    printed_and_messages(&[
        "import",
        "kernels",
        &written(&folder, "table.csv", table),
        "--base",
        PUBLISHED,
        "--out",
        &out,
    ]);
    let made = crossover_scenario::read(&fs::read_to_string(&out).expect("written")).expect("a scenario");
    let study = made.preemption().expect("a preemption study");
    let from_table = |field: &str| {
        let source = study.sources.get(&format!("kernels.A.{field}"));
        matches!(source, Some(Provenance::Imported { file }) if file == "table.csv")
    };
    assert!(["instructions", "ipc", "register_bytes", "miss_rate"].into_iter().all(from_table), "{:?}", study.sources);
}

#[test]
fn fitted_instructions_have_the_interval_of_their_law_as_source() {
    let folder = tempfile::tempdir().expect("a folder");
    let counted = "application,size,instructions\nA,1000,2.1e8\nA,2000,4.5e8\nA,4000,7.9e8\nA,8000,17.2e8\n";
    let file = written(&folder, "counted.csv", counted);
    let out = path(&folder, "made.ron");
    printed_and_messages(&["fit-instructions", &file, "--size", "1300", "--base", PUBLISHED, "--out", &out]);
    let made = crossover_scenario::read(&fs::read_to_string(&out).expect("written")).expect("a scenario");
    let study = made.preemption().expect("a preemption study");
    for (field, value) in
        [("instructions", study.kernels[0].instructions), ("instruction_error", study.kernels[0].instruction_error)]
    {
        let source = study.sources.get(&format!("kernels.A.{field}"));
        let Some(Provenance::Fitted { runs, interval: (low, high) }) = source else { panic!("{field}: {source:?}") };
        assert!(runs == "launches of A in counted.csv" && *low < value && value < *high, "{field}: {source:?}");
    }
}

/// The lines of docs/SHARE-GPUS.md on two programs, with loops on CPUs.
#[cfg(unix)]
#[test]
fn two_measured_programs_are_compared_with_the_simulation_of_two_kernels() {
    let folder = tempfile::tempdir().expect("a folder");
    let shared = path(&folder, "share.json");
    let program = "sh -c 'i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done'";
    let mut measuring = crossover(&["bench", "share", "--on", "cpu", "--first", program, "--second", program]);
    measuring.args(["--repeats", "2", "--launches", "2", "--slice", "0.01", "--allow-programs", "--json", &shared]);
    measuring.current_dir(folder.path()).env("XDG_DATA_HOME", folder.path()).env("HOME", folder.path());
    let (code, _, messages) = outcome_of(measuring.output().expect("the program starts"));
    assert_eq!(code, Some(0), "{messages}");

    let compared = ["compare-share", PUBLISHED, "--shared", &shared, "--first", "A", "--second", "C"];
    let (text, messages) = printed_and_messages(&[&compared[..], &["--format", "json"]].concat());
    assert!(messages.contains("the programs shared CPUs"), "{messages}");
    let value: Value = serde_json::from_str(&text).expect("JSON");
    let sources = |key: &str| {
        let rows = value[key].as_array().expect("a list").iter();
        rows.map(|row| row["source"].as_str().expect("text").to_owned()).collect::<Vec<String>>()
    };
    let progress = ["scenario, measured pair", "measured, uncontrolled", "measured, time slices of 0.01 s"];
    assert_eq!(sources("progress"), progress);
    assert_eq!(value["progress"][0]["sum"], 0.85 + 0.9);
    let throughput = sources("throughput");
    assert_eq!(throughput.first().map(String::as_str), Some("simulated, exclusive execution"));
    assert_eq!(throughput.last().map(String::as_str), Some("measured, policy between launches"));
    let (table, _) = printed_and_messages(&compared);
    assert!(table.contains("simulated, cost-aware preemption, policy of the scenario"), "{table}");

    // Other reports, damaged ones, and kernels that are not there.
    let text = fs::read_to_string(&shared).expect("written");
    for (name, text, expected) in [
        ("other.json", "{\"version\": 1}".to_owned(), "expected a report that “gpu-bench share --json” wrote"),
        ("half.json", text[..text.len() / 2].to_owned(), "expected a report that “gpu-bench share --json” wrote"),
        ("newer.json", text.replace("\"schema\": 1", "\"schema\": 2"), "has schema 2; this version reads 1"),
        ("many.json", text.replace("\"queue_launches\": 2", "\"queue_launches\": 5000"), "queue_launches is 5000"),
    ] {
        let file = written(&folder, name, &text);
        let refused = refusal(1, &["compare-share", PUBLISHED, "--shared", &file, "--first", "A", "--second", "B"]);
        assert!(refused.contains(name) && refused.contains(expected), "{refused}");
    }
    let refused = refusal(1, &["compare-share", PUBLISHED, "--shared", &shared, "--first", "A", "--second", "Z"]);
    assert!(refused.contains("no kernel “Z”") && refused.contains("expected one of: A, B, C"), "{refused}");
    // Commands for other reports say which one reads it.
    let refused = refusal(1, &["bench", "show", &shared]);
    assert!(refused.contains("report of two programs, which “crossover compare-share” reads"), "{refused}");
}
