//! Time of a plan in either engine, and its error.
//!
//! ```text
//! T = δ·(t_q + t_x·X + (ρ·W + R/s_e + t_f·F) / (n_e·l) + χ·E / (n_e·B_e/8) + max(0, E − n_e·m_e) / (n_e·s_d))
//! ```
//! X exchanges on the longest path, W own work, R data read, F files, E data exchanged; on one machine X and E are 0.
//!
//! A measured run, or the measured times of its operators, correct T: see [`Engines::anchoring_corrections`]. Where the plan has
//! what the query moves, the GPU time is a sum with the measured time instead: see [`Engines::additive`]. Where no form is better than
//! one speedup for all queries, that answers: see [`Engines::constant_ratio`].

use super::profile::{Engine, Engines};
use super::work::{Work, WorkOf};
use crossover_quantity::spread::Z_90;
use crossover_query::{Graph, Plan, fill};

/// A part of a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Starting the query.
    Start,
    /// From one exchange to the next.
    Steps,
    /// The work of the operators.
    Work,
    /// Reading and decoding.
    Read,
    /// Opening files.
    Files,
    /// Exchanges between machines.
    Exchange,
    /// Data that does not fit in memory.
    Spill,
}

impl Part {
    /// All parts.
    pub const ALL: [Self; 7] =
        [Self::Start, Self::Steps, Self::Work, Self::Read, Self::Files, Self::Exchange, Self::Spill];

    /// Name in tables.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Steps => "steps",
            Self::Work => "work",
            Self::Read => "read",
            Self::Files => "files",
            Self::Exchange => "exchange",
            Self::Spill => "spill",
        }
    }
}

/// Seconds of each part.
pub type Seconds = [f64; Part::ALL.len()];

impl Engine {
    /// Time of some work, part by part; the start of the query counts once.
    #[must_use]
    pub fn seconds(&self, work: &Work) -> Seconds {
        let lanes = self.all_lanes();
        let exchanged = if self.machines > 1.0 { work.exchanged_gb } else { 0.0 };
        let exchanges = if self.machines > 1.0 { work.exchanges } else { 0.0 };
        let spilled = self.exchange_memory_gb.map_or(0.0, |memory| (exchanged - self.machines * memory).max(0.0));
        let mut seconds = [0.0; Part::ALL.len()];
        seconds[Part::Start as usize] = self.start_seconds;
        seconds[Part::Steps as usize] = self.exchange_seconds * exchanges;
        seconds[Part::Work as usize] = self.work_ratio * work.own_seconds / lanes;
        seconds[Part::Read as usize] = self.read_gb_per_s.map_or(0.0, |speed| work.read_gb / speed / lanes);
        seconds[Part::Files as usize] = self.file_seconds * work.files / lanes;
        seconds[Part::Exchange as usize] =
            self.exchange_ratio * exchanged * 8.0 / self.network_gbit_per_s / self.machines;
        seconds[Part::Spill as usize] = self.spill_gb_per_s.map_or(0.0, |speed| spilled / speed / self.machines);
        seconds.map(|seconds| self.time_ratio * seconds)
    }
}

impl Engine {
    /// One operator's share of a plan's time. Spilled data counts by what the operator exchanges, and the start of the query at
    /// its result. The shares of all operators add up to the whole.
    #[must_use]
    pub fn share(&self, work: &Work, total: &Work, is_result: bool) -> Seconds {
        let mut seconds = self.seconds(work);
        let spilled = self.seconds(total)[Part::Spill as usize];
        let share = if total.exchanged_gb > 0.0 { work.exchanged_gb / total.exchanged_gb } else { 0.0 };
        seconds[Part::Spill as usize] = spilled * share;
        if !is_result {
            seconds[Part::Start as usize] = 0.0;
        }
        seconds
    }
}

/// One operator's share of the time of a whole plan, part by part, by its share of the plan's work; what no operator has counts at the
/// result. The shares of all operators add up to the whole.
#[must_use]
pub fn share_of(seconds: &Seconds, work: &Work, total: &Work, is_result: bool) -> Seconds {
    let at_result = f64::from(u8::from(is_result));
    let share = |own: f64, all: f64| if all > 0.0 { own / all } else { at_result };
    let exchanged = share(work.exchanged_gb, total.exchanged_gb);
    Part::ALL.map(|part| {
        let share = match part {
            Part::Start => at_result,
            Part::Work => share(work.own_seconds, total.own_seconds),
            Part::Read => share(work.read_gb, total.read_gb),
            Part::Steps | Part::Files => share(work.files, total.files),
            Part::Exchange | Part::Spill => exchanged,
        };
        share * seconds[part as usize]
    })
}

impl Engines {
    /// Factors by which what was measured corrects the times of both sides: the CPU time, or without one the `bounds` that the
    /// times of the operators set to it, seconds. The GPU's is the power of the anchoring factor; however short the run, the
    /// GPU's engine has to start.
    #[must_use]
    pub fn anchoring_corrections(&self, total: &Work, bounds: Option<[f64; 2]>) -> [f64; 2] {
        let [cpu, gpu]: [f64; 2] = [&self.cpu, &self.gpu].map(|engine| engine.seconds(total).iter().sum());
        if cpu <= 0.0 {
            return [1.0, 1.0];
        }
        let correction = match (self.measured_seconds, bounds) {
            (Some(measured), _) => measured / cpu,
            (None, Some([least, most])) => {
                // The time factor is the error of the prediction, which a bound does not remove.
                let predicted = cpu / self.cpu.time_ratio;
                predicted.clamp(least, most) / predicted
            }
            (None, None) => return [1.0, 1.0],
        };
        let start = self.gpu.seconds(total)[Part::Start as usize];
        let least = if gpu > 0.0 { start / gpu } else { 0.0 };
        [correction, correction.powf(self.anchoring_factor).max(least)]
    }
}

/// A predicted value with its 90 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Range {
    /// The predicted value.
    pub value: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

impl Range {
    /// A value with the factor within which 90 % of the measured ones lay.
    #[must_use]
    pub fn new(value: f64, within: f64) -> Self {
        Self { value, low: value / within, high: value * within }
    }

    /// Whether the error is known; otherwise low and high equal the value.
    #[must_use]
    pub fn is_known(&self) -> bool {
        self.low < self.high
    }

    /// Whether a measured value is inside the interval.
    #[must_use]
    pub fn contains(&self, measured: f64) -> bool {
        (self.low..=self.high).contains(&measured)
    }
}

/// Time of a plan in either engine.
#[derive(Debug, Clone, PartialEq)]
pub struct Prediction {
    /// On CPUs, seconds.
    pub cpu: Range,
    /// On GPUs, seconds.
    pub gpu: Range,
    /// CPU ÷ GPU.
    pub speedup: Range,
    /// Likelihood that the GPU is faster, 0 … 1; `None` if the profile has no error factor.
    pub likelihood: Option<f64>,
    /// Parts of the CPU's time, seconds; all 0 if they are not known.
    pub cpu_parts: Seconds,
    /// Parts of the GPU's time, seconds.
    pub gpu_parts: Seconds,
    /// Work of the plan.
    pub work: Work,
    /// Whether the model added exchanges to the plan.
    pub implied_exchanges: bool,
    /// Why it cannot be judged: the query is outside what was measured.
    pub outside: Option<String>,
}

impl Prediction {
    /// Times of another model, without errors and without parts.
    #[must_use]
    pub fn of_times(cpu: f64, gpu: f64) -> Self {
        Self {
            cpu: Range::new(cpu, 1.0),
            gpu: Range::new(gpu, 1.0),
            speedup: Range::new(ratio(cpu, gpu), 1.0),
            likelihood: None,
            cpu_parts: Seconds::default(),
            gpu_parts: Seconds::default(),
            work: Work::default(),
            implied_exchanges: false,
            outside: None,
        }
    }
}

/// CPU ÷ GPU; 1 if both times are equal, also if both are 0.
fn ratio(cpu: f64, gpu: f64) -> f64 {
    if cpu == gpu { 1.0 } else { cpu / gpu }
}

/// Time of a plan in either engine.
#[must_use]
pub fn predict(plan: &Plan, engines: &Engines) -> Prediction {
    let numbers = fill(plan);
    let graph = Graph::new(plan, &numbers);
    let work = WorkOf::new(plan, &numbers, &graph, engines);
    let outside = engines.outside_by_plan(&work.multiplied);
    Prediction { outside, ..of_work(&work.total(), work.implied_exchanges, engines) }
}

/// Time of some work in either engine.
#[must_use]
pub fn of_work(work: &Work, implied_exchanges: bool, engines: &Engines) -> Prediction {
    let cpu_parts = engines.cpu.seconds(work);
    let constant = engines.constant_ratio(cpu_parts.iter().sum());
    let gpu_parts = constant.map_or_else(|| engines.gpu.seconds(work), |ratio| cpu_parts.map(|part| ratio * part));
    let [of_cpu, of_gpu, of_speedup] = engines.error_factors_90(None);
    let (cpu, gpu): (f64, f64) = (cpu_parts.iter().sum(), gpu_parts.iter().sum());
    let speedup = ratio(cpu, gpu);
    Prediction {
        cpu: Range::new(cpu, of_cpu),
        gpu: Range::new(gpu, of_gpu),
        speedup: Range::new(speedup, of_speedup),
        likelihood: (of_speedup > 1.0).then(|| likelihood_above(speedup, of_speedup)),
        cpu_parts,
        gpu_parts,
        work: *work,
        implied_exchanges,
        outside: None,
    }
}

/// Likelihoods between 1 minus this and this are too close to call.
const CLEAR_FROM: f64 = 0.9;

/// Whether the GPU is faster, by the likelihood of it; `None` if it is too close to call.
#[must_use]
pub fn decided(likelihood: f64) -> Option<bool> {
    (likelihood >= CLEAR_FROM || likelihood <= 1.0 - CLEAR_FROM).then_some(likelihood >= CLEAR_FROM)
}

/// Likelihood that a log-normal value with median `value` and 90 % interval `value` ÷ `within` … `value` × `within` is above 1.
#[must_use]
pub fn likelihood_above(value: f64, within: f64) -> f64 {
    let deviations = value.ln() / within.ln() * Z_90;
    0.5 * libm::erfc(-deviations / std::f64::consts::SQRT_2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_at_the_end_of_its_range_is_above_one_nineteen_times_of_twenty() {
        for (value, within, expected) in [(2.0, 2.0, 0.95), (0.5, 2.0, 0.05), (1.0, 3.0, 0.5)] {
            assert!((likelihood_above(value, within) - expected).abs() < 1e-9, "{value} within {within}");
        }
    }

    #[test]
    fn a_single_machine_exchanges_nothing() {
        let engine = Engine { exchange_ratio: 1.0, exchange_seconds: 1.0, ..Engines::plain().cpu };
        let work = Work { own_seconds: 3.0, exchanged_gb: 5.0, exchanges: 2.0, ..Work::default() };
        assert_eq!(engine.seconds(&work).iter().sum::<f64>(), 3.0);
        // 5 GB over two links of 10 Gbit/s, two steps, three seconds of work on two cores.
        let two = Engine { machines: 2.0, ..engine };
        assert_eq!(two.seconds(&work).iter().sum::<f64>(), 2.0 + 2.0 + 1.5);
    }

    #[test]
    fn the_shares_of_all_operators_are_the_whole() {
        let seconds = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0];
        let scan = Work { own_seconds: 1.0, read_gb: 3.0, ..Work::default() };
        let join = Work { own_seconds: 3.0, exchanged_gb: 2.0, ..Work::default() };
        let total = Work { own_seconds: 4.0, read_gb: 3.0, exchanged_gb: 2.0, ..Work::default() };
        let [of_scan, of_join] =
            [(scan, false), (join, true)].map(|(work, is_result)| share_of(&seconds, &work, &total, is_result));
        // Start, steps, work, read, files, exchange, spill; no operator has files, so they count at the result.
        assert_eq!(of_scan, [0.0, 0.0, 0.75, 4.0, 0.0, 0.0, 0.0]);
        assert_eq!(of_join, [1.0, 2.0, 2.25, 0.0, 5.0, 6.0, 7.0]);
    }

    #[test]
    fn a_measured_run_shortens_no_start() {
        let mut engines = Engines { anchoring_factor: 1.0, measured_seconds: Some(0.5), ..Engines::plain() };
        engines.gpu.start_seconds = 2.0;
        let work = Work { own_seconds: 10.0, ..Work::default() };
        let gpu: f64 = engines.gpu.seconds(&work).iter().sum();
        // 10 s were predicted, so the run is 20 times shorter, but 2 s of the other engine's time are its start.
        let [of_cpu, of_gpu] = engines.anchoring_corrections(&work, None);
        assert!((of_cpu - 0.05).abs() < 1e-12 && (of_gpu * gpu - 2.0).abs() < 1e-12, "{of_cpu} {of_gpu}");
    }

    #[test]
    fn the_times_of_operators_bound_a_time_that_was_not_measured() {
        let mut engines = Engines { anchoring_factor: 0.5, ..Engines::plain() };
        let work = Work { own_seconds: 10.0, ..Work::default() };
        // 10 s are predicted.
        for (bounds, expected) in [([2.0, 50.0], 1.0), ([40.0, 50.0], 4.0), ([0.1, 2.5], 0.25)] {
            let [of_cpu, of_gpu] = engines.anchoring_corrections(&work, Some(bounds));
            assert!((of_cpu - expected).abs() < 1e-12, "{bounds:?}: {of_cpu}");
            assert!((of_gpu - expected.sqrt()).abs() < 1e-12, "{bounds:?}: {of_gpu}");
        }
        // A measured time needs no bounds.
        engines.measured_seconds = Some(20.0);
        assert!((engines.anchoring_corrections(&work, Some([40.0, 50.0]))[0] - 2.0).abs() < 1e-12);
    }
}
