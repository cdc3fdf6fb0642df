//! `crossover probe keep` and `crossover probe find`: probes kept by the type of their task, and found again.

use std::path::PathBuf;

use anyhow::{Context as _, Result, bail};
use clap::Parser;
use crossover_page::terminal::{Outputs, Source, keep_apart, message};
use crossover_quantity::invalid::did_you_mean;
use crossover_quantity::text::{Column, Table, one_line};
use crossover_quantity::unit::Unit;

use crate::kept::{self, KeptProbe};
use crate::transport::history;

/// Keeps the probe of a scenario, with its runs, under its task type
#[derive(Debug, Parser)]
#[command(name = "keep", display_order = 8)]
pub(super) struct KeepOptions {
    #[command(flatten)]
    source: Source,
    /// Task type; default: that of the scenario
    #[arg(long, value_name = "TYPE")]
    task_type: Option<String>,
    /// Folder of kept probes; default: in the user's data folder
    #[arg(long, value_name = "FOLDER")]
    folder: Option<PathBuf>,
}

/// Lists kept probes of one task type, or of all; the newest first
#[derive(Debug, Parser)]
#[command(name = "find", display_order = 9)]
pub(super) struct FindOptions {
    /// Task type; default: all types
    #[arg(value_name = "TYPE")]
    task_type: Option<String>,
    /// File for a copy of the newest listed scenario
    #[arg(long, value_name = "SCENARIO", requires = "task_type")]
    out: Option<PathBuf>,
    /// Folder of kept probes; default: in the user's data folder
    #[arg(long, value_name = "FOLDER")]
    folder: Option<PathBuf>,
}

fn folder(named: Option<&PathBuf>) -> Result<PathBuf> {
    let own = || history::file().map(|history| kept::folder_beside(&history));
    named.cloned().or_else(own).context("the system has no data folder; name a folder: --folder FOLDER")
}

pub(super) fn keep(options: &KeepOptions) -> Result<()> {
    let mut scenario = options.source.scenario()?;
    if let (Some(task_type), Some(study)) = (&options.task_type, scenario.study.probe_mut()) {
        study.target.task_type.clone_from(task_type);
    }
    let file = options.source.file.display().to_string();
    let path = kept::keep(&folder(options.folder.as_ref())?, &scenario).context(file)?;
    message(format!("{}: written; “crossover probe find” lists it", path.display()));
    Ok(())
}

pub(super) fn find(options: &FindOptions) -> Result<()> {
    let folder = folder(options.folder.as_ref())?;
    let (found, notes) = kept::find(&folder, options.task_type.as_deref())?;
    for note in notes {
        message(format!("note: {note}"));
    }
    if found.is_empty() {
        let all = kept::find(&folder, None)?.0;
        let mut types: Vec<String> = all.iter().map(|kept| kept.task_type().trim().to_lowercase()).collect();
        types.sort();
        types.dedup();
        match &options.task_type {
            Some(wanted) if !types.is_empty() => {
                let hint = did_you_mean(wanted, &types);
                bail!("no kept probe of the type “{wanted}”{hint}; available: {}", types.join(", "));
            }
            _ => bail!("no probe is kept in {}; keep one by “crossover probe keep SCENARIO”", folder.display()),
        }
    }
    let mut outputs = Outputs::default();
    if let (Some(out), Some(newest)) = (&options.out, found.first()) {
        keep_apart(out, &[&newest.path])?;
        outputs.add_scenario(out, &newest.scenario)?;
    }
    outputs.finish(table(&found).aligned())
}

/// A row for each kept probe.
fn table(found: &[KeptProbe]) -> Table {
    let rows = found.iter().map(|kept| {
        let counts = kept.counts().map(|count| Unit::Count.format(count as f64));
        let first = [one_line(kept.task_type()), one_line(&kept.scenario.name)];
        let last = [kept.kept_at(), one_line(&kept.path.display().to_string())];
        first.into_iter().chain(counts).chain(last).collect()
    });
    let columns = vec![
        Column::text("Task type"),
        Column::text("Scenario"),
        Column::number("Operators"),
        Column::number("Centres"),
        Column::number("Runs"),
        Column::text("Kept, UTC"),
        Column::text("File"),
    ];
    Table { columns, rows: rows.collect() }
}
