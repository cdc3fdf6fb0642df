//! Titles of open documents: those of one name are followed by what differs between them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crossover_quantity::text::shortened;

use crate::document::{Document, LONGEST_LABEL};
use crate::revised::Revision;

/// A document, as far as its title may say.
#[derive(Debug, Clone, Default, PartialEq)]
struct Named {
    /// The name of its file, or of its scenario.
    name: String,
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
    /// What its page is about, which changes without the scenario.
    subject: Option<String>,
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
            subject: subject(document).map(str::to_owned),
            named: named(document),
        }
    }

    fn is_of(&self, document: &Document) -> bool {
        self.revision == *document.scenario.revision()
            && self.path == document.path
            && self.subject.as_deref() == subject(document)
    }
}

/// The name with the first number, from 2, that no open document has; without a number if none has the name.
#[must_use]
pub fn unused(name: &str, documents: &[Document]) -> String {
    let taken = documents.iter().map(Document::title).collect();
    first_unused(name, |number| format!("{name} {number}"), &taken)
}

/// What the page of a document is about, if that names it: a file has a name of its own.
fn subject(document: &Document) -> Option<&str> {
    document.view.subject(&document.scenario.study).filter(|_| document.path.is_none())
}

fn named(document: &Document) -> Named {
    let folder = document.path.as_deref().and_then(Path::parent).and_then(Path::file_name);
    let machines = document.view.machines(&document.scenario.study);
    Named {
        name: subject(document)
            .map_or_else(|| shortened(&document.title(), LONGEST_LABEL), |subject| shortened(subject, LONGEST_LABEL)),
        folder: folder.map(|folder| shortened(&folder.to_string_lossy(), LONGEST_LABEL)),
        machines: machines.map(|machines| shortened(&machines, LONGEST_LABEL)),
    }
}

/// A title for each, no two the same.
fn distinct(documents: &[&Named]) -> Vec<String> {
    let mut of_name: BTreeMap<&str, Vec<&Named>> = BTreeMap::new();
    for &document in documents {
        of_name.entry(&document.name).or_default().push(document);
    }
    let parts: [fn(&Named) -> Option<&str>; 2] = [|named| named.folder.as_deref(), |named| named.machines.as_deref()];
    let mut taken = BTreeSet::new();
    let titles = documents.iter().map(|document| {
        let alike = of_name.get(document.name.as_str()).map_or(&[][..], Vec::as_slice);
        let mut title = document.name.clone();
        for part in parts {
            let own = part(document);
            if let Some(text) = own.filter(|_| alike.iter().any(|other| part(other) != own)) {
                title.push_str(" · ");
                title.push_str(text);
            }
        }
        let title = first_unused(&title, |number| format!("{title} ({number})"), &taken);
        taken.insert(title.clone());
        title
    });
    titles.collect()
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

    #[test]
    fn copies_are_numbered_around_names_that_end_in_numbers() {
        let named = |name: &str| Named { name: name.into(), ..Named::default() };
        let titles = distinct(&[named("a"), named("a (2)"), named("a"), named("a")]);
        assert_eq!(titles, ["a", "a (2)", "a (3)", "a (4)"]);
    }
}
