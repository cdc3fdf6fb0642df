//! What is shown of a fleet: all applications, one of them or one of its queries, and what is selected.

use std::collections::BTreeSet;

use egui::Modifiers;

use crate::inside::Sort;
use crate::list::Line;

/// What the page shows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Level {
    /// All applications.
    #[default]
    All,
    /// One of them, by its place among all rows.
    Application(usize),
    /// One of its queries, by their places.
    Query(usize, usize),
}

/// State of the view of one fleet; another fleet starts anew.
#[derive(Debug, Default)]
pub(super) struct ViewState {
    /// Which fleet it is, by the number of the outcome.
    pub(super) of: u64,
    /// Number of the request.
    pub(super) times: u64,
    pub(super) level: Level,
    /// The application that was selected last, by its place among all rows.
    pub(super) picked: Option<usize>,
    /// All selected applications.
    pub(super) chosen: BTreeSet<usize>,
    /// Groups that are open.
    pub(super) open: BTreeSet<String>,
    /// The lines of the table, and of which outcome they are.
    pub(super) lines: Vec<Line>,
    pub(super) lines_of: Option<u64>,
    /// Whether to scroll to the last selected one.
    pub(super) scroll: bool,
    /// How queries are sorted, their order, and of which outcome it is.
    pub(super) sort: Sort,
    pub(super) order: Vec<usize>,
    pub(super) order_of: Option<(u64, Sort)>,
}

impl ViewState {
    /// Selects an application: alone, with others, or with the range from the last one; a second click clears it.
    pub(super) fn pick(&mut self, at: usize, modifiers: Modifiers) {
        let place = |at: usize| self.lines.iter().position(|line| *line == Line::Application(at));
        let range = self.picked.filter(|_| modifiers.shift).and_then(|from| Some((place(from)?, place(at)?)));
        if let Some((from, to)) = range {
            let between = &self.lines[from.min(to)..=from.max(to)];
            let of = |line: &Line| if let Line::Application(at) = line { Some(*at) } else { None };
            self.chosen.extend(between.iter().filter_map(of));
        } else if modifiers.command {
            if !self.chosen.remove(&at) {
                self.chosen.insert(at);
            }
        } else if self.chosen.len() == 1 && self.chosen.contains(&at) {
            self.chosen.clear();
        } else {
            self.chosen = BTreeSet::from([at]);
        }
        self.picked = if self.chosen.contains(&at) { Some(at) } else { self.chosen.last().copied() };
    }

    /// Deselects hidden applications.
    pub(super) fn keep_shown(&mut self, shown: &[usize]) {
        if !self.chosen.is_empty() {
            let shown: BTreeSet<usize> = shown.iter().copied().collect();
            self.chosen.retain(|at| shown.contains(at));
            self.picked = self.picked.filter(|at| self.chosen.contains(at));
        }
    }
}
