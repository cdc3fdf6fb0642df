//! The tour of the page.

use crossover_page::tour::{OF_PARAMETERS, Part, STRIP, Step};

/// The cards of the centres.
pub(super) const CENTRES: Part = Part("centres");
/// The charts.
pub(super) const CHARTS: Part = Part("charts");
/// The row that runs the probe.
pub(super) const RUN: Part = Part("run");

/// The cards, in their order.
pub(super) const STEPS: [Step; 5] = [
    Step {
        part: STRIP,
        title: "The answer",
        text: "The centre with the highest score, the interval of the score, and the time of the task there. Hover over a \
               figure for its meaning.",
    },
    Step {
        part: CENTRES,
        title: "Centres",
        text: "A card for each centre: its units, its score and its runs. Click a card to select the centre.",
    },
    Step {
        part: RUN,
        title: "Run the probe",
        text: "Measures this machine, or the selected centre through Slurm. Enter numbers of units and repeats, then \
               click Run.",
    },
    Step {
        part: CHARTS,
        title: "Charts",
        text: "The scores of all centres, and the measured time along the number of units. Hover over a curve to read a \
               value.",
    },
    OF_PARAMETERS,
];
