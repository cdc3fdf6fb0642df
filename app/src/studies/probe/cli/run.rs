//! `crossover probe run`: lets a centre run the probe of a scenario, keeps what comes back, and adds it to the scenario.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use clap::{Parser, ValueEnum};
use crossover_model::invalid::did_you_mean;
use crossover_model::probe::build::build;
use crossover_model::probe::centre::route;
use crossover_model::probe::{Probe, ProbeTask, Run};
use crossover_model::provenance::Provenance;
use crossover_model::unit::elapsed;
use jiff::Timestamp;

use super::super::transport::history::{self, Entry};
use super::super::transport::slurm::Cluster;
use super::super::transport::{self, Asked, judged, skew, slurm, written};
use super::build::ron;
use crate::storage::scenario;
use crate::terminal::{Source, message, print};

/// Longest run that can be asked for, seconds.
const LONGEST: f64 = 3_600.0;

/// Lets a centre run the probe of a scenario: here, through Slurm, or as manifests and command lines for others to carry out
#[derive(Debug, Parser)]
#[command(name = "run", display_order = 1)]
pub(super) struct RunOptions {
    #[command(flatten)]
    source: Source,
    /// The centre; default: the only one
    #[arg(long, value_name = "NAME")]
    centre: Option<String>,
    /// Its type of units; default: what the scenario says
    #[arg(long, value_name = "TYPE")]
    unit: Option<String>,
    /// Numbers of units, e.g. 1,2,4; default: the one to compare on
    #[arg(long, value_name = "N", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..))]
    units: Vec<u32>,
    /// Runs with each number of units
    #[arg(long, default_value_t = 5, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    repeats: u32,
    /// How the probe reaches the centre
    #[arg(long, value_enum, default_value = "here")]
    through: Through,
    /// Partition of Slurm
    #[arg(long, value_name = "NAME")]
    partition: Option<String>,
    /// A further argument of sbatch, e.g. --account=us; may be repeated
    #[arg(long, value_name = "ARGUMENT", allow_hyphen_values = true)]
    sbatch: Vec<String>,
    /// Folder for scripts, manifests and reports; with Slurm one that its nodes see
    #[arg(long, value_name = "FOLDER")]
    folder: Option<PathBuf>,
    /// Image with gpu-bench for Kubernetes
    #[arg(long, value_name = "IMAGE", default_value = "gpu-bench")]
    image: String,
    /// Machine for SSH
    #[arg(long, value_name = "HOST", default_value = "HOST")]
    host: String,
    /// Program at the centre; default: this one, or gpu-bench where others carry it out
    #[arg(long, value_name = "PROGRAM")]
    program: Option<String>,
    /// A run is given up after so many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0, value_parser = seconds)]
    limit: f64,
    /// Runs again after so many minutes, until it is interrupted or --rounds are done
    #[arg(long, value_name = "MINUTES", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    every: Option<u32>,
    /// Rounds with --every
    #[arg(long, value_name = "N", requires = "every")]
    rounds: Option<u32>,
    /// Runs only if the centre's resources are others than when it was last probed
    #[arg(long)]
    if_changed: bool,
    /// History of all runs; default: the user's own
    #[arg(long, value_name = "FILE")]
    history: Option<PathBuf>,
    /// Scenario with the runs; may be the one that was read
    #[arg(long, value_name = "SCENARIO")]
    out: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Through {
    /// A process on this machine
    Here,
    /// Jobs of Slurm
    Slurm,
    /// Manifests of Kubernetes jobs, for somebody else to apply
    Kubernetes,
    /// Command lines for SSH, for somebody else to run
    Ssh,
}

fn seconds(text: &str) -> Result<f64, String> {
    let value: Option<f64> = text.parse().ok();
    value.filter(|value| (0.01..=LONGEST).contains(value)).ok_or_else(|| format!("allowed: 0.01 to {LONGEST}"))
}

/// What is probed.
struct Subject {
    centre: usize,
    unit: usize,
    probe: ProbeTask,
}

pub(super) fn run(options: &RunOptions) -> Result<()> {
    let mut scenario = options.source.scenario()?;
    let file = options.source.file.display().to_string();
    let kind = scenario.study.kind();
    let study =
        scenario.study.probe_mut().with_context(|| format!("{file}: this is {}", crate::terminal::called(kind)))?;
    let subject = subject(study, options).with_context(|| file.clone())?;
    let of = &study.centres[subject.centre].units[subject.unit];
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "validated: at most 10^7")]
    let (at, most) = (study.target.units as u32, of.count as u32);
    let units = if options.units.is_empty() { vec![at] } else { options.units.clone() };
    if let Some(units) = units.iter().find(|units| **units > most) {
        bail!("{} has {most} units {}; {units} are asked for", study.centres[subject.centre].name, of.name);
    }
    let is_written = matches!(options.through, Through::Kubernetes | Through::Ssh);
    let own = std::env::current_exe().context("this program has no path")?.to_string_lossy().into_owned();
    let program = match &options.program {
        Some(program) => vec![program.clone()],
        None if is_written => vec!["gpu-bench".to_owned()],
        None => vec![own, "bench".to_owned()],
    };
    let temporary = tempfile::tempdir().context("no folder for reports")?;
    let is_kept = options.folder.is_some() || options.through != Through::Here;
    let folder = if is_kept {
        slurm::shared(options.folder.clone()).map_err(anyhow::Error::msg)?
    } else {
        temporary.path().to_owned()
    };
    let task = folder.join("probe.ron");
    let text = ron(&subject.probe)?;
    fs::write(&task, &text).with_context(|| format!("{} cannot be written", task.display()))?;
    let asked = Asked {
        task,
        unit: of.runs_on.clone(),
        units,
        repeats: options.repeats,
        limit: Duration::from_secs_f64(options.limit),
        program,
    };
    match options.through {
        Through::Kubernetes => write_manifests(&asked, options, &folder, &text),
        Through::Ssh => print(&written::ssh(&asked, &options.host)),
        Through::Here | Through::Slurm => measure(options, &mut scenario, &subject, &asked, &folder),
    }
}

/// The centre, its units and the probe that are meant.
fn subject(study: &Probe, options: &RunOptions) -> Result<Subject> {
    let names: Vec<String> = study.centres.iter().map(|centre| centre.name.clone()).collect();
    let centre = match &options.centre {
        Some(name) => names.iter().position(|other| other == name).with_context(|| {
            format!("there is no centre “{name}”{}; there is: {}", did_you_mean(name, &names), names.join(", "))
        })?,
        None if names.len() == 1 => 0,
        None => bail!("several centres; --centre takes one of: {}", names.join(", ")),
    };
    let built = build("probe", &study.target, &study.operators);
    let [probe] = &built.probes[..] else {
        bail!(
            "{} probes; run each of “crossover probe build --split --out” with “gpu-bench probe”",
            built.probes.len()
        );
    };
    let units = &study.centres[centre].units;
    let unit = match &options.unit {
        Some(name) => units.iter().position(|of| of.name == *name).with_context(|| {
            let known: Vec<&str> = units.iter().map(|of| of.name.as_str()).collect();
            format!("{} has no units “{name}”; it has: {}", names[centre], known.join(", "))
        })?,
        // A centre that chooses itself has not reported yet: its first type is asked.
        None => route(&study.centres[centre], &built).or_else(|why| match study.centres[centre].route {
            crossover_model::probe::Route::Centre => Ok(0),
            _ => Err(anyhow::anyhow!("{}: {why}", names[centre])),
        })?,
    };
    Ok(Subject { centre, unit, probe: probe.clone() })
}

fn write_manifests(asked: &Asked, options: &RunOptions, folder: &Path, task: &str) -> Result<()> {
    for (name, text) in written::manifests(asked, &options.image, task) {
        let path = folder.join(name);
        fs::write(&path, text).with_context(|| format!("{} cannot be written", path.display()))?;
        print(&format!("{}\n", path.display()))?;
    }
    message(
        "apply them with “kubectl apply -f FILE”; “kubectl logs -l app=crossover-probe --tail=-1 > logs.txt” brings the reports \
         back, and “crossover probe read logs.txt” adds them",
    );
    Ok(())
}

/// Runs in rounds, keeps everything, and adds what counts to the scenario.
fn measure(
    options: &RunOptions,
    scenario: &mut crossover_model::scenario::Scenario,
    subject: &Subject,
    asked: &Asked,
    folder: &Path,
) -> Result<()> {
    let cancelled = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&cancelled);
    // Without a handler an interrupt ends the program at once; what came back so far is in the history.
    if let Err(error) = ctrlc::set_handler(move || flag.store(true, Ordering::Relaxed)) {
        message(&format!("note: an interrupt will not be waited for: {error}"));
    }
    let is_cancelled = || cancelled.load(Ordering::Relaxed);
    let history = options.history.clone().or_else(history::file);
    let name = {
        let study = scenario.study.probe().context("a probe scenario")?;
        study.centres[subject.centre].name.clone()
    };
    let through = match options.through {
        Through::Slurm => transport::Through::Slurm(Cluster {
            partition: options.partition.clone(),
            arguments: options.sbatch.clone(),
        }),
        _ => transport::Through::Here,
    };
    let resources = through.resources();
    if options.if_changed
        && let Some(path) = &history
        && let Some(last) = history::read(path)?.0.into_iter().rev().find(|entry| entry.centre == name)
        && last.resources == resources
    {
        message(&format!("{name} has what it had when it was last probed ({resources}); nothing is run"));
        return Ok(());
    }
    let rounds = options.rounds.unwrap_or(if options.every.is_some() { u32::MAX } else { 1 });
    let (mut counted, mut failed) = (Vec::new(), Vec::new());
    for round in 0..rounds {
        let begun = Instant::now();
        for units in &asked.units {
            let before = Timestamp::now();
            let came = through.run(asked, *units, folder, &is_cancelled, &mut |text| told(text, options.through));
            let after = Timestamp::now();
            for (repeat, came) in came.into_iter().enumerate() {
                let what = format!("{name}, {}, run {}", super::summary::units(f64::from(*units)), repeat + 1);
                keep(
                    history.as_deref(),
                    &Entry {
                        centre: name.clone(),
                        asked: before.to_string(),
                        units: *units,
                        resources: resources.clone(),
                        report: came.as_ref().ok().cloned(),
                        failure: came.as_ref().err().cloned(),
                    },
                );
                if let Some(skew) = came.as_ref().ok().and_then(|report| skew(report, before, after)) {
                    message(&format!("note: {what}: {skew}"));
                }
                match came.and_then(|report| judged(&report, Some(&subject.probe))) {
                    Ok(run) => {
                        message(&format!("{what}: {}", elapsed(run.seconds)));
                        counted.push(run);
                    }
                    Err(why) => {
                        message(&format!("{what}: does not count: {why}"));
                        failed.push(format!("{}: {why}", super::summary::units(f64::from(*units))));
                    }
                }
            }
            if is_cancelled() {
                break;
            }
        }
        add(options, scenario, subject, (&mut counted, &mut failed), folder)?;
        let Some(minutes) = options.every.filter(|_| round + 1 < rounds && !is_cancelled()) else { break };
        let until = begun + Duration::from_secs(60 * u64::from(minutes));
        while Instant::now() < until && !is_cancelled() {
            std::thread::sleep(Duration::from_millis(100));
        }
    }
    let study = scenario.study.probe().context("a probe scenario")?;
    let of = &study.centres[subject.centre].units[subject.unit];
    print(&super::summary::runs(&name, of))?;
    if of.runs.seconds.is_empty() {
        bail!("no run at {name} counts");
    }
    Ok(())
}

/// What a queue says is news to the user; of this machine each run is told when it is over.
fn told(text: &str, through: Through) {
    if through == Through::Slurm {
        message(text);
    }
}

/// Keeps a run; measuring goes on if that fails, and the user is told.
fn keep(history: Option<&Path>, entry: &Entry) {
    let Some(path) = history else { return };
    if let Err(error) = history::add(path, entry) {
        message(&format!("warning: {} cannot be written, this run is not in the history: {error}", path.display()));
    }
}

/// Adds runs to the scenario, and writes it if that is wanted.
fn add(
    options: &RunOptions,
    scenario: &mut crossover_model::scenario::Scenario,
    subject: &Subject,
    (counted, failed): (&mut Vec<Run>, &mut Vec<String>),
    folder: &Path,
) -> Result<()> {
    let study = scenario.study.probe_mut().context("a probe scenario")?;
    let centre = &mut study.centres[subject.centre];
    let of = &mut centre.units[subject.unit];
    let left = of.runs.add(counted, failed);
    if left > 0 {
        message(&format!("warning: {left} runs more than a scenario holds were left out; the history has them"));
    }
    let path = format!("centres.{}.units.{}.runs", centre.name, of.name);
    let source = Provenance::Imported {
        file: format!("gpu-bench probe, {}", folder.file_name().unwrap_or_default().to_string_lossy()),
    };
    for column in ["seconds", "units"] {
        study.sources.insert(format!("{path}.{column}"), source.clone());
    }
    counted.clear();
    failed.clear();
    if let Some(out) = &options.out {
        scenario::save(out, scenario).with_context(|| format!("{}: cannot be written", out.display()))?;
        message(&format!("{}: written", out.display()));
    }
    Ok(())
}
