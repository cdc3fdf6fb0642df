//! Tool pages: tabs that are no documents. Their tabs are right of those of documents; `active` counts both.

use std::path::PathBuf;

use crossover_calibrate_page::{self as calibrate, Answer, Request};
use crossover_page::command::{Command, Tool};
use crossover_page::tool::{Beginning, PageContext, ToolPage, ToolView};
use egui::{Context, Id, Modal};

use super::answer;
use super::closing::Close;
use super::tab_order::{ClosedTab, ClosedTool};
use super::{Start, Workbench};
use crate::kinds;

/// Settings of tool pages.
pub(super) struct Setting {
    /// The program that measures.
    program: PathBuf,
    /// The folder of earlier runs.
    folder: Option<PathBuf>,
    /// Name of the adapter that draws the window.
    drawn_by: Option<String>,
}

impl Setting {
    pub(super) fn new(start: &Start, creation: &eframe::CreationContext<'_>) -> Self {
        let program = start.measuring_program.clone().or_else(|| std::env::current_exe().ok());
        Self {
            program: program.unwrap_or_else(|| "crossover".into()),
            folder: start.measurements_folder.clone(),
            drawn_by: creation.wgpu_render_state.as_ref().map(|state| state.adapter.get_info().name),
        }
    }
}

impl Workbench {
    /// The Calibrate page, if it is open.
    #[must_use]
    pub fn calibrate(&self) -> Option<&calibrate::Page> {
        self.tools.iter().find_map(ToolView::page)
    }

    /// The tool on screen.
    #[must_use]
    pub fn active_tool(&self) -> Option<&dyn ToolPage> {
        self.active_tool_view().map(|view| &**view)
    }

    pub(super) fn active_tool_view(&self) -> Option<&ToolView> {
        self.tools.get(self.active.checked_sub(self.documents.len())?)
    }

    /// Shows a tool page about the document on screen, or about that of the tool on screen; opens it first if necessary.
    pub(super) fn show_tool(&mut self, ctx: &Context, tool: Tool) {
        // A document that was just opened counts, though no frame has shown it.
        let shown = self.active().map(|document| document.id.clone());
        if shown.is_some() {
            self.last_document.clone_from(&shown);
        }
        let of_tool = || self.active_tool().and_then(ToolPage::target).map(str::to_owned);
        let from = shown.or_else(of_tool);
        if let Some(index) = self.open_tool(ctx, tool) {
            if let Some(document) = from {
                self.tools[index].set_target(&document);
            }
            self.show_tab(self.documents.len() + index);
        }
    }

    /// The position of a tool page among those of tools; opens it first if necessary.
    pub(super) fn open_tool(&mut self, ctx: &Context, tool: Tool) -> Option<usize> {
        let open = self.tools.iter().position(|page| page.tool() == tool);
        open.or_else(|| {
            let kind = kinds::tools().find(|kind| kind.tool == tool)?;
            let program = &self.tool_setting.program;
            let page = (kind.open)(&mut Beginning { program, ctx, commands: &mut self.commands });
            self.tools.push(ToolView::new(page));
            Some(self.tools.len() - 1)
        })
    }

    /// Closes a tool page, or asks first.
    pub(super) fn close_tool(&mut self, index: usize) {
        let Some(page) = self.tools.get(index) else { return };
        if page.is_at_work() {
            self.close = Close::Working(Some(page.tool()));
        } else {
            self.remove_tool(index);
        }
    }

    pub(super) fn remove_tool(&mut self, index: usize) {
        // Dropping the page ends its processes.
        let page = self.tools.remove(index);
        self.push_closed(ClosedTab::Tool(Box::new(ClosedTool::new(&page, index, &self.cache))));
        drop(page);
        let at = self.documents.len() + index;
        if self.active > at || self.active == self.documents.len() + self.tools.len() {
            self.active = self.active.saturating_sub(1);
        }
    }

    /// Whether closing the window would end the work of a tool.
    pub(super) fn is_tool_at_work(&self) -> bool {
        self.tools.iter().any(|page| page.is_at_work())
    }

    /// Ends everything that tools have started.
    pub(super) fn end_tools(&mut self) {
        self.tools.clear();
    }

    /// Asks before a measurement is lost with its tab or with the window.
    pub(super) fn working_prompt(&mut self, ctx: &Context, tool: Option<Tool>) {
        let (mut end, mut stay) = (false, false);
        let mut pages = self.tools.iter();
        let page = pages.find(|page| tool.map_or(page.is_at_work(), |tool| page.tool() == tool));
        let Some([question, consequence, cancel, keep]) = page.map(|page| page.cancel_prompt()) else {
            self.close = Close::Nothing;
            return;
        };
        let modal = Modal::new(Id::unique("working")).show(ctx, |ui| {
            ui.set_width(400.0);
            ui.heading(question);
            ui.label(consequence);
            ui.add_space(8.0);
            ui.horizontal(|ui| {
                end = ui.button(cancel).clicked();
                stay = ui.button(keep).clicked();
            });
        });
        if end {
            self.close = Close::Nothing;
            for index in (0..self.tools.len()).rev() {
                let page = &self.tools[index];
                if tool.map_or(page.is_at_work(), |tool| page.tool() == tool) {
                    self.remove_tool(index);
                }
            }
            if tool.is_none() {
                self.commands.push(Command::Quit);
            }
        } else if stay || modal.should_close() || !self.is_tool_at_work() {
            self.close = Close::Nothing;
        }
    }

    /// Receives the results of the tools' processes.
    pub(super) fn receive_from_tools(&mut self) {
        let mut has_new_run = false;
        if let Some(page) = self.calibrate_page() {
            has_new_run |= page.receive();
        }
        if has_new_run {
            self.read_folder(|folder| calibrate::list(&folder));
        }
    }

    /// Takes the result of reading the folder of runs.
    pub(super) fn take_runs(&mut self, answer: Answer) {
        if let Some(page) = self.calibrate_page()
            && let Some(problem) = page.take(answer)
        {
            self.notify_error(problem);
        }
    }

    /// Carries out a request of the Calibrate page.
    pub(super) fn calibrate_request(&mut self, ctx: &Context, request: &Request) {
        match request.clone() {
            Request::Show(path) => self.read_runs(move || calibrate::open(path)),
            Request::Compare(pair) => self.read_runs(move || calibrate::compare(pair)),
            Request::Delete(path) => self.read_folder(move |folder| calibrate::delete(&folder, &path)),
            Request::Apply { document, changes } => {
                self.with_services(|services| calibrate::take_over(services, &document, &changes));
            }
            Request::List => self.read_folder(|folder| calibrate::list(&folder)),
            Request::ListDevices | Request::Start | Request::Cancel => {
                let Some(page) = self.calibrate_page() else { return };
                match request {
                    Request::Start => page.start(ctx),
                    Request::Cancel => page.cancel(),
                    _ => page.look_for_devices(ctx),
                }
            }
        }
    }

    fn calibrate_page(&mut self) -> Option<&mut calibrate::Page> {
        self.tools.iter_mut().find_map(ToolView::page_mut)
    }

    fn read_folder(&mut self, read: impl FnOnce(PathBuf) -> Answer + Send + 'static) {
        if let Some(folder) = self.tool_setting.folder.clone() {
            self.read_runs(move || read(folder));
        }
    }

    /// Reads measurements on a separate thread.
    fn read_runs(&mut self, read: impl FnOnce() -> Answer + Send + 'static) {
        self.jobs.work("measurements", move || answer::Answer::Runs(read()));
    }

    /// Draws the tool on screen; false if there is none.
    pub(super) fn tool_ui(&mut self, ui: &mut egui::Ui) -> bool {
        let Some(index) = self.active.checked_sub(self.documents.len()) else { return false };
        let Some(page) = self.tools.get_mut(index) else { return false };
        let tool = page.tool();
        let mut context = PageContext {
            documents: &self.documents,
            last: self.last_document.as_deref(),
            drawn_by: self.tool_setting.drawn_by.as_deref(),
            cache: &self.cache,
            offering: kinds::offering,
            commands: &mut self.commands,
        };
        ui.push_id(tool.title, |ui| page.ui(ui, &mut context));
        true
    }
}
