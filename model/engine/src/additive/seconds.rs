//! The time on GPUs, part by part, on the machines of the fit and on others.

use crate::anchored::Anchored;
use crate::predict::{Part, Seconds};
use crate::profile::Engine;
use crossover_query::Volumes;

impl Anchored {
    /// Seconds of each part on GPUs, for a query that took `measured` seconds on CPUs.
    ///
    /// Work takes k times the core-seconds per GPU, so k grows with the cores that worked and falls with the GPUs. Reading is bound by
    /// the network of all machines. Files and spilled data are shared by the machines, and each adds its memory.
    #[must_use]
    pub fn seconds(&self, measured: f64, volumes: &Volumes, cpu: &Engine, gpu: &Engine) -> Seconds {
        let network = gpu.machines * gpu.network_gbit_per_s;
        let by_network = self.fitted_network_gbit_per_s / network;
        let by_machines = self.fitted_machines / gpu.machines;
        let by_cores = self.lanes(volumes, cpu) / self.fitted_cores;
        let by_gpus = self.fitted_gpus / gpu.all_lanes();
        let through = |gigabytes: f64, speed: Option<f64>| speed.map_or(0.0, |speed| gigabytes / speed);
        let mut seconds = [0.0; Part::ALL.len()];
        seconds[Part::Start as usize] = self.start_seconds;
        seconds[Part::Steps as usize] = self.scan_seconds * volumes.partitioned_scans * by_machines;
        seconds[Part::Work as usize] = self.today_share * measured * by_cores * by_gpus;
        seconds[Part::Read as usize] = through(volumes.read_gb, self.read_gb_per_s) * by_network;
        seconds[Part::Files as usize] = self.file_seconds * volumes.files * by_machines;
        seconds[Part::Spill as usize] = through(self.spilled_gb(volumes, gpu), self.spill_gb_per_s) * by_machines;
        let sum: f64 = seconds.iter().sum();
        let density = volumes.read_gb / (measured * by_cores * self.fitted_cores);
        let by_density = self.density_share_of(density).map(|share| share * measured * by_cores * by_gpus);
        let mean = by_density.filter(|_| sum > 0.0).map_or(1.0, |by_density| (by_density / sum).sqrt());
        seconds = seconds.map(|seconds| mean * seconds);
        let missing = self.least_share * measured * by_cores - mean * sum;
        seconds[Part::Work as usize] += missing.max(0.0);
        seconds.map(|seconds| gpu.time_ratio * seconds)
    }

    /// Part of the CPU time that the GPUs take, by the data read per core-second, GB; `None` if the time is the sum alone. Far from
    /// the measured densities it is that of the last one that is not.
    fn density_share_of(&self, density: f64) -> Option<f64> {
        let [smallest, largest] = [self.smallest_density_gb_per_s, self.largest_density_gb_per_s];
        let has_density = self.density_share > 0.0 && smallest > 0.0 && largest >= smallest;
        let within = |density: f64| density.clamp(smallest / Self::DENSITY_BEYOND, largest * Self::DENSITY_BEYOND);
        has_density.then(|| self.density_share * within(density).powf(self.density_exponent))
    }

    /// Cores that a measured run used: on no more cores than those of the fit all of them; on more, those for which its stages had
    /// tasks.
    pub(crate) fn lanes(&self, volumes: &Volumes, cpu: &Engine) -> f64 {
        let cores = cpu.all_lanes();
        volumes.lanes.map_or(cores, |lanes| cores.min(lanes.max(self.fitted_cores)))
    }

    /// Data of all exchanges beyond the memory that each has, GB. Machines with more memory hold more.
    pub(crate) fn spilled_gb(&self, volumes: &Volumes, gpu: &Engine) -> f64 {
        let machines = gpu.machines / self.fitted_machines;
        let fitted = self.fitted_memory_gb.filter(|fitted| *fitted > 0.0);
        let by_memory = gpu.exchange_memory_gb.zip(fitted).map(|(memory, fitted)| gpu.machines * memory / fitted);
        volumes.spilled_gb(self.exchange_memory_gb * by_memory.unwrap_or(machines))
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::{anchored, engines, near, volumes};
    use super::*;
    use crate::profile::Engines;

    fn seconds(engines: &Engines, volumes: &Volumes) -> Seconds {
        engines.additive(Some(volumes)).expect("all is known").seconds()
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
    fn machines_with_more_memory_spill_less() {
        let mut engines = engines();
        engines.anchored = Some(Anchored { fitted_memory_gb: Some(30.0), ..anchored() });
        let spilled = |engines: &Engines| seconds(engines, &volumes())[Part::Spill as usize];
        // Four machines of the fit have 7.5 GB each; (2 + 1) ÷ 0.5 as before.
        engines.gpu.exchange_memory_gb = Some(7.5);
        near(spilled(&engines), 6.0);
        // With 10 % more each, 11 GB of the 12 GB exchange fit.
        engines.gpu.exchange_memory_gb = Some(8.25);
        near(spilled(&engines), 2.0);
        // Of a machine whose memory is not known, their number counts.
        engines.gpu.exchange_memory_gb = None;
        near(spilled(&engines), 6.0);
    }

    #[test]
    fn of_more_cores_than_in_the_fit_those_with_tasks_count() {
        let work = |machines: f64, lanes: Option<f64>| {
            let mut engines = engines();
            engines.cpu.machines = machines;
            seconds(&engines, &Volumes { lanes, ..volumes() })[Part::Work as usize]
        };
        // 0.1 · 20 s on the 100 cores of the fit. On 1,000 cores, stages of 200 tasks leave 800 idle.
        near(work(100.0, Some(200.0)), 2.0 * 2.0);
        near(work(100.0, None), 2.0 * 10.0);
        // Runs of the fit left cores idle too, which its numbers have already.
        near(work(10.0, Some(20.0)), 2.0);
        near(work(100.0, Some(20.0)), 2.0);
        near(work(5.0, Some(20.0)), 1.0);
    }

    #[test]
    fn a_power_of_the_data_per_core_second_is_averaged_with_the_sum() {
        let mut engines = engines();
        let with = |exponent: f64| Anchored {
            density_share: 0.4,
            density_exponent: exponent,
            smallest_density_gb_per_s: 0.001,
            largest_density_gb_per_s: 0.01,
            ..anchored()
        };
        let sum: f64 = seconds(&engines, &volumes()).iter().sum();
        engines.anchored = Some(with(0.5));
        let found = seconds(&engines, &volumes());
        // 6 GB in 20 s · 100 cores: 0.003 GB per core-second, and 0.4 · √0.003 · 20 s.
        near(found.iter().sum(), (sum * 0.4 * 0.003_f64.sqrt() * 20.0).sqrt());
        // Each part has its share of the mean.
        near(found[Part::Read as usize] / found.iter().sum::<f64>(), 3.0 / sum);
        // Half of the cores do the same in twice the time.
        let mut half = engines.clone();
        (half.cpu.machines, half.measured_seconds) = (5.0, Some(40.0));
        near(seconds(&half, &volumes()).iter().sum(), found.iter().sum());
        // Beyond four times the largest density, 0.04, the power does not go on.
        let read = |read_gb: f64| {
            let volumes = Volumes { read_gb, ..volumes() };
            let sum: f64 = seconds(&self::engines(), &volumes).iter().sum();
            seconds(&engines, &volumes).iter().sum::<f64>().powi(2) / sum
        };
        near(read(80.0), 0.4 * 0.2 * 20.0);
        near(read(8000.0), 0.4 * 0.2 * 20.0);
    }

    #[test]
    fn a_long_run_keeps_its_least_share() {
        let mut engines = engines();
        engines.anchored = Some(Anchored { today_share: 0.0, start_seconds: 0.0, ..anchored() });
        let nothing =
            Volumes { read_gb: 0.0, files: 0.0, partitioned_scans: 0.0, exchanges_gb: Vec::new(), ..volumes() };
        near(seconds(&engines, &nothing).iter().sum(), 0.05 * 20.0);
    }
}
