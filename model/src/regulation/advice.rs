//! Advice: what a controller would do about readings of a machine that it does not control.
//!
//! It knows readings and the study's controller and control table, and nothing that could act.

use super::gains::gains;
use super::pid::{Gains, Parts, Pid};
use super::study::{Actuator, ActuatorMode, Actuators, Band, Controller};
use super::table;

/// A controller that looks at one machine and says what it would do.
#[derive(Debug, Clone, PartialEq)]
pub struct Advisor {
    controller: Controller,
    table: Vec<Band>,
    actuators: Actuators,
    pid: Pid,
}

/// What the controller makes of one reading.
#[derive(Debug, Clone, PartialEq)]
pub struct Advice {
    /// e = `p_p` − `p_d`.
    pub error: f64,
    /// ec, change of the error since the reading before.
    pub change: f64,
    /// Gains in force.
    pub gains: Gains,
    /// The parts of the output.
    pub parts: Parts,
    /// u, their sum.
    pub output: f64,
    /// The row of the control table that u falls into.
    pub row: Band,
    /// What it would do, without a subject: "would give back 2 vGPUs".
    pub sentence: String,
}

impl Advisor {
    /// An advisor with nothing remembered.
    #[must_use]
    pub fn new(controller: &Controller, table: &[Band], actuators: &Actuators) -> Self {
        Self {
            controller: controller.clone(),
            table: table.to_vec(),
            actuators: actuators.clone(),
            pid: Pid::default(),
        }
    }

    /// Takes one period's reading of transfer occupancy and compute load, 0 … 1, and says what the controller would
    /// do. Where that is an action, its integral starts anew if the controller's does so after actions. A reading
    /// that is not a number, or an empty table, gives `None` and changes nothing.
    pub fn advise(&mut self, [pcie, load]: [f64; 2]) -> Option<Advice> {
        if !pcie.is_finite() || !load.is_finite() || self.table.is_empty() {
            return None;
        }
        let error = pcie - load;
        let change = self.pid.change(error);
        let gains = gains(&self.controller, error, change);
        let (dead_zone, ends) = (table::dead_zone(&self.table), table::ends(&self.table));
        let parts = self.pid.step(&self.controller, gains, [pcie, load], dead_zone, ends);
        let output = parts.output();
        let row = table::row(&self.table, output)?.clone();
        let wishes = wishes(&row, &self.actuators);
        if !wishes.is_empty() && self.controller.reset_after_action {
            self.pid.reset_integral();
        }
        let sentence = if wishes.is_empty() {
            "would change nothing".to_owned()
        } else {
            let or_and = match self.actuators.mode {
                ActuatorMode::Together => " and ",
                ActuatorMode::InOrder => ", or where that cannot be, ",
            };
            format!("would {}", wishes.join(or_and))
        };
        Some(Advice { error, change, gains, parts, output, row, sentence })
    }
}

/// What a row asks of the actuators in use, in their order.
fn wishes(row: &Band, actuators: &Actuators) -> Vec<String> {
    let wish = |actuator: &Actuator| {
        let direction = |change: f64| if change > 0.0 { "raise" } else { "lower" };
        match actuator {
            Actuator::Vgpus if row.vgpus != 0.0 => {
                let verb = if row.vgpus > 0.0 { "ask for" } else { "give back" };
                Some(format!("{verb} {}", counted(row.vgpus, "vGPU")))
            }
            Actuator::Frequency if row.frequency_mhz != 0.0 => {
                let (verb, megahertz) = (direction(row.frequency_mhz), row.frequency_mhz.abs());
                Some(format!("{verb} the frequency by {megahertz} MHz"))
            }
            Actuator::Precision if row.precision != 0.0 => {
                Some(format!("{} the precision by {}", direction(row.precision), counted(row.precision, "step")))
            }
            Actuator::Vgpus | Actuator::Frequency | Actuator::Precision => None,
        }
    };
    actuators.order.iter().filter_map(wish).collect()
}

fn counted(change: f64, what: &str) -> String {
    let count = change.abs();
    if count == 1.0 { format!("1 {what}") } else { format!("{count} {what}s") }
}
