//! From a logical plan to operators of a cluster: what is done on every machine, and where rows move between them.
//! The rules are those of [the crate](crate).

mod join;
mod recursion;
mod text;
mod tree;

use crossover_quantity::unit::Unit;
use crossover_query::{Amount, CpuOnly, Kind, Node, Rule};
use datafusion_common::{DFSchema, ScalarValue};
use datafusion_expr::logical_plan::{
    Aggregate, EmptyRelation, FetchType, Filter, Join, Limit, Projection, Repartition, SkipType, Sort, TableScan,
    Union, Unnest, Values, Window,
};
use datafusion_expr::utils::{conjunction, split_conjunction};
use datafusion_expr::{Expr, GroupingSet, LogicalPlan, Partitioning};
use datafusion_sql::sqlparser::tokenizer::Location;

use self::recursion::{Known, recursion};
use self::text::{list, text};
use self::tree::{Tree, at_most, node, within};
use super::planner::{Catalog, MATCHED, READS, SAMPLED, key};
use super::problem::Problem;
use super::width;

/// The operators of a plan, each before its inputs, and the rows that it gives.
pub(super) fn nodes(plan: &LogicalPlan, catalog: &Catalog) -> Result<(Vec<Node>, Amount), Problem> {
    let tree = tree(plan, Known::of(catalog))?;
    let rows = tree.numbers.rows_out;
    Ok((tree.nodes(), rows))
}

fn tree(plan: &LogicalPlan, known: Known<'_>) -> Result<Tree, Problem> {
    match plan {
        LogicalPlan::TableScan(plan) => scan(plan, known),
        LogicalPlan::Values(Values { schema, values }) => Ok(rows("Values", values.len(), schema)),
        LogicalPlan::EmptyRelation(EmptyRelation { produce_one_row, schema }) => {
            Ok(rows("Empty relation", usize::from(*produce_one_row), schema))
        }
        LogicalPlan::Filter(plan) => Ok(filter(plan, tree(&plan.input, known)?)),
        LogicalPlan::Projection(plan) => Ok(project(plan, tree(&plan.input, known)?)),
        LogicalPlan::Join(plan) => match join::generated(plan, known.catalog) {
            Some(generated) => Ok(generate(plan, &generated, tree(&plan.left, known)?)),
            None => Ok(join::tree(plan, tree(&plan.left, known)?, tree(&plan.right, known)?)),
        },
        LogicalPlan::Aggregate(plan) => Ok(aggregate(plan, tree(&plan.input, known)?)),
        LogicalPlan::Sort(plan) => Ok(sort(plan, tree(&plan.input, known)?)),
        LogicalPlan::Limit(plan) => limit(plan, tree(&plan.input, known)?),
        LogicalPlan::Window(plan) => Ok(window(plan, tree(&plan.input, known)?)),
        LogicalPlan::Union(Union { inputs, schema }) => {
            let inputs: Result<Vec<Tree>, Problem> = inputs.iter().map(|input| tree(input, known)).collect();
            Ok(Tree::over(node("Union", Kind::Union, "UnionExec", String::new(), schema), inputs?))
        }
        LogicalPlan::Unnest(Unnest { input, exec_columns, schema, .. }) => {
            let columns = exec_columns.iter().map(|column| column.name.clone()).collect::<Vec<_>>().join(", ");
            Ok(Tree::over(node("Unnest", Kind::Expand, "GenerateExec", columns, schema), vec![tree(input, known)?]))
        }
        LogicalPlan::Repartition(Repartition { input, partitioning_scheme }) => {
            let keys = match partitioning_scheme {
                Partitioning::Hash(keys, _) | Partitioning::DistributeBy(keys) => list(keys),
                _ => String::new(),
            };
            Ok(tree(input, known)?.shuffled(keys))
        }
        LogicalPlan::RecursiveQuery(plan) => recursion(plan, known),
        // A name, no work.
        LogicalPlan::SubqueryAlias(plan) => tree(&plan.input, known),
        other => Err(unsupported(&other.display().to_string())),
    }
}

/// Reads the columns that are needed of a table.
fn scan(scan: &TableScan, known: Known<'_>) -> Result<Tree, Problem> {
    let name = key(&scan.table_name);
    if let Some(rows) = known.work_table(&name, &scan.projected_schema) {
        return Ok(rows);
    }
    let catalog = known.catalog;
    if let Some(generated) = catalog.generated.get(&name) {
        let values = node("Values", Kind::Values, "", generated.text.clone(), &scan.projected_schema);
        let rows_out = generated.rows.map(|rows| Amount::derived(within(rows), Rule::StatedSize));
        let class = rows_out.map(|_| "RangeExec".to_owned());
        return Ok(Tree::over(Node { rows_out, class, ..values }, Vec::new()).on_one_machine());
    }
    let table = catalog.tables.get(&name).ok_or_else(|| unsupported(&format!("reading {name}")))?;
    let columns = scan.projected_schema.fields().iter().map(|field| field.name().as_str()).collect::<Vec<_>>();
    let detail = if columns.is_empty() { name } else { format!("{name}: {}", columns.join(", ")) };
    let read = scan.fetch.map_or(table.rows, |fetch| at_most(table.rows, fetch as f64));
    Ok(Tree::over(
        Node {
            detail,
            rows_out: Some(read),
            row_width: Some(width::of_row(&scan.projected_schema)),
            ..Node::new("Scan", Kind::Scan)
        },
        Vec::new(),
    ))
}

/// Rows in the statement itself.
fn rows(name: &str, count: usize, schema: &DFSchema) -> Tree {
    let values = node(name, Kind::Values, "LocalTableScanExec", String::new(), schema);
    let rows_out = Some(Amount::derived(count as f64, Rule::StatedSize));
    Tree::over(Node { rows_out, ..values }, Vec::new()).on_one_machine()
}

/// Makes rows of every row of its input.
fn generate(join: &Join, generated: &join::Generates<'_>, input: Tree) -> Tree {
    let expand = node("Generate", Kind::Expand, "GenerateExec", generated.text.to_owned(), &join.schema);
    let read = input.numbers.rows_out;
    let rows_out = generated.rows.map(|rows| read.follow(within(read.value * rows), Rule::EveryPair));
    let class = if generated.cpu_only.is_some() { None } else { expand.class.clone() };
    let expanded = Tree::over(Node { rows_out, class, cpu_only: generated.cpu_only, ..expand }, vec![input]);
    let Some(condition) = conjunction(generated.conditions.iter().map(|condition| (*condition).clone())) else {
        return expanded;
    };
    Tree::over(node("Filter", Kind::Filter, "FilterExec", text(&condition), &join.schema), vec![expanded])
}

fn filter(filter: &Filter, input: Tree) -> Tree {
    let parts = split_conjunction(&filter.predicate);
    let (samples, conditions): (Vec<&Expr>, Vec<&Expr>) =
        parts.iter().copied().filter(|part| !is_call(part, READS)).partition(|part| is_call(part, SAMPLED));
    let rows = input.numbers.rows_out;
    let input = match samples.iter().filter_map(|sample| share(sample)).reduce(|all, share| all * share) {
        None => input,
        Some(share) => {
            let detail = format!("{} of the rows", Unit::Share.format(share));
            let sample = node("Sample", Kind::Filter, "SampleExec", detail, filter.input.schema());
            let rows_out = Some(rows.follow(within(rows.value * share), Rule::StatedSize));
            Tree::over(Node { rows_out, ..sample }, vec![input])
        }
    };
    let detail = if conditions.iter().any(|part| is_match(part)) {
        let text = |part: &&Expr| if is_match(part) { "rows of a match".to_owned() } else { text(part) };
        conditions.iter().map(text).collect::<Vec<_>>().join(" AND ")
    } else if conditions.len() == parts.len() {
        text(&filter.predicate)
    } else {
        match conjunction(conditions.iter().map(|condition| (*condition).clone())) {
            Some(rest) => text(&rest),
            None => return input,
        }
    };
    let mut keep = node("Filter", Kind::Filter, "FilterExec", detail, filter.input.schema());
    // Few values are NULL: such a condition alone drops nothing worth counting.
    if conditions.iter().all(|part| matches!(part, Expr::IsNotNull(_))) {
        let rows = input.numbers.rows_out.value;
        keep.rows_out = Some(Amount::estimated(rows, Rule::SameAsInput));
    }
    Tree::over(keep, vec![input])
}

/// Whether an expression is a call of this function.
fn is_call(expression: &Expr, name: &str) -> bool {
    matches!(expression, Expr::ScalarFunction(call) if call.func.name() == name)
}

/// Whether a condition is that a row belongs to a match of a pattern.
fn is_match(expression: &Expr) -> bool {
    matches!(expression, Expr::Column(column) if column.name.starts_with(MATCHED))
}

/// The share of the rows that a sample takes, from 0 to 1.
fn share(sample: &Expr) -> Option<f64> {
    let Expr::ScalarFunction(call) = sample else { return None };
    let Some(Expr::Literal(ScalarValue::Float64(share), _)) = call.args.first() else { return None };
    share.filter(|share| (0.0..=1.0).contains(share))
}

/// Computes columns. Where it only gives all columns other names or places there is no work.
fn project(projection: &Projection, input: Tree) -> Tree {
    let is_column = |expression: &Expr| matches!(expression.clone().unalias(), Expr::Column(_));
    let keeps_all = projection.expr.len() == projection.input.schema().fields().len();
    if keeps_all && projection.expr.iter().all(is_column) {
        return input;
    }
    let detail = list(&projection.expr);
    Tree::over(node("Project", Kind::Project, "ProjectExec", detail, &projection.schema), vec![input])
}

/// Groups on every machine, moves the groups to the machine of their key, and groups again.
fn aggregate(aggregate: &Aggregate, input: Tree) -> Tree {
    let functions = list(&aggregate.aggr_expr);
    let (sets, keys) = match aggregate.group_expr.as_slice() {
        [Expr::GroupingSet(sets)] => (number_of(sets), list(sets.distinct_expr())),
        keys => (1.0, list(keys)),
    };
    let input = if sets > 1.0 { expand(input, sets, &keys) } else { input };
    let detail = match (keys.is_empty(), functions.is_empty()) {
        (true, _) => functions,
        (false, true) => format!("by {keys}"),
        (false, false) => format!("{functions} by {keys}"),
    };
    let group = |name: &str, rows_out: Option<Amount>, input: Tree| {
        let group = node(name, Kind::Aggregate, "HashAggregateExec", detail.clone(), &aggregate.schema);
        Tree::over(Node { rows_out, ..group }, vec![input])
    };
    let one_row = Some(Amount::derived(1.0, Rule::OneRow)).filter(|_| keys.is_empty());
    if input.on_one_machine {
        return group("Aggregate", one_row, input);
    }
    if one_row.is_some() {
        return group("Aggregate", one_row, group("Partial aggregate", one_row, input).gathered());
    }
    let partial = group("Partial aggregate", None, input);
    let groups = Amount::estimated(partial.numbers.rows_out.value, Rule::SameAsInput);
    group("Aggregate", Some(groups), partial.shuffled(keys))
}

/// Copies every row for each grouping set.
fn expand(input: Tree, sets: f64, keys: &str) -> Tree {
    let rows = input.numbers.rows_out;
    let copies = Node {
        detail: format!("{sets} grouping sets of {keys}"),
        class: Some("ExpandExec".to_owned()),
        rows_out: Some(rows.follow(within(rows.value * sets), Rule::GroupingSets)),
        row_width: Some(input.numbers.row_width),
        ..Node::new("Expand", Kind::Expand)
    };
    Tree::over(copies, vec![input])
}

fn number_of(sets: &GroupingSet) -> f64 {
    match sets {
        GroupingSet::Rollup(keys) => keys.len() as f64 + 1.0,
        GroupingSet::Cube(keys) => (keys.len() as f64).exp2(),
        GroupingSet::GroupingSets(sets) => sets.len() as f64,
    }
}

/// The whole order needs every row on the machine of its range; the first rows are found on every machine and gathered.
fn sort(sort: &Sort, input: Tree) -> Tree {
    let keys = sort.expr.iter().map(|key| format!("{}{}", text(&key.expr), if key.asc { "" } else { " descending" }));
    let keys = keys.collect::<Vec<_>>().join(", ");
    let Some(first) = sort.fetch else {
        let input = if input.on_one_machine { input } else { input.shuffled(format!("ranges of {keys}")) };
        return Tree::over(node("Sort", Kind::Sort, "SortExec", keys, sort.input.schema()), vec![input]);
    };
    let detail = format!("first {first} by {keys}");
    let sorted = node("Sort", Kind::Sort, "TakeOrderedAndProjectExec", detail, sort.input.schema());
    let rows_out = Some(at_most(input.numbers.rows_out, first as f64));
    Tree::over(Node { rows_out, ..sorted }, vec![input]).gathered()
}

/// Every machine keeps as many rows as the limit, one machine keeps the limit of those.
fn limit(limit: &Limit, input: Tree) -> Result<Tree, Problem> {
    let (SkipType::Literal(skip), FetchType::Literal(fetch)) = (limit.get_skip_type()?, limit.get_fetch_type()?) else {
        return Err(unsupported("a LIMIT that is not a number"));
    };
    let (skip, fetch) = (skip as f64, fetch.map(|fetch| fetch as f64));
    let keep = |name: &str, class: &str, skip: f64, fetch: Option<f64>, input: Tree| {
        let read = input.numbers.rows_out;
        let left = if skip > 0.0 { read.follow((read.value - skip).max(0.0), Rule::Limit) } else { read };
        let detail = match (skip > 0.0, fetch) {
            (false, Some(fetch)) => fetch.to_string(),
            (true, Some(fetch)) => format!("{fetch} after {skip}"),
            (_, None) => format!("all after {skip}"),
        };
        let first = node(name, Kind::Limit, class, detail, limit.input.schema());
        Tree::over(Node { rows_out: Some(fetch.map_or(left, |fetch| at_most(left, fetch))), ..first }, vec![input])
    };
    let local = match fetch {
        Some(fetch) if !input.on_one_machine => keep("Local limit", "LocalLimitExec", 0.0, Some(skip + fetch), input),
        _ => input,
    };
    Ok(keep("Limit", "GlobalLimitExec", skip, fetch, local.gathered()))
}

/// Every partition on one machine; without partitions, everything.
fn window(window: &Window, input: Tree) -> Tree {
    // The planner gives functions over other partitions a window of their own.
    let keys = window.window_expr.iter().find_map(|function| match function.clone().unalias() {
        Expr::WindowFunction(function) => Some(list(&function.params.partition_by)),
        _ => None,
    });
    let input = match keys {
        _ if input.on_one_machine => input,
        Some(keys) if !keys.is_empty() => input.shuffled(keys),
        _ => input.gathered(),
    };
    if let Some(detail) = pattern(window) {
        let matches = node("Match recognize", Kind::Window, "", detail, &window.schema);
        return Tree::over(Node { class: None, cpu_only: Some(CpuOnly::Pattern), ..matches }, vec![input]);
    }
    let detail = list(&window.window_expr);
    Tree::over(node("Window", Kind::Window, "WindowExec", detail, &window.schema), vec![input])
}

/// Partitions and order of the rows in which a pattern is looked for; `None`: it is another window.
fn pattern(window: &Window) -> Option<String> {
    window.window_expr.iter().find_map(|function| match function.clone().unalias() {
        Expr::WindowFunction(function) if function.fun.name().starts_with(MATCHED) => {
            let order = list(function.params.order_by.iter().map(|key| &key.expr));
            Some(match list(&function.params.partition_by) {
                keys if keys.is_empty() => format!("ordered by {order}"),
                keys => format!("by {keys}, ordered by {order}"),
            })
        }
        _ => None,
    })
}

fn unsupported(what: &str) -> Problem {
    Problem::at(Location::empty(), format!("{what} is not supported in a query"))
}
