//! How each kind of study looks in the window; one room for each study.

pub mod placement;

use crossover_model::catalogue::Catalogue;
use crossover_model::scenario::{Scenario, Study};

use crate::chart::Chart;
use crate::command::Command;
use crate::export::Format;

/// What a view may read besides its own study.
pub struct Env<'a> {
    /// Hardware presets.
    pub catalogue: &'a Catalogue,
    /// Whether the inspector is shown.
    pub inspector_open: bool,
    /// Commands for the workbench.
    pub commands: &'a mut Vec<Command>,
}

/// How a study is looked at; nothing of it is saved.
pub enum View {
    /// A placement study.
    Placement(Box<placement::View>),
}

impl View {
    /// The view of a study as it is first shown.
    #[must_use]
    pub fn new(study: &Study) -> Self {
        match study {
            Study::Placement(study) => Self::Placement(Box::new(placement::View::new(study))),
        }
    }

    /// Draws the study and edits it. A view is made for its study, so the two are always of one kind.
    pub fn ui(&mut self, ui: &mut egui::Ui, study: &mut Study, env: &mut Env<'_>) {
        match (self, study) {
            (Self::Placement(view), Study::Placement(study)) => view.ui(ui, study, env),
        }
    }

    /// One line about the study for the status bar.
    #[must_use]
    pub fn status(&self) -> String {
        match self {
            Self::Placement(view) => view.status(),
        }
    }

    /// The charts of the page, as they are on the screen now.
    #[must_use]
    pub fn charts(&self) -> Vec<Chart> {
        match self {
            Self::Placement(view) => view.charts(),
        }
    }

    /// Every curve of the page as CSV.
    #[must_use]
    pub fn curves_csv(&self) -> String {
        match self {
            Self::Placement(view) => view.curves_csv(),
        }
    }
}

/// What goes where, and why, as text.
#[must_use]
pub fn recommendations(scenario: &Scenario, format: Format) -> String {
    match &scenario.study {
        Study::Placement(study) => placement::recommendations(&scenario.name, study, format),
    }
}

/// Gives a field the value that it has in another study; false if it is not there.
pub fn reset_field(study: &mut Study, saved: &Study, path: &str) -> bool {
    match (study, saved) {
        (Study::Placement(study), Study::Placement(saved)) => placement::reset_field(study, saved, path),
    }
}
