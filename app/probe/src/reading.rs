//! What centres report, added to a study: whose it is, on which units, and what counts.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Result, bail};
use crossover_probe::build::build;
use crossover_probe::centre::route;
use crossover_probe::outcome::units;
use crossover_probe::window::MONDAY;
use crossover_probe::{Built, Centre, Probe, Run, Runs, UnitType};
use crossover_quantity::invalid::did_you_mean;
use crossover_traces::probed::Probed;
use jiff::Timestamp;

use super::subject::{name_source, of_another};

/// Which runs of a file are meant, and where they belong, as far as somebody said.
#[derive(Debug, Clone, Default)]
pub(super) struct Meant {
    /// The centre; none: what the file says, else the only one.
    pub(super) centre: Option<String>,
    /// Type of units; none: those on which the centre runs the probe.
    pub(super) unit: Option<String>,
    /// Only runs of this probe.
    pub(super) probe: Option<String>,
}

/// The time now, hours from the midnight before a Monday.
pub(super) fn now_hours() -> f64 {
    (Timestamp::now().as_second() - MONDAY) as f64 / 3_600.0
}

/// Adds the runs of a file; gives the centres and units that they were added to. `note` hears what a careful reader should know.
///
/// # Errors
/// The file does not say whose its runs are, or has several probes, and nobody said which are meant.
pub(super) fn add(
    study: &mut Probe,
    meant: &Meant,
    path: &Path,
    runs: &[Probed],
    note: &mut dyn FnMut(String),
) -> Result<Vec<(usize, usize)>> {
    let mut probes: Vec<&str> = runs.iter().map(|run| run.probe.as_str()).collect();
    probes.sort_unstable();
    probes.dedup();
    let wanted = match &meant.probe {
        Some(name) if probes.contains(&name.as_str()) => Some(name.as_str()),
        Some(name) => {
            let known: Vec<String> = probes.iter().map(|probe| (*probe).to_owned()).collect();
            bail!(
                "{}: there is no probe “{name}”{}; there is: {}",
                path.display(),
                did_you_mean(name, &known),
                probes.join(", ")
            );
        }
        None if probes.len() > 1 => {
            bail!(
                "{}: runs of several probes, which cannot be compared; --probe takes one of: {}",
                path.display(),
                probes.join(", ")
            )
        }
        None => None,
    };
    let taken: Vec<&Probed> = runs.iter().filter(|run| wanted.is_none_or(|wanted| run.probe == wanted)).collect();
    measured_alike(&taken).map_err(|why| anyhow::anyhow!("{}: {why}", path.display()))?;
    let built = build("probe", &study.target, &study.operators);
    let fingerprint = match &built.probes[..] {
        [only] => Some(only.fingerprint()),
        _ => None,
    };
    let mut groups: BTreeMap<(usize, usize), (Vec<Run>, Vec<String>)> = BTreeMap::new();
    for run in &taken {
        let place = place(study, &built, meant, run, note)?;
        let (counted, failed) = groups.entry(place).or_default();
        match (&run.failure, time(run)) {
            (Some(why), _) => failed.push(format!("{}: {why}", units(run.units))),
            (None, None) => failed.push(format!("{}: neither a time nor a rate was measured", units(run.units))),
            (None, Some(_)) if run.fingerprint.is_some() && run.fingerprint != fingerprint => {
                failed.push(format!("{}: it ran another probe than the one of this study", units(run.units)));
            }
            (None, Some(seconds)) if !(Runs::SECONDS.min..=Runs::SECONDS.max).contains(&seconds) => {
                failed.push(format!("{}: a time of {seconds} s", units(run.units)));
            }
            (None, Some(seconds)) => counted.push(Run {
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
    let is_told = taken.iter().any(|run| run.fingerprint.is_some());
    for ((centre, unit), (mut counted, failed)) in groups {
        let centre = &mut study.centres[centre];
        let of = &mut centre.units[unit];
        // A centre has at least the units that it ran on.
        let most = counted.iter().map(|run| run.units).fold(of.count, f64::max);
        if most > of.count {
            note(format!("{} had {} units {}; a run had {most}, so it has as many", centre.name, of.count, of.name));
            of.count = most;
            study.sources.remove(&format!("centres.{}.units.{}.count", centre.name, of.name));
        }
        let centre_name = centre.name.clone();
        if let Some(fingerprint) = &fingerprint
            && of.runs.make_room_for(fingerprint, is_told)
        {
            note(of_another(&centre_name));
        }
        // A run that tells when it began is known again by that.
        let key = |units: f64, seconds: f64, hours: Option<f64>| Some([units, seconds, hours?].map(f64::to_bits));
        let hours = |place: usize| of.runs.hours.get(place).copied().flatten();
        let mut known: BTreeSet<[u64; 3]> = (0..of.runs.seconds.len())
            .filter_map(|place| key(of.runs.units[place], of.runs.seconds[place], hours(place)))
            .collect();
        let before = counted.len();
        counted.retain(|run| key(run.units, run.seconds, run.hours).is_none_or(|key| known.insert(key)));
        repeated += before - counted.len();
        let left = of.runs.add(&counted, &failed);
        if left > 0 {
            note(format!("{}: {left} runs more than a scenario holds were left out", path.display()));
        }
        let unit_name = of.name.clone();
        name_source(study, &centre_name, &unit_name, &name);
    }
    if repeated > 0 {
        note(format!("{name}: {repeated} runs stand there twice, or were in the scenario already; they count once"));
    }
    if !is_told {
        note(format!("{name} does not tell which probe ran: its runs are taken as runs of this scenario's"));
    }
    Ok(places)
}

/// The time of a run; of a rate the time of one unit of its work.
fn time(run: &Probed) -> Option<f64> {
    run.seconds.or_else(|| run.rate.as_ref().map(|(rate, _)| 1.0 / rate))
}

/// The centre and the units of a run; what is new is added.
fn place(
    study: &mut Probe,
    built: &Built,
    meant: &Meant,
    run: &Probed,
    note: &mut dyn FnMut(String),
) -> Result<(usize, usize)> {
    let names: Vec<String> = study.centres.iter().map(|centre| centre.name.clone()).collect();
    let told = meant.centre.as_deref().unwrap_or(&run.centre);
    let centre = match names.iter().position(|name| name == told) {
        Some(place) => place,
        None if told.is_empty() && names.len() == 1 => 0,
        None if told.is_empty() => {
            bail!("the file does not say which centre it is of; --centre takes one of: {}", names.join(", "))
        }
        None => {
            let mut new = Centre { name: told.to_owned(), ..Centre::default() };
            new.units[0].name = if run.unit.is_empty() { "cpu".to_owned() } else { run.unit.clone() };
            new.units[0].count = run.units.max(1.0);
            let Some(place) = study.add_centre(new) else {
                bail!("there is no room for a further centre, {told}");
            };
            note(format!("{told} is a new centre of the scenario"));
            place
        }
    };
    let unit = meant.unit.as_deref().unwrap_or(&run.unit);
    let units = &study.centres[centre].units;
    let is_it = |of: &UnitType| of.name == unit || (meant.unit.is_none() && of.runs_on == unit);
    if let Some(place) = units.iter().position(is_it) {
        return Ok((centre, place));
    }
    if let Some(wanted) = &meant.unit {
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
        bail!("there is no room for further units of {name}, {unit}")
    };
    note(format!("{unit} are new units of {name}"));
    Ok((centre, place))
}

/// Whether times and rates of some runs can stand beside each other: all are times, or all are rates in one unit.
fn measured_alike(runs: &[&Probed]) -> Result<(), String> {
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
        return Err(format!("measured in {}: these cannot be compared", all.join(", ")));
    }
    Ok(())
}
