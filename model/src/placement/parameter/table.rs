//! The table behind every parameter: path, symbol, unit, range, meaning and source.

use super::Parameter;
use crate::quantity::Quantity;
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

/// Source of the terms that the published method has.
const PUBLISHED: &str = "published method, steps 120–130";
/// Source of the terms that the published method leaves out.
const EXTENSION: &str = "extension of the published method, neutral by default (docs/MODEL.md)";

/// In the order of [`Parameter::ALL`].
pub(super) const TABLE: [Quantity; Parameter::COUNT] = [
    Quantity::new("machines", "n", "machines", PUBLISHED)
        .unit(Unit::Count, 1.0, 1e6)
        .whole()
        .meaning("Machines in the cluster; every machine works on its own share of the data."),
    Quantity::new("fan_in", "k", "fan-in", PUBLISHED)
        .unit(Unit::Count, 2.0, 1e6)
        .whole()
        .meaning("Machines whose results are aggregated by one machine in each round."),
    Quantity::new("cpu_parallelism", "P", "CPU parallelism", EXTENSION)
        .unit(Unit::Ratio, 0.01, 1e5)
        .meaning("How many times faster the whole machine is than the one core that t describes."),
    Quantity::new("memory_gb_per_s", "w", "memory bandwidth", EXTENSION)
        .unit(Unit::GigabytesPerSecond, 0.1, 1e5)
        .optional()
        .meaning("What all cores of one machine read at most per second, however fast the operator is on one core."),
    Quantity::new("scan_gb_per_s", "s", "storage scan speed", EXTENSION)
        .unit(Unit::GigabytesPerSecond, 1e-3, 1e5)
        .optional()
        .meaning("Speed at which each machine reads its input from storage; paid on both sides."),
    Quantity::new("line_gbit_per_s", "", "line speed", PUBLISHED)
        .unit(Unit::GigabitsPerSecond, 1e-3, 1e6)
        .meaning("Nominal speed of the link; informative, the model uses the effective speed."),
    Quantity::new("effective_gbit_per_s", "B", "effective speed", PUBLISHED)
        .unit(Unit::GigabitsPerSecond, 1e-3, 1e6)
        .meaning("Speed that an application really gets between two nodes."),
    Quantity::new("to_gpu_gb_per_s", "b", "host → GPU", PUBLISHED)
        .unit(Unit::GigabytesPerSecond, 1e-2, 1e5)
        .meaning("Effective bus speed from host memory to the GPU."),
    Quantity::new("from_gpu_gb_per_s", "b′", "GPU → host", PUBLISHED)
        .unit(Unit::GigabytesPerSecond, 1e-2, 1e5)
        .meaning("Effective bus speed from the GPU to host memory; the published method has one speed for both."),
    Quantity::new("gpus_per_machine", "g", "GPUs per machine", EXTENSION)
        .unit(Unit::Count, 1.0, 64.0)
        .whole()
        .meaning("GPUs that share the work and the bus of one machine."),
    Quantity::new("gpu_parallelism", "M", "GPU parallelism", PUBLISHED)
        .unit(Unit::Ratio, 1e-2, 1e6)
        .meaning("How many times faster one GPU runs an operator than one CPU core, once the data is on the GPU."),
    Quantity::new("gpu_memory_gb", "m", "GPU memory", EXTENSION)
        .unit(Unit::Gigabytes, 0.1, 1e5)
        .optional()
        .meaning("Memory of one GPU; input and output that do not fit are processed in passes."),
    Quantity::new("network_ratio", "c", "ratio on the network", PUBLISHED)
        .unit(Unit::Ratio, 1e-3, 2.0)
        .meaning("Compressed size / raw size of the results that cross the network."),
    Quantity::new("bus_ratio", "c′", "ratio on the bus", EXTENSION)
        .unit(Unit::Ratio, 1e-3, 2.0)
        .meaning("Compressed size / raw size of what crosses the bus; 1: the bus carries raw data."),
    Quantity::new("compress_gb_per_s", "v", "compression speed", PUBLISHED)
        .unit(Unit::GigabytesPerSecond, 1e-3, 1e5)
        .meaning("Raw bytes per second that one GPU compresses."),
    Quantity::new("decompress_gb_per_s", "v′", "decompression speed", PUBLISHED)
        .unit(Unit::GigabytesPerSecond, 1e-3, 1e5)
        .meaning("Raw bytes per second that one GPU decompresses; the published method has one speed for both."),
    Quantity::new("cpu_seconds_per_100mb", "t", "CPU time per 100 MB", PUBLISHED)
        .unit(Unit::SecondsPer100Mb, 1e-6, 1e3)
        .meaning("Time that one CPU core needs for 100 MB of this operator's input."),
    Quantity::new("power", "p", "exponent", PUBLISHED)
        .unit(Unit::Ratio, 0.1, 4.0)
        .meaning("Exponent of t/0.1 in the operator's time: 1 linear, 2 quadratic."),
    Quantity::new("input_gb", "D", "input per machine", PUBLISHED)
        .unit(Unit::Gigabytes, 1e-6, 1e6)
        .meaning("Data that each machine reads for this operator."),
    Quantity::new("output_ratio", "σ", "output / input", PUBLISHED)
        .unit(Unit::Ratio, 0.0, 1e3)
        .meaning("Size of the operator's result relative to its input: selectivity, or expansion above 1."),
    Quantity::new("fixed_seconds", "f", "fixed cost", EXTENSION)
        .unit(Unit::Seconds, 0.0, 1e4)
        .meaning("Time to start the operator on the GPU, paid in every aggregation round and memory pass."),
    Quantity::new("cpu_curve_fixed_seconds", "a_c", "CPU curve, fixed", EXTENSION)
        .unit(Unit::Seconds, 0.0, 1e4)
        .meaning("Fixed part of the measured CPU time of the whole machine, T = a + D/b."),
    Quantity::new("cpu_curve_gb_per_s", "b_c", "CPU curve, rate", EXTENSION)
        .unit(Unit::GigabytesPerSecond, 1e-6, 1e6)
        .meaning("Rate of the measured CPU time of the whole machine, T = a + D/b."),
    Quantity::new("gpu_curve_fixed_seconds", "a_g", "GPU curve, fixed", EXTENSION)
        .unit(Unit::Seconds, 0.0, 1e4)
        .meaning("Fixed part of the measured kernel time of one GPU, T = a + D/b."),
    Quantity::new("gpu_curve_gb_per_s", "b_g", "GPU curve, rate", EXTENSION)
        .unit(Unit::GigabytesPerSecond, 1e-6, 1e6)
        .meaning("Rate of the measured kernel time of one GPU, T = a + D/b."),
    Quantity::new("threshold", "θ", "threshold", "published method, step 150")
        .unit(Unit::Factor, 0.1, 100.0)
        .meaning("An operator goes to the GPU when its speedup exceeds this; 1 or more in the published method."),
];
