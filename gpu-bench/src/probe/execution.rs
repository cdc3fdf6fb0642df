//! One execution of an operator: how long it took and what came of it.

/// One execution of an operator.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Execution {
    /// How long it took, seconds.
    pub seconds: f64,
    /// Its output.
    pub value: f64,
    /// What is right; none: nobody knows.
    pub true_value: Option<f64>,
}
