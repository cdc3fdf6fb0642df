//! An allocation study as one kind of study: what it checks and answers.

use super::outcome::evaluate_watched;
use super::study::Allocation;
use super::validate;
use crate::invalid::Invalid;
use crate::provenance::Sources;
use crate::study::{Better, Figure, FigureValue, Subject, Watch};
use crate::unit::Unit;

/// The figures of an allocation study: with its own rule, then of each group of tasks.
const FIGURES: [Figure; 6] = [ALLOCATED, FRAGMENTED, REFUSED, ADD, WATTS, REFUSED_OF];

const ALLOCATED: Figure = Figure {
    key: "allocated",
    label: "GPUs given away",
    unit: Unit::Share,
    better: Better::Higher,
    list: None,
    meaning: "Share of all GPUs that tasks have at the end of the demand, mean over the orders.",
};
const FRAGMENTED: Figure = Figure {
    key: "fragmented",
    label: "GPUs in fragments",
    unit: Unit::Share,
    better: Better::Lower,
    list: None,
    meaning: "Share of all GPUs that is left and that typical tasks cannot use, mean over the orders.",
};
const REFUSED: Figure = Figure {
    key: "refused",
    label: "tasks turned away",
    unit: Unit::Share,
    better: Better::Lower,
    list: None,
    meaning: "Share of the tasks that fitted nowhere when they came, mean over the orders.",
};
const ADD: Figure = Figure {
    key: "nodes_to_add",
    label: "nodes to add",
    unit: Unit::Count,
    better: Better::Lower,
    list: None,
    meaning: "Nodes of the growing group that are missing for the target in the first order; none if eight times as many \
              do not do.",
};
const WATTS: Figure = Figure {
    key: "watts",
    label: "power given away",
    unit: Unit::Watts,
    better: Better::Neither,
    list: None,
    meaning: "Power of the GPUs that tasks have at the end, in the first order.",
};
const REFUSED_OF: Figure = Figure {
    list: Some("tasks"),
    meaning: "Share of the tasks of the group that fitted nowhere when they came, over all orders.",
    ..REFUSED
};

impl Subject for Allocation {
    fn sources(&self) -> &Sources {
        &self.sources
    }

    fn sources_mut(&mut self) -> &mut Sources {
        &mut self.sources
    }

    fn check(&self) -> Result<(), Invalid> {
        validate::check(self)
    }

    fn figures(&self) -> &'static [Figure] {
        &FIGURES
    }

    fn answer(&self, watch: Watch<'_>) -> Option<Vec<FigureValue>> {
        let outcome = evaluate_watched(self, watch)?;
        let own = outcome.own();
        let mut figures = vec![
            FigureValue::whole(&ALLOCATED, own.end().allocated_percent / 100.0),
            FigureValue::whole(&FRAGMENTED, own.end().fragmented_percent / 100.0),
            FigureValue::whole(&REFUSED, own.refused),
            FigureValue::whole(&ADD, outcome.nodes_to_add.map(|nodes| nodes as f64)),
            FigureValue::whole(&WATTS, outcome.watts),
        ];
        for (group, refused) in self.tasks.iter().zip(&own.refused_of) {
            figures.push(FigureValue::of(&REFUSED_OF, &group.name, *refused));
        }
        Some(figures)
    }
}
