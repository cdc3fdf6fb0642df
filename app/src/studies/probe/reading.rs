//! What centres report, added to a study: whose it is, on which units, and what counts.

use std::path::Path;

use anyhow::{Result, bail};
use crossover_model::invalid::did_you_mean;
use crossover_model::probe::build::build;
use crossover_model::probe::centre::route;
use crossover_model::probe::{Centre, Probe, Run};
use crossover_model::provenance::Provenance;
use crossover_traces::probed::Probed;
use jiff::Timestamp;

use super::cli::summary::units;

/// The midnight before a Monday, from which hours are counted: 2001-01-01, seconds since 1970.
const MONDAY: i64 = 978_307_200;

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
    let mut places: Vec<(usize, usize)> = Vec::new();
    let mut groups: Vec<((usize, usize), Vec<Run>, Vec<String>)> = Vec::new();
    for run in taken {
        let place = place(study, meant, run, note)?;
        let group = match groups.iter().position(|(other, ..)| *other == place) {
            Some(group) => group,
            None => {
                places.push(place);
                groups.push((place, Vec::new(), Vec::new()));
                groups.len() - 1
            }
        };
        let (_, counted, failed) = &mut groups[group];
        match (&run.failure, time(run)) {
            (Some(why), _) => failed.push(format!("{}: {why}", units(run.units))),
            (None, None) => failed.push(format!("{}: neither a time nor a rate was measured", units(run.units))),
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
    for ((centre, unit), counted, failed) in groups {
        let centre = &mut study.centres[centre];
        let of = &mut centre.units[unit];
        // A centre has at least the units that it ran on.
        let most = counted.iter().map(|run| run.units).fold(of.count, f64::max);
        if most > of.count {
            note(format!(
                "note: {} had {} units {}; a run had {most}, so it has as many",
                centre.name, of.count, of.name
            ));
            of.count = most;
        }
        let left = of.runs.add(&counted, &failed);
        if left > 0 {
            note(format!("{}: {left} runs more than a scenario holds were left out", path.display()));
        }
        for column in ["seconds", "units"] {
            let path = format!("centres.{}.units.{}.runs.{column}", centre.name, of.name);
            study.sources.insert(path, Provenance::Imported { file: name.clone() });
        }
    }
    Ok(places)
}

/// The time of a run; of a rate the time of one unit of its work.
fn time(run: &Probed) -> Option<f64> {
    run.seconds.or_else(|| run.rate.as_ref().map(|(rate, _)| 1.0 / rate))
}

/// The centre and the units of a run; both are added if they are new.
fn place(study: &mut Probe, meant: &Meant, run: &Probed, note: &mut dyn FnMut(String)) -> Result<(usize, usize)> {
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
            study.add_centre(new);
            note(format!("{told} is a new centre of the scenario"));
            study.centres.len() - 1
        }
    };
    let unit = meant.unit.as_deref().unwrap_or(&run.unit);
    let units = &study.centres[centre].units;
    if let Some(place) = units.iter().position(|of| of.name == unit || (meant.unit.is_none() && of.runs_on == unit)) {
        return Ok((centre, place));
    }
    if let Some(wanted) = &meant.unit {
        let known: Vec<&str> = units.iter().map(|of| of.name.as_str()).collect();
        bail!("{} has no units “{wanted}”; it has: {}", study.centres[centre].name, known.join(", "));
    }
    let built = build("probe", &study.target, &study.operators);
    Ok((centre, route(&study.centres[centre], &built).unwrap_or(0)))
}
