//! Requests about query plans: imports, lists of GPU support and scores, and exports for engines.

use std::any::Any;
use std::path::PathBuf;

use crossover_export::placement::plan::PlanFormat;
use crossover_page::ask::Ask;
use crossover_page::cache::Cache;
use crossover_page::services::Services;
use crossover_scenario::Scenario;
use egui::{Key, KeyboardShortcut, Modifiers};

use super::View;
use super::import::lists::{self, List};
use super::import::{self, trial};

/// A request about query plans.
#[derive(Debug, Clone, PartialEq)]
pub enum Request {
    /// Prompt for a file and import it.
    Import,
    /// Prompt for a folder of rolling files and import it.
    ImportFolder,
    /// Type the path of a file or folder and import it; works without a file dialog.
    TypePath,
    /// Import this file or folder.
    ImportFile(PathBuf),
    /// Import a query, and show its machines before the answer.
    MoveQuery(Source),
    /// Show the machines of the query on screen, and where it could run.
    ShowMachines,
    /// Show what should run the query on screen.
    ShowAnswer,
    /// Choose another query of the file that was imported last.
    Another,
    /// Prompt for the log of a trial of the query on screen, and compare it with the prediction.
    CompareTrial,
    /// Compare the log at this path with the prediction for the query on screen.
    CompareTrialFile(PathBuf),
    /// Learn from the trial of the query on screen how far the predictions of its engine are off.
    LearnTrial,
    /// Prompt for a list and use it for the query on screen.
    Use(List),
    /// Use this list for the query on screen, whichever list it is.
    UseFile(PathBuf),
    /// Remove a list of the query on screen.
    Remove(List),
    /// Prompt for a file name and write the placement of the query plan for other programs.
    Export(PlanFormat),
}

/// Where a query to decide about comes from.
#[derive(Debug, Clone, PartialEq)]
pub enum Source {
    /// Prompt for a file.
    File,
    /// Prompt for a folder of rolling files.
    Folder,
    /// Type the path of a file or folder.
    Path,
    /// This text: SQL statements with the sizes of their tables, or a plan as JSON.
    Text(String),
}

impl Request {
    /// The requests about lists, in the order of the menu.
    pub const LISTS: [Self; 4] =
        [Self::Use(List::Support), Self::Remove(List::Support), Self::Use(List::Scores), Self::Remove(List::Scores)];

    /// Does it.
    pub fn carry_out(&self, services: &mut Services<'_>) {
        match self {
            Self::Import => services.pick(import::PLAN, import::read),
            Self::ImportFolder => services.pick(import::FOLDER, import::read),
            Self::TypePath => services.type_path(import::PLAN, import::read),
            Self::ImportFile(path) => import::read(services, path.clone()),
            Self::MoveQuery(Source::File) => services.pick(import::PLAN, import::read_for_answer),
            Self::MoveQuery(Source::Folder) => services.pick(import::FOLDER, import::read_for_answer),
            Self::MoveQuery(Source::Path) => services.type_path(import::PLAN, import::read_for_answer),
            Self::MoveQuery(Source::Text(text)) => import::read_text(services, text.clone()),
            Self::ShowMachines => {
                if let Some((view, _)) = services.page_on_screen::<View>() {
                    view.begin_with_machines();
                }
            }
            Self::ShowAnswer => {
                if let Some((view, _)) = services.page_on_screen::<View>() {
                    view.begin_with_answer();
                }
            }
            Self::Another => import::choose_another(services),
            Self::CompareTrial => trial::ask(services),
            Self::CompareTrialFile(path) => trial::compare(services, path.clone()),
            Self::LearnTrial => trial::learn(services),
            Self::Use(list) => lists::ask(services, *list),
            Self::UseFile(path) => lists::read_any(services, path.clone()),
            Self::Remove(list) => lists::remove(services, *list),
            Self::Export(format) => super::export_plan(services, *format),
        }
    }
}

impl Ask for Request {
    fn text(&self) -> String {
        match self {
            Self::Import => "Import a query plan…".into(),
            Self::ImportFolder => "Import a folder of a Spark log…".into(),
            Self::TypePath => "Import a plan by path…".into(),
            Self::ImportFile(path) => format!("Import the plan {}", path.display()),
            Self::MoveQuery(Source::File) => "Choose a log or a plan…".into(),
            Self::MoveQuery(Source::Folder) => "Choose the folder of a rolling log…".into(),
            Self::MoveQuery(Source::Path) => "Type a path…".into(),
            Self::MoveQuery(Source::Text(_)) => "Use this text".into(),
            Self::ShowMachines => "Show machines and prices".into(),
            Self::ShowAnswer => "Show the answer".into(),
            Self::Another => "Import another query of the same file…".into(),
            Self::CompareTrial => "Compare with the trial’s log…".into(),
            Self::CompareTrialFile(path) => format!("Compare with the trial’s log {}", path.display()),
            Self::LearnTrial => "Learn from the trial".into(),
            Self::Use(List::Support) => "Use a GPU support list…".into(),
            Self::Use(List::Scores) => "Use operator scores…".into(),
            Self::UseFile(path) => format!("Use the list {}", path.display()),
            Self::Remove(List::Support) => "Remove the GPU support list".into(),
            Self::Remove(List::Scores) => "Remove the operator scores".into(),
            Self::Export(format) => format!("Export plan as {}…", format.label()),
        }
    }

    fn tooltip(&self) -> &'static str {
        match self {
            Self::Import | Self::ImportFile(_) => {
                "Decide the placement of a query of your own: a Spark event log, EXPLAIN output of Spark as text, of \
                 DuckDB or PostgreSQL as JSON, or SQL with table sizes"
            }
            Self::MoveQuery(Source::File) => {
                "A Spark event log, EXPLAIN output of Spark as text, of DuckDB or PostgreSQL as JSON, or a file of SQL"
            }
            Self::MoveQuery(Source::Text(_)) => "Plan the SQL statements, or read the plan",
            Self::ImportFolder | Self::MoveQuery(Source::Folder) => {
                "A rolling Spark event log: a folder of files events_1_…, events_2_…"
            }
            Self::TypePath | Self::MoveQuery(Source::Path) => {
                "Type the path of a plan, a log or its folder; for systems without a file dialog"
            }
            Self::ShowMachines => "Check today’s machines, enter prices, and add clusters to compare",
            Self::ShowAnswer => "What should run the query, in which time and for which cost",
            Self::Another => "Choose another query of the file that was imported last, without reading it again",
            Self::CompareTrial | Self::CompareTrialFile(_) => {
                "Read the event log of a run with one of the options: compare its time with the prediction, and decide with the \
                 measured time"
            }
            Self::LearnTrial => {
                "Correct the predictions of this engine by all queries that are in both logs, as crossover learn does"
            }
            Self::Use(List::Support) => {
                "A CSV file in the format of supportedExecs.csv: classes that it does not support stay on the CPU"
            }
            Self::Use(List::Scores) => {
                "A CSV file in the format of operatorsScore.csv: its scores can replace the model's GPU times"
            }
            Self::UseFile(_) => "Which operators a GPU can run, or how fast it runs them",
            Self::Remove(List::Support) => "Every operator of the query may run on the GPU again",
            Self::Remove(List::Scores) => "GPU times come from the model again",
            Self::Export(PlanFormat::SparkConf) => {
                "Write switches and costs for the RAPIDS Accelerator, one for each class of operators of a Spark plan"
            }
            Self::Export(PlanFormat::Json) => {
                "Write the side of every operator of the query, the reason, and the likelihood"
            }
        }
    }

    fn shortcut(&self) -> Option<KeyboardShortcut> {
        (*self == Self::Import).then_some(KeyboardShortcut::new(Modifiers::COMMAND, Key::I))
    }

    fn extension(&self) -> Option<&'static str> {
        if let Self::Export(format) = self { Some(format.extension()) } else { None }
    }

    fn is_possible(&self, on_screen: Option<&Scenario>, cache: &Cache) -> bool {
        let query = on_screen.and_then(lists::query);
        match self {
            Self::Import | Self::ImportFolder | Self::TypePath | Self::ImportFile(_) | Self::MoveQuery(_) => true,
            Self::Another => import::has_another(cache),
            Self::CompareTrial | Self::CompareTrialFile(_) => trial::is_possible(on_screen),
            Self::LearnTrial => trial::has_trial(on_screen),
            Self::ShowMachines | Self::ShowAnswer | Self::Use(_) | Self::UseFile(_) => query.is_some(),
            Self::Remove(List::Support) => query.is_some_and(|query| !query.unsupported.is_empty()),
            Self::Remove(List::Scores) => query.is_some_and(|query| !query.scores.is_empty()),
            Self::Export(format) => {
                let study = on_screen.and_then(Scenario::placement);
                study.is_some_and(|study| format.check(study).is_ok())
            }
        }
    }

    fn is_same(&self, other: &dyn Any) -> bool {
        other.downcast_ref() == Some(self)
    }
}
