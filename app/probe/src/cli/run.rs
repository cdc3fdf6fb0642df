//! `crossover probe run`: runs the probe of a scenario at a centre, keeps the runs in the history, and adds them to the scenario.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use clap::{Parser, ValueEnum};
use crossover_gpu_bench::probe::allowed;
use crossover_gpu_bench::report::Tool;
use crossover_gpu_bench::report::tool::NOT_OPTIMISED;
use crossover_page::storage::scenario;
use crossover_page::terminal::{Source, message, print};
use crossover_probe::Run;
use crossover_scenario::Scenario;

use super::super::subject::{self, Subject};
use super::super::transport::history::{self, Entry};
use super::super::transport::round::{Progress, Round};
use super::super::transport::slurm::Cluster;
use super::super::transport::{self, RunRequest, slurm, written};

/// Longest time limit of a run, seconds.
const LONGEST: f64 = 3_600.0;

/// Runs the probe of a scenario: on this machine, through Slurm, or by manifests and command lines to run elsewhere
#[derive(Debug, Parser)]
#[command(name = "run", display_order = 1)]
pub(super) struct RunOptions {
    #[command(flatten)]
    source: Source,
    /// The centre; default: this machine, with another transport the only one
    #[arg(long, value_name = "NAME")]
    centre: Option<String>,
    /// Type of units; default: by the unit-type rule of the centre
    #[arg(long, value_name = "TYPE")]
    unit_type: Option<String>,
    /// Numbers of units, e.g. 1,2,4; default: the units of the comparison
    #[arg(long, value_name = "N", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..))]
    units: Vec<u32>,
    /// Runs with each number of units
    #[arg(long, default_value_t = 5, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    repeats: u32,
    /// Transport of the probe to the centre
    #[arg(long, value_enum, default_value = "local")]
    transport: TransportKind,
    /// Slurm partition
    #[arg(long, value_name = "NAME")]
    partition: Option<String>,
    /// A further argument of sbatch, e.g. --account=us; may be repeated
    #[arg(long, value_name = "ARGUMENT", allow_hyphen_values = true)]
    sbatch: Vec<String>,
    /// Folder for scripts, manifests and reports; with Slurm, its nodes must see it
    #[arg(long, value_name = "FOLDER")]
    folder: Option<PathBuf>,
    /// Container image with gpu-bench for Kubernetes
    #[arg(long, value_name = "IMAGE", default_value = "gpu-bench")]
    image: String,
    /// Host for SSH
    #[arg(long, value_name = "HOST", default_value = "HOST")]
    host: String,
    /// Measuring program at the centre; default: this one, or gpu-bench with Kubernetes and SSH
    #[arg(long, value_name = "PROGRAM")]
    program: Option<String>,
    /// Time limit of a run, seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0, value_parser = seconds)]
    limit: f64,
    /// Repeat after this many minutes, until interrupted or until --rounds are finished
    #[arg(long, value_name = "MINUTES", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    every: Option<u32>,
    /// Number of rounds with --every
    #[arg(long, value_name = "N", requires = "every")]
    rounds: Option<u32>,
    /// Run only if the resources of the centre have changed since its last probe
    #[arg(long)]
    if_changed: bool,
    /// Shows and starts the programs that the scenario names, and allows them in this folder from now on
    #[arg(long)]
    allow_programs: bool,
    /// History file of all runs; default: in the user's data folder
    #[arg(long, value_name = "FILE")]
    history: Option<PathBuf>,
    /// File for the scenario with the runs; may be the input file
    #[arg(long, value_name = "SCENARIO")]
    out: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum TransportKind {
    /// A process on this machine
    Local,
    /// Slurm jobs
    Slurm,
    /// Manifests of Kubernetes jobs, to apply with kubectl
    Kubernetes,
    /// Command lines for SSH, to run in a shell
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
    let unit_type = options.unit_type.as_deref();
    let subject = match &options.centre {
        None if options.transport == TransportKind::Local => subject::this_machine(study, unit_type),
        centre => subject::find(study, centre.as_deref(), unit_type),
    };
    let subject = subject.map_err(|why| anyhow::anyhow!("{file}: {why}"))?;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "validated: at most 10^7")]
    let at = study.target.units as u32;
    let units = if options.units.is_empty() { vec![at] } else { options.units.clone() };
    if let Some(units) = units.iter().find(|units| f64::from(**units) > subject.count) {
        bail!("{} has {} units of type “{}”; {units} requested", subject.centre, subject.count, subject.unit);
    }
    if options.transport != TransportKind::Slurm && (options.partition.is_some() || !options.sbatch.is_empty()) {
        bail!("--partition and --sbatch are for --transport slurm");
    }
    let programs = allowed::programs(&subject.probe).with_context(|| file.clone())?;
    if let Some(programs) = &programs {
        let checked = allowed::list().check(programs, options.allow_programs, &mut |line| message(&line));
        checked.with_context(|| file.clone())?;
    }
    let is_written = matches!(options.transport, TransportKind::Kubernetes | TransportKind::Ssh);
    let own =
        std::env::current_exe().context("the path of this program is not available")?.to_string_lossy().into_owned();
    let program = match &options.program {
        Some(program) => vec![program.clone()],
        None if is_written => vec!["gpu-bench".to_owned()],
        None => vec![own, "bench".to_owned()],
    };
    if !is_written && options.program.is_none() && !Tool::here().optimised {
        message(format!("warning: this program was {NOT_OPTIMISED}"));
    }
    let temporary = tempfile::tempdir().context("cannot create a folder for reports")?;
    let is_kept = options.folder.is_some() || options.transport != TransportKind::Local;
    let folder = if is_kept {
        let folder = slurm::shared(options.folder.clone()).map_err(anyhow::Error::msg)?;
        // Jobs of earlier runs may still use theirs.
        if options.transport == TransportKind::Slurm {
            slurm::new_folder(&folder).map_err(anyhow::Error::msg)?
        } else {
            folder
        }
    } else {
        temporary.path().to_owned()
    };
    let task = folder.join("probe.ron");
    let text = subject::ron(&subject.probe)?;
    fs::write(&task, &text).with_context(|| format!("cannot write {}", task.display()))?;
    let request = RunRequest {
        task,
        unit: subject.runs_on.clone(),
        units,
        repeats: options.repeats,
        limit: Duration::from_secs_f64(options.limit),
        program,
        has_allowed_programs: programs.is_some(),
    };
    match options.transport {
        TransportKind::Kubernetes => write_manifests(&request, options, &folder, &text),
        TransportKind::Ssh if options.host.starts_with('-') => bail!("--host {}: expected a host name", options.host),
        TransportKind::Ssh => print(written::ssh(&request, &options.host)),
        TransportKind::Local | TransportKind::Slurm => measure(options, &mut scenario, &subject, &request, &folder),
    }
}

fn write_manifests(request: &RunRequest, options: &RunOptions, folder: &Path, task: &str) -> Result<()> {
    for (name, text) in written::manifests(request, &options.image, task) {
        let path = folder.join(name);
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
        print(format!("{}\n", path.display()))?;
    }
    message(
        "apply them with “kubectl apply -f FILE”; save the reports with “kubectl logs -l app=crossover-probe --tail=-1 > \
         logs.txt”, and add them with “crossover probe read SCENARIO --from logs.txt --out SCENARIO”",
    );
    Ok(())
}

/// Runs in rounds, keeps all runs in the history, and adds valid ones to the scenario.
fn measure(
    options: &RunOptions,
    scenario: &mut Scenario,
    subject: &Subject,
    request: &RunRequest,
    folder: &Path,
) -> Result<()> {
    let cancelled = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&cancelled);
    // Without a handler an interrupt ends the program at once; finished runs are in the history.
    if let Err(error) = ctrlc::set_handler(move || flag.store(true, Ordering::Relaxed)) {
        message(format!("note: an interrupt ends the program at once: {error}"));
    }
    let is_cancelled = || cancelled.load(Ordering::Relaxed);
    let history = options.history.clone().or_else(history::file);
    let name = &subject.centre;
    let transport = match options.transport {
        TransportKind::Slurm => transport::Transport::Slurm(Cluster {
            partition: options.partition.clone(),
            arguments: options.sbatch.clone(),
        }),
        _ => transport::Transport::Local,
    };
    let resources = transport.resources();
    if options.if_changed
        && let Some(path) = &history
        && is_unchanged(path, subject, &resources)?
    {
        message(format!(
            "the resources of {name} have not changed since it last ran this probe ({resources}); nothing is run"
        ));
        return Ok(());
    }
    let round = Round {
        centre: name,
        transport: &transport,
        request,
        probe: &subject.probe,
        folder,
        history: history.as_deref(),
        resources: &resources,
    };
    let rounds = options.rounds.unwrap_or(if options.every.is_some() { u32::MAX } else { 1 });
    let mut counts = 0;
    for number in 0..rounds {
        let begun = Instant::now();
        for units in &request.units {
            let tell = &mut |progress| report(name, progress, options.transport);
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
        message("note: without --out the runs are only in the history");
    }
    let study = scenario.study.probe().context("a probe scenario")?;
    let centre = study.centres.iter().find(|centre| centre.name == *name);
    let of = centre.and_then(|centre| centre.units.iter().find(|of| of.name == subject.unit));
    let of = of.with_context(|| format!("the centre {name} no longer exists"))?;
    print(super::summary::runs(name, of))?;
    match counts {
        0 if !is_cancelled() => bail!("no run at {name} succeeded"),
        _ if is_cancelled() => bail!("interrupted; finished runs are kept"),
        _ => Ok(()),
    }
}

/// Whether the resources of a centre have not changed since its last run of this probe. Unknown resources count as changed.
fn is_unchanged(history: &Path, subject: &Subject, resources: &str) -> Result<bool> {
    let (entries, damaged) = history::read(history).with_context(|| format!("cannot read {}", history.display()))?;
    if damaged > 0 {
        message(format!("note: {}: {damaged} lines cannot be read and are skipped", history.display()));
    }
    let probe = subject.probe.fingerprint();
    let is_of = |entry: &&Entry| entry.centre == subject.centre && entry.probe == probe && entry.report.is_some();
    let last = entries.iter().rev().find(is_of);
    Ok(!resources.is_empty() && last.is_some_and(|last| last.resources == resources))
}

/// Prints progress: states only of a queue, and each run when it has finished.
fn report(centre: &str, progress: Progress, transport: TransportKind) {
    match progress {
        Progress::State(text) if transport == TransportKind::Slurm => message(&text),
        Progress::State(_) => {}
        Progress::Finished(text) => message(format!("{centre}, {text}")),
        Progress::Note(text) => message(format!("note: {centre}: {text}")),
    }
}

/// Adds runs to the scenario, and writes it if there is an output file.
fn add(
    options: &RunOptions,
    scenario: &mut Scenario,
    subject: &Subject,
    counted: &[Run],
    failed: &[String],
) -> Result<()> {
    let study = scenario.study.probe_mut().context("a probe scenario")?;
    for note in subject::put(study, subject, counted, failed).map_err(anyhow::Error::msg)? {
        message(format!("note: {note}"));
    }
    let Some(out) = &options.out else { return Ok(()) };
    if let Err(invalid) = scenario.study.validate() {
        bail!("{}: not written: {}: {}", out.display(), invalid.path, invalid.problem);
    }
    scenario::save(out, scenario).with_context(|| format!("cannot write {}", out.display()))
}
