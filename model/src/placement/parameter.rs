//! Every number of a placement study: path, symbol, unit, range, meaning and source in one table.
//!
//! Validation, tooltips, sliders, break-evens, axes and the formulas page all read this table.

use super::study::{Class, CostCurve, Placement};
use crate::unit::Unit;

/// A number that the model depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Parameter {
    /// n
    Machines,
    /// k
    FanIn,
    /// Cores' worth of speed of one machine.
    CpuParallelism,
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

/// The part of a study that a parameter belongs to; the first segment of its path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Group {
    /// `cluster`
    Cluster,
    /// `node`
    Node,
    /// `networks`, one value for each network
    Networks,
    /// `bus`
    Bus,
    /// `gpu`
    Gpu,
    /// `compression`
    Compression,
    /// `operators`, one value for each operator
    Operators,
    /// `policy`
    Policy,
}

impl Group {
    /// Name of the group in a path and in a scenario file.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::Cluster => "cluster",
            Self::Node => "node",
            Self::Networks => "networks",
            Self::Bus => "bus",
            Self::Gpu => "gpu",
            Self::Compression => "compression",
            Self::Operators => "operators",
            Self::Policy => "policy",
        }
    }
}

/// Everything that is to be known about a parameter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Info {
    /// Part of the study.
    pub group: Group,
    /// Name of the field in the file; unique among all parameters.
    pub key: &'static str,
    /// Symbol in the formulas.
    pub symbol: &'static str,
    /// Short name for a form.
    pub label: &'static str,
    /// Unit of the value.
    pub unit: Unit,
    /// Smallest allowed value.
    pub min: f64,
    /// Largest allowed value.
    pub max: f64,
    /// Whether only whole numbers are allowed.
    pub whole: bool,
    /// Value that stands for an optional field which is absent; it switches the term off.
    pub absent: f64,
    /// What it means, one sentence.
    pub meaning: &'static str,
    /// Where the definition comes from.
    pub source: &'static str,
}

impl Info {
    /// Whether the range spans so many decades that a linear slider would be useless.
    #[must_use]
    pub fn is_wide(&self) -> bool {
        self.min > 0.0 && self.max / self.min >= 1e3
    }

    /// The allowed range in words, e.g. "1 … 1,000,000".
    #[must_use]
    pub fn range(&self) -> String {
        let whole = if self.whole { ", whole" } else { "" };
        format!("{} … {}{whole}", self.unit.format(self.min), self.unit.format(self.max))
    }

    /// What is wrong with a value, if anything.
    #[must_use]
    pub fn problem(&self, value: f64) -> Option<String> {
        if !value.is_finite() {
            Some(format!("{value} is not a finite number; allowed: {}", self.range()))
        } else if value < self.min || value > self.max {
            Some(format!("{value} is out of range; allowed: {}", self.range()))
        } else if self.whole && value.fract() != 0.0 {
            Some(format!("{value} is not a whole number; allowed: {}", self.range()))
        } else {
            None
        }
    }
}

/// Source of the terms that the published method has.
const PUBLISHED: &str = "published method, steps 120–130";
/// Source of the terms that the published method leaves out.
const EXTENSION: &str = "extension of the published method, neutral by default (docs/MODEL.md)";

const fn info(group: Group, key: &'static str, symbol: &'static str, label: &'static str) -> Info {
    Info {
        group,
        key,
        symbol,
        label,
        unit: Unit::Ratio,
        min: 0.0,
        max: 0.0,
        whole: false,
        absent: 0.0,
        meaning: "",
        source: PUBLISHED,
    }
}

impl Info {
    const fn unit(mut self, unit: Unit, min: f64, max: f64) -> Self {
        self.unit = unit;
        self.min = min;
        self.max = max;
        self
    }
    const fn whole(mut self) -> Self {
        self.whole = true;
        self
    }
    const fn extension(mut self, neutral: f64) -> Self {
        self.absent = neutral;
        self.source = EXTENSION;
        self
    }
    const fn meaning(mut self, meaning: &'static str) -> Self {
        self.meaning = meaning;
        self
    }
}

/// In the order of [`Parameter::ALL`].
const TABLE: [Info; Parameter::COUNT] = [
    info(Group::Cluster, "machines", "n", "machines")
        .unit(Unit::Count, 1.0, 1e6)
        .whole()
        .meaning("Machines in the cluster; every machine works on its own share of the data."),
    info(Group::Cluster, "fan_in", "k", "fan-in")
        .unit(Unit::Count, 2.0, 1e6)
        .whole()
        .meaning("Machines whose results are aggregated by one machine in each round."),
    info(Group::Node, "cpu_parallelism", "P", "CPU parallelism")
        .unit(Unit::Ratio, 0.01, 1e5)
        .extension(1.0)
        .meaning("How many times faster the whole machine is than the one core that t describes."),
    info(Group::Node, "scan_gb_per_s", "s", "storage scan speed")
        .unit(Unit::GigabytesPerSecond, 1e-3, 1e5)
        .extension(f64::INFINITY)
        .meaning("Speed at which each machine reads its input from storage; paid on both sides."),
    info(Group::Networks, "line_gbit_per_s", "", "line speed")
        .unit(Unit::GigabitsPerSecond, 1e-3, 1e6)
        .meaning("Nominal speed of the link; informative, the model uses the effective speed."),
    info(Group::Networks, "effective_gbit_per_s", "B", "effective speed")
        .unit(Unit::GigabitsPerSecond, 1e-3, 1e6)
        .meaning("Speed that an application really gets between two nodes."),
    info(Group::Bus, "to_gpu_gb_per_s", "b", "host → GPU")
        .unit(Unit::GigabytesPerSecond, 1e-2, 1e5)
        .meaning("Effective bus speed from host memory to the GPU."),
    info(Group::Bus, "from_gpu_gb_per_s", "b′", "GPU → host")
        .unit(Unit::GigabytesPerSecond, 1e-2, 1e5)
        .meaning("Effective bus speed from the GPU to host memory; the published method has one speed for both."),
    info(Group::Gpu, "gpus_per_machine", "g", "GPUs per machine")
        .unit(Unit::Count, 1.0, 64.0)
        .whole()
        .extension(1.0)
        .meaning("GPUs that share the work and the bus of one machine."),
    info(Group::Gpu, "gpu_parallelism", "M", "GPU parallelism")
        .unit(Unit::Ratio, 1e-2, 1e6)
        .meaning("How many times faster one GPU runs an operator than one CPU core, once the data is on the GPU."),
    info(Group::Gpu, "gpu_memory_gb", "m", "GPU memory")
        .unit(Unit::Gigabytes, 0.1, 1e5)
        .extension(f64::INFINITY)
        .meaning("Memory of one GPU; input and output that do not fit are processed in passes."),
    info(Group::Compression, "network_ratio", "c", "ratio on the network")
        .unit(Unit::Ratio, 1e-3, 2.0)
        .meaning("Compressed size / raw size of the results that cross the network."),
    info(Group::Compression, "bus_ratio", "c′", "ratio on the bus")
        .unit(Unit::Ratio, 1e-3, 2.0)
        .extension(1.0)
        .meaning("Compressed size / raw size of what crosses the bus; 1: the bus carries raw data."),
    info(Group::Compression, "compress_gb_per_s", "v", "compression speed")
        .unit(Unit::GigabytesPerSecond, 1e-3, 1e5)
        .meaning("Raw bytes per second that one GPU compresses."),
    info(Group::Compression, "decompress_gb_per_s", "v′", "decompression speed")
        .unit(Unit::GigabytesPerSecond, 1e-3, 1e5)
        .meaning("Raw bytes per second that one GPU decompresses; the published method has one speed for both."),
    info(Group::Operators, "cpu_seconds_per_100mb", "t", "CPU time per 100 MB")
        .unit(Unit::SecondsPer100Mb, 1e-6, 1e3)
        .meaning("Time that one CPU core needs for 100 MB of this operator's input."),
    info(Group::Operators, "power", "p", "exponent")
        .unit(Unit::Ratio, 0.1, 4.0)
        .meaning("Exponent of t/0.1 in the operator's time: 1 linear, 2 quadratic."),
    info(Group::Operators, "input_gb", "D", "input per machine")
        .unit(Unit::Gigabytes, 1e-6, 1e6)
        .meaning("Data that each machine reads for this operator."),
    info(Group::Operators, "output_ratio", "σ", "output / input")
        .unit(Unit::Ratio, 0.0, 1e3)
        .meaning("Size of the operator's result relative to its input: selectivity, or expansion above 1."),
    info(Group::Operators, "fixed_seconds", "f", "fixed cost")
        .unit(Unit::Seconds, 0.0, 1e4)
        .extension(0.0)
        .meaning("Time to start the operator on the GPU, paid in every aggregation round and memory pass."),
    info(Group::Operators, "cpu_curve_fixed_seconds", "a_c", "CPU curve, fixed")
        .unit(Unit::Seconds, 0.0, 1e4)
        .extension(0.0)
        .meaning("Fixed part of the measured CPU time of the whole machine, T = a + D/b."),
    info(Group::Operators, "cpu_curve_gb_per_s", "b_c", "CPU curve, rate")
        .unit(Unit::GigabytesPerSecond, 1e-6, 1e6)
        .extension(f64::INFINITY)
        .meaning("Rate of the measured CPU time of the whole machine, T = a + D/b."),
    info(Group::Operators, "gpu_curve_fixed_seconds", "a_g", "GPU curve, fixed")
        .unit(Unit::Seconds, 0.0, 1e4)
        .extension(0.0)
        .meaning("Fixed part of the measured kernel time of one GPU, T = a + D/b."),
    info(Group::Operators, "gpu_curve_gb_per_s", "b_g", "GPU curve, rate")
        .unit(Unit::GigabytesPerSecond, 1e-6, 1e6)
        .extension(f64::INFINITY)
        .meaning("Rate of the measured kernel time of one GPU, T = a + D/b."),
    Info {
        source: "published method, step 150",
        ..info(Group::Policy, "threshold", "θ", "threshold")
            .unit(Unit::Factor, 0.1, 100.0)
            .meaning("An operator goes to the GPU when its speedup exceeds this; 1 or more in the published method.")
    },
];

impl Parameter {
    /// Number of parameters.
    pub const COUNT: usize = 25;

    /// All parameters, in the order in which forms and tables show them.
    pub const ALL: [Self; Self::COUNT] = [
        Self::Machines,
        Self::FanIn,
        Self::CpuParallelism,
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

    /// What is to be known about the parameter.
    #[must_use]
    pub fn info(self) -> &'static Info {
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
            .filter(|parameter| parameter.info().group.key() == group && ends_with(parameter.file_key()))
            .max_by_key(|parameter| parameter.file_key().len())
    }
}

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
        let index = match parameter.info().group {
            Group::Operators => operator,
            Group::Networks => network,
            _ => 0,
        };
        Self { parameter, index }
    }

    /// Every number that a study has now; absent optional fields are left out.
    pub fn all(study: &Placement) -> impl Iterator<Item = Self> + '_ {
        Parameter::ALL.into_iter().flat_map(move |parameter| {
            let count = match parameter.info().group {
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
        let info = self.parameter.info();
        let group = info.group.key();
        let name = match info.group {
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
