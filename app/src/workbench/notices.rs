//! Short messages at the bottom of the window: results, which leave by themselves, and errors, which stay.

use std::time::{Duration, Instant};

use crossover_chart::theme::Token;
use crossover_quantity::text::Printable;
use egui::{Panel, Ui};

use super::Workbench;

/// How long a message stays.
const NOTICE_TIME: Duration = Duration::from_secs(6);

/// A short message at the bottom.
pub(super) struct Notice {
    pub(super) text: String,
    is_error: bool,
    until: Option<Instant>,
    /// Whether a file could not be opened: another one that opens replaces the message.
    is_of_opening: bool,
}

impl Notice {
    /// An error, which stays.
    pub(super) fn error(text: String) -> Self {
        Self { text, is_error: true, until: None, is_of_opening: false }
    }
}

impl Workbench {
    /// Messages on screen, oldest first.
    pub fn messages(&self) -> impl Iterator<Item = &str> {
        self.notices.iter().map(|notice| notice.text.as_str())
    }

    pub(super) fn notify(&mut self, text: impl Into<String>) {
        self.notify_until(text, Some(Instant::now() + NOTICE_TIME));
    }

    pub(super) fn notify_lasting(&mut self, text: impl Into<String>) {
        self.notify_until(text, None);
    }

    fn notify_until(&mut self, text: impl Into<String>, until: Option<Instant>) {
        self.add_notice(Notice { text: shown(text), is_error: false, until, is_of_opening: false });
    }

    pub(super) fn notify_error(&mut self, text: impl Into<String>) {
        let notice = Notice::error(shown(text));
        log::error!("{}", notice.text);
        self.add_notice(notice);
    }

    /// Says why a file was not opened, until another one is.
    pub(super) fn notify_unopened(&mut self, text: impl Into<String>) {
        let notice = Notice { is_of_opening: true, ..Notice::error(shown(text)) };
        log::error!("{}", notice.text);
        self.add_notice(notice);
    }

    /// Another file was opened.
    pub(super) fn forget_unopened(&mut self) {
        self.notices.retain(|notice| !notice.is_of_opening);
    }

    /// Adds a message, in place of an earlier one with the same text.
    fn add_notice(&mut self, added: Notice) {
        self.notices.retain(|notice| notice.text != added.text);
        self.notices.push(added);
    }

    pub(super) fn drop_old_notices(&mut self, ctx: &egui::Context) {
        let now = Instant::now();
        self.notices.retain(|notice| notice.until.is_none_or(|until| until > now));
        if let Some(next) = self.notices.iter().filter_map(|notice| notice.until).min() {
            ctx.request_repaint_after(next - now);
        }
    }

    pub(super) fn notice_bar(&mut self, ui: &mut Ui) {
        if self.notices.is_empty() {
            return;
        }
        Panel::bottom("notices").resizable(false).show(ui, |ui| {
            let mut dismissed = None;
            for (index, notice) in self.notices.iter().enumerate() {
                ui.horizontal_wrapped(|ui| {
                    let token = if notice.is_error { Token::Error } else { Token::Accent };
                    if ui.small_button("Dismiss").clicked() {
                        dismissed = Some(index);
                    }
                    ui.colored_label(token.color(ui.visuals().dark_mode), &notice.text);
                });
            }
            if let Some(index) = dismissed {
                self.notices.remove(index);
            }
        });
    }
}

/// A message as it is shown: it may quote a file, whose texts have any length.
pub(super) fn shown(text: impl Into<String>) -> String {
    let text: String = text.into();
    Printable::from(text).message().to_string()
}
