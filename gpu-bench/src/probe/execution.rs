//! One execution of an operator: its time and its output.

/// One execution of an operator.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Execution {
    /// Its time, seconds.
    pub seconds: f64,
    /// Its output.
    pub value: f64,
    /// The true value, if known.
    pub true_value: Option<f64>,
}
