//! The sentences under the charts: the answer before the picture.

use crossover_quantity::text::counted;
use crossover_quantity::unit::{Unit, elapsed};
use crossover_regulation::{ClusterState, Outcome, Regulation, StrategyRun, table};

/// More clusters than this are counted instead of named.
const NAMED: usize = 3;
/// Throughputs this near to each other are the same.
const SAME: f64 = 1e-9;

/// What bounds a cluster: transfer, compute or neither.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Balance {
    Even,
    Transfer,
    Compute,
}

/// "I: transfer-bound without control, balanced with PID (PCIe 100 %, compute 50 % → PCIe 100 %, compute 100 %). …":
/// occupancies before and after.
pub(in super::super) fn balance(study: &Regulation, outcome: &Outcome) -> String {
    let states = || outcome.before().clusters.iter().zip(&outcome.after().clusters);
    let name = &outcome.chosen().name;
    if study.clusters.len() > NAMED {
        let even = |state: &ClusterState| balance_of(study, state) == Balance::Even;
        let before = states().filter(|(before, _)| even(before)).count();
        let after = states().filter(|(_, after)| even(after)).count();
        let count = study.clusters.len();
        return format!(
            "Balanced clusters (mean e within the dead zone): {after} of {count} with {name}, {before} of {count} without control."
        );
    }
    let clauses = study.clusters.iter().zip(states()).map(|(cluster, (before, after))| {
        let occupancies = |state: &ClusterState| {
            format!("PCIe {}, compute {}", Unit::Share.format(state.pcie), Unit::Share.format(state.load))
        };
        let (was, is) = (balance_of(study, before), balance_of(study, after));
        let change = if was == is {
            format!("{} with and without control", in_words(was))
        } else {
            format!("{} without control, {} with {name}", in_words(was), in_words(is))
        };
        format!("{}: {change} ({} → {})", cluster.name, occupancies(before), occupancies(after))
    });
    clauses.collect::<Vec<_>>().join(". ") + "."
}

/// Errors inside the dead zone count as balanced.
fn balance_of(study: &Regulation, state: &ClusterState) -> Balance {
    let [from, to] = table::dead_zone(&study.table);
    let error = state.pcie - state.load;
    if error > to + SAME {
        Balance::Transfer
    } else if error < from - SAME {
        Balance::Compute
    } else {
        Balance::Even
    }
}

fn in_words(balance: Balance) -> &'static str {
    match balance {
        Balance::Even => "balanced",
        Balance::Transfer => "transfer-bound",
        Balance::Compute => "compute-bound",
    }
}

/// "I releases 50 vGPUs; II receives 50 vGPUs and changes to 1.1 GHz. …": the changes and the settling time.
pub(super) fn actions(study: &Regulation, outcome: &Outcome) -> String {
    let run = outcome.chosen();
    let name = &run.name;
    let states = outcome.before().clusters.iter().zip(&run.figures.state.clusters);
    let clauses: Vec<String> = study
        .clusters
        .iter()
        .zip(states)
        .filter_map(|(cluster, (before, after))| {
            let parts = changes(study, before, after);
            (!parts.is_empty()).then(|| format!("{} {}", cluster.name, parts.join(" and ")))
        })
        .collect();
    let more = clauses.len().saturating_sub(NAMED);
    let rest = if more > 0 {
        format!(". The table below has the changes of {}", counted(more as f64, "more cluster"))
    } else {
        String::new()
    };
    let moved = match &clauses[..clauses.len().min(NAMED)] {
        [] => "Every cluster ends with its initial settings".to_owned(),
        clauses => clauses.join("; "),
    };
    format!(
        "{moved}{rest}. {name} acts {}{}.",
        counted(run.figures.actions as f64, "time"),
        match run.figures.settling_periods {
            Some(periods) => format!(" and settles after {}", settling(study, periods)),
            None => "; demand or actions continue to the end".to_owned(),
        }
    )
}

fn changes(study: &Regulation, before: &ClusterState, after: &ClusterState) -> Vec<String> {
    let mut parts = Vec::new();
    let vgpus = after.vgpus - before.vgpus;
    if vgpus != 0.0 {
        let verb = if vgpus > 0.0 { "receives" } else { "releases" };
        parts.push(format!("{verb} {} vGPUs", Unit::Count.format(vgpus.abs())));
    }
    if (after.frequency_ghz - before.frequency_ghz).abs() > SAME {
        parts.push(format!("changes to {}", Unit::Gigahertz.format(after.frequency_ghz)));
    }
    if (after.precision, after.converted_share) != (before.precision, before.converted_share) {
        parts.push(format!("computes in {}", study.precision_text(after.precision, after.converted_share)));
    }
    if after.voltage != before.voltage {
        parts.push(format!("changes its voltage to {}", Unit::Factor.format(after.voltage)));
    }
    if after.concurrency != before.concurrency {
        parts.push(format!("runs {} per vGPU", counted(after.concurrency, "task")));
    }
    parts
}

/// "58 periods (58 s)"
pub(in super::super) fn settling(study: &Regulation, periods: usize) -> String {
    let time = elapsed(periods as f64 * study.run.period_seconds);
    format!("{} ({time})", counted(periods as f64, "period"))
}

/// "PID: 43.3 % more throughput for 7.5 % more power, 1.333× the throughput per watt …"
pub(super) fn benefit(outcome: &Outcome) -> String {
    let (before, after) = (outcome.before(), outcome.after());
    let change = |before: f64, after: f64, what: &str| {
        let share = after / before - 1.0;
        let word = if share >= 0.0 { "more" } else { "less" };
        if share.abs() < 5e-4 { format!("as much {what}") } else { format!("{} {word} {what}", percent(share.abs())) }
    };
    if !(before.tops > 0.0 && before.watts > 0.0) {
        return "No comparison: without control, throughput or power is 0.".to_owned();
    }
    format!(
        "{}: {} for {}, {} the throughput per watt ({} → {}, {} → {}).",
        outcome.chosen().name,
        change(before.tops, after.tops, "throughput"),
        change(before.watts, after.watts, "power"),
        Unit::Factor.format(outcome.efficiency()),
        Unit::Tops.format(before.tops),
        Unit::Tops.format(after.tops),
        Unit::Watts.format(before.watts),
        Unit::Watts.format(after.watts),
    )
}

/// A share to a tenth of a percent: "43.3 %".
pub(in super::super) fn percent(share: f64) -> String {
    // Nothing added to a negative zero makes it positive.
    Unit::Share.format((share * 1e3).round() / 1e3 + 0.0)
}

/// "PID delivers 43.3 % more than no control and 25 % more than load-proportional, the better of the two schedulers (the
/// other: round robin)."
pub(super) fn against_others(outcome: &Outcome) -> String {
    let tops = outcome.after().tops;
    let against = |run: &StrategyRun| {
        let share = tops / run.figures.state.tops - 1.0;
        let word = if share >= 0.0 { "more" } else { "less" };
        if share.abs() < 5e-4 {
            format!("as much as {}", run.name)
        } else if share.is_finite() {
            format!("{} {word} than {}", percent(share.abs()), run.name)
        } else {
            format!("more than {}, which serves nothing", run.name)
        }
    };
    let schedulers = &outcome.baselines[1..];
    let best = schedulers.iter().max_by(|a, b| a.figures.state.tops.total_cmp(&b.figures.state.tops));
    let best = best.map(|run| {
        let other = schedulers.iter().find(|other| other.name != run.name);
        let other = other.map(|other| format!(" (the other: {})", other.name)).unwrap_or_default();
        format!(" and {}, the better of the two schedulers{other}", against(run))
    });
    let best = best.unwrap_or_default();
    format!("{} delivers {}{best}.", outcome.chosen().name, against(&outcome.baselines[0]))
}

/// "PI and PID deliver the highest throughput, 21,500 TOPS; PI settles first, after 56 periods (56 s)."
pub(super) fn best(study: &Regulation, outcome: &Outcome) -> String {
    let runs = &outcome.controllers;
    let most = runs.iter().map(|run| run.figures.state.tops).fold(0.0, f64::max);
    let best: Vec<&StrategyRun> = runs.iter().filter(|run| run.figures.state.tops >= most * (1.0 - SAME)).collect();
    let names: Vec<&str> = best.iter().map(|run| run.name.as_str()).collect();
    let verb = if best.len() == 1 { "delivers" } else { "deliver" };
    let names = match &names[..] {
        [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        _ => names.concat(),
    };
    let tops = Unit::Tops.format(most);
    let settled = best.iter().filter_map(|run| Some((run.figures.settling_periods?, &run.name)));
    let soonest = match settled.min_by_key(|(periods, _)| *periods) {
        Some((periods, name)) if best.len() > 1 => {
            format!("; {name} settles first, after {}", settling(study, periods))
        }
        Some((periods, _)) => format!(" and settles after {}", settling(study, periods)),
        None => ", but does not settle".to_owned(),
    };
    format!("{names} {verb} the highest throughput, {tops}{soonest}.")
}
