//! Files that a scenario refers to: absolute paths in memory, and paths relative to its own folder in its file, so that both
//! can be moved together.

use std::path::{Component, Path, PathBuf};

use crossover_scenario::Scenario;
use crossover_scenario::views::CompareView;
use crossover_traces::named;

/// Reads the recorded files that the scenario of a file in this folder names, unless already read, and finds the scenarios that
/// it is compared with.
pub fn fetch(scenario: &mut Scenario, folder: &Path) {
    for path in scenario.views.compare.iter_mut().flat_map(CompareView::files_mut) {
        complete(folder, path);
    }
    let Some(named) = scenario.study.named_trace_mut().filter(|named| !named.is_read()) else { return };
    for file in &mut named.files {
        complete(folder, &mut file.path);
    }
    named::fetch(named);
}

/// A path as seen from a folder becomes absolute.
fn complete(folder: &Path, path: &mut String) {
    // The canonical folder, as in saving; a link of the file itself is not resolved.
    let folder = std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    let whole = folder.join(&*path);
    // The scenario has only UTF-8 paths.
    if let Some(whole) = whole.to_str() {
        whole.clone_into(path);
    }
}

/// The scenario as stored in a file of this folder.
pub(super) fn as_saved_in(folder: &Path, scenario: &Scenario) -> Scenario {
    let mut saved = scenario.clone();
    let Ok(folder) = std::fs::canonicalize(folder) else { return saved };
    let recorded = saved.study.named_trace_mut().into_iter().flat_map(|named| &mut named.files);
    let compared = saved.views.compare.iter_mut().flat_map(CompareView::files_mut);
    for path in recorded.map(|file| &mut file.path).chain(compared) {
        if let Some(below) = below(&folder, Path::new(&*path)) {
            *path = below;
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
