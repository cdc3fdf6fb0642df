//! What fuzz targets do: bytes become a file, the file is imported or opened, and what comes out must be usable.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use crossover_allocation::{Cluster, Trace, WHOLE, Workload};
use crossover_engine::file;
use crossover_fleet::ledger::{Ledger, NAME};
use crossover_fleet::merge::Unfinished;
use crossover_fleet::rapids::cluster::GpuCluster;
use crossover_fleet::{Base, Overview, RunOptions, merge, rapids, run};
use crossover_placement::evaluate;
use crossover_placement::whole::decide;
use crossover_plan::{Control, Folders, Import, ImportError, scenario};
use crossover_predict::features;
use crossover_scenario::{Scenario, Study, read};
use crossover_traces::kind::FileKind;
use crossover_traces::{TraceError, decisions, kubernetes, openb, philly, probed, profiled, slurm};
use tempfile::NamedTempFile;

/// Most bytes of a message about a file.
const LONGEST_MESSAGE: usize = 2_000;

/// The bytes as a file.
fn written(extension: &str, bytes: &[u8]) -> NamedTempFile {
    let mut file = tempfile::Builder::new().suffix(extension).tempfile().expect("a temporary file");
    file.write_all(bytes).expect("a temporary file can be written");
    file
}

/// Reads a file of one format.
type Importer = fn(&Path, &Control) -> Result<Import, ImportError>;

/// Imports the bytes and uses every query. Panics where the product would show a defect: an import that is not
/// valid, a plan that cannot be placed, a scenario that cannot be read again.
pub fn import(importer: Importer, extension: &str, bytes: &[u8]) {
    let file = written(extension, bytes);
    let Ok(import) = importer(file.path(), &Control::default()) else { return };
    let base = read(include_str!("../../scenarios/placement-modern.ron")).expect("a valid scenario");
    let base = base.placement().expect("a placement study");
    for query in import.queries.iter().filter(|query| !query.plan.nodes.is_empty()) {
        let study = scenario::placement(base, scenario::Machines::OfFile, &import, query);
        let study = Study::Placement(study);
        study.validate().expect("an imported query is valid");
        let Study::Placement(placement) = &study else { unreachable!() };
        let whole = decide(placement).expect("there is a plan");
        assert!(whole.seconds.is_finite(), "{}", whole.seconds);
        let scenario = Scenario::new("fuzz", "", study);
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
    let scenario = read(include_str!("../../scenarios/placement-truth-aws-l4.ron")).expect("a valid scenario");
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

/// Reads the bytes as a recorded cluster of the kind that they look like, and as any other kind. Panics where what was read cannot be
/// worked with.
pub fn cluster(bytes: &[u8]) {
    let file = written("", bytes);
    let path = file.path();
    let nodes = written("", b"NodeName=a CPUTot=64 RealMemory=1000 Gres=gpu:a100:4\n");
    let table = written("", b"sn,cpu_milli,memory_mib,gpu,model\nn1,1000,20,2,T4\n");
    match FileKind::of(path) {
        Ok(FileKind::OpenbNodes) => drop(openb::read(path, path)),
        Ok(FileKind::OpenbPods) => check_cluster(openb::read(table.path(), path)),
        Ok(FileKind::PhillyJobs) => check_cluster(philly::read(path, philly::Machines { nodes: 3, gpus_of_node: 4 })),
        Ok(FileKind::Kubernetes) => check_cluster(kubernetes::read(&[path])),
        Ok(FileKind::SlurmNodes) => check_cluster(slurm::read(path, None)),
        Ok(FileKind::SlurmJobs) => {
            check_cluster(slurm::read(nodes.path(), Some(path)));
            check_cluster(slurm::read_history(None, path));
        }
        Ok(FileKind::Decisions) => check_cluster(decisions::read(path)),
        Err(error) => check_message(&error),
    }
}

fn check_message(error: &TraceError) {
    let text = error.to_string();
    assert!(text.len() < LONGEST_MESSAGE, "{text}");
}

/// Places are within their lists, times are numbers, and the model takes it.
fn check_cluster(outcome: Result<Trace, TraceError>) {
    let trace = match outcome {
        Ok(trace) => trace,
        Err(error) => return check_message(&error),
    };
    assert!(trace.nodes.iter().flat_map(|node| &node.devices).all(|device| usize::from(*device) < trace.types.len()));
    for request in &trace.requests {
        assert_eq!(request.shares.len(), trace.types.len());
        assert!(request.shares.iter().flatten().all(|share| *share <= WHOLE), "{request:?}");
    }
    for task in &trace.tasks {
        assert!(task.request < trace.requests.len() && task.pieces >= 1, "{task:?}");
        assert!(task.arrives >= 0.0 && task.arrives.is_finite(), "{task:?}");
        assert!(task.seconds.is_none_or(|seconds| seconds >= 0.0 && seconds.is_finite()), "{task:?}");
    }
    let requests = trace.requests.len();
    assert_eq!(Workload::new(&Cluster::new(&trace.nodes), trace.requests).requests().len(), requests);
}

/// Reads the bytes as profiles of kernels, as sizes of their runs, as measured pairs and as arrivals. Panics where a number is none.
pub fn kernels(bytes: &[u8]) {
    let file = written("", bytes);
    let path = file.path();
    match profiled::kernels(path) {
        Ok(read) => assert!(!read.kernels.is_empty()),
        Err(error) => check_message(&error),
    }
    match profiled::sizes(path) {
        Ok(read) => assert!(read.runs.iter().all(|run| run.size > 0.0 && run.instructions >= 1.0)),
        Err(error) => check_message(&error),
    }
    match profiled::pairs(path) {
        Ok(read) => {
            for pair in read.devices.iter().flat_map(|of| &of.pairs) {
                for value in [pair.first_normalised, pair.second_normalised] {
                    assert!((0.001..=2.0).contains(&value), "{pair:?}");
                }
            }
        }
        Err(error) => check_message(&error),
    }
    match profiled::arrivals(path) {
        Ok(read) => assert!(read.recorded.seconds.is_sorted()),
        Err(error) => check_message(&error),
    }
}

/// Reads the bytes as a network: a table, JSON, a graph of `TensorFlow`, a model of ONNX. Panics where a sum overflows or a message is
/// as long as the file.
pub fn network(bytes: &[u8]) {
    let file = written("", bytes);
    match features::read(file.path()) {
        Ok(network) => {
            assert!(network.notes.iter().all(|note| note.len() < LONGEST_MESSAGE), "{:?}", network.notes);
            let (flops, unknown) = network.known_flops();
            assert!(network.flops().is_none_or(|all| all == flops), "{flops} without {unknown:?}");
        }
        Err(error) => {
            let text = error.to_string();
            assert!(text.len() < LONGEST_MESSAGE, "{text}");
        }
    }
}

/// Reads the bytes as what a probe or a benchmark printed. Panics where a number is none.
pub fn probe(bytes: &[u8]) {
    let file = written("", bytes);
    match probed::read(file.path(), Some(200_000.0)) {
        Ok(read) => {
            let is_above_zero = |value: f64| value.is_finite() && value > 0.0;
            assert!(!read.runs.is_empty());
            for run in &read.runs {
                assert!(run.units.is_finite() && run.units >= 1.0, "{run:?}");
                assert!(
                    run.seconds.is_none_or(is_above_zero) && run.target_seconds.is_none_or(is_above_zero),
                    "{run:?}"
                );
                assert!(run.rate.as_ref().is_none_or(|(rate, _)| is_above_zero(*rate)), "{run:?}");
                assert!(run.error.is_none_or(|error| error.is_finite() && error >= 0.0), "{run:?}");
            }
        }
        Err(error) => check_message(&error),
    }
}
