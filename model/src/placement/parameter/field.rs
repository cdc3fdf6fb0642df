//! One number of a study: where it stands and how it is read and written.

use super::{Group, Parameter};
use crate::placement::study::{Class, CostCurve, Placement};

/// One number of a study: a parameter, and which network or operator it belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Field {
    /// Which number.
    pub parameter: Parameter,
    /// Index of the network or operator; 0 for everything else.
    pub index: usize,
}

impl Field {
    /// The field of a parameter for the given operator and network.
    #[must_use]
    pub fn of(parameter: Parameter, operator: usize, network: usize) -> Self {
        let index = match parameter.group() {
            Group::Operators => operator,
            Group::Networks => network,
            _ => 0,
        };
        Self { parameter, index }
    }

    /// Every number that a study has now; absent optional fields are left out.
    pub fn all(study: &Placement) -> impl Iterator<Item = Self> + '_ {
        Parameter::ALL.into_iter().flat_map(move |parameter| {
            let count = match parameter.group() {
                Group::Operators => study.operators.len(),
                Group::Networks => study.networks.len(),
                _ => 1,
            };
            (0..count).map(move |index| Self { parameter, index }).filter(move |field| field.value(study).is_some())
        })
    }

    /// Path of the field, as `--set` takes it: `operators.join.input_gb`.
    #[must_use]
    pub fn path(self, study: &Placement) -> String {
        let group = self.parameter.group().key();
        let name = match self.parameter.group() {
            Group::Operators => study.operators.get(self.index).map(|operator| operator.name.as_str()),
            Group::Networks => study.networks.get(self.index).map(|network| network.name.as_str()),
            _ => None,
        };
        let key = self.parameter.file_key();
        name.map_or_else(|| format!("{group}.{key}"), |name| format!("{group}.{name}.{key}"))
    }

    /// The value in the study; `None` if the optional field is absent.
    #[must_use]
    pub fn value(self, study: &Placement) -> Option<f64> {
        let operator = || study.operators.get(self.index);
        let network = || study.networks.get(self.index);
        match self.parameter {
            Parameter::Machines => Some(study.cluster.machines),
            Parameter::FanIn => Some(study.cluster.fan_in),
            Parameter::CpuParallelism => Some(study.node.cpu_parallelism),
            Parameter::MemoryBandwidth => study.node.memory_gb_per_s,
            Parameter::ScanSpeed => study.node.scan_gb_per_s,
            Parameter::LineSpeed => network().map(|network| network.line_gbit_per_s),
            Parameter::NetworkSpeed => network().map(|network| network.effective_gbit_per_s),
            Parameter::BusToGpu => Some(study.bus.to_gpu_gb_per_s),
            Parameter::BusFromGpu => Some(study.bus.from_gpu_gb_per_s),
            Parameter::GpusPerMachine => Some(study.gpu.gpus_per_machine),
            Parameter::GpuParallelism => Some(study.gpu.gpu_parallelism),
            Parameter::GpuMemory => study.gpu.gpu_memory_gb,
            Parameter::NetworkRatio => Some(study.compression.network_ratio),
            Parameter::BusRatio => Some(study.compression.bus_ratio),
            Parameter::CompressSpeed => Some(study.compression.compress_gb_per_s),
            Parameter::DecompressSpeed => Some(study.compression.decompress_gb_per_s),
            Parameter::CpuTime => operator().map(|operator| operator.cpu_seconds_per_100mb),
            Parameter::Power => operator().map(|operator| operator.class.power()),
            Parameter::InputSize => operator().map(|operator| operator.input_gb),
            Parameter::OutputRatio => operator().map(|operator| operator.output_ratio),
            Parameter::FixedCost => operator().map(|operator| operator.fixed_seconds),
            Parameter::CpuCurveFixed => operator()?.cpu_curve.map(|curve| curve.fixed_seconds),
            Parameter::CpuCurveRate => operator()?.cpu_curve.map(|curve| curve.gb_per_s),
            Parameter::GpuCurveFixed => operator()?.gpu_curve.map(|curve| curve.fixed_seconds),
            Parameter::GpuCurveRate => operator()?.gpu_curve.map(|curve| curve.gb_per_s),
            Parameter::Threshold => Some(study.policy.threshold),
        }
    }

    /// The place of the value in the study; `None` if the optional field is absent, or the exponent
    /// of an operator is fixed by its class.
    pub fn value_mut(self, study: &mut Placement) -> Option<&mut f64> {
        let index = self.index;
        match self.parameter {
            Parameter::Machines => Some(&mut study.cluster.machines),
            Parameter::FanIn => Some(&mut study.cluster.fan_in),
            Parameter::CpuParallelism => Some(&mut study.node.cpu_parallelism),
            Parameter::MemoryBandwidth => study.node.memory_gb_per_s.as_mut(),
            Parameter::ScanSpeed => study.node.scan_gb_per_s.as_mut(),
            Parameter::LineSpeed => study.networks.get_mut(index).map(|network| &mut network.line_gbit_per_s),
            Parameter::NetworkSpeed => study.networks.get_mut(index).map(|network| &mut network.effective_gbit_per_s),
            Parameter::BusToGpu => Some(&mut study.bus.to_gpu_gb_per_s),
            Parameter::BusFromGpu => Some(&mut study.bus.from_gpu_gb_per_s),
            Parameter::GpusPerMachine => Some(&mut study.gpu.gpus_per_machine),
            Parameter::GpuParallelism => Some(&mut study.gpu.gpu_parallelism),
            Parameter::GpuMemory => study.gpu.gpu_memory_gb.as_mut(),
            Parameter::NetworkRatio => Some(&mut study.compression.network_ratio),
            Parameter::BusRatio => Some(&mut study.compression.bus_ratio),
            Parameter::CompressSpeed => Some(&mut study.compression.compress_gb_per_s),
            Parameter::DecompressSpeed => Some(&mut study.compression.decompress_gb_per_s),
            Parameter::Threshold => Some(&mut study.policy.threshold),
            Parameter::CpuTime
            | Parameter::Power
            | Parameter::InputSize
            | Parameter::OutputRatio
            | Parameter::FixedCost
            | Parameter::CpuCurveFixed
            | Parameter::CpuCurveRate
            | Parameter::GpuCurveFixed
            | Parameter::GpuCurveRate => {
                let operator = study.operators.get_mut(index)?;
                match self.parameter {
                    Parameter::CpuTime => Some(&mut operator.cpu_seconds_per_100mb),
                    Parameter::Power => match &mut operator.class {
                        Class::Power(p) => Some(p),
                        Class::Linear | Class::Quadratic => None,
                    },
                    Parameter::InputSize => Some(&mut operator.input_gb),
                    Parameter::OutputRatio => Some(&mut operator.output_ratio),
                    Parameter::FixedCost => Some(&mut operator.fixed_seconds),
                    Parameter::CpuCurveFixed => operator.cpu_curve.as_mut().map(fixed_part),
                    Parameter::CpuCurveRate => operator.cpu_curve.as_mut().map(rate_part),
                    Parameter::GpuCurveFixed => operator.gpu_curve.as_mut().map(fixed_part),
                    _ => operator.gpu_curve.as_mut().map(rate_part),
                }
            }
        }
    }
}

fn fixed_part(curve: &mut CostCurve) -> &mut f64 {
    &mut curve.fixed_seconds
}

fn rate_part(curve: &mut CostCurve) -> &mut f64 {
    &mut curve.gb_per_s
}
