//! A path typed by hand, for systems without a file dialog.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crossover_chart::theme::Token;
use egui::text::{CCursor, CCursorRange};
use egui::{Context, Id, Key, Modal, Response, RichText, TextEdit, Ui};

use super::Workbench;
use super::purpose::Purpose;
use crate::command::{Command, Picture};
use crate::export::Format;
use crate::kinds;
use crate::room::Place;

/// What a file is written as that has this extension, whatever the study.
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
    /// Extension of what is written.
    extension: &'static str,
    text: String,
    /// The path for which the disk was looked at last, and whether there is a file to be replaced.
    looked_at: Option<(PathBuf, bool)>,
    is_focused: bool,
}

impl TypedPath {
    pub(super) fn new(purpose: Purpose, extension: &'static str, suggestion: String) -> Self {
        Self { purpose, extension, text: suggestion, looked_at: None, is_focused: false }
    }

    /// The whole path, with an extension where something is written, or what is wrong with the text.
    fn path(&self) -> Result<PathBuf, String> {
        let text = self.text.trim();
        let mut path = PathBuf::from(text);
        // The folder that a window was started in is nothing a user would know.
        if !path.is_absolute() {
            return Err("Type the whole path, from the root folder on".into());
        }
        let is_folder = text.ends_with(std::path::is_separator) && !self.purpose.takes_folder();
        if path.file_name().is_none() || is_folder {
            return Err("Type the name of a file behind the folder".into());
        }
        if self.purpose.reads() {
            return Ok(path);
        }
        match path.extension().map(|typed| typed.to_string_lossy().to_lowercase()) {
            None => drop(path.set_extension(self.extension)),
            Some(typed) if typed != self.extension => {
                if let Some(there) = written_by(&typed) {
                    let here = self.extension;
                    return Err(format!("This writes a .{here} file; for .{typed}, cancel and choose “{there}”"));
                }
            }
            Some(_) => {}
        }
        Ok(path)
    }

    /// Whether the path is a file that would be replaced; looks at the disk when the path has changed.
    fn replaces(&mut self, path: &Path) -> bool {
        if self.purpose.reads() {
            return false;
        }
        match &self.looked_at {
            Some((looked_at, replaces)) if looked_at == path => *replaces,
            _ => {
                let replaces = path.exists();
                self.looked_at = Some((path.to_owned(), replaces));
                replaces
            }
        }
    }

    /// The field for the path; when it opens, the name without its extension is selected.
    fn field(&mut self, ui: &mut Ui) -> Response {
        let mut edit =
            TextEdit::singleline(&mut self.text).desired_width(f32::INFINITY).hint_text("/folder/name").show(ui);
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
            let path = typed.path();
            let replaces = path.as_ref().is_ok_and(|path| typed.replaces(path));
            let (hint, token) = match &path {
                Err(problem) if typed.text.trim().is_empty() => (problem.clone(), Token::TextWeak),
                Err(problem) => (problem.clone(), Token::Error),
                Ok(path) if replaces => {
                    (format!("{} exists; replacing it loses what is in it", path.display()), Token::Warning)
                }
                Ok(path) => (path.display().to_string(), Token::TextWeak),
            };
            ui.add(egui::Label::new(RichText::new(hint).color(token.color(ui.visuals().dark_mode))).wrap());
            ui.add_space(6.0);
            ui.horizontal(|ui| {
                let button = egui::Button::new(if replaces { "Replace" } else { action });
                let is_clicked = ui.add_enabled(path.is_ok(), button).clicked();
                let is_entered = !replaces && edit.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
                if is_clicked || is_entered {
                    accepted = path.ok().map(|path| (path, replaces));
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

/// What the command is called that writes files with this extension.
fn written_by(extension: &str) -> Option<String> {
    let general = FORMATS.iter().find(|(written, _)| *written == extension).map(|(_, command)| command.text());
    let of_studies =
        || kinds::requests(|place| place == Place::Export).find(|request| request.extension() == Some(extension));
    general.or_else(|| of_studies().map(|request| request.text()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::{Content, Made};

    #[cfg(unix)]
    #[test]
    fn a_typed_path_is_whole_and_of_the_format_that_is_written() {
        let check = |extension: &'static str, text: &str, expected: Result<&str, &str>| {
            let purpose = Purpose::Export(Content::Made(Made::new(String::new)));
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
