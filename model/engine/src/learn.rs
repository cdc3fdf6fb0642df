//! Learning from a trial of an engine: its time factor and its error factor after pairs of predicted and measured times.
//!
//! The error of a query, r = ln(measured ÷ predicted), has a part that all queries of a workload share, μ, and a part of its own.
//! The profile's error factor ε gives the standard deviation of both together, s = ln ε ÷ 1.645; before the trial each part has
//! half of the variance.
//!
//! ```text
//! μ ~ N(0, τ²),  r_i ~ N(μ, σ²)            τ² = s²/2
//! σ² = (s²/2 + Σ (r_i − r̄)²) / n            the prior counts as one pair
//! w  = n·τ² / (n·τ² + σ²)
//! μ̂  = w·r̄,  v = τ²·σ² / (n·τ² + σ²)        posterior mean and variance of μ
//! δ' = δ·e^μ̂
//! ν  = σ⁴·(n − 1) / (Σ (r_i − r̄)²/n)²       degrees of freedom of σ², of which the prior's part is known
//! ln ε' = t_ν·√(σ² + v)                     posterior predictive; with nine queries or more by leave-one-out
//! ```
//! `t_ν` is the quantile of 95 % of Student's t: a variance of few queries is uncertain itself. ν is that of Satterthwaite (An
//! approximate distribution of estimates of variance components, Biometrics Bulletin 2, 1946); with one query, or equal errors,
//! `t_ν` is 1.645.

use crossover_quantity::estimate::{FITTED_CONFIDENCE, student};
use crossover_quantity::provenance::Provenance;
use crossover_quantity::spread::Z_90;
use serde::Serialize;

use super::anchored::Anchored;
use super::file::Profile;
use super::fit::{LEAST_FOR_ERROR, left_out_quantile};
use super::profile::{Engine, Engines};

/// Share of the variance of errors that all queries of a workload have in common before a trial: not measured.
const COMMON_SHARE: f64 = 0.5;
/// From so many degrees of freedom on, Student's t is taken for normal: its quantile of 95 % is 1.646 instead of 1.645.
const MANY_DEGREES: f64 = 1000.0;
/// Largest logarithm of a time factor: its range is 1e-6 … 1e6.
const LARGEST_LOG: f64 = 13.8;

/// What is known of the errors of a workload after a trial.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Posterior {
    /// Distinct queries that were measured.
    pub queries: usize,
    /// Mean of the errors, a logarithm.
    pub mean_error: f64,
    /// Mean of the error that all queries share, a logarithm.
    pub log_factor: f64,
    /// Standard deviation of it.
    pub log_factor_deviation: f64,
    /// Standard deviation of one query's error around it.
    pub spread: f64,
    /// Degrees of freedom of that deviation; `None`: so many that they do not count.
    pub degrees_of_freedom: Option<f64>,
    /// Factor within which 90 % of measured times lie around the predicted ones after the trial.
    pub error_factor_90: f64,
    /// Whether that factor is of left-out queries; else it is that of the posterior predictive distribution.
    pub is_left_out: bool,
}

impl Posterior {
    /// The posterior for errors ln(measured ÷ predicted) of distinct queries, predicted with this error factor. `None` without
    /// errors, without a measured error factor, or if a number is not finite.
    #[must_use]
    pub fn new(error_factor_90: f64, errors: &[f64]) -> Option<Self> {
        let variance = (error_factor_90.ln() / Z_90).powi(2);
        let is_usable = error_factor_90 > 1.0 && variance.is_finite() && errors.iter().all(|error| error.is_finite());
        if errors.is_empty() || !is_usable {
            return None;
        }
        let Common { mean_error, log_factor, variance: of_factor, spread, degrees_of_freedom } =
            Common::new(variance, errors);
        let predictive = (quantile(degrees_of_freedom) * (spread + of_factor).sqrt()).exp();
        let left_out = (errors.len() >= LEAST_FOR_ERROR).then(|| left_out(variance, errors));
        Some(Self {
            queries: errors.len(),
            mean_error,
            log_factor: log_factor.clamp(-LARGEST_LOG, LARGEST_LOG),
            log_factor_deviation: of_factor.sqrt(),
            spread: spread.sqrt(),
            degrees_of_freedom,
            error_factor_90: left_out.unwrap_or(predictive).clamp(1.0, 1000.0),
            is_left_out: left_out.is_some(),
        })
    }

    /// The factor of predicted times.
    #[must_use]
    pub fn factor(&self) -> f64 {
        self.log_factor.exp()
    }

    /// The 90 % interval of that factor.
    #[must_use]
    pub fn interval(&self) -> [f64; 2] {
        let quantile = quantile(self.degrees_of_freedom);
        [-quantile, quantile].map(|times| (self.log_factor + times * self.log_factor_deviation).exp())
    }
}

impl Profile {
    /// The profile after a trial of its GPU side: the time factor of that engine and the error given a measured time on CPUs;
    /// `runs` are those of the trial, the smallest of them took `shortest_seconds` on CPUs.
    #[must_use]
    pub fn learned(&self, posterior: &Posterior, runs: &str, shortest_seconds: f64) -> Self {
        let Self { mut engines, mut sources } = self.clone();
        let before = engines.gpu.time_ratio;
        engines.gpu.time_ratio = (before * posterior.factor()).clamp(1e-6, 1e6);
        engines.anchored_error_factor_90 = posterior.error_factor_90;
        let trial_core_seconds = shortest_seconds * engines.cpu.all_lanes();
        let mut smallest = None;
        if let Some(anchored) = &mut engines.anchored {
            anchored.error_factor_90 = posterior.error_factor_90;
            // A run as small as those of the trial is measured now.
            if trial_core_seconds < anchored.smallest_core_seconds {
                anchored.smallest_core_seconds = trial_core_seconds;
                smallest = Some(trial_core_seconds);
            }
        }
        let [low, high] = posterior.interval().map(|factor| before * factor);
        let fitted = |interval: (f64, f64)| Provenance::Fitted { runs: runs.to_owned(), interval };
        let error = posterior.error_factor_90;
        sources.insert(format!("gpu.{}", Engine::TIME_RATIO.key), fitted((low, high)));
        sources.insert(Engines::ANCHORED_ERROR_FACTOR_90.key.to_owned(), fitted((error, error)));
        if engines.anchored.is_some() {
            sources.insert(format!("anchored.{}", Anchored::ERROR_FACTOR_90.key), fitted((error, error)));
        }
        let smallest = smallest.map(|seconds| fitted((seconds, seconds)));
        sources.extend(smallest.map(|source| (format!("anchored.{}", Anchored::SMALLEST_CORE_SECONDS.key), source)));
        Self { engines, sources }
    }
}

/// Half of a 90 % interval in standard deviations that have so many degrees of freedom.
fn quantile(degrees_of_freedom: Option<f64>) -> f64 {
    degrees_of_freedom.map_or(Z_90, |degrees| student(degrees, FITTED_CONFIDENCE))
}

/// The error that queries share.
struct Common {
    mean_error: f64,
    log_factor: f64,
    /// Variance of the shared error.
    variance: f64,
    /// Variance of one query's error around it.
    spread: f64,
    /// Degrees of freedom of that variance; `None`: many.
    degrees_of_freedom: Option<f64>,
}

impl Common {
    /// By errors of this variance before the trial; at least one error.
    fn new(variance: f64, errors: &[f64]) -> Self {
        let count = errors.len() as f64;
        let mean_error = errors.iter().sum::<f64>() / count;
        let squares: f64 = errors.iter().map(|error| (error - mean_error).powi(2)).sum();
        let shared = variance * COMMON_SHARE;
        let spread = (variance * (1.0 - COMMON_SHARE) + squares) / count;
        let all = count * shared + spread;
        // Only the part of the errors' scatter is estimated; the prior's is taken as known.
        let degrees = (spread * count / squares).powi(2) * (count - 1.0);
        Self {
            mean_error,
            log_factor: mean_error * count * shared / all,
            variance: shared * spread / all,
            spread,
            degrees_of_freedom: Some(degrees).filter(|degrees| *degrees > 0.0 && *degrees < MANY_DEGREES),
        }
    }
}

/// The error factor (90 %) of queries that are each predicted by the others, as in a fit.
fn left_out(variance: f64, errors: &[f64]) -> f64 {
    let error = |at: usize| {
        let others: Vec<f64> =
            errors.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, error)| *error).collect();
        (errors[at] - Common::new(variance, &others).log_factor).abs()
    };
    left_out_quantile((0..errors.len()).map(error).collect()).map_or(1.0, f64::exp)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An error factor of which half of the variance has the standard deviation 0.5: s² = 0.5.
    fn factor() -> f64 {
        (Z_90 * 0.5_f64.sqrt()).exp()
    }

    fn near(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-9, "{found} instead of {expected}");
    }

    #[test]
    fn one_pair_moves_the_factor_half_way() {
        // Both variances are 0.25: the posterior mean is half of the error, its variance half of 0.25.
        let found = Posterior::new(factor(), &[0.8]).expect("a posterior");
        near(found.log_factor, 0.4);
        near(found.log_factor_deviation, 0.125_f64.sqrt());
        // 0.25 of one query and 0.125 of the factor, where 0.5 were before.
        near(found.error_factor_90.ln(), Z_90 * 0.375_f64.sqrt());
        assert!(found.error_factor_90 < factor() && !found.is_left_out);
        near(found.factor(), 0.4_f64.exp());
    }

    #[test]
    fn equal_errors_of_four_queries_move_it_nearly_all_the_way() {
        // σ² = 0.25 ÷ 4 = 0.0625; w = 4 · 0.25 ÷ (1 + 0.0625) = 16/17; v = 0.25 · 0.0625 ÷ 1.0625 = 1/68.
        let found = Posterior::new(factor(), &[0.34; 4]).expect("a posterior");
        near(found.log_factor, 0.32);
        near(found.log_factor_deviation.powi(2), 1.0 / 68.0);
        near(found.error_factor_90.ln(), Z_90 * (0.0625 + 1.0 / 68.0_f64).sqrt());
        near(found.mean_error, 0.34);
    }

    #[test]
    fn queries_far_from_each_other_widen_the_error() {
        // r̄ = 0: σ² = (0.25 + 2 · 0.25) ÷ 2 = 0.375, v = 0.25 · 0.375 ÷ (0.5 + 0.375), ν = 0.375² ÷ 0.25². SciPy 1.17.1,
        // `scipy.stats.t.ppf(0.95, 2.25)`: 2.710322847.
        let found = Posterior::new(factor(), &[0.5, -0.5]).expect("a posterior");
        near(found.log_factor, 0.0);
        let error = found.error_factor_90.ln() / (0.375 + 0.25 * 0.375 / 0.875_f64).sqrt();
        assert!((error - 2.710_322_847).abs() < 1e-6, "{error}");
        assert!(found.error_factor_90 > factor());
        let [low, high] = found.interval();
        let [low, high] = [-low.ln(), high.ln()].map(|end| end / found.log_factor_deviation);
        assert!((low - 2.710_322_847).abs() < 1e-6 && (high - 2.710_322_847).abs() < 1e-6, "{low}, {high}");
    }

    #[test]
    fn with_nine_queries_the_error_is_that_of_left_out_ones() {
        // ⌈0.9 · 10⌉ = 9: the largest error. The one of 0.9 is predicted by eight errors of 0.
        let mut errors = [0.0; 9];
        errors[4] = 0.9;
        let found = Posterior::new(factor(), &errors).expect("a posterior");
        assert!(found.is_left_out);
        near(found.error_factor_90.ln(), 0.9);
        assert!(Posterior::new(factor(), &errors[..8]).is_some_and(|found| !found.is_left_out));
    }

    #[test]
    fn without_pairs_or_a_measured_error_nothing_is_learned() {
        assert_eq!(Posterior::new(factor(), &[]), None);
        assert_eq!(Posterior::new(1.0, &[0.1]), None);
        assert_eq!(Posterior::new(factor(), &[f64::NAN]), None);
    }

    #[test]
    fn a_learned_profile_names_the_runs_of_the_numbers_that_changed() {
        let mut engines = Engines::plain();
        engines.gpu.time_ratio = 2.0;
        engines.anchored_error_factor_90 = factor();
        let start = Profile {
            engines,
            sources: [("gpu.work_ratio".to_owned(), Provenance::Published("a table".to_owned()))].into(),
        };
        let posterior = Posterior::new(factor(), &[0.8]).expect("a posterior");
        let learned = start.learned(&posterior, "1 query of a.zstd and b.zstd", 20.0);
        near(learned.engines.gpu.time_ratio, 2.0 * 0.4_f64.exp());
        near(learned.engines.anchored_error_factor_90, posterior.error_factor_90);
        assert_eq!((learned.sources.len(), learned.engines.cpu == start.engines.cpu), (3, true));
        let Some(Provenance::Fitted { runs, interval: (low, high) }) = learned.sources.get("gpu.time_ratio") else {
            panic!("{:?}", learned.sources)
        };
        assert_eq!(runs, "1 query of a.zstd and b.zstd");
        near((low * high).sqrt(), learned.engines.gpu.time_ratio);
        // It is a profile that `read` takes.
        assert_eq!(crate::file::read(&learned.to_ron()), Ok(learned));
    }
}
