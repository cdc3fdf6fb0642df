//! The left panel: every number of the study, section by section.

use crossover_model::placement::{
    Aggregation, Class, CostCurve, Field, Network, NetworkFamily, Operator, Overlap, Parameter, Placement, Side,
};
use egui::{CollapsingHeader, RichText, Ui};

use super::{Env, presets, source_of};
use crate::command::Command;
use crate::widgets::preset;
use crate::widgets::quantity::{self, Edit};

/// What the panel remembers between frames.
#[derive(Default)]
pub(super) struct State {
    /// A name that is being typed.
    typing: Option<Typing>,
}

/// A name that is being typed.
struct Typing {
    named: Named,
    /// The name before; if it changes otherwise (by undo), what was typed is dropped.
    before: String,
    text: String,
}

/// A list entry that has a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Named {
    Operator(usize),
    Network(usize),
}

/// A change to a list that must wait until the list has been drawn.
enum ListEdit {
    Remove(usize),
    Duplicate(usize),
    Swap(usize, usize),
}

/// Draws the panel.
pub(super) fn show(ui: &mut Ui, state: &mut State, study: &mut Placement, env: &mut Env<'_>) {
    // Beside the numbers, not above their marks.
    ui.spacing_mut().scroll = egui::style::ScrollStyle::solid();
    egui::ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        section(ui, "Cluster", |ui| cluster(ui, study, env));
        section(ui, "Network", |ui| networks(ui, state, study, env));
        section(ui, "GPU and bus", |ui| gpu(ui, study, env));
        section(ui, "Compression", |ui| compression(ui, study, env));
        section(ui, "Operators", |ui| operators(ui, state, study, env));
        section(ui, "Policy", |ui| policy(ui, study, env));
        ui.add_space(8.0);
        ui.label(RichText::new("P published  C catalogue  M measured  I imported  E entered").weak().small());
    });
}

fn section(ui: &mut Ui, title: &str, content: impl FnOnce(&mut Ui)) {
    CollapsingHeader::new(RichText::new(title).strong()).default_open(true).show_unindented(ui, content);
    ui.add_space(4.0);
}

/// Numbers as rows of a grid.
fn numbers(
    ui: &mut Ui,
    id: impl std::hash::Hash + std::fmt::Debug,
    study: &mut Placement,
    fields: &[Field],
    env: &mut Env<'_>,
) {
    egui::Grid::new(("numbers", id)).num_columns(2).min_col_width(112.0).spacing([6.0, 4.0]).show(ui, |ui| {
        for field in fields {
            number(ui, study, *field, env);
        }
    });
}

fn number(ui: &mut Ui, study: &mut Placement, field: Field, env: &mut Env<'_>) {
    let path = field.path(study);
    let source = source_of(study, &path);
    let Some(value) = field.value_mut(study) else { return };
    match quantity::row(ui, field.parameter.info(), &path, value, &source) {
        Some(Edit::Changed) => drop(study.sources.remove(&path)),
        Some(Edit::Reset) => env.commands.push(Command::ResetField(path)),
        Some(Edit::Refused(problem)) => env.commands.push(Command::Notify(problem)),
        None => {}
    }
}

fn single(parameters: &[Parameter]) -> Vec<Field> {
    indexed(parameters, 0)
}

fn indexed(parameters: &[Parameter], index: usize) -> Vec<Field> {
    parameters.iter().map(|parameter| Field { parameter: *parameter, index }).collect()
}

/// A switch for a part that is neutral when it is off; whether it is on now, if it was switched.
fn switch(ui: &mut Ui, text: &str, explanation: &str, mut is_on: bool) -> Option<bool> {
    ui.checkbox(&mut is_on, text).on_hover_text(explanation).changed().then_some(is_on)
}

fn cluster(ui: &mut Ui, study: &mut Placement, env: &mut Env<'_>) {
    numbers(ui, "cluster", study, &single(&[Parameter::Machines, Parameter::FanIn]), env);
    ui.horizontal(|ui| {
        ui.label("aggregation");
        ui.selectable_value(&mut study.cluster.aggregation, Aggregation::Published, "published")
            .on_hover_text("r = log_k n as a real number, A = n·k/(k−1): the form of the published figures");
        ui.selectable_value(&mut study.cluster.aggregation, Aggregation::Exact, "exact")
            .on_hover_text("r = ⌈log_k n⌉ whole rounds, A = Σ⌈n/k^i⌉ down to one machine");
    });
    if let Some(picked) = preset::picker(ui, "node", &study.node.name, presets::nodes(env.catalogue)) {
        notify(env, presets::fill_node(study, env.catalogue, picked));
    }
    let explanation = "All cores together read no more than this; off: cores add up without limit";
    let is_on = study.node.memory_gb_per_s.is_some();
    if let Some(is_on) = switch(ui, "limit memory bandwidth", explanation, is_on) {
        study.set_memory_bandwidth(is_on.then_some(100.0));
    }
    let explanation = "Adds the time to scan the input, on both sides; off: the input is in memory";
    let is_on = study.node.scan_gb_per_s.is_some();
    if let Some(is_on) = switch(ui, "read the input from storage", explanation, is_on) {
        study.set_scan(is_on.then_some(5.0));
    }
    numbers(
        ui,
        "node",
        study,
        &single(&[Parameter::CpuParallelism, Parameter::MemoryBandwidth, Parameter::ScanSpeed]),
        env,
    );
}

fn networks(ui: &mut Ui, state: &mut State, study: &mut Placement, env: &mut Env<'_>) {
    let mut edit = None;
    for index in 0..study.networks.len() {
        ui.push_id(index, |ui| {
            let network = &study.networks[index];
            let is_chosen = network.name == study.policy.network;
            let title = if is_chosen { format!("{} · the cluster's", network.name) } else { network.name.clone() };
            CollapsingHeader::new(title).id_salt("network").default_open(is_chosen).show(ui, |ui| {
                name_field(ui, state, study, Named::Network(index), env);
                if let Some(picked) = preset::picker(ui, "network", "", presets::networks(env.catalogue)) {
                    notify(env, presets::fill_network(study, env.catalogue, picked, index));
                }
                ui.horizontal(|ui| {
                    for (family, label) in [
                        (NetworkFamily::Ethernet, "Ethernet"),
                        (NetworkFamily::InfiniBand, "InfiniBand"),
                        (NetworkFamily::Other, "other"),
                    ] {
                        ui.selectable_value(&mut study.networks[index].family, family, label);
                    }
                });
                numbers(ui, "speeds", study, &indexed(&[Parameter::NetworkSpeed, Parameter::LineSpeed], index), env);
                ui.horizontal(|ui| {
                    if ui.add_enabled(!is_chosen, egui::Button::new("Use for the cluster")).clicked() {
                        study.policy.network.clone_from(&study.networks[index].name);
                    }
                    list_buttons(ui, index, study.networks.len(), &mut edit);
                });
            });
        });
    }
    match edit {
        Some(ListEdit::Remove(index)) => study.remove_network(index),
        Some(ListEdit::Duplicate(index)) => study.duplicate_network(index),
        Some(ListEdit::Swap(a, b)) => study.networks.swap(a, b),
        None => {}
    }
    if ui.button("Add network").clicked() {
        study.add_network(Network {
            name: "network".into(),
            family: NetworkFamily::Other,
            line_gbit_per_s: 100.0,
            effective_gbit_per_s: 97.0,
        });
    }
}

fn gpu(ui: &mut Ui, study: &mut Placement, env: &mut Env<'_>) {
    if let Some(picked) = preset::picker(ui, "GPU", &study.gpu.name, presets::gpus(env.catalogue)) {
        notify(env, presets::fill_gpu(study, env.catalogue, picked));
    }
    let explanation = "Data that does not fit is processed in passes; off: it always fits";
    let is_on = study.gpu.gpu_memory_gb.is_some();
    if let Some(is_on) = switch(ui, "limit GPU memory", explanation, is_on) {
        study.set_gpu_memory(is_on.then_some(16.0));
    }
    let fields = single(&[
        Parameter::GpuParallelism,
        Parameter::GpusPerMachine,
        Parameter::GpuMemory,
        Parameter::BusToGpu,
        Parameter::BusFromGpu,
    ]);
    numbers(ui, "gpu", study, &fields, env);
    if !study.bus.name.is_empty() {
        ui.label(RichText::new(format!("bus: {}", study.bus.name)).weak());
    }
}

fn compression(ui: &mut Ui, study: &mut Placement, env: &mut Env<'_>) {
    if let Some(picked) = preset::picker(ui, "codec", &study.compression.name, presets::codecs(env.catalogue)) {
        notify(env, presets::fill_codec(study, env.catalogue, picked));
    }
    let fields =
        single(&[Parameter::NetworkRatio, Parameter::BusRatio, Parameter::CompressSpeed, Parameter::DecompressSpeed]);
    numbers(ui, "compression", study, &fields, env);
}

fn operators(ui: &mut Ui, state: &mut State, study: &mut Placement, env: &mut Env<'_>) {
    let mut edit = None;
    for index in 0..study.operators.len() {
        ui.push_id(index, |ui| {
            let title = format!("{} · {}", study.operators[index].name, study.operators[index].class.label());
            CollapsingHeader::new(title).id_salt("operator").default_open(index < 2).show(ui, |ui| {
                operator(ui, state, study, index, env);
                ui.horizontal(|ui| list_buttons(ui, index, study.operators.len(), &mut edit));
            });
        });
    }
    match edit {
        Some(ListEdit::Remove(index)) => study.remove_operator(index),
        Some(ListEdit::Duplicate(index)) => study.duplicate_operator(index),
        Some(ListEdit::Swap(a, b)) => study.operators.swap(a, b),
        None => {}
    }
    if ui.button("Add operator").clicked() {
        study.add_operator(Operator {
            name: "operator".into(),
            class: Class::Linear,
            cpu_seconds_per_100mb: 0.05,
            input_gb: study.operators.first().map_or(1.0, |first| first.input_gb),
            output_ratio: 0.1,
            fixed_seconds: 0.0,
            cpu_curve: None,
            gpu_curve: None,
            pin: None,
            kind: None,
        });
    }
}

fn operator(ui: &mut Ui, state: &mut State, study: &mut Placement, index: usize, env: &mut Env<'_>) {
    name_field(ui, state, study, Named::Operator(index), env);
    ui.horizontal(|ui| {
        ui.label("class");
        let current = study.operators[index].class;
        let power = Class::Power(if let Class::Power(p) = current { p } else { 1.5 });
        for (class, label, meaning) in [
            (Class::Linear, "linear", "(t/0.1)·D, e.g. a filter"),
            (Class::Quadratic, "quadratic", "(t/0.1)²·D, e.g. a join"),
            (power, "power p", "(t/0.1)^p·D"),
        ] {
            let is_current = class == current;
            if ui.selectable_label(is_current, label).on_hover_text(meaning).clicked() && !is_current {
                study.set_class(index, class);
            }
        }
    });
    ui.horizontal(|ui| {
        let pin = &mut study.operators[index].pin;
        ui.label("runs on");
        ui.selectable_value(pin, None, "where it pays");
        ui.selectable_value(pin, Some(Side::Cpu), "CPU").on_hover_text("Pin to CPU, and see what that costs");
        ui.selectable_value(pin, Some(Side::Gpu), "GPU").on_hover_text("Pin to GPU, and see what that costs");
    });
    let explanation = "T = a + D/b as measured, instead of the time per 100 MB";
    let start = CostCurve { fixed_seconds: 0.0, gb_per_s: 1.0 };
    let is_on = study.operators[index].cpu_curve.is_some();
    if let Some(is_on) = switch(ui, "measured CPU curve", explanation, is_on) {
        study.set_cpu_curve(index, is_on.then_some(start));
    }
    let is_on = study.operators[index].gpu_curve.is_some();
    if let Some(is_on) = switch(ui, "measured GPU curve", explanation, is_on) {
        study.set_gpu_curve(index, is_on.then_some(start));
    }
    let mut fields = vec![Parameter::CpuTime];
    if matches!(study.operators[index].class, Class::Power(_)) {
        fields.push(Parameter::Power);
    }
    fields.extend([
        Parameter::InputSize,
        Parameter::OutputRatio,
        Parameter::FixedCost,
        Parameter::CpuCurveFixed,
        Parameter::CpuCurveRate,
        Parameter::GpuCurveFixed,
        Parameter::GpuCurveRate,
    ]);
    numbers(ui, "operator numbers", study, &indexed(&fields, index), env);
}

fn policy(ui: &mut Ui, study: &mut Placement, env: &mut Env<'_>) {
    numbers(ui, "policy", study, &single(&[Parameter::Threshold]), env);
    ui.horizontal(|ui| {
        ui.label("network");
        let response = egui::ComboBox::from_id_salt("cluster network")
            .selected_text(study.policy.network.clone())
            .width(ui.available_width() - 8.0)
            .truncate()
            .show_ui(ui, |ui| {
                for network in &study.networks {
                    ui.selectable_value(&mut study.policy.network, network.name.clone(), &network.name);
                }
            })
            .response;
        response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::ComboBox, true, "policy.network"));
    });
    ui.checkbox(&mut study.policy.compression, "compress on the GPU")
        .on_hover_text("Results are compressed before they cross the network; every chart still shows both");
    ui.horizontal(|ui| {
        ui.label("overlap");
        ui.selectable_value(&mut study.policy.overlap, Overlap::Nothing, "none")
            .on_hover_text("All terms add up, the published form");
        ui.selectable_value(&mut study.policy.overlap, Overlap::BusAndCompute, "bus")
            .on_hover_text("Both bus directions and the work on the GPU run at the same time");
        ui.selectable_value(&mut study.policy.overlap, Overlap::Everything, "all")
            .on_hover_text("Bus, network, storage and work run at the same time, on either side");
    });
}

/// A name that is taken over when the field is left, if it is not empty and not taken.
fn name_field(ui: &mut Ui, state: &mut State, study: &mut Placement, named: Named, env: &mut Env<'_>) {
    let (current, others): (String, Vec<&str>) = match named {
        Named::Operator(index) => {
            (study.operators[index].name.clone(), study.operators.iter().map(|one| one.name.as_str()).collect())
        }
        Named::Network(index) => {
            (study.networks[index].name.clone(), study.networks.iter().map(|one| one.name.as_str()).collect())
        }
    };
    let mut text = match &state.typing {
        Some(typing) if typing.named == named && typing.before == current => typing.text.clone(),
        _ => current.clone(),
    };
    let response = ui.horizontal(|ui| {
        let label = ui.label("name");
        ui.add(egui::TextEdit::singleline(&mut text).desired_width(ui.available_width() - 12.0)).labelled_by(label.id)
    });
    let response = response.inner;
    let trimmed = text.trim().to_owned();
    let problem = if trimmed.is_empty() {
        Some("A name must not be empty")
    } else if trimmed != current && others.contains(&trimmed.as_str()) {
        Some("This name is taken")
    } else {
        None
    };
    if let (true, Some(problem)) = (response.has_focus(), problem) {
        ui.colored_label(crossover_chart::theme::Token::Error.color(ui.visuals().dark_mode), problem);
    }
    if response.lost_focus() {
        state.typing = None;
        match problem {
            None if trimmed != current => match named {
                Named::Operator(index) => study.rename_operator(index, &trimmed),
                Named::Network(index) => study.rename_network(index, &trimmed),
            },
            None => {}
            Some(problem) => env.commands.push(Command::Notify(format!("{problem}; the name stays “{current}”"))),
        }
    } else if response.has_focus() {
        state.typing = Some(Typing { named, before: current, text });
    }
}

fn list_buttons(ui: &mut Ui, index: usize, count: usize, edit: &mut Option<ListEdit>) {
    if ui.add_enabled(index > 0, egui::Button::new("Up").small()).clicked() {
        *edit = Some(ListEdit::Swap(index - 1, index));
    }
    if ui.add_enabled(index + 1 < count, egui::Button::new("Down").small()).clicked() {
        *edit = Some(ListEdit::Swap(index, index + 1));
    }
    if ui.small_button("Duplicate").clicked() {
        *edit = Some(ListEdit::Duplicate(index));
    }
    let remove = ui.add_enabled(count > 1, egui::Button::new("Remove").small());
    if remove.on_disabled_hover_text("At least one entry is needed").clicked() {
        *edit = Some(ListEdit::Remove(index));
    }
}

fn notify(env: &mut Env<'_>, text: Option<String>) {
    env.commands.extend(text.map(Command::Notify));
}
