//! Every number of a placement study: path, symbol, unit, range, meaning and source in one table.
//!
//! Validation, tooltips, sliders, break-evens, axes and the formulas page all read this table.

mod field;
mod table;

pub use field::Field;
pub use table::Group;

use crate::quantity::Quantity;

use table::TABLE;

/// A number that the model depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Parameter {
    /// n
    Machines,
    /// k
    FanIn,
    /// Cores' worth of speed of one machine.
    CpuParallelism,
    /// Speed that the cores of one machine share.
    MemoryBandwidth,
    /// Storage speed.
    ScanSpeed,
    /// Line speed of a network; informative.
    LineSpeed,
    /// B
    NetworkSpeed,
    /// b, host → GPU
    BusToGpu,
    /// b, GPU → host
    BusFromGpu,
    /// GPUs that share the bus.
    GpusPerMachine,
    /// M
    GpuParallelism,
    /// Memory of one GPU.
    GpuMemory,
    /// c on the network
    NetworkRatio,
    /// c on the bus
    BusRatio,
    /// v, compressing
    CompressSpeed,
    /// v, decompressing
    DecompressSpeed,
    /// t
    CpuTime,
    /// p
    Power,
    /// D
    InputSize,
    /// σ
    OutputRatio,
    /// Launch cost.
    FixedCost,
    /// a of the CPU's measured curve.
    CpuCurveFixed,
    /// b of the CPU's measured curve.
    CpuCurveRate,
    /// a of the GPU's measured curve.
    GpuCurveFixed,
    /// b of the GPU's measured curve.
    GpuCurveRate,
    /// Speedup from which the GPU is chosen.
    Threshold,
}

impl Parameter {
    /// Number of parameters.
    pub const COUNT: usize = 26;

    /// All parameters, in the order in which forms and tables show them.
    pub const ALL: [Self; Self::COUNT] = [
        Self::Machines,
        Self::FanIn,
        Self::CpuParallelism,
        Self::MemoryBandwidth,
        Self::ScanSpeed,
        Self::LineSpeed,
        Self::NetworkSpeed,
        Self::BusToGpu,
        Self::BusFromGpu,
        Self::GpusPerMachine,
        Self::GpuParallelism,
        Self::GpuMemory,
        Self::NetworkRatio,
        Self::BusRatio,
        Self::CompressSpeed,
        Self::DecompressSpeed,
        Self::CpuTime,
        Self::Power,
        Self::InputSize,
        Self::OutputRatio,
        Self::FixedCost,
        Self::CpuCurveFixed,
        Self::CpuCurveRate,
        Self::GpuCurveFixed,
        Self::GpuCurveRate,
        Self::Threshold,
    ];

    /// The part of the study that it belongs to.
    #[must_use]
    pub fn group(self) -> Group {
        match self {
            Self::Machines | Self::FanIn => Group::Cluster,
            Self::CpuParallelism | Self::MemoryBandwidth | Self::ScanSpeed => Group::Node,
            Self::LineSpeed | Self::NetworkSpeed => Group::Networks,
            Self::BusToGpu | Self::BusFromGpu => Group::Bus,
            Self::GpusPerMachine | Self::GpuParallelism | Self::GpuMemory => Group::Gpu,
            Self::NetworkRatio | Self::BusRatio | Self::CompressSpeed | Self::DecompressSpeed => Group::Compression,
            Self::CpuTime
            | Self::Power
            | Self::InputSize
            | Self::OutputRatio
            | Self::FixedCost
            | Self::CpuCurveFixed
            | Self::CpuCurveRate
            | Self::GpuCurveFixed
            | Self::GpuCurveRate => Group::Operators,
            Self::Threshold => Group::Policy,
        }
    }

    /// The value that stands for an optional field which is absent; it switches the term off.
    #[must_use]
    pub fn when_absent(self) -> f64 {
        match self {
            Self::MemoryBandwidth | Self::ScanSpeed | Self::GpuMemory | Self::CpuCurveRate | Self::GpuCurveRate => {
                f64::INFINITY
            }
            _ => 0.0,
        }
    }

    /// What is to be known about the parameter.
    #[must_use]
    pub fn info(self) -> &'static Quantity {
        &TABLE[self as usize]
    }

    /// Name of the field below its group, as it stands in a file.
    #[must_use]
    pub fn file_key(self) -> &'static str {
        match self {
            Self::Power => "class",
            Self::CpuCurveFixed => "cpu_curve.fixed_seconds",
            Self::CpuCurveRate => "cpu_curve.gb_per_s",
            Self::GpuCurveFixed => "gpu_curve.fixed_seconds",
            Self::GpuCurveRate => "gpu_curve.gb_per_s",
            other => other.info().key,
        }
    }

    /// The parameter of a field path such as `operators.join.input_gb`; the study need not have the field.
    #[must_use]
    pub fn at_path(path: &str) -> Option<Self> {
        let (group, rest) = path.split_once('.')?;
        let ends_with =
            |key: &str| rest.strip_suffix(key).is_some_and(|before| before.is_empty() || before.ends_with('.'));
        Self::ALL
            .into_iter()
            .filter(|parameter| parameter.group().key() == group && ends_with(parameter.file_key()))
            .max_by_key(|parameter| parameter.file_key().len())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_table_stands_in_the_order_of_the_parameters() {
        for (index, parameter) in Parameter::ALL.into_iter().enumerate() {
            assert_eq!(parameter as usize, index);
        }
    }

    #[test]
    fn every_parameter_says_what_it_is_and_has_a_range() {
        let keys: BTreeSet<_> = TABLE.iter().map(|info| info.key).collect();
        assert_eq!(keys.len(), Parameter::COUNT, "keys are unique");
        for info in TABLE {
            assert!(info.min < info.max && info.max.is_finite(), "{}", info.key);
            assert!(info.meaning.ends_with('.') && !info.label.is_empty(), "{}", info.key);
        }
    }

    #[test]
    fn a_path_leads_to_its_parameter() {
        for (path, expected) in [
            ("cluster.machines", Some(Parameter::Machines)),
            ("operators.hash join 2.5.input_gb", Some(Parameter::InputSize)),
            ("operators.join.fixed_seconds", Some(Parameter::FixedCost)),
            ("operators.join.gpu_curve.fixed_seconds", Some(Parameter::GpuCurveFixed)),
            ("operators.join.class", Some(Parameter::Power)),
            ("cluster.input_gb", None),
            ("machines", None),
        ] {
            assert_eq!(Parameter::at_path(path), expected, "{path}");
        }
    }

    #[test]
    fn a_value_outside_its_range_is_named_with_the_range() {
        let machines = Parameter::Machines.info();
        assert_eq!(machines.problem(1000.0), None);
        for (value, expected) in [
            (0.0, "0 is out of range; allowed: 1 … 1,000,000, whole"),
            (2.5, "2.5 is not a whole number; allowed: 1 … 1,000,000, whole"),
            (f64::NAN, "NaN is not a finite number; allowed: 1 … 1,000,000, whole"),
        ] {
            assert_eq!(machines.problem(value).as_deref(), Some(expected));
        }
    }
}
