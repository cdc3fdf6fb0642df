//! The two times of an operator, term by term: one formula, for a point and for many at once (see [`crossover_study::formula`]).
//!
//! ```text
//! work   = (t/0.1)^p · D                      one core
//! T_cpu1 = max(work/P, D/w)                    or a_c + D/b_c where measured
//! kernel = ρ·work / (M·g)                      or a_g + D/(b_g·g) where measured
//! trans  = σ·D·A / (B/8)
//! T_cpu  = T_cpu1·(1 + r) + trans + D/s
//! T_gpu  = (c′·D/b·q + c′·σ·D/b′ + kernel + f·q′)·(1 + r)
//!          + [D/v′ + σ·D/v]/g + c·trans + D/s   terms in brackets and c, c′ ≠ 1 only with compression
//! ```
//! q′ is the number of memory passes, q = q′ where p > 1 and 1 otherwise. With P = g = ρ = 1, b = b′, v = v′,
//! c′ = 1, f = 0 and s, m, w = ∞ this is the published method. See `docs/model/placement.md`.

use serde::{Deserialize, Serialize};

use super::point::Point;
use super::study::{Aggregation, Overlap, Side};
use crossover_study::formula::Real;

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

    /// Name in a sentence.
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

    /// Name in JSON and CSV.
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
pub struct Breakdown<N = f64> {
    /// Time of the term that counts, by [`Term`].
    pub seconds: [N; Term::COUNT],
    /// Time of the term that is covered by a longer one, by [`Term`]; all zero without overlap.
    pub hidden: [N; Term::COUNT],
}

impl<N: Real> Breakdown<N> {
    /// A breakdown with all terms 0.
    #[must_use]
    pub fn nothing() -> Self {
        let zero = N::from(0.0);
        Self { seconds: [zero; Term::COUNT], hidden: [zero; Term::COUNT] }
    }

    /// The operator's time, seconds.
    #[must_use]
    pub fn total(&self) -> N {
        sum(self.seconds)
    }

    /// Seconds of one term that count.
    #[must_use]
    pub fn get(&self, term: Term) -> N {
        self.seconds[term as usize]
    }

    /// Groups of terms that run at the same time: the longest group counts, the others are hidden under it.
    fn overlap(&mut self, groups: &[&[Term]]) {
        let zero = N::from(0.0);
        let Some((first, others)) = groups.split_first() else { return };
        let time_of = |group: &[Term]| sum(group.iter().map(|term| self.get(*term)));
        let (mut longest, mut time_of_longest) = (zero, time_of(first));
        for (before, group) in others.iter().enumerate() {
            let time = time_of(group);
            longest = time.if_above(time_of_longest, N::from(before as f64 + 1.0), longest);
            time_of_longest = time.if_above(time_of_longest, time, time_of_longest);
        }
        for (index, group) in groups.iter().enumerate() {
            // Indices are whole numbers, so bounds half a step away select exactly one.
            let [below, above] = [-0.5, 0.5].map(|half| N::from(index as f64 + half));
            for term in *group {
                let time = self.get(*term);
                let counts = longest.if_above(below, longest.if_above(above, zero, time), zero);
                self.seconds[*term as usize] = counts;
                self.hidden[*term as usize] = time - counts;
            }
        }
    }
}

impl Breakdown {
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
}

fn sum<N: Real>(all: impl IntoIterator<Item = N>) -> N {
    all.into_iter().reduce(|sum, one| sum + one).unwrap_or_else(|| N::from(0.0))
}

/// The terms that work on data on the GPU.
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
pub struct Cost<N = f64> {
    /// On the CPU cluster.
    pub cpu: Breakdown<N>,
    /// On the GPU cluster.
    pub gpu: Breakdown<N>,
    /// Passes in which the data goes through GPU memory, 1 when it fits.
    pub passes: N,
}

impl<N: Real> Cost<N> {
    /// T_cpu / T_gpu.
    #[must_use]
    pub fn speedup(&self) -> N {
        self.cpu.total() / self.gpu.total()
    }

    /// T_cpu − θ·T_gpu, seconds: above zero where the speedup exceeds the threshold θ.
    ///
    /// The difference is taken term by term, so that a transfer which both sides wait for cancels
    /// exactly, however long it is.
    #[must_use]
    pub fn gap(&self, threshold: N) -> N {
        sum(self.cpu.seconds.into_iter().zip(self.gpu.seconds).map(|(cpu, gpu)| cpu - threshold * gpu))
    }
}

impl Cost {
    /// The chosen side: GPU if the speedup exceeds the threshold.
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
pub fn aggregation<N: Real>(mode: Aggregation, machines: N, fan_in: N) -> (N, N) {
    match mode {
        Aggregation::Published => (machines.ln() / fan_in.ln(), machines * fan_in / (fan_in - N::from(1.0))),
        Aggregation::Exact => {
            let rounds = |machines, fan_in| levels(machines, fan_in).count() as f64;
            let senders = |machines: f64, fan_in| machines.round().max(1.0) + levels(machines, fan_in).sum::<f64>();
            (N::of_both(rounds, machines, fan_in), N::of_both(senders, machines, fan_in))
        }
    }
}

/// Nodes that are left after each round, down to one. Counted instead of ⌈ln n / ln k⌉, which rounds wrongly at powers of k.
fn levels(machines: f64, fan_in: f64) -> impl Iterator<Item = f64> {
    let fan_in = fan_in.round().max(2.0);
    let next = move |nodes: f64| (nodes > 1.0).then(|| (nodes / fan_in).ceil());
    std::iter::successors(next(machines.round()), move |nodes| next(*nodes))
}

/// Data that exceeds the memory by less than rounding fits into it.
pub(super) const FITS: f64 = 1.0 - 1e-13;

/// Time of one operator on either side, term by term.
#[must_use]
pub fn evaluate<N: Real>(x: &Point<N>) -> Cost<N> {
    let mut cost = evaluate_apart(x);
    cost.cpu.overlap(x.overlap.groups_on_cpu());
    cost.gpu.overlap(x.overlap.groups_on_gpu());
    cost
}

/// The same before anything overlaps: every term at its full length.
#[must_use]
pub fn evaluate_apart<N: Real>(x: &Point<N>) -> Cost<N> {
    let one = N::from(1.0);
    let (rounds, senders) = aggregation(x.aggregation, x.cluster.machines, x.cluster.fan_in);
    let input = x.operator.input_gb;
    let output = x.operator.output_ratio * input;
    let power = x.operator.class;
    let gpus = x.gpu.gpus_per_machine;

    let work = (x.operator.cpu_seconds_per_100mb / N::from(0.1)).power(power) * input;
    let cpu_once = match x.operator.cpu_curve {
        Some(curve) => curve.fixed_seconds + input / curve.gb_per_s,
        None => (work / x.node.cpu_parallelism).max(input / x.node.memory_gb_per_s),
    };
    let kernel = match x.operator.gpu_curve {
        Some(curve) => curve.fixed_seconds + input / (curve.gb_per_s * gpus),
        None => x.gpu.core_ratio * work / (x.gpu.gpu_parallelism * gpus),
    };
    let transfer = output * senders / (x.network.effective_gbit_per_s / N::from(8.0));
    let scan = input / x.node.scan_gb_per_s;
    let passes = ((input + output) / (x.gpu.gpu_memory_gb * gpus) * N::from(FITS)).ceil().max(one);
    // Above linear work every part of the input meets every other one, so each pass streams all of it.
    let bus_passes = power.if_above(one, passes, one);
    let (network_ratio, bus_ratio) =
        if x.compressed { (x.compression.network_ratio, x.compression.bus_ratio) } else { (one, one) };

    let mut cpu = Breakdown::nothing();
    cpu.seconds[Term::Compute as usize] = cpu_once;
    cpu.seconds[Term::AggregationCompute as usize] = rounds * cpu_once;
    cpu.seconds[Term::Network as usize] = transfer;
    cpu.seconds[Term::Scan as usize] = scan;

    let mut gpu = Breakdown::nothing();
    gpu.seconds[Term::Compute as usize] = kernel;
    gpu.seconds[Term::AggregationCompute as usize] = rounds * kernel;
    gpu.seconds[Term::BusIn as usize] = (one + rounds) * bus_ratio * input / x.bus.to_gpu_gb_per_s * bus_passes;
    gpu.seconds[Term::BusOut as usize] = (one + rounds) * bus_ratio * output / x.bus.from_gpu_gb_per_s;
    gpu.seconds[Term::Network as usize] = network_ratio * transfer;
    gpu.seconds[Term::Fixed as usize] = (one + rounds) * x.operator.fixed_seconds * passes;
    gpu.seconds[Term::Scan as usize] = scan;
    if x.compressed {
        gpu.seconds[Term::Compress as usize] = output / x.compression.compress_gb_per_s / gpus;
        gpu.seconds[Term::Decompress as usize] = input / x.compression.decompress_gb_per_s / gpus;
    }

    Cost { cpu, gpu, passes }
}
