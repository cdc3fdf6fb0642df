//! The constant beside a fit: one speedup for all queries. It answers where left-out queries are not predicted better by their plans.

use super::Run;
use super::left_out::{Errors, errors};
use crate::predict::{Prediction, Range};
use crate::truth::{means, median};

/// Range of a speedup.
const SPEEDUPS: [f64; 2] = [1e-6, 1e6];

/// The constant of some runs, and their predictions with it.
pub(super) struct Constant<'r> {
    /// Median of the measured speedups.
    pub(super) speedup: f64,
    /// Every run with the median speedup of the other queries.
    left_out: Vec<Prediction>,
    /// Errors of these speedups.
    pub(super) errors: Errors<'r>,
}

impl<'r> Constant<'r> {
    /// `form` has the left-out predictions of the fit, of which the times on CPUs stay. `None` without two measured speedups.
    pub(super) fn new(form: &[Prediction], runs: &'r [Run]) -> Option<Self> {
        let of_run = |(found, run): (&Prediction, &Run)| {
            let of_others = median_speedup(runs, |other| other.query != run.query)?;
            Some(Prediction {
                gpu: Range::new(found.cpu.value / of_others, 1.0),
                speedup: Range::new(of_others, 1.0),
                gpu_parts: found.cpu_parts.map(|part| part / of_others),
                ..found.clone()
            })
        };
        let left_out: Vec<Prediction> = form.iter().zip(runs).map(of_run).collect::<Option<_>>()?;
        let [.., errors] = errors(&left_out, runs);
        Some(Self { speedup: median_speedup(runs, |_| true)?, left_out, errors })
    }

    /// Whether it predicts some queries at least as well as a form with these errors, by the medians of both.
    pub(super) fn is_as_good(&self, form: &Errors<'_>, is_used: impl Fn(&str) -> bool) -> bool {
        let median_error = |errors: &Errors<'_>| {
            let used = errors.iter().filter(|(query, _)| is_used(query)).copied();
            median(means(used).into_values().collect())
        };
        median_error(&self.errors).zip(median_error(form)).is_some_and(|(constant, form)| constant <= form)
    }

    /// Every run, by the constant or by the form, as the other queries choose.
    pub(super) fn chosen(&self, form: &[Prediction], of_form: &Errors<'_>, runs: &[Run]) -> Vec<Prediction> {
        let found = form.iter().zip(&self.left_out).zip(runs).map(|((form, constant), run)| {
            if self.is_as_good(of_form, |query| query != run.query) { constant.clone() } else { form.clone() }
        });
        found.collect()
    }
}

/// Median of the measured speedups of some queries, all runs of a query counting as one; `None` without any.
fn median_speedup(runs: &[Run], is_used: impl Fn(&Run) -> bool) -> Option<f64> {
    let logarithms = runs.iter().filter(|run| is_used(run)).filter_map(|run| {
        let logarithm = (run.cpu_seconds? / run.gpu_seconds?).ln();
        logarithm.is_finite().then_some((run.query.as_str(), logarithm))
    });
    let [least, most] = SPEEDUPS;
    median(means(logarithms).into_values().collect()).map(|logarithm| logarithm.exp().clamp(least, most))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Engines;
    use crate::work::Work;

    fn run(query: &str, cpu_seconds: f64, gpu_seconds: f64) -> Run {
        Run {
            query: query.to_owned(),
            work: Work::default(),
            implied_exchanges: false,
            machines: Engines::plain().machines(),
            cpu_seconds: Some(cpu_seconds),
            gpu_seconds: Some(gpu_seconds),
        }
    }

    fn near(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-9, "{found} instead of {expected}");
    }

    /// Speedups √(2·8) = 4 of two runs, 1, 9 and 2.
    fn runs() -> Vec<Run> {
        vec![run("q1", 4.0, 2.0), run("q1", 8.0, 1.0), run("q2", 3.0, 3.0), run("q3", 9.0, 1.0), run("q4", 4.0, 2.0)]
    }

    #[test]
    fn the_constant_is_the_median_speedup_of_the_other_queries() {
        let runs = runs();
        let form: Vec<Prediction> = runs.iter().map(|_| Prediction::of_times(6.0, 5.0)).collect();
        let constant = Constant::new(&form, &runs).expect("speedups");
        // By hand: of 1, 2, 4 and 9 the middle is √(2·4). Without q1 it is 2, without q2 4, without q3 2, without q4 4.
        near(constant.speedup, 8.0_f64.sqrt());
        for (found, expected) in constant.left_out.iter().zip([2.0, 2.0, 4.0, 2.0, 4.0]) {
            near(found.speedup.value, expected);
            near(found.gpu.value, 6.0 / expected);
            near(found.cpu.value, 6.0);
        }
        let of_q3 = constant.errors.iter().find(|(query, _)| *query == "q3").expect("an error");
        near(of_q3.1, 4.5_f64.ln());
    }

    #[test]
    fn a_form_has_to_be_better_than_the_constant() {
        let constant = |errors: [f64; 3]| Constant {
            speedup: 2.0,
            left_out: Vec::new(),
            errors: ["q1", "q2", "q3"].into_iter().zip(errors).collect(),
        };
        let form: Errors<'_> = vec![("q1", 0.1), ("q2", 0.2), ("q3", 0.9)];
        // The median of the form is 0.2.
        for (errors, is_as_good) in [([0.0, 0.19, 9.0], true), ([0.2, 0.2, 0.2], true), ([0.0, 0.21, 9.0], false)] {
            assert_eq!(constant(errors).is_as_good(&form, |_| true), is_as_good, "{errors:?}");
        }
        // Without q3, 0.15 of the form and 0.14 or 0.16 of the constant.
        for (error, is_as_good) in [(0.14, true), (0.16, false)] {
            assert_eq!(constant([error, error, 0.0]).is_as_good(&form, |query| query != "q3"), is_as_good, "{error}");
        }
    }
}
