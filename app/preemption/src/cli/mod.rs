//! Preemption studies on the command line.

mod compare_share;
mod fit_instructions;
mod fit_pairs;
mod import;

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use clap::{CommandFactory as _, FromArgMatches as _};
use crossover_page::storage::scenario as file;
use crossover_page::terminal::{Outputs, Subcommand, called, keep_apart, message};
use crossover_preemption::Preemption;
use crossover_scenario::{self as scenario, Scenario, Study};

use super::examples;
use compare_share::CompareShareOptions;
use fit_instructions::FitInstructionsOptions;
use fit_pairs::FitPairsOptions;
use import::{ArrivalsOptions, KernelsOptions, NcuOptions, NvprofOptions, OrionOptions};

/// The subcommands for preemption studies only.
pub(crate) const SUBCOMMANDS: [Subcommand; 8] = [
    Subcommand {
        under: Some("import"),
        command: NcuOptions::command,
        run: |matches| import::ncu(&NcuOptions::from_arg_matches(matches)?),
    },
    Subcommand {
        under: Some("import"),
        command: NvprofOptions::command,
        run: |matches| import::nvprof(&NvprofOptions::from_arg_matches(matches)?),
    },
    Subcommand {
        under: Some("import"),
        command: OrionOptions::command,
        run: |matches| import::orion(&OrionOptions::from_arg_matches(matches)?),
    },
    Subcommand {
        under: Some("import"),
        command: KernelsOptions::command,
        run: |matches| import::kernels(&KernelsOptions::from_arg_matches(matches)?),
    },
    Subcommand {
        under: Some("import"),
        command: ArrivalsOptions::command,
        run: |matches| import::arrivals(&ArrivalsOptions::from_arg_matches(matches)?),
    },
    Subcommand {
        under: None,
        command: FitPairsOptions::command,
        run: |matches| fit_pairs::run(&FitPairsOptions::from_arg_matches(matches)?),
    },
    Subcommand {
        under: None,
        command: FitInstructionsOptions::command,
        run: |matches| fit_instructions::run(&FitInstructionsOptions::from_arg_matches(matches)?),
    },
    Subcommand {
        under: None,
        command: CompareShareOptions::command,
        run: |matches| compare_share::run(&CompareShareOptions::from_arg_matches(matches)?),
    },
];

/// The scenario to start from: that of a file, or the built-in example.
fn base(path: Option<&Path>) -> Result<(Scenario, Preemption)> {
    let scenario = match path {
        Some(path) => file::open(path)?,
        None => scenario::read(examples::RODINIA.text).context("the built-in example")?,
    };
    match scenario.study.clone() {
        Study::Preemption(study) => Ok((scenario, study)),
        other => {
            let path = path.map_or_else(String::new, |path| path.display().to_string());
            bail!("{path}: this is {}, not a preemption scenario", called(other.kind()))
        }
    }
}

/// Prepares the scenario file of a study, if it is valid.
fn save(out: &Path, scenario: Scenario, study: Preemption, outputs: &mut Outputs) -> Result<()> {
    let scenario = Scenario { study: Study::Preemption(study), ..scenario };
    if let Err(invalid) = scenario.study.validate() {
        bail!("{}: not written: {}: {}", out.display(), invalid.path, invalid.problem);
    }
    outputs.add_scenario(out, &scenario)
}

/// Refuses an output file that is also an input, before any work.
fn check_out<'a>(out: Option<&PathBuf>, inputs: impl IntoIterator<Item = &'a PathBuf>) -> Result<()> {
    let inputs: Vec<&Path> = inputs.into_iter().map(PathBuf::as_path).collect();
    out.map_or(Ok(()), |out| keep_apart(out, &inputs))
}

/// Prints notes to standard error.
fn print_notes<'a>(notes: impl IntoIterator<Item = &'a String>) {
    for note in notes {
        message(format!("note: {note}"));
    }
}

/// The name of a file, for sources.
fn name_of(path: &Path) -> String {
    path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}
