//! `crossover fit-pairs`: class means and estimates of unmeasured pairs from measured ones.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Context as _, Result, bail};
use clap::{Parser, ValueEnum};
use crossover_measured::kernels::Class;
use crossover_page::terminal::Outputs;
use crossover_preemption::fitted::{Estimator, Fit};
use crossover_quantity::balance::Balance;
use crossover_quantity::text::csv::Records;
use crossover_quantity::text::{Column, Table};
use crossover_quantity::unit::Unit;
use crossover_traces::profiled::{self, MeasuredOn, ReadPairs};
use serde::Serialize;

use super::{base, check_out, name_of, print_notes, save};
use crate::importing;

/// Estimates the normalised IPC of unmeasured pairs of kernels from measured pairs, with its error
#[derive(Debug, Parser)]
#[command(name = "fit-pairs")]
pub(super) struct FitPairsOptions {
    /// Measured pairs: what `gpu-bench pairs --json` writes, Gavel's throughputs, or a CSV with the columns `first`, `second`,
    /// `first_normalised` and `second_normalised` (and `device`, `first_class`, `second_class`)
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Uses the pairs of this device, if the file has several
    #[arg(long, value_name = "NAME")]
    device: Option<String>,
    /// Output format
    #[arg(long, value_enum, default_value = "table")]
    format: FitFormat,
    /// Scenario that gets the pairs of its kernels and the class means. A kernel without a class in the file takes the class of
    /// the scenario's kernel of that name
    #[arg(long, value_name = "SCENARIO")]
    base: Option<PathBuf>,
    /// Adds an estimate of every pair of its kernels that was neither measured nor entered, and replaces earlier estimates
    #[arg(long)]
    estimate: bool,
    /// Scenario file to write
    #[arg(long, value_name = "SCENARIO")]
    out: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FitFormat {
    /// For the terminal
    Table,
    /// Every pair of the kernels, measured or estimated, for spreadsheets
    Csv,
    /// All results, for programs
    Json,
}

/// A device with its pairs and the fit to them.
struct Fitted<'a> {
    on: &'a MeasuredOn,
    fit: Fit<Class>,
}

pub(super) fn run(options: &FitPairsOptions) -> Result<()> {
    check_out(options.out.as_ref(), [&options.file].into_iter().chain(&options.base))?;
    let read = profiled::pairs(&options.file)?;
    print_notes(read.left_out.iter().chain(&read.notes));
    let known: Vec<&str> = read.devices.iter().map(|on| on.device.as_str()).collect();
    let devices: Vec<&MeasuredOn> = match &options.device {
        None => read.devices.iter().collect(),
        Some(name) => read.devices.iter().filter(|on| on.device.eq_ignore_ascii_case(name)).collect(),
    };
    if devices.is_empty() {
        bail!(
            "{}: no pairs of “{}”; expected one of: {}",
            options.file.display(),
            options.device.as_deref().unwrap_or_default(),
            known.join(", ")
        );
    }
    let is_wanted = options.base.is_some() || options.out.is_some();
    let start = is_wanted.then(|| base(options.base.as_deref())).transpose()?;
    let known_classes = start.as_ref().map(|(_, study)| study.classes()).unwrap_or_default();
    let fitted: Vec<Fitted<'_>> = devices
        .iter()
        .map(|on| {
            let fit = importing::fit(on, &known_classes);
            Ok(Fitted {
                fit: fit
                    .with_context(|| format!("{}: {}", options.file.display(), shown(&on.device, "unnamed device")))?,
                on,
            })
        })
        .collect::<Result<_>>()?;
    let file = name_of(&options.file);
    for of in &fitted {
        for caution in of.fit.cautions() {
            print_notes([&format!("{}: {caution}", shown(&of.on.device, &file))]);
        }
    }
    let text = match options.format {
        FitFormat::Table => fitted.iter().map(|of| table(of, &file)).collect::<Vec<String>>().join("\n"),
        FitFormat::Csv => csv(&fitted),
        FitFormat::Json => json(&read, &fitted)?,
    };
    let mut outputs = Outputs::default();
    if let (Some(out), Some((scenario, mut study))) = (&options.out, start) {
        let [of] = &fitted[..] else {
            bail!(
                "{}: pairs of {} devices; select one with --device: {}",
                options.file.display(),
                fitted.len(),
                known.join(", ")
            )
        };
        let taken = importing::import_pairs(&mut study, of.on, &of.fit, &name_of(&options.file), options.estimate);
        print_notes([&format!("added to the scenario: {}", taken.in_words())]);
        save(out, scenario, study, &mut outputs)?;
    }
    outputs.finish(text)
}

/// The name of a device; that of the file if it names none.
fn shown<'a>(device: &'a str, file: &'a str) -> &'a str {
    if device.is_empty() { file } else { device }
}

fn table(of: &Fitted<'_>, file: &str) -> String {
    let fit = &of.fit;
    let ratio = |value: f64| format!("{value:.3}");
    let mut text = format!(
        "{}: {} measured pairs, {} with a sum above 1, mean sum {}\n",
        shown(&of.on.device, file),
        Unit::Count.format(fit.measured as f64),
        Unit::Share.format(fit.share_above_one),
        ratio(fit.mean_sum)
    );
    let mut rows = Vec::new();
    let errors = [
        (Estimator::Mean, Some(fit.error_of_mean)),
        (Estimator::Classes, fit.error_of_classes),
        (Estimator::Kernels, Some(fit.error_of_kernels)),
        (Estimator::KernelsInClasses, fit.error_of_kernels_in_classes),
    ];
    for (by, error) in errors {
        let Some(error) = error else { continue };
        let used = if by == fit.by { "used" } else { "" };
        rows.push(vec![by.label().to_owned(), ratio(error.normalised), ratio(error.sum), used.to_owned()]);
    }
    let columns = vec![
        Column::text("Estimator, cross-validated"),
        Column::number("Error of IPC"),
        Column::number("Error of sum"),
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
            Column::text("Beside"),
            Column::number("Normalised IPC"),
            Column::number("Standard error"),
            Column::number("Pairs"),
        ];
        text += &format!("\n{}", Table { columns, rows: rows.collect() }.aligned());
    }
    text
}

/// Every pair of the kernels of a device: measured or estimated.
fn all(of: &Fitted<'_>) -> Vec<PairRecord> {
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
            let estimated = || {
                let estimate = of.fit.estimate(first, second)?;
                Some([estimate.first_normalised, estimate.second_normalised])
            };
            let Some([first_normalised, second_normalised]) = known.or_else(estimated) else { continue };
            rows.push(PairRecord {
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
struct PairRecord {
    device: String,
    first: String,
    second: String,
    first_normalised: f64,
    second_normalised: f64,
    is_measured: bool,
}

fn csv(fitted: &[Fitted<'_>]) -> String {
    let mut csv = Records::default();
    csv.push(["device", "first", "second", "first_normalised", "second_normalised", "is_measured"]);
    for row in fitted.iter().flat_map(all) {
        let PairRecord { device, first, second, first_normalised, second_normalised, is_measured } = row;
        let numbers = [first_normalised, second_normalised].map(|value| value.to_string());
        csv.push([device, first, second].into_iter().chain(numbers).chain([is_measured.to_string()]));
    }
    csv.into_text()
}

/// A file of pairs: the fit of each device, and what in the file did not become a pair.
#[derive(Debug, Serialize)]
struct PairsRecord<'a> {
    devices: Vec<DeviceRecord>,
    /// Entries that cannot be read, with the reasons.
    left_out: &'a [String],
    notes: &'a [String],
    /// Number of pair measurements in the file, on all its devices, and how many of them became pairs.
    balances: &'a [Balance],
}

#[derive(Debug, Serialize)]
struct DeviceRecord {
    device: String,
    measured: usize,
    share_above_one: f64,
    mean_sum: f64,
    estimated_by: &'static str,
    /// Root mean square errors in cross-validation, by estimator: normalised IPC, and sums.
    errors: BTreeMap<&'static str, [f64; 2]>,
    classes: Vec<ClassRecord>,
    pairs: Vec<PairRecord>,
}

#[derive(Debug, Serialize)]
struct ClassRecord {
    class: Class,
    beside: Class,
    normalised: f64,
    standard_error: Option<f64>,
    pairs: usize,
}

fn json(read: &ReadPairs, fitted: &[Fitted<'_>]) -> Result<String> {
    let devices: Vec<DeviceRecord> = fitted
        .iter()
        .map(|of| {
            let fit = &of.fit;
            let errors = [
                ("mean", Some(fit.error_of_mean)),
                ("classes", fit.error_of_classes),
                ("kernels", Some(fit.error_of_kernels)),
                ("kernels_in_classes", fit.error_of_kernels_in_classes),
            ];
            DeviceRecord {
                device: of.on.device.clone(),
                measured: fit.measured,
                share_above_one: fit.share_above_one,
                mean_sum: fit.mean_sum,
                estimated_by: fit.by.label(),
                errors: errors
                    .into_iter()
                    .filter_map(|(by, error)| error.map(|error| (by, [error.normalised, error.sum])))
                    .collect(),
                classes: fit
                    .classes
                    .iter()
                    .map(|mean| ClassRecord {
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
    let ReadPairs { left_out, notes, balances, .. } = read;
    Ok(serde_json::to_string_pretty(&PairsRecord { devices, left_out, notes, balances })? + "\n")
}
