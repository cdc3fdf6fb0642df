//! The Compare page: open scenarios of one kind side by side, the first of them the baseline.

mod tables;

use crossover_model::scenario::{Kind, Study};
use crossover_model::tools::compare::MOST;
use crossover_model::tools::{Comparison, compare};
use egui::{RichText, ScrollArea, Ui};

use super::pick::{self, Target};
use crate::command::{Command, Tool};
use crate::compute::background::Ticket;
use crate::compute::computed::{Computed, IN_FRAME_MS, Work};
use crate::compute::watched::watched;
use crate::export::compare::{Named, csv, markdown};
use crate::terminal::called;
use crate::tool::{Around, ToolKind, ToolPage};
use crate::widgets::{drawer, focus};
use crossover_chart::theme::Token;

/// Compares scenarios of one kind.
pub const TOOL: Tool =
    Tool { title: "Compare", tooltip: "See what differs between scenarios, and which of them is better" };
/// How its page is opened.
pub(crate) const KIND: ToolKind = ToolKind { tool: TOOL, open: |_| Box::new(Page::default()) };

/// What the scenarios are called among each other.
const PLACES: [&str; MOST] = ["baseline", "second scenario", "third scenario", "fourth scenario"];

/// The page.
#[derive(Debug)]
pub struct Page {
    /// Ids of the documents that were picked, the baseline first; empty: the one that was on screen last, and others of its
    /// kind.
    picked: Vec<String>,
    compared: Computed<Asked>,
}

impl Default for Page {
    fn default() -> Self {
        Self { picked: Vec::new(), compared: Computed::new() }
    }
}

/// What a comparison depends on.
#[derive(Debug, Clone)]
struct Asked {
    studies: Vec<Study>,
}

impl Work for Asked {
    type Outcome = Result<Comparison, String>;
    const NAME: &'static str = "comparison";
    const AGAIN: &'static str = "Compare";

    fn milliseconds(&self) -> f64 {
        // How long a study takes, nobody knows before.
        10.0 * IN_FRAME_MS
    }

    fn in_words(&self) -> String {
        format!("Evaluating {} scenarios", self.studies.len())
    }

    fn compute(&self, _: Option<&Self::Outcome>, ticket: &Ticket) -> Option<Self::Outcome> {
        let studies: Vec<&Study> = self.studies.iter().collect();
        let found = watched(ticket, studies.len(), |watch| compare(&studies, watch));
        found.map_err(|error| error.to_string()).transpose()
    }
}

impl ToolPage for Page {
    fn tool(&self) -> Tool {
        TOOL
    }

    fn status(&self) -> String {
        match self.compared.shown().map(AsRef::as_ref) {
            Some(Ok(comparison)) => format!("{} numbers differ", comparison.numbers.len()),
            _ => "nothing is compared".to_owned(),
        }
    }

    fn waits_for(&self) -> Option<&'static str> {
        self.compared.is_busy().then_some("the figures of a comparison")
    }

    fn ui(&mut self, ui: &mut Ui, around: &mut Around<'_>) {
        let targets: Vec<Target<'_>> = around.documents.iter().map(Target::new).collect();
        self.draw(ui, &targets, around.last, around.commands);
    }
}

impl Page {
    /// Draws the page; `last`: the document that was on screen last.
    fn draw(&mut self, ui: &mut Ui, targets: &[Target<'_>], last: Option<&str>, commands: &mut Vec<Command>) {
        // A document may have been closed.
        self.picked.retain(|id| targets.iter().any(|target| target.id == id));
        let Some(baseline) = Target::find(targets, self.picked.first().map(String::as_str), last) else {
            self.compared.forget();
            ui.centered_and_justified(|ui| ui.label("Open scenarios: those of one kind can be compared here"));
            return;
        };
        let alike: Vec<Target<'_>> =
            targets.iter().filter(|target| kind(target) == kind(baseline)).map(Target::clone).collect();
        let chosen = chosen(&alike, baseline, &self.picked);
        drawer::left(ui, "compare", ["Compare", "what is compared"], true, |ui| {
            self.choose(ui, targets, &alike, &chosen);
        });
        egui::CentralPanel::default().show(ui, |ui| {
            ScrollArea::both().auto_shrink(false).show(ui, |ui| {
                focus::follow(ui);
                self.answer(ui, &chosen, commands);
            });
        });
    }

    /// Which scenarios, the baseline first.
    fn choose(&mut self, ui: &mut Ui, all: &[Target<'_>], alike: &[Target<'_>], chosen: &[&Target<'_>]) {
        ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
            focus::follow(ui);
            ui.heading("Which scenarios?");
            let ids: Vec<String> = chosen.iter().map(|target| target.id.to_owned()).collect();
            for (place, name) in PLACES.into_iter().enumerate() {
                if place > chosen.len() || place >= alike.len() {
                    break;
                }
                ui.label(name);
                let now = chosen.get(place).copied();
                ui.horizontal(|ui| {
                    if place > 0 && now.is_some() {
                        let button = ui.button("×").on_hover_text("Leave this scenario out");
                        let leave_out = format!("leave out the {name}");
                        button.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, &leave_out));
                        if button.clicked() {
                            self.picked.clone_from(&ids);
                            self.picked.remove(place);
                        }
                    }
                    if let Some(id) = pick::scenario(ui, name, if place == 0 { all } else { alike }, now) {
                        self.picked = with_picked(&ids, place, id, all);
                    }
                });
            }
            if alike.len() > chosen.len() || alike.len() < all.len() {
                ui.add_space(6.0);
                ui.label(RichText::new("Scenarios of one kind can be compared, up to four of them.").weak());
            }
        });
    }

    /// What differs, and which scenario is better.
    fn answer(&mut self, ui: &mut Ui, chosen: &[&Target<'_>], commands: &mut Vec<Command>) {
        ui.heading("What differs, and which scenario is better?");
        if chosen.len() < 2 {
            self.compared.forget();
            let kind = chosen.first().map_or_else(|| "a scenario".to_owned(), |target| called(kind(target)));
            ui.label(format!("“{}” is {kind}, and the only one: open another one to compare them.", chosen[0].title));
            if ui.button("Open…").clicked() {
                commands.push(Command::Open);
            }
            return;
        }
        let is_same = |asked: &Asked| {
            let both = asked.studies.iter().zip(chosen);
            asked.studies.len() == chosen.len() && both.into_iter().all(|(asked, now)| *asked == now.scenario.study)
        };
        let ask = || Asked { studies: chosen.iter().map(|target| target.scenario.study.clone()).collect() };
        self.compared.refresh(ui.ctx(), is_same, ask);
        self.compared.state(ui);
        let Some(shown) = self.compared.shown().cloned() else { return };
        self.compared.dim(ui);
        let comparison = match &*shown {
            Ok(comparison) => comparison,
            Err(problem) => {
                ui.colored_label(Token::Error.color(ui.visuals().dark_mode), problem);
                return;
            }
        };
        // For a moment, one scenario more or less may be asked for than is shown.
        if comparison.differs_otherwise.len() != chosen.len() {
            return;
        }
        let names = names(chosen);
        let named = Named { names: &names, comparison };
        ui.label(named.answer());
        if let Some(otherwise) = named.otherwise() {
            ui.label(otherwise);
        }
        ui.horizontal_wrapped(|ui| {
            if ui.button("Copy as Markdown").on_hover_text("Both tables, for a document").clicked() {
                ui.ctx().copy_text(markdown(&named));
            }
            if ui.button("Copy as CSV").on_hover_text("Every number and figure, for a spreadsheet").clicked() {
                ui.ctx().copy_text(csv(&named));
            }
            let line = format!("crossover compare{}", " FILE".repeat(names.len()));
            ui.label(RichText::new(line).monospace().weak());
        });
        ui.add_space(8.0);
        tables::figures(ui, &named);
        ui.add_space(12.0);
        tables::numbers(ui, &named);
    }
}

fn kind(target: &Target<'_>) -> Kind {
    target.scenario.study.kind()
}

/// The scenarios that are compared: those that were picked, or with nothing picked the first of the baseline's kind.
fn chosen<'t, 'a>(alike: &'t [Target<'a>], baseline: &Target<'a>, picked: &[String]) -> Vec<&'t Target<'a>> {
    let find = |id: &str| alike.iter().find(|target| target.id == id);
    if picked.is_empty() {
        let others = alike.iter().filter(|target| target.id != baseline.id);
        find(baseline.id).into_iter().chain(others).take(MOST).collect()
    } else {
        picked.iter().filter_map(|id| find(id)).take(MOST).collect()
    }
}

/// The ids with another one at a place; one that stands elsewhere already changes places with it. A baseline of another kind
/// brings others of its kind.
fn with_picked(ids: &[String], place: usize, id: String, all: &[Target<'_>]) -> Vec<String> {
    let kind_of = |id: &String| all.iter().find(|target| target.id == id).map(kind);
    if ids.first().and_then(kind_of) != kind_of(&id) {
        let others = all.iter().filter(|target| Some(kind(target)) == kind_of(&id) && target.id != id);
        return std::iter::once(id.clone()).chain(others.map(|target| target.id.to_owned())).take(MOST).collect();
    }
    let mut ids = ids.to_vec();
    match (ids.iter().position(|other| *other == id), ids.len() > place) {
        (Some(elsewhere), true) => ids.swap(elsewhere, place),
        (Some(_), false) => {}
        (None, true) => ids[place] = id,
        (None, false) => ids.push(id),
    }
    ids
}

/// What the scenarios are called: their titles, with a number where two have the same.
fn names(chosen: &[&Target<'_>]) -> Vec<String> {
    let is_alone = |title: &str| chosen.iter().filter(|target| target.title == title).count() == 1;
    let name = |(place, target): (usize, &&Target<'_>)| {
        if is_alone(&target.title) { target.title.clone() } else { format!("{} ({})", target.title, place + 1) }
    };
    chosen.iter().enumerate().map(name).collect()
}
