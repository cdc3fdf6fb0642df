//! The cheapest assignment of operators to two sides, exactly: an s–t minimum cut.
//!
//! Every operator has a cost on either side, every edge a cost where its ends differ. That sum is smallest where a
//! cut between a source (CPU) and a sink (GPU) is (Stone 1977).

use crate::placement::study::Side;

/// A problem with two sides.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Problem {
    /// Cost of each vertex on the CPU and on the GPU, each 0 or more; infinite where it cannot be.
    pub vertices: Vec<[f64; 2]>,
    /// Costs of two vertices on different sides.
    pub edges: Vec<Difference>,
}

/// Costs of two vertices on different sides.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Difference {
    /// One vertex.
    pub from: usize,
    /// The other one.
    pub to: usize,
    /// Cost if `from` is on the CPU and `to` on the GPU.
    pub cpu_to_gpu: f64,
    /// Cost if `from` is on the GPU and `to` on the CPU.
    pub gpu_to_cpu: f64,
}

impl Problem {
    /// Cost of an assignment.
    #[must_use]
    pub fn cost(&self, sides: &[Side]) -> f64 {
        let own: f64 = self.vertices.iter().zip(sides).map(|(cost, side)| cost[*side as usize]).sum();
        let between: f64 = self.edges.iter().map(|edge| edge.cost(sides)).sum();
        own + between
    }

    /// The cheapest assignment; where sides cost the same, as few vertices on the GPU as possible.
    #[must_use]
    pub fn solve(&self) -> Vec<Side> {
        let mut network = Network::new(self);
        network.saturate();
        network.sides()
    }
}

impl Difference {
    /// What the edge costs in an assignment.
    #[must_use]
    pub fn cost(&self, sides: &[Side]) -> f64 {
        match (sides[self.from], sides[self.to]) {
            (Side::Cpu, Side::Gpu) => self.cpu_to_gpu,
            (Side::Gpu, Side::Cpu) => self.gpu_to_cpu,
            _ => 0.0,
        }
    }
}

/// A flow network: the source is all CPU, the sink all GPU.
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
    fn new(problem: &Problem) -> Self {
        let (source, sink) = (problem.vertices.len(), problem.vertices.len() + 1);
        let leaving = vec![Vec::new(); problem.vertices.len() + 2];
        let mut network = Self { arcs: Vec::new(), leaving, source, sink, levels: Vec::new() };
        for (vertex, [cpu, gpu]) in problem.vertices.iter().copied().enumerate() {
            // The GPU's side of the cut is cut off from the source and pays that arc. What both sides pay decides
            // nothing.
            let common = cpu.min(gpu);
            let common = if common.is_finite() { common } else { 0.0 };
            network.connect(source, vertex, gpu - common, 0.0);
            network.connect(vertex, sink, cpu - common, 0.0);
        }
        for edge in &problem.edges {
            network.connect(edge.from, edge.to, edge.cpu_to_gpu, edge.gpu_to_cpu);
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

    /// Dinic's algorithm: shortest ways with something left, until there is none.
    fn saturate(&mut self) {
        while self.find_levels() {
            let mut next = vec![0; self.leaving.len()];
            while self.push_along_one_way(&mut next) {}
        }
    }

    /// Distance of every vertex from the source; whether the sink can be reached.
    fn find_levels(&mut self) -> bool {
        self.levels = vec![u32::MAX; self.leaving.len()];
        self.levels[self.source] = 0;
        let mut queue = std::collections::VecDeque::from([self.source]);
        while let Some(vertex) = queue.pop_front() {
            for arc in &self.leaving[vertex] {
                let Arc { to, left } = self.arcs[*arc];
                if left > 0.0 && self.levels[to] == u32::MAX {
                    self.levels[to] = self.levels[vertex] + 1;
                    queue.push_back(to);
                }
            }
        }
        self.levels[self.sink] != u32::MAX
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
        let side = |is_gpu: &bool| if *is_gpu { Side::Gpu } else { Side::Cpu };
        reaches[..self.source].iter().map(side).collect()
    }
}
