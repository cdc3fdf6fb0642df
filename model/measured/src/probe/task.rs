//! A probe task: a small task made of the operators that dominate a large one. A centre needs nothing else.

use serde::{Deserialize, Serialize};

use super::library::{Category, operator};
use crossover_quantity::invalid::Invalid;

/// Most operators of a probe.
pub const MOST_OPERATORS: usize = 100;
/// Most executions of one operator: a probe is small.
pub const MOST_EXECUTIONS: u32 = 10_000;

/// A probe task as a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProbeTask {
    /// Name of the probe.
    pub name: String,
    /// Type of the target task; empty: not specified.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub task_type: String,
    /// Operators, each after its inputs.
    pub operators: Vec<ProbeOperator>,
}

/// An operator of a probe task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProbeOperator {
    /// Name, unique in the probe.
    pub name: String,
    /// What it executes.
    pub runs: Executed,
    /// Number of executions in the probe.
    pub executions: u32,
    /// Number of executions in the target task, from which the time of that task is estimated.
    #[serde(default)]
    pub in_target: f64,
    /// Operators whose mean outputs are its inputs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub from: Vec<String>,
}

/// What an operator executes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Executed {
    /// An operator of the library, by its key.
    Library(String),
    /// Any program that prints one line of JSON: `{"value": 1.5, "true_value": 1.5}`, the second one optional.
    Command(Command),
}

impl Executed {
    /// Key of the operator of the library; none of a program.
    #[must_use]
    pub fn key(&self) -> Option<&str> {
        match self {
            Self::Library(key) => Some(key),
            Self::Command(_) => None,
        }
    }
}

/// A program that is an operator.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Command {
    /// Program and arguments; no shell interprets them.
    pub line: Vec<String>,
    /// Time limit, seconds; then the program is ended.
    #[serde(default = "a_minute")]
    pub limit_seconds: f64,
    /// Largest relative error that passes.
    #[serde(default = "a_millionth")]
    pub tolerance: f64,
}

impl Command {
    /// A program and its arguments, with default limit and tolerance.
    #[must_use]
    pub fn new(line: Vec<String>) -> Self {
        Self { line, limit_seconds: a_minute(), tolerance: a_millionth() }
    }
}

/// A program that a user adds to the library.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Program {
    /// Name in probe tasks.
    pub key: String,
    /// Categories of work in which it dominates.
    pub categories: Vec<Category>,
    /// Other names of the same operation.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// The program.
    pub command: Command,
}

fn a_minute() -> f64 {
    60.0
}

fn a_millionth() -> f64 {
    1e-6
}

impl ProbeTask {
    /// Hash that identifies the probe: operators, their executions here and in the target, and their connections, without names.
    /// 16 hexadecimal digits.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        // FNV-1a, 64 bits.
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        let mut add = |text: &str| {
            for byte in text.bytes().chain([0xff]) {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
            }
        };
        for of in &self.operators {
            match &of.runs {
                Executed::Library(key) => add(key),
                Executed::Command(command) => {
                    for word in &command.line {
                        add(word);
                    }
                }
            }
            add(&of.executions.to_string());
            add(&of.in_target.to_string());
            for from in &of.from {
                add(&self.operators.iter().position(|other| other.name == *from).unwrap_or(usize::MAX).to_string());
            }
            add("");
        }
        format!("{hash:016x}")
    }

    /// Checks the task.
    ///
    /// # Errors
    /// The first problem, with its path.
    pub fn validate(&self) -> Result<(), Invalid> {
        let invalid = |path: String, problem: String| Err(Invalid { path, problem });
        if self.operators.is_empty() || self.operators.len() > MOST_OPERATORS {
            let count = self.operators.len();
            return invalid("operators".into(), format!("{count} operators; allowed: 1 to {MOST_OPERATORS}"));
        }
        for (place, of) in self.operators.iter().enumerate() {
            let at = |field: &str| format!("operators.{}.{field}", of.name);
            let earlier = &self.operators[..place];
            if of.name.trim().is_empty() {
                return invalid(format!("operators.{place}.name"), "the name is empty; enter a name".into());
            }
            if earlier.iter().any(|other| other.name == of.name) {
                return invalid(at("name"), "another operator has this name; choose a unique one".into());
            }
            if !(1..=MOST_EXECUTIONS).contains(&of.executions) {
                return invalid(at("executions"), format!("{}; allowed: 1 to {MOST_EXECUTIONS}", of.executions));
            }
            if !(of.in_target.is_finite() && of.in_target >= 0.0) {
                return invalid(at("in_target"), format!("{}; allowed: 0 or more", of.in_target));
            }
            for from in &of.from {
                if !earlier.iter().any(|other| other.name == *from) {
                    let problem = format!("no earlier operator has the name “{from}”");
                    return invalid(at("from"), problem);
                }
            }
            match &of.runs {
                Executed::Library(key) if operator(key).is_none() => {
                    return invalid(at("runs"), format!("the library has no operator “{key}”"));
                }
                Executed::Library(_) => {}
                Executed::Command(command) => {
                    if command.line.first().is_none_or(|program| program.trim().is_empty()) {
                        return invalid(at("runs"), "the command line is empty; expected a program".into());
                    }
                    if !(1e-3..=3_600.0).contains(&command.limit_seconds) {
                        return invalid(
                            at("runs"),
                            format!("limit of {} s; allowed: 0.001 to 3,600 s", command.limit_seconds),
                        );
                    }
                    if !(command.tolerance.is_finite() && command.tolerance >= 0.0) {
                        return invalid(at("runs"), format!("tolerance {}; allowed: 0 or more", command.tolerance));
                    }
                }
            }
        }
        Ok(())
    }
}
