//! The regulator of real settings: the simulator's actions from the same readings, and what no reading can make it do.

use crossover_regulation::regulator::{Change, Limits, Regulator, Setting};
use crossover_regulation::{Actuator, ActuatorMode, Regulation, Simulation, Step, Strategy as Deciding};
use crossover_scenario::read;
use proptest::prelude::*;

fn published() -> Regulation {
    let scenario = read(include_str!("../../../../scenarios/regulation-published.ron")).expect("a valid scenario");
    scenario.regulation().expect("a regulation study").clone()
}

fn setting(changes: Actuator, [least, most]: [f64; 2], per_second: f64, value: f64) -> Setting {
    let is_whole = changes != Actuator::Frequency;
    Setting { changes, scale: 1.0, limits: Limits { least, most, per_second, is_whole }, value }
}

fn regulator(study: &Regulation, controller: &str, settings: &[Setting]) -> Regulator {
    let controller = study.controllers.iter().find(|known| known.name == controller).expect("a controller");
    Regulator::new(study, controller, &study.clusters[0], settings).expect("valid settings")
}

/// Steps and commits; the changes.
fn act(regulator: &mut Regulator, read: [f64; 2], seconds: f64) -> Vec<Change> {
    let changes = regulator.step(read, seconds).map_or_else(Vec::new, |decision| decision.changes);
    for change in &changes {
        regulator.commit(*change);
    }
    changes
}

fn values(regulator: &Regulator) -> Vec<f64> {
    regulator.settings().map(|setting| setting.value).collect()
}

/// Cluster I only releases, so that no pool limits it.
#[test]
fn from_the_readings_of_a_simulation_it_takes_the_actions_of_the_simulation() {
    let study = published();
    for controller in &study.controllers {
        let mut steps: Vec<Step> = Vec::new();
        Simulation::new(&study).run(Deciding::Controller(controller), |step| steps.push(*step));
        steps.retain(|step| step.cluster == 0);
        let vgpus = setting(Actuator::Vgpus, [10.0, 200.0], 1000.0, 100.0);
        let frequency = setting(Actuator::Frequency, [800.0, 1100.0], 1000.0, 1000.0);
        let mut regulator = regulator(&study, &controller.name, &[vgpus, frequency]);
        for step in &steps {
            assert_eq!(values(&regulator), [step.vgpus, step.frequency_ghz * 1000.0], "{step:?}");
            act(&mut regulator, [step.read_pcie, step.read_load], 1.0);
        }
        assert_eq!(values(&regulator)[0], if ["P", "PD"].contains(&&*controller.name) { 55.0 } else { 50.0 });
    }
}

/// e = 0.5 asks for −2 in each period; at 0.5 in a second only every second period allows 1.
#[test]
fn a_slow_setting_moves_by_one_as_soon_as_its_rate_allows() {
    let study = published();
    let mut regulator = regulator(&study, "P", &[setting(Actuator::Vgpus, [10.0, 200.0], 0.5, 100.0)]);
    let mut seen = Vec::new();
    for _ in 0..6 {
        act(&mut regulator, [1.0, 0.5], 1.0);
        seen.push(values(&regulator)[0]);
    }
    assert_eq!(seen, [100.0, 99.0, 99.0, 98.0, 98.0, 97.0]);
}

/// e = −0.4 asks for two vGPUs more and 100 MHz more.
#[test]
fn where_others_leave_nothing_of_a_pool_the_next_setting_acts() {
    let study = published();
    assert_eq!(study.actuators.mode, ActuatorMode::InOrder);
    let vgpus = setting(Actuator::Vgpus, [10.0, 200.0], 1000.0, 100.0);
    let frequency = setting(Actuator::Frequency, [800.0, 1100.0], 1000.0, 1000.0);
    let mut regulator = regulator(&study, "P", &[vgpus, frequency]);
    let mut after = |most: f64| {
        regulator.set_most(0, most);
        act(&mut regulator, [0.6, 1.0], 1.0);
        values(&regulator)
    };
    assert_eq!(after(100.0), [100.0, 1100.0]);
    assert_eq!(after(101.0), [101.0, 1100.0]);
    assert_eq!(after(200.0), [103.0, 1100.0]);
    assert_eq!(after(0.0), [10.0, 1100.0], "never below its own range");
}

/// e = 0.2 asks for one vGPU less, and for no other frequency.
#[test]
fn the_next_setting_acts_by_one_step_where_the_first_is_at_its_end_and_not_where_it_waits() {
    let study = published();
    assert_eq!(study.actuators.mode, ActuatorMode::InOrder);
    let frequency = setting(Actuator::Frequency, [800.0, 1100.0], 1000.0, 1000.0);
    let at_end = setting(Actuator::Vgpus, [100.0, 200.0], 1000.0, 100.0);
    let mut at_its_end = regulator(&study, "P", &[at_end, frequency]);
    act(&mut at_its_end, [0.7, 0.5], 1.0);
    assert_eq!(values(&at_its_end), [100.0, 900.0]);
    let slow = setting(Actuator::Vgpus, [10.0, 200.0], 0.5, 100.0);
    let mut waiting = regulator(&study, "P", &[slow, frequency]);
    act(&mut waiting, [0.7, 0.5], 1.0);
    assert_eq!(values(&waiting), [100.0, 1000.0]);
}

/// A power limit follows the column of the frequency: −100 MHz at e = 0.5, at 0.3 W for each MHz.
#[test]
fn the_scale_converts_a_column_into_the_unit_of_the_setting() {
    let study = published();
    let watts = Setting { scale: 0.3, ..setting(Actuator::Frequency, [200.0, 700.0], 1000.0, 400.0) };
    let mut regulator = regulator(&study, "P", &[watts]);
    act(&mut regulator, [1.0, 0.5], 1.0);
    assert_eq!(values(&regulator), [370.0]);
}

#[test]
fn a_decision_that_is_not_carried_out_changes_no_value() {
    let study = published();
    let mut regulator = regulator(&study, "P", &[setting(Actuator::Vgpus, [10.0, 200.0], 10.0, 100.0)]);
    for _ in 0..3 {
        let decision = regulator.step([1.0, 0.5], 1.0).expect("a reading");
        assert_eq!(decision.changes, [Change { setting: 0, from: 100.0, to: 98.0 }]);
    }
    assert_eq!(regulator.step([f64::NAN, 0.5], 1.0), None);
}

#[test]
fn what_cannot_be_regulated_is_refused_with_its_reason() {
    let study = published();
    let good = setting(Actuator::Vgpus, [1.0, 9.0], 1.0, 5.0);
    let cases = [
        (Setting { value: 10.0, ..good }, "it is 10, outside of its range 1 … 9"),
        (Setting { value: 1.5, ..good }, "whole numbers"),
        (Setting { scale: 0.0, ..good }, "its scale is 0"),
        (Setting { limits: Limits { per_second: 0.0, ..good.limits }, ..good }, "expected a number above 0"),
        (Setting { limits: Limits { least: 10.0, ..good.limits }, ..good }, "has no value"),
        (Setting { value: f64::NAN, ..good }, "not a finite number"),
        (Setting { changes: Actuator::Precision, ..good }, "none of the actuators of the scenario"),
    ];
    let (controller, cluster) = (&study.controllers[0], &study.clusters[0]);
    for (wrong, expected) in cases {
        let refused = Regulator::new(&study, controller, cluster, &[good, wrong]);
        let (index, problem) = refused.expect_err(expected);
        assert!(index == 1 && problem.contains(expected), "{index}: {problem}");
    }
    assert!(Regulator::new(&study, controller, cluster, &[]).is_err());
}

fn any_setting() -> impl Strategy<Value = Setting> {
    let actuator = prop::sample::select(vec![Actuator::Vgpus, Actuator::Frequency]);
    let numbers = (-50i32..50, 0i32..100, 0.0..1.0f64, 0.01..50.0f64, prop::bool::ANY, 0.01..5.0f64, prop::bool::ANY);
    (actuator, numbers).prop_map(|(changes, (least, width, at, per_second, is_whole, scale, is_negative))| {
        let [least, width] = [least, width].map(f64::from);
        let value = least + if is_whole { (width * at).round() } else { width * at };
        let scale = if is_negative { -scale } else { scale };
        Setting { changes, scale, limits: Limits { least, most: least + width, per_second, is_whole }, value }
    })
}

/// Readings that may be anything, and the times between them.
fn any_readings() -> impl Strategy<Value = Vec<([f64; 2], f64)>> {
    let share = prop_oneof![8 => 0.0..=1.0f64, 1 => prop::num::f64::ANY];
    prop::collection::vec(([share.clone(), share], 0.0..3.0f64), 1..60)
}

proptest! {
    /// From the start on, and in each step: at most one period's allowance, or a whole step.
    #[test]
    fn no_readings_lead_out_of_the_range_or_exceed_the_rate(
        settings in prop::collection::vec(any_setting(), 1..4),
        readings in any_readings(),
        controller in 0..4usize,
        together in prop::bool::ANY,
    ) {
        let mut study = published();
        if together {
            study.actuators.mode = ActuatorMode::Together;
        }
        let controller = &study.controllers[controller];
        let mut regulator = Regulator::new(&study, controller, &study.clusters[0], &settings).expect("valid");
        let mut elapsed = 0.0;
        let mut moved = vec![0.0; settings.len()];
        for (read, seconds) in readings {
            elapsed += seconds;
            let before = values(&regulator);
            let changes = act(&mut regulator, read, seconds);
            let after = values(&regulator);
            for (index, setting) in settings.iter().enumerate() {
                let Limits { least, most, per_second, is_whole } = setting.limits;
                let (from, to) = (before[index], after[index]);
                prop_assert!(least <= to && to <= most, "{to} is outside of {least} … {most}");
                prop_assert!(!is_whole || to.fract() == 0.0, "{to} is not whole");
                let change = (to - from).abs();
                let largest = (per_second * study.run.period_seconds).max(if is_whole { 1.0 } else { 0.0 });
                prop_assert!(change <= largest * (1.0 + 1e-9), "{change} in a step, at {per_second} in a second");
                moved[index] += change;
                let allowed = per_second * elapsed;
                prop_assert!(moved[index] <= allowed * (1.0 + 1e-9) + 1e-9, "{} in {elapsed} s", moved[index]);
            }
            for change in changes {
                prop_assert!(change.from == before[change.setting] && change.to == after[change.setting]);
            }
        }
    }

    #[test]
    fn the_same_readings_give_the_same_values(
        settings in prop::collection::vec(any_setting(), 1..4),
        readings in any_readings(),
    ) {
        let study = published();
        let run = || {
            let mut regulator =
                Regulator::new(&study, &study.controllers[3], &study.clusters[0], &settings).expect("valid");
            readings.iter().map(|(read, seconds)| act(&mut regulator, *read, *seconds)).collect::<Vec<_>>()
        };
        prop_assert_eq!(run(), run());
    }

    /// The dead zone of the published table is ±0.1, and P has u = e.
    #[test]
    fn in_the_dead_zone_nothing_changes(load in 0.1..0.9f64, error in -0.1..0.1f64) {
        let study = published();
        let settings = [setting(Actuator::Vgpus, [10.0, 200.0], 100.0, 100.0)];
        prop_assert!(act(&mut regulator(&study, "P", &settings), [load + error, load], 1.0).is_empty());
    }
}
