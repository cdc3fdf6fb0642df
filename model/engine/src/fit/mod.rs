//! Fits profiles to runs of queries.
//!
//! The time of a run is a sum of parts ([`Part`]); a fit multiplies each part of an engine by a factor. It minimises a sum of
//! squares: the errors of the logarithms of times and speedups (beyond 1.5 standard deviations their absolute values, so that
//! one outlier does not decide), the logarithms of the factors, and the difference of both sides' factors for one part. So few
//! runs change little, and a term that no run determines keeps its value. If more than [`LEAST_FOR_ERROR`] queries ran on both
//! sides, the median of the predicted speedups equals the measured one.
//!
//! The pooling of the speedups of the parts ([`Pooling`]) is chosen by the errors of left-out queries. If plans do not
//! show which query gains more from a GPU, the parts of both sides share one speedup, and the answer is nearly the median
//! baseline. Where left-out queries are predicted at least as well by the median speedup of the others, that is the answer (`constant`).
//!
//! Errors come from leave-one-out cross-validation: each query is predicted by a fit to all others.
//!
//! - `additive`: the sum with the measured time, where plans have what queries move
//! - `from_plan`: times from plans alone
//! - `constant`: one speedup for all queries
//! - `reweighted`, `non_negative`: the numbers of both
//! - `problem`: runs as sums of parts, and the factors that fit them
//! - `squares`: the sum of squares
//! - `left_out`: leave-one-out cross-validation

mod additive;
mod constant;
mod from_plan;
mod left_out;
#[cfg(test)]
mod mixed;
mod non_negative;
mod problem;
mod reweighted;
mod squares;

pub use self::additive::{AnchoredFit, AnchoredRun, LeftOut, fit_anchored};
use self::constant::Constant;
pub use self::from_plan::{FromPlanFit, PlannedLeftOut, PlannedRun, fit_from_plan};
pub use self::left_out::left_out_error_factor;
pub(crate) use self::left_out::left_out_quantile;
use self::left_out::{CrossValidations, Errors, anchor, errors, spread, with_ranges, within};
use self::problem::Problem;
use super::file::Profile;
use super::predict::{Part, Prediction};
use super::profile::{Engine, Engines, Machines};
use super::work::Work;
use crossover_quantity::provenance::{Provenance, Sources};
use crossover_quantity::spread::Z_90;

/// Fewest queries for an error factor: with fewer, a 90 % quantile has no meaning.
pub const LEAST_FOR_ERROR: usize = 9;

/// Pooling of the speedups of the parts that both sides have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pooling {
    /// They differ as far as the runs determine.
    None,
    /// The logarithm of each is usually within a quarter of the mean of all.
    Partial,
    /// All are nearly the same.
    Complete,
}

impl Pooling {
    /// The weakest first: of two with equal errors, the weaker one is chosen.
    const ALL: [Self; 3] = [Self::None, Self::Partial, Self::Complete];

    /// Standard deviation of the logarithms of the parts' speedups around their mean.
    fn standard_deviation(self) -> Option<f64> {
        match self {
            Self::None => None,
            Self::Partial => Some(0.25),
            Self::Complete => Some(0.03),
        }
    }
}

/// A query that was run.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// The query: runs of one query are left out together.
    pub query: String,
    /// Its work.
    pub work: Work,
    /// Whether the model added exchanges to its plan.
    pub implied_exchanges: bool,
    /// The machines it ran on, CPU first; they replace those of the engines that a fit starts from.
    pub machines: [Machines; 2],
    /// Time on CPUs, seconds, if it ran there.
    pub cpu_seconds: Option<f64>,
    /// Time on GPUs, seconds, if it ran there.
    pub gpu_seconds: Option<f64>,
}

impl Run {
    /// Time on a side, CPU first.
    fn seconds(&self, side: usize) -> Option<f64> {
        [self.cpu_seconds, self.gpu_seconds][side]
    }
}

/// A number of a profile after a fit.
#[derive(Debug, Clone, PartialEq)]
pub struct Fitted {
    /// Side of the engine: "cpu" or "gpu".
    pub side: &'static str,
    /// The part of the time that it determines.
    pub part: Part,
    /// Factor of the time of that part.
    pub factor: f64,
    /// Standard deviation of the factor's logarithm.
    pub standard_deviation: f64,
    /// The same before the fit.
    pub prior_standard_deviation: f64,
}

/// A fitted profile.
#[derive(Debug, Clone, PartialEq)]
pub struct Fit {
    /// The profile.
    pub engines: Engines,
    /// Every number that was fitted.
    pub numbers: Vec<Fitted>,
    /// The pooling of the parts' speedups.
    pub pooling: Pooling,
    /// Pairs of numbers, by index in `numbers`, with correlated estimates: the runs cannot distinguish them.
    pub correlated: Vec<(usize, usize)>,
    /// Every run, predicted by a fit to all other queries.
    pub left_out: Vec<Prediction>,
}

impl Fit {
    /// The fitted profile with sources, as in a file: `before` has the sources of the numbers that the fit started from, `runs`
    /// names the runs.
    #[must_use]
    pub fn profile(&self, runs: &str, before: &Sources) -> Profile {
        let mut sources = before.clone();
        // Of other runs.
        let replaced = ["anchored.", "from_plan.", "elsewhere.", CONSTANT, ANCHORED_CONSTANT];
        sources.retain(|path, _| !replaced.iter().any(|replaced| path.starts_with(replaced)));
        let mut add = |key: String, interval: (f64, f64)| {
            sources.insert(key, Provenance::Fitted { runs: runs.to_owned(), interval });
        };
        for number in &self.numbers {
            let engine = if number.side == "cpu" { &self.engines.cpu } else { &self.engines.gpu };
            let (key, value) = number_of(engine, number.part);
            let reach = (Z_90 * number.standard_deviation).exp();
            add(format!("{}.{key}", number.side), (value / reach, value * reach));
        }
        let Engines { cpu, gpu, speedup_error_factor_90, anchoring_factor, anchored_error_factor_90, .. } =
            &self.engines;
        for (key, value) in [
            ("cpu.error_factor_90", cpu.error_factor_90),
            ("gpu.error_factor_90", gpu.error_factor_90),
            ("speedup_error_factor_90", *speedup_error_factor_90),
            ("anchoring_factor", *anchoring_factor),
            ("anchored_error_factor_90", *anchored_error_factor_90),
        ] {
            add(key.to_owned(), (value, value));
        }
        let constants =
            [(CONSTANT, self.engines.constant_speedup), (ANCHORED_CONSTANT, self.engines.anchored_constant_speedup)];
        for (key, speedup) in constants {
            if let Some(speedup) = speedup {
                add(key.to_owned(), (speedup, speedup));
            }
        }
        Profile { engines: self.engines.clone(), sources }
    }
}

/// Keys of the constants.
const CONSTANT: &str = Engines::CONSTANT_SPEEDUP.key;
const ANCHORED_CONSTANT: &str = Engines::ANCHORED_CONSTANT_SPEEDUP.key;

/// The number that determines a part of an engine's time, and its key.
fn number_of(engine: &Engine, part: Part) -> (&'static str, f64) {
    let speed = |speed: Option<f64>| speed.unwrap_or(f64::INFINITY);
    match part {
        Part::Start => (Engine::START_SECONDS.key, engine.start_seconds),
        Part::Steps => (Engine::EXCHANGE_SECONDS.key, engine.exchange_seconds),
        Part::Work => (Engine::WORK_RATIO.key, engine.work_ratio),
        Part::Read => (Engine::READ_GB_PER_S.key, speed(engine.read_gb_per_s)),
        Part::Files => (Engine::FILE_SECONDS.key, engine.file_seconds),
        Part::Exchange => (Engine::EXCHANGE_RATIO.key, engine.exchange_ratio),
        Part::Spill => (Engine::SPILL_GB_PER_S.key, speed(engine.spill_gb_per_s)),
    }
}

impl Fitted {
    /// Share of the number that the runs determine, 0 … 1; the rest is its value before the fit.
    #[must_use]
    pub fn determined_share(&self) -> f64 {
        (1.0 - (self.standard_deviation / self.prior_standard_deviation).powi(2)).clamp(0.0, 1.0)
    }

    /// The factor minus and plus one standard deviation of its logarithm.
    #[must_use]
    pub fn one_sigma(&self) -> [f64; 2] {
        [self.factor / self.standard_deviation.exp(), self.factor * self.standard_deviation.exp()]
    }
}

/// Fits a profile to runs, starting from one of the same engines. `None` if no run was measured.
#[must_use]
pub fn fit(runs: &[Run], start: &Engines) -> Option<Fit> {
    runs.iter().find(|run| run.cpu_seconds.is_some() || run.gpu_seconds.is_some())?;
    // The constant of other runs is no form.
    let start = &Engines { constant_speedup: None, anchored_constant_speedup: None, ..start.clone() };
    let problem = Problem::new(runs, start);
    let validations = CrossValidations::new(&problem, start);
    // The pooling for a left-out query is chosen by the errors of the others.
    let predicted = |(at, run): (usize, &Run)| validations.best(|other| other != run.query).left_out[at].clone();
    let form: Vec<Prediction> = runs.iter().enumerate().map(predicted).collect();
    let of_form = errors(&form, runs);
    let constant = if problem.determines_speedups { Constant::new(&form, runs) } else { None };
    let left_out = constant.as_ref().map_or_else(|| form.clone(), |constant| constant.chosen(&form, &of_form[2], runs));
    let pooling = validations.best(|_| true).pooling;
    let solution = problem.solve(pooling, |_| true);
    let mut engines = problem.engines(start, &solution.factors);
    // The date of the start is that of other runs.
    for (side, engine) in [&mut engines.cpu, &mut engines.gpu].into_iter().enumerate() {
        if runs.iter().any(|run| run.seconds(side).is_some()) {
            engine.measurement = None;
        }
    }
    let is_constant = |form: &Errors<'_>| {
        constant.as_ref().filter(|constant| constant.is_as_good(form, |_| true)).map(|constant| constant.speedup)
    };
    engines.constant_speedup = is_constant(&of_form[2]);
    let errors = errors(&left_out, runs);
    // With too few queries there is no error factor: that of the start belongs to other runs. The GPU time of the form is anchored, also
    // where the constant answers without a measured time.
    let [cpu, gpu, speedup] = [&errors[0], &of_form[1], &errors[2]].map(|of| within(of.clone()).unwrap_or(1.0));
    (engines.cpu.error_factor_90, engines.gpu.error_factor_90, engines.speedup_error_factor_90) = (cpu, gpu, speedup);
    (engines.anchoring_factor, engines.anchored_error_factor_90) = (0.0, 1.0);
    // Its numbers are of other runs, and these have no volumes.
    (engines.anchored, engines.from_plan, engines.elsewhere) = (None, None, None);
    let anchored = anchor(&mut engines, &form, runs);
    engines.anchored_constant_speedup = is_constant(&anchored);
    if let Some(constant) = constant.as_ref().filter(|_| engines.anchored_constant_speedup.is_some()) {
        engines.anchored_error_factor_90 = within(constant.errors.clone()).unwrap_or(1.0);
    }
    let numbers = problem.fitted(&solution, spread(&of_form));
    let left_out = with_ranges(left_out, runs, &errors);
    Some(Fit { engines, numbers, pooling, correlated: solution.correlated(), left_out })
}
