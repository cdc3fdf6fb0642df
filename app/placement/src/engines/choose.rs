//! The inputs of both pages: cases and engines.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crossover_chart::theme::Token;
use crossover_engine::Profile;
use crossover_page::command::Command;
use crossover_page::document::Document;
use crossover_page::services::name_of;
use crossover_page::tool::PageContext;
use crossover_page::widgets::copied::copy;
use egui::{ComboBox, Label, RichText, Role, Ui, WidgetInfo};

use super::{Cases, Origin, Request, SharedState};

/// The columns of a file of cases, and a line of one.
const EXAMPLE: &str = "case,plan,format,scale,scenario,cpu_seconds,gpu_seconds\n\
                       q3,plans/q3.json,duckdb,sizes.csv,our-cluster.ron,44.1,19.8\n";
/// Width of a long name.
const WIDEST: f32 = 8.0;

/// The cases that were opened.
pub(super) fn cases<'a>(context: &PageContext<'a>) -> Option<&'a Cases> {
    context.cache.get::<SharedState>()?.cases.as_ref()
}

/// Whether the measurements that come with the program were asked for after the cases.
pub(super) fn wants_shipped(context: &PageContext<'_>) -> bool {
    context.cache.get::<SharedState>().is_some_and(|kept| kept.shows_shipped)
}

/// Shows which cases are read and offers others.
pub(super) fn which_cases(ui: &mut Ui, cases: &Cases, commands: &mut Vec<Command>) {
    ui.heading("Which cases?");
    let path = cases.file.display().to_string();
    ui.add(Label::new(name_of(&cases.file)).truncate().show_tooltip_when_elided(false)).on_hover_text(path);
    ui.horizontal_wrapped(|ui| {
        ask(ui, Request::PickCases, "Open…", commands);
        let again = ui.button("Read again").on_hover_text("Read the file, its plans and its scenarios again");
        if again.clicked() {
            commands.push(Command::ask(Request::UseCases(cases.file.clone())));
        }
    });
    ui.add_space(8.0);
}

/// Offers to open a file of cases, and shows its format.
pub(super) fn of_file(ui: &mut Ui, commands: &mut Vec<Command>) {
    ui.add_space(8.0);
    ask(ui, Request::PickCases, &crossover_page::ask::Ask::text(&Request::PickCases), commands);
    ui.add_space(12.0);
    ui.label("A file of cases is CSV. Paths are relative to it. A time may be empty, or “plan” for the duration in the plan:");
    ui.label(RichText::new(EXAMPLE.trim_end()).monospace());
    if ui.button("Copy these lines").clicked() {
        copy(ui, commands, EXAMPLE.to_owned(), "the example of a file of cases");
    }
    ui.add_space(4.0);
    ui.label(
        "“plan”: a Spark event log or EXPLAIN output of Spark, DuckDB or PostgreSQL; “scale”: a factor, or a CSV “table,rows” with \
         the sizes to plan for; “scenario”: a placement scenario with engines.",
    );
}

/// A button of a request.
pub(super) fn ask(ui: &mut Ui, request: Request, text: &str, commands: &mut Vec<Command>) {
    let tooltip = crossover_page::ask::Ask::tooltip(&request);
    if ui.button(text).on_hover_text(tooltip).clicked() {
        commands.push(Command::ask(request));
    }
}

/// Selected engines.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) enum Engines {
    /// Those of the cases' scenarios.
    #[default]
    OfCases,
    /// A profile that was opened or fitted, by its origin.
    Profile(Origin),
    /// Those of an open document, by its id.
    Document(String),
}

/// The file of a profile that the last window used, until it is read.
#[derive(Debug)]
pub(super) struct KeptProfile {
    file: PathBuf,
    is_requested: bool,
}

impl KeptProfile {
    /// A file that was not requested yet.
    pub(super) fn new(file: PathBuf) -> Self {
        Self { file, is_requested: false }
    }

    /// The file.
    pub(super) fn file(&self) -> &Path {
        &self.file
    }
}

impl Engines {
    /// The file of the selected profile, if the profile came from a file.
    pub(super) fn file(&self) -> Option<&Path> {
        match self {
            Self::Profile(Origin::File(file)) => Some(file),
            Self::Profile(Origin::FittedTo(_)) | Self::OfCases | Self::Document(_) => None,
        }
    }

    /// Selects the profile that the last window used, once it is read; requests it before.
    pub(super) fn take_kept(&mut self, kept: &mut Option<KeptProfile>, context: &mut PageContext<'_>) {
        let Some(profile) = kept else { return };
        let origin = Origin::File(profile.file.clone());
        if offered_profiles(context).iter().any(|named| named.origin == origin) {
            *self = Self::Profile(origin);
            *kept = None;
        } else if !std::mem::replace(&mut profile.is_requested, true) {
            context.commands.push(Command::ask(Request::ReadProfile(profile.file.clone())));
        }
    }

    /// The profile; none: those of the cases' scenarios. A profile that no longer exists is deselected.
    pub(super) fn profile(&mut self, context: &PageContext<'_>) -> Option<Arc<Profile>> {
        let found = match self {
            Self::OfCases => None,
            Self::Profile(origin) => {
                let named = offered_profiles(context).iter().find(|named| named.origin == *origin);
                named.map(|named| Arc::clone(&named.profile))
            }
            Self::Document(id) => {
                let document = context.documents.iter().find(|document| document.id == *id);
                document.and_then(profile_of).map(Arc::new)
            }
        };
        if found.is_none() {
            *self = Self::OfCases;
        }
        found
    }

    /// Selects a profile that was offered after the first `seen` offers; fits only on the page that checks them.
    pub(super) fn take_offer(&mut self, seen: &mut u64, takes_fits: bool, context: &PageContext<'_>) {
        let Some(kept) = context.cache.get::<SharedState>().filter(|kept| kept.offers > *seen) else { return };
        *seen = kept.offers;
        let newest = kept.profiles.last().map(|named| named.origin.clone());
        if let Some(origin) = newest.filter(|origin| takes_fits || matches!(origin, Origin::File(_))) {
            *self = Self::Profile(origin);
        }
    }

    /// Offers every available profile; `question` is the heading.
    pub(super) fn choose(&mut self, ui: &mut Ui, question: &str, context: &mut PageContext<'_>) {
        const OF_CASES: &str = "those of the cases’ scenarios";
        ui.heading(question);
        let selected = match self {
            Self::OfCases => OF_CASES.to_owned(),
            Self::Profile(origin) => origin.name(),
            Self::Document(id) => title(context.documents, id),
        };
        let combo = ComboBox::from_id_salt("engines").selected_text(selected).truncate();
        let combo = combo.width(ui.available_width() - WIDEST).show_ui(ui, |ui| {
            let mut offer = |ui: &mut Ui, other: Self, text: &str| {
                if ui.selectable_label(*self == other, text).clicked() {
                    *self = other;
                }
            };
            offer(ui, Self::OfCases, OF_CASES);
            for named in offered_profiles(context) {
                let is_unique = offered_profiles(context).iter().filter(|other| other.name == named.name).count() == 1;
                let path = named.origin.path().display();
                let text = if is_unique { named.name.clone() } else { format!("{} ({path})", named.name) };
                offer(ui, Self::Profile(named.origin.clone()), &text);
            }
            for document in context.documents.iter().filter(|document| has_engines(document)) {
                offer(ui, Self::Document(document.id.clone()), document.label());
            }
        });
        combo.response.widget_info(|| WidgetInfo::labeled(Role::ComboBox, true, question));
        ask(ui, Request::PickProfile, "Open a profile…", context.commands);
        ui.add_space(8.0);
    }
}

fn offered_profiles<'a>(context: &PageContext<'a>) -> &'a [super::Named] {
    context.cache.get::<SharedState>().map_or(&[], |kept| &kept.profiles)
}

fn title(documents: &[Document], id: &str) -> String {
    documents.iter().find(|document| document.id == id).map(Document::title).unwrap_or_default()
}

fn has_engines(document: &Document) -> bool {
    document.scenario.placement().is_some_and(|study| study.engines.is_some())
}

fn profile_of(document: &Document) -> Option<Profile> {
    document.scenario.placement()?.profile()
}

/// Notes of a reading, each on a line.
pub(super) fn notes(ui: &mut Ui, notes: &[String]) {
    for note in notes {
        let stop = if note.ends_with('?') { "" } else { "." };
        ui.colored_label(Token::Warning.color(ui.visuals().dark_mode), format!("Note: {note}{stop}"));
    }
}

/// Why there is no result.
pub(super) fn problem(ui: &mut Ui, problem: &str) {
    ui.colored_label(Token::Error.color(ui.visuals().dark_mode), problem);
}
