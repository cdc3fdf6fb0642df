//! The sample of the section without readings: those of an H100 (`gpu-bench/results`), which the first example has as a demand.

use std::collections::VecDeque;

use crossover_chart::Chart;
use crossover_regulation::recording::{Column, Track as RecordedTrack, read};
use crossover_telemetry::{Activity, Reading, Sample};

use super::charts::charts;
use super::track::{Basis, Track};
use crate::examples::RECORDED;

/// What the sample is.
pub(super) const NAME: &str = "the recorded load of an H100";
const READINGS: &str = include_str!("../../../../gpu-bench/results/nvidia-h100-80gb-hbm3-2026-11-26-readings.csv");
/// Speed of one direction of its bus, PCIe 5.0 ×16, GB/s.
const BUS: f64 = 63.0154;

/// Occupancies of transfer and of compute.
pub(super) fn picture() -> Option<Chart> {
    let recording = read(READINGS, 1.0).ok()?;
    let scenario = crossover_scenario::read(RECORDED.text).ok()?;
    let study = scenario.regulation()?;
    let controller = study.controllers.iter().find(|controller| controller.name == study.policy.controller)?;
    let mut track = Track::default();
    track.update(&samples(recording.tracks.first()?), Basis::new(0, BUS, study, controller));
    let load = format!("compute load p_d: {}", Activity::Sm(0.0).label());
    let [balance, _] = charts(&track.points().iter(), &load, track.dead_zone());
    Some(Chart::Lines(balance))
}

/// The recorded readings of a GPU as samples of a watch.
fn samples(of: &RecordedTrack) -> VecDeque<Sample> {
    let value = |column: Column, at: usize| of.values.get(&column).and_then(|values| values.get(at)).copied();
    let sample = |(at, seconds): (usize, &f64)| {
        let reading = Reading {
            pcie_tx_bytes_per_s: value(Column::PcieTx, at).map(|gb| gb * 1e9),
            pcie_rx_bytes_per_s: value(Column::PcieRx, at).map(|gb| gb * 1e9),
            activity: value(Column::SmActive, at).map(Activity::Sm),
            ..Reading::default()
        };
        Sample { seconds: *seconds, readings: vec![reading] }
    };
    of.seconds.iter().enumerate().map(sample).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By the columns of the recording: 50 readings, and in the last one 49.0571 GB/s received and an SM activity of 0.9324.
    #[test]
    fn the_picture_has_the_occupancies_of_the_recording() {
        let Some(Chart::Lines(chart)) = picture() else { panic!("no picture") };
        let [transfer, compute] = &chart.series[..] else { panic!("two curves: {:?}", chart.series) };
        assert_eq!([transfer.points.len(), compute.points.len()], [50, 50]);
        let last = |points: &[[f64; 2]]| points[49];
        let [seconds, occupancy] = last(&transfer.points);
        assert!((seconds - 24.5).abs() < 1e-9 && (occupancy - 49.0571 / 63.0154).abs() < 1e-6, "{seconds} {occupancy}");
        assert!((last(&compute.points)[1] - 0.9324).abs() < 1e-9, "{:?}", compute.points);
    }
}
