//! The regulation scenarios that come with the program.

use crossover_page::examples::{Example, Template};
use crossover_scenario::Kind;

/// The template of a new regulation study.
pub const TEMPLATE: Template = Template {
    kind: Kind::Regulation,
    hint: "Are transfer and compute in balance? A new scenario in its own tab, from the recorded load of a GPU",
    example: RECORDED,
};

/// All of them, in the order of the menu.
pub const ALL: [Example; 4] = [RECORDED, PUBLISHED, DAY, NOISY];

/// A recording of a real GPU as the demand of a cluster.
pub const RECORDED: Example = Example {
    label: "Regulation: the recorded load of an H100",
    text: include_str!("../../../scenarios/regulation-recorded.ron"),
};

/// The worked example.
pub const PUBLISHED: Example = Example {
    label: "Published regulation: two clusters of 100 vGPUs",
    text: include_str!("../../../scenarios/regulation-published.ron"),
};

/// Two clusters with opposite day curves.
pub const DAY: Example = Example {
    label: "Regulation: two clusters with opposite day curves",
    text: include_str!("../../../scenarios/regulation-day.ron"),
};

/// Noisy and delayed samples.
pub const NOISY: Example = Example {
    label: "Regulation: noisy and delayed samples",
    text: include_str!("../../../scenarios/regulation-noisy.ron"),
};
