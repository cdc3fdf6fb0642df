//! Advice: the actions that a controller would take for readings of a machine that it does not control.
//!
//! The input is readings, a controller and a control table; nothing here can act.

use super::gains::gains;
use super::pid::{Gains, Parts, Pid};
use super::study::{Actuator, ActuatorMode, Actuators, Band, Controller};
use super::table;

/// A controller that reads one machine and reports the actions that it would take.
#[derive(Debug, Clone, PartialEq)]
pub struct Advisor {
    controller: Controller,
    table: Vec<Band>,
    actuators: Actuators,
    pid: Pid,
}

/// The output of the controller for one reading.
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
    /// The actions, without a subject: "would release 2 vGPUs".
    pub sentence: String,
}

impl Advisor {
    /// An advisor without history.
    #[must_use]
    pub fn new(controller: &Controller, table: &[Band], actuators: &Actuators) -> Self {
        Self {
            controller: controller.clone(),
            table: table.to_vec(),
            actuators: actuators.clone(),
            pid: Pid::default(),
        }
    }

    /// Takes one period's reading of PCIe occupancy and compute load, 0 … 1, and gives the actions that the
    /// controller would take. After an action the integral is reset if the controller resets it. A reading
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
        let actions = actions(&row, &self.actuators);
        if !actions.is_empty() && self.controller.reset_after_action {
            self.pid.reset_integral();
        }
        let sentence = if actions.is_empty() {
            "would change nothing".to_owned()
        } else {
            let or_and = match self.actuators.mode {
                ActuatorMode::Together => " and ",
                ActuatorMode::InOrder => ", or, if not possible, ",
            };
            format!("would {}", actions.join(or_and))
        };
        Some(Advice { error, change, gains, parts, output, row, sentence })
    }

    /// Sets the integral to zero, as after an action.
    pub(super) fn reset_integral(&mut self) {
        self.pid.reset_integral();
    }
}

/// The actions of a row by the actuators in use, in their order.
fn actions(row: &Band, actuators: &Actuators) -> Vec<String> {
    let action = |actuator: &Actuator| {
        let direction = |change: f64| if change > 0.0 { "raise" } else { "lower" };
        match actuator {
            Actuator::Vgpus if row.vgpus != 0.0 => {
                let verb = if row.vgpus > 0.0 { "request" } else { "release" };
                Some(format!("{verb} {}", counted(row.vgpus, "vGPU")))
            }
            Actuator::Frequency if row.frequency_mhz != 0.0 => {
                let (verb, megahertz) = (direction(row.frequency_mhz), row.frequency_mhz.abs());
                Some(format!("{verb} the frequency by {megahertz} MHz"))
            }
            Actuator::Precision if row.precision != 0.0 => {
                Some(format!("{} the precision by {}", direction(row.precision), counted(row.precision, "step")))
            }
            Actuator::Voltage if row.frequency_mhz != 0.0 => {
                let (verb, megahertz) = (direction(row.frequency_mhz), row.frequency_mhz.abs());
                Some(format!("{verb} the voltage by its step for {megahertz} MHz"))
            }
            Actuator::Concurrency if row.vgpus != 0.0 => {
                let (verb, tasks) = (direction(row.vgpus), counted(row.vgpus, "task"));
                Some(format!("{verb} the concurrency of each vGPU by {tasks}"))
            }
            Actuator::Vgpus | Actuator::Frequency | Actuator::Precision | Actuator::Voltage | Actuator::Concurrency => {
                None
            }
        }
    };
    actuators.order.iter().filter_map(action).collect()
}

fn counted(change: f64, what: &str) -> String {
    let count = change.abs();
    if count == 1.0 { format!("1 {what}") } else { format!("{count} {what}s") }
}

#[cfg(test)]
mod tests {
    use super::super::study::{Derivative, Form, Integration};
    use super::*;

    fn controller(form: Form, kp: f64, ki: f64, kd: f64) -> Controller {
        Controller {
            name: "test".into(),
            form,
            kp,
            ki,
            kd,
            integration: Integration::InDeadZone,
            reset_after_action: true,
            integral_limit: 0.9,
            derivative: Derivative::OnError,
            schedule: None,
            learned: None,
            fuzzy: None,
        }
    }

    fn all(mode: ActuatorMode) -> Actuators {
        Actuators { mode, order: vec![Actuator::Vgpus, Actuator::Frequency, Actuator::Precision] }
    }

    /// Row (0.3, 0.5] of the published table: −100 MHz for "frequency and voltage", −2 sub-units.
    #[test]
    fn voltage_and_concurrency_have_the_columns_of_frequency_and_vgpus() {
        let actuators =
            Actuators { mode: ActuatorMode::Together, order: vec![Actuator::Voltage, Actuator::Concurrency] };
        let mut advisor = Advisor::new(&controller(Form::P, 1.0, 0.0, 0.0), &table::published(), &actuators);
        assert_eq!(
            advisor.advise([0.9, 0.5]).unwrap().sentence,
            "would lower the voltage by its step for 100 MHz and lower the concurrency of each vGPU by 2 tasks"
        );
    }

    fn near(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-12, "{found} instead of {expected}");
    }

    #[test]
    fn advice_is_the_row_of_the_published_table() {
        let check = |reading: [f64; 2], expected: &str| {
            let controller = controller(Form::P, 1.0, 0.0, 0.0);
            let advice =
                Advisor::new(&controller, &table::published(), &all(ActuatorMode::Together)).advise(reading).unwrap();
            assert_eq!(advice.sentence, expected, "{reading:?}");
        };
        check([0.9, 0.5], "would release 2 vGPUs and lower the frequency by 100 MHz");
        check([0.5, 0.7], "would request 1 vGPU");
        check([0.75, 0.25], "would release 2 vGPUs and lower the frequency by 100 MHz");
        check([0.9, 0.3], "would release 3 vGPUs and lower the frequency by 200 MHz and raise the precision by 1 step");
        check(
            [0.1, 0.9],
            "would request 4 vGPUs and raise the frequency by 300 MHz and lower the precision by 2 steps",
        );
        check([0.55, 0.5], "would change nothing");
        check(
            [1.0, 0.0],
            "would release 4 vGPUs and lower the frequency by 300 MHz and raise the precision by 2 steps",
        );
    }

    #[test]
    fn actuators_that_act_in_order_are_alternatives_and_unused_ones_do_not_act() {
        let sentence = |actuators: &Actuators| {
            let controller = controller(Form::P, 1.0, 0.0, 0.0);
            Advisor::new(&controller, &table::published(), actuators).advise([0.9, 0.5]).unwrap().sentence
        };
        assert_eq!(
            sentence(&all(ActuatorMode::InOrder)),
            "would release 2 vGPUs, or, if not possible, lower the frequency by 100 MHz"
        );
        let precision_alone = Actuators { mode: ActuatorMode::Together, order: vec![Actuator::Precision] };
        assert_eq!(sentence(&precision_alone), "would change nothing");
    }

    #[test]
    fn the_parts_are_those_of_a_pid_worked_out_by_hand() {
        // Kp 0.5, Ki 0.25, Kd 0.125; errors 0.125, 0.125, 0.25.
        let mut advisor =
            Advisor::new(&controller(Form::PID, 0.5, 0.25, 0.125), &table::published(), &all(ActuatorMode::Together));
        let first = advisor.advise([0.5, 0.375]).unwrap();
        near(first.error, 0.125);
        near(first.change, 0.0);
        near(first.parts.proportional, 0.0625);
        near(first.parts.integral, 0.031_25);
        near(first.parts.derivative, 0.0);
        near(first.output, 0.093_75);
        assert_eq!(first.sentence, "would change nothing");
        // 0.0625 + 0.25 · (0.125 + 0.125) = 0.125 breaks the dead zone.
        let second = advisor.advise([0.5, 0.375]).unwrap();
        near(second.output, 0.125);
        assert_eq!(second.row.vgpus, -1.0);
        // The action resets the integral: 0.125 + 0.125 · 0.125 = 0.140625 lies outside the dead zone, so it
        // stays at nothing.
        let third = advisor.advise([0.5, 0.25]).unwrap();
        near(third.change, 0.125);
        near(third.parts.integral, 0.0);
        near(third.parts.derivative, 0.015_625);
        near(third.output, 0.140_625);
    }

    #[test]
    fn a_reading_that_is_no_number_gives_no_advice_and_changes_nothing() {
        let mut advisor =
            Advisor::new(&controller(Form::PI, 1.0, 0.5, 0.0), &table::published(), &Actuators::default());
        let before = advisor.clone();
        assert_eq!(advisor.advise([f64::NAN, 0.5]), None);
        assert_eq!(advisor.advise([0.5, f64::INFINITY]), None);
        assert_eq!(advisor, before);
        assert_eq!(
            Advisor::new(&controller(Form::P, 1.0, 0.0, 0.0), &[], &Actuators::default()).advise([1.0, 0.0]),
            None
        );
    }
}
