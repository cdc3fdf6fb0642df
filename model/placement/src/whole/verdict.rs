//! The answer for a whole plan: times of both engines with their 90 % intervals, the likelihood, and the first sentence.

use crate::study::Side;
use crossover_engine::predict::{Range, decided, likelihood_above};
use crossover_engine::{Engine, Engines};
use crossover_quantity::unit::{Unit, chance, predicted};
use crossover_query::Plan;

/// Times of a plan in both engines, with their 90 % intervals and the likelihood that the GPU is faster.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanVerdict {
    /// Everything on CPUs, seconds: measured if the CPU engine ran this query.
    pub cpu: Range,
    /// Whether the CPU time was measured.
    pub is_measured: bool,
    /// Everything on GPUs, seconds.
    pub gpu: Range,
    /// CPU ÷ GPU.
    pub speedup: Range,
    /// Likelihood that the GPU is faster, 0 … 1; `None` if the profile has no error factor.
    pub likelihood: Option<f64>,
    /// Cost of a run on either side, US dollars; `None` if the price of a machine is not known.
    pub usd: Option<[f64; 2]>,
    /// Names of both engines with their machines.
    names: [String; 2],
}

impl PlanVerdict {
    /// The answer from the times of both sides, corrected by a measured run. `None` if a time is 0. `has_errors`: whether the
    /// profile's errors apply to this plan.
    pub(super) fn new(engines: &Engines, [cpu, gpu]: [f64; 2], has_errors: bool) -> Option<Self> {
        let names = [engines.cpu.title(), engines.gpu.title()];
        let is_measured = engines.measured_seconds.is_some();
        let known = |within: f64| if has_errors { within } else { 1.0 };
        let within =
            known(if is_measured { engines.anchored_error_factor_90 } else { engines.speedup_error_factor_90 });
        let speedup = Range::new(cpu / gpu, within);
        let verdict = Self {
            cpu: Range::new(cpu, if is_measured { 1.0 } else { known(engines.cpu.error_factor_90) }),
            is_measured,
            gpu: Range::new(gpu, if is_measured { within } else { known(engines.gpu.error_factor_90) }),
            speedup,
            likelihood: (within > 1.0).then(|| likelihood_above(speedup.value, within)),
            usd: engines.cpu.usd(cpu).zip(engines.gpu.usd(gpu)).map(|(cpu, gpu)| [cpu, gpu]),
            names,
        };
        (cpu > 0.0 && gpu > 0.0).then_some(verdict)
    }

    /// The faster side, unless it is too close to call.
    #[must_use]
    pub fn side(&self) -> Option<Side> {
        decided(self.likelihood?).map(|is_gpu| if is_gpu { Side::Gpu } else { Side::Cpu })
    }

    /// "71 s today → 38 s (30 s … 51 s) on RAPIDS".
    fn times(&self) -> String {
        let seconds = |value: f64| Unit::Seconds.format(predicted(value));
        let range = |range: Range| {
            let value = seconds(range.value);
            if range.is_known() {
                format!("{value} ({} … {})", seconds(range.low), seconds(range.high))
            } else {
                value
            }
        };
        let on = |name: &str| if name.is_empty() { String::new() } else { format!(" on {name}") };
        let [cpu, gpu] = &self.names;
        let today = if self.is_measured {
            format!("{} measured{}", Unit::Seconds.format(self.cpu.value), on(cpu))
        } else {
            format!("{}{}", range(self.cpu), on(cpu))
        };
        format!("{today} → {}{}", range(self.gpu), on(gpu))
    }

    /// "; a run costs $0.037 → $0.0053"; empty if the price of a machine is not known.
    fn costs(&self) -> String {
        let dollars = |value: f64| format!("${}", Unit::Ratio.format(predicted(value)));
        self.usd.map(|[cpu, gpu]| format!("; a run costs {} → {}", dollars(cpu), dollars(gpu))).unwrap_or_default()
    }

    /// "71 s today → 38 s (30 s … 51 s) on RAPIDS; GPU 93 % likely to be faster".
    #[must_use]
    pub fn sentence(&self) -> String {
        format!("{}; {}{}", self.times(), self.conclusion(), self.costs())
    }

    /// The same with the conclusion first, for lines that may be cut off.
    #[must_use]
    pub fn conclusion_first(&self) -> String {
        format!("{}; {}{}", self.conclusion(), self.times(), self.costs())
    }

    /// "too close to call: GPU 74 % likely to be faster".
    #[must_use]
    pub fn conclusion(&self) -> String {
        match (self.likelihood.map(chance), self.side()) {
            (None, _) => "no measured error for this estimate".to_owned(),
            (Some(percent), Some(Side::Gpu)) => format!("GPU {percent} likely to be faster"),
            (Some(percent), Some(Side::Cpu)) => format!("GPU only {percent} likely to be faster"),
            (Some(percent), None) => format!("too close to call: GPU {percent} likely to be faster"),
        }
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
        (engines.cpu.name, engines.gpu.name) = ("Spark 3.5".to_owned(), "RAPIDS".to_owned());
        (engines.cpu.error_factor_90, engines.gpu.error_factor_90, engines.speedup_error_factor_90) = (2.0, 3.0, 2.0);
        (engines.anchoring_factor, engines.anchored_error_factor_90) = (0.5, 1.5);
        engines
    }

    #[test]
    fn a_measured_run_has_a_range_of_its_own() {
        let engines = Engines { measured_seconds: Some(80.0), ..engines() };
        let verdict = PlanVerdict::new(&engines, [80.0, 10.0], true).expect("a time");
        assert!(verdict.is_measured);
        assert!((verdict.gpu.value - 10.0).abs() < 1e-12);
        assert!((verdict.gpu.low - 10.0 / 1.5).abs() < 1e-12);
        let expected = "80 s measured on Spark 3.5 → 10 s (6.7 s … 15 s) on RAPIDS; GPU >99 % likely to be faster";
        assert_eq!(verdict.sentence(), expected);
    }

    #[test]
    fn a_prediction_has_the_ranges_of_its_profile() {
        let verdict = PlanVerdict::new(&engines(), [6.0, 5.0], true).expect("a time");
        assert!(!verdict.is_measured);
        assert_eq!(
            verdict.sentence(),
            "6 s (3 s … 12 s) on Spark 3.5 → 5 s (1.7 s … 15 s) on RAPIDS; too close to call: GPU 67 % likely to be faster"
        );
    }

    #[test]
    fn machines_with_a_price_say_what_a_run_costs() {
        let mut engines = engines();
        (engines.cpu.machine, engines.cpu.machines) = ("c5d.12xlarge".to_owned(), 8.0);
        (engines.cpu.usd_per_hour, engines.gpu.usd_per_hour) = (Some(2.304), Some(3.6));
        // By hand: 8 × 2.304 $/h × 100 s = 0.512 $; 3.6 $/h × 10 s = 0.01 $.
        let verdict = PlanVerdict::new(&engines, [100.0, 10.0], true).expect("a time");
        let sentence = verdict.sentence();
        assert!(sentence.contains(" on Spark 3.5, 8 × c5d.12xlarge → "), "{sentence}");
        assert!(sentence.ends_with("; a run costs $0.51 → $0.01"), "{sentence}");
    }

    #[test]
    fn a_profile_without_errors_has_no_measured_error() {
        let verdict = PlanVerdict::new(&Engines::plain(), [6.0, 5.0], true).expect("a time");
        assert_eq!((verdict.likelihood, verdict.side()), (None, None));
        assert_eq!(verdict.sentence(), "6 s → 5 s; no measured error for this estimate");
        assert_eq!(PlanVerdict::new(&engines(), [0.0, 5.0], true), None);
    }

    #[test]
    fn a_plan_that_the_errors_do_not_apply_to_has_no_measured_error() {
        let verdict = PlanVerdict::new(&engines(), [100.0, 10.0], false).expect("a time");
        assert_eq!((verdict.likelihood, verdict.side()), (None, None));
        assert!(!verdict.speedup.is_known() && !verdict.cpu.is_known() && !verdict.gpu.is_known());
        assert!(verdict.sentence().ends_with("; no measured error for this estimate"), "{}", verdict.sentence());
    }
}
