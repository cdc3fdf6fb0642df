//! Lists of operator classes that a GPU can run, and of their speed, as NVIDIA's tools write them; they belong to the query
//! of a document.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crossover_page::services::{Pick, Services, Target, name_of};
use crossover_placement::{Placement, Query};
use crossover_plan::support;
use crossover_scenario::Scenario;

use super::count;

/// A list about operator classes, as NVIDIA's tools write them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum List {
    /// Classes with a GPU version.
    Support,
    /// Scores: how many times faster each class is on a GPU.
    Scores,
}

impl List {
    /// Name in a sentence.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Support => "GPU support list",
            Self::Scores => "operator scores",
        }
    }
}

/// The content of a list.
#[derive(Debug, Clone, PartialEq)]
enum Content {
    /// Classes without a GPU version, each with its note.
    Support(BTreeMap<String, String>),
    /// How many times faster a class is on a GPU.
    Scores(BTreeMap<String, f64>),
}

/// The query of a placement study.
pub(in super::super) fn query(scenario: &Scenario) -> Option<&Query> {
    scenario.placement()?.query.as_deref()
}

/// Prompts for a list for the query on screen.
pub(in super::super) fn ask(services: &mut Services<'_>, list: List) {
    let Some(document) = document_on_screen(services) else { return };
    let (title, title_by_path) = match list {
        List::Support => ("Use a GPU support list", "Use a GPU support list by path"),
        List::Scores => ("Use operator scores", "Use operator scores by path"),
    };
    let filter = Some(("csv", &["csv"][..]));
    let pick = Pick { title, title_by_path, action: "Use", filter, target: Target::File };
    services.pick(pick, move |services, path| read(services, document, Some(list), path));
}

/// Reads a list for the query on screen, whichever it is.
pub(in super::super) fn read_any(services: &mut Services<'_>, path: PathBuf) {
    if let Some(document) = document_on_screen(services) {
        read(services, document, None, path);
    }
}

/// Removes a list of the query on screen.
pub(in super::super) fn remove(services: &mut Services<'_>, list: List) {
    let Some(document) = document_on_screen(services) else { return };
    change(services, &document, |study| match list {
        List::Support => study.set_support(BTreeMap::new()),
        List::Scores => study.set_scores(BTreeMap::new()),
    });
    services.notify(format!("Removed the {}; Undo restores the list", list.label()));
}

/// The document on screen, if it has a query; otherwise explains what lists apply to.
fn document_on_screen(services: &mut Services<'_>) -> Option<String> {
    let document = services.on_screen().filter(|document| query(&document.scenario).is_some());
    let id = document.map(|document| document.id.clone());
    if id.is_none() {
        services.notify("Lists apply to the query of a placement study; import a query plan first");
    }
    id
}

fn read(services: &mut Services<'_>, document: String, list: Option<List>, path: PathBuf) {
    let file = path.clone();
    services.work("list", move || open(&file, list), move |services, result| take(services, &document, &path, result));
}

/// Reads a list; without a kind, whichever it is.
///
/// # Errors
/// A file that cannot be read or is no such list; the message names file and line.
fn open(path: &Path, list: Option<List>) -> Result<Content, String> {
    let support = || support::unsupported(path).map(Content::Support).map_err(|error| error.to_string());
    let scores = || support::scores(path).map(Content::Scores).map_err(|error| error.to_string());
    match list {
        Some(List::Support) => support(),
        Some(List::Scores) => scores(),
        None => support().or_else(|as_support| {
            scores().map_err(|as_scores| {
                format!("As a {}: {as_support}. As {}: {as_scores}", List::Support.label(), List::Scores.label())
            })
        }),
    }
}

/// Uses a list that was read, unless its document was closed meanwhile.
fn take(services: &mut Services<'_>, document: &str, path: &Path, result: Result<Content, String>) {
    let content = match result {
        Ok(content) => content,
        Err(problem) => return services.notify_error(problem),
    };
    let file = name_of(path);
    if services.document(document).and_then(|document| query(&document.scenario)).is_none() {
        return services.notify_error(format!("{file}: its query was closed meanwhile; nothing was changed"));
    }
    let text = match &content {
        Content::Support(classes) if classes.len() == 1 => format!("{file}: 1 class has no GPU version"),
        Content::Support(classes) => format!("{file}: {} classes have no GPU version", count(classes.len())),
        Content::Scores(scores) => format!("{file}: scores of {} operator classes", count(scores.len())),
    };
    change(services, document, |study| match content {
        Content::Support(classes) => study.set_support(classes),
        Content::Scores(scores) => study.set_scores(scores),
    });
    services.show(document);
    services.notify(format!("{text}; Undo removes the list"));
}

/// Changes a placement study in one step.
fn change(services: &mut Services<'_>, document: &str, edit: impl FnOnce(&mut Placement)) {
    services.edit(document, |study| {
        if let Some(study) = study.placement_mut() {
            edit(study);
        }
    });
}
