//! `crossover probe run`: lets a centre run the probe of a scenario, keeps what comes back, and adds it to the scenario.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use clap::{Parser, ValueEnum};
use crossover_gpu_bench::report::Tool;
use crossover_gpu_bench::report::tool::NOT_OPTIMISED;
use crossover_page::storage::scenario;
use crossover_page::terminal::{Source, message, print};
use crossover_probe::Run;
use crossover_scenario::Scenario;

use super::super::subject::{self, Subject};
use super::super::transport::history::{self, Entry};
use super::super::transport::round::{News, Round};
use super::super::transport::slurm::Cluster;
use super::super::transport::{self, Asked, slurm, written};

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

pub(super) fn run(options: &RunOptions) -> Result<()> {
    let mut scenario = options.source.scenario()?;
    let file = options.source.file.display().to_string();
    let kind = scenario.study.kind();
    let study = scenario
        .study
        .probe_mut()
        .with_context(|| format!("{file}: this is {}", crossover_page::terminal::called(kind)))?;
    let subject = subject::find(study, options.centre.as_deref(), options.unit.as_deref())
        .map_err(|why| anyhow::anyhow!("{file}: {why}"))?;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "validated: at most 10^7")]
    let at = study.target.units as u32;
    let units = if options.units.is_empty() { vec![at] } else { options.units.clone() };
    if let Some(units) = units.iter().find(|units| f64::from(**units) > subject.count) {
        bail!("{} has {} units {}; {units} are asked for", subject.centre, subject.count, subject.unit);
    }
    if options.through != Through::Slurm && (options.partition.is_some() || !options.sbatch.is_empty()) {
        bail!("--partition and --sbatch are for --through slurm");
    }
    let is_written = matches!(options.through, Through::Kubernetes | Through::Ssh);
    let own = std::env::current_exe().context("this program has no path")?.to_string_lossy().into_owned();
    let program = match &options.program {
        Some(program) => vec![program.clone()],
        None if is_written => vec!["gpu-bench".to_owned()],
        None => vec![own, "bench".to_owned()],
    };
    if !is_written && options.program.is_none() && !Tool::here().optimised {
        message(&format!("warning: this program was {NOT_OPTIMISED}"));
    }
    let temporary = tempfile::tempdir().context("no folder for reports")?;
    let is_kept = options.folder.is_some() || options.through != Through::Here;
    let folder = if is_kept {
        let folder = slurm::shared(options.folder.clone()).map_err(anyhow::Error::msg)?;
        // Jobs of another run may still read theirs.
        if options.through == Through::Slurm { slurm::new_folder(&folder).map_err(anyhow::Error::msg)? } else { folder }
    } else {
        temporary.path().to_owned()
    };
    let task = folder.join("probe.ron");
    let text = subject::ron(&subject.probe)?;
    fs::write(&task, &text).with_context(|| format!("{} cannot be written", task.display()))?;
    let asked = Asked {
        task,
        unit: subject.runs_on.clone(),
        units,
        repeats: options.repeats,
        limit: Duration::from_secs_f64(options.limit),
        program,
    };
    match options.through {
        Through::Kubernetes => write_manifests(&asked, options, &folder, &text),
        Through::Ssh if options.host.starts_with('-') => bail!("--host {}: no name of a machine", options.host),
        Through::Ssh => print(&written::ssh(&asked, &options.host)),
        Through::Here | Through::Slurm => measure(options, &mut scenario, &subject, &asked, &folder),
    }
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
    scenario: &mut Scenario,
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
    let name = &subject.centre;
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
        && is_unchanged(path, subject, &resources)?
    {
        message(&format!("{name} has what it had when it last ran this probe ({resources}); nothing is run"));
        return Ok(());
    }
    let round = Round {
        centre: name,
        through: &through,
        asked,
        probe: &subject.probe,
        folder,
        history: history.as_deref(),
        resources: &resources,
    };
    let rounds = options.rounds.unwrap_or(if options.every.is_some() { u32::MAX } else { 1 });
    let mut counts = 0;
    for number in 0..rounds {
        let begun = Instant::now();
        for units in &asked.units {
            let tell = &mut |news| told(name, news, options.through);
            let (counted, failed) = round.run(*units, &is_cancelled, tell);
            counts += counted.len();
            add(options, scenario, subject, &counted, &failed)?;
            if is_cancelled() {
                break;
            }
        }
        let Some(minutes) = options.every.filter(|_| number + 1 < rounds && !is_cancelled()) else { break };
        let until = begun + Duration::from_secs(60 * u64::from(minutes));
        while Instant::now() < until && !is_cancelled() {
            std::thread::sleep(Duration::from_millis(100));
        }
    }
    if options.out.is_none() {
        message("note: without --out the runs are in the history alone");
    }
    let study = scenario.study.probe().context("a probe scenario")?;
    let centre = study.centres.iter().find(|centre| centre.name == *name);
    let of = centre.and_then(|centre| centre.units.iter().find(|of| of.name == subject.unit));
    let of = of.with_context(|| format!("{name} is not there any more"))?;
    print(&super::summary::runs(name, of))?;
    match counts {
        0 if !is_cancelled() => bail!("no run at {name} counts"),
        _ if is_cancelled() => bail!("interrupted; what came back is kept"),
        _ => Ok(()),
    }
}

/// Whether a centre has what it had when this probe last came back from it. What nobody tells counts as changed.
fn is_unchanged(history: &Path, subject: &Subject, resources: &str) -> Result<bool> {
    let (entries, damaged) = history::read(history).with_context(|| format!("{} cannot be read", history.display()))?;
    if damaged > 0 {
        message(&format!("note: {}: {damaged} lines cannot be read and are passed over", history.display()));
    }
    let probe = subject.probe.fingerprint();
    let is_of = |entry: &&Entry| entry.centre == subject.centre && entry.probe == probe && entry.report.is_some();
    let last = entries.iter().rev().find(is_of);
    Ok(!resources.is_empty() && last.is_some_and(|last| last.resources == resources))
}

/// What a queue says is news to the user; of this machine each run is told when it is over.
fn told(centre: &str, news: News, through: Through) {
    match news {
        News::State(text) if through == Through::Slurm => message(&text),
        News::State(_) => {}
        News::Over(text) => message(&format!("{centre}, {text}")),
        News::Note(text) => message(&format!("note: {centre}: {text}")),
    }
}

/// Adds runs to the scenario, and writes it if that is wanted.
fn add(
    options: &RunOptions,
    scenario: &mut Scenario,
    subject: &Subject,
    counted: &[Run],
    failed: &[String],
) -> Result<()> {
    let study = scenario.study.probe_mut().context("a probe scenario")?;
    for note in subject::put(study, subject, counted, failed).map_err(anyhow::Error::msg)? {
        message(&format!("note: {note}"));
    }
    let Some(out) = &options.out else { return Ok(()) };
    if let Err(invalid) = scenario.study.validate() {
        bail!("{}: not written: {}: {}", out.display(), invalid.path, invalid.problem);
    }
    scenario::save(out, scenario).with_context(|| format!("{}: cannot be written", out.display()))
}
