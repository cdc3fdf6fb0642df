//! Runs at all centres of a call at once: a thread for each, their results put together on this one.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use crossover_page::storage::scenario as file;
use crossover_page::terminal::{message, print};
use crossover_probe::Run;
use crossover_scenario::Scenario;

use super::super::super::subject::{self, Subject};
use super::super::super::transport::history::{self, Entry};
use super::super::super::transport::round::{Progress, Round};
use super::super::super::transport::{RunRequest, Transport};
use super::super::summary;
use super::RunOptions;
use super::centres::Target;
use super::progress::ProgressView;

/// A centre with all that its thread needs.
struct Worker<'a> {
    subject: &'a Subject,
    transport: Transport,
    request: RunRequest,
    folder: PathBuf,
    history: Option<&'a Path>,
    options: &'a RunOptions,
    is_cancelled: &'a AtomicBool,
    /// When the centre must have answered.
    until: Option<Instant>,
}

/// What a thread tells.
enum Told {
    Progress(Progress),
    /// Runs with one number of units: valid ones, and why others failed.
    Runs(Vec<Run>, Vec<String>),
    /// The centre has ended.
    Ended(End),
}

/// How a centre ended.
#[derive(Debug, Clone, PartialEq, Eq)]
enum End {
    /// All runs were tried.
    Done,
    /// Its resources have not changed; nothing was run.
    Unchanged(String),
    /// It did not answer within its limit.
    TooLate,
    /// The history cannot be read, or it was interrupted.
    Stopped(String),
}

/// Results of a centre.
#[derive(Debug, Clone, Default)]
struct CentreResult {
    /// Number of valid runs.
    counted: usize,
    /// The first reason why a run does not count.
    fault: Option<String>,
    /// How it ended.
    end: Option<End>,
}

/// Runs at all centres in rounds, keeps all runs in the history, and adds valid ones to the scenario as they come.
pub(super) fn measure(
    options: &RunOptions,
    mut scenario: Scenario,
    targets: &[Target],
    has_programs: bool,
) -> Result<()> {
    let cancelled = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&cancelled);
    // Without a handler an interrupt ends the program at once; finished runs are in the history.
    if let Err(error) = ctrlc::set_handler(move || flag.store(true, Ordering::Relaxed)) {
        message(format!("note: an interrupt ends the program at once: {error}"));
    }
    let temporary = tempfile::tempdir().context("cannot create a folder for reports")?;
    let history = options.history.clone().or_else(history::file);
    let study = scenario.probe().context("a probe scenario")?;
    let until = options.answer_within.map(|limit| Instant::now() + limit);
    let mut workers = Vec::with_capacity(targets.len());
    for target in targets {
        let folder = target.folder(options, temporary.path())?;
        workers.push(Worker {
            subject: &target.subject,
            transport: target.transport(options)?,
            request: target.request(options, study, &folder, has_programs)?,
            folder,
            history: history.as_deref(),
            options,
            is_cancelled: &cancelled,
            until,
        });
    }
    let results = thread::scope(|scope| -> Result<Vec<CentreResult>> {
        let (tell, told) = mpsc::channel();
        for (centre, worker) in workers.into_iter().enumerate() {
            let tell = tell.clone();
            let thread = thread::Builder::new().name("probes of a centre".to_owned());
            let started = thread.spawn_scoped(scope, move || worker.run(centre, &tell));
            if let Err(error) = started {
                cancelled.store(true, Ordering::Relaxed);
                return Err(error).context("cannot start a thread for a centre");
            }
        }
        drop(tell);
        collect(options, &mut scenario, targets, &told, &cancelled)
    })?;
    report(options, &scenario, targets, &results, cancelled.load(Ordering::Relaxed))
}

impl Worker<'_> {
    fn run(self, centre: usize, tell: &Sender<(usize, Told)>) {
        // Nothing receives after a failure, which has cancelled this.
        let tell = |what| drop(tell.send((centre, what)));
        let end = self.rounds(&tell);
        tell(Told::Ended(end));
    }

    fn is_late(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() >= until)
    }

    fn is_cancelled(&self) -> bool {
        self.is_cancelled.load(Ordering::Relaxed) || self.is_late()
    }

    fn rounds(&self, tell: &dyn Fn(Told)) -> End {
        let mut resources = self.transport.resources();
        if self.options.if_changed
            && let Some(Ok(machine)) = self.transport.units(&self.request.program)
        {
            resources = machine.summary();
        }
        if self.options.if_changed
            && let Some(path) = self.history
        {
            match is_unchanged(path, self.subject, &resources, tell) {
                Ok(true) => return End::Unchanged(resources),
                Ok(false) => {}
                Err(why) => return End::Stopped(format!("{why:#}")),
            }
        }
        let round = Round {
            centre: &self.subject.centre,
            transport: &self.transport,
            request: &self.request,
            probe: &self.subject.probe,
            folder: &self.folder,
            history: self.history,
            resources: &resources,
        };
        let rounds = self.options.rounds.unwrap_or(if self.options.every.is_some() { u32::MAX } else { 1 });
        for number in 0..rounds {
            let begun = Instant::now();
            for units in &self.request.units {
                let tell_progress = &mut |progress| tell(Told::Progress(progress));
                let (counted, failed) = round.run(*units, &|| self.is_cancelled(), tell_progress);
                tell(Told::Runs(counted, failed));
                if self.is_cancelled() {
                    return if self.is_late() { End::TooLate } else { End::Done };
                }
            }
            let Some(minutes) = self.options.every.filter(|_| number + 1 < rounds) else { break };
            let until = begun + Duration::from_secs(60 * u64::from(minutes));
            while Instant::now() < until && !self.is_cancelled() {
                thread::sleep(Duration::from_millis(100));
            }
        }
        End::Done
    }
}

/// Whether the resources of a centre have not changed since its last run of this probe. Unknown resources count as changed.
fn is_unchanged(history: &Path, subject: &Subject, resources: &str, tell: &dyn Fn(Told)) -> Result<bool> {
    let (entries, damaged) = history::read(history).with_context(|| format!("cannot read {}", history.display()))?;
    if damaged > 0 {
        let note = format!("{}: {damaged} lines cannot be read and are skipped", history.display());
        tell(Told::Progress(Progress::Note(note)));
    }
    let probe = subject.probe.fingerprint();
    let is_of = |entry: &&Entry| entry.centre == subject.centre && entry.probe == probe && entry.report.is_some();
    let last = entries.iter().rev().find(is_of);
    Ok(!resources.is_empty() && last.is_some_and(|last| last.resources == resources))
}

/// Takes what the threads tell until the last one has ended.
fn collect(
    options: &RunOptions,
    scenario: &mut Scenario,
    targets: &[Target],
    told: &Receiver<(usize, Told)>,
    cancelled: &AtomicBool,
) -> Result<Vec<CentreResult>> {
    let mut results = vec![CentreResult::default(); targets.len()];
    let numbers = u32::try_from(options.units.len().max(1)).unwrap_or(u32::MAX);
    let total = options.every.is_none().then(|| options.repeats.saturating_mul(numbers));
    let mut view = ProgressView::new(targets, total);
    let mut problem = None;
    for (centre, what) in told {
        match what {
            Told::Progress(progress) => view.tell(centre, progress),
            Told::Ended(end) => {
                view.end(centre, "done");
                results[centre].end = Some(end);
            }
            Told::Runs(counted, failed) => {
                let result = &mut results[centre];
                result.counted += counted.len();
                result.fault = result.fault.take().or_else(|| failed.first().cloned());
                if problem.is_some() || (counted.is_empty() && failed.is_empty()) {
                    continue;
                }
                match add(options, scenario, &targets[centre].subject, &counted, &failed) {
                    Ok(notes) => notes.iter().for_each(|note| view.message(&format!("note: {note}"))),
                    Err(why) => {
                        // Without its file no further run is of use.
                        cancelled.store(true, Ordering::Relaxed);
                        problem = Some(why);
                    }
                }
            }
        }
    }
    view.clear();
    problem.map_or(Ok(results), Err)
}

/// Adds runs to the scenario, and writes it if there is an output file; returns notes.
fn add(
    options: &RunOptions,
    scenario: &mut Scenario,
    subject: &Subject,
    counted: &[Run],
    failed: &[String],
) -> Result<Vec<String>> {
    let study = scenario.study.probe_mut().context("a probe scenario")?;
    let notes = subject::put(study, subject, counted, failed).map_err(anyhow::Error::msg)?;
    if let Some(out) = &options.out {
        if let Err(invalid) = scenario.study.validate() {
            bail!("{}: not written: {}: {}", out.display(), invalid.path, invalid.problem);
        }
        file::save(out, scenario).with_context(|| format!("cannot write {}", out.display()))?;
    }
    Ok(notes)
}

/// Prints the runs of each centre, and a line about each that gave none.
fn report(
    options: &RunOptions,
    scenario: &Scenario,
    targets: &[Target],
    results: &[CentreResult],
    is_interrupted: bool,
) -> Result<()> {
    let study = scenario.probe().context("a probe scenario")?;
    let mut text = String::new();
    let mut faults = Vec::new();
    let mut without: Vec<&str> = Vec::new();
    let mut ran = 0;
    for (target, result) in targets.iter().zip(results) {
        let name = &target.subject.centre;
        if let Some(End::Unchanged(resources)) = &result.end {
            message(format!(
                "the resources of {name} have not changed since it last ran this probe ({resources}); nothing is run"
            ));
            continue;
        }
        ran += 1;
        let centre = study.centres.iter().find(|centre| centre.name == *name);
        let of = centre.and_then(|centre| centre.units.iter().find(|of| of.name == target.subject.unit));
        text += &of.map_or_else(String::new, |of| summary::runs(name, of));
        let late = options.answer_within.filter(|_| result.end == Some(End::TooLate));
        let reason = match (&result.end, late) {
            (Some(End::Stopped(why)), _) => Some(why.clone()),
            (_, Some(limit)) => {
                Some(format!("did not answer within {} s; its other runs were cancelled", limit.as_secs_f64()))
            }
            _ => result.fault.clone().filter(|_| result.counted == 0),
        };
        // One centre has told already why its runs do not count.
        let is_told = targets.len() == 1 && result.end == Some(End::Done);
        faults.extend(reason.filter(|_| !is_told).map(|why| format!("{name}: {why}")));
        if result.counted == 0 {
            without.push(name);
        }
    }
    if ran == 0 {
        return Ok(());
    }
    if options.out.is_none() {
        message("note: without --out the runs are only in the history");
    }
    print(text)?;
    for fault in &faults {
        message(fault);
    }
    match &without[..] {
        _ if is_interrupted => bail!("interrupted; finished runs are kept"),
        [] => Ok(()),
        without if without.len() < ran => {
            bail!("no run at {} succeeded; the runs of the other centres are kept", without.join(", "))
        }
        without => bail!("no run at {} succeeded", without.join(", ")),
    }
}
