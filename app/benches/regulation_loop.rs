//! How much of a core the live loop of regulation takes: `cargo bench -p crossover --bench regulation_loop`.
//!
//! The program regulates in a dry run by the scrapes of eight exporters with eight GPUs each, in periods of 1 s. Each scrape is
//! text with 20 metrics of each GPU, as dcgm-exporter writes it, over HTTP. Printed is the time on a processor of all threads of
//! the program for each step, from the first step on, as a share of the period. Goal: at most 1 % of a core.
//!
//! Linux only: the time is that of `/proc/PID/task/*/schedstat`, in nanoseconds.

#![expect(clippy::print_stdout, reason = "figures are what a benchmark is for")]

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use crossover_needs::http_server;

/// Machines with an exporter.
const MACHINES: usize = 8;
/// GPUs of a machine.
const GPUS: usize = 8;
/// Metrics of a GPU that the loop does not use.
const OTHER_METRICS: usize = 17;
/// Steps that are measured.
const STEPS: usize = 30;
/// Sampling period, nanoseconds.
const PERIOD: f64 = 1e9;
/// The published example.
const SCENARIO: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../scenarios/regulation-published.ron");

/// A program that ends with its value.
struct Program(Child);

impl Drop for Program {
    fn drop(&mut self) {
        // It may have ended.
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

/// Metrics of all GPUs of a machine, which change with each scrape.
fn scrape(machine: usize, count: usize) -> String {
    let mut text = String::new();
    let mut metric = |name: &str, value: &dyn Fn(usize) -> f64| {
        text.push_str(&format!("# HELP {name} A metric of DCGM.\n# TYPE {name} gauge\n"));
        for gpu in 0..GPUS {
            let labels = format!(
                "gpu=\"{gpu}\",UUID=\"GPU-{machine:04}-{gpu:04}\",device=\"nvidia{gpu}\",modelName=\"NVIDIA H100 80GB HBM3\",\
                 Hostname=\"node{machine}\",DCGM_FI_DRIVER_VERSION=\"550.54.15\""
            );
            text.push_str(&format!("{name}{{{labels}}} {}\n", value(gpu)));
        }
    };
    let varied = |gpu: usize| (gpu * 7 + count * 3 + machine) % 20;
    metric("DCGM_FI_PROF_PCIE_TX_BYTES", &|gpu| 1e9 * (1 + varied(gpu)) as f64);
    metric("DCGM_FI_PROF_PCIE_RX_BYTES", &|gpu| 1e9 * (2 + varied(gpu)) as f64);
    metric("DCGM_FI_PROF_SM_ACTIVE", &|gpu| 0.04 * varied(gpu) as f64);
    for other in 0..OTHER_METRICS {
        metric(&format!("DCGM_FI_DEV_OTHER_{other}"), &|gpu| (100 * other + varied(gpu)) as f64);
    }
    text
}

/// Time on a processor of all threads of a process, nanoseconds.
fn on_processor(process: u32) -> f64 {
    let tasks = fs::read_dir(format!("/proc/{process}/task")).expect("Linux, and the program runs");
    let time = |task: fs::DirEntry| {
        let text = fs::read_to_string(task.path().join("schedstat")).unwrap_or_default();
        text.split(' ').next().and_then(|number| number.parse::<f64>().ok()).unwrap_or_default()
    };
    tasks.map_while(Result::ok).map(time).sum()
}

fn main() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    fs::write(path("vgpus"), "100").expect("written");
    let actuators = "[(name: \"vgpus\", changes: Vgpus, least: 10, most: 200, per_second: 4, through: Programs(set: \
                     [\"true\", \"{value}\"], read: [\"cat\", \"vgpus\"]))]";
    fs::write(path("actuators.ron"), actuators).expect("written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_crossover"));
    command.args([
        "regulate",
        "run",
        SCENARIO,
        "--cluster",
        "I",
        "--set",
        "run.period_seconds=1",
        "--bus",
        "31.5 GB/s",
    ]);
    command.args(["--actuators", "actuators.ron", "--allow-programs"]);
    for machine in 0..MACHINES {
        command.args(["--readings", &http_server(move |count, _| scrape(machine, count))]);
    }
    command.current_dir(folder.path()).env("HOME", folder.path()).env("XDG_DATA_HOME", path("data"));
    command.stdin(Stdio::null()).stdout(Stdio::piped());
    let mut program = Program(command.spawn().expect("the program starts"));
    let mut steps = BufReader::new(program.0.stdout.take().expect("piped")).lines().map_while(Result::ok);
    let first = steps.next().expect("a first step");
    let (began, before) = (Instant::now(), on_processor(program.0.id()));
    let last = steps.nth(STEPS - 1).expect("all steps");
    let (seconds, spent) = (began.elapsed().as_secs_f64(), on_processor(program.0.id()) - before);
    let each = spent / STEPS as f64;
    let gpus = MACHINES * GPUS;
    println!("{first}\n{last}");
    println!("{gpus} GPUs, {MACHINES} exporters, {STEPS} steps in {seconds:.1} s");
    println!("{:.2} ms on a processor a step: {:.2} % of a core at 1 Hz", 1e-6 * each, 100.0 * each / PERIOD);
}
