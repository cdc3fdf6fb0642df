//! Requests of fleets.

use std::any::Any;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crossover_fleet::Base;
use crossover_page::ask::Ask;
use crossover_page::services::{Pick, Services, Target};
use crossover_page::storage::scenario;
use crossover_placement::EnteredInputs;
use crossover_placement_page::import::{self, OpenedOfLog};
use crossover_plan::Control;
use crossover_quantity::text::counted;

use super::FleetSource;
use super::offering::{Alternative, Dropped, ReadLogsQuestion};
use super::plan::{self, LogApplication, LogQuery};
use super::reading::{KEEP, LOGS, read, read_again, read_into, show, state};
use super::sample;
use super::saving;
use super::searching::{self, SelectedApplications};

const RESULTS: Pick = Pick {
    title: "Open a fleet: choose its folder of results",
    title_by_path: "Open a fleet by the path of its results",
    action: "Open",
    filter: None,
    target: Target::Folder,
};
const ENGINES: Pick = Pick {
    title: "Name the engines: choose the scenario of --base",
    title_by_path: "Name the engines by the path of their scenario",
    action: "Use",
    filter: Some(("scenarios", &["ron"])),
    target: Target::File,
};

/// A request of fleets.
#[derive(Debug, Clone, PartialEq)]
pub enum Request {
    /// Ask for a folder of results and show it.
    Open,
    /// Show the results in this folder, read anew.
    OpenFolder(PathBuf),
    /// Show the results in a folder that was dropped, or offer to read the logs in it; anything else is imported as a plan.
    OpenDropped(PathBuf),
    /// Ask for a folder of logs and read it.
    Read,
    /// Ask for the address of a bucket or a History Server, or for a path, and read what is there.
    ReadAddress,
    /// Read the log that comes with the program.
    ReadSample,
    /// Read the logs on screen again.
    ReadAgain,
    /// Read these logs into this folder of results, and show them.
    ReadLogs(Vec<PathBuf>, PathBuf),
    /// Ask for a further folder of logs and read it into the same results.
    Add,
    /// Ask where else the results of the logs on screen are kept.
    KeepElsewhere,
    /// Read the log of this application again, and open the answer about it.
    OpenApplication(LogApplication),
    /// Read the log of this query again, and open the answer about it.
    OpenAnswer(LogQuery),
    /// Read the plan of this query, and open it in the engines of the fleet.
    OpenQuery(LogQuery),
    /// The same, and find a cluster for it in Search.
    SizeFor(LogQuery),
    /// Find a cluster for all of these applications in Search.
    SearchFor(SelectedApplications),
    /// Save the report of the results in a folder, with at most so many GPU machines at a time, and what the user entered.
    SaveReport(PathBuf, Option<u32>, EnteredInputs),
    /// Ask for the scenario whose engines results were measured with, of which this is the digest.
    NameEngines(String),
}

impl Request {
    /// The requests in the file menu.
    pub(super) const LISTED: [Self; 3] = [Self::Open, Self::Read, Self::ReadAddress];

    /// Carries it out.
    pub(super) fn carry_out(&self, services: &mut Services<'_>) {
        match self.clone() {
            Self::Open => services.pick(RESULTS, |services, path| show(services, FleetSource::Results(path))),
            Self::OpenFolder(path) => show(services, FleetSource::Results(path)),
            Self::OpenDropped(path) => {
                // Among what is read one after the other: several files keep the order in which they were dropped.
                let find = |path: &Path, _: &Control| (Dropped::at(path), path.to_owned());
                services.read("Checking the dropped file", path, find, |services, (dropped, path)| match dropped {
                    Dropped::Results => show(services, FleetSource::Results(path)),
                    Dropped::Logs => {
                        let (text, tooltip) = (Self::Open.text(), Self::Open.tooltip());
                        let alternative = Alternative { text, tooltip, act: |services| Self::Open.carry_out(services) };
                        services.ask(ReadLogsQuestion::new(&path, Self::Read.tooltip(), alternative));
                    }
                    Dropped::Plan => import::read_dropped(services, path),
                });
            }
            Self::OpenApplication(of) => plan::open(services, of, OpenedOfLog::Application, |_, _| {}),
            Self::Read => services.pick(LOGS, read),
            Self::ReadAddress => services.type_path(LOGS, read),
            Self::ReadSample => {
                let home = state(services).home.clone().unwrap_or_else(std::env::temp_dir);
                services.work(
                    "sample log",
                    move || sample::write(&home),
                    |services, written| match written {
                        Ok([log, results]) => read_into(services, vec![log], results),
                        Err(problem) => services.notify_error(problem),
                    },
                );
            }
            Self::ReadAgain => {
                if let Some((FleetSource::Logs { paths, out, base, is_restored }, _)) = state(services).shown.clone() {
                    read_again(services, paths, out, base, is_restored);
                }
            }
            Self::ReadLogs(paths, out) => read_into(services, paths, out),
            Self::Add => services.pick(LOGS, |services, path| {
                if let Some((FleetSource::Logs { mut paths, out, base, is_restored }, _)) =
                    state(services).shown.clone()
                {
                    if !paths.contains(&path) {
                        paths.push(path);
                    }
                    read_again(services, paths, out, base, is_restored);
                }
            }),
            Self::KeepElsewhere => services.pick(KEEP, |services, out| {
                if let Some((FleetSource::Logs { paths, .. }, _)) = state(services).shown.clone() {
                    read_into(services, paths, out);
                }
            }),
            Self::OpenAnswer(LogQuery { of, query }) => {
                plan::open(services, of, OpenedOfLog::Query(query), |_, _| {});
            }
            Self::OpenQuery(LogQuery { of, query }) => plan::open(services, of, OpenedOfLog::Plan(query), |_, _| {}),
            Self::SizeFor(LogQuery { of, query }) => {
                plan::open(services, of, OpenedOfLog::Query(query), searching::propose);
            }
            Self::SearchFor(chosen) => searching::search_for(services, chosen),
            Self::SaveReport(folder, machines, inputs) => saving::save_report(services, folder, machines, inputs),
            Self::NameEngines(digest) => {
                services.pick(ENGINES, move |services, path| name_engines(services, path, digest));
            }
        }
    }
}

/// Uses the engines of a scenario for results without engines, if the digests are the same.
fn name_engines(services: &mut Services<'_>, path: PathBuf, digest: String) {
    let file = path.clone();
    let find = move || {
        let scenario = scenario::open(&file).map_err(|error| error.to_string())?;
        Base::new(&scenario).map_err(|error| format!("{}: {error}", file.display()))
    };
    services.work("engines", find, move |services, found| match found {
        Ok(base) if base.digest == digest => {
            let titles = base.titles().join(" against ");
            state(services).named.push(Arc::new(base));
            services.notify(format!("The engines of these results: {titles}"));
        }
        Ok(_) => services.notify_error(format!(
            "{}: these results were predicted with another scenario or another version of Crossover, or the scenario has changed. \
             Choose the scenario that was given with --base, or read the logs again.",
            path.display()
        )),
        Err(problem) => services.notify_error(problem),
    });
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
            Self::ReadAddress => "Read logs by address…".into(),
            Self::ReadSample => "Read the sample log".into(),
            Self::ReadAgain => "Read again".into(),
            Self::Add => "Add logs…".into(),
            Self::KeepElsewhere => "Keep the results elsewhere…".into(),
            Self::SizeFor(of) => format!("Find a cluster for query {} of {}", of.query, of.of.log.display()),
            Self::SearchFor(chosen) => match chosen.logs.len() {
                1 => "Find a cluster for it".into(),
                count => format!("Find a cluster for {}", counted(count as f64, "application")),
            },
            Self::SaveReport(..) => "Save report…".into(),
            Self::NameEngines(_) => "Name their engines…".into(),
            Self::OpenApplication(_) | Self::OpenAnswer(_) => "Open the answer".into(),
            Self::OpenQuery(of) => format!("Open the plan of query {} of {}", of.query, of.of.log.display()),
        }
    }

    fn tooltip(&self) -> &'static str {
        match self {
            Self::Open => "Show the results of `crossover fleet` in the folder that --out named",
            Self::Read => "Read all Spark event logs in a folder, and rank the applications by their saving",
            Self::ReadAddress => {
                "Read logs in a bucket (s3://…, gs://…, az://…) or on a Spark History Server (http://…); docs/FLEET.md lists the variables for keys"
            }
            Self::ReadSample => "Read the event log that comes with the program as a fleet of one application",
            Self::ReadAgain => "Read logs that are new or have changed",
            Self::Add => "Read the logs of another folder too; earlier results are kept",
            Self::KeepElsewhere => "Read the logs into another folder of results",
            Self::SizeFor(_) => {
                "Read the log again and open this query with the fleet's engines in Search, to find machines and network"
            }
            Self::SearchFor(_) => "Open all their queries as one scenario in Search",
            Self::SaveReport(..) => {
                "Save one HTML file with sums, charts and all applications, for a browser or an e-mail"
            }
            Self::OpenApplication(_) | Self::OpenAnswer(_) => {
                "Read the log again: the answer lists the options, what would change it, and the settings of a trial"
            }
            Self::NameEngines(_) => "The results lack their engines; choose the scenario that was given with --base",
            Self::OpenQuery(_) => "Read the log again and open this query with the fleet's engines as a new scenario",
            _ => "",
        }
    }

    fn is_same(&self, other: &dyn Any) -> bool {
        other.downcast_ref() == Some(self)
    }
}
