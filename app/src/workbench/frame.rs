//! A frame of the window, from what arrived since the one before to what is drawn, and the end of the window.

use crossover_chart::theme::Token;
use crossover_page::command::Command;
use crossover_page::page::Env;
use crossover_page::services::undone_because;
use crossover_page::widgets::focus;
use egui::{Id, UiBuilder};

use super::Workbench;
use crate::drawing;
use crate::settings::Settings;

impl eframe::App for Workbench {
    fn logic(&mut self, ctx: &egui::Context, _frame: &mut eframe::Frame) {
        self.keep_drawable(ctx);
        self.receive(ctx);
        self.tour_keys(ctx);
        for command in std::mem::take(&mut self.commands) {
            self.handle(ctx, command);
        }
        self.receive_read(ctx);
        self.claim_files();
        self.keep_snapshots(ctx);
        self.drop_old_notices(ctx);
        self.guard_close(ctx);
        self.forget_closed_page(ctx);
        self.titles.distinguish(&mut self.documents);
    }

    fn ui(&mut self, ui: &mut egui::Ui, _frame: &mut eframe::Frame) {
        self.name_window(ui.ctx());
        self.menu_bar(ui);
        self.tab_bar(ui);
        self.status_bar(ui);
        self.notice_bar(ui);
        self.aim_tour(ui.ctx());
        self.tour_card_below_page(ui);
        self.start_panel(ui);
        // A field keeps the focus while a bar around the page comes or goes: its identity does not count what was drawn before.
        let page = &mut ui.new_child(UiBuilder::new().scope_id(Id::unique("page")));
        if let Some(document) = self.documents.get_mut(self.active) {
            if self.last_document.as_ref() != Some(&document.id) {
                self.last_document = Some(document.id.clone());
            }
            let mut env = Env {
                catalogue: &self.catalogue,
                cache: &self.cache,
                inspector_open: self.settings.inspector_open,
                commands: &mut self.commands,
            };
            page.push_id(&document.id, |ui| document.view.ui(ui, &mut document.scenario.study, &mut env));
            // One undo step for each finished edit: not while something is dragged. A text field changes the
            // scenario only when it is left.
            if !ui.ctx().egui_is_using_pointer()
                && let Err(invalid) = document.settle()
            {
                self.commands.push(Command::Notify(undone_because(&invalid)));
            }
        } else if !self.tool_ui(page) {
            self.empty_page(page);
        }
        self.reading_progress(ui.ctx());
        self.prompts(ui.ctx());
        self.typed_path(ui.ctx());
        self.pasted_link(ui.ctx());
        self.palette(ui.ctx());
        self.tour_card(ui.ctx());
        drop_hint(ui.ctx(), &self.imports());
        focus::show(ui.ctx());
        if !self.commands.is_empty() {
            // A key does not close the menu that it picked from.
            egui::Popup::close_all(ui.ctx());
            // Carried out in the next frame, before anything is drawn.
            ui.ctx().request_repaint();
        }
    }

    fn raw_input_hook(&mut self, _ctx: &egui::Context, input: &mut egui::RawInput) {
        input.max_texture_side = input.max_texture_side.map(|side| side.min(drawing::LETTERS_SIDE));
    }

    fn save(&mut self, storage: &mut dyn eframe::Storage) {
        eframe::set_value(storage, Settings::KEY, &self.settings);
        self.keep_tabs(false);
    }

    fn on_exit(&mut self, _gl: Option<&eframe::glow::Context>) {
        self.reads.end();
        // Before a save to a drive that does not answer, during which the program may be killed.
        self.keep_tabs(true);
        for event in self.jobs.finish() {
            self.take(event);
        }
        // Again, as a scenario that was saved for the first time has a file only now; the tabs of tools are still open.
        self.keep_tabs(true);
        // The window may end without a question: when it cannot be drawn, or when the system ends the session. Scenarios that tools
        // need are kept, so the tools end after it.
        self.end_snapshots();
        self.end_tools();
    }
}

/// A panic, and a window that another program destroys, end the window without [`eframe::App::on_exit`].
impl Drop for Workbench {
    fn drop(&mut self) {
        self.end_snapshots();
    }
}

impl Workbench {
    /// Shrinks a window that is larger than its device can draw.
    fn keep_drawable(&self, ctx: &egui::Context) {
        let size = ctx.content_rect().size();
        let longest = self.longest_side;
        if let Some(size) = longest.and_then(|longest| drawing::drawable(size, ctx.pixels_per_point(), longest)) {
            ctx.send_viewport_cmd(egui::ViewportCommand::InnerSize(size));
        }
    }

    /// Shows the active document in the title of the window.
    fn name_window(&mut self, ctx: &egui::Context) {
        let title = match (self.active(), self.active_tool()) {
            (Some(document), _) => {
                format!("{}{} – Crossover", document.label(), if document.is_dirty() { " •" } else { "" })
            }
            (None, Some(page)) => format!("{} – Crossover", page.tool().title),
            (None, None) => "Crossover".to_owned(),
        };
        if title != self.title {
            ctx.send_viewport_cmd(egui::ViewportCommand::Title(title.clone()));
            self.title = title;
        }
    }
}

/// Shows that a file can be dropped; `imports` is what it can be besides a scenario.
fn drop_hint(ctx: &egui::Context, imports: &[&str]) {
    if ctx.input(|input| input.raw.hovered_files.is_empty()) {
        return;
    }
    let layer = egui::LayerId::new(egui::Order::Foreground, egui::Id::unique("drop hint"));
    let painter = ctx.layer_painter(layer);
    let rect = ctx.content_rect();
    let dark = ctx.theme() == egui::Theme::Dark;
    painter.rect_filled(rect, 0.0, Token::Background.color(dark).gamma_multiply(0.8));
    let text = match imports {
        [] => "Drop to open a scenario".to_owned(),
        [one] => format!("Drop to open a scenario or import {one}"),
        several => format!("Drop to open a scenario, or to import {}", several.join(" or ")),
    };
    let (place, align) = (rect.center(), egui::Align2::CENTER_CENTER);
    painter.text(place, align, text, egui::FontId::proportional(26.0), Token::Text.color(dark));
}
