//! The prompt for a query of a file and its hardware.

use std::sync::Arc;

use crossover_chart::theme::Token;
use crossover_plan::{Cluster, Query};
use crossover_quantity::text::counted;
use egui::{
    Button, CollapsingHeader, ComboBox, Context, Id, Key, Label, Modal, Modifiers, RichText, Role, ScrollArea,
    TextEdit, Ui, WidgetInfo,
};

use super::found::{Found, Listing, obstacle};
use super::hardware::{Hardware, HardwareChoice};
use super::{count, table};

/// Widest prompt, in points.
const WIDEST: f32 = 980.0;
/// Height of everything but the table and the warnings, in points.
const AROUND: f32 = 290.0;
/// Height of the warnings when they are open, in points.
const WARNINGS: f32 = 84.0;
/// Rows that a page key moves by.
const PAGE: isize = 12;
/// Warnings that are shown unfolded.
const WARNINGS_AT_ONCE: usize = 2;

/// A file with the prompt for one of its queries.
pub(super) struct Choosing {
    pub(super) found: Arc<Found>,
    pub(super) hardware: Vec<HardwareChoice>,
    /// The chosen hardware.
    pub(super) chosen: usize,
    pub(super) listing: Listing,
    /// Id of the filter once it has been drawn.
    filter: Option<Id>,
    /// Whether the selected row must be brought into view.
    scroll: bool,
    /// Whether the whole application can be decided: of Spark's logs and with the shipped engines.
    has_application: bool,
    /// Whether the file can be read as a fleet.
    has_fleet: bool,
}

/// The answer to the prompt.
pub(super) enum Answer {
    /// Nothing yet.
    None,
    /// To open the query at this place of the file, with the answer about it.
    Query(usize),
    /// To open the same query with the answer about the whole application.
    Application(usize),
    /// To read the file as a fleet.
    Fleet,
    /// To open nothing.
    Cancel,
}

impl Choosing {
    pub(super) fn new(
        found: Arc<Found>,
        hardware: Vec<HardwareChoice>,
        has_application: bool,
        has_fleet: bool,
    ) -> Self {
        let listing = Listing::new(&found);
        Self { found, hardware, chosen: 0, listing, filter: None, scroll: true, has_application, has_fleet }
    }

    /// Draws the prompt.
    pub(super) fn draw(&mut self, ctx: &Context) -> Answer {
        let size = ctx.content_rect().size();
        let (mut is_accepted, mut is_cancelled) = (self.keys(ctx), false);
        let (mut is_application, mut is_fleet) = (false, false);
        let found = Arc::clone(&self.found);
        let modal = Modal::new(Id::unique("which query")).show(ctx, |ui| {
            ui.set_width((size.x - 64.0).min(WIDEST));
            ui.heading("Which query?");
            about(ui, &found);
            warnings(ui, &found.warnings);
            ui.add_space(4.0);
            self.filter(ui);
            ui.add_space(2.0);
            let height = (size.y - AROUND - if found.warnings.is_empty() { 0.0 } else { WARNINGS }).clamp(110.0, 460.0);
            is_accepted |= table::show(ui, &found, &mut self.listing, std::mem::take(&mut self.scroll), height);
            ui.add_space(4.0);
            let query = self.listing.place().and_then(|_| found.query(self.listing.selected?));
            detail(ui, query);
            ui.add_space(4.0);
            self.hardware(ui);
            ui.add_space(8.0);
            ui.horizontal(|ui| {
                let hindrance = match query {
                    None => Some("No query is selected"),
                    Some(query) => obstacle(query),
                };
                let open = |ui: &mut Ui, hindrance: Option<&str>, text: &str, meaning: &str| {
                    let button = ui.add_enabled(hindrance.is_none(), Button::new(text));
                    button.on_hover_text(meaning).on_disabled_hover_text(hindrance.unwrap_or_default()).clicked()
                };
                is_accepted |= open(ui, hindrance, "Open as new scenario", "The answer about this query");
                if self.has_application {
                    let is_decided = matches!(self.hardware.get(self.chosen), Some(one) if one.hardware.is_shipped());
                    let without = (!is_decided).then_some("Only measured engines decide about an application");
                    let meaning = "The answer about the whole application, beside this query";
                    is_application = open(ui, hindrance.or(without), "Open whole application", meaning);
                }
                if self.has_fleet {
                    let fleet = ui.button("Read in Fleet");
                    let text = "Read the whole log as a fleet of one application: its time, its options and its saving";
                    is_fleet = fleet.on_hover_text(text).clicked();
                }
                is_cancelled = ui.button("Cancel").clicked();
                ui.weak("arrows choose, Enter opens, Esc cancels");
            });
        });
        let selected = self.listing.place().and(self.listing.selected);
        let can_open = |index: &usize| found.query(*index).is_some_and(|query| obstacle(query).is_none());
        if is_fleet {
            return Answer::Fleet;
        }
        match selected.filter(can_open) {
            Some(query) if is_application => Answer::Application(query),
            Some(query) if is_accepted => Answer::Query(query),
            _ if is_cancelled || modal.should_close() => Answer::Cancel,
            _ => Answer::None,
        }
    }

    /// Moves the selection by keys; true after Enter. A focused widget keeps its keys.
    fn keys(&mut self, ctx: &Context) -> bool {
        let focused = ctx.memory(egui::Memory::focused);
        if (focused.is_some() && focused != self.filter) || egui::Popup::is_any_open(ctx) {
            return false;
        }
        let pressed = |key: Key| ctx.input_mut(|input| input.consume_key(Modifiers::NONE, key));
        for (key, by) in [(Key::ArrowUp, -1), (Key::ArrowDown, 1), (Key::PageUp, -PAGE), (Key::PageDown, PAGE)] {
            if pressed(key) {
                self.listing.step(by);
                self.scroll = true;
            }
        }
        pressed(Key::Enter)
    }

    fn filter(&mut self, ui: &mut Ui) {
        ui.horizontal(|ui| {
            let label = ui.label("Filter");
            let edit = TextEdit::singleline(&mut self.listing.filter)
                .desired_width(320.0)
                .hint_text("a part of an id or a description");
            let edit = ui.add(edit).labelled_by(label.id);
            if self.filter.is_none() {
                edit.request_focus();
            }
            self.filter = Some(edit.id);
            if edit.changed() {
                self.listing.refresh(&self.found);
                self.scroll = true;
            }
            let (shown, all) = (self.listing.shown.len(), self.found.rows.len());
            if shown < all {
                ui.weak(format!("{} of {}", count(shown), queries(all)));
            }
        });
    }

    fn hardware(&mut self, ui: &mut Ui) {
        ui.horizontal_wrapped(|ui| {
            ui.label("Planned for");
            let name = self.hardware.get(self.chosen).map_or("", |offered| offered.name.as_str());
            let combo = ComboBox::from_id_salt("hardware").selected_text(name).width(280.0).show_ui(ui, |ui| {
                for (index, offered) in self.hardware.iter().enumerate() {
                    ui.selectable_value(&mut self.chosen, index, &offered.name);
                }
            });
            combo.response.widget_info(|| WidgetInfo::labeled(Role::ComboBox, true, "planned for"));
            let is_of_file =
                self.hardware.get(self.chosen).is_some_and(|one| !matches!(one.hardware, Hardware::Document(_)));
            if is_of_file && self.found.import.cluster != Cluster::default() {
                ui.weak("with the machines of the file");
            }
        });
    }
}

/// The origin of the queries, and the machines according to the file.
fn about(ui: &mut Ui, found: &Found) {
    let import = &found.import;
    let application =
        if import.application.is_empty() { String::new() } else { format!("“{}”", import.application) };
    let parts = [import.file.clone(), import.engine.clone(), application, queries(import.queries.len())];
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    ui.add(Label::new(parts.join("  ·  ")).truncate());
    ui.weak(machines(&import.cluster));
}

/// "Machines according to the file: 4 machines, 16 cores each".
fn machines(cluster: &Cluster) -> String {
    let mut facts = Vec::new();
    let mut fact = |number: Option<u64>, one: &str, each: &str| {
        if let Some(number) = number {
            facts.push(counted(number as f64, one) + each);
        }
    };
    fact(cluster.machines, "machine", "");
    fact(cluster.cores_per_machine, "core", " each");
    fact(cluster.gpus_per_machine, "GPU", " each");
    facts.extend(cluster.machine_type.clone());
    if facts.is_empty() {
        "The file has no data about the machines".to_owned()
    } else {
        format!("Machines according to the file: {}", facts.join(", "))
    }
}

/// Warnings about the file; many are folded.
fn warnings(ui: &mut Ui, texts: &[String]) {
    let color = Token::Warning.color(ui.visuals().dark_mode);
    let at_once = if texts.len() > WARNINGS_AT_ONCE { 1 } else { texts.len() };
    let (first, others) = texts.split_at(at_once);
    let warning = |ui: &mut Ui, text: &String| {
        ui.add(Label::new(RichText::new(format!("Warning: {text}")).color(color)).wrap());
    };
    for text in first {
        warning(ui, text);
    }
    if !others.is_empty() {
        let title = RichText::new(counted(others.len() as f64, "more warning")).color(color);
        CollapsingHeader::new(title).id_salt("warnings").show(ui, |ui| {
            ScrollArea::vertical().max_height(WARNINGS - 24.0).show(ui, |ui| {
                for text in others {
                    warning(ui, text);
                }
            });
        });
    }
}

/// The whole description of the selected query, and its error.
fn detail(ui: &mut Ui, query: Option<&Query>) {
    let dark = ui.visuals().dark_mode;
    let height = 2.0 * ui.text_style_height(&egui::TextStyle::Body);
    ui.allocate_ui(egui::vec2(ui.available_width(), height), |ui| {
        ui.set_min_height(height);
        let Some(query) = query else {
            ui.weak("No id or description matches the filter");
            return;
        };
        let (text, token) = match (&query.failure, obstacle(query)) {
            (_, Some(reason)) => (format!("{reason}; it cannot be opened"), Token::Warning),
            (Some(failure), None) => (format!("The query failed: {failure}"), Token::Error),
            (None, None) => (query.description.clone(), Token::TextWeak),
        };
        let short: String = text.split_whitespace().take(60).collect::<Vec<_>>().join(" ");
        let job = RichText::new(short).color(token.color(dark));
        let mut job =
            egui::WidgetText::from(job).into_layout_job(ui.style(), egui::FontSelection::Default, egui::Align::Min);
        let job_mut = Arc::make_mut(&mut job);
        job_mut.wrap.max_width = ui.available_width();
        job_mut.wrap.max_rows = 2;
        ui.add(Label::new(job));
    });
}

/// "1 query", "1,234 queries".
fn queries(number: usize) -> String {
    counted(number as f64, "query")
}
