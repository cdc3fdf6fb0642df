//! The figures at the present values of both numbers. These values are seldom those of a cell, and a map between cells is not exact.

use crossover_page::compute::background::Ticket;
use crossover_page::compute::computed::{IN_FRAME_MS, Work};
use crossover_page::compute::watched::watched;
use crossover_scenario::Study;
use crossover_study::sources::set_numbers;
use crossover_study::{FigureValue, answer, validate};
use crossover_tools::batch::is_of_formulas;

/// What the figures depend on.
#[derive(Debug, Clone)]
pub(super) struct PresentRequest {
    pub(super) study: Study,
    /// Numbers that the pointer holds, by their paths.
    pub(super) held: Option<[(String, f64); 2]>,
}

impl Work for PresentRequest {
    type Outcome = Vec<FigureValue>;
    const NAME: &'static str = "present figures";
    const AGAIN: &'static str = "Evaluate";

    fn milliseconds(&self) -> f64 {
        // How long another study takes is not known in advance.
        if is_of_formulas(self.study.subject()) { 0.1 * IN_FRAME_MS } else { 10.0 * IN_FRAME_MS }
    }

    fn in_words(&self) -> String {
        "Evaluating the scenario at its present values".to_owned()
    }

    fn compute(&self, _: Option<&Self::Outcome>, ticket: &Ticket) -> Option<Self::Outcome> {
        let mut study = self.study.clone();
        if let Some(held) = &self.held {
            set_numbers(study.subject_mut(), held);
        }
        if validate(study.subject()).is_err() {
            return Some(Vec::new());
        }
        watched(ticket, 1, |watch| answer(study.subject(), watch))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The published speedup of the join is 2.3162× at 64; at a GPU parallelism of 1 the GPU computes as fast as a core, and moves its
    /// data beside that.
    #[test]
    fn figures_are_those_of_the_scenario_or_of_the_values_that_the_pointer_holds() {
        let text = include_str!("../../../../scenarios/placement-published.ron");
        let study = crossover_scenario::read(text).expect("a valid example").study;
        let speedup = |held: Option<[f64; 2]>| {
            let held = held.map(|[machines, parallelism]| {
                [("cluster.machines".to_owned(), machines), ("gpu.gpu_parallelism".to_owned(), parallelism)]
            });
            let request = PresentRequest { study: study.clone(), held };
            let figures = request.compute(None, &Ticket::default()).expect("not cancelled");
            figures.iter().find(|one| one.key() == "operators.join.speedup").and_then(|one| one.value)
        };
        let present = speedup(None).expect("a speedup");
        assert!((present - 2.3162).abs() < 5e-5, "{present}");
        assert_eq!(speedup(Some([1000.0, 64.0])), Some(present));
        assert!(speedup(Some([1000.0, 1.0])).is_some_and(|held| held < 1.0));
        assert_eq!(speedup(Some([0.0, 64.0])), None, "a study without machines is invalid");
    }
}
