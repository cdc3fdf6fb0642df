//! A placement problem with two sides: costs of every vertex on each side, and of every edge between different sides.

use crate::study::Side;

/// All sides of two vertices, as indices of costs.
pub(super) const SIDES: [[usize; 2]; 4] = [[0, 0], [0, 1], [1, 0], [1, 1]];

/// A problem with two sides.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Problem {
    /// Cost of each vertex on the CPU and on the GPU, each 0 or more; infinite on one side where it cannot be.
    pub vertices: Vec<[f64; 2]>,
    /// Costs of two vertices on different sides.
    pub edges: Vec<Difference>,
}

/// Costs of two vertices on different sides, each finite and 0 or more.
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
}

impl Difference {
    /// Cost of the edge in an assignment.
    #[must_use]
    pub fn cost(&self, sides: &[Side]) -> f64 {
        match (sides[self.from], sides[self.to]) {
            (Side::Cpu, Side::Gpu) => self.cpu_to_gpu,
            (Side::Gpu, Side::Cpu) => self.gpu_to_cpu,
            _ => 0.0,
        }
    }
}

pub(super) fn side(is_gpu: bool) -> Side {
    if is_gpu { Side::Gpu } else { Side::Cpu }
}
