//! What the page shows of a study: the outcome of every policy, computed again after each change.

use std::sync::Arc;

use crossover_allocation::outcome::all_tasks;
use crossover_allocation::{Allocation, Described, Outcome, evaluate_watched};
use crossover_page::compute::background::Ticket;
use crossover_page::compute::computed::Work;
use crossover_page::compute::watched::watched;
use crossover_quantity::text::counted;

use super::charts::Charts;
use super::timeline::Timeline;

/// Time to place one task in a cluster of a thousand nodes in an optimised build, milliseconds.
const TASK_MS: f64 = 0.004;

/// A study with its outcome.
#[derive(Debug)]
pub(crate) struct Shown {
    /// The study that everything was computed from.
    pub study: Allocation,
    /// Outcome of every policy.
    pub outcome: Arc<Outcome>,
    /// Its charts.
    pub(super) charts: Charts,
    /// Nodes and tasks of the study.
    pub(super) described: Described,
    /// Tasks on each GPU over time.
    pub(super) timeline: Timeline,
}

/// A study to evaluate.
#[derive(Debug, Clone)]
pub(super) struct EvaluationInput(pub(super) Allocation);

impl Work for EvaluationInput {
    type Outcome = Shown;
    const NAME: &'static str = "allocation";
    const AGAIN: &'static str = "Evaluate";

    fn milliseconds(&self) -> f64 {
        let Self(study) = self;
        let nodes: f64 = study.nodes.iter().map(|group| group.nodes).sum();
        TASK_MS * all_tasks(study) as f64 * (0.05 + nodes / 1e3)
    }

    fn in_words(&self) -> String {
        let Self(study) = self;
        format!("Placing {} with every policy", counted(all_tasks(study) as f64, "task"))
    }

    fn compute(&self, _: Option<&Shown>, ticket: &Ticket) -> Option<Shown> {
        let Self(study) = self;
        let outcome = watched(ticket, all_tasks(study), |watch| evaluate_watched(study, watch))?;
        let described = Described::new(study, 0);
        let timeline = match outcome.replayed.get(outcome.chosen) {
            Some(replayed) => Timeline::new(&described, study.policy.name, &replayed.log),
            None => Timeline::default(),
        };
        let charts = Charts::new(study, &outcome);
        Some(Shown { charts, timeline, described, outcome: Arc::new(outcome), study: study.clone() })
    }
}

#[cfg(test)]
mod tests {
    use crossover_page::compute::computed::IN_FRAME_MS;

    use super::*;
    use crate::examples;

    /// 8,119 tasks request 6,072.8 GPUs. So about 520 of them request 1.3 × the 299 GPUs, in each of ten orders with each of eight policies.
    #[test]
    fn the_first_example_is_placed_on_another_thread() {
        let scenario = crossover_scenario::read(examples::ALL[0].text).expect("a scenario");
        let study = scenario.study.allocation().expect("an allocation study").clone();
        let tasks = all_tasks(&study) as f64;
        assert!((tasks / (80.0 * 8_119.0 * 1.3 * 299.0 / 6_072.8) - 1.0).abs() < 0.001, "{tasks}");
        assert!(EvaluationInput(study).milliseconds() > IN_FRAME_MS);
    }
}
