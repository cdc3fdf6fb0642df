//! Requests of probe studies in the window.

use std::any::Any;
use std::path::{Path, PathBuf};

use crossover_page::ask::Ask;
use crossover_page::cache::Cache;
use crossover_page::services::{Pick, Services, Target, name_of};
use crossover_probe::Probe;
use crossover_probe::estimate::SHORT_RUN;
use crossover_quantity::text::counted;
use crossover_scenario::{Scenario, Study};
use crossover_traces::probed;

use super::View;
use super::kept;
use super::kept_list::KeptList;
use super::reading::{RunSelection, add, now_hours};
use super::requested::{ProbeEnvironment, RequestedRuns};
use super::shortened::fit;
use super::{running, target};

const READ: Pick = Pick {
    title: "Read results of a centre",
    title_by_path: "Read results of a centre, by path",
    action: "Read",
    filter: Some(("measurements", &["json", "csv", "txt", "log"])),
    target: Target::File,
};
/// Name of the threads that keep and find probes.
const KEPT: &str = "kept probes";
/// Files from which a task can be imported.
pub(super) const TASK_FILES: &str = "Replaces the operators of the task; centres stay. Formats: a list (CSV with the columns name and \
                                     executions); a query plan, SQL or a Spark event log with all its queries together; a \
                                     neural network (layer list, ONNX, torchinfo, Keras); a profile of kernels (ncu, nsys) or their code \
                                     (.ptx, .sass). The reference ratio is raised if a run of the probe would take longer than \
                                     10 s";
/// Lists, plans and networks have many extensions, logs often none; a log may be a folder.
const TASK: Pick = Pick {
    title: "Import a task",
    title_by_path: "Import a task, by path",
    action: "Import",
    filter: None,
    target: Target::FileOrFolder,
};

/// A request.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Request {
    /// Run the probe of the scenario on screen.
    Run(RequestedRuns),
    /// Show what each centre would get for these runs.
    ShowSent(RequestedRuns),
    /// Cancel the running probes.
    Cancel,
    /// Pick a file with results of a centre, and add its runs to the scenario on screen.
    Read(Option<String>),
    /// Add the runs of this file.
    ReadFile(PathBuf),
    /// Pick a file, and import the task of the scenario on screen from it.
    Task,
    /// Keep the probe of the scenario on screen under the type of its task.
    Keep,
    /// List kept probes, and open a copy of one.
    FindKept,
}

impl Request {
    /// Carries out the request.
    pub(super) fn carry_out(&self, services: &mut Services<'_>) {
        match self {
            Self::Run(requested) => running::begin(services, requested),
            Self::ShowSent(requested) => running::show_sent(services, requested),
            Self::Cancel => {
                if let Some((page, _)) = services.page_on_screen::<View>()
                    && let Some(running) = &page.running
                {
                    running.cancel();
                }
            }
            Self::Read(centre) => {
                let Some(document) = document_on_screen(services) else { return };
                let centre = centre.clone();
                services.pick(READ, move |services, path| read(services, document, centre, path));
            }
            Self::ReadFile(path) => {
                if let Some(document) = document_on_screen(services) {
                    read(services, document, None, path.clone());
                }
            }
            Self::Task => {
                let Some(document) = document_on_screen(services) else { return };
                services.pick(TASK, move |services, path| import_task(services, document, path));
            }
            Self::Keep => keep(services),
            Self::FindKept => find_kept(services),
        }
    }
}

fn document_on_screen(services: &mut Services<'_>) -> Option<String> {
    let found =
        services.on_screen().filter(|document| document.scenario.probe().is_some()).map(|document| document.id.clone());
    if found.is_none() {
        services.notify("This command needs a probe study; open or create one and try again");
    }
    found
}

/// The folder of kept probes.
fn kept_folder(services: &mut Services<'_>) -> Option<PathBuf> {
    let history = services.cache().get::<ProbeEnvironment>().and_then(|environment| environment.history.clone());
    if history.is_none() {
        services.notify("The system has no data folder, so no probes are kept");
    }
    history.map(|history| kept::folder_beside(&history))
}

/// Keeps the probe on screen, on a thread.
fn keep(services: &mut Services<'_>) {
    let (Some(_), Some(folder)) = (document_on_screen(services), kept_folder(services)) else { return };
    let Some(scenario) = services.on_screen().map(|document| (*document.scenario).clone()) else { return };
    services.work(
        KEPT,
        move || kept::keep(&folder, &scenario).map_err(|why| format!("{why:#}")),
        |services, kept| match kept {
            Ok(path) => services.notify(format!("Kept in {}", path.display())),
            Err(why) => services.notify_error(format!("Not kept: {why}")),
        },
    );
}

/// Lists kept probes, those of the type on screen first; they are read on a thread.
fn find_kept(services: &mut Services<'_>) {
    let (Some(_), Some(folder)) = (document_on_screen(services), kept_folder(services)) else { return };
    let study = services.on_screen().and_then(|document| document.scenario.probe());
    let task_type = study.map(|study| study.target.task_type.clone()).unwrap_or_default();
    services.work(
        KEPT,
        move || kept::find(&folder, None).map_err(|why| format!("{why:#}")),
        move |services, found| match found {
            Ok((kept, notes)) => {
                for note in notes {
                    services.notify_lasting(note);
                }
                if kept.is_empty() {
                    return services.notify("No probe is kept yet; enter a task type and choose Keep probe");
                }
                services.ask(KeptList::new(kept, &task_type));
            }
            Err(why) => services.notify_error(why),
        },
    );
}

/// A study changed by a file.
struct Imported {
    before: Probe,
    after: Study,
    /// What was read: "5 runs".
    what: String,
    notes: Vec<String>,
}

impl Imported {
    /// The changed study, if it is valid.
    fn new(before: Probe, after: Probe, what: String, notes: Vec<String>) -> Result<Self, String> {
        let after = Study::Probe(after);
        after.validate().map_err(|invalid| format!("not imported: {}: {}", invalid.path, invalid.problem))?;
        Ok(Self { before, after, what, notes })
    }
}

/// Reads a file on a thread, and adds its runs in one step.
fn read(services: &mut Services<'_>, document: String, centre: Option<String>, path: PathBuf) {
    let before = services.document(&document).and_then(|document| document.scenario.probe()).cloned();
    let Some(before) = before else { return };
    let file = path.clone();
    services.work(
        "reports of centres",
        move || {
            let read = probed::read(&file, Some(now_hours())).map_err(|error| error.to_string())?;
            let mut notes: Vec<String> = read.left_out.iter().chain(&read.notes).cloned().collect();
            let mut study = before.clone();
            let selection = RunSelection { centre, ..RunSelection::default() };
            add(&mut study, &selection, &file, &read.runs, &mut |note| notes.push(note))
                .map_err(|error| format!("{error:#}"))?;
            Imported::new(before, study, counted(read.runs.len() as f64, "run"), notes)
                .map_err(|why| format!("{}: {why}", file.display()))
        },
        move |services, made| replace(services, &document, &path, made),
    );
}

/// Reads a task, which may be a large log, and replaces that of the scenario in one step.
fn import_task(services: &mut Services<'_>, document: String, path: PathBuf) {
    let before = services.document(&document).and_then(|document| document.scenario.probe()).cloned();
    let Some(before) = before else { return };
    services.read(
        "Reading a task",
        path.clone(),
        move |path, control| {
            let mut task = target::read(path, None, control).map_err(|error| format!("{error:#}"))?;
            let mut notes = std::mem::take(&mut task.notes);
            let what = counted(task.operators.len() as f64, "operator");
            let mut study = before.clone();
            task.put(&mut study, &name_of(path));
            notes.extend(fit(&mut study, SHORT_RUN));
            Imported::new(before, study, what, notes).map_err(|why| format!("{}: {why}", path.display()))
        },
        move |services, made| replace(services, &document, &path, made),
    );
}

/// Replaces the study of a document and notifies the user; rejected if the document changed meanwhile.
fn replace(services: &mut Services<'_>, document: &str, path: &Path, made: Result<Imported, String>) {
    let Imported { before, after, what, notes } = match made {
        Ok(made) => made,
        Err(why) => return services.notify_error(why),
    };
    let Some(now) = services.document(document).and_then(|document| document.scenario.probe()) else { return };
    if *now != before {
        let path = path.display();
        return services.notify_error(format!("{path}: not imported: the scenario changed meanwhile; import it again"));
    }
    services.edit(document, move |old| *old = after);
    let read = format!("{} read: {what}", name_of(path));
    if notes.is_empty() {
        services.notify(read);
    } else {
        services.notify_lasting(format!("{read}. {}", notes.join(". ")));
    }
}

impl Ask for Request {
    fn text(&self) -> String {
        match self {
            Self::Run(requested) => format!("Run the probe at {}", requested.names()),
            Self::ShowSent(requested) => format!("Show what is sent to {}", requested.names()),
            Self::Cancel => "Cancel the running probes".into(),
            Self::Read(_) => "Measurements of a compute centre…".into(),
            Self::ReadFile(path) => format!("Read results of a centre from {}", path.display()),
            Self::Task => "Task from a file…".into(),
            Self::Keep => "Keep the probe under its task type".into(),
            Self::FindKept => "Find kept probes…".into(),
        }
    }

    fn tooltip(&self) -> &'static str {
        match self {
            Self::Run(_) => "Runs the probe of this scenario, and adds its runs",
            Self::ShowSent(_) => {
                "Shows the programs, scripts and manifests that each centre would get, and starts nothing"
            }
            Self::Cancel => "Cancels the running probes; finished runs stay",
            Self::Read(_) | Self::ReadFile(_) => {
                "Reports of gpu-bench, also in pod logs; performance logs of ReFrame; OSU micro-benchmarks; tables of \
                 MLPerf; JSON of hyperfine; a CSV with units and seconds"
            }
            Self::Task => TASK_FILES,
            Self::Keep => "Keeps this scenario with its runs under its task type",
            Self::FindKept => "Lists kept probes by task type, and opens a copy of one",
        }
    }

    fn is_possible(&self, on_screen: Option<&Scenario>, _cache: &Cache) -> bool {
        on_screen.is_some_and(|scenario| scenario.probe().is_some())
    }

    fn is_same(&self, other: &dyn Any) -> bool {
        other.downcast_ref() == Some(self)
    }
}
