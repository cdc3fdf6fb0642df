//! Topological order: every node of a graph behind those whose outputs it takes.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Which nodes take outputs of which others; nodes are numbered by their order in a file.
#[derive(Debug)]
pub(super) struct Edges {
    /// By node, how many outputs it takes.
    waits: Vec<usize>,
    /// By node, those that take its outputs, once for each.
    takers: Vec<Vec<usize>>,
}

impl Edges {
    /// Nodes without edges.
    pub(super) fn new(nodes: usize) -> Self {
        Self { waits: vec![0; nodes], takers: vec![Vec::new(); nodes] }
    }

    /// An edge from a node to one that takes its output.
    pub(super) fn add(&mut self, giver: usize, taker: usize) {
        self.waits[taker] += 1;
        self.takers[giver].push(taker);
    }

    /// A topological order, by the order of the file. It lacks the nodes of cycles, and those behind them: the first of these
    /// is returned with it.
    pub(super) fn order(mut self) -> (Vec<usize>, Option<usize>) {
        let nodes = self.waits.len();
        let mut ready: BinaryHeap<Reverse<usize>> =
            (0..nodes).filter(|node| self.waits[*node] == 0).map(Reverse).collect();
        let mut order = Vec::with_capacity(nodes);
        while let Some(Reverse(node)) = ready.pop() {
            order.push(node);
            for taker in std::mem::take(&mut self.takers[node]) {
                self.waits[taker] -= 1;
                if self.waits[taker] == 0 {
                    ready.push(Reverse(taker));
                }
            }
        }
        (order, self.waits.iter().position(|waits| *waits > 0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ordered(nodes: usize, edges: &[(usize, usize)]) -> (Vec<usize>, Option<usize>) {
        let mut found = Edges::new(nodes);
        for (giver, taker) in edges {
            found.add(*giver, *taker);
        }
        found.order()
    }

    #[test]
    fn of_nodes_that_are_ready_the_first_of_the_file_comes_first() {
        assert_eq!(ordered(5, &[(4, 0), (4, 0), (2, 1)]), (vec![2, 1, 3, 4, 0], None));
    }

    #[test]
    fn nodes_of_a_cycle_and_behind_it_are_left_out() {
        assert_eq!(ordered(5, &[(0, 1), (2, 3), (3, 2), (3, 4)]), (vec![0, 1], Some(2)));
    }
}
