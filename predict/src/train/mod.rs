//! Networks trained on measured runs. They predict the utilisation of compute units or memory of a GPU by a task, or its time,
//! on every type of device.
//!
//! - [`dataset`]: measured runs from CSV
//! - [`options`]: options of training
//! - [`learn`]: training, with its learning curve
//! - [`model`]: a trained network and its predictions
//! - [`card`]: the model card: training data, options and errors
//! - [`report`]: errors of predictions
//! - [`hardware`]: hardware of the types of GPUs, and types without runs
//! - [`scale`]: scaling of features and targets
//! - [`split`]: training, validation and test set

mod adamw;
mod baseline;
pub mod card;
pub mod dataset;
pub mod error;
mod examples;
mod file;
mod gpumemnet;
mod gradient;
pub mod hardware;
pub mod learn;
mod learner;
mod matrix;
pub mod model;
mod network;
pub mod options;
mod reading;
pub mod report;
pub mod scale;
pub mod split;
mod table;

pub use card::{ModelCard, Parts};
pub use dataset::{Dataset, FeatureSet, Row, Target};
pub use error::TrainError;
pub use hardware::TypeHardware;
pub use learn::{Epoch, train};
pub use model::{Model, OutOfRange, Prediction, TypePrediction};
pub use options::{Loss, Options};
pub use report::{ErrorComparison, Errors};
pub use scale::{Feature, TargetScale};
pub use split::Split;
