//! The states of a scenario before and after the one on screen, to which undo and redo lead.

use crossover_scenario::Scenario;

/// Maximum number of undo steps.
pub(super) const MOST_UNDOS: usize = 200;

/// States before and after the one on screen.
pub(super) struct History {
    pub(super) undo: Vec<Scenario>,
    pub(super) settled: Scenario,
    pub(super) redo: Vec<Scenario>,
}

impl History {
    pub(super) fn new(settled: Scenario) -> Self {
        Self { undo: Vec::new(), settled, redo: Vec::new() }
    }

    /// Adds a state that differs from the last one.
    pub(super) fn add(&mut self, current: &Scenario) {
        self.undo.push(std::mem::replace(&mut self.settled, current.clone()));
        self.redo.clear();
        if self.undo.len() > MOST_UNDOS {
            self.undo.remove(0);
        }
    }

    pub(super) fn undo(&mut self, current: &mut Scenario) {
        if let Some(before) = self.undo.pop() {
            self.redo.push(std::mem::replace(&mut self.settled, before));
            self.settled.clone_into(current);
        }
    }

    pub(super) fn redo(&mut self, current: &mut Scenario) {
        if let Some(after) = self.redo.pop() {
            self.undo.push(std::mem::replace(&mut self.settled, after));
            self.settled.clone_into(current);
        }
    }
}
