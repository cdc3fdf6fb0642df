//! The kernels that share a GPU: those of benchmarks and probes, at sizes of a few milliseconds.

use std::time::Instant;

use crossover_harness::Cancel;
use crossover_harness::generator::{Generator, mix};
use crossover_measured::kernels::Class;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::gpu::Gpu;
use crate::gpu::program::Program;
use crate::kernels::{compute, generate, memory};
use crate::probe;

/// A kernel that can share a GPU.
#[derive(Debug)]
pub struct Kernel {
    /// Its name, unique.
    pub key: &'static str,
    /// Whether it is compute-intensive or memory-intensive.
    pub class: Class,
    /// What it does.
    pub meaning: &'static str,
    /// The smallest and the largest size of one dispatch on a GPU; the smallest is beyond most caches.
    sizes: fn(&Gpu) -> (u32, u32),
    /// A dispatch of this size.
    prepare: fn(&Gpu, u32) -> Result<Prepared, Failure>,
}

/// Compares what a run wrote with the CPU's values.
type Check = Box<dyn Fn(&Gpu) -> Result<(), Failure>>;

/// A kernel with its data.
struct Prepared {
    program: Program,
    check: Check,
}

/// All kernels.
pub const KERNELS: &[Kernel] = &[
    Kernel {
        key: "copy",
        class: Class::Memory,
        meaning: "bandwidth: copies a buffer that is larger than caches",
        sizes: |gpu| {
            let (least, most) = if gpu.description.software { (20, 22) } else { (23, 26) };
            (1 << least, at_most(gpu.max_words(), most))
        },
        prepare: copy,
    },
    Kernel {
        key: "random_access",
        class: Class::Memory,
        meaning: "latency: dependent reads at random positions of a table that is larger than caches",
        sizes: |gpu| if gpu.description.software { (1 << 6, 1 << 10) } else { (1 << 10, 1 << 14) },
        prepare: random_access,
    },
    Kernel {
        key: "multiply_add",
        class: Class::Compute,
        meaning: "multiply-adds in single precision, in registers",
        sizes: rows,
        prepare: multiply_add,
    },
    Kernel {
        key: "hash",
        class: Class::Compute,
        meaning: "shifts and integer multiplications of words, in registers",
        sizes: rows,
        prepare: hash,
    },
];

/// The kernel of this name.
#[must_use]
pub fn kernel(key: &str) -> Option<&'static Kernel> {
    KERNELS.iter().find(|kernel| kernel.key == key)
}

/// The amount of work of one dispatch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Size {
    /// Words, reads of a chain, or invocations: what the kernel counts in.
    size: u32,
    /// Repetitions in a row, where the largest size is too short.
    repetitions: u32,
}

/// Least time of a dispatch. As sizes double, most take less than twice of it.
const LEAST_SECONDS: f64 = 0.004;
/// How long a GPU runs before a dispatch is timed.
const WARM_UP_SECONDS: f64 = 0.05;
/// Most repetitions in a dispatch.
const MOST_REPETITIONS: u32 = 1 << 10;

impl Kernel {
    /// The size at which one dispatch takes at least 4 ms on a GPU that has nothing else to do, and about 8 ms at most; a GPU so
    /// slow that the smallest size takes longer is given that.
    ///
    /// # Errors
    /// What the GPU reports.
    pub fn calibrated(&self, gpu: &Gpu, cancel: &Cancel) -> Result<Size, Failure> {
        let mut prepared: Option<(u32, Program)> = None;
        long_enough((self.sizes)(gpu), |Size { size, repetitions }| {
            // The data of another size is given back before those of this one are made.
            let same = prepared.take().filter(|(of, _)| *of == size);
            let program = match same {
                Some((_, program)) => program,
                None => (self.prepare)(gpu, size)?.program,
            };
            let seconds = seconds_of(gpu, &program.repeated(repetitions), cancel);
            prepared = Some((size, program));
            seconds
        })
    }

    /// A dispatch, whose result was right when it ran once.
    ///
    /// # Errors
    /// [`Failure::WrongResult`], or what the GPU reports.
    pub fn checked(&self, gpu: &Gpu, size: Size) -> Result<Program, Failure> {
        let prepared = (self.prepare)(gpu, size.size)?;
        let program = prepared.program.repeated(size.repetitions);
        gpu.run(&program)?;
        (prepared.check)(gpu)?;
        Ok(program)
    }
}

/// The first size, and at the largest one the fewest repetitions, at which a dispatch takes [`LEAST_SECONDS`], by what
/// `seconds` says of it.
fn long_enough(
    (smallest, largest): (u32, u32),
    mut seconds: impl FnMut(Size) -> Result<f64, Failure>,
) -> Result<Size, Failure> {
    let mut size = Size { size: smallest, repetitions: 1 };
    let mut taken = seconds(size)?;
    while taken < LEAST_SECONDS && size.size < largest {
        size.size = (2 * size.size).min(largest);
        taken = seconds(size)?;
    }
    while taken < LEAST_SECONDS && size.repetitions < MOST_REPETITIONS {
        size.repetitions *= 2;
        taken = seconds(size)?;
    }
    Ok(size)
}

/// Time of a program: the shortest of three runs, after some that warm up, because idle processors clock low.
fn seconds_of(gpu: &Gpu, program: &Program, cancel: &Cancel) -> Result<f64, Failure> {
    let once = || {
        if cancel.is_requested() {
            return Err(Failure::Cancelled);
        }
        let start = Instant::now();
        gpu.run(program)?;
        Ok(start.elapsed().as_secs_f64())
    };
    let mut warm = 0.0;
    while warm < WARM_UP_SECONDS {
        warm += once()?;
    }
    (0..3).try_fold(f64::INFINITY, |shortest, _| Ok(once()?.min(shortest)))
}

/// The power of two, or the largest below it that is within a limit.
fn at_most(limit: u64, power: u32) -> u32 {
    let within = u32::try_from(limit).map_or(31, |limit| limit.max(1).ilog2());
    1 << power.min(within)
}

/// Sizes of kernels that compute.
fn rows(gpu: &Gpu) -> (u32, u32) {
    if gpu.description.software { (1 << 12, 1 << 16) } else { (1 << 16, 1 << 22) }
}

/// What is copied.
const COPIED: Generator = Generator::new(31);

fn copy(gpu: &Gpu, words: u32) -> Result<Prepared, Failure> {
    let from = generate::words(gpu, COPIED, words, None)?;
    let to = gpu.buffer("copy", words.into())?;
    let program = memory::copy(gpu, &from, &to, words)?;
    let check = move |gpu: &Gpu| agree(gpu, &to, words, 1, |place| COPIED.at(place.into()));
    Ok(Prepared { program, check: Box::new(check) })
}

/// What the table of [`random_access`] holds.
const TABLE: Generator = Generator::new(32);

/// As many chains as leave a GPU waiting more than its memory is busy, and yet occupy most of its processors.
fn random_access(gpu: &Gpu, steps: u32) -> Result<Prepared, Failure> {
    let (chains, most) = if gpu.description.software { (1_u32 << 12, 22) } else { (1 << 14, 26) };
    let words = at_most(gpu.max_words(), most);
    let table = generate::words(gpu, TABLE, words, None)?;
    let sums = gpu.buffer("sums of chains", chains.into())?;
    let program = probe::gpu::walk(gpu, &table, &sums, chains, steps)?;
    // Every chain is too much for the CPU: it takes thousands of steps.
    let check = move |gpu: &Gpu| agree(gpu, &sums, chains, 61, |chain| walked(words / 2, chain, steps));
    Ok(Prepared { program, check: Box::new(check) })
}

/// What a chain of [`random_access`] adds up, over a table of so many entries.
fn walked(entries: u32, chain: u32, steps: u32) -> u32 {
    let last = entries - 1;
    let (mut at, mut sum) = (mix(chain) & last, 0_u32);
    for step in 0..steps {
        let [added, next] = [0, 1].map(|half| TABLE.at(2 * u64::from(at) + half));
        sum = sum.wrapping_add(added >> 8);
        at = next.wrapping_add(step) & last;
    }
    sum
}

fn multiply_add(gpu: &Gpu, rows: u32) -> Result<Prepared, Failure> {
    let sums = gpu.buffer("sums", rows.into())?;
    let program = compute::multiply_add(gpu, &sums, rows)?;
    Ok(Prepared { program, check: Box::new(move |gpu| agree(gpu, &sums, rows, 1, compute::expected)) })
}

fn hash(gpu: &Gpu, rows: u32) -> Result<Prepared, Failure> {
    let words = gpu.buffer("words", rows.into())?;
    let program = compute::hash(gpu, &words, rows)?;
    Ok(Prepared { program, check: Box::new(move |gpu| agree(gpu, &words, rows, 1_021, compute::hashed)) })
}

/// Compares every `step`th of the first `count` words with what is expected there.
fn agree(
    gpu: &Gpu,
    buffer: &wgpu::Buffer,
    count: u32,
    step: usize,
    expected: impl Fn(u32) -> u32 + Sync,
) -> Result<(), Failure> {
    let found = gpu.download(buffer, count.into())?;
    let places = (0..count).into_par_iter().step_by(step);
    match places.find_first(|place| found[*place as usize] != expected(*place)) {
        None => Ok(()),
        Some(place) => {
            let (found, expected) = (found[place as usize], expected(place));
            Err(Failure::WrongResult(format!("word {place} is {found}, expected {expected}")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::adapter;
    use crossover_needs::gpu_adapter;

    fn gpu() -> Option<Gpu> {
        let adapter = gpu_adapter(adapter::choose(adapter::list(), None).ok())?;
        Some(Gpu::open(&adapter).expect("the adapter opens"))
    }

    #[test]
    fn both_classes_have_two_kernels_with_names_of_their_own() {
        for class in Class::ALL {
            assert_eq!(KERNELS.iter().filter(|kernel| kernel.class == class).count(), 2, "{}", class.label());
        }
        for one in KERNELS {
            assert_eq!(kernel(one.key).map(|found| found.meaning), Some(one.meaning));
        }
        assert!(kernel("triad").is_none());
    }

    #[test]
    fn every_kernel_is_right_at_its_smallest_size_and_repeated() {
        let Some(gpu) = gpu() else { return };
        for kernel in KERNELS {
            let size = (kernel.sizes)(&gpu).0;
            for repetitions in [1, 3] {
                let program = kernel.checked(&gpu, Size { size, repetitions }).expect(kernel.key);
                assert_eq!(program.dispatches.len(), repetitions as usize);
            }
        }
    }

    #[test]
    fn a_wrong_word_is_told_with_its_place() {
        let Some(gpu) = gpu() else { return };
        let buffer = gpu.upload("words", &[5, 6, 0, 8]).expect("uploaded");
        let found = agree(&gpu, &buffer, 4, 1, |place| place + 5);
        assert_eq!(found, Err(Failure::WrongResult("word 2 is 0, expected 7".to_owned())));
        assert_eq!(agree(&gpu, &buffer, 4, 3, |place| place + 5), Ok(()), "only words 0 and 3 are compared");
    }

    #[test]
    fn sizes_keep_within_what_a_kernel_may_see() {
        assert_eq!(at_most(1 << 40, 26), 1 << 26);
        assert_eq!(at_most(100_000, 26), 1 << 16);
        assert_eq!(at_most(0, 26), 1);
    }

    #[test]
    fn a_dispatch_grows_until_it_takes_4_to_8_ms() {
        for (nanoseconds_each, expected, milliseconds) in [
            (1_000.0, (4096, 1), 4.096),
            // At the largest size, repeated.
            (10.0, (8192, 64), 5.242_88),
            // The smallest is long enough, and no repetitions are.
            (1e9, (1024, 1), 1.024e6),
            (0.0, (8192, MOST_REPETITIONS), 0.0),
        ] {
            let taken = |size: Size| nanoseconds_each * 1e-9 * f64::from(size.size) * f64::from(size.repetitions);
            let size = long_enough((1024, 8192), |size| Ok(taken(size))).expect("times");
            assert_eq!((size.size, size.repetitions), expected, "{nanoseconds_each} ns each");
            assert!((taken(size) * 1e3 - milliseconds).abs() < 1e-9 * milliseconds.max(1.0), "{size:?}");
        }
        assert_eq!(long_enough((1024, 8192), |_| Err(Failure::Cancelled)), Err(Failure::Cancelled));
    }

    #[test]
    fn a_calibrated_kernel_is_right_and_who_cancels_gets_none() {
        let Some(gpu) = gpu() else { return };
        let cancel = Cancel::default();
        let kernel = kernel("multiply_add").expect("known");
        let size = kernel.calibrated(&gpu, &cancel).expect("calibrated");
        kernel.checked(&gpu, size).expect("right");
        cancel.request();
        assert_eq!(kernel.calibrated(&gpu, &cancel), Err(Failure::Cancelled));
    }
}
