//! What is probed: the centre, its units, and the probe that the task becomes; and where its runs are put.

use crossover_measured::probe::ProbeTask;
use crossover_probe::build::build;
use crossover_probe::centre::route;
use crossover_probe::{Probe, Route, Run};
use crossover_quantity::invalid::did_you_mean;
use crossover_quantity::provenance::Provenance;

/// What is probed.
#[derive(Debug, Clone)]
pub(super) struct Subject {
    /// Name of the centre.
    pub(super) centre: String,
    /// Name of its type of units.
    pub(super) unit: String,
    /// How many of them there are.
    pub(super) count: f64,
    /// What gpu-bench takes for one of them.
    pub(super) runs_on: String,
    /// The probe.
    pub(super) probe: ProbeTask,
}

/// The centre and the units that are meant; without a name the only centre, and the units that its route says.
///
/// # Errors
/// A sentence: there is no such centre, no such type of units, none that can run the probe, or not exactly one probe.
pub(super) fn find(study: &Probe, centre: Option<&str>, unit: Option<&str>) -> Result<Subject, String> {
    let names: Vec<String> = study.centres.iter().map(|centre| centre.name.clone()).collect();
    let place = match centre {
        Some(name) => names.iter().position(|other| other == name).ok_or_else(|| {
            format!("there is no centre “{name}”{}; there is: {}", did_you_mean(name, &names), names.join(", "))
        })?,
        None if names.len() == 1 => 0,
        None => return Err(format!("several centres; --centre takes one of: {}", names.join(", "))),
    };
    let built = build("probe", &study.target, &study.operators);
    let [probe] = &built.probes[..] else {
        let count = built.probes.len();
        return Err(if count == 0 {
            "no operator of the task is like any of the library: there is no probe".to_owned()
        } else {
            format!(
                "the task becomes {count} probes; write them with “probe build --out” and run each with “gpu-bench probe”"
            )
        });
    };
    let centre = &study.centres[place];
    let unit = match unit {
        Some(name) => centre.units.iter().position(|of| of.name == name).ok_or_else(|| {
            let known: Vec<&str> = centre.units.iter().map(|of| of.name.as_str()).collect();
            format!("{} has no units “{name}”; it has: {}", centre.name, known.join(", "))
        })?,
        None => match route(centre, &built) {
            Ok(unit) => unit,
            // A centre that chooses itself has not reported yet: its first type is asked.
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
        probe: probe.clone(),
    })
}

/// Puts runs of a probe where they belong; older ones of another probe go, the history has them. Gives what the user should know.
///
/// # Errors
/// A sentence: the centre or its units are not there any more.
pub(super) fn put(study: &mut Probe, of: &Subject, runs: &[Run], failed: &[String]) -> Result<Vec<String>, String> {
    let there = study.centres.iter_mut().find(|centre| centre.name == of.centre);
    let there = there.and_then(|centre| centre.units.iter_mut().find(|units| units.name == of.unit));
    let Some(units) = there else {
        return Err(format!("{} with units {} is not there any more; the history has its runs", of.centre, of.unit));
    };
    let mut notes = Vec::new();
    let fingerprint = of.probe.fingerprint();
    if units.runs.make_room_for(&fingerprint, true) {
        notes.push(of_another(&of.centre));
    }
    let left = units.runs.add(runs, failed);
    if left > 0 {
        notes.push(format!("{left} runs more than a scenario holds were left out; the history has them"));
    }
    name_source(study, &of.centre, &of.unit, "gpu-bench probe");
    Ok(notes)
}

/// What the user should know where runs of another probe went.
pub(super) fn of_another(centre: &str) -> String {
    format!("the runs of {centre} so far were of another probe and are left out")
}

/// Says where the runs of a type of units come from.
pub(super) fn name_source(study: &mut Probe, centre: &str, unit: &str, file: &str) {
    for column in ["seconds", "units"] {
        let path = format!("centres.{centre}.units.{unit}.runs.{column}");
        study.sources.insert(path, Provenance::Imported { file: file.to_owned() });
    }
}

/// A probe as its file.
pub(super) fn ron(probe: &ProbeTask) -> Result<String, ron::Error> {
    let pretty = ron::ser::PrettyConfig::new().struct_names(false).depth_limit(3);
    Ok(ron::ser::to_string_pretty(probe, pretty)? + "\n")
}
