//! The strip at the top: figures of the chosen controller.

use crossover_page::headline::{self, headline};
use crossover_page::tour;
use crossover_quantity::unit::{Unit, elapsed};
use crossover_regulation::{Power, PowerLaw, Regulation};
use egui::{ComboBox, Panel, Role, Ui, WidgetInfo};

use super::board::{Board, Shown};
use super::time;

/// Draws the strip.
pub(super) fn strip(ui: &mut Ui, study: &mut Regulation, board: &mut Board) {
    let strip = Panel::top("summary").resizable(false).show(ui, |ui| {
        ui.add_space(4.0);
        if let Some(shown) = board.shown() {
            ui.scope(|ui| {
                board.dim(ui);
                headline::strip(ui, |ui| figures(ui, shown));
                headline::answer_of_chart(ui, || time::balance(&shown.study, &shown.outcome));
            });
        }
        ui.horizontal_wrapped(|ui| {
            ui.label("controller");
            let combo = ComboBox::from_id_salt("strip controller")
                .selected_text(study.policy.controller.clone())
                .show_ui(ui, |ui| {
                    for controller in &study.controllers {
                        let name = controller.name.clone();
                        ui.selectable_value(&mut study.policy.controller, name, &controller.name);
                    }
                });
            combo.response.widget_info(|| WidgetInfo::labeled(Role::ComboBox, true, "controller of the clusters"));
            headline::warnings(ui, board.shown().map_or(&[], |shown| &shown.outcome.warnings));
        });
        board.state(ui);
        ui.add_space(2.0);
    });
    tour::mark(ui, tour::STRIP, strip.response.rect);
}

fn figures(ui: &mut Ui, shown: &Shown) {
    let Shown { study, outcome, .. } = shown;
    let (before, after) = (outcome.before(), outcome.after());
    let run = &outcome.chosen().figures;
    let change = if before.tops > 0.0 {
        format!("{} throughput", signed(after.tops / before.tops - 1.0))
    } else {
        "throughput, 0 without control".to_owned()
    };
    headline(
        ui,
        &format!("{} → {}", Unit::Count.format(before.tops.round()), Unit::Tops.format(after.tops)),
        &change,
        "Throughput of all clusters without and with control, mean over the averaged periods.",
    );
    headline(
        ui,
        &Unit::Factor.format(outcome.efficiency()),
        &format!("throughput per watt, {}", power_law(&study.power)),
        &format!(
            "Throughput ÷ power with control, relative to that without control. Power: {} → {}.",
            Unit::Watts.format(before.watts),
            Unit::Watts.format(after.watts)
        ),
    );
    match run.settling_periods {
        Some(periods) => {
            let time = elapsed(periods as f64 * study.run.period_seconds);
            let unit = if periods == 1 { "period" } else { "periods" };
            let figure = format!("{} {unit}", Unit::Count.format(periods as f64));
            headline(
                ui,
                &figure,
                &format!("settling time, {time}"),
                &format!("From the last change of demand to the last action: {}.", time::settling(study, periods)),
            );
        }
        None => headline(
            ui,
            "not settled",
            "demand or actions continue",
            "Demand changes until the end, or actions occur in the last tenth of the run.",
        ),
    }
    headline(
        ui,
        &time::percent(run.overshoot),
        "overshoot",
        "Largest error of opposite sign ÷ largest error before the first zero crossing; the largest of all clusters.",
    );
    headline(
        ui,
        &Unit::Count.format(run.actions as f64),
        if run.actions == 1 { "action" } else { "actions" },
        "Number of actions of all clusters.",
    );
    let cost = if study.power.price_per_kwh > 0.0 {
        format!("costs {}", Unit::UsDollars.format(after.cost))
    } else {
        "energy, no price set".to_owned()
    };
    let price = |cost: f64| {
        if study.power.price_per_kwh > 0.0 { format!(", {}", Unit::UsDollars.format(cost)) } else { String::new() }
    };
    headline(
        ui,
        &Unit::KilowattHours.format(after.kwh),
        &cost,
        &format!(
            "Energy of the whole run, and its cost. Without control: {}{}.",
            Unit::KilowattHours.format(before.kwh),
            price(before.cost)
        ),
    );
}

/// "+43.3 %"
fn signed(share: f64) -> String {
    let text = time::percent(share);
    if share >= 5e-4 { format!("+{text}") } else { text }
}

/// "power ∝ vGPUs × frequency"
fn power_law(power: &Power) -> String {
    let law = match power.law {
        PowerLaw::Linear => "power ∝ vGPUs × frequency",
        PowerLaw::Square => "power ∝ vGPUs × frequency²",
        PowerLaw::Cube => "power ∝ vGPUs × frequency³",
        PowerLaw::Measured => "power ∝ vGPUs × measured curve of the frequency",
    };
    let idle = if power.idle_share < 1.0 { ", less when idle" } else { "" };
    format!("{law}{idle}")
}
