//! The row of tabs: titles as wide as there is room, the wheel scrolls them, and a drag moves one.

use crossover_chart::theme::Token;
use crossover_page::command::Command;
use egui::scroll_area::ScrollBarVisibility;
use egui::{Button, Panel, PointerButton, Rect, ScrollArea, Sense, Stroke, TextStyle, Ui};

use super::{Workbench, listed};

/// Width of *+ New* behind the tabs, in points.
const NEW: f32 = 76.0;
/// Width of the list of tabs, which is there where titles are shortened, in points.
const LIST: f32 = 34.0;
/// Width beside the title of a tab: its button that closes it, and a line between tabs. Points.
const BESIDE_TITLE: f32 = 36.0;
/// What a button may need more than its text and its padding, as everything is rounded to pixels. Points.
const ROUNDING: f32 = 2.0;
/// Widths of a title, in points: at least, where there are many, and at most.
const TITLE: [f32; 2] = [96.0, 400.0];

/// What the row shows of a tab.
struct TabFace {
    /// No other tab has it.
    title: String,
    is_edited: bool,
    hint: String,
}

impl TabFace {
    /// The title, marked where there are unsaved edits.
    fn text(&self) -> String {
        if self.is_edited { format!("{} •", self.title) } else { self.title.clone() }
    }
}

/// The tab that was scrolled into view, and all that its place depends on: widths in points, which a zoom changes, too.
#[derive(Debug, PartialEq)]
pub(super) struct TabInSight {
    tab: usize,
    titles: Vec<f32>,
    room: f32,
}

impl Workbench {
    /// Titles of the tabs, in their order: documents, then tools. No two are the same.
    #[must_use]
    pub fn tab_titles(&self) -> Vec<String> {
        self.tab_faces().into_iter().map(|tab| tab.title).collect()
    }

    fn tab_faces(&self) -> Vec<TabFace> {
        let documents = self.documents.iter().map(|document| {
            let place =
                document.path.as_ref().map_or_else(|| "not saved yet".into(), |path| path.display().to_string());
            let title = document.label().to_owned();
            TabFace { hint: format!("{title}\n{place}"), title, is_edited: document.is_dirty() }
        });
        let tools = self.tools.iter().map(|page| {
            let tool = page.tool();
            TabFace { title: tool.title.to_owned(), is_edited: false, hint: tool.tooltip.to_owned() }
        });
        documents.chain(tools).collect()
    }

    /// The tabs as a list: text, tooltip and the command that shows it.
    pub(super) fn tab_list(&self) -> Vec<(String, String, Command)> {
        let tabs = self.tab_faces().into_iter().enumerate();
        tabs.map(|(index, tab)| (tab.text(), tab.hint, Command::SelectTab(index))).collect()
    }

    pub(super) fn tab_bar(&mut self, ui: &mut Ui) {
        Panel::top("tabs").resizable(false).show(ui, |ui| {
            ui.horizontal(|ui| {
                let tabs = self.tab_faces();
                let natural: Vec<f32> = tabs.iter().map(|tab| button_width(ui, &tab.text())).collect();
                // The menus keep their width, so that many tabs do not push them out of sight.
                let room = (ui.available_width() - NEW).max(0.0);
                let beside = BESIDE_TITLE * tabs.len() as f32;
                let fits =
                    natural.iter().sum::<f32>() + beside <= room && natural.iter().all(|width| *width <= TITLE[1]);
                let room = if fits { room } else { (room - LIST).max(0.0) };
                let widths = shortened(&natural, room - beside);
                ui.scope(|ui| {
                    ui.set_max_width(room);
                    // The row has no scrollbar, so the wheel scrolls it in either direction.
                    ui.style_mut().always_scroll_the_only_direction = true;
                    self.tabs(ui, &tabs, &widths);
                });
                if !fits {
                    let list = Command::ListTabs;
                    let button = ui.button("▼");
                    button.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, list.text()));
                    if button.on_hover_text(list.tooltip()).clicked() {
                        self.commands.push(list);
                    }
                }
                ui.menu_button("+ New", |ui| {
                    for command in listed::new_ones().chain(listed::opening()) {
                        if ui.button(command.text()).on_hover_text(command.tooltip()).clicked() {
                            self.commands.push(command);
                        }
                    }
                });
            });
        });
    }

    /// The tabs themselves; the active one is always in sight.
    fn tabs(&mut self, ui: &mut Ui, tabs: &[TabFace], widths: &[f32]) {
        let now = Some(TabInSight { tab: self.active, titles: widths.to_vec(), room: ui.available_width() });
        let is_new = self.tab_in_sight != now;
        self.tab_in_sight = now;
        let row = ScrollArea::horizontal().scroll_bar_visibility(ScrollBarVisibility::AlwaysHidden);
        row.show(ui, |ui| {
            ui.horizontal(|ui| {
                let mut places = Vec::with_capacity(tabs.len());
                let mut moved = None;
                for (index, (tab, width)) in tabs.iter().zip(widths).enumerate() {
                    let response = ui.scope(|ui| {
                        ui.set_max_width(*width);
                        let title = Button::selectable(index == self.active, tab.text()).truncate();
                        ui.add(title.sense(Sense::click_and_drag()))
                    });
                    let response = response.inner;
                    places.push(response.rect);
                    if is_new && index == self.active {
                        response.scroll_to_me(None);
                    }
                    if response.dragged_by(PointerButton::Primary) || response.drag_stopped_by(PointerButton::Primary) {
                        moved = Some(index);
                    }
                    response.context_menu(|ui| self.tab_menu(ui, index));
                    if response.middle_clicked() {
                        self.commands.push(Command::CloseTabAt(index));
                    }
                    if response.on_hover_text(&tab.hint).clicked() {
                        self.commands.push(Command::SelectTab(index));
                    }
                    if close_button(ui, &tab.title) {
                        self.commands.push(Command::CloseTabAt(index));
                    }
                    ui.separator();
                }
                if let Some(from) = moved {
                    self.drop_tab(ui, from, &places);
                }
            });
        });
    }

    /// Shows where the dragged tab would be, and moves it there when it is dropped.
    fn drop_tab(&mut self, ui: &Ui, from: usize, places: &[Rect]) {
        let Some(pointer) = ui.ctx().pointer_interact_pos() else { return };
        let to = self.nearest_place(from, dropped_at(places, from, pointer.x));
        if to == from {
            return;
        }
        if ui.input(|input| input.pointer.any_released()) {
            self.commands.push(Command::MoveTab { from, to });
            return;
        }
        let place = places[to];
        let x = if to < from { place.left() } else { place.right() };
        let color = Token::Accent.color(ui.visuals().dark_mode);
        ui.painter().vline(x, place.y_range(), Stroke::new(2.0, color));
    }

    /// What can be done with a tab.
    fn tab_menu(&mut self, ui: &mut Ui, index: usize) {
        let has_others = self.documents.len() + self.tools.len() > 1;
        self.item(ui, Command::CloseTabAt(index), true);
        self.item(ui, Command::CloseTabsExcept(index), has_others);
        self.item(ui, Command::ReopenClosed, self.can_reopen());
        ui.separator();
        for (command, to) in [(Command::MoveTabLeft, index.checked_sub(1)), (Command::MoveTabRight, Some(index + 1))] {
            let to = to.map(|to| self.nearest_place(index, to)).filter(|to| *to != index);
            let button = ui.add_enabled(to.is_some(), Button::new(command.text()));
            if let (true, Some(to)) = (button.on_hover_text(command.tooltip()).clicked(), to) {
                self.commands.push(Command::MoveTab { from: index, to });
            }
        }
        ui.separator();
        self.item(ui, Command::ListTabs, has_others);
    }
}

/// Width in which a button has room for this text.
fn button_width(ui: &Ui, text: &str) -> f32 {
    let font = TextStyle::Button.resolve(ui.style());
    let color = ui.visuals().text_color();
    ui.painter().layout_no_wrap(text.to_owned(), font, color).size().x.ceil()
        + 2.0 * ui.spacing().button_padding.x
        + ROUNDING
}

/// Widths of titles: natural ones where there is room, else the longest are cut to one width.
fn shortened(natural: &[f32], room: f32) -> Vec<f32> {
    let mut sorted = natural.to_vec();
    sorted.sort_by(f32::total_cmp);
    let (mut left, mut longest) = (room, TITLE[1]);
    for (place, width) in sorted.iter().enumerate() {
        let share = left / (sorted.len() - place) as f32;
        if *width > share {
            longest = share;
            break;
        }
        left -= width;
    }
    let longest = longest.clamp(TITLE[0], TITLE[1]);
    natural.iter().map(|width| width.min(longest)).collect()
}

/// The position of a tab among the others if it is dropped here.
fn dropped_at(places: &[Rect], from: usize, x: f32) -> usize {
    let others = places.iter().enumerate().filter(|(index, _)| *index != from);
    others.filter(|(_, place)| place.center().x < x).count()
}

/// The button that closes a tab; true if it was clicked.
fn close_button(ui: &mut Ui, title: &str) -> bool {
    let close = ui.add(Button::new("×").small().frame(false));
    close.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, format!("Close {title}")));
    close.on_hover_text("Close this tab").clicked()
}

#[cfg(test)]
mod tests {
    use egui::pos2;

    use super::*;

    #[test]
    fn titles_that_fit_keep_their_width_and_the_longest_are_shortened_first() {
        assert_eq!(shortened(&[100.0, 200.0], 300.0), [100.0, 200.0]);
        assert_eq!(shortened(&[100.0, 300.0, 200.0], 500.0), [100.0, 200.0, 200.0]);
        assert_eq!(shortened(&[100.0, 300.0, 240.0], 500.0), [100.0, 200.0, 200.0]);
        let hostile = shortened(&[1e6], f32::INFINITY);
        assert_eq!(hostile, [TITLE[1]]);
    }

    #[test]
    fn titles_stay_wide_enough_to_be_read_and_clicked() {
        assert!(shortened(&[300.0; 40], 500.0).iter().all(|width| *width == TITLE[0]));
        assert_eq!(shortened(&[50.0, 300.0], -20.0), [50.0, TITLE[0]]);
        assert!(shortened(&[], 100.0).is_empty());
    }

    #[test]
    fn a_tab_is_dropped_behind_those_whose_middle_is_left_of_the_pointer() {
        let places: Vec<Rect> =
            [0.0, 100.0, 200.0].map(|left| Rect::from_min_max(pos2(left, 0.0), pos2(left + 90.0, 20.0))).to_vec();
        for (from, x, to) in [(0, 10.0, 0), (0, 160.0, 1), (0, 400.0, 2), (2, 10.0, 0), (2, 60.0, 1), (1, 150.0, 1)] {
            assert_eq!(dropped_at(&places, from, x), to, "tab {from} at {x}");
        }
    }
}
