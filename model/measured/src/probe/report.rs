//! The report of one run of a probe.

use crossover_quantity::text::counted;
use serde::{Deserialize, Serialize};

use super::library::LIBRARY_VERSION;
use super::machine::MachineUnits;
use super::task::{ProbeOperator, ProbeTask};

/// One run of a probe on one number of units, as gpu-bench writes it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProbeReport {
    /// Always "probe", which identifies the file.
    pub report: String,
    /// Version of the operator library.
    pub library: u32,
    /// Name and version of the program.
    pub tool: String,
    /// Start by the clock of the machine that ran it, RFC 3339 in UTC.
    pub began: String,
    /// Processor of that machine.
    pub processor: String,
    /// Type of the compute units.
    pub unit: String,
    /// Number of units.
    pub units: u32,
    /// Threads used.
    pub threads: u32,
    /// The probe that was executed.
    pub task: ProbeTask,
    /// Time of all executions, seconds; of several processes, that of the slowest one.
    pub seconds: f64,
    /// Report of each operator, in the order of the task.
    pub operators: Vec<OperatorReport>,
    /// Compute units of that machine; none: not reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<MachineUnits>,
    /// Processes that ran side by side, each with its part of the executions; none: one process with all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub processes: Option<u32>,
}

/// Report of one operator.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OperatorReport {
    /// Its name in the task.
    pub name: String,
    /// Time of each execution, seconds.
    pub seconds: Vec<f64>,
    /// Output, mean of all executions.
    pub value: Option<f64>,
    /// True value of the output.
    pub true_value: Option<f64>,
    /// Relative error of the worst execution.
    pub error: Option<f64>,
    /// Largest relative error that passes.
    pub tolerance: f64,
    /// Reason of a missing time or value, or of a wrong value; none: the value is right.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
}

/// Value of the field "report".
pub const REPORT: &str = "probe";

impl OperatorReport {
    /// The first contradiction to the requested operator, or an error above the tolerance.
    fn fault(&self, requested: &ProbeOperator) -> Option<String> {
        if self.name != requested.name {
            return Some(format!("expected the operator “{}” here", requested.name));
        }
        if self.seconds.len() != requested.executions as usize {
            let times = counted(self.seconds.len() as f64, "time");
            return Some(format!("{times} of {}", counted(f64::from(requested.executions), "execution")));
        }
        if let Some(seconds) = self.seconds.iter().find(|seconds| !(seconds.is_finite() && **seconds >= 0.0)) {
            return Some(format!("an execution took {seconds} s"));
        }
        // The mean value is off by no more than the worst execution.
        let off = match (self.value, self.true_value) {
            (Some(value), Some(true_value)) if value != true_value => (value / true_value - 1.0).abs(),
            _ => 0.0,
        };
        let worst = self.error.map_or(off, |error| error.max(off));
        let is_right = worst <= self.tolerance * (1.0 + 1e-9);
        (!is_right).then(|| format!("relative error {worst:.1e}, allowed {:.1e}", self.tolerance))
    }
}

impl ProbeReport {
    /// The first operator that failed, with the reason.
    #[must_use]
    pub fn failure(&self) -> Option<(&str, &str)> {
        self.operators.iter().find_map(|of| Some((of.name.as_str(), of.failure.as_deref()?)))
    }

    /// Why the report does not count for any probe: another version of the library, a failed operator, a wrong value, or numbers
    /// that contradict each other. A sentence without its full stop.
    #[must_use]
    pub fn fault(&self) -> Option<String> {
        if self.library != LIBRARY_VERSION {
            let version = self.library;
            return Some(format!(
                "version {version} of the operators ran, this program has version {LIBRARY_VERSION}; times cannot be compared"
            ));
        }
        if let Some((operator, failure)) = self.failure() {
            return Some(format!("{operator}: {failure}"));
        }
        if self.task.operators.len() != self.operators.len() {
            return Some("the operators of the report are not those of its probe".to_owned());
        }
        for (requested, ran) in self.task.operators.iter().zip(&self.operators) {
            if let Some(fault) = ran.fault(requested) {
                return Some(format!("{}: {fault}", ran.name));
            }
        }
        let sum: f64 = self.operators.iter().flat_map(|of| &of.seconds).sum();
        // Of several processes the slowest one took at least the mean, and at least its longest execution.
        let longest = self.operators.iter().flat_map(|of| &of.seconds).copied().fold(0.0, f64::max);
        let least = if self.processes.is_some() { longest.max(sum / self.parallel()) } else { sum };
        let is_possible = self.seconds >= least - 1e-6 * sum && self.seconds <= sum + 1e-6 * sum;
        (!is_possible)
            .then(|| format!("the report has a time of {} s, but its operators took {sum} s together", self.seconds))
    }

    /// The largest relative error; none without true values.
    #[must_use]
    pub fn error(&self) -> Option<f64> {
        self.operators.iter().filter_map(|of| of.error).reduce(f64::max)
    }

    /// Time of the target task estimated from this run, seconds: executions in the target × mean time of one execution, summed
    /// over operators, ÷ processes. None if an operator has no time, or the task has no executions of its target.
    #[must_use]
    pub fn target_seconds(&self) -> Option<f64> {
        let mut sum = 0.0;
        for (of, ran) in self.task.operators.iter().zip(&self.operators) {
            let mean = ran.seconds.iter().sum::<f64>() / ran.seconds.len() as f64;
            if ran.seconds.is_empty() || !mean.is_finite() {
                return None;
            }
            sum += of.in_target * mean;
        }
        (sum > 0.0).then_some(sum / self.parallel())
    }

    /// Executions at one time.
    fn parallel(&self) -> f64 {
        f64::from(self.processes.unwrap_or(1).max(1))
    }
}
