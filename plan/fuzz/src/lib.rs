//! What every fuzz target does: bytes become a file, the file is imported, and what comes out must be usable.

use std::io::Write as _;

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
