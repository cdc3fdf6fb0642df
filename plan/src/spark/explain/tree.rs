//! The operators of a plan: their texts as an event log has them, and what is below what.

use std::collections::BTreeMap;

use super::super::native::head;
use super::super::raw::{RawNode, RawQuery};
use super::line::TreeLine;
use super::sections::PlanText;
use super::simple::Simple;
use super::statistics::Statistics;

/// Adaptive execution's header of the plan that it began with.
const INITIAL: &str = "== Initial Plan ==";

/// The operators of a plan, each before those that it reads.
#[derive(Debug, Default)]
pub(super) struct Tree {
    /// As in an event log; their children give rows.
    pub(super) query: RawQuery,
    /// What a text says beside that, by operator.
    pub(super) beside: Vec<Beside>,
    /// Operators by their numbers in the text.
    pub(super) by_number: BTreeMap<u64, usize>,
    /// Subqueries whose reader is not known.
    pub(super) without_reader: usize,
}

/// What a text says of an operator beside what an event log has.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Beside {
    /// Subqueries whose results it uses.
    pub(super) subqueries: Vec<usize>,
    /// Number of the operator whose result it reuses.
    pub(super) reuses: Option<u64>,
    /// What a stage that has run gave.
    pub(super) statistics: Option<Statistics>,
    /// Whether this query does not run it: what a cached table was made of, and the plan of a command.
    pub(super) is_idle: bool,
}

impl Tree {
    /// The operators of a plan.
    pub(super) fn new(plan: &PlanText) -> Self {
        let mut tree = Self::default();
        tree.add_all(plan, &plan.tree, None);
        for subquery in &plan.subqueries {
            let is_pruning = subquery.expression.contains("dynamicpruning#");
            let name = if is_pruning { "SubqueryBroadcast" } else { "Subquery" };
            let name = if subquery.tree.is_empty() { "ReusedSubquery" } else { name };
            let host = subquery.host.and_then(|number| tree.by_number.get(&number)).copied();
            let depth = host.map_or(0, |host| tree.query.nodes[host].depth + 1);
            let id = tree.add(
                Simple {
                    name: name.to_owned(),
                    text: format!("{name} {}", subquery.expression),
                    metadata: BTreeMap::new(),
                },
                depth,
            );
            match host {
                Some(host) => tree.beside[host].subqueries.push(id),
                None => tree.without_reader += 1,
            }
            tree.add_all(plan, &subquery.tree, Some(id));
        }
        tree
    }

    /// Its operators as an event log has them.
    pub(super) fn raw(&self) -> &[RawNode] {
        &self.query.nodes
    }

    fn add(&mut self, simple: Simple, depth: usize) -> usize {
        let Simple { name, text, metadata } = simple;
        self.query.nodes.push(RawNode { name, simple_string: text, metadata, depth, ..RawNode::default() });
        self.beside.push(Beside::default());
        self.query.nodes.len() - 1
    }

    /// Adds the operators of a tree below an operator.
    fn add_all(&mut self, plan: &PlanText, lines: &[TreeLine], above: Option<usize>) {
        // Depth and operator from the root down to the line before.
        let mut open: Vec<(usize, usize)> = Vec::new();
        let mut left_out_from: Option<usize> = None;
        for line in lines {
            if left_out_from.is_some_and(|from| line.depth >= from) {
                continue;
            }
            left_out_from = None;
            while open.last().is_some_and(|(depth, _)| *depth >= line.depth) {
                open.pop();
            }
            if line.text.starts_with("== ") && line.text.ends_with(" ==") {
                // With a final plan, or the current one, the initial plan does not run.
                let is_superseded = open.last().is_some_and(|(_, id)| !self.query.nodes[*id].children.is_empty());
                left_out_from = (line.text == INITIAL && is_superseded).then_some(line.depth);
                continue;
            }
            let parent = open.last().copied();
            let depth = match (parent, above) {
                (Some((_, parent)), _) | (None, Some(parent)) => self.query.nodes[parent].depth + 1,
                (None, None) => 0,
            };
            let id = self.add_line(plan, &line.text, depth);
            match parent {
                // Spark indents what is no input of rows by two steps: subqueries, what a table was cached from.
                Some((depth, parent)) if line.depth > depth + 1 => {
                    if self.query.nodes[id].name.contains("Subquery") {
                        self.beside[id].is_idle = self.beside[parent].is_idle;
                        self.beside[parent].subqueries.push(id);
                    } else {
                        self.beside[id].is_idle = true;
                    }
                }
                Some((_, parent)) => self.set_below(parent, id),
                None => {
                    if let Some(above) = above {
                        self.set_below(above, id);
                    }
                }
            }
            open.push((line.depth, id));
        }
    }

    fn set_below(&mut self, parent: usize, id: usize) {
        self.beside[id].is_idle = self.beside[parent].is_idle;
        self.query.nodes[parent].children.push(id);
    }

    fn add_line(&mut self, plan: &PlanText, text: &str, depth: usize) -> usize {
        let (text, statistics) = Statistics::split(text);
        let numbered = numbered(text).or_else(|| numbered_before(plan, text));
        let detail = numbered.and_then(|(_, number)| plan.details.get(&number));
        let simple = match (numbered, detail) {
            (Some((line, _)), Some(detail)) => Simple::of_detail(line, detail),
            (Some((line, _)), None) => Simple::of_line(line),
            (None, _) => Simple::of_line(text),
        };
        let id = self.add(simple, depth);
        self.beside[id].statistics = statistics;
        self.beside[id].reuses = detail.and_then(|detail| detail.reuses);
        if let Some((_, number)) = numbered {
            self.by_number.entry(number).or_insert(id);
        }
        id
    }
}

/// A line of a tree with details: the operator, and its number.
fn numbered(text: &str) -> Option<(&str, u64)> {
    let (line, number) = text.strip_suffix(')')?.rsplit_once(" (")?;
    Some((line.trim_end(), number.parse().ok()?))
}

/// The same where Spark 4 writes something behind the number: "`AQEShuffleRead` (6), coalesced". Expressions look like this, too,
/// so the details must be of this operator.
fn numbered_before<'t>(plan: &PlanText, text: &'t str) -> Option<(&'t str, u64)> {
    let end = text.find("), ")? + 1;
    let (line, number) = numbered(&text[..end])?;
    let detail = plan.details.get(&number)?;
    line.starts_with(head(&detail.name)).then_some((line, number))
}
