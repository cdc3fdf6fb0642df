//! What an installed program tells of itself: its version and parts, completions for shells, manual pages.

use std::collections::BTreeSet;

use super::{refusal, result, run};

#[test]
fn the_long_version_says_what_was_built_and_what_is_in() {
    let text = result(&["--version"]);
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines[0], concat!("crossover ", env!("CARGO_PKG_VERSION")));
    for (name, expected) in [
        ("build ", "commit "),
        ("GPU ", "OpenGL"),
        ("studies ", "placement, "),
        ("imports ", "spark-log, "),
        ("imports ", "kubectl, "),
    ] {
        let line = lines.iter().find(|line| line.starts_with(name)).expect(name);
        assert!(line.contains(expected), "{expected} in {line}");
    }
}

#[test]
fn every_shell_gets_completions() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = result(&["completions", shell]);
        for word in ["crossover", "evaluate", "--strategy"] {
            // Some write options without their dashes.
            assert!(script.contains(word.trim_start_matches('-')), "{word} for {shell}");
        }
    }
    assert!(refusal(2, &["completions", "no-shell"]).contains("bash"));
}

#[test]
fn every_command_has_a_manual_page() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("man1");
    result_without_output(&["manual", "--out", &out.to_string_lossy()]);
    let pages = std::fs::read_dir(&out).expect("pages").map(|page| page.expect("a page").file_name());
    let pages: BTreeSet<_> = pages.map(|name| name.to_string_lossy().into_owned()).collect();
    // The second of a room's own subcommands, the third one of another room below it.
    for page in ["crossover.1", "crossover-evaluate.1", "crossover-import.1", "crossover-import-openb.1"] {
        assert!(pages.contains(page), "{page} in {pages:?}");
    }
    let page = std::fs::read_to_string(out.join("crossover-evaluate.1")).expect("a page");
    assert!(page.contains("\\-\\-strategy"), "{page}");

    let file = folder.path().join("a file");
    std::fs::write(&file, "").expect("a file");
    let refused = refusal(1, &["manual", "--out", &file.to_string_lossy()]);
    assert!(refused.contains("cannot write the manual pages to "), "{refused}");
}

fn result_without_output(arguments: &[&str]) {
    assert_eq!(run(arguments), (Some(0), String::new(), String::new()), "{arguments:?}");
}
