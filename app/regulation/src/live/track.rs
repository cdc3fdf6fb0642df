//! From readings to p_p and p_d, and from these to the controller output, sample by sample.

use std::collections::VecDeque;

use crossover_regulation::advice::{Advice, Advisor};
use crossover_regulation::{Actuators, Band, Controller, Regulation, table};
use crossover_telemetry::{Reading, Sample};

/// The inputs of a track besides the samples; another basis needs another track.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Basis {
    device: usize,
    /// Speed of one direction of the bus, GB/s.
    bus: f64,
    controller: Controller,
    table: Vec<Band>,
    actuators: Actuators,
}

impl Basis {
    pub(super) fn new(device: usize, bus: f64, study: &Regulation, controller: &Controller) -> Self {
        let (controller, table, actuators) = (controller.clone(), study.table.clone(), study.actuators.clone());
        Self { device, bus, controller, table, actuators }
    }
}

/// One sample of the GPU.
#[derive(Debug, Clone)]
pub(super) struct Point {
    /// Time, seconds after watching began.
    pub(super) seconds: f64,
    /// p_p and p_d, 0 … 1; `None` if one of them is missing.
    pub(super) occupancies: Option<[f64; 2]>,
    /// The actions that the controller would take.
    pub(super) advice: Option<Advice>,
}

/// The kept samples, with the controller output of each.
#[derive(Debug, Default)]
pub(super) struct Track {
    basis: Option<Basis>,
    advisor: Option<Advisor>,
    points: VecDeque<Point>,
    /// Grows with every change of the points.
    revision: u64,
    /// Time of the last processed sample.
    until: Option<f64>,
}

impl Track {
    /// Processes new samples. The controller state includes samples that are no longer kept.
    pub(super) fn update(&mut self, samples: &VecDeque<Sample>, basis: Basis) {
        if self.basis.as_ref() != Some(&basis) {
            let advisor = Advisor::new(&basis.controller, &basis.table, &basis.actuators);
            let revision = self.revision + 1;
            *self = Self { basis: Some(basis), advisor: Some(advisor), revision, ..Self::default() };
        }
        let (Some(basis), Some(advisor)) = (&self.basis, &mut self.advisor) else { return };
        let first_new = self.until.map_or(0, |until| samples.partition_point(|sample| sample.seconds <= until));
        for sample in samples.iter().skip(first_new) {
            let reading = sample.readings.iter().find(|reading| reading.device == basis.device);
            let occupancies = reading.and_then(|reading| occupancies(reading, basis.bus));
            let advice = occupancies.and_then(|read| advisor.advise(read));
            self.points.push_back(Point { seconds: sample.seconds, occupancies, advice });
            self.until = Some(sample.seconds);
            self.revision += 1;
        }
        let surplus = self.points.len().saturating_sub(samples.len());
        self.points.drain(..surplus);
    }

    /// Grows with every change of the points.
    pub(super) fn revision(&self) -> u64 {
        self.revision
    }

    /// The samples, the oldest first.
    pub(super) fn points(&self) -> &VecDeque<Point> {
        &self.points
    }

    /// Both ends of the dead zone.
    pub(super) fn dead_zone(&self) -> [f64; 2] {
        self.basis.as_ref().map_or([0.0, 0.0], |basis| table::dead_zone(&basis.table))
    }

    /// The last sample, with or without advice; earlier advice may be outdated.
    pub(super) fn last(&self) -> Option<&Point> {
        self.points.back()
    }
}

/// p_p, the busier direction's rate against the speed of the bus, GB/s; and p_d.
fn occupancies(reading: &Reading, bus: f64) -> Option<[f64; 2]> {
    Some([reading.pcie_occupancy_of(bus)?, reading.load()?])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossover_telemetry::scripted;

    #[test]
    fn transfer_occupancy_is_the_busier_direction_against_the_bus() {
        // PCIe 5.0 ×16 carries 63.02 GB/s; the script's busier direction is at half of that.
        let reading = scripted::reading(0, 0.5, 0.25);
        let [pcie, load] = occupancies(&reading, 32.0 * 128.0 / 130.0 / 8.0 * 16.0).unwrap();
        assert!((pcie - 0.5).abs() < 1e-12 && load == 0.25, "{pcie} {load}");
        let [pcie, _] = occupancies(&reading, 126.0).unwrap();
        assert!((pcie - 0.25).abs() < 1e-4, "twice the speed: {pcie}");
        let [pcie, _] = occupancies(&reading, 10.0).unwrap();
        assert!(pcie == 1.0, "never above full");
        assert_eq!(occupancies(&scripted::vanished(0), 63.0), None);
    }
}
