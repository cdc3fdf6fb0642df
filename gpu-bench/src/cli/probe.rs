//! `gpu-bench probe`: runs a probe task on compute units of this machine, and tests or lists the library.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{io, thread};

use anyhow::{Context as _, Result};
use clap::{ArgGroup, Args};
use crossover_files::programs::AllowList;
use crossover_harness::Cancel;
use crossover_harness::tool::{NOT_OPTIMISED, Tool};
use crossover_measured::probe::library::LIBRARY;
use crossover_measured::probe::{Category, Executed, ProbeOperator, ProbeReport, ProbeTask};
use crossover_quantity::text::{Column, Table, TextReport};

use super::run::{CANCELLED, cancel_on_ctrl_c};
use super::{hold, message, print};
use crate::gpu::{Gpu, adapter};
use crate::probe::units::available_threads;
use crate::probe::{self, ProbeError, UnitType, Units, allowed, file};
use crate::quantity;

/// Exit code of wrong usage.
const USAGE: u8 = 2;

/// Name of this command.
const NAME: &str = "probe";

#[expect(clippy::struct_excessive_bools, reason = "switches of a command line")]
#[derive(Debug, Args)]
#[command(
    group(ArgGroup::new("what").required(true).args(["task", "self_test", "operators"])),
    after_help = "Exit codes: 0 the report is written, also if an operator failed (see the report); 1 nothing was \
                  measured, or the self-test failed; 2 wrong usage; 130 cancelled, with the results so far."
)]
pub struct Options {
    /// File of the probe task
    #[arg(value_name = "TASK.ron")]
    task: Option<PathBuf>,
    /// Number of compute units
    #[arg(long, default_value_t = 1, value_name = "N")]
    units: u32,
    /// Type of the compute units: cpu, cpu:K with K threads each, or gpu
    #[arg(long, default_value = "cpu", value_name = "TYPE")]
    unit: UnitType,
    /// Writes the report to this file instead of standard output
    #[arg(long, value_name = "FILE", requires = "task")]
    json: Option<PathBuf>,
    /// Shows the programs that the file names, and lets this and later runs in this working folder start them
    #[arg(long, requires = "task")]
    allow_programs: bool,
    /// Ends with standard input, for programs that start this one
    #[arg(long, hide = true)]
    end_with_input: bool,
    /// GPU for --unit gpu: its number or part of its name in “gpu-bench list”; default: the first
    #[arg(long, value_name = "N|NAME")]
    device: Option<String>,
    /// Runs and checks every operator of the library once, on one thread and on all, or with --unit gpu on a GPU
    #[arg(long)]
    self_test: bool,
    /// Lists the operators of the library
    #[arg(long)]
    operators: bool,
}

pub(super) fn probe(options: &Options) -> Result<ExitCode> {
    if options.operators {
        return list().map(|()| ExitCode::SUCCESS);
    }
    if !Tool::here().optimised {
        message(format!("warning: {NOT_OPTIMISED}"));
    }
    let cancel = Cancel::default();
    cancel_on_ctrl_c(&cancel);
    if options.end_with_input {
        cancel_at_end_of_input(&cancel)?;
    }
    match options.unit {
        UnitType::Gpu if options.units != 1 => Ok(refused(&ProbeError::GpuUnits)),
        UnitType::Gpu => {
            let mut gpu = Gpu::open(&adapter::choose(adapter::list(), options.device.as_deref())?)?;
            hold::hold(&mut gpu, NAME);
            match &options.task {
                Some(task) => run(task, Units::Gpu(&gpu), options, &cancel),
                None => self_test(&[Units::Gpu(&gpu)], &cancel),
            }
        }
        UnitType::Cpu { threads } => {
            let on = |units, threads| Units::Cpu { units, threads };
            match &options.task {
                Some(task) => run(task, on(options.units, threads), options, &cancel),
                None => self_test(&[on(1, 1), on(available_threads(), 1)], &cancel),
            }
        }
    }
}

/// Runs a probe task and writes the report.
fn run(task: &Path, units: Units<'_>, options: &Options, cancel: &Cancel) -> Result<ExitCode> {
    let task = file::task(task)?;
    if let Some(programs) = allowed::programs(&task)? {
        // A program that starts this one has asked its user, and remembers the answer.
        let list = if options.end_with_input { AllowList::default() } else { allowed::list() };
        list.check(&programs, options.allow_programs, &mut |line| message(&line))?;
    }
    let report = match probe::run(&task, units, cancel) {
        Ok(report) => report,
        Err(refusal) => return Ok(refused(&refusal)),
    };
    for remark in probe::remarks(&report) {
        message(&remark);
    }
    let kept = keep(options, &report)?;
    if cancel.is_requested() {
        return Ok(ExitCode::from(CANCELLED));
    }
    let measured = report.operators.iter().any(|of| !of.seconds.is_empty());
    Ok(if kept && measured { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Cancels when standard input ends.
fn cancel_at_end_of_input(cancel: &Cancel) -> Result<()> {
    let cancel = cancel.clone();
    let watch = move || {
        _ = io::copy(&mut io::stdin().lock(), &mut io::sink());
        cancel.request();
    };
    thread::Builder::new()
        .name("standard input".into())
        .spawn(watch)
        .context("cannot start a thread for standard input")?;
    Ok(())
}

fn refused(refusal: &ProbeError) -> ExitCode {
    message(refusal.to_string());
    ExitCode::from(USAGE)
}

/// Writes the report to the file, and to standard output if that fails. Returns whether the file was written.
fn keep(options: &Options, report: &ProbeReport) -> Result<bool> {
    let json = file::json(report).context("cannot convert the report to JSON")?;
    let Some(path) = &options.json else { return print(&json).map(|()| true) };
    let Err(error) = file::write(path, &json) else { return Ok(true) };
    message(format!("{error}; the report follows on standard output"));
    print(&json).map(|()| false)
}

fn list() -> Result<()> {
    let rows = LIBRARY.iter().map(|operator| {
        let categories: Vec<&str> = operator.categories.iter().copied().map(Category::label).collect();
        vec![operator.key.to_owned(), categories.join(", "), operator.meaning.to_owned()]
    });
    let columns = vec![Column::text("operator"), Column::text("categories"), Column::text("meaning")];
    print(Table { columns, rows: rows.collect() }.aligned())
}

/// Runs every operator once on each of these units; the exit code is 0 if all are correct.
fn self_test(places: &[Units<'_>], cancel: &Cancel) -> Result<ExitCode> {
    let one = |key: &str| ProbeOperator {
        name: key.to_owned(),
        runs: Executed::Library(key.to_owned()),
        executions: 1,
        in_target: 0.0,
        from: Vec::new(),
    };
    let operators = LIBRARY.iter().map(|operator| one(operator.key)).collect();
    let task = ProbeTask { name: "self-test".to_owned(), task_type: String::new(), operators };
    let mut text_report = TextReport::default();
    let mut right = true;
    for units in places {
        let report = probe::run(&task, *units, cancel)?;
        right &= report.failure().is_none();
        text_report.heading(format!("{} × {}", report.units, report.unit)).table(results(&report));
    }
    print(text_report.terminal())?;
    Ok(match (cancel.is_requested(), right) {
        (true, _) => ExitCode::from(CANCELLED),
        (false, true) => ExitCode::SUCCESS,
        (false, false) => ExitCode::FAILURE,
    })
}

fn results(report: &ProbeReport) -> Table {
    let rows = report.operators.iter().map(|of| {
        let time = of.seconds.first().copied().map(quantity::seconds);
        let error = of.error.map(|error| format!("{error:.1e}"));
        vec![
            of.name.clone(),
            time.unwrap_or_default(),
            of.value.map(quantity::raw).unwrap_or_default(),
            error.unwrap_or_default(),
            of.failure.clone().unwrap_or_else(|| "correct".to_owned()),
        ]
    });
    let columns = vec![
        Column::text("operator"),
        Column::number("time"),
        Column::number("value"),
        Column::number("relative error"),
        Column::text("result"),
    ];
    Table { columns, rows: rows.collect() }
}
