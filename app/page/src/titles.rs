//! Titles of open documents: those of one name are followed by what differs between them.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crossover_quantity::text::shortened;

use crate::document::{Document, LONGEST_LABEL};
use crate::revised::Revision;

/// The parts of a document from which its title is made.
#[derive(Debug, Clone, Default, PartialEq)]
struct Named {
    /// The query or application that it is about, else the name of its file or of its scenario.
    name: String,
    /// The name of its file, if it differs from `name`.
    file: Option<String>,
    /// The folder of its file.
    folder: Option<String>,
    /// The machines of its study.
    machines: Option<String>,
}

/// The titles of the open documents.
#[derive(Debug, Default)]
pub struct Titles(Vec<Titled>);

/// What the title of a document was made of.
#[derive(Debug, Clone)]
struct Titled {
    revision: Revision,
    path: Option<PathBuf>,
    /// The query or application that it is about; it can change while the scenario does not.
    about: Option<String>,
    named: Named,
}

impl Titles {
    /// Gives every document a title of its own; called in every frame, it only looks at those that may have changed.
    pub fn distinguish(&mut self, documents: &mut [Document]) {
        let is_same = |(titled, document): (&Titled, &Document)| titled.is_of(document);
        if self.0.len() == documents.len() && self.0.iter().zip(&*documents).all(is_same) {
            return;
        }
        let before = std::mem::take(&mut self.0);
        let titled = documents.iter().map(|document| {
            let known = before.iter().find(|titled| titled.is_of(document));
            known.cloned().unwrap_or_else(|| Titled::new(document))
        });
        self.0 = titled.collect();
        let named: Vec<&Named> = self.0.iter().map(|titled| &titled.named).collect();
        for (document, label) in documents.iter_mut().zip(distinct(&named)) {
            document.set_label(label);
        }
    }
}

impl Titled {
    fn new(document: &Document) -> Self {
        Self {
            revision: document.scenario.revision().clone(),
            path: document.path.clone(),
            about: about(document).map(str::to_owned),
            named: named(document),
        }
    }

    fn is_of(&self, document: &Document) -> bool {
        self.revision == *document.scenario.revision()
            && self.path == document.path
            && self.about.as_deref() == about(document)
    }
}

/// The name with the first number, from 2, that no open document has; without a number if none has the name.
#[must_use]
pub fn unused(name: &str, documents: &[Document]) -> String {
    let taken = documents.iter().map(Document::title).collect();
    first_unused(name, |number| format!("{name} {number}"), &taken)
}

/// The query or application that a document is about, which is its title also after it is saved. `None`: the title is the name of the
/// file.
fn about(document: &Document) -> Option<&str> {
    let (view, scenario) = (&document.view, &document.scenario);
    let is_named = || view.is_named_by_scenario(&scenario.study) && !scenario.name.is_empty();
    view.subject(&scenario.study).or_else(|| is_named().then_some(scenario.name.as_str()))
}

fn named(document: &Document) -> Named {
    let short = |text: &str| shortened(text, LONGEST_LABEL);
    let name = about(document).map_or_else(|| short(&document.title()), short);
    let path = document.path.as_deref();
    let of_path = |part: Option<&OsStr>| part.map(|part| short(&part.to_string_lossy()));
    let file = of_path(path.and_then(Path::file_stem)).filter(|file| *file != name);
    let folder = of_path(path.and_then(Path::parent).and_then(Path::file_name));
    let machines = document.view.machines(&document.scenario.study).map(|machines| short(&machines));
    Named { name, file, folder, machines }
}

/// A title for each document, no two the same: equal names are followed by the first part that differs.
fn distinct(documents: &[&Named]) -> Vec<String> {
    let parts: [fn(&Named) -> Option<&str>; 3] =
        [|named| named.file.as_deref(), |named| named.folder.as_deref(), |named| named.machines.as_deref()];
    let mut titles: Vec<String> = documents.iter().map(|document| document.name.clone()).collect();
    for part in parts {
        let mut of_title: BTreeMap<&str, BTreeSet<Option<&str>>> = BTreeMap::new();
        for (title, document) in titles.iter().zip(documents) {
            of_title.entry(title).or_default().insert(part(document));
        }
        let differs = |title: &String| of_title.get(title.as_str()).is_some_and(|parts| parts.len() > 1);
        let differs: Vec<bool> = titles.iter().map(differs).collect();
        for ((title, document), differs) in titles.iter_mut().zip(documents).zip(differs) {
            if let Some(text) = part(document).filter(|_| differs) {
                title.push_str(" · ");
                title.push_str(text);
            }
        }
    }
    let mut taken = BTreeSet::new();
    let numbered = titles.into_iter().map(|title| {
        let title = first_unused(&title, |number| format!("{title} ({number})"), &taken);
        taken.insert(title.clone());
        title
    });
    numbered.collect()
}

fn first_unused(name: &str, numbered: impl Fn(usize) -> String, taken: &BTreeSet<String>) -> String {
    if !taken.contains(name) {
        return name.to_owned();
    }
    // One more number than there are names.
    let free = (2..taken.len() + 3).map(numbered).find(|other| !taken.contains(other));
    free.unwrap_or_else(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query(machines: &str) -> Named {
        Named { name: "emr_join_agg · query 0".into(), machines: Some(machines.into()), ..Named::default() }
    }

    fn file(folder: &str) -> Named {
        Named { name: "plan".into(), folder: Some(folder.into()), ..Named::default() }
    }

    fn distinct(documents: &[Named]) -> Vec<String> {
        super::distinct(&documents.iter().collect::<Vec<_>>())
    }

    #[test]
    fn a_document_alone_keeps_its_name() {
        assert_eq!(distinct(&[query("4 × L4"), file("a")]), ["emr_join_agg · query 0", "plan"]);
    }

    #[test]
    fn one_query_on_several_machines_is_titled_with_them() {
        let titles = distinct(&[query("4 × L4"), query("8 × A100"), query("4 × L4")]);
        let expected = [
            "emr_join_agg · query 0 · 4 × L4",
            "emr_join_agg · query 0 · 8 × A100",
            "emr_join_agg · query 0 · 4 × L4 (2)",
        ];
        assert_eq!(titles, expected);
    }

    #[test]
    fn files_of_one_name_are_titled_with_their_folders() {
        assert_eq!(distinct(&[file("march"), file("april")]), ["plan · march", "plan · april"]);
    }

    /// A query keeps its name after it is saved; the tooltip of its tab has the file.
    #[test]
    fn a_saved_query_keeps_its_name_and_shows_its_file_only_beside_another_one() {
        let saved = |file: &str| Named {
            name: "shop · query 6".into(),
            file: Some(file.into()),
            folder: Some("plans".into()),
            ..Named::default()
        };
        let unsaved = Named { name: "shop · query 6".into(), ..Named::default() };
        assert_eq!(distinct(&[saved("march")]), ["shop · query 6"]);
        assert_eq!(distinct(&[saved("march"), unsaved]), ["shop · query 6 · march", "shop · query 6"]);
        let titles = distinct(&[saved("march"), saved("april")]);
        assert_eq!(titles, ["shop · query 6 · march", "shop · query 6 · april"]);
    }

    #[test]
    fn copies_are_numbered_around_names_that_end_in_numbers() {
        let named = |name: &str| Named { name: name.into(), ..Named::default() };
        let titles = distinct(&[named("a"), named("a (2)"), named("a"), named("a")]);
        assert_eq!(titles, ["a", "a (2)", "a (3)", "a (4)"]);
    }
}
