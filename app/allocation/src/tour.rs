//! The tour of the page.

use crossover_page::tour::{OF_PARAMETERS, Part, STRIP, Step, TABLE};

/// The charts of all policies.
pub(super) const CHARTS: Part = Part("charts");
/// The rejected tasks.
pub(super) const REJECTED: Part = Part("rejected");

/// The cards, in their order.
pub(super) const STEPS: [Step; 5] = [
    Step {
        part: STRIP,
        title: "The answer",
        text: "GPUs allocated, GPUs in fragments and rejected tasks with the policy of the study. Hover over a figure for its \
               meaning.",
    },
    Step {
        part: CHARTS,
        title: "Charts",
        text: "GPUs allocated and in fragments as the demand grows, with a curve for each policy. Hover over a curve to read \
               a value.",
    },
    Step {
        part: REJECTED,
        title: "Rejected tasks",
        text: "The tasks that no node accepts, with the reason. Add nodes, or choose another policy, and compare the reasons.",
    },
    Step {
        part: TABLE,
        title: "Policies",
        text: "A row for each policy, all with the same tasks. Click a row to use its policy in the study.",
    },
    OF_PARAMETERS,
];
