//! The placement page: where does the GPU start to pay?

mod answer;
mod bars;
mod board;
mod curves;
mod inspector;
mod presets;
mod summary;
mod table;

use crossover_model::placement::{Axis, Field, Parameter, Placement, Variant, evaluate};
use crossover_model::provenance::Provenance;

use super::Env;
use crate::chart::Chart;
use crate::export::{self, Format};
use board::Board;

/// Width below which the inspector is a drawer that starts closed.
const NARROW: f32 = 1000.0;

/// How a placement study is looked at.
pub struct View {
    /// What speedups are plotted against.
    pub axis: Axis,
    /// Whether x is logarithmic.
    pub log_x: bool,
    /// Whether the speedup is logarithmic.
    pub log_y: bool,
    /// Curves that the legend hides.
    pub hidden: Vec<Variant>,
    /// Index of the operator that the user picked; its class plots its curves.
    pub selected: usize,
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
        let axis = Axis::One(Parameter::CpuTime);
        Self {
            axis,
            log_x: true,
            log_y: true,
            hidden: Vec::new(),
            selected: 0,
            sort: table::Sort::default(),
            pinned_x: None,
            board: Board::new(study, axis, true),
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
                self.refresh(study);
                table::show(ui, self, study, env);
            },
        );
        self.inspector_panel(ui, study, env);
        self.refresh(study);
        summary::strip(ui, study, self.board.outcome());
        egui::CentralPanel::default_margins().show(ui, |ui| {
            egui::ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
                curves::show(ui, self, study, env);
                ui.add_space(6.0);
                bars::show(ui, self, study, env);
            });
        });
    }

    /// Left panel; in a narrow window a drawer that the user opens.
    fn inspector_panel(&mut self, ui: &mut egui::Ui, study: &mut Placement, env: &mut Env<'_>) {
        let is_narrow = ui.available_width() < NARROW;
        let open = if is_narrow { self.drawer_open } else { env.inspector_open };
        if is_narrow {
            egui::Panel::left("drawer-handle").exact_size(30.0).resizable(false).show(ui, |ui| {
                let (symbol, hint) =
                    if open { ("◀", "Close the inspector") } else { ("▶", "Open the inspector: all parameters") };
                if ui.button(symbol).on_hover_text(hint).clicked() {
                    self.drawer_open = !self.drawer_open;
                }
            });
        }
        if open {
            let size = if is_narrow { 300.0 } else { 348.0 };
            egui::Panel::left("inspector").resizable(true).default_size(size).size_range(280.0..=520.0).show(
                ui,
                |ui| {
                    inspector::show(ui, &mut self.inspector, study, env);
                },
            );
        }
    }

    /// Evaluates the study again if it or the axis has changed.
    fn refresh(&mut self, study: &Placement) {
        self.selected = self.selected.min(study.operators.len().saturating_sub(1));
        self.board.refresh(study, self.axis, self.log_x, self.selected);
        self.hidden.retain(|variant| variant.network < study.networks.len());
    }

    pub(super) fn status(&self, study: &Placement) -> String {
        let aggregation = match study.cluster.aggregation {
            crossover_model::placement::Aggregation::Published => "published aggregation",
            crossover_model::placement::Aggregation::Exact => "exact aggregation",
        };
        let warnings = match self.board.outcome().warnings.len() {
            0 => "no warnings".to_owned(),
            1 => "1 warning".to_owned(),
            count => format!("{count} warnings"),
        };
        format!("{aggregation}  ·  values: {}  ·  {warnings}", provenance_kinds(study))
    }

    pub(super) fn charts(&self, study: &Placement) -> Vec<Chart> {
        let mut charts: Vec<Chart> = curves::charts(self, study).into_iter().map(Chart::Lines).collect();
        charts.push(Chart::Bars(bars::chart(study, self.board.outcome())));
        charts
    }

    pub(super) fn curves_csv(&self, study: &Placement) -> String {
        let operators: Vec<usize> = (0..study.operators.len()).collect();
        export::placement::curves_csv(study, &operators, self.axis, self.board.xs())
    }
}

/// "published, entered": the kinds of sources that the study's numbers have.
fn provenance_kinds(study: &Placement) -> String {
    let mut kinds: Vec<&str> = Vec::new();
    for field in Field::all(study) {
        let kind = source_of(study, &field.path(study)).kind();
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    kinds.join(", ")
}

/// Where the value of a field comes from.
fn source_of(study: &Placement, path: &str) -> Provenance {
    study.sources.get(path).cloned().unwrap_or_default()
}

/// What goes where, and why, as text.
#[must_use]
pub(super) fn recommendations(name: &str, study: &Placement, format: Format) -> String {
    export::placement::recommendations(name, study, &evaluate(study)).write(format)
}

/// Gives a field the value and the source that it has in another study.
pub(super) fn reset_field(study: &mut Placement, saved: &Placement, path: &str) {
    let find = |study: &Placement| Field::all(study).find(|field| field.path(study) == path);
    let (Some(here), Some(there)) = (find(study), find(saved)) else { return };
    let value = there.value(saved);
    if let (Some(target), Some(value)) = (here.value_mut(study), value) {
        *target = value;
    }
    match saved.sources.get(path) {
        Some(source) => drop(study.sources.insert(path.to_owned(), source.clone())),
        None => drop(study.sources.remove(path)),
    }
}
