//! A path typed by hand, for systems without a file dialog.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crossover_chart::theme::Token;
use crossover_export::Format;
use crossover_page::command::{Command, Picture};
use crossover_page::study_module::MenuPlace;
use egui::text::{CCursor, CCursorRange};
use egui::{Context, Id, Key, Modal, Response, RichText, TextEdit, Ui};

use super::Workbench;
use super::purpose::Purpose;
use crate::kinds;

/// The command that writes files with each extension, for all studies.
const FORMATS: [(&str, Command); 6] = [
    ("ron", Command::Export(Format::Ron)),
    ("csv", Command::Export(Format::Csv)),
    ("json", Command::Export(Format::Json)),
    ("md", Command::Export(Format::Markdown)),
    ("svg", Command::ExportChart { chart: 0, picture: Picture::Svg }),
    ("png", Command::ExportChart { chart: 0, picture: Picture::Png }),
];

/// An open question for a path.
pub(super) struct TypedPath {
    purpose: Purpose,
    /// Extension of the file to write.
    extension: &'static str,
    text: String,
    /// The path that was checked last, and the kind of its entry.
    checked: Option<(PathBuf, PathKind)>,
    /// The text that was completed last, and its completions.
    completed: Option<(String, Vec<String>)>,
    is_focused: bool,
}

/// The kind of the entry at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PathKind {
    /// A file.
    File,
    /// A folder.
    Folder,
    /// No entry, in a folder that exists.
    Missing,
    /// No entry and no parent folder.
    MissingFolder,
}

impl PathKind {
    /// Reads the disk.
    fn at(path: &Path) -> Self {
        if path.is_dir() {
            Self::Folder
        } else if path.exists() {
            Self::File
        } else if path.parent().is_some_and(Path::is_dir) {
            Self::Missing
        } else {
            Self::MissingFolder
        }
    }
}

/// Maximum number of names of a folder that are read.
const MOST_NAMES: usize = 5_000;
/// Maximum number of completions shown.
const MOST_OFFERED: usize = 8;

/// The completions of a text: names of its folder that begin with its last part; folders end with a separator.
fn completions(text: &str) -> Vec<String> {
    let separator = std::path::MAIN_SEPARATOR;
    let Some(at) = text.rfind(std::path::is_separator) else { return Vec::new() };
    let (folder, start) = (&text[..=at], text[at + 1..].to_lowercase());
    let Ok(entries) = std::fs::read_dir(at_home(folder)) else { return Vec::new() };
    let entries: Vec<std::fs::DirEntry> = entries.take(MOST_NAMES + 1).flatten().collect();
    // A part of the names could give wrong common beginnings.
    if entries.len() > MOST_NAMES {
        return Vec::new();
    }
    let fits = |name: &String| {
        let is_hidden = name.starts_with('.') && !start.starts_with('.');
        !is_hidden && name.to_lowercase().starts_with(&start)
    };
    let path = |entry: &std::fs::DirEntry| {
        let name = entry.file_name().into_string().ok().filter(fits)?;
        // Only a link needs another access to the disk.
        let is_folder = match entry.file_type() {
            Ok(kind) if kind.is_symlink() => entry.path().is_dir(),
            Ok(kind) => kind.is_dir(),
            Err(_) => false,
        };
        let end = if is_folder { separator.to_string() } else { String::new() };
        Some(format!("{folder}{name}{end}"))
    };
    let mut found: Vec<String> = entries.iter().filter_map(path).collect();
    found.sort();
    found
}

/// The common beginning of texts.
fn common(texts: &[String]) -> String {
    let Some((first, others)) = texts.split_first() else { return String::new() };
    let is_shared = |(place, letter): &(usize, char)| others.iter().all(|other| other[*place..].starts_with(*letter));
    let in_all =
        first.char_indices().take_while(|at| others.iter().all(|other| other.is_char_boundary(at.0)) && is_shared(at));
    in_all.map(|(_, letter)| letter).collect()
}

/// A text with the home folder instead of a leading `~`.
fn at_home(text: &str) -> PathBuf {
    let rest = text.strip_prefix('~').filter(|rest| rest.is_empty() || rest.starts_with(std::path::is_separator));
    match (rest, std::env::home_dir()) {
        (Some(rest), Some(home)) => home.join(rest.trim_start_matches(std::path::is_separator)),
        _ => PathBuf::from(text),
    }
}

impl TypedPath {
    pub(super) fn new(purpose: Purpose, extension: &'static str, suggestion: String) -> Self {
        Self { purpose, extension, text: suggestion, checked: None, completed: None, is_focused: false }
    }

    /// The absolute path, with an extension for a file to write, or the problem with the text.
    fn path(&self) -> Result<PathBuf, String> {
        let text = self.text.trim();
        if let Some(address) = self.purpose.address(text) {
            return address;
        }
        let mut path = at_home(text);
        // The working folder of a window is not visible to the user.
        if !path.is_absolute() {
            return Err("Type the whole path, starting at the root folder or ~".into());
        }
        let is_folder = text.ends_with(std::path::is_separator) && !self.purpose.takes_folder();
        if path.file_name().is_none() || is_folder {
            return Err("Type the name of a file after the folder".into());
        }
        if self.purpose.reads() {
            return Ok(path);
        }
        match path.extension().map(|typed| typed.to_string_lossy().to_lowercase()) {
            None => drop(path.set_extension(self.extension)),
            Some(typed) if typed != self.extension => {
                if let Some(command) = written_by(&typed) {
                    let extension = self.extension;
                    return Err(format!(
                        "This writes a .{extension} file; for .{typed}, cancel and choose “{command}”"
                    ));
                }
            }
            Some(_) => {}
        }
        Ok(path)
    }

    /// The kind of the entry at a path; reads the disk when the path has changed.
    fn kind(&mut self, path: &Path) -> PathKind {
        match &self.checked {
            Some((checked, kind)) if checked == path => *kind,
            _ => {
                let kind = PathKind::at(path);
                self.checked = Some((path.to_owned(), kind));
                kind
            }
        }
    }

    /// The problem with a path, shown before the question is answered, so that no path has to be typed again.
    fn problem(&self, path: &Path, kind: PathKind) -> Option<String> {
        let folder = || path.parent().unwrap_or(path).display().to_string();
        match kind {
            PathKind::MissingFolder => Some(format!("There is no folder {}", folder())),
            PathKind::Folder if !self.purpose.takes_folder() => Some(format!("{} is a folder", path.display())),
            PathKind::Missing if self.purpose.reads() => {
                let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                Some(format!("There is no {name} in {}", folder()))
            }
            _ => None,
        }
    }

    /// The completions of the text; reads the disk when the text has changed.
    fn offered(&mut self) -> &[String] {
        if self.completed.as_ref().is_none_or(|(text, _)| *text != self.text) {
            let mut offered = completions(&self.text);
            offered.retain(|path| *path != self.text);
            self.completed = Some((self.text.clone(), offered));
        }
        self.completed.as_ref().map_or(&[], |(_, offered)| offered)
    }

    /// Puts a path into the field, with the cursor at its end.
    fn complete(&mut self, ui: &Ui, field: Id, path: String) {
        let end = CCursor::new(path.chars().count());
        self.text = path;
        let mut state = TextEdit::load_state(ui.ctx(), field).unwrap_or_default();
        state.cursor.set_char_range(Some(CCursorRange::one(end)));
        state.store(ui.ctx(), field);
        ui.memory_mut(|memory| memory.request_focus(field));
    }

    /// The field for the path; when it opens, the name without its extension is selected.
    fn field(&mut self, ui: &mut Ui) -> Response {
        let shared = common(self.offered());
        let can_go_on = shared.len() > self.text.len();
        // Tab completes a path as in a shell, and moves the focus where there is nothing to complete.
        let mut edit = TextEdit::singleline(&mut self.text)
            .desired_width(f32::INFINITY)
            .hint_text(self.purpose.example())
            .lock_focus(can_go_on)
            .show(ui);
        let is_tab = |input: &egui::InputState| input.key_pressed(Key::Tab) && !input.modifiers.shift;
        if can_go_on && edit.response.has_focus() && ui.input(is_tab) {
            self.complete(ui, edit.response.id, shared);
        }
        if !self.is_focused {
            edit.response.request_focus();
            self.is_focused = edit.response.has_focus();
            let path = Path::new(&self.text);
            let length = |part: &OsStr| part.to_string_lossy().chars().count();
            let start = self.text.chars().count() - path.file_name().map_or(0, length);
            let stem = start..start + path.file_stem().map_or(0, length);
            let selected = CCursorRange::two(CCursor::new(stem.start), CCursor::new(stem.end));
            edit.state.cursor.set_char_range(Some(selected));
            edit.state.store(ui.ctx(), edit.response.id);
        }
        edit.response.response
    }
}

impl Workbench {
    pub(super) fn typed_path(&mut self, ctx: &Context) {
        let Some(typed) = &mut self.typed_path else { return };
        let (title, action) = typed.purpose.words_by_path();
        let mut accepted = None;
        let mut is_cancelled = false;
        let modal = Modal::new(Id::unique("typed path")).show(ctx, |ui| {
            ui.set_width(520.0);
            let label = ui.heading(title);
            let edit = typed.field(ui).labelled_by(label.id);
            let field = edit.id;
            let mut path = typed.path();
            // A path of another machine cannot be checked here.
            let is_here = typed.purpose.address(typed.text.trim()).is_none();
            let kind = path.as_ref().ok().filter(|_| is_here).map(|path| typed.kind(path));
            let replaces = !typed.purpose.reads() && kind == Some(PathKind::File);
            // A missing path may still be being typed: a hint, not an error.
            let mut is_typing = typed.text.trim().is_empty();
            if let (Ok(found), Some(kind)) = (&path, kind)
                && let Some(problem) = typed.problem(found, kind)
            {
                is_typing = true;
                path = Err(problem);
            }
            let (hint, token) = match &path {
                Err(problem) if is_typing || typed.text.ends_with(std::path::is_separator) => {
                    (problem.clone(), Token::TextWeak)
                }
                Err(problem) => (problem.clone(), Token::Error),
                Ok(path) if replaces => {
                    (format!("{} exists; replacing it deletes its content", path.display()), Token::Warning)
                }
                Ok(path) => (path.display().to_string(), Token::TextWeak),
            };
            ui.add(egui::Label::new(RichText::new(hint).color(token.color(ui.visuals().dark_mode))).wrap());
            let offered: Vec<String> = typed.offered().iter().take(MOST_OFFERED).cloned().collect();
            for offer in offered {
                let end = offer.trim_end_matches(std::path::is_separator);
                let name = &offer[end.rfind(std::path::is_separator).map_or(0, |at| at + 1)..];
                if ui.add(egui::Button::new(name).frame(false)).clicked() {
                    typed.complete(ui, field, offer.clone());
                }
            }
            ui.add_space(6.0);
            ui.horizontal(|ui| {
                let button = egui::Button::new(if replaces { "Replace" } else { action });
                let is_clicked = ui.add_enabled(path.is_ok(), button).clicked();
                let is_entered = edit.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
                if is_clicked || (is_entered && !replaces) {
                    accepted = path.ok().map(|path| (path, replaces));
                }
                // Enter on a rejected path keeps the focus.
                if is_entered && accepted.is_none() {
                    edit.request_focus();
                }
                is_cancelled = ui.button("Cancel").clicked();
            });
        });
        if let Some((path, replaces)) = accepted {
            if let Some(typed) = self.typed_path.take() {
                self.chosen(typed.purpose, path, replaces);
            }
        } else if (is_cancelled || modal.should_close())
            && let Some(typed) = self.typed_path.take()
            && let Some(document) = typed.purpose.document()
        {
            self.not_saved(document);
        }
    }
}

/// The text of the command that writes files with this extension.
fn written_by(extension: &str) -> Option<String> {
    let general = FORMATS.iter().find(|(written, _)| *written == extension).map(|(_, command)| command.text());
    let of_studies =
        || kinds::requests(|place| place == MenuPlace::Export).find(|request| request.extension() == Some(extension));
    general.or_else(|| of_studies().map(|request| request.text()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::Content;
    use crossover_page::lazy_text::LazyText;

    #[test]
    fn a_path_is_completed_from_what_is_there() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["orders.csv", "orders.ron", "other.ron", ".hidden"] {
            std::fs::write(folder.path().join(name), "").expect("a file");
        }
        std::fs::create_dir(folder.path().join("plans")).expect("a folder");
        let at = |name: &str| folder.path().join(name).display().to_string();
        let separator = std::path::MAIN_SEPARATOR;
        assert_eq!(completions(&at("ORD")), [at("orders.csv"), at("orders.ron")]);
        assert_eq!(common(&completions(&at("ord"))), at("orders."));
        assert_eq!(completions(&at("pl")), [format!("{}{separator}", at("plans"))]);
        assert_eq!(completions(&at("")).len(), 4, "nothing hidden");
        assert_eq!(completions(&at(".h")), [at(".hidden")]);
        assert_eq!(common(&completions(&at("zzz"))), "");
        assert_eq!(common(&["/ä/é".to_owned(), "/ä/è".to_owned()]), "/ä/");
    }

    #[test]
    fn a_problem_is_shown_before_the_answer() {
        let folder = tempfile::tempdir().expect("a folder");
        let of = |purpose: Purpose, path: &Path| {
            TypedPath::new(purpose, "ron", String::new()).problem(path, PathKind::at(path)).unwrap_or_default()
        };
        let writes = || Purpose::Export(Content::Text(LazyText::new(String::new)));
        assert_eq!(of(writes(), &folder.path().join("new.ron")), "");
        assert!(of(writes(), &folder.path().join("none/new.ron")).starts_with("There is no folder"));
        assert!(of(writes(), folder.path()).ends_with("is a folder"));
        assert!(of(Purpose::Open, &folder.path().join("new.ron")).starts_with("There is no new.ron in"));
    }

    #[cfg(unix)]
    #[test]
    fn a_home_folder_is_understood() {
        let home = std::env::home_dir().expect("a home");
        assert_eq!(at_home("~/a.ron"), home.join("a.ron"));
        assert_eq!(at_home("~"), home);
        assert_eq!(at_home("~other/a"), Path::new("~other/a"));
    }

    #[cfg(unix)]
    #[test]
    fn a_typed_path_is_whole_and_of_the_format_that_is_written() {
        let check = |extension: &'static str, text: &str, expected: Result<&str, &str>| {
            let purpose = Purpose::Export(Content::Text(LazyText::new(String::new)));
            match (TypedPath::new(purpose, extension, text.into()).path(), expected) {
                (Ok(path), Ok(expected)) => assert_eq!(path, Path::new(expected), "{text}"),
                (Err(problem), Err(part)) => assert!(problem.contains(part), "{text}: {problem}"),
                (got, _) => panic!("{text}: {got:?}"),
            }
        };
        check("ron", " /a/plan ", Ok("/a/plan.ron"));
        check("csv", "/a/plan", Ok("/a/plan.csv"));
        check("csv", "/a/plan.CSV", Ok("/a/plan.CSV"));
        check("csv", "/a/plan.txt", Ok("/a/plan.txt"));
        check("csv", "/a/plan.json", Err("This writes a .csv file; for .json, cancel and choose “Export resul"));
        check("svg", "/a/plan.png", Err("“Export chart as PNG…”"));
        check("ron", "plan.ron", Err("whole path"));
        check("ron", "/a/", Err("name of a file"));
        check("ron", "/", Err("name of a file"));
    }
}
