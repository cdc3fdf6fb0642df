//! Runs at all centres of a call: their progress, the scenario with their runs, and what is printed at the end.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context as _, Result, bail};
use crossover_page::storage::scenario as file;
use crossover_page::terminal::{message, print};
use crossover_probe::Run;
use crossover_scenario::Scenario;

use super::super::summary;
use super::progress::ProgressView;
use super::{RunOptions, kept_folder};
use crate::centres::RunSettings;
use crate::centres::result::{CentreResult, End};
use crate::centres::target::Target;
use crate::centres::together::{Together, Told};
use crate::kept;
use crate::subject::{self, Subject};

/// Runs at all centres, and adds valid runs to the scenario as they come. An interrupt cancels them.
pub(super) fn measure(
    options: &RunOptions,
    settings: RunSettings,
    mut scenario: Scenario,
    targets: Vec<Target>,
    has_programs: bool,
) -> Result<()> {
    let cancelled = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&cancelled);
    // Without a handler an interrupt ends the program at once; finished runs are in the history.
    if let Err(error) = ctrlc::set_handler(move || flag.store(true, Ordering::Relaxed)) {
        message(format!("note: an interrupt ends the program at once: {error}"));
    }
    let total = settings.runs_of_centre();
    let folder = options.if_unknown.then(|| kept_folder(&settings)).transpose()?;
    let study = scenario.probe().context("a probe scenario")?;
    let together = Together::start(settings, study, targets, has_programs, &cancelled)?;
    let results = collect(options, &mut scenario, &together, total, &cancelled)?;
    if let Some(folder) = folder.filter(|_| results.iter().any(|result| result.counted > 0)) {
        let path = kept::keep(&folder, &scenario)?;
        message(format!("{}: kept; “crossover probe find” lists it", path.display()));
    }
    report(options, &scenario, together.targets(), &results, cancelled.load(Ordering::Relaxed))
}

/// Takes what the centres tell until the last one has ended.
fn collect(
    options: &RunOptions,
    scenario: &mut Scenario,
    together: &Together,
    total: Option<u32>,
    cancelled: &AtomicBool,
) -> Result<Vec<CentreResult>> {
    let targets = together.targets();
    let mut results = vec![CentreResult::default(); targets.len()];
    let mut view = ProgressView::new(targets, total);
    let mut problem = None;
    while let Some((centre, what)) = together.receive() {
        match what {
            Told::Progress(progress) => view.tell(centre, &progress),
            Told::Ended(end) => {
                view.end(centre, "done");
                results[centre].end = Some(end);
            }
            Told::Runs(counted, failed) => {
                results[centre].add(&counted, &failed);
                if problem.is_some() || (counted.is_empty() && failed.is_empty()) {
                    continue;
                }
                match add(options, scenario, &targets[centre].subject, &counted, &failed) {
                    Ok(notes) => notes.iter().for_each(|note| view.message(&format!("note: {note}"))),
                    Err(why) => {
                        // Without its file no further run is of use.
                        cancelled.store(true, Ordering::Relaxed);
                        problem = Some(why);
                    }
                }
            }
        }
    }
    view.clear();
    problem.map_or(Ok(results), Err)
}

/// Adds runs to the scenario, and writes it if there is an output file; returns notes.
fn add(
    options: &RunOptions,
    scenario: &mut Scenario,
    subject: &Subject,
    counted: &[Run],
    failed: &[String],
) -> Result<Vec<String>> {
    let study = scenario.study.probe_mut().context("a probe scenario")?;
    let notes = subject::put(study, subject, counted, failed).map_err(anyhow::Error::msg)?;
    if let Some(out) = &options.out {
        if let Err(invalid) = scenario.study.validate() {
            bail!("{}: not written: {}: {}", out.display(), invalid.path, invalid.problem);
        }
        file::save(out, scenario).with_context(|| format!("cannot write {}", out.display()))?;
    }
    Ok(notes)
}

/// Prints the runs of each centre, and a line about each that gave none.
fn report(
    options: &RunOptions,
    scenario: &Scenario,
    targets: &[Target],
    results: &[CentreResult],
    is_interrupted: bool,
) -> Result<()> {
    let study = scenario.probe().context("a probe scenario")?;
    let mut text = String::new();
    let mut faults = Vec::new();
    let mut without: Vec<&str> = Vec::new();
    let mut ran = 0;
    for (target, result) in targets.iter().zip(results) {
        let name = &target.subject.centre;
        if let Some(End::Unchanged(resources)) = &result.end {
            message(format!(
                "the resources of {name} have not changed since it last ran this probe ({resources}); nothing is run"
            ));
            continue;
        }
        if result.end == Some(End::NotRequested) {
            message(format!("no file requests runs at {name}; nothing is run"));
            continue;
        }
        ran += 1;
        let centre = study.centres.iter().find(|centre| centre.name == *name);
        let of = centre.and_then(|centre| centre.units.iter().find(|of| of.name == target.subject.unit));
        text += &of.map_or_else(String::new, |of| summary::runs(name, of));
        // One centre has told already why its runs do not count.
        let is_told = targets.len() == 1 && result.end == Some(End::Done);
        faults.extend(result.problem().filter(|_| !is_told).map(|why| format!("{name}: {why}")));
        if result.counted == 0 {
            without.push(name);
        }
    }
    if ran == 0 {
        return Ok(());
    }
    if options.out.is_none() {
        message("note: without --out the runs are only in the history");
    }
    print(text)?;
    for fault in &faults {
        message(fault);
    }
    match &without[..] {
        _ if is_interrupted => bail!("interrupted; finished runs are kept"),
        [] => Ok(()),
        without if without.len() < ran => {
            bail!("no run at {} succeeded; the runs of the other centres are kept", without.join(", "))
        }
        without => bail!("no run at {} succeeded", without.join(", ")),
    }
}
