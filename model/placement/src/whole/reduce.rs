//! Makes a placement problem smaller without changing its answer: a vertex with one or two neighbours is decided for
//! every choice of theirs and leaves.
//!
//! Query plans are almost trees, so hardly anything remains for the minimum cut. A vertex v between a and b leaves
//! behind min over v of (cost of v + cost of v and a + cost of v and b), a cost of a and b alone; with one neighbour it
//! leaves a cost of that neighbour (dynamic programming over a tree). If the costs had a minimum cut before, they
//! have one after: a minimum over one vertex keeps them submodular.

use std::collections::BTreeMap;

use super::problem::{Problem, SIDES, side};
use crate::study::Side;

/// Cost of two vertices, by the side of one and the side of the other.
pub(super) type Pair = [[f64; 2]; 2];

/// A problem that loses its vertices of one or two neighbours.
pub(super) struct Reduction {
    /// Cost of each vertex on either side, with what left beside it.
    pub(super) own: Vec<[f64; 2]>,
    /// Costs that each vertex shares with each of its neighbours, its own side first. Each pair occurs twice.
    pub(super) shared: Vec<BTreeMap<usize, Pair>>,
    left: Vec<Left>,
}

/// A vertex that left, and the costs that decide its side.
struct Left {
    vertex: usize,
    own: [f64; 2],
    shared: Vec<(usize, Pair)>,
}

impl Reduction {
    /// Takes out every vertex that has, or comes to have, at most two neighbours.
    pub(super) fn new(problem: &Problem) -> Self {
        let mut reduction = Self {
            own: problem.vertices.clone(),
            shared: vec![BTreeMap::new(); problem.vertices.len()],
            left: Vec::with_capacity(problem.vertices.len()),
        };
        for edge in problem.edges.iter().filter(|edge| edge.from != edge.to) {
            reduction.share(edge.from, edge.to, [[0.0, edge.cpu_to_gpu], [edge.gpu_to_cpu, 0.0]]);
        }
        let mut small: Vec<usize> = (0..problem.vertices.len()).collect();
        let mut is_out = vec![false; problem.vertices.len()];
        while let Some(vertex) = small.pop() {
            if !is_out[vertex] && reduction.shared[vertex].len() <= 2 {
                is_out[vertex] = true;
                reduction.take_out(vertex, &mut small);
            }
        }
        reduction
    }

    fn share(&mut self, a: usize, b: usize, cost: Pair) {
        for (from, to, transposed) in [(a, b, false), (b, a, true)] {
            let sum = self.shared[from].entry(to).or_default();
            for [x, y] in SIDES {
                sum[x][y] += if transposed { cost[y][x] } else { cost[x][y] };
            }
        }
    }

    fn take_out(&mut self, vertex: usize, small: &mut Vec<usize>) {
        let left = Left {
            vertex,
            own: self.own[vertex],
            shared: std::mem::take(&mut self.shared[vertex]).into_iter().collect(),
        };
        for (neighbour, _) in &left.shared {
            self.shared[*neighbour].remove(&vertex);
            small.push(*neighbour);
        }
        match left.shared[..] {
            [(a, _)] => {
                for x in [0, 1] {
                    self.own[a][x] += left.cheapest(&[x]).1;
                }
            }
            [(a, _), (b, _)] => {
                let mut cost = Pair::default();
                for [x, y] in SIDES {
                    cost[x][y] = left.cheapest(&[x, y]).1;
                }
                self.share(a, b, cost);
            }
            _ => {}
        }
        self.left.push(left);
    }

    /// Assigns sides to the vertices that left, after all others.
    pub(super) fn put_back(&self, sides: &mut [Side]) {
        for left in self.left.iter().rev() {
            let neighbours: Vec<usize> = left.shared.iter().map(|(vertex, _)| sides[*vertex] as usize).collect();
            sides[left.vertex] = left.cheapest(&neighbours).0;
        }
    }
}

impl Left {
    /// The cheaper side and its cost while the neighbours are on these sides; the CPU where both cost the same.
    fn cheapest(&self, neighbours: &[usize]) -> (Side, f64) {
        let [cpu, gpu] = [0, 1].map(|own| {
            let shared = self.shared.iter().zip(neighbours).map(|((_, cost), other)| cost[own][*other]);
            self.own[own] + shared.sum::<f64>()
        });
        (side(gpu < cpu), cpu.min(gpu))
    }
}
