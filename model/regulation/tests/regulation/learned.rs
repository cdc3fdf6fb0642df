//! A table of gains that is learned by simulation, against the schedule that it starts from.

use crossover_regulation::gain_table::GainTable;
use crossover_regulation::tuning::learn::{Learned, learn};
use crossover_regulation::{Controller, Regulation, Schedule, Simulation, Step, Strategy};
use crossover_scenario::read;
use crossover_study::{Watch, validate};

fn published() -> Regulation {
    let scenario = read(include_str!("../../../../scenarios/regulation-published.ron")).expect("a valid scenario");
    scenario.regulation().expect("a regulation study").clone()
}

/// The PID controller of the example with the schedule of an expert.
fn scheduled(study: &Regulation) -> Controller {
    let pid = study.controllers.iter().find(|controller| controller.name == "PID").expect("the example has one");
    Controller { schedule: Some(Schedule::expert()), ..pid.clone() }
}

fn learned(study: &Regulation, controller: &Controller, seed: u64) -> Learned {
    Watch::uncancellable(|watch| learn(study, controller, seed, watch)).expect("not cancelled")
}

fn steps(study: &Regulation, controller: &Controller) -> Vec<Step> {
    let mut steps = Vec::new();
    Simulation::new(study).run(Strategy::Controller(controller), |step| steps.push(*step));
    steps
}

/// So that learning starts where the schedule is.
#[test]
fn a_table_of_the_gains_of_a_schedule_acts_like_the_schedule() {
    let mut study = published();
    study.measurement.noise_share = 0.03;
    let controller = scheduled(&study);
    let table = Controller { schedule: None, learned: Some(GainTable::of(&controller, 1)), ..controller.clone() };
    assert_eq!(steps(&study, &table), steps(&study, &controller));
}

/// The mean integral of absolute error over 16 disturbances that no choice has seen, relative to that of the schedule.
#[test]
fn a_learned_table_is_not_worse_than_the_schedule_on_disturbances_that_it_has_not_seen() {
    let study = published();
    let controller = scheduled(&study);
    for seed in [1, 2, 3] {
        let found = learned(&study, &controller, seed);
        assert!(found.held_out <= 1.0 && found.training < 1.0, "seed {seed}: {found:?}");
    }
}

#[test]
fn the_same_seed_learns_the_same_table_which_a_scenario_keeps() {
    let study = published();
    let controller = scheduled(&study);
    let found = learned(&study, &controller, 7);
    assert_eq!(found, learned(&study, &controller, 7));
    assert_ne!(found.controller, learned(&study, &controller, 8).controller);
    let table = found.controller.learned.expect("a table");
    let mut scenario = read(include_str!("../../../../scenarios/regulation-published.ron")).expect("a valid scenario");
    assert!(scenario.study.regulation_mut().expect("a regulation study").set_learned(3, Some(table.clone())));
    let again = read(&scenario.to_ron()).expect("a valid scenario");
    let kept = again.regulation().expect("a regulation study");
    assert_eq!(kept.controllers[3].learned.as_ref(), Some(&table));
    assert_eq!(validate(kept), Ok(()));
    let mut broken = kept.clone();
    broken.controllers[3].learned = Some(GainTable { gains: Vec::new(), ..table });
    assert_eq!(validate(&broken).expect_err("no cells").path, "controllers.PID.learned");
}
