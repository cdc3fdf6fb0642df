//! `crossover probe read`: adds runs from files to a scenario.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context as _, Result, bail};
use clap::Parser;
use crossover_page::terminal::{Outputs, Source, message};
use crossover_traces::probed;

use super::super::reading::{RunSelection, add, now_hours};
use super::summary;

/// Adds runs from files to a scenario: of gpu-bench (also in pod logs), ReFrame, OSU micro-benchmarks, MLPerf or hyperfine, or
/// from a CSV with units and seconds
#[expect(clippy::doc_markdown, reason = "the text of the help")]
#[derive(Debug, Parser)]
#[command(name = "read", display_order = 2)]
pub(super) struct ReadOptions {
    #[command(flatten)]
    source: Source,
    /// Files with measurements, or folders of such files
    #[arg(long = "from", value_name = "FILE", required = true, num_args = 1..)]
    files: Vec<PathBuf>,
    /// Centre of the runs; default: as recorded in the files, otherwise the only one. A new centre is added
    #[arg(long, value_name = "NAME")]
    centre: Option<String>,
    /// Type of units; default: as recorded in the files, otherwise the type that the unit-type rule (`route`) of the centre
    /// selects
    #[arg(long, value_name = "TYPE")]
    unit_type: Option<String>,
    /// Reads only runs of this probe or test, from files with several
    #[arg(long, value_name = "NAME")]
    probe: Option<String>,
    /// File for the scenario with the runs; may be the input file
    #[arg(long, value_name = "SCENARIO")]
    out: Option<PathBuf>,
}

pub(super) fn run(options: &ReadOptions) -> Result<()> {
    let mut scenario = options.source.scenario()?;
    let kind = scenario.study.kind();
    let file = options.source.file.display().to_string();
    let study = scenario
        .study
        .probe_mut()
        .with_context(|| format!("{file}: this is {}", crossover_page::terminal::called(kind)))?;
    let selection =
        RunSelection { centre: options.centre.clone(), unit: options.unit_type.clone(), probe: options.probe.clone() };
    let mut touched: Vec<(usize, usize)> = Vec::new();
    for path in &files(&options.files)? {
        let read = probed::read(path, Some(now_hours()))?;
        for note in read.left_out.iter().chain(&read.notes) {
            message(format!("note: {}: {note}", path.display()));
        }
        let tell = &mut |note: String| message(format!("note: {note}"));
        for place in add(study, &selection, path, &read.runs, tell)? {
            if !touched.contains(&place) {
                touched.push(place);
            }
        }
    }
    let runs = touched.into_iter().map(|(centre, unit)| {
        let centre = &study.centres[centre];
        summary::runs(&centre.name, &centre.units[unit])
    });
    let text: String = runs.collect();
    if let Err(invalid) = scenario.study.validate() {
        bail!("not written: {}: {}", invalid.path, invalid.problem);
    }
    let mut outputs = Outputs::default();
    if let Some(out) = &options.out {
        outputs.add_scenario(out, &scenario)?;
    }
    outputs.finish(text)
}

/// Files, and those of folders in the order of their names; names that begin with a dot are left out.
fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let entries = fs::read_dir(path).with_context(|| path.display().to_string())?;
        let mut inside: Vec<PathBuf> =
            entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
        inside.retain(|file| {
            let is_hidden = file.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
            let is_measured = file
                .extension()
                .is_some_and(|extension| ["json", "txt", "log", "csv"].iter().any(|known| extension == *known));
            file.is_file() && !is_hidden && is_measured
        });
        if inside.is_empty() {
            bail!("{}: there is no .json, .txt, .log or .csv in this folder", path.display());
        }
        inside.sort();
        files.extend(inside);
    }
    Ok(files)
}
