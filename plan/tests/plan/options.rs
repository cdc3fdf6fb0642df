//! What could run a query: today's engine on the machines of a file, the options beside it, and the decision.

mod judged;

use std::path::PathBuf;

use crossover_decision::{Candidate, Decision, Objective, Price, PriceBasis, TimeLimit, decide};
use crossover_engine::{Engine, Engines, file};
use crossover_placement::Placement;
use crossover_placement::whole;
use crossover_plan::options::growth::GrowingQuery;
use crossover_plan::options::{Alternative, Alternatives, EngineOption, Unmeasured, options, workload_of};
use crossover_plan::scenario::{Machines, scenario};
use crossover_plan::today::{measured_seconds, on_machines_of};
use crossover_plan::{Cluster, Control, Import, Query, spark};
use crossover_quantity::provenance::Sources;
use crossover_query::{Kind, Node, Plan};
use crossover_scenario::read;
use crossover_study::Subject as _;

/// The decision between these alternatives.
fn decide_between(study: &Placement, alternatives: &Alternatives, objective: Objective) -> Option<Decision> {
    let (baseline, candidates) = workload_of(study, alternatives)?;
    Some(decide(baseline, candidates, objective))
}

/// Spark on 8 × c5d.12xlarge beside RAPIDS on 4 × g6.2xlarge, as fitted.
const BASE: &str = include_str!("../../../scenarios/placement-truth-aws-l4.ron");
/// Gluten beside Spark, as fitted.
const GLUTEN: &str = include_str!("../../../assets/profiles/spark-gluten.ron");

// Numbers of these files.
const USD_PER_HOUR: f64 = 2.304;
const VCPUS: f64 = 48.0;
const GPU_USD_PER_HOUR: f64 = 0.9776;
const CPU_ERROR: f64 = 2.47;
const GPU_ERROR: f64 = 2.608;
const SPEEDUP_ERROR: f64 = 2.053;
const ANCHORED_ERROR: f64 = 1.873;
/// On other machines.
const GLUTEN_ERROR: f64 = 2.204;

/// Standard deviations within which 90 % of a normal distribution lie.
const Z_90: f64 = 1.644_853_626_951_472_7;

fn base() -> Placement {
    read(BASE).expect("a scenario").placement().expect("a placement study").clone()
}

fn engines() -> Engines {
    *base().engines.expect("engines")
}

fn machines(count: u64, cores: u64) -> Cluster {
    Cluster { machines: Some(count), cores_per_machine: Some(cores), ..Cluster::default() }
}

/// The log of `samples/spark`: one machine with four cores.
fn import() -> Import {
    let log = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("samples/spark/shop-eventlog.zstd");
    spark::read(&log, &Control::default()).expect("the sample is a log")
}

fn revenue(import: &Import) -> &Query {
    let query = import.queries.iter().find(|query| query.description == "revenue by region and category");
    query.expect("the query is in the log")
}

/// The study of a query in the shipped engines.
fn study(import: &Import, query: &Query) -> Placement {
    let scenario = scenario(&base(), Machines::OfFile, import, query);
    scenario.placement().expect("a placement study").clone()
}

fn alternatives() -> Alternatives {
    let gluten = file::read(GLUTEN).expect("a profile");
    let nothing = Unmeasured { title: "Photon".to_owned(), why: "no published run".to_owned(), is_named: false };
    Alternatives {
        on_same_machines: vec![Alternative::new(gluten.engines, &gluten.sources)],
        clusters: Vec::new(),
        unmeasured: vec![nothing],
    }
}

#[track_caller]
fn assert_near(found: f64, expected: f64) {
    assert!((found / expected - 1.0).abs() < 1e-9, "{found} instead of {expected}");
}

fn deviation(within: f64) -> f64 {
    within.ln() / Z_90
}

#[test]
fn the_engine_of_today_is_that_of_the_file_on_its_machines() {
    let moved = on_machines_of(&engines(), &machines(2, 16), "Spark 3.3.0");
    let cpu = &moved.cpu;
    assert_eq!((cpu.name.as_str(), cpu.machine.as_str()), ("Spark 3.3.0", "host with 16 executor cores"));
    assert_eq!((cpu.machines, cpu.lanes), (2.0, 16.0));
    assert_eq!(cpu.fitted_to, "Spark 3.5.3, 8 × c5d.12xlarge");
    assert_near(cpu.usd_per_hour.expect("a price"), USD_PER_HOUR / VCPUS * 16.0);
    // A file that does not name its machines has the price of its cores, also on as many as those of the measurement.
    let unnamed = on_machines_of(&engines(), &machines(8, 14), "Spark 3.5.3");
    assert_near(unnamed.cpu.usd_per_hour.expect("a price"), USD_PER_HOUR / VCPUS * 14.0);
    let nine = on_machines_of(&engines(), &machines(9, 14), "Spark 3.5.3");
    assert!(nine.cpu.usd_per_hour == unnamed.cpu.usd_per_hour && nine.cpu.machines > unnamed.cpu.machines);
    // The machines of the measurement have their own price, whatever the engine uses of them.
    let same = Cluster { machine_type: Some("c5d.12xlarge".to_owned()), ..machines(8, 14) };
    let same = on_machines_of(&engines(), &same, "Spark 3.5.3");
    assert_eq!((same.cpu.usd_per_hour, same.cpu.fitted_to.as_str()), (Some(USD_PER_HOUR), ""));
    // Nothing else is of the file.
    assert_eq!((cpu.work_ratio, &moved.gpu), (engines().cpu.work_ratio, &engines().gpu));

    let named = Cluster { machine_type: Some("m5d.8xlarge".to_owned()), ..machines(2, 16) };
    assert_eq!(on_machines_of(&engines(), &named, "Spark 3.3.0").cpu.title(), "Spark 3.3.0, 2 × m5d.8xlarge");
}

#[test]
fn a_file_that_says_nothing_of_its_machines_keeps_those_of_the_measurement() {
    let moved = on_machines_of(&engines(), &Cluster::default(), "");
    assert_eq!(moved.cpu, engines().cpu);
    // It probably ran on others.
    assert_eq!(moved.anchored_error_factor_90, GPU_ERROR);
}

#[test]
fn the_gpu_cluster_is_offered_at_half_and_twice_its_size_with_a_wider_error() {
    let found = options(&engines(), &Sources::new(), &Alternatives::default());
    let expected = [(2.0, GPU_ERROR), (4.0, ANCHORED_ERROR), (8.0, GPU_ERROR)];
    let found: Vec<EngineOption> =
        found.into_iter().filter(|option| option.candidate(None).engine.starts_with("RAPIDS")).collect();
    assert_eq!(found.len(), expected.len());
    for (option, (count, within)) in found.iter().zip(expected) {
        let candidate = option.candidate(None);
        let usd_per_hour = candidate.usd_per_hour();
        let Candidate { title, evidence, .. } = candidate;
        assert_eq!(title, format!("RAPIDS 25.12 (L4), {count} × g6.2xlarge"));
        assert_eq!(option.engines().anchored_error_factor_90, within, "{title}");
        assert_near(usd_per_hour.expect("a price"), GPU_USD_PER_HOUR * count);
        let is_measured_elsewhere = evidence.distance.iter().any(|difference| difference.contains("4 × g6.2xlarge"));
        assert_eq!(is_measured_elsewhere, count != 4.0, "{title}: {:?}", evidence.distance);
    }
}

/// The cluster was measured on four machines. Sixteen are compared beside half, itself and twice, with the wider error; one machine has
/// no measured data.
#[test]
fn the_compared_numbers_of_machines_do_not_depend_on_the_one_that_was_entered_last() {
    let on = |machines: f64| {
        let mut entered = engines();
        entered.gpu.keep_fitted();
        entered.gpu.machines = machines;
        let found = options(&entered, &Sources::new(), &Alternatives::default());
        let rapids = found.into_iter().filter(|option| option.candidate(None).engine.starts_with("RAPIDS"));
        let of_option =
            |option: EngineOption| (option.engines().gpu.machines, option.engines().anchored_error_factor_90);
        rapids.map(of_option).collect::<Vec<_>>()
    };
    let before = [(2.0, GPU_ERROR), (4.0, ANCHORED_ERROR), (8.0, GPU_ERROR)];
    assert_eq!([on(4.0), on(8.0), on(1.0)], [before, before, before]);
    assert_eq!(on(16.0), [&before[..], &[(16.0, GPU_ERROR)]].concat());
    // Half of two measured machines is one, which nothing was measured of.
    let mut of_two = engines();
    of_two.gpu.machines = 2.0;
    of_two.gpu.fitted_to = of_two.gpu.title();
    let found = options(&of_two, &Sources::new(), &Alternatives::default());
    let rapids = found.iter().filter(|option| option.candidate(None).engine.starts_with("RAPIDS"));
    assert_eq!(rapids.map(|option| option.engines().gpu.machines).collect::<Vec<f64>>(), [2.0, 4.0]);
}

/// An imported query keeps the machines of the measurement, whatever is entered later.
#[test]
fn one_machine_is_not_offered_by_a_search() {
    let import = import();
    let mut study = study(&import, revenue(&import));
    assert_eq!(study.why_not_offered(), None);
    study.engines.as_deref_mut().expect("engines").gpu.machines = 1.0;
    let why = study.why_not_offered().expect("it was measured on four machines");
    assert_eq!(why.path, "engines.gpu.machines");
    assert!(why.problem.contains("no measured data on one machine: measured on 4 × g6.2xlarge"), "{}", why.problem);
    let (_, candidates) = workload_of(&study, &Alternatives::default()).expect("engines and a query");
    assert!(!candidates.iter().any(|candidate| candidate.title.contains(" 1 × g6")), "{candidates:?}");
}

/// Of Spark 3.3.0 and 4.3.0, the first is another minor version than the measured 3.5.3, the last another major one. RAPIDS 25.12 supports
/// 3.3.0 only.
#[test]
fn each_version_in_the_name_of_todays_engine_counts() {
    let today = on_machines_of(&engines(), &machines(2, 16), "Spark 3.3.0 … 4.3.0");
    let found = options(&today, &base().profile().expect("engines").sources, &Alternatives::default());
    let evidence = found[0].candidate(None).evidence;
    assert!(evidence.distance.iter().any(|text| text.contains("minor version")), "{evidence:?}");
    assert!(evidence.warnings.iter().any(|text| text.contains("major version")), "{evidence:?}");
    assert_eq!(evidence.version.map(|version| version.today).as_deref(), Some("Spark 4.3.0"));
    let support = evidence.support.expect("documents");
    assert_eq!(support.is_supported, Some(false), "{}", support.sentence);
    assert!(support.sentence.contains("Spark 4.3.0"), "{}", support.sentence);
}

/// As entered, before half of the measured cluster, itself and twice as many machines; two machines are listed once.
#[test]
fn clusters_that_the_user_entered_are_first_and_marked() {
    let of = |machines: f64, machine: &str| {
        (Engine { machines, machine: machine.to_owned(), ..engines().gpu }, None::<Price>)
    };
    let named =
        Alternatives { clusters: vec![of(4.0, "g6.4xlarge"), of(2.0, "g6.2xlarge")], ..Alternatives::default() };
    let found = options(&engines(), &Sources::new(), &named);
    let candidates = found.iter().map(|option| option.candidate(None));
    let rapids = candidates.filter(|candidate| candidate.engine.starts_with("RAPIDS"));
    let found: Vec<(String, bool)> = rapids.map(|candidate| (candidate.title, candidate.is_named)).collect();
    let title = |cluster: &str| format!("RAPIDS 25.12 (L4), {cluster}");
    let expected =
        [("4 × g6.4xlarge", true), ("2 × g6.2xlarge", true), ("4 × g6.2xlarge", false), ("8 × g6.2xlarge", false)];
    assert_eq!(found, expected.map(|(cluster, is_named)| (title(cluster), is_named)));
}

/// With twice the machines half of the work is left on each; start and steps stay.
#[test]
fn todays_engine_is_offered_on_half_and_twice_its_machines_with_the_error_of_a_prediction() {
    let import = import();
    let query = revenue(&import).clone();
    let on = |count: u64| {
        let engines = on_machines_of(&engines(), &machines(count, 4), "Spark 3.5.3");
        let study = Placement { engines: Some(Box::new(engines)), ..study(&import, &query) };
        let decided =
            decide_between(&study, &Alternatives::default(), Objective::default()).expect("engines and a query");
        let options = decided.options.into_iter().map(|option| option.candidate);
        let of_today: Vec<Candidate> = options.filter(|candidate| candidate.engine == "Spark 3.5.3").collect();
        (decided.baseline, of_today)
    };
    // The model has no exchanges on one machine.
    assert_eq!((on(1).1, on(2).1.len()), (Vec::new(), 1));
    let (today, of_today) = on(8);
    let [half, twice] = &of_today[..] else { panic!("two options instead of {of_today:?}") };
    assert_eq!((half.machines, twice.machines), (Some(4.0), Some(16.0)));
    assert_eq!(twice.title, "Spark 3.5.3, 16 × host with 4 executor cores");
    let seconds = |candidate: &Candidate| candidate.time.expect("a time").value();
    let now = today.time.value();
    assert!(now < seconds(half) && seconds(half) < 2.0 * now, "{half:?}");
    assert!(now / 2.0 < seconds(twice) && seconds(twice) < now, "{twice:?}");
    for candidate in &of_today {
        assert_near(candidate.deviation_of_ratio.expect("an error"), deviation(CPU_ERROR));
        let price = today.usd_per_hour().expect("a price") / 8.0 * candidate.machines.expect("a count");
        assert_near(candidate.usd_per_hour().expect("a price"), price);
        assert!(candidate.evidence.distance.iter().any(|text| text.contains("number of machines")), "{candidate:?}");
    }
}

/// The profiles are of Spark 3.5.3.
#[test]
fn every_option_has_a_date_and_says_how_far_the_spark_of_the_log_is() {
    for (name, notes, warnings) in [("Spark 3.5.1", 0, 0), ("Spark 3.1.1", 1, 0), ("Spark 4.3.0", 0, 1)] {
        let today = on_machines_of(&engines(), &machines(2, 16), name);
        for option in options(&today, &base().profile().expect("engines").sources, &alternatives()) {
            let evidence = option.candidate(None).evidence;
            let of_minor = evidence.distance.iter().filter(|text| text.contains("minor version")).count();
            let of_major = evidence.warnings.iter().filter(|text| text.contains("major version")).count();
            assert_eq!((of_minor, of_major), (notes, warnings), "{name}: {evidence:?}");
            assert!(evidence.date.starts_with("202"), "{name}: {evidence:?}");
        }
    }
}

#[test]
fn the_decision_of_a_study_is_that_between_its_options() {
    let import = import();
    let query = revenue(&import);
    let study = study(&import, query);
    let (baseline, candidates) = workload_of(&study, &alternatives()).expect("engines and a query");
    for objective in [Objective::default(), Objective { time_limit: TimeLimit::Factor(2.0), ..Objective::default() }] {
        let decided = decide_between(&study, &alternatives(), objective).expect("engines and a query");
        assert_eq!(decided, decide(baseline.clone(), candidates.clone(), objective));
    }

    assert_eq!(baseline.title, "Spark 4.3.0, 1 × host with 4 executor cores");
    assert!(baseline.is_measured);
    assert_near(baseline.time.value(), query.duration_seconds.expect("its end is in the log"));
    assert_near(baseline.usd_per_hour().expect("a price"), USD_PER_HOUR / VCPUS * 4.0);
    let titles: Vec<&str> = candidates.iter().map(|candidate| candidate.title.as_str()).collect();
    let expected = [
        "RAPIDS 25.12 (L4), 2 × g6.2xlarge",
        "RAPIDS 25.12 (L4), 4 × g6.2xlarge",
        "RAPIDS 25.12 (L4), 8 × g6.2xlarge",
        "Gluten (Velox) on Spark 3.5.3, same machines",
        "Photon",
    ];
    assert_eq!(titles, expected);
    let [_, rapids, _, gluten, photon] = &candidates[..] else { panic!("five options") };
    // What runs on the machines of today costs what they cost.
    assert!(gluten.is_on_same_machines && !rapids.is_on_same_machines);
    assert_eq!(gluten.price, baseline.price);
    // Those of the sample are not in a price list: it is that of the measured machines, of their region and day.
    let price = baseline.price.as_ref().expect("a price");
    assert_eq!((price.basis, price.region.as_deref()), (PriceBasis::Assumed, Some("us-east-1")));
    assert_eq!(price.date.map(|date| date.to_string()).as_deref(), Some("2026-07-20"));
    let listed = rapids.price.as_ref().expect("a price");
    assert_eq!((listed.basis, listed.date), (PriceBasis::OnDemand, price.date));
    assert_near(gluten.deviation_of_ratio.expect("an error"), deviation(GLUTEN_ERROR));
    assert_near(rapids.deviation_of_ratio.expect("an error"), deviation(GPU_ERROR));
    assert_eq!((photon.time, photon.blocked_by.as_deref()), (None, Some("no measured data: no published run")));
}

/// What the plan page says of both engines is what the decision says of the machines of the measurement.
#[test]
fn the_option_that_was_measured_has_the_times_of_the_plan() {
    let import = import();
    let study = study(&import, revenue(&import));
    let whole = whole::decide(&study).expect("a plan");
    let verdict = whole.verdict.expect("engines");
    let decided = decide_between(&study, &alternatives(), Objective::default()).expect("engines and a query");
    let option = &decided.options[1];
    let time = option.candidate.time.expect("a time");
    assert_near(time.value(), verdict.gpu.value);
    let [low, high] = time.interval().expect("an error");
    assert_near(low, verdict.gpu.low);
    assert_near(high, verdict.gpu.high);
    assert_near(option.faster.expect("an error"), verdict.likelihood.expect("an error"));
}

#[test]
fn a_run_on_gpus_or_a_failed_one_measured_nothing_of_today() {
    let on = |ran_on_gpu: bool| {
        let nodes = vec![Node { ran_on_gpu, ..Node::new("Scan", Kind::Scan) }];
        Query { duration_seconds: Some(12.0), plan: Plan { nodes, ..Plan::default() }.into(), ..Query::default() }
    };
    assert_eq!(measured_seconds(&on(false)), Some(12.0));
    assert_eq!(measured_seconds(&on(true)), None);
    assert_eq!(measured_seconds(&Query { failure: Some("out of memory".to_owned()), ..on(false) }), None);
    for (seconds, expected) in
        [(None, None), (Some(0.0), None), (Some(0.000_241), Some(0.000_241)), (Some(1.0), Some(1.0))]
    {
        assert_eq!(measured_seconds(&Query { duration_seconds: seconds, ..on(false) }), expected, "{seconds:?}");
    }
}

/// What the model has besides rows, bytes and work does not grow: the start of a query and the steps between exchanges.
#[test]
fn times_grow_with_the_data_but_for_their_start() {
    let import = import();
    let study = study(&import, revenue(&import));
    let alternatives = alternatives();
    let growing = GrowingQuery::new(&study, &alternatives).expect("engines and a query");
    let present = growing.at(1.0).expect("times");
    assert_near(present.today, 1.0);
    assert!(present.options.iter().all(|factor| (factor - 1.0).abs() < 1e-9), "{present:?}");
    let more = growing.at(10.0).expect("times");
    // Photon has no time.
    let (photon, measured) = more.options.split_last().expect("options");
    assert_eq!(*photon, 1.0);
    for factor in measured.iter().chain([&more.today]) {
        assert!(1.0 < *factor && *factor < 10.0, "{more:?}");
    }
    // A GPU engine starts as slowly on little data, so its time grows less.
    assert!(more.options[1] < more.today, "{more:?}");
}
