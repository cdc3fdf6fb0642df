//! Samples of a watch as a recording.

use std::collections::{BTreeMap, VecDeque};

use crossover_regulation::recording::{Column, LiveReading, Recording};
use crossover_telemetry::{Activity, Device, Reading, Sample};

/// The samples as a recording: each GPU's longest stretch without a gap, with the columns that are complete.
#[must_use]
pub(super) fn recording(devices: &[Device], samples: &VecDeque<Sample>) -> Recording {
    let gpus = devices.iter().enumerate().map(|(index, device)| {
        let readings = samples.iter().filter_map(|sample| {
            let reading = sample.readings.iter().find(|reading| reading.device == index)?;
            let values = values(reading);
            (!values.is_empty()).then_some(LiveReading { seconds: sample.seconds, values })
        });
        (format!("{index} {}", device.name.trim()), readings.collect())
    });
    Recording::of_readings(gpus.collect())
}

fn values(reading: &Reading) -> BTreeMap<Column, f64> {
    let activity = reading.activity.map(|activity| match activity {
        Activity::Sm(share) => (Column::SmActive, share),
        Activity::Busy(share) => (Column::GpuUtilisation, share),
    });
    [
        (Column::PcieTx, reading.pcie_tx_bytes_per_s.map(|bytes| bytes / 1e9)),
        (Column::PcieRx, reading.pcie_rx_bytes_per_s.map(|bytes| bytes / 1e9)),
        (Column::SmClock, reading.sm_clock_mhz),
        (Column::Watts, reading.watts),
    ]
    .into_iter()
    .filter_map(|(column, value)| Some((column, value?)))
    .chain(activity)
    .collect()
}

#[cfg(test)]
mod tests {
    use crossover_regulation::recording::read;

    use super::*;
    use crossover_telemetry::scripted::{device, reading, vanished};

    #[test]
    fn samples_can_be_saved_and_read_again() {
        // PCIe 5.0 ×16 carries 63.015 GB/s; the script sends a quarter of what it receives.
        let sample = |seconds, busy: f64| Sample { seconds, readings: vec![reading(0, 0.5, busy), vanished(1)] };
        let samples = VecDeque::from([sample(3.0, 0.25), sample(4.0, 0.75)]);
        let saved = recording(&[device("A, B"), device("C")], &samples).to_csv();
        let text = "seconds,gpu,pcie_tx_gb_per_s,pcie_rx_gb_per_s,sm_active,sm_clock_mhz,watts\r\n";
        assert!(saved.starts_with(text), "{saved}");
        let read = read(&saved, 1.0).unwrap();
        let [track] = read.tracks.as_slice() else { panic!("one GPU told something: {read:?}") };
        assert_eq!((track.gpu.as_str(), track.seconds.as_slice()), ("0 A, B", [0.0, 1.0].as_slice()));
        assert_eq!(track.values[&Column::SmActive], [0.25, 0.75]);
        assert_eq!(track.values[&Column::Watts], [225.0, 475.0]);
        assert!((track.values[&Column::PcieRx][0] - 31.5).abs() < 0.05, "{track:?}");
        assert!((track.values[&Column::PcieTx][0] - 7.88).abs() < 0.02, "{track:?}");
    }
}
