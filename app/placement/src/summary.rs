//! The strip on top: the answer for the whole workload.

use crossover_page::headline::{headline, strip, warnings};
use crossover_placement::Placement;
use crossover_quantity::unit::Unit;
use crossover_scenario::glossary::Meaning;

use super::board::Board;

/// The figures of the strip.
pub(super) fn figures(ui: &mut egui::Ui, board: &Board) {
    let summary = &board.outcome().summary;
    strip(ui, |ui| {
        headline(
            ui,
            &Unit::Factor.format(summary.speedup()),
            "workload speedup",
            "Time with all operators on CPU ÷ time as placed",
        );
        let times =
            format!("{} → {}", Unit::Seconds.format(summary.cpu_seconds), Unit::Seconds.format(summary.placed_seconds));
        headline(
            ui,
            &times,
            "all on CPU → as placed",
            &format!("All on GPU: {}.", Unit::Seconds.format(summary.gpu_seconds)),
        );
        let count = board.study().operators.len();
        let sides = format!("{} of {count}", summary.on_gpu);
        headline(
            ui,
            &sides,
            if count == 1 { "operator on GPU" } else { "operators on GPU" },
            &format!("{} on CPU, {} on GPU.", summary.on_cpu, summary.on_gpu),
        );
        headline(
            ui,
            &Unit::Share.format(summary.moved_share),
            "of the time on CPUs moves",
            "Operators on GPU: their share of the time with all operators on CPU",
        );
        headline(
            ui,
            &Unit::Factor.format(summary.amdahl_limit()),
            "Amdahl limit",
            &Meaning::term("Amdahl limit").text(),
        );
        let (term, share) = summary.bound_by;
        headline(
            ui,
            term.label(),
            &format!("bottleneck, {}", Unit::Share.format(share)),
            &Meaning::own("In the time as placed").and_term("bottleneck").text(),
        );
        if summary.pin_seconds() > 0.0 {
            headline(
                ui,
                &Unit::Seconds.format(summary.pin_seconds()),
                "lost to pins",
                "Time that pins add, compared with the placement without pins.",
            );
        }
    });
}

/// The network and compression of the answer, and the warnings.
pub(super) fn network(ui: &mut egui::Ui, study: &mut Placement, texts: &[String]) {
    // Whole engines have networks of their own.
    let has_variant = study.engines.is_none() || study.query.is_none();
    if !has_variant && texts.is_empty() {
        return;
    }
    ui.horizontal_wrapped(|ui| {
        if has_variant {
            variant(ui, study);
        }
        warnings(ui, texts);
    });
}

fn variant(ui: &mut egui::Ui, study: &mut Placement) {
    ui.label("over");
    let combo =
        egui::ComboBox::from_id_salt("strip network").selected_text(study.policy.network.clone()).show_ui(ui, |ui| {
            for network in &study.networks {
                ui.selectable_value(&mut study.policy.network, network.name.clone(), &network.name);
            }
        });
    combo.response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::ComboBox, true, "network of the cluster"));
    ui.checkbox(&mut study.policy.compression, "compressed on the GPU");
}
