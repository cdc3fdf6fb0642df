//! Why an operator of a plan runs where it does, in one sentence.

use super::outcome::{Decided, Fixed, Whole};
use crate::placement::study::{Query, Side};
use crate::unit::Unit;

/// The reason for the side of the operator at this place.
pub(super) fn reason(whole: &Whole, query: &Query, index: usize) -> String {
    let decided = &whole.operators[index];
    let placed = decided.side.label();
    match &decided.fixed {
        Some(Fixed::Pinned) => format!("{placed}: pinned."),
        Some(Fixed::Unsupported(note)) if note.is_empty() => {
            format!("{placed}: the support list has no GPU version of {}.", class(query, decided))
        }
        Some(Fixed::Unsupported(note)) => {
            format!("{placed}: the support list has no GPU version of {}: {note}.", class(query, decided))
        }
        Some(Fixed::CpuOnly(why)) => format!("{placed}: {why}."),
        None => chosen(whole, index),
    }
}

fn class<'a>(query: &'a Query, decided: &Decided) -> &'a str {
    let node = &query.plan.nodes[decided.node];
    node.class.as_deref().unwrap_or(&node.name)
}

/// What changing this one operator would cost.
fn chosen(whole: &Whole, index: usize) -> String {
    let decided = &whole.operators[index];
    let (cpu, gpu) = (decided.cost.cpu.total(), decided.cost.gpu.total());
    let (stays, goes) = (bus(whole, decided.node, decided.side), bus(whole, decided.node, decided.side.other()));
    let own = format!("{} on CPU, {} on GPU", Unit::Seconds.format(cpu), Unit::Seconds.format(gpu));
    let neighbours = match (stays > 0.0, goes > 0.0) {
        (false, false) => String::new(),
        _ => format!(
            "; the bus to its neighbours takes {} here and {} there",
            Unit::Seconds.format(stays),
            Unit::Seconds.format(goes)
        ),
    };
    let why = if decided.side == decided.alone {
        ""
    } else if decided.side == Side::Gpu {
        "; by itself it would not pay, but its data is there"
    } else {
        "; by itself it would pay, but its data is not there"
    };
    format!("{}: {own}{neighbours}{why}.", decided.side.label())
}

/// Seconds on the bus to its neighbours if the node were on a side and everything else stayed.
fn bus(whole: &Whole, node: usize, side: Side) -> f64 {
    let other = |id: usize| whole.of_node(id).map_or(Side::Cpu, |decided| decided.side);
    whole
        .edges
        .iter()
        .filter_map(|flow| {
            let ends = if flow.edge.from == node {
                (side, other(flow.edge.to))
            } else if flow.edge.to == node {
                (other(flow.edge.from), side)
            } else {
                return None;
            };
            Some(match ends {
                (Side::Cpu, Side::Gpu) => flow.cost.to_gpu,
                (Side::Gpu, Side::Cpu) => flow.cost.from_gpu,
                _ => 0.0,
            })
        })
        .sum()
}
