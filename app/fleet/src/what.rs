//! The first step to an answer: which query, of a file, a folder, an address or a text.

use crossover_page::ask::Ask as _;
use crossover_page::command::{Command, Tool};
use crossover_page::tool::{PageContext, ToolKind, ToolPage};
use crossover_page::widgets::focus;
use crossover_placement_page::request::{Request as OfPlans, Source};
use crossover_placement_page::steps::{self, Step};
use egui::{CentralPanel, Grid, RichText, ScrollArea, TextEdit, TextStyle, Ui};

use super::request::Request;

/// How the page is opened.
pub const KIND: ToolKind = ToolKind { tool: steps::WHAT, open: |_| Box::<WhatPage>::default() };

/// The question of the page.
const TITLE: &str = "Which queries do you want to decide about?";
/// Lines of the field for text.
const LINES: usize = 8;
/// Width of the page, in points.
const WIDEST: f32 = 820.0;

/// The page.
#[derive(Default)]
struct WhatPage {
    /// The text that is pasted or typed.
    text: String,
}

impl ToolPage for WhatPage {
    fn tool(&self) -> Tool {
        steps::WHAT
    }

    fn status(&self) -> String {
        "step 1 of 3: choose a query".to_owned()
    }

    fn ui(&mut self, ui: &mut Ui, context: &mut PageContext<'_>) {
        CentralPanel::default_margins().show(ui, |ui| {
            ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
                focus::follow(ui);
                let query = query_on_screen(context);
                let last = if query.is_some() { Step::Answer } else { Step::What };
                let request = match steps::header(ui, Step::What, last) {
                    Some(Step::Where) => Some(OfPlans::ShowMachines),
                    Some(Step::Answer) => Some(OfPlans::ShowAnswer),
                    Some(Step::What) | None => None,
                };
                if let Some((tab, request)) = query.zip(request) {
                    context.commands.extend([Command::SelectTab(tab), Command::ask(request)]);
                }
                ui.set_max_width(WIDEST);
                ui.heading(TITLE);
                if let Some(tab) = query {
                    chosen(ui, tab, context);
                }
                ui.label("Drop a log, a folder or a plan on this window, or choose where the queries are.");
                ui.add_space(8.0);
                sources(ui, context);
                ui.add_space(12.0);
                self.pasted(ui, context);
            });
        });
    }
}

impl WhatPage {
    /// The field for SQL or a plan.
    fn pasted(&mut self, ui: &mut Ui, context: &mut PageContext<'_>) {
        let label = ui.strong("Or paste SQL with the sizes of its tables, or EXPLAIN output as JSON");
        let hint = "-- rows: 6 billion\nCREATE TABLE lineitem (l_orderkey BIGINT, l_quantity DECIMAL(15, 2));\n\n\
                    SELECT l_orderkey, sum(l_quantity) FROM lineitem GROUP BY l_orderkey;";
        let edit = TextEdit::multiline(&mut self.text).font(TextStyle::Monospace).desired_rows(LINES).hint_text(hint);
        ui.add(edit.desired_width(f32::INFINITY)).labelled_by(label.id);
        let is_filled = !self.text.trim().is_empty();
        if ui.add_enabled(is_filled, egui::Button::new("Use this text")).clicked() {
            let source = Source::Text(self.text.clone());
            context.commands.push(Command::ask(OfPlans::MoveQuery(source)));
        }
        ui.label(
            RichText::new("SQL has no measured time: it is planned, and the time of each operator is predicted.")
                .weak(),
        );
    }
}

/// The query that is chosen, with a way back to its answer.
fn chosen(ui: &mut Ui, tab: usize, context: &mut PageContext<'_>) {
    let Some(document) = context.documents.get(tab) else { return };
    let query = document.scenario.placement().and_then(|study| study.query.as_deref());
    let file = query.map_or("", |query| query.plan.file.as_str());
    let of = if file.is_empty() { String::new() } else { format!(" of {file}") };
    ui.horizontal_wrapped(|ui| {
        ui.strong(format!("Chosen: {}{of}", document.scenario.name));
        if ui.button("Show its answer").clicked() {
            context.commands.extend([Command::SelectTab(tab), Command::ask(OfPlans::ShowAnswer)]);
        }
    });
    ui.add_space(4.0);
}

/// Every way to choose queries, with its meaning.
fn sources(ui: &mut Ui, context: &mut PageContext<'_>) {
    let plans = [Source::File, Source::Folder, Source::Path].map(OfPlans::MoveQuery);
    let plans = plans.into_iter().map(|request| (request.text(), request.tooltip(), Command::ask(request)));
    let fleets = [Request::Read, Request::ReadAddress];
    let fleets = fleets.into_iter().map(|request| (request.text(), request.tooltip(), Command::ask(request)));
    let another = Some(OfPlans::Another).filter(|request| request.is_possible(None, context.cache));
    let another = another.map(|request| (request.text(), request.tooltip(), Command::ask(request)));
    Grid::new("sources").num_columns(2).spacing([16.0, 8.0]).show(ui, |ui| {
        for (text, meaning, command) in plans.chain(another).chain(fleets) {
            if ui.button(text).clicked() {
                context.commands.push(command);
            }
            ui.label(RichText::new(meaning).weak());
            ui.end_row();
        }
    });
}

/// The tab of the document that was on screen last, if it has a query in whole engines.
fn query_on_screen(context: &PageContext<'_>) -> Option<usize> {
    let last = context.last?;
    let tab = context.documents.iter().position(|document| document.id == last)?;
    let study = context.documents[tab].scenario.placement()?;
    (study.query.is_some() && study.engines.is_some()).then_some(tab)
}
