//! `crossover probe run`: runs the probe of a scenario at centres, side by side, keeps the runs in the history, and adds them to the
//! scenario.

pub(super) mod centres;
mod progress;
mod report;
mod timer;

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use clap::Parser;
use crossover_gpu_bench::probe::allowed;
use crossover_harness::tool::{NOT_OPTIMISED, Tool};
use crossover_page::terminal::{Source, message, print};
use crossover_probe::Probe;
use crossover_probe::estimate::SHORT_RUN;

use super::build::seconds;
use crate::centres::{GPU_BENCH, RunSettings, dry, estimate};
use crate::kept::{self, KeptProbe};
use crate::transport::address::Address;
use crate::transport::history;
use centres::targets;
use timer::TimerForm;

/// Longest time limit of a run.
const LONGEST: Duration = Duration::from_hours(1);
/// Longest time limit of a centre.
const LONGEST_ANSWER: Duration = Duration::from_hours(24 * 30);

/// Runs the probe of a scenario at compute centres, side by side: on this machine, through Slurm or Kubernetes, or over SSH
#[derive(Debug, Parser)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch that clap reads")]
#[command(name = "run", display_order = 1)]
pub(super) struct RunOptions {
    #[command(flatten)]
    source: Source,
    /// A centre, and how it is reached: local, slurm, slurm:PARTITION, ssh:HOST, kubernetes or kubernetes:CONTEXT; may be
    /// repeated. Default: this machine
    #[arg(long = "centre", value_name = "NAME[=TRANSPORT]")]
    centres: Vec<String>,
    /// Type of units; default: the type that the unit-type rule (`route`) of the centre selects, usually the first one that
    /// supports every operator
    #[arg(long, value_name = "TYPE")]
    unit_type: Option<String>,
    /// Numbers of units, e.g. 1,2,4; default: the number of units on which the scenario compares centres (`target.units`)
    #[arg(long, value_name = "N", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..))]
    units: Vec<u32>,
    /// Each unit is a task of Slurm, on any node, with its part of the executions; default: one task on one node has all units
    #[arg(long)]
    tasks: bool,
    /// Runs with each number of units
    #[arg(long, default_value_t = 5, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    repeats: u32,
    /// Transport to centres without their own
    #[arg(long, default_value = "local", value_name = "TRANSPORT")]
    transport: Address,
    /// Partition of Slurm, for centres without their own
    #[arg(long, value_name = "NAME")]
    partition: Option<String>,
    /// A further argument of sbatch, e.g. --account=us; may be repeated
    #[arg(long, value_name = "ARGUMENT", allow_hyphen_values = true)]
    sbatch: Vec<String>,
    /// Folder for scripts, manifests and reports; Slurm nodes need access to it
    #[arg(long, value_name = "FOLDER")]
    folder: Option<PathBuf>,
    /// Container image with gpu-bench, for Kubernetes
    #[arg(long, value_name = "IMAGE", default_value = GPU_BENCH)]
    image: String,
    /// Program that runs the probe at the centres; default: this program, or gpu-bench with Kubernetes and SSH
    #[arg(long, value_name = "PROGRAM")]
    program: Option<String>,
    /// Largest estimated time of a run, seconds. The reference ratio (`target.ratio`) is raised to meet it, unless --set names a ratio or
    /// the scenario has runs
    #[arg(long, value_name = "SECONDS", default_value_t = SHORT_RUN, value_parser = seconds)]
    seconds: f64,
    /// Time limit of a run, e.g. 90 (seconds) or 10m
    #[arg(long, value_name = "TIME", default_value = "60", value_parser = limit)]
    limit: Duration,
    /// Time limit of each centre for all its runs, time in its queue included, e.g. 10m, or of one centre, e.g. north=2h;
    /// unfinished runs are then cancelled. May be repeated
    #[arg(long, value_name = "[NAME=]TIME", value_parser = answer_limit)]
    answer_within: Vec<(Option<String>, Duration)>,
    /// Repeats the runs after this many minutes, until interrupted or until --rounds are finished
    #[arg(long, value_name = "MINUTES", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    every: Option<u32>,
    /// Number of rounds with --every
    #[arg(long, value_name = "N", requires = "every")]
    rounds: Option<u32>,
    /// Prints a timer that repeats the runs at intervals of --every, and starts nothing
    #[arg(long, value_enum, value_name = "FORM", requires = "every", conflicts_with_all = ["rounds", "dry_run"])]
    timer: Option<TimerForm>,
    /// Runs only at centres whose resources have changed since their last probe
    #[arg(long)]
    if_changed: bool,
    /// Runs only at centres with a file of their name in this folder; the file is removed after the runs. With
    /// --if-changed also at centres whose resources have changed
    #[arg(long, value_name = "FOLDER")]
    if_requested: Option<PathBuf>,
    /// Runs only if no probe of the scenario's task type is kept beside the history, and keeps the probe with its runs
    #[arg(long, conflicts_with = "every")]
    if_unknown: bool,
    /// Shows the programs that the scenario names, and lets this and later runs in this working folder start them
    #[arg(long)]
    allow_programs: bool,
    /// Prints what would be sent to each centre, and starts nothing
    #[arg(long)]
    dry_run: bool,
    /// History file of all runs; default: in the user's data folder
    #[arg(long, value_name = "FILE")]
    history: Option<PathBuf>,
    /// File for the scenario with the runs; may be the input file
    #[arg(long, value_name = "SCENARIO")]
    out: Option<PathBuf>,
}

fn limit(text: &str) -> Result<Duration, String> {
    time(text, LONGEST)
}

/// "10m" of all centres, or "north=2h" of one. A name may have an equals sign, a time has none.
fn answer_limit(text: &str) -> Result<(Option<String>, Duration), String> {
    let (name, limit) = text.rsplit_once('=').map_or((None, text), |(name, limit)| (Some(name.to_owned()), limit));
    Ok((name, time(limit, LONGEST_ANSWER)?))
}

/// "90", "90s", "10m" or "2h".
fn time(text: &str, longest: Duration) -> Result<Duration, String> {
    let (number, seconds) = match text.char_indices().next_back() {
        Some((place, 's')) => (&text[..place], 1.0),
        Some((place, 'm')) => (&text[..place], 60.0),
        Some((place, 'h')) => (&text[..place], 3_600.0),
        _ => (text, 1.0),
    };
    let longest = longest.as_secs_f64();
    let value: Option<f64> = number.parse().ok().map(|number: f64| number * seconds);
    let value = value.filter(|value| (0.01..=longest).contains(value));
    value.map(Duration::from_secs_f64).ok_or_else(|| format!("allowed: 0.01 to {longest} s, e.g. 90, 10m or 1h"))
}

impl RunOptions {
    /// The settings of all centres.
    fn settings(&self) -> Result<RunSettings> {
        let own = || -> Result<Vec<String>> {
            let path = std::env::current_exe().context("the path of this program is not available")?;
            Ok(vec![path.to_string_lossy().into_owned(), "bench".to_owned()])
        };
        let named = self.program.as_ref().map(|program| vec![program.clone()]);
        Ok(RunSettings {
            unit_type: self.unit_type.clone(),
            units: self.units.clone(),
            is_divided: self.tasks,
            repeats: self.repeats,
            sbatch: self.sbatch.clone(),
            folder: self.folder.clone(),
            slurm_folder: None,
            image: self.image.clone(),
            own_program: named.clone().map_or_else(own, Ok)?,
            remote_program: named.unwrap_or_else(|| vec![GPU_BENCH.to_owned()]),
            limit: self.limit,
            every: self.every,
            rounds: self.rounds,
            if_changed: self.if_changed,
            requests: self.if_requested.clone(),
            asks_centres: !self.dry_run && self.timer.is_none(),
            history: self.history.clone().or_else(history::file),
        })
    }
}

/// The folder of kept probes beside the history of runs.
fn kept_folder(settings: &RunSettings) -> Result<PathBuf> {
    let folder = settings.history.as_deref().map(kept::folder_beside);
    folder.context("the system has no data folder; name a history: --history FILE")
}

/// The newest kept probe of the type of a task.
fn known_probe(settings: &RunSettings, study: &Probe) -> Result<Option<KeptProbe>> {
    let task_type = study.target.task_type.trim();
    if task_type.is_empty() {
        bail!("--if-unknown: the task has no type; enter one, such as climate");
    }
    let (known, notes) = kept::find(&kept_folder(settings)?, Some(task_type))?;
    for note in notes {
        message(format!("note: {note}"));
    }
    Ok(known.into_iter().next())
}

pub(super) fn run(options: &RunOptions) -> Result<()> {
    let mut scenario = options.source.scenario()?;
    let file = options.source.file.display().to_string();
    let kind = scenario.study.kind();
    let not_probe = || format!("{file}: this is {}", crossover_page::terminal::called(kind));
    let settings = options.settings()?;
    if options.if_unknown
        && let Some(known) = known_probe(&settings, scenario.probe().with_context(not_probe)?)?
    {
        let (task_type, path) = (known.task_type(), known.path.display());
        message(format!(
            "a probe of the type “{task_type}” has been kept since {} ({path}); nothing is run",
            known.kept_at()
        ));
        return Ok(());
    }
    let mut targets =
        targets(options, &settings, scenario.probe().with_context(not_probe)?).with_context(|| file.clone())?;
    let known = settings.known_runs();
    let names_ratio = options.source.overrides.iter().any(|one| one.starts_with("target.ratio"));
    if !names_ratio
        && let Some(study) = scenario.study.probe_mut()
        && let Some(note) = estimate::shorten(study, &mut targets, &settings, options.seconds, &known)
    {
        message(format!("note: {note}"));
    }
    let study = scenario.probe().with_context(not_probe)?;
    // All centres run the same probe.
    let first = targets.first().context("no centre")?;
    let programs = allowed::programs(&first.subject.probe).with_context(|| file.clone())?;
    for target in &targets {
        let request = target.request(&settings, study, Path::new(""), programs.is_some());
        let fewest = request.units.iter().copied().min().unwrap_or(1);
        let time = estimate::time(&target.subject, study, fewest, &known);
        if let Some(warning) = estimate::warning(&target.subject, &time, &request, fewest) {
            message(warning);
        }
    }
    if options.dry_run {
        return print(dry::text(&settings, study, &targets, programs.as_ref(), &known)?);
    }
    if let Some(programs) = &programs {
        let checked = allowed::list().check(programs, options.allow_programs, &mut |line| message(&line));
        checked.with_context(|| file)?;
    }
    if let Some(form) = options.timer {
        return print(timer::text(form, options, &settings, study, &targets, programs.is_some())?);
    }
    let is_own = |address: &Address| matches!(address, Address::Local | Address::Slurm(_));
    if options.program.is_none() && targets.iter().any(|of| is_own(&of.address)) && !Tool::here().optimised {
        message(format!("warning: this program was {NOT_OPTIMISED}"));
    }
    report::measure(options, settings, scenario, targets, programs.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_has_a_unit_or_is_in_seconds() {
        for (text, seconds) in [("90", 90.0), ("1.5s", 1.5), ("10m", 600.0), ("1h", 3_600.0)] {
            assert_eq!(limit(text), Ok(Duration::from_secs_f64(seconds)), "{text}");
        }
        for text in ["", "m", "0", "-1m", "61m", "1d", "nan", "inf"] {
            assert!(limit(text).is_err_and(|why| why.contains("allowed: 0.01 to 3600 s")), "{text}");
        }
        assert_eq!(answer_limit("2h"), Ok((None, Duration::from_hours(2))));
        assert_eq!(answer_limit("a=b=90"), Ok((Some("a=b".to_owned()), Duration::from_secs(90))));
        assert!(answer_limit("north=").is_err() && answer_limit("90=north").is_err());
    }
}
