//! What is asked about query plans: importing them, and the lists that say what a GPU can do.

use std::path::PathBuf;

/// What is asked about query plans.
#[derive(Debug, Clone, PartialEq)]
pub enum Request {
    /// Ask for a file and import it.
    Import,
    /// Ask for a folder of rolling files and import it.
    ImportFolder,
    /// Type the path of a file or folder and import it; works without a file dialog.
    TypePath,
    /// Import this file or folder.
    ImportFile(PathBuf),
    /// Choose another query of the file that was imported last.
    Another,
    /// Ask for a list and use it for the query on screen.
    Use(List),
    /// Use this list for the query on screen, whichever list it is.
    UseFile(PathBuf),
    /// Forget a list of the query on screen.
    Remove(List),
}

/// A list about operator classes, as NVIDIA's tools write them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum List {
    /// Which classes have a GPU version.
    Support,
    /// How many times faster each class is on a GPU.
    Scores,
}

impl List {
    /// What it is called in a sentence.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Support => "GPU support list",
            Self::Scores => "operator scores",
        }
    }
}

impl Request {
    /// The requests that need nothing but a file, in the order of the menu.
    pub const IMPORTS: [Self; 4] = [Self::Import, Self::ImportFolder, Self::TypePath, Self::Another];
    /// The requests about lists, in the order of the menu.
    pub const LISTS: [Self; 4] =
        [Self::Use(List::Support), Self::Remove(List::Support), Self::Use(List::Scores), Self::Remove(List::Scores)];

    /// What stands in a menu.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::Import => "Import a query plan…".into(),
            Self::ImportFolder => "Import a folder of a Spark log…".into(),
            Self::TypePath => "Import a plan by path…".into(),
            Self::ImportFile(path) => format!("Import the plan {}", path.display()),
            Self::Another => "Import another query of the same file…".into(),
            Self::Use(List::Support) => "Use a GPU support list…".into(),
            Self::Use(List::Scores) => "Use operator scores…".into(),
            Self::UseFile(path) => format!("Use the list {}", path.display()),
            Self::Remove(List::Support) => "Remove the GPU support list".into(),
            Self::Remove(List::Scores) => "Remove the operator scores".into(),
        }
    }

    /// What it does, for a tooltip and for the palette.
    #[must_use]
    pub fn tooltip(&self) -> &'static str {
        match self {
            Self::Import | Self::ImportFile(_) => {
                "Decide the placement of a query of your own: a Spark event log, EXPLAIN output of DuckDB or PostgreSQL \
                 as JSON, or SQL with table sizes"
            }
            Self::ImportFolder => "A Spark event log that rolls: a folder of files events_1_…, events_2_…",
            Self::TypePath => "Type the path of a plan, a log or its folder; for systems without a file dialog",
            Self::Another => "Choose another query of the file that was imported last, without reading it again",
            Self::Use(List::Support) => {
                "A CSV file in the format of supportedExecs.csv: classes that it does not support stay on the CPU"
            }
            Self::Use(List::Scores) => {
                "A CSV file in the format of operatorsScore.csv: its factors can take the place of the model's GPU times"
            }
            Self::UseFile(_) => "Which operators a GPU can run, or how fast it runs them",
            Self::Remove(List::Support) => "Every operator of the query may run on the GPU again",
            Self::Remove(List::Scores) => "The model says again how long operators take on the GPU",
        }
    }
}
