//! A file keeps every bit of every number.

use crossover_placement::{Parameter, ParameterOf, Placement};
use crossover_quantity::provenance::Provenance;
use crossover_scenario::{Scenario, read};
use proptest::prelude::*;

use super::studies::{placement, scenario, study};

fn finite() -> impl Strategy<Value = f64> {
    use prop::num::f64::{NEGATIVE, NORMAL, POSITIVE, SUBNORMAL, ZERO};
    POSITIVE | NEGATIVE | NORMAL | SUBNORMAL | ZERO
}

/// The bits of every number of a study.
fn bits(study: &Placement) -> Vec<u64> {
    ParameterOf::all(study).filter_map(|field| field.value(study)).map(f64::to_bits).collect()
}

proptest! {
    #[test]
    fn a_file_keeps_every_bit_of_every_number(
        study in study(),
        names in prop::collection::hash_set("\\PC{1,12}", 3).prop_map(Vec::from_iter),
        notes in "(?s).{0,40}",
        interval in (finite(), finite()),
    ) {
        let mut study = study;
        for (operator, name) in study.operators.iter_mut().zip(names) {
            if !name.trim().is_empty() {
                operator.name = name;
            }
        }
        let path = ParameterOf { parameter: Parameter::CPU_TIME, index: 0 }.path(&study);
        let interval = (interval.0.min(interval.1), interval.0.max(interval.1));
        let measured = Provenance::Measured { device: notes.clone(), date: "2026-01-31".to_owned(), interval };
        study.sources.insert(path, measured);
        let written = Scenario { notes, ..scenario(study) };
        let text = written.to_ron();
        let found = read(&text).map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?;
        prop_assert_eq!(&found, &written);
        prop_assert_eq!(bits(&placement(&found)), bits(&placement(&written)));
    }
}

#[test]
fn numbers_that_other_formats_lose_survive_a_file() {
    let text = include_str!("../../../../../scenarios/placement-published.ron");
    let study = placement(&read(text).expect("valid"));
    for (parameter, value) in [
        (Parameter::FIXED_COST, 0.1 + 0.2),
        (Parameter::FIXED_COST, f64::from_bits(1)),
        (Parameter::FIXED_COST, f64::MIN_POSITIVE.next_down()),
        (Parameter::OUTPUT_RATIO, f64::MIN_POSITIVE),
        (Parameter::OUTPUT_RATIO, -0.0),
        (Parameter::OUTPUT_RATIO, 1.0 / 3.0),
        (Parameter::INPUT_SIZE, 1e6f64.next_down()),
        (Parameter::INPUT_SIZE, 1e-6f64.next_up()),
        (Parameter::INPUT_SIZE, 123_456.789_012_345_67),
        (Parameter::MACHINES, 999_999.0),
        (Parameter::CPU_TIME, 5e-324 + 0.005f64.next_up()),
    ] {
        let mut study = study.clone();
        assert!(ParameterOf { parameter, index: 0 }.set(&mut study, value));
        let found = placement(&read(&scenario(study).to_ron()).expect("valid"));
        let found = ParameterOf { parameter, index: 0 }.value(&found).expect("present");
        assert_eq!(found.to_bits(), value.to_bits(), "{value} became {found}");
    }
}
