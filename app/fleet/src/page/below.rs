//! The area below: the way back, and the list of applications or of the queries of one.

use std::collections::BTreeSet;

use crossover_fleet::listed::Row;
use crossover_page::tool::PageContext;
use crossover_quantity::text::counted;
use egui::{Align, Layout, Ui};

use super::Page;
use super::view::Level;
use crate::arranging::Shown;
use crate::detail::LoadedApplication;
use crate::inside;
use crate::list::{self, Line, TableAction};
use crate::opening::Fleet;
use crate::{buttons, portfolio};

impl Page {
    /// The current level, and the way back.
    pub(super) fn path(&mut self, ui: &mut Ui, fleet: &Fleet, shown: Option<&Shown>, context: &mut PageContext<'_>) {
        let name = |at: usize| fleet.rows.get(at).map_or("", |row| row.name.as_str());
        let mut go = None;
        ui.horizontal(|ui| match self.view.level {
            Level::All => {
                let picked = self.view.picked.and_then(|at| Some((at, fleet.rows.get(at)?)));
                // The text takes the width that the button leaves.
                ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                    if let Some(shown) = shown {
                        buttons::of_list(ui, fleet, &self.view.chosen, shown, context);
                    }
                    portfolio::controls(ui, fleet, &mut self.machines, context.commands);
                    ui.with_layout(Layout::left_to_right(Align::Center), |ui| match (picked, self.view.chosen.len()) {
                        (_, several @ 2..) => {
                            let rows = self.view.chosen.iter().filter_map(|at| fleet.rows.get(*at));
                            ui.add(egui::Label::new(buttons::in_words(several, rows)).truncate());
                        }
                        (Some((at, row)), _) => {
                            if ui.button("Open application").clicked() {
                                go = Some(Level::Application(at));
                            }
                            ui.add(egui::Label::new(in_words(row)).truncate());
                        }
                        (None, _) => {
                            let text = "Click an application to see it in the chart, double-click to open it, \
                                        Ctrl-click or Shift-click to select several";
                            ui.add(egui::Label::new(egui::RichText::new(text).weak()).truncate());
                        }
                    });
                });
            }
            Level::Application(at) => {
                if ui.button("◀ All applications").clicked() {
                    go = Some(Level::All);
                }
                ui.strong(format!("Queries of {}", name(at)));
                ui.weak("click a query to open it");
            }
            Level::Query(at, query) => {
                if ui.button("◀ All applications").clicked() {
                    go = Some(Level::All);
                }
                if ui.button(name(at)).clicked() {
                    go = Some(Level::Application(at));
                }
                let id = self
                    .application()
                    .and_then(|details| details.queries.get(query))
                    .map_or("", |query| query.id.as_str());
                ui.strong(format!("Operators of query {id}"));
            }
        });
        if let Some(level) = go {
            ui.ctx().request_repaint();
            self.view.level = level;
            self.view.scroll = level == Level::All;
        }
    }

    /// All applications, as arranged.
    pub(super) fn list(&mut self, ui: &mut Ui, fleet: &Fleet, shown: &Shown) {
        let view = &mut self.view;
        if view.lines_of != Some(self.arranged.number()) {
            view.lines = list::lines(&shown.arranged, &view.open);
            view.lines_of = Some(self.arranged.number());
            view.keep_shown(&shown.arranged.shown);
        }
        if view.lines.is_empty() {
            ui.weak("No application matches the filter; choose “Show all”");
            return;
        }
        let scroll = std::mem::take(&mut view.scroll);
        let place = view.picked.filter(|_| scroll);
        let place = place.and_then(|picked| view.lines.iter().position(|line| *line == Line::Application(picked)));
        let action = list::show(
            ui,
            (&fleet.rows, &shown.arranged.groups, &view.lines),
            self.wanted.order,
            &view.chosen,
            &view.open,
            place,
        );
        if action.is_some() {
            ui.ctx().request_repaint();
        }
        match action {
            None => {}
            Some(TableAction::Sort(column)) => self.wanted.order = self.wanted.order.by(column),
            Some(TableAction::Pick(at)) => view.pick(at, ui.input(|input| input.modifiers)),
            Some(TableAction::Enter(at)) => {
                view.picked = Some(at);
                view.chosen = BTreeSet::from([at]);
                view.level = Level::Application(at);
            }
            Some(TableAction::Toggle(group)) => {
                if !view.open.remove(&group) {
                    view.open.insert(group);
                }
                view.lines_of = None;
            }
        }
    }

    /// The queries of the open application.
    pub(super) fn queries(&mut self, ui: &mut Ui) {
        let Some(details) = self.details.shown().filter(|_| !self.details.is_stale()).cloned() else { return };
        let Ok(LoadedApplication { application, .. }) = details.as_ref() else { return };
        let of = Some((self.details.number(), self.view.sort));
        if self.view.order_of != of {
            self.view.order = inside::order(&application.queries, self.view.sort);
            self.view.order_of = of;
        }
        if application.queries.is_empty() {
            ui.weak("The application has no queries");
            return;
        }
        let seconds = application.summary.seconds;
        let action = inside::queries(ui, &application.queries, seconds, &self.view.order, self.view.sort);
        if action.is_some() {
            ui.ctx().request_repaint();
        }
        match action {
            None => {}
            Some(inside::QueryAction::Sort(sort)) => self.view.sort = sort,
            Some(inside::QueryAction::Enter(query)) => {
                if let Level::Application(at) = self.view.level {
                    self.view.level = Level::Query(at, query);
                }
            }
        }
    }
}

/// "load-7 of ada in nightly: 12 queries".
fn in_words(row: &Row) -> String {
    let user = if row.user.is_empty() { String::new() } else { format!(" of {}", row.user) };
    let queue = if row.queue.is_empty() { String::new() } else { format!(" in {}", row.queue) };
    let queries = counted(row.queries as f64, "query");
    format!("{}{user}{queue}: {queries}", row.name)
}
