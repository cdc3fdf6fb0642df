//! What a centre reports of one run of a probe.

use serde::{Deserialize, Serialize};

use super::task::ProbeTask;

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

impl ProbeReport {
    /// The first operator that failed, with the reason.
    #[must_use]
    pub fn failure(&self) -> Option<(&str, &str)> {
        self.operators.iter().find_map(|of| Some((of.name.as_str(), of.failure.as_deref()?)))
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
