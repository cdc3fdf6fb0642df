//! Networks that are trained on measured runs: what a task takes of the compute units or of the memory of a GPU, or how long
//! it runs, on every type of device.
//!
//! - [`dataset`]: measured runs from CSV
//! - [`options`]: how a network is trained
//! - [`learn`]: training itself, with its learning curve
//! - [`model`]: what a network predicts
//! - [`card`]: what it was trained on, how, and how well it predicts
//! - [`report`]: how far predictions are from measurements
//! - [`scale`]: how features and targets enter
//! - [`split`]: which runs are learnt from

mod adamw;
mod backprop;
mod baseline;
pub mod card;
pub mod dataset;
pub mod error;
mod examples;
mod file;
mod gpumemnet;
mod gradient;
pub mod learn;
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
pub use dataset::{Dataset, Known, Row, Target};
pub use error::TrainError;
pub use learn::{Epoch, train};
pub use model::{Model, Outside, Prediction};
pub use options::{Loss, Options};
pub use report::{Compared, Errors};
pub use scale::{Feature, TargetScale};
pub use split::Split;
