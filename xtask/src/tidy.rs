//! Rules that the compiler does not check: no machine's paths, no unfinished marks, a purpose in every file, no doctests, plain
//! words, plurals by one function, likelihoods by two.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};

use crate::report::Report;
use crate::texts::Kind;
use crate::{doctests, plurals, shares, texts, words};

/// Folders whose name starts with a dot and that belong to the repository all the same.
const OWN_HIDDEN_FOLDERS: [&str; 4] = [".cargo", ".ci", ".config", ".github"];

/// Marks of unfinished or muted code. They are put together here so that this file passes itself.
const MARKS: [&str; 6] = [
    concat!("TO", "DO"),
    concat!("to", "do!"),
    concat!("dbg", "!("),
    concat!("#[", "ignore"),
    concat!("#[", "allow("),
    concat!("#![", "allow("),
];

/// Checks every text file of the repository.
pub(crate) fn check(root: &Path) -> Result<String> {
    let mut files = Vec::new();
    collect(root, &mut files)?;
    files.sort();

    let forbidden_paths = paths_of_this_machine(root);
    let mut complaints = Vec::new();
    for path in &files {
        let bytes = fs::read(path).with_context(|| format!("{}", path.display()))?;
        // What is not text is a picture or a font.
        let Ok(text) = String::from_utf8(bytes) else { continue };
        let name = path.strip_prefix(root).unwrap_or(path).display().to_string();
        let is_rust = path.extension().is_some_and(|extension| extension == "rs");
        let of_texts = if is_rust && texts::is_shown(Path::new(&name)) {
            [plurals::complaints(&text), shares::complaints(&text)].concat()
        } else {
            Vec::new()
        };
        for (line, complaint) in complaints_about(&text, is_rust, &forbidden_paths).into_iter().chain(of_texts) {
            complaints.push(format!("{name}:{line}: {complaint}"));
        }
    }
    let texts = texts::collect(root, &files)?;
    complaints.extend(words::complaints(&texts));
    ensure!(complaints.is_empty(), "{} lines to tidy up\n{}", complaints.len(), complaints.join("\n"));
    let [program, pages] = [Kind::Program, Kind::Page].map(|kind| words::readability(&texts, kind));
    Ok(format!("{} files; program: {program}; documentation: {pages}", files.len()))
}

/// Writes every text that users read into target/texts.txt.
pub(crate) fn write_texts(root: &Path) -> Report {
    let mut report = Report::new(root);
    report.check("texts", || {
        let write = || -> Result<String> {
            let mut files = Vec::new();
            collect(root, &mut files)?;
            files.sort();
            let texts = texts::collect(root, &files)?;
            let path = root.join("target/texts.txt");
            let (mut list, mut count) = (String::new(), 0);
            let mut file = "";
            for text in texts.iter().filter(|text| text.kind != Kind::Comment) {
                count += 1;
                if text.file != file {
                    file = &text.file;
                    list += &format!("\n== {file}\n");
                }
                list += &format!("{}: {}\n", text.line, text.content.replace('\n', "\n    "));
            }
            fs::create_dir_all(root.join("target"))?;
            fs::write(&path, list).with_context(|| format!("{}", path.display()))?;
            Ok(format!("{count} texts in {}", path.display()))
        };
        write().into()
    });
    report
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    let entries = fs::read_dir(folder).with_context(|| format!("{}", folder.display()))?;
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let kind = entry.file_type()?;
        // A linked worktree has a file `.git` that names the folder of the repository.
        if kind.is_file() && name != ".git" {
            files.push(entry.path());
        } else if kind.is_dir() && name != "target" && (!name.starts_with('.') || OWN_HIDDEN_FOLDERS.contains(&&*name))
        {
            collect(&entry.path(), files)?;
        }
    }
    Ok(())
}

/// The folder of the repository and the user's own. Single names such as `/app` are left out: they
/// occur in relative paths; only root's home is clear enough.
fn paths_of_this_machine(root: &Path) -> Vec<String> {
    let own = [Some(root.to_path_buf()), std::env::home_dir()].into_iter().flatten();
    own.filter(|folder| folder.components().count() > 2)
        .map(|folder| format!("{}/", folder.display()))
        .chain([concat!("/ro", "ot/").to_owned()])
        .collect()
}

/// Line numbers from 1, each with what is wrong there.
fn complaints_about(text: &str, is_rust: bool, forbidden_paths: &[String]) -> Vec<(usize, String)> {
    let mut complaints = Vec::new();
    if is_rust && !text.starts_with("//! ") {
        complaints.push((1, "should open with `//!` and what the file is for".into()));
    }
    if is_rust {
        let complaint = "doctests are not run here: write a unit test instead, or mark what is only shown as ```text";
        complaints.extend(doctests::lines(text).into_iter().map(|line| (line, complaint.to_owned())));
    }
    for (index, line) in text.lines().enumerate() {
        let paths = forbidden_paths.iter().filter(|path| names_path(line, path));
        complaints.extend(paths.map(|path| (index + 1, format!("a machine's path, `{path}`"))));
        if is_rust {
            let marks = MARKS.iter().filter(|mark| line.contains(**mark));
            complaints.extend(marks.map(|mark| (index + 1, format!("`{mark}`"))));
        }
    }
    complaints
}

/// Whether `path` occurs in `line` as a path of its own, not as the tail of a longer one or a URL.
fn names_path(line: &str, path: &str) -> bool {
    line.match_indices(path)
        .any(|(start, _)| line[..start].chars().next_back().is_none_or(|before| !before.is_alphanumeric()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_finds_its_line() {
        let paths = ["/opt/checkout/".to_owned()];
        let check = |text: &str, is_rust, expected: &[usize]| {
            let lines: Vec<_> = complaints_about(text, is_rust, &paths).iter().map(|(line, _)| *line).collect();
            assert_eq!(lines, expected, "{text}");
        };
        check("//! Says what it is for.\nfn main() {}\n", true, &[]);
        check("fn main() {}\n", true, &[1]);
        check("Any text\n", false, &[]);
        check("see /opt/checkout/model\n", false, &[1]);
        check("see https://example.org/opt/checkout/model\n", false, &[]);
        check("//! Purpose:\n//! ```\n//! main();\n//! ```\n", true, &[2]);
        for mark in MARKS {
            let text = format!("//! Purpose.\n\n    {mark}\n");
            assert!(complaints_about(&text, true, &paths).iter().any(|(line, _)| *line == 3), "{mark}");
        }
    }
}
