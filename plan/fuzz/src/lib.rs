//! What fuzz targets do: bytes become a file, the file is imported or opened, and what comes out must be usable.

use std::io::Write as _;

use crossover_model::engine::file;
use crossover_model::placement::evaluate;
use crossover_model::placement::whole::decide;
use crossover_model::scenario::{Scenario, Study, VERSION, read};
use crossover_plan::{Control, Format, scenario};

/// Imports the bytes and uses every query. Panics where the product would show a defect: an import that is not
/// valid, a plan that cannot be placed, a scenario that cannot be read again.
pub fn import(format: Format, extension: &str, bytes: &[u8]) {
    let mut file = tempfile::Builder::new().suffix(extension).tempfile().expect("a temporary file");
    file.write_all(bytes).expect("a temporary file can be written");
    let Ok(import) = format.read(file.path(), &Control::default()) else { return };
    let base = read(include_str!("../../../scenarios/placement-modern.ron")).expect("a valid scenario");
    let base = base.placement().expect("a placement study");
    for query in import.queries.iter().filter(|query| !query.plan.nodes.is_empty()) {
        let study = scenario::placement(base, scenario::Machines::OfFile, &import, query);
        let study = Study::Placement(study);
        study.validate().expect("an imported query is valid");
        let Study::Placement(placement) = &study else { unreachable!() };
        let whole = decide(placement).expect("there is a plan");
        assert!(whole.seconds.is_finite(), "{}", whole.seconds);
        let scenario = Scenario { version: VERSION, name: "fuzz".to_owned(), notes: String::new(), study };
        let text = scenario.to_ron();
        assert_eq!(read(&text).expect("what was written can be read"), scenario);
    }
}

/// Reads the bytes as a file of the product's own: a scenario, or a profile of engines. Panics where what was read cannot
/// be written and read again, or a valid placement study has no answer.
pub fn scenario(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Ok(profile) = file::read(text) {
        assert_eq!(file::read(&profile.to_ron()).expect("what was written can be read"), profile);
    }
    let Ok(scenario) = read(text) else { return };
    assert_eq!(read(&scenario.to_ron()).expect("what was written can be read"), scenario);
    let Study::Placement(placement) = &scenario.study else { return };
    if let Some(whole) = decide(placement) {
        assert!(!whole.seconds.is_nan(), "{}", whole.seconds);
    }
    let outcome = evaluate(placement);
    let speedup = outcome.summary.speedup();
    assert!(!speedup.is_nan(), "{speedup}");
}
