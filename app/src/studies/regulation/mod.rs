//! The regulation page: are transfer and compute in balance?

mod board;
mod inspector;

use crossover_model::regulation::{Regulation, evaluate};
use egui::Ui;

use super::{Env, inspector_panel};
use crate::chart::Chart;
use crate::export::{self, Format};
use board::Board;

/// How a regulation study is looked at.
pub struct View {
    /// Everything that is derived from the study.
    board: Board,
    inspector: inspector::State,
    drawer_open: bool,
}

impl View {
    /// The view as it is first shown.
    #[must_use]
    pub fn new(study: &Regulation) -> Self {
        Self { board: Board::new(study), inspector: inspector::State::default(), drawer_open: false }
    }

    /// What is on screen now.
    #[must_use]
    pub fn board(&self) -> &Board {
        &self.board
    }

    pub(super) fn ui(&mut self, ui: &mut Ui, study: &mut Regulation, env: &mut Env<'_>) {
        inspector_panel(ui, &mut self.drawer_open, env.inspector_open, |ui| {
            inspector::show(ui, &mut self.inspector, study, env);
        });
        self.board.refresh(study);
    }

    pub(super) fn status(&self) -> String {
        format!("controller {}", self.board.study().policy.controller)
    }

    pub(super) fn charts(&self) -> Vec<Chart> {
        Vec::new()
    }

    pub(super) fn data_csv(&self) -> String {
        let study = self.board.study();
        export::regulation::results("", study, self.board.outcome()).write(Format::Csv)
    }
}

/// What the controller gains, as text.
#[must_use]
pub(super) fn results(name: &str, study: &Regulation, format: Format) -> String {
    export::regulation::results(name, study, &evaluate(study)).write(format)
}
