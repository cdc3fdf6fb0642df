//! The cheapest assignment of operators to two sides, exactly: an s–t minimum cut.
//!
//! Every operator has a cost on either side, every edge a cost where its ends differ. That sum is smallest where a
//! cut between a source (CPU) and a sink (GPU) is (Stone 1977). The problem that `Reduction` leaves is cut by
//! Dinic's algorithm (1970).

pub use super::problem::{Difference, Problem};

use super::problem::side;
use super::reduce::{Pair, Reduction};
use crate::study::Side;

impl Problem {
    /// The cheapest assignment; where sides cost the same, as few vertices on the GPU as possible.
    #[must_use]
    pub fn solve(&self) -> Vec<Side> {
        let reduction = Reduction::new(self);
        let mut network = Network::new(&reduction);
        network.saturate();
        let mut sides = network.sides();
        reduction.put_back(&mut sides);
        sides
    }
}

/// A flow network: the source is all CPU, the sink all GPU. Vertices that left the problem stand alone in it.
struct Network {
    arcs: Vec<Arc>,
    /// Ids of the arcs that leave each vertex; an arc's reverse is its neighbour.
    leaving: Vec<Vec<usize>>,
    source: usize,
    sink: usize,
    levels: Vec<u32>,
}

struct Arc {
    to: usize,
    left: f64,
}

impl Network {
    fn new(problem: &Reduction) -> Self {
        let count = problem.own.len();
        let leaving = vec![Vec::new(); count + 2];
        let mut network = Self { arcs: Vec::new(), leaving, source: count, sink: count + 1, levels: Vec::new() };
        let mut own = problem.own.clone();
        for (a, neighbours) in problem.shared.iter().enumerate() {
            for (b, cost) in neighbours.range(a + 1..) {
                let Parts { gpu_a, gpu_b, cpu_to_gpu, gpu_to_cpu } = Parts::of(cost);
                own[a][1] += gpu_a;
                own[*b][1] += gpu_b;
                network.connect(a, *b, cpu_to_gpu, gpu_to_cpu);
            }
        }
        for (vertex, [cpu, gpu]) in own.into_iter().enumerate() {
            if problem.shared[vertex].is_empty() {
                continue;
            }
            // The GPU's side of the cut is cut off from the source and pays that arc. What both sides pay decides
            // nothing.
            let common = cpu.min(gpu);
            network.connect(network.source, vertex, gpu - common, 0.0);
            network.connect(vertex, network.sink, cpu - common, 0.0);
        }
        network
    }

    fn connect(&mut self, from: usize, to: usize, forth: f64, back: f64) {
        if forth > 0.0 || back > 0.0 {
            self.leaving[from].push(self.arcs.len());
            self.arcs.push(Arc { to, left: forth });
            self.leaving[to].push(self.arcs.len());
            self.arcs.push(Arc { to: from, left: back });
        }
    }

    /// Shortest ways with something left are filled until there is none.
    fn saturate(&mut self) {
        while self.find_levels() {
            let mut next = vec![0; self.leaving.len()];
            while self.push_along_one_way(&mut next) {}
        }
    }

    /// Distance from the source of every vertex that is no further than the sink; whether the sink can be reached.
    fn find_levels(&mut self) -> bool {
        self.levels = vec![u32::MAX; self.leaving.len()];
        self.levels[self.source] = 0;
        let mut queue = std::collections::VecDeque::from([self.source]);
        while let Some(vertex) = queue.pop_front() {
            for arc in &self.leaving[vertex] {
                let Arc { to, left } = self.arcs[*arc];
                if left > 0.0 && self.levels[to] == u32::MAX {
                    self.levels[to] = self.levels[vertex] + 1;
                    if to == self.sink {
                        return true;
                    }
                    queue.push_back(to);
                }
            }
        }
        false
    }

    /// Fills one way from source to sink; false if there is none left on these levels.
    fn push_along_one_way(&mut self, next: &mut [usize]) -> bool {
        let mut way: Vec<usize> = Vec::new();
        loop {
            let vertex = way.last().map_or(self.source, |arc| self.arcs[*arc].to);
            if vertex == self.sink {
                let flow = way.iter().map(|arc| self.arcs[*arc].left).fold(f64::INFINITY, f64::min);
                for arc in way {
                    self.arcs[arc].left -= flow;
                    self.arcs[arc ^ 1].left += flow;
                }
                return true;
            }
            let leads_on = |arc: &usize| {
                let Arc { to, left } = self.arcs[*arc];
                left > 0.0 && self.levels[to] == self.levels[vertex] + 1
            };
            if let Some(skipped) = self.leaving[vertex][next[vertex]..].iter().position(leads_on) {
                next[vertex] += skipped;
                way.push(self.leaving[vertex][next[vertex]]);
            } else {
                next[vertex] = self.leaving[vertex].len();
                let Some(arc) = way.pop() else { return false };
                next[self.arcs[arc ^ 1].to] += 1;
            }
        }
    }

    /// GPU from where the sink can still be reached: the smallest such side of all cheapest cuts.
    fn sides(&self) -> Vec<Side> {
        let mut reaches = vec![false; self.leaving.len()];
        reaches[self.sink] = true;
        let mut stack = vec![self.sink];
        while let Some(vertex) = stack.pop() {
            for arc in &self.leaving[vertex] {
                let before = self.arcs[*arc].to;
                if !reaches[before] && self.arcs[*arc ^ 1].left > 0.0 {
                    reaches[before] = true;
                    stack.push(before);
                }
            }
        }
        reaches[..self.source].iter().map(|is_gpu| side(*is_gpu)).collect()
    }
}

/// The cost of two vertices, apart from a constant, in the parts of a cut.
struct Parts {
    /// Cost of one on the GPU; it may be negative.
    gpu_a: f64,
    /// Cost of the other one on the GPU.
    gpu_b: f64,
    cpu_to_gpu: f64,
    gpu_to_cpu: f64,
}

impl Parts {
    /// cost − cost\[CPU]\[CPU] = `gpu_a` where a is on the GPU + `gpu_b` where b is + one of the others where they
    /// differ. Any `gpu_b` from the last row's difference to the first row's makes the others 0 or more; the one
    /// nearest to 0 leaves plain edges as they are.
    fn of(cost: &Pair) -> Self {
        let [[both_cpu, to_gpu], [to_cpu, both_gpu]] = *cost;
        let gpu_b = 0f64.max(both_gpu - to_cpu).min(to_gpu - both_cpu);
        let gpu_a = both_gpu - both_cpu - gpu_b;
        // Rounding may leave them a little below 0.
        let rest = |different: f64, own: f64| (different - both_cpu - own).max(0.0);
        Self { gpu_a, gpu_b, cpu_to_gpu: rest(to_gpu, gpu_b), gpu_to_cpu: rest(to_cpu, gpu_a) }
    }
}
