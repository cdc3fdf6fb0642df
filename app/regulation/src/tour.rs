//! The tour of the page.

use crossover_page::tour::{OF_PARAMETERS, Part, STRIP, Step};

/// The sections of the page.
pub(super) const SECTIONS: Part = Part("sections");
/// The bar that moves through time.
pub(super) const TIME: Part = Part("time");
/// The charts of the clusters.
pub(super) const BALANCE: Part = Part("balance");

/// The cards, in their order.
pub(super) const STEPS: [Step; 5] = [
    Step {
        part: STRIP,
        title: "The answer",
        text: "Throughput, throughput per watt, actions and energy, without and with control. Choose another controller to \
               compare.",
    },
    Step {
        part: BALANCE,
        title: "Balance",
        text: "The occupancy of transfer and of compute in each cluster, period by period. Click a plot to read its values at \
               that time.",
    },
    Step {
        part: TIME,
        title: "The time bar",
        text: "One cursor for all charts. Drag it, or click Play, to follow every cluster through the run.",
    },
    Step {
        part: SECTIONS,
        title: "Sections",
        text: "Gains searches gains with which the controller settles. This machine shows what the controller would do to \
               your GPUs, without a change.",
    },
    OF_PARAMETERS,
];
