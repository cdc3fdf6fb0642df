//! The allocation scenarios that come with the program.

use crossover_model::scenario::Kind;

use crate::examples::{Example, Template};

/// What a new allocation study starts from.
pub const TEMPLATE: Template = Template {
    kind: Kind::Allocation,
    hint: "Which node and which GPUs does a task get? A new scenario in its own tab",
    example: SHARED,
};

/// All of them, in the order of the menu.
pub const ALL: [Example; 1] = [SHARED];

/// A team's cluster.
pub const SHARED: Example = Example {
    label: "Allocation: GPUs shared by inference and training",
    text: include_str!("../../../../scenarios/allocation-shared.ron"),
};
