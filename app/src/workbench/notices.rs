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
    pub(super) is_error: bool,
    pub(super) until: Option<Instant>,
}

impl Workbench {
    /// Messages on screen, oldest first.
    pub fn messages(&self) -> impl Iterator<Item = &str> {
        self.notices.iter().map(|notice| notice.text.as_str())
    }

    pub(super) fn notify(&mut self, text: impl Into<String>) {
        self.add_notice(shown(text), false, Some(Instant::now() + NOTICE_TIME));
    }

    pub(super) fn notify_lasting(&mut self, text: impl Into<String>) {
        self.add_notice(shown(text), false, None);
    }

    pub(super) fn notify_error(&mut self, text: impl Into<String>) {
        let text = shown(text);
        log::error!("{text}");
        self.add_notice(text, true, None);
    }

    /// Adds a message, in place of an earlier one with the same text.
    fn add_notice(&mut self, text: String, is_error: bool, until: Option<Instant>) {
        self.notices.retain(|notice| notice.text != text);
        self.notices.push(Notice { text, is_error, until });
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
