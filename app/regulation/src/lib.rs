//! The regulation page: are transfer and compute in balance?

mod acting;
mod balance;
mod board;
mod cli;
pub mod examples;
mod findings;
mod gains;
mod handle;
mod importing;
mod inspector;
mod live;
mod module;
pub(crate) mod recording;
pub mod request;
mod reset;
mod spread;
mod summary;
mod table;
mod time;
mod tour;

use std::sync::Arc;

use crossover_export::{self as export, Format};
use crossover_page::lazy_text::LazyText;
use crossover_page::page::{Env, Page};
use crossover_page::tour::{Step, part};
use crossover_page::widgets::{drawer, focus};
use crossover_regulation::Regulation;
use crossover_scenario::{Scenario, Study};
use egui::{CentralPanel, ScrollArea, Ui};

use board::{Board, Shown};
use crossover_chart::Chart;
pub use live::State as Live;
pub use module::Module;
pub use request::{Request, Section};

/// The sections that a link can show: the others are about this machine.
const LINKED: [Section; 2] = [Section::Time, Section::Gains];

/// The page of a regulation study.
pub struct View {
    /// The section in the middle.
    pub section: Section,
    /// The runs of the study.
    board: Board,
    time: time::State,
    gains: gains::State,
    live: live::State,
    inspector: inspector::State,
}

impl View {
    /// The initial page.
    #[must_use]
    pub fn new(study: &Regulation) -> Self {
        Self {
            section: Section::default(),
            board: Board::new(study),
            time: time::State::default(),
            gains: gains::State::default(),
            live: live::State::default(),
            inspector: inspector::State::default(),
        }
    }

    /// The runs on the screen.
    #[must_use]
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// The section “This machine”.
    #[must_use]
    pub fn live(&self) -> &Live {
        &self.live
    }

    fn draw(&mut self, ui: &mut Ui, study: &mut Regulation, env: &mut Env<'_>) {
        self.board.refresh(ui.ctx(), study);
        // The watched GPUs are not the simulated clusters, and the section needs the space.
        let below = (self.section != Section::Live).then(|| table::below(ui));
        drawer::inspector(ui, env.inspector_open, |ui| {
            inspector::show(ui, &mut self.inspector, study, env);
        });
        self.board.refresh(ui.ctx(), study);
        summary::strip(ui, study, &mut self.board);
        self.time.refresh(&self.board);
        CentralPanel::default_margins().show(ui, |ui| {
            part(ui, tour::SECTIONS, |ui| {
                ui.horizontal(|ui| {
                    for section in Section::ALL {
                        ui.selectable_value(&mut self.section, section, section.label());
                    }
                });
            });
            if self.section == Section::Time {
                part(ui, tour::TIME, |ui| time::scrub(ui, &mut self.time, &self.board));
            }
            ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
                focus::follow(ui);
                match self.section {
                    Section::Time => {
                        self.board.dim(ui);
                        time::show(ui, &mut self.time, &self.board, study, env);
                    }
                    Section::Gains => gains::show(ui, &mut self.gains, study, env),
                    Section::Live => live::show(ui, &mut self.live, study, env),
                }
            });
        });
        if let Some(below) = below {
            table::show(ui, below, &self.board, env);
        }
    }

    /// The runs of this study, if they are on the screen.
    fn current(&self, study: &Study) -> Option<Arc<Shown>> {
        if let Study::Regulation(study) = study { self.board.current(study) } else { None }
    }
}

impl Page for View {
    fn help(&self) -> &'static str {
        "REGULATE.md#in-the-window"
    }

    fn tour(&self) -> &'static [Step] {
        &tour::STEPS
    }

    fn show_for_tour(&mut self) {
        self.section = Section::Time;
    }

    fn content(&self) -> Option<&'static str> {
        LINKED.contains(&self.section).then(|| self.section.label())
    }

    fn show_content(&mut self, name: &str) {
        if let Some(section) = LINKED.into_iter().find(|section| section.label() == name) {
            self.section = section;
        }
    }

    fn ui(&mut self, ui: &mut Ui, study: &mut Study, env: &mut Env<'_>) {
        if let Some(study) = study.regulation_mut() {
            self.draw(ui, study, env);
        }
    }

    fn status(&self, warnings: &str) -> String {
        let Some(shown) = self.board.shown() else { return "simulating".to_owned() };
        format!("controller {}  ·  {warnings}", shown.study.policy.controller)
    }

    fn is_busy(&self) -> bool {
        let of_section = match self.section {
            Section::Time => false,
            Section::Gains => self.gains.is_busy(),
            Section::Live => self.live.is_busy(),
        };
        self.board.is_busy() || of_section
    }

    fn charts(&self) -> Vec<Chart> {
        match self.section {
            Section::Time => self.time.charts(),
            Section::Gains => self.gains.charts(),
            Section::Live => self.live.charts(),
        }
    }

    fn data_csv(&self, study: &Study) -> Result<LazyText, String> {
        match self.section {
            Section::Time => {
                let current = self.current(study);
                let shown = current.ok_or("The runs are not simulated yet; export them after the simulation")?;
                Ok(LazyText::new(move || export::regulation::all_steps_csv(&shown.study, &shown.outcome)))
            }
            Section::Gains => self.gains.map_csv().map(|text| LazyText::new(move || text.clone())),
            Section::Live => self.live.data_csv().map(|text| LazyText::new(move || text.clone())),
        }
    }

    fn results(&self, scenario: &Scenario, format: Format) -> Option<LazyText> {
        let (name, shown) = (scenario.name.clone(), self.current(&scenario.study)?);
        Some(LazyText::new(move || export::regulation::results(&name, &shown.study, &shown.outcome).write(format)))
    }

    fn reset_layout(&mut self, study: &Study) {
        if let Study::Regulation(study) = study {
            *self = Self { live: std::mem::take(&mut self.live), ..Self::new(study) };
        }
    }
}
