//! A profiled kernel, and its conversion to a kernel of a study.

use std::collections::BTreeMap;

use crossover_measured::kernels::Class;
use crossover_preemption::{Gpu, Kernel};
use crossover_quantity::unit::Unit;

use crate::left_out::{Named, shown};

/// Miss rate from which a kernel without a class is assumed memory-intensive.
pub const MEMORY_MISS_RATE: f64 = 0.3;

/// A profiled kernel: means over its launches. Values that the file does not have are none.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ProfiledKernel {
    /// Its name, as the file has it; with its class behind it where one name stands for two classes.
    pub name: String,
    /// The GPU on which it ran, as the file calls it.
    pub device: Option<String>,
    /// Launches of the means; at least 1.
    pub launches: u64,
    /// Instructions of warps of one launch, all multiprocessors together.
    pub instructions: Option<f64>,
    /// Instructions per cycle, all multiprocessors together.
    pub ipc: Option<f64>,
    /// Instructions per cycle of one multiprocessor; per active cycle where the file has no share of active cycles.
    pub multiprocessor_ipc: Option<f64>,
    /// Multiprocessors of that GPU.
    pub multiprocessors: Option<f64>,
    /// Cycles from its begin to its end.
    pub cycles: Option<f64>,
    /// The same in seconds.
    pub seconds: Option<f64>,
    /// Registers of a block, bytes: four for each register of each thread.
    pub register_bytes: Option<f64>,
    /// Shared memory of a block, static and dynamic, bytes.
    pub shared_bytes: Option<f64>,
    /// Threads of a block.
    pub threads: Option<f64>,
    /// Blocks of a launch.
    pub blocks: Option<f64>,
    /// Multiprocessors that its blocks occupy.
    pub filled: Option<f64>,
    /// Share of the reads of the second-level cache that miss it, 0 to 1.
    pub miss_rate: Option<f64>,
    /// Compute-intensive or memory-intensive.
    pub class: Option<Class>,
    /// Whether its blocks may be ended and started again.
    pub is_idempotent: Option<bool>,
    /// Relative frequency; none: its number of launches.
    pub weight: Option<f64>,
    /// Its share of the time of all kernels on the same GPU, 0 to 1.
    pub time_share: Option<f64>,
}

/// A kernel of a study, converted from a profile.
#[derive(Debug, Clone, PartialEq)]
pub struct ConvertedKernel {
    /// With all its numbers.
    pub kernel: Kernel,
    /// The fields of [`Kernel`] whose numbers are from the profile alone; the others are assumed or depend on the GPU of the study.
    pub reported: Vec<&'static str>,
}

impl ProfiledKernel {
    /// The kernel of a study. `device` is the GPU of the study: its clock makes cycles of seconds, and its number of
    /// multiprocessors makes the instructions per cycle of all of one. Of several ways to the instructions per cycle the first
    /// counts: reported for the GPU, instructions over cycles, instructions over seconds and clock, reported for a multiprocessor. A
    /// kernel of which only the time is known is counted in cycles, one instruction each. Registers, shared memory and misses
    /// that are not known are 0. `assumed` collects what was assumed. Numbers of threads and blocks, which are means, are
    /// rounded.
    ///
    /// # Errors
    /// The columns of [`Kernel`] that are not known and follow from nothing, or are beyond what a study may have; of a kernel of
    /// which only seconds are known they are known with a `device`.
    pub fn kernel(
        &self,
        device: Option<&Gpu>,
        assumed: &mut Assumptions,
    ) -> Result<ConvertedKernel, Vec<&'static str>> {
        let mut made = Conversion::default();
        let cycles = self.cycles.or_else(|| Some(self.seconds? * device?.clock_mhz * 1e6));
        let (instructions, ipc) = self.work(cycles, device, &mut made);
        if self.cycles.is_none() && (self.instructions.is_none() || self.ipc.is_none()) {
            made.timed = self.seconds.and(device).map(|device| self.timed_by(device));
        }
        let threads = self.threads.or_else(|| self.filled.and(device).map(|device| device.threads));
        let blocks = self.blocks.or(self.filled);
        made.note_if(self.blocks.is_none() && self.filled.is_some(), |assumed| &mut assumed.filling);
        let miss_rate = made.or_zero(self.miss_rate, |assumed| &mut assumed.without_misses);
        let register_bytes = made.or_zero(self.register_bytes, |assumed| &mut assumed.without_registers);
        let shared_bytes = made.or_zero(self.shared_bytes, |assumed| &mut assumed.without_shared);
        let class = self.class.unwrap_or_else(|| {
            made.note_if(self.miss_rate.is_some(), |assumed| &mut assumed.classed_by_misses);
            made.note_if(self.miss_rate.is_none(), |assumed| &mut assumed.without_class);
            if miss_rate >= MEMORY_MISS_RATE { Class::Memory } else { Class::Compute }
        });
        let kernel = Kernel {
            name: self.name.clone(),
            instructions: made.within("instructions", instructions, 1.0, 1e18),
            ipc: made.within("ipc", ipc, 1e-6, 1e9),
            register_bytes: made.within("register_bytes", Some(register_bytes), 0.0, 1e9),
            shared_bytes: made.within("shared_bytes", Some(shared_bytes), 0.0, 1e9),
            threads: made.within("threads", threads.map(whole), 1.0, 1e6),
            blocks: made.within("blocks", blocks.map(whole), 1.0, 1e12),
            miss_rate: made.within("miss_rate", Some(miss_rate), 0.0, 1.0),
            class,
            is_idempotent: self.is_idempotent.unwrap_or(false),
            weight: made.within("weight", Some(self.weight.unwrap_or(self.launches as f64)), 0.0, 1e9),
            ..Kernel::default()
        };
        if !made.missing.is_empty() {
            return Err(made.missing);
        }
        made.assumed.into_iter().for_each(|what| what(assumed).add(&self.name));
        if let Some(timed) = made.timed {
            assumed.timed.entry(timed).or_default().add(&self.name);
        }
        Ok(ConvertedKernel { reported: self.reported(&kernel), kernel })
    }

    /// The fields of the converted kernel whose numbers are from the profile alone.
    fn reported(&self, made: &Kernel) -> Vec<&'static str> {
        let mut alone = Conversion::default();
        let (instructions, ipc) = self.work(self.cycles, None, &mut alone);
        let is_counted = self.is_counted_in_cycles(self.cycles);
        let all = [
            ("instructions", !is_counted && instructions == Some(made.instructions)),
            ("ipc", !is_counted && ipc == Some(made.ipc)),
            ("register_bytes", self.register_bytes.is_some()),
            ("shared_bytes", self.shared_bytes.is_some()),
            ("threads", self.threads.is_some()),
            ("blocks", self.blocks.is_some()),
            ("miss_rate", self.miss_rate.is_some()),
            ("weight", true),
        ];
        all.into_iter().filter_map(|(field, is_told)| is_told.then_some(field)).collect()
    }

    /// How its seconds were converted to cycles, for a sentence.
    fn timed_by(&self, device: &Gpu) -> String {
        let on = match self.device.as_deref() {
            None => "; the file does not name their GPU".to_owned(),
            Some(own) if is_same_device(own, &device.model) => String::new(),
            Some(own) => format!(", but they ran on {}: the cycles are approximate", shown(own)),
        };
        let clock = Unit::Megahertz.format(device.clock_mhz);
        format!("times converted to cycles by the clock of the study's GPU, {clock} of {}{on}", shown(&device.model))
    }

    /// Whether only its time is known.
    fn is_counted_in_cycles(&self, cycles: Option<f64>) -> bool {
        self.instructions.is_none() && self.ipc.is_none() && self.multiprocessor_ipc.is_none() && cycles.is_some()
    }

    /// Instructions of a launch, and instructions per cycle of the GPU.
    fn work(&self, cycles: Option<f64>, device: Option<&Gpu>, made: &mut Conversion) -> (Option<f64>, Option<f64>) {
        let reported = self.ipc.or_else(|| Some(self.instructions? / cycles?));
        let multiprocessors = self.multiprocessors.or_else(|| device.map(|device| device.multiprocessors));
        let ipc = reported.or_else(|| Some(self.multiprocessor_ipc? * multiprocessors?));
        made.note_if(reported.is_none() && ipc.is_some(), |assumed| &mut assumed.multiplied);
        let instructions = self.instructions.or_else(|| Some(ipc? * cycles?));
        if self.is_counted_in_cycles(cycles) {
            made.note_if(true, |assumed| &mut assumed.counted_in_cycles);
            return (cycles, Some(1.0));
        }
        (instructions, ipc)
    }
}

/// Whether two names mean one GPU: "Tesla-K40" and "NVIDIA Tesla K40".
#[must_use]
pub fn is_same_device(one: &str, other: &str) -> bool {
    let plain = |name: &str| name.chars().filter(|letter| letter.is_alphanumeric()).collect::<String>().to_lowercase();
    let (one, other) = (plain(one), plain(other));
    one.contains(&other) || other.contains(&one)
}

/// A mean rounded to a whole number, at least 1.
fn whole(mean: f64) -> f64 {
    mean.round().max(1.0)
}

/// State of a conversion.
#[derive(Default)]
struct Conversion {
    assumed: Vec<fn(&mut Assumptions) -> &mut Named>,
    /// How seconds were converted to cycles.
    timed: Option<String>,
    missing: Vec<&'static str>,
}

impl Conversion {
    fn note_if(&mut self, is_so: bool, what: fn(&mut Assumptions) -> &mut Named) {
        if is_so {
            self.assumed.push(what);
        }
    }

    fn or_zero(&mut self, reported: Option<f64>, what: fn(&mut Assumptions) -> &mut Named) -> f64 {
        self.note_if(reported.is_none(), what);
        reported.unwrap_or(0.0)
    }

    fn within(&mut self, column: &'static str, value: Option<f64>, least: f64, most: f64) -> f64 {
        value.filter(|value| (least..=most).contains(value)).unwrap_or_else(|| {
            self.missing.push(column);
            least
        })
    }
}

/// Assumptions of the conversion from profiles, with the names of the kernels.
#[derive(Default)]
pub struct Assumptions {
    counted_in_cycles: Named,
    /// By note: kernels may be of several GPUs.
    timed: BTreeMap<String, Named>,
    multiplied: Named,
    filling: Named,
    without_registers: Named,
    without_shared: Named,
    without_misses: Named,
    classed_by_misses: Named,
    without_class: Named,
}

impl Assumptions {
    /// A sentence for each kind, with the number of kernels and the first names.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        for (remark, kernels) in &self.timed {
            kernels.note(&mut notes, ["kernel", "kernels"], remark);
        }
        let by_misses =
            format!("class missing; assumed memory-intensive from an L2 miss rate of {MEMORY_MISS_RATE} on");
        for (kernels, remark) in [
            (&self.counted_in_cycles, "instructions missing; work is counted in cycles, one instruction each"),
            (&self.multiplied, "IPC is that of a multiprocessor times the number of multiprocessors"),
            (&self.filling, "blocks missing; assumed one full block on each multiprocessor that they occupy"),
            (&self.without_registers, "registers missing; assumed 0, so saving them costs nothing"),
            (&self.without_shared, "shared memory missing; assumed 0, so saving it costs nothing"),
            (&self.without_misses, "L2 miss rate missing; assumed 0"),
            (&self.classed_by_misses, by_misses.as_str()),
            (&self.without_class, "class and L2 miss rate missing; assumed compute-intensive"),
        ] {
            kernels.note(&mut notes, ["kernel", "kernels"], remark);
        }
        notes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A Tesla V100.
    fn gpu() -> Gpu {
        Gpu {
            model: "V100".into(),
            clock_mhz: 1_000.0,
            multiprocessors: 80.0,
            register_bytes: 262_144.0,
            shared_bytes: 98_304.0,
            threads: 2_048.0,
            blocks: 32.0,
        }
    }

    /// Of which everything is reported but how much it does.
    fn idle() -> ProfiledKernel {
        ProfiledKernel {
            name: "k".into(),
            launches: 7,
            register_bytes: Some(32_768.0),
            shared_bytes: Some(1_024.0),
            threads: Some(256.0),
            blocks: Some(120.0),
            miss_rate: Some(0.4),
            class: Some(Class::Compute),
            ..ProfiledKernel::default()
        }
    }

    fn made(kernel: &ProfiledKernel, device: Option<&Gpu>) -> (Result<Kernel, Vec<&'static str>>, Vec<String>) {
        let mut assumed = Assumptions::default();
        let made = kernel.kernel(device, &mut assumed).map(|made| made.kernel);
        (made, assumed.notes())
    }

    fn reported(kernel: &ProfiledKernel, device: Option<&Gpu>) -> Vec<&'static str> {
        kernel.kernel(device, &mut Assumptions::default()).expect("enough is known").reported
    }

    #[test]
    fn a_kernel_of_which_all_is_told_needs_no_gpu_and_no_assumption() {
        let (kernel, notes) = made(&ProfiledKernel { instructions: Some(3e8), ipc: Some(300.0), ..idle() }, None);
        let kernel = kernel.expect("all is reported");
        assert_eq!((kernel.instructions, kernel.ipc, kernel.weight, kernel.class), (3e8, 300.0, 7.0, Class::Compute));
        assert!(notes.is_empty(), "{notes:?}");
    }

    #[test]
    fn instructions_per_cycle_follow_from_what_was_measured() {
        let gpu = gpu();
        let of = |kernel: ProfiledKernel, device: Option<&Gpu>| {
            let (kernel, notes) = made(&kernel, device);
            kernel.map(|kernel| (kernel.instructions, kernel.ipc, notes.len()))
        };
        let by_cycles = ProfiledKernel { instructions: Some(8e6), cycles: Some(1e5), ..idle() };
        assert_eq!(of(by_cycles, None), Ok((8e6, 80.0, 0)));
        let by_seconds = ProfiledKernel { instructions: Some(8e6), seconds: Some(1e-4), ..idle() };
        assert_eq!(of(by_seconds.clone(), Some(&gpu)), Ok((8e6, 80.0, 1)));
        assert_eq!(of(by_seconds, None), Err(vec!["ipc"]));
        let by_part = ProfiledKernel { multiprocessor_ipc: Some(2.0), cycles: Some(1e5), ..idle() };
        assert_eq!(of(by_part.clone(), Some(&gpu)), Ok((16e6, 160.0, 1)));
        let of_fifteen = ProfiledKernel { multiprocessors: Some(15.0), ..by_part.clone() };
        assert_eq!(of(of_fifteen, Some(&gpu)), Ok((3e6, 30.0, 1)));
        assert_eq!(of(by_part, None), Err(vec!["instructions", "ipc"]));
    }

    #[test]
    fn a_kernel_of_which_only_the_time_is_known_is_counted_in_cycles() {
        let timed = ProfiledKernel {
            name: "Conv".into(),
            launches: 53,
            seconds: Some(1e-4),
            filled: Some(98.0),
            class: Some(Class::Compute),
            ..ProfiledKernel::default()
        };
        let (kernel, notes) = made(&timed, Some(&gpu()));
        let kernel = kernel.expect("its clock is known");
        assert_eq!((kernel.instructions, kernel.ipc, kernel.alone_cycles()), (1e5, 1.0, 1e5));
        assert_eq!((kernel.blocks, kernel.threads, kernel.weight), (98.0, 2_048.0, 53.0));
        assert_eq!((kernel.register_bytes, kernel.shared_bytes, kernel.miss_rate), (0.0, 0.0, 0.0));
        let expected = "1 kernel (Conv): times converted to cycles by the clock of the study's GPU, 1,000 MHz of V100; the file does not name their \
                        GPU";
        assert_eq!((notes[0].as_str(), notes.len()), (expected, 6));
        let expected = "1 kernel (Conv): instructions missing; work is counted in cycles, one instruction each";
        assert_eq!(notes[1], expected);
        // Nothing is assumed of what no kernel is made of.
        assert_eq!(made(&timed, None), (Err(vec!["instructions", "ipc", "threads"]), Vec::new()));
    }

    #[test]
    fn times_of_another_gpu_are_told_apart_from_those_of_the_studys_own() {
        let on = |device: &str| {
            let timed = ProfiledKernel { instructions: Some(8e6), seconds: Some(1e-4), ..idle() };
            made(&ProfiledKernel { device: Some(device.into()), ..timed }, Some(&gpu())).1.join(". ")
        };
        let other = on("Tesla K40");
        assert!(other.contains("1,000 MHz of V100, but they ran on Tesla K40"), "{other}");
        assert!(on("NVIDIA V100-SXM2").ends_with("1,000 MHz of V100"), "{}", on("NVIDIA V100-SXM2"));
        // What the file tells in cycles needs no clock.
        let cycles = ProfiledKernel { instructions: Some(8e6), cycles: Some(1e5), seconds: Some(1.0), ..idle() };
        assert_eq!(made(&cycles, Some(&gpu())).1, [""; 0]);
    }

    #[test]
    fn only_numbers_that_follow_from_the_file_are_told_by_it() {
        let all = ["instructions", "ipc", "register_bytes", "shared_bytes", "threads", "blocks", "miss_rate", "weight"];
        let known = ProfiledKernel { instructions: Some(8e6), cycles: Some(1e5), ..idle() };
        assert_eq!(reported(&known, Some(&gpu())), all);
        // Its clock and its multiprocessors are the study's.
        let timed = ProfiledKernel { cycles: None, seconds: Some(1e-4), ..known.clone() };
        assert_eq!(reported(&timed, Some(&gpu()))[..2], ["instructions", "register_bytes"]);
        let of_one = ProfiledKernel { instructions: None, multiprocessor_ipc: Some(2.0), ..known };
        assert_eq!(reported(&of_one, Some(&gpu()))[0], "register_bytes");
        assert_eq!(reported(&ProfiledKernel { multiprocessors: Some(80.0), ..of_one }, None), all);
        // As Orion has it.
        let timed =
            ProfiledKernel { seconds: Some(1e-4), filled: Some(98.0), launches: 5, ..ProfiledKernel::default() };
        assert_eq!(reported(&timed, Some(&gpu())), ["weight"]);
    }

    #[test]
    fn without_a_class_misses_decide() {
        let reported = ProfiledKernel { class: None, instructions: Some(1e6), ipc: Some(10.0), ..idle() };
        let class = |miss_rate| {
            let (kernel, notes) = made(&ProfiledKernel { miss_rate, ..reported.clone() }, None);
            (kernel.expect("reported").class, notes.join(". "))
        };
        assert_eq!(class(Some(0.3)).0, Class::Memory);
        assert_eq!(class(Some(0.29)).0, Class::Compute);
        let (unknown, notes) = class(None);
        assert!(unknown == Class::Compute && notes.contains("class and L2 miss rate missing"), "{notes}");
    }

    #[test]
    fn what_a_study_cannot_have_is_named() {
        let kernel = ProfiledKernel { instructions: Some(1e300), ipc: Some(1e-9), threads: None, ..idle() };
        assert_eq!(made(&kernel, None).0, Err(vec!["instructions", "ipc", "threads"]));
    }
}
