//! The log of a trial of one of the options: the run of the query in it is kept with the scenario, and what is learned from it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crossover_page::services::{Pick, Services, Target, name_of};
use crossover_page::start::PlanReader;
use crossover_placement::{LearnedTrial, Placement, TrialRun};
use crossover_plan::Control;
use crossover_plan::decide::trial_of;
use crossover_plan::options::trial::TrialError;
use crossover_plan::site::learn_for;
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

/// The log of a trial to learn from.
const LEARN: Pick = Pick {
    title: "Learn from the trial’s log",
    title_by_path: "Learn from the trial’s log by path",
    action: "Learn",
    ..LOG
};

/// The log that was compared last, by the document.
#[derive(Default)]
struct TrialLogs(BTreeMap<String, PathBuf>);

/// Whether a trial can be compared on a scenario.
pub(in super::super) fn is_possible(scenario: Option<&Scenario>) -> bool {
    scenario.and_then(Scenario::placement).is_some_and(has_trials)
}

/// Whether a scenario has a trial that can be learned from.
pub(in super::super) fn has_trial(scenario: Option<&Scenario>) -> bool {
    let inputs = scenario.and_then(Scenario::placement).and_then(|study| study.decision.as_deref());
    is_possible(scenario) && inputs.is_some_and(|inputs| inputs.trial.is_some())
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

/// Learns from the log that was compared last; prompts for it if that was in an earlier window.
pub(in super::super) fn learn(services: &mut Services<'_>) {
    let Some(document) = document_on_screen(services) else { return };
    let compared = services.cache().get::<TrialLogs>().and_then(|logs| logs.0.get(&document)).cloned();
    match compared {
        Some(path) => read_to_learn(services, document, path),
        None => services.pick(LEARN, move |services, path| read_to_learn(services, document, path)),
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
        trial_of(&study, &import).map_err(|problem| of_path(path, &problem))
    };
    let log = path.clone();
    services.read("Reading the log of a trial", path, find, move |services, found| match found {
        Ok(run) => {
            remember(services, &document, log);
            let file = run.file.clone();
            take(services, &document, &file, |study| study.edit_decision(|inputs| inputs.trial = Some(run)));
        }
        Err(problem) => services.notify_error(problem),
    });
}

/// Remembers the log that was compared, so that it is not asked for again.
fn remember(services: &mut Services<'_>, document: &str, log: PathBuf) {
    if services.cache().get::<TrialLogs>().is_none() {
        services.cache().put(TrialLogs::default());
    }
    if let Some(logs) = services.cache().get_mut::<TrialLogs>() {
        logs.0.insert(document.to_owned(), log);
    }
}

/// Reads the log, and learns how far the predictions were off in all queries of it that the study has.
fn read_to_learn(services: &mut Services<'_>, document: String, path: PathBuf) {
    let reader = services.cache().get::<PlanReader>().cloned().unwrap_or_default();
    let study = services.document(&document).and_then(|document| document.scenario.placement()).cloned();
    let Some(study) = study else { return };
    let find = move |path: &Path, control: &Control| -> Result<(TrialRun, LearnedTrial), String> {
        let import = reader.read(path, control).map_err(|error| error.to_string())?;
        let run = trial_of(&study, &import).map_err(|problem| of_path(path, &problem))?;
        let learned = learn_for(&study, &import).map_err(|problem| format!("{}: {problem}", name_of(path)))?;
        Ok((run, learned))
    };
    services.read("Learning from the log of a trial", path, find, move |services, found| match found {
        Ok((run, learned)) => {
            let file = run.file.clone();
            take(services, &document, &file, |study| {
                study.take_learned(learned);
                study.edit_decision(|inputs| inputs.trial = Some(run));
            });
        }
        Err(problem) => services.notify_error(problem),
    });
}

/// Why a log is no trial, with what helps.
fn of_path(path: &Path, problem: &TrialError) -> String {
    let hint = match problem {
        TrialError::OtherMachines { .. } => "; add its cluster under 2 Where, or correct today’s machines there",
        _ => "",
    };
    format!("{}: {problem}{hint}", name_of(path))
}

/// Keeps what was found in the log of a trial with the study in one step, unless its document was closed meanwhile.
fn take(services: &mut Services<'_>, document: &str, file: &str, edit: impl FnOnce(&mut Placement)) {
    if services.document(document).is_none() {
        return services.notify_error(format!("{file}: the scenario was closed meanwhile; nothing was compared"));
    }
    services.edit(document, |study| {
        if let Some(study) = study.placement_mut() {
            edit(study);
        }
    });
    services.show(document);
}
