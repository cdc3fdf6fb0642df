//! The inputs: a GPU, its kernels, the pair table, the stream of launches, and the sharing policy.

use serde::{Deserialize, Serialize};

use super::policy::Policy;
use crossover_measured::kernels::Class;
use crossover_quantity::provenance::Sources;
use crossover_quantity::quantity::whole;
use crossover_quantity::shared::Shared;
use crossover_quantity::spread::Spreads;
use crossover_study::Part;
use crossover_study::bill::Bill;

/// Most kernels of a study.
pub const MOST_KERNELS: usize = 256;
/// Most pairs that were measured.
pub const MOST_PAIRS: usize = MOST_KERNELS * (MOST_KERNELS + 1) / 2;
/// Most launches of a stream.
pub const MOST_LAUNCHES: f64 = 1_000_000.0;
/// Most kernels that share a GPU.
pub const MOST_SHARING: f64 = 8.0;
/// Most bytes of registers or shared memory of a multiprocessor.
const MOST_BYTES: f64 = 1e9;
/// Most cycles of any field: over an hour of any GPU.
const MOST_CYCLES: f64 = 1e15;

/// Source of the terms of the published method.
const METHOD: &str = "published method of preemption";
/// Source of the terms that it leaves out.
const EXTENSION: &str = "extension of the published method (docs/model/preemption.md)";

/// A preemption study: kernels that share one GPU.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Preemption {
    /// The GPU.
    #[part]
    pub gpu: Gpu,
    /// The GPU on which the kernels and pairs were measured; empty: unknown.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub profiled_on: String,
    /// Kernels; at least one, names unique.
    #[list(named, least = 1, most = MOST_KERNELS)]
    pub kernels: Vec<Kernel>,
    /// Measured pairs of kernels.
    #[list(most = MOST_PAIRS)]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pairs: Vec<Pair>,
    /// Normalised IPC of unmeasured pairs, by class.
    #[part]
    #[serde(default)]
    pub fallback: Fallback,
    /// Arrivals of launches.
    #[part]
    pub stream: Stream,
    /// How kernels share the GPU.
    #[part]
    pub rule: Rule,
    /// What the machines cost; none: no cost.
    #[part(example = "(as_of: \"May 2026\", years: 4, utilisation: 0.5, usd_per_kwh: 0.15, pue: 1.4, items: […])")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bill: Option<Box<Bill>>,
    /// Provenance of numbers, by field path; a field that is not listed was entered.
    #[serde(default, skip_serializing_if = "Sources::is_empty")]
    pub sources: Sources,
    /// Distributions of uncertain numbers, by field path; a number that is not listed has the spread of its source, or none.
    #[serde(default, skip_serializing_if = "Spreads::is_empty")]
    pub uncertain: Spreads,
}

/// The limits of a GPU that decide how many thread blocks are resident.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gpu {
    /// Name of the GPU.
    pub model: String,
    /// Clock while kernels run; converts cycles to seconds.
    #[number(label = "clock", unit = Megahertz, range = 1.0..=100_000.0, source = EXTENSION)]
    pub clock_mhz: f64,
    /// Streaming multiprocessors.
    #[number(label = "multiprocessors", unit = Count, range = 1.0..=100_000.0, whole, source = METHOD)]
    #[serde(serialize_with = "whole")]
    pub multiprocessors: f64,
    /// Registers of a multiprocessor.
    #[number(label = "registers of an SM", unit = Bytes, range = 1.0..=MOST_BYTES, whole, source = METHOD)]
    #[serde(serialize_with = "whole")]
    pub register_bytes: f64,
    /// Shared memory of a multiprocessor.
    #[number(label = "SM shared memory", unit = Bytes, range = 0.0..=MOST_BYTES, whole, source = METHOD)]
    #[serde(serialize_with = "whole")]
    pub shared_bytes: f64,
    /// Resident threads of a multiprocessor, at most.
    #[number(label = "threads of an SM", unit = Count, range = 1.0..=1e6, whole, source = METHOD)]
    #[serde(serialize_with = "whole")]
    pub threads: f64,
    /// Resident thread blocks of a multiprocessor, at most.
    #[number(label = "blocks of an SM", unit = Count, range = 1.0..=1_024.0, whole, source = METHOD)]
    #[serde(serialize_with = "whole")]
    pub blocks: f64,
}

/// A kernel that is launched repeatedly.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Kernel {
    /// Name, unique in the study.
    #[name]
    pub name: String,
    /// Instructions of one launch, all multiprocessors together.
    #[number(label = "instructions", unit = Count, range = 1.0..=1e18, source = METHOD)]
    pub instructions: f64,
    /// Instructions per cycle while it has the GPU to itself, all multiprocessors together.
    #[number(symbol = "ipc", label = "IPC of the GPU, alone", unit = Ratio, range = 1e-6..=1e9, source = METHOD)]
    pub ipc: f64,
    /// Registers of a thread block.
    #[number(symbol = "reg", label = "registers of a block", unit = Bytes, range = 0.0..=MOST_BYTES, source = METHOD)]
    pub register_bytes: f64,
    /// Shared memory of a thread block.
    #[number(symbol = "smem", label = "block shared memory", unit = Bytes, range = 0.0..=MOST_BYTES, source = METHOD)]
    pub shared_bytes: f64,
    /// Threads of a thread block.
    #[number(label = "threads of a block", unit = Count, range = 1.0..=1e6, whole, source = METHOD)]
    #[serde(serialize_with = "whole")]
    pub threads: f64,
    /// Thread blocks of one launch.
    #[number(symbol = "tb", label = "thread blocks", unit = Count, range = 1.0..=1e12, whole, source = METHOD)]
    #[serde(serialize_with = "whole")]
    pub blocks: f64,
    /// Share of the reads of the L2 cache that miss.
    #[number(label = "L2 miss rate", unit = Share, range = 0.0..=1.0, source = METHOD)]
    pub miss_rate: f64,
    /// What limits it: arithmetic or memory.
    pub class: Class,
    /// Whether its blocks may be ended and restarted: they do not overwrite what they read.
    #[serde(default)]
    pub is_idempotent: bool,
    /// How often it is launched, relative to the others.
    #[number(label = "launch weight", unit = Ratio, range = 0.0..=1e9, source = EXTENSION)]
    #[serde(default = "one")]
    pub weight: f64,
    /// Error of the scheduler's estimate of instructions: standard deviation of the logarithm.
    #[number(symbol = "σ", label = "instruction error", unit = Share, range = 0.0..=3.0, neutral = 0.0, source = EXTENSION)]
    #[serde(default)]
    pub instruction_error: f64,
}

/// Normalised IPC of two kernels that share the GPU.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pair {
    /// One kernel.
    #[reference(list = "kernels", what = "kernel of the study")]
    pub first: String,
    /// The other kernel, or the same one.
    #[reference(list = "kernels", what = "kernel of the study")]
    pub second: String,
    /// IPC of the first kernel beside the second ÷ its IPC alone.
    #[number(symbol = "n₁", label = "normalised IPC 1", unit = Ratio, range = 0.001..=2.0, source = METHOD)]
    pub first_normalised: f64,
    /// IPC of the second kernel beside the first ÷ its IPC alone.
    #[number(symbol = "n₂", label = "normalised IPC 2", unit = Ratio, range = 0.001..=2.0, source = METHOD)]
    pub second_normalised: f64,
}

/// Normalised IPC of unmeasured pairs, by the classes of both kernels.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fallback {
    /// Normalised IPC of each of two memory-intensive kernels.
    #[number(label = "memory + memory", unit = Ratio, range = 0.001..=1.0, source = LUCID)]
    pub memory_memory: f64,
    /// Normalised IPC of a memory-intensive kernel beside a compute-intensive one.
    #[number(label = "memory + compute", unit = Ratio, range = 0.001..=1.0, source = LUCID)]
    pub memory_compute: f64,
    /// Normalised IPC of a compute-intensive kernel beside a memory-intensive one.
    #[number(label = "compute + memory", unit = Ratio, range = 0.001..=1.0, source = LUCID)]
    pub compute_memory: f64,
    /// Normalised IPC of each of two compute-intensive kernels.
    #[number(label = "compute + compute", unit = Ratio, range = 0.001..=1.0, source = LUCID)]
    pub compute_compute: f64,
}

/// Source of the class means.
const LUCID: &str = "Lucid pair profiles (66 pairs memory + memory, 55 mixed, 15 compute + compute, of training jobs): mean sums of \
                     normalised speed by class; halved, which is an assumption";

impl Fallback {
    /// Normalised IPC of a kernel of one class beside a kernel of another.
    #[must_use]
    pub fn of(&self, own: Class, other: Class) -> f64 {
        match (own, other) {
            (Class::Memory, Class::Memory) => self.memory_memory,
            (Class::Memory, Class::Compute) => self.memory_compute,
            (Class::Compute, Class::Memory) => self.compute_memory,
            (Class::Compute, Class::Compute) => self.compute_compute,
        }
    }
}

impl Default for Fallback {
    fn default() -> Self {
        Self { memory_memory: 0.7265, memory_compute: 0.769, compute_memory: 0.769, compute_compute: 0.783 }
    }
}

/// Arrivals of launches.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stream {
    /// Work that arrives per time ÷ work that the GPU completes per time if it runs the launches one after the other.
    #[number(symbol = "ρ", label = "load", unit = Share, range = 0.01..=10.0, source = EXTENSION)]
    pub load: f64,
    /// Launches of a stream.
    #[number(label = "launches", unit = Count, range = 1.0..=MOST_LAUNCHES, whole, source = EXTENSION, chosen)]
    #[serde(serialize_with = "whole")]
    pub launches: f64,
    /// Streams over which results are means, each with the next seed.
    #[number(label = "streams", unit = Count, range = 1.0..=1_000.0, whole, source = EXTENSION)]
    #[serde(serialize_with = "whole")]
    pub streams: f64,
    /// The same seed gives the same streams.
    #[number(label = "seed", unit = Count, range = 0.0..=1e15, whole, source = EXTENSION, chosen)]
    #[serde(serialize_with = "whole")]
    pub seed: f64,
    /// Listed launches instead of drawn ones; load and launches then have no effect, and streams count only if
    /// instruction counts have errors.
    #[list(most = 10_000)]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub listed: Vec<Launch>,
    /// Recorded arrivals instead of random ones, stretched to the load.
    #[part(example = "(seconds: [0.0, 0.5, 0.75])")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recorded: Option<Recorded>,
}

/// One launch.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Launch {
    /// Kernel that is launched.
    #[reference(list = "kernels", what = "kernel of the study")]
    pub kernel: String,
    /// Cycle at which it arrives.
    #[number(label = "arrival", unit = Cycles, range = 0.0..=MOST_CYCLES, source = METHOD)]
    pub at_cycle: f64,
}

/// Recorded requests.
#[derive(Debug, Clone, PartialEq, Default, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recorded {
    /// Arrival times, ascending, from any origin.
    #[series(label = "arrival of a request", unit = Seconds, range = 0.0..=1e10, source = EXTENSION)]
    pub seconds: Shared<[f64]>,
    /// Sizes, in any unit: instructions are proportional, with the same mean; empty: all of one size.
    #[series(label = "size of a request", unit = Ratio, range = 1e-9..=1e12, source = EXTENSION)]
    #[serde(default, skip_serializing_if = "<[_]>::is_empty")]
    pub sizes: Shared<[f64]>,
}

/// How kernels share the GPU.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// The sharing policy that the figures describe.
    #[serde(default)]
    pub policy: Policy,
    /// Kernels that share the GPU, at most.
    #[number(label = "concurrent kernels", unit = Count, range = 1.0..=MOST_SHARING, whole, source = METHOD, chosen, decision)]
    #[serde(serialize_with = "whole")]
    pub limit: f64,
    /// Share of its speed that a memory-intensive kernel keeps during a context switch; a compute-intensive one keeps all of it.
    #[number(symbol = "d", label = "speed kept in switch", unit = Ratio, range = 0.01..=1.0, source = METHOD)]
    pub decay: f64,
    /// Cycles to save a byte of context beside a kernel without L2 cache misses.
    #[number(label = "save cycles per byte", unit = Ratio, range = 0.0..=1_000.0, source = METHOD)]
    #[serde(default = "byte")]
    pub byte_cycles: f64,
    /// Additional cycles to save a byte of context beside a kernel that misses the L2 cache at every read.
    #[number(label = "miss cycles per byte", unit = Ratio, range = 0.0..=1_000.0, source = METHOD)]
    #[serde(default = "miss")]
    pub miss_cycles: f64,
    /// Cost of loading a saved context ÷ cost of saving it; 0 in the published method.
    #[number(label = "restore ÷ save cost", unit = Ratio, range = 0.0..=10.0, neutral = 0.0, source = EXTENSION)]
    #[serde(default)]
    pub restore: f64,
    /// Cycles between two checks of the scheduler for new launches and preemptions. 0: it checks at every arrival and at every
    /// end of a kernel.
    #[number(label = "check period", unit = Cycles, range = 0.0..=MOST_CYCLES, neutral = 0.0, source = METHOD, decision)]
    #[serde(default)]
    pub period_cycles: f64,
    /// Weight of the newest run of a pair in what the scheduler learns about the pair, beginning with the values of the classes.
    /// 0: the scheduler knows every pair.
    #[number(symbol = "α", label = "experience weight", unit = Share, range = 0.0..=1.0, neutral = 0.0, source = METHOD, decision)]
    #[serde(default)]
    pub experience_weight: f64,
    /// Criterion for a preemption.
    #[serde(default)]
    pub gain: Gain,
    /// Order of candidate combinations.
    #[serde(default)]
    pub order: Order,
    /// How a launch gets its place when running kernels fill the GPU.
    #[serde(default)]
    pub displacement: Displacement,
    /// Cycles for which a kernel runs in its turn under time slicing.
    #[number(label = "time slice", unit = Cycles, range = 1_000.0..=MOST_CYCLES, source = EXTENSION, chosen, decision)]
    #[serde(default = "slice")]
    pub slice_cycles: f64,
}

/// Criterion for a preemption.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Gain {
    /// Work with the switch minus work without it, as the description of the method has it.
    #[default]
    Difference,
    /// Extra work of the new combination after the switch less the work of the staying kernels during it, as the claim has it.
    AgainstCost,
}

/// Order of candidate combinations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Order {
    /// By the sum of normalised IPC.
    #[default]
    Sum,
    /// By class as in the document: memory with compute, then compute with compute, then memory with memory; within each by sum.
    Classes,
}

/// What a launch costs where free resources do not suffice for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Displacement {
    /// It displaces blocks of running kernels, whose contexts are saved first: the runtime of the published method.
    #[default]
    Saved,
    /// Nothing: its blocks start as those of running kernels end, as with CUDA streams and MPS.
    Free,
}

impl Default for Kernel {
    fn default() -> Self {
        Self {
            name: "kernel".to_owned(),
            instructions: 1e8,
            ipc: 20.0,
            register_bytes: 32_768.0,
            shared_bytes: 0.0,
            threads: 256.0,
            blocks: 1_024.0,
            miss_rate: 0.1,
            class: Class::Compute,
            is_idempotent: false,
            weight: one(),
            instruction_error: 0.0,
        }
    }
}

impl Kernel {
    /// Cycles of one launch that has the GPU to itself.
    #[must_use]
    pub fn alone_cycles(&self) -> f64 {
        self.instructions / self.ipc
    }
}

/// A whole number of things, as a study has it.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "whole, not negative, and within its range"
)]
pub(super) fn count(value: f64) -> usize {
    value as usize
}

fn one() -> f64 {
    1.0
}

fn byte() -> f64 {
    0.01633
}

fn miss() -> f64 {
    0.09526
}

fn slice() -> f64 {
    2_000_000.0
}
