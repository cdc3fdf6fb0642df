//! Data between operators, and the time to move it between CPU and GPU.

use super::cost::{EdgeCost, Moving};
use super::problem::Difference;
use crate::study::Side;
use crossover_query::Edge;

/// Data between two operators.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Flow {
    /// The edge of the plan.
    pub edge: Edge,
    /// Cost of moving the data to the other side here.
    pub cost: EdgeCost,
    /// The side to which the data moves as placed, if it moves.
    pub changes_to: Option<Side>,
    /// Time to move it as placed; 0 if both ends are on one side.
    pub moving: Moving,
}

impl Flow {
    /// Time to move the data as placed, seconds.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        self.moving.seconds()
    }
}

/// Seconds to move data between an operator and its neighbours, which stay where they are.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Moves {
    pub(super) on_cpu: f64,
    pub(super) on_gpu: f64,
}

impl Moves {
    /// The same for every operator, by place.
    pub(super) fn of_all(sides: &[Side], flows: &[Flow], ends: &[Difference]) -> Vec<Self> {
        let mut moves = vec![Self::default(); sides.len()];
        for (flow, ends) in flows.iter().zip(ends) {
            let (from, to) = (sides[ends.from], sides[ends.to]);
            moves[ends.to].on_cpu += flow.cost.seconds(from, Side::Cpu);
            moves[ends.to].on_gpu += flow.cost.seconds(from, Side::Gpu);
            moves[ends.from].on_cpu += flow.cost.seconds(Side::Cpu, to);
            moves[ends.from].on_gpu += flow.cost.seconds(Side::Gpu, to);
        }
        moves
    }

    pub(super) fn on(self, side: Side) -> f64 {
        match side {
            Side::Cpu => self.on_cpu,
            Side::Gpu => self.on_gpu,
        }
    }

    pub(super) fn is_used(self) -> bool {
        self.on_cpu + self.on_gpu > 0.0
    }
}
