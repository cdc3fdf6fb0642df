//! Learning from a trial: the sample's log, and the same log as another engine would have written it.

use std::path::PathBuf;

use crossover_decision::PredictedTime;
use crossover_engine::Profile;
use crossover_placement::Placement;
use crossover_plan::decide::{trial_of, workload};
use crossover_plan::learn::{LearnError, Learning, learn};
use crossover_plan::options::{Alternative, Alternatives, shipped, workload_of};
use crossover_plan::pairing::PairedBy;
use crossover_plan::scenario::{Machines, placement};
use crossover_plan::site::{learn_for, predicted_before};
use crossover_plan::{Control, Import, Query, spark};
use crossover_quantity::provenance::Provenance;
use crossover_quantity::shared::Shared;
use crossover_scenario::read;

/// Query 6 of the sample: three joined tables.
const SIX: &str = "6";

fn base() -> Placement {
    let base = read(include_str!("../../../scenarios/placement-truth-aws-l4.ron")).expect("a scenario");
    base.placement().expect("a placement study").clone()
}

fn log() -> Import {
    let log = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("samples/spark/shop-eventlog.zstd");
    spark::read(&log, &Control::default()).expect("the sample is a log")
}

/// The log as Comet writes it, with the time of each query; a query without one failed.
fn on_comet(seconds: impl Fn(&Query) -> Option<f64>) -> Import {
    let engine = "Comet 0.17.0 on Spark 4.3.0".to_owned();
    let mut trial = Import { file: "trial".to_owned(), engine, ..log() };
    for query in &mut trial.queries {
        for node in query.plan.nodes.iter_mut().filter(|node| node.name == "Project") {
            "CometProject".clone_into(&mut node.name);
        }
        let seconds = seconds(query);
        query.failure = seconds.is_none().then(|| "out of memory".to_owned());
        query.duration_seconds = seconds;
    }
    trial
}

fn six(import: &Import) -> &Query {
    import.queries.iter().find(|query| query.id == SIX).expect("query 6")
}

/// Predicted time of query 6 in Comet.
fn predicted(alternatives: &Alternatives) -> PredictedTime {
    let import = log();
    let study = placement(&base(), Machines::OfFile, &import, six(&import));
    let (_, candidates) = workload_of(&study, alternatives).expect("engines and a query");
    let comet = candidates.iter().find(|candidate| candidate.engine.starts_with("Comet")).expect("an option");
    comet.time.expect("a prediction")
}

fn error_factor(time: &PredictedTime) -> f64 {
    let [_, high] = time.interval().expect("a measured error");
    high / time.value()
}

/// What is learned where only query 6 has a time in the trial: its predicted one times a factor.
fn learned(factor: f64) -> Learning {
    let alternatives = shipped().expect("profiles");
    let seconds = predicted(&alternatives).value() * factor;
    let trial = on_comet(|query| (query.id == SIX).then_some(seconds));
    learn(&base(), &alternatives, &[log(), trial]).expect("a query in both")
}

#[test]
fn one_query_moves_the_time_of_its_engine_half_way() {
    let before = predicted(&shipped().expect("profiles"));
    let learning = learned(0.4_f64.exp());
    assert_eq!(learning.queries.len(), 1, "{:?}", learning.left_out);
    let query = &learning.queries[0];
    assert_eq!((query.paired_by, query.times.predicted), (PairedBy::Plan, before));
    assert!((query.times.ratio().ln() - 0.4).abs() < 1e-9, "{query:?}");
    let factor = learning.profile.engines.gpu.time_ratio / learning.time_ratio;
    assert!((factor.ln() - 0.2).abs() < 1e-9, "{factor}");
    // Three quarters of the variance are left.
    let expected = error_factor(&before).powf(0.75_f64.sqrt());
    assert!((learning.posterior.error_factor_90 / expected - 1.0).abs() < 1e-9, "{:?}", learning.posterior);
}

#[test]
fn the_learned_profile_predicts_the_next_run_on_the_same_machines() {
    let before = predicted(&shipped().expect("profiles"));
    let Profile { engines, sources } = learned(0.4_f64.exp()).profile;
    let mut alternatives = shipped().expect("profiles");
    alternatives.on_same_machines = vec![Alternative::new(engines, &sources)];
    let after = predicted(&alternatives);
    assert!(((after.value() / before.value()).ln() - 0.2).abs() < 1e-9, "{after:?} after {before:?}");
    let expected = error_factor(&before).powf(0.75_f64.sqrt());
    assert!((error_factor(&after) / expected - 1.0).abs() < 1e-9, "{after:?}");
}

/// A shared error of e^0.4 moves the prediction half of the way, by e^0.2, as for the command.
#[test]
fn a_scenario_learns_once_from_a_trial_and_forgets_it_again() {
    let import = log();
    let mut study = placement(&base(), Machines::OfFile, &import, six(&import));
    let before = predicted(&shipped().expect("profiles"));
    let trial = on_comet(|query| (query.id == SIX).then_some(before.value() * 0.4_f64.exp()));
    let run = trial_of(&study, &trial).expect("a trial");
    study.edit_decision(|inputs| inputs.trial = Some(run));
    for keeps_application in [true, false] {
        let query = study.query.as_deref_mut().expect("a query");
        query.application = keeps_application.then(|| Shared::from(import.to_application()));
        let learned = learn_for(&study, &trial).expect("a query in both");
        assert!((learned.mean_ratio.ln() - 0.4).abs() < 1e-9 && learned.before.is_none(), "{learned:?}");
        let mut after = study.clone();
        after.take_learned(learned.clone());
        let time = workload(&after).and_then(|workload| workload.tried?.predicted.time).expect("a prediction");
        assert!(((time.value() / before.value()).ln() - 0.2).abs() < 1e-9, "{time:?} after {before:?}");
        assert_eq!(predicted_before(&after), Some(before));
        assert_eq!(learn_for(&after, &trial), Ok(learned), "a trial counts once");
        after.forget_learned();
        assert_eq!(after, study);
    }
}

#[test]
fn the_profile_names_its_runs_and_is_a_file_that_is_read_again() {
    let profile = learned(2.0).profile;
    let runs = match profile.sources.get("gpu.time_ratio") {
        Some(Provenance::Fitted { runs, .. }) => runs.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!(runs, "1 query of shop-eventlog.zstd and trial");
    assert_eq!(crossover_engine::file::read(&profile.to_ron()), Ok(profile));
}

#[test]
fn queries_that_failed_are_named_with_the_reason() {
    let learning = learned(1.0);
    let failed = learning.left_out.iter().find(|query| query.name == "query 7 of shop-eventlog.zstd").expect("query 7");
    assert!(failed.reason.contains("no run of the trial has a time"), "{failed:?}");
}

#[test]
fn logs_of_one_engine_of_another_program_and_of_several_clusters_are_refused() {
    let alternatives = shipped().expect("profiles");
    let learned = |logs: &[Import]| learn(&base(), &alternatives, logs).expect_err("nothing to learn");
    assert!(matches!(learned(&[log(), log()]), LearnError::NoAfter(_)));
    let comet = on_comet(|query| query.duration_seconds);
    assert!(matches!(learned(&[comet.clone(), comet.clone()]), LearnError::NoBefore(..)));
    let duckdb = Import { engine: "DuckDB 1.4.0".to_owned(), file: "plan.json".to_owned(), ..Import::default() };
    assert_eq!(learned(&[duckdb, comet.clone()]), LearnError::OtherProgram("plan.json".to_owned()));
    let mut larger = log();
    larger.cluster.machines = Some(8);
    assert!(matches!(learned(&[log(), larger, comet]), LearnError::SeveralClusters(..)));
    let nothing = on_comet(|_| None);
    assert!(matches!(learned(&[log(), nothing]), LearnError::NoPair(_)));
}
