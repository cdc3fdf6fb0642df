//! Throughput and power over time, and every strategy side by side.

use crossover_chart::axis::{Axis, Scale};
use crossover_chart::bars::{BarChart, BarRow, Segment};
use crossover_chart::lines::{Band, LineChart, Series};
use crossover_chart::screen::{self, Gesture};
use crossover_chart::theme::Token;
use crossover_page::export_menu;
use crossover_page::page::Env;
use crossover_quantity::unit::Unit;
use crossover_regulation::StrategyRun;
use egui::Ui;

use super::super::board::Shown;
use super::super::spread::Quantity;
use super::curve::{Steps, Window};
use super::drawing::{Charts, controller, empty, interval, range, series, stepped};
use super::view_options::{Benefit, ViewOptions};
use super::{answer, plots, section};

const THROUGHPUT_AND_POWER: &str = "How do throughput and power change?";
const STRATEGIES: &str = "How do the strategies compare?";
/// Height of the plots, in points.
const HEIGHT: f32 = 150.0;

/// Throughput and power, without control and with the chosen controller.
pub(super) fn curves(shown: &Shown, window: Window) -> [LineChart; 2] {
    let outcome = &shown.outcome;
    let clusters = shown.study.clusters.len();
    let of = |run| Steps { run, clusters };
    let (before, after) = (of(&outcome.baselines[0]), of(outcome.chosen()));
    let token = controller(outcome.chosen);
    let value = |steps: Steps<'_>, quantity: Quantity, period: usize| quantity.of(&shown.study, steps.all(period));
    let tops = |steps: Steps<'_>, period: usize| value(steps, Quantity::Tops, period);
    let watts = |steps: Steps<'_>, period: usize| value(steps, Quantity::Watts, period);
    let chart = |label: &str, unit: Unit, quantity: Quantity, series: Vec<Series>| {
        let band = interval(shown, window, outcome.chosen, quantity, token);
        let bands: Vec<Band> = band.into_iter().collect();
        let [_, high] = range(&series, &bands);
        let y = Axis {
            label: label.to_owned(),
            format: unit.formatter(),
            scale: Scale::Linear,
            range: [0.0, if high > 0.0 { 1.06 * high } else { 1.0 }],
            step_unit: 1.0,
        };
        LineChart {
            bands,
            series,
            ..empty(THROUGHPUT_AND_POWER, label.to_owned(), answer::benefit(outcome), window, y)
        }
    };
    let name = &outcome.chosen().name;
    let demand = window.steps(|period| after.sum(period, |step| step.demand));
    [
        chart(
            "throughput",
            Unit::Tops,
            Quantity::Tops,
            vec![
                stepped("demand", Token::Demand, demand),
                series("no control", Token::Uncontrolled, window.curve(|period| tops(before, period))),
                series(name, token, window.curve(|period| tops(after, period))),
            ],
        ),
        chart(
            "power",
            Unit::Watts,
            Quantity::Watts,
            vec![
                series("no control", Token::Uncontrolled, window.curve(|period| watts(before, period))),
                series(name, token, window.curve(|period| watts(after, period))),
            ],
        ),
    ]
}

/// Every strategy, by one figure.
pub(super) fn bars(shown: &Shown, benefit: Benefit) -> BarChart {
    let outcome = &shown.outcome;
    let row = |run: &StrategyRun, token: Token| {
        let [tops, efficiency, energy] = Benefit::ALL.map(|benefit| value(shown, run, benefit));
        let shown = [
            (Benefit::Tops, tops, tops_text as Text),
            (Benefit::Efficiency, efficiency, efficiency_text),
            (Benefit::Energy, energy, energy_text),
        ];
        let total = shown.iter().find(|(each, ..)| *each == benefit).map_or(0.0, |(_, value, _)| *value);
        let others: Vec<String> =
            shown.iter().filter(|(each, ..)| *each != benefit).map(|(_, value, text)| text(*value)).collect();
        BarRow {
            start: 0.0,
            interval: None,
            group: run.name.clone(),
            label: String::new(),
            token,
            segments: vec![Segment { name: run.name.clone(), token, value: total }],
            total,
            note: others.join(" · "),
            detail: String::new(),
        }
    };
    let baselines = outcome.baselines.iter().map(|run| row(run, Token::Uncontrolled));
    let controllers = outcome.controllers.iter().enumerate().map(|(index, run)| row(run, controller(index)));
    BarChart {
        title: STRATEGIES.to_owned(),
        subtitle: format!("{}, over the averaged periods", benefit.label()),
        answer: answer::against_others(outcome),
        step_unit: 1.0,
        unit_format: match benefit {
            Benefit::Tops => tops_text,
            Benefit::Efficiency => efficiency_text,
            Benefit::Energy => energy_text,
        },
        rows: baselines.chain(controllers).collect(),
    }
}

type Text = fn(f64) -> String;

fn tops_text(tops: f64) -> String {
    Unit::Tops.format(tops)
}

fn efficiency_text(factor: f64) -> String {
    format!("{} per watt", Unit::Factor.format(factor))
}

/// "1.333 J/tera-op"
pub(super) fn energy_text(joules: f64) -> String {
    format!("{} J/tera-op", Unit::Ratio.format(joules))
}

/// The figure of a strategy.
fn value(shown: &Shown, run: &StrategyRun, benefit: Benefit) -> f64 {
    let state = &run.figures.state;
    match benefit {
        Benefit::Tops => state.tops,
        Benefit::Efficiency => {
            let before = shown.outcome.before().tops_per_watt();
            if before > 0.0 { state.tops_per_watt() / before } else { 0.0 }
        }
        Benefit::Energy => state.joules_per_tera_operation(),
    }
}

/// Draws throughput and power.
pub(super) fn show_curves(
    ui: &mut Ui,
    charts: &Charts,
    first: usize,
    pinned: Option<f64>,
    env: &mut Env<'_>,
) -> Option<Gesture> {
    section(ui, env, THROUGHPUT_AND_POWER, &charts.about_intervals, first, charts.benefit.iter());
    screen::legend(ui, &charts.benefit[0]);
    let gesture = plots(ui, &charts.benefit.each_ref(), first, pinned, HEIGHT);
    ui.label(&charts.benefit[0].answer);
    gesture
}

/// Draws the bars of every strategy.
pub(super) fn show_bars(ui: &mut Ui, charts: &Charts, index: usize, options: &mut ViewOptions, env: &mut Env<'_>) {
    ui.horizontal_wrapped(|ui| {
        ui.heading(STRATEGIES);
        for benefit in Benefit::ALL {
            ui.selectable_value(&mut options.benefit, benefit, benefit.label());
        }
        export_menu::show(ui, env, index, false);
    });
    screen::bars(ui, &charts.bars);
    ui.label(&charts.bars.answer);
}
