//! What each rule gives away, for people: a report for the terminal, and one in Markdown.

use std::fmt::Write as _;

use crossover_allocation::Served;
use crossover_quantity::text::{Column, Table, escaped, one_line};
use crossover_quantity::unit::{Unit, elapsed};
use crossover_study::sources::origins;

use super::Results;

/// Headline, rules, who is turned away, and warnings.
pub(super) fn terminal(results: &Results<'_>) -> String {
    let mut text = format!("{}\n{}\n\n", one_line(results.scenario), one_line(&setting(results)));
    for (label, value) in headline(results) {
        _ = writeln!(text, "{label:<12}{}", one_line(&value));
    }
    _ = write!(text, "\n{}", rules(results).aligned());
    if let Some(replays) = replays(results) {
        _ = write!(text, "\n{}\n{}", of_replay(results), replays.aligned());
    }
    if !results.refusals.is_empty() {
        _ = write!(text, "\nTurned away by {} in the first order\n{}", results.rule, refusals(results).aligned());
    }
    for warning in results.warnings {
        _ = write!(text, "\nWarning: {}", one_line(warning));
    }
    if !results.warnings.is_empty() {
        text.push('\n');
    }
    text
}

/// The same in Markdown.
pub(super) fn markdown(results: &Results<'_>) -> String {
    let mut text = format!("# {}\n\n{}.\n\n", escaped(results.scenario), escaped(&setting(results)));
    for (label, value) in headline(results) {
        _ = writeln!(text, "- {label}: {}", escaped(&value));
    }
    _ = write!(text, "\n## Every rule\n\n{}", rules(results).markdown());
    if let Some(replays) = replays(results) {
        _ = write!(text, "\n## {}\n\n{}", escaped(&of_replay(results)), replays.markdown());
    }
    if !results.refusals.is_empty() {
        _ = write!(text, "\n## Turned away by {} in the first order\n\n{}", results.rule, refusals(results).markdown());
    }
    if !results.warnings.is_empty() {
        text.push('\n');
    }
    for warning in results.warnings {
        _ = writeln!(text, "- Warning: {}", escaped(warning));
    }
    text
}

/// "12 nodes with 80 GPUs, 120 % of them asked for, 10 orders".
fn setting(results: &Results<'_>) -> String {
    let (study, _) = results.evaluated;
    let number = |value: f64| Unit::Count.format(value);
    let nodes: f64 = study.nodes.iter().map(|group| group.nodes).sum();
    let gpus: f64 = study.nodes.iter().map(|group| group.nodes * group.all_gpus()).sum();
    let nodes_of = if nodes == 1.0 { "node" } else { "nodes" };
    let gpus_of = if gpus == 1.0 { "GPU" } else { "GPUs" };
    let demand = Unit::Share.format(study.arrivals.demand);
    let orders = if study.arrivals.orders == 1.0 { "order" } else { "orders" };
    format!(
        "{} {nodes_of} with {} {gpus_of}, {demand} of them asked for, {} {orders}",
        number(nodes),
        number(gpus),
        number(study.arrivals.orders)
    )
}

fn headline(results: &Results<'_>) -> Vec<(&'static str, String)> {
    let (study, outcome) = results.evaluated;
    let own = outcome.own();
    let share = |percent: f64| Unit::Share.format(percent / 100.0);
    let add = match outcome.nodes_to_add {
        Some(0) => "none: the target is met".to_owned(),
        Some(nodes) => format!(
            "{} of {}, for {} of what is asked for",
            Unit::Count.format(nodes as f64),
            study.policy.grows,
            Unit::Share.format(study.arrivals.target)
        ),
        None => format!("not even eight times as many nodes of {} meet the target", study.policy.grows),
    };
    let given = share(own.end().allocated_percent);
    let deviation = if study.arrivals.orders > 1.0 { format!(", ± {}", share(own.deviation)) } else { String::new() };
    let mut lines = vec![
        ("Answer", outcome.sentence()),
        ("Given away", format!("{given} of all GPUs by {}{deviation}", own.policy.label())),
        ("Fragments", format!("{} of all GPUs", share(own.end().fragmented_percent))),
        ("Turned away", format!("{} of the tasks", Unit::Share.format(own.refused))),
        ("To add", add),
    ];
    if outcome.watts > 0.0 {
        lines.push(("Power", format!("{} given away", Unit::Watts.format(outcome.watts))));
    }
    lines.push(("Numbers", origins(study)));
    lines
}

fn rules(results: &Results<'_>) -> Table {
    let (study, _) = results.evaluated;
    let share = |percent: f64| Unit::Share.format(percent / 100.0);
    let rows = results.rules.iter().map(|rule| {
        let own = if rule.rule == results.rule { "◀" } else { "" };
        vec![
            rule.rule.to_owned(),
            share(rule.allocated_percent),
            if study.arrivals.orders > 1.0 { share(rule.deviation_percent) } else { "–".to_owned() },
            share(rule.fragmented_percent),
            share(rule.refused_percent),
            own.to_owned(),
        ]
    });
    let columns = vec![
        Column::text("Rule"),
        Column::number("Given away"),
        Column::number("±"),
        Column::number("Fragments"),
        Column::number("Turned away"),
        Column::text(""),
    ];
    Table { rows: rows.collect(), columns }
}

/// "Waits of tasks that come for 1 day".
fn of_replay(results: &Results<'_>) -> String {
    let (study, _) = results.evaluated;
    let runs = if study.replay.runs == 1.0 {
        "one replay".to_owned()
    } else {
        format!("mean of {} replays", study.replay.runs)
    };
    match &study.replay.trace {
        Some(named) => format!("Waits of the tasks of {} at their recorded times, {runs}", one_line(named.name())),
        None if study.replay.seconds == 0.0 => format!("Waits of tasks that all come at the beginning, {runs}"),
        None => format!("Waits of tasks that come for {}, {runs}", elapsed(study.replay.seconds)),
    }
}

/// What becomes of tasks in the replay; none without one.
fn replays(results: &Results<'_>) -> Option<Table> {
    let (_, outcome) = results.evaluated;
    let none = || "–".to_owned();
    let wait = |of: &Served, wait: f64| if of.ended > 0.0 { elapsed(wait) } else { none() };
    let slowdown = |of: &Served| of.mean_slowdown.map_or_else(none, |slowdown| Unit::Factor.format(slowdown));
    let rows = outcome.rules.iter().zip(&outcome.replayed).zip(&outcome.kwh).map(|((rule, replayed), kwh)| {
        let [sensitive, others] = &replayed.served;
        vec![
            rule.policy.label().to_owned(),
            wait(sensitive, sensitive.mean_wait),
            wait(sensitive, sensitive.p99_wait),
            slowdown(sensitive),
            sensitive.late.map_or_else(none, |late| Unit::Share.format(late)),
            wait(others, others.mean_wait),
            wait(others, others.p99_wait),
            slowdown(others),
            Unit::Count.format(others.stopped.round()),
            Unit::Share.format(replayed.utilisation),
            if *kwh > 0.0 { Unit::KilowattHours.format(*kwh) } else { none() },
        ]
    });
    let columns = vec![
        Column::text("Rule"),
        Column::number("Sensitive: wait"),
        Column::number("99 %"),
        Column::number("slowdown"),
        Column::number("late"),
        Column::number("Others: wait"),
        Column::number("99 %"),
        Column::number("slowdown"),
        Column::number("stopped"),
        Column::number("In use"),
        Column::number("Energy"),
    ];
    (!outcome.replayed.is_empty()).then(|| Table { rows: rows.collect(), columns })
}

fn refusals(results: &Results<'_>) -> Table {
    let rows = results
        .refusals
        .iter()
        .map(|refused| vec![refused.tasks.to_owned(), Unit::Count.format(refused.count as f64), refused.why.clone()]);
    Table {
        rows: rows.collect(),
        columns: vec![Column::text("Tasks"), Column::number("Turned away"), Column::text("Because of the first")],
    }
}
