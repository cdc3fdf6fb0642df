//! Profiles from runs of queries.
//!
//! The time of a run is a sum of parts ([`Part`]); a fit multiplies each part of an engine by a factor. It makes as small
//! as it can the squares of: how much the logarithms of times and speedups are off (beyond 1.5 standard deviations their
//! absolute values, so that one odd run does not decide), how far the factors are from 1, and how far those of one part are
//! apart on the two sides. So few runs change little, and what no run tells of stays as it was. Where more than
//! [`LEAST_FOR_ERROR`] queries ran on both sides, the median of their speedups is predicted as it was measured.
//!
//! How far the speedups of the parts may be from each other ([`Freedom`]) is what predicts queries best that were left out.
//! If plans say nothing of which query the GPU helps more, the parts that both sides have share one speedup, and the answer
//! is nearly that of a predictor that knows nothing: the median.
//!
//! How much a prediction is wrong is told by runs that were left out: each query is predicted from all others.
//!
//! - `problem`: runs as sums of parts, and the factors that fit them
//! - `squares`: what is made small
//! - `left_out`: queries predicted from all others, and what their errors tell

mod left_out;
mod problem;
mod squares;

use self::left_out::{CrossValidations, anchor, errors, spread, with_ranges, within};
use self::problem::Problem;
use super::file::Profile;
use super::predict::{NINE_OF_TEN, Part, Prediction};
use super::profile::{Engine, Engines, Machines};
use super::work::Work;
use crossover_quantity::provenance::{Provenance, Sources};

/// Queries from which on an error is told: below, nine of ten have no meaning.
pub const LEAST_FOR_ERROR: usize = 9;

/// How far the speedups may be from each other of the parts that both sides have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Freedom {
    /// As far as the runs say.
    Free,
    /// The logarithm of each is usually within a quarter of the mean of all.
    Near,
    /// All are nearly the same.
    Shared,
}

impl Freedom {
    /// The freest first: where two predict equally well, the freer one is taken.
    const ALL: [Self; 3] = [Self::Free, Self::Near, Self::Shared];

    /// How far the logarithm of a part's speedup usually is from the mean of all.
    fn apart(self) -> Option<f64> {
        match self {
            Self::Free => None,
            Self::Near => Some(0.25),
            Self::Shared => Some(0.03),
        }
    }
}

/// A query that was run.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// The query: runs of one query are left out together.
    pub query: String,
    /// What it makes the engines do.
    pub work: Work,
    /// Whether exchanges were put into its plan.
    pub implied_exchanges: bool,
    /// What it ran on, CPU first: of the engines that a fit begins with, the machines do not count.
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
    /// Whose it is: "cpu" or "gpu".
    pub side: &'static str,
    /// The part of the time that it decides.
    pub part: Part,
    /// By how much the time of that part was multiplied.
    pub factor: f64,
    /// Standard deviation of the factor's logarithm.
    pub deviation: f64,
    /// The same before any run was seen.
    pub before: f64,
}

/// A fitted profile.
#[derive(Debug, Clone, PartialEq)]
pub struct Fit {
    /// The profile.
    pub engines: Engines,
    /// Every number that was fitted.
    pub numbers: Vec<Fitted>,
    /// How far the parts' speedups were allowed to be from each other.
    pub freedom: Freedom,
    /// Pairs of numbers, by place in `numbers`, that the runs cannot tell apart.
    pub alike: Vec<(usize, usize)>,
    /// Every run, predicted from all other queries.
    pub left_out: Vec<Prediction>,
}

impl Fit {
    /// The fitted profile as a file holds it: `before` has the sources of the numbers that it began with, `runs` says what
    /// it was fitted to.
    #[must_use]
    pub fn profile(&self, runs: &str, before: &Sources) -> Profile {
        let mut sources = before.clone();
        let mut add = |key: String, interval: (f64, f64)| {
            sources.insert(key, Provenance::Fitted { runs: runs.to_owned(), interval });
        };
        for number in &self.numbers {
            let engine = if number.side == "cpu" { &self.engines.cpu } else { &self.engines.gpu };
            let (key, value) = number_of(engine, number.part);
            let reach = (NINE_OF_TEN * number.deviation).exp();
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
        Profile { engines: self.engines.clone(), sources }
    }
}

/// The number that decides a part of an engine's time, and its key.
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
    /// What part of the number the runs tell, 0 … 1; the rest is what it was before.
    #[must_use]
    pub fn determined_share(&self) -> f64 {
        (1.0 - (self.deviation / self.before).powi(2)).clamp(0.0, 1.0)
    }

    /// The factor less and more one standard deviation of its logarithm.
    #[must_use]
    pub fn one_sigma(&self) -> [f64; 2] {
        [self.factor / self.deviation.exp(), self.factor * self.deviation.exp()]
    }
}

/// Fits a profile to runs, beginning with one of the same engines. `None` if no run was measured.
#[must_use]
pub fn fit(runs: &[Run], start: &Engines) -> Option<Fit> {
    runs.iter().find(|run| run.cpu_seconds.is_some() || run.gpu_seconds.is_some())?;
    let problem = Problem::new(runs, start);
    let validations = CrossValidations::new(&problem, start);
    // How a query is predicted is chosen by the errors of the others, too.
    let predicted = |(at, run): (usize, &Run)| validations.best(|other| other != run.query).left_out[at].clone();
    let left_out: Vec<Prediction> = runs.iter().enumerate().map(predicted).collect();
    let freedom = validations.best(|_| true).freedom;
    let solution = problem.solve(freedom, |_| true);
    let mut engines = problem.engines(start, &solution.factors);
    let errors = errors(&left_out, runs);
    // What too few queries tell has no range: that of the beginning was of other runs.
    let [cpu, gpu, speedup] = [0, 1, 2].map(|at| within(errors[at].clone()).unwrap_or(1.0));
    (engines.cpu.error_factor_90, engines.gpu.error_factor_90, engines.speedup_error_factor_90) = (cpu, gpu, speedup);
    (engines.anchoring_factor, engines.anchored_error_factor_90) = (0.0, 1.0);
    anchor(&mut engines, &left_out, runs);
    let numbers = problem.fitted(&solution, spread(&errors));
    let left_out = with_ranges(left_out, runs, &errors);
    Some(Fit { engines, numbers, freedom, alike: solution.alike(), left_out })
}
