//! The work of a plan in an engine: core-seconds, data read, files opened, data exchanged.
//!
//! A plan of an engine that runs on one machine has no exchanges. The model adds them where Spark and RAPIDS have them: both
//! sides of a join whose smaller side is too large to be copied, the partial groups of an aggregate, the rows of a window;
//! but not where rows are already partitioned as needed. Parts that a plan reads or computes twice in the same way count once.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::profile::{Engines, Partitioned};
use crossover_query::{EstimatedVolumes, Graph, Kind, Node, Numbers, Plan, Volumes};

/// Bytes of a gigabyte.
const GB: f64 = 1e9;
/// Default bytes of a value: half of DuckDB's columns have 4, the others 8.
const USUAL_VALUE: f64 = 6.0;
/// Bytes of a value that is read only to filter rows.
const FILTER_VALUE: f64 = 4.0;
/// Bytes of a key: the width of a column whose values are in file names.
const KEY: f64 = 8.0;
/// Rows that one task groups before an exchange.
const ROWS_OF_TASK: f64 = 5e6;
/// An input with fewer rows is copied to every machine, independent of its size in bytes.
const FEW_ROWS: f64 = 1000.0;

/// The work of one operator, over all machines.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Work {
    /// Its own work, in seconds of one core of the plan's engine.
    pub own_seconds: f64,
    /// Data that it reads from storage, by its size in memory, GB.
    pub read_gb: f64,
    /// Files that it opens.
    pub files: f64,
    /// Data that it exchanges, GB.
    pub exchanged_gb: f64,
    /// Exchanges that it adds to the longest path of the plan.
    pub exchanges: f64,
}

/// The work of a plan.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct WorkOf {
    /// By place in [`Graph::operators`].
    pub operators: Vec<Work>,
    /// Whether the model added exchanges, because the plan has none.
    pub implied_exchanges: bool,
    /// What the query moves as its engine counted it, if it did.
    pub volumes: Option<Volumes>,
    /// What a query moves that never ran, by rules.
    pub estimated: Option<EstimatedVolumes>,
    /// Rows that its operators multiply, whatever its engine.
    pub multiplied: Volumes,
}

impl WorkOf {
    /// The work of a plan.
    #[must_use]
    pub fn new(plan: &Plan, numbers: &[Numbers], graph: &Graph, engines: &Engines) -> Self {
        Reading::new(plan, numbers, graph, engines).work()
    }

    /// Of all operators.
    #[must_use]
    pub fn total(&self) -> Work {
        self.operators.iter().fold(Work::default(), |sum, work| Work {
            own_seconds: sum.own_seconds + work.own_seconds,
            read_gb: sum.read_gb + work.read_gb,
            files: sum.files + work.files,
            exchanged_gb: sum.exchanged_gb + work.exchanged_gb,
            exchanges: sum.exchanges + work.exchanges,
        })
    }
}

impl Engines {
    /// Whether every plan has the same work in both: that depends on the tables and on when they are copied.
    #[must_use]
    pub fn have_same_work(&self, other: &Self) -> bool {
        self.tables == other.tables
            && self.broadcast_gb.total_cmp(&other.broadcast_gb).is_eq()
            && self.plan_time_weight.total_cmp(&other.plan_time_weight).is_eq()
    }
}

/// A plan while its work is counted.
struct Reading<'a> {
    plan: &'a Plan,
    numbers: &'a [Numbers],
    graph: &'a Graph,
    engines: &'a Engines,
    /// Operators that each operator reads, by node.
    inputs: Vec<Vec<usize>>,
    /// Operators that read each operator, by node.
    readers: Vec<Vec<usize>>,
    /// Share of its table that each scan reads, by node.
    share: Vec<f64>,
    has_exchanges: bool,
}

/// Facts about an operator whose work was counted.
#[derive(Clone, Copy, Default)]
struct Done<'a> {
    work: Work,
    /// Exchanges on the longest path up to it.
    depth: f64,
    /// The input that has the longest path.
    longest: Option<usize>,
    /// The keys by which its rows are partitioned, each with all its names; empty: by none.
    partition_keys: &'a [Vec<String>],
}

impl<'a> Reading<'a> {
    fn new(plan: &'a Plan, numbers: &'a [Numbers], graph: &'a Graph, engines: &'a Engines) -> Self {
        let mut inputs = vec![Vec::new(); plan.nodes.len()];
        let mut readers = vec![Vec::new(); plan.nodes.len()];
        for edge in &graph.edges {
            inputs[edge.to].push(edge.from);
            readers[edge.from].push(edge.to);
        }
        let has_exchanges = graph.operators.iter().any(|id| plan.nodes[*id].kind.is_exchange());
        let mut reading =
            Self { plan, numbers, graph, engines, inputs, readers, share: vec![1.0; plan.nodes.len()], has_exchanges };
        reading.share = reading.shares();
        reading
    }

    fn work(&self) -> WorkOf {
        let mut done = vec![Done::default(); self.plan.nodes.len()];
        let mut same = Repeated::new(self.plan.nodes.len());
        for id in self.graph.operators.iter().copied() {
            // A plan with exchanges marks reused parts itself.
            let first = if self.has_exchanges { None } else { same.first(self, id) };
            done[id] = match first {
                Some(first) => self.repeated(id, &done, &done[first]),
                None => self.count(id, &done, &mut same),
            };
        }
        // Exchanges count where they are on the longest path.
        let mut on_path = BTreeSet::new();
        let mut at = self.graph.root();
        while let Some(id) = at {
            on_path.insert(id);
            at = done[id].longest;
        }
        let operators = self.graph.operators.iter().map(|id| {
            let work = done[*id].work;
            Work { exchanges: if on_path.contains(id) { work.exchanges } else { 0.0 }, ..work }
        });
        WorkOf {
            operators: operators.collect(),
            implied_exchanges: !self.has_exchanges,
            volumes: Volumes::reported(self.plan),
            estimated: EstimatedVolumes::of(self.plan),
            multiplied: Volumes::multiplied(self.plan, self.numbers),
        }
    }

    fn node(&self, id: usize) -> &'a Node {
        &self.plan.nodes[id]
    }

    /// Bytes of an operator's output row.
    fn width(&self, id: usize) -> f64 {
        self.numbers[id].row_width.value.max(FILTER_VALUE)
    }

    fn given(&self, id: usize) -> f64 {
        self.numbers[id].rows_out.value
    }

    /// The scan that an operator reads through filters and projections only, if any.
    fn scan_below(&self, mut id: usize) -> Option<usize> {
        loop {
            match (self.node(id).kind, self.inputs[id].as_slice()) {
                (Kind::Scan, _) => return Some(id),
                (Kind::Filter | Kind::Project, [only]) => id = *only,
                _ => return None,
            }
        }
    }

    /// Share of its table that every scan reads, by node: the share of the partition column's values that remain after joins
    /// with few rows.
    fn shares(&self) -> Vec<f64> {
        let tables = &self.engines.tables;
        let mut shares = vec![1.0; self.plan.nodes.len()];
        if tables.is_empty() {
            return shares;
        }
        // Remaining values of each table's partition column after all readers above, by node and table; minus infinity: no reader.
        let mut left = vec![f64::NEG_INFINITY; self.plan.nodes.len() * tables.len()];
        let row = |id: usize| id * tables.len()..(id + 1) * tables.len();
        for id in self.graph.operators.iter().rev().copied() {
            let node = self.node(id);
            let own: Vec<f64> = left[row(id)]
                .iter()
                .map(|values| if *values == f64::NEG_INFINITY { f64::INFINITY } else { *values })
                .collect();
            if node.kind == Kind::Scan {
                shares[id] = self.share_of(id, |table| own[table]);
            }
            let joins_by = |table: &Partitioned| {
                let is_compared = |key: &Vec<String>| key.len() > 1 && key.contains(&table.column);
                node.kind == Kind::Join && node.keys.iter().any(is_compared)
            };
            for input in self.inputs[id].iter().copied() {
                let others = || self.inputs[id].iter().filter(|other| **other != input);
                for ((known, own), table) in left[row(input)].iter_mut().zip(&own).zip(tables) {
                    // Only of joins: a union may have thousands of inputs.
                    let values = if joins_by(table) {
                        others().map(|other| self.given(*other).max(1.0)).fold(*own, f64::min)
                    } else {
                        *own
                    };
                    // Another reader may need more.
                    *known = known.max(values);
                }
            }
        }
        shares
    }

    /// Share of its table that a scan reads if this many values of the partition column are needed.
    fn share_of(&self, scan: usize, values: impl Fn(usize) -> f64) -> f64 {
        let Some(source) = &self.node(scan).source else { return 1.0 };
        let Some(at) = self.engines.tables.iter().position(|table| table.name == source.table) else { return 1.0 };
        let table = &self.engines.tables[at];
        if !source.read().any(|column| column == table.column) {
            return 1.0;
        }
        let mut share = values(at) / table.parts;
        // Values are not equally frequent: a larger share of rows means a larger share of the table.
        let only_by_it = source.filters.is_empty() && source.limited_by == [table.column.as_str()];
        if share < 1.0 && only_by_it {
            share = share.max(self.given(scan) / self.numbers[scan].rows_in.value.max(1.0));
        }
        share.min(1.0)
    }

    /// Output rows of an operator in an engine that does not skip rows by the values of later joins.
    fn rows(&self, id: usize) -> f64 {
        let given = self.given(id);
        // A filter in between would remove its share of them.
        let Some(scan) = self.scan_below(id).filter(|_| self.node(id).kind != Kind::Filter) else { return given };
        let Some(source) = self.node(scan).source.as_deref().filter(|source| !source.limited_by.is_empty()) else {
            return given;
        };
        if source.limited_by.iter().any(|column| self.engines.is_partition(column)) {
            return given;
        }
        let all = self.numbers[scan].rows_in.value * self.share[scan];
        let passing = if source.filters.is_empty() { all } else { source.expected_rows.unwrap_or(given).min(all) };
        given.max(passing)
    }

    /// An operator whose result another one has computed before.
    fn repeated(&self, id: usize, done: &[Done<'a>], first: &Done<'a>) -> Done<'a> {
        let (longest, depth) = self.longest(id, done);
        Done { work: Work::default(), depth, longest, partition_keys: first.partition_keys }
    }

    /// The input with the longest path of exchanges.
    fn longest(&self, id: usize, done: &[Done<'a>]) -> (Option<usize>, f64) {
        let longest = self.inputs[id].iter().copied().max_by(|a, b| done[*a].depth.total_cmp(&done[*b].depth));
        (longest, longest.map_or(0.0, |input| done[input].depth))
    }

    fn count(&self, id: usize, done: &[Done<'a>], same: &mut Repeated<'a>) -> Done<'a> {
        let node = self.node(id);
        let (longest, depth) = self.longest(id, done);
        let mut work = Work { own_seconds: self.own_seconds(id), ..Work::default() };
        let kept = || self.inputs[id].first().map(|input| done[*input].partition_keys).unwrap_or_default();
        let mut partition_keys: &[Vec<String>] = &[];
        if self.has_exchanges {
            if matches!(node.kind, Kind::Shuffle | Kind::Gather) {
                work.exchanged_gb = self.numbers[id].bytes_out.value / GB;
                work.exchanges = 1.0;
            }
        } else {
            match node.kind {
                Kind::Join => partition_keys = self.join(id, done, &mut work),
                Kind::Aggregate => partition_keys = self.aggregate(id, done, &mut work),
                Kind::Window => {
                    work.exchanged_gb = self.given(id) * self.width(id) / GB;
                    work.exchanges = 1.0;
                    partition_keys = kept();
                }
                Kind::Sort => {
                    work.exchanges = 1.0;
                    partition_keys = kept();
                }
                Kind::Filter | Kind::Project | Kind::Limit => partition_keys = kept(),
                _ => {}
            }
        }
        if node.kind == Kind::Scan {
            self.scan(id, same, &mut work);
        }
        Done { work, depth: depth + work.exchanges, longest, partition_keys }
    }

    /// The operator's own work: the reported time and the usual cost of its kind, by the plan-time weight.
    fn own_seconds(&self, id: usize) -> f64 {
        const UNIT_OF_WORK: f64 = 1e8;
        let node = self.node(id);
        let usual = node.kind.usual_seconds_per_100mb() * self.numbers[id].bytes_in.value / UNIT_OF_WORK;
        let weight = self.engines.plan_time_weight;
        let seconds = match node.cpu_seconds.map(|seconds| seconds.value) {
            None => usual,
            Some(measured) if weight >= 1.0 || node.is_without_operator() => measured,
            Some(measured) => measured.powf(weight) * usual.powf(1.0 - weight),
        };
        seconds * self.share[id]
    }

    fn scan(&self, id: usize, same: &mut Repeated<'a>, work: &mut Work) {
        let rows = self.numbers[id].rows_in.value * self.share[id];
        let Some(source) = &self.node(id).source else {
            work.read_gb = self.numbers[id].bytes_in.value / GB;
            return;
        };
        let is_stored = |column: &&str| !self.engines.is_partition(column);
        let files = self.engines.partitioned(&source.table).map_or(0.0, |table| table.parts * self.share[id]);
        // Totals of the same rows are computed in one pass, column by column.
        if let Some(read) = same.totals(self, id) {
            let columns = source.read().filter(is_stored).filter(|column| read.insert(column)).count();
            let is_first = read.insert("");
            work.read_gb = rows * columns as f64 * FILTER_VALUE / GB;
            work.files = if is_first { files } else { 0.0 };
            return;
        }
        let columns = source.read().filter(is_stored).count() as f64;
        let width = if self.given(id) > 0.0 {
            let keys = source.columns.iter().filter(|column| self.engines.is_partition(column)).count() as f64;
            let filters =
                source.filter_columns.iter().filter(|column| !self.engines.is_partition(column)).count() as f64;
            (self.width(id) - keys * KEY).max(1.0) + filters * FILTER_VALUE
        } else {
            USUAL_VALUE * columns.max(1.0)
        };
        work.read_gb = rows * width / GB;
        work.files = files;
    }

    fn join(&self, id: usize, done: &[Done<'a>], work: &mut Work) -> &'a [Vec<String>] {
        let [left, right] = self.inputs[id][..] else { return &[] };
        let estimate = |input: usize| match self.scan_below(input) {
            Some(scan) => self.numbers[scan].rows_in.value * self.width(input) / GB,
            None if self.given(input) < FEW_ROWS => self.given(input) * self.width(input) / GB,
            None => f64::INFINITY,
        };
        let (of_left, of_right) = (estimate(left), estimate(right));
        let node = self.node(id);
        if of_left.min(of_right) <= self.engines.broadcast_gb || node.keys.is_empty() {
            return done[if of_left >= of_right { left } else { right }].partition_keys;
        }
        let names: BTreeSet<&String> = node.keys.iter().flatten().collect();
        for input in [left, right] {
            if !is_partitioned_by(done[input].partition_keys, &names) {
                work.exchanged_gb += self.rows(input) * self.width(input) / GB;
                work.exchanges = 1.0;
            }
        }
        &node.keys
    }

    fn aggregate(&self, id: usize, done: &[Done<'a>], work: &mut Work) -> &'a [Vec<String>] {
        let node = self.node(id);
        let names: BTreeSet<&String> = node.keys.iter().flatten().collect();
        let first = self.inputs[id].first();
        if let Some(input) = first.filter(|input| is_partitioned_by(done[**input].partition_keys, &names)) {
            return done[*input].partition_keys;
        }
        let rows: f64 = self.inputs[id].iter().map(|input| self.rows(*input)).sum::<f64>()
            * f64::from(node.grouping_sets.unwrap_or(1));
        let tasks = (rows / ROWS_OF_TASK).max(1.0);
        let groups = self.given(id).max(1.0);
        // Each task outputs the groups of its rows.
        let partial = (-tasks * groups * (-rows / tasks / groups).exp_m1()).min(rows);
        work.exchanged_gb = partial * self.width(id) / GB;
        work.exchanges = 1.0;
        &node.keys
    }
}

/// Whether rows with equal keys are on one machine: they are partitioned by a subset of these keys.
fn is_partitioned_by(by: &[Vec<String>], keys: &BTreeSet<&String>) -> bool {
    !by.is_empty() && by.iter().all(|key| key.iter().any(|name| keys.contains(name)))
}

/// The identity of an operator: its work, the share of its table, and its inputs.
type Identity<'a> = (Kind, Description<'a>, u64, Vec<usize>);

/// The work of an operator, to distinguish it from others of its kind.
#[derive(PartialEq, Eq, Hash)]
enum Description<'a> {
    /// The table that it reads, the columns and the conditions.
    Source(&'a str, &'a [String], &'a str),
    /// Its description and keys.
    Detail(&'a str, &'a [Vec<String>]),
}

/// Repeated parts of a plan.
struct Repeated<'a> {
    /// The first node with each identity.
    known: HashMap<Identity<'a>, usize>,
    /// The first node with the identity of each node, by node.
    first: Vec<usize>,
    /// Columns that were read for totals of the same rows: of a table with the same conditions.
    read: BTreeMap<(&'a str, &'a str), BTreeSet<&'a str>>,
}

impl<'a> Repeated<'a> {
    fn new(nodes: usize) -> Self {
        Self { known: HashMap::with_capacity(nodes), first: (0..nodes).collect(), read: BTreeMap::new() }
    }

    /// The node before an operator that does the same with the same data.
    fn first(&mut self, plan: &Reading<'a>, id: usize) -> Option<usize> {
        let node = plan.node(id);
        // Other sources have no facts that distinguish them.
        if node.source.is_none() && plan.inputs[id].is_empty() {
            return None;
        }
        let what = match &node.source {
            Some(source) => Description::Source(&source.table, &source.columns, &source.filters),
            None => Description::Detail(&node.detail, &node.keys),
        };
        let below = plan.inputs[id].iter().map(|input| self.first[*input]).collect();
        let first = *self.known.entry((node.kind, what, plan.share[id].to_bits(), below)).or_insert(id);
        self.first[id] = first;
        (first != id).then_some(first)
    }

    /// The columns that a scan reads for totals only, if so.
    fn totals(&mut self, plan: &Reading<'a>, scan: usize) -> Option<&mut BTreeSet<&'a str>> {
        let mut at = scan;
        let total = loop {
            match plan.readers[at][..] {
                [only] if plan.node(only).kind == Kind::Project => at = only,
                [only] => break plan.node(only),
                _ => return None,
            }
        };
        let is_total = total.kind == Kind::Aggregate && total.keys.is_empty();
        let source = plan.node(scan).source.as_deref().filter(|_| is_total)?;
        Some(self.read.entry((&source.table, &source.filters)).or_default())
    }
}
