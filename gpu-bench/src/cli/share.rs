//! `gpu-bench share`: two programs of the user beside each other on a GPU or on CPUs.

use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use clap::{Args, ValueEnum};
use crossover_files::programs::{ALLOW, AllowList, Programs};
use crossover_harness::Cancel;
use crossover_harness::file::replace;
use crossover_measured::sharing::{SharedResource, SharingReport, SharingSetting};
use crossover_share::words::words;
use crossover_share::{ShareError, ShareOutcome, SharePlan, run, summary, usual_settings};

use super::run::CANCELLED;
use super::{message, print, write_error};
use crate::probe::{allowed, machine};
use crate::report::Host;

/// Exit code of wrong usage.
const USAGE: u8 = 2;
/// Durations of a turn that are useful, seconds.
const SLICES: RangeInclusive<f64> = 0.001..=60.0;
/// Longest times of a run that are useful, seconds.
const LIMITS: RangeInclusive<f64> = 0.1..=86_400.0;

#[derive(Debug, Args)]
#[command(
    after_help = "A round has three parts: each program alone; both together, once for each setting; and a queue of launches of \
                  both, which a scheduling policy starts. In the second part a program that ends is started again, so that the \
                  other is never alone. Every run ends by itself, unless it exceeds --limit.\n\nThe policy decides at the start, and each time a launch ends. It \
                  chooses the setting whose sum of normalised progress was largest in the rounds so far. If that sum is above 1, both \
                  programs run together, otherwise one after the other.\n\nPrograms run without a shell, and their output is not \
                  shown. MPS shares and priorities need the MPS control daemon, which you start. “crossover compare-share” compares the \
                  report with the simulation of a scenario.\n\nExit codes: 0 done, 1 failed, 2 wrong \
                  usage, 130 cancelled. Whole rounds before a failure or Ctrl-C are printed and written."
)]
pub struct Options {
    /// Command line of the first program
    #[arg(long, value_name = "COMMAND")]
    first: String,
    /// Command line of the second program
    #[arg(long, value_name = "COMMAND")]
    second: String,
    /// What the programs share; default: the GPU, or the CPUs where there is no NVIDIA GPU
    #[arg(long, value_enum)]
    on: Option<Device>,
    /// Measures with these shares of the multiprocessors by MPS, in percent; may be repeated
    #[arg(long, value_name = "A,B", value_parser = shares)]
    shares: Vec<[u32; 2]>,
    /// Measures with these priorities of the programs' streams by MPS: 0, or 1 for the lower one; may be repeated
    #[arg(long, value_name = "A,B", value_parser = priorities)]
    priorities: Vec<[u32; 2]>,
    /// Measures with these weights of CPU time, by cgroups where they can be written, else by nice levels; may be repeated
    #[arg(long, value_name = "A,B", value_parser = weights)]
    weights: Vec<[u32; 2]>,
    /// Measures with both programs in turn, each for this time slice, stopped and continued by signals; may be repeated
    #[arg(long, value_name = "SECONDS", value_parser = slice)]
    slice: Vec<f64>,
    /// Cgroup in which a cgroup for each program is created; default: that of this process
    #[arg(long, value_name = "FOLDER")]
    cgroup: Option<PathBuf>,
    /// Rounds
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    repeats: u32,
    /// Launches of each program in the queue of the policy
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    launches: u32,
    /// Longest time of a run, alone or beside the other program; a longer run is terminated, and the measurement fails
    #[arg(long, value_name = "SECONDS", default_value_t = 600.0, value_parser = limit)]
    limit: f64,
    /// Shows the programs, and lets this and later runs in this working folder start them
    #[arg(long)]
    allow_programs: bool,
    /// Also writes the report to this file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// What two programs share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Device {
    /// An NVIDIA GPU
    Gpu,
    /// The CPUs of this machine
    Cpu,
}

fn shares(text: &str) -> Result<[u32; 2], String> {
    two(text, 1..=100, "50,50")
}

fn weights(text: &str) -> Result<[u32; 2], String> {
    two(text, 1..=10_000, "100,900")
}

fn priorities(text: &str) -> Result<[u32; 2], String> {
    two(text, 0..=1, "0,1")
}

/// Two whole numbers of a range.
fn two(text: &str, range: RangeInclusive<u32>, example: &str) -> Result<[u32; 2], String> {
    let number = |text: &str| text.trim().parse::<u32>().ok().filter(|number| range.contains(number));
    let both = text.split_once(',').and_then(|(first, second)| Some([number(first)?, number(second)?]));
    let (least, most) = (range.start(), range.end());
    both.ok_or_else(|| format!("expected two whole numbers from {least} to {most}, such as {example}"))
}

fn slice(text: &str) -> Result<f64, String> {
    seconds(text, &SLICES)
}

fn limit(text: &str) -> Result<f64, String> {
    seconds(text, &LIMITS)
}

fn seconds(text: &str, allowed: &RangeInclusive<f64>) -> Result<f64, String> {
    let seconds: Option<f64> = text.parse().ok().filter(|seconds| allowed.contains(seconds));
    seconds.ok_or_else(|| format!("expected a number of seconds from {} to {}", allowed.start(), allowed.end()))
}

/// Measures. The exit code shows whether the run was complete and saved.
pub(super) fn share(options: Options) -> Result<ExitCode> {
    let split = |option: &str, command: &str| words(command).with_context(|| format!("{option} “{command}”"));
    let lines = match (split("--first", &options.first), split("--second", &options.second)) {
        (Ok(first), Ok(second)) => [first, second],
        (Err(error), _) | (_, Err(error)) => {
            message(format!("{error:#}"));
            return Ok(ExitCode::from(USAGE));
        }
    };
    let (on, device) = shared(options.on)?;
    check(&lines, options.allow_programs)?;
    let settings = options.settings(on);
    let cancel = Cancel::default();
    let on_ctrl_c = cancel.clone();
    // A second Ctrl-C changes nothing: programs end within two seconds after the first, or are killed.
    ctrlc::set_handler(move || on_ctrl_c.request()).context("cannot handle Ctrl-C")?;
    let plan = SharePlan {
        commands: [options.first, options.second],
        lines,
        on,
        settings,
        rounds: options.repeats,
        queue_launches: options.launches,
        limit: Duration::from_secs_f64(options.limit),
        cgroup: options.cgroup,
    };
    let outcome = run(&plan, device, &cancel, |round, what| {
        // Progress is ignored if standard error is closed.
        _ = write_error(format!("[round {} of {}] {what}\n", round + 1, plan.rounds));
    });
    let ShareOutcome { report, stopped } = outcome?;
    let code = match stopped {
        None => ExitCode::SUCCESS,
        Some(ShareError::Cancelled) => ExitCode::from(CANCELLED),
        Some(why) => {
            message(why.to_string());
            ExitCode::FAILURE
        }
    };
    Ok(if keep(options.json, &report)? { code } else { ExitCode::FAILURE })
}

/// What the programs share, and its name.
fn shared(wanted: Option<Device>) -> Result<(SharedResource, String)> {
    let gpu = if wanted == Some(Device::Cpu) { None } else { nvidia_gpu() };
    match (wanted, gpu) {
        (_, Some(name)) => Ok((SharedResource::Gpu, name)),
        (Some(Device::Gpu), None) => {
            bail!("no NVIDIA GPU: “nvidia-smi -L” lists none; try the policy on CPU processes with --on cpu")
        }
        (wanted, None) => {
            if wanted.is_none() {
                message("note: there is no NVIDIA GPU here; the policy is tried on CPU processes, as with --on cpu");
            }
            Ok((SharedResource::Cpu, Host::here().cpu))
        }
    }
}

/// The name of the first NVIDIA GPU of this machine.
fn nvidia_gpu() -> Option<String> {
    machine::here(Vec::new).gpus.into_iter().next().map(|gpu| gpu.name)
}

/// Programs start only after the user has seen and allowed them, as those of a file do: a command line may be copied from anywhere.
fn check(lines: &[Vec<String>; 2], is_allowed: bool) -> Result<()> {
    let Some(programs) = Programs::of(lines.iter().map(Vec::as_slice))? else { return Ok(()) };
    let list: AllowList = allowed::list();
    if list.allows(&programs) {
        return Ok(());
    }
    for line in programs.lines() {
        message(format!("program: {line}"));
    }
    if !is_allowed {
        bail!(
            "nothing was started: these programs are started many times, and they are not allowed yet. Start them with {ALLOW}; they are \
             then allowed from now on in the current working folder"
        );
    }
    if let Err(error) = list.allow(&programs) {
        message(format!("note: not remembered: {error}"));
    }
    Ok(())
}

impl Options {
    /// The settings that the user names, after that of no control; or the usual ones.
    fn settings(&self, on: SharedResource) -> Vec<SharingSetting> {
        let shares =
            self.shares.iter().map(|[first, second]| SharingSetting::MpsShares { first: *first, second: *second });
        let priorities = self
            .priorities
            .iter()
            .map(|[first, second]| SharingSetting::MpsPriorities { first: *first, second: *second });
        let weights =
            self.weights.iter().map(|[first, second]| SharingSetting::CpuWeights { first: *first, second: *second });
        let slices = self.slice.iter().map(|seconds| SharingSetting::TimeSlices { seconds: *seconds });
        let named: Vec<SharingSetting> = shares.chain(priorities).chain(weights).chain(slices).collect();
        if named.is_empty() {
            return usual_settings(on);
        }
        [SharingSetting::Uncontrolled].into_iter().chain(named).collect()
    }
}

/// Prints the tables and writes the report to the file; to standard output if that fails. Returns whether the file was written.
fn keep(target: Option<PathBuf>, report: &SharingReport) -> Result<bool> {
    if report.rounds.is_empty() {
        return Ok(true);
    }
    print(summary::text_report(report).terminal())?;
    let Some(path) = target else { return Ok(true) };
    let json = serde_json::to_string_pretty(report).context("cannot convert the report to JSON")? + "\n";
    let Err(error) = replace(&path, json.as_bytes()) else { return Ok(true) };
    message(format!("{error}; the report follows on standard output"));
    print(&json).map(|()| false)
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    /// The options as a command of their own.
    #[derive(Debug, Parser)]
    struct Command {
        #[command(flatten)]
        options: Options,
    }

    #[test]
    fn two_numbers_are_read_in_their_range() {
        assert_eq!(shares("50, 30"), Ok([50, 30]));
        assert_eq!(weights("1,10000"), Ok([1, 10_000]));
        assert_eq!(priorities("0,1"), Ok([0, 1]));
        assert_eq!(priorities("0,2"), Err("expected two whole numbers from 0 to 1, such as 0,1".to_owned()));
        for wrong in ["50", "50,", "0,50", "50,101", "50,50,50", "a,b", "50;50", "-1,5"] {
            assert!(shares(wrong).is_err(), "{wrong}");
        }
        assert!(slice("0").is_err() && slice("NaN").is_err() && slice("0.05") == Ok(0.05));
        assert!(limit("inf").is_err() && limit("600") == Ok(600.0));
    }

    #[test]
    fn settings_that_are_named_follow_that_of_no_control() {
        let settings = |options: &[&str], on: SharedResource| {
            let words = ["share", "--first", "a", "--second", "b"].iter().chain(options).copied();
            Command::try_parse_from(words).expect("options").options.settings(on)
        };
        let weights = SharingSetting::CpuWeights { first: 100, second: 300 };
        let slices = SharingSetting::TimeSlices { seconds: 0.5 };
        let named = settings(&["--slice", "0.5", "--weights", "100,300"], SharedResource::Cpu);
        assert_eq!(named, [SharingSetting::Uncontrolled, weights, slices]);
        let priorities = SharingSetting::MpsPriorities { first: 1, second: 0 };
        let named = settings(&["--priorities", "1,0"], SharedResource::Gpu);
        assert_eq!(named, [SharingSetting::Uncontrolled, priorities]);
        assert_eq!(settings(&[], SharedResource::Cpu), usual_settings(SharedResource::Cpu));
    }
}
