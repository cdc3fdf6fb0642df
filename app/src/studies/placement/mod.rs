//! The placement page: where does the GPU start to pay?

mod answer;
mod bars;
mod board;
mod charts;
mod curves;
mod inspector;
mod look;
pub mod plan;
mod presets;
pub mod request;
mod side;
mod summary;
mod table;

use crossover_chart::Chart;
use crossover_model::placement::whole::decide;
use crossover_model::placement::{Aggregation, Placement, Side, evaluate};
use crossover_model::provenance::Provenance;

use super::{Env, inspector_panel};
use crate::export::placement::plan::PlanFormat;
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
    /// How the plan of the query is looked at.
    pub plan: plan::State,
    /// What the user wants to see in the middle.
    mode: Option<Mode>,
    /// Everything that is derived from the study.
    board: Board,
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
    /// The view as it is first shown.
    #[must_use]
    pub fn new(study: &Placement) -> Self {
        let look = Look::default();
        Self {
            board: Board::new(study, &look),
            look,
            sort: table::Sort::default(),
            pinned_x: None,
            plan: plan::State::default(),
            mode: None,
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

    /// What is in the middle of the page: the plan first, where there is one.
    #[must_use]
    pub fn mode(&self) -> Mode {
        match self.board.plan() {
            Some(_) => self.mode.unwrap_or(Mode::Plan),
            None => Mode::Curves,
        }
    }

    pub(super) fn ui(&mut self, ui: &mut egui::Ui, study: &mut Placement, env: &mut Env<'_>) {
        self.board.refresh(study, &self.look);
        // The table spans the window, so that its reasons can be read whole.
        match self.mode() {
            Mode::Plan => {
                // The tree needs the height.
                let height = (ui.available_height() * 0.13).clamp(76.0, 240.0);
                let panel = egui::Panel::bottom("plan nodes").resizable(true).default_size(height);
                panel.size_range(60.0..=420.0).show(ui, |ui| plan::table(ui, self, study, env));
            }
            Mode::Curves => {
                let height = 78.0 + 24.0 * study.operators.len().min(5) as f32;
                let panel = egui::Panel::bottom("recommendations").resizable(true).default_size(height);
                panel.size_range(90.0..=420.0).show(ui, |ui| table::show(ui, self, study, env));
            }
        }
        inspector_panel(ui, &mut self.drawer_open, env.inspector_open, |ui| {
            inspector::show(ui, &mut self.inspector, study, env);
        });
        self.board.refresh(study, &self.look);
        match (self.mode(), self.board.plan()) {
            (Mode::Plan, Some(plan)) => plan::strip(ui, study, plan),
            _ => summary::strip(ui, study, self.board.outcome()),
        }
        egui::CentralPanel::default_margins().show(ui, |ui| {
            if self.mode() == Mode::Plan {
                plan::show(ui, self, study, env);
                return;
            }
            if self.board.plan().is_some() {
                ui.horizontal(|ui| mode_switch(ui, &mut self.mode, Mode::Curves));
            }
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
        let plan = self.board.plan().filter(|_| self.mode() == Mode::Plan);
        let count = plan.map_or(self.board.outcome().warnings.len(), |plan| plan.whole().warnings.len());
        let warnings = match count {
            0 => "no warnings".to_owned(),
            1 => "1 warning".to_owned(),
            count => format!("{count} warnings"),
        };
        if let Some(plan) = plan {
            let whole = plan.whole();
            let (gpu, all) = (whole.count(Side::Gpu), whole.operators.len());
            return format!("{gpu} of {all} operators on GPU  ·  values: {}  ·  {warnings}", self.board.provenance());
        }
        format!("{aggregation}  ·  values: {}  ·  {warnings}", self.board.provenance())
    }

    pub(super) fn charts(&self) -> Vec<Chart> {
        if let (Mode::Plan, Some(plan)) = (self.mode(), self.board.plan()) {
            return vec![Chart::Plan(plan.chart().clone()), Chart::Bars(plan.totals().clone())];
        }
        let lines = self.board.charts().iter().cloned().map(Chart::Lines);
        lines.chain([Chart::Bars(self.board.bars().clone())]).collect()
    }

    pub(super) fn data_csv(&self) -> Made {
        if self.mode() == Mode::Plan {
            let study = self.board.study().clone();
            return Made::new(move || results("", &study, Format::Csv));
        }
        let (study, axis, xs) = (self.board.study().clone(), self.look.axis, self.board.xs().to_vec());
        let operators: Vec<usize> = (0..study.operators.len()).collect();
        Made::new(move || export::placement::curves_csv(&study, &operators, axis, &xs))
    }
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

/// Where the value of a field comes from.
fn source_of(study: &Placement, path: &str) -> Provenance {
    study.sources.get(path).cloned().unwrap_or_default()
}

/// What goes where, and why, as text.
#[must_use]
pub(super) fn results(name: &str, study: &Placement, format: Format) -> String {
    export::placement::recommendations(name, study, &evaluate(study), decide(study).as_ref()).write(format)
}

/// Where the operators of its plan run, for other programs; or why that cannot be written.
pub(super) fn plan_export(name: &str, study: &Placement, format: PlanFormat) -> Result<Made, &'static str> {
    format.check(study)?;
    let (name, study) = (name.to_owned(), study.clone());
    Ok(Made::new(move || format.write(&name, &study).unwrap_or_else(|why| format!("{why}\n"))))
}
