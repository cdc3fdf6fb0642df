//! Rows of each operator of a plan that has not run.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::super::Plan;
use super::super::amount::{Origin, Rule};
use super::super::graph::order;
use super::super::kind::Kind;
use super::super::node::Node;
use super::super::operation::{AggregateStep, JoinRows, Operation};
use super::conditions::{Conditions, ONE_BOUND};
use super::tables::Tables;

/// Rows whose partition is known: Spark asks for it where it joins by it.
const NOT_NULL: f64 = 0.97;
/// Least share of the rows that have no match.
const WITHOUT_MATCH: f64 = 0.1;
/// Operators that are looked at below another one.
const NEAR: usize = 200;
/// Columns that rows are limited in at most.
const MOST_LIMITS: usize = 64;

/// Values that columns are limited to.
type Limits = Rc<BTreeMap<String, f64>>;

/// The rows of an operator.
#[derive(Debug, Clone, Default)]
struct Stream {
    rows: f64,
    /// Rows of its largest source: what a key of several columns can have values of.
    base: f64,
    limits: Limits,
    /// Partitions that a scan reads; `None` if the table has none.
    partitions: Option<f64>,
}

/// Rows that fall into groups, for each grouping set.
#[derive(Debug, Clone, Copy)]
struct Level {
    rows: f64,
    /// Combinations of the keys, without days.
    values: f64,
    /// Days and other periods among the keys.
    periods: f64,
    groups: f64,
}

/// Rows of every operator.
pub(super) struct Rows<'a> {
    plan: &'a Plan,
    pub(super) tables: Tables,
    /// Ids, inputs first.
    pub(super) order: Vec<usize>,
    streams: Vec<Stream>,
    levels: BTreeMap<usize, Vec<Level>>,
}

/// Ids of the operators whose rows an operator reads: without subqueries, and of a reused part the original.
pub(super) fn inputs(plan: &Plan, id: usize) -> impl Iterator<Item = usize> + '_ {
    let node = &plan.nodes[id];
    let own = if node.reuses.is_some() { &[][..] } else { &node.inputs[..] };
    let is_of_rows = move |id: &usize| !plan.nodes[*id].name.contains("Subquery");
    node.reuses.into_iter().chain(own.iter().copied().filter(is_of_rows))
}

/// Copies that an expand makes of a row.
pub(super) fn copies(node: &Node) -> f64 {
    match node.operation {
        Some(Operation::Expand { copies }) => f64::from(copies),
        _ => 1.0,
    }
}

/// Whether an aggregate only finds different values, as of DISTINCT.
pub(super) fn has_no_functions(node: &Node) -> bool {
    node.kind == Kind::Aggregate && node.detail.contains("functions=[]")
}

/// Whether an aggregate gives partial results.
pub(super) fn is_partial(node: &Node) -> bool {
    let step = |step| node.operation == Some(Operation::Aggregate { step });
    node.kind == Kind::Aggregate
        && !has_no_functions(node)
        && (step(AggregateStep::Partial) || step(AggregateStep::Merge))
}

impl<'a> Rows<'a> {
    pub(super) fn new(plan: &'a Plan) -> Self {
        let order = order(plan, 0..plan.nodes.len()).unwrap_or_default();
        let streams = vec![Stream::default(); plan.nodes.len()];
        let mut rows = Self { plan, tables: Tables::new(plan), order, streams, levels: BTreeMap::new() };
        for place in 0..rows.order.len() {
            let id = rows.order[place];
            rows.streams[id] = rows.stream(id);
        }
        rows
    }

    /// Output rows of an operator.
    pub(super) fn of(&self, id: usize) -> f64 {
        self.streams[id].rows
    }

    /// Rows that an operator reads.
    pub(super) fn input(&self, id: usize) -> f64 {
        inputs(self.plan, id).map(|input| self.of(input)).sum()
    }

    /// Partitions that a scan reads; `None` if its table has none.
    pub(super) fn partitions_read(&self, id: usize) -> Option<f64> {
        self.streams[id].partitions
    }

    /// Rows of the table of a scan.
    pub(super) fn table_rows(&self, id: usize) -> f64 {
        self.plan.nodes[id].source.as_deref().map_or(self.of(id), |source| self.tables.rows_in(source))
    }

    /// Rows that a partial aggregate gives: the groups of each of so many tasks.
    pub(super) fn groups_of_tasks(&self, id: usize, tasks: f64) -> f64 {
        let Some(levels) = self.levels.get(&id) else { return tasks };
        let sum = |groups: &dyn Fn(&Level) -> f64| levels.iter().map(groups).sum();
        if self.is_together(id) {
            return sum(&|level| level.groups);
        }
        sum(&|level| {
            // A task has rows of few days.
            let values = level.values * (level.periods / tasks).max(1.0);
            (tasks * seen(level.rows / tasks, values)).max(level.groups).min(level.rows)
        })
    }

    /// Different values of a column in the rows of an operator.
    fn values(&self, id: usize, name: &str) -> f64 {
        let stream = &self.streams[id];
        let limited = stream.limits.get(self.tables.real(name)).copied();
        limited.unwrap_or_else(|| self.tables.values(name)).min(stream.rows.max(1.0))
    }

    fn stream(&mut self, id: usize) -> Stream {
        let plan = self.plan;
        let node = &plan.nodes[id];
        let mut below: Vec<usize> = inputs(plan, id).collect();
        if below.is_empty() && node.source.is_none() {
            // A subquery around another one.
            below.extend(node.inputs.first());
        }
        let mut stream = self.joined(&below);
        match node.kind {
            Kind::Scan => stream = self.of_scan(node),
            Kind::Filter => self.filter(id, &below, &mut stream),
            Kind::Aggregate => {
                stream.rows = self.groups(id);
                if !is_partial(node) {
                    stream.base = stream.rows;
                }
            }
            Kind::Join => self.join(node, &below, &mut stream),
            Kind::Union => stream.rows = below.iter().map(|input| self.of(*input)).sum(),
            Kind::Expand => stream.rows *= copies(node),
            _ => {}
        }
        match node.rows_out {
            Some(rows) if node.kind == Kind::Filter && rows.origin == Origin::Estimated(Rule::Planner) => {
                stream.rows = self.planned(id, rows.value, stream.rows);
            }
            Some(rows) if is_stated(node, rows.origin) => stream.rows = rows.value,
            Some(rows) if rows.origin == Origin::Estimated(Rule::Limit) => stream.rows = stream.rows.min(rows.value),
            _ => {}
        }
        stream
    }

    /// The rows of an operator's first input, with the limits of all.
    fn joined(&self, below: &[usize]) -> Stream {
        let Some(first) = below.first() else { return Stream { rows: 1.0, base: 1.0, ..Stream::default() } };
        let mut stream = Stream { partitions: None, ..self.streams[*first].clone() };
        for input in &below[1..] {
            let other = &self.streams[*input];
            stream.base = stream.base.max(other.base);
            if !other.limits.is_empty() {
                let limits = Rc::make_mut(&mut stream.limits);
                for (name, count) in &*other.limits {
                    if limits.len() < MOST_LIMITS {
                        limits.entry(name.clone()).or_insert(*count);
                    }
                }
            }
        }
        stream
    }

    fn of_scan(&self, node: &Node) -> Stream {
        let Some(source) = node.source.as_deref() else {
            return Stream { rows: 1.0, base: 1.0, ..Stream::default() };
        };
        let mut share = 1.0_f64;
        for condition in &source.partition_filters {
            if condition.starts_with("isnotnull") {
                share = share.min(NOT_NULL);
            }
        }
        // The days that each pruning filter passes.
        let prunes = |id: &&usize| self.plan.nodes[**id].detail.contains("dynamicpruning");
        for id in node.inputs.iter().filter(prunes) {
            share *= (self.of(*id) / self.tables.days).min(1.0);
        }
        let rows = share * self.tables.rows_in(source);
        let partitions = self.tables.folders(source).map(|folders| (share * folders).max(1.0));
        let columns = source.partition_columns.iter();
        let limits = columns.zip(partitions).map(|(name, count)| (name.clone(), count)).collect();
        Stream { rows, base: rows, limits: Rc::new(limits), partitions }
    }

    fn filter(&self, id: usize, below: &[usize], stream: &mut Stream) {
        let Some(input) = below.first().copied() else { return };
        let node = &self.plan.nodes[id];
        let subqueries = node.inputs.iter().filter(|id| self.plan.nodes[**id].name.contains("Subquery"));
        let blooms = subqueries.filter_map(|id| self.bloom_filter(*id, input)).collect();
        let values = |name: &str| self.values(input, name);
        // A join makes null values of its own.
        let source = self.scan_below(id).and_then(|scan| self.plan.nodes[scan].source.as_deref());
        let nulls = |name: &str| source.and_then(|source| source.null_share(name));
        let mut conditions =
            Conditions { tables: &self.tables, values: &values, nulls: &nulls, blooms, limits: BTreeMap::new() };
        stream.rows = (stream.rows * conditions.share(&node.detail)).max(1e-6);
        if !conditions.limits.is_empty() {
            let limits = Rc::make_mut(&mut stream.limits);
            for (name, count) in conditions.limits {
                if limits.len() < MOST_LIMITS {
                    limits.insert(name, count);
                }
            }
        }
    }

    /// Rows that pass a filter, of which the planner expects so many and the rules another number. The planner does not know which
    /// partitions the run will skip, so a filter of a scan passes the planner's share of the rows that are read. Of a calendar only
    /// some days have rows elsewhere: all that pass may be among them, or an equal share of them.
    fn planned(&self, id: usize, planned: f64, by_rules: f64) -> f64 {
        let scan = self.scan_below(id);
        let source = scan.and_then(|scan| self.plan.nodes[scan].source.as_deref());
        let sizes = scan.zip(source).and_then(|(scan, source)| Some((source, self.of(scan), source.table_rows?)));
        let Some((source, read, all)) = sizes.filter(|(_, _, all)| *all > 0.0) else { return planned };
        let share = read * (planned / all).min(1.0);
        if self.tables.is_calendar(source) { by_rules.max(share).min(planned.min(read)) } else { share }
    }

    /// The scan whose rows an operator reads as they are: below it through wrappers only.
    fn scan_below(&self, id: usize) -> Option<usize> {
        let is_wrapper = |id: &usize| self.plan.nodes[*id].kind == Kind::Wrapper;
        let below = |id: &usize| inputs(self.plan, *id).next();
        let first = std::iter::successors(below(&id), below).take(NEAR).find(|id| !is_wrapper(id));
        first.filter(|id| self.plan.nodes[*id].kind == Kind::Scan)
    }

    /// Whether an operator reads the rows of a table in the order of the table: only filters, projections, wrappers, and joins with
    /// broadcast rows are between.
    pub(super) fn are_of_scan(&self, id: usize) -> bool {
        let below = |id: &usize| {
            let node = &self.plan.nodes[*id];
            match node.kind {
                _ if node.reuses.is_some() => None,
                Kind::Filter | Kind::Project | Kind::Wrapper => inputs(self.plan, *id).next(),
                Kind::Join => self.streamed(*id),
                _ => None,
            }
        };
        let last = std::iter::successors(Some(id), below).take(NEAR).last();
        last.is_some_and(|id| self.plan.nodes[id].kind == Kind::Scan)
    }

    /// The input whose rows a join reads one by one, if the other one is broadcast.
    fn streamed(&self, join: usize) -> Option<usize> {
        let is_broadcast = |id: &usize| self.plan.nodes[*id].kind == Kind::Broadcast;
        let mut sides = inputs(self.plan, join).filter(|id| !is_broadcast(id));
        let streamed = sides.next().filter(|_| sides.next().is_none())?;
        inputs(self.plan, join).any(|id| is_broadcast(&id)).then_some(streamed)
    }

    /// Share of the rows of an operator that a bloom filter passes, if a subquery makes one: the rows that it is made of, of the
    /// values of its column.
    fn bloom_filter(&self, subquery: usize, input: usize) -> Option<f64> {
        let below = |id: &usize| {
            let node = &self.plan.nodes[*id];
            node.reuses.or(node.inputs.first().copied())
        };
        let chain = std::iter::successors(Some(subquery), below).take(NEAR);
        let makes = |id: &usize| self.plan.nodes[*id].detail.contains("bloom_filter_agg(");
        let partial = chain.filter(makes).last()?;
        let detail = &self.plan.nodes[partial].detail;
        let (_, arguments) = detail.split_once("bloom_filter_agg(")?;
        let mut words = arguments.split(|letter: char| !(letter.is_alphanumeric() || letter == '_'));
        let column = words.find(|word| self.tables.has(word))?;
        let rows = self.input(partial);
        Some((rows / self.values(input, column).max(1.0)).min(1.0))
    }

    /// The operator whose rows an aggregate groups: below partial aggregates and their exchanges.
    fn grouped(&self, id: usize) -> Option<usize> {
        let mut below = inputs(self.plan, id).next()?;
        for _ in 0..NEAR {
            let node = &self.plan.nodes[below];
            let passes = is_partial(node)
                || matches!(node.kind, Kind::Shuffle | Kind::Gather)
                || (node.kind == Kind::Wrapper && node.reuses.is_none());
            match inputs(self.plan, below).next() {
                Some(next) if passes && node.reuses.is_none() => below = next,
                _ => break,
            }
        }
        Some(below)
    }

    /// Groups of an aggregate, over all its grouping sets.
    fn groups(&mut self, id: usize) -> f64 {
        let plan = self.plan;
        let keys = &plan.nodes[id].keys;
        let Some(source) = self.grouped(id).filter(|_| !keys.is_empty()) else { return 1.0 };
        let is_set = |key: &&Vec<String>| key.iter().any(|name| name.contains("grouping_id"));
        let plain: Vec<&Vec<String>> = keys.iter().filter(|key| !is_set(key)).collect();
        let sets = if plain.len() < keys.len() { self.grouping_sets(source) } else { 1 };
        let rows = self.of(source);
        let each = rows / sets as f64;
        // As of ROLLUP: each set has a key less.
        let levels: Vec<Level> = (0..sets)
            .map(|left_out| {
                let (values, periods) = self.combinations(source, &plain[..plain.len().saturating_sub(left_out)]);
                let groups = (periods * seen(each / periods, values)).min(each);
                Level { rows: each, values, periods, groups }
            })
            .collect();
        let groups: f64 = levels.iter().map(|level| level.groups).sum();
        self.levels.insert(id, levels);
        groups.min(rows).max(1.0)
    }

    /// Grouping sets of the expand below an aggregate.
    fn grouping_sets(&self, source: usize) -> usize {
        let mut below = Some(source);
        for _ in 0..NEAR {
            let Some(id) = below else { break };
            if let Some(Operation::Expand { copies }) = self.plan.nodes[id].operation {
                return usize::try_from(copies).unwrap_or(1).clamp(1, MOST_LIMITS);
            }
            let mut inputs = inputs(self.plan, id);
            below = inputs.next().filter(|_| inputs.next().is_none());
        }
        1
    }

    /// Combinations of keys without days, of one table no more than its rows; and days.
    fn combinations(&self, source: usize, keys: &[&Vec<String>]) -> (f64, f64) {
        let mut periods = 1.0;
        let mut by_table: BTreeMap<&str, (Option<f64>, Vec<f64>)> = BTreeMap::new();
        for name in keys.iter().filter_map(|key| key.first()) {
            let values = self.values(source, name);
            if self.tables.is_of_days(name) {
                periods *= values;
                continue;
            }
            let table = self.tables.whole_table(name);
            let most = table.and_then(|table| self.tables.all_rows(table));
            let entry = by_table.entry(table.unwrap_or(name)).or_insert((most, Vec::new()));
            entry.1.push(values);
        }
        let mut values = 1.0;
        for (most, found) in by_table.into_values() {
            values *= match most {
                // Columns of one table depend on each other.
                Some(most) => {
                    let largest = found.iter().copied().fold(1.0, f64::max);
                    (largest * 2_f64.powf(found.len() as f64 - 1.0)).min(most)
                }
                None => found.iter().product(),
            };
        }
        (values.max(1.0), periods.min(self.tables.days).max(1.0))
    }

    fn join(&self, node: &Node, below: &[usize], stream: &mut Stream) {
        let [left, right] = below else { return };
        let (here, there) = (self.of(*left), self.of(*right));
        let rows = match node.operation {
            Some(Operation::Join { rows, .. }) => rows,
            _ => JoinRows::Inner,
        };
        // A comparison in which null equals null has two keys of the same columns.
        let is_new = |(place, key): &(usize, &Vec<String>)| *place == 0 || node.keys[place - 1] != **key;
        let keys = node.keys.iter().enumerate().filter(is_new);
        let pairs: Vec<(f64, f64)> = keys
            .filter_map(|(_, key)| key.first().zip(key.last()))
            .map(|(one, other)| {
                let [one, other] = [(one, *left), (other, *right)]
                    .map(|(name, side)| self.tables.has(name).then(|| self.values(side, name)));
                let few = here.min(there);
                (one.or(other).unwrap_or(few), other.or(one).unwrap_or(few))
            })
            .collect();
        let base = stream.base.max(1.0);
        let combined: f64 = pairs.iter().map(|(one, other)| one.max(*other)).product();
        // Several keys are one: no more values than the larger side had rows.
        let combined = if pairs.len() > 1 { combined.min(base) } else { combined };
        let has_condition = node.detail.starts_with('(') || node.detail.contains(", (");
        let is_inner = matches!(rows, JoinRows::Inner | JoinRows::Cross);
        let inner = here * there / combined.max(1.0) * if has_condition && is_inner { ONE_BOUND } else { 1.0 };
        let mut matched: f64 = pairs.iter().map(|(one, other)| (other / one).min(1.0)).product();
        if pairs.len() > 1 {
            matched = matched.max((there / base).min(1.0));
        }
        let found = match rows {
            JoinRows::Inner | JoinRows::Cross => inner,
            JoinRows::LeftOuter => inner.max(here),
            JoinRows::RightOuter => inner.max(there),
            JoinRows::FullOuter => inner.max(here).max(there),
            JoinRows::LeftSemi => here * matched,
            JoinRows::LeftAnti => here * (1.0 - matched).max(WITHOUT_MATCH),
            JoinRows::Existence => here,
        };
        stream.rows = found.max(1e-6);
        if matches!(rows, JoinRows::LeftSemi | JoinRows::LeftAnti | JoinRows::Existence) {
            stream.base = self.streams[*left].base;
        }
    }

    /// Whether all rows of a group of an aggregate are in one task: they were exchanged by keys that the groups depend on.
    fn is_together(&self, id: usize) -> bool {
        let keys = self.plan.nodes[id].keys.iter().filter_map(|key| key.first());
        let columns: BTreeSet<&str> = keys.map(|name| self.tables.real(name)).collect();
        let mut waiting: Vec<usize> = self.grouped(id).into_iter().collect();
        for _ in 0..NEAR {
            let Some(id) = waiting.pop() else { return false };
            let node = &self.plan.nodes[id];
            if node.reuses.is_some() {
                waiting.extend(node.reuses);
                continue;
            }
            match node.kind {
                Kind::Shuffle => {
                    let by = partitioned_by(&node.detail);
                    if !by.is_empty() && by.iter().all(|name| self.tables.depends_on(name, &columns)) {
                        return true;
                    }
                }
                Kind::Join => {
                    let is_copied = |id: &usize| self.plan.nodes[*id].kind == Kind::Broadcast;
                    waiting.extend(inputs(self.plan, id).filter(|id| !is_copied(id)));
                }
                Kind::Project | Kind::Filter | Kind::Sort | Kind::Wrapper => waiting.extend(inputs(self.plan, id)),
                _ => {}
            }
        }
        false
    }
}

/// Columns by whose hash an exchange distributes rows: "hashpartitioning(a, b, 200), …".
pub(super) fn partitioned_by(detail: &str) -> Vec<&str> {
    let Some((_, list)) = detail.split_once("hashpartitioning(") else { return Vec::new() };
    let list = list.split_once(')').map_or(list, |(list, _)| list);
    let mut columns: Vec<&str> = list.split(", ").collect();
    // The last one is the number of partitions.
    columns.pop();
    columns
}

/// Whether the plan states rows: counted by a stage that ran, or estimated by Spark's planner.
fn is_stated(node: &Node, origin: Origin) -> bool {
    let is_stated = matches!(origin, Origin::Reported | Origin::Derived(_) | Origin::Estimated(Rule::Planner));
    is_stated && node.kind != Kind::Scan
}

/// Different values among so many draws.
fn seen(draws: f64, values: f64) -> f64 {
    -values * (-draws / values).exp_m1()
}
