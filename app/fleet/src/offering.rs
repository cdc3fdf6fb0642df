//! Offers to read the logs of a folder that was opened but has no results.

use std::path::{Path, PathBuf};

use crossover_fleet::opened::has_results;
use crossover_page::services::{Question, Services, name_of};
use crossover_page::storage::on_disk::absolute;
use crossover_plan::spark::Source;
use crossover_plan::store::Entry;
use crossover_plan::{Folders, Store as _};
use egui::{Id, Label, Modal};

use super::LEDGER;
use super::reading::read;

/// Width of the question, in points.
const WIDTH: f32 = 480.0;

/// A path that was dropped on the window, or named on the command line.
pub(super) enum Dropped {
    /// Results of a fleet.
    Results,
    /// A folder, perhaps of logs.
    Logs,
    /// Anything else: a plan, or a log, which may be a folder of its parts.
    Plan,
}

impl Dropped {
    /// Looks at what is there.
    pub(super) fn at(path: &Path) -> Self {
        if has_results(path) || path.ends_with(LEDGER) {
            return Self::Results;
        }
        let is_of_no_log = |entries: Vec<Entry>| matches!(Source::of_folder(path, &entries), Ok(None));
        if path.is_dir() && Folders.list(path).is_ok_and(is_of_no_log) { Self::Logs } else { Self::Plan }
    }
}

/// A folder without results, in which there may be logs.
pub(super) struct ReadLogsQuestion {
    folder: PathBuf,
    /// Tooltip of the reading button.
    read: &'static str,
    alternative: Alternative,
}

/// The alternative to reading the logs.
pub(super) struct Alternative {
    /// Text of the button.
    pub(super) text: String,
    /// Tooltip of the button.
    pub(super) tooltip: &'static str,
    /// Action of the button.
    pub(super) act: fn(&mut Services<'_>),
}

/// The user's answer.
enum Answer {
    Read,
    Open,
    Cancel,
}

impl ReadLogsQuestion {
    pub(super) fn new(folder: &Path, read: &'static str, alternative: Alternative) -> Self {
        // Results have the whole path of their logs, from wherever the window was started.
        Self { folder: absolute(folder), read, alternative }
    }
}

impl Question for ReadLogsQuestion {
    fn show(&mut self, services: &mut Services<'_>) -> bool {
        let ctx = services.ctx().clone();
        let mut answer = None;
        let modal = Modal::new(Id::unique("read dropped folder")).show(&ctx, |ui| {
            ui.set_width(WIDTH);
            ui.heading("Read the logs in this folder?");
            let text = format!(
                "{} has no fleet results. Crossover can read its event logs and plans into a separate folder of results, and \
                 rank the applications by their saving.",
                name_of(&self.folder)
            );
            ui.add(Label::new(text).wrap()).on_hover_text(self.folder.display().to_string());
            ui.add_space(8.0);
            ui.horizontal(|ui| {
                if ui.button("Read them").on_hover_text(self.read).clicked() {
                    answer = Some(Answer::Read);
                }
                if ui.button(&self.alternative.text).on_hover_text(self.alternative.tooltip).clicked() {
                    answer = Some(Answer::Open);
                }
                if ui.button("Cancel").clicked() {
                    answer = Some(Answer::Cancel);
                }
            });
        });
        match answer.or_else(|| modal.should_close().then_some(Answer::Cancel)) {
            None => return true,
            Some(Answer::Read) => read(services, self.folder.clone()),
            Some(Answer::Open) => (self.alternative.act)(services),
            Some(Answer::Cancel) => {}
        }
        false
    }
}
