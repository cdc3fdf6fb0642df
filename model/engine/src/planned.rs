//! Times of a query that never ran, in both engines, from what its plan says that it will move.
//!
//! ```text
//! T = δ·(a + R/r + t_f·F + t_s·P + t_x·max(1, X) + Σ max(0, E_i − m)/s + t_g·G)^η
//! ```
//! R data read, F files, P scans of partitioned tables, X exchanges on the longest path, `E_i` data of each exchange, G billions of
//! rows that aggregates group, and the sum in seconds. Each engine has the terms that the fit found; the volumes are those of the rules in
//! [`crossover_query::estimated`]. The numbers are those of the machines of the fit, as those of [`Anchored`].

use super::anchored::Anchored;
use super::from_plan::{FromPlan, PlanTime};
use super::predict::{Part, Seconds};
use super::profile::Engines;
use crossover_query::{EstimatedVolumes, Volumes};

/// Rows of a unit of grouped rows.
pub(crate) const BILLION: f64 = 1e9;

/// How the machines of an engine compare with those of the fit: a term takes its time ÷ this.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Roofs {
    read: f64,
    machines: f64,
    lanes: f64,
}

impl PlanTime {
    /// Seconds of each part: each has its part in the sum of the power of it; `memory_gb`: data of an exchange that the machines hold.
    fn seconds(&self, moved: &EstimatedVolumes, memory_gb: f64, roofs: Roofs) -> Seconds {
        let Volumes { read_gb, files, partitioned_scans, .. } = moved.volumes;
        let through = |gigabytes: f64, speed: Option<f64>| speed.map_or(0.0, |speed| gigabytes / speed);
        let mut seconds = [0.0; Part::ALL.len()];
        seconds[Part::Start as usize] = self.start_seconds;
        seconds[Part::Steps as usize] =
            self.step_seconds * steps(moved) + self.scan_seconds * partitioned_scans / roofs.machines;
        seconds[Part::Work as usize] = self.group_seconds * moved.grouped_rows / BILLION / roofs.lanes;
        seconds[Part::Read as usize] = through(read_gb, self.read_gb_per_s) / roofs.read;
        seconds[Part::Files as usize] = self.file_seconds * files / roofs.machines;
        seconds[Part::Spill as usize] =
            through(moved.volumes.spilled_gb(memory_gb), self.spill_gb_per_s) / roofs.machines;
        let sum: f64 = seconds.iter().sum();
        let of_power = if sum > 0.0 { sum.powf(self.exponent - 1.0) } else { 0.0 };
        seconds.map(|part| part * of_power)
    }
}

/// Steps on the longest path: also a query without an exchange has one.
pub(crate) fn steps(moved: &EstimatedVolumes) -> f64 {
    moved.depth.max(1.0)
}

/// Both times of a query that never ran.
#[derive(Debug, Clone, Copy)]
pub struct Planned<'a> {
    from_plan: &'a FromPlan,
    anchored: &'a Anchored,
    engines: &'a Engines,
    moved: &'a EstimatedVolumes,
}

impl Engines {
    /// Both times of a query from what its plan says that it will move. `None` if the query was measured, or if the plan, the numbers or
    /// the largest values of the fit are not known.
    #[must_use]
    pub fn planned<'a>(&'a self, moved: Option<&'a EstimatedVolumes>) -> Option<Planned<'a>> {
        Some(Planned {
            from_plan: self.from_plan.as_ref().filter(|_| self.measured_seconds.is_none())?,
            anchored: self.anchored.as_ref()?,
            engines: self,
            moved: moved?,
        })
    }

    /// Why times by the operators of a plan cannot be judged: the query was not measured, and operators multiply more rows than those of
    /// any measured query; `multiplied` has these rows.
    #[must_use]
    pub fn outside_by_plan(&self, multiplied: &Volumes) -> Option<String> {
        let anchored = self.anchored.as_ref().filter(|_| self.measured_seconds.is_none())?;
        anchored.outside_by_rows(multiplied, &self.gpu)
    }
}

impl Planned<'_> {
    /// What the times are computed from, as the end of a sentence.
    pub const BASIS: &'static str = "its plan alone: data read, files, exchanges and grouped rows by rules; the time on CPUs is \
                                     predicted, not measured";

    /// Seconds of each part, on CPUs and on GPUs.
    #[must_use]
    pub fn seconds(&self) -> [Seconds; 2] {
        let Engines { cpu, gpu, .. } = self.engines;
        let FromPlan { exchange_memory_gb, cpu: on_cpus, gpu: on_gpus, .. } = self.from_plan;
        // Cores have the machines' network and disks.
        let cores = cpu.all_lanes() / self.anchored.fitted_cores;
        let machines = gpu.machines / self.anchored.fitted_machines;
        let network = gpu.machines * gpu.network_gbit_per_s / self.anchored.fitted_network_gbit_per_s;
        let of_cpus = Roofs { read: cores, machines: cores, lanes: cores };
        let of_gpus = Roofs { read: network, machines, lanes: gpu.all_lanes() / self.anchored.fitted_gpus };
        [
            on_cpus.seconds(self.moved, exchange_memory_gb * cores, of_cpus).map(|seconds| cpu.time_ratio * seconds),
            on_gpus.seconds(self.moved, exchange_memory_gb * machines, of_gpus).map(|seconds| gpu.time_ratio * seconds),
        ]
    }

    /// Why the times cannot be judged: the query or the cluster is outside what was measured.
    #[must_use]
    pub fn outside(&self) -> Option<String> {
        let Engines { cpu, gpu, .. } = self.engines;
        let volumes = &self.moved.volumes;
        self.anchored.outside(volumes, cpu, gpu).or_else(|| self.anchored.outside_by_rows(volumes, gpu))
    }

    /// What the plan does not state, a sentence without its full stop each.
    #[must_use]
    pub fn assumed(&self) -> &[String] {
        &self.moved.assumed
    }

    /// Factors within which 90 % of measured values lie around the CPU time, the GPU time and the speedup. Errors of both times
    /// that have one cause cancel in the speedup. 1, as without a measured error, if sizes of tables are assumed.
    #[must_use]
    pub fn error_factors_90(&self) -> [f64; 3] {
        if !self.moved.has_sizes {
            return [1.0; 3];
        }
        let FromPlan { cpu, gpu, speedup_error_factor_90, .. } = self.from_plan;
        [cpu.error_factor_90, gpu.error_factor_90, *speedup_error_factor_90]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::additive::fixtures::engines as of_fit;
    use crate::profile::Engine;

    fn near(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-9, "{found} instead of {expected}");
    }

    fn time() -> PlanTime {
        PlanTime {
            start_seconds: 1.0,
            read_gb_per_s: Some(2.0),
            file_seconds: 0.01,
            scan_seconds: 0.5,
            step_seconds: 0.25,
            spill_gb_per_s: Some(0.5),
            group_seconds: 4.0,
            exponent: 1.0,
            error_factor_90: 2.0,
        }
    }

    fn moved() -> EstimatedVolumes {
        let volumes = Volumes {
            read_gb: 6.0,
            files: 200.0,
            partitioned_scans: 2.0,
            exchanges_gb: vec![4.0, 12.0, 11.0],
            ..Volumes::default()
        };
        EstimatedVolumes { volumes, depth: 3.0, grouped_rows: 5e8, has_sizes: true, ..EstimatedVolumes::default() }
    }

    /// Engines on the machines of a fit of 100 cores, and of 4 GPUs on 4 machines with 20 Gbit/s together.
    fn engines() -> Engines {
        let mut engines = of_fit();
        engines.measured_seconds = None;
        engines.from_plan =
            Some(FromPlan { exchange_memory_gb: 10.0, speedup_error_factor_90: 1.75, cpu: time(), gpu: time() });
        engines
    }

    #[test]
    fn both_times_are_sums_of_their_parts() {
        let (engines, moved) = (engines(), moved());
        let planned = engines.planned(Some(&moved)).expect("all is known");
        // By hand: 1, 6 ÷ 2, 0.01 · 200, 0.5 · 2 + 0.25 · 3, (2 + 1) ÷ 0.5 beyond 10 GB each, 4 · 0.5.
        for seconds in planned.seconds() {
            near(seconds.iter().sum(), 1.0 + 3.0 + 2.0 + 1.75 + 6.0 + 2.0);
        }
        assert_eq!(planned.error_factors_90(), [2.0, 2.0, 1.75]);
        assert_eq!(planned.outside(), None);
    }

    #[test]
    fn a_power_of_the_sum_is_shared_by_its_parts() {
        let (mut engines, moved) = (engines(), moved());
        if let Some(from_plan) = &mut engines.from_plan {
            from_plan.cpu.exponent = 0.5;
        }
        let [cpu, gpu] = engines.planned(Some(&moved)).expect("all is known").seconds();
        // The sum is 15.75, of which reading is 3.
        near(cpu.iter().sum(), 15.75_f64.sqrt());
        near(cpu[Part::Read as usize], 3.0 / 15.75 * 15.75_f64.sqrt());
        near(gpu.iter().sum(), 15.75);
    }

    #[test]
    fn twice_the_data_takes_twice_the_machines_as_long_but_for_the_steps() {
        let (mut engines, one) = (engines(), moved());
        if let Some(from_plan) = &mut engines.from_plan {
            from_plan.cpu = PlanTime { start_seconds: 0.0, step_seconds: 0.0, exponent: 0.5, ..time() };
        }
        let volumes = Volumes { files: 400.0, partitioned_scans: 4.0, ..one.volumes.times(2.0) };
        let two = EstimatedVolumes { volumes, grouped_rows: 1e9, ..one.clone() };
        let seconds = |engines: &Engines, moved: &EstimatedVolumes| {
            let [cpu, _] = engines.planned(Some(moved)).expect("all is known").seconds();
            cpu.iter().sum::<f64>()
        };
        let mut doubled = engines.clone();
        doubled.cpu.machines *= 2.0;
        near(seconds(&doubled, &two), seconds(&engines, &one));
        // Nothing to do takes no time.
        near(seconds(&engines, &EstimatedVolumes::default()), 0.0);
    }

    #[test]
    fn a_query_without_an_exchange_has_one_step() {
        let moved = EstimatedVolumes { depth: 0.0, ..EstimatedVolumes::default() };
        let engines = engines();
        let [cpu, _] = engines.planned(Some(&moved)).expect("all is known").seconds();
        near(cpu.iter().sum(), 1.25);
    }

    #[test]
    fn on_other_machines_every_part_has_its_own_roof() {
        let mut other = engines();
        let moved = moved();
        other.cpu = Engine { machines: 20.0, ..other.cpu };
        other.gpu = Engine { machines: 2.0, network_gbit_per_s: 10.0, time_ratio: 2.0, ..other.gpu };
        let [cpu, gpu] = other.planned(Some(&moved)).expect("all is known").seconds();
        // Twice the cores, which hold every exchange: 1 + 1.5 + 1 + 0.5 + 0.75 + 1.
        near(cpu.iter().sum(), 5.75);
        // Half of the machines with the same network: 1 + 3 + 4 + 2 + 0.75 + (7 + 6) ÷ 0.25 + 4, all twice as long.
        near(gpu.iter().sum(), 2.0 * 66.75);
    }

    #[test]
    fn a_measured_query_has_no_times_from_its_plan() {
        let moved = moved();
        assert!(engines().planned(None).is_none());
        assert!(Engines { measured_seconds: Some(3.0), ..engines() }.planned(Some(&moved)).is_none());
        assert!(Engines { from_plan: None, ..engines() }.planned(Some(&moved)).is_none());
    }

    #[test]
    fn assumed_sizes_of_tables_leave_no_error_to_state() {
        let moved = EstimatedVolumes { has_sizes: false, ..moved() };
        let engines = engines();
        assert_eq!(engines.planned(Some(&moved)).expect("all is known").error_factors_90(), [1.0; 3]);
    }

    #[test]
    fn more_than_was_measured_is_outside() {
        let mut moved = moved();
        moved.volumes.files = 20_000.0;
        let engines = engines();
        let why = engines.planned(Some(&moved)).expect("all is known").outside().expect("outside");
        assert!(why.contains("20,000 files"), "{why}");
    }
}
