//! Numbers, machines and a query with round values, for tests.

use crate::anchored::Anchored;
use crate::profile::{Engine, Engines};
use crossover_query::Volumes;

pub(crate) fn anchored() -> Anchored {
    Anchored {
        start_seconds: 1.0,
        today_share: 0.1,
        read_gb_per_s: Some(2.0),
        file_seconds: 0.01,
        scan_seconds: 0.5,
        exchange_memory_gb: 10.0,
        spill_gb_per_s: Some(0.5),
        least_share: 0.05,
        density_share: 0.0,
        density_exponent: 0.0,
        smallest_density_gb_per_s: 0.0,
        largest_density_gb_per_s: 0.0,
        error_factor_90: 1.5,
        fitted_cores: 100.0,
        fitted_gpus: 4.0,
        fitted_machines: 4.0,
        fitted_network_gbit_per_s: 20.0,
        fitted_memory_gb: None,
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
pub(crate) fn engines() -> Engines {
    let plain = Engines::plain();
    Engines {
        cpu: Engine { machines: 10.0, lanes: 10.0, ..plain.cpu.clone() },
        gpu: Engine { machines: 4.0, network_gbit_per_s: 5.0, ..plain.gpu.clone() },
        anchored: Some(anchored()),
        measured_seconds: Some(20.0),
        ..plain
    }
}

pub(crate) fn volumes() -> Volumes {
    Volumes {
        read_gb: 6.0,
        files: 200.0,
        partitioned_scans: 2.0,
        exchanges_gb: vec![4.0, 12.0, 11.0],
        ..Volumes::default()
    }
}

pub(crate) fn near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-9, "{found} instead of {expected}");
}
