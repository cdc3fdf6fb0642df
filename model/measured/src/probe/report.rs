//! What a centre reports of one run of a probe.

use serde::{Deserialize, Serialize};

use super::library::LIBRARY_VERSION;
use super::task::{ProbeOperator, ProbeTask};

/// One run of a probe with one number of units, as gpu-bench writes it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProbeReport {
    /// "probe", so that other JSON is told apart.
    pub report: String,
    /// Version of the library that ran.
    pub library: u32,
    /// Name and version of the program.
    pub tool: String,
    /// When it began by the clock of the machine that ran it, RFC 3339 in UTC.
    pub began: String,
    /// Processor of that machine.
    pub processor: String,
    /// Type of the compute units.
    pub unit: String,
    /// How many of them.
    pub units: u32,
    /// Threads on which it ran.
    pub threads: u32,
    /// What was executed.
    pub task: ProbeTask,
    /// Time of all executions, seconds.
    pub seconds: f64,
    /// Each operator, in the order of the task.
    pub operators: Vec<OperatorReport>,
}

/// What became of one operator.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OperatorReport {
    /// Its name in the task.
    pub name: String,
    /// Time of each execution, seconds.
    pub seconds: Vec<f64>,
    /// Its output, mean of all executions.
    pub value: Option<f64>,
    /// What is right.
    pub true_value: Option<f64>,
    /// Relative error of the worst execution.
    pub error: Option<f64>,
    /// Relative error up to which it is right.
    pub tolerance: f64,
    /// Why there is no time or no value, or why the value is wrong; none: it is right.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
}

/// What "report" says.
pub const REPORT: &str = "probe";

impl OperatorReport {
    /// What of the report of an operator cannot be.
    fn fault(&self, asked: &ProbeOperator) -> Option<String> {
        if self.name != asked.name {
            return Some(format!("stands where “{}” belongs", asked.name));
        }
        if self.seconds.len() != asked.executions as usize {
            return Some(format!("{} times of {} executions", self.seconds.len(), asked.executions));
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

    /// Why the report does not count, whatever probe was wanted: another version of the library, an operator that failed, a wrong
    /// value, numbers that contradict each other. A sentence without its full stop.
    #[must_use]
    pub fn fault(&self) -> Option<String> {
        if self.library != LIBRARY_VERSION {
            let version = self.library;
            return Some(format!(
                "it ran version {version} of the operators, this program has {LIBRARY_VERSION}: times cannot be compared"
            ));
        }
        if let Some((operator, failure)) = self.failure() {
            return Some(format!("{operator}: {failure}"));
        }
        if self.task.operators.len() != self.operators.len() {
            return Some("its operators are not those of its probe".to_owned());
        }
        for (asked, ran) in self.task.operators.iter().zip(&self.operators) {
            if let Some(fault) = ran.fault(asked) {
                return Some(format!("{}: {fault}", ran.name));
            }
        }
        let sum: f64 = self.operators.iter().flat_map(|of| &of.seconds).sum();
        let is_sum = (self.seconds - sum).abs() <= 1e-6 * sum;
        (!is_sum).then(|| format!("it reports {} s, but its operators took {sum} s together", self.seconds))
    }

    /// The largest relative error; none if nothing tells what is right.
    #[must_use]
    pub fn error(&self) -> Option<f64> {
        self.operators.iter().filter_map(|of| of.error).reduce(f64::max)
    }

    /// How long the target task takes by this run: its executions of each operator times what one took on average, seconds;
    /// none if an operator has no time, or the task says nothing of its target.
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
        (sum > 0.0).then_some(sum)
    }
}
