//! Edits keep a study valid.

use crossover_model::provenance::Provenance;
use crossover_model::quantity::Quantity;
use crossover_model::regulation::validate::validate;
use crossover_model::regulation::{Actuator, PowerLaw, Regulation, Shape};
use proptest::prelude::*;

use super::set;
use super::studies::{any_of, study};

/// The study with a source for every number.
fn sourced(mut study: Regulation) -> Regulation {
    let paths = study.numbers().into_iter().map(|(path, ..)| path);
    study.sources = paths.map(|path| (path, Provenance::Published("anywhere".to_owned()))).collect();
    study
}

/// A value of a range that reaches below zero, whole where it must be.
fn spread(quantity: Quantity) -> BoxedStrategy<f64> {
    let whole = quantity.whole;
    (quantity.min..=quantity.max).prop_map(move |value| if whole { value.round() } else { value }).boxed()
}

fn edit() -> impl Strategy<Value = (usize, usize)> {
    (0..17usize, 0..12usize)
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
            let rung = study.ladder[index % study.ladder.len()].clone();
            study.add_rung(rung);
        }
        9 => study.remove_rung(index),
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
        15 => study.rename_cluster(index, &format!("cluster {index}.demand")),
        _ => study.rename_controller(index, &format!("controller {index}.schedule")),
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
        let paths: Vec<String> = changed.numbers().into_iter().map(|(path, ..)| path).collect();
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
            let numbers: Vec<_> = study.numbers().into_iter().map(|(path, quantity, _)| (path, *quantity)).collect();
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
        let paths: Vec<String> = before.numbers().into_iter().map(|(path, ..)| path).collect();
        let mut after = before.clone();
        after.settle(&paths[which.index(paths.len())]);
        prop_assert_eq!(before, after);
    }
}
