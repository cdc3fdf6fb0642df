//! What is asked of fleets.

use std::any::Any;
use std::path::{Path, PathBuf};

use crossover_fleet::opened::has_results;
use crossover_plan::Control;

use super::super::request::Request as OfPlans;
use super::{Kept, LEDGER, TOOL, Wanted};
use crate::ask::Ask;
use crate::command::Command;
use crate::desk::{Desk, Pick, Target};
use crate::tools::search;

const RESULTS: Pick = Pick {
    title: "Open a fleet: the folder of its results",
    title_by_path: "Open a fleet by the path of its results",
    action: "Open",
    filter: None,
    target: Target::Folder,
};
const LOGS: Pick = Pick {
    title: "Read event logs: the folder that has them",
    title_by_path: "Read event logs by path",
    action: "Read",
    filter: None,
    target: Target::Folder,
};
const KEEP: Pick = Pick {
    title: "Keep the results in a folder",
    title_by_path: "Keep the results in a folder by path",
    action: "Keep here",
    filter: None,
    target: Target::Folder,
};

/// What is asked of fleets.
#[derive(Debug, Clone, PartialEq)]
pub enum Request {
    /// Ask for a folder of results and show it.
    Open,
    /// Show the results in this folder, read anew.
    OpenFolder(PathBuf),
    /// Show the results in a folder that was dropped; anything else is imported as a plan.
    OpenDropped(PathBuf),
    /// Ask for a folder of logs and read it.
    Read,
    /// Read these logs into this folder of results, and show them.
    ReadLogs(Vec<PathBuf>, PathBuf),
    /// Ask for a further folder of logs and read it into the same results.
    Add,
    /// Ask where else the results of the logs on screen are kept.
    KeepElsewhere,
    /// Read the plan of this query of this log.
    OpenQuery(PathBuf, String),
    /// The same in the engines of the fleet, and search a cluster for it.
    SizeFor(PathBuf, String),
}

impl Request {
    /// What the file menu lists.
    pub(in super::super) const LISTED: [Self; 2] = [Self::Open, Self::Read];

    /// The command that asks for it.
    pub(super) fn command(self) -> Command {
        Command::ask(self)
    }

    /// Does it.
    pub(in super::super) fn carry_out(&self, desk: &mut Desk<'_>) {
        match self.clone() {
            Self::Open => desk.pick(RESULTS, |desk, path| show(desk, Wanted::Results(path))),
            Self::OpenFolder(path) => show(desk, Wanted::Results(path)),
            Self::OpenDropped(path) => {
                // Among what is read one after the other: several files keep the order in which they were dropped.
                let look = |path: &Path, _: &Control| (has_results(path) || path.ends_with(LEDGER), path.to_owned());
                desk.read("Looking at what was dropped", path, look, |desk, (is_fleet, path)| {
                    if is_fleet {
                        show(desk, Wanted::Results(path));
                    } else {
                        OfPlans::ImportFile(path).carry_out(desk);
                    }
                });
            }
            Self::Read => desk.pick(LOGS, |desk, path| {
                let home = kept(desk).results_of(&path);
                match home {
                    Some(out) => show(desk, Wanted::Logs { paths: vec![path], out }),
                    None => desk.pick(KEEP, move |desk, out| show(desk, Wanted::Logs { paths: vec![path], out })),
                }
            }),
            Self::ReadLogs(paths, out) => show(desk, Wanted::Logs { paths, out }),
            Self::Add => desk.pick(LOGS, |desk, path| {
                if let Some((Wanted::Logs { mut paths, out }, _)) = kept(desk).shown.clone() {
                    if !paths.contains(&path) {
                        paths.push(path);
                    }
                    show(desk, Wanted::Logs { paths, out });
                }
            }),
            Self::KeepElsewhere => desk.pick(KEEP, |desk, out| {
                if let Some((Wanted::Logs { paths, .. }, _)) = kept(desk).shown.clone() {
                    show(desk, Wanted::Logs { paths, out });
                }
            }),
            Self::OpenQuery(log, query) => OfPlans::ImportQuery(log, query).carry_out(desk),
            Self::SizeFor(log, query) => OfPlans::ImportQueryFor(log, query, search::TOOL).carry_out(desk),
        }
    }
}

fn show(desk: &mut Desk<'_>, wanted: Wanted) {
    kept(desk).want(wanted);
    desk.show_tool(TOOL);
}

fn kept<'d>(desk: &'d mut Desk<'_>) -> &'d mut Kept {
    let shelf = desk.shelf();
    if shelf.get::<Kept>().is_none() {
        shelf.put(Kept::default());
    }
    shelf.get_mut().expect("it was put there")
}

impl Ask for Request {
    fn text(&self) -> String {
        match self {
            Self::Open => "Open fleet…".into(),
            Self::OpenFolder(path) => format!("Open the fleet {}", path.display()),
            Self::OpenDropped(path) => format!("Open {}", path.display()),
            Self::Read => "Read logs…".into(),
            Self::ReadLogs(paths, _) => {
                let paths: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
                format!("Read the logs in {}", paths.join(", "))
            }
            Self::Add => "Add logs…".into(),
            Self::KeepElsewhere => "Keep the results elsewhere…".into(),
            Self::SizeFor(log, query) => format!("Search a cluster for query {query} of {}", log.display()),
            Self::OpenQuery(log, query) => format!("Open the plan of query {query} of {}", log.display()),
        }
    }

    fn tooltip(&self) -> &'static str {
        match self {
            Self::Open => "Show the results of `crossover fleet`: the folder that --out names",
            Self::Read => {
                "Read all Spark event logs in a folder: which applications gain on GPUs, and what blocks the others"
            }
            Self::Add => "Read the logs of a further folder as well; what was read stays",
            Self::KeepElsewhere => "Read the logs into another folder of results",
            Self::SizeFor(..) => {
                "Read the log again and open this query with the engines of the fleet in Search: how many machines, which network"
            }
            Self::OpenQuery(..) => "Read the log again and open this query as a scenario of its own",
            _ => "",
        }
    }

    fn is_same(&self, other: &dyn Any) -> bool {
        other.downcast_ref() == Some(self)
    }
}
