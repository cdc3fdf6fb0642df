//! Kernels as profilers measured them, and requests as they came, become part of a preemption scenario.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::{Args, Parser};
use crossover_model::preemption::study::MOST_KERNELS;
use crossover_model::preemption::{Gpu, Preemption};
use crossover_model::provenance::{Provenance, Sources};
use crossover_model::study::sources;
use crossover_model::text::{Column, Table};
use crossover_model::unit::Unit;
use crossover_traces::profiled::{self, Assumed, Form};

use super::{base, name_of, save, tell};
use crate::terminal::{message, print};

/// Reads kernels that Nsight Compute profiled: `ncu --csv --page raw`, or details
#[derive(Debug, Parser)]
#[command(name = "ncu")]
pub(super) struct NcuOptions {
    #[command(flatten)]
    of: Wanted,
}

/// Reads kernels that nvprof profiled: `nvprof --csv --print-gpu-trace`, and `nvprof --csv --metrics …`
#[derive(Debug, Parser)]
#[command(name = "nvprof")]
pub(super) struct NvprofOptions {
    #[command(flatten)]
    of: Wanted,
}

/// Reads kernels of a deep-learning model as Orion profiles them
#[derive(Debug, Parser)]
#[command(name = "orion")]
pub(super) struct OrionOptions {
    #[command(flatten)]
    of: Wanted,
}

/// Reads kernels of any profile that is known, or of a CSV with the columns of a kernel
#[derive(Debug, Parser)]
#[command(name = "kernels")]
pub(super) struct KernelsOptions {
    #[command(flatten)]
    of: Wanted,
}

/// Reads when requests came, of a CSV with a column of times (and of sizes): a stream that was not drawn
#[derive(Debug, Parser)]
#[command(name = "arrivals")]
pub(super) struct ArrivalsOptions {
    /// Requests: the columns `seconds` (and `size`), or those of the Azure traces of LLM inference
    #[arg(value_name = "CSV")]
    file: PathBuf,
    /// Scenario whose kernels come at these times
    #[arg(long, value_name = "SCENARIO")]
    base: Option<PathBuf>,
    /// File for the scenario
    #[arg(long, value_name = "SCENARIO")]
    out: Option<PathBuf>,
}

/// What becomes of profiled kernels.
#[derive(Debug, Args)]
struct Wanted {
    /// Profiles; several of the same kernels are joined by their names
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Takes the kernels of this device, of a file of several
    #[arg(long, value_name = "NAME")]
    device: Option<String>,
    /// Scenario whose GPU and rule are taken; its kernels are replaced
    #[arg(long, value_name = "SCENARIO")]
    base: Option<PathBuf>,
    /// File for a preemption scenario of the kernels
    #[arg(long, value_name = "SCENARIO")]
    out: Option<PathBuf>,
}

pub(super) fn ncu(options: &NcuOptions) -> Result<()> {
    show(&options.of, &[Form::NsightRaw, Form::NsightDetails])
}

pub(super) fn nvprof(options: &NvprofOptions) -> Result<()> {
    show(&options.of, &[Form::Nvprof])
}

pub(super) fn orion(options: &OrionOptions) -> Result<()> {
    show(&options.of, &[Form::Orion])
}

pub(super) fn kernels(options: &KernelsOptions) -> Result<()> {
    show(&options.of, &[])
}

/// Prints the kernels; writes a scenario if a file is named.
fn show(wanted: &Wanted, forms: &[Form]) -> Result<()> {
    let files: Vec<&Path> = wanted.files.iter().map(PathBuf::as_path).collect();
    let read = profiled::joined(&files)?;
    if !forms.is_empty() && !forms.contains(&read.form) {
        bail!("{}: this was written by {}; “crossover import kernels” reads it", files[0].display(), read.form.label());
    }
    tell(read.left_out.iter().chain(&read.notes));
    let (scenario, mut study) = base(wanted.base.as_deref())?;
    let devices: BTreeSet<&str> = read.kernels.iter().filter_map(|kernel| kernel.device.as_deref()).collect();
    let device = match &wanted.device {
        Some(name) => Some(name.as_str()),
        None if devices.len() > 1 => {
            let known: Vec<&str> = devices.iter().copied().collect();
            bail!(
                "{}: kernels of {} devices; --device takes one: {}",
                files[0].display(),
                devices.len(),
                known.join(", ")
            )
        }
        None => devices.first().copied(),
    };
    let inputs: Vec<&Path> = files.iter().copied().chain(wanted.base.as_deref()).collect();
    let (notes, refused) = put(&mut study, &read.kernels, device, &name_of(files[0]));
    tell(&notes);
    tell(&refused);
    if study.kernels.is_empty() {
        match &wanted.device {
            Some(name) if !devices.contains(name.as_str()) => {
                let known: Vec<&str> = devices.iter().copied().collect();
                bail!("{}: no kernel of “{name}”; devices of it: {}", files[0].display(), known.join(", "));
            }
            _ => bail!("{}: no kernel of it can be taken", files[0].display()),
        }
    }
    print(&table(&study).aligned())?;
    if device.is_some_and(|device| !alike(device, &study.gpu.model)) {
        message(&format!(
            "note: these are kernels of {}; the scenario has a {}: choose the GPU in the window, or take --base with one",
            device.unwrap_or_default(),
            study.gpu.model
        ));
    }
    if let Some(out) = &wanted.out {
        let name = name_of(files[0]);
        let scenario = crossover_model::scenario::Scenario {
            name: device.map_or_else(|| name.clone(), |device| format!("{name}, {device}")),
            notes: if wanted.base.is_some() { scenario.notes.clone() } else { String::new() },
            ..scenario
        };
        save(out, &inputs, scenario, study)?;
    }
    Ok(())
}

/// Whether two names mean one device: "Tesla-K40" and "Tesla K40".
fn alike(one: &str, other: &str) -> bool {
    let plain = |name: &str| name.chars().filter(|letter| letter.is_alphanumeric()).collect::<String>().to_lowercase();
    let (one, other) = (plain(one), plain(other));
    one.contains(&other) || other.contains(&one)
}

/// Replaces the kernels of a study by profiled ones; gives what was assumed, and which cannot be taken.
fn put(
    study: &mut Preemption,
    profiled: &[profiled::ProfiledKernel],
    device: Option<&str>,
    file: &str,
) -> (Vec<String>, Vec<String>) {
    let gpu: Gpu = study.gpu.clone();
    let of_device = profiled
        .iter()
        .filter(|kernel| device.is_none() || kernel.device.is_none() || kernel.device.as_deref() == device);
    let mut assumed = Assumed::default();
    let mut refused = Vec::new();
    study.kernels.clear();
    study.pairs.clear();
    study.stream.listed.clear();
    let mut fits_not = 0;
    for of in of_device {
        match of.kernel(Some(&gpu), &mut assumed) {
            Err(missing) => refused.push(format!("{}: not taken, {} is not known", of.name, missing.join(", "))),
            Ok(kernel) => {
                if let Err(why) = crossover_model::preemption::occupancy::residency(&gpu, &kernel) {
                    refused.push(format!("{}: not taken, {why}", of.name));
                } else if study.add_kernel(kernel).is_none() {
                    fits_not += 1;
                }
            }
        }
    }
    if fits_not > 0 {
        refused.push(format!("{fits_not} more kernels: not taken, a study has at most {MOST_KERNELS}"));
    }
    let before = std::mem::take(&mut study.sources);
    study.sources = before.into_iter().collect::<Sources>();
    sources::purge(study);
    for kernel in &study.kernels {
        for field in
            ["instructions", "ipc", "register_bytes", "shared_bytes", "threads", "blocks", "miss_rate", "weight"]
        {
            let source = Provenance::Imported { file: file.to_owned() };
            study.sources.insert(format!("kernels.{}.{field}", kernel.name), source);
        }
    }
    (assumed.notes(), refused)
}

fn table(study: &Preemption) -> Table {
    let columns = ["Instructions", "IPC alone", "Cycles alone", "Registers", "Shared", "Threads", "Blocks", "Misses"];
    let columns = std::iter::once(Column::text("Kernel"))
        .chain(columns.map(Column::number))
        .chain([Column::text("Class"), Column::number("Launches")]);
    let rows = study.kernels.iter().map(|kernel| {
        vec![
            kernel.name.clone(),
            Unit::Count.format(kernel.instructions),
            Unit::Ratio.format(kernel.ipc),
            Unit::Cycles.format(kernel.alone_cycles()),
            Unit::Bytes.format(kernel.register_bytes),
            Unit::Bytes.format(kernel.shared_bytes),
            Unit::Count.format(kernel.threads),
            Unit::Count.format(kernel.blocks),
            Unit::Share.format(kernel.miss_rate),
            kernel.class.label().to_owned(),
            Unit::Ratio.format(kernel.weight),
        ]
    });
    Table { columns: columns.collect(), rows: rows.collect() }
}

pub(super) fn arrivals(options: &ArrivalsOptions) -> Result<()> {
    let read = profiled::arrivals(&options.file)?;
    tell(read.left_out.iter().chain(&read.notes));
    let recorded = read.recorded;
    let count = recorded.seconds.len();
    let span = recorded.seconds.last().copied().unwrap_or(0.0) - recorded.seconds.first().copied().unwrap_or(0.0);
    let sizes = if recorded.sizes.is_empty() { "all alike" } else { "each with its size" };
    print(&format!(
        "{} requests in {}, {sizes}\n",
        Unit::Count.format(count as f64),
        crossover_model::unit::elapsed(span)
    ))?;
    if let Some(out) = &options.out {
        let (scenario, mut study) = base(options.base.as_deref())?;
        let inputs: Vec<&Path> = std::iter::once(options.file.as_path()).chain(options.base.as_deref()).collect();
        let file = name_of(&options.file);
        for (path, is_there) in [("seconds", true), ("sizes", !recorded.sizes.is_empty())] {
            if is_there {
                let source = Provenance::Imported { file: file.clone() };
                study.sources.insert(format!("stream.recorded.{path}"), source);
            }
        }
        study.stream.listed.clear();
        study.stream.recorded = Some(recorded);
        sources::purge(&mut study);
        save(out, &inputs, scenario, study)?;
    }
    Ok(())
}
