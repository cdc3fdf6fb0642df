//! Launches of kernels, joined by name, GPU and class into means.

use std::collections::BTreeMap;

use crossover_measured::kernels::Class;

use super::ProfiledKernel;

/// Most kernels of a profile.
const MOST_KERNELS: usize = 20_000;
/// Numbers of [`ProfiledKernel`] that are means.
const MEANS: usize = 12;

/// Numbers of one launch, or means of several, from a line of a profile.
#[derive(Default)]
pub(super) struct Launch {
    /// Its numbers.
    pub(super) kernel: ProfiledKernel,
    /// Use of the memory, as a share of what the GPU could do.
    pub(super) memory_use: Option<f64>,
    /// Use of the arithmetic, as a share of what the GPU could do.
    pub(super) compute_use: Option<f64>,
    /// Share of the cycles in which a multiprocessor has work, where its instructions per cycle are of those only.
    pub(super) active: Option<f64>,
    /// Transactions that read from memory.
    pub(super) memory_reads: Option<f64>,
    /// Transactions that read from the second-level cache.
    pub(super) cache_reads: Option<f64>,
}

/// Kernels so far, in order of their first launch.
#[derive(Default)]
pub(super) struct Gathered {
    places: BTreeMap<(Option<String>, String, Option<Class>), usize>,
    kernels: Vec<Sums>,
}

/// A kernel with sums instead of means.
#[derive(Default)]
struct Sums {
    kernel: ProfiledKernel,
    means: [Mean; MEANS],
    memory_use: Mean,
    compute_use: Mean,
    active: Mean,
    memory_reads: Mean,
    cache_reads: Mean,
}

#[derive(Default, Clone, Copy)]
struct Mean {
    sum: f64,
    launches: u64,
}

impl Mean {
    fn add(&mut self, value: Option<f64>, launches: u64) {
        if let Some(value) = value {
            self.sum += value * launches as f64;
            self.launches = self.launches.saturating_add(launches);
        }
    }

    fn value(self) -> Option<f64> {
        (self.launches > 0).then(|| self.sum / self.launches as f64)
    }
}

impl ProfiledKernel {
    /// Its numbers that are means.
    fn means(&mut self) -> [&mut Option<f64>; MEANS] {
        [
            &mut self.instructions,
            &mut self.ipc,
            &mut self.multiprocessor_ipc,
            &mut self.multiprocessors,
            &mut self.cycles,
            &mut self.seconds,
            &mut self.register_bytes,
            &mut self.shared_bytes,
            &mut self.threads,
            &mut self.blocks,
            &mut self.filled,
            &mut self.miss_rate,
        ]
    }
}

impl Gathered {
    /// Adds a launch; `kernel.launches` is the number of launches of the mean.
    ///
    /// # Errors
    /// There are too many kernels.
    pub(super) fn add(&mut self, mut launch: Launch) -> Result<(), String> {
        let kernel = &launch.kernel;
        let key = (kernel.device.clone(), kernel.name.clone(), kernel.class);
        let next = self.kernels.len();
        let place = *self.places.entry(key).or_insert(next);
        if place == MOST_KERNELS {
            return Err(format!("more than {MOST_KERNELS} kernels; split the file"));
        }
        if place == next {
            let ProfiledKernel { name, device, class, is_idempotent, weight, .. } = launch.kernel.clone();
            let kernel = ProfiledKernel { name, device, class, is_idempotent, weight, ..ProfiledKernel::default() };
            self.kernels.push(Sums { kernel, ..Sums::default() });
        }
        if let Some(sums) = self.kernels.get_mut(place) {
            let launches = launch.kernel.launches.max(1);
            for (mean, value) in sums.means.iter_mut().zip(launch.kernel.means()) {
                mean.add(*value, launches);
            }
            sums.memory_use.add(launch.memory_use, launches);
            sums.compute_use.add(launch.compute_use, launches);
            sums.active.add(launch.active, launches);
            sums.memory_reads.add(launch.memory_reads, launches);
            sums.cache_reads.add(launch.cache_reads, launches);
        }
        Ok(())
    }

    /// All kernels. A name of two classes becomes two kernels.
    pub(super) fn end(self) -> Vec<ProfiledKernel> {
        let mut seconds: BTreeMap<Option<String>, f64> = BTreeMap::new();
        for sums in &self.kernels {
            *seconds.entry(sums.kernel.device.clone()).or_default() += sums.seconds().unwrap_or(0.0);
        }
        let mut classes: BTreeMap<(Option<String>, String), usize> = BTreeMap::new();
        for (device, name, _) in self.places.into_keys() {
            *classes.entry((device, name)).or_default() += 1;
        }
        let ended = self.kernels.into_iter().map(|sums| {
            let all = seconds.get(&sums.kernel.device).copied().filter(|all| *all > 0.0);
            let time_share = sums.seconds().zip(all).map(|(own, all)| own / all);
            let mut kernel = ProfiledKernel { time_share, ..sums.end() };
            let names = classes.get(&(kernel.device.clone(), kernel.name.clone())).copied();
            if let Some(class) = kernel.class.filter(|_| names > Some(1)) {
                kernel.name = format!("{} ({})", kernel.name, class.label());
            }
            kernel
        });
        ended.collect()
    }
}

impl Sums {
    /// Time of all its launches.
    fn seconds(&self) -> Option<f64> {
        let [_, _, _, _, _, seconds, ..] = self.means;
        (seconds.launches > 0).then_some(seconds.sum)
    }

    fn end(self) -> ProfiledKernel {
        let Self { mut kernel, means, .. } = self;
        for (value, mean) in kernel.means().into_iter().zip(means) {
            *value = mean.value();
        }
        let others = [self.memory_use, self.compute_use, self.active, self.memory_reads, self.cache_reads];
        kernel.launches = means.into_iter().chain(others).map(|mean| mean.launches).max().unwrap_or(1).max(1);
        let [memory_use, compute_use, active, memory_reads, cache_reads] = others.map(Mean::value);
        kernel.multiprocessor_ipc = kernel.multiprocessor_ipc.map(|ipc| ipc * active.unwrap_or(1.0));
        let misses = memory_reads.zip(cache_reads.filter(|reads| *reads > 0.0));
        // Additional fetches, such as checksums, can exceed the reads of the cache.
        kernel.miss_rate = misses.map(|(memory, cache)| (memory / cache).min(1.0)).or(kernel.miss_rate);
        let used = memory_use
            .zip(compute_use)
            .map(|(memory, compute)| if memory > compute { Class::Memory } else { Class::Compute });
        kernel.class = kernel.class.or(used);
        kernel
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launch(name: &str, launches: u64, seconds: Option<f64>, class: Option<Class>) -> Launch {
        Launch {
            kernel: ProfiledKernel { name: name.into(), launches, seconds, class, ..ProfiledKernel::default() },
            ..Launch::default()
        }
    }

    #[test]
    fn launches_of_a_name_are_one_kernel_with_means_and_a_share_of_the_time() {
        let mut gathered = Gathered::default();
        for (name, launches, seconds) in [("b", 1, 1.0), ("a", 3, 2.0), ("b", 1, 3.0)] {
            gathered.add(launch(name, launches, Some(seconds), None)).expect("few");
        }
        let kernels = gathered.end();
        let seen: Vec<_> =
            kernels.iter().map(|kernel| (&*kernel.name, kernel.launches, kernel.seconds, kernel.time_share)).collect();
        assert_eq!(seen, [("b", 2, Some(2.0), Some(0.4)), ("a", 3, Some(2.0), Some(0.6))]);
    }

    #[test]
    fn a_name_of_two_classes_is_two_kernels() {
        let mut gathered = Gathered::default();
        for (name, class) in [("Conv", Class::Memory), ("Conv", Class::Compute), ("Norm", Class::Memory)] {
            gathered.add(launch(name, 1, Some(1.0), Some(class))).expect("few");
        }
        let names: Vec<String> = gathered.end().into_iter().map(|kernel| kernel.name).collect();
        assert_eq!(names, ["Conv (memory-intensive)", "Conv (compute-intensive)", "Norm"]);
    }

    #[test]
    fn reads_tell_the_misses_and_use_tells_the_class() {
        let mut gathered = Gathered::default();
        gathered.add(Launch { memory_reads: Some(30.0), ..launch("a", 2, None, None) }).expect("few");
        gathered.add(Launch { cache_reads: Some(40.0), ..launch("a", 2, None, None) }).expect("few");
        gathered
            .add(Launch { memory_use: Some(0.6), compute_use: Some(0.2), ..launch("a", 1, None, None) })
            .expect("few");
        let [kernel] = &gathered.end()[..] else { panic!("one kernel") };
        assert_eq!((kernel.miss_rate, kernel.class, kernel.launches), (Some(0.75), Some(Class::Memory), 2));
    }

    #[test]
    fn more_kernels_than_any_are_refused() {
        let mut gathered = Gathered::default();
        let refused = (0..=MOST_KERNELS).find_map(|name| gathered.add(launch(&name.to_string(), 1, None, None)).err());
        assert_eq!(refused.as_deref(), Some("more than 20000 kernels; split the file"));
    }
}
