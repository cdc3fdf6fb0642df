//! The buttons that lead from a fleet to Search, and to the plan of a query.

use std::collections::BTreeSet;
use std::sync::Arc;

use crossover_fleet::Base;
use crossover_fleet::listed::Row;
use crossover_page::ask::Ask as _;
use crossover_page::command::Command;
use crossover_page::tool::PageContext;
use crossover_quantity::unit::Unit;
use egui::{Button, Ui};

use super::arranging::Shown;
use super::measured::MeasuredBase;
use super::opening::Fleet;
use super::words::{is_in_hours, time};
use super::{FleetState, Request, SelectedApplications};

/// Tooltip of Search for applications.
pub(super) const OF_MANY: &str =
    "Open all their queries as one scenario in Search, to find GPU machines, their number and their cost";

/// "3 selected, 1.2 h today".
pub(super) fn in_words<'a>(count: usize, rows: impl Iterator<Item = &'a Row>) -> String {
    let seconds: f64 = rows.filter_map(|row| row.seconds).sum();
    format!("{} selected, {} today", Unit::Count.format(count as f64), time(seconds, is_in_hours(seconds)))
}

/// The button that finds a cluster for the selected applications, or for all that are shown.
pub(super) fn of_list(
    ui: &mut Ui,
    fleet: &Fleet,
    chosen: &BTreeSet<usize>,
    shown: &Shown,
    context: &mut PageContext<'_>,
) {
    let all = &shown.arranged.shown;
    let count = |count: usize| Unit::Count.format(count as f64);
    let (text, number) = match chosen.len() {
        0 if all.len() < fleet.rows.len() => (format!("Find a cluster for the {} shown", count(all.len())), all.len()),
        0 => (format!("Find a cluster for all {}", count(all.len())), all.len()),
        1 => ("Find a cluster for it".to_owned(), 1),
        several => (format!("Find a cluster for the {} selected", count(several)), several),
    };
    let log = |at: &usize| fleet.rows.get(*at).map(|row| row.log.clone());
    let logs = || {
        let of_shown = all.iter().filter(|_| chosen.is_empty());
        chosen.iter().chain(of_shown).filter_map(log).collect()
    };
    let with = fleet.measured.logs();
    if let Some(base) = plan(ui, with, context.cache.get::<FleetState>(), (&text, OF_MANY), number > 0) {
        let chosen = SelectedApplications { folder: fleet.folder.clone(), logs: logs(), base };
        context.commands.push(Command::ask(Request::SearchFor(chosen)));
    }
    name(ui, with, context);
}

/// A button that plans with engines; it is disabled, with the reason, if they are not available. Returns the engines when clicked.
pub(super) fn plan(
    ui: &mut Ui,
    with: &MeasuredBase,
    kept: Option<&FleetState>,
    (text, hint): (&str, &str),
    is_possible: bool,
) -> Option<Arc<Base>> {
    let base = with.base(kept);
    let button = ui.add_enabled(is_possible && base.is_some(), Button::new(text));
    let button = button.on_disabled_hover_text(with.why_not()).on_hover_text(hint);
    base.filter(|_| button.clicked()).cloned()
}

/// The button that names engines for results without engines.
pub(super) fn name(ui: &mut Ui, with: &MeasuredBase, context: &mut PageContext<'_>) {
    if let MeasuredBase::Unknown(digest) = with
        && with.base(context.cache.get::<FleetState>()).is_none()
    {
        let name = Request::NameEngines(digest.clone());
        if ui.button(name.text()).on_hover_text(name.tooltip()).clicked() {
            context.commands.push(Command::ask(name));
        }
    }
}
