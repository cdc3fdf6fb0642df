//! What a plan makes an engine do: its own work, what it reads, how many files it opens, what it exchanges.
//!
//! A plan of an engine that runs on one machine has no exchanges. They are put where Spark and RAPIDS put them: both sides
//! of a join whose smaller side is too large to be copied, the partial groups of an aggregate, the rows of a window; and
//! none where rows lie already as they have to. What a plan reads or works out twice in the same way is done once.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::profile::{Engines, Partitioned};
use crossover_query::{Graph, Kind, Node, Numbers, Plan};

/// Bytes of a gigabyte.
const GB: f64 = 1e9;
/// Bytes of a value of which nothing is known: half of DuckDB's columns have 4, the others 8.
const USUAL_VALUE: f64 = 6.0;
/// Bytes of a value that is read to leave out rows.
const FILTER_VALUE: f64 = 4.0;
/// Bytes of a key: what a column weighs that stands in the names of files.
const KEY: f64 = 8.0;
/// Rows that one task groups before an exchange.
const ROWS_OF_TASK: f64 = 5e6;
/// An input with fewer rows is copied to every machine whatever the plan says of its size.
const FEW_ROWS: f64 = 1000.0;

/// What one operator makes an engine do, over all machines.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Work {
    /// Its own work, in seconds of one core of the plan's engine.
    pub own_seconds: f64,
    /// Data that it reads from storage, as it lies in memory, GB.
    pub read_gb: f64,
    /// Files that it opens.
    pub files: f64,
    /// Data that it exchanges, GB.
    pub exchanged_gb: f64,
    /// Exchanges that it adds to the longest path of the plan.
    pub exchanges: f64,
}

/// What a plan makes an engine do.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct WorkOf {
    /// By place in [`Graph::operators`].
    pub operators: Vec<Work>,
    /// Whether exchanges were put where an engine of several machines has them: the plan has none.
    pub implied_exchanges: bool,
}

impl WorkOf {
    /// What a plan makes an engine do.
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
    /// What part of its table each scan reads, by node.
    share: Vec<f64>,
    has_exchanges: bool,
}

/// What is known of an operator whose work was counted.
#[derive(Clone, Copy, Default)]
struct Done<'a> {
    work: Work,
    /// Exchanges on the longest path up to it.
    depth: f64,
    /// The input that has the longest path.
    longest: Option<usize>,
    /// The keys by whose values its rows lie on machines, each with all its names; empty: not by any.
    lies_by: &'a [Vec<String>],
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
        let mut same = Same::new(self.plan.nodes.len());
        for id in self.graph.operators.iter().copied() {
            // A plan with exchanges says itself what it uses again.
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
        WorkOf { operators: operators.collect(), implied_exchanges: !self.has_exchanges }
    }

    fn node(&self, id: usize) -> &'a Node {
        &self.plan.nodes[id]
    }

    /// Bytes of a row that an operator gives.
    fn width(&self, id: usize) -> f64 {
        self.numbers[id].row_width.value.max(FILTER_VALUE)
    }

    fn given(&self, id: usize) -> f64 {
        self.numbers[id].rows_out.value
    }

    /// The scan whose rows come to an operator one by one, if they come from one.
    fn scan_below(&self, mut id: usize) -> Option<usize> {
        loop {
            match (self.node(id).kind, self.inputs[id].as_slice()) {
                (Kind::Scan, _) => return Some(id),
                (Kind::Filter | Kind::Project, [only]) => id = *only,
                _ => return None,
            }
        }
    }

    /// What part of its table every scan reads, by node: that of the values which joins with few rows leave of the column
    /// by which the table is stored.
    fn shares(&self) -> Vec<f64> {
        let tables = &self.engines.tables;
        let mut shares = vec![1.0; self.plan.nodes.len()];
        if tables.is_empty() {
            return shares;
        }
        // Values of each table's column that all readers above leave, by node and table; minus infinity: none has been seen.
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

    /// What part of its table a scan reads, of whose column so many values are needed.
    fn share_of(&self, scan: usize, values: impl Fn(usize) -> f64) -> f64 {
        let Some(source) = &self.node(scan).source else { return 1.0 };
        let Some(at) = self.engines.tables.iter().position(|table| table.name == source.table) else { return 1.0 };
        let table = &self.engines.tables[at];
        if !source.read().any(|column| column == table.column) {
            return 1.0;
        }
        let mut share = values(at) / table.parts;
        // Values are not equally frequent: more rows than that tell of more.
        let only_by_it = source.filters.is_empty() && source.limited_by == [table.column.as_str()];
        if share < 1.0 && only_by_it {
            share = share.max(self.given(scan) / self.numbers[scan].rows_in.value.max(1.0));
        }
        share.min(1.0)
    }

    /// Rows that an operator gives to an engine which does not learn from joins what to leave out of a scan.
    fn rows(&self, id: usize) -> f64 {
        let given = self.given(id);
        // A filter between would leave out its share of them.
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

    /// An operator that was worked out before, by another one.
    fn repeated(&self, id: usize, done: &[Done<'a>], first: &Done<'a>) -> Done<'a> {
        let (longest, depth) = self.longest(id, done);
        Done { work: Work::default(), depth, longest, lies_by: first.lies_by }
    }

    /// The input with the most exchanges in a row.
    fn longest(&self, id: usize, done: &[Done<'a>]) -> (Option<usize>, f64) {
        let longest = self.inputs[id].iter().copied().max_by(|a, b| done[*a].depth.total_cmp(&done[*b].depth));
        (longest, longest.map_or(0.0, |input| done[input].depth))
    }

    fn count(&self, id: usize, done: &[Done<'a>], same: &mut Same<'a>) -> Done<'a> {
        let node = self.node(id);
        let (longest, depth) = self.longest(id, done);
        let mut work = Work { own_seconds: self.own_seconds(id), ..Work::default() };
        let kept = || self.inputs[id].first().map(|input| done[*input].lies_by).unwrap_or_default();
        let mut lies_by: &[Vec<String>] = &[];
        if self.has_exchanges {
            if matches!(node.kind, Kind::Shuffle | Kind::Gather) {
                work.exchanged_gb = self.numbers[id].bytes_out.value / GB;
                work.exchanges = 1.0;
            }
        } else {
            match node.kind {
                Kind::Join => lies_by = self.join(id, done, &mut work),
                Kind::Aggregate => lies_by = self.aggregate(id, done, &mut work),
                Kind::Window => {
                    work.exchanged_gb = self.given(id) * self.width(id) / GB;
                    work.exchanges = 1.0;
                    lies_by = kept();
                }
                Kind::Sort => {
                    work.exchanges = 1.0;
                    lies_by = kept();
                }
                Kind::Filter | Kind::Project | Kind::Limit => lies_by = kept(),
                _ => {}
            }
        }
        if node.kind == Kind::Scan {
            self.scan(id, same, &mut work);
        }
        Done { work, depth: depth + work.exchanges, longest, lies_by }
    }

    /// The operator's own work: as reported, as far as the profile trusts that, and by what its kind usually costs.
    fn own_seconds(&self, id: usize) -> f64 {
        const UNIT_OF_WORK: f64 = 1e8;
        let node = self.node(id);
        let usual = node.kind.usual_seconds_per_100mb() * self.numbers[id].bytes_in.value / UNIT_OF_WORK;
        let weight = self.engines.plan_time_weight;
        let seconds = match node.cpu_seconds.map(|seconds| seconds.value) {
            None => usual,
            Some(measured) if weight >= 1.0 => measured,
            Some(measured) => measured.powf(weight) * usual.powf(1.0 - weight),
        };
        seconds * self.share[id]
    }

    fn scan(&self, id: usize, same: &mut Same<'a>, work: &mut Work) {
        let rows = self.numbers[id].rows_in.value * self.share[id];
        let Some(source) = &self.node(id).source else {
            work.read_gb = self.numbers[id].bytes_in.value / GB;
            return;
        };
        let is_stored = |column: &&str| !self.engines.is_partition(column);
        let files = self.engines.partitioned(&source.table).map_or(0.0, |table| table.parts * self.share[id]);
        // Totals of the same rows are taken in one pass, column by column.
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
            return done[if of_left >= of_right { left } else { right }].lies_by;
        }
        let names: BTreeSet<&String> = node.keys.iter().flatten().collect();
        for input in [left, right] {
            if !lies(done[input].lies_by, &names) {
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
        if let Some(input) = first.filter(|input| lies(done[**input].lies_by, &names)) {
            return done[*input].lies_by;
        }
        let rows: f64 = self.inputs[id].iter().map(|input| self.rows(*input)).sum::<f64>()
            * f64::from(node.grouping_sets.unwrap_or(1));
        let tasks = (rows / ROWS_OF_TASK).max(1.0);
        let groups = self.given(id).max(1.0);
        // Each task gives the groups that its rows fall into.
        let partial = (-tasks * groups * (-rows / tasks / groups).exp_m1()).min(rows);
        work.exchanged_gb = partial * self.width(id) / GB;
        work.exchanges = 1.0;
        &node.keys
    }
}

/// Whether rows with the same values of some keys lie on one machine: they lie by fewer keys of these.
fn lies(by: &[Vec<String>], keys: &BTreeSet<&String>) -> bool {
    !by.is_empty() && by.iter().all(|key| key.iter().any(|name| keys.contains(name)))
}

/// What an operator does, with what part of its table, over which nodes.
type Way<'a> = (Kind, What<'a>, u64, Vec<usize>);

/// What tells an operator from others of its kind.
#[derive(PartialEq, Eq, Hash)]
enum What<'a> {
    /// The table that it reads, the columns and the conditions.
    Source(&'a str, &'a [String], &'a str),
    /// Its words and keys.
    Words(&'a str, &'a [Vec<String>]),
}

/// What a plan has twice.
struct Same<'a> {
    /// The first node that works something out in a way.
    known: HashMap<Way<'a>, usize>,
    /// The first node that does what each node does, by node.
    first: Vec<usize>,
    /// Columns that were read for totals of the same rows: of a table with the same conditions.
    read: BTreeMap<(&'a str, &'a str), BTreeSet<&'a str>>,
}

impl<'a> Same<'a> {
    fn new(nodes: usize) -> Self {
        Self { known: HashMap::with_capacity(nodes), first: (0..nodes).collect(), read: BTreeMap::new() }
    }

    /// The node before an operator that does the same with the same data.
    fn first(&mut self, plan: &Reading<'a>, id: usize) -> Option<usize> {
        let node = plan.node(id);
        // What is known of other sources does not tell them apart.
        if node.source.is_none() && plan.inputs[id].is_empty() {
            return None;
        }
        let what = match &node.source {
            Some(source) => What::Source(&source.table, &source.columns, &source.filters),
            None => What::Words(&node.detail, &node.keys),
        };
        let below = plan.inputs[id].iter().map(|input| self.first[*input]).collect();
        let first = *self.known.entry((node.kind, what, plan.share[id].to_bits(), below)).or_insert(id);
        self.first[id] = first;
        (first != id).then_some(first)
    }

    /// The columns that were read of the rows of a scan, if they only go into totals.
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
