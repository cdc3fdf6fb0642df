//! Placements that a GPU engine does not support; a decision must avoid them.
//!
//! The rules are those of the RAPIDS Accelerator for Apache Spark 26.08, the one engine that moves single operators of Spark to
//! GPUs; no such rule is known of other engines. The citations are files of its `sql-plugin`.

use super::problem::{Difference, Problem};
use crate::study::Side;
use crossover_query::{Graph, Kind, Node, Plan};

/// Why an operator runs on the GPU only if another one does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// A broadcast and the joins that read it, either way (`GpuBroadcastHashJoinExecBase`, `RapidsMeta.fixUpBroadcastJoins`).
    Broadcast,
    /// A merge join on the GPU, and the sorts below it (`GpuSortMergeJoinMeta`).
    MergeJoin,
    /// An aggregate of sorted rows on the GPU, and its sort (`GpuAggregateExec`).
    SortedAggregate,
    /// Both halves of an aggregate whose state no converter translates, either way
    /// (`GpuAggregateExec.handleAggregationBuffer`).
    AggregateState,
    /// An exchange on the GPU, and its input (`RapidsMeta.fixUpExchangeOverhead`).
    Exchange,
}

impl Rule {
    /// The rule as a clause.
    #[must_use]
    pub fn why(self) -> &'static str {
        match self {
            Self::Broadcast => "a broadcast runs where its joins run",
            Self::MergeJoin => "a merge join runs on the GPU only if its sorts do",
            Self::SortedAggregate => "an aggregate of sorted rows runs on the GPU only if its sort does",
            Self::AggregateState => "both halves of this aggregate run on one side",
            Self::Exchange => "an exchange runs on the GPU only if its input does",
        }
    }

    /// Whether both run on the GPU or neither does.
    #[must_use]
    pub fn is_mutual(self) -> bool {
        matches!(self, Self::Broadcast | Self::AggregateState)
    }
}

/// Two operators, by their places in the problem: `to` runs on the GPU only if `from` does, and with some rules `from` only
/// if `to` does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tie {
    /// The operator that produces the rows.
    pub from: usize,
    /// The operator that reads them.
    pub to: usize,
    /// Why.
    pub rule: Rule,
}

impl Tie {
    /// Whether an assignment violates the rule.
    #[must_use]
    pub fn is_parted(&self, sides: &[Side]) -> bool {
        match (sides[self.from], sides[self.to]) {
            (Side::Cpu, Side::Gpu) => true,
            (Side::Gpu, Side::Cpu) => self.rule.is_mutual(),
            _ => false,
        }
    }

    /// Requirements as pairs: the first operator must be on the GPU if the second is.
    pub(super) fn needs(&self) -> impl Iterator<Item = (usize, usize)> {
        let back = self.rule.is_mutual().then_some((self.to, self.from));
        std::iter::once((self.from, self.to)).chain(back)
    }
}

/// The operators that the engine of a plan ties together; `places` are the positions of the nodes in the problem.
pub(super) fn ties(plan: &Plan, graph: &Graph, places: &[Option<usize>]) -> Vec<Tie> {
    if !plan.is_of_spark() {
        return Vec::new();
    }
    let producer = |id: usize| graph.edges.iter().find(|edge| edge.to == id).map(|edge| edge.from);
    let tied = graph.edges.iter().flat_map(|edge| {
        let (from, to) = (&plan.nodes[edge.from], &plan.nodes[edge.to]);
        let own = rule(from, to).map(|rule| (edge.from, rule));
        // The other half of an aggregate may be behind an exchange.
        let half = || if from.kind.is_exchange() { producer(edge.from) } else { Some(edge.from) };
        let half = if has_own_state(to) { half() } else { None };
        let state = half.filter(|half| has_own_state(&plan.nodes[*half])).map(|half| (half, Rule::AggregateState));
        let tie = |(from, rule): (usize, Rule)| Some(Tie { from: places[from]?, to: places[edge.to]?, rule });
        [own.and_then(tie), state.and_then(tie)]
    });
    tied.flatten().collect()
}

/// The rule for two operators of which the second reads the output of the first.
fn rule(from: &Node, to: &Node) -> Option<Rule> {
    const SORT: &str = "SortExec";
    let is = |node: &Node, class: &str| node.class.as_deref() == Some(class);
    match (from.kind, to.kind) {
        (Kind::Broadcast, Kind::Join) => Some(Rule::Broadcast),
        _ if is(from, SORT) && is(to, "SortMergeJoinExec") => Some(Rule::MergeJoin),
        _ if is(from, SORT) && is(to, "SortAggregateExec") => Some(Rule::SortedAggregate),
        (_, Kind::Shuffle | Kind::Gather) => Some(Rule::Exchange),
        _ => None,
    }
}

/// Whether a node aggregates with a state that differs between the sides. The plugin translates the state of `collect_list`,
/// `collect_set` and `bloom_filter_agg` (`supportBufferConversion`), and that of percentiles not.
fn has_own_state(node: &Node) -> bool {
    node.class.as_deref() == Some("ObjectHashAggregateExec") && node.detail.contains("percentile")
}

/// Which operators require which others on the GPU, by the ties that can be met.
#[derive(Debug, Clone, Default)]
pub(super) struct Needs {
    /// Operators that are on the GPU only if this one is, by place.
    by: Vec<Vec<usize>>,
}

impl Needs {
    /// The requirements of the ties, without those that cannot be met: an operator that must be on the GPU drops requirements
    /// on operators that must be on the CPU, or that are there for the same reason. Pins take precedence over rules.
    pub(super) fn new(problem: &Problem, ties: &[Tie]) -> Self {
        let has_to_be = |place: usize, side: Side| problem.vertices[place][side.other() as usize].is_infinite();
        let mut needs = Self { by: vec![Vec::new(); problem.vertices.len()] };
        for (needed, by) in ties.iter().flat_map(Tie::needs).filter(|(_, by)| !has_to_be(*by, Side::Gpu)) {
            needs.by[needed].push(by);
        }
        let place = |place| if has_to_be(place, Side::Cpu) { Side::Cpu } else { Side::Gpu };
        let most_on_gpu = needs.fallen_back((0..problem.vertices.len()).map(place).collect());
        for (needed, by) in ties.iter().flat_map(Tie::needs) {
            if has_to_be(by, Side::Gpu) && most_on_gpu[needed] == Side::Gpu {
                needs.by[needed].push(by);
            }
        }
        needs
    }

    /// An assignment as the engine executes it: an operator that requires one on the CPU goes there too.
    pub(super) fn fallen_back(&self, mut sides: Vec<Side>) -> Vec<Side> {
        let mut to_do: Vec<usize> = (0..sides.len()).filter(|place| sides[*place] == Side::Cpu).collect();
        while let Some(needed) = to_do.pop() {
            for by in self.by[needed].iter().copied() {
                if std::mem::replace(&mut sides[by], Side::Cpu) == Side::Gpu {
                    to_do.push(by);
                }
            }
        }
        sides
    }
}

impl Problem {
    /// The cheapest assignment that meets every tie that can be met.
    #[must_use]
    pub fn solve_tied(&self, ties: &[Tie]) -> Vec<Side> {
        if ties.is_empty() {
            return self.solve();
        }
        // More than any assignment costs; infinite costs are decided already.
        let own = self.vertices.iter().flatten().copied().filter(|cost| cost.is_finite());
        let between = self.edges.iter().map(|edge| edge.cpu_to_gpu + edge.gpu_to_cpu);
        let forbidden = 1.0 + 2.0 * own.chain(between).sum::<f64>();
        let mut tied = self.clone();
        for (from, needs) in Needs::new(self, ties).by.into_iter().enumerate() {
            let edge = |to: usize| Difference { from, to, cpu_to_gpu: forbidden, gpu_to_cpu: 0.0 };
            tied.edges.extend(needs.into_iter().map(edge));
        }
        tied.solve()
    }
}
