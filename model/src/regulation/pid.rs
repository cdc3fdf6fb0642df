//! The controller: from readings to an output, in its three parts.

use super::study::{Controller, Derivative, Form, Integration};

/// Gains in force in one period.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gains {
    /// Kp
    pub kp: f64,
    /// Ki, for one period
    pub ki: f64,
    /// Kd, for one period
    pub kd: f64,
}

/// The parts of an output.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Parts {
    /// Kp·e
    pub proportional: f64,
    /// Ki·Σe
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

/// What a controller remembers from one period to the next.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Pid {
    sum: f64,
    before: Option<Before>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Before {
    error: f64,
    load: f64,
}

impl Pid {
    /// The change of the error since the period before, ec; 0 in the first period.
    #[must_use]
    pub fn change(&self, error: f64) -> f64 {
        self.before.map_or(0.0, |before| error - before.error)
    }

    /// One period: readings of transfer occupancy and compute load in, the parts of the output out. `dead_zone` and
    /// `table` are the ranges of outputs that cause no action and that the control table covers.
    pub fn step(
        &mut self,
        controller: &Controller,
        gains: Gains,
        [pcie, load]: [f64; 2],
        dead_zone: [f64; 2],
        table: [f64; 2],
    ) -> Parts {
        let error = pcie - load;
        let (has_integral, has_derivative) = match controller.form {
            Form::P => (false, false),
            Form::PI => (true, false),
            Form::PD => (false, true),
            Form::PID => (true, true),
        };
        let derivative = match (has_derivative, self.before, controller.derivative) {
            (false, ..) | (true, None, _) => 0.0,
            (true, Some(before), Derivative::OnError) => gains.kd * (error - before.error),
            (true, Some(before), Derivative::OnMeasurement) => -gains.kd * (load - before.load),
        };
        self.before = Some(Before { error, load });
        let mut parts = Parts { proportional: gains.kp * error, integral: 0.0, derivative };
        if has_integral {
            let limited = |sum: f64| {
                let most = if gains.ki > 0.0 { controller.integral_limit / gains.ki } else { f64::INFINITY };
                sum.clamp(-most, most)
            };
            self.sum = limited(self.sum);
            parts.integral = gains.ki * self.sum;
            let output = parts.output();
            let grows = match controller.integration {
                Integration::Always => true,
                Integration::UnlessSaturated => (table[0]..=table[1]).contains(&output),
                Integration::InDeadZone => super::table::is_inside(output, dead_zone),
            };
            if grows {
                self.sum = limited(self.sum + error);
                parts.integral = gains.ki * self.sum;
            }
        }
        parts
    }

    /// Starts the integral anew.
    pub fn reset_integral(&mut self) {
        self.sum = 0.0;
    }
}
