//! Resources of a benchmark: the GPU, the threads of the CPU, and the effort of the suite.

use std::time::Instant;

use crossover_harness::Cancel;
use rayon::ThreadPool;

use crate::failure::Failure;
use crate::gpu::Gpu;
use crate::gpu::clock::TimingSource;
use crate::gpu::program::Program;
use crate::report::Verified;
use crate::sampling::{Effort, Samples, sample};

/// Resources of a benchmark.
#[derive(Debug)]
pub struct Bench<'run> {
    /// The GPU, if the run has one.
    pub gpu: Option<&'run Gpu>,
    /// All threads of the CPU.
    pub pool: &'run ThreadPool,
    /// Time and precision.
    pub effort: Effort,
    /// When the run must be over.
    pub deadline: Option<Instant>,
    /// Cancellation of the run.
    pub cancel: &'run Cancel,
}

/// Times, and what measured them.
pub type Timed = (Samples, TimingSource);

/// A verified measurement.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The times.
    pub samples: Samples,
    /// What measured them.
    pub source: TimingSource,
    /// How the result was checked.
    pub verified: Verified,
    /// Input, bytes.
    pub bytes_logical: f64,
    /// Minimum bytes over memory or bus.
    pub bytes_traffic: f64,
    /// Compressed / raw size, of codecs.
    pub ratio: Option<f64>,
}

impl Outcome {
    /// The outcome of anything but a codec.
    #[must_use]
    pub fn of((samples, source): Timed, verified: Verified, bytes_logical: f64, bytes_traffic: f64) -> Self {
        Self { samples, source, verified, bytes_logical, bytes_traffic, ratio: None }
    }
}

impl Bench<'_> {
    /// Whether the time of the run is used up.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// The GPU.
    ///
    /// # Errors
    /// [`Failure::NoAdapter`] in a run without one.
    pub fn gpu(&self) -> Result<&Gpu, Failure> {
        self.gpu.ok_or(Failure::NoAdapter)
    }

    /// Times a program on the GPU. If its timer stops, everything is timed again by the wall clock.
    ///
    /// # Errors
    /// See [`sample`].
    pub fn time_program(&self, program: &Program) -> Result<Timed, Failure> {
        let gpu = self.gpu()?;
        let source = gpu.timing_source();
        let measured = sample(&self.effort, self.deadline, self.cancel, |batch| gpu.time(program, batch));
        match measured {
            Err(Failure::TimerStopped) if source == TimingSource::GpuTimestamps => {
                gpu.distrust_timestamps();
                self.time_program(program)
            }
            measured => Ok((measured?, source)),
        }
    }

    /// Times batches by the wall clock; `work` repeats and returns the seconds that count.
    ///
    /// # Errors
    /// See [`sample`].
    pub fn time_batches(&self, work: impl FnMut(u32) -> Result<f64, Failure>) -> Result<Timed, Failure> {
        let samples = sample(&self.effort, self.deadline, self.cancel, work)?;
        Ok((samples, TimingSource::WallClock))
    }

    /// Times work by the wall clock.
    ///
    /// # Errors
    /// See [`sample`].
    pub fn time_wall(&self, mut work: impl FnMut() -> Result<(), Failure>) -> Result<Timed, Failure> {
        self.time_batches(|batch| {
            let start = Instant::now();
            for _ in 0..batch {
                work()?;
            }
            Ok(start.elapsed().as_secs_f64())
        })
    }

    /// Times work on the CPU: on the calling thread, or inside the pool if `threads` is more than 1.
    ///
    /// # Errors
    /// See [`sample`].
    pub fn time_cpu(&self, threads: usize, mut work: impl FnMut() + Send) -> Result<Timed, Failure> {
        if threads > 1 {
            self.time_wall(|| {
                self.pool.install(&mut work);
                Ok(())
            })
        } else {
            self.time_wall(|| {
                work();
                Ok(())
            })
        }
    }
}

/// Compares word by word.
///
/// # Errors
/// [`Failure::WrongResult`] with the first difference.
pub fn verify_exact(what: &str, found: &[u32], expected: &[u32]) -> Result<Verified, Failure> {
    if found.len() != expected.len() {
        let (found, expected) = (found.len(), expected.len());
        return Err(Failure::WrongResult(format!("{what}: {found} words, expected {expected}")));
    }
    match found.iter().zip(expected).position(|(found, expected)| found != expected) {
        None => Ok(Verified::Exact),
        Some(place) => {
            let (found, expected) = (found[place], expected[place]);
            Err(Failure::WrongResult(format!("{what}: word {place} is {found}, expected {expected}")))
        }
    }
}

/// Compares sums.
///
/// # Errors
/// [`Failure::WrongResult`] if they differ.
pub fn verify_sum(found: u64, expected: u64) -> Result<Verified, Failure> {
    if found == expected {
        Ok(Verified::Exact)
    } else {
        Err(Failure::WrongResult(format!("the sum is {found}, expected {expected}")))
    }
}

/// Compares as multisets: count, wrapping sum, and sum of hashes.
///
/// # Errors
/// [`Failure::WrongResult`] if they differ.
pub fn verify_multiset(what: &str, found: &[u32], expected: &[u32]) -> Result<Verified, Failure> {
    if Digest::of(found) == Digest::of(expected) {
        Ok(Verified::Digest)
    } else {
        let (found, expected) = (Digest::of(found), Digest::of(expected));
        Err(Failure::WrongResult(format!("{what}: {found:?}, expected {expected:?}")))
    }
}

/// A digest that ignores the order of words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Digest {
    /// Number of words.
    pub count: usize,
    /// Wrapping sum.
    pub sum: u64,
    /// Wrapping sum of a 64-bit hash of each word.
    pub hashes: u64,
}

impl Digest {
    /// The digest of these words.
    #[must_use]
    pub fn of(words: &[u32]) -> Self {
        words.iter().fold(Self { count: words.len(), sum: 0, hashes: 0 }, |digest, word| Self {
            sum: digest.sum.wrapping_add(u64::from(*word)),
            hashes: digest.hashes.wrapping_add(hash(*word)),
            ..digest
        })
    }
}

/// The finaliser of SplitMix64 (Steele, Lea, Flood 2014).
fn hash(word: u32) -> u64 {
    let mut x = u64::from(word).wrapping_add(0x9E37_79B9_7F4A_7C15);
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_word_is_named_and_a_multiset_ignores_order() {
        assert_eq!(verify_exact("copy", &[1, 2], &[1, 2]), Ok(Verified::Exact));
        let wrong = verify_exact("copy", &[1, 3], &[1, 2]).expect_err("differs").to_string();
        assert!(wrong.contains("word 1 is 3, expected 2"), "{wrong}");
        assert_eq!(verify_multiset("filter", &[2, 1], &[1, 2]), Ok(Verified::Digest));
        assert!(verify_multiset("filter", &[0, 3], &[1, 2]).is_err(), "same count and sum");
    }
}
