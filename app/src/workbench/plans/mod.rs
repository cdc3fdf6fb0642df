//! Importing query plans. One file after the other is read on a thread of its own; of a file with several queries
//! the user says which one is opened.

mod found;
mod hardware;
mod lists;
mod prompt;
mod reading;
mod table;

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crossover_model::unit::Unit;
use crossover_plan::scenario;
use egui::Context;

use super::typed_path::TypedPath;
use super::{Notice, Workbench};
use crate::document::Document;
use crate::jobs::Purpose;
use crate::storage::plan::PlanReader;
use crate::studies::placement::request::Request;
use found::{Found, obstacle};
use hardware::Hardware;
use prompt::{Answer, Choosing};
use reading::{Reading, Wish};

/// Nodes of a file that is kept, so that another of its queries opens at once: some hundred megabytes.
const MOST_KEPT: usize = 100_000;
/// Notes of a file that a message quotes.
const QUOTED: usize = 3;

/// Files that are imported.
pub(super) struct Imports {
    reader: PlanReader,
    reading: Option<Reading>,
    /// Files that are read when the present one is done with.
    waiting: VecDeque<PathBuf>,
    choosing: Option<Choosing>,
    kept: Option<Kept>,
}

/// The file that was imported last.
struct Kept {
    found: Arc<Found>,
    /// Documents that were made of it.
    documents: Vec<String>,
}

impl Imports {
    pub(super) fn new(reader: PlanReader) -> Self {
        Self { reader, reading: None, waiting: VecDeque::new(), choosing: None, kept: None }
    }

    /// Whether a file is being read.
    pub(super) fn is_reading(&self) -> bool {
        self.reading.is_some()
    }

    /// Whether the user is asked which query is opened.
    pub(super) fn is_choosing(&self) -> bool {
        self.choosing.is_some()
    }

    /// Whether there are other queries of the file that was imported last.
    pub(super) fn has_another(&self) -> bool {
        self.kept.as_ref().is_some_and(|kept| kept.found.rows.len() > 1)
    }

    /// Ends what is being read, and forgets what waits.
    pub(super) fn end(&mut self) {
        self.reading = None;
        self.waiting.clear();
    }

    /// A document is closed: with the last one of a file goes what is kept of it.
    pub(super) fn closed(&mut self, document: &str) {
        if let Some(kept) = &mut self.kept
            && kept.documents.iter().any(|id| id == document)
        {
            kept.documents.retain(|id| id != document);
            if kept.documents.is_empty() && self.choosing.is_none() {
                self.kept = None;
            }
        }
    }
}

impl Workbench {
    /// Carries out what is asked about query plans.
    pub(super) fn plan_request(&mut self, request: Request) {
        match request {
            Request::Import => self.ask(Purpose::Plan, "Import a query plan", "", String::new()),
            Request::ImportFolder => self.ask(Purpose::PlanFolder, "Import a Spark log", "", String::new()),
            Request::TypePath => self.typed_path = Some(TypedPath::new(Purpose::Plan, "", String::new())),
            Request::ImportFile(path) => self.import_file(path),
            Request::Another => self.choose_another(),
            Request::Use(list) => self.ask_for_list(list),
            Request::UseFile(path) => self.use_list(path),
            Request::Remove(list) => self.remove_list(list),
        }
    }

    /// Reads a file or folder as soon as those before it are done with.
    pub(super) fn import_file(&mut self, path: PathBuf) {
        self.imports.waiting.push_back(path);
    }

    /// Takes what was read, and begins with the next file.
    pub(super) fn receive_plans(&mut self, ctx: &Context) {
        if let Some(result) = self.imports.reading.as_mut().and_then(Reading::poll) {
            self.imports.reading = None;
            match result {
                Ok(found) => self.take_found(found),
                Err(problem) => self.notify_error(problem),
            }
        }
        if self.imports.reading.is_none()
            && self.imports.choosing.is_none()
            && let Some(path) = self.imports.waiting.pop_front()
        {
            self.imports.reading = Some(Reading::start(ctx, self.imports.reader.clone(), path));
        }
    }

    /// Opens the only query, or asks which one.
    fn take_found(&mut self, found: Found) {
        let found = Arc::new(found);
        self.imports.kept = None;
        match found.import.queries.as_slice() {
            [] => self.notify_error(format!("{}: there is no query in it; nothing was opened", found.import.file)),
            [query] => match obstacle(query) {
                Some(reason) => {
                    self.notify_error(format!("{}: {reason}; nothing was opened", found.import.file));
                }
                None => self.open_only(&found),
            },
            _ => {
                if found.nodes <= MOST_KEPT {
                    self.imports.kept = Some(Kept { found: Arc::clone(&found), documents: Vec::new() });
                }
                self.choose(found);
            }
        }
    }

    fn choose(&mut self, found: Arc<Found>) {
        let offered = hardware::offered(&self.documents, self.active);
        self.imports.choosing = Some(Choosing::new(found, offered));
    }

    fn choose_another(&mut self) {
        match &self.imports.kept {
            Some(kept) if self.imports.has_another() => self.choose(Arc::clone(&kept.found)),
            _ => self.notify("No file with several queries is in memory; import it again"),
        }
    }

    fn open_only(&mut self, found: &Arc<Found>) {
        let offered = hardware::offered(&self.documents, self.active);
        let hardware = offered.into_iter().next().map_or(Hardware::Template, |offered| offered.hardware);
        let Some(opened) = self.open_query(found, 0, &hardware) else { return };
        let mut texts = prompt::texts(found);
        if texts.is_empty() {
            self.notify(opened);
        } else {
            let more = texts.len().saturating_sub(QUOTED);
            texts.truncate(QUOTED);
            if more > 0 {
                texts.push(format!("and {} more notes", count(more)));
            }
            // What was left out stays on screen until it is read.
            let text = format!("{opened}. {}", texts.join("; "));
            self.notices.push(Notice { text, is_error: false, until: None });
        }
    }

    /// Shows the file that is being read, and carries out what the user wants of it.
    pub(super) fn import_progress(&mut self, ctx: &Context) {
        let Some(reading) = &self.imports.reading else { return };
        let wish = reading.show(ctx, self.imports.waiting.len());
        let text = format!("The import of {} was cancelled; nothing was opened", name_of(reading.path()));
        match wish {
            Wish::Nothing => return,
            Wish::Cancel => self.imports.reading = None,
            Wish::CancelAll => self.imports.end(),
        }
        self.notify(text);
        // The next file is begun in the next frame.
        ctx.request_repaint();
    }

    /// Asks which query is opened.
    pub(super) fn query_prompt(&mut self, ctx: &Context) {
        let Some(mut choosing) = self.imports.choosing.take() else { return };
        match choosing.show(ctx) {
            Answer::None => self.imports.choosing = Some(choosing),
            Answer::Cancel => ctx.request_repaint(),
            Answer::Open(query) => {
                let hardware = choosing.hardware.get(choosing.chosen).map(|offered| offered.hardware.clone());
                let hardware = hardware.unwrap_or(Hardware::Template);
                if let Some(opened) = self.open_query(&choosing.found, query, &hardware) {
                    self.notify(opened);
                }
                ctx.request_repaint();
            }
        }
    }

    /// Makes a document of a query and shows it; gives a message that says so, or tells the user why not.
    fn open_query(&mut self, found: &Arc<Found>, index: usize, hardware: &Hardware) -> Option<String> {
        let query = found.query(index)?;
        let file = &found.import.file;
        let scenario = match hardware::base(hardware, &self.documents) {
            Ok((base, machines)) => scenario::scenario(&base, machines, &found.import, query),
            Err(problem) => {
                self.notify_error(problem);
                return None;
            }
        };
        if let Err(invalid) = scenario.study.validate() {
            let (path, problem) = (invalid.path, invalid.problem);
            self.notify_error(format!("{file}, query {}: {path}: {problem}; nothing was opened", query.id));
            return None;
        }
        let operators = found.rows.get(index).map_or(0, |row| row.operators);
        let operators = format!("{} {}", count(operators), if operators == 1 { "operator" } else { "operators" });
        let document = self.add(|id| Document::recovered(id, None, scenario));
        if let Some(kept) = &mut self.imports.kept
            && Arc::ptr_eq(&kept.found, found)
        {
            kept.documents.push(document);
        }
        Some(format!("Opened {} of {file}: {operators}", scenario::query_name(query)))
    }
}

/// The last part of a path.
fn name_of(path: &Path) -> String {
    path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
}

/// A number with separators: "1,234".
fn count(number: impl TryInto<u64>) -> String {
    Unit::Count.format(number.try_into().unwrap_or(u64::MAX) as f64)
}
