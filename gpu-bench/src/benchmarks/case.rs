//! Cases: one size and shape of a benchmark on one side; and suites, which select the cases.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::report::Side;
use crate::sampling::Effort;

/// How much to measure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Suite {
    /// Inputs of the calibration, within a minute.
    Quick,
    /// Every sweep, up to a gigabyte.
    Full,
    /// Every kernel once, small: a functional test, also on a software adapter.
    Ci,
}

impl Suite {
    /// "quick", "full" or "ci".
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Quick => "quick",
            Self::Full => "full",
            Self::Ci => "ci",
        }
    }

    /// Time for the whole run unless the user sets another, seconds.
    #[must_use]
    pub fn budget_seconds(self) -> f64 {
        match self {
            Self::Quick => 55.0,
            Self::Full => 1_800.0,
            Self::Ci => 28.0,
        }
    }

    /// Time and precision of one measurement.
    #[must_use]
    pub fn effort(self) -> Effort {
        let full = Effort {
            warm_up_runs: 3,
            warm_up_seconds: 0.1,
            min_sample_seconds: 1e-3,
            min_samples: 12,
            max_samples: 60,
            relative_interval: 0.01,
            budget_seconds: 3.0,
        };
        match self {
            Self::Full => full,
            Self::Quick => Effort { warm_up_seconds: 0.02, relative_interval: 0.02, budget_seconds: 0.25, ..full },
            Self::Ci => Effort {
                warm_up_runs: 1,
                warm_up_seconds: 0.0,
                min_samples: 3,
                max_samples: 5,
                budget_seconds: 0.02,
                ..full
            },
        }
    }
}

/// Limits of the cases of a run.
#[derive(Debug, Clone, Copy)]
pub struct Scale {
    /// How much to measure.
    pub suite: Suite,
    /// Words that one buffer of the GPU can hold; `None` without a GPU.
    pub gpu_words: Option<u64>,
    /// Whether the GPU is a software adapter.
    pub software: bool,
    /// CPU threads that run at once.
    pub threads: usize,
    /// Memory of the machine, bytes; `None` if unknown.
    pub host_bytes: Option<u64>,
}

/// Maximum copies of an input in memory, including the expected result.
const COPIES: u64 = 12;

/// Bytes of 1 MiB.
const MIB: u64 = 1 << 20;

impl Scale {
    /// Sizes of streaming operators for the fit and the validation of curves, bytes of input, ascending; the
    /// first and last and every second one between are fitted, the others are predicted. The largest exceed
    /// the caches.
    #[must_use]
    pub fn sweep_bytes(&self, side: Side) -> Vec<u64> {
        self.fitting(
            side,
            match (self.suite, side) {
                (Suite::Ci, _) => &[1],
                (Suite::Quick, Side::Gpu) if !self.software => &[1, 16, 64, 256, 512],
                (Suite::Quick, Side::Cpu) => &[1, 16, 64, 128, 256],
                _ => return self.heavy_sweep_bytes(side),
            },
        )
    }

    /// The same for operators that take ten times longer: join and sort, and whatever crosses the bus.
    #[must_use]
    pub fn heavy_sweep_bytes(&self, side: Side) -> Vec<u64> {
        self.fitting(
            side,
            match (self.suite, side) {
                (Suite::Ci, _) => &[1],
                (Suite::Quick, Side::Cpu) => &[1, 4, 8, 16, 32],
                (Suite::Quick, _) if self.software => &[1, 4, 16],
                (Suite::Quick, _) => &[1, 8, 32, 64, 128],
                (Suite::Full, Side::Cpu) => &[1, 4, 16, 64, 128, 256, 512],
                (Suite::Full, _) => &[1, 4, 16, 64, 128, 256, 512, 1024],
            },
        )
    }

    fn fitting(&self, side: Side, mib: &[u64]) -> Vec<u64> {
        mib.iter().map(|mib| mib * MIB).filter(|bytes| self.fits(side, *bytes)).collect()
    }

    /// The size at which memory itself is measured, bytes: beyond the caches where time allows.
    #[must_use]
    pub fn memory_bytes(&self, side: Side) -> u64 {
        self.sweep_bytes(side).last().copied().unwrap_or(MIB)
    }

    /// The size at which shares, skew and the like are swept, bytes of input.
    #[must_use]
    pub fn single_bytes(&self, side: Side) -> u64 {
        let wanted = match (self.suite, side) {
            (Suite::Ci, _) => MIB,
            (Suite::Quick, Side::Cpu) => 16 * MIB,
            (Suite::Quick, _) if self.software => 8 * MIB,
            (Suite::Quick, _) => 64 * MIB,
            (Suite::Full, _) => 256 * MIB,
        };
        self.gpu_words.filter(|_| side != Side::Cpu).map_or(wanted, |words| wanted.min(words * 4 / MIB * MIB))
    }

    /// Whether a buffer of this size exists on that side.
    #[must_use]
    pub fn fits(&self, side: Side, bytes: u64) -> bool {
        let on_host = self.host_bytes.is_none_or(|memory| bytes <= memory / COPIES);
        on_host && (side == Side::Cpu || self.gpu_words.is_some_and(|words| bytes <= words * 4))
    }

    /// Whether that side exists.
    #[must_use]
    pub fn has(&self, side: Side) -> bool {
        side == Side::Cpu || self.gpu_words.is_some()
    }

    /// Whether sweeps over shares, skew and the like belong to the suite.
    #[must_use]
    pub fn sweeps(&self) -> bool {
        self.suite != Suite::Ci
    }

    /// Numbers of CPU threads to measure: one, and all if they are more.
    #[must_use]
    pub fn thread_counts(&self) -> Vec<usize> {
        if self.threads > 1 { vec![1, self.threads] } else { vec![1] }
    }

    /// Cases of so many rows: on the CPU one for each number of threads, elsewhere one.
    #[must_use]
    pub fn cases(&self, side: Side, rows: u64) -> Vec<Case> {
        if side == Side::Cpu {
            self.thread_counts().into_iter().map(|threads| Case::cpu(threads, rows)).collect()
        } else {
            vec![Case::new(side, rows)]
        }
    }

    /// A case of so many rows, on the CPU with all threads.
    #[must_use]
    pub fn widest(&self, side: Side, rows: u64) -> Case {
        if side == Side::Cpu { Case::cpu(self.threads, rows) } else { Case::new(side, rows) }
    }

    /// Cases of every size that is swept, in rows of so many bytes; on the CPU all sizes for each number of threads.
    #[must_use]
    pub fn sweep(&self, side: Side, bytes_per_row: u64) -> Vec<Case> {
        self.sized(side, &self.sweep_bytes(side), bytes_per_row)
    }

    /// The same over the sizes of [`Self::heavy_sweep_bytes`].
    #[must_use]
    pub fn heavy_sweep(&self, side: Side, bytes_per_row: u64) -> Vec<Case> {
        self.sized(side, &self.heavy_sweep_bytes(side), bytes_per_row)
    }

    fn sized(&self, side: Side, sizes: &[u64], bytes_per_row: u64) -> Vec<Case> {
        let mut cases: Vec<Case> = sizes.iter().flat_map(|bytes| self.cases(side, bytes / bytes_per_row)).collect();
        cases.sort_by_key(|case| case.threads);
        cases
    }

    /// Words beyond the caches, on each number of threads.
    #[must_use]
    pub fn memory(&self, side: Side) -> Vec<Case> {
        self.cases(side, self.memory_bytes(side) / 4)
    }

    /// Cases of the size at which shares, skew and the like are swept, in rows of so many bytes.
    #[must_use]
    pub fn single(&self, side: Side, bytes_per_row: u64) -> Vec<Case> {
        self.cases(side, self.single_bytes(side) / bytes_per_row)
    }
}

/// One size and shape of a benchmark on one side.
#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    /// Where it runs.
    pub side: Side,
    /// CPU threads; 0 on the GPU.
    pub threads: usize,
    /// Variant; empty for the only or the default one.
    pub variant: &'static str,
    /// Rows or words of input.
    pub rows: u64,
    /// Other parameters, by their names in reports.
    pub params: BTreeMap<&'static str, f64>,
    /// Whether it is an input of the calibration; such cases are measured first.
    pub calibrates: bool,
}

impl Case {
    /// A case on the GPU or through it.
    #[must_use]
    pub fn new(side: Side, rows: u64) -> Self {
        Self { side, threads: 0, variant: "", rows, params: BTreeMap::new(), calibrates: false }
    }

    /// A case on the CPU.
    #[must_use]
    pub fn cpu(threads: usize, rows: u64) -> Self {
        Self { threads, ..Self::new(Side::Cpu, rows) }
    }

    /// The same case with a parameter.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: f64) -> Self {
        self.params.insert(name, value);
        self
    }

    /// The same case in another form.
    #[must_use]
    pub fn variant(self, variant: &'static str) -> Self {
        Self { variant, ..self }
    }

    /// The same case, needed by calibration.
    #[must_use]
    pub fn calibrating(self) -> Self {
        Self { calibrates: true, ..self }
    }

    /// Appends the case, unless it is there already, perhaps because calibration needs it.
    pub fn add_to(self, cases: &mut Vec<Self>) {
        let same = |case: &Self| Self { calibrates: self.calibrates, ..case.clone() } == self;
        if !cases.iter().any(same) {
            cases.push(self);
        }
    }

    /// The rows as kernels count them.
    ///
    /// # Errors
    /// [`Failure::Unsupported`] from 2^32 on.
    pub fn row_count(&self) -> Result<u32, Failure> {
        u32::try_from(self.rows).map_err(|_| Failure::Unsupported("more than 2^32 rows".to_owned()))
    }

    /// A parameter; 0 if the case does not have it.
    #[must_use]
    pub fn param(&self, name: &str) -> f64 {
        self.params.get(name).copied().unwrap_or(0.0)
    }
}
