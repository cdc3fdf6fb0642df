//! The allocation scenarios that come with the program.

use crossover_page::examples::{Example, Template};
use crossover_scenario::Kind;

/// What a new allocation study starts from.
pub const TEMPLATE: Template = Template {
    kind: Kind::Allocation,
    hint: "Which node and which GPUs does a task get? A new scenario in its own tab",
    example: SHARED,
};

/// All of them, in the order of the menu.
pub const ALL: [Example; 6] = [SHARED, MOST_LEFT, TIE, RELEASE, LATE, PROGRESS];

/// A team's cluster.
pub const SHARED: Example = Example {
    label: "Allocation: GPUs shared by inference and training",
    text: include_str!("../../../scenarios/allocation-shared.ron"),
};

/// Example of the published method: choosing a node.
pub const MOST_LEFT: Example = Example {
    label: "Allocation: the node with most left",
    text: include_str!("../../../scenarios/allocation-most-left.ron"),
};

/// Example of the published method: nodes with as much left.
pub const TIE: Example = Example {
    label: "Allocation: as much left on two nodes",
    text: include_str!("../../../scenarios/allocation-tie.ron"),
};

/// Example of the published method: release.
pub const RELEASE: Example = Example {
    label: "Allocation: one task makes room for another",
    text: include_str!("../../../scenarios/allocation-release.ron"),
};

/// Example of the published method: a task that is late.
pub const LATE: Example = Example {
    label: "Allocation: a late task gets more",
    text: include_str!("../../../scenarios/allocation-late.ron"),
};

/// Example of the published method: progress.
pub const PROGRESS: Example = Example {
    label: "Allocation: of 100 iterations 40 remain",
    text: include_str!("../../../scenarios/allocation-progress.ron"),
};
