//! Files that a scenario refers to: absolute paths in memory, and paths relative to its own folder in its file, so that both
//! can be moved together.

use std::path::{Component, Path, PathBuf};

use crossover_scenario::Scenario;
use crossover_traces::named;

/// Reads the files that the scenario of a file in this folder names, unless already read.
pub fn fetch(scenario: &mut Scenario, folder: &Path) {
    let Some(named) = scenario.study.named_trace_mut().filter(|named| !named.is_read()) else { return };
    for file in &mut named.files {
        // The canonical folder, as in saving; a link of the file itself is not resolved.
        let folder = std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
        let whole = folder.join(&file.path);
        // The scenario has only UTF-8 paths.
        if let Some(whole) = whole.to_str() {
            whole.clone_into(&mut file.path);
        }
    }
    named::fetch(named);
}

/// The scenario as stored in a file of this folder.
pub(super) fn as_saved_in(folder: &Path, scenario: &Scenario) -> Scenario {
    let mut saved = scenario.clone();
    let folder = std::fs::canonicalize(folder).ok();
    if let (Some(named), Some(folder)) = (saved.study.named_trace_mut(), folder) {
        for file in &mut named.files {
            if let Some(below) = below(&folder, Path::new(&file.path)) {
                file.path = below;
            }
        }
    }
    saved
}

/// A path below a folder, with the separator that every system reads.
fn below(folder: &Path, path: &Path) -> Option<String> {
    let inside: PathBuf = path.strip_prefix(folder).ok()?.to_owned();
    let names = inside.components().map(|component| match component {
        Component::Normal(name) => name.to_str(),
        _ => None,
    });
    let names: Option<Vec<&str>> = names.collect();
    names.filter(|names| !names.is_empty()).map(|names| names.join("/"))
}
