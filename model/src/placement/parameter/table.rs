//! The table behind every parameter: path, symbol, unit, range, meaning and source.

use super::Parameter;
use crate::unit::Unit;

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
pub(super) const TABLE: [Info; Parameter::COUNT] = [
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
