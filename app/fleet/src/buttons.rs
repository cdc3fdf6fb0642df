//! The buttons that lead from a fleet to Search, and to the plan of a query.

use std::collections::BTreeSet;
use std::sync::Arc;

use crossover_fleet::Base;
use crossover_fleet::listed::Row;
use crossover_page::ask::Ask as _;
use crossover_page::tool::Around;
use crossover_quantity::unit::Unit;
use egui::{Button, Ui};

use super::arranging::Shown;
use super::measured::With;
use super::opening::Fleet;
use super::words::{is_in_hours, time};
use super::{Chosen, Kept, Request};

/// What Search is given of applications.
pub(super) const OF_MANY: &str =
    "All their queries together as one scenario in Search: which GPU machines, how many, and what they cost";

/// "3 chosen, 1.2 h today".
pub(super) fn in_words<'a>(count: usize, rows: impl Iterator<Item = &'a Row>) -> String {
    let seconds: f64 = rows.filter_map(|row| row.seconds).sum();
    format!("{} chosen, {} today", Unit::Count.format(count as f64), time(seconds, is_in_hours(seconds)))
}

/// The button that searches a cluster for what is chosen, or for all that is shown.
pub(super) fn of_list(ui: &mut Ui, fleet: &Fleet, chosen: &BTreeSet<usize>, shown: &Shown, around: &mut Around<'_>) {
    let all = &shown.arranged.shown;
    let count = |count: usize| Unit::Count.format(count as f64);
    let (text, number) = match chosen.len() {
        0 if all.len() < fleet.rows.len() => {
            (format!("Search a cluster for the {} shown", count(all.len())), all.len())
        }
        0 => (format!("Search a cluster for all {}", count(all.len())), all.len()),
        1 => ("Search a cluster for it".to_owned(), 1),
        several => (format!("Search a cluster for the {} chosen", count(several)), several),
    };
    let log = |at: &usize| fleet.rows.get(*at).map(|row| row.log.clone());
    let logs = || {
        let of_shown = all.iter().filter(|_| chosen.is_empty());
        chosen.iter().chain(of_shown).filter_map(log).collect()
    };
    let with = fleet.measured.logs();
    if let Some(base) = plan(ui, with, around.shelf.get::<Kept>(), (&text, OF_MANY), number > 0) {
        let chosen = Chosen { folder: fleet.folder.clone(), logs: logs(), base };
        around.commands.push(Request::SearchFor(chosen).command());
    }
    name(ui, with, around);
}

/// A button that plans with engines; where nobody knows them it is grey and says why. Gives the engines once it is clicked.
pub(super) fn plan(
    ui: &mut Ui,
    with: &With,
    kept: Option<&Kept>,
    (text, hint): (&str, &str),
    is_possible: bool,
) -> Option<Arc<Base>> {
    let base = with.base(kept);
    let button = ui.add_enabled(is_possible && base.is_some(), Button::new(text));
    let button = button.on_disabled_hover_text(with.why_not()).on_hover_text(hint);
    base.filter(|_| button.clicked()).cloned()
}

/// Offers to name engines that are not kept beside results.
pub(super) fn name(ui: &mut Ui, with: &With, around: &mut Around<'_>) {
    if let With::Unknown(digest) = with
        && with.base(around.shelf.get::<Kept>()).is_none()
    {
        let name = Request::NameEngines(digest.clone());
        if ui.button(name.text()).on_hover_text(name.tooltip()).clicked() {
            around.commands.push(name.command());
        }
    }
}
