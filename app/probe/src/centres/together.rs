//! Runs at all centres of a call at once: a thread for each, whose results are received one after another.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use crossover_probe::{Probe, Run};
use crossover_quantity::text::counted;
use tempfile::TempDir;

use super::RunSettings;
use super::requests::Request;
use super::result::End;
use super::target::Target;
use crate::subject::Subject;
use crate::transport::history::{self, Entry};
use crate::transport::round::{Progress, Round};
use crate::transport::{RunRequest, Transport};

/// What a centre tells.
pub(crate) enum Told {
    /// Progress of its runs.
    Progress(Progress),
    /// Runs with one number of units: valid ones, and why others failed. All are in the history.
    Runs(Vec<Run>, Vec<String>),
    /// The centre has ended.
    Ended(End),
}

/// Runs at centres. When dropped, they are cancelled, and their jobs and connections have ended.
#[derive(Debug)]
pub(crate) struct Together {
    targets: Vec<Target>,
    told: Receiver<(usize, Told)>,
    threads: Vec<JoinHandle<()>>,
    /// Nothing receives what the centres tell.
    is_dropped: Arc<AtomicBool>,
    /// Reports of centres without a folder of their own.
    _temporary: TempDir,
}

impl Together {
    /// Starts the runs: at all centres at once, in rounds, all of them kept in the history. The flag cancels them.
    ///
    /// # Errors
    /// A folder or a thread cannot be made.
    pub(crate) fn start(
        settings: RunSettings,
        study: &Probe,
        targets: Vec<Target>,
        has_programs: bool,
        is_cancelled: &Arc<AtomicBool>,
    ) -> Result<Self> {
        let temporary = tempfile::tempdir().context("cannot create a folder for reports")?;
        let (settings, is_dropped) = (Arc::new(settings), Arc::new(AtomicBool::new(false)));
        let mut workers = Vec::with_capacity(targets.len());
        for target in &targets {
            let folder = target.folder(&settings, temporary.path())?;
            workers.push(Worker {
                subject: target.subject.clone(),
                transport: target.transport(&settings)?,
                request: target.request(&settings, study, &folder, has_programs),
                folder,
                settings: Arc::clone(&settings),
                cancelled: [is_cancelled, &is_dropped].map(Arc::clone),
                answer_within: target.answer_within,
                began: Instant::now(),
            });
        }
        let (tell, told) = mpsc::channel();
        let mut together = Self { targets, told, threads: Vec::new(), is_dropped, _temporary: temporary };
        for (centre, worker) in workers.into_iter().enumerate() {
            let tell = tell.clone();
            let thread = thread::Builder::new().name("probes of a centre".to_owned());
            let started = thread.spawn(move || worker.run(centre, &tell));
            together.threads.push(started.context("cannot start a thread for a centre")?);
        }
        Ok(together)
    }

    /// The centres, in the order of the call.
    pub(crate) fn targets(&self) -> &[Target] {
        &self.targets
    }

    /// Waits for what a centre tells next; the index of the centre comes first. None: all have ended.
    pub(crate) fn receive(&self) -> Option<(usize, Told)> {
        self.told.recv().ok()
    }
}

impl Drop for Together {
    fn drop(&mut self) {
        self.is_dropped.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            // A thread that panicked has said why.
            _ = thread.join();
        }
    }
}

/// A centre with all that its thread needs.
struct Worker {
    subject: Subject,
    transport: Transport,
    request: RunRequest,
    folder: PathBuf,
    settings: Arc<RunSettings>,
    /// The user has cancelled, or nothing receives.
    cancelled: [Arc<AtomicBool>; 2],
    answer_within: Option<Duration>,
    began: Instant,
}

impl Worker {
    fn run(self, centre: usize, tell: &Sender<(usize, Told)>) {
        // Where nothing receives, this is cancelled.
        let tell = |what| drop(tell.send((centre, what)));
        let end = self.rounds(&tell);
        tell(Told::Ended(end));
    }

    /// The limit within which the centre has not answered.
    fn missed_limit(&self) -> Option<Duration> {
        self.answer_within.filter(|limit| self.began.elapsed() >= *limit)
    }

    fn is_cancelled(&self) -> bool {
        self.cancelled.iter().any(|flag| flag.load(Ordering::Relaxed)) || self.missed_limit().is_some()
    }

    fn rounds(&self, tell: &dyn Fn(Told)) -> End {
        let settings = &*self.settings;
        let mut resources = self.transport.resources();
        if settings.if_changed
            && let Some(listed) = self.transport.listed_resources(&self.request.program)
        {
            resources = listed;
        }
        let request = settings.requests.as_deref().map(|folder| Request::of(folder, &self.subject.centre));
        let request = match request.transpose() {
            Ok(request) => request.flatten(),
            Err(why) => return End::Stopped(why),
        };
        if request.is_none() && settings.requests.is_some() && !settings.if_changed {
            return End::NotRequested;
        }
        if request.is_none()
            && settings.if_changed
            && let Some(path) = &settings.history
        {
            match is_unchanged(path, &self.subject, &resources, tell) {
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
            history: settings.history.as_deref(),
            resources: &resources,
        };
        let rounds = settings.rounds.unwrap_or(if settings.every.is_some() { u32::MAX } else { 1 });
        for number in 0..rounds {
            let begun = Instant::now();
            let mut has_run = false;
            for units in &self.request.units {
                let tell_progress = &mut |progress| tell(Told::Progress(progress));
                let (counted, failed) = round.run(*units, &|| self.is_cancelled(), tell_progress);
                has_run |= !counted.is_empty();
                tell(Told::Runs(counted, failed));
                if self.is_cancelled() {
                    return self.missed_limit().map_or(End::Done, End::TooLate);
                }
            }
            if has_run && let Some(Err(why)) = request.as_ref().map(Request::fulfilled) {
                tell(Told::Progress(Progress::Note(why)));
            }
            let Some(minutes) = settings.every.filter(|_| number + 1 < rounds) else { break };
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
        let note = format!("{}: {} skipped", history.display(), counted(damaged as f64, "unreadable line"));
        tell(Told::Progress(Progress::Note(note)));
    }
    let probe = subject.probe.fingerprint();
    let is_of = |entry: &&Entry| entry.centre == subject.centre && entry.probe == probe && entry.report.is_some();
    let last = entries.iter().rev().find(is_of);
    Ok(!resources.is_empty() && last.is_some_and(|last| last.resources == resources))
}

#[cfg(all(test, unix))]
mod tests {
    use super::super::result::CentreResult;
    use super::super::target::targets;
    use super::super::{CentreAddress, GPU_BENCH};
    use super::*;
    use crate::transport::address::Address;

    /// Runs on this machine by a shell, with its limit for a run of two minutes.
    fn settings(script: &str, history: &Path) -> RunSettings {
        RunSettings {
            unit_type: None,
            units: vec![1],
            is_divided: false,
            repeats: 2,
            sbatch: Vec::new(),
            folder: None,
            slurm_folder: None,
            image: GPU_BENCH.to_owned(),
            own_program: ["sh", "-c", script].map(str::to_owned).to_vec(),
            remote_program: vec![GPU_BENCH.to_owned()],
            limit: Duration::from_mins(2),
            every: None,
            rounds: None,
            if_changed: false,
            requests: None,
            asks_centres: false,
            history: Some(history.to_owned()),
        }
    }

    /// The end of the runs on this machine, what failed, and the runs in the history.
    fn ended(script: &str, answer_within: Option<Duration>, cancels: bool) -> (CentreResult, Vec<String>, Vec<Entry>) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("probes.jsonl");
        let settings = settings(script, &path);
        let scenario = crossover_scenario::read(crate::examples::CENTRES.text).expect("a scenario");
        let study = scenario.probe().expect("a probe study");
        let here = CentreAddress { name: None, address: Address::Local, answer_within };
        let targets = targets(&settings, study, &[here], &mut |note| panic!("{note}")).expect("this machine");
        let is_cancelled = Arc::new(AtomicBool::new(cancels));
        let together = Together::start(settings, study, targets, false, &is_cancelled).expect("started");
        let (mut result, mut faults) = (CentreResult::default(), Vec::new());
        while let Some((centre, what)) = together.receive() {
            assert_eq!(centre, 0);
            match what {
                Told::Progress(_) => {}
                Told::Runs(counted, failed) => {
                    result.add(&counted, &failed);
                    faults.extend(failed);
                }
                Told::Ended(end) => result.end = Some(end),
            }
        }
        (result, faults, history::read(&path).expect("a history").0)
    }

    #[test]
    fn a_centre_that_fails_ends_with_its_reason_and_its_runs_are_in_the_history() {
        let (result, failed, history) = ended("echo 'no licence' >&2; exit 3", None, false);
        assert_eq!((result.counted, &result.end, failed.len()), (0, &Some(End::Done), 2));
        let problem = result.problem().expect("a problem");
        assert!(problem.starts_with("1 unit: ") && problem.ends_with("no licence"), "{problem}");
        assert!(history.len() == 2 && history.iter().all(|entry| entry.failure.is_some()), "{history:?}");
    }

    #[test]
    fn a_centre_that_never_answers_is_cancelled_at_its_limit() {
        let began = Instant::now();
        let limit = Duration::from_millis(300);
        let (result, failed, history) = ended("exec sleep 600", Some(limit), false);
        assert!(began.elapsed() < Duration::from_mins(1), "{:?}", began.elapsed());
        assert_eq!(result.end, Some(End::TooLate(limit)));
        assert_eq!(result.problem().as_deref(), Some("did not answer within 0.3 s; its other runs were cancelled"));
        assert!(failed.is_empty() && history.is_empty(), "what was cancelled did not fail: {failed:?}");
    }

    #[test]
    fn a_cancelled_centre_has_no_problem() {
        let (result, failed, _) = ended("exec sleep 600", Some(Duration::from_hours(1)), true);
        assert_eq!((result.end.clone(), result.problem(), failed.len()), (Some(End::Done), None, 0));
    }

    #[test]
    fn runs_that_nothing_receives_are_cancelled() {
        let folder = tempfile::tempdir().expect("a folder");
        let settings = settings("exec sleep 600", &folder.path().join("probes.jsonl"));
        let scenario = crossover_scenario::read(crate::examples::CENTRES.text).expect("a scenario");
        let study = scenario.probe().expect("a probe study");
        let here = CentreAddress { name: None, address: Address::Local, answer_within: None };
        let targets = targets(&settings, study, &[here], &mut |_| ()).expect("this machine");
        let is_cancelled = Arc::new(AtomicBool::new(false));
        let began = Instant::now();
        drop(Together::start(settings, study, targets, false, &is_cancelled).expect("started"));
        assert!(began.elapsed() < Duration::from_mins(1) && !is_cancelled.load(Ordering::Relaxed));
    }
}
