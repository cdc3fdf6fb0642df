//! The sentences under the charts: the answer before the picture.

use crossover_placement::{Aggregation, Axis, GpuRecommended, Outcome, Parameter, Placement, Term, Variant};
use crossover_quantity::unit::Unit;

use super::view_options::ClassCurves;

/// "100 Gb InfiniBand: GPU faster for filter from 8.73 ms of CPU time per 100 MB and for join from …"
#[must_use]
pub(super) fn where_gpu_is_faster(study: &Placement, axis: Axis, classes: &[ClassCurves], variant: Variant) -> String {
    let clauses: Vec<String> = classes
        .iter()
        .filter_map(|class| {
            let curve = class.curves.iter().find(|curve| curve.variant == variant)?;
            let name = &study.operators[class.operator].name;
            let value = |value: f64| match axis.parameter() {
                Parameter::CPU_TIME => format!("{} of CPU time per 100 MB", Unit::Seconds.format(value)),
                parameter => parameter.info().unit.format(value),
            };
            Some(match curve.break_even {
                Some(found) if found.gpu_recommended == GpuRecommended::Above => {
                    format!("for {name} from {}", value(found.value))
                }
                Some(found) => format!("for {name} up to {}", value(found.value)),
                None => {
                    let always = curve.speedups.first().is_some_and(|speedup| *speedup > study.policy.threshold);
                    format!("{} for {name}", if always { "always" } else { "never" })
                }
            })
        })
        .collect();
    format!("{}: {} {}.", variant.label(study), study.policy.gpu_advantage(), joined(&clauses))
}

/// Why times jump along machines where whole rounds of aggregation count.
#[must_use]
pub(super) fn why_steps(study: &Placement, axis: Axis) -> Option<String> {
    let is_along = matches!(axis, Axis::MachinesOfTotal) || axis == Axis::One(Parameter::MACHINES);
    let fan_in = study.cluster.fan_in;
    (is_along && study.cluster.aggregation == Aggregation::Exact).then(|| {
        let rounds = [1, 2, 3].map(|rounds| Unit::Count.format(fan_in.powi(rounds)));
        format!(
            "Times jump where aggregation takes one more round: above {}, {} and {} machines with a fan-in of {}.",
            rounds[0],
            rounds[1],
            rounds[2],
            Unit::Count.format(fan_in)
        )
    })
}

/// "filter on CPU: 98.23 % network, …": the largest term of each operator as placed.
#[must_use]
pub(super) fn where_time_goes(study: &Placement, outcome: &Outcome) -> String {
    let clauses: Vec<String> = outcome
        .chosen()
        .map(|row| {
            let breakdown = row.placed_breakdown();
            let (term, share) = breakdown.dominant();
            format!(
                "{} on {}: {} {}",
                study.operators[row.operator].name,
                row.placement.label(),
                Unit::Share.format(share),
                term_name(term),
            )
        })
        .take(3)
        .collect();
    let more = outcome.chosen().count().saturating_sub(clauses.len());
    let rest = if more == 0 { String::new() } else { format!(" ({more} more below)") };
    format!("{}{rest}.", joined(&clauses))
}

fn term_name(term: Term) -> &'static str {
    match term {
        Term::Network => "network",
        Term::BusIn => "bus to the GPU",
        Term::BusOut => "bus from the GPU",
        Term::Compress => "compression",
        Term::Decompress => "decompression",
        other => other.label(),
    }
}

/// "a, b and c".
fn joined(clauses: &[String]) -> String {
    match clauses {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
