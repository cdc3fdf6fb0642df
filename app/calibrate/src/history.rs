//! Earlier runs: the list, opening one, comparing two, deleting one.

use std::io;
use std::path::{Path, PathBuf};

use crossover_chart::theme::Token;
use crossover_gpu_bench::calibration::calibrated;
use crossover_gpu_bench::report::{Report, file, history};
use crossover_page::command::Command;
use crossover_quantity::text::counted;
use egui::{Button, Label, RichText, ScrollArea, Ui};

use super::compare::Comparison;
use super::{Env, Request, run};

/// The folder of earlier runs, as last read.
#[derive(Debug, Default)]
pub(super) struct History {
    /// The newest first; `None` until it has been read.
    entries: Option<Vec<Entry>>,
    /// Why it cannot be read.
    problem: Option<String>,
    /// Runs selected for a comparison, at most two.
    picked: Vec<PathBuf>,
}

/// An earlier run in the list.
#[derive(Debug, Clone)]
pub struct Entry {
    path: PathBuf,
    /// Date and time, UTC; the file's name if the run cannot be read.
    when: String,
    /// Suite, number of results and device; or why it cannot be read.
    what: String,
    is_readable: bool,
}

/// The result of reading the folder.
#[derive(Debug)]
pub enum Answer {
    /// All runs.
    Listed(Result<Vec<Entry>, String>),
    /// The content of one.
    Opened(PathBuf, Result<Box<Report>, String>),
    /// The contents of two, side by side.
    Compared(Result<Box<Comparison>, String>),
}

/// Reads the whole folder.
pub(super) fn list(folder: &Path) -> Answer {
    let listed = history::list(folder).map(|entries| entries.into_iter().map(Entry::new).collect());
    Answer::Listed(listed.map_err(|error| format!("cannot list {}: {error}", folder.display())))
}

/// Reads a run.
pub(super) fn open(path: PathBuf) -> Answer {
    let report = file::read(&path).map(|report| Box::new(calibrated(report)));
    Answer::Opened(path, report.map_err(|error| error.to_string()))
}

/// Reads two runs, the older one first.
pub(super) fn compare([one, other]: [PathBuf; 2]) -> Answer {
    let both = file::read(&one).and_then(|one| Ok((one, file::read(&other)?)));
    let compared = both.map(|(one, other)| {
        let (before, after) = if one.time <= other.time { (one, other) } else { (other, one) };
        Box::new(Comparison::new(&before, &after))
    });
    Answer::Compared(compared.map_err(|error| error.to_string()))
}

/// Deletes a run and reads the folder again.
pub(super) fn delete(folder: &Path, path: &Path) -> Answer {
    match history::delete(path) {
        // Already deleted elsewhere.
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Answer::Listed(Err(format!("cannot delete {}: {error}", path.display())))
        }
        _ => list(folder),
    }
}

impl Entry {
    fn new(entry: history::Entry) -> Self {
        match entry.report {
            Ok(report) => {
                Self { path: entry.path, when: run::when(&report), what: described(&report), is_readable: true }
            }
            Err(error) => {
                let name = entry.path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
                Self { path: entry.path, when: name, what: error.to_string(), is_readable: false }
            }
        }
    }
}

impl History {
    /// The file of a run that has ended, by its time and its contents; of equal ones the newest.
    pub(super) fn file_of(&self, report: &Report) -> Option<&Path> {
        let (when, what) = (run::when(report), described(report));
        let is_same = |entry: &&Entry| entry.is_readable && entry.when == when && entry.what == what;
        self.entries.iter().flatten().find(is_same).map(|entry| entry.path.as_path())
    }

    /// Takes the new content of the folder.
    pub(super) fn listed(&mut self, listed: Result<Vec<Entry>, String>) {
        match listed {
            Ok(entries) => {
                self.picked.retain(|path| entries.iter().any(|entry| entry.path == *path));
                self.entries = Some(entries);
                self.problem = None;
            }
            Err(problem) => self.problem = Some(problem),
        }
    }
}

/// Suite, number of results and device.
fn described(report: &Report) -> String {
    let results = counted(report.results.len() as f64, "result");
    format!("{} · {results} · {}", report.suite, run::device(report))
}

/// Draws the list; gives the run that the user wants to delete.
pub(super) fn show(ui: &mut Ui, history: &mut History, shown: Option<&Path>, env: &mut Env<'_>) -> Option<PathBuf> {
    let dark = ui.visuals().dark_mode;
    let mut unwanted = None;
    ui.add_space(2.0);
    ui.horizontal_wrapped(|ui| {
        ui.heading("Earlier runs");
        let pair: Option<[PathBuf; 2]> = history.picked.clone().try_into().ok();
        let button = ui.add_enabled(pair.is_some(), Button::new("Compare"));
        if button.on_disabled_hover_text("Tick two runs first").clicked()
            && let Some(pair) = pair
        {
            env.commands.push(Command::ask(Request::Compare(pair)));
        }
    });
    if let Some(problem) = &history.problem {
        ui.colored_label(Token::Error.color(dark), problem);
    }
    let entries = history.entries.as_deref().unwrap_or_default();
    if entries.is_empty() {
        ui.weak("Every run is saved and listed here.");
    }
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        for entry in entries {
            let is_shown = shown == Some(entry.path.as_path());
            ui.horizontal(|ui| {
                let mut is_picked = history.picked.contains(&entry.path);
                let tick = ui.add_enabled(entry.is_readable, egui::Checkbox::without_text(&mut is_picked));
                tick.widget_info(|| {
                    let name = format!("Compare the run of {}", entry.when);
                    egui::WidgetInfo::selected(egui::Role::CheckBox, entry.is_readable, is_picked, name)
                });
                if tick.on_hover_text("Tick two runs to compare them").changed() {
                    history.picked.retain(|path| *path != entry.path);
                    if is_picked {
                        history.picked.push(entry.path.clone());
                        if history.picked.len() > 2 {
                            history.picked.remove(0);
                        }
                    }
                }
                let name = ui.add_enabled(entry.is_readable, Button::selectable(is_shown, &entry.when));
                if name.on_hover_text(format!("Show the run in {}", entry.path.display())).clicked() {
                    env.commands.push(Command::ask(Request::Show(entry.path.clone())));
                }
                ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                    let delete = ui.add(Button::new("Delete").small());
                    delete.widget_info(|| {
                        egui::WidgetInfo::labeled(egui::Role::Button, true, format!("Delete the run of {}", entry.when))
                    });
                    if delete.clicked() {
                        unwanted = Some(entry.path.clone());
                    }
                });
            });
            let token = if entry.is_readable { Token::TextWeak } else { Token::Error };
            ui.horizontal(|ui| {
                ui.add_space(24.0);
                let what = RichText::new(&entry.what).small().color(token.color(dark));
                ui.add(Label::new(what).truncate().show_tooltip_when_elided(false)).on_hover_text(&entry.what);
            });
            ui.add_space(4.0);
        }
    });
    unwanted
}
