//! The placement page: where does the GPU start to pay?

mod answer;
mod bars;
mod board;
mod charts;
mod curves;
mod inspector;
mod look;
mod presets;
pub mod request;
mod summary;
mod table;

use crossover_model::placement::{Aggregation, Placement, evaluate};
use crossover_model::provenance::Provenance;

use super::{Env, inspector_panel};
use crate::chart::Chart;
use crate::export::{self, Format};
use crate::jobs::Made;
use board::Board;
use look::Look;

/// How a placement study is looked at.
pub struct View {
    /// Axis, scales, hidden curves and the picked operator.
    pub look: Look,
    /// How the table is sorted.
    pub sort: table::Sort,
    /// Position at which the crosshair is pinned, in the unit of the axis.
    pub pinned_x: Option<f64>,
    /// Everything that is derived from the study.
    board: Board,
    inspector: inspector::State,
    drawer_open: bool,
}

impl View {
    /// The view as it is first shown.
    #[must_use]
    pub fn new(study: &Placement) -> Self {
        let look = Look::default();
        Self {
            board: Board::new(study, &look),
            look,
            sort: table::Sort::default(),
            pinned_x: None,
            inspector: inspector::State::default(),
            drawer_open: false,
        }
    }

    /// How often the study has been evaluated; unchanged input is not evaluated again.
    #[must_use]
    pub fn evaluations(&self) -> u64 {
        self.board.evaluations()
    }

    /// What is on screen now.
    #[must_use]
    pub fn board(&self) -> &Board {
        &self.board
    }

    pub(super) fn ui(&mut self, ui: &mut egui::Ui, study: &mut Placement, env: &mut Env<'_>) {
        // The table spans the window, so that its reasons can be read whole.
        let height = 78.0 + 24.0 * study.operators.len().min(5) as f32;
        egui::Panel::bottom("recommendations").resizable(true).default_size(height).size_range(90.0..=420.0).show(
            ui,
            |ui| {
                self.board.refresh(study, &self.look);
                table::show(ui, self, study, env);
            },
        );
        inspector_panel(ui, &mut self.drawer_open, env.inspector_open, |ui| {
            inspector::show(ui, &mut self.inspector, study, env);
        });
        self.board.refresh(study, &self.look);
        summary::strip(ui, study, self.board.outcome());
        egui::CentralPanel::default_margins().show(ui, |ui| {
            egui::ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
                curves::show(ui, self, study, env);
                ui.add_space(6.0);
                bars::show(ui, self, env);
            });
        });
    }

    pub(super) fn status(&self) -> String {
        let aggregation = match self.board.study().cluster.aggregation {
            Aggregation::Published => "published aggregation",
            Aggregation::Exact => "exact aggregation",
        };
        let warnings = match self.board.outcome().warnings.len() {
            0 => "no warnings".to_owned(),
            1 => "1 warning".to_owned(),
            count => format!("{count} warnings"),
        };
        format!("{aggregation}  ·  values: {}  ·  {warnings}", self.board.provenance())
    }

    pub(super) fn charts(&self) -> Vec<Chart> {
        let lines = self.board.charts().iter().cloned().map(Chart::Lines);
        lines.chain([Chart::Bars(self.board.bars().clone())]).collect()
    }

    pub(super) fn data_csv(&self) -> Made {
        let (study, axis, xs) = (self.board.study().clone(), self.look.axis, self.board.xs().to_vec());
        let operators: Vec<usize> = (0..study.operators.len()).collect();
        Made::new(move || export::placement::curves_csv(&study, &operators, axis, &xs))
    }
}

/// Where the value of a field comes from.
fn source_of(study: &Placement, path: &str) -> Provenance {
    study.sources.get(path).cloned().unwrap_or_default()
}

/// What goes where, and why, as text.
#[must_use]
pub(super) fn results(name: &str, study: &Placement, format: Format) -> String {
    export::placement::recommendations(name, study, &evaluate(study)).write(format)
}
