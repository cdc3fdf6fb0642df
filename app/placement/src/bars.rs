//! "Where does the time go?": the terms of every operator, CPU beside GPU.

use crossover_chart::bars::{BarChart, BarRow, Segment};
use crossover_chart::screen::{self, Swatch};
use crossover_chart::theme::Token;
use crossover_page::export_menu;
use crossover_placement::{Breakdown, Outcome, Placement, Side, Term};
use crossover_quantity::unit::Unit;
use egui::{RichText, Ui};

use super::{Env, answer};

/// Draws the bars with title, legend and answer; `place`: which of the page's charts they are.
pub(super) fn show(ui: &mut Ui, chart: &BarChart, place: usize, env: &mut Env<'_>) {
    ui.horizontal_wrapped(|ui| {
        ui.heading("Where does the time go?");
        ui.label(RichText::new(&chart.subtitle).weak());
        export_menu::show(ui, env, place, false);
    });
    ui.horizontal_wrapped(|ui| {
        for term in Term::ALL {
            if chart.rows.iter().any(|row| row.segments.iter().any(|segment| segment.name == term.label())) {
                screen::entry(ui, term_token(term), Swatch::Square, term.label());
                ui.add_space(4.0);
            }
        }
    });
    screen::bars(ui, chart);
    ui.label(&chart.answer);
}

/// The bars as data.
pub(super) fn chart(study: &Placement, outcome: &Outcome) -> BarChart {
    let rows = outcome
        .chosen()
        .flat_map(|row| {
            let name = &study.operators[row.operator].name;
            [(Side::Cpu, &row.cost.cpu), (Side::Gpu, &row.cost.gpu)].map(|(side, breakdown)| {
                let placed = if row.placement == side { " · placed here" } else { "" };
                bar(name, side, breakdown, placed)
            })
        })
        .collect();
    BarChart {
        title: "Where does the time go?".to_owned(),
        subtitle: outcome.summary.variant.label(study),
        answer: answer::where_time_goes(study, outcome),
        step_unit: 1.0,
        unit_format: |value| Unit::Seconds.format(value),
        rows,
    }
}

fn bar(name: &str, side: Side, breakdown: &Breakdown, placed: &str) -> BarRow {
    let segments = Term::ALL
        .into_iter()
        .filter(|term| breakdown.get(*term) > 0.0)
        .map(|term| Segment { name: term.label().to_owned(), token: term_token(term), value: breakdown.get(term) })
        .collect();
    let (term, share) = breakdown.dominant();
    let hidden: f64 = breakdown.hidden.iter().sum();
    let overlapped =
        if hidden > 0.0 { format!(" · {} overlapped", Unit::Seconds.format(hidden)) } else { String::new() };
    BarRow {
        start: 0.0,
        interval: None,
        group: name.to_owned(),
        label: side.label().to_owned(),
        token: super::side::token(side),
        segments,
        total: breakdown.total(),
        note: format!("{} {}{overlapped}{placed}", term.label(), Unit::Share.format(share)),
        detail: String::new(),
    }
}

pub(super) fn term_token(term: Term) -> Token {
    let rank = Term::ALL.into_iter().position(|other| other == term).unwrap_or(0);
    Token::Term(u8::try_from(rank).unwrap_or(0))
}
