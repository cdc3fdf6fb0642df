//! The controller: from readings to an output, in its three parts.

pub use super::gain_table::Gains;
use super::study::{Controller, Derivative, Integration};
use super::table::is_inside;

impl Gains {
    /// The first gain that is out of range, as a message; none if all are valid.
    #[must_use]
    pub fn problem(self) -> Option<String> {
        let gains = [(&Controller::KP, self.kp), (&Controller::KI, self.ki), (&Controller::KD, self.kd)];
        gains.into_iter().find_map(|(quantity, gain)| {
            let why = quantity.problem(gain).is_some();
            why.then(|| {
                format!(
                    "{} = {} is out of range; allowed: {}",
                    quantity.symbol,
                    quantity.unit.format(gain),
                    quantity.range()
                )
            })
        })
    }
}

/// The parts of an output.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Parts {
    /// Kp·e
    pub proportional: f64,
    /// Σ Ki·e, which is Ki·Σe as long as Ki stays
    pub integral: f64,
    /// Kd·(e − e before)
    pub derivative: f64,
}

impl Parts {
    /// u, the sum of the parts.
    #[must_use]
    pub fn output(&self) -> f64 {
        self.proportional + self.integral + self.derivative
    }
}

/// State of a controller between periods.
///
/// The integral is stored as its part of the output, Σ Ki·e, not as Σe: if a schedule changes Ki the output does not
/// jump, and errors during Ki = 0 have no later effect.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Pid {
    integral: f64,
    before: Option<Before>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Before {
    error: f64,
    load: f64,
}

impl Pid {
    /// The change of the error since the previous period, ec; 0 in the first period.
    #[must_use]
    pub fn change(&self, error: f64) -> f64 {
        self.before.map_or(0.0, |before| error - before.error)
    }

    /// One period: readings of PCIe occupancy and compute load in, the parts of the output out. `dead_zone` and
    /// `table` are the ranges of outputs that cause no action and that the control table covers.
    #[inline]
    pub fn step(
        &mut self,
        controller: &Controller,
        gains: Gains,
        [pcie, load]: [f64; 2],
        dead_zone: [f64; 2],
        table: [f64; 2],
    ) -> Parts {
        let error = pcie - load;
        let derivative = match (self.before, controller.derivative) {
            (None, _) => 0.0,
            (Some(before), Derivative::OnError) => gains.kd * (error - before.error),
            (Some(before), Derivative::OnMeasurement) => -gains.kd * (load - before.load),
        };
        self.before = Some(Before { error, load });
        let mut parts = Parts {
            proportional: gains.kp * error,
            integral: self.integral,
            derivative: if controller.form.has_derivative() { derivative } else { 0.0 },
        };
        if controller.form.has_integral() {
            let output = parts.output();
            let grows = match controller.integration {
                Integration::Always => true,
                // Errors that bring the output back are integrated even then.
                Integration::UnlessSaturated => is_inside(output, table) || error * output < 0.0,
                Integration::InDeadZone => is_inside(output, dead_zone),
            };
            if grows {
                let most = controller.integral_limit;
                self.integral = (self.integral + gains.ki * error).clamp(-most, most);
                parts.integral = self.integral;
            }
        }
        parts
    }

    /// Sets the integral to zero.
    pub fn reset_integral(&mut self) {
        self.integral = 0.0;
    }
}
