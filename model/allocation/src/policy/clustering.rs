//! Tasks of one size on one node.

use super::super::cluster::{Lanes, MOST_GPUS, Node};
use super::super::workload::{Request, is_shared};

/// Running tasks of each size on a node: tasks that share a GPU, then those of one whole GPU, two …
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in super::super) struct Kinds([u16; MOST_GPUS + 1]);

impl Kinds {
    /// Adds a task.
    pub(in super::super) fn add(&mut self, request: &Request, needs: &Lanes) {
        if let Some(kind) = kind(request, needs) {
            self.0[kind] += 1;
        }
    }

    /// Removes a task.
    pub(in super::super) fn remove(&mut self, request: &Request, needs: &Lanes) {
        if let Some(kind) = kind(request, needs) {
            self.0[kind] -= 1;
        }
    }

    fn count(&self) -> usize {
        self.0.iter().filter(|count| **count > 0).count()
    }
}

fn kind(request: &Request, needs: &Lanes) -> Option<usize> {
    match request.gpus {
        0 => None,
        _ if is_shared(request, needs) => Some(0),
        gpus => Some(usize::from(gpus)),
    }
}

/// At least 75 where only tasks of this size run, 50 where others run too, 25 where none runs, else 0; plus up to 25 for fuller
/// nodes.
///
/// `most_gpus`: of the largest node, in units.
pub(super) fn score(request: &Request, needs: &Lanes, node: &Node, kinds: &Kinds, most_gpus: f64) -> i16 {
    let Some(kind) = kind(request, needs) else { return 0 };
    #[expect(clippy::cast_possible_truncation, reason = "0 … 25")]
    let full = (25.0 * (most_gpus - f64::from(node.idle())) / most_gpus) as i16;
    let base = match (kinds.0[kind] > 0, kinds.count()) {
        (true, 1) => 75,
        (true, _) => 50,
        (false, 0) => 25,
        (false, _) => 0,
    };
    base + full
}
