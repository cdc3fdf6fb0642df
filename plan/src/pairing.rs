//! Pairs the queries of two runs of the same workload, which different engines may have run.
//!
//! Queries with the same logical shape ([`mod@crate::shape`]) and the same description are paired first, then those with the
//! same shape, then those with the same description that may read the same tables. Where several are alike, the first is paired
//! with the first.

use std::collections::{BTreeMap, VecDeque};

use serde::Serialize;

use crate::import::Query;
use crate::shape::{digest, may_read_the_same};
use crate::today::SHORTEST_SECONDS;

/// What two paired queries have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PairedBy {
    /// The logical shape of their plans.
    Plan,
    /// Their description, their order, and their tables as far as both files name them.
    Description,
}

impl PairedBy {
    /// It in a table.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Plan => "plan",
            Self::Description => "description, order and tables",
        }
    }
}

/// Two runs of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pair {
    /// Place in the first list.
    pub own: usize,
    /// Place in the second list.
    pub other: usize,
    /// What they have in common.
    pub by: PairedBy,
}

/// The queries of two lists, paired.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Pairing {
    /// Pairs in the order of the second list.
    pub pairs: Vec<Pair>,
    /// Places in the first list without a partner.
    pub only_own: Vec<usize>,
    /// Places in the second list without a partner.
    pub only_other: Vec<usize>,
}

/// Pairs the queries of two lists.
#[must_use]
pub fn pair(own: &[&Query], other: &[&Query]) -> Pairing {
    let digests =
        [own, other].map(|list| list.iter().map(|query| digest(&query.plan)).collect::<Vec<Option<String>>>());
    let lists = [own, other];
    let mut is_paired = [vec![false; own.len()], vec![false; other.len()]];
    let mut pairs: Vec<Pair> = Vec::new();
    for pass in [Pass::PlanAndDescription, Pass::Plan, Pass::Description] {
        let key = |side: usize, place: usize| {
            let (digest, description) = (digests[side][place].as_deref(), lists[side][place].description.as_str());
            match pass {
                Pass::PlanAndDescription => digest.map(|digest| (digest, description)),
                Pass::Plan => digest.map(|digest| (digest, "")),
                Pass::Description => Some(("", description)),
            }
        };
        let mut waiting: BTreeMap<(&str, &str), VecDeque<usize>> = BTreeMap::new();
        for place in (0..own.len()).filter(|place| !is_paired[0][*place]) {
            if let Some(key) = key(0, place) {
                waiting.entry(key).or_default().push_back(place);
            }
        }
        let mut found: Vec<(usize, usize)> = Vec::new();
        for place in (0..other.len()).filter(|place| !is_paired[1][*place]) {
            let first = key(1, place).and_then(|key| waiting.get_mut(&key)).and_then(VecDeque::pop_front);
            found.extend(first.map(|first| (first, place)));
        }
        let by = if pass == Pass::Description { PairedBy::Description } else { PairedBy::Plan };
        for (first, second) in found {
            if by == PairedBy::Plan || may_read_the_same(&own[first].plan, &other[second].plan) {
                (is_paired[0][first], is_paired[1][second]) = (true, true);
                pairs.push(Pair { own: first, other: second, by });
            }
        }
    }
    pairs.sort_by_key(|pair| pair.other);
    let [only_own, only_other] = is_paired.map(|is_paired| (0..is_paired.len()).filter(|at| !is_paired[*at]).collect());
    Pairing { pairs, only_own, only_other }
}

/// What is compared.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pass {
    PlanAndDescription,
    Plan,
    Description,
}

/// Time of a run of a query on any machines, seconds; `None` if it failed, did not end, or is too short to be compared.
#[must_use]
pub fn run_seconds(query: &Query) -> Option<f64> {
    query.duration_seconds.filter(|seconds| *seconds >= SHORTEST_SECONDS && query.failure.is_none())
}

#[cfg(test)]
mod tests {
    use crossover_query::{Kind, Node, Plan};

    use super::*;

    /// A query that scans a table, or a plan without a scan if it is empty, and filters by a column.
    fn query(description: &str, table: &str, column: &str) -> Query {
        let scan = Node {
            detail: format!("FileScan parquet shop.{table}[a,b,c] Batched: true"),
            ..Node::new(format!("Scan parquet shop.{table}"), Kind::Scan)
        };
        let filter = Node { detail: format!("({column} > 5)"), ..Node::new("Filter", Kind::Filter) };
        let nodes = if table.is_empty() { Vec::new() } else { vec![filter, scan] };
        Query {
            description: description.to_owned(),
            plan: Plan { nodes, ..Plan::default() }.into(),
            ..Query::default()
        }
    }

    /// Pairs, and what is left of either side.
    type Found = (Vec<(usize, usize, PairedBy)>, Vec<usize>, Vec<usize>);

    fn found(own: &[Query], other: &[Query]) -> Found {
        let [own, other]: [Vec<&Query>; 2] = [own, other].map(|list| list.iter().collect());
        let Pairing { pairs, only_own, only_other } = pair(&own, &other);
        (pairs.into_iter().map(|pair| (pair.own, pair.other, pair.by)).collect(), only_own, only_other)
    }

    #[test]
    fn queries_are_paired_by_their_plans_whatever_their_descriptions_and_order() {
        let own = [query("x", "sales", "a"), query("y", "sales", "b")];
        let other = [query("collect at job.py:9", "sales", "b"), query("collect at job.py:9", "sales", "a")];
        assert_eq!(found(&own, &other).0, [(1, 0, PairedBy::Plan), (0, 1, PairedBy::Plan)]);
    }

    #[test]
    fn of_equal_plans_those_with_the_same_description_are_paired_first() {
        let own = [query("x", "sales", "a"), query("y", "sales", "a")];
        let other = [query("y", "sales", "a"), query("z", "sales", "a")];
        assert_eq!(found(&own, &other).0, [(1, 0, PairedBy::Plan), (0, 1, PairedBy::Plan)]);
    }

    #[test]
    fn where_plans_differ_the_description_pairs_and_other_tables_do_not() {
        // An engine that says nothing of its filters.
        let own = [query("x", "sales", "a"), query("y", "sales", "a"), query("only", "items", "a")];
        let mut bare = query("x", "sales", "a");
        bare.plan.nodes.remove(0);
        let other = [bare, query("y", "items", "b"), query("new", "returns", "b")];
        let (pairs, only_own, only_other) = found(&own, &other);
        assert_eq!(pairs, [(0, 0, PairedBy::Description)]);
        assert_eq!((only_own, only_other), (vec![1, 2], vec![1, 2]));
    }

    #[test]
    fn plans_without_tables_are_paired_by_description_the_first_with_the_first() {
        let own = [query("a", "", ""), query("b", "", ""), query("a", "", "")];
        let other = [query("a", "", ""), query("a", "", ""), query("a", "", "")];
        let (pairs, only_own, only_other) = found(&own, &other);
        assert_eq!(pairs, [(0, 0, PairedBy::Description), (2, 1, PairedBy::Description)]);
        assert_eq!((only_own, only_other), (vec![1], vec![2]));
    }
}
