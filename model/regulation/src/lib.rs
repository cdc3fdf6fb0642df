//! Regulation: balance transfer against compute with a feedback loop.
//!
//! Every cluster reports its PCIe occupancy p_p and its compute load p_d. A controller turns the error
//! e = p_p − p_d into an output u, the control table turns u into actions: vGPUs, frequency, precision; a cloud
//! manager moves released vGPUs to clusters that request them. `docs/model/regulation.md` states every formula
//! and its source.
//!
//! - [`study`]: the inputs, every number with unit, range, meaning and source
//! - [`plant`]: throughput, occupancies and power of a cluster
//! - [`pid`], [`gains`], [`fuzzy`], [`table`]: from an error to actions
//! - [`simulate`]: the loop in time, [`figures`]: figures of a run
//! - [`tuning`]: gains from an experiment or a search, [`stability`]: the stability map
//! - [`outcome`]: the results of a study
//! - [`recording`]: recordings of GPUs as demand; [`advice`]: actions that a controller would take for readings
//! - [`regulator`]: values of real settings for readings, within their limits

mod actions;
mod actuator;
pub mod advice;
mod edit;
pub mod figures;
pub mod fuzzy;
pub mod gain_table;
pub mod gains;
mod noise;
pub mod outcome;
pub mod pid;
pub mod plant;
pub mod recording;
pub mod regulator;
pub mod simulate;
pub mod stability;
mod step;
pub mod study;
mod subject;
pub mod table;
pub mod tuning;
pub mod validate;
mod warnings;

pub use actions::Action;
pub use edit::MOST_CURVE_POINTS;
pub use figures::{ClusterState, Figures, Run as StrategyRun, State};
pub use outcome::{Comparison, Loads, Outcome, evaluate, evaluate_watched, strategy_names};
pub use simulate::{Relay, Simulation, Strategy};
pub use step::Step;
pub use study::{
    Actuator, ActuatorMode, Actuators, Band, Cluster, Concurrency, Controller, CurvePoint, Demand, Derivative, Form,
    Fuzzy, Integration, Manager, Measurement, Policy, Power, PowerLaw, PrecisionLevel, Regulation, Run, Schedule,
    ServeOrder, Shape, Voltage,
};
