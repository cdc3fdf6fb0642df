//! Operators with a fixed side.

use crate::study::{Query, Side};

/// Why an operator could not be on the other side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fixed {
    /// The user pinned it.
    Pinned,
    /// By a support list, its class has no GPU version; with the note.
    Unsupported(String),
    /// Its work runs on CPUs only.
    CpuOnly(&'static str),
}

/// The side of a fixed operator, and the reason.
pub(super) fn fixed(query: &Query, id: usize) -> Option<(Side, Fixed)> {
    let node = &query.plan.nodes[id];
    if let Some(side) = query.pins.get(&id) {
        return Some((*side, Fixed::Pinned));
    }
    let note = node.class.as_ref().and_then(|class| query.unsupported.get(class));
    let listed = note.map(|note| Fixed::Unsupported(note.clone()));
    listed.or_else(|| node.why_cpu_only().map(Fixed::CpuOnly)).map(|why| (Side::Cpu, why))
}
