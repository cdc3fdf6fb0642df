//! The subject of a probe run: centre, units and probe; and adding its runs to a study.

use crossover_measured::probe::ProbeTask;
use crossover_probe::build::build;
use crossover_probe::centre::route;
use crossover_probe::{Probe, Route, Run};
use crossover_quantity::invalid::did_you_mean;
use crossover_quantity::provenance::Provenance;

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
        None => return Err(format!("several centres; choose one: {}", names.join(", "))),
    };
    let built = build("probe", &study.target, &study.operators);
    let [probe] = &built.probes[..] else {
        let count = built.probes.len();
        return Err(if count == 0 {
            "no operator of the task matches the library, so there is no probe".to_owned()
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
        probe: probe.clone(),
    })
}

/// Adds runs of a probe to their units; runs of a different probe are removed, but stay in the history. Returns notes for the user.
///
/// # Errors
/// The centre or its units no longer exist; a sentence.
pub(super) fn put(study: &mut Probe, of: &Subject, runs: &[Run], failed: &[String]) -> Result<Vec<String>, String> {
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
    let left = units.runs.add(runs, failed);
    if left > 0 {
        notes.push(format!("{left} runs beyond the limit of a scenario were left out; they are in the history"));
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
