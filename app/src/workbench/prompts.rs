//! Questions above the window, one at a time, and the pages of the help menu: shortcuts, documents, about.

use std::mem;

use crossover_chart::screen;
use crossover_page::shortcut;
use egui::style::ScrollAnimation;
use egui::{Context, Id, Key, Modifiers, Response, RichText, Role, Ui, vec2};

use super::help::Help;
use super::{Workbench, listed};
use crate::edition;

/// A page of the help menu.
pub(super) enum Page {
    Shortcuts,
    Documents(Box<Help>),
    About,
}

impl Workbench {
    pub(super) fn prompts(&mut self, ctx: &Context) {
        if !self.replace.is_empty() && self.typed_path.is_none() {
            self.replace_prompt(ctx);
        } else if self.shared().is_some() && self.typed_path.is_none() && self.palette.is_none() {
            self.shared_prompt(ctx);
        } else if self.close.is_modal() {
            self.closing_prompt(ctx);
        } else if !self.questions.is_empty() {
            // Windows above it come first.
            if self.typed_path.is_none() && self.palette.is_none() {
                self.question();
            }
        } else {
            self.recovery_prompt(ctx);
        }
        self.page(ctx);
    }

    fn page(&mut self, ctx: &Context) {
        // A list that Esc has closed in this frame was open in the last one.
        let has_list = egui::Popup::is_any_open(ctx);
        let had_list = ctx.data_mut(|data| mem::replace(data.get_temp_mut_or(Id::unique("list"), false), has_list));
        // A window above the page, a list, or a focused field gets the keys.
        let has_keys = !self.is_modal() && !has_list && !had_list && self.focused_field(ctx).is_none();
        let Some(page) = &mut self.page else { return };
        let title = match page {
            Page::Shortcuts => "Keyboard shortcuts",
            Page::Documents(_) => "Help",
            Page::About => "About Crossover",
        };
        let mut is_open = true;
        let size = ctx.content_rect().size();
        let window = egui::Window::new(title)
            .open(&mut is_open)
            .default_size(vec2(size.x * 0.8, size.y * 0.75).min(vec2(860.0, 640.0)))
            .max_size(size - vec2(32.0, 64.0))
            .pivot(egui::Align2::CENTER_CENTER)
            .default_pos(ctx.content_rect().center())
            // Documents scroll below their list.
            .vscroll(!matches!(page, Page::Documents(_)))
            .show(ctx, |ui| {
                let scroll = |ui: &Ui| {
                    if has_keys {
                        scroll_by_key(ui);
                    }
                };
                match page {
                    Page::Documents(help) => help.ui(ui, scroll),
                    Page::Shortcuts => {
                        scroll(ui);
                        shortcuts(ui);
                    }
                    Page::About => {
                        scroll(ui);
                        about(ui, &self.adapter);
                    }
                }
            });
        if let Some(window) = window {
            name_title_bar(&window.response, title);
            name_lines_of_links(&window.response);
        }
        let is_escaped = has_keys && ctx.input_mut(|input| input.consume_key(Modifiers::NONE, Key::Escape));
        if !is_open || is_escaped {
            self.page = None;
        }
    }
}

/// Names the title bar of a window: it takes the focus because it can be dragged, and egui gives it no name.
pub(super) fn name_title_bar(window: &Response, title: &str) {
    let bar = window.layer_id.id.with("__title_click");
    window.ctx.accesskit_node_builder(bar, |node| {
        node.set_role(Role::TitleBar);
        node.set_label(title);
    });
}

/// Names the further lines of links that wrap: each line takes the focus, and egui names the first one alone.
fn name_lines_of_links(window: &Response) {
    let stops: Vec<Id> = window.ctx.viewport(|viewport| {
        let widgets = viewport.this_pass.widgets.get_layer(window.layer_id);
        widgets.filter(|widget| widget.sense.is_focusable()).map(|widget| widget.id).collect()
    });
    let mut link: Option<String> = None;
    for stop in stops {
        window.ctx.accesskit_node_builder(stop, |node| match node.role() {
            Role::Link => link = node.label().map(str::to_owned),
            Role::Unknown => {
                if let Some(link) = &link {
                    node.set_role(Role::Link);
                    node.set_label(link.as_str());
                }
            }
            _ => link = None,
        });
    }
}

/// Scrolls a page by keys; the scroll area clamps at its ends.
fn scroll_by_key(ui: &Ui) {
    /// Longer than any page, in points.
    const FAR: f32 = 1e6;
    let page = ui.clip_rect().height() * 0.9;
    for (key, down) in [(Key::PageUp, -page), (Key::PageDown, page), (Key::Home, -FAR), (Key::End, FAR)] {
        if ui.input(|input| input.key_pressed(key)) {
            ui.scroll_with_delta_animation(vec2(0.0, -down), ScrollAnimation::none());
        }
    }
}

fn shortcuts(ui: &mut Ui) {
    egui::Grid::new("shortcuts").num_columns(2).striped(true).spacing([24.0, 4.0]).show(ui, |ui| {
        for command in listed() {
            if let Some(keys) = command.shortcut() {
                ui.label(command.text());
                ui.label(shortcut::label(ui.ctx(), keys));
                ui.end_row();
            }
        }
    });
    if !ui.ctx().os().is_mac() {
        ui.label("Alt and the first letter of a menu open it; arrow keys move in it.");
    }
    ui.add_space(6.0);
    for (place, gestures) in [("In a plot", &screen::GESTURES[..]), ("In a plan", &screen::plan::GESTURES)] {
        ui.label(RichText::new(place).strong());
        egui::Grid::new(place).num_columns(2).striped(true).spacing([24.0, 4.0]).show(ui, |ui| {
            for (effect, gesture) in gestures {
                ui.label(*effect);
                ui.label(*gesture);
                ui.end_row();
            }
        });
        ui.add_space(6.0);
    }
}

fn about(ui: &mut Ui, adapter: &str) {
    ui.heading(format!("Crossover {}", edition::VERSION));
    ui.label("Predicts where work runs faster or cheaper: on CPUs or GPUs, in which engine, on which node, in which compute centre.");
    ui.add_space(6.0);
    egui::Grid::new("edition").num_columns(2).spacing([12.0, 4.0]).show(ui, |ui| {
        for (name, part) in edition::parts().into_iter().chain([("drawn by", adapter.to_owned())]) {
            ui.label(RichText::new(name).weak());
            ui.add(egui::Label::new(part).wrap());
            ui.end_row();
        }
    });
    ui.add_space(6.0);
    ui.label("MIT or Apache-2.0");
}
