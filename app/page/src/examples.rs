//! Examples and templates of scenarios; each kind of study has its own.

use crossover_scenario::Kind;

use crate::storage::scenario::BUILT_IN;

/// A scenario that comes with the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Example {
    /// Name in the menu.
    pub label: &'static str,
    /// The text of the scenario.
    pub text: &'static str,
}

/// The published setting, with which the window begins.
pub const PUBLISHED: Example = Example { label: "Published setting: 1000 machines", text: BUILT_IN };

/// Template of a new scenario.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Template {
    /// The kind of its study.
    pub kind: Kind,
    /// The question that such a study answers, for a menu.
    pub hint: &'static str,
    /// The scenario; its name and notes are not copied.
    pub example: Example,
}
