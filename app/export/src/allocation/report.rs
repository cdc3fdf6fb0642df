//! The GPUs that each policy allocates, as a report.

use crossover_allocation::Served;
use crossover_quantity::text::{Column, Table, TextReport, one_line};
use crossover_quantity::unit::{Unit, elapsed};
use crossover_study::sources::origins;

use super::Results;

/// Answer, policies, waits in a replay, rejected tasks, runs of tasks and warnings.
pub(super) fn text_report(results: &Results<'_>) -> TextReport {
    let mut text_report = TextReport::titled(results.scenario);
    text_report
        .paragraph(setting(results))
        .facts(headline(results))
        .section("All policies", |section| section.table(policies(results)).footnote(paired(results)))
        .section(of_replay(results), |section| section.table(replays(results)))
        .section(format!("Rejected by {} in arrival order 1", results.policy), |section| {
            section.table(rejections(results))
        });
    if let Some(timeline) = &results.timeline {
        let heading = format!("Timeline of {}: runs of tasks in the first replay", results.policy);
        text_report.section(heading, |section| section.table(timeline.table()).footnote(timeline.more()));
    }
    text_report.warnings(results.warnings);
    text_report
}

/// "12 nodes with 80 GPUs; tasks request 120 % of the GPUs; means of 10 random arrival orders".
fn setting(results: &Results<'_>) -> String {
    let (study, _) = results.evaluated;
    let number = |value: f64| Unit::Count.format(value);
    let nodes: f64 = study.nodes.iter().map(|group| group.nodes).sum();
    let gpus: f64 = study.nodes.iter().map(|group| group.nodes * group.all_gpus()).sum();
    let nodes_of = if nodes == 1.0 { "node" } else { "nodes" };
    let gpus_of = if gpus == 1.0 { "GPU" } else { "GPUs" };
    let demand = Unit::Share.format(study.arrivals.demand);
    let orders = if study.arrivals.orders == 1.0 {
        "one random arrival order".to_owned()
    } else {
        format!("means of {} random arrival orders", number(study.arrivals.orders))
    };
    format!(
        "{} {nodes_of} with {} {gpus_of}; tasks request {demand} of the GPUs; {orders}",
        number(nodes),
        number(gpus)
    )
}

/// How two policies are compared; none with one arrival order.
fn paired(results: &Results<'_>) -> Option<String> {
    let (study, _) = results.evaluated;
    (study.arrivals.orders > 1.0).then(|| {
        "Two policies are compared in the same arrival orders (same seeds), by their difference in each. A lead is significant if the \
         mean of these differences is at least two standard errors."
            .to_owned()
    })
}

fn headline(results: &Results<'_>) -> Vec<(&'static str, String)> {
    let (study, outcome) = results.evaluated;
    let own = outcome.own();
    let share = |percent: f64| Unit::Share.format(percent / 100.0);
    let add = match outcome.nodes_to_add {
        Some(0) => "none: the target is met".to_owned(),
        Some(nodes) => format!(
            "{} {} of group “{}”, to allocate {} of the requested GPUs",
            Unit::Count.format(nodes as f64),
            if nodes == 1 { "node" } else { "nodes" },
            study.policy.growing_nodes,
            Unit::Share.format(study.arrivals.target)
        ),
        None => format!("target not reached even with 8 × the nodes of group “{}”", study.policy.growing_nodes),
    };
    let allocated = share(own.end().allocated_percent);
    let deviation = if study.arrivals.orders > 1.0 {
        format!(", standard deviation {}", share(own.standard_deviation))
    } else {
        String::new()
    };
    let mut lines = vec![
        ("Answer", outcome.sentence()),
        ("Allocated", format!("{allocated} of all GPUs by {}{deviation}", own.policy.label())),
        ("Fragments", format!("{} of all GPUs", share(own.end().fragmented_percent))),
        ("Rejected", format!("{} of the tasks", Unit::Share.format(own.rejected))),
        ("Nodes to add", add),
    ];
    if let Some(watts) = outcome.watts {
        lines.push(("Power", format!("{} drawn by allocated GPUs", Unit::Watts.format(watts))));
    }
    lines.push(("Numbers", origins(study)));
    lines
}

fn policies(results: &Results<'_>) -> Table {
    let (study, _) = results.evaluated;
    let share = |percent: f64| Unit::Share.format(percent / 100.0);
    let rows = results.policies.iter().map(|policy| {
        let own = if policy.policy == results.policy { "◀" } else { "" };
        vec![
            policy.policy.to_owned(),
            share(policy.allocated_percent),
            if study.arrivals.orders > 1.0 { share(policy.standard_deviation_percent) } else { "–".to_owned() },
            share(policy.fragmented_percent),
            share(policy.rejected_percent),
            own.to_owned(),
        ]
    });
    let columns = vec![
        Column::text("Policy"),
        Column::number("Allocated"),
        Column::number("Std. dev."),
        Column::number("Fragments"),
        Column::number("Rejected"),
        Column::text(""),
    ];
    Table { rows: rows.collect(), columns }
}

/// "Waits of tasks that arrive during 1 day".
fn of_replay(results: &Results<'_>) -> String {
    let (study, _) = results.evaluated;
    let runs = if study.replay.runs == 1.0 {
        "one replay".to_owned()
    } else {
        format!("mean of {} replays", study.replay.runs)
    };
    match &study.replay.trace {
        Some(named) => format!("Waits of the tasks of {} at their recorded times, {runs}", one_line(named.name())),
        None if study.replay.seconds == 0.0 => format!("Waits of tasks that all arrive at the start, {runs}"),
        None => format!("Waits of tasks that arrive during {}, {runs}", elapsed(study.replay.seconds)),
    }
}

/// Waits and slowdowns in the replay; no rows without one.
fn replays(results: &Results<'_>) -> Table {
    let (_, outcome) = results.evaluated;
    let none = || "–".to_owned();
    let wait = |of: &Served, wait: f64| if of.ended > 0.0 { elapsed(wait) } else { none() };
    let slowdown = |of: &Served| of.mean_slowdown.map_or_else(none, |slowdown| Unit::Factor.format(slowdown));
    let rows = outcome.policies.iter().zip(&outcome.replayed).enumerate().map(|(place, (policy, replayed))| {
        let [sensitive, others] = &replayed.served;
        vec![
            policy.policy.label().to_owned(),
            wait(sensitive, sensitive.mean_wait),
            wait(sensitive, sensitive.p99_wait),
            slowdown(sensitive),
            sensitive.slo_violation_share.map_or_else(none, |share| Unit::Share.format(share)),
            wait(others, others.mean_wait),
            wait(others, others.p99_wait),
            slowdown(others),
            Unit::Count.format(others.preempted.round()),
            Unit::Share.format(replayed.utilisation),
            outcome.kwh.get(place).map_or_else(none, |kwh| Unit::KilowattHours.format(*kwh)),
        ]
    });
    let columns = vec![
        Column::text("Policy"),
        Column::number("Latency-sensitive: wait"),
        Column::number("p99 wait"),
        Column::number("slowdown"),
        Column::number("SLO violations"),
        Column::number("Others: wait"),
        Column::number("p99 wait"),
        Column::number("slowdown"),
        Column::number("preempted"),
        Column::number("GPU time allocated"),
        Column::number("Energy"),
    ];
    Table { rows: rows.collect(), columns }
}

fn rejections(results: &Results<'_>) -> Table {
    let rows = results.rejections.iter().map(|rejected| {
        vec![rejected.tasks.to_owned(), Unit::Count.format(rejected.count as f64), rejected.reason.clone()]
    });
    Table {
        rows: rows.collect(),
        columns: vec![Column::text("Tasks"), Column::number("Rejected"), Column::text("Reason for the first")],
    }
}
