//! The log of a trial of one of the options: the run of the query in it is kept with the scenario.

use std::path::{Path, PathBuf};

use crossover_page::services::{Pick, Services, Target, name_of};
use crossover_page::start::PlanReader;
use crossover_placement::{Placement, TrialRun};
use crossover_plan::Control;
use crossover_plan::decide::trial_of;
use crossover_plan::options::trial::TrialError;
use crossover_plan::today::is_spark;
use crossover_scenario::Scenario;

/// The log of a trial.
const LOG: Pick = Pick {
    title: "Compare with the trial’s log",
    title_by_path: "Compare with the trial’s log by path",
    action: "Compare",
    filter: None,
    target: Target::FileOrFolder,
};

/// Whether a trial can be compared on a scenario.
pub(in super::super) fn is_possible(scenario: Option<&Scenario>) -> bool {
    scenario.and_then(Scenario::placement).is_some_and(has_trials)
}

/// Whether a study has options, and a query whose trial writes an event log.
pub(in super::super) fn has_trials(study: &Placement) -> bool {
    study.engines.is_some() && study.query.as_deref().is_some_and(|query| is_spark(&query.plan.engine))
}

/// Prompts for the log of a trial of the query on screen.
pub(in super::super) fn ask(services: &mut Services<'_>) {
    if let Some(document) = document_on_screen(services) {
        services.pick(LOG, move |services, path| read(services, document, path));
    }
}

/// Compares with the log at this path.
pub(in super::super) fn compare(services: &mut Services<'_>, path: PathBuf) {
    if let Some(document) = document_on_screen(services) {
        read(services, document, path);
    }
}

fn document_on_screen(services: &mut Services<'_>) -> Option<String> {
    let document = services.on_screen().filter(|document| is_possible(Some(&document.scenario)));
    let id = document.map(|document| document.id.clone());
    if id.is_none() {
        services.notify("A trial is compared with the answer about a Spark query; open the query first");
    }
    id
}

/// Reads the log after those before it, and finds the run of the query in it.
fn read(services: &mut Services<'_>, document: String, path: PathBuf) {
    let reader = services.cache().get::<PlanReader>().cloned().unwrap_or_default();
    let study = services.document(&document).and_then(|document| document.scenario.placement()).cloned();
    let Some(study) = study else { return };
    let find = move |path: &Path, control: &Control| -> Result<TrialRun, String> {
        let import = reader.read(path, control).map_err(|error| error.to_string())?;
        trial_of(&study, &import).map_err(|problem| {
            let hint = match problem {
                TrialError::OtherMachines { .. } => {
                    "; add its cluster under 2 Where, or correct today’s machines there"
                }
                _ => "",
            };
            format!("{}: {problem}{hint}", name_of(path))
        })
    };
    services.read("Reading the log of a trial", path, find, move |services, found| match found {
        Ok(run) => take(services, &document, run),
        Err(problem) => services.notify_error(problem),
    });
}

/// Keeps the trial with the study, unless its document was closed meanwhile.
fn take(services: &mut Services<'_>, document: &str, run: TrialRun) {
    if services.document(document).is_none() {
        let file = &run.file;
        return services.notify_error(format!("{file}: the scenario was closed meanwhile; nothing was compared"));
    }
    services.edit(document, |study| {
        if let Some(study) = study.placement_mut() {
            study.edit_decision(|inputs| inputs.trial = Some(run));
        }
    });
    services.show(document);
}
