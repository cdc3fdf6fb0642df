//! Whole studies: the shipped ones, their figures, and invalid studies.

use std::collections::BTreeSet;
use std::sync::atomic::AtomicUsize;

use crossover_allocation::explain::explanation;
use crossover_allocation::study::Allocation;
use crossover_allocation::{
    Arrivals, Described, Gpus, Policy, PolicyChoice, Replayed, Timing, evaluate, evaluate_watched,
};
use crossover_scenario::read;
use crossover_study::{Subject as _, Watch};

#[test]
fn the_shipped_study_has_results_of_every_policy() {
    let scenario = read(include_str!("../../../../scenarios/allocation-shared.ron")).expect("a scenario");
    let study = scenario.allocation().expect("an allocation study");
    let outcome = evaluate(study);
    assert_eq!(outcome.policies.len(), Policy::ALL.len());
    // Every GPU that is not allocated is in fragments or still usable.
    for policy in &outcome.policies {
        let end = policy.end();
        assert!(end.allocated_percent + end.fragmented_percent <= 100.0 + 1e-9, "{policy:?}");
        assert!(policy.curve.windows(2).all(|pair| pair[0].allocated_percent <= pair[1].allocated_percent));
    }
    // With the nodes to add the target is met, with one fewer it is not.
    let more = outcome.nodes_to_add.expect("a number of nodes");
    let with = |more: f64| {
        let mut study = study.clone();
        let before: f64 = study.nodes.iter().map(|group| group.nodes * group.gpus).sum();
        study.nodes[0].nodes += more;
        let after: f64 = study.nodes.iter().map(|group| group.nodes * group.gpus).sum();
        study.arrivals = Arrivals { demand: study.arrivals.demand * before / after, orders: 1.0, ..study.arrivals };
        evaluate(&study).nodes_to_add
    };
    assert!(more > 0);
    assert_eq!(with(more as f64), Some(0));
    assert_eq!(with(more as f64 - 1.0), Some(1));
}

#[test]
fn the_same_seed_gives_the_same_outcome_on_any_number_of_threads() {
    let scenario = read(include_str!("../../../../scenarios/allocation-shared.ron")).expect("a scenario");
    let study = scenario.allocation().expect("an allocation study");
    let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    assert_eq!(alone.install(|| evaluate(study)), evaluate(study));
}

/// The outcome of all policies is the reference. There are eight, of which figures need one.
#[test]
fn figures_are_those_of_the_own_policy_and_place_the_tasks_of_no_other_one() {
    let scenario = read(include_str!("../../../../scenarios/allocation-shared.ron")).expect("a scenario");
    let study = scenario.allocation().expect("an allocation study");
    let [of_all, of_own] = [(); 2].map(|()| AtomicUsize::new(0));
    let outcome = evaluate_watched(study, Watch { is_cancelled: &|| false, done: &of_all }).expect("not cancelled");
    let figures = study.answer(Watch { is_cancelled: &|| false, done: &of_own }).expect("not cancelled");
    let figure = |key: &str| figures.iter().find(|figure| figure.key() == key).and_then(|figure| figure.value);
    assert_eq!(figure("allocated"), Some(outcome.own().end().allocated_percent / 100.0));
    assert_eq!(figure("fragmented"), Some(outcome.own().end().fragmented_percent / 100.0));
    assert_eq!(figure("rejected"), Some(outcome.own().rejected));
    assert_eq!(figure("watts"), outcome.watts);
    assert_eq!(figure("nodes_to_add"), outcome.nodes_to_add.map(|nodes| nodes as f64));
    let replayed = &outcome.replayed[outcome.chosen];
    assert_eq!(figure("sensitive_wait_seconds"), Some(replayed.served[0].mean_wait));
    assert_eq!(figure("utilisation"), Some(replayed.utilisation));
    assert_eq!(figure("kwh"), Some(outcome.kwh[outcome.chosen]));
    let [of_all, of_own] = [of_all, of_own].map(AtomicUsize::into_inner);
    assert!(0 < of_own && 4 * of_own < of_all, "{of_own} of {of_all} tasks");
}

/// The T4s draw power, too, so a total without theirs would be too small.
#[test]
fn a_type_of_gpu_without_power_leaves_power_and_energy_without_a_value() {
    let scenario = read(include_str!("../../../../scenarios/allocation-shared.ron")).expect("a scenario");
    let mut study = scenario.allocation().expect("an allocation study").clone();
    study.types[1].watts = 0.0;
    let outcome = evaluate(&study);
    assert_eq!((outcome.watts, outcome.kwh.is_empty(), outcome.replayed.is_empty()), (None, true, false));
    let figures = study.answer(Watch { is_cancelled: &|| false, done: &AtomicUsize::new(0) }).expect("not cancelled");
    let figure = |key: &str| figures.iter().find(|figure| figure.key() == key).map(|figure| figure.value);
    assert_eq!([figure("watts"), figure("kwh")], [Some(None); 2]);
    // Nodes that are not there have no GPU that draws power.
    study.nodes[1].nodes = 0.0;
    assert!(evaluate(&study).watts.is_some());
}

#[test]
fn capacity_that_owners_declare_beyond_their_needs_is_lost() {
    let scenario = read(include_str!("../../../../scenarios/allocation-shared.ron")).expect("a scenario");
    let mut study = scenario.allocation().expect("an allocation study").clone();
    for group in &mut study.tasks {
        group.declared_factor = 2.0;
    }
    let outcome = evaluate(&study);
    let allocated = |policy: Policy| {
        let found = outcome.policies.iter().find(|found| found.policy == policy).expect("every policy");
        found.end().allocated_percent
    };
    // Needs count, which are half of what was declared.
    assert!(
        allocated(Policy::Declared) < 0.8 * allocated(Policy::BestFit),
        "{} {}",
        allocated(Policy::Declared),
        allocated(Policy::BestFit)
    );
}

/// A shipped study, replayed with its own policy.
fn shipped(text: &str) -> (Allocation, Replayed) {
    let scenario = read(text).expect("a scenario");
    let study = scenario.allocation().expect("an allocation study").clone();
    let outcome = evaluate(&study);
    let replayed = outcome.replayed[outcome.chosen].clone();
    (study, replayed)
}

#[test]
fn the_shipped_examples_of_the_method_end_as_it_says() {
    // Example D: node A, its idle A1.
    let (_, done) = shipped(include_str!("../../../../scenarios/allocation-most-left.ron"));
    assert_eq!(done.log.task_runs.len(), 1);
    assert_eq!((done.log.task_runs[0].place.node, done.log.task_runs[0].place.gpus), (0, Gpus::one(1)));
    // Example E: A and C tie, and A is chosen; B has too little, whatever the seed.
    let tie = include_str!("../../../../scenarios/allocation-tie.ron");
    let node_of = |text: &str| shipped(text).1.log.task_runs[0].place.node;
    assert_eq!(node_of(tie), 0);
    let drawn: BTreeSet<usize> =
        (0..20).map(|seed| node_of(&tie.replace("seed: 1,", &format!("seed: {seed},")))).collect();
    assert_eq!(drawn, BTreeSet::from([0, 2]));
    // Example F: the training task is preempted at once, waits for 120 s, and takes 600 s and 30 s to save and restore.
    let (_, done) = shipped(include_str!("../../../../scenarios/allocation-preemption.ron"));
    assert_eq!((done.served[0].mean_wait, done.served[1].preempted, done.makespan), (0.0, 1.0, 750.0));
    // 2 min 30 s > 2 min: it grows once, and ends after 162 s (see the test above).
    let (_, done) = shipped(include_str!("../../../../scenarios/allocation-slo.ron"));
    assert_eq!((done.served[0].share_increases, done.served[0].slo_violation_share), (1.0, Some(0.0)));
    let end = done.log.task_runs.iter().find(|task_run| task_run.is_sensitive).map(|task_run| task_run.until);
    assert!((end.expect("it ran") - 162.0).abs() < 1e-9);
    // 60 of 100 iterations: the other 40, with 50 % instead of 40 % of the GPU and still beside the training task.
    let (_, done) = shipped(include_str!("../../../../scenarios/allocation-progress.ron"));
    assert_eq!((done.served[0].share_increases, done.served[0].slo_violation_share), (1.0, Some(0.0)));
    let end = done.log.task_runs.iter().find(|task_run| task_run.is_sensitive).map(|task_run| task_run.until);
    assert!((end.expect("it ran") - (66.0 + 40.0 / (1.25 / 1.1))).abs() < 1e-9);
    // Without interference it is not behind and its share stays: 66 s are done after 66 s, 34 remain.
    let alone =
        include_str!("../../../../scenarios/allocation-progress.ron").replace("interference: 0.2", "interference: 0.0");
    assert_eq!(shipped(&alone).1.served[0].share_increases, 0.0);
}

#[test]
fn why_a_task_is_where_it_is_agrees_with_where_it_went() {
    let scenario = read(include_str!("../../../../scenarios/allocation-shared.ron")).expect("a scenario");
    for policy in [Policy::MostLeft, Policy::BestFit, Policy::Packing, Policy::Fgd] {
        let mut study = scenario.allocation().expect("an allocation study").clone();
        study.policy.name = policy;
        study.replay = Timing { seconds: 36_000.0, preempts: false, runs: 1.0, ..study.replay };
        let outcome = evaluate(&study);
        let described = Described::new(&study, 0);
        let log = &outcome.replayed[outcome.chosen].log;
        assert!(!log.is_truncated && log.task_runs.len() > 100);
        for task_run in log.task_runs.iter().step_by(7) {
            let explanation = explanation(&described, policy, log, task_run);
            // Of equal nodes the first was chosen: none is better.
            let score = explanation.score.expect("it fitted there");
            assert!(
                explanation.others.iter().all(|(_, other)| *other <= score),
                "{policy:?} {task_run:?} {explanation:?}"
            );
            assert_eq!(explanation.waited.is_some(), task_run.from > task_run.arrived, "{task_run:?}");
        }
    }
}

#[test]
fn a_study_without_gpus_or_tasks_is_invalid_with_what_is_needed() {
    let scenario = read(include_str!("../../../../scenarios/allocation-shared.ron")).expect("a scenario");
    let refused = |edit: fn(&mut Allocation)| {
        let mut scenario = scenario.clone();
        edit(scenario.study.allocation_mut().expect("an allocation study"));
        let problem = scenario.study.validate().expect_err("refused");
        format!("{}: {}", problem.path, problem.problem)
    };
    assert_eq!(
        refused(|study| study.nodes.iter_mut().for_each(|group| group.gpus = 0.0)),
        "nodes: no node has a GPU with capacity left; at least one is needed"
    );
    assert_eq!(
        refused(|study| study.tasks.iter_mut().for_each(|group| group.tasks = 0.0)),
        "tasks: no group has a task; at least one task is needed"
    );
    assert!(
        refused(|study| study.policy = PolicyChoice { growing_nodes: "nowhere".into(), ..study.policy.clone() })
            .contains("nowhere")
    );
    assert!(refused(|study| study.tasks[3].runs_on[0].gpu_type = "H1000".into()).contains("runs_on"));
}
