//! Predictions of a task.

use crossover_predict::train::Target;
use serde::Serialize;

/// A prediction of one predictor.
#[expect(clippy::struct_excessive_bools, reason = "each says another thing of the prediction")]
#[derive(Debug, Serialize)]
pub(super) struct Predicted {
    /// "seconds", "compute, %" …
    pub(super) quantity: String,
    #[serde(skip)]
    pub(super) target: Target,
    #[serde(skip)]
    pub(super) unit: String,
    /// Whether its predictor has no other device.
    #[serde(skip)]
    pub(super) is_only: bool,
    /// File that its network was trained on; empty without training.
    #[serde(skip)]
    pub(super) learned_from: String,
    /// File of the trained network, or the label of the roofline.
    pub(super) by: String,
    /// Type of device; empty if there is only one.
    pub(super) device: String,
    pub(super) value: f64,
    /// RMSE on the test set.
    pub(super) rmse: Option<f64>,
    /// Whether a feature is outside the training range: then the error is unknown.
    pub(super) is_extrapolated: bool,
    /// Whether the runs do not have this type of GPU: it is predicted from its hardware.
    pub(super) is_unseen: bool,
    /// Whether it is a lower bound, because the file does not describe every layer.
    pub(super) is_least: bool,
}
