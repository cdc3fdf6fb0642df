//! The subject of a probe run: centre, units and probe; and adding its runs to a study.

use crossover_gpu_bench::probe::units::available_threads;
use crossover_measured::probe::ProbeTask;
use crossover_probe::build::build;
use crossover_probe::centre::route;
use crossover_probe::{Built, Centre, Probe, Route, Run, UnitType};
use crossover_quantity::invalid::did_you_mean;
use crossover_quantity::provenance::Provenance;
use crossover_quantity::text::counted;

/// Name of the centre to which runs on this machine are added.
pub(super) const THIS_MACHINE: &str = "this machine";

/// The subject of a probe run.
#[derive(Debug, Clone)]
pub(super) struct Subject {
    /// Name of the centre.
    pub(super) centre: String,
    /// Name of its type of units.
    pub(super) unit: String,
    /// Number of these units.
    pub(super) count: f64,
    /// Device that gpu-bench uses as one unit.
    pub(super) runs_on: String,
    /// The probe.
    pub(super) probe: ProbeTask,
    /// The centre, if the study does not have it yet; its first runs add it.
    pub(super) new: Option<Centre>,
}

/// This machine as a centre: its threads are the units.
pub(super) fn here() -> Centre {
    let units = vec![UnitType { count: f64::from(available_threads()), ..UnitType::default() }];
    Centre { name: THIS_MACHINE.to_owned(), units, ..Centre::default() }
}

/// This machine: the centre of that name, or a new one. Measured runs are never added to a centre that is not this machine.
///
/// # Errors
/// As those of [`find`].
pub(super) fn this_machine(study: &Probe, unit: Option<&str>) -> Result<Subject, String> {
    if study.centres.iter().any(|centre| centre.name == THIS_MACHINE) {
        return find(study, Some(THIS_MACHINE), unit);
    }
    new_centre(study, here(), unit)
}

/// A centre that the study does not have yet.
///
/// # Errors
/// No such type of units, no type of units selected, or not exactly one probe; a sentence.
pub(super) fn new_centre(study: &Probe, centre: Centre, unit: Option<&str>) -> Result<Subject, String> {
    let (built, probe) = only_probe(study)?;
    let subject = of_centre(&centre, &built, probe, unit)?;
    Ok(Subject { new: Some(centre), ..subject })
}

/// Finds centre and units by name; without a name the only centre, and the units by its route.
///
/// # Errors
/// No such centre or type of units, no type of units selected, or not exactly one probe; a sentence.
pub(super) fn find(study: &Probe, centre: Option<&str>, unit: Option<&str>) -> Result<Subject, String> {
    let names: Vec<String> = study.centres.iter().map(|centre| centre.name.clone()).collect();
    let place = match centre {
        Some(name) => names.iter().position(|other| other == name).ok_or_else(|| {
            format!("no centre “{name}”{}; available: {}", did_you_mean(name, &names), names.join(", "))
        })?,
        None if names.len() == 1 => 0,
        None if names.is_empty() => return Err("the study has no centre yet; name one".to_owned()),
        None => return Err(format!("several centres; choose one: {}", names.join(", "))),
    };
    let (built, probe) = only_probe(study)?;
    of_centre(&study.centres[place], &built, probe, unit)
}

/// The probe of a study.
fn only_probe(study: &Probe) -> Result<(Built, ProbeTask), String> {
    let built = build("probe", &study.target, &study.operators);
    let probe = match &built.probes[..] {
        [probe] => probe.clone(),
        [] => return Err("no operator of the task matches the library, so there is no probe".to_owned()),
        several => {
            return Err(format!(
                "the task becomes {} probes; write them with “probe build --out” and run each with “gpu-bench probe”",
                several.len()
            ));
        }
    };
    Ok((built, probe))
}

fn of_centre(centre: &Centre, built: &Built, probe: ProbeTask, unit: Option<&str>) -> Result<Subject, String> {
    let unit = match unit {
        Some(name) => centre.units.iter().position(|of| of.name == name).ok_or_else(|| {
            let known: Vec<&str> = centre.units.iter().map(|of| of.name.as_str()).collect();
            format!("{} has no units “{name}”; it has: {}", centre.name, known.join(", "))
        })?,
        None => match route(centre, built) {
            Ok(unit) => unit,
            // If the centre decides and has not reported yet, its first type is used.
            Err(_) if centre.route == Route::Centre => 0,
            Err(why) => return Err(format!("{}: {why}", centre.name)),
        },
    };
    let of = &centre.units[unit];
    Ok(Subject {
        centre: centre.name.clone(),
        unit: of.name.clone(),
        count: of.count,
        runs_on: of.runs_on.clone(),
        probe,
        new: None,
    })
}

/// Adds runs of a probe to their units; runs of a different probe are removed, but stay in the history. Returns notes for the user.
///
/// # Errors
/// The centre or its units no longer exist; a sentence.
pub(super) fn put(study: &mut Probe, of: &Subject, runs: &[Run], failed: &[String]) -> Result<Vec<String>, String> {
    let is_missing = !study.centres.iter().any(|centre| centre.name == of.centre);
    if let Some(new) = of.new.as_ref().filter(|_| is_missing) {
        _ = study.add_centre(new.clone());
    }
    let seconds = format!("centres.{}.units.{}.runs.seconds", of.centre, of.unit);
    let are_measured = study.sources.contains_key(&seconds);
    let there = study.centres.iter_mut().find(|centre| centre.name == of.centre);
    let there = there.and_then(|centre| centre.units.iter_mut().find(|units| units.name == of.unit));
    let Some(units) = there else {
        return Err(format!("{} with units {} no longer exists; its runs are in the history", of.centre, of.unit));
    };
    let mut notes = Vec::new();
    let fingerprint = of.probe.fingerprint();
    if units.runs.start_probe(&fingerprint, true) {
        notes.push(other_probe_note(&of.centre));
    }
    if !are_measured && !units.runs.seconds.is_empty() {
        notes.push(format!("earlier runs of {} were entered, not measured; both count", of.centre));
    }
    let left = units.runs.add(runs, failed);
    if left > 0 {
        let left = counted(left as f64, "run");
        notes.push(format!("left out, beyond the limit of a scenario: {left}; the history has all runs"));
    }
    name_source(study, &of.centre, &of.unit, "gpu-bench probe");
    Ok(notes)
}

/// A note that runs of a different probe were removed.
pub(super) fn other_probe_note(centre: &str) -> String {
    format!("earlier runs of {centre} belong to a different probe and were removed")
}

/// Sets the source of the runs of a type of units.
pub(super) fn name_source(study: &mut Probe, centre: &str, unit: &str, file: &str) {
    for column in ["seconds", "units"] {
        let path = format!("centres.{centre}.units.{unit}.runs.{column}");
        study.sources.insert(path, Provenance::Imported { file: file.to_owned() });
    }
}

/// The text of the file of a probe.
pub(super) fn ron(probe: &ProbeTask) -> Result<String, ron::Error> {
    let pretty = ron::ser::PrettyConfig::new().struct_names(false).depth_limit(3);
    Ok(ron::ser::to_string_pretty(probe, pretty)? + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn study() -> Probe {
        let scenario = crossover_scenario::read(crate::examples::CENTRES.text).expect("a scenario");
        scenario.probe().expect("a probe study").clone()
    }

    fn run(seconds: f64) -> Run {
        Run { units: 1.0, seconds, error: None, target_seconds: None, hours: None }
    }

    #[test]
    fn runs_on_this_machine_make_it_a_centre_and_leave_the_others_as_they_are() {
        let mut study = study();
        let before = study.centres.clone();
        let here = this_machine(&study, None).expect("this machine");
        assert_eq!(put(&mut study, &here, &[run(1.0)], &[]), Ok(Vec::new()));
        // The second run finds the centre.
        let here = this_machine(&study, None).expect("this machine");
        assert!(here.new.is_none());
        assert_eq!(put(&mut study, &here, &[run(2.0)], &[]), Ok(Vec::new()));
        assert_eq!(&study.centres[..before.len()], &before[..]);
        let [own] = &study.centres[before.len()..] else { panic!("{:?}", study.centres.len()) };
        assert_eq!((own.name.as_str(), &own.units[0].runs.seconds[..]), (THIS_MACHINE, &[1.0, 2.0][..]));
    }

    #[test]
    fn measured_runs_beside_entered_ones_have_a_note() {
        let mut study = study();
        let north = find(&study, Some("north"), None).expect("north");
        let notes = put(&mut study, &north, &[run(1.0)], &[]).expect("added");
        assert_eq!(notes, ["earlier runs of north were entered, not measured; both count"]);
        assert_eq!(put(&mut study, &north, &[run(1.0)], &[]), Ok(Vec::new()), "once");
    }
}
