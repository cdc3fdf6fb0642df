//! The two times of an operator, term by term.
//!
//! ```text
//! work   = (t/0.1)^p · D                      one core
//! T_cpu1 = max(work/P, D/w)                    or a_c + D/b_c where measured
//! kernel = work / (M·g)                        or a_g + D/(b_g·g) where measured
//! trans  = σ·D·A / (B/8)
//! T_cpu  = T_cpu1·(1 + r) + trans + D/s
//! T_gpu  = (c′·D/b·q + c′·σ·D/b′ + kernel + f·q′)·(1 + r)
//!          + [D/v′ + σ·D/v]/g + c·trans + D/s   terms in brackets and c, c′ ≠ 1 only with compression
//! ```
//! q′ is the number of memory passes, q = q′ where p > 1 and 1 otherwise. With P = g = 1, b = b′, v = v′,
//! c′ = 1, f = 0 and s, m, w = ∞ this is the published method. See `docs/MODEL.md#placement`.

use serde::{Deserialize, Serialize};

use super::point::Point;
use super::study::{Aggregation, Overlap, Side};

/// A part of an operator's time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Term {
    /// The operator itself.
    Compute,
    /// The operator again in every aggregation round.
    AggregationCompute,
    /// Host memory → GPU.
    BusIn,
    /// GPU → host memory.
    BusOut,
    /// Results to the machines that aggregate them.
    Network,
    /// Compressing the output.
    Compress,
    /// Decompressing the input.
    Decompress,
    /// Starting the operator.
    Fixed,
    /// Reading the input from storage.
    Scan,
}

impl Term {
    /// Number of terms.
    pub const COUNT: usize = 9;

    /// All terms, in the order in which bars stack them.
    pub const ALL: [Self; Self::COUNT] = [
        Self::Compute,
        Self::AggregationCompute,
        Self::BusIn,
        Self::BusOut,
        Self::Network,
        Self::Compress,
        Self::Decompress,
        Self::Fixed,
        Self::Scan,
    ];

    /// Name as it stands in a sentence.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Compute => "compute",
            Self::AggregationCompute => "aggregation compute",
            Self::BusIn => "bus in",
            Self::BusOut => "bus out",
            Self::Network => "network",
            Self::Compress => "compress",
            Self::Decompress => "decompress",
            Self::Fixed => "fixed cost",
            Self::Scan => "storage scan",
        }
    }

    /// Name as it stands in JSON and CSV.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::Compute => "compute",
            Self::AggregationCompute => "aggregation_compute",
            Self::BusIn => "bus_in",
            Self::BusOut => "bus_out",
            Self::Network => "network",
            Self::Compress => "compress",
            Self::Decompress => "decompress",
            Self::Fixed => "fixed",
            Self::Scan => "scan",
        }
    }
}

/// Seconds by term. `seconds` adds up to the total; `hidden` runs at the same time as something longer.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Breakdown {
    /// Time that the operator waits for the term, by [`Term`].
    pub seconds: [f64; Term::COUNT],
    /// Time of the term that is covered by a longer one, by [`Term`]; all zero without overlap.
    pub hidden: [f64; Term::COUNT],
}

impl Breakdown {
    /// The operator's time, seconds.
    #[must_use]
    pub fn total(&self) -> f64 {
        self.seconds.iter().sum()
    }

    /// Seconds of one term that count.
    #[must_use]
    pub fn get(&self, term: Term) -> f64 {
        self.seconds[term as usize]
    }

    /// Part of the total that a term takes, 0 … 1.
    #[must_use]
    pub fn share(&self, term: Term) -> f64 {
        self.get(term) / self.total()
    }

    /// The largest term, and its share of the total.
    #[must_use]
    pub fn dominant(&self) -> (Term, f64) {
        let largest =
            Term::ALL.into_iter().max_by(|a, b| self.get(*a).total_cmp(&self.get(*b))).unwrap_or(Term::Compute);
        (largest, self.share(largest))
    }

    /// Groups of terms that run at the same time: the longest group counts, the others are hidden under it.
    fn overlap(&mut self, groups: &[&[Term]]) {
        let (mut longest, mut time_of_longest) = (0, f64::NEG_INFINITY);
        for (index, group) in groups.iter().enumerate() {
            let time = group.iter().map(|term| self.get(*term)).sum();
            if time > time_of_longest {
                (longest, time_of_longest) = (index, time);
            }
        }
        for (index, group) in groups.iter().enumerate() {
            if index != longest {
                for term in *group {
                    self.hidden[*term as usize] = std::mem::take(&mut self.seconds[*term as usize]);
                }
            }
        }
    }
}

/// Everything that works on the data once it is on the GPU.
const WORK_ON_GPU: &[Term] = &[Term::Compute, Term::AggregationCompute, Term::Compress, Term::Decompress];

impl Overlap {
    /// Groups of terms that run at the same time on the CPU cluster; empty if all terms add up.
    #[must_use]
    pub fn groups_on_cpu(self) -> &'static [&'static [Term]] {
        match self {
            Self::Nothing | Self::BusAndCompute => &[],
            Self::Everything => &[&[Term::Compute, Term::AggregationCompute], &[Term::Network], &[Term::Scan]],
        }
    }

    /// Groups of terms that run at the same time on the GPU cluster; empty if all terms add up.
    #[must_use]
    pub fn groups_on_gpu(self) -> &'static [&'static [Term]] {
        match self {
            Self::Nothing => &[],
            Self::BusAndCompute => &[WORK_ON_GPU, &[Term::BusIn], &[Term::BusOut]],
            Self::Everything => &[WORK_ON_GPU, &[Term::BusIn], &[Term::BusOut], &[Term::Network], &[Term::Scan]],
        }
    }
}

/// Time of one operator on either side.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Cost {
    /// On the CPU cluster.
    pub cpu: Breakdown,
    /// On the GPU cluster.
    pub gpu: Breakdown,
    /// Passes in which the data goes through GPU memory, 1 when it fits.
    pub passes: f64,
}

impl Cost {
    /// T_cpu / T_gpu.
    #[must_use]
    pub fn speedup(&self) -> f64 {
        self.cpu.total() / self.gpu.total()
    }

    /// T_cpu − θ·T_gpu, seconds: above zero where the speedup exceeds the threshold θ.
    ///
    /// The difference is taken term by term, so that a transfer which both sides wait for cancels
    /// exactly, however long it is.
    #[must_use]
    pub fn gap(&self, threshold: f64) -> f64 {
        self.cpu.seconds.iter().zip(&self.gpu.seconds).map(|(cpu, gpu)| cpu - threshold * gpu).sum()
    }

    /// The side that pays: GPU when the speedup exceeds the threshold.
    #[must_use]
    pub fn side(&self, threshold: f64) -> Side {
        if self.gap(threshold) > 0.0 { Side::Gpu } else { Side::Cpu }
    }

    /// Time on one side, seconds.
    #[must_use]
    pub fn seconds(&self, side: Side) -> f64 {
        match side {
            Side::Cpu => self.cpu.total(),
            Side::Gpu => self.gpu.total(),
        }
    }
}

/// Aggregation rounds r, and nodes A that send results.
///
/// Published: r = log_k n, A = n·k/(k−1). Exact: r = ⌈log_k n⌉, A = Σ⌈n/k^i⌉ for i = 0 … r.
#[must_use]
pub fn aggregation(mode: Aggregation, machines: f64, fan_in: f64) -> (f64, f64) {
    match mode {
        Aggregation::Published => (machines.ln() / fan_in.ln(), machines * fan_in / (fan_in - 1.0)),
        Aggregation::Exact => {
            // Counted instead of ⌈ln n / ln k⌉, which rounds wrongly at powers of k.
            let fan_in = fan_in.round().max(2.0);
            let mut nodes = machines.round().max(1.0);
            let (mut rounds, mut senders) = (0.0, nodes);
            while nodes > 1.0 {
                nodes = (nodes / fan_in).ceil();
                senders += nodes;
                rounds += 1.0;
            }
            (rounds, senders)
        }
    }
}

/// Time of one operator on either side, term by term.
#[must_use]
pub fn evaluate(x: &Point) -> Cost {
    let mut cost = evaluate_apart(x);
    cost.cpu.overlap(x.overlap.groups_on_cpu());
    cost.gpu.overlap(x.overlap.groups_on_gpu());
    cost
}

/// The same before anything overlaps: every term at its full length.
#[must_use]
pub fn evaluate_apart(x: &Point) -> Cost {
    let (rounds, senders) = aggregation(x.aggregation, x.cluster.machines, x.cluster.fan_in);
    let input = x.operator.input_gb;
    let output = x.operator.output_ratio * input;
    let power = x.operator.class;
    let gpus = x.gpu.gpus_per_machine;

    let work = raised(x.operator.cpu_seconds_per_100mb / 0.1, power) * input;
    let cpu_once = match x.operator.cpu_curve {
        Some(curve) => curve.fixed_seconds + input / curve.gb_per_s,
        None => (work / x.node.cpu_parallelism).max(input / x.node.memory_gb_per_s),
    };
    let kernel = match x.operator.gpu_curve {
        Some(curve) => curve.fixed_seconds + input / (curve.gb_per_s * gpus),
        None => work / (x.gpu.gpu_parallelism * gpus),
    };
    let transfer = output * senders / (x.network.effective_gbit_per_s / 8.0);
    let scan = input / x.node.scan_gb_per_s;
    let passes = ((input + output) / (x.gpu.gpu_memory_gb * gpus)).ceil().max(1.0);
    // Above linear work every part of the input meets every other one, so each pass streams all of it.
    let bus_passes = if power > 1.0 { passes } else { 1.0 };
    let (network_ratio, bus_ratio) =
        if x.compressed { (x.compression.network_ratio, x.compression.bus_ratio) } else { (1.0, 1.0) };

    let mut cpu = Breakdown::default();
    cpu.seconds[Term::Compute as usize] = cpu_once;
    cpu.seconds[Term::AggregationCompute as usize] = rounds * cpu_once;
    cpu.seconds[Term::Network as usize] = transfer;
    cpu.seconds[Term::Scan as usize] = scan;

    let mut gpu = Breakdown::default();
    gpu.seconds[Term::Compute as usize] = kernel;
    gpu.seconds[Term::AggregationCompute as usize] = rounds * kernel;
    gpu.seconds[Term::BusIn as usize] = (1.0 + rounds) * bus_ratio * input / x.bus.to_gpu_gb_per_s * bus_passes;
    gpu.seconds[Term::BusOut as usize] = (1.0 + rounds) * bus_ratio * output / x.bus.from_gpu_gb_per_s;
    gpu.seconds[Term::Network as usize] = network_ratio * transfer;
    gpu.seconds[Term::Fixed as usize] = (1.0 + rounds) * x.operator.fixed_seconds * passes;
    gpu.seconds[Term::Scan as usize] = scan;
    if x.compressed {
        gpu.seconds[Term::Compress as usize] = output / x.compression.compress_gb_per_s / gpus;
        gpu.seconds[Term::Decompress as usize] = input / x.compression.decompress_gb_per_s / gpus;
    }

    Cost { cpu, gpu, passes }
}

/// x^p, exact for the two published classes.
fn raised(x: f64, power: f64) -> f64 {
    if power.to_bits() == 1f64.to_bits() {
        x
    } else if power.to_bits() == 2f64.to_bits() {
        x * x
    } else {
        x.powf(power)
    }
}
