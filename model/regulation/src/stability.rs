//! Stability map: a run for every pair of Kp and Ki, all other settings of the controller unchanged.

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

/// Ranges of a map. Gains are equally spaced, both ends included.
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

/// Control quality with these gains.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cell {
    /// Periods to the last action; none if it does not settle.
    pub settling_periods: Option<usize>,
    /// Largest error of opposite sign ÷ largest error before the first zero crossing.
    pub overshoot: f64,
    /// Mean |e| at the end; the largest of all clusters.
    pub steady_state_error: f64,
    /// The part of it that the controller could reduce, see [`remaining_error`].
    pub remaining_error: f64,
    /// Its class.
    pub behaviour: Behaviour,
}

/// Class of a cell: whether the controller settles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Behaviour {
    /// It settles, with a steady-state error near the least of the map and no remaining error.
    Settles,
    /// It settles with an error: in the dead zone, or at a limit that other gains do not reach.
    SettlesWithError,
    /// Actions occur until the end, or demand changes until the end.
    DoesNotSettle,
}

/// Runs the controller with every pair of gains, without a gain schedule, which would replace them. `None` if it was
/// cancelled.
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
                behaviour: Behaviour::DoesNotSettle,
            });
        }
        Some(cells)
    };
    let rows = kis.par_iter().map(row).collect::<Option<Vec<Vec<Cell>>>>()?;
    let mut cells = rows.concat();
    classify(&mut cells);
    Some(Map { kp: kps, ki: kis, cells })
}

fn classify(cells: &mut [Cell]) {
    let most_error = near_the_least(cells.iter().map(|cell| cell.steady_state_error));
    for cell in cells {
        cell.behaviour = match cell.settling_periods {
            None => Behaviour::DoesNotSettle,
            Some(_) if cell.remaining_error <= NO_REMAINING_ERROR && cell.steady_state_error <= most_error => {
                Behaviour::Settles
            }
            Some(_) => Behaviour::SettlesWithError,
        };
    }
}
