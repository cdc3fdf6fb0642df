//! Adds runs from files to a study.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Result, bail};
use crossover_probe::build::build;
use crossover_probe::centre::route;
use crossover_probe::outcome::units;
use crossover_probe::window::MONDAY;
use crossover_probe::{Built, Centre, Probe, Run, Runs, UnitType};
use crossover_quantity::invalid::did_you_mean;
use crossover_quantity::text::counted;
use crossover_traces::probed::Probed;
use jiff::Timestamp;

use super::subject::{name_source, other_probe_note};

/// Selects runs of a file, and the centre and units to which they are added.
#[derive(Debug, Clone, Default)]
pub(super) struct RunSelection {
    /// The centre; none: as recorded in the file, otherwise the only one.
    pub(super) centre: Option<String>,
    /// Type of units; none: as recorded in the file, otherwise by the route of the centre.
    pub(super) unit: Option<String>,
    /// Only runs of this probe; none: all.
    pub(super) probe: Option<String>,
}

/// The time now, hours from the midnight before a Monday.
pub(super) fn now_hours() -> f64 {
    (Timestamp::now().as_second() - MONDAY) as f64 / 3_600.0
}

/// Adds the runs of a file; returns indices of the changed centres and units. `note` receives notes for the user.
///
/// # Errors
/// The file does not record the centre of its runs, or has several probes, and the selection has none.
pub(super) fn add(
    study: &mut Probe,
    selection: &RunSelection,
    path: &Path,
    runs: &[Probed],
    note: &mut dyn FnMut(String),
) -> Result<Vec<(usize, usize)>> {
    let mut probes: Vec<&str> = runs.iter().map(|run| run.probe.as_str()).collect();
    probes.sort_unstable();
    probes.dedup();
    let wanted = match &selection.probe {
        Some(name) if probes.contains(&name.as_str()) => Some(name.as_str()),
        Some(name) => {
            let known: Vec<String> = probes.iter().map(|probe| (*probe).to_owned()).collect();
            bail!(
                "{}: no probe “{name}”{}; available: {}",
                path.display(),
                did_you_mean(name, &known),
                probes.join(", ")
            );
        }
        None if probes.len() > 1 => {
            bail!(
                "{}: runs of several probes, which cannot be compared; choose one probe: {}",
                path.display(),
                probes.join(", ")
            )
        }
        None => None,
    };
    let selected: Vec<&Probed> = runs.iter().filter(|run| wanted.is_none_or(|wanted| run.probe == wanted)).collect();
    check_units(&selected).map_err(|why| anyhow::anyhow!("{}: {why}", path.display()))?;
    let built = build("probe", &study.target, &study.operators);
    let fingerprint = match &built.probes[..] {
        [only] => Some(only.fingerprint()),
        _ => None,
    };
    let mut groups: BTreeMap<(usize, usize), (Vec<Run>, Vec<String>)> = BTreeMap::new();
    for run in &selected {
        let units_of = find_or_add(study, &built, selection, run, note)?;
        let (valid, failed) = groups.entry(units_of).or_default();
        match (&run.failure, time(run)) {
            (Some(why), _) => failed.push(format!("{}: {why}", units(run.units))),
            (None, None) => failed.push(format!("{}: neither a time nor a rate was measured", units(run.units))),
            (None, Some(_)) if run.fingerprint.is_some() && run.fingerprint != fingerprint => {
                failed.push(format!("{}: the run belongs to a different probe", units(run.units)));
            }
            (None, Some(seconds)) if !(Runs::SECONDS.min..=Runs::SECONDS.max).contains(&seconds) => {
                failed.push(format!("{}: its time of {seconds} s is outside the allowed range", units(run.units)));
            }
            (None, Some(seconds)) => valid.push(Run {
                units: run.units,
                seconds,
                error: run.error,
                target_seconds: run.target_seconds,
                hours: run.at_hours,
            }),
        }
    }
    let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let mut repeated = 0;
    let places = groups.keys().copied().collect();
    let is_recorded = selected.iter().any(|run| run.fingerprint.is_some());
    for ((centre, unit), (mut valid, failed)) in groups {
        let centre = &mut study.centres[centre];
        let of = &mut centre.units[unit];
        // A centre has at least the units that it ran on.
        let most = valid.iter().map(|run| run.units).fold(of.count, f64::max);
        if most > of.count {
            note(format!(
                "{} had {} units of type “{}”; their number is now {most}, as in a run",
                centre.name, of.count, of.name
            ));
            of.count = most;
            study.sources.remove(&format!("centres.{}.units.{}.count", centre.name, of.name));
        }
        let centre_name = centre.name.clone();
        if let Some(fingerprint) = &fingerprint
            && of.runs.start_probe(fingerprint, is_recorded)
        {
            note(other_probe_note(&centre_name));
        }
        // Start, units and time identify a run.
        let key = |units: f64, seconds: f64, hours: Option<f64>| Some([units, seconds, hours?].map(f64::to_bits));
        let hours = |place: usize| of.runs.hours.get(place).copied().flatten();
        let mut known: BTreeSet<[u64; 3]> = (0..of.runs.seconds.len())
            .filter_map(|place| key(of.runs.units[place], of.runs.seconds[place], hours(place)))
            .collect();
        let before = valid.len();
        valid.retain(|run| key(run.units, run.seconds, run.hours).is_none_or(|key| known.insert(key)));
        repeated += before - valid.len();
        let left = of.runs.add(&valid, &failed);
        if left > 0 {
            let left = counted(left as f64, "run");
            note(format!("{}: left out, beyond the limit of a scenario: {left}", path.display()));
        }
        let unit_name = of.name.clone();
        name_source(study, &centre_name, &unit_name, &name);
    }
    if repeated > 0 {
        let were = if repeated == 1 { "was" } else { "were" };
        note(format!("{name}: {} {were} left out", counted(repeated as f64, "duplicate run")));
    }
    if !is_recorded {
        note(format!("{name} does not identify the probe; its runs count as runs of the probe of this scenario"));
    }
    Ok(places)
}

/// The time of a run; for a rate, the time of one unit of work.
fn time(run: &Probed) -> Option<f64> {
    run.seconds.or_else(|| run.rate.as_ref().map(|(rate, _)| 1.0 / rate))
}

/// Indices of the centre and the units of a run; new ones are added.
fn find_or_add(
    study: &mut Probe,
    built: &Built,
    selection: &RunSelection,
    run: &Probed,
    note: &mut dyn FnMut(String),
) -> Result<(usize, usize)> {
    let names: Vec<String> = study.centres.iter().map(|centre| centre.name.clone()).collect();
    let centre_name = selection.centre.as_deref().unwrap_or(&run.centre);
    let centre = match names.iter().position(|name| name == centre_name) {
        Some(place) => place,
        None if centre_name.is_empty() && names.len() == 1 => 0,
        None if centre_name.is_empty() => {
            bail!("the file does not name a centre; choose one: {}", names.join(", "))
        }
        None => {
            let mut new = Centre { name: centre_name.to_owned(), ..Centre::default() };
            new.units[0].name = if run.unit.is_empty() { "cpu".to_owned() } else { run.unit.clone() };
            new.units[0].count = run.units.max(1.0);
            let Some(place) = study.add_centre(new) else {
                bail!("centre {centre_name} cannot be added: the scenario already has the maximum number of centres");
            };
            note(format!("{centre_name} is a new centre of the scenario"));
            place
        }
    };
    let unit = selection.unit.as_deref().unwrap_or(&run.unit);
    let units = &study.centres[centre].units;
    let is_it = |of: &UnitType| of.name == unit || (selection.unit.is_none() && of.runs_on == unit);
    if let Some(place) = units.iter().position(is_it) {
        return Ok((centre, place));
    }
    if let Some(wanted) = &selection.unit {
        let known: Vec<String> = units.iter().map(|of| of.name.clone()).collect();
        let hint = did_you_mean(wanted, &known);
        bail!("{} has no units “{wanted}”{hint}; it has: {}", study.centres[centre].name, known.join(", "));
    }
    if unit.is_empty() {
        return Ok((centre, route(&study.centres[centre], built).unwrap_or(0)));
    }
    let name = study.centres[centre].name.clone();
    let new = UnitType { name: unit.to_owned(), count: run.units.max(1.0), ..UnitType::default() };
    let Some(place) = study.add_units(centre, new) else {
        bail!("the units {unit} cannot be added: {name} already has the maximum number of unit types")
    };
    note(format!("{unit} are new units of {name}"));
    Ok((centre, place))
}

/// Checks that runs can be compared: all have times, or all have rates in one unit.
fn check_units(runs: &[&Probed]) -> Result<(), String> {
    let mut all: Vec<&str> = Vec::new();
    for run in runs {
        match (run.seconds, &run.rate) {
            (Some(_), _) => all.push("s"),
            (None, Some((_, unit))) => all.push(unit),
            (None, None) => {}
        }
    }
    all.sort_unstable();
    all.dedup();
    if all.len() > 1 {
        return Err(format!("runs have different units, which cannot be compared: {}", all.join(", ")));
    }
    Ok(())
}
