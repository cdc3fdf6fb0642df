//! Tasks of one size on one node.

use super::super::cluster::{Lanes, MOST_GPUS, Node};
use super::super::workload::{Request, is_shared};

/// How many tasks of each size run on a node: those that share a GPU, then those of one whole GPU, two …
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in super::super) struct Kinds([u16; MOST_GPUS + 1]);

impl Kinds {
    /// A task comes.
    pub(in super::super) fn add(&mut self, asked: &Request, needs: &Lanes) {
        if let Some(kind) = kind(asked, needs) {
            self.0[kind] += 1;
        }
    }

    /// A task goes.
    pub(in super::super) fn remove(&mut self, asked: &Request, needs: &Lanes) {
        if let Some(kind) = kind(asked, needs) {
            self.0[kind] -= 1;
        }
    }

    fn count(&self) -> usize {
        self.0.iter().filter(|count| **count > 0).count()
    }
}

fn kind(asked: &Request, needs: &Lanes) -> Option<usize> {
    match asked.gpus {
        0 => None,
        _ if is_shared(asked, needs) => Some(0),
        gpus => Some(usize::from(gpus)),
    }
}

/// Above 75 where only tasks of this size run, above 50 where such run too, above 25 where none run, else below; within each
/// the fuller node.
///
/// `most_gpus`: of the largest node, in thousandths.
pub(super) fn score(asked: &Request, needs: &Lanes, node: &Node, kinds: &Kinds, most_gpus: f64) -> i16 {
    let Some(kind) = kind(asked, needs) else { return 0 };
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
