//! Probes that run while the window is open: on their own threads, with progress, cancelled with the page.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crossover_files::programs::{AllowList, Programs};
use crossover_gpu_bench::probe::allowed;
use crossover_page::services::Services;
use crossover_probe::Run;
use egui::Context;

use super::View;
use super::allowing::AllowProgramsQuestion;
use super::run_settings::RunSettings;
use super::subject::{self, Subject};
use super::transport::round::{Progress, Round};
use super::transport::{RunRequest, Transport, slurm};

/// Time limit of a run.
const LIMIT: Duration = Duration::from_mins(2);
/// Most messages about runs that are kept for the page.
const MOST_MESSAGES: usize = 6;

/// The measuring program and the history of runs.
#[derive(Debug, Clone)]
pub(super) struct ProbeEnvironment {
    /// The measuring program, with its first arguments.
    pub(super) program: Vec<String>,
    /// The history file; none: no history.
    pub(super) history: Option<PathBuf>,
    /// The programs that the user has allowed.
    pub(super) allowed: AllowList,
}

/// Running probes.
#[derive(Debug)]
pub(super) struct Running {
    shared: Arc<Shared>,
    /// The centre's name.
    pub(super) centre: String,
    /// Number of runs.
    pub(super) total: usize,
    began: Instant,
}

/// State shared by page and thread.
#[derive(Debug, Default)]
struct Shared {
    is_cancelled: AtomicBool,
    is_finished: AtomicBool,
    done: AtomicUsize,
    /// Messages, the newest first.
    messages: Mutex<Vec<String>>,
}

impl Shared {
    fn is_cancelled(&self) -> bool {
        self.is_cancelled.load(Ordering::Relaxed)
    }

    fn report(&self, text: String, ctx: &Context) {
        let mut messages = self.messages.lock().unwrap_or_else(PoisonError::into_inner);
        messages.insert(0, text);
        messages.truncate(MOST_MESSAGES);
        drop(messages);
        // Drawing disturbs the measurement on this machine.
        ctx.request_repaint_after(Duration::from_millis(200));
    }
}

impl Running {
    /// Whether probes still run.
    pub(super) fn is_running(&self) -> bool {
        !self.shared.is_finished.load(Ordering::Relaxed)
    }

    /// Cancels the probes.
    pub(super) fn cancel(&self) {
        self.shared.is_cancelled.store(true, Ordering::Relaxed);
    }

    /// Whether they were cancelled.
    pub(super) fn is_cancelled(&self) -> bool {
        self.shared.is_cancelled()
    }

    /// Number of finished runs.
    pub(super) fn done(&self) -> usize {
        self.shared.done.load(Ordering::Relaxed)
    }

    /// Time since the start.
    pub(super) fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    /// Messages, the newest first.
    pub(super) fn messages(&self) -> Vec<String> {
        self.shared.messages.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.cancel();
    }
}

/// The remaining runs, by number of units. When dropped, it marks them as finished for the page.
struct Plan {
    document: String,
    subject: Subject,
    request: RunRequest,
    transport: Transport,
    folder: PathBuf,
    /// The folder, if it is temporary.
    _own: Option<tempfile::TempDir>,
    history: Option<PathBuf>,
    resources: String,
    shared: Arc<Shared>,
    ctx: Context,
    /// Numbers of units that remain.
    left: Vec<u32>,
}

impl Drop for Plan {
    fn drop(&mut self) {
        self.shared.is_finished.store(true, Ordering::Relaxed);
        self.ctx.request_repaint();
    }
}

/// Starts runs for the scenario on screen, or notifies the user why it cannot. Programs that the user has not allowed yet are
/// shown first.
pub(super) fn begin(services: &mut Services<'_>, settings: &RunSettings) {
    let programs = match subject_on_screen(services, settings).and_then(|(_, subject)| programs_of(&subject)) {
        Ok(None) => return start(services, settings, None),
        Ok(Some(programs)) => programs,
        Err(why) => return services.notify(why),
    };
    let allowed = services.cache().get::<ProbeEnvironment>().map(|environment| environment.allowed.clone());
    let allowed = allowed.unwrap_or_default();
    let settings = settings.clone();
    services.work(
        "allowed programs",
        move || (allowed.allows(&programs), allowed, programs),
        move |services, (is_allowed, allowed, programs)| {
            if is_allowed {
                return start(services, &settings, Some(&programs));
            }
            services.ask(AllowProgramsQuestion::new(programs, move |services, programs| {
                start(services, &settings, Some(&programs));
                remember(services, allowed, programs);
            }));
        },
    );
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

/// Starts runs with these programs, which the user has allowed.
fn start(services: &mut Services<'_>, settings: &RunSettings, allowed: Option<&Programs>) {
    match plan(services, settings, allowed) {
        Ok(plan) => next(services, plan),
        Err(why) => services.notify(why),
    }
}

/// What the settings are about, with the id of its document.
fn subject_on_screen(services: &Services<'_>, settings: &RunSettings) -> Result<(String, Subject), String> {
    let document = services.on_screen().ok_or("Open a probe scenario first")?;
    let study = document.scenario.probe().ok_or("This command needs a probe study; open one and try again")?;
    let subject = match settings.slurm {
        None => subject::this_machine(study, None)?,
        Some(_) => subject::find(study, Some(&settings.centre), None)?,
    };
    Ok((document.id.clone(), subject))
}

/// The programs that the probe would start.
fn programs_of(subject: &Subject) -> Result<Option<Programs>, String> {
    allowed::programs(&subject.probe).map_err(|why| why.to_string())
}

fn plan(services: &mut Services<'_>, settings: &RunSettings, allowed: Option<&Programs>) -> Result<Plan, String> {
    let environment =
        services.cache().get::<ProbeEnvironment>().cloned().ok_or("The measuring program is not available")?;
    let (id, subject) = subject_on_screen(services, settings)?;
    let programs = programs_of(&subject)?;
    if programs.as_ref() != allowed {
        return Err("The programs of the scenario have changed; choose Run again".to_owned());
    }
    if let Some(units) = settings.units.iter().find(|units| f64::from(**units) > subject.count) {
        return Err(format!(
            "{} has {} units of type “{}”; {units} requested",
            subject.centre, subject.count, subject.unit
        ));
    }
    let transport = settings.transport();
    let (folder, own) = folder(&environment, &transport)?;
    let task = folder.join("probe.ron");
    let text = subject::ron(&subject.probe).map_err(|error| error.to_string())?;
    crossover_files::atomic::write(&task, text.as_bytes()).map_err(|error| error.to_string())?;
    let shared = Arc::new(Shared::default());
    let request = RunRequest {
        task,
        unit: subject.runs_on.clone(),
        units: settings.units.clone(),
        repeats: settings.repeats,
        limit: LIMIT,
        program: environment.program,
        has_allowed_programs: programs.is_some(),
        divided: None,
    };
    let running = Running {
        shared: Arc::clone(&shared),
        centre: subject.centre.clone(),
        total: settings.units.len() * settings.repeats as usize,
        began: Instant::now(),
    };
    let ctx = services.ctx().clone();
    let (page, _) = services.page_on_screen::<View>().ok_or("Open a probe scenario first")?;
    if page.running.as_ref().is_some_and(Running::is_running) {
        return Err("Probes of this scenario are already running; cancel them first".to_owned());
    }
    page.running = Some(running);
    let mut left = settings.units.clone();
    left.reverse();
    let (history, resources) = (environment.history, String::new());
    Ok(Plan { document: id, subject, request, transport, folder, _own: own, history, resources, shared, ctx, left })
}

/// The folder for reports: with Slurm beside the history, as nodes of the cluster must see it.
fn folder(
    environment: &ProbeEnvironment,
    transport: &Transport,
) -> Result<(PathBuf, Option<tempfile::TempDir>), String> {
    if let (Transport::Slurm(_), Some(history)) = (transport, &environment.history) {
        let folder = slurm::shared(Some(history.with_file_name("probes")))?;
        return Ok((slurm::new_folder(&folder)?, None));
    }
    let own = tempfile::tempdir().map_err(|error| format!("Cannot create a folder for reports: {error}"))?;
    Ok((own.path().to_owned(), Some(own)))
}

/// Runs the next number of units on a thread, adds the runs, and continues.
fn next(services: &mut Services<'_>, mut plan: Plan) {
    if plan.shared.is_cancelled() || services.document(&plan.document).is_none() {
        return;
    }
    let Some(units) = plan.left.pop() else { return };
    services.work(
        "probes",
        move || {
            let (runs, failed) = measured(&mut plan, units);
            (plan, runs, failed)
        },
        |services, (plan, runs, failed)| {
            add(services, &plan, &runs, &failed);
            next(services, plan);
        },
    );
}

/// All runs with one number of units: valid runs, and why others failed.
fn measured(plan: &mut Plan, units: u32) -> (Vec<Run>, Vec<String>) {
    if plan.resources.is_empty() {
        plan.resources = plan.transport.resources();
    }
    let (shared, ctx) = (Arc::clone(&plan.shared), plan.ctx.clone());
    let begun = shared.done.load(Ordering::Relaxed);
    let round = Round {
        centre: &plan.subject.centre,
        transport: &plan.transport,
        request: &plan.request,
        probe: &plan.subject.probe,
        folder: &plan.folder,
        history: plan.history.as_deref(),
        resources: &plan.resources,
    };
    let found = round.run(units, &|| shared.is_cancelled(), &mut |progress| match progress {
        Progress::State(text) | Progress::Note(text) => shared.report(text, &ctx),
        Progress::Finished(text) => {
            shared.done.fetch_add(1, Ordering::Relaxed);
            shared.report(text, &ctx);
        }
    });
    shared.done.store(begun + plan.request.repeats as usize, Ordering::Relaxed);
    found
}

/// Adds runs to the document, if it still exists; notifies the user of what no longer fits.
fn add(services: &mut Services<'_>, plan: &Plan, runs: &[Run], failed: &[String]) {
    if runs.is_empty() && failed.is_empty() {
        return;
    }
    let mut added = Ok(Vec::new());
    services.edit(&plan.document, |study| {
        if let Some(study) = study.probe_mut() {
            added = subject::put(study, &plan.subject, runs, failed);
        }
    });
    match added {
        Ok(notes) => notes.into_iter().for_each(|note| services.notify_lasting(note)),
        Err(why) => services.notify_lasting(why),
    }
}
