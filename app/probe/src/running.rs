//! Probes that run while the window is open: on their own threads, with progress, cancelled with the page.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crossover_files::programs::{AllowList, Programs};
use crossover_gpu_bench::probe::allowed;
use crossover_page::services::Services;
use crossover_probe::{Probe, Run};
use egui::Context;

use super::View;
use super::allowing::AllowProgramsQuestion;
use super::centres::result::{CentreProgress, CentreResult};
use super::centres::target::{Target, targets};
use super::centres::together::{Together, Told};
use super::centres::{CentreAddress, RunSettings, dry};
use super::requested::{ProbeEnvironment, RequestedRuns};
use super::subject;
use super::transport::address::Address;
use super::transport::round::Progress;

/// Most messages about runs that are kept for the page.
const MOST_MESSAGES: usize = 6;
/// Name of the threads.
const THREAD: &str = "probes";

/// Running probes.
#[derive(Debug)]
pub(super) struct Running {
    shared: Arc<Shared>,
    /// Number of runs of each centre.
    pub(super) total: u32,
    began: Instant,
}

/// A centre at which probes run.
#[derive(Debug, Clone)]
pub(super) struct CentreRow {
    /// Its name.
    pub(super) name: String,
    /// Its name, and how it is reached: "north, over SSH, host login".
    pub(super) called: String,
    /// Finished runs and state.
    pub(super) progress: CentreProgress,
    /// How it ended, or why it gave no run or not all of its runs; none: it runs.
    pub(super) end: Option<Result<&'static str, String>>,
}

/// State shared by page and thread.
#[derive(Debug)]
struct Shared {
    is_cancelled: Arc<AtomicBool>,
    /// The question about programs is open.
    is_asked: AtomicBool,
    is_finished: AtomicBool,
    rows: Mutex<Vec<CentreRow>>,
    /// Messages, the newest first.
    messages: Mutex<Vec<String>>,
}

fn locked<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A centre with how it is reached. This machine needs no address.
fn called(name: &str, address: &Address) -> String {
    if *address == Address::Local { name.to_owned() } else { format!("{name}, {address}") }
}

impl Shared {
    fn new(centres: &[CentreAddress]) -> Self {
        let row = |centre: &CentreAddress| {
            let name = centre.name.clone().unwrap_or_default();
            let called = called(&name, &centre.address);
            CentreRow { name, called, progress: CentreProgress::default(), end: None }
        };
        Self {
            is_cancelled: Arc::default(),
            is_asked: AtomicBool::new(false),
            is_finished: AtomicBool::new(false),
            rows: Mutex::new(centres.iter().map(row).collect()),
            messages: Mutex::default(),
        }
    }

    fn is_cancelled(&self) -> bool {
        self.is_cancelled.load(Ordering::Relaxed)
    }

    fn report(&self, text: String) {
        let mut messages = locked(&self.messages);
        messages.insert(0, text);
        messages.truncate(MOST_MESSAGES);
    }
}

impl Running {
    /// Whether the probes have not ended yet.
    pub(super) fn is_running(&self) -> bool {
        !self.shared.is_finished.load(Ordering::Relaxed)
    }

    /// Whether a thread runs the probes. No thread runs while the question about their programs is open.
    pub(super) fn is_at_work(&self) -> bool {
        self.is_running() && !self.shared.is_asked.load(Ordering::Relaxed)
    }

    /// Cancels the probes.
    pub(super) fn cancel(&self) {
        self.shared.is_cancelled.store(true, Ordering::Relaxed);
    }

    /// Whether they were cancelled.
    pub(super) fn is_cancelled(&self) -> bool {
        self.shared.is_cancelled()
    }

    /// The centres.
    pub(super) fn rows(&self) -> Vec<CentreRow> {
        locked(&self.shared.rows).clone()
    }

    /// Time since the start.
    pub(super) fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    /// Messages, the newest first.
    pub(super) fn messages(&self) -> Vec<String> {
        locked(&self.shared.messages).clone()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.cancel();
    }
}

/// Runs that the page has begun. When dropped, they have ended for the page.
struct Begun {
    document: String,
    shared: Arc<Shared>,
    ctx: Context,
}

impl Drop for Begun {
    fn drop(&mut self) {
        let end = if self.shared.is_cancelled() { "cancelled" } else { "not run" };
        for row in locked(&self.shared.rows).iter_mut() {
            _ = row.end.get_or_insert(Ok(end));
        }
        self.shared.is_finished.store(true, Ordering::Relaxed);
        self.ctx.request_repaint();
    }
}

/// A request about a study as it was then.
struct Asked {
    settings: RunSettings,
    study: Probe,
    centres: Vec<CentreAddress>,
    allowed: AllowList,
}

/// Runs that can start.
struct Ready {
    settings: RunSettings,
    study: Probe,
    targets: Vec<Target>,
    has_programs: bool,
}

/// Runs with the programs that they start.
struct Prepared {
    ready: Ready,
    /// Programs that the user has not allowed yet.
    not_allowed: Option<Programs>,
    allowed: AllowList,
    notes: Vec<String>,
}

impl Asked {
    /// The request about the scenario on screen, with the id of its document.
    fn on_screen(services: &mut Services<'_>, requested: &RequestedRuns) -> Result<(String, Self), String> {
        let environment = services.cache().get::<ProbeEnvironment>().ok_or("The measuring program is not available")?;
        let (settings, allowed) = (requested.settings(environment), environment.allowed.clone());
        let document = services.on_screen().ok_or("Open a probe scenario first")?;
        let study = document.scenario.probe().ok_or("This command needs a probe study; open one and try again")?;
        let asked = Self { settings, study: study.clone(), centres: requested.centres.clone(), allowed };
        Ok((document.id.clone(), asked))
    }

    /// The centres and the programs that the probe starts there; `note` receives notes for the user.
    fn targets(&self, note: &mut dyn FnMut(String)) -> Result<(Vec<Target>, Option<Programs>), String> {
        let targets = targets(&self.settings, &self.study, &self.centres, note).map_err(|why| format!("{why:#}"))?;
        // All centres run the same probe.
        let first = targets.first().ok_or("Add a centre first")?;
        let programs = allowed::programs(&first.subject.probe).map_err(|why| why.to_string())?;
        Ok((targets, programs))
    }

    /// Finds the centres; one that the study does not have lists its units.
    fn prepared(self) -> Result<Prepared, String> {
        let mut notes = Vec::new();
        let (targets, programs) = self.targets(&mut |note| notes.push(note))?;
        let Self { settings, study, allowed, .. } = self;
        let ready = Ready { settings, study, targets, has_programs: programs.is_some() };
        let not_allowed = programs.filter(|programs| !allowed.allows(programs));
        Ok(Prepared { ready, not_allowed, allowed, notes })
    }

    /// What each centre would get.
    fn sent(mut self) -> Result<String, String> {
        self.settings.asks_centres = false;
        let (targets, programs) = self.targets(&mut |_| ())?;
        let known = self.settings.known_runs();
        let text = dry::text(&self.settings, &self.study, &targets, programs.as_ref(), &known);
        text.map_err(|why| format!("{why:#}"))
    }
}

/// Starts runs for the scenario on screen, or notifies the user why it cannot. Programs that the user has not allowed yet are
/// shown first.
pub(super) fn begin(services: &mut Services<'_>, requested: &RequestedRuns) {
    let (begun, asked) = match begun(services, requested) {
        Ok(begun) => begun,
        Err(why) => return services.notify(why),
    };
    services.work(
        THREAD,
        move || asked.prepared(),
        move |services, prepared| match prepared {
            Ok(_) if begun.shared.is_cancelled() => {}
            Ok(prepared) => allow(services, begun, prepared),
            Err(why) => services.notify_error(why),
        },
    );
}

/// Shows on the page what each centre would get, or notifies the user why it cannot.
pub(super) fn show_sent(services: &mut Services<'_>, requested: &RequestedRuns) {
    let (document, asked) = match Asked::on_screen(services, requested) {
        Ok(asked) => asked,
        Err(why) => return services.notify(why),
    };
    services.work(
        THREAD,
        move || asked.sent(),
        move |services, sent| match sent {
            Err(why) => services.notify_error(why),
            Ok(sent) => {
                if services.on_screen().is_some_and(|on_screen| on_screen.id == document)
                    && let Some((page, _)) = services.page_on_screen::<View>()
                {
                    page.panel.show_sent(sent);
                }
            }
        },
    );
}

/// Shows the runs on the page.
fn begun(services: &mut Services<'_>, requested: &RequestedRuns) -> Result<(Begun, Asked), String> {
    let (document, asked) = Asked::on_screen(services, requested)?;
    let ctx = services.ctx().clone();
    let (page, _) = services.page_on_screen::<View>().ok_or("Open a probe scenario first")?;
    if page.running.as_ref().is_some_and(Running::is_running) {
        return Err("Probes of this scenario are already running; cancel them first".to_owned());
    }
    let shared = Arc::new(Shared::new(&requested.centres));
    let total = asked.settings.runs_of_centre().unwrap_or(u32::MAX);
    page.running = Some(Running { shared: Arc::clone(&shared), total, began: Instant::now() });
    Ok((Begun { document, shared, ctx }, asked))
}

/// Starts runs, after the user has allowed their programs.
fn allow(services: &mut Services<'_>, begun: Begun, prepared: Prepared) {
    let Prepared { ready, not_allowed, allowed, notes } = prepared;
    for note in notes {
        begun.shared.report(note);
    }
    let Some(programs) = not_allowed else { return start(services, begun, ready) };
    begun.shared.is_asked.store(true, Ordering::Relaxed);
    let places = ready.targets.iter().map(|target| called(&target.subject.centre, &target.address)).collect();
    services.ask(AllowProgramsQuestion::new(programs, places, move |services, programs| {
        begun.shared.is_asked.store(false, Ordering::Relaxed);
        start(services, begun, ready);
        remember(services, allowed, programs);
    }));
}

/// Remembers on a thread what the user has allowed.
fn remember(services: &mut Services<'_>, allowed: AllowList, programs: Programs) {
    services.work(
        "allowed programs",
        move || allowed.allow(&programs),
        |services, remembered| {
            if let Err(error) = remembered {
                services.notify_lasting(format!("The programs will be shown again before the next run: {error}"));
            }
        },
    );
}

fn start(services: &mut Services<'_>, begun: Begun, ready: Ready) {
    services.work(
        THREAD,
        move || -> Result<Followed, String> {
            let Ready { settings, study, targets, has_programs } = ready;
            let together = Together::start(settings, &study, targets, has_programs, &begun.shared.is_cancelled);
            let together = together.map_err(|why| format!("{why:#}"))?;
            let results = vec![CentreResult::default(); together.targets().len()];
            Ok(Followed { together, results, begun })
        },
        |services, followed| match followed {
            Ok(followed) => follow(services, followed),
            Err(why) => services.notify_error(why),
        },
    );
}

/// Runs at centres, with what they have given. The centres end before the page shows their end.
struct Followed {
    together: Together,
    results: Vec<CentreResult>,
    begun: Begun,
}

/// Runs of a centre with one number of units.
struct CentreRuns {
    /// Index of the centre.
    centre: usize,
    counted: Vec<Run>,
    /// Why others failed.
    failed: Vec<String>,
}

/// Waits on a thread for the next runs, adds them, and continues until all centres have ended.
fn follow(services: &mut Services<'_>, mut followed: Followed) {
    services.work(
        THREAD,
        move || {
            let runs = followed.runs();
            (followed, runs)
        },
        |services, (followed, runs)| {
            if let Some(runs) = runs {
                add(services, &followed, &runs);
                follow(services, followed);
            }
        },
    );
}

impl Followed {
    /// Waits for the next runs of a centre; none: all centres have ended.
    fn runs(&mut self) -> Option<CentreRuns> {
        while let Some((centre, what)) = self.together.receive() {
            match what {
                Told::Progress(progress) => self.tell(centre, &progress),
                Told::Runs(counted, failed) => {
                    self.results[centre].add(&counted, &failed);
                    if !counted.is_empty() || !failed.is_empty() {
                        return Some(CentreRuns { centre, counted, failed });
                    }
                }
                Told::Ended(end) => {
                    self.results[centre].end = Some(end);
                    self.end(centre);
                }
            }
        }
        for centre in (0..self.results.len()).filter(|centre| self.results[*centre].end.is_none()) {
            self.end(centre);
        }
        None
    }

    fn tell(&self, centre: usize, progress: &Progress) {
        let name = &self.together.targets()[centre].subject.centre;
        match progress {
            Progress::State(_) => {}
            Progress::Finished(text) => self.begun.shared.report(format!("{name}, {text}")),
            Progress::Note(text) => self.begun.shared.report(format!("{name}: {text}")),
        }
        if let Some(row) = locked(&self.begun.shared.rows).get_mut(centre) {
            row.progress.take(progress);
        }
        // Drawing disturbs the measurement on this machine.
        self.begun.ctx.request_repaint_after(Duration::from_millis(200));
    }

    fn end(&self, centre: usize) {
        let end = if self.begun.shared.is_cancelled() { "cancelled" } else { "done" };
        let end = self.results[centre].problem().map_or(Ok(end), Err);
        if let Some(row) = locked(&self.begun.shared.rows).get_mut(centre) {
            row.end = Some(end);
        }
        self.begun.ctx.request_repaint();
    }
}

/// Adds runs to the document, and notifies the user of what no longer fits. Without the document nothing more is run.
fn add(services: &mut Services<'_>, followed: &Followed, runs: &CentreRuns) {
    let begun = &followed.begun;
    if services.document(&begun.document).is_none() {
        begun.shared.is_cancelled.store(true, Ordering::Relaxed);
        return;
    }
    let subject = &followed.together.targets()[runs.centre].subject;
    let mut added = Ok(Vec::new());
    services.edit(&begun.document, |study| {
        if let Some(study) = study.probe_mut() {
            added = subject::put(study, subject, &runs.counted, &runs.failed);
        }
    });
    match added {
        Ok(notes) => notes.into_iter().for_each(|note| services.notify_lasting(note)),
        Err(why) => services.notify_lasting(why),
    }
}
