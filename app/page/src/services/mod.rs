//! What a kind of study may do in the window: read the open documents, and request services with side effects.
//!
//! A service is a `SideEffect`; the workbench carries it out after the function returns, and passes its result to the callback
//! of the service.

mod pick;

use std::path::{Path, PathBuf};

use crossover_plan::Control;
use crossover_quantity::invalid::Invalid;
use crossover_scenario::{Scenario, Study};
use egui::Context;

use crate::cache::Cache;
use crate::command::Tool;
use crate::document::Document;
use crate::document_ids::DocumentIds;
use crate::lazy_text::LazyText;
use crate::page::MakePage;

pub use pick::{Addresses, Pick, Target};

/// Callback for a result.
pub type Then = Box<dyn FnOnce(&mut Services<'_>) + Send>;
/// Callback for a file that the user picked.
pub type ThenPath = Box<dyn FnOnce(&mut Services<'_>, PathBuf) + Send>;

/// The open documents.
pub struct OpenDocuments<'a> {
    /// Them, in the order of their tabs.
    pub documents: &'a mut Vec<Document>,
    /// Which of them is on screen; beyond the last one if a tool is.
    pub active: &'a mut usize,
    /// Makes the id of the next document.
    pub ids: &'a mut DocumentIds,
    /// Makes the page of a document.
    pub make_page: MakePage,
}

/// The open documents, and the services of the window.
pub struct Services<'a> {
    /// The window.
    ctx: Context,
    open: OpenDocuments<'a>,
    /// Values of kinds of studies, kept while the window is open.
    cache: &'a mut Cache,
    /// The requested services, in order.
    effects: &'a mut Vec<SideEffect>,
}

/// A requested service.
pub enum SideEffect {
    /// Show a message.
    Notify(String, Tone),
    /// Ask for a file to read.
    Pick {
        /// The dialog.
        pick: Pick,
        /// Whether its path is typed even where there are dialogs.
        is_typed: bool,
        /// Callback for its path.
        then: ThenPath,
    },
    /// Ask for a file name and write this there.
    Save {
        /// Title of the dialog.
        title: &'static str,
        /// What is written, as a part of the name: the title of the document on screen, if there is one, comes before it.
        what: &'static str,
        /// Extension of the file.
        extension: &'static str,
        /// The text.
        text: LazyText,
    },
    /// Work on a separate thread.
    Work {
        /// Name of the thread.
        name: &'static str,
        /// The work.
        work: Box<dyn FnOnce() -> Then + Send>,
    },
    /// Read a file after the queued ones, with a window that shows progress and can cancel.
    Read(Read),
    /// Ask the user, after the queued questions.
    Ask(Box<dyn Question>),
    /// Show the page of a tool.
    ShowTool(Tool),
}

/// How a message is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// For a few seconds.
    Short,
    /// Until the user has read it.
    Lasting,
    /// Until the user has read it, as an error.
    Error,
}

/// Reads a file; reports progress to the control, which can cancel it.
pub type ReadWork = Box<dyn FnOnce(&Path, &Control) -> Then + Send>;

/// A file to read.
pub struct Read {
    /// Title of the progress window.
    pub title: &'static str,
    /// The file.
    pub path: PathBuf,
    /// Reads it.
    pub work: ReadWork,
}

/// A question above the window. Nothing else can be done before it is answered.
pub trait Question {
    /// Draws it; false once it is answered or obsolete.
    fn show(&mut self, services: &mut Services<'_>) -> bool;

    /// Whether a computation for it is running.
    fn is_busy(&self) -> bool {
        false
    }
}

impl<'a> Services<'a> {
    /// The services of a window for its open documents; what is requested is appended to the effects.
    #[must_use]
    pub fn new(ctx: Context, open: OpenDocuments<'a>, cache: &'a mut Cache, effects: &'a mut Vec<SideEffect>) -> Self {
        Self { ctx, open, cache, effects }
    }
}

impl Services<'_> {
    /// The window.
    #[must_use]
    pub fn ctx(&self) -> &Context {
        &self.ctx
    }

    /// The open documents, in the order of their tabs.
    #[must_use]
    pub fn documents(&self) -> &[Document] {
        self.open.documents
    }

    /// The tab index of the document on screen; beyond the last one if a tool is on screen.
    #[must_use]
    pub fn place_on_screen(&self) -> usize {
        *self.open.active
    }

    /// The document on screen.
    #[must_use]
    pub fn on_screen(&self) -> Option<&Document> {
        self.open.documents.get(*self.open.active)
    }

    /// The scenario on screen, with its page if that has this type.
    pub fn page_on_screen<P: 'static>(&mut self) -> Option<(&mut P, &Scenario)> {
        let document = self.open.documents.get_mut(*self.open.active)?;
        Some((document.view.page_mut()?, &*document.scenario))
    }

    /// An open document.
    #[must_use]
    pub fn document(&self, id: &str) -> Option<&Document> {
        self.open.documents.iter().find(|document| document.id == id)
    }

    /// Opens a scenario without a file as a document and shows it; returns its id.
    pub fn open(&mut self, scenario: Scenario) -> String {
        let id = self.open.ids.make();
        self.open.documents.push(Document::recovered(self.open.make_page, id.clone(), None, scenario));
        *self.open.active = self.open.documents.len() - 1;
        id
    }

    /// Shows a document.
    pub fn show(&mut self, id: &str) {
        if let Some(index) = self.open.documents.iter().position(|document| document.id == id) {
            *self.open.active = index;
        }
    }

    /// Changes a document in one undo step.
    pub fn edit(&mut self, id: &str, edit: impl FnOnce(&mut Study)) {
        if let Some(document) = self.open.documents.iter_mut().find(|document| document.id == id) {
            // An earlier edit is a separate step.
            let before = document.settle();
            edit(&mut document.scenario.study);
            let taken_back = before.and(document.settle());
            if let Err(invalid) = taken_back {
                self.notify_error(undone_because(&invalid));
            }
        }
    }

    /// Changes values that no file stores; see [`Document::amend`].
    pub fn amend(&mut self, id: &str, amend: impl Fn(&mut Scenario)) {
        if let Some(document) = self.open.documents.iter_mut().find(|document| document.id == id) {
            document.amend(amend);
        }
    }

    /// Shows the page of a tool.
    pub fn show_tool(&mut self, tool: Tool) {
        self.effects.push(SideEffect::ShowTool(tool));
    }

    /// Values of kinds of studies, kept while the window is open.
    pub fn cache(&mut self) -> &mut Cache {
        self.cache
    }

    /// Shows a short message.
    pub fn notify(&mut self, text: impl Into<String>) {
        self.effects.push(SideEffect::Notify(text.into(), Tone::Short));
    }

    /// Shows a message that stays until it is read.
    pub fn notify_lasting(&mut self, text: impl Into<String>) {
        self.effects.push(SideEffect::Notify(text.into(), Tone::Lasting));
    }

    /// Shows an error.
    pub fn notify_error(&mut self, text: impl Into<String>) {
        self.effects.push(SideEffect::Notify(text.into(), Tone::Error));
    }

    /// Asks for a file, in a dialog or by its path where there is none.
    pub fn pick(&mut self, pick: Pick, then: impl FnOnce(&mut Services<'_>, PathBuf) + Send + 'static) {
        self.effects.push(SideEffect::Pick { pick, is_typed: false, then: Box::new(then) });
    }

    /// Asks for the path of a file, without a dialog.
    pub fn type_path(&mut self, pick: Pick, then: impl FnOnce(&mut Services<'_>, PathBuf) + Send + 'static) {
        self.effects.push(SideEffect::Pick { pick, is_typed: true, then: Box::new(then) });
    }

    /// Asks for a file name, which begins with the title of the document on screen, and writes a text there.
    pub fn save(&mut self, title: &'static str, what: &'static str, extension: &'static str, text: LazyText) {
        self.effects.push(SideEffect::Save { title, what, extension, text });
    }

    /// Works on a separate thread, then calls back with the result.
    pub fn work<T: Send + 'static>(
        &mut self,
        name: &'static str,
        work: impl FnOnce() -> T + Send + 'static,
        then: impl FnOnce(&mut Services<'_>, T) + Send + 'static,
    ) {
        let work = Box::new(move || -> Then {
            let result = work();
            Box::new(move |services: &mut Services<'_>| then(services, result))
        });
        self.effects.push(SideEffect::Work { name, work });
    }

    /// Reads a file on a separate thread, with a progress window, then calls back with the result; never after a
    /// cancellation.
    pub fn read<T: Send + 'static>(
        &mut self,
        title: &'static str,
        path: PathBuf,
        read: impl FnOnce(&Path, &Control) -> T + Send + 'static,
        then: impl FnOnce(&mut Services<'_>, T) + Send + 'static,
    ) {
        let work = Box::new(move |path: &Path, control: &Control| -> Then {
            let result = read(path, control);
            Box::new(move |services: &mut Services<'_>| then(services, result))
        });
        self.effects.push(SideEffect::Read(Read { title, path, work }));
    }

    /// Asks the user.
    pub fn ask(&mut self, question: impl Question + 'static) {
        self.effects.push(SideEffect::Ask(Box::new(question)));
    }
}

/// The message about an edit that was undone because it was not valid.
#[must_use]
pub fn undone_because(Invalid { path, problem }: &Invalid) -> String {
    format!("Undone: {path} would not be valid: {problem}")
}

/// The last part of a path.
#[must_use]
pub fn name_of(path: &Path) -> String {
    path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
}
