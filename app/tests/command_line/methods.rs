//! The table of the published methods (`docs/METHODS.md`): its places exist, and each of its rows has a state.

use std::fs;
use std::path::Path;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
/// The head of a table of items.
const HEAD: [&str; 4] = ["section", "item", "where", "state"];
/// States of an item, as the document defines them.
const STATES: [&str; 5] = ["computed", "measured", "acts", "simulated", "not there"];

fn text() -> String {
    fs::read_to_string(Path::new(ROOT).join("docs/METHODS.md")).expect("the document")
}

/// Cells of a row of a table.
fn cells(line: &str) -> Vec<&str> {
    let inner = line.strip_prefix('|').and_then(|rest| rest.strip_suffix('|')).unwrap_or_default();
    inner.split('|').map(str::trim).collect()
}

/// Rows of the tables of items, without their heads.
fn items(text: &str) -> Vec<Vec<&str>> {
    let mut is_item = false;
    let mut all = Vec::new();
    for line in text.lines() {
        let row = cells(line);
        if row == HEAD {
            is_item = true;
        } else if !line.starts_with('|') {
            is_item = false;
        } else if is_item && !line.starts_with("|---") {
            all.push(row);
        }
    }
    all
}

/// The texts between backticks.
fn spans(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// Whether the program has a command of these words; the last one may be a value, as in `crossover import sql`.
fn is_command(words: &str) -> bool {
    let mut command = crossover::cli::command();
    words.split(' ').all(|word| match command.find_subcommand(word).cloned() {
        Some(below) => {
            command = below;
            true
        }
        None => command
            .get_positionals()
            .next()
            .is_some_and(|first| first.get_possible_values().iter().any(|value| value.get_name() == word)),
    })
}

#[test]
fn every_path_and_command_of_the_methods_exists() {
    let text = text();
    let (mut paths, mut commands) = (0, 0);
    for span in spans(&text) {
        if let Some(words) = span.strip_prefix("crossover ") {
            commands += 1;
            assert!(is_command(words), "no command `{span}`");
        } else if span.contains('/') {
            paths += 1;
            assert!(Path::new(ROOT).join(span).exists(), "no file `{span}`");
        }
    }
    assert!(paths > 100 && commands > 30, "{paths} paths and {commands} commands");
    assert!(!is_command("probe fly"));
}

#[test]
fn every_item_of_the_methods_has_a_state_and_a_place_unless_it_is_not_there() {
    let text = text();
    let items = items(&text);
    assert!(items.len() > 150, "{} items", items.len());
    for item in items {
        let [section, name, place, state] = item[..] else { panic!("four cells: {item:?}") };
        assert!(!section.is_empty() && !name.is_empty(), "{item:?}");
        let known = STATES
            .iter()
            .find(|known| state.strip_prefix(**known).is_some_and(|rest| rest.is_empty() || rest.starts_with(": ")));
        let known = known.unwrap_or_else(|| panic!("{name}: unknown state “{state}”"));
        assert!(!place.is_empty() || *known == "not there", "{name}: no place");
    }
}
