//! The decision for a whole plan, as a report: totals, operators as a tree, warnings.

use crossover_decision::Decision;
use crossover_engine::{Engine, Engines};
use crossover_placement::whole::{Decided, Fixed, Whole};
use crossover_placement::{Placement, Query, Side};
use crossover_quantity::text::{Align, Column, Table, TextReport, counted};
use crossover_quantity::unit::Unit;
use crossover_query::{Amount, Kind, Plan};

use crate::decided::{facts, operators_in};
use crate::decision::{OptionsTable, all_warnings};

/// Levels that are indented; deeper nodes are not indented further.
const DEEPEST: usize = 24;
/// One level. Markdown drops spaces at the start of a cell.
const INDENT: &str = "· ";
/// Bytes of a gigabyte.
const GB: f64 = 1e9;

/// The decision in whole engines, if there is one, totals, operators and warnings.
pub(crate) fn text_report(study: &Placement, query: &Query, whole: &Whole, decision: Option<&Decision>) -> TextReport {
    let mut text_report = TextReport::default();
    text_report.facts(decision.map(facts).unwrap_or_default().into_iter().chain(headline(
        query,
        whole,
        decision.is_some(),
    )));
    if let Some(decision) = decision {
        text_report.heading("Options").table(OptionsTable::new(decision).table());
    }
    text_report.heading("Operators");
    if let Some((decision, engines)) = decision.zip(study.engines.as_deref()) {
        text_report.paragraph(operators_in(decision, engines));
    }
    text_report
        .table(tree(query, whole, study.engines.as_deref().filter(|_| decision.is_some())))
        .footnote(has_estimates(whole).then(|| "~ estimated".to_owned()))
        .warnings(all_warnings(&whole.warnings, decision));
    text_report
}

/// Whether any number of the tree is estimated.
fn has_estimates(whole: &Whole) -> bool {
    whole
        .operators
        .iter()
        .map(|decided| &whole.numbers[decided.node])
        .any(|numbers| numbers.rows_out.is_estimated() || numbers.bytes_out.is_estimated())
}

/// Every node on a line, below the node that reads it. In whole `engines` an operator has a time in each, and no side of its own.
fn tree(query: &Query, whole: &Whole, engines: Option<&Engines>) -> Table {
    // The number of the node in the history server.
    let has_ui_ids = query.plan.nodes.iter().any(|node| node.spark_ui_id.is_some());
    let mut columns = vec![Column::number("Id")];
    columns.extend(has_ui_ids.then(|| Column::number("Spark UI")));
    columns.extend([Column::text("Operator"), Column::text("Kind"), Column::number("Rows"), Column::number("Bytes")]);
    columns.extend(match engines {
        Some(engines) => [
            Column { title: in_engine(&engines.cpu, "CPU engine").into(), align: Align::Right },
            Column { title: in_engine(&engines.gpu, "GPU engine").into(), align: Align::Right },
            Column::text("Note"),
        ],
        None => [Column::text("Side"), Column::number("Time"), Column::text("Reason")],
    });
    let plan = &query.plan;
    let depths = depths(plan);
    let mut decided = vec![None; plan.nodes.len()];
    for operator in &whole.operators {
        decided[operator.node] = Some(operator);
    }
    let rows = plan.nodes.iter().zip(&whole.numbers).enumerate().map(|(id, (node, numbers))| {
        let name = format!("{}{}", INDENT.repeat(depths[id].min(DEEPEST)), node.title());
        let mut row = vec![id.to_string()];
        row.extend(has_ui_ids.then(|| node.spark_ui_id.map(|id| id.to_string()).unwrap_or_default()));
        row.push(name);
        if let Some(decided) = decided[id] {
            let bytes = Amount { value: numbers.bytes_out.value / GB, ..numbers.bytes_out };
            row.extend([
                node.kind.label().to_owned(),
                figure(Unit::Count, numbers.rows_out),
                figure(Unit::Gigabytes, bytes),
            ]);
            row.extend(match engines {
                Some(_) => in_both(decided),
                None => [
                    decided.side.label().to_owned(),
                    Unit::Seconds.format(decided.breakdown().total()),
                    // The side has its own column.
                    without_side(&decided.reason.to_string(), decided.side),
                ],
            });
        } else {
            let again = node.reuses.map_or_else(String::new, |other| format!("reuses the result of {other}"));
            let kind = if node.kind == Kind::Wrapper { String::new() } else { node.kind.label().to_owned() };
            row.extend([kind, String::new(), String::new(), String::new(), String::new(), again]);
        }
        row
    });
    let table = Table { columns, rows: rows.collect() };
    if engines.is_some() { table.without_empty_columns() } else { table }
}

/// "Time in RAPIDS 25.12 (L4)".
fn in_engine(engine: &Engine, other: &str) -> String {
    let name = if engine.name.is_empty() { other } else { &engine.name };
    format!("Time in {name}")
}

/// Time of an operator in either engine, and why it has only one side, if so.
fn in_both(decided: &Decided) -> [String; 3] {
    let why = match &decided.fixed {
        None => String::new(),
        Some(Fixed::Pinned) => format!("pinned to {}", decided.side.label()),
        Some(Fixed::Unsupported(note)) if note.is_empty() => "no GPU version".to_owned(),
        Some(Fixed::Unsupported(note)) => note.clone(),
        Some(Fixed::CpuOnly(why)) => (*why).to_owned(),
    };
    let [cpu, gpu] = [Side::Cpu, Side::Gpu].map(|side| Unit::Seconds.format(decided.cost.seconds(side)));
    [cpu, gpu, why]
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

/// Time of the plan as placed and of its alternatives, a fact each. `is_decided`: whether the options have these times.
fn headline(query: &Query, whole: &Whole, is_decided: bool) -> Vec<(&'static str, String)> {
    let seconds = |value| Unit::Seconds.format(value);
    let against = |other: f64| match whole.baselines.all_cpu / other {
        ratio if ratio.is_finite() => {
            format!("{}, speedup {} against all CPU", seconds(other), Unit::Factor.format(ratio))
        }
        _ => seconds(other),
    };
    let transfer: f64 = whole.transfer_seconds();
    let changes = match whole.transfers() {
        0 => "no data moves between CPU and GPU".to_owned(),
        1 => format!("data moves between CPU and GPU once, in {}", seconds(transfer)),
        2 => format!("data moves between CPU and GPU twice, in {}", seconds(transfer)),
        count => format!("data moves between CPU and GPU {count} times, in {}", seconds(transfer)),
    };
    let mut lines: Vec<(&'static str, String)> = Vec::new();
    if let Some(why) = whole.not_judged.as_ref().filter(|_| !is_decided) {
        lines.push(("Recommendation", format!("Cannot be judged: {why}.")));
        lines.push(("Operators", counted(whole.operators.len() as f64, "operator")));
        lines.extend(query.plan.duration_seconds.map(|measured| ("Measured", seconds(measured))));
        return lines;
    }
    if !is_decided {
        lines.push(("As placed", against(whole.seconds)));
        lines.push(("All CPU", seconds(whole.baselines.all_cpu)));
        lines.push(("All GPU", against(whole.baselines.all_gpu)));
    }
    // Engines on machines of their own do not share a query.
    if whole.verdict.is_none() {
        lines.push(("Per-operator greedy placement", against(whole.baselines.greedy)));
    }
    if let Some(unpinned) = &whole.unpinned {
        lines.push(("Pinned", unpinned.sentence(whole.seconds)));
    }
    if is_decided {
        let stay = whole
            .operators
            .iter()
            .filter(|decided| matches!(decided.fixed, Some(Fixed::Unsupported(_) | Fixed::CpuOnly(_))));
        let stay = match stay.count() {
            0 => String::new(),
            count => format!(", {} on CPUs only", Unit::Count.format(count as f64)),
        };
        lines.push(("Operators", format!("{}{stay}", counted(whole.operators.len() as f64, "operator"))));
    } else {
        let sides = format!("{} on GPU, {} on CPU", whole.count(Side::Gpu), whole.count(Side::Cpu));
        let changes = if whole.verdict.is_none() { format!("; {changes}") } else { String::new() };
        lines.push(("Operators", sides + &changes));
        let (term, share) = whole.breakdown().dominant();
        if share.is_finite() {
            lines.push(("Bound by", format!("{}, {} of the time as placed", term.label(), Unit::Share.format(share))));
        }
    }
    if let Some(measured) = query.plan.duration_seconds {
        let value = match whole.verdict {
            Some(_) => seconds(measured),
            None => {
                format!("{}; the estimates leave out waits for storage, scheduling and start-up", seconds(measured))
            }
        };
        lines.push(("Measured", value));
    }
    lines
}
