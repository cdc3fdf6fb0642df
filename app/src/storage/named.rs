//! Files that a scenario names instead of holding them: whole paths while it is worked on, and in its file those from its own
//! folder on, so that both can be moved together.

use std::path::{Component, Path, PathBuf};

use crossover_model::allocation::NamedTrace;
use crossover_model::scenario::{Scenario, Study};
use crossover_traces::named;

/// Reads what the scenario of a file in this folder names.
pub(crate) fn fetch(scenario: &mut Scenario, folder: &Path) {
    let Some(named) = scenario.study.named_trace_mut() else { return };
    for file in &mut named.files {
        let whole = std::path::absolute(folder.join(&file.path)).unwrap_or_else(|_| folder.join(&file.path));
        // What is no UTF-8 was none in the scenario either.
        if let Some(whole) = whole.to_str() {
            whole.clone_into(&mut file.path);
        }
    }
    let mut named = named.clone();
    named::fetch(&mut named);
    take(&mut scenario.study, named);
}

/// What was found becomes part of the study, unless it names other files by now.
pub(crate) fn take(study: &mut Study, fetched: NamedTrace) {
    let Some(named) = study.named_trace_mut().filter(|named| named.files == fetched.files) else { return };
    *named = fetched;
    // There may be more tasks than a study may replay.
    if let Err(invalid) = study.validate()
        && let Some(named) = study.named_trace_mut()
    {
        named.found.trace = None;
        named.found.notes.push(format!("{}: {}.", named.name(), invalid.problem));
    }
}

/// The scenario as it stands in a file of this folder.
pub(super) fn as_saved_in(folder: &Path, scenario: &Scenario) -> Scenario {
    let mut saved = scenario.clone();
    let folder = std::path::absolute(folder).ok();
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
