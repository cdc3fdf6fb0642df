//! Runs a probe: executes each operator as often as requested, feeds outputs to later operators, and checks every output.

use std::collections::BTreeMap;
use std::time::Instant;

use crossover_harness::Cancel;
use crossover_measured::probe::machine::GpuUnits;
use crossover_measured::probe::report::{OperatorReport, REPORT};
use crossover_measured::probe::{Executed, LIBRARY_VERSION, ProbeOperator, ProbeReport, ProbeTask};

use super::command::{self, Environment};
use super::execution::Execution;
use super::gpu;
use super::machine;
use super::operators::{self, Prepared};
use super::units::{ProbeError, Units};
use crate::failure::Failure;
use crate::gpu::adapter::Description;
use crate::report::Host;

/// Runs a probe. Failures are in the report of each operator; the other operators still run.
///
/// An operator runs at the scale that its predecessors give: the mean over them of output to true value, each averaged over
/// its executions; 1 for a failed one or one without a known true value.
///
/// # Errors
/// The task is not valid, or there are not enough units.
pub fn run(task: &ProbeTask, units: Units<'_>, cancel: &Cancel) -> Result<ProbeReport, ProbeError> {
    task.validate().map_err(ProbeError::Task)?;
    let threads = units.threads()?;
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads as usize)
        .thread_name(|thread| format!("probe {thread}"))
        .build()
        .map_err(|error| ProbeError::NoThreads(error.to_string()))?;
    let began = jiff::Timestamp::now().to_string();
    let mut outcomes: BTreeMap<&str, Outcome> = BTreeMap::new();
    let mut reports = Vec::with_capacity(task.operators.len());
    for of in &task.operators {
        let operands: Vec<Outcome> = of.from.iter().filter_map(|from| outcomes.get(from.as_str()).copied()).collect();
        let (executions, own_tolerance) = match &of.runs {
            Executed::Library(key) => match prepare(key, units, &pool) {
                Ok((mut prepared, true_value, tolerance)) => {
                    let once = || match units {
                        Units::Cpu { .. } => pool.install(|| execute(&mut *prepared, scale(&operands), true_value)),
                        Units::Gpu(_) => execute(&mut *prepared, scale(&operands), true_value),
                    };
                    (executions(of.executions, cancel, once), tolerance)
                }
                Err(failure) => (Err(failure), 0.0),
            },
            Executed::Command(command) => {
                let environment = Environment { units: units.count(), threads, scale: scale(&operands) };
                let once = || command::execute(command, environment, cancel);
                (executions(of.executions, cancel, once), command.tolerance)
            }
        };
        let tolerance = own_tolerance + operands.iter().map(|operand| operand.tolerance).sum::<f64>();
        let report = operator_report(of, executions, tolerance);
        outcomes.insert(&of.name, Outcome::of(&report));
        reports.push(report);
    }
    Ok(ProbeReport {
        report: REPORT.to_owned(),
        library: LIBRARY_VERSION,
        tool: concat!("gpu-bench ", env!("CARGO_PKG_VERSION")).to_owned(),
        began,
        processor: processor(units),
        unit: units.unit_type().to_string(),
        units: units.count(),
        threads,
        task: task.clone(),
        seconds: reports.iter().flat_map(|of| &of.seconds).sum(),
        operators: reports,
        machine: Some(machine::here(|| other_gpus(units))),
        processes: None,
    })
}

/// Messages of a run beside its report: each failure, and the operators that ran without that output.
#[must_use]
pub fn remarks(report: &ProbeReport) -> Vec<String> {
    let failed = report.operators.iter().filter_map(|of| Some((&of.name, of.failure.as_ref()?)));
    let remark = |(name, failure): (&String, &String)| {
        let takes = |of: &&ProbeOperator| of.from.contains(name);
        let without: Vec<String> =
            report.task.operators.iter().filter(takes).map(|of| format!("“{}”", of.name)).collect();
        let went_on = if without.is_empty() {
            String::new()
        } else {
            format!("; {} used the reference value as input", without.join(", "))
        };
        format!("“{name}” failed: {failure}{went_on}")
    };
    failed.map(remark).collect()
}

/// The output of an operator for its successors.
#[derive(Debug, Clone, Copy)]
struct Outcome {
    /// Mean output of all executions ÷ mean true value.
    relative: f64,
    /// Its tolerance, a relative error.
    tolerance: f64,
}

impl Outcome {
    fn of(report: &OperatorReport) -> Self {
        match (report.value, report.true_value, &report.failure) {
            (Some(value), Some(true_value), None) => {
                // 0 of 0 is right.
                let relative = if value == true_value { 1.0 } else { value / true_value };
                Self { relative, tolerance: report.tolerance }
            }
            _ => Self { relative: 1.0, tolerance: 0.0 },
        }
    }
}

fn scale(operands: &[Outcome]) -> f64 {
    if operands.is_empty() {
        return 1.0;
    }
    operands.iter().map(|operand| operand.relative).sum::<f64>() / operands.len() as f64
}

/// An operator with its data, its true value and its tolerance.
type Ready<'a> = (Box<dyn Prepared + 'a>, f64, f64);

fn prepare<'a>(key: &str, units: Units<'a>, pool: &rayon::ThreadPool) -> Result<Ready<'a>, String> {
    let operator = operators::operator(key).ok_or_else(|| format!("unknown operator “{key}”"))?;
    match units {
        Units::Cpu { .. } => Ok((pool.install(|| (operator.prepare)()), operator.true_value, operator.tolerance)),
        Units::Gpu(gpu) => {
            let (prepared, tolerance) = gpu::prepare(key, gpu).map_err(|failure| failure.to_string())?;
            Ok((prepared, operator.true_value, tolerance))
        }
    }
}

fn execute(prepared: &mut dyn Prepared, scale: f64, true_value: f64) -> Result<Execution, String> {
    let sentence = |failure: Failure| failure.to_string();
    let begin = Instant::now();
    prepared.execute(scale).map_err(sentence)?;
    let seconds = begin.elapsed().as_secs_f64();
    Ok(Execution { seconds, value: prepared.value().map_err(sentence)?, true_value: Some(true_value) })
}

/// Executes once as a warm-up and then as often as requested; stops at the first failure.
fn executions(
    count: u32,
    cancel: &Cancel,
    mut once: impl FnMut() -> Result<Execution, String>,
) -> Result<Vec<Execution>, String> {
    let mut next = || if cancel.is_requested() { Err(Failure::Cancelled.to_string()) } else { once() };
    next()?;
    (0..count).map(|_| next()).collect()
}

/// The report of an operator, with whether its outputs are right.
fn operator_report(of: &ProbeOperator, executions: Result<Vec<Execution>, String>, tolerance: f64) -> OperatorReport {
    let nothing = OperatorReport {
        name: of.name.clone(),
        seconds: Vec::new(),
        value: None,
        true_value: None,
        error: None,
        tolerance,
        failure: None,
    };
    let executions = match executions {
        Ok(executions) => executions,
        Err(failure) => return OperatorReport { failure: Some(failure), ..nothing },
    };
    let known: Vec<f64> = executions.iter().filter_map(|execution| execution.true_value).collect();
    let worst = executions.iter().filter_map(error).max_by(|(one, _), (other, _)| one.total_cmp(other));
    let failure = match worst {
        Some((error, worst)) if error > tolerance || error.is_nan() => Some(wrong(worst, error, tolerance)),
        _ => None,
    };
    OperatorReport {
        seconds: executions.iter().map(|execution| execution.seconds).collect(),
        value: Some(mean(executions.iter().map(|execution| execution.value))),
        true_value: (!known.is_empty()).then(|| mean(known.iter().copied())),
        error: worst.map(|(error, _)| error).filter(|error| error.is_finite()),
        failure,
        ..nothing
    }
}

/// Relative error of an execution whose true value is known.
fn error(execution: &Execution) -> Option<(f64, Execution)> {
    let true_value = execution.true_value?;
    let error = if execution.value == true_value { 0.0 } else { (execution.value / true_value - 1.0).abs() };
    Some((error, *execution))
}

fn wrong(worst: Execution, error: f64, tolerance: f64) -> String {
    let right = worst.true_value.unwrap_or(f64::NAN);
    format!("value {}, expected {right}: relative error {error:.1e}, allowed {tolerance:.1e}", worst.value)
}

fn mean(values: impl ExactSizeIterator<Item = f64> + Clone) -> f64 {
    let count = values.len() as f64;
    values.map(|value| value / count).sum()
}

/// The GPU of a run, where NVIDIA's driver lists none.
fn other_gpus(units: Units<'_>) -> Vec<GpuUnits> {
    match units {
        Units::Cpu { .. } => Vec::new(),
        Units::Gpu(gpu) => {
            let Description { name, pci, .. } = &gpu.description;
            vec![GpuUnits { name: name.clone(), id: pci.clone(), ..GpuUnits::default() }]
        }
    }
}

fn processor(units: Units<'_>) -> String {
    let cpu = Host::here().cpu;
    match units {
        Units::Cpu { .. } => cpu,
        Units::Gpu(gpu) => format!("{} ({cpu})", gpu.description.name),
    }
}
