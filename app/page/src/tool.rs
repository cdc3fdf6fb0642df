//! Pages that are no documents: each tool has one tab. What a tool shows of a document is kept with the document, in
//! [`Views`]; its page changes to another document only when the user chooses one or opens the
//! tool from it.

use std::any::Any;
use std::collections::BTreeMap;
use std::ops::{Deref, DerefMut};
use std::path::Path;

use crossover_chart::Chart;
use crossover_export::charts::charts_csv;
use crossover_scenario::views::ZoomView;
use crossover_scenario::{Kind, Views};
use egui::{Context, Id, Ui};
use serde::{Deserialize, Serialize};

use crate::cache::Cache;
use crate::command::{Command, Tool};
use crate::document::Document;
use crate::lazy_text::LazyText;
use crate::offer::Offering;
use crate::page_memory::PageMemory;

/// A tool, and how its page is opened.
pub struct ToolKind {
    /// The tool.
    pub tool: Tool,
    /// Its page as it is first shown.
    pub open: fn(&mut Beginning<'_>) -> Box<dyn ToolPage>,
}

/// Arguments of the page of a tool.
pub struct Beginning<'a> {
    /// The program that measures.
    pub program: &'a Path,
    /// The window.
    pub ctx: &'a Context,
    /// Commands for the workbench.
    pub commands: &'a mut Vec<Command>,
}

/// What the page of a tool may read besides its own state.
pub struct PageContext<'a> {
    /// The open documents, in the order of their tabs.
    pub documents: &'a [Document],
    /// The id of the document that was on screen last.
    pub last: Option<&'a str>,
    /// Name of the adapter that draws the window.
    pub drawn_by: Option<&'a str>,
    /// Values that are kept while the window is open.
    pub cache: &'a Cache,
    /// The free choices of a search in a study of a kind.
    pub offering: fn(Kind) -> &'static dyn Offering,
    /// Commands for the workbench.
    pub commands: &'a mut Vec<Command>,
}

/// What the page of a tool shows of its document. It is kept with the tab, so that the next start shows the same, also where the
/// document keeps nothing because the user changed no setting.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ShownTool {
    /// The settings of the page.
    pub views: Views,
    /// Values of each number that were evaluated, of a page that evaluates as many as are quick; else 0.
    pub points: usize,
}

/// The page of a tool.
pub trait ToolPage: Any {
    /// Which tool it is.
    fn tool(&self) -> Tool;

    /// One line for the status bar.
    fn status(&self) -> String;

    /// What it waits for, in words, if a result will arrive soon.
    fn waits_for(&self) -> Option<&'static str> {
        None
    }

    /// Whether closing would end running work.
    fn is_at_work(&self) -> bool {
        false
    }

    /// The prompt before running work is cancelled: question, consequence, and the texts of the two buttons.
    fn cancel_prompt(&self) -> [&'static str; 4] {
        [
            "Cancel the measurement?",
            "A measurement is running. Results so far are kept under Earlier runs.",
            "Cancel and close",
            "Keep measuring",
        ]
    }

    /// Whether a question is open.
    fn is_modal(&self) -> bool {
        false
    }

    /// The document that it is about, by its id; none if it is about no document or about all.
    fn target(&self) -> Option<&str> {
        None
    }

    /// The user opens it from this document, by its id: it is about that document from now on.
    fn set_target(&mut self, _document: &str) {}

    /// What it shows of its document, for the next start; `None` where that follows from the document alone.
    fn shown(&self) -> Option<ShownTool> {
        None
    }

    /// Begins with what the last window showed of its document; called after [`Self::set_target`].
    fn begin_with(&mut self, _shown: ShownTool) {}

    /// The charts that are on the screen now, in their order.
    fn charts(&self) -> Vec<Chart> {
        Vec::new()
    }

    /// The numbers behind these charts as CSV; `None` without a chart. By default those that the charts are drawn from.
    fn data_csv(&self) -> Option<LazyText> {
        let charts = self.charts();
        (!charts.is_empty()).then(|| LazyText::new(move || charts_csv(&charts)))
    }

    /// What is needed beside documents to show the same tab again, at the next start or after it was closed, as text; `None`: nothing.
    fn kept(&self, _cache: &Cache) -> Option<String> {
        None
    }

    /// Begins with what the last window or the closed tab kept by [`ToolPage::kept`].
    ///
    /// # Errors
    /// The text cannot be read, for example because another version wrote it; the message has the reason.
    fn restore(&mut self, _kept: &str, _cache: &mut Cache) -> Result<(), String> {
        Ok(())
    }

    /// Draws the page.
    fn ui(&mut self, ui: &mut Ui, context: &mut PageContext<'_>);
}

/// The page of an open tool, with what egui keeps of its widgets.
pub struct ToolView {
    page: Box<dyn ToolPage>,
    memory: PageMemory,
}

impl ToolView {
    /// The view of a tool as it is first shown.
    #[must_use]
    pub fn new(page: Box<dyn ToolPage>) -> Self {
        Self { page, memory: PageMemory::default() }
    }

    /// The page, if it has this type.
    #[must_use]
    pub fn page<P: 'static>(&self) -> Option<&P> {
        let page: &dyn Any = &*self.page;
        page.downcast_ref()
    }

    /// The page, if it has this type, mutable.
    pub fn page_mut<P: 'static>(&mut self) -> Option<&mut P> {
        let page: &mut dyn Any = &mut *self.page;
        page.downcast_mut()
    }

    /// Draws the page.
    pub fn ui(&mut self, ui: &mut Ui, context: &mut PageContext<'_>) {
        let ctx = ui.ctx().clone();
        self.memory.show(&ctx, || self.page.ui(ui, context));
    }

    /// Whether this widget is a field of the page for text or a number that is typed.
    #[must_use]
    pub fn has_field(&self, widget: Id) -> bool {
        self.memory.has_field(widget)
    }

    /// The parts of line charts that are on the screen, for a link.
    #[must_use]
    pub fn zoomed(&self) -> Vec<ZoomView> {
        self.memory.zoomed()
    }

    /// Shows the parts of line charts that another window showed.
    pub fn zoom(&mut self, zoomed: &[ZoomView]) {
        self.memory.zoom(zoomed);
    }

    /// The sizes that the user gave to panels, in points, by their names, for the next start.
    #[must_use]
    pub fn panel_sizes(&self) -> BTreeMap<String, f32> {
        self.memory.panel_sizes()
    }

    /// Gives panels, before they are first drawn, the sizes that they had in the last window.
    pub fn give_panel_sizes(&mut self, sizes: BTreeMap<String, f32>) {
        self.memory.give_panel_sizes(sizes);
    }

    /// Resets zoom, sections and sizes of panels.
    pub fn reset_layout(&mut self) {
        self.memory.clear();
    }
}

impl Deref for ToolView {
    type Target = dyn ToolPage;

    fn deref(&self) -> &Self::Target {
        &*self.page
    }
}

impl DerefMut for ToolView {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut *self.page
    }
}
