//! Buttons that change a list: order, copies, fewer entries.

use egui::{Button, Ui};

/// A change to a list that must wait until the list has been drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edit {
    /// Removes the entry.
    Remove(usize),
    /// Puts a copy behind the entry.
    Duplicate(usize),
    /// Exchanges the two entries.
    Swap(usize, usize),
}

/// Limits of a list.
#[derive(Debug, Clone, Copy)]
pub struct Limits<'a> {
    /// Entries now.
    pub count: usize,
    /// Most entries.
    pub most: usize,
    /// Why this entry cannot be removed, if so.
    pub stays: Option<&'a str>,
}

/// Draws the buttons of an entry; returns the requested edit.
pub fn buttons(ui: &mut Ui, index: usize, limits: Limits<'_>) -> Option<Edit> {
    let mut edit = None;
    let small = |text: &'static str| Button::new(text).small();
    ui.horizontal_wrapped(|ui| {
        if ui.add_enabled(index > 0, small("Up")).clicked() {
            edit = Some(Edit::Swap(index - 1, index));
        }
        if ui.add_enabled(index + 1 < limits.count, small("Down")).clicked() {
            edit = Some(Edit::Swap(index, index + 1));
        }
        let duplicate = ui.add_enabled(limits.count < limits.most, small("Duplicate"));
        if duplicate.on_disabled_hover_text(full(limits.most)).clicked() {
            edit = Some(Edit::Duplicate(index));
        }
        let stays = limits.stays.or((limits.count < 2).then_some("At least one entry is needed"));
        let remove = ui.add_enabled(stays.is_none(), small("Remove"));
        if remove.on_disabled_hover_text(stays.unwrap_or_default()).clicked() {
            edit = Some(Edit::Remove(index));
        }
    });
    edit
}

/// Draws the button below a list that adds an entry; whether it was clicked.
pub fn add_button(ui: &mut Ui, text: &str, count: usize, most: usize) -> bool {
    ui.add_enabled(count < most, Button::new(text)).on_disabled_hover_text(full(most)).clicked()
}

fn full(most: usize) -> String {
    format!("At most {most} entries are allowed")
}
