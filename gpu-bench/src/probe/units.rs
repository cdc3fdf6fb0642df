//! Compute units of a probe: their type and number.

use std::fmt;
use std::str::FromStr;

use crossover_quantity::invalid::Invalid;
use thiserror::Error;

use crate::gpu::Gpu;

/// A type of compute units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnitType {
    /// So many threads of the processor.
    Cpu {
        /// Threads of one unit.
        threads: u32,
    },
    /// A GPU.
    Gpu,
}

impl FromStr for UnitType {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong =
            || format!("unknown type of compute units “{text}”; expected cpu, cpu:K with K threads each, or gpu");
        match text.split_once(':') {
            None if text == "cpu" => Ok(Self::Cpu { threads: 1 }),
            None if text == "gpu" => Ok(Self::Gpu),
            Some(("cpu", threads)) => {
                let threads = threads.parse().ok().filter(|threads| *threads > 0).ok_or_else(wrong)?;
                Ok(Self::Cpu { threads })
            }
            _ => Err(wrong()),
        }
    }
}

impl fmt::Display for UnitType {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cpu { threads: 1 } => formatter.write_str("cpu"),
            Self::Cpu { threads } => write!(formatter, "cpu:{threads}"),
            Self::Gpu => formatter.write_str("gpu"),
        }
    }
}

/// The compute units of one run.
#[derive(Debug, Clone, Copy)]
pub enum Units<'a> {
    /// So many units of the processor, with so many threads each.
    Cpu {
        /// Units.
        units: u32,
        /// Threads of one unit.
        threads: u32,
    },
    /// One GPU.
    Gpu(&'a Gpu),
}

impl Units<'_> {
    /// Their type.
    #[must_use]
    pub fn unit_type(&self) -> UnitType {
        match self {
            Self::Cpu { threads, .. } => UnitType::Cpu { threads: *threads },
            Self::Gpu(_) => UnitType::Gpu,
        }
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> u32 {
        match self {
            Self::Cpu { units, .. } => *units,
            Self::Gpu(_) => 1,
        }
    }

    /// Threads of the processor that all of them have; a GPU is driven by one.
    ///
    /// # Errors
    /// There are none, or more than this machine lets this process run at once.
    pub fn threads(&self) -> Result<u32, ProbeError> {
        let Self::Cpu { units, threads } = *self else { return Ok(1) };
        let available = available_threads();
        match units.checked_mul(threads) {
            None | Some(0) => Err(ProbeError::NoUnits),
            Some(wanted) if wanted <= available => Ok(wanted),
            Some(wanted) => Err(ProbeError::TooMany { units, threads, wanted, available }),
        }
    }
}

/// Threads that this process may run at once: those of its set of processors, where the system gave it one.
#[must_use]
pub fn available_threads() -> u32 {
    std::thread::available_parallelism().map_or(1, |threads| u32::try_from(threads.get()).unwrap_or(u32::MAX))
}

/// Why a probe cannot run.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ProbeError {
    /// The task is not valid.
    #[error("{}: {}", .0.path, .0.problem)]
    Task(Invalid),
    /// No unit, or an invalid number of threads.
    #[error("a probe needs at least 1 unit of at least 1 thread, and fewer than 2^32 threads in total")]
    NoUnits,
    /// More threads than the machine has.
    #[error(
        "{units} units of {threads} thread(s) need {wanted} threads, but this process may run {available} at once; reduce --units"
    )]
    TooMany {
        /// Units.
        units: u32,
        /// Threads of one unit.
        threads: u32,
        /// Threads of all of them.
        wanted: u32,
        /// Available threads.
        available: u32,
    },
    /// A probe runs on one GPU.
    #[error("a probe runs on one GPU at a time: leave --units at 1, and choose another GPU with --device")]
    GpuUnits,
    /// The system cannot start the threads.
    #[error("cannot start the threads of the units: {0}")]
    NoThreads(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_of_units_is_read_as_it_is_written() {
        for text in ["cpu", "cpu:8", "gpu"] {
            assert_eq!(text.parse::<UnitType>().expect("a type").to_string(), text);
        }
        assert_eq!("cpu:1".parse(), Ok(UnitType::Cpu { threads: 1 }));
        for text in ["", "CPU", "cpu:", "cpu:0", "cpu:-1", "gpu:2", "tpu"] {
            let problem = text.parse::<UnitType>().expect_err("no type");
            assert!(problem.contains("expected cpu, cpu:K"), "{problem}");
        }
    }

    #[test]
    fn more_threads_than_there_are_are_refused_with_how_many_there_are() {
        let available = available_threads();
        assert_eq!(Units::Cpu { units: available, threads: 1 }.threads(), Ok(available));
        let refused = Units::Cpu { units: available + 1, threads: 1 }.threads().expect_err("one too many").to_string();
        assert!(refused.contains(&format!("may run {available} at once")), "{refused}");
        for (units, threads) in [(0, 1), (1, 0), (1 << 20, 1 << 20)] {
            assert_eq!(Units::Cpu { units, threads }.threads(), Err(ProbeError::NoUnits));
        }
    }
}
