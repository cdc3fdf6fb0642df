//! Computations of the page: every policy on the same streams, for each change; and along the load, which takes longer.

use std::sync::Arc;

use crossover_page::compute::background::Ticket;
use crossover_page::compute::computed::Work;
use crossover_page::compute::watched::watched;
use crossover_preemption::outcome::{all_launches, steps};
use crossover_preemption::stream::is_fixed;
use crossover_preemption::{Preemption, Rule, along_load, evaluate_watched};
use crossover_quantity::text::counted;

use super::charts::{Metric, latencies};
use super::evaluated::{Curves, EvaluatedStudy};
use super::pairs::best_pair;
use super::timeline::Timeline;

/// Time of a step in an optimised build, milliseconds.
const STEP_MS: f64 = 0.000_12;
/// Time to draw a launch and to measure it under one policy, milliseconds.
const LAUNCH_MS: f64 = 0.000_05;
/// Loads at which policies are compared, beside that of the study.
const LOADS: usize = 20;
/// Lowest load, and highest load unless the study's own is above half of it.
const RANGE: [f64; 2] = [0.2, 2.0];

/// A study to be evaluated.
#[derive(Debug, Clone)]
pub(super) struct Evaluation(pub(super) Preemption);

impl Work for Evaluation {
    type Outcome = EvaluatedStudy;
    const NAME: &'static str = "preemption";
    const AGAIN: &'static str = "Simulate";

    fn milliseconds(&self) -> f64 {
        milliseconds(&self.0)
    }

    fn in_words(&self) -> String {
        let Self(study) = self;
        format!("Simulating {} under every policy", counted(all_launches(study) as f64, "launch"))
    }

    fn compute(&self, _: Option<&EvaluatedStudy>, ticket: &Ticket) -> Option<EvaluatedStudy> {
        let Self(study) = self;
        let outcome = watched(ticket, all_launches(study), |watch| evaluate_watched(study, watch))?;
        let timeline = Timeline::new(study, &outcome.log);
        let latencies = latencies(study, &outcome);
        let decisions = &outcome.log.decisions;
        let largest_gain =
            outcome.largest_gain().and_then(|largest| decisions.iter().position(|of| std::ptr::eq(of, largest)));
        let is_fixed = is_fixed(study);
        let best = Metric::ALL
            .into_iter()
            .filter_map(|metric| metric.best(outcome.policies.iter().map(|of| &of.means), is_fixed))
            .collect();
        let best_pair = best_pair(study, &outcome.table);
        Some(EvaluatedStudy {
            best,
            best_pair,
            timeline,
            latencies,
            largest_gain,
            outcome: Arc::new(outcome),
            study: study.clone(),
        })
    }
}

/// Approximate time for all policies of a study.
fn milliseconds(study: &Preemption) -> f64 {
    STEP_MS * steps(study) + LAUNCH_MS * all_launches(study) as f64
}

/// A study whose policies are compared along the load; the chosen policy makes no difference.
#[derive(Debug, Clone)]
pub(super) struct LoadSweep(pub(super) Preemption);

impl LoadSweep {
    /// Whether another study has the same curves.
    pub(super) fn is_of(&self, study: &Preemption) -> bool {
        let Preemption {
            gpu,
            profiled_on: _,
            kernels,
            pairs,
            fallback,
            stream,
            rule,
            bill: _,
            sources: _,
            uncertain: _,
        } = &self.0;
        *stream == study.stream
            && *rule == Rule { policy: rule.policy, ..study.rule.clone() }
            && *gpu == study.gpu
            && *fallback == study.fallback
            && *pairs == study.pairs
            && *kernels == study.kernels
    }

    /// The loads, evenly spread, and the study's own.
    fn loads(&self) -> Vec<f64> {
        let own = self.0.stream.load;
        let (from, to) = (RANGE[0].min(own / 2.0), RANGE[1].max(2.0 * own));
        let mut loads: Vec<f64> =
            (0..LOADS).map(|step| from + (to - from) * step as f64 / (LOADS - 1) as f64).collect();
        // The curves go through the study's own figures.
        let place = loads.partition_point(|load| *load < own);
        if loads.get(place) != Some(&own) {
            loads.insert(place, own);
        }
        loads
    }
}

impl Work for LoadSweep {
    type Outcome = Curves;
    const NAME: &'static str = "loads";
    const AGAIN: &'static str = "Compare";

    fn milliseconds(&self) -> f64 {
        milliseconds(&self.0) * (LOADS + 1) as f64
    }

    fn in_words(&self) -> String {
        format!("Simulating every policy at {} loads", LOADS + 1)
    }

    fn compute(&self, _: Option<&Curves>, ticket: &Ticket) -> Option<Curves> {
        let loads = self.loads();
        let total = loads.len() * all_launches(&self.0);
        let at = watched(ticket, total, |watch| along_load(&self.0, &loads, watch))?;
        Some(Curves { load: self.0.stream.load, hertz: self.0.gpu.clock_mhz * 1e6, at })
    }
}
