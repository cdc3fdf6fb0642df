//! `crossover probe read`: what centres report, added to a scenario.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use clap::Parser;
use crossover_model::invalid::did_you_mean;
use crossover_model::probe::build::build;
use crossover_model::probe::centre::route;
use crossover_model::probe::{Centre, Probe, Run};
use crossover_model::provenance::Provenance;
use crossover_traces::probed::{self, Probed};
use jiff::Timestamp;

use super::summary;
use crate::storage::scenario;
use crate::terminal::{Source, message, print};

/// The midnight before a Monday, from which hours are counted: 2001-01-01, seconds since 1970.
const MONDAY: i64 = 978_307_200;

/// Reads what centres report, and adds it to a scenario: reports of gpu-bench, also in logs of pods; performance logs of
/// ReFrame; output of OSU micro-benchmarks; tables of MLPerf; JSON of hyperfine; a CSV with units and seconds
#[derive(Debug, Parser)]
#[command(name = "read", display_order = 2)]
pub(super) struct ReadOptions {
    #[command(flatten)]
    source: Source,
    /// Files with measurements
    #[arg(long = "from", value_name = "FILE", required = true, num_args = 1..)]
    files: Vec<PathBuf>,
    /// The centre that they are of; default: what the files say, else the only one. One that is new is added
    #[arg(long, value_name = "NAME")]
    centre: Option<String>,
    /// Type of units; default: those on which the centre runs the probe
    #[arg(long, value_name = "TYPE")]
    unit: Option<String>,
    /// Takes only runs of this probe or test, of files with several
    #[arg(long, value_name = "NAME")]
    probe: Option<String>,
    /// Scenario with the runs; may be the one that was read
    #[arg(long, value_name = "SCENARIO")]
    out: Option<PathBuf>,
}

pub(super) fn run(options: &ReadOptions) -> Result<()> {
    let mut scenario = options.source.scenario()?;
    let kind = scenario.study.kind();
    let file = options.source.file.display().to_string();
    let study =
        scenario.study.probe_mut().with_context(|| format!("{file}: this is {}", crate::terminal::called(kind)))?;
    let now = (Timestamp::now().as_second() - MONDAY) as f64 / 3_600.0;
    let mut touched: Vec<(usize, usize)> = Vec::new();
    for path in &options.files {
        let read = probed::read(path, Some(now))?;
        for note in read.left_out.iter().chain(&read.notes) {
            message(&format!("note: {}: {note}", path.display()));
        }
        for place in add(study, options, path, &read.runs)? {
            if !touched.contains(&place) {
                touched.push(place);
            }
        }
    }
    for (centre, unit) in touched {
        let centre = &study.centres[centre];
        print(&summary::runs(&centre.name, &centre.units[unit]))?;
    }
    if let Err(invalid) = scenario.study.validate() {
        bail!("not written: {}: {}", invalid.path, invalid.problem);
    }
    if let Some(out) = &options.out {
        scenario::save(out, &scenario).with_context(|| format!("{}: cannot be written", out.display()))?;
        message(&format!("{}: written", out.display()));
    }
    Ok(())
}

/// Adds the runs of a file; gives the centres and units that they were added to.
fn add(study: &mut Probe, options: &ReadOptions, path: &Path, runs: &[Probed]) -> Result<Vec<(usize, usize)>> {
    let mut probes: Vec<&str> = runs.iter().map(|run| run.probe.as_str()).collect();
    probes.sort_unstable();
    probes.dedup();
    let wanted = match &options.probe {
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
        let place = place(study, options, run)?;
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
            (Some(why), _) => failed.push(format!("{} units: {why}", run.units)),
            (None, None) => failed.push(format!("{} units: neither a time nor a rate was measured", run.units)),
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
            message(&format!(
                "note: {} had {} units {}; a run had {most}, so it has as many",
                centre.name, of.count, of.name
            ));
            of.count = most;
        }
        let left = of.runs.add(&counted, &failed);
        if left > 0 {
            message(&format!("warning: {}: {left} runs more than a scenario holds were left out", path.display()));
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
fn place(study: &mut Probe, options: &ReadOptions, run: &Probed) -> Result<(usize, usize)> {
    let names: Vec<String> = study.centres.iter().map(|centre| centre.name.clone()).collect();
    let told = options.centre.as_deref().unwrap_or(&run.centre);
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
            message(&format!("note: {told} is a new centre of the scenario"));
            study.centres.len() - 1
        }
    };
    let unit = options.unit.as_deref().unwrap_or(&run.unit);
    let units = &study.centres[centre].units;
    if let Some(place) = units.iter().position(|of| of.name == unit || (options.unit.is_none() && of.runs_on == unit)) {
        return Ok((centre, place));
    }
    if let Some(wanted) = &options.unit {
        let known: Vec<&str> = units.iter().map(|of| of.name.as_str()).collect();
        bail!("{} has no units “{wanted}”; it has: {}", study.centres[centre].name, known.join(", "));
    }
    let built = build("probe", &study.target, &study.operators);
    Ok((centre, route(&study.centres[centre], &built).unwrap_or(0)))
}
