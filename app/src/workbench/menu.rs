//! The menu bar.

use crossover_calibrate_page as calibrate;
use crossover_export::Format;
use crossover_export::report::ReportFormat;
use crossover_page::command::{Command, Picture};
use crossover_page::density::Density;
use crossover_page::shortcut;
use crossover_page::study_module::{MenuPlace, StudyModule};
use crossover_page::theme_choice::ThemeChoice;
use egui::containers::menu::MenuButton;
use egui::text::{LayoutJob, TextFormat};
use egui::{Button, Color32, Key, MenuBar, Modifiers, Panel, Popup, Stroke, TextStyle, Ui};

use super::{Workbench, listed};
use crate::kinds;

/// Widest of the buttons for first steps, in points.
const FIRST_STEP: f32 = 150.0;

/// A menu of the bar. Alt with its first letter opens it if `allowed`, and arrow keys move in it; while Alt is held the
/// letter is underlined. Not where Alt types letters.
fn menu(ui: &mut Ui, name: &str, allowed: bool, content: impl FnOnce(&mut Ui)) {
    let mut text = LayoutJob::default();
    let font = TextStyle::Button.resolve(ui.style());
    let (first, rest) = name.split_at(1);
    let mut letter = TextFormat::simple(font.clone(), Color32::PLACEHOLDER);
    let allowed = allowed && !ui.ctx().os().is_mac();
    if allowed && ui.input(|input| input.modifiers.alt) {
        letter.underline = Stroke::new(1.0, ui.visuals().text_color());
    }
    text.append(first, 0.0, letter);
    text.append(rest, 0.0, TextFormat::simple(font, Color32::PLACEHOLDER));
    let key = Key::from_name(first).filter(|_| allowed);
    let is_asked = key.is_some_and(|key| ui.input_mut(|input| input.consume_key(Modifiers::ALT, key)));
    let (button, _) = MenuButton::new(text).ui(ui, content);
    if is_asked {
        Popup::open_id(ui.ctx(), Popup::default_response_id(&button));
        button.request_focus();
        ui.request_repaint();
    }
}

impl Workbench {
    pub(super) fn menu_bar(&mut self, ui: &mut Ui) {
        let allowed = !self.is_modal();
        Panel::top("menu").resizable(false).show(ui, |ui| {
            MenuBar::new().ui(ui, |ui| {
                menu(ui, "File", allowed, |ui| self.file_menu(ui));
                menu(ui, "Edit", allowed, |ui| self.edit_menu(ui));
                menu(ui, "View", allowed, |ui| self.view_menu(ui));
                menu(ui, "Tools", allowed, |ui| {
                    for command in kinds::tool_commands() {
                        self.item(ui, command, true);
                    }
                });
                menu(ui, "Help", allowed, |ui| {
                    let help = [Command::TakeTour(None), Command::HelpOnPage, Command::ShowHelp];
                    for command in help.into_iter().chain([Command::ShowShortcuts, Command::ShowAbout]) {
                        self.item(ui, command, true);
                    }
                });
                ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                    self.item(ui, Command::Palette, true);
                    self.first_steps(ui);
                });
            });
        });
    }

    /// Commands for first-time users; the menus have them too, for narrow windows.
    fn first_steps(&mut self, ui: &mut Ui) {
        let requests = kinds::modules().flat_map(StudyModule::requests);
        let opening = requests.filter_map(|(place, request)| match place {
            MenuPlace::Open(text) => Some((Command::Ask(request), text)),
            _ => None,
        });
        let calibrate = (Command::ShowTool(calibrate::TOOL), "Calibrate on my GPU");
        let commands = [calibrate].into_iter().chain(opening);
        for (command, text) in commands {
            if ui.available_width() >= FIRST_STEP && ui.button(text).on_hover_text(command.tooltip()).clicked() {
                self.commands.push(command);
            }
        }
    }

    fn file_menu(&mut self, ui: &mut Ui) {
        let is_open = self.active().is_some();
        for command in listed::new_ones() {
            self.item(ui, command, true);
        }
        self.item(ui, Command::Open, true);
        self.item(ui, Command::TypeOpenPath, true);
        self.item(ui, Command::OpenLink, true);
        self.import_items(ui);
        ui.menu_button("Open recent", |ui| self.recent_menu(ui));
        ui.menu_button("Open example", |ui| {
            for example in kinds::modules().flat_map(StudyModule::examples) {
                if ui.button(example.label).clicked() {
                    self.commands.push(Command::OpenExample(*example));
                }
            }
        });
        ui.separator();
        let can_save = self.document_in_front().is_some();
        self.item(ui, Command::Save, can_save);
        self.item(ui, Command::SaveAs, can_save);
        self.item(ui, Command::TypeSavePath, is_open);
        self.item(ui, Command::CopyLink, can_save);
        self.request_items(ui, |place| place == MenuPlace::File);
        ui.menu_button("Export", |ui| {
            for format in ReportFormat::ALL {
                self.item(ui, Command::ExportReport(format), is_open);
            }
            for format in Format::EXPORTED {
                self.item(ui, Command::Export(format), is_open);
            }
            // Pages of tools have charts, too.
            let has_page = is_open || self.active_tool().is_some();
            let pictures = Picture::ALL.map(|picture| Command::ExportChart { chart: 0, picture });
            for command in [Command::ExportData].into_iter().chain(pictures) {
                self.item(ui, command, has_page);
            }
            self.request_items(ui, |place| place == MenuPlace::Export);
        });
        ui.separator();
        let tabs = self.documents.len() + self.tools.len();
        self.item(ui, Command::CloseTab, tabs > 0);
        self.item(ui, Command::CloseOtherTabs, tabs > 1);
        self.item(ui, Command::ReopenClosed, self.can_reopen());
        self.item(ui, Command::Quit, true);
    }

    /// The imports of all kinds of studies.
    fn import_items(&mut self, ui: &mut Ui) {
        self.request_items(ui, |place| matches!(place, MenuPlace::Open(_)));
        self.request_items(ui, |place| place == MenuPlace::Folder);
        ui.menu_button("Import more", |ui| {
            self.request_items(ui, |place| place == MenuPlace::Import);
            ui.separator();
            self.request_items(ui, |place| place == MenuPlace::ImportInto);
        });
    }

    /// The requests at these places of the menus.
    fn request_items(&mut self, ui: &mut Ui, is_wanted: impl Fn(MenuPlace) -> bool) {
        for request in kinds::requests(is_wanted) {
            let on_screen = self.active().map(|document| &*document.scenario);
            let is_possible = request.is_possible(on_screen, &self.cache);
            self.item(ui, Command::Ask(request), is_possible);
        }
    }

    pub(super) fn recent_menu(&mut self, ui: &mut Ui) {
        let pass = ui.ctx().cumulative_pass_nr();
        if pass > self.recent_menu_pass + 1 {
            // The menu has just been opened.
            self.jobs.look_up(self.settings.recent.clone());
        }
        self.recent_menu_pass = pass;
        if self.recent_files.is_empty() {
            ui.weak("Files that you open or save are listed here");
        }
        for file in &self.recent_files {
            let button = ui.add_enabled(!file.is_missing, Button::new(file.path.display().to_string()));
            if button.on_disabled_hover_text("This file no longer exists").clicked() {
                self.commands.push(Command::OpenPath(file.path.clone()));
            }
        }
    }

    fn edit_menu(&mut self, ui: &mut Ui) {
        let (can_undo, can_redo) =
            self.active().map_or((false, false), |document| (document.can_undo(), document.can_redo()));
        let is_open = self.active().is_some();
        self.item(ui, Command::Undo, can_undo);
        self.item(ui, Command::Redo, can_redo);
        ui.separator();
        for format in [Format::Csv, Format::Markdown] {
            self.item(ui, Command::Copy(format), is_open);
        }
    }

    fn view_menu(&mut self, ui: &mut Ui) {
        for choice in ThemeChoice::ALL {
            if ui.radio(self.settings.theme == choice, Command::Theme(choice).text()).clicked() {
                self.commands.push(Command::Theme(choice));
            }
        }
        ui.separator();
        for density in Density::ALL {
            if ui.radio(self.settings.density == density, Command::Density(density).text()).clicked() {
                self.commands.push(Command::Density(density));
            }
        }
        ui.separator();
        for command in [Command::ZoomIn, Command::ZoomOut, Command::ZoomReset] {
            self.item(ui, command, true);
        }
        ui.separator();
        let layout = [Command::ToggleInspector, Command::ShowStart, Command::ResetLayout];
        for command in layout {
            self.item(ui, command, true);
        }
        ui.separator();
        let tabs = [Command::NextTab, Command::PreviousTab, Command::MoveTabLeft, Command::MoveTabRight];
        for command in tabs.into_iter().chain([Command::ListTabs]) {
            self.item(ui, command, true);
        }
    }

    /// A menu item with its shortcut.
    pub(super) fn item(&mut self, ui: &mut Ui, command: Command, enabled: bool) {
        let mut button = Button::new(command.text());
        if let Some(keys) = command.shortcut() {
            button = button.shortcut_text(shortcut::label(ui.ctx(), keys));
        }
        if ui.add_enabled(enabled, button).on_hover_text(command.tooltip()).clicked() {
            self.commands.push(command);
        }
    }
}
