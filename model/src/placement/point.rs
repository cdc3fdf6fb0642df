//! One point of the model: all numbers that decide one operator on one network, side by side.
//!
//! Sweeps and root finders change a point and evaluate it again; nothing is allocated on the way.

use std::ops::{Index, IndexMut};

use super::parameter::{Field, Parameter};
use super::study::{Aggregation, Overlap, Placement};

/// All numbers that decide one operator on one network, with or without compression.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    values: [f64; Parameter::COUNT],
    /// How rounds and senders are counted.
    pub aggregation: Aggregation,
    /// What runs at the same time.
    pub overlap: Overlap,
    /// Whether the GPU side compresses.
    pub compressed: bool,
    /// Whether the CPU side uses a measured cost curve.
    pub cpu_curve: bool,
    /// Whether the GPU side uses a measured cost curve.
    pub gpu_curve: bool,
}

impl Point {
    /// Gathers the numbers of one operator on one network (indices into the study).
    ///
    /// # Panics
    /// If an index is out of range.
    #[must_use]
    pub fn new(study: &Placement, operator: usize, network: usize, compressed: bool) -> Self {
        let mut values = [0.0; Parameter::COUNT];
        for parameter in Parameter::ALL {
            let field = Field::of(parameter, operator, network);
            values[parameter as usize] = field.value(study).unwrap_or(parameter.when_absent());
        }
        let chosen = &study.operators[operator];
        Self {
            values,
            aggregation: study.cluster.aggregation,
            overlap: study.policy.overlap,
            compressed,
            cpu_curve: chosen.cpu_curve.is_some(),
            gpu_curve: chosen.gpu_curve.is_some(),
        }
    }

    /// Whether only whole values of the parameter have a meaning at this point.
    #[must_use]
    pub fn is_whole(&self, parameter: Parameter) -> bool {
        match parameter {
            Parameter::Machines | Parameter::FanIn => self.aggregation == Aggregation::Exact,
            other => other.info().whole,
        }
    }

    /// Whether a parameter takes part in the formulas at this point.
    #[must_use]
    pub fn has_influence(&self, parameter: Parameter) -> bool {
        match parameter {
            Parameter::LineSpeed => false,
            Parameter::ScanSpeed | Parameter::GpuMemory => self[parameter].is_finite(),
            Parameter::NetworkRatio | Parameter::BusRatio | Parameter::CompressSpeed | Parameter::DecompressSpeed => {
                self.compressed
            }
            Parameter::CpuTime | Parameter::Power => !(self.cpu_curve && self.gpu_curve),
            Parameter::CpuParallelism => !self.cpu_curve,
            Parameter::MemoryBandwidth => !self.cpu_curve && self[parameter].is_finite(),
            Parameter::GpuParallelism => !self.gpu_curve,
            Parameter::CpuCurveFixed | Parameter::CpuCurveRate => self.cpu_curve,
            Parameter::GpuCurveFixed | Parameter::GpuCurveRate => self.gpu_curve,
            _ => true,
        }
    }
}

impl Index<Parameter> for Point {
    type Output = f64;
    fn index(&self, parameter: Parameter) -> &f64 {
        &self.values[parameter as usize]
    }
}

impl IndexMut<Parameter> for Point {
    fn index_mut(&mut self, parameter: Parameter) -> &mut f64 {
        &mut self.values[parameter as usize]
    }
}
