//! The tour of the page.

use crossover_page::tour::{OF_PARAMETERS, Part, STRIP, Step, TABLE};

/// The charts of loads and latencies.
pub(super) const CHARTS: Part = Part("charts");
/// The timeline of the first stream.
pub(super) const TIMELINE: Part = Part("timeline");

/// The cards, in their order.
pub(super) const STEPS: [Step; 5] = [
    Step {
        part: STRIP,
        title: "The answer",
        text: "Throughput, turnaround and latency of the selected policy, beside the upper bound of the throughput. Hover over \
               a figure for its meaning.",
    },
    Step {
        part: CHARTS,
        title: "Charts",
        text: "Policies along the load, and the share of launches that end within a given latency. Click Turnaround to \
               compare the policies by it.",
    },
    Step {
        part: TIMELINE,
        title: "Timeline",
        text: "The kernels on the slots of the GPU over time. Drag to move, and turn the wheel with Ctrl to zoom.",
    },
    Step {
        part: TABLE,
        title: "Policies",
        text: "A row for each policy on the same streams, with the best value of each column marked. Click a row to select \
               its policy.",
    },
    OF_PARAMETERS,
];
