//! The question how a recording becomes the demand of a cluster: which GPU, which cluster, which bus.

use crossover_model::regulation::recording::{Column, Gpus, Recording, Replay, Track, to_demand};
use crossover_model::regulation::{Demand, Regulation, validate};
use crossover_model::unit::Unit;
use egui::{Button, ComboBox, Context, Grid, Id, Modal, Role, Sense, Shape, Stroke, Ui, WidgetInfo};

use super::Workbench;
use crate::chart::axis::elapsed;
use crate::theme::Token;
use crate::widgets::bus_speed;

/// Size of the preview, in points.
const PREVIEW: egui::Vec2 = egui::vec2(500.0, 72.0);

/// A recording that waits for the user's word.
pub(super) struct Offer {
    document: String,
    /// Where it comes from, as the provenance says it.
    file: String,
    recording: Recording,
    gpus: Gpus,
    cluster: usize,
    /// Speed of one direction of the bus, GB/s.
    bus: f64,
    takes_ceiling: bool,
    /// What the choice gives; computed again when that changes.
    preview: Option<(Choice, Result<Replay, String>)>,
}

/// What a preview depends on: GPUs, cluster, and the bits of the bus speed.
type Choice = (Gpus, usize, u64);

impl Offer {
    /// An offer for a document; `bus` is the speed that the page assumes.
    pub(super) fn new(document: String, file: String, recording: Recording, cluster: usize, bus: Option<f64>) -> Self {
        let (gpus, bus) = (Gpus::One(0), bus.unwrap_or(bus_speed::USUAL));
        Self { document, file, recording, gpus, cluster, bus, takes_ceiling: true, preview: None }
    }

    /// What the choice gives, or why it gives nothing.
    fn replay(&mut self, study: &Regulation) -> &Result<Replay, String> {
        let choice = (self.gpus, self.cluster, self.bus.to_bits());
        self.preview.take_if(|(before, _)| *before != choice);
        let (_, replay) = self.preview.get_or_insert_with(|| {
            let replay = to_demand(&self.recording, self.gpus, study, self.cluster, self.bus, None);
            (choice, replay.map_err(|error| error.to_string()))
        });
        replay
    }

    /// Whether the bus matters: not for a demand that was recorded as such.
    fn has_transfer(&self) -> bool {
        !self.recording.tracks.iter().any(|track| track.values.contains_key(&Column::DemandTops))
    }
}

impl Workbench {
    /// Asks how the recording is to be used.
    pub(super) fn import_prompt(&mut self, ctx: &Context) {
        let Some(mut offer) = self.import.take() else { return };
        let Some(study) = self.document(&offer.document).and_then(|document| document.scenario.regulation()) else {
            let file = &offer.file;
            self.notify_error(format!("{file}: the scenario that it was for is closed; nothing was imported"));
            return;
        };
        offer.cluster = offer.cluster.min(study.clusters.len().saturating_sub(1));
        let (mut is_accepted, mut is_cancelled) = (false, false);
        let modal = Modal::new(Id::unique("import")).show(ctx, |ui| {
            ui.set_width(PREVIEW.x);
            ui.heading("Import a recording as demand");
            ui.label(&offer.file);
            ui.add_space(6.0);
            choices(ui, &mut offer, study);
            ui.add_space(6.0);
            let is_valid = preview(ui, &mut offer, study);
            ui.add_space(8.0);
            ui.horizontal(|ui| {
                is_accepted = ui.add_enabled(is_valid, Button::new("Import")).clicked();
                is_cancelled = ui.button("Cancel").clicked();
            });
        });
        if is_accepted {
            self.import(offer);
        } else if !is_cancelled && !modal.should_close() {
            self.import = Some(offer);
        }
    }

    /// Changes the study in one step and shows it.
    fn import(&mut self, mut offer: Offer) {
        let Some(index) = self.documents.iter().position(|document| document.id == offer.document) else { return };
        let document = &mut self.documents[index];
        let Some(study) = document.scenario.regulation() else { return };
        let Ok(replay) = offer.replay(study).clone() else { return };
        let mut changed = study.clone();
        let Some(name) = apply(&mut changed, &offer, replay) else { return };
        if let Err(invalid) = validate::validate(&changed) {
            self.notify_error(format!("{}: {}: {}; nothing was imported", offer.file, invalid.path, invalid.problem));
            return;
        }
        // What was edited before is a step of its own.
        document.settle();
        if let Some(study) = document.scenario.study.regulation_mut() {
            *study = changed;
        }
        document.settle();
        self.show_tab(index);
        self.notify(format!("Cluster {name} gets the demand of {}; Undo takes it back", offer.file));
    }
}

/// Makes a replay the demand of the chosen cluster; gives the cluster's name.
fn apply(study: &mut Regulation, offer: &Offer, mut replay: Replay) -> Option<String> {
    let name = study.clusters.get(offer.cluster)?.name.clone();
    if !offer.takes_ceiling {
        replay.pcie_tops = Err("The ceiling is to stay.".to_owned());
    }
    study.import_demand(offer.cluster, replay, &offer.file);
    Some(name)
}

/// GPU, cluster and bus.
fn choices(ui: &mut Ui, offer: &mut Offer, study: &Regulation) {
    Grid::new("import choices").num_columns(2).spacing([12.0, 6.0]).show(ui, |ui| {
        let tracks = offer.recording.tracks.iter().enumerate();
        let mut gpus: Vec<(Gpus, String)> = tracks.map(|(index, track)| (Gpus::One(index), gpu_name(track))).collect();
        if gpus.len() > 1 {
            gpus.push((Gpus::All, "all together".into()));
        }
        pick(ui, "GPU of the recording", &gpus, &mut offer.gpus);
        let clusters: Vec<(usize, String)> =
            study.clusters.iter().map(|cluster| cluster.name.clone()).enumerate().collect();
        pick(ui, "cluster that gets it", &clusters, &mut offer.cluster);
        if offer.has_transfer() {
            let label = ui.label(bus_speed::LABEL);
            ui.horizontal(|ui| {
                bus_speed::field(ui, &mut offer.bus).labelled_by(label.id);
                ui.weak("the recorded rate against it is p_p");
            });
            ui.end_row();
        }
    });
}

/// A GPU as the recording calls it.
fn gpu_name(track: &Track) -> String {
    if track.gpu.is_empty() { "the GPU, without a name".into() } else { track.gpu.clone() }
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

/// What the choice gives; false if that cannot be imported.
fn preview(ui: &mut Ui, offer: &mut Offer, study: &Regulation) -> bool {
    let dark = ui.visuals().dark_mode;
    let replay = match offer.replay(study) {
        Ok(replay) => replay.clone(),
        Err(problem) => {
            ui.colored_label(Token::Error.color(dark), problem);
            return false;
        }
    };
    let text = summary(&replay.demand);
    sparkline(ui, &replay.demand.series, &text);
    ui.label(text);
    ui.weak(repeats(&replay.demand, study));
    match (&replay.pcie_tops, study.clusters.get(offer.cluster)) {
        (Ok(ceiling), Some(cluster)) => {
            let (name, now, then) = (&cluster.name, Unit::Tops.format(cluster.pcie_tops), Unit::Tops.format(*ceiling));
            ui.checkbox(&mut offer.takes_ceiling, format!("Set the transfer ceiling of {name} to {then}, now {now}"))
                .on_hover_text(
                    "Throughput at which the recorded transfer would fill the bus: the median of demand ÷ p_p",
                );
        }
        (Err(why), _) => drop(ui.weak(format!("No transfer ceiling is proposed. {why}"))),
        (Ok(_), None) => {}
    }
    for note in replay.notes.iter().chain(&offer.recording.left_out) {
        ui.weak(note);
    }
    true
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
        format!("The study runs {all}: after its end the recording begins again.")
    } else {
        format!("The study runs {all}, the first part of the recording.")
    }
}

/// How long a recorded demand is, seconds.
fn length(demand: &Demand) -> f64 {
    demand.series.len() as f64 * demand.seconds_per_value
}

/// The course of the values, from zero to the largest.
fn sparkline(ui: &mut Ui, values: &[f64], text: &str) {
    let dark = ui.visuals().dark_mode;
    let (rect, response) = ui.allocate_exact_size(PREVIEW, Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Image, true, format!("preview of the demand: {text}")));
    let painter = ui.painter().with_clip_rect(rect);
    painter.rect_filled(rect, 2.0, Token::Panel.color(dark));
    let highest = values.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    let inner = rect.shrink(4.0);
    let last = values.len().saturating_sub(1).max(1) as f64;
    let places = values.iter().enumerate().map(|(index, value)| {
        let (along, up) = (index as f64 / last, value / highest);
        #[expect(clippy::cast_possible_truncation, reason = "shares between 0 and 1 become places on the screen")]
        inner.lerp_inside([along as f32, 1.0 - up as f32])
    });
    painter.add(Shape::line(places.collect(), Stroke::new(1.5, Token::Accent.color(dark))));
}
