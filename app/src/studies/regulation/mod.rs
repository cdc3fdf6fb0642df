//! The regulation page: are transfer and compute in balance?

mod board;
mod gains;
mod inspector;
mod live;
mod summary;
mod table;
mod time;

use crossover_model::regulation::{Regulation, evaluate};
use egui::{CentralPanel, ScrollArea, Ui};

use super::{Env, inspector_panel};
use crate::chart::Chart;
use crate::export::{self, Format};
use board::Board;

/// How a regulation study is looked at.
pub struct View {
    /// What stands in the middle.
    pub section: Section,
    /// Everything that is derived from the study.
    board: Board,
    time: time::State,
    gains: gains::State,
    live: live::State,
    inspector: inspector::State,
    drawer_open: bool,
}

/// What stands in the middle of the page.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Section {
    /// The simulated runs over time.
    #[default]
    Time,
    /// Which gains are safe, and how to find them.
    Gains,
    /// What the controller would do on this machine.
    Live,
}

impl Section {
    const ALL: [Self; 3] = [Self::Time, Self::Gains, Self::Live];

    fn label(self) -> &'static str {
        match self {
            Self::Time => "Over time",
            Self::Gains => "Gains",
            Self::Live => "This machine",
        }
    }
}

impl View {
    /// The view as it is first shown.
    #[must_use]
    pub fn new(study: &Regulation) -> Self {
        Self {
            section: Section::default(),
            board: Board::new(study),
            time: time::State::default(),
            gains: gains::State::default(),
            live: live::State::default(),
            inspector: inspector::State::default(),
            drawer_open: false,
        }
    }

    /// What is on screen now.
    #[must_use]
    pub fn board(&self) -> &Board {
        &self.board
    }

    pub(super) fn ui(&mut self, ui: &mut Ui, study: &mut Regulation, env: &mut Env<'_>) {
        table::show(ui, &self.board, &self.time, env);
        inspector_panel(ui, &mut self.drawer_open, env.inspector_open, |ui| {
            inspector::show(ui, &mut self.inspector, study, env);
        });
        self.board.refresh(study);
        summary::strip(ui, study, &self.board);
        CentralPanel::default_margins().show(ui, |ui| {
            ui.horizontal(|ui| {
                for section in Section::ALL {
                    ui.selectable_value(&mut self.section, section, section.label());
                }
            });
            ScrollArea::vertical().auto_shrink(false).show(ui, |ui| match self.section {
                Section::Time => time::show(ui, &mut self.time, &self.board, env),
                Section::Gains => gains::show(ui, &mut self.gains, study, env),
                Section::Live => live::show(ui, &mut self.live, study, env),
            });
        });
    }

    pub(super) fn status(&self) -> String {
        format!("controller {}", self.board.study().policy.controller)
    }

    pub(super) fn charts(&self) -> Vec<Chart> {
        match self.section {
            Section::Gains => self.gains.charts(),
            Section::Time | Section::Live => Vec::new(),
        }
    }

    /// Whether something is being computed for what is on screen.
    pub(super) fn is_busy(&self) -> bool {
        self.section == Section::Gains && self.gains.is_busy()
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
