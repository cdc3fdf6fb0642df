//! Settings of a page that its document keeps: when a page reads them, how it writes them, and their ranges.
//!
//! A page reads them when it changes to another document, and when the document has others than before. It writes them when
//! the user changes one: a page that was only opened changes no document.

use crossover_page::command::Command;
use crossover_page::tool::ShownTool;
use crossover_quantity::text::shortened;
use crossover_scenario::Study;
use crossover_scenario::views::{ViewRange, Views};
use crossover_study::number_at;
use crossover_tools::Range;
use crossover_tools::sweep::MOST_POINTS;

use super::pick::Target;

/// Most characters of a path in a sentence: a file may have any.
const LONGEST_PATH: usize = 100;

/// What the document kept when the page was last drawn.
#[derive(Debug)]
pub(super) struct Kept<V>(Option<(String, Option<V>)>);

impl<V> Default for Kept<V> {
    fn default() -> Self {
        Self(None)
    }
}

impl<V: Clone + PartialEq> Kept<V> {
    /// Whether the document is another one than at the last call of [`Self::is_new`]: what was computed is not about it.
    pub(super) fn is_of_another(&self, document: &str) -> bool {
        self.0.as_ref().is_some_and(|(of, _)| of != document)
    }

    /// Whether the document is another one than at the last call, or keeps other settings.
    pub(super) fn is_new(&mut self, document: &str, kept: Option<&V>) -> bool {
        let is_same = self.0.as_ref().is_some_and(|(of, before)| of == document && before.as_ref() == kept);
        if !is_same {
            self.0 = Some((document.to_owned(), kept.cloned()));
        }
        !is_same
    }
}

/// What the last window showed of a document, by its id, until the page is drawn.
#[derive(Debug, Default)]
pub(super) struct LastWindow(Option<(String, ShownTool)>);

impl LastWindow {
    /// What it showed of this document.
    pub(super) fn of(document: Option<&str>, shown: ShownTool) -> Self {
        Self(document.map(|document| (document.to_owned(), shown)))
    }

    /// What the page has not drawn yet.
    pub(super) fn pending(&self) -> Option<&ShownTool> {
        self.0.as_ref().map(|(_, shown)| shown)
    }

    /// What the page begins with when it draws this document; nothing from the second time on.
    pub(super) fn take(&mut self, document: &str) -> ShownTool {
        self.0.take().filter(|(of, _)| of == document).map(|(_, shown)| shown).unwrap_or_default()
    }
}

/// Writes changed settings to the document.
pub(super) fn keep(target: &Target<'_>, commands: &mut Vec<Command>, set: impl FnOnce(&mut Views)) {
    let mut views = target.scenario.views.clone();
    set(&mut views);
    commands.push(Command::SetViews { document: target.id.to_owned(), views: Box::new(views) });
}

/// A kept range, its ends where the number of the study may be; a file may have any.
pub(super) fn range(view: &ViewRange, study: &Study) -> Range {
    let ends = [view.from, view.to];
    let ends = match number_at(study.subject(), &view.path) {
        Some((quantity, _)) => ends.map(|end| end.max(quantity.min).min(quantity.max)),
        None => ends,
    };
    Range { path: view.path.clone(), ends, points: view.points.clamp(2, MOST_POINTS), is_logarithmic: view.log }
}

/// A range as it is kept.
pub(super) fn view_of(range: &Range) -> ViewRange {
    let [from, to] = range.ends;
    ViewRange { path: range.path.clone(), from, to, points: range.points, log: range.is_logarithmic }
}

/// The sentence about a number that the scenario lacks.
pub(super) fn lacks(path: &str) -> String {
    format!(
        "This scenario lacks {}. Choose another number, or undo the edit that removed it.",
        shortened(path, LONGEST_PATH)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read_once_for_each_document_and_whenever_they_change() {
        let mut kept = Kept::default();
        assert!(kept.is_new("1", None::<&u8>), "the first document");
        assert!(!kept.is_new("1", None));
        assert!(kept.is_new("1", Some(&7)), "they changed");
        assert!(!kept.is_new("1", Some(&7)));
        assert!(!kept.is_of_another("1") && kept.is_of_another("2"));
        assert!(kept.is_new("2", Some(&7)), "another document");
        assert!(kept.is_of_another("1") && !kept.is_of_another("2"));
    }

    #[test]
    fn what_the_last_window_showed_is_taken_once_and_for_its_document_only() {
        let shown = ShownTool { points: 64, ..ShownTool::default() };
        let mut last = LastWindow::of(Some("1"), shown.clone());
        assert_eq!(last.pending(), Some(&shown));
        assert_eq!([last.take("1"), last.take("1")], [shown.clone(), ShownTool::default()]);
        let mut last = LastWindow::of(Some("1"), shown.clone());
        assert_eq!(last.take("2"), ShownTool::default());
        assert_eq!(LastWindow::of(None, shown).pending(), None);
    }
}
