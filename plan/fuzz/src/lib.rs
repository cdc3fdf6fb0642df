//! What fuzz targets do: bytes become a file, the file is imported or opened, and what comes out must be usable.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use crossover_engine::file;
use crossover_fleet::ledger::{Ledger, NAME};
use crossover_fleet::merge::Unfinished;
use crossover_fleet::rapids::cluster::GpuCluster;
use crossover_fleet::{Base, Overview, RunOptions, merge, rapids, run};
use crossover_placement::evaluate;
use crossover_placement::whole::decide;
use crossover_plan::{Control, Folders, Import, ImportError, scenario};
use crossover_scenario::{Scenario, Study, VERSION, read};

/// Reads a file of one format.
type Importer = fn(&Path, &Control) -> Result<Import, ImportError>;

/// Imports the bytes and uses every query. Panics where the product would show a defect: an import that is not
/// valid, a plan that cannot be placed, a scenario that cannot be read again.
pub fn import(importer: Importer, extension: &str, bytes: &[u8]) {
    let mut file = tempfile::Builder::new().suffix(extension).tempfile().expect("a temporary file");
    file.write_all(bytes).expect("a temporary file can be written");
    let Ok(import) = importer(file.path(), &Control::default()) else { return };
    let base = read(include_str!("../../../scenarios/placement-modern.ron")).expect("a valid scenario");
    let base = base.placement().expect("a placement study");
    for query in import.queries.iter().filter(|query| !query.plan.nodes.is_empty()) {
        let study = scenario::placement(base, scenario::Machines::OfFile, &import, query);
        let study = Study::Placement(study);
        study.validate().expect("an imported query is valid");
        let Study::Placement(placement) = &study else { unreachable!() };
        let whole = decide(placement).expect("there is a plan");
        assert!(whole.seconds.is_finite(), "{}", whole.seconds);
        let scenario = Scenario { version: VERSION, name: "fuzz".to_owned(), notes: String::new(), study };
        let text = scenario.to_ron();
        assert_eq!(read(&text).expect("what was written can be read"), scenario);
    }
}

/// Reads the bytes as a file of the product's own: a scenario, or a profile of engines. Panics where what was read cannot
/// be written and read again, or a valid placement study has no answer.
pub fn scenario(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Ok(profile) = file::read(text) {
        assert_eq!(file::read(&profile.to_ron()).expect("what was written can be read"), profile);
    }
    let Ok(scenario) = read(text) else { return };
    assert_eq!(read(&scenario.to_ron()).expect("what was written can be read"), scenario);
    let Study::Placement(placement) = &scenario.study else { return };
    if let Some(whole) = decide(placement) {
        assert!(!whole.seconds.is_nan(), "{}", whole.seconds);
    }
    let outcome = evaluate(placement);
    let speedup = outcome.summary.speedup();
    assert!(!speedup.is_nan(), "{speedup}");
}

/// Reads the bytes as the log of an application, and writes what a fleet answers: its tables and the configuration. Panics
/// where the product would show a defect: a number that is none or no time, or tables that differ after a merge.
pub fn fleet_log(bytes: &[u8]) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let [logs, out, merged] = ["logs", "out", "merged"].map(|name| folder.path().join(name));
    fs::create_dir(&logs).expect("a temporary folder can be written");
    fs::write(logs.join("log"), bytes).expect("a temporary folder can be written");
    let scenario = read(include_str!("../../../scenarios/placement-truth-aws-l4.ron")).expect("a valid scenario");
    let base = Base::new(&scenario).expect("it has engines");
    let order = RunOptions { store: &Folders, paths: &[logs], base: &base, out: &out, shard: None, threads: 1 };
    let outcomes = run(&order, &Control::default()).expect("a temporary folder can be written");
    let overview = Overview::new(&outcomes);
    for (_, summary) in &overview.applications {
        let times = [summary.sql_seconds, summary.startup_seconds, summary.gap_seconds, summary.staying_seconds];
        assert!(times.iter().all(|seconds| seconds.is_finite() && *seconds >= 0.0), "{times:?}");
        assert!(
            summary.likelihood.is_none_or(|likelihood| (0.0..=1.0).contains(&likelihood)),
            "{:?}",
            summary.likelihood
        );
    }
    let cluster = GpuCluster::of(&base, |_| None).expect("its GPU engine is RAPIDS");
    rapids::write(&out, &overview, &cluster).expect("a temporary folder can be written");
    drop(merge(std::slice::from_ref(&out), &merged, Unfinished::Refused).expect("a shard of one can be merged"));
    for file in crossover_fleet::tables::files(&out) {
        let other = merged.join(file.file_name().expect("a table"));
        assert!(fs::read(&file).expect("a table") == fs::read(other).expect("a table"), "{}", file.display());
    }
}

/// Reads the bytes as a ledger: as they are, and each line as a record with the check sum that it should have. Panics where a
/// line is taken that cannot be read again.
pub fn ledger(bytes: &[u8]) {
    let mut text = bytes.to_vec();
    text.push(b'\n');
    for line in bytes.split(|byte| *byte == b'\n') {
        text.extend(format!("{{\"check\":\"{:08x}\",\"record\":", crc32fast::hash(line)).as_bytes());
        text.extend(line);
        text.extend(b"}\n");
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join(NAME), &text).expect("a temporary folder can be written");
    let Ok(ledger) = Ledger::of(folder.path()) else { return };
    for known in ledger.entries().values() {
        // A line may hold for a list and not as a whole; that is an error, and no panic.
        drop(ledger.log(known));
    }
    let merged = folder.path().join("merged");
    for unfinished in [Unfinished::Refused, Unfinished::Named] {
        drop(merge(&[folder.path().to_owned()], &merged, unfinished));
    }
}
