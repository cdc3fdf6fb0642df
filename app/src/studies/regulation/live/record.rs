//! What was seen, as a recording that can be saved and replayed.

use std::collections::{BTreeMap, VecDeque};

use crossover_model::regulation::recording::{Column, LiveReading, Recording};

use crate::telemetry::{Activity, Device, Reading, Sample};

/// The samples of all GPUs; what a GPU did not tell is left out, and the recording says so.
pub(super) fn record(devices: &[Device], samples: &VecDeque<Sample>) -> Recording {
    let of_device = |index: usize| -> Vec<LiveReading> {
        let readings = samples.iter().filter_map(|sample| {
            let reading = sample.readings.iter().find(|reading| reading.device == index)?;
            Some(LiveReading { seconds: sample.seconds, values: values(reading) })
        });
        readings.collect()
    };
    Recording::of_readings(
        devices.iter().enumerate().map(|(index, device)| (name(devices, index, device), of_device(index))).collect(),
    )
}

/// The name of a GPU, with its place where there are several.
fn name(devices: &[Device], index: usize, device: &Device) -> String {
    if devices.len() > 1 { format!("{index}: {}", device.name) } else { device.name.clone() }
}

fn values(reading: &Reading) -> BTreeMap<Column, f64> {
    let (sm, busy) = match reading.activity {
        Some(Activity::Sm(share)) => (Some(share), None),
        Some(Activity::Busy(share)) => (None, Some(share)),
        None => (None, None),
    };
    let told = [
        (Column::PcieTx, reading.pcie_tx_bytes_per_s.map(|bytes| bytes / 1e9)),
        (Column::PcieRx, reading.pcie_rx_bytes_per_s.map(|bytes| bytes / 1e9)),
        (Column::SmActive, sm),
        (Column::GpuUtilisation, busy),
        (Column::SmClock, reading.sm_clock_mhz),
        (Column::Watts, reading.watts),
    ];
    told.into_iter().filter_map(|(column, value)| Some((column, value?))).collect()
}
