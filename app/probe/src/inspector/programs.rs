//! Programs that the user added to the operators of the library.

use crossover_files::shell::literal;
use crossover_measured::probe::Category;
use crossover_measured::probe::task::MOST_OPERATORS;
use crossover_page::widgets::form::{self, list, text};
use crossover_probe::Probe;
use egui::{Button, CollapsingHeader, Ui};

use super::{Env, State};

/// Explanation of the command line.
const LINE: &str = "Program and arguments, separated by spaces; quotation marks keep spaces together. No shell interprets the \
                    line: ~, * and $ are literal";

/// Draws every program.
pub(super) fn show(ui: &mut Ui, state: &mut State, study: &mut Probe, env: &mut Env<'_>) {
    let mut gone = None;
    let count = study.target.programs.len();
    if count == 0 {
        ui.weak("Any program can be an operator if it prints a line such as {\"value\": 1.5, \"true_value\": 1.5}.");
    }
    for index in 0..count {
        ui.push_id(("program", index), |ui| {
            let title = study.target.programs[index].key.clone();
            CollapsingHeader::new(title).id_salt("program").default_open(true).show(ui, |ui| {
                let part = format!("target.programs.{index}");
                key(ui, &part, state, study, index, env);
                categories(ui, &part, &mut study.target.programs[index].categories);
                command(ui, &part, state, &mut study.target.programs[index].command.line, env);
                if ui.add(Button::new("Remove program").small()).clicked() {
                    gone = Some(index);
                }
            });
        });
    }
    if let Some(index) = gone {
        study.remove_program(index);
    }
    if list::add_button(ui, "Add program", count, MOST_OPERATORS) {
        study.add_program();
    }
}

fn key(ui: &mut Ui, part: &str, state: &mut State, study: &mut Probe, index: usize, env: &mut Env<'_>) {
    let added = &study.target.programs;
    let current = added[index].key.clone();
    let problem = |typed: &str| text::problem_of_name(typed, &current, added.iter().map(|of| of.key.as_str()));
    let title = ("key", "Operators with this name run it, and those for which you select it");
    let path = format!("{part}.key");
    if let Some(key) = text::field(ui, &mut state.name, title, (&path, &current), problem, env.commands) {
        study.rename_program(index, &key);
    }
}

/// Categories in which it is matched first.
fn categories(ui: &mut Ui, part: &str, categories: &mut Vec<Category>) {
    ui.horizontal_wrapped(|ui| {
        form::label(ui, "categories", "Categories of work in which it dominates");
        for category in Category::ALL {
            let path = format!("{part}.categories.{}", category.label());
            let is_on = categories.contains(&category);
            let explanation = "Operators of tasks in this category are matched with it first";
            match form::switch(ui, category.label(), explanation, &path, is_on) {
                Some(true) => categories.push(category),
                Some(false) => categories.retain(|other| *other != category),
                None => {}
            }
        }
    });
}

fn command(ui: &mut Ui, part: &str, state: &mut State, line: &mut Vec<String>, env: &mut Env<'_>) {
    let current = literal(line.iter());
    let path = format!("{part}.command.line");
    let problem = |typed: &str| words(typed).err().map(str::to_owned);
    let typed = text::field(ui, &mut state.name, ("command line", LINE), (&path, &current), problem, env.commands);
    if let Some(Ok(words)) = typed.map(|typed| words(&typed)) {
        *line = words;
    }
}

/// The words of a [`literal`] command line, separated by spaces; quotation marks of either kind keep words together.
///
/// # Errors
/// A quotation mark is not closed, or there is no program.
fn words(line: &str) -> Result<Vec<String>, &'static str> {
    let mut words: Vec<String> = Vec::new();
    let mut word: Option<String> = None;
    let mut mark = None;
    for c in line.chars() {
        match mark {
            Some(open) if c == open => mark = None,
            None if c.is_whitespace() => words.extend(word.take()),
            None if c == '"' || c == '\'' => {
                mark = Some(c);
                word.get_or_insert_default();
            }
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    if mark.is_some() {
        return Err("A quotation mark is not closed");
    }
    if words.first().is_none_or(|program| program.trim().is_empty()) {
        return Err("A command line needs a program");
    }
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::{literal, words};

    fn split(line: &str) -> Vec<String> {
        words(line).expect("a command line")
    }

    #[test]
    fn spaces_separate_words_and_quotation_marks_keep_them_together() {
        assert_eq!(split("  /opt/solve  --size 64 "), ["/opt/solve", "--size", "64"]);
        assert_eq!(split(r#"run "two words" --to='a b' '' "it's""#), ["run", "two words", "--to=a b", "", "it's"]);
        assert_eq!(
            split(r"C:\tools\solve.exe $HOME *"),
            [r"C:\tools\solve.exe", "$HOME", "*"],
            "nothing else has a meaning"
        );
    }

    #[test]
    fn what_is_written_is_read_back() {
        for line in [&["solve"][..], &["a b", "", "it's", "say \"it's\"", "'", "\t", "größe=3"]] {
            let line: Vec<String> = line.iter().map(|word| (*word).to_owned()).collect();
            assert_eq!(split(&literal(&line)), line);
        }
    }

    #[test]
    fn a_line_without_a_program_or_with_an_open_mark_is_refused() {
        for line in ["", "  ", "''", "' ' x", "\"\" x"] {
            assert_eq!(words(line), Err("A command line needs a program"), "{line}");
        }
        assert_eq!(words("run 'it"), Err("A quotation mark is not closed"));
    }
}
