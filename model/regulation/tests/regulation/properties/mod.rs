//! What holds for every regulation study: conservation, limits, settled runs, exact files, edits.

mod edits;
mod reference;
mod studies;

use crossover_regulation::figures::{Figures, figures, summary};
use crossover_regulation::{
    Actuator, Controller, Form, Outcome, Regulation, Simulation, Step, Strategy as Deciding, StrategyRun, evaluate,
};
use crossover_scenario::read;
use crossover_study::{Subject, number_at, numbers, set_number, validate};
use proptest::prelude::*;

use studies::{scenario, study};

/// Every strategy that a study has, by name.
fn strategies(study: &Regulation) -> Vec<Deciding<'_>> {
    let baselines = [Deciding::NoControl, Deciding::RoundRobin, Deciding::LoadProportional];
    baselines.into_iter().chain(study.controllers.iter().map(Deciding::Controller)).collect()
}

/// vGPUs of all clusters at the start, and the pool.
fn all_vgpus(study: &Regulation) -> f64 {
    study.manager.spare_vgpus + study.clusters.iter().map(|cluster| cluster.vgpus).sum::<f64>()
}

/// At the end of every period each vGPU belongs to a cluster, or to the pool, which counts those under way.
fn check_conserved(study: &Regulation, run: &StrategyRun) -> Result<(), TestCaseError> {
    let all = all_vgpus(study);
    let is_controlled = study.controllers.iter().any(|controller| controller.name == run.name);
    for period in run.steps.chunks(study.clusters.len()) {
        let working: f64 = period.iter().map(|step| step.vgpus).sum();
        let given_back: f64 = period.iter().map(|step| step.action.vgpus.min(0.0)).sum();
        let given_out: f64 = period.iter().map(|step| step.action.vgpus.max(0.0)).sum();
        // What is given back leaves its cluster at once; what a controller is given is under way until the delay is over.
        let arrived = if is_controlled && study.manager.delay_periods > 0.0 { 0.0 } else { given_out };
        prop_assert_eq!(working + given_back + arrived + period[0].pool, all, "period {}", period[0].period);
    }
    Ok(())
}

fn check_limits(study: &Regulation, steps: &[Step]) -> Result<(), TestCaseError> {
    let level = |name: &str| study.precisions.iter().position(|level| level.name == name).expect("a precision level");
    let limits: Vec<_> = study
        .clusters
        .iter()
        .map(|cluster| (level(&cluster.lowest_precision), level(&cluster.highest_precision)))
        .collect();
    for step in steps {
        let (cluster, (lowest, highest)) = (&study.clusters[step.cluster], limits[step.cluster]);
        prop_assert!(cluster.min_vgpus <= step.vgpus && step.vgpus <= cluster.max_vgpus, "{step:?}");
        prop_assert!(step.vgpus.fract() == 0.0 && step.pool.fract() == 0.0 && step.pool >= 0.0, "{step:?}");
        // MHz inside, GHz outside: the last bit may differ.
        let highest_ghz = (cluster.max_ghz * step.voltage).max(cluster.min_ghz);
        let (min, max) = (cluster.min_ghz * (1.0 - 1e-15), highest_ghz * (1.0 + 1e-15));
        prop_assert!(min <= step.frequency_ghz && step.frequency_ghz <= max, "{step:?}");
        prop_assert!((lowest..=highest).contains(&step.precision), "{step:?}");
        prop_assert!((0.0..1.0).contains(&step.converted_share), "{step:?}");
        prop_assert!(step.converted_share == 0.0 || step.precision > lowest, "{step:?}");
        let [least, most] = cluster.voltage.as_ref().map_or([1.0; 2], |voltage| [voltage.least, voltage.most]);
        prop_assert!((least..=most).contains(&step.voltage), "{step:?}");
        let most = cluster.concurrency.as_ref().map_or(1.0, |tasks| tasks.most);
        prop_assert!((1.0..=most).contains(&step.concurrency) && step.concurrency.fract() == 0.0, "{step:?}");
        for share in [step.pcie, step.load, step.read_pcie, step.read_load] {
            prop_assert!((0.0..=1.0).contains(&share), "{step:?}");
        }
        prop_assert!(step.tops <= step.demand || cluster.backlog_limit > 0.0, "{step:?}");
        prop_assert!((0.0..=cluster.backlog_limit).contains(&step.backlog), "{step:?}");
        prop_assert!((-1.0..=1.0).contains(&step.error), "{step:?}");
    }
    Ok(())
}

fn numbers_of(step: &Step) -> [f64; 25] {
    let Step { gains, parts, action, .. } = step;
    [
        step.seconds,
        step.demand,
        step.tops,
        step.backlog,
        step.pcie,
        step.load,
        step.error,
        gains.kp,
        gains.ki,
        gains.kd,
        parts.proportional,
        parts.integral,
        parts.derivative,
        step.output,
        action.frequency_mhz,
        action.precision,
        action.voltage,
        action.concurrency,
        step.vgpus,
        step.converted_share,
        step.voltage,
        step.concurrency,
        step.watts,
        step.joules,
        step.pool,
    ]
}

fn numbers_of_figures(figures: &Figures) -> Vec<f64> {
    let state = &figures.state;
    let mut numbers = vec![
        figures.overshoot,
        figures.steady_state_error,
        figures.integral_absolute_error,
        state.tops,
        state.watts,
        state.kwh,
        state.cost,
        state.pool,
    ];
    for cluster in &state.clusters {
        numbers.extend([cluster.vgpus, cluster.frequency_ghz, cluster.tops, cluster.watts, cluster.pcie, cluster.load]);
        numbers.extend([cluster.error, cluster.backlog, cluster.rejected]);
    }
    numbers
}

fn check_finite(outcome: &Outcome) -> Result<(), TestCaseError> {
    for run in outcome.runs() {
        for step in &run.steps {
            prop_assert!(numbers_of(step).iter().all(|number| number.is_finite()), "{}: {step:?}", run.name);
        }
        let numbers = numbers_of_figures(&run.figures);
        prop_assert!(numbers.iter().all(|number| number.is_finite() && *number >= 0.0), "{}: {numbers:?}", run.name);
    }
    for comparison in &outcome.comparison {
        for loads in [&comparison.before, &comparison.after] {
            let shares = [loads.pcie, loads.load].concat();
            prop_assert!(shares.iter().all(|share| (0.0..=1.0).contains(share)), "{loads:?}");
        }
    }
    prop_assert!(!outcome.efficiency().is_nan());
    prop_assert!(outcome.warnings.iter().all(|warning| !warning.contains("not a number") && !warning.contains("NaN")));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn every_valid_study_evaluates_within_its_limits(study in study()) {
        prop_assert_eq!(validate(&study), Ok(()));
        let outcome = evaluate(&study);
        check_finite(&outcome)?;
        for run in outcome.runs() {
            check_conserved(&study, run)?;
            check_limits(&study, &run.steps)?;
            let mut joules = vec![0.0; study.clusters.len()];
            for step in &run.steps {
                prop_assert!(step.joules >= joules[step.cluster], "{}: energy never falls", run.name);
                joules[step.cluster] = step.joules;
            }
        }
        for step in &outcome.baselines[0].steps {
            prop_assert!(!step.action.is_any());
        }
    }

    #[test]
    fn the_same_study_has_the_same_outcome(study in study()) {
        let text = |study: &Regulation| format!("{:?}", evaluate(study)); // shows every bit of every number
        prop_assert_eq!(text(&study), text(&study.clone()));
    }

    #[test]
    fn a_file_keeps_the_whole_study(study in study(), notes in "(?s).{0,20}") {
        let mut written = scenario(study);
        written.notes = notes;
        let text = written.to_ron();
        let found = read(&text).map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?;
        prop_assert_eq!(&found, &written);
        let bits = |study: &Regulation| -> Vec<u64> {
            numbers(study).into_iter().map(|(_, _, value)| value.to_bits()).collect()
        };
        prop_assert_eq!(bits(found.regulation().expect("one")), bits(written.regulation().expect("one")));
    }

    /// p_p = p_d needs no action whatever the gains are; without noise and delay nothing else may cause one.
    #[test]
    fn a_balanced_cluster_is_left_alone(study in study(), demand in 0.0..2.0f64) {
        let mut study = study;
        study.measurement = crossover_regulation::Measurement::default();
        for cluster in &mut study.clusters {
            // Demand and numbers that make both ceilings the same, exactly: powers of two.
            (cluster.vgpus, cluster.min_vgpus, cluster.max_vgpus) = (64.0, 0.0, 128.0);
            (cluster.base_ghz, cluster.start_ghz, cluster.min_ghz, cluster.max_ghz) = (1.0, 1.0, 0.5, 2.0);
            (cluster.tops_per_vgpu, cluster.pcie_tops) = (125.0, 8000.0);
            cluster.backlog_limit = 0.0;
            (cluster.voltage, cluster.concurrency) = (None, None);
            cluster.demand.shape = crossover_regulation::Shape::Constant;
            cluster.demand.high_tops = demand * 8000.0;
        }
        for level in &mut study.precisions {
            (level.compute_factor, level.transfer_factor) = (1.0, 1.0);
        }
        let simulation = Simulation::new(&study);
        for controller in &study.controllers {
            let mut steps = Vec::new();
            simulation.run(Deciding::Controller(controller), |step| steps.push(*step));
            for step in steps {
                prop_assert!(step.error == 0.0 && step.output == 0.0 && !step.action.is_any(), "{step:?}");
            }
        }
    }

    /// After a steady period, every further period equals it.
    #[test]
    fn a_settled_run_stays_unchanged(study in study()) {
        let simulation = Simulation::new(&study);
        for strategy in strategies(&study) {
            let mut running = simulation.start(strategy);
            let mut settled: Option<Vec<Step>> = None;
            for _ in 0..simulation.periods() + 30 {
                let mut now = Vec::new();
                running.advance(&mut |step| now.push(*step));
                if let Some(settled) = &settled {
                    prop_assert!(running.is_steady());
                    for (step, rest) in now.iter().zip(settled) {
                        let mut same = *step;
                        (same.period, same.seconds, same.joules) = (rest.period, rest.seconds, rest.joules);
                        prop_assert_eq!(&same, rest);
                    }
                } else if running.is_steady() {
                    settled = Some(now);
                }
            }
        }
    }

    #[test]
    fn a_summary_has_the_figures_of_the_whole_run(study in study()) {
        let simulation = Simulation::new(&study);
        for strategy in strategies(&study) {
            let (short, long) = (summary(&simulation, strategy), figures(&simulation, strategy, |_| ()));
            prop_assert_eq!(short.settling_periods, long.settling_periods);
            prop_assert_eq!(short.actions, long.actions);
            prop_assert_eq!(short.overshoot.to_bits(), long.overshoot.to_bits());
            for (short, long) in numbers_of_figures(&short).into_iter().zip(numbers_of_figures(&long)) {
                prop_assert!((short - long).abs() <= 1e-9 * long.abs(), "{short} and {long}");
            }
        }
    }
}

/// Every number of a study at one end of its range, made valid again where two of them do not fit.
fn corner() -> impl Strategy<Value = Regulation> {
    (study(), prop::collection::vec(any::<bool>(), 400)).prop_map(|(mut study, ends)| {
        let paths: Vec<String> = numbers(&study).into_iter().map(|(path, ..)| path.to_string()).collect();
        for (path, end) in paths.iter().zip(ends.iter().cycle()) {
            if path.starts_with("run.") && !path.ends_with("period_seconds") {
                continue; // the length of the run is no matter of numbers
            }
            set(&mut study, path, |quantity, _| if *end { quantity.max } else { quantity.min });
            study.settle(path);
        }
        study
    })
}

/// Changes the number at a path.
fn set(study: &mut Regulation, path: &str, change: impl Fn(&crossover_quantity::quantity::Quantity, f64) -> f64) {
    let (quantity, value) = number_at(study, path).expect(path);
    assert!(set_number(study, path, change(quantity, value.expect(path))), "{path}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn every_corner_of_the_allowed_ranges_has_finite_numbers(study in corner()) {
        prop_assert_eq!(validate(&study), Ok(()));
        let outcome = evaluate(&study);
        check_finite(&outcome)?;
        for run in outcome.runs() {
            check_conserved(&study, run)?;
            check_limits(&study, &run.steps)?;
        }
    }
}

/// Forms leave out the parts that their names lack.
#[test]
fn quantities_that_a_form_lacks_do_not_change_a_run() {
    let text = include_str!("../../../../../scenarios/regulation-published.ron");
    let mut study = read(text).expect("valid").regulation().expect("a regulation study").clone();
    study.actuators.order = vec![Actuator::Vgpus];
    let runs = |study: &Regulation| evaluate(study).controllers.swap_remove(0).steps;
    study.controllers[0].form = Form::P;
    let before = runs(&study);
    (study.controllers[0].ki, study.controllers[0].kd) = (Controller::KI.max, Controller::KD.max);
    let ignoring_gains = |steps: Vec<Step>| {
        let outputs: Vec<_> = steps.into_iter().map(|step| (step.parts, step.output, step.action)).collect();
        outputs
    };
    assert_eq!(ignoring_gains(before), ignoring_gains(runs(&study)));
}
