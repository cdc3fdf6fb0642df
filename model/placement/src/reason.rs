//! Why an operator is placed where it is, in one sentence.

use super::break_even::{GpuRecommended, break_even};
use super::cost::{Breakdown, Term};
use super::parameter::Parameter;
use super::point::Point;
use super::row::Row;
use super::study::{Placement, Side};
use super::variant::Variant;
use crossover_quantity::unit::Unit;

/// Groups of terms with one name in a reason.
const CAUSES: [(&str, &[Term]); 6] = [
    ("compute", &[Term::Compute, Term::AggregationCompute]),
    ("the bus", &[Term::BusIn, Term::BusOut]),
    ("network", &[Term::Network]),
    ("compression", &[Term::Compress, Term::Decompress]),
    ("fixed cost", &[Term::Fixed]),
    ("storage scan", &[Term::Scan]),
];

/// The reason for a row's placement; `rows` are the rows of its operator in all variants.
#[must_use]
pub fn reason(study: &Placement, row: &Row, rows: &[Row]) -> String {
    let placed = row.placement.label();
    if row.placement == row.recommended_side {
        let why = match row.recommended_side {
            Side::Gpu => why_gpu(study, row),
            Side::Cpu => why_cpu(study, row, rows),
        };
        format!("{placed}: {}{why}.", beside_threshold(study, row))
    } else {
        // With a threshold above 1 the pinned side may be faster.
        let costs = row.placed_seconds() - row.cost.seconds(row.recommended_side);
        let (verb, relation) = if costs < 0.0 { ("saves", "against") } else { ("costs", "more than") };
        format!(
            "{placed} (pinned): {verb} {} {relation} {}.",
            Unit::Seconds.format(costs.abs()),
            row.recommended_side.label()
        )
    }
}

/// Why the faster side is not chosen: "the GPU is 1.12× as fast, below the threshold of 1.2×; ".
fn beside_threshold(study: &Placement, row: &Row) -> String {
    let threshold = study.policy.threshold;
    let relation = match row.recommended_side {
        Side::Cpu if (1.0..threshold).contains(&row.speedup()) => "below",
        Side::Gpu if (threshold..1.0).contains(&row.speedup()) => "not below",
        _ => return String::new(),
    };
    let [speedup, threshold] = [row.speedup(), threshold].map(|factor| Unit::Factor.format(factor));
    // Equal as they are printed.
    if speedup == threshold {
        return String::new();
    }
    format!("the GPU is {speedup} as fast, {relation} the threshold of {threshold}; ")
}

/// The largest saving on the GPU, and the break-even.
fn why_gpu(study: &Placement, row: &Row) -> String {
    let (cpu, gpu) = (&row.cost.cpu, &row.cost.gpu);
    let saving = |terms: &[Term]| seconds(cpu, terms) - seconds(gpu, terms);
    let saved = CAUSES.into_iter().max_by(|a, b| saving(a.1).total_cmp(&saving(b.1)));
    let (name, terms) = saved.unwrap_or(CAUSES[0]);
    let before = seconds(cpu, terms);
    let hidden: f64 = terms.iter().map(|term| gpu.hidden[*term as usize]).sum();
    let mut text = format!(
        "{name} falls from {} ({} of the time on CPUs) to {}",
        Unit::Seconds.format(before),
        Unit::Share.format(before / cpu.total()),
        Unit::Seconds.format(seconds(gpu, terms) + hidden),
    );
    if hidden > 0.0 {
        text += &format!(", hidden behind {}", longest_on_gpu(study, row));
    }
    text += &match limit(study, row) {
        Ok(limit) => format!("; {} {limit}", study.policy.gpu_advantage()),
        Err(tried) => {
            format!("; {} over the whole range of {}", study.policy.gpu_advantage(), tried.join(" and "))
        }
    };
    text
}

/// The largest term that the GPU does not reduce, and the changes that would make the GPU faster.
fn why_cpu(study: &Placement, row: &Row, rows: &[Row]) -> String {
    let (cpu, gpu) = (&row.cost.cpu, &row.cost.gpu);
    let largest = |breakdown: &Breakdown| {
        let most = CAUSES.into_iter().max_by(|a, b| seconds(breakdown, a.1).total_cmp(&seconds(breakdown, b.1)));
        most.unwrap_or(CAUSES[0])
    };
    let (name, terms) = largest(gpu);
    // If the same term is the largest on both sides, the GPU cannot reduce it.
    let mut text = if largest(cpu).0 == name {
        format!("{} of the time on CPUs is {name}", Unit::Share.format(seconds(cpu, terms) / cpu.total()))
    } else {
        format!("{} of the time on the GPU is {name}", Unit::Share.format(seconds(gpu, terms) / gpu.total()))
    };

    let (mut ways, tried) = match limit(study, row) {
        Ok(limit) => (vec![limit], Vec::new()),
        Err(tried) => (Vec::new(), tried),
    };
    let is_gpu_in =
        |variant: Variant| rows.iter().any(|other| other.variant == variant && other.recommended_side == Side::Gpu);
    let toggled = Variant { compression: !row.variant.compression, ..row.variant };
    if is_gpu_in(toggled) {
        ways.push(if toggled.compression { "with compression".to_owned() } else { "without compression".to_owned() });
    }
    let elsewhere = Variant::all(study).find(|variant| {
        variant.network != row.variant.network && variant.compression == row.variant.compression && is_gpu_in(*variant)
    });
    if let Some(variant) = elsewhere {
        ways.push(format!("over {}", study.networks[variant.network].name));
    }
    text += &if ways.is_empty() {
        format!("; {} at no {}, network or compression", study.policy.gpu_advantage(), tried.join(", "))
    } else {
        format!("; {} {}", study.policy.gpu_advantage(), ways.join(", or "))
    };
    text
}

/// The longest of the overlapping terms on the GPU side.
fn longest_on_gpu(study: &Placement, row: &Row) -> &'static str {
    let groups = study.policy.overlap.groups_on_gpu();
    let longest = groups.iter().find(|group| seconds(&row.cost.gpu, group) > 0.0);
    let cause = CAUSES.into_iter().find(|(_, terms)| longest.is_some_and(|group| terms.contains(&group[0])));
    cause.unwrap_or(CAUSES[0]).0
}

/// Parameters whose break-even a reason names, in order of preference.
const LIMITS: [(Parameter, &str); 3] = [
    (Parameter::CPU_TIME, "CPU time per 100 MB"),
    (Parameter::INPUT_SIZE, "input per machine"),
    (Parameter::GPU_CURVE_RATE, "GPU rate"),
];

/// "with at least 8.73 ms of CPU time per 100 MB": the first break-even of [`LIMITS`], or the names of the parameters without one.
fn limit(study: &Placement, row: &Row) -> Result<String, Vec<&'static str>> {
    let point = Point::new(study, row.operator, row.variant.network, row.variant.compression);
    let mut tried = Vec::new();
    for (parameter, name) in LIMITS.into_iter().filter(|(parameter, _)| point.has_influence(*parameter)) {
        let Some(found) = break_even(&point, parameter.into()) else {
            tried.push(name);
            continue;
        };
        let direction = match found.gpu_recommended {
            GpuRecommended::Above => "at least",
            GpuRecommended::Below => "at most",
        };
        return Ok(match parameter {
            Parameter::CPU_TIME => {
                format!("with {direction} {} of CPU time per 100 MB", Unit::Seconds.format(found.value))
            }
            Parameter::INPUT_SIZE => {
                format!("with {direction} {} of input per machine", Unit::Gigabytes.format(found.value))
            }
            _ => format!("with a GPU rate of {direction} {}", Unit::GigabytesPerSecond.format(found.value)),
        });
    }
    Err(tried)
}

fn seconds(breakdown: &Breakdown, terms: &[Term]) -> f64 {
    terms.iter().map(|term| breakdown.get(*term)).sum()
}
