//! README and guides show what the program prints: every command of a `console` block runs, and its output is compared.
//!
//! A line “…” stands for any lines. With `CROSSOVER_UPDATE_DOCUMENTS=1` the files are rewritten instead.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Commands that read files which a reader has, and this repository has not.
const NOT_HERE: [&str; 9] = [
    "crossover probe fit sdm91.csv",
    "crossover probe window probes.csv",
    "crossover import openb --nodes",
    "crossover evaluate alibaba.ron",
    "crossover evaluate broken.ron",
    "crossover fit --cases scenarios/truth/",
    "crossover validate scenarios/truth/",
    "crossover import duckdb scenarios/truth/plans/",
    "crossover sensitivity FILE",
];
/// Folders with the files that documented commands read.
const READ: [&str; 2] = ["plan/samples", "scenarios"];
/// Stands for any lines.
const ANY: &str = "…";

/// A command of a block with its output.
struct Shown {
    /// The line of the command, from 0.
    line: usize,
    indent: usize,
    command: String,
    output: Vec<String>,
}

fn root() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// README and the guides.
fn documents() -> Vec<PathBuf> {
    let folder = fs::read_dir(root().join("docs")).expect("a folder");
    let guides = folder.map(|entry| entry.expect("an entry").path());
    let mut all: Vec<PathBuf> = guides.filter(|path| path.extension().is_some_and(|of| of == "md")).collect();
    all.push(root().join("README.md"));
    all.sort();
    all
}

/// The commands of this program in the `console` blocks of a text.
fn shown(text: &str) -> Vec<Shown> {
    let mut all: Vec<Shown> = Vec::new();
    let mut block: Option<usize> = None;
    let mut is_ours = false;
    for (number, line) in text.lines().enumerate() {
        let bare = line.trim_start();
        if bare.starts_with("```") {
            let opens = block.is_none() && bare == "```console";
            block = opens.then_some(line.len() - bare.len());
            is_ours = false;
            continue;
        }
        let Some(indent) = block else { continue };
        let line = line.get(indent..).unwrap_or_default();
        if let Some(command) = line.strip_prefix("$ ") {
            is_ours = command.starts_with("crossover ") && !NOT_HERE.iter().any(|other| command.starts_with(other));
            if is_ours {
                all.push(Shown { line: number, indent, command: command.to_owned(), output: Vec::new() });
            }
        } else if is_ours {
            all.last_mut().expect("its command").output.push(line.to_owned());
        }
    }
    all
}

/// A folder with copies of the files that commands read, so that none of them can write into the checkout.
fn workspace() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for name in READ {
        copy(&root().join(name), &folder.path().join(name));
    }
    folder
}

/// Copies a folder with all that is in it.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if from.is_dir() {
            copy(&from, &to);
        } else {
            fs::copy(&from, &to).expect("copied");
        }
    }
}

/// What a command prints, line by line; every part of a pipe has to succeed.
fn run(command: &str, folder: &Path) -> Vec<String> {
    let programs = Path::new(env!("CARGO_BIN_EXE_crossover")).parent().expect("a folder");
    let path = env::join_paths(
        std::iter::once(programs.to_owned()).chain(env::split_paths(&env::var_os("PATH").unwrap_or_default())),
    );
    let ran = Command::new("bash")
        .args(["-o", "pipefail", "-c", command])
        .current_dir(folder)
        .env("PATH", path.expect("paths"))
        .output();
    let ran = ran.expect("a shell");
    assert!(ran.status.success(), "{command}: {}", String::from_utf8_lossy(&ran.stderr));
    let text = String::from_utf8(ran.stdout).expect("UTF-8");
    text.lines().map(|line| line.trim_end().to_owned()).collect()
}

/// Whether a command printed what is shown.
fn is_same(shown: &[String], printed: &[String]) -> bool {
    match shown.iter().position(|line| line == ANY) {
        None => shown == printed,
        Some(place) => {
            let after = &shown[place + 1..];
            printed.len() >= place
                && printed[..place] == shown[..place]
                && (place..=printed.len()).any(|end| is_same(after, &printed[end..]))
        }
    }
}

/// What is shown, with the lines that were printed: as many before and after “…” as there were.
fn renewed(shown: &[String], printed: &[String]) -> Vec<String> {
    match shown.iter().position(|line| line == ANY) {
        None => printed.to_vec(),
        Some(place) => {
            let after = shown.len() - place - 1;
            let is_single = !shown[place + 1..].iter().any(|line| line == ANY);
            assert!(
                is_single,
                "which lines stand between two “…” is unknown: let the command print only those that are shown"
            );
            let [first, last] = [&printed[..place.min(printed.len())], &printed[printed.len().saturating_sub(after)..]];
            first.iter().chain(std::iter::once(&ANY.to_owned())).chain(last).cloned().collect()
        }
    }
}

#[test]
fn every_command_of_the_documents_prints_what_they_show() {
    let updates = env::var_os("CROSSOVER_UPDATE_DOCUMENTS").is_some();
    let (mut count, mut wrong) = (0, Vec::new());
    for path in documents() {
        let text = fs::read_to_string(&path).expect("a document");
        let commands = shown(&text);
        if commands.is_empty() {
            continue;
        }
        let folder = workspace();
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        // From the last to the first, so that the lines before keep their numbers; the commands run in their order.
        let printed: Vec<Vec<String>> = commands.iter().map(|of| run(&of.command, folder.path())).collect();
        for (of, printed) in commands.iter().zip(&printed).rev() {
            count += 1;
            if of.output.is_empty() || is_same(&of.output, printed) {
                continue;
            }
            wrong.push(format!("{}:{}: {} prints\n{}", path.display(), of.line + 1, of.command, printed.join("\n")));
            let renewed = renewed(&of.output, printed).into_iter();
            let indented = renewed.map(|line| format!("{}{line}", " ".repeat(of.indent)).trim_end().to_owned());
            lines.splice(of.line + 1..=of.line + of.output.len(), indented.collect::<Vec<_>>());
        }
        if updates {
            fs::write(&path, lines.join("\n") + "\n").expect("written");
        }
    }
    assert!(count > 15, "only {count} commands are left");
    assert!(updates || wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn dots_stand_for_any_lines() {
    let lines = |text: &str| -> Vec<String> { text.split(' ').map(str::to_owned).collect() };
    assert!(is_same(&lines("a … d"), &lines("a b c d")) && is_same(&lines("a …"), &lines("a")));
    assert!(!is_same(&lines("a … d"), &lines("a b c")) && !is_same(&lines("a"), &lines("a b")));
    assert_eq!(renewed(&lines("x … y z"), &lines("a b c d e")), lines("a … d e"));
}

#[test]
fn only_commands_of_this_program_are_run() {
    let text = "```console\n$ ls\na\n$ crossover evaluate a.ron\nfirst\n\nlast\n```\n   ```console\n   $ crossover x\n   b\n   ```\n```sh\n$ crossover y\n```\n";
    let found: Vec<_> = shown(text).into_iter().map(|of| (of.line, of.indent, of.command, of.output)).collect();
    let owned = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
    assert_eq!(
        found,
        [
            (3, 0, "crossover evaluate a.ron".to_owned(), owned(&["first", "", "last"])),
            (9, 3, "crossover x".to_owned(), owned(&["b"])),
        ]
    );
}
