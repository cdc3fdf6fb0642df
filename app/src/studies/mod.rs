//! How each kind of study looks in the window; one room for each study.

pub(crate) mod background;
mod export_menu;
mod headline;
pub mod placement;
pub mod regulation;

use crossover_chart::Chart;
use crossover_model::catalogue::Catalogue;
use crossover_model::scenario::{Scenario, Study};
use egui::{Panel, Ui};

use crate::command::Command;
use crate::export::Format;
use crate::export::placement::plan::PlanFormat;
use crate::jobs::Made;

/// Width below which an inspector is a drawer that starts closed.
const NARROW: f32 = 1000.0;

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
    /// A regulation study.
    Regulation(Box<regulation::View>),
}

impl View {
    /// The view of a study as it is first shown.
    #[must_use]
    pub fn new(study: &Study) -> Self {
        match study {
            Study::Placement(study) => Self::Placement(Box::new(placement::View::new(study))),
            Study::Regulation(study) => Self::Regulation(Box::new(regulation::View::new(study))),
        }
    }

    /// Zoom, selection and sections as at first; what was recorded stays.
    pub fn reset_layout(&mut self, study: &Study) {
        let mut fresh = Self::new(study);
        if let (Self::Regulation(fresh), Self::Regulation(view)) = (&mut fresh, &mut *self) {
            fresh.keep_recording_of(view);
        }
        *self = fresh;
    }

    /// Draws the study and edits it.
    pub fn ui(&mut self, ui: &mut Ui, study: &mut Study, env: &mut Env<'_>) {
        match (&mut *self, study) {
            (Self::Placement(view), Study::Placement(study)) => view.ui(ui, study, env),
            (Self::Regulation(view), Study::Regulation(study)) => view.ui(ui, study, env),
            // The document holds a study of another kind than before.
            (_, study) => {
                *self = Self::new(study);
                ui.ctx().request_repaint();
            }
        }
    }

    /// One line about the study for the status bar.
    #[must_use]
    pub fn status(&self) -> String {
        match self {
            Self::Placement(view) => view.status(),
            Self::Regulation(view) => view.status(),
        }
    }

    /// Whether something is being computed in the background for what is on screen.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        match self {
            Self::Placement(_) => false,
            Self::Regulation(view) => view.is_busy(),
        }
    }

    /// The charts of the page, as they are on the screen now.
    #[must_use]
    pub fn charts(&self) -> Vec<Chart> {
        match self {
            Self::Placement(view) => view.charts(),
            Self::Regulation(view) => view.charts(),
        }
    }

    /// Every number behind the charts of the page as CSV, or why there is none now.
    pub(crate) fn data_csv(&self, scenario: &Scenario) -> Result<Made, String> {
        match (self, &scenario.study) {
            (Self::Regulation(view), Study::Regulation(study)) => view.data_csv(study),
            (Self::Placement(view), _) => Ok(view.data_csv()),
            (Self::Regulation(_), Study::Placement(_)) => Err("The page is not drawn yet; try again".to_owned()),
        }
    }

    /// The outcome of a study as text: what goes where and why, or what a controller gains.
    pub(crate) fn results(&self, scenario: &Scenario, format: Format) -> Made {
        let name = scenario.name.clone();
        match &scenario.study {
            Study::Placement(study) => {
                let study = study.clone();
                Made::new(move || placement::results(&name, &study, format))
            }
            Study::Regulation(study) => {
                let outcome = if let Self::Regulation(view) = self { view.current(study) } else { None };
                regulation::results(name, study, outcome, format)
            }
        }
    }
}

/// Where the operators of a scenario's query plan run, for other programs; or why that cannot be written.
pub(crate) fn plan_export(scenario: &Scenario, format: PlanFormat) -> Result<Made, &'static str> {
    match &scenario.study {
        Study::Placement(study) => placement::plan_export(&scenario.name, study, format),
        Study::Regulation(_) => Err("only placement scenarios have query plans"),
    }
}

/// The panel on the left; in a narrow window a drawer that the user opens.
fn inspector_panel(ui: &mut Ui, drawer_open: &mut bool, inspector_open: bool, content: impl FnOnce(&mut Ui)) {
    let is_narrow = ui.available_width() < NARROW;
    let open = if is_narrow { *drawer_open } else { inspector_open };
    if is_narrow {
        Panel::left("drawer-handle").exact_size(30.0).resizable(false).show(ui, |ui| {
            let (symbol, hint) =
                if open { ("◀", "Close the inspector") } else { ("▶", "Open the inspector: all parameters") };
            if ui.button(symbol).on_hover_text(hint).clicked() {
                *drawer_open = !*drawer_open;
            }
        });
    }
    if open {
        let size = if is_narrow { 300.0 } else { 348.0 };
        Panel::left("inspector").resizable(true).default_size(size).size_range(280.0..=520.0).show(ui, content);
    }
}
