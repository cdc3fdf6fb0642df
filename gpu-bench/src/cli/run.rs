//! `gpu-bench run`: measures, shows progress, saves and prints the report.

use std::path::PathBuf;
use std::process::{self, ExitCode};

use anyhow::Result;
use clap::{Args, ValueEnum};
use crossover_harness::Cancel;
use crossover_harness::tool::{NOT_OPTIMISED, Tool};

use super::events::EventStream;
use super::progress::Progress;
use super::report_writer::ReportWriter;
use super::{hold, ids, message, print};
use crate::benchmarks::case;
use crate::failure::Failure;
use crate::gpu::{Gpu, adapter};
use crate::report::{history, summary};
use crate::runner::{self, Event, Plan};

/// Name of this command.
const NAME: &str = "run";

/// Exit code of a run that was cancelled: 128 and the number of SIGINT, as in shells.
pub(super) const CANCELLED: u8 = 130;

#[derive(Debug, Args)]
#[command(after_help = "Ctrl-C ends the run after the current sample and keeps the results so far (exit code 130); a \
                        second Ctrl-C ends the program at once. The report is written after every measurement, to \
                        the folder of all runs and to FILE.\n\nWith --events, standard output gets one line of JSON \
                        per step: planned, started, finished, noted, ended. Write “cancel” to standard input, or \
                        close it, to cancel.")]
pub struct Options {
    /// GPU to measure: its number or part of its name in “gpu-bench list”; default: the first
    #[arg(long, value_name = "N|NAME", conflicts_with = "cpu_only")]
    device: Option<String>,
    /// How much to measure
    #[arg(long, value_enum, default_value = "quick")]
    suite: Suite,
    /// Time budget of the run; further measurements are skipped; default: 55, 1800 or 28 for quick, full or ci
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    budget: Option<f64>,
    /// Measures only benchmarks whose id begins with one of these, e.g. memory or filter.append
    #[arg(long, value_name = "ID", num_args = 1.., value_parser = ids::prefix)]
    only: Vec<String>,
    /// Also writes the report to this file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Measures the CPU only
    #[arg(long)]
    cpu_only: bool,
    /// For other programs: prints one line of JSON per step instead of the table
    #[arg(long)]
    events: bool,
}

/// How much to measure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Suite {
    /// Inputs of the calibration, within a minute
    Quick,
    /// Every sweep, up to a gigabyte, within half an hour
    Full,
    /// Every kernel once, small: a functional test
    Ci,
}

impl From<Suite> for case::Suite {
    fn from(suite: Suite) -> Self {
        match suite {
            Suite::Quick => Self::Quick,
            Suite::Full => Self::Full,
            Suite::Ci => Self::Ci,
        }
    }
}

fn seconds(text: &str) -> Result<f64, String> {
    let seconds: Option<f64> = text.parse().ok().filter(|seconds: &f64| seconds.is_finite() && *seconds > 0.0);
    seconds.ok_or_else(|| "expected a number of seconds above 0".to_owned())
}

/// Receiver of the events of a run.
#[derive(Debug)]
enum Listener {
    Terminal(Progress),
    Events(EventStream),
}

impl Listener {
    fn on_event(&mut self, event: &Event) {
        match self {
            Self::Terminal(progress) => progress.on_event(event),
            Self::Events(stream) => stream.on_event(event),
        }
    }

    fn print(&self, text: &str) {
        match self {
            Self::Terminal(progress) => progress.print(text),
            Self::Events(_) => message(text),
        }
    }
}

/// Measures. The exit code shows a cancelled run or a failed write.
pub(super) fn run(options: Options) -> Result<ExitCode> {
    if !Tool::here().optimised {
        message(format!("warning: {NOT_OPTIMISED}"));
    }
    let cancel = Cancel::default();
    cancel_on_ctrl_c(&cancel);
    let mut listener = if options.events {
        Listener::Events(EventStream::new(cancel.clone())?)
    } else {
        Listener::Terminal(Progress::new())
    };
    let gpu = open(&options)?;
    let suite = case::Suite::from(options.suite);
    let plan = Plan { suite, budget_seconds: options.budget.unwrap_or(suite.budget_seconds()), only: options.only };
    let folder = history::folder();
    if folder.is_none() && options.json.is_none() {
        listener.print("warning: this system has no data folder; use --json FILE to save the report");
    }
    let mut report_writer = ReportWriter::new(options.json, folder);
    let report = runner::run(&plan, gpu.as_ref(), &cancel, &mut |event| {
        // Saved first: a reader of the event finds the measurement in the file.
        for failure in report_writer.on_event(&event) {
            listener.print(&failure);
        }
        listener.on_event(&event);
    });
    if !options.events {
        print(summary::text_report(&report).terminal())?;
    }
    Ok(match (report_writer.is_complete(), cancel.is_requested()) {
        (false, _) => ExitCode::FAILURE,
        (true, true) => ExitCode::from(CANCELLED),
        (true, false) => ExitCode::SUCCESS,
    })
}

/// The selected GPU; without one the CPU is measured.
fn open(options: &Options) -> Result<Result<Gpu, Failure>> {
    if options.cpu_only {
        return Ok(Err(Failure::GpuLeftOut));
    }
    let opened = adapter::choose(adapter::list(), options.device.as_deref()).and_then(|adapter| Gpu::open(&adapter));
    let opened = opened.map(|mut gpu| {
        hold::hold(&mut gpu, NAME);
        gpu
    });
    match opened {
        Err(failure) if options.device.is_some() => Err(failure.into()),
        opened => Ok(opened),
    }
}

pub(super) fn cancel_on_ctrl_c(cancel: &Cancel) {
    let cancel = cancel.clone();
    let mut is_repeated = false;
    let installed = ctrlc::set_handler(move || {
        if is_repeated {
            process::exit(i32::from(CANCELLED));
        }
        is_repeated = true;
        cancel.request();
    });
    if let Err(error) = installed {
        message(format!("warning: Ctrl-C will end the program at once: {error}"));
    }
}
