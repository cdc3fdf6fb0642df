//! Import of recorded clusters in the window: asks for the files one after the other and reads them.

use std::any::Any;
use std::path::{Path, PathBuf};

use crossover_allocation::{Arrivals, Form, Policy, Trace};
use crossover_page::ask::Ask;
use crossover_page::cache::Cache;
use crossover_page::services::{Pick, Services, Target, name_of};
use crossover_scenario::{Scenario, Study};
use crossover_traces::kind::FileKind;
use crossover_traces::philly::Machines;
use crossover_traces::{decisions, kubernetes, named, openb, philly, slurm};

use super::recorded::{MACHINES, Source};

const CLUSTER: Pick = Pick {
    title: "Open a recorded cluster",
    title_by_path: "Open a recorded cluster by path",
    action: "Open",
    filter: Some(("record", &["csv", "json", "jsonl", "txt"])),
    target: Target::File,
};
const NODES: Pick =
    Pick { title: "Open the nodes of the cluster", title_by_path: "Open the nodes of the cluster by path", ..CLUSTER };
const TASKS: Pick =
    Pick { title: "Open the tasks of the cluster", title_by_path: "Open the tasks of the cluster by path", ..CLUSTER };
const REPLAY: Pick = Pick {
    title: "Replay recorded tasks",
    title_by_path: "Replay recorded tasks by path",
    filter: Some(("record", &["csv", "jsonl"])),
    ..CLUSTER
};

/// Why a record cannot be replayed.
const NO_TIMES: &str = "the file has no run times, so its tasks cannot be replayed";

/// Requests about recorded clusters.
#[derive(Debug, Clone, PartialEq)]
pub enum Request {
    /// Ask for the files of a recorded cluster, and make a scenario of it.
    Import,
    /// Make a scenario of this file; asks for a second file if one is needed.
    ImportFile(PathBuf),
    /// Ask for recorded tasks, and replay them in the scenario on screen.
    Replay,
    /// Read the recorded tasks of the scenario on screen again.
    ReadAgain,
}

/// The purpose of reading files.
#[derive(Debug, Clone)]
enum Goal {
    /// A new scenario.
    Scenario,
    /// The replay of this document.
    Replay(String),
}

/// A file with its kind.
type TypedFile = (FileKind, PathBuf);

impl Request {
    /// Carries out the request.
    pub(super) fn carry_out(&self, services: &mut Services<'_>) {
        match self {
            Self::Import => {
                services.pick(CLUSTER, |services, path| detect_kind(services, Goal::Scenario, Vec::new(), path));
            }
            Self::ImportFile(path) => detect_kind(services, Goal::Scenario, Vec::new(), path.clone()),
            Self::Replay => match allocation_on_screen(services) {
                Some(id) => {
                    services.pick(REPLAY, |services, path| detect_kind(services, Goal::Replay(id), Vec::new(), path));
                }
                None => services.notify(
                    "Recorded tasks need an allocation study. Choose File → New allocation study, then try again",
                ),
            },
            Self::ReadAgain => read_again(services),
        }
    }
}

impl Ask for Request {
    fn text(&self) -> String {
        match self {
            Self::Import => "Recorded cluster (openb, Philly, kubectl, Slurm)…".into(),
            Self::ImportFile(path) => format!("Open the recorded cluster {}", path.display()),
            Self::Replay => "Replay recorded tasks…".into(),
            Self::ReadAgain => "Read the recorded tasks again".into(),
        }
    }

    fn tooltip(&self) -> &'static str {
        match self {
            Self::Import | Self::ImportFile(_) => {
                "Makes an allocation scenario of Alibaba's traces, Philly jobs, JSON from kubectl, or the output of scontrol \
                 and squeue"
            }
            Self::Replay => {
                "Replays tasks of Alibaba's traces or of Philly on the nodes of this scenario, at their recorded times"
            }
            Self::ReadAgain => "Reads again the files that this scenario names",
        }
    }

    fn is_possible(&self, on_screen: Option<&Scenario>, _cache: &Cache) -> bool {
        match self {
            Self::Import | Self::ImportFile(_) => true,
            Self::Replay => on_screen.is_some_and(|scenario| scenario.allocation().is_some()),
            Self::ReadAgain => on_screen.is_some_and(|scenario| scenario.study.named_trace().is_some()),
        }
    }

    fn is_same(&self, other: &dyn Any) -> bool {
        other.downcast_ref() == Some(self)
    }
}

fn allocation_on_screen(services: &Services<'_>) -> Option<String> {
    let document = services.on_screen()?;
    document.scenario.allocation().map(|_| document.id.clone())
}

/// Detects the kind of a file, and continues with the files that were chosen before.
fn detect_kind(services: &mut Services<'_>, goal: Goal, mut files: Vec<TypedFile>, path: PathBuf) {
    services.work(
        "file type",
        move || FileKind::of(&path).map(|kind| (kind, path)).map_err(|error| error.to_string()),
        move |services, file| match file {
            Ok(file) => {
                files.push(file);
                read_or_ask(services, goal, files);
            }
            Err(problem) => services.notify_error(problem),
        },
    );
}

/// Reads the files if all are there; else asks for the missing one.
fn read_or_ask(services: &mut Services<'_>, goal: Goal, files: Vec<TypedFile>) {
    let has_times = |kind| {
        use FileKind::{Decisions, OpenbNodes, OpenbPods, PhillyJobs};
        matches!(kind, OpenbNodes | OpenbPods | PhillyJobs | Decisions)
    };
    if let (Goal::Replay(_), Some((_, path))) = (&goal, files.iter().find(|(kind, _)| !has_times(*kind))) {
        return services.notify_error(format!("{}: {NO_TIMES}", name_of(path)));
    }
    let path_of = |wanted| files.iter().find(|(kind, _)| *kind == wanted).map(|(_, path)| path.clone());
    let of = |kind| (path_of(kind), kind);
    let pairs =
        [(of(FileKind::OpenbNodes), of(FileKind::OpenbPods)), (of(FileKind::SlurmNodes), of(FileKind::SlurmJobs))];
    for ((nodes, of_nodes), (tasks, _)) in pairs {
        match (nodes, tasks) {
            (Some(nodes), Some(tasks)) => {
                let form = (of_nodes == FileKind::OpenbNodes).then_some(Form::Openb);
                return read(services, goal, [nodes, tasks], form, of_nodes);
            }
            (None, None) => {}
            (nodes, _) if files.len() < 2 => {
                let pick = if nodes.is_some() { TASKS } else { NODES };
                return services.pick(pick, move |services, path| detect_kind(services, goal, files, path));
            }
            _ => {
                let names: Vec<String> = files.iter().map(|(_, path)| name_of(path)).collect();
                return services
                    .notify_error(format!("{} do not belong together; nothing was read", names.join(" and ")));
            }
        }
    }
    let Some((kind, path)) = files.into_iter().next_back() else { return };
    let form = match kind {
        FileKind::PhillyJobs => Some(Form::Philly),
        FileKind::Decisions => Some(Form::Decisions),
        _ => None,
    };
    read(services, goal, [path.clone(), path], form, kind);
}

/// Reads the files on another thread.
fn read(services: &mut Services<'_>, goal: Goal, files: [PathBuf; 2], form: Option<Form>, kind: FileKind) {
    match goal {
        Goal::Scenario => {
            let name = name_of(&files[1]);
            let work = move || scenario_of(&[&files[0], &files[1]], form, kind);
            services.work("recorded cluster", work, move |services, made| match made {
                Ok((scenario, notes)) => {
                    services.open(scenario);
                    notify(services, format!("{name}: opened"), &notes);
                }
                Err(problem) => services.notify_error(format!("{problem}; nothing was opened")),
            });
        }
        Goal::Replay(document) => match form {
            Some(form) => {
                let [nodes, tasks] = files;
                let paths = if form.files().len() == 1 { vec![tasks] } else { vec![nodes, tasks] };
                replay(services, document, form, paths);
            }
            None => services.notify_error(format!("{}: {NO_TIMES}", name_of(&files[1]))),
        },
    }
}

/// Replays the tasks of these files in a document.
fn replay(services: &mut Services<'_>, document: String, form: Form, paths: Vec<PathBuf>) {
    let work = move || {
        let trace = named::read(form, &paths)?;
        named::name(form, &paths, trace)
    };
    services.work("recorded tasks", work, move |services, read| {
        let named = match read {
            Ok(named) => named,
            Err(error) => return services.notify_error(format!("{error}; nothing was changed")),
        };
        let Some(study) = services.document(&document).and_then(|document| document.scenario.allocation()) else {
            return services.notify_error("The scenario of the recorded tasks is closed; open it and try again");
        };
        let done = format!("The replay uses the recorded tasks of {}", named.name());
        if study.replay.trace.as_ref().is_some_and(|now| now.names_the_same(&named)) {
            // The same files with the same content.
            services.amend(&document, |scenario| {
                if let Some(now) = scenario.study.named_trace_mut() {
                    now.take(&named);
                }
            });
            return services.notify(done);
        }
        let mut study = study.clone();
        let notes = study.replay_recorded(named);
        services.edit(&document, |edited| *edited = Study::Allocation(study));
        notify(services, done, &notes);
    });
}

fn scenario_of(files: &[&Path; 2], form: Option<Form>, kind: FileKind) -> Result<(Scenario, Vec<String>), String> {
    let [nodes, tasks] = *files;
    let trace: Result<Trace, _> = match kind {
        FileKind::OpenbNodes | FileKind::OpenbPods => openb::read(nodes, tasks),
        FileKind::PhillyJobs => philly::read(tasks, Machines { nodes: usize::from(MACHINES), ..Machines::default() }),
        FileKind::Kubernetes => kubernetes::read(&[tasks]),
        FileKind::Decisions => decisions::read(tasks),
        FileKind::SlurmNodes | FileKind::SlurmJobs => slurm::read(nodes, Some(tasks)),
    };
    let trace = trace.map_err(|error| error.to_string())?;
    let arrivals = Arrivals { demand: 1.3, orders: 10.0, seed: 42.0, target: 0.95 };
    let made = Source { trace: &trace, files: [nodes, tasks], form }.scenario(Policy::Fgd, arrivals);
    let (scenario, more) = made.map_err(|problem| format!("{}: {problem}", tasks.display()))?;
    // The notes of a named trace are warnings of its scenario.
    let mut notes = if form.is_none() { trace.messages() } else { Vec::new() };
    notes.extend(more);
    if form == Some(Form::Philly) {
        notes.push(format!("the file has no machines; assumed: {MACHINES} with eight GPUs each"));
    }
    Ok((scenario, notes))
}

/// Reads the files of the scenario on screen again.
fn read_again(services: &mut Services<'_>) {
    let on_screen =
        services.on_screen().and_then(|document| Some((document.id.clone(), document.scenario.study.named_trace()?)));
    let Some((id, named)) = on_screen else {
        return services.notify("This scenario names no recorded tasks");
    };
    let (form, paths) = (named.form, named.files.iter().map(|file| PathBuf::from(&file.path)).collect());
    replay(services, id, form, paths);
}

/// Shows what was done; a message with notes stays until it is closed.
fn notify(services: &mut Services<'_>, done: String, notes: &[String]) {
    if notes.is_empty() {
        services.notify(done);
    } else {
        services.notify_lasting(format!("{done}. {}", notes.join("; ")));
    }
}
