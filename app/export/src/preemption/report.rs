//! Policies compared, as a report.

use crossover_preemption::{PolicyOutcome, Preemption};
use crossover_quantity::text::{Column, Table, TextReport, counted};
use crossover_quantity::unit::{Unit, elapsed};
use crossover_study::sources::origins;

use super::setting::span_seconds;
use super::{Results, with_interval};

/// Decisions that are listed.
const LISTED: usize = 20;
/// Kernels up to which their pairs are a table.
const PAIRED: usize = 12;

/// Answer, policies, decisions, kernels, pairs and warnings.
pub(super) fn text_report(results: &Results<'_>) -> TextReport {
    let (study, _) = results.evaluated;
    let mut text_report = TextReport::titled(results.scenario);
    text_report
        .paragraph(setting(study))
        .facts(headline(results))
        .heading("Policies on the same streams")
        .table(policies(results))
        .footnote(Some("* the policy of this scenario".to_owned()))
        .section("Evaluated preemptions: work in cycles alone (without other kernels), costs in cycles", |section| {
            section.table(decisions(results)).footnote(more(results))
        })
        .section("Kernels", |section| section.table(kernels(results)));
    if (2..=PAIRED).contains(&results.residencies.len()) {
        text_report
            .heading("Normalised IPC of the kernel in a row beside the kernel in a column")
            .table(pairs(results))
            .footnote(Some("~ assumed, not measured".to_owned()));
    }
    text_report.warnings(results.warnings);
    text_report
}

fn count(value: f64) -> String {
    Unit::Count.format(value.round())
}

/// "5 kernels on Tesla K40; 30 streams of 200 launches at a load of 110 %".
fn setting(study: &Preemption) -> String {
    let kernels = counted(study.kernels.len() as f64, "kernel");
    let stream = &study.stream;
    let launches = if stream.listed.is_empty() {
        let (streams, load) = (counted(stream.streams, "stream"), Unit::Share.format(stream.load));
        let launches = counted(stream.launches, "launch");
        match &stream.recorded {
            Some(recorded) => format!(
                "{streams} of {launches} at the times of {} over {}, stretched to a load of {load}",
                counted(recorded.seconds.len() as f64, "recorded request"),
                elapsed(span_seconds(recorded)),
            ),
            None => format!("{streams} of {launches} at a load of {load}"),
        }
    } else {
        counted(stream.listed.len() as f64, "listed launch")
    };
    format!("{kernels} on {}; {launches}", study.gpu.model)
}

fn headline(results: &Results<'_>) -> Vec<(&'static str, String)> {
    let (study, outcome) = results.evaluated;
    let mut lines = vec![
        ("Question", results.question.to_owned()),
        ("Answer", results.answer.clone()),
        ("Upper bound", format!("{} throughput (STP), under any policy", Unit::Ratio.format(results.bound.throughput))),
    ];
    if let Some(decision) = outcome.largest_gain() {
        lines.push(("Reason", decision.sentence(study)));
    }
    lines.push(("Numbers", origins(study)));
    lines
}

fn policies(results: &Results<'_>) -> Table {
    let mut rows: Vec<Vec<String>> = results
        .policies
        .iter()
        .zip(&results.evaluated.1.policies)
        .map(|(of, PolicyOutcome { means, .. })| {
            vec![
                if of.policy == results.policy { format!("{} *", of.policy) } else { of.policy.to_owned() },
                with_interval(means.throughput, Unit::Ratio.formatter()),
                with_interval(means.turnaround, Unit::Factor.formatter()),
                Unit::Ratio.format(of.fairness.mean),
                elapsed(of.latency_seconds.mean),
                elapsed(of.latency_p99_seconds.mean),
                Unit::Ratio.format(of.preemptions_per_launch),
                Unit::Share.format(of.context_switch_share),
                Unit::Share.format(of.wasted_share),
                Unit::Share.format(of.utilisation),
            ]
        })
        .collect();
    let none = || "–".to_owned();
    let bound = &results.bound;
    rows.push(vec![
        "bound".to_owned(),
        Unit::Ratio.format(bound.throughput),
        Unit::Factor.format(bound.turnaround),
        none(),
        elapsed(bound.latency_seconds),
        none(),
        none(),
        none(),
        none(),
        none(),
    ]);
    let columns = vec![
        Column::text("Policy"),
        Column::number("Throughput (STP)"),
        Column::number("Turnaround (ANTT)"),
        Column::number("Fairness"),
        Column::number("Mean latency"),
        Column::number("p99 latency"),
        Column::number("Preemptions per launch"),
        Column::number("Context switches, % of time"),
        Column::number("Wasted, % of work"),
        Column::number("GPU busy, % of time"),
    ];
    Table { columns, rows }
}

fn decisions(results: &Results<'_>) -> Table {
    let rows = results.decisions.iter().take(LISTED).map(|of| {
        vec![
            count(of.at_cycle),
            format!("{} · {}", of.running, of.running_launch),
            format!("{} · {}", of.waiting, of.waiting_launch),
            count(of.work_without_cycles),
            count(of.work_with_cycles),
            count(of.gain_cycles),
            count(of.preempt_cycles),
            count(of.break_even_cycles),
            if of.is_preempted { "preempted" } else { "not preempted" }.to_owned(),
        ]
    });
    let columns = vec![
        Column::number("At cycle"),
        Column::text("Running"),
        Column::text("Waiting"),
        Column::number("Work without"),
        Column::number("Work with"),
        Column::number("Work gain"),
        Column::number("Switch cost"),
        Column::number("Break-even cost"),
        Column::text("Decision"),
    ];
    Table { columns, rows: rows.collect() }
}

fn more(results: &Results<'_>) -> Option<String> {
    let more = results.decisions.len().checked_sub(LISTED).filter(|more| *more > 0)?;
    Some(format!("and {} more decisions; use --format json to list all", count(more as f64)))
}

fn kernels(results: &Results<'_>) -> Table {
    let own = results.policies.iter().find(|of| of.policy == results.policy);
    let rows = results.residencies.iter().enumerate().map(|(place, of)| {
        let slowdown = own.and_then(|own| own.slowdowns.get(place).copied().flatten());
        vec![
            of.kernel.to_owned(),
            elapsed(of.alone_seconds),
            slowdown.map_or_else(|| "–".to_owned(), |slowdown| Unit::Factor.format(slowdown)),
            count(of.resident),
            count(of.per_multiprocessor),
            of.limited_by.to_owned(),
            count(of.waves),
            Unit::Bytes.format(of.context_bytes),
        ]
    });
    let columns = vec![
        Column::text("Kernel"),
        Column::number("Time alone"),
        Column::number("Slowdown"),
        Column::number("Resident blocks"),
        Column::number("Blocks per SM"),
        Column::text("Limited by"),
        Column::number("Waves"),
        Column::number("Context size"),
    ];
    Table { columns, rows: rows.collect() }
}

fn pairs(results: &Results<'_>) -> Table {
    let count = results.residencies.len();
    let rows = results.pairs.chunks(count).map(|row| {
        let number = |pair: &super::PairRecord<'_>| {
            let mark = if pair.basis == super::MEASURED { "" } else { "~" };
            format!("{mark}{}", Unit::Ratio.format(pair.normalised_ipc))
        };
        std::iter::once(row[0].kernel.to_owned()).chain(row.iter().map(number)).collect()
    });
    let beside = results
        .residencies
        .iter()
        .map(|of| Column { title: of.kernel.to_owned().into(), align: crossover_quantity::text::Align::Right });
    Table { columns: std::iter::once(Column::text("Kernel")).chain(beside).collect(), rows: rows.collect() }
}
