//! One point of the model: all numbers that decide one operator on one network, side by side.
//!
//! Sweeps and root finders change a point and evaluate it again; nothing is allocated on the way.

use super::parameter::Parameter;
use super::study::{
    Aggregation, BusNumbers, ClusterNumbers, CompressionNumbers, GpuNumbers, NetworkNumbers, NodeNumbers,
    OperatorNumbers, Overlap, Placement, PolicyNumbers,
};

/// All numbers that decide one operator on one network, with or without compression.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point<N = f64> {
    /// Machines and how their results are aggregated.
    pub cluster: ClusterNumbers<N>,
    /// The CPU side of every machine.
    pub node: NodeNumbers<N>,
    /// The network.
    pub network: NetworkNumbers<N>,
    /// Link between host memory and GPU.
    pub bus: BusNumbers<N>,
    /// The GPU side of every machine.
    pub gpu: GpuNumbers<N>,
    /// Compression on the GPU.
    pub compression: CompressionNumbers<N>,
    /// The operator.
    pub operator: OperatorNumbers<N>,
    /// How the placement is decided.
    pub policy: PolicyNumbers<N>,
    /// How rounds and senders are counted.
    pub aggregation: Aggregation,
    /// What runs at the same time.
    pub overlap: Overlap,
    /// Whether the GPU side compresses.
    pub compressed: bool,
}

impl Point {
    /// Gathers the numbers of one operator on one network (indices into the study).
    ///
    /// # Panics
    /// If an index is out of range.
    #[must_use]
    pub fn new(study: &Placement, operator: usize, network: usize, compressed: bool) -> Self {
        Self {
            cluster: (&study.cluster).into(),
            node: (&study.node).into(),
            network: (&study.networks[network]).into(),
            bus: (&study.bus).into(),
            gpu: (&study.gpu).into(),
            compression: (&study.compression).into(),
            operator: (&study.operators[operator]).into(),
            policy: (&study.policy).into(),
            aggregation: study.cluster.aggregation,
            overlap: study.policy.overlap,
            compressed,
        }
    }

    /// The same point with other values for each number.
    pub fn map<N>(&self, to: impl Fn(Parameter, f64) -> N) -> Point<N> {
        let to = &to;
        let of = |one: Parameter| move |field, inside, value| to(Parameter { group: one.group, field, inside }, value);
        Point {
            cluster: self.cluster.map(&mut of(Parameter::MACHINES)),
            node: self.node.map(&mut of(Parameter::CPU_PARALLELISM)),
            network: self.network.map(&mut of(Parameter::NETWORK_SPEED)),
            bus: self.bus.map(&mut of(Parameter::BUS_TO_GPU)),
            gpu: self.gpu.map(&mut of(Parameter::GPU_PARALLELISM)),
            compression: self.compression.map(&mut of(Parameter::NETWORK_RATIO)),
            operator: self.operator.map(&mut of(Parameter::CPU_TIME)),
            policy: self.policy.map(&mut of(Parameter::THRESHOLD)),
            aggregation: self.aggregation,
            overlap: self.overlap,
            compressed: self.compressed,
        }
    }

    /// The value of a parameter; its neutral value if it is absent.
    #[must_use]
    pub fn get(&self, parameter: Parameter) -> f64 {
        let (field, inside) = (parameter.field, parameter.inside.unwrap_or_default());
        match parameter.group {
            group if group == Parameter::MACHINES.group => self.cluster.get(field, inside),
            group if group == Parameter::CPU_PARALLELISM.group => self.node.get(field, inside),
            group if group == Parameter::NETWORK_SPEED.group => self.network.get(field, inside),
            group if group == Parameter::BUS_TO_GPU.group => self.bus.get(field, inside),
            group if group == Parameter::GPU_PARALLELISM.group => self.gpu.get(field, inside),
            group if group == Parameter::NETWORK_RATIO.group => self.compression.get(field, inside),
            group if group == Parameter::CPU_TIME.group => self.operator.get(field, inside),
            _ => self.policy.get(field, inside),
        }
    }

    /// Moves a parameter to a value; nothing in a measured curve that is absent.
    pub fn set(&mut self, parameter: Parameter, value: f64) {
        let (field, inside) = (parameter.field, parameter.inside.unwrap_or_default());
        match parameter.group {
            group if group == Parameter::MACHINES.group => self.cluster.set(field, inside, value),
            group if group == Parameter::CPU_PARALLELISM.group => self.node.set(field, inside, value),
            group if group == Parameter::NETWORK_SPEED.group => self.network.set(field, inside, value),
            group if group == Parameter::BUS_TO_GPU.group => self.bus.set(field, inside, value),
            group if group == Parameter::GPU_PARALLELISM.group => self.gpu.set(field, inside, value),
            group if group == Parameter::NETWORK_RATIO.group => self.compression.set(field, inside, value),
            group if group == Parameter::CPU_TIME.group => self.operator.set(field, inside, value),
            _ => self.policy.set(field, inside, value),
        }
    }

    /// Whether only whole values of the parameter have a meaning at this point.
    #[must_use]
    pub fn is_whole(&self, parameter: Parameter) -> bool {
        match parameter {
            Parameter::MACHINES | Parameter::FAN_IN => self.aggregation == Aggregation::Exact,
            other => other.info().whole,
        }
    }

    /// Whether a parameter takes part in the formulas at this point.
    #[must_use]
    pub fn has_influence(&self, parameter: Parameter) -> bool {
        match parameter {
            Parameter::LINE_SPEED | Parameter::ROW_CONVERSION => false,
            Parameter::SCAN_SPEED | Parameter::GPU_MEMORY => self.get(parameter).is_finite(),
            Parameter::NETWORK_RATIO
            | Parameter::BUS_RATIO
            | Parameter::COMPRESS_SPEED
            | Parameter::DECOMPRESS_SPEED => self.compressed,
            Parameter::CPU_TIME | Parameter::POWER => {
                !(self.operator.cpu_curve.is_some() && self.operator.gpu_curve.is_some())
            }
            Parameter::CPU_PARALLELISM => self.operator.cpu_curve.is_none(),
            Parameter::MEMORY_BANDWIDTH => self.operator.cpu_curve.is_none() && self.get(parameter).is_finite(),
            Parameter::GPU_PARALLELISM | Parameter::CORE_RATIO => self.operator.gpu_curve.is_none(),
            Parameter::CPU_CURVE_FIXED | Parameter::CPU_CURVE_RATE => self.operator.cpu_curve.is_some(),
            Parameter::GPU_CURVE_FIXED | Parameter::GPU_CURVE_RATE => self.operator.gpu_curve.is_some(),
            _ => true,
        }
    }
}
