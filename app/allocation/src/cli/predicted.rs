//! What predictors say of a task.

use crossover_predict::train::Target;
use serde::Serialize;

/// What one predictor says.
#[derive(Debug, Serialize)]
pub(super) struct Predicted {
    /// "seconds", "compute, %" …
    pub(super) what: String,
    #[serde(skip)]
    pub(super) target: Target,
    #[serde(skip)]
    pub(super) unit: String,
    /// Whether its predictor knows of no other device.
    #[serde(skip)]
    pub(super) is_only: bool,
    /// What it learnt from; empty if from nothing.
    #[serde(skip)]
    pub(super) learnt_from: String,
    /// File of the trained network, or the label of the roofline.
    pub(super) by: String,
    /// Type of device; empty if there is one only.
    pub(super) device: String,
    pub(super) value: f64,
    /// Typical error where it was checked.
    pub(super) rmse: Option<f64>,
    /// Whether the task is unlike all that was learnt from: then nobody knows the error.
    pub(super) is_guess: bool,
}
