//! Definitions of the terms of the page.

use egui::{Label, RichText, Ui};

/// The vGPU, in one sentence.
pub(super) const VGPU: &str = "A vGPU is a share of a GPU that can move between clusters.";
/// The error, in one sentence.
pub(super) const ERROR: &str = "e = p_p − p_d: above 0 the cluster is transfer-bound, below 0 it is compute-bound.";
/// The output, in one sentence.
pub(super) const OUTPUT: &str =
    "u is the controller output: Kp·e + Ki·Σe + Kd·ec. The control table turns it into actions.";
/// The dead zone, in one sentence.
pub(super) const DEAD_ZONE: &str =
    "The dead zone is the row around zero. Outputs in it cause no action, so small noise has no effect.";

/// Draws the terms with their meaning.
pub(super) fn show(ui: &mut Ui) {
    for (term, meaning) in [
        ("vGPU", VGPU),
        ("p_p", "PCIe occupancy: served throughput ÷ transfer ceiling, the throughput at which transfer is saturated."),
        ("p_d", "Compute load: served throughput ÷ capacity of the vGPUs."),
        ("e", ERROR),
        ("ec", "The change of e since the previous period."),
        ("u", OUTPUT),
        ("dead zone", DEAD_ZONE),
    ] {
        ui.horizontal_top(|ui| {
            let size = egui::vec2(64.0, 16.0);
            ui.allocate_ui_with_layout(size, egui::Layout::left_to_right(egui::Align::Min), |ui| {
                ui.set_min_width(size.x);
                ui.label(RichText::new(term).strong());
            });
            ui.add(Label::new(meaning).wrap());
        });
    }
}
