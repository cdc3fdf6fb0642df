//! Times of a whole plan in both engines, with their 90 % intervals: what a decision between all options starts from.

use crossover_engine::predict::{Range, likelihood_above};
use crossover_engine::{Additive, Engine, Engines, Planned};
use crossover_query::{EstimatedVolumes, Plan, Volumes};

/// Times of a plan in both engines, with their 90 % intervals and the likelihood that the GPU is faster.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanVerdict {
    /// Everything on CPUs, seconds: measured if the CPU engine ran this query.
    pub cpu: Range,
    /// Whether the CPU time was measured.
    pub is_measured: bool,
    /// Whether the GPU time is a sum with the measured time on CPUs, data read, files and exchanges.
    pub is_additive: bool,
    /// Whether both times come from the plan of a query that never ran, by what it will move.
    pub is_planned: bool,
    /// What the GPU time is computed from, as the end of a sentence; empty if it is the sum of the modelled parts.
    pub basis: &'static str,
    /// What the plan of a query that never ran does not state and rules assume, a sentence without its full stop each.
    pub assumed: Vec<String>,
    /// Why the GPU time cannot be judged: the query or the clusters are outside what was measured.
    pub outside: Option<String>,
    /// What differs from the measured queries but leaves the GPU time usable.
    pub difference: Option<String>,
    /// Everything on GPUs, seconds.
    pub gpu: Range,
    /// CPU ÷ GPU.
    pub speedup: Range,
    /// Likelihood that the GPU is faster, 0 … 1; `None` if the profile has no error factor.
    pub likelihood: Option<f64>,
    /// Factor by which time that belongs to no operator widens the errors of the GPU time and the speedup; 1: it does not.
    pub widening: f64,
    /// Cost of a run on either side, US dollars; `None` if the price of a machine is not known.
    pub usd: Option<[f64; 2]>,
}

/// What a plan moves, as far as it is known.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Moved<'a> {
    /// As its engine counted it.
    pub(super) counted: Option<&'a Volumes>,
    /// By rules, if it never ran.
    pub(super) estimated: Option<&'a EstimatedVolumes>,
    /// Rows that its operators multiply.
    pub(super) multiplied: Option<&'a Volumes>,
}

impl PlanVerdict {
    /// The ranges of the times of both sides, corrected by a measured run. `None` if a time is 0. `widening`: factor
    /// by which time that belongs to no operator widens the profile's errors; `None`: the errors do not apply to this plan.
    pub(super) fn new(
        engines: &Engines,
        [cpu, gpu]: [f64; 2],
        widening: Option<f64>,
        moved: Moved<'_>,
    ) -> Option<Self> {
        let is_measured = engines.measured_seconds.is_some();
        let is_constant = engines.is_constant();
        let additive = engines.additive(moved.counted);
        let planned = engines.planned(moved.estimated);
        let outside = additive.as_ref().and_then(Additive::outside).or_else(|| match &planned {
            Some(planned) => planned.outside(),
            None => engines.outside_by_plan(moved.multiplied?),
        });
        // The constant answers only for queries like the measured ones, too.
        let additive = additive.filter(|_| !is_constant);
        let basis = if is_constant {
            Engines::CONSTANT_BASIS
        } else if additive.is_some() {
            Additive::BASIS
        } else if planned.is_some() {
            Planned::BASIS
        } else {
            ""
        };
        let [of_cpu, of_gpu, of_speedup] = engines.error_factors_90(planned.as_ref());
        let widening = widening.filter(|_| outside.is_none());
        let anchored = additive.as_ref().map_or(engines.anchored_error_factor_90, Additive::error_factor_90);
        let known = |within: f64| if widening.is_some() { within } else { 1.0 };
        // Without a measured error none is assumed.
        let widened = |within: f64| widening.filter(|_| within > 1.0).map_or(1.0, |widening| within * widening);
        let within = widened(if is_measured { anchored } else { of_speedup });
        let speedup = Range::new(cpu / gpu, within);
        let verdict = Self {
            cpu: Range::new(cpu, if is_measured { 1.0 } else { known(of_cpu) }),
            is_measured,
            is_additive: additive.is_some(),
            is_planned: planned.is_some(),
            basis,
            assumed: planned.map(|planned| planned.assumed().to_vec()).unwrap_or_default(),
            outside,
            difference: additive.as_ref().and_then(Additive::difference),
            gpu: Range::new(gpu, if is_measured { within } else { widened(of_gpu) }),
            speedup,
            likelihood: (within > 1.0).then(|| likelihood_above(speedup.value, within)),
            widening: widening.unwrap_or(1.0),
            usd: engines.cpu.usd(cpu).zip(engines.gpu.usd(gpu)).map(|(cpu, gpu)| [cpu, gpu]),
        };
        (cpu > 0.0 && gpu > 0.0).then_some(verdict)
    }
}

/// Whether a plan comes from an engine: its name begins with the same word.
pub(super) fn is_of(plan: &Plan, engine: &Engine) -> bool {
    let word = |text: &str| text.split([' ', ',', '/']).next().unwrap_or_default().to_lowercase();
    !plan.engine.is_empty() && word(&plan.engine) == word(&engine.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn engines() -> Engines {
        let mut engines = Engines::plain();
        (engines.cpu.error_factor_90, engines.gpu.error_factor_90, engines.speedup_error_factor_90) = (2.0, 3.0, 2.0);
        (engines.anchoring_factor, engines.anchored_error_factor_90) = (0.5, 1.5);
        engines
    }

    fn ends(range: Range) -> [f64; 3] {
        [range.low, range.value, range.high]
    }

    #[test]
    fn a_measured_run_has_a_range_of_its_own() {
        let engines = Engines { measured_seconds: Some(80.0), ..engines() };
        let verdict = PlanVerdict::new(&engines, [80.0, 10.0], Some(1.0), Moved::default()).expect("a time");
        assert!(verdict.is_measured && !verdict.cpu.is_known());
        assert_eq!(ends(verdict.gpu), [10.0 / 1.5, 10.0, 15.0]);
        assert_eq!(ends(verdict.speedup), [8.0 / 1.5, 8.0, 12.0]);
    }

    #[test]
    fn a_prediction_has_the_ranges_of_its_profile() {
        let verdict = PlanVerdict::new(&engines(), [6.0, 5.0], Some(1.0), Moved::default()).expect("a time");
        assert!(!verdict.is_measured);
        assert_eq!(ends(verdict.cpu), [3.0, 6.0, 12.0]);
        assert_eq!(ends(verdict.gpu), [5.0 / 3.0, 5.0, 15.0]);
        // Φ(ln 1.2 · 1.6449 ÷ ln 2) = Φ(0.4327).
        assert!(verdict.likelihood.is_some_and(|likelihood| (likelihood - 0.6674).abs() < 1e-4), "{verdict:?}");
    }

    #[test]
    fn time_without_an_operator_widens_the_ranges_of_the_gpu_and_the_speedup() {
        let verdict = PlanVerdict::new(&engines(), [6.0, 5.0], Some(1.6), Moved::default()).expect("a time");
        assert_eq!(ends(verdict.cpu), [3.0, 6.0, 12.0]);
        for (range, factor) in [(verdict.gpu, 3.0 * 1.6), (verdict.speedup, 2.0 * 1.6)] {
            assert!((range.high / range.value - factor).abs() < 1e-12, "{range:?}");
            assert!((range.value / range.low - factor).abs() < 1e-12, "{range:?}");
        }
        let without = PlanVerdict::new(&Engines::plain(), [6.0, 5.0], Some(1.6), Moved::default()).expect("a time");
        assert_eq!(without.likelihood, None);
    }

    #[test]
    fn machines_with_a_price_give_the_cost_of_a_run() {
        let mut engines = engines();
        engines.cpu.machines = 8.0;
        (engines.cpu.usd_per_hour, engines.gpu.usd_per_hour) = (Some(2.304), Some(3.6));
        let verdict = PlanVerdict::new(&engines, [100.0, 10.0], Some(1.0), Moved::default()).expect("a time");
        // By hand: 8 × 2.304 $/h × 100 s = 0.512 $; 3.6 $/h × 10 s = 0.01 $.
        let [cpu, gpu] = verdict.usd.expect("prices");
        assert!((cpu - 0.512).abs() < 1e-12 && (gpu - 0.01).abs() < 1e-12, "{cpu} {gpu}");
    }

    #[test]
    fn a_profile_without_errors_has_no_likelihood() {
        let verdict = PlanVerdict::new(&Engines::plain(), [6.0, 5.0], Some(1.0), Moved::default()).expect("a time");
        assert_eq!(verdict.likelihood, None);
        assert_eq!(PlanVerdict::new(&engines(), [0.0, 5.0], Some(1.0), Moved::default()), None);
    }

    #[test]
    fn a_plan_that_the_errors_do_not_apply_to_has_no_likelihood() {
        let verdict = PlanVerdict::new(&engines(), [100.0, 10.0], None, Moved::default()).expect("a time");
        assert_eq!(verdict.likelihood, None);
        assert!(!verdict.speedup.is_known() && !verdict.cpu.is_known() && !verdict.gpu.is_known());
    }
}
