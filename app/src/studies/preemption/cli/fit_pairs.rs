//! `crossover fit-pairs`: what measured pairs of kernels say of classes and of pairs that nobody measured.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::{Parser, ValueEnum};
use crossover_model::preemption::fitted::{By, Fit};
use crossover_model::preemption::{Class, Pair, Preemption};
use crossover_model::provenance::Provenance;
use crossover_model::text::{Column, Table};
use crossover_model::unit::Unit;
use crossover_traces::profiled::{self, MeasuredOn, MeasuredPair};
use serde::Serialize;

use super::{base, name_of, save, tell};
use crate::terminal::print;

/// What do measured pairs say of those that nobody measured? Means by class, and a guess of every pair with its error
#[derive(Debug, Parser)]
#[command(name = "fit-pairs")]
pub(super) struct FitPairsOptions {
    /// Measured pairs: what `gpu-bench pairs --json` writes, Gavel's throughputs, or a CSV with the columns `first`, `second`,
    /// `first_normalised` and `second_normalised` (and `device`, `first_class`, `second_class`)
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Takes the pairs of this device, of a file of several
    #[arg(long, value_name = "NAME")]
    device: Option<String>,
    /// How the result is written
    #[arg(long, value_enum, default_value = "table")]
    format: FitFormat,
    /// Scenario that gets the pairs of kernels with its names, and the means of classes
    #[arg(long, value_name = "SCENARIO")]
    base: Option<PathBuf>,
    /// Gives the scenario a guess of every pair of its kernels that was not measured, too
    #[arg(long)]
    guess: bool,
    /// File for the scenario
    #[arg(long, value_name = "SCENARIO")]
    out: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FitFormat {
    /// For the terminal
    Table,
    /// Every pair of the kernels, measured or guessed, for spreadsheets
    Csv,
    /// All of it, for programs
    Json,
}

/// A device with its pairs and what was fitted to them.
struct Fitted<'a> {
    on: &'a MeasuredOn,
    fit: Fit<Class>,
}

pub(super) fn run(options: &FitPairsOptions) -> Result<()> {
    let read = profiled::pairs(&options.file)?;
    tell(read.left_out.iter().chain(&read.notes));
    let known: Vec<&str> = read.devices.iter().map(|on| on.device.as_str()).collect();
    let devices: Vec<&MeasuredOn> = match &options.device {
        None => read.devices.iter().collect(),
        Some(name) => read.devices.iter().filter(|on| on.device.eq_ignore_ascii_case(name)).collect(),
    };
    if devices.is_empty() {
        bail!(
            "{}: no pairs of “{}”; devices of it: {}",
            options.file.display(),
            options.device.as_deref().unwrap_or_default(),
            known.join(", ")
        );
    }
    let fitted: Vec<Fitted<'_>> =
        devices.iter().map(|on| Ok(Fitted { fit: Fit::of(&pairs(on), &classes(on))?, on })).collect::<Result<_>>()?;
    for of in &fitted {
        for caution in of.fit.cautions() {
            tell([&format!("{}: {caution}", shown(&of.on.device))]);
        }
    }
    print(&match options.format {
        FitFormat::Table => fitted.iter().map(table).collect::<Vec<String>>().join("\n"),
        FitFormat::Csv => csv(&fitted),
        FitFormat::Json => json(&fitted)?,
    })?;
    if let Some(out) = &options.out {
        let [of] = &fitted[..] else {
            bail!(
                "{}: pairs of {} devices; --device takes one: {}",
                options.file.display(),
                fitted.len(),
                known.join(", ")
            )
        };
        let (scenario, mut study) = base(options.base.as_deref())?;
        let put = put(&mut study, of, &name_of(&options.file), options.guess);
        tell([&put]);
        let inputs: Vec<&Path> = std::iter::once(options.file.as_path()).chain(options.base.as_deref()).collect();
        save(out, &inputs, scenario, study)?;
    }
    Ok(())
}

fn shown(device: &str) -> &str {
    if device.is_empty() { "the file" } else { device }
}

fn pairs(on: &MeasuredOn) -> Vec<Pair> {
    on.pairs.iter().map(pair).collect()
}

fn pair(of: &MeasuredPair) -> Pair {
    Pair {
        first: of.first.clone(),
        second: of.second.clone(),
        first_normalised: of.first_normalised,
        second_normalised: of.second_normalised,
    }
}

fn classes(on: &MeasuredOn) -> BTreeMap<String, Class> {
    let both = on.pairs.iter().flat_map(|of| [(&of.first, of.first_class), (&of.second, of.second_class)]);
    both.filter_map(|(name, class)| Some((name.clone(), class?))).collect()
}

/// Puts measured pairs and means of classes into a study, guesses too if they are wanted; says what came of it.
fn put(study: &mut Preemption, of: &Fitted<'_>, file: &str, guesses: bool) -> String {
    let has = |study: &Preemption, name: &str| study.kernels.iter().any(|kernel| kernel.name == name);
    let mut measured = 0;
    for found in &of.on.pairs {
        if !has(study, &found.first) || !has(study, &found.second) {
            continue;
        }
        let pair = Pair {
            first_normalised: found.first_normalised.clamp(0.001, 2.0),
            second_normalised: found.second_normalised.clamp(0.001, 2.0),
            ..pair(found)
        };
        if let Some(row) = study.put_pair(pair) {
            measured += 1;
            for field in ["first_normalised", "second_normalised"] {
                let source = Provenance::Imported { file: file.to_owned() };
                study.sources.insert(format!("pairs.{row}.{field}"), source);
            }
        }
    }
    let fallback = of.fit.fallback(&study.fallback);
    let fields: [(&str, f64, f64); 4] = [
        ("memory_memory", study.fallback.memory_memory, fallback.memory_memory),
        ("memory_compute", study.fallback.memory_compute, fallback.memory_compute),
        ("compute_memory", study.fallback.compute_memory, fallback.compute_memory),
        ("compute_compute", study.fallback.compute_compute, fallback.compute_compute),
    ];
    let mut means = 0;
    for (field, before, now) in fields {
        if before != now {
            means += 1;
            study.sources.insert(format!("fallback.{field}"), Provenance::Imported { file: file.to_owned() });
        }
    }
    study.fallback = fallback;
    let mut guessed = 0;
    if guesses {
        let names: Vec<String> = study.kernels.iter().map(|kernel| kernel.name.clone()).collect();
        for (place, first) in names.iter().enumerate() {
            for second in &names[place..] {
                let Some(guess) = of.fit.guess(first, second).filter(|_| study.pair(first, second).is_none()) else {
                    continue;
                };
                let pair = Pair {
                    first: first.clone(),
                    second: second.clone(),
                    first_normalised: guess.first_normalised.max(0.001),
                    second_normalised: guess.second_normalised.max(0.001),
                };
                let Some(row) = study.put_pair(pair) else { continue };
                guessed += 1;
                let intervals =
                    [("first_normalised", guess.first_interval), ("second_normalised", guess.second_interval)];
                for (field, [low, high]) in intervals {
                    let source = Provenance::Fitted { runs: format!("pairs of {file}"), interval: (low, high) };
                    study.sources.insert(format!("pairs.{row}.{field}"), source);
                }
            }
        }
    }
    format!("{measured} measured pairs, {guessed} guessed ones and {means} means of classes were put into the scenario")
}

fn table(of: &Fitted<'_>) -> String {
    let fit = &of.fit;
    let ratio = |value: f64| format!("{value:.3}");
    let mut text = format!(
        "{}: {} measured pairs, {} do more together than alone, mean sum {}\n",
        shown(&of.on.device),
        Unit::Count.format(fit.measured as f64),
        Unit::Share.format(fit.share_above_one),
        ratio(fit.mean_sum)
    );
    let mut rows = Vec::new();
    let errors = [
        (By::Mean, Some(fit.error_of_mean)),
        (By::Classes, fit.error_of_classes),
        (By::Kernels, Some(fit.error_of_kernels)),
        (By::KernelsInClasses, fit.error_of_kernels_in_classes),
    ];
    for (by, error) in errors {
        let Some(error) = error else { continue };
        let taken = if by == fit.by { "taken" } else { "" };
        rows.push(vec![by.label().to_owned(), ratio(error.normalised), ratio(error.sum), taken.to_owned()]);
    }
    let columns = vec![
        Column::text("Pairs that were left out, guessed by"),
        Column::number("are off by"),
        Column::number("their sums"),
        Column::text(""),
    ];
    text += &format!("\n{}", Table { columns, rows }.aligned());
    if !fit.classes.is_empty() {
        let rows = fit.classes.iter().map(|mean| {
            let error = mean.standard_error.map_or_else(|| "–".to_owned(), ratio);
            vec![
                mean.own.label().to_owned(),
                mean.other.label().to_owned(),
                ratio(mean.normalised),
                error,
                Unit::Count.format(mean.pairs as f64),
            ]
        });
        let columns = vec![
            Column::text("Class"),
            Column::text("beside"),
            Column::number("has left"),
            Column::number("±"),
            Column::number("pairs"),
        ];
        text += &format!("\n{}", Table { columns, rows: rows.collect() }.aligned());
    }
    text
}

/// Every pair of the kernels of a device: measured, else guessed.
fn all(of: &Fitted<'_>) -> Vec<AllPairs> {
    let mut names: Vec<&str> =
        of.on.pairs.iter().flat_map(|pair| [pair.first.as_str(), pair.second.as_str()]).collect();
    names.sort_unstable();
    names.dedup();
    let measured: BTreeMap<(&str, &str), [f64; 2]> = of
        .on
        .pairs
        .iter()
        .flat_map(|pair| {
            let both = [pair.first_normalised, pair.second_normalised];
            let (first, second) = (pair.first.as_str(), pair.second.as_str());
            [((first, second), both), ((second, first), [both[1], both[0]])]
        })
        .collect();
    let mut rows = Vec::new();
    for (place, first) in names.iter().enumerate() {
        for second in &names[place..] {
            let known = measured.get(&(*first, *second)).copied();
            let is_measured = known.is_some();
            let guessed = || {
                let guess = of.fit.guess(first, second)?;
                Some([guess.first_normalised, guess.second_normalised])
            };
            let Some([first_normalised, second_normalised]) = known.or_else(guessed) else { continue };
            rows.push(AllPairs {
                device: of.on.device.clone(),
                first: (*first).to_owned(),
                second: (*second).to_owned(),
                first_normalised,
                second_normalised,
                is_measured,
            });
        }
    }
    rows
}

#[derive(Debug, Serialize)]
struct AllPairs {
    device: String,
    first: String,
    second: String,
    first_normalised: f64,
    second_normalised: f64,
    is_measured: bool,
}

fn csv(fitted: &[Fitted<'_>]) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in fitted.iter().flat_map(all) {
        // Nothing that writes into memory fails.
        _ = writer.serialize(row);
    }
    writer.into_inner().map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
}

#[derive(Debug, Serialize)]
struct OfDevice {
    device: String,
    measured: usize,
    share_above_one: f64,
    mean_sum: f64,
    guessed_by: &'static str,
    /// Root of the mean square error of pairs that were left out, by what they are guessed from: normalised IPC, and sums.
    errors: BTreeMap<&'static str, [f64; 2]>,
    classes: Vec<OfClasses>,
    pairs: Vec<AllPairs>,
}

#[derive(Debug, Serialize)]
struct OfClasses {
    class: Class,
    beside: Class,
    normalised: f64,
    standard_error: Option<f64>,
    pairs: usize,
}

fn json(fitted: &[Fitted<'_>]) -> Result<String> {
    let devices: Vec<OfDevice> = fitted
        .iter()
        .map(|of| {
            let fit = &of.fit;
            let errors = [
                ("mean", Some(fit.error_of_mean)),
                ("classes", fit.error_of_classes),
                ("kernels", Some(fit.error_of_kernels)),
                ("kernels_in_classes", fit.error_of_kernels_in_classes),
            ];
            OfDevice {
                device: of.on.device.clone(),
                measured: fit.measured,
                share_above_one: fit.share_above_one,
                mean_sum: fit.mean_sum,
                guessed_by: fit.by.label(),
                errors: errors
                    .into_iter()
                    .filter_map(|(by, error)| error.map(|error| (by, [error.normalised, error.sum])))
                    .collect(),
                classes: fit
                    .classes
                    .iter()
                    .map(|mean| OfClasses {
                        class: mean.own,
                        beside: mean.other,
                        normalised: mean.normalised,
                        standard_error: mean.standard_error,
                        pairs: mean.pairs,
                    })
                    .collect(),
                pairs: all(of),
            }
        })
        .collect();
    Ok(serde_json::to_string_pretty(&devices)? + "\n")
}
