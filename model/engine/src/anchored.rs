//! The numbers of a time on GPUs that is a sum with the measured time on CPUs, and the largest volumes that they were fitted to.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Source of the terms, which the published method does not have.
const EXTENSION: &str = "extension of the published method: measured time in the sum (docs/model/engines.md)";

/// Time on GPUs as a sum of a share of the measured time on CPUs and of what the query moves, on the machines of the fit.
#[derive(Debug, Clone, PartialEq, crossover_study::Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Anchored {
    /// Time that every query takes, independent of its volumes.
    #[number(symbol = "a", label = "start time", unit = Seconds, range = 0.0..=1e6, source = EXTENSION)]
    pub start_seconds: f64,
    /// Part of the measured time on CPUs that the GPUs take for the same work.
    #[number(symbol = "k", label = "share of run time", unit = Ratio, range = 0.0..=1e3, source = EXTENSION)]
    pub today_share: f64,
    /// Compressed data that all machines read per second.
    #[number(
        symbol = "r", label = "read rate", unit = GigabytesPerSecond, range = 1e-5..=1e6, neutral = f64::INFINITY,
        source = EXTENSION
    )]
    #[serde(default)]
    pub read_gb_per_s: Option<f64>,
    /// Time to open a file, all machines working together.
    #[number(symbol = "t_f", label = "file open cost", unit = Seconds, range = 0.0..=1e4, neutral = 0.0, source = EXTENSION)]
    #[serde(default)]
    pub file_seconds: f64,
    /// Time to find the files of a partitioned table, for each scan, all machines working together.
    #[number(symbol = "t_s", label = "scan time", unit = Seconds, range = 0.0..=1e4, neutral = 0.0, source = EXTENSION)]
    #[serde(default)]
    pub scan_seconds: f64,
    /// Data of one exchange that fits into the memory of all machines.
    #[number(symbol = "m", label = "exchange memory", unit = Gigabytes, range = 0.0..=1e9, source = EXTENSION)]
    pub exchange_memory_gb: f64,
    /// Data of an exchange beyond the exchange memory that all machines write and read back per second.
    #[number(
        symbol = "s", label = "spill rate", unit = GigabytesPerSecond, range = 1e-5..=1e6, neutral = f64::INFINITY,
        source = EXTENSION
    )]
    #[serde(default)]
    pub spill_gb_per_s: Option<f64>,
    /// Least GPU time as a part of the measured time on CPUs, however little data the query reads and exchanges.
    #[number(symbol = "f", label = "least share", unit = Ratio, range = 0.0..=1e3, neutral = 0.0, chosen, source = EXTENSION)]
    #[serde(default)]
    pub least_share: f64,
    /// Part of the measured time on CPUs that the GPUs take if the query reads 1 GB per core-second; 0: the time is the sum alone.
    #[number(symbol = "k_d", label = "density share", unit = Ratio, range = 0.0..=1e9, neutral = 0.0, source = EXTENSION)]
    #[serde(default, skip_serializing_if = "is_zero")]
    pub density_share: f64,
    /// Exponent with which the density share grows with the data read per core-second.
    #[number(symbol = "η", label = "density exponent", unit = Ratio, range = -10.0..=10.0, neutral = 0.0, source = EXTENSION)]
    #[serde(default, skip_serializing_if = "is_zero")]
    pub density_exponent: f64,
    /// Least data that a fitted query read per core-second of its time on CPUs.
    #[number(label = "smallest density", unit = GigabytesPerSecond, range = 0.0..=1e6, neutral = 0.0, chosen, source = EXTENSION)]
    #[serde(default, skip_serializing_if = "is_zero")]
    pub smallest_density_gb_per_s: f64,
    /// Most data that a fitted query read per core-second of its time on CPUs.
    #[number(label = "largest density", unit = GigabytesPerSecond, range = 0.0..=1e6, neutral = 0.0, chosen, source = EXTENSION)]
    #[serde(default, skip_serializing_if = "is_zero")]
    pub largest_density_gb_per_s: f64,
    /// 90 % of measured GPU times were within this factor of the predicted one, each predicted by a fit to the other queries.
    #[number(
        symbol = "ε_a", label = "error factor (90 %)", unit = Ratio, range = 1.0..=1000.0, neutral = 1.0, chosen,
        source = EXTENSION
    )]
    #[serde(default = "one")]
    pub error_factor_90: f64,
    /// Cores of all CPU machines of the fit.
    #[number(symbol = "L_c", label = "fitted cores", unit = Count, range = 0.1..=1e9, chosen, source = EXTENSION)]
    pub fitted_cores: f64,
    /// GPUs of all machines of the fit.
    #[number(symbol = "L_g", label = "fitted GPUs", unit = Count, range = 0.1..=1e9, chosen, source = EXTENSION)]
    pub fitted_gpus: f64,
    /// GPU machines of the fit.
    #[number(symbol = "n_g", label = "fitted GPU machines", unit = Count, range = 1.0..=1e6, chosen, source = EXTENSION)]
    pub fitted_machines: f64,
    /// Network bandwidth of all GPU machines of the fit together.
    #[number(
        symbol = "B_g", label = "fitted network", unit = GigabitsPerSecond, range = 1e-3..=1e9, chosen, source = EXTENSION
    )]
    pub fitted_network_gbit_per_s: f64,
    /// Memory of all GPU machines of the fit that holds exchanged data before it spills.
    #[number(
        symbol = "M_g", label = "fitted memory", unit = Gigabytes, range = 0.0..=1e9, neutral = f64::INFINITY, chosen,
        source = EXTENSION
    )]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fitted_memory_gb: Option<f64>,
    /// Fewest core-seconds of a fitted run on CPUs. Start-up, which cores do not share, is a larger part of shorter runs.
    #[number(label = "smallest run", unit = Seconds, range = 0.0..=1e15, chosen, source = EXTENSION)]
    pub smallest_core_seconds: f64,
    /// Most core-seconds of a fitted run on CPUs: time × cores, also idle ones.
    #[number(label = "largest run", unit = Seconds, range = 0.0..=1e15, chosen, source = EXTENSION)]
    pub largest_core_seconds: f64,
    /// Most data that a fitted query read.
    #[number(label = "most data read", unit = Gigabytes, range = 0.0..=1e9, chosen, source = EXTENSION)]
    pub largest_read_gb: f64,
    /// Most files that a fitted query opened.
    #[number(label = "most files", unit = Count, range = 0.0..=1e12, chosen, source = EXTENSION)]
    pub largest_files: f64,
    /// Most scans of partitioned tables in a fitted query.
    #[number(label = "most scans", unit = Count, range = 0.0..=1e9, chosen, source = EXTENSION)]
    pub largest_partitioned_scans: f64,
    /// Data of the largest exchange of all fitted queries.
    #[number(label = "largest exchange", unit = Gigabytes, range = 0.0..=1e9, chosen, source = EXTENSION)]
    pub largest_exchange_gb: f64,
    /// Most data that a fitted query exchanged beyond the exchange memory.
    #[number(label = "most spilled data", unit = Gigabytes, range = 0.0..=1e9, chosen, source = EXTENSION)]
    pub largest_spilled_gb: f64,
    /// Most rows that window functions of a fitted query read.
    #[number(label = "most window rows", unit = Count, range = 0.0..=1e18, chosen, source = EXTENSION)]
    pub largest_window_rows: f64,
    /// Most rows that the grouping sets of a fitted query generated.
    #[number(label = "most expanded rows", unit = Count, range = 0.0..=1e18, chosen, source = EXTENSION)]
    pub largest_expanded_rows: f64,
    /// Most copies that an operator of a fitted query made of a row.
    #[number(label = "most copies", unit = Count, range = 0.0..=1e9, chosen, source = EXTENSION)]
    pub largest_copies: f64,
    /// Most pairs that joins without equal keys of a fitted query compared.
    #[number(label = "most pairs", unit = Count, range = 0.0..=1e24, chosen, source = EXTENSION)]
    pub largest_pairs: f64,
    /// The queries of the largest volumes, by the field of the volume: `"largest_exchange_gb": "q67"`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub largest_of: BTreeMap<String, String>,
}

impl Anchored {
    /// Factor beyond the measured densities up to which the power of the data read per core-second is continued.
    pub(crate) const DENSITY_BEYOND: f64 = 4.0;
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(number: &f64) -> bool {
    *number == 0.0
}

fn one() -> f64 {
    1.0
}
