//! The decision about a query by what its scenario says: goal, prices and clusters.

use std::path::PathBuf;

use crossover_decision::{Candidate, Goal, Objective, Price, PriceBasis, decide};
use crossover_placement::{CandidateCluster, Placement, TrialRun};
use crossover_plan::decide::{decision, objective, on_recommended, workload};
use crossover_plan::options::{alternatives, workload_of};
use crossover_plan::scenario::{Machines, scenario};
use crossover_plan::{Control, Query, spark};
use crossover_scenario::{Scenario, read};

/// The longest query of the sample in the shipped engines.
fn shop() -> Scenario {
    let log = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("samples/spark/shop-eventlog.zstd");
    let import = spark::read(&log, &Control::default()).expect("the sample is a log");
    let seconds = |query: &Query| query.duration_seconds.unwrap_or(0.0);
    let longest = import.queries.iter().max_by(|one, other| seconds(one).total_cmp(&seconds(other)));
    let base = read(include_str!("../../../scenarios/placement-truth-aws-l4.ron")).expect("a scenario");
    scenario(base.placement().expect("a placement study"), Machines::OfFile, &import, longest.expect("a query"))
}

fn study() -> Placement {
    shop().placement().expect("a placement study").clone()
}

fn cluster(machines: f64, usd_per_hour: f64) -> CandidateCluster {
    CandidateCluster {
        name: "cluster".to_owned(),
        machine: "g6.2xlarge".to_owned(),
        other_gpu: String::new(),
        machines,
        lanes: 1.0,
        network_gbit_per_s: None,
        exchange_memory_gb: None,
        usd_per_hour: Some(usd_per_hour),
        price_basis: PriceBasis::OnDemand,
        region: String::new(),
    }
}

#[test]
fn a_study_without_these_inputs_has_the_default_goal_and_options() {
    let study = study();
    assert_eq!((study.decision.as_ref(), objective(&study)), (None, Objective::default()));
    let (baseline, candidates) = workload_of(&study, &alternatives(&study)).expect("engines and a query");
    assert_eq!(decision(&study), Some(decide(baseline, candidates, Objective::default())));
}

#[test]
fn a_cluster_is_an_option_with_its_own_price() {
    let mut study = study();
    let before = workload(&study).expect("engines and a query").candidates.len();
    study.add_candidate(cluster(3.0, 0.5)).expect("room");
    let spot = CandidateCluster { price_basis: PriceBasis::Spot, region: "eu-west-1".to_owned(), ..cluster(3.0, 0.2) };
    assert_eq!(study.add_candidate(spot).as_deref(), Some("cluster 2"));
    let options = workload(&study).expect("engines and a query").candidates;
    assert_eq!(options.len(), before + 2);
    let gpu = &study.engines.as_deref().expect("engines").gpu.name;
    let priced = |title: String| options.iter().find(|option| option.title == title).expect("it is an option");
    // Three machines at $0.50 and at $0.20 per hour.
    let listed = priced(format!("{gpu}, 3 × g6.2xlarge"));
    let spot = priced(format!("{gpu}, 3 × g6.2xlarge (spot, eu-west-1)"));
    assert!((listed.usd_per_hour().expect("a price") - 1.5).abs() < 1e-12);
    assert!((spot.usd_per_hour().expect("a price") - 0.6).abs() < 1e-12);
    assert_eq!(listed.time, spot.time, "the price does not change the time");
    let origin = |option: &Candidate| option.price.as_ref().map(Price::origin);
    assert_eq!(origin(listed).as_deref(), Some("entered, on-demand"));
    assert_eq!(origin(spot).as_deref(), Some("entered, spot, eu-west-1"));
    assert!(spot.evidence.distance.iter().any(|distance| distance.contains("reclaimed")));
}

/// The least time is that of the most machines, and four were measured.
#[test]
fn the_plan_is_shown_on_the_recommended_cluster() {
    let mut study = study();
    study.edit_decision(|inputs| {
        inputs.goal = Goal::Time;
        inputs.budget_usd = Some(0.01);
    });
    let of_study = workload(&study).expect("engines and a query");
    let decided = of_study.decide(objective(&study));
    let best = &decided.best_option().expect("an option").candidate;
    let shown = on_recommended(&study, &of_study).expect("another cluster than the measured one");
    assert_eq!(shown.engines.as_deref().expect("engines").gpu.title(), best.title);
    let of_shown = workload(&shown).expect("engines and a query").candidates;
    let same = of_shown.iter().find(|option| option.title == best.title).expect("it is an option");
    let [one, other] = [same, best].map(|option| option.time.expect("a time").value());
    assert!((one / other - 1.0).abs() < 1e-9, "{one} instead of {other}");
    // Of an option on today's machines the study has no engines.
    study.edit_decision(|inputs| inputs.goal = Goal::Cost);
    let of_study = workload(&study).expect("engines and a query");
    let decided = of_study.decide(objective(&study));
    assert!(decided.best_option().expect("an option").candidate.is_on_same_machines, "{}", decided.sentence());
    assert_eq!(on_recommended(&study, &of_study), None);
}

#[test]
fn a_trial_gives_its_time_to_the_same_machines_at_every_price() {
    let mut study = study();
    study.add_candidate(cluster(3.0, 0.5)).expect("room");
    study.add_candidate(CandidateCluster { price_basis: PriceBasis::Spot, ..cluster(3.0, 0.2) }).expect("room");
    let option = format!("{}, 3 × g6.2xlarge", study.engines.as_deref().expect("engines").gpu.name);
    let trial = TrialRun { file: "trial".to_owned(), query: String::new(), option: option.clone(), seconds: 7.0 };
    study.edit_decision(|inputs| inputs.trial = Some(trial));
    let workload = workload(&study).expect("engines and a query");
    let of_both = |options: &[Candidate]| -> Vec<f64> {
        let both = options.iter().filter(|candidate| candidate.title.starts_with(&option));
        both.filter_map(|candidate| candidate.time).map(|time| time.value()).collect()
    };
    assert_eq!(of_both(&workload.candidates), [7.0, 7.0]);
    let before = workload.decide_before_trial(Objective::default()).expect("a trial");
    let before: Vec<Candidate> = before.options.into_iter().map(|option| option.candidate).collect();
    let predicted = of_both(&before);
    assert!(predicted.len() == 2 && predicted.iter().all(|seconds| *seconds != 7.0), "{predicted:?}");
}

#[test]
fn a_cluster_with_other_gpus_is_listed_without_data() {
    let mut study = study();
    let other =
        CandidateCluster { machine: "p5.4xlarge".to_owned(), other_gpu: "H100".to_owned(), ..cluster(2.0, 6.88) };
    study.add_candidate(other).expect("room");
    let options = workload(&study).expect("engines and a query").candidates;
    let listed = options.iter().find(|option| option.title.ends_with("2 × p5.4xlarge")).expect("it is listed");
    assert_eq!((listed.time, listed.deviation_of_ratio), (None, None));
    assert!(listed.blocked_by.as_deref().is_some_and(|why| why.contains("H100")), "{:?}", listed.blocked_by);
    let sentence = decision(&study).expect("a decision").sentence();
    assert!(sentence.contains(", 2 × p5.4xlarge, which you named, has no measured data: measured on "), "{sentence}");
}

#[test]
fn the_goal_and_the_kind_of_todays_price_are_those_of_the_file() {
    let mut scenario = shop();
    let study = scenario.study.placement_mut().expect("a placement study");
    study.edit_decision(|inputs| {
        inputs.goal = Goal::Time;
        inputs.budget_usd = Some(0.01);
        inputs.runs_per_month = Some(720.0);
        inputs.effort_usd = Some(1400.0);
        // 40 hours at $90 are $3,600.
        (inputs.effort_hours, inputs.hourly_rate_usd) = (Some(40.0), Some(90.0));
        inputs.today_price = Some(PriceBasis::Reserved);
    });
    let again = read(&scenario.to_ron()).expect("a scenario");
    assert_eq!(again, scenario);
    let study = again.placement().expect("a placement study");
    let expected = Objective {
        goal: Goal::Time,
        budget_usd: Some(0.01),
        runs_per_month: Some(720.0),
        effort_usd: Some(5000.0),
        ..Objective::default()
    };
    assert_eq!(objective(study), expected);
    let decided = decision(study).expect("a decision");
    assert_eq!(decided.objective, expected);
    // Options on the same machines have today's price.
    let same = decided.options.iter().map(|option| &option.candidate).filter(|candidate| candidate.is_on_same_machines);
    let same: Vec<Option<PriceBasis>> =
        same.map(|candidate| candidate.price.as_ref().map(|price| price.basis)).collect();
    assert!(!same.is_empty() && same.iter().all(|basis| *basis == Some(PriceBasis::Reserved)), "{same:?}");
    let price = decided.baseline.price.expect("a price");
    assert_eq!(price.basis, PriceBasis::Reserved);
}

#[test]
fn numbers_of_the_decision_are_set_by_path() {
    let scenario = shop().with("decision.time_limit=1.2").expect("a scenario");
    let scenario = scenario.with("decision.runs_per_month=720").expect("a scenario");
    let inputs = scenario.placement().expect("a placement study").decision_inputs();
    assert_eq!((inputs.time_limit, inputs.runs_per_month), (1.2, Some(720.0)));
    let by_time = shop().with("decision.goal=time").expect("a scenario");
    assert_eq!(objective(by_time.placement().expect("a placement study")).goal, Goal::Time);
    for wrong in ["decision.time_limit=0", "decision.goal=speed", "decision.limit=1"] {
        assert!(shop().with(wrong).is_err(), "{wrong}");
    }
}
