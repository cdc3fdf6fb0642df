//! A report for tests, with round figures.

use std::collections::BTreeMap;

use crossover_harness::tool::Tool;

use super::{Host, MeasuredAdapter, Measurement, Report, SCHEMA, Side, Time, Verified};
use crate::gpu::adapter::{Description, Limits};
use crate::gpu::clock::{SelfTest, TimingSource};
use crate::gpu::pcie::Link;
use crate::sampling::StopReason;

/// A copy on one core and on the GPU, a filter on the GPU, and one that was cancelled.
pub(crate) fn report() -> Report {
    Report {
        schema: SCHEMA,
        tool: Tool { version: "1.2.3".to_owned(), optimised: true, target_features: vec!["avx2".to_owned()] },
        time: "2026-01-02T03:04:05Z".to_owned(),
        suite: "quick".to_owned(),
        host: Host {
            os: "Example OS 1".to_owned(),
            cpu: "Example CPU".to_owned(),
            physical_cores: 8,
            logical_cores: 16,
            isa: "x86_64".to_owned(),
            ram_bytes: 64_000_000_000,
        },
        adapter: Some(adapter()),
        results: vec![
            measured("memory.copy", Side::Cpu, 0.002),
            Measurement { roof_share: Some(0.85), ..measured("memory.copy", Side::Gpu, 0.000_01) },
            with("selectivity", 0.1, measured("filter.append", Side::Gpu, 0.000_02)),
            Measurement {
                time: None,
                samples_s: Vec::new(),
                verified: Verified::Skipped,
                reason: Some("cancelled".to_owned()),
                ..with("selectivity", 0.5, measured("filter.append", Side::Gpu, 1.0))
            },
        ],
        calibration: None,
        notes: vec!["cancelled after 3 of 4 measurements".to_owned()],
        drift: None,
    }
}

fn adapter() -> MeasuredAdapter {
    MeasuredAdapter {
        description: Description {
            name: "Example GPU 9000".to_owned(),
            kind: "discrete".to_owned(),
            backend: "vulkan".to_owned(),
            driver: "Example".to_owned(),
            driver_info: "555.1".to_owned(),
            vendor: 1,
            device: 2,
            pci: "0000:01:00.0".to_owned(),
            link: Some(Link { gt_per_s: 32.0, width: 16 }),
            software: false,
            limits: Limits {
                buffer_bytes: 1 << 32,
                binding_bytes: 1 << 31,
                workgroup_bytes: 1 << 15,
                workgroup_size: 1024,
                workgroups: 65_535,
            },
            features: vec!["timestamps".to_owned(), "subgroups".to_owned()],
            subgroup: (32, 32),
        },
        timing_source: TimingSource::GpuTimestamps,
        self_test: SelfTest { gpu_seconds: 0.025, wall_seconds: 0.0252, passed: true },
        clocks_held: false,
    }
}

/// A million words, twelve samples, an interval of ±25 %.
pub(crate) fn measured(id: &str, side: Side, median_s: f64) -> Measurement {
    Measurement {
        id: id.to_owned(),
        side,
        threads: usize::from(side == Side::Cpu),
        variant: String::new(),
        params: BTreeMap::from([("rows".to_owned(), 1e6)]),
        calibrates: false,
        bytes_logical: 4e6,
        bytes_traffic: 8e6,
        samples_s: vec![median_s; 12],
        batch: 1,
        time: Some(Time {
            median_s,
            iqr_s: median_s * 0.05,
            min_s: median_s * 0.95,
            ci95_s: (median_s * 0.75, median_s * 1.25),
            n: 12,
            stop: StopReason::Precise,
            source: if side == Side::Gpu { TimingSource::GpuTimestamps } else { TimingSource::WallClock },
        }),
        roof_share: None,
        verified: Verified::Exact,
        warnings: Vec::new(),
        reason: None,
        ratio: None,
    }
}

fn with(name: &str, value: f64, mut measurement: Measurement) -> Measurement {
    measurement.params.insert(name.to_owned(), value);
    measurement
}
