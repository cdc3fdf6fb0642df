//! Time on GPUs from the measured time on CPUs and from what the query moves: data read, files, exchanges.
//!
//! ```text
//! T = δ·max(f·T_m, a + k·T_m + R/r + t_f·F + t_s·P + Σ max(0, E_i − m) / s)
//! ```
//! R data read, F files, P scans of partitioned tables, `E_i` data of each exchange. The numbers are those of the machines that
//! they were fitted on; on others they are scaled, see [`Anchored::seconds`]. Where queries that were left out of the fit say that
//! it helps, the time is the geometric mean of the sum and of a power of the data read per core-second, `k_d·(R/(T_m·L))^η·T_m`.

#[cfg(test)]
pub(crate) mod fixtures;
mod reach;
mod seconds;

use super::anchored::Anchored;
use super::predict::Seconds;
use super::profile::Engines;
use crossover_query::Volumes;

/// Power of a predicted speedup that, as an error factor (90 %), makes it 90 % likely that there is a speedup: the 95 % quantile of
/// the normal distribution ÷ its 90 % quantile. From there on no side is likely.
const NO_GAIN: f64 = 1.644_853_627 / 1.281_551_566;

/// The sum for one query in some engines.
#[derive(Debug, Clone, Copy)]
pub struct Additive<'a> {
    anchored: &'a Anchored,
    engines: &'a Engines,
    volumes: &'a Volumes,
    measured: f64,
}

impl Engines {
    /// The GPU time of a query as a sum with its measured time; `None` if that time, what the query moves, or the numbers of the
    /// sum are not known. Where one speedup for all queries answers, the sum only says whether the query is outside what was measured.
    #[must_use]
    pub fn additive<'a>(&'a self, volumes: Option<&'a Volumes>) -> Option<Additive<'a>> {
        Some(Additive {
            anchored: self.anchored.as_ref()?,
            engines: self,
            volumes: volumes?,
            measured: self.measured_seconds?,
        })
    }
}

impl Additive<'_> {
    /// What the time is computed from, as the end of a sentence.
    pub const BASIS: &'static str = "its measured time, data read, files and exchanges";

    /// Seconds of each part on GPUs.
    #[must_use]
    pub fn seconds(&self) -> Seconds {
        let Engines { cpu, gpu, .. } = self.engines;
        self.anchored.seconds(self.measured, self.volumes, cpu, gpu)
    }

    /// Why the time cannot be judged: the query or the cluster is outside what was measured.
    #[must_use]
    pub fn outside(&self) -> Option<String> {
        let Engines { cpu, gpu, .. } = self.engines;
        self.anchored.outside(self.volumes, cpu, gpu)
    }

    /// What differs from the measured queries but leaves the time usable, with a wider error.
    #[must_use]
    pub fn difference(&self) -> Option<String> {
        let Engines { cpu, gpu, .. } = self.engines;
        self.anchored.difference(self.volumes, self.measured, cpu, gpu)
    }

    /// Whether it has such a difference, without its words.
    fn differs(&self) -> bool {
        self.anchored.differs(self.volumes, self.measured, &self.engines.cpu)
    }

    /// Factor within which 90 % of measured times lie around the sum. Of a query that differs from the measured ones, it is at least
    /// that of the GPU engine's time without a measured one. Of a run far smaller than any measured one it is at least so wide
    /// that no gain is likely.
    #[must_use]
    pub fn error_factor_90(&self) -> f64 {
        let measured = self.anchored.error_factor_90;
        let Engines { cpu, gpu, .. } = self.engines;
        if measured <= 1.0 || !self.differs() {
            return measured;
        }
        let wider = measured.max(gpu.error_factor_90);
        if self.anchored.is_far_smaller(self.volumes, self.measured, cpu) {
            let gain = self.measured / self.seconds().iter().sum::<f64>();
            wider.max(gain.powf(NO_GAIN))
        } else {
            wider
        }
    }
}

#[cfg(test)]
mod tests {
    use super::fixtures::{anchored, engines, volumes};
    use super::*;

    #[test]
    fn the_sum_needs_a_measured_time_volumes_and_numbers() {
        let engines = engines();
        assert!(engines.additive(None).is_none());
        let volumes = volumes();
        assert!(Engines { measured_seconds: None, ..engines.clone() }.additive(Some(&volumes)).is_none());
        assert!(Engines { anchored: None, ..engines }.additive(Some(&volumes)).is_none());
    }

    #[test]
    fn a_longer_run_has_the_error_of_the_engine_alone() {
        let mut long = Engines { measured_seconds: Some(200.0), ..engines() };
        long.gpu.error_factor_90 = 2.5;
        let volumes = volumes();
        // 200 s on 100 cores, where 10,000 core-seconds were measured; on 50 cores it is as long as measured.
        for (machines, error_factor_90) in [(10.0, 2.5), (5.0, 1.5)] {
            long.cpu.machines = machines;
            let additive = long.additive(Some(&volumes)).expect("all is known");
            assert_eq!((additive.outside(), additive.error_factor_90()), (None, error_factor_90));
            let is_named = additive.difference().is_some_and(|text| text.contains("20,000 core-seconds"));
            assert_eq!((is_named, additive.differs()), (machines > 5.0, machines > 5.0));
        }
    }

    #[test]
    fn a_run_smaller_than_any_measured_one_has_the_error_of_the_engine_alone() {
        let mut small = Engines { measured_seconds: Some(0.7), ..engines() };
        small.gpu.error_factor_90 = 2.5;
        let volumes = volumes();
        // 0.7 s on 100 cores, where the smallest run had 100 core-seconds; 1 s is as small as measured.
        for (seconds, error_factor_90) in [(0.7, 2.5), (1.0, 1.5)] {
            small.measured_seconds = Some(seconds);
            let additive = small.additive(Some(&volumes)).expect("all is known");
            assert_eq!((additive.outside(), additive.error_factor_90()), (None, error_factor_90));
            let is_named = additive.difference().is_some_and(|text| text.contains("a run of 70 core-seconds"));
            assert_eq!((is_named, additive.differs()), (seconds < 1.0, seconds < 1.0));
        }
    }

    #[test]
    fn of_a_far_smaller_run_no_gain_is_likely() {
        let mut engines = engines();
        engines.gpu.error_factor_90 = 1.6;
        // The smallest run had 100 core-seconds, on 100 cores. A time on GPUs of 1.2 s, whatever the run.
        engines.anchored = Some(Anchored { start_seconds: 1.2, today_share: 0.0, least_share: 0.0, ..anchored() });
        let nothing = Volumes::default();
        let mut of = |measured: f64, cores: f64| {
            engines.measured_seconds = Some(measured);
            engines.cpu.lanes = cores / engines.cpu.machines;
            let additive = engines.additive(Some(&nothing)).expect("all is known");
            let value = measured / additive.seconds().iter().sum::<f64>();
            let within = additive.error_factor_90();
            (within, crate::predict::likelihood_above(value, within))
        };
        // A quarter of it is small; less is far smaller, so that even a speedup of 4 is as likely as nine in ten at most.
        assert_eq!(of(4.8, 6.0).0, 1.6);
        let (within, likelihood) = of(4.8, 5.0);
        assert!(within > 4.0 && (likelihood - 0.9).abs() < 1e-6, "{within} {likelihood}");
        // Of a run that is faster than any start, no gain is predicted.
        assert_eq!(of(0.6, 5.0).0, 1.6);
    }
}
