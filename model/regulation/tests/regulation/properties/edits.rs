//! Edits keep a study valid.

use crossover_quantity::provenance::Provenance;
use crossover_quantity::quantity::Quantity;
use crossover_regulation::pid::Gains;
use crossover_regulation::recording::{Column, Gpus, Recording, Track, to_demand};
use crossover_regulation::{Actuator, CurvePoint, Form, PowerLaw, Regulation, Shape};
use crossover_scenario::read;
use crossover_study::sources;
use crossover_study::{Subject, numbers, set_number, validate};
use proptest::prelude::*;

use super::set;
use super::studies::{any_of, study};

/// The study with a source for every number.
fn sourced(mut study: Regulation) -> Regulation {
    let paths: Vec<String> = numbers(&study).into_iter().map(|(path, ..)| path.to_string()).collect();
    study.sources = paths.into_iter().map(|path| (path, Provenance::Published("anywhere".to_owned()))).collect();
    study
}

/// A value of a range that reaches below zero, whole where it must be.
fn spread(quantity: Quantity) -> BoxedStrategy<f64> {
    let whole = quantity.whole;
    (quantity.min..=quantity.max).prop_map(move |value| if whole { value.round() } else { value }).boxed()
}

fn edit() -> impl Strategy<Value = (usize, usize)> {
    (0..25usize, 0..12usize)
}

/// Numbers of every size, some of which no study may have.
const EXTREMES: [f64; 12] =
    [0.0, 1.0, 1000.0, 1e-9, f64::MIN_POSITIVE, 1000.1, 1e12, f64::MAX, -1.0, -0.0, f64::INFINITY, f64::NAN];

fn extreme(index: usize) -> f64 {
    EXTREMES[index % EXTREMES.len()]
}

/// Two seconds of a GPU that was hardly or fully busy, on a slow or fast bus.
fn import(study: &mut Regulation, index: usize) {
    let (activity, transfer, bus) = ([1.0, 1e-12][index % 2], [1.0, 1e-3][index / 2 % 2], [1.0, 1e9][index / 4 % 2]);
    let recording = Recording {
        tracks: vec![Track {
            gpu: "0".to_owned(),
            seconds: vec![0.0, 1.0],
            values: [(Column::SmActive, vec![activity; 2]), (Column::PcieRx, vec![transfer * bus; 2])].into(),
        }],
        left_out: Vec::new(),
    };
    if let Ok(replay) = to_demand(&recording, Gpus::One(0), study, index % 4, bus, None) {
        study.import_demand(index % 4, replay, "gpus.csv");
    }
}

/// Carries out an edit by its number.
fn carry_out(study: &mut Regulation, (edit, index): (usize, usize)) {
    match edit {
        0 => drop(study.duplicate_cluster(index)),
        1 => study.remove_cluster(index),
        2 => drop(study.duplicate_controller(index)),
        3 => study.remove_controller(index),
        4 => study.split_band(index),
        5 => study.add_band(true),
        6 => study.add_band(false),
        7 => study.remove_band(index),
        8 => {
            let level = study.precisions[index % study.precisions.len()].clone();
            study.add_precision(level);
        }
        9 => study.remove_precision(index),
        10 => {
            let shapes = [Shape::Constant, Shape::Step, Shape::Ramp, Shape::Day, Shape::Recorded];
            study.set_shape(index % 4, shapes[index % 5]);
        }
        11 => {
            let laws = [PowerLaw::Linear, PowerLaw::Square, PowerLaw::Cube, PowerLaw::Measured];
            study.set_power_law(laws[index % 4]);
        }
        12 => {
            let actuators = [Actuator::Vgpus, Actuator::Frequency, Actuator::Precision];
            study.use_actuator(actuators[index % 3], index > 5);
        }
        13 => {
            let schedule = study.controllers[0].schedule.clone();
            study.set_schedule(index, schedule);
        }
        14 => {
            let fuzzy = study.controllers[0].fuzzy.clone();
            study.set_fuzzy(index, fuzzy);
        }
        15 => {
            let gains = Gains { kp: extreme(index), ki: extreme(index * 5), kd: extreme(index * 7) };
            let form = [Form::P, Form::PI, Form::PD, Form::PID][index % 4];
            let is_allowed = [gains.kp, gains.ki, gains.kd].iter().all(|gain| (0.0..=1000.0).contains(gain));
            let exists = index % 5 < study.controllers.len();
            assert_eq!(study.set_gains(index % 5, form, gains), exists && is_allowed);
        }
        16 => import(study, index),
        17 => drop(study.add_curve_point()),
        18 => study.remove_curve_point(index % 4),
        19 => {
            let point = |frequency_ratio, power_ratio| CurvePoint { frequency_ratio, power_ratio };
            _ = study.set_curve(vec![point(0.5, 0.5), point(extreme(index), extreme(index * 5))]);
        }
        20 => study.use_published_table(),
        21 => study.swap_precisions(index % 4, index / 4),
        22 => {
            let (clusters, controllers) = (study.clusters.len(), study.controllers.len());
            study.clusters.swap(0, index % clusters);
            study.controllers.swap(0, index % controllers);
        }
        23 => drop(sources::rename(study, "clusters", index, &format!("cluster {index}.demand"))),
        _ => drop(sources::rename(study, "controllers", index, &format!("controller {index}.schedule"))),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    /// The window changes one number at a time; it never holds an invalid study.
    #[test]
    fn a_study_is_valid_after_any_one_number_was_changed_and_settled(
        study in study(),
        which in any::<prop::sample::Index>(),
        share in 0.0..=1.0f64,
    ) {
        let mut changed = sourced(study);
        let paths: Vec<String> = numbers(&changed).into_iter().map(|(path, ..)| path.to_string()).collect();
        let path = which.get(&paths);
        set(&mut changed, path, |quantity, _| {
            let value = quantity.min + share * (quantity.max - quantity.min);
            if quantity.whole { value.round() } else { value }
        });
        changed.settle(path);
        prop_assert_eq!(validate(&changed), Ok(()), "{}", path);
    }

    #[test]
    fn a_study_is_valid_after_a_number_was_set_to_any_decade_of_its_range(
        (study, path, value) in study().prop_flat_map(|study| {
            let numbers: Vec<_> = numbers(&study).into_iter().map(|(path, quantity, _)| (path.to_string(), *quantity)).collect();
            (Just(study), prop::sample::select(numbers))
        }).prop_flat_map(|(study, (path, quantity))| {
            let of_range = if quantity.min < 0.0 { spread(quantity) } else { any_of(quantity) };
            (Just(study), Just(path), of_range)
        }),
    ) {
        let mut changed = study;
        set(&mut changed, &path, |_, _| value);
        changed.settle(&path);
        prop_assert_eq!(validate(&changed), Ok(()), "{} = {}", path, value);
    }

    #[test]
    fn a_study_is_valid_after_any_edits(study in study(), edits in prop::collection::vec(edit(), 1..12)) {
        let mut changed = sourced(study);
        for edit in edits {
            carry_out(&mut changed, edit);
            prop_assert_eq!(validate(&changed), Ok(()), "{:?}", edit);
        }
    }

    /// A number that stays where it is asks nothing of the others.
    #[test]
    fn settling_a_valid_study_changes_nothing(study in study(), which in any::<prop::sample::Index>()) {
        let before = sourced(study);
        let paths: Vec<String> = numbers(&before).into_iter().map(|(path, ..)| path.to_string()).collect();
        let mut after = before.clone();
        after.settle(&paths[which.index(paths.len())]);
        prop_assert_eq!(before, after);
    }
}

fn published() -> Regulation {
    let text = include_str!("../../../../../scenarios/regulation-published.ron");
    read(text).expect("valid").regulation().expect("a regulation study").clone()
}

fn named(place: &str) -> Provenance {
    Provenance::Published(place.to_owned())
}

/// "a" and "a.b" are both names, and their paths begin alike.
#[test]
fn a_name_that_begins_like_another_keeps_its_own_sources() {
    let mut study = published();
    study.sources.clear();
    sources::rename(&mut study, "clusters", 0, "a");
    sources::rename(&mut study, "clusters", 1, "a.demand");
    study.sources.insert("clusters.a.demand.high_tops".to_owned(), named("of a"));
    study.sources.insert("clusters.a.demand.vgpus".to_owned(), named("of a.demand"));
    sources::rename(&mut study, "clusters", 0, "first");
    assert_eq!(study.sources.get("clusters.first.demand.high_tops"), Some(&named("of a")));
    assert_eq!(study.sources.get("clusters.a.demand.vgpus"), Some(&named("of a.demand")));
    sources::rename(&mut study, "clusters", 1, "second");
    assert_eq!(study.sources.get("clusters.second.vgpus"), Some(&named("of a.demand")));
    assert_eq!((study.sources.len(), validate(&study)), (2, Ok(())));
}

#[test]
fn a_name_that_another_entry_has_is_refused() {
    let mut study = published();
    assert!(
        !sources::rename(&mut study, "clusters", 1, "I")
            && !sources::rename(&mut study, "clusters", 2, "third")
            && !sources::rename(&mut study, "controllers", 0, "PID")
    );
    assert_eq!(study, published());
    assert!(sources::rename(&mut study, "clusters", 0, "I"), "its own name");
    assert_eq!(study, published());
}

#[test]
fn gains_beyond_their_range_change_nothing() {
    let mut study = published();
    for (kp, ki, kd) in [(1000.1, 0.0, 0.0), (1.0, 1e300, 0.0), (1.0, 0.0, -0.1), (f64::NAN, 0.0, 0.0)] {
        assert!(!study.set_gains(0, Form::PID, Gains { kp, ki, kd }), "{kp}, {ki}, {kd}");
    }
    assert!(!study.set_gains(4, Form::P, Gains::default()), "there is no fifth controller");
    assert_eq!(study, published());
    assert!(study.set_gains(0, Form::PID, Gains { kp: 1000.0, ki: 1000.0, kd: 0.0 }));
    assert_eq!((study.controllers[0].form, study.controllers[0].kp, validate(&study)), (Form::PID, 1000.0, Ok(())));
}

#[test]
fn points_of_the_curve_and_the_published_table_keep_only_sources_that_are_true() {
    let mut study = published();
    study.set_power_law(PowerLaw::Measured);
    assert!(study.add_curve_point());
    let curve: Vec<_> = study.power.curve.iter().map(|point| (point.frequency_ratio, point.power_ratio)).collect();
    assert_eq!(curve, [(0.5, 0.5), (1.5, 1.5), (1.5 * 1.1, 1.5 * 1.1)]);
    study.sources = sourced(study.clone()).sources;
    study.remove_curve_point(1);
    let is_sourced =
        |study: &Regulation, point: usize| study.sources.contains_key(&format!("power.curve.{point}.power_ratio"));
    assert!(is_sourced(&study, 0) && !is_sourced(&study, 1), "the last point is another one now");
    study.remove_curve_point(0);
    assert_eq!(study.power.curve.len(), 2, "two are needed");
    let descending = study.power.curve.iter().rev().copied().collect();
    assert!(!study.set_curve(descending) && is_sourced(&study, 0));
    assert!(study.set_curve(study.power.curve.clone()) && !is_sourced(&study, 0));
    study.remove_band(0);
    study.use_published_table();
    assert_eq!(study.table, published().table);
    assert!(matches!(study.sources.get("table.0.vgpus"), Some(Provenance::Published(_))));
    assert_eq!(validate(&study), Ok(()));
}

#[test]
fn a_duplicate_stands_after_its_original_with_the_same_sources() {
    let mut study = published();
    assert!(study.duplicate_cluster(0));
    let names: Vec<_> = study.clusters.iter().map(|cluster| cluster.name.as_str()).collect();
    assert_eq!(names, ["I", "I 2", "II"]);
    assert_eq!(study.sources.get("clusters.I 2.vgpus"), study.sources.get("clusters.I.vgpus"));
    assert!(study.sources.contains_key("clusters.I 2.vgpus"));
    study.remove_cluster(1);
    assert_eq!(study, published());
}

#[test]
fn the_last_entry_stays_and_a_fifth_controller_does_not_come() {
    let mut study = published();
    assert!(!study.duplicate_controller(0), "four is all there may be");
    study.remove_controller(3); // PID, the clusters' own
    assert_eq!(study.policy.controller, "P");
    for _ in 0..9 {
        study.remove_controller(0);
        study.remove_cluster(0);
    }
    assert_eq!((study.controllers.len(), study.clusters.len(), validate(&study)), (1, 1, Ok(())));
    let mut study = published();
    let runs_of = |study: &Regulation| study.run.periods * study.clusters.len() as f64;
    study.run.periods = 100_000.0;
    while study.duplicate_cluster(0) {
        assert!(runs_of(&study) <= 200_000.0, "the run becomes shorter as clusters are added");
    }
    assert_eq!((study.clusters.len(), validate(&study)), (16, Ok(())));
}

#[test]
fn rows_of_the_control_table_stay_contiguous_and_their_sources_follow() {
    let ends = |study: &Regulation| -> Vec<f64> { study.table.iter().map(|band| band.from).collect() };
    let source = |study: &Regulation, path: &str| study.sources.get(path).map(Provenance::describe);
    let mut study = published();
    study.split_band(0); // −0.9 … −0.8 … −0.7
    assert_eq!(ends(&study)[..3], [-0.9, -0.8, -0.7]);
    assert_eq!((study.table[0].vgpus, study.table[1].vgpus), (4.0, 4.0));
    let last = source(&study, "table.9.vgpus").expect("moved by one row");
    assert!(last.contains("(0.7, 0.9]"), "{last}");
    study.remove_band(0);
    assert_eq!(ends(&study)[0], -0.8, "outputs beyond the table take the outermost row");
    study.remove_band(6); // (0.3, 0.5]: its outputs go to the row nearer to zero
    assert_eq!((study.table[5].to, study.table[5].vgpus), (0.5, -1.0));
    let count = study.table.len();
    study.remove_band(4);
    study.split_band(4);
    assert_eq!(study.table.len(), count, "the dead zone stays as it is");
    study.add_band(true);
    assert_eq!((study.table[0].from, study.table[0].to, study.table[0].vgpus), (-1.0, -0.8, 4.0));
    assert_eq!(validate(&study), Ok(()));
}

#[test]
fn an_end_that_moves_takes_the_neighbour_along_and_stays_on_its_side_of_zero() {
    let moved = |path: &str, value: f64| {
        let mut study = published();
        assert!(set_number(&mut study, path, value), "{path}");
        study.settle(path);
        assert_eq!(validate(&study), Ok(()));
        study
    };
    let study = moved("table.5.to", 0.35);
    assert_eq!([study.table[5].to, study.table[6].from], [0.35, 0.35]);
    assert!(!study.sources.contains_key("table.6.from"), "it is no longer what was published");
    let study = moved("table.6.from", 0.25);
    assert_eq!([study.table[5].to, study.table[6].from], [0.25, 0.25]);
    let study = moved("table.4.to", -0.2);
    assert!(study.table[4].to > 0.0 && study.table[4].to < 0.01 && study.table[5].from == study.table[4].to);
    let study = moved("table.4.vgpus", 3.0);
    assert_eq!(study.table[4].vgpus, 0.0, "the dead zone does not act");
    let study = moved("clusters.I.min_vgpus", 300.0);
    assert_eq!((study.clusters[0].vgpus, study.clusters[0].max_vgpus), (300.0, 300.0));
    let study = moved("clusters.II.start_ghz", 0.5);
    assert_eq!((study.clusters[1].min_ghz, study.clusters[1].max_ghz), (0.5, 1.1));
    let study = moved("run.average_periods", 700.0);
    assert_eq!(study.run.periods, 700.0);
}

#[test]
fn shapes_laws_actuators_and_precisions_bring_what_they_need() {
    let mut study = published();
    study.set_shape(0, Shape::Recorded);
    assert_eq!(*study.clusters[0].demand.series, [5000.0], "the demand that it has");
    study.set_shape(0, Shape::Ramp);
    assert!(study.clusters[0].demand.end_seconds > study.clusters[0].demand.start_seconds);
    study.set_power_law(PowerLaw::Measured);
    assert_eq!(study.power.curve.len(), 2);
    study.use_actuator(Actuator::Vgpus, false);
    study.use_actuator(Actuator::Frequency, false);
    assert_eq!(study.actuators.order, [Actuator::Frequency], "the last one stays");
    study.use_actuator(Actuator::Precision, true);
    assert_eq!(study.actuators.order, [Actuator::Frequency, Actuator::Precision]);
    assert!(study.uses_precision(1) && !study.uses_precision(0));
    study.remove_precision(1);
    study.remove_precision(0);
    assert_eq!(study.precisions[0].name, "int8", "the one in use stays");
    "fp16".clone_into(&mut study.clusters[0].lowest_precision);
    study.settle("clusters.I.lowest_precision");
    let cluster = &study.clusters[0];
    assert_eq!([&cluster.precision, &cluster.highest_precision], ["fp16", "fp16"]);
    assert_eq!(validate(&study), Ok(()));
}
