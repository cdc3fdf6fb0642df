//! The loop by hand: late and noisy readings, delayed moves, backlogs, actuators, and what is warned of.

use crossover_regulation::figures::figures;
use crossover_regulation::{
    Actuator, ActuatorMode, Derivative, Form, Integration, Regulation, Shape, Simulation, Step, Strategy, evaluate,
};
use crossover_scenario::read;

fn published() -> Regulation {
    let scenario = read(include_str!("../../../../scenarios/regulation-published.ron")).expect("a valid scenario");
    scenario.regulation().expect("a regulation study").clone()
}

/// The steps of one cluster with one controller.
fn steps(study: &Regulation, controller: usize, cluster: usize) -> Vec<Step> {
    let simulation = Simulation::new(study);
    let mut steps = Vec::new();
    simulation.run(Strategy::Controller(&study.controllers[controller]), |step| steps.push(*step));
    steps.into_iter().filter(|step| step.cluster == cluster).collect()
}

fn vgpus(steps: &[Step], count: usize) -> Vec<f64> {
    steps.iter().take(count).map(|step| step.vgpus).collect()
}

/// e = 0.5 asks −2; 98 vGPUs have 1 − 5,000/9,800 = 0.49, still −2; the rows below 0.3 begin at 71 vGPUs.
#[test]
fn what_is_decided_in_a_period_is_seen_in_the_next() {
    let steps = steps(&published(), 0, 0);
    assert_eq!(vgpus(&steps, 4), [100.0, 98.0, 96.0, 94.0]);
    assert_eq!((steps[0].action.vgpus, steps[0].pool), (-2.0, 0.0), "II takes what I gives back in the same period");
}

/// A delay of two periods on both ways: what I gives back in period 0 reaches the pool in period 3, is given out then,
/// and works in II from period 6 on.
#[test]
fn a_delayed_move_is_in_transit_for_its_delay() {
    let mut study = published();
    study.manager.delay_periods = 2.0;
    study.actuators.order = vec![Actuator::Vgpus];
    assert_eq!(vgpus(&steps(&study, 0, 0), 3), [100.0, 98.0, 96.0]);
    let second = steps(&study, 0, 1);
    assert_eq!(vgpus(&second, 8), [100.0, 100.0, 100.0, 100.0, 100.0, 100.0, 102.0, 104.0]);
    assert_eq!([second[2].action.vgpus, second[3].action.vgpus], [0.0, 2.0]);
    assert_eq!([second[2].pool, second[6].pool], [6.0, 12.0], "in transit in both directions");
}

/// Readings three periods old: the demand of I falls to 0 at 10 s, the controller learns it at 13 s.
#[test]
fn a_late_reading_is_that_of_so_many_periods_before() {
    let mut study = published();
    study.measurement.delay_periods = 3.0;
    let demand = &mut study.clusters[0].demand;
    (demand.shape, demand.low_tops, demand.high_tops, demand.start_seconds) = (Shape::Step, 5000.0, 0.0, 10.0);
    let steps = steps(&study, 0, 0);
    assert!(steps[9].pcie > 0.0 && steps[10].pcie == 0.0);
    assert!(steps[12].read_pcie > 0.0 && steps[13].read_pcie == 0.0);
    assert_eq!([steps[0].read_pcie, steps[2].read_pcie], [steps[0].pcie; 2], "before that the first one is read");
    assert_eq!(steps[8].read_load, steps[5].load);
}

/// The same seed gives the same noise, another one another; its mean and deviation are what the study says.
#[test]
fn noise_has_its_deviation_and_follows_its_seed() {
    let mut study = published();
    (study.measurement.noise_share, study.run.periods) = (0.05, 20_000.0);
    // Far from both ends of 0 … 1, where readings are cut.
    study.clusters[1].demand.high_tops = 5000.0;
    let readings = |study: &Regulation| -> Vec<f64> {
        let mut steps = Vec::new();
        Simulation::new(study).run(Strategy::NoControl, |step| steps.push(*step));
        steps.iter().filter(|step| step.cluster == 1).map(|step| step.read_load - step.load).collect()
    };
    let noise = readings(&study);
    let mean = noise.iter().sum::<f64>() / noise.len() as f64;
    let deviation = (noise.iter().map(|value| value * value).sum::<f64>() / noise.len() as f64).sqrt();
    // Four standard errors of 20,000 values: 0.05/√20,000 and 0.05/√40,000.
    assert!(mean.abs() < 4.0 * 0.000_354 && (deviation - 0.05).abs() < 4.0 * 0.000_25, "{mean}, {deviation}");
    assert_eq!(noise, readings(&study));
    let mut other = study.clone();
    other.run.seed = 2.0;
    assert_ne!(noise, readings(&other));
}

#[test]
fn the_noise_of_a_cluster_stays_whatever_other_clusters_come_go_or_change_places() {
    let mut study = published();
    study.measurement.noise_share = 0.05;
    let of_second = |study: &Regulation| -> Vec<f64> {
        let index = study.clusters.iter().position(|cluster| cluster.name == "II").expect("there is one");
        let mut noise = Vec::new();
        Simulation::new(study).run(Strategy::NoControl, |step| {
            if step.cluster == index {
                noise.push(step.read_load - step.load);
            }
        });
        noise
    };
    let before = of_second(&study);
    assert!(before.iter().any(|noise| *noise != 0.0));
    let mut changed = study.clone();
    changed.add_cluster(study.clusters[0].clone());
    assert_eq!(of_second(&changed), before);
    changed.clusters.swap(0, 1);
    assert_eq!(of_second(&changed), before);
    changed.remove_cluster(1);
    assert_eq!(of_second(&changed), before);
}

/// 20,000 TOPS arrive for 5 s and 10,000 are served: 50,000 wait, 40,000 may; then 5,000 arrive and the rest is served
/// in 8 s at 10,000.
#[test]
fn a_backlog_grows_to_its_limit_and_is_worked_off() {
    let mut study = published();
    study.clusters[1].backlog_limit = 40_000.0;
    let demand = &mut study.clusters[1].demand;
    (demand.shape, demand.low_tops, demand.high_tops, demand.start_seconds) = (Shape::Step, 20_000.0, 5000.0, 5.0);
    let simulation = Simulation::new(&study);
    let mut backlogs = Vec::new();
    let figures = figures(&simulation, Strategy::NoControl, |step| {
        if step.cluster == 1 {
            backlogs.push(step.backlog);
        }
    });
    let expected =
        [10_000.0, 20_000.0, 30_000.0, 40_000.0, 40_000.0, 35_000.0, 30_000.0, 25_000.0, 20_000.0, 15_000.0, 10_000.0];
    assert_eq!(backlogs[..11], expected);
    assert_eq!(backlogs[11..14], [5000.0, 0.0, 0.0]);
    assert_eq!(figures.state.clusters[1].rejected, 10_000.0);
}

/// Together: u = 0.5 of I means −2 vGPUs and −100 MHz at once, u = −0.5 of II +2 and +100 MHz.
#[test]
fn actuators_together_act_in_the_same_period() {
    let mut study = published();
    study.actuators.mode = ActuatorMode::Together;
    let first = |cluster: usize| steps(&study, 0, cluster)[0].action;
    assert_eq!((first(0).vgpus, first(0).frequency_mhz, first(0).precision), (-2.0, -100.0, 0.0));
    assert_eq!((first(1).vgpus, first(1).frequency_mhz, first(1).precision), (2.0, 100.0, 0.0));
}

/// II may go down to int4: with precision alone it gets twice the compute, 20,000 TOPS, and is balanced.
#[test]
fn precision_alone_balances_a_cluster_that_may_go_down() {
    let mut study = published();
    study.actuators.order = vec![Actuator::Precision];
    "int4".clone_into(&mut study.clusters[1].lowest_precision);
    study.controllers[0].kp = 1.2; // u = −0.6: one precision level down
    let steps = steps(&study, 0, 1);
    assert_eq!([steps[0].precision, steps[1].precision], [1, 0]);
    assert_eq!((steps[1].tops, steps[1].error), (20_000.0, 0.0));
    assert!(steps[1..].iter().all(|step| !step.action.is_any()));
}

/// Saturated from the first period, the integral waits: Ki·e would drive u further. An error of the other sign brings
/// it back at once.
#[test]
fn a_saturated_integral_goes_back_but_not_further() {
    use crossover_regulation::pid::{Gains, Pid};
    let mut controller = published().controllers[3].clone();
    (controller.integration, controller.integral_limit) = (Integration::UnlessSaturated, 5.0);
    let gains = Gains { kp: 1.0, ki: 0.6, kd: 0.0 };
    let mut pid = Pid::default();
    let mut step = |reading| pid.step(&controller, gains, reading, [-0.1, 0.1], [-0.9, 0.9]).integral;
    let [first, second, third, fourth, fifth] =
        [[0.5, 0.0], [0.5, 0.0], [0.5, 0.0], [0.5, 0.0], [0.4, 0.5]].map(&mut step);
    // 0.3, then u = 0.8 inside: 0.6; then u = 1.1 outside, twice the same.
    assert_eq!([first, second, third, fourth], [0.3, 0.6, 0.6, 0.6]);
    assert!((fifth - 0.54).abs() < 1e-12, "{fifth}");
}

fn warnings(study: &Regulation) -> String {
    evaluate(study).every_warning().join("\n")
}

/// II has 20,000 TOPS to serve: 10,000 of them in 600 periods without control.
#[test]
fn the_published_example_warns_of_rejected_work_and_of_a_remaining_error() {
    let text = warnings(&published());
    assert!(text.contains("II rejects 18.59 % of its work with PID, 50 % without control."), "{text}");
    assert!(text.contains("II: control error −17.5 % at the end (compute-bound)"), "{text}");
    assert_eq!(text.lines().count(), 2, "{text}");
}

/// Kp = 1 and Kd = 0.5: √2·0.02·√(1.5² + 0.5²) = 0.0447 of the error, and 0.02·√(1² + 1.5² + 0.5²) = 0.0374 where the
/// derivative leaves the transfer out.
#[test]
fn noise_that_leaves_the_dead_zone_is_named_with_its_size() {
    let mut study = published();
    study.measurement.noise_share = 0.02;
    let is_said = |study: &Regulation, deviation: &str| {
        let sentence = format!("PD: noise alone moves the output by {deviation} (standard deviation)");
        assert!(warnings(study).contains(&sentence), "{}", warnings(study));
    };
    is_said(&study, "0.04472");
    study.controllers[1].derivative = Derivative::OnMeasurement;
    is_said(&study, "0.03742");
    // Three deviations of 0.0299 stay inside ±0.1, those of 0.0358 do not.
    study.measurement.noise_share = 0.016;
    assert!(!warnings(&study).contains("PD: noise"), "{}", warnings(&study));
    study.controllers[1].derivative = Derivative::OnError;
    assert!(warnings(&study).contains("PD: noise"), "{}", warnings(&study));
}

#[test]
fn gains_that_have_no_effect_actions_that_go_on_and_an_idle_pool_are_named() {
    let mut study = published();
    study.controllers[0].ki = 0.3;
    assert!(warnings(&study).contains("P is a P controller, where Ki = 0.3 has no effect."), "{}", warnings(&study));
    study.run.periods = 50.0;
    study.run.average_periods = 50.0;
    let text = warnings(&study);
    assert!(text.contains("in the averaging window (last 50 periods)"), "{text}");
    // Nobody may take what I gives back.
    let mut study = published();
    study.clusters[1].max_vgpus = 100.0;
    let text = warnings(&study);
    assert!(text.contains("50 vGPUs belong to no cluster at the end of the run"), "{text}");
    // A controller that takes away more than it gives.
    let mut study = published();
    for cluster in &mut study.clusters {
        cluster.max_vgpus = 100.0;
        cluster.max_ghz = 1.0;
    }
    (study.controllers[3].kp, study.controllers[3].form) = (30.0, Form::P);
    study.clusters[0].min_vgpus = 0.0;
    let text = warnings(&study);
    assert!(text.contains("PID lowers the throughput from 15,000 TOPS to"), "{text}");
}
