//! Which options of a query are judged, and with which error.

use crossover_decision::{Candidate, Objective, PredictedTime, Verdict};
use crossover_engine::Engines;
use crossover_placement::{Placement, whole};
use crossover_plan::options::growth::GrowingQuery;
use crossover_plan::options::{options, workload_of};
use crossover_plan::today::on_machines_of;
use crossover_plan::{Cluster, Query};
use crossover_query::{Balance, BalanceOf, Plan};

use super::{
    ANCHORED_ERROR, CPU_ERROR, GPU_ERROR, SPEEDUP_ERROR, Z_90, alternatives, assert_near, base, decide_between,
    deviation, engines, import, machines, revenue, study,
};
use crate::counted::counted;

/// The error beside a measured run was measured on the same machines.
#[test]
fn on_other_machines_the_error_is_that_of_the_gpu_time_alone() {
    let factor = |cluster: Cluster| on_machines_of(&engines(), &cluster, "Spark 3.5.3").anchored_error_factor_90;
    assert_eq!(factor(machines(8, 14)), ANCHORED_ERROR, "14 of 14.375 cores are the same");
    assert_eq!(factor(machines(7, 14)), GPU_ERROR);
    assert_eq!(factor(machines(8, 16)), GPU_ERROR);
    // A wider error stays, and none is made up.
    let of = |anchored: f64| {
        let engines = Engines { anchored_error_factor_90: anchored, ..engines() };
        on_machines_of(&engines, &machines(1, 4), "Spark 3.5.3").anchored_error_factor_90
    };
    assert_eq!((of(5.0), of(1.0)), (5.0, 1.0));
}

#[test]
fn a_failed_query_is_compared_by_its_predicted_time() {
    let import = import();
    let failed = Query { failure: Some("out of memory".to_owned()), ..revenue(&import).clone() };
    let (baseline, candidates) = workload_of(&study(&import, &failed), &alternatives()).expect("engines and a query");
    assert!(!baseline.is_measured);
    let error = |time: Option<PredictedTime>| time.and_then(|time| time.deviation).expect("an error");
    assert_near(error(Some(baseline.time)), deviation(CPU_ERROR));
    let rapids = &candidates[1];
    assert_near(error(rapids.time), deviation(GPU_ERROR));
    assert_near(rapids.deviation_of_ratio.expect("an error"), deviation(SPEEDUP_ERROR));
}

#[test]
fn nothing_is_recommended_for_what_runs_on_gpus_already() {
    let import = import();
    let mut query = revenue(&import).clone();
    for node in &mut query.plan.nodes {
        node.ran_on_gpu = true;
    }
    let decided = decide_between(&study(&import, &query), &alternatives(), Objective::default());
    let decided = decided.expect("engines and a query");
    assert!(!decided.baseline.is_measured);
    assert_eq!((decided.verdict, decided.best), (Verdict::CannotJudge, None));
}

#[test]
fn what_ran_in_another_engine_or_mostly_without_operators_is_not_judged() {
    let import = import();
    let decided = |change: &dyn Fn(&mut Plan)| {
        let mut query = revenue(&import).clone();
        change(&mut query.plan);
        let decided = decide_between(&study(&import, &query), &alternatives(), Objective::default());
        decided.expect("engines and a query")
    };
    let native = decided(&|plan| plan.engine = "Gluten 1.4.0 (Velox) on Spark 3.5.1".to_owned());
    assert_eq!((native.verdict, native.best), (Verdict::CannotJudge, None));
    assert!(native.sentence().contains("ran in Gluten 1.4.0 (Velox)"), "{}", native.sentence());
    let without = |share: f64| {
        let balance = Balance::new(BalanceOf::CpuSeconds, 100.0, 100.0 * (1.0 - share));
        decided(&|plan| plan.balances = vec![balance.clone().without(100.0 * share, "no operator ran in stage 2")])
    };
    let most = without(0.9);
    assert_eq!((most.verdict, most.best), (Verdict::CannotJudge, None));
    assert!(most.sentence().contains("90 % of its CPU time"), "{}", most.sentence());
    // A small part changes no verdict; a warning about the file names it.
    assert_eq!(without(0.03).verdict, without(0.0).verdict);
}

/// A fifth of the time may belong to anything: at worst the option takes as long for it as today. No operator of the sample has it.
#[test]
fn time_without_an_operator_widens_the_interval_of_every_option() {
    let import = import();
    let of = |share: f64| {
        let mut query = revenue(&import).clone();
        query.plan.nodes.retain(|node| !node.is_without_operator());
        let balance = Balance::new(BalanceOf::CpuSeconds, 100.0, 100.0 * (1.0 - share));
        query.plan.balances = vec![balance.without(100.0 * share, "no operator ran in stage 2")];
        workload_of(&study(&import, &query), &alternatives()).expect("engines and a query")
    };
    let (today, all) = of(0.0);
    let mut unmentioned = 0;
    for share in [0.2, 0.006] {
        let (_, most) = of(share);
        for (all, most) in all.iter().zip(&most).filter(|(all, _)| all.time.is_some()) {
            let (before, after) = (all.time.expect("a time"), most.time.expect("a time"));
            assert_near(after.value(), before.value());
            let slowest = (1.0 - share) * before.value() + share * today.time.value();
            let widening = (slowest / before.value()).max(before.value() / slowest);
            let [narrow, wide] = [before, after].map(|time| time.deviation.expect("an error"));
            assert_near(wide, narrow + widening.ln() / Z_90);
            let [narrow, wide] = [all, most].map(|option| option.evidence.error.as_ref().expect("an error"));
            assert_near(wide.factor_90, narrow.factor_90 * widening);
            // "1 times as wide" would say nothing.
            let is_mentioned = wide.why.ends_with(" times as wide, because some time belongs to no operator");
            assert_eq!(is_mentioned, widening >= 1.005, "{widening}: {wide:?}");
            unmentioned += usize::from(!is_mentioned);
        }
    }
    assert!(unmentioned > 0, "Gluten and Comet are hardly faster, so 0.6 % of the time hardly matter");
}

/// Operators that stay on CPUs are part of the query whose error was measured.
#[test]
fn the_error_of_the_gpu_engine_is_that_of_the_whole_query() {
    let import = import();
    let mut study = study(&import, revenue(&import));
    let query = study.query.as_mut().expect("a query");
    let class = query.plan.nodes.iter().find_map(|node| node.class.clone()).expect("a class");
    query.unsupported.insert(class, "for this test".to_owned());
    let seconds = |study: &Placement| whole::decide(study).expect("a plan").baselines.all_gpu;
    let before = seconds(&study);
    study.engines.as_mut().expect("engines").gpu.time_ratio = 2.0;
    assert_near(seconds(&study), 2.0 * before);
}

/// Gluten was measured on 8 × c5d.12xlarge, and the sample ran on one machine.
#[test]
fn an_option_says_which_error_factor_it_has_and_why() {
    let error_of = |cluster: Cluster| {
        let today = on_machines_of(&engines(), &cluster, "Spark 3.5.3");
        let found = options(&today, &base().profile().expect("engines").sources, &alternatives());
        let error = |name: &str, machines: f64| {
            let of_engine = found.iter().map(|option| option.candidate(None));
            let mut of_count = of_engine.filter(|candidate| candidate.machines == Some(machines));
            of_count.find(|candidate| candidate.engine.starts_with(name)).and_then(|candidate| candidate.evidence.error)
        };
        (error("RAPIDS", 4.0).expect("an error"), error("RAPIDS", 2.0).expect("an error"))
    };
    let named = |count: u64| Cluster { machine_type: Some("c5d.12xlarge".to_owned()), ..machines(count, 14) };
    let (of_measured, of_half) = error_of(named(8));
    assert_eq!(of_measured.factor_90, ANCHORED_ERROR);
    assert!(of_measured.why.contains("start from today’s measured time"), "{of_measured:?}");
    assert_eq!(of_half.factor_90, GPU_ERROR);
    assert!(of_half.why.contains("its machines are not those of the measurement"), "{of_half:?}");
    let (of_one, _) = error_of(machines(1, 4));
    assert_eq!(of_one.factor_90, GPU_ERROR);
    assert!(
        of_one.why.starts_with("the prediction uses the measured time, but ")
            && of_one.why.contains("today’s machines are not"),
        "{of_one:?}"
    );
}

#[test]
fn an_engine_that_does_not_support_the_spark_of_the_log_has_a_warning() {
    let of = |spark: &str| {
        let today = on_machines_of(&engines(), &machines(2, 16), spark);
        let found = options(&today, &base().profile().expect("engines").sources, &alternatives());
        let warned = |name: &str| {
            let mut candidates = found.iter().map(|option| option.candidate(None));
            let of_engine = candidates.find(|candidate| candidate.engine.starts_with(name)).expect("an option");
            of_engine.evidence.warnings.iter().any(|warning| warning.contains("does not support"))
        };
        (warned("RAPIDS"), warned("Gluten"))
    };
    assert_eq!(
        (of("Spark 3.3.0"), of("Spark 3.1.1"), of("Spark 4.0.0")),
        ((false, false), (true, true), (false, true))
    );
}

/// 30 GB are exchanged now; the largest measured exchange had 77 GB.
#[test]
fn the_growth_of_a_query_is_known_as_far_as_was_measured() {
    let import = import();
    let mut study = study(&import, revenue(&import));
    study.query.as_mut().expect("a query").plan = counted(30.0).into();
    let alternatives = alternatives();
    let growing = GrowingQuery::new(&study, &alternatives).expect("engines and a query");
    assert!(growing.at(1.0).is_some());
    assert_eq!(growing.at(10.0), None);
}

#[test]
fn what_is_larger_than_any_measured_query_is_not_judged_on_gpus() {
    let import = import();
    let mut study = study(&import, revenue(&import));
    let mut candidates = |exchanged_gb: f64| {
        study.query.as_mut().expect("a query").plan = counted(exchanged_gb).into();
        workload_of(&study, &alternatives()).expect("engines and a query").1
    };
    let is_rapids = |candidate: &&Candidate| candidate.engine.contains("RAPIDS");
    let small = candidates(1.0);
    let judged: Vec<&Candidate> = small.iter().filter(is_rapids).collect();
    assert!(!judged.is_empty());
    for candidate in judged {
        assert_eq!(candidate.blocked_by, None, "{}", candidate.title);
        assert_eq!(
            candidate.evidence.basis, "its measured time, data read, files and exchanges",
            "{}",
            candidate.title
        );
    }
    // Gluten was measured on other machines, where its constant answers.
    let gluten = small.iter().find(|candidate| candidate.engine.contains("Gluten")).expect("an option");
    assert_eq!(gluten.evidence.basis, Engines::CONSTANT_BASIS);
    assert!(gluten.evidence.error.as_ref().is_some_and(|error| error.why.contains("one speedup for all queries")));
    // More than 77 GB of four machines and 154 GB of eight, times 1.25.
    let large = candidates(300.0);
    for candidate in large.iter().filter(is_rapids) {
        let why = candidate.blocked_by.as_deref().unwrap_or_default();
        assert!(why.starts_with("outside what was measured: ") && why.contains("q67"), "{}: {why}", candidate.title);
    }
    assert!(large.iter().any(|candidate| candidate.engine.contains("Gluten") && candidate.blocked_by.is_none()));
}
