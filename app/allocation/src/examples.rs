//! The allocation scenarios that come with the program.

use crossover_page::examples::{Example, Template};
use crossover_scenario::Kind;

/// What a new allocation study starts from.
pub const TEMPLATE: Template = Template {
    kind: Kind::Allocation,
    hint: "Which node and which GPUs does a task get? A new scenario in its own tab, from the export of a real cluster",
    example: OPENB,
};

/// All examples, in the order of the menu.
pub const ALL: [Example; 7] = [OPENB, SHARED, MOST_LEFT, TIE, PREEMPTION, SLO, PROGRESS];

/// A real cluster, from its export.
pub const OPENB: Example = Example {
    label: "Allocation: Alibaba’s cluster of 2023, a twentieth",
    text: include_str!("../../../scenarios/allocation-openb.ron"),
};

/// A team's cluster.
pub const SHARED: Example = Example {
    label: "Allocation: GPUs shared by inference and training",
    text: include_str!("../../../scenarios/allocation-shared.ron"),
};

/// Example of the published method: choosing a node.
pub const MOST_LEFT: Example = Example {
    label: "Allocation: the node with most capacity left",
    text: include_str!("../../../scenarios/allocation-most-left.ron"),
};

/// Example of the published method: two nodes with equal capacity left.
pub const TIE: Example = Example {
    label: "Allocation: two nodes with equal capacity left",
    text: include_str!("../../../scenarios/allocation-tie.ron"),
};

/// Example of the published method: preemption.
pub const PREEMPTION: Example = Example {
    label: "Allocation: preemption for a latency-sensitive task",
    text: include_str!("../../../scenarios/allocation-preemption.ron"),
};

/// Example of the published method: a task that is behind gets a larger share.
pub const SLO: Example = Example {
    label: "Allocation: a larger share to meet an SLO",
    text: include_str!("../../../scenarios/allocation-slo.ron"),
};

/// Example of the published method: progress.
pub const PROGRESS: Example = Example {
    label: "Allocation: 40 of 100 iterations remain",
    text: include_str!("../../../scenarios/allocation-progress.ron"),
};
