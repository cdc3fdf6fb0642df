//! Probes that run while the window is open: on threads of their own, with progress, called off with the page.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crossover_page::desk::Desk;
use crossover_probe::Run;
use egui::Context;

use super::View;
use super::subject::{self, Subject};
use super::transport::round::{News, Round};
use super::transport::{Asked, Through, slurm};
use super::wanted::Wanted;

/// A run is given up after so long.
const LIMIT: Duration = Duration::from_mins(2);
/// Sentences about runs that are kept for the page.
const TOLD: usize = 6;

/// With what probes are run, and where they are kept.
#[derive(Debug, Clone)]
pub(super) struct Means {
    /// The program that measures, with its first arguments.
    pub(super) program: Vec<String>,
    /// The history; none: it is not kept.
    pub(super) history: Option<PathBuf>,
}

/// Probes that run.
#[derive(Debug)]
pub(super) struct Running {
    shared: Arc<Shared>,
    /// The centre's name.
    pub(super) centre: String,
    /// Runs altogether.
    pub(super) total: usize,
    began: Instant,
}

/// What page and thread share.
#[derive(Debug, Default)]
struct Shared {
    is_cancelled: AtomicBool,
    is_over: AtomicBool,
    done: AtomicUsize,
    /// What happened last, the newest first.
    told: Mutex<Vec<String>>,
}

impl Shared {
    fn is_cancelled(&self) -> bool {
        self.is_cancelled.load(Ordering::Relaxed)
    }

    fn tell(&self, text: String, ctx: &Context) {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        told.insert(0, text);
        told.truncate(TOLD);
        drop(told);
        // Drawing takes time of the machine that is measured.
        ctx.request_repaint_after(Duration::from_millis(200));
    }
}

impl Running {
    /// Whether it is not over yet.
    pub(super) fn goes_on(&self) -> bool {
        !self.shared.is_over.load(Ordering::Relaxed)
    }

    /// Asks it to end.
    pub(super) fn cancel(&self) {
        self.shared.is_cancelled.store(true, Ordering::Relaxed);
    }

    /// Whether it was asked to end.
    pub(super) fn is_cancelled(&self) -> bool {
        self.shared.is_cancelled()
    }

    /// Runs that are over.
    pub(super) fn done(&self) -> usize {
        self.shared.done.load(Ordering::Relaxed)
    }

    /// Since when it runs.
    pub(super) fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    /// What happened last, the newest first.
    pub(super) fn told(&self) -> Vec<String> {
        self.shared.told.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.cancel();
    }
}

/// What is run, number of units by number of units. Whatever becomes of it, the page hears that it is over.
struct Plan {
    document: String,
    subject: Subject,
    asked: Asked,
    through: Through,
    folder: PathBuf,
    /// The folder, if nobody else sees it.
    _own: Option<tempfile::TempDir>,
    history: Option<PathBuf>,
    resources: String,
    shared: Arc<Shared>,
    ctx: Context,
    /// Numbers of units that are still to be run.
    left: Vec<u32>,
}

impl Drop for Plan {
    fn drop(&mut self) {
        self.shared.is_over.store(true, Ordering::Relaxed);
        self.ctx.request_repaint();
    }
}

/// Begins to run what is wanted for the scenario on screen; tells the user if that cannot be.
pub(super) fn begin(desk: &mut Desk<'_>, wanted: &Wanted) {
    match plan(desk, wanted) {
        Ok(plan) => next(desk, plan),
        Err(why) => desk.notify(why),
    }
}

fn plan(desk: &mut Desk<'_>, wanted: &Wanted) -> Result<Plan, String> {
    let means = desk.shelf().get::<Means>().cloned().ok_or("No program that measures is known")?;
    let document = desk.on_screen().ok_or("Show the scenario that is to be probed")?;
    let id = document.id.clone();
    let study = document.scenario.probe().ok_or("This is about probe studies; show one, and try again")?;
    let subject = subject::find(study, Some(&wanted.centre), None)?;
    if let Some(units) = wanted.units.iter().find(|units| f64::from(**units) > subject.count) {
        return Err(format!("{} has {} units {}; {units} are asked for", subject.centre, subject.count, subject.unit));
    }
    let through = wanted.through();
    let (folder, own) = folder(&means, &through)?;
    let task = folder.join("probe.ron");
    let text = subject::ron(&subject.probe).map_err(|error| error.to_string())?;
    crossover_files::atomic::write(&task, text.as_bytes()).map_err(|error| error.to_string())?;
    let shared = Arc::new(Shared::default());
    let asked = Asked {
        task,
        unit: subject.runs_on.clone(),
        units: wanted.units.clone(),
        repeats: wanted.repeats,
        limit: LIMIT,
        program: means.program,
    };
    let running = Running {
        shared: Arc::clone(&shared),
        centre: subject.centre.clone(),
        total: wanted.units.len() * wanted.repeats as usize,
        began: Instant::now(),
    };
    let ctx = desk.ctx().clone();
    let (page, _) = desk.page_on_screen::<View>().ok_or("Show the scenario that is to be probed")?;
    if page.running.as_ref().is_some_and(Running::goes_on) {
        return Err("Probes of this scenario run already; cancel them first".to_owned());
    }
    page.running = Some(running);
    let mut left = wanted.units.clone();
    left.reverse();
    let (history, resources) = (means.history, String::new());
    Ok(Plan { document: id, subject, asked, through, folder, _own: own, history, resources, shared, ctx, left })
}

/// Where reports go: nodes of a cluster must see it, so that it lies where the user's data does.
fn folder(means: &Means, through: &Through) -> Result<(PathBuf, Option<tempfile::TempDir>), String> {
    if let (Through::Slurm(_), Some(history)) = (through, &means.history) {
        let folder = slurm::shared(Some(history.with_file_name("probes")))?;
        return Ok((slurm::new_folder(&folder)?, None));
    }
    let own = tempfile::tempdir().map_err(|error| format!("No folder for reports: {error}"))?;
    Ok((own.path().to_owned(), Some(own)))
}

/// Runs the next number of units on a thread, adds what came back, and goes on.
fn next(desk: &mut Desk<'_>, mut plan: Plan) {
    if plan.shared.is_cancelled() || desk.document(&plan.document).is_none() {
        return;
    }
    let Some(units) = plan.left.pop() else { return };
    desk.work(
        "probes",
        move || {
            let (runs, failed) = measured(&mut plan, units);
            (plan, runs, failed)
        },
        |desk, (plan, runs, failed)| {
            add(desk, &plan, &runs, &failed);
            next(desk, plan);
        },
    );
}

/// All runs with one number of units: what counts, and why the others do not.
fn measured(plan: &mut Plan, units: u32) -> (Vec<Run>, Vec<String>) {
    if plan.resources.is_empty() {
        plan.resources = plan.through.resources();
    }
    let (shared, ctx) = (Arc::clone(&plan.shared), plan.ctx.clone());
    let begun = shared.done.load(Ordering::Relaxed);
    let round = Round {
        centre: &plan.subject.centre,
        through: &plan.through,
        asked: &plan.asked,
        probe: &plan.subject.probe,
        folder: &plan.folder,
        history: plan.history.as_deref(),
        resources: &plan.resources,
    };
    let found = round.run(units, &|| shared.is_cancelled(), &mut |news| match news {
        News::State(text) | News::Note(text) => shared.tell(text, &ctx),
        News::Over(text) => {
            shared.done.fetch_add(1, Ordering::Relaxed);
            shared.tell(text, &ctx);
        }
    });
    shared.done.store(begun + plan.asked.repeats as usize, Ordering::Relaxed);
    found
}

/// Adds runs to the document, if it is still there; the user hears what does not fit there any more.
fn add(desk: &mut Desk<'_>, plan: &Plan, runs: &[Run], failed: &[String]) {
    if runs.is_empty() && failed.is_empty() {
        return;
    }
    let mut said = Ok(Vec::new());
    desk.edit(&plan.document, |study| {
        if let Some(study) = study.probe_mut() {
            said = subject::put(study, &plan.subject, runs, failed);
        }
    });
    match said {
        Ok(notes) => notes.into_iter().for_each(|note| desk.notify_lasting(note)),
        Err(why) => desk.notify_lasting(why),
    }
}
