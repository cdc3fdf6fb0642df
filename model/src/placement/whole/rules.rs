//! Operators that a GPU engine runs on one side: a decision that parts them cannot be had.
//!
//! They are those of the RAPIDS Accelerator for Apache Spark 26.08, the one engine that moves single operators of Spark to
//! GPUs; of other engines' plans no such rule is known, and none acts. What is cited are files of its `sql-plugin`.

use super::problem::{Difference, Problem};
use crate::placement::study::Side;
use crate::plan::{Graph, Kind, Node, Plan};

/// Why operators run on one side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// A broadcast and the joins that read it (`GpuBroadcastHashJoinExecBase`, `RapidsMeta.fixUpBroadcastJoins`).
    Broadcast,
    /// A merge join and the sorts below it (`GpuSortMergeJoinMeta`).
    MergeJoin,
    /// An aggregate of sorted rows and its sort (`GpuAggregateExec`).
    SortedAggregate,
    /// Both halves of an aggregate whose state differs between the sides (`GpuAggregateExec.handleAggregationBuffer`).
    AggregateState,
    /// An exchange and what gives it its rows (`RapidsMeta.fixUpExchangeOverhead`).
    Exchange,
}

impl Rule {
    /// The rule as a clause.
    #[must_use]
    pub fn why(self) -> &'static str {
        match self {
            Self::Broadcast => "a broadcast runs where its joins run",
            Self::MergeJoin => "a merge join runs where its sorts run",
            Self::SortedAggregate => "an aggregate of sorted rows runs where its sort runs",
            Self::AggregateState => "both halves of this aggregate run on one side",
            Self::Exchange => "an exchange runs where its rows come from",
        }
    }

    /// Whether the engine refuses to part them, so that switches of their classes go together. Where it does not, it moves
    /// the operator itself.
    #[must_use]
    pub fn binds_classes(self) -> bool {
        self != Self::Exchange
    }
}

/// Two operators, by their places in the problem, that run on one side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tie {
    /// The one that gives rows.
    pub from: usize,
    /// The one that reads them.
    pub to: usize,
    /// Why.
    pub rule: Rule,
}

/// What the engine of a plan ties together; `places` are those of the nodes in the problem.
pub(super) fn ties(plan: &Plan, graph: &Graph, places: &[Option<usize>]) -> Vec<Tie> {
    let is_spark = ["Spark", "Databricks"].iter().any(|name| plan.engine.starts_with(name));
    if !is_spark {
        return Vec::new();
    }
    let producer = |id: usize| graph.edges.iter().find(|edge| edge.to == id).map(|edge| &plan.nodes[edge.from]);
    let tied = graph.edges.iter().filter_map(|edge| {
        let rule = rule(&plan.nodes[edge.from], &plan.nodes[edge.to], || producer(edge.from))?;
        Some(Tie { from: places[edge.from]?, to: places[edge.to]?, rule })
    });
    tied.collect()
}

/// The rule for two operators of which one reads what the other gives; `producer` is what the first one reads.
fn rule<'p>(from: &Node, to: &Node, producer: impl FnOnce() -> Option<&'p Node>) -> Option<Rule> {
    const SORT: &str = "SortExec";
    const TYPED_AGGREGATE: &str = "ObjectHashAggregateExec";
    let is = |node: &Node, class: &str| node.class.as_deref() == Some(class);
    match (from.kind, to.kind) {
        (Kind::Broadcast, Kind::Join) => Some(Rule::Broadcast),
        _ if is(from, SORT) && is(to, "SortMergeJoinExec") => Some(Rule::MergeJoin),
        _ if is(from, SORT) && is(to, "SortAggregateExec") => Some(Rule::SortedAggregate),
        (Kind::Shuffle | Kind::Gather, _) if is(to, TYPED_AGGREGATE) => {
            producer().filter(|node| is(node, TYPED_AGGREGATE)).map(|_| Rule::AggregateState)
        }
        (_, Kind::Shuffle | Kind::Gather) => Some(Rule::Exchange),
        _ => None,
    }
}

impl Problem {
    /// The cheapest assignment that parts no tie. Ties between operators that cannot be on one side are left out: what
    /// somebody pinned stands above them.
    #[must_use]
    pub fn solve_tied(&self, ties: &[Tie]) -> Vec<Side> {
        if ties.is_empty() {
            return self.solve();
        }
        let groups = self.groups(ties);
        let mut merged = Problem { vertices: vec![[0.0; 2]; self.vertices.len()], edges: Vec::new() };
        for (own, group) in self.vertices.iter().zip(&groups) {
            for side in [0, 1] {
                merged.vertices[*group][side] += own[side];
            }
        }
        let between =
            self.edges.iter().map(|edge| Difference { from: groups[edge.from], to: groups[edge.to], ..*edge });
        merged.edges = between.filter(|edge| edge.from != edge.to).collect();
        let sides = merged.solve();
        groups.into_iter().map(|group| sides[group]).collect()
    }

    /// The first operator of each operator's group.
    fn groups(&self, ties: &[Tie]) -> Vec<usize> {
        let mut groups: Vec<usize> = (0..self.vertices.len()).collect();
        // What a group costs on either side, which is without limit where one of it cannot be.
        let mut costs = self.vertices.clone();
        for tie in ties {
            let [a, b] = [tie.from, tie.to].map(|place| first(&mut groups, place));
            let sum = [0, 1].map(|side| costs[a][side] + costs[b][side]);
            if a != b && sum.iter().any(|cost| cost.is_finite()) {
                let (low, high) = (a.min(b), a.max(b));
                groups[high] = low;
                costs[low] = sum;
            }
        }
        (0..groups.len()).map(|place| first(&mut groups, place)).collect()
    }
}

/// The first operator of a group; what leads there is shortened.
fn first(groups: &mut [usize], place: usize) -> usize {
    let mut at = place;
    while groups[at] != at {
        groups[at] = groups[groups[at]];
        at = groups[at];
    }
    at
}
