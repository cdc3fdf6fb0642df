//! A plan's times in any engines, without a decision for each operator.

use std::borrow::Cow;

use super::cost::{OperatorCost, in_engines};
use super::decide::{error_of_staying, has_errors};
use super::fixed::{Fixed, fixed};
use super::unaccounted::{TimeKept, widening};
use super::verdict::{Moved, PlanVerdict};
use crate::study::{Query, Side};
use crossover_engine::{Engines, Work, WorkOf};
use crossover_query::{Graph, Numbers, fill};

/// The work of a plan, counted once, for its times in many engines.
#[derive(Debug)]
pub struct EngineWork<'a> {
    query: &'a Query,
    /// The engines that the work was counted for.
    engines: &'a Engines,
    numbers: Vec<Numbers>,
    graph: Graph,
    work: WorkOf,
    /// Sides of operators that have only one, and why, by place in `graph.operators`.
    fixed: Vec<Option<(Side, Fixed)>>,
}

/// An operator in whole engines.
#[derive(Debug)]
pub struct EngineOperator<'a> {
    /// Id of the node.
    pub node: usize,
    /// Costs in both engines.
    pub cost: OperatorCost,
    /// Why it could not be on the other side, if so.
    pub fixed: Option<&'a Fixed>,
}

impl<'a> EngineWork<'a> {
    /// Counts the work of a plan. The tables, the broadcast threshold and the plan-time weight are those of `engines`; its
    /// engines and machines have no influence.
    #[must_use]
    pub fn new(query: &'a Query, engines: &'a Engines) -> Self {
        let numbers = fill(&query.plan);
        let graph = Graph::new(&query.plan, &numbers);
        let work = WorkOf::new(&query.plan, &numbers, &graph, engines);
        let fixed = graph.operators.iter().map(|id| fixed(query, *id)).collect();
        Self { query, engines, numbers, graph, work, fixed }
    }

    /// Total work.
    #[must_use]
    pub fn total(&self) -> Work {
        self.work.total()
    }

    /// Times in both engines, with their errors: those of [`decide`](super::decide()) in a study with these engines. `None` if a
    /// time is 0.
    #[must_use]
    pub fn verdict(&self, engines: &Engines) -> Option<PlanVerdict> {
        self.times(engines, |_| true).1
    }

    /// The same with every operator, inputs first.
    #[must_use]
    pub fn operators(&self, engines: &Engines) -> (Vec<EngineOperator<'_>>, Option<PlanVerdict>) {
        let (costs, verdict) = self.times(engines, |_| true);
        let operators = self.graph.operators.iter().zip(costs).zip(&self.fixed);
        let operators = operators.map(|((node, cost), fixed)| EngineOperator {
            node: *node,
            cost,
            fixed: fixed.as_ref().map(|(_, why)| why),
        });
        (operators.collect(), verdict)
    }

    /// The same if the other engine runs on CPUs, too: only operators whose work is not that of an engine keep their time. Pins
    /// and support lists are about GPUs.
    #[must_use]
    pub fn verdict_on_cpus(&self, engines: &Engines) -> Option<PlanVerdict> {
        self.times(engines, |why| matches!(why, Fixed::CpuOnly(_))).1
    }

    /// The work in engines: counted anew where their tables, threshold or weight differ.
    fn work_in(&self, engines: &Engines) -> Cow<'_, WorkOf> {
        if self.engines.have_same_work(engines) {
            Cow::Borrowed(&self.work)
        } else {
            Cow::Owned(WorkOf::new(&self.query.plan, &self.numbers, &self.graph, engines))
        }
    }

    /// Costs of every operator, and times in both engines; `is_fixed`: whether a reason keeps an operator on its side.
    fn times(&self, engines: &Engines, is_fixed: impl Fn(&Fixed) -> bool) -> (Vec<OperatorCost>, Option<PlanVerdict>) {
        let work = self.work_in(engines);
        let (costs, _) = in_engines(engines, self.query, &self.graph, &work);
        let side = |fixed: &Option<(Side, Fixed)>, free: Side| match fixed {
            Some((side, why)) if is_fixed(why) => *side,
            _ => free,
        };
        let all = |free: Side| -> f64 {
            costs.iter().zip(&self.fixed).map(|(cost, fixed)| cost.seconds(side(fixed, free))).sum()
        };
        let stays = |fixed: &Option<(Side, Fixed)>| matches!(fixed, Some((Side::Cpu, why)) if is_fixed(why));
        let staying = costs.iter().zip(&self.fixed).filter(|(_, fixed)| stays(fixed));
        let staying: f64 = staying.map(|(cost, _)| cost.seconds(Side::Cpu)).sum();
        let on_gpus = all(Side::Gpu) + error_of_staying(engines, staying);
        let times = [all(Side::Cpu), on_gpus];
        let nodes = self.graph.operators.iter().map(|id| &self.query.plan.nodes[*id]);
        let kept = costs.iter().zip(&self.fixed).zip(nodes);
        let kept = kept.filter(|((_, fixed), node)| stays(fixed) && node.is_without_operator());
        let kept: f64 = kept.map(|((cost, _), _)| cost.seconds(Side::Cpu)).sum();
        let kept = TimeKept { today: kept, option: kept + error_of_staying(engines, kept) };
        let widening = has_errors(self.query).then(|| widening(&self.query.plan, times, kept));
        let WorkOf { volumes, estimated, multiplied, .. } = &*work;
        let moved = Moved { counted: volumes.as_ref(), estimated: estimated.as_ref(), multiplied: Some(multiplied) };
        let verdict = PlanVerdict::new(engines, times, widening, moved);
        (costs, verdict)
    }
}
