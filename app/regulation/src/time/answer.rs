//! The sentences under the charts: the answer before the picture.

use crossover_quantity::text::counted;
use crossover_quantity::unit::{Unit, elapsed};
use crossover_regulation::{ClusterState, Outcome, Regulation, StrategyRun, table};

use crate::balance::Balance;

/// More clusters than this are counted instead of named.
const NAMED: usize = 3;
/// Throughputs this near to each other are the same.
const SAME: f64 = 1e-9;

/// "I: transfer-bound without control, balanced with PID (PCIe 100 %, compute 50 % → PCIe 100 %, compute 100 %). …":
/// occupancies before and after.
pub(in super::super) fn balance(study: &Regulation, outcome: &Outcome) -> String {
    let runs = [&outcome.baselines[0], outcome.chosen()];
    let balances = |cluster: usize| runs.map(|run| Balances::of(study, run, cluster));
    let name = &outcome.chosen().name;
    if study.clusters.len() > NAMED {
        let count = study.clusters.len();
        let all: Vec<[Balances; 2]> = (0..count).map(balances).collect();
        let [before, after] = [0, 1].map(|run| all.iter().filter(|of| of[run].is_even()).count());
        return format!(
            "Balanced clusters (e within the dead zone, on average and at the end): {after} of {count} with {name}, {before} of \
             {count} without control."
        );
    }
    let clauses = study.clusters.iter().enumerate().map(|(place, cluster)| {
        let occupancies = |state: &ClusterState| {
            format!("PCIe {}, compute {}", Unit::Share.format(state.pcie), Unit::Share.format(state.load))
        };
        let [before, after] = runs.map(|run| occupancies(&run.figures.state.clusters[place]));
        let [was, is] = balances(place);
        let change = if was == is {
            format!("{} with and without control", was.in_words())
        } else {
            format!("{} without control, {} with {name}", was.in_words(), is.in_words())
        };
        format!("{}: {change} ({before} → {after})", cluster.name)
    });
    clauses.collect::<Vec<_>>().join(". ") + "."
}

/// What bounds a cluster of a run: by the mean of e over the averaged periods, and by e of the last period.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Balances {
    mean: Balance,
    last: Balance,
}

impl Balances {
    fn of(study: &Regulation, run: &StrategyRun, cluster: usize) -> Self {
        let dead_zone = table::dead_zone(&study.table);
        let state = &run.figures.state.clusters[cluster];
        let mean = Balance::of(state.pcie - state.load, dead_zone);
        let last = run.steps.iter().rev().find(|step| step.cluster == cluster);
        Self { mean, last: last.map_or(mean, |step| Balance::of(step.pcie - step.load, dead_zone)) }
    }

    fn is_even(self) -> bool {
        [self.mean, self.last] == [Balance::Even; 2]
    }

    /// Errors of both signs can have a mean in the dead zone, which alone is no balance.
    fn in_words(self) -> String {
        let mean = self.mean.in_words();
        if self.mean == Balance::Even && self.last != Balance::Even {
            format!("{mean} on average but {} at the end", self.last.in_words())
        } else {
            mean.to_owned()
        }
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

#[cfg(test)]
mod tests {
    use crossover_regulation::evaluate;

    use super::*;

    /// Training serves its demand in the second day with 150 vGPUs at 1.1 GHz, 16,500 TOPS (see the test of the example). The mean of its
    /// demand is 9,000 TOPS: e = 9,000/20,000 − 9,000/16,500 = −9.55 %, in the dead zone of ±10 %. The last period begins 21 h 55 min after
    /// the peak, where the demand is 9,000 + 7,000·cos(31.25°) = 14,984 TOPS: e = −15.9 %.
    #[test]
    fn a_cluster_is_not_balanced_whose_error_is_outside_the_dead_zone_at_the_end() {
        let text = include_str!("../../../../scenarios/regulation-day.ron");
        let study = crossover_scenario::read(text).expect("a valid example").study;
        let study = study.regulation().expect("a regulation study");
        let mut answer = balance(study, &evaluate(study));
        let training = answer.split_off(answer.find("Training: ").expect("its clause"));
        let expected =
            "Training: compute-bound without control, balanced on average but compute-bound at the end with PI (PCIe ";
        assert!(training.starts_with(expected), "{training}");
        assert!(training.ends_with(" → PCIe 45 %, compute 54.55 %)."), "{training}");
    }

    /// The published example: without control I has 5,000 of 5,000 TOPS of its transfer and 10,000 TOPS of compute.
    #[test]
    fn a_cluster_whose_error_is_zero_is_balanced() {
        let study = crossover_scenario::read(crate::examples::PUBLISHED.text).expect("a valid example").study;
        let study = study.regulation().expect("a regulation study");
        let answer = balance(study, &evaluate(study));
        let expected = "I: transfer-bound without control, balanced with PID (PCIe 100 %, compute 50 % → PCIe 100 %, compute 100 %).";
        assert!(answer.starts_with(expected), "{answer}");
    }
}
