//! Time on GPUs from the measured time on CPUs and from what the query moves: data read, files, exchanges.
//!
//! ```text
//! T = δ·max(f·T_m, a + k·T_m + R/r + t_f·F + t_s·P + Σ max(0, E_i − m) / s)
//! ```
//! R data read, F files, P scans of partitioned tables, `E_i` data of each exchange. The numbers are those of the machines that
//! they were fitted on; on others they are scaled, see [`Anchored::seconds`].

mod reach;

use super::anchored::Anchored;
use super::predict::{Part, Seconds};
use super::profile::{Engine, Engines};
use crossover_query::Volumes;

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
    /// sum are not known.
    #[must_use]
    pub fn additive<'a>(&'a self, volumes: Option<&'a Volumes>) -> Option<Additive<'a>> {
        Some(Additive {
            anchored: self.anchored.as_ref()?,
            engines: self,
            volumes: volumes?,
            measured: self.measured_seconds?,
        })
    }

    /// Widens the errors of a GPU time, given a measured time, to that of the GPU engine without one: on other machines the
    /// measured ones do not hold. Those of times from a plan become at least those of the engines. Without measured errors none is
    /// assumed.
    pub fn widen_anchored_errors(&mut self) {
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

    /// Factor within which 90 % of measured times lie around the sum. Of a query that differs from the measured ones, it is at least
    /// that of the GPU engine's time without a measured one.
    #[must_use]
    pub fn error_factor_90(&self) -> f64 {
        let measured = self.anchored.error_factor_90;
        let is_wider = measured > 1.0 && self.difference().is_some();
        if is_wider { measured.max(self.engines.gpu.error_factor_90) } else { measured }
    }
}

impl Anchored {
    /// Seconds of each part on GPUs, for a query that took `measured` seconds on CPUs.
    ///
    /// Work takes k times the core-seconds per GPU, so k grows with the cores and falls with the GPUs. Reading is bound by the
    /// network of all machines. Files and spilled data are shared by the machines, and each adds its memory.
    #[must_use]
    pub fn seconds(&self, measured: f64, volumes: &Volumes, cpu: &Engine, gpu: &Engine) -> Seconds {
        let network = gpu.machines * gpu.network_gbit_per_s;
        let by_network = self.fitted_network_gbit_per_s / network;
        let by_machines = self.fitted_machines / gpu.machines;
        let by_cores = cpu.all_lanes() / self.fitted_cores;
        let through = |gigabytes: f64, speed: Option<f64>| speed.map_or(0.0, |speed| gigabytes / speed);
        let mut seconds = [0.0; Part::ALL.len()];
        seconds[Part::Start as usize] = self.start_seconds;
        seconds[Part::Steps as usize] = self.scan_seconds * volumes.partitioned_scans * by_machines;
        seconds[Part::Work as usize] = self.today_share * measured * by_cores * self.fitted_gpus / gpu.all_lanes();
        seconds[Part::Read as usize] = through(volumes.read_gb, self.read_gb_per_s) * by_network;
        seconds[Part::Files as usize] = self.file_seconds * volumes.files * by_machines;
        seconds[Part::Spill as usize] = through(self.spilled_gb(volumes, gpu), self.spill_gb_per_s) * by_machines;
        let least = self.least_share * measured * by_cores;
        let missing = least - seconds.iter().sum::<f64>();
        seconds[Part::Work as usize] += missing.max(0.0);
        seconds.map(|seconds| gpu.time_ratio * seconds)
    }

    /// Data of all exchanges beyond the memory that each has, GB.
    pub(crate) fn spilled_gb(&self, volumes: &Volumes, gpu: &Engine) -> f64 {
        let memory = self.exchange_memory_gb * gpu.machines / self.fitted_machines;
        volumes.exchanges_gb.iter().map(|exchange| (exchange - memory).max(0.0)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn anchored() -> Anchored {
        Anchored {
            start_seconds: 1.0,
            today_share: 0.1,
            read_gb_per_s: Some(2.0),
            file_seconds: 0.01,
            scan_seconds: 0.5,
            exchange_memory_gb: 10.0,
            spill_gb_per_s: Some(0.5),
            least_share: 0.05,
            error_factor_90: 1.5,
            fitted_cores: 100.0,
            fitted_gpus: 4.0,
            fitted_machines: 4.0,
            fitted_network_gbit_per_s: 20.0,
            smallest_core_seconds: 100.0,
            largest_core_seconds: 10_000.0,
            largest_read_gb: 100.0,
            largest_files: 10_000.0,
            largest_partitioned_scans: 9.0,
            largest_exchange_gb: 77.0,
            largest_spilled_gb: 65.0,
            largest_window_rows: 1e8,
            largest_expanded_rows: 1e9,
            largest_copies: 9.0,
            largest_pairs: 1000.0,
            largest_of: [("largest_exchange_gb".to_owned(), "q67".to_owned())].into(),
        }
    }

    /// The machines of the fit.
    fn engines() -> Engines {
        let plain = Engines::plain();
        Engines {
            cpu: Engine { machines: 10.0, lanes: 10.0, ..plain.cpu.clone() },
            gpu: Engine { machines: 4.0, network_gbit_per_s: 5.0, ..plain.gpu.clone() },
            anchored: Some(anchored()),
            measured_seconds: Some(20.0),
            ..plain
        }
    }

    fn volumes() -> Volumes {
        Volumes {
            read_gb: 6.0,
            files: 200.0,
            partitioned_scans: 2.0,
            exchanges_gb: vec![4.0, 12.0, 11.0],
            window_rows: 0.0,
            expanded_rows: 0.0,
            copies: 0.0,
            pairs: 0.0,
        }
    }

    fn seconds(engines: &Engines, volumes: &Volumes) -> Seconds {
        engines.additive(Some(volumes)).expect("all is known").seconds()
    }

    fn near(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-9, "{found} instead of {expected}");
    }

    fn outside(engines: &Engines, volumes: &Volumes) -> Option<String> {
        engines.additive(Some(volumes)).expect("all is known").outside()
    }

    #[test]
    fn the_time_is_the_sum_of_its_parts() {
        let found = seconds(&engines(), &volumes());
        // By hand: 0.1 · 20, 6 ÷ 2, 0.01 · 200, 0.5 · 2, and (2 + 1) ÷ 0.5 beyond 10 GB each.
        let expected = [
            (Part::Start, 1.0),
            (Part::Steps, 1.0),
            (Part::Work, 2.0),
            (Part::Read, 3.0),
            (Part::Files, 2.0),
            (Part::Exchange, 0.0),
            (Part::Spill, 6.0),
        ];
        for (part, expected) in expected {
            near(found[part as usize], expected);
        }
    }

    #[test]
    fn on_other_machines_every_part_has_its_own_roof() {
        let mut twice = engines();
        // Twice the GPU machines, each with half of the network, and half of the cores today.
        (twice.gpu.machines, twice.gpu.network_gbit_per_s, twice.cpu.machines) = (8.0, 2.5, 5.0);
        let found = seconds(&twice, &volumes());
        near(found[Part::Start as usize], 1.0);
        near(found[Part::Work as usize], 2.0 / 2.0 / 2.0);
        near(found[Part::Read as usize], 3.0);
        near(found[Part::Files as usize], 1.0);
        near(found[Part::Steps as usize], 0.5);
        // 20 GB of memory hold every exchange.
        near(found[Part::Spill as usize], 0.0);
        // The time factor of a trial counts for all.
        twice.gpu.time_ratio = 2.0;
        near(seconds(&twice, &volumes()).iter().sum::<f64>(), 2.0 * found.iter().sum::<f64>());
    }

    #[test]
    fn a_long_run_keeps_its_least_share() {
        let mut engines = engines();
        engines.anchored = Some(Anchored { today_share: 0.0, start_seconds: 0.0, ..anchored() });
        let nothing =
            Volumes { read_gb: 0.0, files: 0.0, partitioned_scans: 0.0, exchanges_gb: Vec::new(), ..volumes() };
        near(seconds(&engines, &nothing).iter().sum(), 0.05 * 20.0);
    }

    #[test]
    fn the_sum_needs_a_measured_time_volumes_and_numbers() {
        let engines = engines();
        assert!(engines.additive(None).is_none());
        let volumes = volumes();
        assert!(Engines { measured_seconds: None, ..engines.clone() }.additive(Some(&volumes)).is_none());
        assert!(Engines { anchored: None, ..engines }.additive(Some(&volumes)).is_none());
    }

    #[test]
    fn what_is_larger_than_all_measured_runs_is_outside_and_names_the_nearest() {
        let engines = engines();
        assert_eq!(outside(&engines, &volumes()), None);
        let exchanges = |size: f64| Volumes { exchanges_gb: vec![size, 1.0], ..volumes() };
        // 77 · 1.25 = 96.25, but less than 65 · 1.25 beyond 10 GB.
        assert_eq!(outside(&engines, &exchanges(90.0)), None);
        let found = outside(&engines, &exchanges(139.0)).expect("outside");
        assert_eq!(found, "an exchange of 139 GB, 1.8 times the largest measured (q67: 77 GB)");
        // Each of two is smaller; together they are 100 GB beyond 10 GB each.
        let found = outside(&engines, &Volumes { exchanges_gb: vec![60.0, 60.0], ..volumes() }).expect("outside");
        assert_eq!(found, "exchanges of 100 GB beyond their memory, 1.5 times the largest measured (65 GB)");
    }

    #[test]
    fn copies_and_pairs_are_outside_and_windows_are_not() {
        let engines = engines();
        let expand = Volumes { copies: 24.0, ..volumes() };
        assert!(outside(&engines, &expand).is_some_and(|why| why.contains("24 copies of a row")));
        // A row beside a table is no work; every row with every row is.
        assert_eq!(outside(&engines, &Volumes { pairs: 1e6, ..volumes() }), None);
        assert!(outside(&engines, &Volumes { pairs: 1e12, ..volumes() }).is_some_and(|why| why.contains("pairs")));
        let windows = Volumes { window_rows: 8e9, ..volumes() };
        assert_eq!(outside(&engines, &windows), None);
        let additive = engines.additive(Some(&windows)).expect("all is known");
        assert!(additive.difference().is_some_and(|text| text.contains("80 times the largest measured")));
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
            assert_eq!(is_named, machines > 5.0);
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
            assert_eq!(is_named, seconds < 1.0);
        }
    }

    #[test]
    fn more_machines_hold_more() {
        let mut engines = engines();
        let large = Volumes { exchanges_gb: vec![139.0], ..volumes() };
        engines.gpu.machines = 8.0;
        // 154 GB fit as 77 GB did; 119 GB beyond 20 GB are less than twice 65 GB.
        assert_eq!(outside(&engines, &large), None);
        engines.gpu.machines = 2.0;
        let found = outside(&engines, &Volumes { exchanges_gb: vec![70.0], ..volumes() }).expect("outside");
        // Two of the machines had 38.5 GB.
        let expected = "an exchange of 70 GB on 2 machines, 1.8 times the largest measured (q67: 77 GB on 4 machines)";
        assert_eq!(found, expected);
    }

    #[test]
    fn clusters_far_from_the_measured_one_are_outside() {
        let mut engines = engines();
        for (machines, is_outside) in [(1.0, false), (16.0, false), (17.0, true)] {
            engines.gpu.machines = machines;
            assert_eq!(
                outside(&engines, &Volumes { exchanges_gb: Vec::new(), ..volumes() }).is_some(),
                is_outside,
                "{machines}"
            );
        }
    }

    #[test]
    fn a_time_on_far_more_cores_says_too_little() {
        let mut engines = engines();
        let none = Volumes { exchanges_gb: Vec::new(), ..volumes() };
        // 100 cores of ten machines were fitted.
        for (machines, is_outside) in [(1.0, false), (40.0, false), (41.0, true)] {
            engines.cpu.machines = machines;
            assert_eq!(outside(&engines, &none).is_some(), is_outside, "{machines}");
        }
    }

    #[test]
    fn errors_of_other_machines_are_those_of_the_engine_alone() {
        let mut engines = engines();
        (engines.gpu.error_factor_90, engines.anchored_error_factor_90) = (2.5, 1.0);
        engines.widen_anchored_errors();
        assert_eq!(engines.anchored.map(|anchored| anchored.error_factor_90), Some(2.5));
        // No error was measured without volumes, so none is assumed.
        assert_eq!(engines.anchored_error_factor_90, 1.0);
    }
}
