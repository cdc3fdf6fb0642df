//! The dialog that imports a recording as the demand of a cluster: GPU, cluster and bus.

use std::sync::Arc;

use crossover_chart::theme::Token;
use crossover_page::compute::background::Background;
use crossover_page::services::{Question, Services};
use crossover_page::widgets::bus_speed;
use crossover_quantity::unit::Unit;
use crossover_regulation::recording::{Column, Gpus, Recording, Replay, Track, to_demand};
use crossover_regulation::{Demand, Regulation};
use crossover_scenario::Study;
use crossover_study::validate;
use egui::{Button, ComboBox, Context, Grid, Id, Modal, Role, Sense, Shape, Stroke, Ui, WidgetInfo};

use crossover_quantity::unit::elapsed;

/// Size of the preview, in points.
const PREVIEW: egui::Vec2 = egui::vec2(500.0, 72.0);
/// Points of the preview; more would be closer together than pixels.
const MOST_POINTS: usize = 1000;

/// The dialog for one recording.
pub(super) struct ImportDialog {
    document: String,
    /// Its source, for the provenance.
    file: String,
    recording: Arc<Recording>,
    gpus: Gpus,
    cluster: usize,
    /// Speed of one direction of the bus, GB/s.
    bus: f64,
    takes_ceiling: bool,
    /// A recording may have millions of values.
    worker: Background<Choice, Result<Preview, String>>,
    /// The last request to the worker.
    requested: Option<Choice>,
    /// The result of a choice, or why there is none.
    preview: Option<(Choice, Result<Preview, String>)>,
}

/// The result of a choice.
struct Preview {
    replay: Replay,
    /// The curve of the demand: time and value, both 0 … 1.
    curve: Vec<[f64; 2]>,
}

/// The inputs of a preview: GPUs, cluster, and the bits of the bus speed.
type Choice = (Gpus, usize, u64);

impl ImportDialog {
    /// A dialog for a document; `bus` is the speed that the page assumes.
    pub(super) fn new(
        document: String,
        file: String,
        recording: Recording,
        (study, cluster): (&Regulation, usize),
        bus: Option<f64>,
    ) -> Self {
        let (gpus, bus) = (Gpus::One(0), bus.unwrap_or(bus_speed::USUAL));
        let recording = Arc::new(recording);
        // While the dialog is open, nothing else changes the study.
        let (source, study) = (Arc::clone(&recording), study.clone());
        let worker = Background::new("preview of a recording", move |(gpus, cluster, bus): Choice, ticket| {
            let replay = to_demand(&source, gpus, &study, cluster, f64::from_bits(bus), None);
            let preview = replay.map(|replay| Preview { curve: curve(&replay.demand.series), replay });
            (!ticket.is_cancelled()).then(|| preview.map_err(|error| error.to_string()))
        });
        Self {
            document,
            file,
            recording,
            gpus,
            cluster,
            bus,
            takes_ceiling: true,
            worker,
            requested: None,
            preview: None,
        }
    }

    fn choice(&self) -> Choice {
        (self.gpus, self.cluster, self.bus.to_bits())
    }

    /// Takes a finished preview, and starts the computation of the preview of the choice.
    fn refresh(&mut self, ctx: &Context) {
        let choice = self.choice();
        if let (Some(requested), Some((_, result))) = (self.requested, self.worker.poll()) {
            self.preview = Some((requested, result.and_then(|preview| preview)));
        }
        // While the bus speed is dragged, each preview is computed to its end: else there would be none at all.
        if self.requested != Some(choice) && !self.worker.is_busy() {
            self.worker.submit(ctx, choice);
            self.requested = Some(choice);
        }
    }

    /// The result of the present choice, once it is computed.
    fn replay(&self) -> Option<&Replay> {
        let (choice, preview) = self.preview.as_ref()?;
        preview.as_ref().ok().filter(|_| *choice == self.choice()).map(|preview| &preview.replay)
    }

    /// Whether the bus matters: not for a demand that was recorded as such.
    fn has_transfer(&self) -> bool {
        !self.recording.tracks.iter().any(|track| track.values.contains_key(&Column::DemandTops))
    }
}

impl Question for ImportDialog {
    fn show(&mut self, services: &mut Services<'_>) -> bool {
        let ctx = services.ctx().clone();
        let document = services.document(&self.document);
        let Some(study) = document.and_then(|document| document.scenario.regulation()) else {
            let file = &self.file;
            services.notify_error(format!("{file}: the target scenario is closed; nothing was imported"));
            return false;
        };
        self.cluster = self.cluster.min(study.clusters.len().saturating_sub(1));
        let (mut is_accepted, mut is_cancelled) = (false, false);
        self.refresh(&ctx);
        let modal = Modal::new(Id::unique("import")).show(&ctx, |ui| {
            ui.set_width(PREVIEW.x);
            ui.heading("Import a recording as demand");
            ui.label(&self.file);
            ui.add_space(6.0);
            choices(ui, self, study);
            ui.add_space(6.0);
            let is_valid = preview(ui, self, study);
            ui.add_space(8.0);
            ui.horizontal(|ui| {
                is_accepted = ui.add_enabled(is_valid, Button::new("Import")).clicked();
                is_cancelled = ui.button("Cancel").clicked();
            });
        });
        if is_accepted {
            self.import(study.clone(), services);
        }
        !is_accepted && !is_cancelled && !modal.should_close()
    }

    fn is_busy(&self) -> bool {
        self.worker.is_busy()
    }
}

impl ImportDialog {
    /// Changes the study in one step and shows it.
    fn import(&self, mut study: Regulation, services: &mut Services<'_>) {
        let Some(replay) = self.replay().cloned() else { return };
        let Some(name) = apply(&mut study, self, replay) else { return };
        if let Err(invalid) = validate(&study) {
            let (file, path, problem) = (&self.file, invalid.path, invalid.problem);
            services.notify_error(format!("{file}: {path}: {problem}; nothing was imported"));
            return;
        }
        services.edit(&self.document, |edited| *edited = Study::Regulation(study));
        services.show(&self.document);
        services.notify(format!("Imported {} as the demand of cluster {name}; Undo reverts it", self.file));
    }
}

/// Makes a replay the demand of the chosen cluster; gives the cluster's name.
fn apply(study: &mut Regulation, dialog: &ImportDialog, mut replay: Replay) -> Option<String> {
    let name = study.clusters.get(dialog.cluster)?.name.clone();
    if !dialog.takes_ceiling {
        replay.pcie_tops = Err("The transfer ceiling is not imported.".to_owned());
    }
    study.import_demand(dialog.cluster, replay, &dialog.file);
    Some(name)
}

/// GPU, cluster and bus.
fn choices(ui: &mut Ui, dialog: &mut ImportDialog, study: &Regulation) {
    Grid::new("import choices").num_columns(2).spacing([12.0, 6.0]).show(ui, |ui| {
        let tracks = dialog.recording.tracks.iter().enumerate();
        let mut gpus: Vec<(Gpus, String)> = tracks.map(|(index, track)| (Gpus::One(index), gpu_name(track))).collect();
        if gpus.len() > 1 {
            gpus.push((Gpus::All, "all GPUs".into()));
        }
        pick(ui, "GPU of the recording", &gpus, &mut dialog.gpus);
        let clusters: Vec<(usize, String)> =
            study.clusters.iter().map(|cluster| cluster.name.clone()).enumerate().collect();
        pick(ui, "target cluster", &clusters, &mut dialog.cluster);
        if dialog.has_transfer() {
            let label = ui.label(bus_speed::LABEL);
            ui.horizontal(|ui| {
                bus_speed::field(ui, &mut dialog.bus).labelled_by(label.id);
                ui.weak("p_p is the recorded rate ÷ this speed");
            });
            ui.end_row();
        }
    });
}

/// Name of a GPU in the recording.
fn gpu_name(track: &Track) -> String {
    if track.gpu.is_empty() { "unnamed GPU".into() } else { track.gpu.clone() }
}

fn pick<T: Copy + PartialEq>(ui: &mut Ui, name: &'static str, entries: &[(T, String)], chosen: &mut T) {
    ui.label(name);
    let selected = entries.iter().find(|(entry, _)| entry == chosen).map_or("", |(_, text)| text.as_str());
    let combo = ComboBox::from_id_salt(name).selected_text(selected).width(240.0).show_ui(ui, |ui| {
        for (entry, text) in entries {
            ui.selectable_value(chosen, *entry, text);
        }
    });
    combo.response.widget_info(|| WidgetInfo::labeled(Role::ComboBox, true, name));
    ui.end_row();
}

/// Draws the result of the choice; false if it cannot be imported.
fn preview(ui: &mut Ui, dialog: &mut ImportDialog, study: &Regulation) -> bool {
    let dark = ui.visuals().dark_mode;
    let is_current = dialog.replay().is_some();
    let (replay, curve) = match &dialog.preview {
        Some((_, Ok(Preview { replay, curve }))) => (replay, curve),
        Some((_, Err(problem))) => {
            ui.colored_label(Token::Error.color(dark), problem);
            return false;
        }
        None => {
            ui.add_space(PREVIEW.y);
            ui.weak("Computing the demand…");
            return false;
        }
    };
    let text = summary(&replay.demand);
    sparkline(ui, curve, &text);
    ui.label(text);
    ui.weak(repeats(&replay.demand, study));
    match (&replay.pcie_tops, study.clusters.get(dialog.cluster)) {
        (Ok(ceiling), Some(cluster)) => {
            let (name, now, then) = (&cluster.name, Unit::Tops.format(cluster.pcie_tops), Unit::Tops.format(*ceiling));
            ui.checkbox(&mut dialog.takes_ceiling, format!("Set the transfer ceiling of {name} to {then}, now {now}"))
                .on_hover_text(
                    "Throughput at which the recorded transfer would fill the bus: the median of demand ÷ p_p",
                );
        }
        (Err(why), _) => drop(ui.weak(format!("No transfer ceiling is proposed. {why}"))),
        (Ok(_), None) => {}
    }
    for note in replay.notes.iter().chain(&dialog.recording.left_out) {
        ui.weak(note);
    }
    is_current
}

/// "600 values, one every 1 s, 10 min in all: 1,200 TOPS … 5,000 TOPS".
fn summary(demand: &Demand) -> String {
    let count = demand.series.len();
    let low = demand.series.iter().copied().fold(f64::INFINITY, f64::min);
    let values = if count == 1 { "value" } else { "values" };
    let (every, all) = (Unit::Seconds.format(demand.seconds_per_value), elapsed(length(demand)));
    let (low, high) = (Unit::Tops.format(low), Unit::Tops.format(demand.high_tops));
    format!("{count} {values}, one every {every}, {all} in all: {low} … {high}")
}

/// Whether the study runs longer than the recording.
fn repeats(demand: &Demand, study: &Regulation) -> String {
    let run = study.run.periods * study.run.period_seconds;
    let all = elapsed(run);
    if run > length(demand) {
        format!("The study simulates {all} and repeats the recording.")
    } else {
        format!("The study simulates {all}, the first part of the recording.")
    }
}

/// Length of a recorded demand, seconds.
fn length(demand: &Demand) -> f64 {
    demand.series.len() as f64 * demand.seconds_per_value
}

/// Values as points: from the first to the last, and from zero to the largest, both 0 … 1. Many values are reduced to the
/// lowest and the highest of each of [`MOST_POINTS`] stretches.
fn curve(values: &[f64]) -> Vec<[f64; 2]> {
    let highest = values.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    let last = values.len().saturating_sub(1).max(1) as f64;
    let place = |index: usize, value: f64| [index as f64 / last, value / highest];
    if values.len() <= MOST_POINTS {
        return values.iter().enumerate().map(|(index, value)| place(index, *value)).collect();
    }
    let stretch = values.len().div_ceil(MOST_POINTS);
    let ends = |(number, part): (usize, &[f64])| {
        let low = part.iter().copied().fold(f64::INFINITY, f64::min);
        let high = part.iter().copied().fold(0.0, f64::max);
        [place(number * stretch, low), place(number * stretch, high)]
    };
    values.chunks(stretch).enumerate().flat_map(ends).collect()
}

/// The curve of the values, from zero to the largest.
fn sparkline(ui: &mut Ui, curve: &[[f64; 2]], text: &str) {
    let dark = ui.visuals().dark_mode;
    let (rect, response) = ui.allocate_exact_size(PREVIEW, Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Image, true, format!("preview of the demand: {text}")));
    let painter = ui.painter().with_clip_rect(rect);
    painter.rect_filled(rect, 2.0, Token::Panel.color(dark));
    let inner = rect.shrink(4.0);
    let places = curve.iter().map(|[along, up]| {
        #[expect(clippy::cast_possible_truncation, reason = "shares between 0 and 1 become positions on the screen")]
        inner.lerp_inside([*along as f32, 1.0 - *up as f32])
    });
    painter.add(Shape::line(places.collect(), Stroke::new(1.5, Token::Accent.color(dark))));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_curve_keeps_its_peaks() {
        let mut values = vec![1.0; 100_000];
        values[77_777] = 4.0;
        let places = curve(&values);
        assert_eq!(places.len(), 2 * MOST_POINTS);
        let peaks: Vec<_> = places.iter().filter(|[_, up]| *up > 0.5).collect();
        // Its stretch of a hundred values begins at 77,700.
        assert!(matches!(peaks[..], [[along, 1.0]] if (along - 0.777).abs() < 1e-4), "{peaks:?}");
        assert_eq!(curve(&[2.0, 0.0, 1.0]), [[0.0, 1.0], [0.5, 0.0], [1.0, 0.5]]);
    }
}
