//! The plan of the same query over larger or smaller tables.
//!
//! Every source grows to the given size of its table, and the operators after it grow with their input:
//!
//! - the share of rows that pass a filter or a join stays
//! - a join grows as that of its inputs that grows most; one without equal keys, and its work, as the product of both
//! - groups: rows fall into equally likely cells (their number follows from the counted groups), and the cells grow with the
//!   tables of their keys; a key that a join compares has no more values than the smallest of the joined tables
//! - limits and aggregates without groups stay
//! - CPU time grows with the rows read
//!
//! Every number that grew is marked as estimated.

use std::collections::BTreeMap;

use super::amount::{Amount, LARGEST, Origin, Rule};
use super::graph::{order, sources};
use super::{Kind, Node, Numbers, Plan, Volumes, fill};

/// Target rows of each table, by its name.
pub type TableSizes = BTreeMap<String, f64>;

/// A plan over tables of other sizes.
#[derive(Debug, Clone, PartialEq)]
pub struct Grown {
    /// The plan.
    pub plan: Plan,
    /// Tables that keep their size: they have no target size, or the run read some of their partitions and does not say how many
    /// there are.
    pub unchanged: Vec<String>,
}

/// The plan with every table at its target size.
#[must_use]
pub fn grow(plan: &Plan, sizes: &TableSizes) -> Grown {
    let numbers = fill(plan);
    let order = order(plan, 0..plan.nodes.len()).unwrap_or_default();
    let tables = Tables::new(plan, &numbers, sizes);
    let mut grown: Vec<Option<Growth>> = vec![None; plan.nodes.len()];
    for id in order {
        let inputs: Vec<Input> = sources(&plan.nodes[id])
            .filter_map(|input| Some(Input { growth: grown[input]?, rows: numbers[input].rows_out.value }))
            .collect();
        grown[id] = Some(growth(&plan.nodes[id], numbers[id], &inputs, &tables));
    }
    let nodes = plan.nodes.iter().zip(&numbers).zip(&grown);
    let nodes =
        nodes.map(|((node, numbers), growth)| growth.map_or(node.clone(), |growth| apply(node, *numbers, growth)));
    let grown = without_run(plan, nodes.collect());
    Grown { plan: grown, unchanged: tables.unchanged }
}

/// The plan with all rows, bytes and times multiplied, and what the query moves.
#[must_use]
pub fn scale(plan: &Plan, factor: f64) -> Plan {
    let numbers = fill(plan);
    let nodes = plan.nodes.iter().zip(&numbers).map(|(node, numbers)| {
        let rows_out = (numbers.rows_out.value * factor).min(LARGEST);
        let rows_in = (numbers.rows_in.value * factor).min(LARGEST);
        apply(node, *numbers, Growth { rows_in, rows_out, factor, work: factor })
    });
    let volumes = Volumes::reported(plan).map(|volumes| volumes.times(factor));
    Plan { volumes, ..without_run(plan, nodes.collect()) }
}

/// The plan with other nodes, and without what was measured of its run. A plan that cannot be judged stays one.
fn without_run(plan: &Plan, nodes: Vec<Node>) -> Plan {
    let balances = plan.balances.iter().filter(|balance| !balance.is_judged()).cloned().collect();
    Plan { nodes, duration_seconds: None, stages: Vec::new(), balances, volumes: None, ..plan.clone() }
}

/// Input and output of a node after its tables have grown.
#[derive(Debug, Clone, Copy)]
struct Growth {
    rows_in: f64,
    rows_out: f64,
    /// Growth of the output rows; without rows, their growth if there were any.
    factor: f64,
    /// Growth of the work.
    work: f64,
}

/// Input of a node from another one.
#[derive(Debug, Clone, Copy)]
struct Input {
    growth: Growth,
    /// Rows before.
    rows: f64,
}

/// Facts about the tables of a plan.
struct Tables {
    /// Rows before, by table.
    now: BTreeMap<String, f64>,
    /// Rows after ÷ rows before, by table.
    growth: BTreeMap<String, f64>,
    /// The table that a column belongs to.
    owner: BTreeMap<String, String>,
    /// The smallest table among those whose columns a join compares with a column: it has all its values.
    domain: BTreeMap<String, String>,
    unchanged: Vec<String>,
}

impl Tables {
    fn new(plan: &Plan, numbers: &[Numbers], sizes: &TableSizes) -> Self {
        /// Counts without the parts that the engine skipped may be too small by this factor.
        const SKIPPED_AT_MOST: f64 = 2.0;
        let mut now: BTreeMap<String, f64> = BTreeMap::new();
        let mut skips: BTreeMap<String, bool> = BTreeMap::new();
        let mut parts: BTreeMap<&str, bool> = BTreeMap::new();
        let mut owner = BTreeMap::new();
        for (node, numbers) in plan.nodes.iter().zip(numbers) {
            let Some(source) = &node.source else { continue };
            let rows = now.entry(source.table.clone()).or_insert(1.0);
            *rows = rows.max(numbers.rows_in.value).max(source.table_rows.unwrap_or(0.0));
            let is_counted = source.table_rows.is_none() && !numbers.rows_out.is_estimated();
            let partly = is_counted && !(source.filters.is_empty() && source.limited_by.is_empty());
            let skips = skips.entry(source.table.clone()).or_insert(true);
            *skips = *skips && partly;
            let is_part = parts.entry(&source.table).or_insert(true);
            *is_part = *is_part && reads_part(node, *numbers);
            for column in source.read() {
                owner.entry(column.to_owned()).or_insert_with(|| source.table.clone());
            }
        }
        let size_of = |table: &String| sizes.get(table).copied().filter(|_| parts.get(table.as_str()) != Some(&true));
        let growth = now.iter().map(|(table, rows)| {
            let growth = size_of(table).map_or(1.0, |size| size / rows);
            let is_skip = skips.get(table) == Some(&true) && growth > 1.0 && growth < SKIPPED_AT_MOST;
            (table.clone(), if is_skip { 1.0 } else { growth })
        });
        let growth: BTreeMap<String, f64> = growth.collect();
        let size = |table: &String| sizes.get(table).copied().unwrap_or(f64::INFINITY);
        let mut domain: BTreeMap<String, String> = BTreeMap::new();
        for key in plan.nodes.iter().filter(|node| node.kind == Kind::Join).flat_map(|node| &node.keys) {
            let owners = key.iter().filter_map(|column| owner.get(column));
            let Some(smallest) = owners.min_by(|a, b| size(a).total_cmp(&size(b))) else { continue };
            for column in key {
                let known = domain.entry(column.clone()).or_insert_with(|| smallest.clone());
                if size(smallest) < size(known) {
                    known.clone_from(smallest);
                }
            }
        }
        let unchanged = now.keys().filter(|table| size_of(table).is_none()).cloned().collect();
        Self { now, growth, owner, domain, unchanged }
    }

    /// How the number of combinations of these columns' values grows: of the tables that they come from, rows before
    /// and growth, each multiplied. `None` if no table is known.
    fn of_keys(&self, keys: &[Vec<String>]) -> Option<(f64, f64)> {
        let tables = keys.iter().flatten().filter_map(|column| self.domain.get(column).or(self.owner.get(column)));
        let mut tables: Vec<&String> = tables.collect();
        tables.sort_unstable();
        tables.dedup();
        let product = |of: &BTreeMap<String, f64>| tables.iter().filter_map(|table| of.get(*table)).product::<f64>();
        (!tables.is_empty()).then(|| (product(&self.now), product(&self.growth)))
    }
}

/// Whether a scan read some partitions of a table, and how many rows the others have is not known.
fn reads_part(node: &Node, numbers: Numbers) -> bool {
    let is_pruned = |source: &super::Source| source.table_rows.is_none() && !source.partition_filters.is_empty();
    !numbers.rows_out.is_estimated() && node.source.as_deref().is_some_and(is_pruned)
}

fn growth(node: &Node, numbers: Numbers, inputs: &[Input], tables: &Tables) -> Growth {
    let given = numbers.rows_out.value;
    if let Some(source) = &node.source {
        return of_scan(node, numbers, source.table.as_str(), tables);
    }
    let rows_in = inputs.iter().map(|input| input.growth.rows_out).sum::<f64>().min(LARGEST);
    let largest = inputs.iter().map(|input| input.growth.factor).fold(0.0, f64::max);
    let rows: f64 = inputs.iter().map(|input| input.rows).sum();
    let factor = match node.kind {
        _ if inputs.is_empty() => 1.0,
        // Every pair is compared, or may be.
        Kind::Join if node.keys.is_empty() => inputs.iter().map(|input| input.growth.factor).product(),
        Kind::Join => largest,
        Kind::Aggregate if node.keys.is_empty() => 1.0,
        Kind::Aggregate => of_groups(node, given, rows, rows_in, largest, tables),
        Kind::Limit => 1.0,
        // The first rows in some order.
        Kind::Sort if given < rows => 1.0,
        _ if rows > 0.0 => rows_in / rows,
        _ => largest,
    };
    // Limited to the largest number of a plan.
    let factor = factor.min(LARGEST);
    let rows_out = (given * factor).min(LARGEST);
    let rows_in = if inputs.is_empty() { numbers.rows_in.value } else { rows_in };
    let pairs = node.kind == Kind::Join && node.keys.is_empty();
    Growth { rows_in, rows_out, factor, work: if pairs { factor } else { ratio(rows_in, numbers.rows_in.value) } }
}

fn of_scan(node: &Node, numbers: Numbers, table: &str, tables: &Tables) -> Growth {
    let (read, given) = (numbers.rows_in.value, numbers.rows_out.value);
    let (now, growth) =
        (tables.now.get(table).copied().unwrap_or(read), tables.growth.get(table).copied().unwrap_or(1.0));
    if reads_part(node, numbers) {
        // The same share of the partitions.
        let rows = |rows: f64| (rows * growth).min(LARGEST);
        return Growth { rows_in: rows(read), rows_out: rows(given), factor: growth, work: growth };
    }
    let source = node.source.as_deref();
    let is_plain = source.is_some_and(|source| source.filters.is_empty() && source.limited_by.is_empty());
    // A scan without conditions that read less than the table was stopped by its reader.
    let stopped = is_plain && given >= read && read > 0.0 && read < now;
    let rows_in = (now * growth).min(LARGEST);
    let factor = if stopped { growth * now / read } else { growth };
    Growth {
        rows_in,
        rows_out: (given * factor).min(rows_in),
        factor,
        work: if read > 0.0 { rows_in / read } else { growth },
    }
}

/// Growth of the groups.
fn of_groups(node: &Node, groups: f64, rows: f64, rows_after: f64, largest: f64, tables: &Tables) -> f64 {
    let sets = f64::from(node.grouping_sets.unwrap_or(1));
    let rows = rows.max(1.0);
    let groups = (groups.max(1.0) / sets).min(rows);
    let cells = cells(rows, groups);
    let (size, growth) = tables.of_keys(&node.keys).unwrap_or((rows, largest));
    // Keys that take few values of their tables gain few when these grow.
    let power = (cells.max(1.0).ln() / size.max(2.0).ln()).clamp(0.0, 1.0);
    // No more than the combinations of the tables' values.
    let most = (size * growth).max(groups);
    let after = occupied(cells * growth.max(0.0).powf(power), rows_after.max(1.0)).min(most);
    after / groups
}

/// How many of equally likely cells some rows occupy.
fn occupied(cells: f64, rows: f64) -> f64 {
    if cells > 1e15 { rows } else { (-cells * (-rows / cells).exp_m1()).min(rows) }
}

/// Of how many equally likely cells some rows occupy as many as these.
fn cells(rows: f64, groups: f64) -> f64 {
    /// All rows differ: unlimited cells.
    const MOST: f64 = 1e18;
    if groups >= rows * 0.9999 {
        return MOST;
    }
    let (mut low, mut high) = (groups, MOST);
    for _ in 0..120 {
        let middle = (low * high).sqrt();
        if occupied(middle, rows) < groups { low = middle } else { high = middle }
    }
    low
}

/// A node with the rows that it has after growing.
fn apply(node: &Node, numbers: Numbers, growth: Growth) -> Node {
    let estimated = |value: f64| Some(Amount::estimated(value.min(LARGEST), Rule::Grown));
    let of_input = ratio(growth.rows_in, numbers.rows_in.value);
    // How much a table grows whose rows are only assumed is not known, nor are the bytes of its files then.
    let has_rows = numbers.rows_in.origin != Origin::Estimated(Rule::UsualRows);
    let of_files = |bytes: f64| has_rows.then_some((bytes * of_input).min(LARGEST));
    let expected = |source: &super::Source| {
        let grown = source.expected_rows.map(|rows| (rows * growth.factor).min(growth.rows_in));
        super::Source {
            table_rows: Some(growth.rows_in).filter(|_| !reads_part(node, numbers)),
            expected_rows: grown,
            file_bytes: source.file_bytes.and_then(of_files),
            read_bytes: source.read_bytes.and_then(of_files),
            ..source.clone()
        }
    };
    Node {
        rows_in: estimated(growth.rows_in),
        rows_out: estimated(growth.rows_out),
        bytes_in: estimated(numbers.bytes_in.value * of_input),
        bytes_out: estimated(growth.rows_out * numbers.row_width.value),
        row_width: Some(numbers.row_width),
        wire_bytes: node.wire_bytes.and_then(|wire| estimated(wire.value * growth.factor)),
        cpu_seconds: node.cpu_seconds.and_then(|seconds| estimated(seconds.value * growth.work)),
        source: node.source.as_deref().map(|source| Box::new(expected(source))),
        time: None,
        metrics: Vec::new(),
        ..node.clone()
    }
}

/// Ratio of two counts; from 0 it is the new count, at least 1.
fn ratio(after: f64, before: f64) -> f64 {
    if before > 0.0 { after / before } else { after.max(1.0) }
}

#[cfg(test)]
mod tests {
    use super::super::node::Source;
    use super::*;

    #[test]
    fn cells_are_found_again_from_what_rows_occupy() {
        for (rows, wanted) in [(1e4, 1e3), (1e5, 3e5), (50.0, 20.0)] {
            let found = cells(rows, occupied(wanted, rows));
            assert!((found / wanted - 1.0).abs() < 1e-6, "{found} instead of {wanted}");
        }
        assert!(cells(10.0, 10.0) > 1e17);
    }

    #[test]
    fn files_grow_with_a_table_whose_rows_are_known() {
        let bytes_of = |rows: Option<f64>| {
            let source =
                Source { table: "sales".to_owned(), table_rows: rows, file_bytes: Some(5e9), ..Source::default() };
            let scan = Node {
                rows_in: rows.map(|rows| Amount::estimated(rows, Rule::Planner)),
                source: Some(Box::new(source)),
                ..Node::new("Scan parquet", Kind::Scan)
            };
            let plan = Plan { engine: "Spark 3.5.3".to_owned(), nodes: vec![scan], ..Plan::default() };
            let grown = grow(&plan, &TableSizes::from([("sales".to_owned(), 4e8)])).plan;
            grown.nodes[0].source.as_ref().and_then(|source| source.file_bytes)
        };
        // Four times the rows; a million rows, of a plan that has none, are no measure.
        assert_eq!(bytes_of(Some(1e8)), Some(2e10));
        assert_eq!(bytes_of(None), None);
    }
}
