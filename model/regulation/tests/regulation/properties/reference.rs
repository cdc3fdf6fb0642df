//! The discrete controller against the `pid` crate (braincore/pid-rs), an independent one.
//!
//! Both compute P = Kp·(setpoint − measurement), add Ki·(setpoint − measurement) to an integral part that is limited,
//! and take D = −Kd·(measurement − measurement before). The setpoint is the PCIe occupancy, the measurement the
//! compute load. A form without a part is the other one's with a gain of zero.

use crossover_regulation::pid::{Gains, Pid};
use crossover_regulation::{Controller, Derivative, Form, Integration};
use proptest::prelude::*;

fn controller(form: Form, derivative: Derivative, integral_limit: f64) -> Controller {
    Controller {
        name: "any".to_owned(),
        form,
        kp: 0.0,
        ki: 0.0,
        kd: 0.0,
        integration: Integration::Always,
        reset_after_action: false,
        integral_limit,
        derivative,
        schedule: None,
        learned: None,
        fuzzy: None,
    }
}

fn close(found: f64, expected: f64) -> bool {
    (found - expected).abs() <= 1e-12 * (1.0 + expected.abs())
}

proptest! {
    #[test]
    fn every_form_gives_what_the_pid_crate_gives(
        form in prop::sample::select([Form::P, Form::PI, Form::PD, Form::PID].as_slice()),
        (kp, ki, kd) in (0.0..5.0f64, 0.0..5.0f64, 0.0..5.0f64),
        integral_limit in 0.0..3.0f64,
        setpoint in 0.0..=1.0f64,
        loads in prop::collection::vec(0.0..=1.0f64, 1..60),
    ) {
        let without_limit = 1e300;
        let mut expected = pid::Pid::new(setpoint, without_limit);
        expected.p(kp, without_limit);
        expected.i(if form.has_integral() { ki } else { 0.0 }, integral_limit);
        expected.d(if form.has_derivative() { kd } else { 0.0 }, without_limit);
        // A setpoint that stays makes the change of the error that of the measurement, with the other sign.
        let mut on_measurement = (Pid::default(), controller(form, Derivative::OnMeasurement, integral_limit));
        let mut on_error = (Pid::default(), controller(form, Derivative::OnError, integral_limit));
        for load in loads {
            let expected = expected.next_control_output(load);
            for (pid, controller) in [&mut on_measurement, &mut on_error] {
                let parts = pid.step(controller, Gains { kp, ki, kd }, [setpoint, load], [-0.1, 0.1], [-0.9, 0.9]);
                prop_assert!(close(parts.proportional, expected.p), "P {} and {}", parts.proportional, expected.p);
                prop_assert!(close(parts.integral, expected.i), "I {} and {}", parts.integral, expected.i);
                prop_assert!(close(parts.derivative, expected.d), "D {} and {}", parts.derivative, expected.d);
                prop_assert!(close(parts.output(), expected.output));
            }
        }
    }

    /// The other crate keeps Ki·e, as this one does, so that a schedule may change gains between two steps.
    #[test]
    fn gains_that_change_give_what_the_pid_crate_gives(
        setpoint in 0.0..=1.0f64,
        steps in prop::collection::vec((0.0..=1.0f64, 0.0..5.0f64, 0.0..5.0f64, 0.0..5.0f64), 1..60),
    ) {
        let without_limit = 1e300;
        let mut expected = pid::Pid::new(setpoint, without_limit);
        let controller = controller(Form::PID, Derivative::OnMeasurement, without_limit);
        let mut found = Pid::default();
        for (load, kp, ki, kd) in steps {
            expected.p(kp, without_limit).i(ki, without_limit).d(kd, without_limit);
            let expected = expected.next_control_output(load);
            let parts = found.step(&controller, Gains { kp, ki, kd }, [setpoint, load], [-0.1, 0.1], [-0.9, 0.9]);
            prop_assert!(close(parts.output(), expected.output), "{} and {}", parts.output(), expected.output);
        }
    }
}
