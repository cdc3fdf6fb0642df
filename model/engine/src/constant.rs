//! The predictor that knows nothing about a query: one speedup for all. It answers where left-out queries, or left-out clusters, were
//! not predicted better by a form.
//!
//! ```text
//! T_gpu = δ·max(T_cpu / S_0, a)
//! ```

use super::elsewhere::Elsewhere;
use super::planned::Planned;
use super::profile::Engines;

/// Largest error factor.
const LARGEST: f64 = 1000.0;

impl Engines {
    /// What a time is computed from that is one speedup for all queries, as the end of a sentence.
    pub const CONSTANT_BASIS: &'static str = "the time on CPUs and one speedup for all queries, because no formula predicted left-out ones \
                                              better";

    /// Whether one speedup for all queries answers.
    #[must_use]
    pub fn is_constant(&self) -> bool {
        self.constant().is_some()
    }

    fn constant(&self) -> Option<f64> {
        if self.measured_seconds.is_some() { self.anchored_constant_speedup } else { self.constant_speedup }
    }

    /// Time on GPUs ÷ time on CPUs of a query that takes so long on CPUs; `None` if each query has its own, by its form. No query is
    /// shorter than the start of the engine on GPUs.
    #[must_use]
    pub fn constant_ratio(&self, cpu_seconds: f64) -> Option<f64> {
        // A measured time does not contain the time factor.
        let today = if self.measured_seconds.is_some() { 1.0 } else { self.cpu.time_ratio };
        let ratio = self.gpu.time_ratio / (today * self.constant()?);
        let start = self.gpu.time_ratio * self.gpu.start_seconds;
        Some(if cpu_seconds > 0.0 { ratio.max(start / cpu_seconds) } else { ratio })
    }

    /// Factors within which 90 % of measured values lie around the CPU time, the GPU time and the speedup of a query that was not
    /// measured; `planned`: its times from its plan, if it has them.
    #[must_use]
    pub fn error_factors_90(&self, planned: Option<&Planned<'_>>) -> [f64; 3] {
        let of_engines = [self.cpu.error_factor_90, self.gpu.error_factor_90, self.speedup_error_factor_90];
        let found = planned.map_or(of_engines, Planned::error_factors_90);
        if self.constant_speedup.is_none() {
            return found;
        }
        let ([cpu, ..], speedup) = (found, self.speedup_error_factor_90);
        // The GPU time has both errors, which do not depend on each other; without one of them none is known.
        let both = if cpu > 1.0 && speedup > 1.0 { cpu.ln().hypot(speedup.ln()).exp().min(LARGEST) } else { 1.0 };
        [cpu, both, speedup]
    }

    /// Leaves the machines that the numbers were fitted on. If left-out clusters were not predicted better by a form, the constant answers,
    /// with its spread. Else the errors of a GPU time, given a measured time, widen to that of the GPU engine without one; those of times
    /// from a plan become at least those of the engines. Without measured errors none is assumed.
    pub fn on_unmeasured_machines(&mut self) {
        if let Some(Elsewhere { speedup, error_factor_90 }) = self.elsewhere {
            (self.constant_speedup, self.anchored_constant_speedup) = (Some(speedup), Some(speedup));
            (self.speedup_error_factor_90, self.anchored_error_factor_90) = (error_factor_90, error_factor_90);
            return;
        }
        let widest = self.gpu.error_factor_90;
        let of_sum = self.anchored.as_mut().map(|anchored| &mut anchored.error_factor_90);
        for error in of_sum.into_iter().chain([&mut self.anchored_error_factor_90]) {
            if *error > 1.0 {
                *error = error.max(widest);
            }
        }
        let of_plan = [self.cpu.error_factor_90, self.gpu.error_factor_90, self.speedup_error_factor_90];
        if let Some(from_plan) = &mut self.from_plan {
            for (error, of_engine) in from_plan.errors_mut().into_iter().zip(of_plan) {
                if *error > 1.0 {
                    *error = error.max(of_engine);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::additive::fixtures::engines as with_sum;
    use crate::predict::of_work;
    use crate::work::Work;
    use crossover_quantity::spread::Distribution;
    use crossover_query::Volumes;

    fn near(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-9, "{found} instead of {expected}");
    }

    #[test]
    fn errors_of_other_machines_are_those_of_the_engine_alone() {
        let mut engines = with_sum();
        (engines.gpu.error_factor_90, engines.anchored_error_factor_90) = (2.5, 1.0);
        engines.on_unmeasured_machines();
        assert_eq!(engines.anchored.as_ref().map(|anchored| anchored.error_factor_90), Some(2.5));
        // No error was measured without volumes, so none is assumed.
        assert_eq!(engines.anchored_error_factor_90, 1.0);
        assert_eq!(engines.constant_ratio(100.0), None);
    }

    #[test]
    fn where_left_out_clusters_say_so_the_constant_answers_elsewhere() {
        let mut engines = with_sum();
        engines.elsewhere = Some(Elsewhere { speedup: 1.6, error_factor_90: 2.2 });
        assert_eq!(engines.constant_ratio(100.0), None);
        engines.on_unmeasured_machines();
        near(engines.constant_ratio(100.0).expect("a constant"), 1.0 / 1.6);
        assert_eq!(engines.anchored_error_factor_90, 2.2);
        // The sum is not used, however much of the query is known. It still says what is outside.
        let of = |exchanged_gb: f64| {
            let volumes = Volumes { exchanges_gb: vec![exchanged_gb], ..crate::additive::fixtures::volumes() };
            engines.errors(Some(&volumes), None)
        };
        let within = Distribution::from_error_factor_90(2.2);
        assert_eq!(of(12.0).values().map(|spread| spread.distribution).collect::<Vec<_>>(), [within]);
        assert!(of(139.0).is_empty());
        // The start of an engine is no faster.
        engines.gpu.start_seconds = 5.0;
        near(engines.constant_ratio(4.0).expect("a constant"), 5.0 / 4.0);
        engines.gpu.start_seconds = 0.0;
        engines.measured_seconds = None;
        near(engines.constant_ratio(100.0).expect("a constant"), 1.0 / 1.6);
        assert_eq!(engines.speedup_error_factor_90, 2.2);
    }

    #[test]
    fn the_constant_of_plans_says_nothing_about_a_measured_time() {
        let mut engines = Engines { constant_speedup: Some(1.25), ..with_sum() };
        assert_eq!(engines.constant_ratio(100.0), None);
        engines.measured_seconds = None;
        near(engines.constant_ratio(100.0).expect("a constant"), 0.8);
        // Twice the time on CPUs is their error, and no more work for GPUs; a trial of the GPUs has found twice their time.
        engines.cpu.time_ratio = 2.0;
        near(engines.constant_ratio(100.0).expect("a constant"), 0.4);
        engines.gpu.time_ratio = 2.0;
        near(engines.constant_ratio(100.0).expect("a constant"), 0.8);
    }

    #[test]
    fn a_time_by_the_constant_has_the_errors_of_the_time_on_cpus_and_of_the_constant() {
        let mut engines =
            Engines { constant_speedup: Some(2.0), speedup_error_factor_90: 4.0_f64.exp(), ..Engines::plain() };
        engines.cpu.error_factor_90 = 3.0_f64.exp();
        let found = of_work(&Work { own_seconds: 10.0, ..Work::default() }, false, &engines);
        // 10 s on one core; the logarithms of both errors are 3 and 4, so that of the time is 5.
        near(found.gpu.value, 5.0);
        near(found.speedup.value, 2.0);
        near((found.gpu.high / found.gpu.value).ln(), 5.0);
        near((found.speedup.high / found.speedup.value).ln(), 4.0);
    }
}
