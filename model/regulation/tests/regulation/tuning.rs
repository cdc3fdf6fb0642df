//! Tuning of the regulation loop: relay experiment, search and stability map, on the published example and around it.

use std::f64::consts::{PI, SQRT_2};
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use crossover_regulation::figures::figures;
use crossover_regulation::outcome::{all_periods, evaluate, evaluate_watched};
use crossover_regulation::stability::{Axes, Behaviour, Cell, Map, map};
use crossover_regulation::tuning::relay::{NoOscillation, Oscillation, default_output, experiment, experiment_watched};
use crossover_regulation::tuning::search::{SearchResult, Verdict, search};
use crossover_regulation::tuning::with_gains;
use crossover_regulation::{
    Band, Controller, Form, Fuzzy, Regulation, Schedule, Shape, Simulation, Strategy as Run, pid::Gains,
};
use crossover_scenario::read;
use crossover_study::Watch;
use proptest::prelude::{Just, Strategy, prop_assert, prop_assert_eq, prop_oneof, proptest};
use proptest::test_runner::Config;

fn published() -> Regulation {
    let scenario = read(include_str!("../../../../scenarios/regulation-published.ron")).expect("a valid scenario");
    scenario.regulation().expect("a regulation study").clone()
}

fn controller(study: &Regulation, name: &str) -> Controller {
    study.controllers.iter().find(|controller| controller.name == name).expect("the example has it").clone()
}

fn oscillation(study: &Regulation, output: f64) -> Result<Oscillation, NoOscillation> {
    experiment(&Simulation::new(study), Some(0), Some(output)).oscillation
}

fn assert_near(found: f64, expected: f64, what: &str) {
    assert!((found - expected).abs() <= 1e-6 * expected.abs(), "{what}: {found} instead of {expected}");
}

fn search_calmly(study: &Regulation, controller: &Controller, most_overshoot: f64) -> SearchResult {
    let watch = Watch { is_cancelled: &|| false, done: &AtomicUsize::new(0) };
    search(&Simulation::new(study), controller, most_overshoot, watch).expect("not cancelled")
}

fn map_calmly(study: &Regulation, controller: &Controller, axes: Axes) -> Map {
    let watch = Watch { is_cancelled: &|| false, done: &AtomicUsize::new(0) };
    map(&Simulation::new(study), controller, axes, watch).expect("not cancelled")
}

#[test]
fn a_relay_swings_cluster_i_around_fifty_vgpus_as_by_hand() {
    // With n ≥ 50 vGPUs e = 1 − 50/n, below e = n/50 − 1. ±0.2 moves one vGPU. The relay sees 49, 50, 51, 50, …: it
    // switches at 49 and 51, and 50 is zero, where it does not. Four periods, e from −0.02 to 1/51.
    let found = oscillation(&published(), 0.2).expect("it swings");
    let amplitude = 0.5 * (0.02 + 1.0 / 51.0);
    let ultimate = 0.8 / (PI * amplitude);
    assert_near(found.amplitude, amplitude, "a");
    assert_near(found.period_seconds, 4.0, "Tu");
    assert_near(found.ultimate_gain, ultimate, "Ku");
    // Ti = Tu/1.2 or Tu/2, Td = Tu/8, all in periods.
    let [p, pi, pid] = [Form::P, Form::PI, Form::PID].map(|form| found.gains(form).expect("a rule"));
    assert_eq!((p.ki, p.kd, pi.kd), (0.0, 0.0, 0.0));
    for (found, expected, what) in [
        (p.kp, 0.5 * ultimate, "Kp of P"),
        (pi.kp, 0.45 * ultimate, "Kp of PI"),
        (pi.ki, 0.45 * ultimate * 1.2 / 4.0, "Ki of PI"),
        (pid.kp, 0.6 * ultimate, "Kp of PID"),
        (pid.ki, 0.6 * ultimate * 2.0 / 4.0, "Ki of PID"),
        (pid.kd, 0.6 * ultimate * 4.0 / 8.0, "Kd of PID"),
    ] {
        assert_near(found, expected, what);
    }
    assert_eq!(found.gains(Form::PD), None);
}

#[test]
fn a_longer_sampling_period_stretches_the_cycle_and_leaves_the_gains_per_period() {
    let mut study = published();
    let before = oscillation(&study, 0.2).expect("it swings");
    study.run.period_seconds = 2.5;
    let after = oscillation(&study, 0.2).expect("it swings");
    assert_near(after.period_seconds, 10.0, "Tu");
    assert_eq!(after.gains, before.gains);
}

#[test]
fn late_readings_make_the_cycle_longer_and_wider_as_by_hand() {
    // One period late the relay lets n go on: 48, 49, 50, 51, 52, 51, 50, 49: eight periods, e from −0.04 to 2/52.
    let mut study = published();
    study.measurement.delay_periods = 1.0;
    let found = oscillation(&study, 0.2).expect("it swings");
    assert_near(found.period_seconds, 8.0, "Tu");
    assert_near(found.amplitude, 0.5 * (0.04 + 2.0 / 52.0), "a");
}

#[test]
fn a_larger_output_of_the_relay_takes_a_larger_row_of_the_table() {
    // ±0.4 moves two vGPUs: 48, 50, 52, 50.
    let found = oscillation(&published(), 0.4).expect("it swings");
    let amplitude = 0.5 * (0.04 + 2.0 / 52.0);
    assert_near(found.amplitude, amplitude, "a");
    assert_near(found.ultimate_gain, 1.6 / (PI * amplitude), "Ku");
}

#[test]
fn the_relay_takes_the_most_unbalanced_cluster_and_the_row_next_to_the_dead_zone() {
    let mut study = published();
    assert_near(default_output(&study.table), 0.2, "d");
    let simulation = Simulation::new(&study);
    // Both are at |e| = 0.5; the first of them.
    assert_eq!(experiment(&simulation, None, None).relay.cluster, 0);
    // e of I is 1 − 50/90, less than 0.5.
    study.clusters[0].vgpus = 90.0;
    assert_eq!(experiment(&Simulation::new(&study), None, None).relay.cluster, 1);
}

#[test]
fn every_period_of_the_experiment_is_recorded_and_the_other_cluster_stays() {
    let study = published();
    let found = experiment(&Simulation::new(&study), Some(0), None);
    assert_eq!(found.steps.len(), 600);
    assert!(found.steps.iter().all(|step| step.cluster == 0 && step.output.abs() == found.relay.output));
    // The pool has all that I gave back: no other cluster took it.
    assert!(found.steps.iter().all(|step| (step.vgpus + step.action.vgpus + step.pool - 100.0).abs() < 1e-9));
}

#[test]
fn without_a_swing_the_reason_is_said() {
    let reason = |study: &Regulation, cluster: usize, output: f64| {
        let found = experiment(&Simulation::new(study), Some(cluster), Some(output));
        found.oscillation.expect_err("no swing").to_string()
    };
    let study = published();
    // II has too little compute. The pool is empty, so it is overclocked once, to its limit.
    assert_eq!(
        reason(&study, 1, 0.2),
        "the error of “II” stays negative. From period 1 on all its actuators are blocked (100 vGPUs, 1.1 GHz): cluster \
         limit, empty pool or disabled actuator"
    );
    for output in [0.1, 0.0, -0.2, f64::NAN] {
        let expected = format!(
            "a relay output of ±{output} lies in the dead zone and causes no action; expected an output above 0.1"
        );
        assert_eq!(reason(&study, 0, output), expected);
    }
    assert_eq!(reason(&study, 2, 0.2), "there is no cluster number 3; the study has 2");
    let change = |change: &dyn Fn(&mut Regulation)| {
        let mut study = study.clone();
        change(&mut study);
        reason(&study, 0, 0.2)
    };
    assert_eq!(
        change(&|study| study.clusters[0].demand.shape = Shape::Day),
        "demand changes until the end of the run; the experiment needs demand that is constant at the end"
    );
    assert_eq!(
        change(&|study| study.clusters[0].demand.high_tops = 0.0),
        "the error of “I” is 0 in every period: the cluster has no work, or no action changes its error"
    );
    // From 100 to 49 vGPUs it takes 51 periods; cycles of 4 begin at 49, 53, … .
    assert_eq!(
        change(&|study| {
            study.run.periods = 60.0;
            study.run.average_periods = 10.0;
        }),
        "only 1 of 3 required oscillation cycles of “I” fit into the run; raise the number of periods"
    );
    // At 60 vGPUs and 1.0 GHz e is still above zero; next it is underclocked, to 0.8 GHz, where it stays above zero.
    assert!(change(&|study| study.clusters[0].min_vgpus = 70.0).contains("stays positive. From period 32 on"));
}

#[test]
fn noise_widens_the_hysteresis() {
    let mut study = published();
    study.measurement.noise_share = 0.01;
    let found = experiment(&Simulation::new(&study), Some(0), None);
    assert_near(found.relay.hysteresis, 0.03 * SQRT_2, "h");
    let swing = found.oscillation.expect("it swings");
    assert!(swing.amplitude > found.relay.hysteresis);
}

#[test]
fn the_expert_start_values_bring_the_published_example_to_its_end() {
    let study = published();
    let simulation = Simulation::new(&study);
    for fuzzy in [None, Some(Fuzzy::expert())] {
        let controller = Controller { schedule: Some(Schedule::expert()), fuzzy, ..controller(&study, "PID") };
        let found = figures(&simulation, Run::Controller(&controller), |_| ());
        assert_eq!((found.state.clusters[0].vgpus, found.state.clusters[1].vgpus), (50.0, 150.0));
        assert!((found.state.tops - 21_500.0).abs() < 1e-6, "{}", found.state.tops);
    }
}

#[test]
fn a_search_finds_gains_that_settle_sooner_and_leave_no_more_error() {
    let study = published();
    for name in ["P", "PD", "PI", "PID"] {
        let present = controller(&study, name);
        let SearchResult { present, best, verdict, runs } = search_calmly(&study, &present, 0.1);
        assert_eq!(verdict, Verdict::Better, "{name}");
        assert!(runs > 40, "{name}: {runs}");
        assert!(best.overshoot <= 0.1 && best.steady_state_error <= present.steady_state_error, "{name}: {best:?}");
        // P and PD stop at 55/145, where I has an error of 1/11 left; PI and PID leave only what the limits of II do.
        let expected = if name.starts_with("PI") { 0.0 } else { 1.0 / 11.0 };
        assert!((present.remaining_error - expected).abs() < 1e-9, "{name}: {present:?}");
        assert!(best.remaining_error <= 0.02, "{name}: {best:?}");
        assert!(best.settling_periods < present.settling_periods, "{name}: {best:?}");
    }
}

/// By hand: with Kp = 1 P stops at |e| = 1/11 after 31 periods, and the present gains of the second search do nothing, so
/// that |e| stays 0.5 in both clusters for 600 s.
#[test]
fn a_search_says_which_figures_are_better() {
    let study = published();
    let present = controller(&study, "P");
    let sentence = search_calmly(&study, &present, 0.1).sentence();
    assert!(sentence.starts_with("These gains are better: they settle after "), "{sentence}");
    assert!(sentence.contains(" periods instead of 31; the remaining error is "), "{sentence}");
    assert!(sentence.contains(" instead of 9.091 %; the steady-state error is "), "{sentence}");
    let found = search_calmly(&study, &Controller { kp: 0.0, ..present }, 0.1);
    let sentence = found.sentence();
    assert!(!sentence.contains("settle after"), "doing nothing settles at once: {sentence}");
    assert!(sentence.ends_with(" instead of 600 s."), "{sentence}");
    let again = search_calmly(&study, &found.best.controller, 0.1);
    assert_eq!(again.sentence(), "No tested gains are better than the current gains.");
}

#[test]
fn doing_nothing_settles_at_once_and_is_no_solution() {
    let study = published();
    let present = Controller { kp: 0.0, ..controller(&study, "P") };
    let found = search_calmly(&study, &present, 0.1);
    assert_eq!(found.present.settling_periods, Some(0));
    assert_eq!(found.verdict, Verdict::Better);
    assert_eq!(found.present.remaining_error, 0.5);
    assert!(found.best.remaining_error <= 0.02, "{:?}", found.best);
}

#[test]
fn a_search_changes_only_the_gains_of_the_form() {
    let study = published();
    let present = Controller { ki: 0.7, kd: 0.9, ..controller(&study, "P") };
    let best = search_calmly(&study, &present, 0.1).best.controller;
    assert_eq!(best, Controller { kp: best.kp, ..present });
}

#[test]
fn a_search_says_when_nothing_can_settle() {
    let mut study = published();
    study.clusters[0].demand.shape = Shape::Day;
    let present = controller(&study, "PID");
    let found = search_calmly(&study, &present, 0.1);
    assert_eq!((found.verdict, found.runs, &found.best.controller), (Verdict::DemandKeepsChanging, 1, &present));
    // A hundred times as many vGPUs: at most four of 5,000 move in a period, so whatever helps is not done in time.
    let mut study = published();
    for cluster in &mut study.clusters {
        (cluster.vgpus, cluster.max_vgpus, cluster.tops_per_vgpu) = (10_000.0, 20_000.0, 1.0);
    }
    let found = search_calmly(&study, &present, 0.1);
    assert_eq!((found.verdict, &found.best.controller), (Verdict::NothingSettles, &present));
}

/// Releasing takes 30 vGPUs at a time, and fetching one. From 100 the way to 50 leads over 70 (e = 2/7) and 40
/// (e = −1/5), which is 40 % of the first error, 1/2, beyond zero; then one by one back. Who stops at 70, or stays at 40,
/// is far from the least error, 0.
#[test]
fn a_search_says_when_all_overshoot() {
    let mut study = published();
    study.clusters.truncate(1);
    let row = |from, to, vgpus| Band { from, to, precision: 0.0, frequency_mhz: 0.0, vgpus };
    study.table = vec![row(-0.9, -0.1, 1.0), row(-0.1, 0.1, 0.0), row(0.1, 0.9, -30.0)];
    for name in ["P", "PI"] {
        let present = controller(&study, name);
        let found = search_calmly(&study, &present, 0.39);
        assert_eq!((found.verdict, &found.best), (Verdict::AllOvershoot, &found.present), "{name}");
        let found = search_calmly(&study, &present, 0.41);
        assert!(matches!(found.verdict, Verdict::Better | Verdict::PresentIsBest), "{name}: {:?}", found.verdict);
        assert!((found.best.overshoot - 0.4).abs() < 1e-9, "{name}: {:?}", found.best);
    }
}

#[test]
fn many_runs_can_be_called_off_and_are_counted() {
    let study = published();
    let (present, simulation) = (controller(&study, "PID"), Simulation::new(&study));
    let axes = Axes { cells: 8, ..Axes::around(&present) };
    let done = AtomicUsize::new(0);
    let watch = Watch { is_cancelled: &|| false, done: &done };
    assert!(map(&simulation, &present, axes, watch).is_some());
    assert_eq!(done.swap(0, Relaxed), 64);
    let found = search(&simulation, &present, 0.1, watch).expect("not cancelled");
    assert_eq!(done.swap(0, Relaxed), found.runs);
    let enough = || done.load(Relaxed) >= 10;
    let watch = Watch { is_cancelled: &enough, done: &done };
    assert_eq!(map(&simulation, &present, axes, watch), None);
    assert_eq!(search(&simulation, &present, 0.1, watch), None);
    // Each thread may have had one run under way.
    assert!(done.load(Relaxed) < 10 + rayon::current_num_threads());
}

#[test]
fn an_evaluation_and_an_experiment_can_be_called_off_on_their_way_and_count_their_periods() {
    let mut study = published();
    study.run.periods = 5000.0; // 10,000 steps of two clusters in each run
    let (simulation, done) = (Simulation::new(&study), AtomicUsize::new(0));
    let watch = Watch { is_cancelled: &|| false, done: &done };
    assert_eq!(evaluate_watched(&study, watch), Some(evaluate(&study)));
    // Three baselines and four controllers.
    assert_eq!((done.swap(0, Relaxed), all_periods(&study)), (35_000, 35_000));
    assert_eq!(experiment_watched(&simulation, None, None, watch), Some(experiment(&simulation, None, None)));
    assert_eq!(done.swap(0, Relaxed), 5000);
    // Called off in the second run of the evaluation, and within the experiment: a few thousand steps later it ends.
    let is_late = |periods: usize| done.load(Relaxed) >= periods;
    assert_eq!(evaluate_watched(&study, Watch { is_cancelled: &|| is_late(6000), done: &done }), None);
    assert!((6000..8000).contains(&done.swap(0, Relaxed)));
    let watch = Watch { is_cancelled: &|| is_late(2000), done: &done };
    assert_eq!(experiment_watched(&simulation, None, None, watch), None);
    assert!((2000..4000).contains(&done.load(Relaxed)));
}

#[test]
fn any_number_of_threads_gives_the_same_map_and_the_same_search() {
    let mut study = published();
    study.measurement.noise_share = 0.005;
    let present = controller(&study, "PID");
    let axes = Axes { cells: 12, ..Axes::around(&present) };
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| (map_calmly(&study, &present, axes), search_calmly(&study, &present, 0.5)))
    };
    assert_eq!(with(1), with(3));
}

#[test]
fn axes_end_at_a_round_gain_and_hold_the_present_ones() {
    let axes = |kp: f64, ki: f64| {
        let axes = Axes::around(&Controller { kp, ki, ..controller(&published(), "PID") });
        (axes.kp, axes.ki)
    };
    assert_eq!(axes(1.0, 0.3), ([0.0, 2.0], [0.0, 1.0]));
    assert_eq!(axes(2.6, 0.25), ([0.0, 10.0], [0.0, 0.5]));
    assert_eq!(axes(0.0, 0.011), ([0.0, 1.0], [0.0, 0.05]));
    assert_eq!(axes(800.0, 1000.0), ([0.0, 1000.0], [0.0, 1000.0]), "no study can have more");
}

#[test]
fn the_published_map_shows_what_the_integral_is_there_for() {
    let study = published();
    let axes = Axes { kp: [0.0, 2.0], ki: [0.0, 0.6], cells: 21 };
    let found = map_calmly(&study, &controller(&study, "PID"), axes);
    let behaviour = |column: usize, row: usize| found.cell(column, row).expect("inside").behaviour;
    // Without Ki, Kp = 1 stops at 55 and 145 vGPUs; with 0.3 it ends at 50 and 150; without both nothing moves.
    assert_eq!((found.kp[10], found.ki[10]), (1.0, 0.3));
    assert_eq!(behaviour(10, 0), Behaviour::SettlesWithError);
    assert_eq!(behaviour(10, 10), Behaviour::Settles);
    assert_eq!(behaviour(0, 0), Behaviour::SettlesWithError);
    assert_eq!(found.cell(21, 0), None);
    assert_eq!(found.cell(0, 21), None);
}

fn form() -> impl Strategy<Value = Form> {
    prop_oneof![Just(Form::P), Just(Form::PI), Just(Form::PD), Just(Form::PID)]
}

proptest! {
    #![proptest_config(Config { cases: 24, ..Config::default() })]

    #[test]
    fn a_cell_of_the_map_is_the_run_of_that_controller(
        form in form(), kp in 0.0..6.0_f64, ki in 0.0..2.0_f64, kd in 0.0..2.0_f64, noise in prop_oneof![Just(0.0), 0.0..0.05_f64],
    ) {
        let mut study = published();
        study.measurement.noise_share = noise;
        let present = Controller { form, kp, ki, kd, ..controller(&study, "PID") };
        let found = map_calmly(&study, &present, Axes { kp: [kp, kp + 1.0], ki: [ki, ki + 0.5], cells: 3 });
        let simulation = Simulation::new(&study);
        for (row, ki) in found.ki.iter().enumerate() {
            for (column, kp) in found.kp.iter().enumerate() {
                let controller = with_gains(&present, Gains { kp: *kp, ki: *ki, kd });
                let expected = figures(&simulation, Run::Controller(&controller), |_| ());
                let cell = found.cell(column, row).expect("inside");
                prop_assert_eq!(cell.settling_periods, expected.settling_periods);
                prop_assert_eq!(cell.overshoot, expected.overshoot);
                prop_assert!((cell.steady_state_error - expected.steady_state_error).abs() < 1e-9);
            }
        }
        classes_are_consistent(&found.cells, noise);
    }

    #[test]
    fn a_search_never_ends_worse_than_it_began(
        form in form(), kp in 0.0..4.0_f64, ki in 0.0..1.0_f64, kd in 0.0..1.0_f64, most_overshoot in 0.0..0.3_f64,
        vgpus in 60.0..140.0_f64, delay in 0_u8..3,
    ) {
        let mut study = published();
        study.run.periods = 300.0;
        study.clusters[0].vgpus = vgpus.round();
        study.measurement.delay_periods = f64::from(delay);
        let present = Controller { form, kp, ki, kd, ..controller(&study, "PID") };
        let SearchResult { present, best, verdict, .. } = search_calmly(&study, &present, most_overshoot);
        if verdict == Verdict::Better {
            prop_assert!(best.settling_periods.is_some() && best.overshoot <= most_overshoot);
            let sooner = best.settling_periods < present.settling_periods;
            let as_soon = best.settling_periods == present.settling_periods;
            let less_error = best.steady_state_error < present.steady_state_error
                || best.remaining_error < present.remaining_error;
            let no_more_error = best.steady_state_error <= present.steady_state_error
                && best.remaining_error <= present.remaining_error;
            let was_allowed = present.settling_periods.is_some() && present.overshoot <= most_overshoot;
            let is_better = less_error
                || no_more_error && (sooner || as_soon && best.integral_absolute_error < present.integral_absolute_error);
            prop_assert!(!was_allowed || is_better);
        } else {
            prop_assert_eq!(best, present);
        }
    }

    #[test]
    fn a_relay_experiment_measures_a_swing_or_says_why_not(
        vgpus in 20.0..180.0_f64, demand in 0.0..12_000.0_f64, cluster in 0_usize..3, output in 0.0..1.2_f64,
        delay in 0_u8..4, noise in prop_oneof![Just(0.0), 0.0..0.05_f64], spare in 0.0..50.0_f64,
    ) {
        let mut study = published();
        study.clusters[0].vgpus = vgpus.round();
        study.clusters[0].demand.high_tops = demand;
        study.measurement.delay_periods = f64::from(delay);
        study.measurement.noise_share = noise;
        study.manager.spare_vgpus = spare.round();
        let found = experiment(&Simulation::new(&study), Some(cluster), Some(output));
        match found.oscillation {
            Ok(swing) => {
                // Up and down take a period each at least; the swing exceeds the hysteresis on both sides.
                prop_assert!(swing.period_seconds >= 2.0 && swing.amplitude > found.relay.hysteresis);
                prop_assert!(swing.ultimate_gain.is_finite() && swing.cycles >= 3);
                let expected = 4.0 * output / (PI * (swing.amplitude.powi(2) - found.relay.hysteresis.powi(2)).sqrt());
                prop_assert!((swing.ultimate_gain - expected).abs() <= 1e-12 * expected);
            }
            Err(reason) => prop_assert!(!reason.to_string().is_empty()),
        }
    }
}

/// What keeps moving, and what settles, says so; of two that settle the one that leaves no more error, by either measure,
/// stands no lower; and where one leaves nothing at all, it settles.
fn classes_are_consistent(cells: &[Cell], noise: f64) {
    let least = cells.iter().map(|cell| cell.steady_state_error).fold(f64::INFINITY, f64::min);
    for cell in cells {
        assert_eq!(cell.settling_periods.is_none(), cell.behaviour == Behaviour::DoesNotSettle, "{cell:?}");
        if cell.settling_periods.is_some() && cell.remaining_error == 0.0 && cell.steady_state_error == least {
            assert_eq!(cell.behaviour, Behaviour::Settles, "{cell:?}");
        }
        let as_good = |other: &&Cell| {
            other.settling_periods.is_some()
                && other.remaining_error <= cell.remaining_error
                && other.steady_state_error <= cell.steady_state_error
        };
        if cell.behaviour == Behaviour::Settles {
            assert!(cells.iter().filter(as_good).all(|other| other.behaviour == Behaviour::Settles), "{cell:?}");
        }
        // The mean of |e| is not below |the mean of e|; noise is in the first alone.
        assert!(cell.remaining_error <= cell.steady_state_error + 1e-12 || noise > 0.0, "{cell:?}");
    }
}
