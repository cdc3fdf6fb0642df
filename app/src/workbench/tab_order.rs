//! The order of tabs, and tabs that were closed.

use std::path::{Path, PathBuf};

use crossover_page::cache::Cache;
use crossover_page::command::Tool;
use crossover_page::document::{ClosedDocument, Document};
use crossover_page::tool::{ShownTool, ToolPage, ToolView};

use super::Workbench;
use crate::kinds;
use crate::storage::tabs::SizesByPanel;

/// Most closed tabs that can be opened again.
const MOST_CLOSED: usize = 20;

/// A tab, however many others come and go.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Tab {
    /// A document, by its id.
    Document(String),
    Tool(Tool),
}

/// A closed tab.
pub(super) enum ClosedTab {
    /// A document, and its position.
    Document(usize, Box<ClosedDocument>),
    /// The file of a document that an earlier window closed.
    File(PathBuf),
    Tool(Box<ClosedTool>),
}

impl ClosedTab {
    /// The file that the next window can open again.
    pub(super) fn file(&self) -> Option<&Path> {
        match self {
            Self::Document(_, closed) => closed.file(),
            Self::File(path) => Some(path),
            Self::Tool(_) => None,
        }
    }
}

/// A closed tool, with what is needed to open it again as it was.
pub(super) struct ClosedTool {
    tool: Tool,
    /// Its position among tools.
    place: usize,
    /// The document that it was about, by its id.
    target: Option<String>,
    shown: Option<ShownTool>,
    kept: Option<String>,
    panel_sizes: SizesByPanel,
}

impl ClosedTool {
    /// Of a page that is about to be dropped.
    pub(super) fn new(page: &ToolView, place: usize, cache: &Cache) -> Self {
        Self {
            tool: page.tool(),
            place,
            target: page.target().map(str::to_owned),
            shown: page.shown(),
            kept: page.kept(cache),
            panel_sizes: page.panel_sizes(),
        }
    }
}

impl Workbench {
    /// The tab at this position.
    pub(super) fn tab_at(&self, index: usize) -> Option<Tab> {
        match index.checked_sub(self.documents.len()) {
            None => Some(Tab::Document(self.documents[index].id.clone())),
            Some(index) => self.tools.get(index).map(|page| Tab::Tool(page.tool())),
        }
    }

    /// Where the tab is now.
    pub(super) fn position_of(&self, tab: &Tab) -> Option<usize> {
        let count = self.documents.len() + self.tools.len();
        (0..count).find(|index| self.tab_at(*index).as_ref() == Some(tab))
    }

    /// The nearest position that the tab may have: documents stay left of tools.
    pub(super) fn nearest_place(&self, from: usize, to: usize) -> usize {
        let (documents, tools) = (self.documents.len(), self.tools.len());
        let (first, behind) = if from < documents { (0, documents) } else { (documents, documents + tools) };
        to.clamp(first, behind.saturating_sub(1).max(first))
    }

    pub(super) fn move_tab(&mut self, from: usize, to: usize) {
        let documents = self.documents.len();
        if from >= documents + self.tools.len() {
            return;
        }
        let to = self.nearest_place(from, to);
        if from < documents {
            let document = self.documents.remove(from);
            self.documents.insert(to, document);
        } else {
            let page = self.tools.remove(from - documents);
            self.tools.insert(to - documents, page);
        }
        self.active = moved(self.active, from, to);
    }

    /// Remembers a document that is about to be closed.
    pub(super) fn note_closed(&mut self, id: &str) {
        if let Some(index) = self.documents.iter().position(|document| document.id == id) {
            let closed = Box::new(self.documents[index].to_closed());
            self.push_closed(ClosedTab::Document(index, closed));
        }
    }

    /// Remembers a closed tab.
    pub(super) fn push_closed(&mut self, tab: ClosedTab) {
        if self.closed.len() == MOST_CLOSED {
            self.closed.pop_front();
        }
        self.closed.push_back(tab);
    }

    pub(super) fn can_reopen(&self) -> bool {
        !self.closed.is_empty()
    }

    /// Opens the tab that was closed last, where it was.
    pub(super) fn reopen_closed(&mut self, ctx: &egui::Context) {
        match self.closed.pop_back() {
            None => self.notify("No tab was closed"),
            Some(ClosedTab::Tool(closed)) => self.reopen_tool(ctx, *closed),
            Some(ClosedTab::File(path)) => self.jobs.open(path),
            Some(ClosedTab::Document(index, closed)) => {
                if let Some(open) = self.documents.iter().position(|open| closed.is_same_as(open)) {
                    self.show_tab(open);
                    return;
                }
                let id = self.ids.make();
                let index = index.min(self.documents.len());
                self.documents.insert(index, Document::reopened(kinds::page, id, *closed));
                self.show_tab(index);
            }
        }
    }

    /// Opens a closed tool about its document; if the document is closed, about the one on screen.
    fn reopen_tool(&mut self, ctx: &egui::Context, closed: ClosedTool) {
        let ClosedTool { tool, place, target, shown, kept, panel_sizes } = closed;
        if let Some(open) = self.tools.iter().position(|page| page.tool() == tool) {
            self.show_tab(self.documents.len() + open);
            return;
        }
        let Some(index) = self.open_tool(ctx, tool) else { return };
        let mut page = self.tools.remove(index);
        page.give_panel_sizes(panel_sizes);
        if let Some(kept) = kept
            && let Err(problem) = page.restore(&kept, &mut self.cache)
        {
            self.notify_error(format!("Cannot open the tab “{}” as it was: {problem}", tool.title));
        }
        if let Some(target) = target.filter(|id| self.document(id).is_some()) {
            go_on(&mut *page, &target, shown);
        } else if let Some(document) = self.active() {
            page.set_target(&document.id);
        }
        let place = place.min(self.tools.len());
        self.tools.insert(place, page);
        self.show_tab(self.documents.len() + place);
    }
}

/// The page of a tool is about this document again, and shows what it showed of it.
pub(super) fn go_on(page: &mut dyn ToolPage, document: &str, shown: Option<ShownTool>) {
    page.set_target(document);
    if let Some(shown) = shown {
        page.begin_with(shown);
    }
}

/// The position of a tab after another one was moved.
fn moved(tab: usize, from: usize, to: usize) -> usize {
    if tab == from {
        to
    } else if (from + 1..=to).contains(&tab) {
        tab - 1
    } else if (to..from).contains(&tab) {
        tab + 1
    } else {
        tab
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tab_is_found_where_the_move_put_it() {
        for (from, to) in [(0, 3), (3, 0), (1, 2), (2, 2)] {
            let mut tabs = vec![0, 1, 2, 3];
            let tab = tabs.remove(from);
            tabs.insert(to, tab);
            for before in 0..4 {
                assert_eq!(tabs[moved(before, from, to)], before, "{from} → {to}");
            }
        }
    }
}
