//! Distributions of uncertain numbers, and a list of other numbers to add.

use crossover_export::uncertainty::in_words;
use crossover_page::command::Command;
use crossover_page::widgets::form::{self, Choice, quantity};
use crossover_quantity::quantity::Quantity;
use crossover_quantity::spread::{Distribution, Spread};
use crossover_quantity::unit::Unit;
use crossover_tools::Unknowns;
use crossover_tools::unknowns::Unknown;
use egui::{RichText, Ui};

use super::super::pick::{self, Number, Shade, Target};

/// Initial uncertainty of an added number, as a share of its value.
const FIRST: f64 = 0.2;

/// What the form keeps between frames.
#[derive(Debug, Default)]
pub(super) struct State {
    /// Filter of the list of numbers.
    filter: String,
    /// The number whose spread is edited.
    chosen: Option<String>,
}

/// Draws the uncertain numbers, and the list of others.
pub(super) fn show(ui: &mut Ui, state: &mut State, target: &Target<'_>, commands: &mut Vec<Command>) {
    let subject = target.scenario.study.subject();
    let unknowns = Unknowns::of(subject);
    let set = |path: &str, spread: Option<Spread>| Command::SetSpread {
        document: target.id.to_owned(),
        path: path.to_owned(),
        spread: spread.map(Box::new),
    };
    for unknown in &unknowns.numbers {
        let is_chosen = state.chosen.as_deref() == Some(unknown.path.as_str());
        let by = if unknown.is_of_source { ", by the source of the number" } else { "" };
        let text = format!("{}: {}{by}", unknown.title(), in_words(unknown));
        let about = format!("{text}\n{}", pick::about(unknown.quantity, &unknown.path));
        if ui.add(egui::Button::selectable(is_chosen, &text).truncate()).on_hover_text(about).clicked() {
            state.chosen = (!is_chosen).then(|| unknown.path.clone());
        }
        if is_chosen && let Some(edited) = edit(ui, unknown, commands) {
            let spread = match edited {
                Edited::Changed(spread) => Some(spread),
                Edited::Gone => None,
            };
            commands.push(set(&unknown.path, spread));
        }
    }
    ui.add_space(8.0);
    ui.heading("Add a number");
    ui.label("A click adds a distribution.");
    let is_exact = |path: &str| unknowns.numbers.iter().all(|unknown| unknown.path != path);
    let shade = |path: &str, _: &Quantity| is_exact(path).then_some(Shade::Full);
    if let Some(Number { path, quantity, value }) = pick::number_of(ui, subject, &mut state.filter, None, shade) {
        commands.push(set(&path, Some(Spread::alone(first(quantity, value)))));
        state.chosen = Some(path);
    }
}

/// The initial distribution.
fn first(quantity: &Quantity, value: f64) -> Distribution {
    if quantity.is_wide() && value > 0.0 {
        return Distribution::LogNormal { factor: 1.0 + FIRST };
    }
    between(quantity, value)
}

/// Every value within a fifth, or the whole range of a number that is 0.
fn between(quantity: &Quantity, value: f64) -> Distribution {
    let reach = if value == 0.0 { quantity.max.min(1.0) } else { FIRST * value.abs() };
    let reach = if quantity.whole { reach.ceil() } else { reach };
    let [low, high] = [value - reach, value + reach].map(|end| end.clamp(quantity.min, quantity.max));
    Distribution::Uniform { low, high: if high > low { high } else { quantity.max } }
}

/// An edit of a distribution.
enum Edited {
    /// It was changed.
    Changed(Spread),
    /// It was removed: the number is exact, or as its source states.
    Gone,
}

/// The form of a distribution; the edit, if any.
fn edit(ui: &mut Ui, unknown: &Unknown, commands: &mut Vec<Command>) -> Option<Edited> {
    let Unknown { path, quantity, value, spread, .. } = unknown;
    let (quantity, value) = (*quantity, *value);
    let mut next = spread.clone();
    let mut is_changed = false;
    let kinds = [
        Choice::new("normal", "normal", "Symmetric around the value; far values are rare"),
        Choice::new("log-normal", "log-normal", "Symmetric around the value by factors; far values are rare"),
        Choice::new("uniform", "uniform", "All values between two ends are equally likely"),
        Choice::new("triangular", "triangular", "The value is the likeliest between two ends"),
    ];
    let mut kind = spread.distribution.label();
    let title = ("distribution", "How the number varies");
    if form::choose(ui, title, &format!("{path} distribution"), &mut kind, kinds, commands) {
        is_changed = true;
        next.distribution = changed(kind, quantity, value);
    }
    form::grid(ui, ("spread", path), |ui| {
        let mut row = |ui: &mut Ui, label: &'static str, unit: Unit, ends: [f64; 2], value: &mut f64| {
            let [min, max] = ends;
            let info = Quantity { label, unit, min, max, whole: false, ..*quantity };
            match quantity::row(ui, &info, &format!("{path} {label}"), value, None) {
                Some(quantity::Edit::Refused(text)) => commands.push(Command::Notify(text)),
                Some(quantity::Edit::Changed) => is_changed = true,
                Some(quantity::Edit::Reset) | None => {}
            }
        };
        let ends = [quantity.min, quantity.max];
        match &mut next.distribution {
            Distribution::Normal { standard_deviation } => {
                row(
                    ui,
                    "standard deviation",
                    quantity.unit,
                    [1e-9 * quantity.max.abs(), quantity.max - quantity.min],
                    standard_deviation,
                );
            }
            Distribution::LogNormal { factor } => row(ui, "95 % within ×÷", Unit::Ratio, [1.001, 1_000.0], factor),
            Distribution::Uniform { low, high } | Distribution::Triangular { low, high } => {
                row(ui, "lowest", quantity.unit, [ends[0], *high], low);
                row(ui, "highest", quantity.unit, [*low, ends[1]], high);
            }
        }
    });
    let mut is_known = false;
    ui.horizontal(|ui| {
        let text = if unknown.is_of_source { "From its source" } else { "Set as exact" };
        is_known = ui.add_enabled(!unknown.is_of_source, egui::Button::new(text)).clicked();
        if let Some(group) = &spread.group {
            ui.label(RichText::new(format!("correlated in “{}”", group.name)).weak());
        }
    });
    ui.add_space(4.0);
    if is_known {
        return Some(Edited::Gone);
    }
    (is_changed && next.problem(quantity).is_none() && next != *spread).then_some(Edited::Changed(next))
}

/// The initial distribution of another kind.
fn changed(kind: &str, quantity: &Quantity, value: f64) -> Distribution {
    match (kind, between(quantity, value)) {
        ("normal", _) => {
            Distribution::Normal { standard_deviation: (FIRST / 2.0 * value.abs()).max(1e-9 * quantity.max.abs()) }
        }
        ("log-normal", _) if value > 0.0 => Distribution::LogNormal { factor: 1.0 + FIRST },
        ("triangular", Distribution::Uniform { low, high }) => Distribution::Triangular { low, high },
        (_, uniform) => uniform,
    }
}
