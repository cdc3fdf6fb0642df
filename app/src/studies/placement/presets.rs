//! Filling fields from the hardware catalogue; every filled field says so.

use crossover_model::catalogue::{Catalogue, Codec, Confidence, Figure, Gpu, Network, Node};
use crossover_model::placement::{Field, Parameter, Placement};
use crossover_model::provenance::Provenance;
use egui::Ui;

/// Lets the user pick an entry by name; gives the picked index.
pub(super) fn picker<'a>(ui: &mut Ui, id: &str, current: &str, names: impl Iterator<Item = &'a str>) -> Option<usize> {
    let mut picked = None;
    let shown = if current.is_empty() { "Choose from the catalogue…" } else { current };
    let response = egui::ComboBox::from_id_salt(id)
        .selected_text(shown)
        .width(ui.available_width() - 8.0)
        .truncate()
        .height(420.0)
        .show_ui(ui, |ui| {
            for (index, name) in names.enumerate() {
                if ui.selectable_label(name == current, name).clicked() {
                    picked = Some(index);
                }
            }
        })
        .response;
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::ComboBox, true, format!("{id} preset")));
    picked
}

/// Fills the GPU and the bus; gives the sentence that tells the user.
pub(super) fn fill_gpu(study: &mut Placement, catalogue: &Catalogue, index: usize) -> Option<String> {
    let Gpu { name, memory_gb, host_link, to_gpu_gb_per_s, from_gpu_gb_per_s, parallelism, .. } =
        catalogue.gpus.get(index)?;
    name.clone_into(&mut study.gpu.name);
    host_link.clone_into(&mut study.bus.name);
    study.gpu.gpu_memory_gb = Some(memory_gb.value);
    let figures = [
        (Parameter::GpuMemory, memory_gb),
        (Parameter::GpuParallelism, parallelism),
        (Parameter::BusToGpu, to_gpu_gb_per_s),
        (Parameter::BusFromGpu, from_gpu_gb_per_s),
    ];
    fill(study, name, 0, &figures);
    Some(format!("Filled memory, parallelism and bus speeds from “{name}”"))
}

/// Fills a network.
pub(super) fn fill_network(
    study: &mut Placement,
    catalogue: &Catalogue,
    index: usize,
    network: usize,
) -> Option<String> {
    let Network { name, family, line_gbit_per_s, effective_gbit_per_s } = catalogue.networks.get(index)?;
    study.networks.get_mut(network)?.family = *family;
    if !study.networks.iter().any(|other| other.name == *name) {
        study.rename_network(network, name);
    }
    let figures = [(Parameter::LineSpeed, line_gbit_per_s), (Parameter::NetworkSpeed, effective_gbit_per_s)];
    fill(study, name, network, &figures);
    Some(format!("Filled line and effective speed from “{name}”"))
}

/// Fills the CPU side.
pub(super) fn fill_node(study: &mut Placement, catalogue: &Catalogue, index: usize) -> Option<String> {
    let Node { name, cores, effective_memory_gb_per_s, .. } = catalogue.nodes.get(index)?;
    name.clone_into(&mut study.node.name);
    study.set_memory_bandwidth(effective_memory_gb_per_s.as_ref().map(|figure| figure.value));
    let mut figures = vec![(Parameter::CpuParallelism, cores)];
    figures.extend(effective_memory_gb_per_s.as_ref().map(|figure| (Parameter::MemoryBandwidth, figure)));
    fill(study, name, 0, &figures);
    Some(format!("Filled cores and memory bandwidth from “{name}”"))
}

/// Fills the compression.
pub(super) fn fill_codec(study: &mut Placement, catalogue: &Catalogue, index: usize) -> Option<String> {
    let Codec { name, ratio, compress_gb_per_s, decompress_gb_per_s, .. } = catalogue.codecs.get(index)?;
    name.clone_into(&mut study.compression.name);
    let figures = [
        (Parameter::NetworkRatio, ratio),
        (Parameter::CompressSpeed, compress_gb_per_s),
        (Parameter::DecompressSpeed, decompress_gb_per_s),
    ];
    fill(study, name, 0, &figures);
    Some(format!("Filled ratio and speeds from “{name}”"))
}

fn fill(study: &mut Placement, entry: &str, index: usize, figures: &[(Parameter, &Figure)]) {
    for (parameter, figure) in figures {
        let field = Field { parameter: *parameter, index };
        if let Some(value) = field.value_mut(study) {
            *value = figure.value;
        }
        let source = match figure.confidence {
            Confidence::Published => Provenance::Published(figure.source.clone()),
            Confidence::Measured | Confidence::Spec | Confidence::Derived => Provenance::Preset {
                entry: entry.to_owned(),
                source: format!("{} ({})", figure.source, confidence(figure.confidence)),
            },
        };
        study.sources.insert(field.path(study), source);
    }
}

fn confidence(confidence: Confidence) -> &'static str {
    match confidence {
        Confidence::Measured => "measured",
        Confidence::Spec => "data sheet",
        Confidence::Derived => "derived",
        Confidence::Published => "published",
    }
}
