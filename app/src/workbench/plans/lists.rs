//! Lists that say which operator classes a GPU can run, and how fast; they belong to the query of a document.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crossover_model::placement::Placement;

use super::super::Workbench;
use super::{count, name_of};
use crate::document::Document;
use crate::jobs::Purpose;
use crate::storage::list::Content;
use crate::studies::placement::request::List;

impl Workbench {
    /// Whether a placement study with a query is on screen.
    pub(in crate::workbench) fn shows_query(&self) -> bool {
        self.active().is_some_and(has_query)
    }

    /// Whether the query on screen has this list.
    pub(in crate::workbench) fn has_list(&self, list: List) -> bool {
        let study = self.active().and_then(|document| document.scenario.placement());
        study.and_then(|study| study.query.as_ref()).is_some_and(|query| match list {
            List::Support => !query.unsupported.is_empty(),
            List::Scores => !query.scores.is_empty(),
        })
    }

    /// Asks for a list for the query on screen.
    pub(super) fn ask_for_list(&mut self, list: List) {
        match self.active().filter(|document| has_query(document)) {
            Some(document) => {
                let purpose = Purpose::List { document: document.id.clone(), list };
                let title = match list {
                    List::Support => "Use a GPU support list",
                    List::Scores => "Use operator scores",
                };
                self.ask(purpose, title, "csv", String::new());
            }
            None => self.say_what_lists_are_for(),
        }
    }

    /// Reads a list for the query on screen.
    pub(super) fn use_list(&mut self, path: PathBuf) {
        match self.active().filter(|document| has_query(document)) {
            Some(document) => self.jobs.read_list(document.id.clone(), None, path),
            None => self.say_what_lists_are_for(),
        }
    }

    /// Forgets a list of the query on screen.
    pub(super) fn remove_list(&mut self, list: List) {
        let Some(document) = self.documents.get_mut(self.active).filter(|document| has_query(document)) else {
            self.say_what_lists_are_for();
            return;
        };
        change(document, |study| match list {
            List::Support => study.set_support(BTreeMap::new()),
            List::Scores => study.set_scores(BTreeMap::new()),
        });
        self.notify(format!("The {} is removed; Undo brings it back", list.label()));
    }

    /// Uses a list that was read, unless there is nobody any more whom it was read for.
    pub(in crate::workbench) fn take_list(&mut self, document: &str, path: &Path, result: Result<Content, String>) {
        let content = match result {
            Ok(content) => content,
            Err(problem) => return self.notify_error(problem),
        };
        let file = name_of(path);
        let index = self.documents.iter().position(|open| open.id == document);
        let Some(index) = index.filter(|index| has_query(&self.documents[*index])) else {
            self.notify_error(format!("{file}: the query that it was for is closed; nothing was changed"));
            return;
        };
        let text = match &content {
            Content::Support(classes) if classes.len() == 1 => format!("{file}: 1 class has no GPU version"),
            Content::Support(classes) => format!("{file}: {} classes have no GPU version", count(classes.len())),
            Content::Scores(scores) => format!("{file}: scores of {} operator classes", count(scores.len())),
        };
        change(&mut self.documents[index], |study| match content {
            Content::Support(classes) => study.set_support(classes),
            Content::Scores(scores) => study.set_scores(scores),
        });
        self.show_tab(index);
        self.notify(format!("{text}; Undo takes the list back"));
    }

    fn say_what_lists_are_for(&mut self) {
        self.notify("This is about the query of a placement study; import a query plan first");
    }
}

/// Changes a placement study in one step.
fn change(document: &mut Document, edit: impl FnOnce(&mut Placement)) {
    // What was edited before is a step of its own.
    document.settle();
    if let Some(study) = document.scenario.study.placement_mut() {
        edit(study);
    }
    document.settle();
}

fn has_query(document: &Document) -> bool {
    document.scenario.placement().is_some_and(|study| study.query.is_some())
}
