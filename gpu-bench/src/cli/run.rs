//! `gpu-bench run`: measures, tells how far it is, keeps the report, prints it.

use std::path::PathBuf;
use std::process::{self, ExitCode};

use anyhow::Result;
use clap::{Args, ValueEnum};

use super::events::EventStream;
use super::keeper::Keeper;
use super::progress::Progress;
use super::{ids, message, print};
use crate::benchmarks::case;
use crate::failure::Failure;
use crate::gpu::{Gpu, adapter};
use crate::report::tool::NOT_OPTIMISED;
use crate::report::{Tool, history, summary};
use crate::runner::{self, Event, Plan};
use crate::timing::Cancel;

/// Exit code of a run that was cancelled: 128 and the number of SIGINT, as shells have it.
pub(super) const CANCELLED: u8 = 130;

#[derive(Debug, Args)]
#[command(after_help = "Ctrl-C ends the run after the current sample and keeps what was measured (exit code 130); a \
                        second Ctrl-C ends the program at once. The report is written after every measurement, to \
                        the folder of all runs and to FILE.\n\nWith --events, standard output gets one line of JSON \
                        per step: planned, started, finished, noted, ended. The line “cancel” on standard input, or \
                        its end, cancels.")]
pub struct Options {
    /// GPU to measure: its number or part of its name in “gpu-bench list”; default: the first
    #[arg(long, value_name = "N|NAME", conflicts_with = "cpu_only")]
    device: Option<String>,
    /// How much to measure
    #[arg(long, value_enum, default_value = "quick")]
    suite: Suite,
    /// Time for the whole run; what does not fit is skipped; default: 55, 1800 or 28, by suite
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    budget: Option<f64>,
    /// Measures only what begins with one of these, e.g. memory or filter.append
    #[arg(long, value_name = "ID", num_args = 1.., value_parser = ids::prefix)]
    only: Vec<String>,
    /// Writes the report to this file too
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Leaves the GPU out
    #[arg(long)]
    cpu_only: bool,
    /// For other programs: tells every step as a line of JSON instead of the table
    #[arg(long)]
    events: bool,
}

/// How much to measure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Suite {
    /// What calibration needs, within a minute
    Quick,
    /// Every sweep, up to a gigabyte, within half an hour
    Full,
    /// Everything once, small: shows that all works
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
    seconds.ok_or_else(|| "a number of seconds above 0 is needed".to_owned())
}

/// Who hears of a run.
#[derive(Debug)]
enum Listener {
    Person(Progress),
    Program(EventStream),
}

impl Listener {
    fn hear(&mut self, event: &Event) {
        match self {
            Self::Person(progress) => progress.hear(event),
            Self::Program(stream) => stream.hear(event),
        }
    }

    fn say(&self, text: &str) {
        match self {
            Self::Person(progress) => progress.say(text),
            Self::Program(_) => message(text),
        }
    }
}

/// Measures. The exit code tells whether the run was cancelled or could not be kept.
pub(super) fn run(options: Options) -> Result<ExitCode> {
    if !Tool::here().optimised {
        message(&format!("warning: {NOT_OPTIMISED}"));
    }
    let cancel = Cancel::default();
    cancel_on_ctrl_c(&cancel);
    let mut listener = if options.events {
        Listener::Program(EventStream::new(cancel.clone())?)
    } else {
        Listener::Person(Progress::new())
    };
    let gpu = open(&options)?;
    let suite = case::Suite::from(options.suite);
    let plan = Plan { suite, budget_seconds: options.budget.unwrap_or(suite.budget_seconds()), only: options.only };
    let folder = history::folder();
    if folder.is_none() && options.json.is_none() {
        listener.say("warning: this system names no folder for data, so only --json keeps the report");
    }
    let mut keeper = Keeper::new(options.json, folder);
    let report = runner::run(&plan, gpu.as_ref(), &cancel, &mut |event| {
        // First kept, then told: who hears of a measurement finds it in the file.
        for failure in keeper.hear(&event) {
            listener.say(&failure);
        }
        listener.hear(&event);
    });
    if !options.events {
        print(&summary::document(&report).text())?;
    }
    Ok(match (keeper.kept(), cancel.asked()) {
        (false, _) => ExitCode::FAILURE,
        (true, true) => ExitCode::from(CANCELLED),
        (true, false) => ExitCode::SUCCESS,
    })
}

/// The GPU that was asked for; a machine without one is measured as it is.
fn open(options: &Options) -> Result<Result<Gpu, Failure>> {
    if options.cpu_only {
        return Ok(Err(Failure::GpuLeftOut));
    }
    let opened = adapter::choose(adapter::list(), options.device.as_deref()).and_then(|adapter| Gpu::open(&adapter));
    match opened {
        Err(failure) if options.device.is_some() => Err(failure.into()),
        opened => Ok(opened),
    }
}

pub(super) fn cancel_on_ctrl_c(cancel: &Cancel) {
    let cancel = cancel.clone();
    let mut asked = false;
    let installed = ctrlc::set_handler(move || {
        if asked {
            process::exit(i32::from(CANCELLED));
        }
        asked = true;
        cancel.ask();
    });
    if let Err(error) = installed {
        message(&format!("warning: Ctrl-C will end the program at once: {error}"));
    }
}
