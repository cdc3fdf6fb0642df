//! What can be asked of probe studies in the window.

use std::any::Any;
use std::path::PathBuf;

use crossover_model::probe::Probe;
use crossover_model::scenario::{Scenario, Study};
use crossover_traces::probed;

use super::View;
use super::reading::{Meant, add, now_hours};
use super::running;
use super::wanted::Wanted;
use crate::ask::Ask;
use crate::desk::{Desk, Pick, Target, name_of};
use crate::shelf::Shelf;

const READ: Pick = Pick {
    title: "Read what a centre reports",
    title_by_path: "Read what a centre reports, by path",
    action: "Read",
    filter: Some(("measurements", &["json", "csv", "txt", "log"])),
    target: Target::File,
};

/// What is asked.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Request {
    /// Run the probe of the scenario on screen.
    Run(Wanted),
    /// End what runs.
    Cancel,
    /// Ask for a file that a centre reports, and add its runs to the scenario on screen.
    Read(Option<String>),
    /// Add the runs of this file.
    ReadFile(PathBuf),
}

impl Request {
    /// Does it.
    pub(super) fn carry_out(&self, desk: &mut Desk<'_>) {
        match self {
            Self::Run(wanted) => running::begin(desk, wanted),
            Self::Cancel => {
                if let Some((page, _)) = desk.page_on_screen::<View>()
                    && let Some(running) = &page.running
                {
                    running.cancel();
                }
            }
            Self::Read(centre) => {
                let Some(document) = document_on_screen(desk) else { return };
                let centre = centre.clone();
                desk.pick(READ, move |desk, path| read(desk, document, centre, path));
            }
            Self::ReadFile(path) => {
                if let Some(document) = document_on_screen(desk) {
                    read(desk, document, None, path.clone());
                }
            }
        }
    }
}

fn document_on_screen(desk: &mut Desk<'_>) -> Option<String> {
    let found =
        desk.on_screen().filter(|document| document.scenario.probe().is_some()).map(|document| document.id.clone());
    if found.is_none() {
        desk.notify("This is about probe studies; show one, or make a new one, and try again");
    }
    found
}

/// Reads a file on a thread, and adds its runs in one step.
fn read(desk: &mut Desk<'_>, document: String, centre: Option<String>, path: PathBuf) {
    let before = desk.document(&document).and_then(|document| document.scenario.probe()).cloned();
    let Some(before) = before else { return };
    let file = path.clone();
    desk.work(
        "reports of centres",
        move || {
            let read = probed::read(&file, Some(now_hours())).map_err(|error| error.to_string())?;
            let mut notes: Vec<String> = read.left_out.iter().chain(&read.notes).cloned().collect();
            let mut study = before.clone();
            let meant = Meant { centre, ..Meant::default() };
            add(&mut study, &meant, &file, &read.runs, &mut |note| notes.push(note))
                .map_err(|error| format!("{error:#}"))?;
            let study = Study::Probe(study);
            study
                .validate()
                .map_err(|invalid| format!("{}: not added: {}: {}", file.display(), invalid.path, invalid.problem))?;
            Ok((before, study, read.runs.len(), notes))
        },
        move |desk, done: Result<(Probe, Study, usize, Vec<String>), String>| {
            let (before, study, count, notes) = match done {
                Ok(done) => done,
                Err(why) => return desk.notify_error(why),
            };
            let now = desk.document(&document).and_then(|document| document.scenario.probe());
            if now.is_some_and(|now| *now != before) {
                return desk.notify_error(format!(
                    "{}: not added: the scenario changed meanwhile; read it again",
                    path.display()
                ));
            }
            desk.edit(&document, move |old| *old = study);
            let runs = if count == 1 { "1 run".to_owned() } else { format!("{count} runs") };
            let read = format!("{} read: {runs}", name_of(&path));
            if notes.is_empty() {
                desk.notify(read);
            } else {
                desk.notify_lasting(format!("{read}. {}", notes.join(". ")));
            }
        },
    );
}

impl Ask for Request {
    fn text(&self) -> String {
        match self {
            Self::Run(wanted) => format!("Run the probe at {}", wanted.centre),
            Self::Cancel => "Cancel the probes that run".into(),
            Self::Read(_) => "Measurements of a compute centre…".into(),
            Self::ReadFile(path) => format!("Read what a centre reports in {}", path.display()),
        }
    }

    fn tooltip(&self) -> &'static str {
        match self {
            Self::Run(_) => "Runs the probe of this scenario, and adds what comes back to it",
            Self::Cancel => "Ends the run that goes on; what came back stays",
            Self::Read(_) | Self::ReadFile(_) => {
                "Reports of gpu-bench, also in logs of pods, ReFrame's performance logs, OSU micro-benchmarks, tables of \
                 MLPerf, JSON of hyperfine, or a CSV with units and seconds"
            }
        }
    }

    fn is_possible(&self, on_screen: Option<&Scenario>, _shelf: &Shelf) -> bool {
        on_screen.is_some_and(|scenario| scenario.probe().is_some())
    }

    fn is_same(&self, other: &dyn Any) -> bool {
        other.downcast_ref() == Some(self)
    }
}
