//! `gpu-bench pairs`: throughput of pairs of kernels that share a GPU, relative to each alone.

use std::env;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

use anyhow::{Context as _, Result};
use clap::Args;
use crossover_harness::Cancel;
use crossover_harness::file::replace;
use crossover_harness::tool::{NOT_OPTIMISED, Tool};

use super::hold::before_name;
use super::run::{CANCELLED, cancel_on_ctrl_c};
use super::{message, print, write_error};
use crate::failure::Failure;
use crate::pairs::kernels::{self, KERNELS, Kernel};
use crate::pairs::run::{Outcome, Stopped};
use crate::pairs::worker_handle::WorkerError;
use crate::pairs::{PairMode, PairsReport, Plan, run, worker};

/// Name of this command.
const NAME: &str = "pairs";

/// Shortest measurement, seconds: some dispatches.
const SHORTEST: f64 = 0.05;
/// Longest measurement, seconds.
const LONGEST: f64 = 600.0;

#[derive(Debug, Args)]
#[command(
    after_help = "Kernels: copy and random_access (memory), multiply_add and hash (compute).\n\nExit codes: 0 done, 1 \
                        failed, 2 wrong usage, 130 cancelled. Results before a failure or Ctrl-C are printed and \
                        written."
)]
pub struct Options {
    /// GPU to measure: its number or part of its name in “gpu-bench list”; default: the first
    #[arg(long, value_name = "N|NAME")]
    device: Option<String>,
    /// Kernels to pair; default: all
    #[arg(long, value_name = "KERNEL,…", value_delimiter = ',', value_parser = kernel)]
    kernels: Vec<&'static Kernel>,
    /// Duration of each measurement; default: 2, on a software adapter 0.5
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    seconds: Option<f64>,
    /// Repetitions of each kernel and each pair
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    repeats: u32,
    /// Runs both kernels of a pair in this process, on separate queues, instead of in two processes
    #[arg(long)]
    queues: bool,
    /// Also writes the report to this file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Dispatches one kernel for another process
    #[arg(long, hide = true, exclusive = true)]
    worker: bool,
}

fn kernel(key: &str) -> Result<&'static Kernel, String> {
    kernels::kernel(key).ok_or_else(|| {
        let known: Vec<&str> = KERNELS.iter().map(|kernel| kernel.key).collect();
        format!("unknown kernel; expected one of: {}", known.join(", "))
    })
}

fn seconds(text: &str) -> Result<f64, String> {
    let seconds: Option<f64> = text.parse().ok().filter(|seconds| (SHORTEST..=LONGEST).contains(seconds));
    seconds.ok_or_else(|| format!("expected a number of seconds from {SHORTEST} to {LONGEST}"))
}

/// Measures. The exit code shows whether the run was complete and saved.
pub(super) fn pairs(options: Options) -> Result<ExitCode> {
    if options.worker {
        return worker::serve().map(|()| ExitCode::SUCCESS);
    }
    if !Tool::here().optimised {
        message(format!("warning: {NOT_OPTIMISED}"));
    }
    let cancel = Cancel::default();
    cancel_on_ctrl_c(&cancel);
    let program = env::current_exe().context("cannot find the path of this program")?;
    let before = before_name(env::args_os(), NAME);
    let worker = || {
        let mut command = Command::new(&program);
        command.args(&before).args([NAME, "--worker"]);
        command
    };
    // In the order of the library, none twice.
    let is_chosen = |of: &&Kernel| options.kernels.is_empty() || options.kernels.iter().any(|one| one.key == of.key);
    let plan = Plan {
        device: options.device,
        kernels: KERNELS.iter().filter(is_chosen).collect(),
        seconds: options.seconds,
        repeats: options.repeats,
        mode: if options.queues { PairMode::Queues } else { PairMode::Processes },
    };
    let outcome = run(&plan, &cancel, worker, |number, count, what| {
        // Progress is ignored if standard error is closed.
        _ = write_error(format!("[{number}/{count}] {what}\n"));
    });
    let Outcome { report, stopped } = match outcome {
        // Before anything was measured.
        Err(Failure::Cancelled) => return Ok(ExitCode::from(CANCELLED)),
        outcome => outcome?,
    };
    let mut code = ExitCode::SUCCESS;
    match stopped {
        None => {}
        Some(Stopped { why: WorkerError::Cancelled, .. }) => code = ExitCode::from(CANCELLED),
        Some(Stopped { what, kernel, why }) => {
            message(format!("{what} cannot be measured: {kernel} failed: {why}"));
            code = ExitCode::FAILURE;
        }
    }
    Ok(if keep(options.json, &report)? { code } else { ExitCode::FAILURE })
}

/// Prints the tables and writes the report to the file; to standard output if that fails. Returns whether the file was
/// written.
fn keep(target: Option<PathBuf>, report: &PairsReport) -> Result<bool> {
    if report.kernels.is_empty() && report.pairs.is_empty() {
        return Ok(true);
    }
    print(report.text_report().terminal())?;
    let Some(path) = target else { return Ok(true) };
    let json = report.json().context("cannot convert the report to JSON")?;
    let Err(error) = replace(&path, json.as_bytes()) else { return Ok(true) };
    message(format!("{error}; the report follows on standard output"));
    print(&json).map(|()| false)
}
