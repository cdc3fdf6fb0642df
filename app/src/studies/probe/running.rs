//! Probes that run while the window is open: on threads of their own, with progress, called off with the page.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crossover_model::probe::build::build;
use crossover_model::probe::centre::route;
use crossover_model::probe::{Probe, ProbeTask, Run};
use crossover_model::provenance::Provenance;
use crossover_model::unit::elapsed;
use egui::Context;
use jiff::Timestamp;

use super::View;
use super::cli::summary::units;
use super::request::Wanted;
use super::transport::history::{self, Entry};
use super::transport::{Asked, Through, judged, skew};
use crate::desk::Desk;

/// A run is given up after so long.
const LIMIT: Duration = Duration::from_secs(120);
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

/// What is run, number of units by number of units.
struct Plan {
    document: String,
    centre: String,
    unit: String,
    probe: ProbeTask,
    asked: Asked,
    through: Through,
    folder: tempfile::TempDir,
    history: Option<PathBuf>,
    resources: String,
    shared: Arc<Shared>,
    ctx: Context,
    /// Numbers of units that are still to be run.
    left: Vec<u32>,
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
    let (centre, unit, probe) = subject(study, wanted)?;
    let of = &study.centres[centre].units[unit];
    let (name, unit, count) = (study.centres[centre].name.clone(), of.name.clone(), of.count);
    let runs_on = of.runs_on.clone();
    if let Some(units) = wanted.units.iter().find(|units| f64::from(**units) > count) {
        return Err(format!("{name} has {count} units {unit}; {units} are asked for"));
    }
    let folder = tempfile::tempdir().map_err(|error| format!("No folder for reports: {error}"))?;
    let task = folder.path().join("probe.ron");
    let text = super::cli::ron(&probe).map_err(|error| error.to_string())?;
    crossover_files::atomic::write(&task, text.as_bytes()).map_err(|error| error.to_string())?;
    let shared = Arc::new(Shared::default());
    let asked = Asked {
        task,
        unit: runs_on,
        units: wanted.units.clone(),
        repeats: wanted.repeats,
        limit: LIMIT,
        program: means.program,
    };
    let running = Running {
        shared: Arc::clone(&shared),
        centre: name.clone(),
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
    Ok(Plan {
        document: id,
        centre: name,
        unit,
        probe,
        asked,
        through: wanted.through(),
        folder,
        history: means.history,
        resources: String::new(),
        shared,
        ctx,
        left,
    })
}

/// Centre, units and probe that are meant.
fn subject(study: &Probe, wanted: &Wanted) -> Result<(usize, usize, ProbeTask), String> {
    let centre = study.centres.iter().position(|centre| centre.name == wanted.centre);
    let centre = centre.ok_or_else(|| format!("There is no centre “{}” any more", wanted.centre))?;
    let built = build("probe", &study.target, &study.operators);
    let [probe] = &built.probes[..] else {
        let count = built.probes.len();
        return Err(format!("The task becomes {count} probes; only a single one can be run from here"));
    };
    let unit = match route(&study.centres[centre], &built) {
        Ok(unit) => unit,
        Err(_) if study.centres[centre].route == crossover_model::probe::Route::Centre => 0,
        Err(why) => return Err(format!("{}: {why}", wanted.centre)),
    };
    Ok((centre, unit, probe.clone()))
}

/// Runs the next number of units on a thread, adds what came back, and goes on.
fn next(desk: &mut Desk<'_>, mut plan: Plan) {
    let units = match plan.left.pop() {
        Some(units) if !plan.shared.is_cancelled() && desk.document(&plan.document).is_some() => units,
        _ => {
            plan.shared.is_over.store(true, Ordering::Relaxed);
            return;
        }
    };
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
fn measured(plan: &mut Plan, at: u32) -> (Vec<Run>, Vec<String>) {
    if plan.resources.is_empty() {
        plan.resources = plan.through.resources();
    }
    let (shared, ctx) = (Arc::clone(&plan.shared), plan.ctx.clone());
    let before = Timestamp::now();
    let is_cancelled = || shared.is_cancelled();
    let begun = shared.done.load(Ordering::Relaxed);
    let mut told = 0;
    let came = plan.through.run(&plan.asked, at, plan.folder.path(), &is_cancelled, &mut |text| {
        // On this machine every word is the beginning of a run.
        if matches!(plan.through, Through::Here) {
            shared.done.store(begun + told, Ordering::Relaxed);
            told += 1;
        }
        shared.tell(text.to_owned(), &ctx);
    });
    let after = Timestamp::now();
    let (mut counted, mut failed) = (Vec::new(), Vec::new());
    let count = units(f64::from(at));
    for came in came {
        let entry = Entry {
            centre: plan.centre.clone(),
            asked: before.to_string(),
            units: at,
            resources: plan.resources.clone(),
            report: came.as_ref().ok().cloned(),
            failure: came.as_ref().err().cloned(),
        };
        if let Some(path) = &plan.history
            && let Err(error) = history::add(path, &entry)
        {
            shared.tell(format!("{} cannot be written: {error}", path.display()), &ctx);
        }
        if let Some(skew) = came.as_ref().ok().and_then(|report| skew(report, before, after)) {
            shared.tell(skew, &ctx);
        }
        match came.and_then(|report| judged(&report, Some(&plan.probe))) {
            Ok(run) => {
                shared.tell(format!("{count}: {}", elapsed(run.seconds)), &ctx);
                counted.push(run);
            }
            // What the user called off did not fail.
            Err(_) if shared.is_cancelled() => {}
            Err(why) => {
                shared.tell(format!("{count}: does not count: {why}"), &ctx);
                failed.push(format!("{count}: {why}"));
            }
        }
    }
    shared.done.store(begun + plan.asked.repeats as usize, Ordering::Relaxed);
    (counted, failed)
}

/// Adds runs to the document, if it is still there and has the centre.
fn add(desk: &mut Desk<'_>, plan: &Plan, runs: &[Run], failed: &[String]) {
    if runs.is_empty() && failed.is_empty() {
        return;
    }
    desk.edit(&plan.document, |study| {
        let Some(study) = study.probe_mut() else { return };
        let Some(centre) = study.centres.iter_mut().find(|centre| centre.name == plan.centre) else { return };
        let Some(of) = centre.units.iter_mut().find(|of| of.name == plan.unit) else { return };
        // Runs that there is no room for are in the history.
        _ = of.runs.add(runs, failed);
        for column in ["seconds", "units"] {
            let path = format!("centres.{}.units.{}.runs.{column}", plan.centre, plan.unit);
            study.sources.insert(path, Provenance::Imported { file: "gpu-bench probe".to_owned() });
        }
    });
}
