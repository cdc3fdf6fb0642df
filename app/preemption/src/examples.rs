//! The preemption scenarios that come with the program.

use crossover_page::examples::{Example, Template};
use crossover_scenario::Kind;

/// The template of a new preemption study.
pub const TEMPLATE: Template = Template {
    kind: Kind::Preemption,
    hint: "Which kernels should share a GPU, and when is one preempted for another? A new scenario in its own tab",
    example: H100,
};

/// All of them, in the order of the menu.
pub const ALL: [Example; 3] = [H100, RODINIA, PUBLISHED];

/// Jobs of measured kernels, in which preemption gains.
pub const H100: Example = Example {
    label: "Preemption: jobs on a shared H100",
    text: include_str!("../../../scenarios/preemption-h100.ron"),
};

/// Kernels of a benchmark suite on one GPU.
pub const RODINIA: Example = Example {
    label: "Preemption: Rodinia kernels on a K40",
    text: include_str!("../../../scenarios/preemption-rodinia.ron"),
};

/// A worked case of the published method.
pub const PUBLISHED: Example = Example {
    label: "Preemption: the published formulas",
    text: include_str!("../../../scenarios/preemption-published.ron"),
};
