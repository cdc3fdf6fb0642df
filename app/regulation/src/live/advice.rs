//! The actions that the controller would take now, with the row of the control table.

use crossover_chart::theme::Token;
use crossover_page::widgets::warning;
use crossover_quantity::unit::Unit;
use crossover_regulation::Band;
use egui::{Grid, RichText, Ui};

use super::state::State;

/// Draws it.
pub(super) fn show(ui: &mut Ui, state: &State) {
    let Some((point, advice)) = state.track().last().and_then(|point| Some((point, point.advice.as_ref()?))) else {
        warning::show(
            ui,
            "No advice now: the GPU does not report both p_p and p_d. Missing readings are listed below.",
        );
        return;
    };
    ui.label(RichText::new(format!("The controller {}", advice.sentence)).size(16.0).strong());
    let [pcie, load] = point.occupancies.unwrap_or_default();
    ui.label(format!(
        "p_p {}, p_d {}, e = p_p − p_d = {}, u = {}",
        Unit::Share.format(pcie),
        Unit::Share.format(load),
        signed(advice.error),
        signed(advice.output),
    ));
    table_row(ui, &advice.row);
}

/// The row of the control table.
fn table_row(ui: &mut Ui, row: &Band) {
    Grid::new("row").num_columns(4).spacing([20.0, 2.0]).show(ui, |ui| {
        for title in ["row of the control table, u", "precision", "frequency", "vGPUs"] {
            ui.label(RichText::new(title).small().color(Token::TextWeak.color(ui.visuals().dark_mode)));
        }
        ui.end_row();
        ui.label(format!("{} … {}", signed(row.from), signed(row.to)));
        ui.label(steps(row.precision));
        ui.label(if row.frequency_mhz == 0.0 { "keep".into() } else { format!("{} MHz", signed(row.frequency_mhz)) });
        ui.label(if row.vgpus == 0.0 { "keep".into() } else { signed(row.vgpus) });
        ui.end_row();
    });
}

fn steps(levels: f64) -> String {
    let many = if levels.abs() == 1.0 { "step" } else { "steps" };
    match levels {
        0.0 => "keep".into(),
        _ if levels > 0.0 => format!("up {levels} {many}"),
        _ => format!("down {} {many}", levels.abs()),
    }
}

/// Three decimals at most, with its sign: "+0.5", "−0.125".
fn signed(value: f64) -> String {
    let rounded = (value * 1000.0).round() / 1000.0;
    match rounded {
        0.0 => "0".into(),
        _ if rounded < 0.0 => format!("−{}", rounded.abs()),
        _ => format!("+{rounded}"),
    }
}
