//! The decision for a whole plan for people: a tree, its totals and warnings.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crossover_placement::whole::Whole;
use crossover_placement::{Query, Side};
use crossover_quantity::text::{Column, Table, one_line};
use crossover_quantity::unit::Unit;
use crossover_query::{Amount, Kind, Plan};

/// Levels that are indented; what lies deeper stands below one another.
const DEEPEST: usize = 24;
/// Bytes of a gigabyte.
const GB: f64 = 1e9;

/// The plan as an indented tree for a terminal.
pub(crate) fn tree(query: &Query, whole: &Whole) -> String {
    let legend = if has_estimates(whole) { "~ estimated\n" } else { "" };
    table(query, whole, "  ", |_| true).aligned() + legend
}

/// The plan as an indented tree in Markdown, which drops spaces at the start of a cell. What does nothing by itself is left
/// out, and what a part consists of that is used again.
pub(crate) fn tree_markdown(query: &Query, whole: &Whole) -> String {
    let legend = if has_estimates(whole) { "\n~ estimated\n" } else { "" };
    let is_decided: BTreeSet<usize> = whole.operators.iter().map(|decided| decided.node).collect();
    let is_shown = |id: &usize| is_decided.contains(id) || query.plan.nodes[*id].reuses.is_some();
    table(query, whole, "· ", is_shown).markdown() + legend
}

/// Whether any number of the tree is a guess.
fn has_estimates(whole: &Whole) -> bool {
    whole
        .operators
        .iter()
        .map(|decided| &whole.numbers[decided.node])
        .any(|numbers| numbers.rows_out.is_estimated() || numbers.bytes_out.is_estimated())
}

fn table(query: &Query, whole: &Whole, indent: &str, is_shown: impl Fn(&usize) -> bool) -> Table {
    // Where people find it in their history server.
    let has_ui_ids = query.plan.nodes.iter().any(|node| node.spark_ui_id.is_some());
    let mut columns = vec![Column::number("Id")];
    columns.extend(has_ui_ids.then(|| Column::number("Spark UI")));
    columns.extend([
        Column::text("Operator"),
        Column::text("Kind"),
        Column::number("Rows"),
        Column::number("Bytes"),
        Column::text("Side"),
        Column::number("Time"),
        Column::text("Because"),
    ]);
    let plan = &query.plan;
    let depths = depths(plan);
    let mut decided = vec![None; plan.nodes.len()];
    for operator in &whole.operators {
        decided[operator.node] = Some(operator);
    }
    let shown = (0..plan.nodes.len()).filter(is_shown);
    let rows = shown.map(|id| (id, (&plan.nodes[id], &whole.numbers[id]))).map(|(id, (node, numbers))| {
        let name = format!("{}{}", indent.repeat(depths[id].min(DEEPEST)), node.title());
        let mut row = vec![id.to_string()];
        row.extend(has_ui_ids.then(|| node.spark_ui_id.map(|id| id.to_string()).unwrap_or_default()));
        row.push(name);
        if let Some(decided) = decided[id] {
            let bytes = Amount { value: numbers.bytes_out.value / GB, ..numbers.bytes_out };
            row.extend([
                node.kind.label().to_owned(),
                figure(Unit::Count, numbers.rows_out),
                figure(Unit::Gigabytes, bytes),
                decided.side.label().to_owned(),
                Unit::Seconds.format(decided.breakdown().total()),
                // The side stands in a column of its own.
                without_side(&decided.reason.to_string(), decided.side),
            ]);
        } else {
            let again = node.reuses.map_or_else(String::new, |other| format!("the result of {other} again"));
            let kind = if node.kind == Kind::Wrapper { String::new() } else { node.kind.label().to_owned() };
            row.extend([kind, String::new(), String::new(), String::new(), String::new(), again]);
        }
        row
    });
    Table { columns, rows: rows.collect() }
}

fn without_side(reason: &str, side: Side) -> String {
    let rest = reason.strip_prefix(side.label()).and_then(|rest| rest.strip_prefix(": "));
    rest.unwrap_or(reason).to_owned()
}

fn figure(unit: Unit, figure: Amount) -> String {
    let sign = if figure.is_estimated() { "~" } else { "" };
    format!("{sign}{}", unit.format(figure.value))
}

/// How far below the root each node stands.
pub(super) fn depths(plan: &Plan) -> Vec<usize> {
    let mut depths = vec![0; plan.nodes.len()];
    // Inputs have greater ids than the nodes that read them.
    for (id, node) in plan.nodes.iter().enumerate() {
        for input in &node.inputs {
            depths[*input] = depths[id] + 1;
        }
    }
    depths
}

/// The plan in a few statements: what it takes, and what else it could take.
pub(crate) fn headline(query: &Query, whole: &Whole) -> Vec<(&'static str, String)> {
    let seconds = |value| Unit::Seconds.format(value);
    let against = |other: f64| match whole.baselines.all_cpu / other {
        ratio if ratio.is_finite() => format!("{}, {} against all CPU", seconds(other), Unit::Factor.format(ratio)),
        _ => seconds(other),
    };
    let crossing: f64 = whole.moving_seconds();
    let changes = match whole.crossings() {
        0 => "data never changes sides".to_owned(),
        1 => format!("data changes sides once, which takes {}", seconds(crossing)),
        count => format!("data changes sides {count} times, which takes {}", seconds(crossing)),
    };
    let mut lines: Vec<(&'static str, String)> = whole.sure.iter().map(|sure| ("Answer", sure.sentence())).collect();
    lines.push(("As placed", against(whole.seconds)));
    lines.push(("All CPU", seconds(whole.baselines.all_cpu)));
    lines.push(("All GPU", against(whole.baselines.all_gpu)));
    // Engines on machines of their own do not share a query.
    if whole.sure.is_none() {
        lines.push(("Each by itself", against(whole.baselines.each_alone)));
    }
    if let Some(unpinned) = &whole.unpinned {
        lines.push(("Pinned", unpinned.sentence(whole.seconds)));
    }
    let changes = if whole.sure.is_none() { format!("; {changes}") } else { String::new() };
    let sides = format!("{} on GPU, {} on CPU{changes}", whole.count(Side::Gpu), whole.count(Side::Cpu));
    lines.push(("Operators", sides));
    let (term, share) = whole.breakdown().dominant();
    if share.is_finite() {
        lines.push(("Bound by", format!("{}, {} of the time as placed", term.label(), Unit::Share.format(share))));
    }
    if let Some(measured) = query.plan.duration_seconds {
        let value = match whole.sure {
            Some(_) => seconds(measured),
            None => format!(
                "{}; the times here count the work alone: no waiting for storage, scheduling or start-up",
                seconds(measured)
            ),
        };
        lines.push(("Measured", value));
    }
    lines
}

/// Totals and warnings for a terminal.
pub(crate) fn statements(query: &Query, whole: &Whole) -> String {
    let mut text = String::from("\n");
    for (label, value) in headline(query, whole) {
        _ = writeln!(text, "{label:<15}{value}");
    }
    for warning in warnings(whole) {
        _ = writeln!(text, "Warning: {}", one_line(warning));
    }
    text
}

/// What a careful reader should know, a sentence each.
pub(crate) fn warnings(whole: &Whole) -> impl Iterator<Item = &str> {
    whole.warnings.iter().map(String::as_str)
}
