//! The placement page: where does the GPU start to pay?

mod answer;
mod bars;
mod board;
mod charts;
mod cli;
mod curves;
pub mod engines;
pub mod examples;
mod import;
mod inspector;
mod look;
pub mod plan;
mod presets;
pub mod request;
mod reset;
mod room;
mod side;
mod summary;
mod table;

use std::sync::Arc;

use crossover_model::placement::whole::decide;
use crossover_model::placement::{Aggregation, Placement, evaluate};
use crossover_model::scenario::Study;

use super::inspector_panel;
use crate::compute::computed::{Computed, Evaluations};
use crate::desk::Desk;
use crate::export::placement::plan::PlanFormat;
use crate::export::{self, Format};
use crate::jobs::Made;
use crate::page::{Env, Page};
use board::Asked;
pub use board::Board;
use crossover_chart::Chart;
use look::Look;

pub(crate) use import::hardware_for_queries;
pub use import::lists::List;
pub(crate) use room::Room;

/// How a placement study is looked at.
pub struct View {
    /// Axis, scales, hidden curves and the picked operator.
    pub look: Look,
    /// How the table is sorted.
    pub sort: table::Sort,
    /// Position at which the crosshair is pinned, in the unit of the axis.
    pub pinned_x: Option<f64>,
    /// How the plan of the query is looked at.
    pub plan: plan::State,
    /// What the user wants to see in the middle.
    mode: Option<Mode>,
    /// Everything that is derived from the study.
    board: Computed<Asked>,
    inspector: inspector::State,
    drawer_open: bool,
}

/// What is in the middle of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// The plan of the query.
    Plan,
    /// Where the GPU starts to pay for each operator of the study.
    Curves,
}

impl View {
    /// The view of a placement study as it is first shown.
    #[must_use]
    pub fn new(study: &Placement) -> Self {
        let look = Look::default();
        Self {
            board: Computed::of(Asked { study: study.clone(), look: look.clone() }),
            look,
            sort: table::Sort::default(),
            pinned_x: None,
            plan: plan::State::default(),
            mode: None,
            inspector: inspector::State::default(),
            drawer_open: false,
        }
    }

    /// How often the study was evaluated, and where; unchanged input is not evaluated again.
    #[must_use]
    pub fn evaluations(&self) -> Evaluations {
        self.board.evaluations()
    }

    /// What is on screen now; nothing before the first outcome is there.
    #[must_use]
    pub fn board(&self) -> Option<&Board> {
        self.board.shown().map(AsRef::as_ref)
    }

    /// What is in the middle of the page: the plan first, where there is one.
    #[must_use]
    pub fn mode(&self) -> Mode {
        match self.board().and_then(Board::plan) {
            Some(_) => self.mode.unwrap_or(Mode::Plan),
            None => Mode::Curves,
        }
    }

    fn draw(&mut self, ui: &mut egui::Ui, study: &mut Placement, env: &mut Env<'_>) {
        self.refresh(ui.ctx(), study);
        // The table spans the window, so that its reasons can be read whole.
        if let Some(board) = self.board.shown().map(Arc::clone) {
            match self.mode() {
                Mode::Plan => {
                    // The tree needs the height.
                    let height = (ui.available_height() * 0.13).clamp(76.0, 240.0);
                    let panel = egui::Panel::bottom("plan nodes").resizable(true).default_size(height);
                    panel.size_range(60.0..=420.0).show(ui, |ui| {
                        self.board.dim(ui);
                        match board.plan() {
                            Some(plan) => plan::table(ui, self, plan, env),
                            None => ui.take_available_space(),
                        }
                    });
                }
                Mode::Curves => {
                    let height = 78.0 + 24.0 * board.study().operators.len().min(5) as f32;
                    let panel = egui::Panel::bottom("recommendations").resizable(true).default_size(height);
                    panel.size_range(90.0..=420.0).show(ui, |ui| {
                        self.board.dim(ui);
                        table::show(ui, self, &board, env);
                    });
                }
            }
        }
        inspector_panel(ui, &mut self.drawer_open, env.inspector_open, |ui| {
            inspector::show(ui, &mut self.inspector, study, env);
        });
        self.refresh(ui.ctx(), study);
        let Some(board) = self.board.shown().map(Arc::clone) else {
            egui::CentralPanel::default_margins().show(ui, |ui| self.board.state(ui));
            return;
        };
        let id = if self.mode() == Mode::Plan { "plan summary" } else { "summary" };
        egui::Panel::top(id).resizable(false).show(ui, |ui| {
            ui.add_space(4.0);
            ui.scope(|ui| {
                self.board.dim(ui);
                match (self.mode(), board.plan()) {
                    (Mode::Plan, Some(plan)) => plan::figures(ui, plan),
                    _ => summary::figures(ui, &board),
                }
            });
            let plan = board.plan().filter(|_| self.mode() == Mode::Plan);
            let warnings = plan.map_or(&board.outcome().warnings, |plan| &plan.whole().warnings);
            summary::network(ui, study, warnings);
            self.board.state(ui);
            ui.add_space(2.0);
        });
        egui::CentralPanel::default_margins().show(ui, |ui| {
            self.board.dim(ui);
            if let (Mode::Plan, Some(plan)) = (self.mode(), board.plan()) {
                plan::show(ui, self, plan, study, env);
                return;
            }
            if board.plan().is_some() {
                ui.horizontal(|ui| mode_switch(ui, &mut self.mode, Mode::Curves));
            }
            egui::ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
                curves::show(ui, self, &board, study, env);
                ui.add_space(6.0);
                bars::show(ui, board.bars(), board.classes().len(), env);
            });
        });
    }

    fn refresh(&mut self, ctx: &egui::Context, study: &Placement) {
        let look = &self.look;
        let is_same = |asked: &Asked| asked.look == *look && asked.study == *study;
        self.board.refresh(ctx, is_same, || Asked { study: study.clone(), look: look.clone() });
    }
}

impl Page for View {
    fn ui(&mut self, ui: &mut egui::Ui, study: &mut Study, env: &mut Env<'_>) {
        if let Some(study) = study.placement_mut() {
            self.draw(ui, study, env);
        }
    }

    fn status(&self) -> String {
        let Some(board) = self.board() else { return "placing".to_owned() };
        let aggregation = match board.study().cluster.aggregation {
            Aggregation::Published => "published aggregation",
            Aggregation::Exact => "exact aggregation",
        };
        let plan = board.plan().filter(|_| self.mode() == Mode::Plan);
        let count = plan.map_or(board.outcome().warnings.len(), |plan| plan.whole().warnings.len());
        let warnings = match count {
            0 => "no warnings".to_owned(),
            1 => "1 warning".to_owned(),
            count => format!("{count} warnings"),
        };
        if let Some(plan) = plan {
            let (gpu, all) = (plan.counts().on_gpu, plan.whole().operators.len());
            return format!("{gpu} of {all} operators on GPU  ·  values: {}  ·  {warnings}", board.provenance());
        }
        format!("{aggregation}  ·  values: {}  ·  {warnings}", board.provenance())
    }

    fn is_busy(&self) -> bool {
        self.board.is_busy() || self.plan.is_busy()
    }

    fn charts(&self) -> Vec<Chart> {
        self.board().map(|board| charts_of(board, self.mode())).unwrap_or_default()
    }

    fn picture(&self, chart: usize, dark: bool, size: [f32; 2]) -> Option<Made> {
        let (board, mode) = (self.board.shown().map(Arc::clone)?, self.mode());
        let count = if mode == Mode::Plan { 2 } else { board.charts().len() + 1 };
        let draw = move || charts_of(&board, mode).get(chart).map(|chart| chart.to_svg(dark, size)).unwrap_or_default();
        (chart < count).then(|| Made::new(draw))
    }

    fn reset_layout(&mut self, study: &Study) {
        if let Study::Placement(study) = study {
            *self = Self::new(study);
        }
    }

    fn data_csv(&self, _study: &Study) -> Result<Made, String> {
        let shown = self.board.shown().map(Arc::clone);
        let board = shown.ok_or("Nothing is placed yet; export once it is on the screen")?;
        if self.mode() == Mode::Plan {
            return Ok(Made::new(move || text_of(board.study())));
        }
        let operators: Vec<usize> = (0..board.study().operators.len()).collect();
        Ok(Made::new(move || export::placement::curves_csv(board.study(), &operators, board.axis(), board.xs())))
    }
}

/// What goes where, and why, as CSV.
fn text_of(study: &Placement) -> String {
    export::placement::recommendations("", study, &evaluate(study), decide(study).as_ref()).write(Format::Csv)
}

/// The charts of the page.
fn charts_of(board: &Board, mode: Mode) -> Vec<Chart> {
    if let (Mode::Plan, Some(plan)) = (mode, board.plan()) {
        return vec![Chart::Plan(plan.chart().clone()), Chart::Bars(plan.totals().clone())];
    }
    let lines = board.charts().iter().cloned().map(Chart::Lines);
    lines.chain([Chart::Bars(board.bars().clone())]).collect()
}

/// Plan or curves.
fn mode_switch(ui: &mut egui::Ui, mode: &mut Option<Mode>, shown: Mode) {
    for (choice, label, meaning) in [
        (Mode::Plan, "Plan", "The operators of the query, placed together"),
        (Mode::Curves, "Curves", "Where the GPU starts to pay, for each operator of the study by itself"),
    ] {
        if ui.selectable_label(shown == choice, label).on_hover_text(meaning).clicked() {
            *mode = Some(choice);
        }
    }
}

/// Asks for a file and writes there where the operators of the plan on screen run, for other programs.
fn export_plan(desk: &mut Desk<'_>, format: PlanFormat) {
    let Some(scenario) = desk.on_screen().map(|document| &document.scenario) else { return };
    let study = scenario.placement().ok_or("only placement scenarios have query plans");
    let checked = study.and_then(|study| format.check(study).map(|()| study.clone()));
    match (checked, scenario.name.clone()) {
        (Ok(study), name) => {
            let text = Made::new(move || format.write(&name, &study).unwrap_or_else(|why| format!("{why}\n")));
            desk.save("Export", format.what(), format.extension(), text);
        }
        (Err(why), _) => desk.notify(format!("Nothing to export: {why}")),
    }
}
