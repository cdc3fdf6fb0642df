//! Imports profiled kernels and recorded requests into a preemption scenario.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::{Args, Parser, ValueEnum};
use crossover_export::preemption::{arrivals_json, kernels_json};
use crossover_page::terminal::{Outputs, message};
use crossover_preemption::Preemption;
use crossover_quantity::text::{Column, Table};
use crossover_quantity::unit::Unit;
use crossover_traces::profiled::{self, ProfileFormat, is_same_device};

use super::{base, check_out, name_of, print_notes, save};
use crate::{hardware, importing};

/// Imports kernels from Nsight Compute: `ncu --csv --page raw`, or `--page details`
#[derive(Debug, Parser)]
#[command(name = "ncu")]
pub(super) struct NcuOptions {
    #[command(flatten)]
    of: ImportOptions,
}

/// Imports kernels from nvprof: `nvprof --csv --print-gpu-trace`, and `nvprof --csv --metrics …`
#[derive(Debug, Parser)]
#[command(name = "nvprof")]
pub(super) struct NvprofOptions {
    #[command(flatten)]
    of: ImportOptions,
}

/// Imports kernels of a deep-learning model from an Orion profile
#[derive(Debug, Parser)]
#[command(name = "orion")]
pub(super) struct OrionOptions {
    #[command(flatten)]
    of: ImportOptions,
}

/// Imports kernels from any supported profile, or from a CSV with the columns of a kernel
#[derive(Debug, Parser)]
#[command(name = "kernels")]
pub(super) struct KernelsOptions {
    #[command(flatten)]
    of: ImportOptions,
}

/// Imports recorded requests from a CSV with a column of times and, optionally, one of sizes
#[derive(Debug, Parser)]
#[command(name = "arrivals")]
pub(super) struct ArrivalsOptions {
    /// Requests: the columns `seconds` (and `size`), or those of the Azure traces of LLM inference
    #[arg(value_name = "CSV")]
    file: PathBuf,
    /// Scenario whose kernels arrive at these times
    #[arg(long, value_name = "SCENARIO")]
    base: Option<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value = "table")]
    format: ImportFormat,
    /// Scenario file to write
    #[arg(long, value_name = "SCENARIO")]
    out: Option<PathBuf>,
}

/// The output format of an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ImportFormat {
    /// For the terminal
    Table,
    /// What was read, what was left out and what was not used, for programs
    Json,
}

/// Options of all imports of kernels.
#[derive(Debug, Args)]
struct ImportOptions {
    /// Profiles; profiles of the same kernels are joined by kernel name
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Uses the kernels of this device, if the file has several
    #[arg(long, value_name = "NAME")]
    device: Option<String>,
    /// Scenario to start from: its GPU and policy are kept, its kernels replaced
    #[arg(long, value_name = "SCENARIO")]
    base: Option<PathBuf>,
    /// GPU of the catalogue that the kernels run on; default: that of the profile if it is in the catalogue, else of the
    /// scenario
    #[arg(long, value_name = "NAME")]
    gpu: Option<String>,
    /// Output format
    #[arg(long, value_enum, default_value = "table")]
    format: ImportFormat,
    /// Scenario file to write
    #[arg(long, value_name = "SCENARIO")]
    out: Option<PathBuf>,
}

pub(super) fn ncu(options: &NcuOptions) -> Result<()> {
    show(&options.of, &[ProfileFormat::NsightRaw, ProfileFormat::NsightDetails])
}

pub(super) fn nvprof(options: &NvprofOptions) -> Result<()> {
    show(&options.of, &[ProfileFormat::Nvprof])
}

pub(super) fn orion(options: &OrionOptions) -> Result<()> {
    show(&options.of, &[ProfileFormat::Orion])
}

pub(super) fn kernels(options: &KernelsOptions) -> Result<()> {
    show(&options.of, &[])
}

/// Prints the kernels; writes a scenario if a file is named.
fn show(options: &ImportOptions, forms: &[ProfileFormat]) -> Result<()> {
    check_out(options.out.as_ref(), options.files.iter().chain(&options.base))?;
    let files: Vec<&Path> = options.files.iter().map(PathBuf::as_path).collect();
    let read = profiled::joined(&files)?;
    if !forms.is_empty() && !forms.contains(&read.form) {
        bail!("{}: its format is {}; run “crossover import kernels”", files[0].display(), read.form.label());
    }
    print_notes(read.left_out.iter().chain(&read.notes));
    let (scenario, mut study) = base(options.base.as_deref())?;
    let devices = importing::devices(&read.kernels);
    let listed = || devices.iter().copied().collect::<Vec<&str>>().join(", ");
    let device = match &options.device {
        Some(name) => Some(name.as_str()),
        None if devices.len() > 1 => {
            bail!(
                "{}: kernels of {} devices; select one with --device: {}",
                files[0].display(),
                devices.len(),
                listed()
            )
        }
        None => devices.first().copied(),
    };
    fill_gpu(&mut study, options, device)?;
    let taken = importing::import_kernels(&mut study, &read.kernels, device, &name_of(files[0]));
    print_notes(taken.notes.iter().chain(&taken.rejected));
    if study.kernels.is_empty() {
        match &options.device {
            Some(name) if !devices.contains(name.as_str()) => {
                bail!("{}: no kernel of “{name}”; expected one of: {}", files[0].display(), listed());
            }
            _ => bail!("{}: no usable kernel; see the notes above", files[0].display()),
        }
    }
    let text = match options.format {
        ImportFormat::Table => table(&study).aligned(),
        ImportFormat::Json => kernels_json(&read, device, &study.kernels, &taken.notes, &taken.rejected),
    };
    let mut outputs = Outputs::default();
    if let Some(of_gpu) = &taken.of_gpu {
        message(format!("note: {of_gpu}; select another GPU of the catalogue with --gpu"));
    }
    if let Some(out) = &options.out {
        let name = name_of(files[0]);
        let scenario = crossover_scenario::Scenario {
            name: device.map_or_else(|| name.clone(), |device| format!("{name}, {device}")),
            notes: if options.base.is_some() { scenario.notes.clone() } else { String::new() },
            ..scenario
        };
        save(out, scenario, study, &mut outputs)?;
    }
    outputs.finish(text)
}

/// Sets the GPU of the study: the one of --gpu, else the profiled one unless there is a base scenario.
fn fill_gpu(study: &mut Preemption, options: &ImportOptions, device: Option<&str>) -> Result<()> {
    let catalogue = crossover_page::catalogue::shipped()?;
    if let Some(name) = &options.gpu {
        let (gpu, one) = hardware::named(&catalogue, name).map_err(anyhow::Error::msg)?;
        hardware::fill(study, gpu, one);
    } else if let (None, Some(device)) = (&options.base, device)
        && let Some((gpu, one)) = hardware::known(&catalogue).find(|(gpu, _)| is_same_device(device, &gpu.name))
    {
        hardware::fill(study, gpu, one);
        message(format!("note: the GPU of the scenario is the catalogue's {}", gpu.name));
    }
    Ok(())
}

fn table(study: &Preemption) -> Table {
    let columns = [
        "Instructions",
        "IPC alone",
        "Cycles alone",
        "Registers",
        "Shared memory",
        "Threads",
        "Blocks",
        "L2 miss rate",
    ];
    let columns = std::iter::once(Column::text("Kernel"))
        .chain(columns.map(Column::number))
        .chain([Column::text("Class"), Column::number("Launch weight")]);
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
    check_out(options.out.as_ref(), [&options.file].into_iter().chain(&options.base))?;
    let read = profiled::arrivals(&options.file)?;
    print_notes(read.left_out.iter().chain(&read.notes));
    let text = match options.format {
        ImportFormat::Table => format!("{}\n", importing::of_arrivals(&read.recorded)),
        ImportFormat::Json => arrivals_json(&read),
    };
    let mut outputs = Outputs::default();
    if let Some(out) = &options.out {
        let (scenario, mut study) = base(options.base.as_deref())?;
        importing::import_arrivals(&mut study, read.recorded, &name_of(&options.file));
        save(out, scenario, study, &mut outputs)?;
    }
    outputs.finish(text)
}
