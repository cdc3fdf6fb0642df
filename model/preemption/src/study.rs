//! What the user enters: a GPU, the kernels that come to it, how fast pairs of them run together, and the rule that brings them
//! together.

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
/// Most cycles of anything: over an hour of any GPU.
const MOST_CYCLES: f64 = 1e15;

/// Source of what the published method has.
const METHOD: &str = "published method of preemption";
/// Source of what it leaves out.
const EXTENSION: &str = "extension of the published method (docs/model/preemption.md)";

/// A preemption study: kernels that come to one GPU, and share it.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Preemption {
    /// The GPU.
    #[part]
    pub gpu: Gpu,
    /// The GPU on which the kernels were profiled and paired; empty: nobody knows.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub profiled_on: String,
    /// Kernels; at least one, names unique.
    #[list(named, least = 1, most = MOST_KERNELS)]
    pub kernels: Vec<Kernel>,
    /// Pairs that were measured on one GPU together.
    #[list(most = MOST_PAIRS)]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pairs: Vec<Pair>,
    /// What holds for a pair that was not measured.
    #[part]
    #[serde(default)]
    pub fallback: Fallback,
    /// When kernels come.
    #[part]
    pub stream: Stream,
    /// How they are brought together.
    #[part]
    pub rule: Rule,
    /// What the machines cost; none: nobody asks.
    #[part(example = "(as_of: \"May 2026\", years: 4, used: 0.5, usd_per_kwh: 0.15, pue: 1.4, items: […])")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bill: Option<Box<Bill>>,
    /// Where the numbers come from, by field path; a field not listed was entered.
    #[serde(default, skip_serializing_if = "Sources::is_empty")]
    pub sources: Sources,
    /// How far numbers may be from their values, by field path; a number that is not listed has the spread of its source, or none.
    #[serde(default, skip_serializing_if = "Spreads::is_empty")]
    pub uncertain: Spreads,
}

/// The limits of a GPU that decide how many thread blocks are resident.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gpu {
    /// What it is called.
    pub model: String,
    /// Its clock while kernels run: what makes seconds of cycles.
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
    #[number(label = "SM's shared memory", unit = Bytes, range = 0.0..=MOST_BYTES, whole, source = METHOD)]
    #[serde(serialize_with = "whole")]
    pub shared_bytes: f64,
    /// Threads that a multiprocessor holds at a time.
    #[number(label = "threads of an SM", unit = Count, range = 1.0..=1e6, whole, source = METHOD)]
    #[serde(serialize_with = "whole")]
    pub threads: f64,
    /// Thread blocks that a multiprocessor holds at a time.
    #[number(label = "blocks of an SM", unit = Count, range = 1.0..=1_024.0, whole, source = METHOD)]
    #[serde(serialize_with = "whole")]
    pub blocks: f64,
}

/// A kernel, as it is launched again and again.
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
    #[number(symbol = "smem", label = "block's shared mem.", unit = Bytes, range = 0.0..=MOST_BYTES, source = METHOD)]
    pub shared_bytes: f64,
    /// Threads of a thread block.
    #[number(label = "threads of a block", unit = Count, range = 1.0..=1e6, whole, source = METHOD)]
    #[serde(serialize_with = "whole")]
    pub threads: f64,
    /// Thread blocks of one launch.
    #[number(symbol = "tb", label = "thread blocks", unit = Count, range = 1.0..=1e12, whole, source = METHOD)]
    #[serde(serialize_with = "whole")]
    pub blocks: f64,
    /// Share of the reads of the second-level cache that miss it.
    #[number(label = "miss rate", unit = Share, range = 0.0..=1.0, source = METHOD)]
    pub miss_rate: f64,
    /// What it is busy with.
    pub class: Class,
    /// Whether its blocks may be ended and started again: they write nothing that they have read.
    #[serde(default)]
    pub is_idempotent: bool,
    /// How often it comes, against the others.
    #[number(label = "share of the launches", unit = Ratio, range = 0.0..=1e9, source = EXTENSION)]
    #[serde(default = "one")]
    pub weight: f64,
    /// What the scheduler believes of its instructions is off by so much: standard deviation of the logarithm.
    #[number(symbol = "σ", label = "error of instructions", unit = Share, range = 0.0..=3.0, neutral = 0.0, source = EXTENSION)]
    #[serde(default)]
    pub instruction_error: f64,
}

/// Two kernels on one GPU together: what each has left of the speed that it has alone.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pair {
    /// One kernel.
    #[reference(list = "kernels", what = "kernel of the study")]
    pub first: String,
    /// The other one, or the same.
    #[reference(list = "kernels", what = "kernel of the study")]
    pub second: String,
    /// Instructions per cycle of the first beside the second, over those alone.
    #[number(symbol = "n₁", label = "the first keeps", unit = Ratio, range = 0.001..=2.0, source = METHOD)]
    pub first_normalised: f64,
    /// Instructions per cycle of the second beside the first, over those alone.
    #[number(symbol = "n₂", label = "the second keeps", unit = Ratio, range = 0.001..=2.0, source = METHOD)]
    pub second_normalised: f64,
}

/// What kernels of two classes have left of the speed that they have alone, where the pair was not measured.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fallback {
    /// Each of two memory-intensive kernels.
    #[number(label = "memory + memory", unit = Ratio, range = 0.001..=1.0, source = LUCID)]
    pub memory_memory: f64,
    /// A memory-intensive kernel beside a compute-intensive one.
    #[number(label = "memory + compute", unit = Ratio, range = 0.001..=1.0, source = LUCID)]
    pub memory_compute: f64,
    /// A compute-intensive kernel beside a memory-intensive one.
    #[number(label = "compute + memory", unit = Ratio, range = 0.001..=1.0, source = LUCID)]
    pub compute_memory: f64,
    /// Each of two compute-intensive kernels.
    #[number(label = "compute + compute", unit = Ratio, range = 0.001..=1.0, source = LUCID)]
    pub compute_compute: f64,
}

/// Source of the class means.
const LUCID: &str = "Lucid pair profiles (66 pairs memory + memory, 55 mixed, 15 compute + compute, of training jobs): mean sums of \
                     normalised speed by class; halved, which is an assumption";

impl Fallback {
    /// What a kernel of a class has left beside one of another class.
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

/// When kernels come.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stream {
    /// Kernels come so fast that one GPU that runs them one after the other would be busy for this share of the time.
    #[number(symbol = "ρ", label = "load", unit = Share, range = 0.01..=10.0, source = EXTENSION)]
    pub load: f64,
    /// So many launches are a stream.
    #[number(label = "launches", unit = Count, range = 1.0..=MOST_LAUNCHES, whole, source = EXTENSION, chosen)]
    #[serde(serialize_with = "whole")]
    pub launches: f64,
    /// Results are means over so many streams, each with the next seed.
    #[number(label = "streams", unit = Count, range = 1.0..=1_000.0, whole, source = EXTENSION)]
    #[serde(serialize_with = "whole")]
    pub streams: f64,
    /// The same seed gives the same streams.
    #[number(label = "seed", unit = Count, range = 0.0..=1e15, whole, source = EXTENSION, chosen)]
    #[serde(serialize_with = "whole")]
    pub seed: f64,
    /// Launches one by one, instead of drawn ones; load, launches and streams mean nothing then.
    #[list(most = 10_000)]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub listed: Vec<Launch>,
    /// When requests came somewhere, instead of at random: stretched to the load.
    #[part(example = "(seconds: [0.0, 0.5, 0.75])")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recorded: Option<Recorded>,
}

/// One launch.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Launch {
    /// What is launched.
    #[reference(list = "kernels", what = "kernel of the study")]
    pub kernel: String,
    /// When.
    #[number(label = "comes at", unit = Cycles, range = 0.0..=MOST_CYCLES, source = METHOD)]
    pub at_cycle: f64,
}

/// Recorded requests.
#[derive(Debug, Clone, PartialEq, Default, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recorded {
    /// When each came, ascending, from any beginning.
    #[series(label = "time of a request", unit = Seconds, range = 0.0..=1e10, source = EXTENSION)]
    pub seconds: Shared<[f64]>,
    /// How large each was, in any unit: instructions follow it, with the same mean; empty: all alike.
    #[series(label = "size of a request", unit = Ratio, range = 1e-9..=1e12, source = EXTENSION)]
    #[serde(default, skip_serializing_if = "<[_]>::is_empty")]
    pub sizes: Shared<[f64]>,
}

/// How kernels are brought together.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// Which of the policies is looked at; figures are its figures.
    #[serde(default)]
    pub policy: Policy,
    /// At most so many kernels share the GPU.
    #[number(label = "kernels at a time", unit = Count, range = 1.0..=MOST_SHARING, whole, source = METHOD, chosen)]
    #[serde(serialize_with = "whole")]
    pub limit: f64,
    /// What a memory-intensive kernel that stays has left of its speed while another one is swapped out; one that computes keeps
    /// all of it.
    #[number(symbol = "d", label = "decay", unit = Ratio, range = 0.01..=1.0, source = METHOD)]
    pub decay: f64,
    /// Cycles that a byte takes to be saved beside a kernel that never misses the cache.
    #[number(label = "cycles for a byte", unit = Ratio, range = 0.0..=1_000.0, source = METHOD)]
    #[serde(default = "byte")]
    pub byte_cycles: f64,
    /// Cycles more for a byte beside a kernel that misses at every read.
    #[number(label = "more if all misses", unit = Ratio, range = 0.0..=1_000.0, source = METHOD)]
    #[serde(default = "miss")]
    pub miss_cycles: f64,
    /// What loading a saved kernel again costs, of what saving it did; the published method charges nothing.
    #[number(label = "cost of loading again", unit = Ratio, range = 0.0..=10.0, neutral = 0.0, source = EXTENSION)]
    #[serde(default)]
    pub restore: f64,
    /// What is compared with what when a kernel might be preempted.
    #[serde(default)]
    pub gain: Gain,
    /// Which combination comes first.
    #[serde(default)]
    pub order: Order,
    /// How long a kernel runs at a time where time is sliced.
    #[number(label = "time slice", unit = Cycles, range = 1_000.0..=MOST_CYCLES, source = EXTENSION, chosen)]
    #[serde(default = "slice")]
    pub slice_cycles: f64,
}

/// What is compared with what when a kernel might be preempted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Gain {
    /// Work done in the window with the switch against work done without it: the description of the method.
    #[default]
    Difference,
    /// What the new combination does more after the switch against what the kernel that stays does during it: the claim's words.
    AgainstCost,
}

/// Which combination of kernels comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Order {
    /// The one with the largest sum of normalised instructions per cycle.
    #[default]
    Sum,
    /// The document's classes: memory with compute, then compute with compute, then memory with memory; sums among those alike.
    Classes,
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
