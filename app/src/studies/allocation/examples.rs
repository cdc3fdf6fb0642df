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
pub const ALL: [Example; 4] = [SHARED, MOST_LEFT, RELEASE, LATE];

/// A team's cluster.
pub const SHARED: Example = Example {
    label: "Allocation: GPUs shared by inference and training",
    text: include_str!("../../../../scenarios/allocation-shared.ron"),
};

/// Example of the published method: choosing a node.
pub const MOST_LEFT: Example = Example {
    label: "Allocation: the node with most left",
    text: include_str!("../../../../scenarios/allocation-most-left.ron"),
};

/// Example of the published method: release.
pub const RELEASE: Example = Example {
    label: "Allocation: one task makes room for another",
    text: include_str!("../../../../scenarios/allocation-release.ron"),
};

/// Example of the published method: a task that is late.
pub const LATE: Example = Example {
    label: "Allocation: a late task gets more",
    text: include_str!("../../../../scenarios/allocation-late.ron"),
};
