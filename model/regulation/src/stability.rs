//! Which gains are safe: a run for every pair of Kp and Ki, everything else of the controller unchanged.

use std::sync::atomic::Ordering::Relaxed;

use rayon::iter::{IntoParallelRefIterator as _, ParallelIterator as _};

use super::figures::summary;
use super::pid::Gains;
use super::simulate::{Simulation, Strategy};
use super::study::Controller;
use super::tuning::remaining::{NO_REMAINING_ERROR, near_the_least, remaining_error};
use super::tuning::with_gains;
use crossover_quantity::quantity::Quantity;
use crossover_study::Watch;

/// Cells along one axis, unless said otherwise.
pub const CELLS: usize = 64;
/// End of an axis for a gain of 0.
const END_OF_NOTHING: f64 = 1.0;

/// What a map covers. Gains stand at equal distances, both ends included.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Axes {
    /// First and last Kp.
    pub kp: [f64; 2],
    /// First and last Ki.
    pub ki: [f64; 2],
    /// Gains along one axis, at least 2.
    pub cells: usize,
}

impl Axes {
    /// From 0 to the next 1, 2 or 5 times a power of ten from twice the controller's gain on; to 1 for a gain of 0. So
    /// the present gains are well inside, and the axes stay while a gain changes a little. No gain beyond its range.
    #[must_use]
    pub fn around(controller: &Controller) -> Self {
        let axis = |quantity: &Quantity, gain: f64| [quantity.min, end(gain).min(quantity.max)];
        Self { kp: axis(&Controller::KP, controller.kp), ki: axis(&Controller::KI, controller.ki), cells: CELLS }
    }

    /// The gains along an axis.
    fn gains(&self, [from, to]: [f64; 2]) -> Vec<f64> {
        let cells = self.cells.max(2);
        (0..cells).map(|index| from + (to - from) * index as f64 / (cells - 1) as f64).collect()
    }
}

fn end(gain: f64) -> f64 {
    if gain <= 0.0 {
        return END_OF_NOTHING;
    }
    let least = 2.0 * gain;
    let decade = 10_f64.powf(least.log10().floor());
    // A little less is enough: 2·0.25 need not be exactly half of a power of ten.
    [1.0, 2.0, 5.0]
        .map(|part| part * decade)
        .into_iter()
        .find(|end| *end >= least * (1.0 - 1e-9))
        .unwrap_or(10.0 * decade)
}

/// A map of (Kp, Ki).
#[derive(Debug, Clone, PartialEq)]
pub struct Map {
    /// Kp of each column.
    pub kp: Vec<f64>,
    /// Ki of each row.
    pub ki: Vec<f64>,
    /// Row by row, from the lowest Ki, in it from the lowest Kp.
    pub cells: Vec<Cell>,
}

impl Map {
    /// The cell of a column (Kp) and a row (Ki).
    #[must_use]
    pub fn cell(&self, column: usize, row: usize) -> Option<&Cell> {
        let is_inside = column < self.kp.len();
        is_inside.then(|| self.cells.get(row * self.kp.len() + column)).flatten()
    }
}

/// How a controller with these gains does.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cell {
    /// Periods until nothing was moved any more; none if it keeps moving.
    pub settling_periods: Option<usize>,
    /// Overshoot, as a share of the first error.
    pub overshoot: f64,
    /// Mean |e| in the end; the largest of all clusters.
    pub steady_state_error: f64,
    /// The part of it that the controller could do something about, see [`remaining_error`].
    pub remaining_error: f64,
    /// In a word.
    pub behaviour: Behaviour,
}

/// How a controller does, in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Behaviour {
    /// It settles, with a steady-state error near the least of the map and none that it could do something about.
    Settles,
    /// It settles, but leaves an error: the dead zone keeps it, or a limit that other gains do not run into.
    SettlesWithError,
    /// Something is still moved in the end, or demand never rests.
    KeepsMoving,
}

/// Runs the controller with every pair of gains. A gain schedule would stand in their place, so it is left out.
/// `None` if it was called off.
#[must_use]
pub fn map(simulation: &Simulation<'_>, controller: &Controller, axes: Axes, watch: Watch<'_>) -> Option<Map> {
    let (kps, kis) = (axes.gains(axes.kp), axes.gains(axes.ki));
    let row = |ki: &f64| {
        let mut controller = with_gains(controller, Gains { kp: 0.0, ki: *ki, kd: controller.kd });
        let mut cells = Vec::with_capacity(kps.len());
        for kp in &kps {
            if (watch.is_cancelled)() {
                return None;
            }
            controller.kp = *kp;
            let found = summary(simulation, Strategy::Controller(&controller));
            watch.done.fetch_add(1, Relaxed);
            cells.push(Cell {
                settling_periods: found.settling_periods,
                overshoot: found.overshoot,
                steady_state_error: found.steady_state_error,
                remaining_error: remaining_error(simulation.study(), &found),
                behaviour: Behaviour::KeepsMoving,
            });
        }
        Some(cells)
    };
    let rows = kis.par_iter().map(row).collect::<Option<Vec<Vec<Cell>>>>()?;
    let mut cells = rows.concat();
    tell_behaviours(&mut cells);
    Some(Map { kp: kps, ki: kis, cells })
}

fn tell_behaviours(cells: &mut [Cell]) {
    let most_error = near_the_least(cells.iter().map(|cell| cell.steady_state_error));
    for cell in cells {
        cell.behaviour = match cell.settling_periods {
            None => Behaviour::KeepsMoving,
            Some(_) if cell.remaining_error <= NO_REMAINING_ERROR && cell.steady_state_error <= most_error => {
                Behaviour::Settles
            }
            Some(_) => Behaviour::SettlesWithError,
        };
    }
}
