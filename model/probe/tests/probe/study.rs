//! The probe study: the published example, routes, scores, rankings and plans, by hand and by property.

use std::collections::BTreeMap;

use crossover_measured::probe::{Category, Executed};
use crossover_probe::build::{build, executions};
use crossover_probe::centre::route;
use crossover_probe::outcome::evaluate;
use crossover_probe::study::Target;
use crossover_probe::{
    Centre, EstimateMethod, Input, Match, Planner, Probe, Route, Run, Runs, TargetOperator, UnitType, Work,
};
use crossover_scenario as scenario;
use proptest::prelude::*;

const PUBLISHED: &str = include_str!("../../../../scenarios/probe-published.ron");
const CENTRES: &str = include_str!("../../../../scenarios/probe-centres.ron");

fn study(text: &str) -> Probe {
    scenario::read(text).expect("a scenario").probe().expect("a probe scenario").clone()
}

fn operator(name: &str, executions: f64, from: &[&str]) -> TargetOperator {
    let from = from.iter().map(|name| Input { operator: (*name).to_owned() }).collect();
    TargetOperator { name: name.to_owned(), executions, category: None, library_operator: String::new(), from }
}

fn target(category: Option<Category>) -> Target {
    Target { category, is_split: false, ..study(PUBLISHED).target }
}

/// The document: 3,000, 2,000 and 1,000 executions at 1000:1 are 3, 2 and 1; the means of 1 and 2 feed 3.
#[test]
fn the_published_example_becomes_the_published_probe() {
    let study = study(PUBLISHED);
    let built = build("probe", &study.target, &study.operators);
    let [probe] = &built.probes[..] else { panic!("one probe") };
    let executed: Vec<(&str, u32)> = probe.operators.iter().map(|of| (of.name.as_str(), of.executions)).collect();
    assert_eq!(executed, [("operator 1", 3), ("operator 2", 2), ("operator 3", 1)]);
    assert_eq!(probe.operators[2].from, ["operator 1", "operator 2"]);
    assert_eq!(probe.validate(), Ok(()));
}

/// Table 1: unit 1 supports {1, 3, 4}, unit 2 {1, 2, 3, 5}, unit 3 {1, 2, 5}; only unit 2 supports 1, 2 and 3.
#[test]
fn table_1_chooses_the_units_that_support_every_operator() {
    let mut study = study(PUBLISHED);
    let built = build("probe", &study.target, &study.operators);
    assert_eq!(route(&study.centres[0], &built), Ok(1));
    study.centres[0].route = Route::User("unit 3".to_owned());
    assert_eq!(route(&study.centres[0], &built), Ok(2));
    study.centres[0].route = Route::Named(vec!["unit 2".to_owned()]);
    assert_eq!(route(&study.centres[0], &built), Ok(1));
    study.centres[0].route = Route::Centre;
    assert!(route(&study.centres[0], &built).expect_err("no report").contains("not reported"));
    study.centres[0].units[2].runs.add(&[run(1.0, 1.0)], &[]);
    assert_eq!(route(&study.centres[0], &built), Ok(2));
    study.centres[0].route = Route::Table;
    study.centres[0].units.remove(1);
    let why = route(&study.centres[0], &built).expect_err("none supports all");
    assert!(why.contains("unit 1 lacks operator 2") && why.contains("unit 3 lacks operator 3"), "{why}");
}

#[test]
fn few_executions_stay_and_many_are_divided() {
    let target = Target { ratio: 1000.0, scale_above: 3.0, ..target(None) };
    let counts = [1.0, 3.0, 4.0, 400.0, 1_499.0, 1_501.0, 3_000.0, 1e12];
    let expected = [1, 3, 1, 1, 1, 2, 3, 10_000];
    assert_eq!(counts.map(|count| executions(count, &target)), expected);
}

#[test]
fn the_category_decides_between_operators_with_the_same_name() {
    let found = |category| {
        let built = build("probe", &target(category), &[operator("GEMM_17", 1.0, &[])]);
        built.matches[0].clone()
    };
    assert_eq!(found(Some(Category::Hpc)), Match::Name("dgemm".to_owned()));
    assert_eq!(found(Some(Category::Ai)), Match::Name("sgemm".to_owned()));
    // No operator of this category has the name: another one's is taken.
    assert_eq!(found(Some(Category::Data)), Match::Name("dgemm".to_owned()));
}

#[test]
fn names_are_matched_by_similarity_and_operators_without_a_match_are_bypassed() {
    let operators = [
        operator("convolutions", 5_000.0, &[]),
        operator("zzz", 1.0, &["convolutions"]),
        operator("BatchNorm2d", 2_000.0, &["zzz"]),
    ];
    let built = build("probe", &target(Some(Category::Ai)), &operators);
    assert!(matches!(&built.matches[0], Match::Similar(key, similarity) if key == "convolution" && *similarity > 0.9));
    assert_eq!(built.matches[1], Match::None);
    assert_eq!(built.matches[2], Match::Name("triad".to_owned()));
    assert_eq!(built.probes[0].operators[1].from, ["convolutions"]);
}

#[test]
fn independent_groups_become_separate_probes_as_an_option() {
    let operators = [operator("dgemm", 1.0, &[]), operator("fft", 1.0, &[]), operator("spmv", 1.0, &["dgemm"])];
    let together = build("probe", &target(None), &operators);
    assert_eq!(together.probes.len(), 1);
    let apart = build("probe", &Target { is_split: true, ..target(None) }, &operators);
    let names: Vec<Vec<&str>> =
        apart.probes.iter().map(|probe| probe.operators.iter().map(|of| of.name.as_str()).collect()).collect();
    assert_eq!(names, [vec!["dgemm", "spmv"], vec!["fft"]]);
}

#[test]
fn operators_are_put_behind_their_inputs_and_cycles_are_rejected() {
    let mut study = study(PUBLISHED);
    study.operators.reverse();
    let built = build("probe", &study.target, &study.operators);
    assert_eq!(built.probes[0].validate(), Ok(()));
    assert_eq!(built.probes[0].operators[2].name, "operator 3");
    study.operators = vec![operator("a", 1.0, &["b"]), operator("b", 1.0, &["a"])];
    let invalid = crossover_scenario::Study::Probe(study).validate().expect_err("a cycle");
    assert!(invalid.problem.contains("cycle"), "{}", invalid.problem);
}

#[test]
fn a_program_that_a_user_added_goes_before_the_library() {
    let text = r#"[(key: "mine", categories: [hpc], aliases: ["fft"], command: (line: ["./mine", "--fast"]))]"#;
    let added = ron::from_str(text).expect("a list of programs");
    let target = Target { programs: added, ..target(Some(Category::Hpc)) };
    let built = build("probe", &target, &[operator("fft", 2_000.0, &[])]);
    let of = &built.probes[0].operators[0];
    assert!(matches!(&of.runs, Executed::Command(command) if command.line == ["./mine", "--fast"]));
    assert_eq!((of.executions, of.in_target), (2, 2_000.0));
}

fn run(units: f64, seconds: f64) -> Run {
    Run { units, seconds, error: Some(1e-14), target_seconds: Some(100.0 * seconds), hours: None }
}

/// A centre whose runs all have the units to compare on.
fn centre(name: &str, seconds: &[f64]) -> Centre {
    let mut runs = Runs::default();
    runs.add(&seconds.iter().map(|seconds| run(1.0, *seconds)).collect::<Vec<Run>>(), &[]);
    let units = vec![UnitType { count: 8.0, runs, price_per_hour: 1.0, ..UnitType::default() }];
    Centre { name: name.to_owned(), units, ..Centre::default() }
}

fn of_centres(centres: Vec<Centre>) -> Probe {
    Probe { centres, sources: BTreeMap::default(), ..study(PUBLISHED) }
}

#[test]
fn centres_without_a_significant_difference_share_a_rank() {
    // Points: up to 0.1 s 100, up to 0.3 s 80, up to 1 s 60. b's interval reaches over 0.3 s.
    let a = centre("a", &[0.20, 0.21, 0.22]);
    let b = centre("b", &[0.25, 0.33, 0.29]);
    let c = centre("c", &[0.80, 0.81, 0.79]);
    let outcome = evaluate(&of_centres(vec![c, b, a]));
    let ranked: Vec<(usize, usize)> = outcome.ranking.iter().map(|rank| (rank.centre, rank.rank)).collect();
    // The interval of b overlaps that of c, so only a is significantly better than c.
    assert_eq!(ranked, [(2, 1), (1, 1), (0, 2)]);
    assert_eq!(outcome.ranking[0].tied, [1]);
}

#[test]
fn a_centre_with_one_run_differs_from_no_other() {
    let outcome = evaluate(&of_centres(vec![centre("a", &[0.05]), centre("b", &[5.0, 5.1, 5.2])]));
    assert_eq!(outcome.ranking.iter().map(|rank| rank.rank).collect::<Vec<_>>(), [1, 1]);
    // Also where two others differ.
    let (best, single, worst) = (centre("a", &[0.05, 0.05]), centre("b", &[5.0]), centre("c", &[0.5, 0.5]));
    let outcome = evaluate(&of_centres(vec![best, single, worst]));
    let ranks: Vec<(usize, usize)> = outcome.ranking.iter().map(|rank| (rank.centre, rank.rank)).collect();
    assert_eq!(ranks, [(0, 1), (2, 2), (1, 1)]);
    assert!(outcome.warnings.iter().any(|warning| warning.contains("ran the probe once")), "{:?}", outcome.warnings);
}

#[test]
fn the_time_of_the_task_is_that_of_its_operators_else_the_ratio_of_executions() {
    let with = evaluate(&of_centres(vec![centre("a", &[0.2, 0.2])]));
    assert_eq!(with.centres[0].target.map(|(target, how)| (target.mean, how)), Some((20.0, EstimateMethod::Operators)));
    let mut without = centre("a", &[]);
    without.units[0].runs.add(&[Run { target_seconds: None, ..run(1.0, 0.2) }], &[]);
    let without = evaluate(&of_centres(vec![without]));
    // 6,000 executions in the task, 6 in the probe.
    let (target, how) = without.centres[0].target.expect("a time");
    assert!((target.mean - 200.0).abs() < 1e-9 && how == EstimateMethod::Ratio);
}

#[test]
fn runs_of_another_probe_do_not_count() {
    let mut study = of_centres(vec![centre("a", &[0.2, 0.21]), centre("b", &[0.2, 0.21])]);
    let probe = build("probe", &study.target, &study.operators).probes.remove(0);
    study.centres[0].units[0].runs.probe = Some(probe.fingerprint());
    assert_eq!(evaluate(&study).ranking.len(), 2);
    // The task changes; the runs of b do not record their probe.
    study.operators[0].executions = 9_000.0;
    let outcome = evaluate(&study);
    assert_eq!(outcome.ranking.iter().map(|rank| rank.centre).collect::<Vec<_>>(), [1]);
    assert!(outcome.warnings.iter().any(|warning| warning.contains("a different probe")), "{:?}", outcome.warnings);
}

#[test]
fn without_a_fit_a_task_gets_the_units_of_the_comparison() {
    let mut study = of_centres(vec![centre("a", &[])]);
    study.target.units = 8.0;
    study.centres[0].units[0].runs.add(&[run(8.0, 36.0), run(8.0, 36.0)], &[]);
    study.work = vec![Work { name: "w".into(), copies: 2.0, size: 1.0, arrives_after_hours: 0.0, is_networked: false }];
    let outcome = evaluate(&study);
    let scheduled = &outcome.plans[0].tasks;
    // 3,600 s each, one after the other, 8 unit-hours each.
    assert_eq!(
        scheduled.iter().map(|scheduled| (scheduled.units, scheduled.from, scheduled.cost)).collect::<Vec<_>>(),
        [(8.0, 0.0, 8.0), (8.0, 1.0, 8.0)]
    );
}

#[test]
fn times_are_not_extrapolated_beyond_the_measured_units() {
    // The law has its peak far beyond 4 units: no time is extrapolated to there.
    let mut study = of_centres(vec![centre("a", &[])]);
    let seconds = |units: f64| (1.0 + 1e-4 * units * (units - 1.0)) / units;
    let runs: Vec<Run> =
        [1.0, 2.0, 3.0, 4.0].into_iter().flat_map(|units| vec![run(units, seconds(units)); 2]).collect();
    study.centres[0].units[0].count = 1_000.0;
    study.centres[0].units[0].runs.add(&runs, &[]);
    let of = &evaluate(&study).centres[0];
    let target = of.target.expect("a time").0.mean;
    assert!(target >= 100.0 * seconds(4.0) * 0.999, "{target}");
    assert!((of.slowdown(1_000.0) - 1.0).abs() < 1e-9);
}

#[test]
fn failed_runs_do_not_count_and_a_warning_names_them() {
    let mut broken = centre("a", &[0.2, 0.21]);
    broken.units[0].runs.add(&[], &["1 units: solver: value 2, right is 1".to_owned()]);
    let outcome = evaluate(&of_centres(vec![broken, centre("b", &[0.2, 0.21])]));
    assert_eq!(outcome.centres[0].seconds, outcome.centres[1].seconds);
    assert!(outcome.warnings.iter().any(|warning| warning.contains("1 run at a failed")), "{:?}", outcome.warnings);
}

#[test]
fn the_assumed_centres_show_what_was_assumed() {
    let study = study(CENTRES);
    let outcome = evaluate(&study);
    let [north, south, coast] = &outcome.centres[..] else { panic!("three centres") };
    // As they were drawn: contention, best hours, what is worse.
    let law = north.scaled.as_ref().expect("a fit").law;
    assert!((law.alpha - 0.03).abs() < 0.015, "{}", law.alpha);
    let best = north.network.as_ref().and_then(|network| network.best).expect("a window");
    assert!(best.from >= 18.0 || best.until <= 8.0, "{best:?}");
    assert_eq!(outcome.ranking[0].centre, 1);
    assert!(south.target.expect("a time").0.mean < coast.target.expect("a time").0.mean);
    let plan = outcome.plan().expect("work");
    assert_eq!(plan.planner, Planner::Measured);
    assert!(outcome.plans[1..].iter().all(|baseline| plan.objective < 0.1 * baseline.objective), "{:?}", outcome.plans);
}

#[test]
fn work_that_follows_the_network_waits_for_the_good_hours() {
    let mut study = study(CENTRES);
    study.centres.truncate(1);
    // At 10 o'clock on Monday, when north is 1.8 times slower, and an hour is worth little.
    study.planning.start_hour = 10.0;
    study.planning.hour_value = 0.001;
    let work =
        |is_networked| Work { name: "w".into(), copies: 1.0, size: 20.0, arrives_after_hours: 0.0, is_networked };
    study.work = vec![work(true)];
    let outcome = evaluate(&study);
    let scheduled = &outcome.plan().expect("work").tasks[0];
    let begins = (10.0 + scheduled.from) % 24.0;
    assert!(scheduled.from > 0.0 && !(8.0..18.0).contains(&begins), "{scheduled:?}");
    assert!(scheduled.reason.contains("best window of the day"), "{}", scheduled.reason);
    study.work = vec![work(false)];
    assert_eq!(evaluate(&study).plan().expect("work").tasks[0].from, 0.0);
}

/// What holds of every plan: no more units at once than there are, nothing before it comes.
fn check_plan(study: &Probe) -> Result<(), TestCaseError> {
    let outcome = evaluate(study);
    for plan in &outcome.plans {
        for (centre, of) in study.centres.iter().enumerate() {
            let of_centre: Vec<_> = plan.tasks.iter().filter(|scheduled| scheduled.centre == centre).collect();
            for at in &of_centre {
                let busy: f64 = of_centre
                    .iter()
                    .filter(|other| other.from <= at.from && at.from < other.until)
                    .map(|other| other.units)
                    .sum();
                prop_assert!(busy <= of.units[0].count, "{busy} of {} units", of.units[0].count);
            }
        }
        for scheduled in &plan.tasks {
            prop_assert!(
                scheduled.from >= study.work[scheduled.work].arrives_after_hours && scheduled.until > scheduled.from
            );
        }
        let tasks: f64 = study.work.iter().map(|work| work.copies).sum();
        prop_assert_eq!(plan.tasks.len() as f64, tasks);
        let objective: f64 = plan
            .tasks
            .iter()
            .map(|scheduled| {
                let came = study.work[scheduled.work].arrives_after_hours;
                scheduled.cost + study.planning.hour_value * (scheduled.until - came)
            })
            .sum();
        prop_assert!((objective - plan.objective).abs() <= 1e-9 * objective.max(1.0));
    }
    Ok(())
}

fn any_centre() -> impl Strategy<Value = Centre> {
    let seconds = prop::collection::vec((1..=8_u32, 0.01..10.0_f64), 1..12);
    (seconds, 1..=8_u32, 0.0..5.0_f64).prop_map(|(runs, most, price)| {
        let mut of = Runs::default();
        let runs: Vec<Run> = runs.iter().map(|(units, seconds)| run(f64::from(*units.min(&most)), *seconds)).collect();
        of.add(&runs, &[]);
        of.add(&[run(1.0, 1.0)], &[]);
        let units = vec![UnitType { count: f64::from(most), runs: of, price_per_hour: price, ..UnitType::default() }];
        Centre { units, ..Centre::default() }
    })
}

fn named(centres: Vec<Centre>) -> Vec<Centre> {
    centres.into_iter().enumerate().map(|(place, centre)| Centre { name: format!("c{place}"), ..centre }).collect()
}

proptest! {
    #[test]
    fn permuting_centres_changes_no_score(centres in prop::collection::vec(any_centre(), 1..6), by in 0..6_usize) {
        let centres = named(centres);
        let mut moved = centres.clone();
        let count = moved.len();
        moved.rotate_left(by % count);
        let (one, other) = (evaluate(&of_centres(centres.clone())), evaluate(&of_centres(moved.clone())));
        for (place, centre) in centres.iter().enumerate() {
            let there = moved.iter().position(|other| other.name == centre.name).expect("the same centres");
            prop_assert_eq!(&one.centres[place], &other.centres[there]);
        }
        let names = |outcome: &crossover_probe::Outcome, centres: &[Centre]| -> Vec<(String, usize)> {
            outcome.ranking.iter().map(|rank| (centres[rank.centre].name.clone(), rank.rank)).collect()
        };
        prop_assert_eq!(names(&one, &centres), names(&other, &moved));
    }

    #[test]
    fn plans_keep_to_what_there_is(
        centres in prop::collection::vec(any_centre(), 1..4),
        work in prop::collection::vec((1..5_u32, 0.1..1e4_f64, 0.0..30.0_f64, any::<bool>()), 1..5),
        hour_value in 0.0..10.0_f64,
    ) {
        let mut study = of_centres(named(centres));
        study.work = work
            .into_iter()
            .enumerate()
            .map(|(place, (copies, size, arrives_after_hours, is_networked))| Work {
                name: format!("w{place}"), copies: f64::from(copies), size, arrives_after_hours, is_networked,
            })
            .collect();
        study.planning.hour_value = hour_value;
        check_plan(&study)?;
    }
}
