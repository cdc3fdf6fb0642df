//! Compute centres compared by probes: small tasks made of the operators that dominate real ones.
//!
//! - [`build`]: builds a probe from a target task
//! - [`code`]: code of kernels compared
//! - [`estimate`]: the time of a probe before it is sent
//! - [`score`]: the score of a centre from its mean time and error
//! - [`usl`]: the universal scalability law, fitted to throughput against units
//! - [`kneedle`]: the knee of a curve
//! - [`scaling`]: the recommended number of units
//! - [`pelt`]: change points of a series
//! - [`window`]: the hours of the day in which the network is fast
//! - [`centre`]: the results of one centre
//! - [`ranking`]: ranks of centres, and centres without a significant difference
//! - [`schedule`]: work scheduled on centres
//! - [`study`], [`outcome`], [`subject`]: input, results and figures of a study

pub mod build;
pub mod centre;
pub mod code;
pub mod edit;
pub mod estimate;
pub mod kneedle;
pub mod outcome;
pub mod pelt;
pub mod ranking;
pub mod scaling;
pub mod schedule;
pub mod score;
pub mod study;
pub mod subject;
pub mod usl;
mod validate;
pub mod window;

pub use build::{Built, Match};
pub use centre::{CentreOutcome, EstimateMethod};
pub use code::KernelCode;
pub use edit::Run;
pub use estimate::ProbeTime;
pub use outcome::{Outcome, evaluate, evaluate_watched};
pub use ranking::Rank;
pub use scaling::{Recommended, Scaled};
pub use schedule::{Plan, Planner, ScheduledTask};
pub use score::Score;
pub use study::{
    Centre, Input, Interpolation, Planning, PrecisionBand, Probe, Route, Runs, Scoring, Target, TargetOperator,
    TimeBand, UnitType, Work,
};
pub use usl::{NoScaling, Point, Scaling};
pub use window::{Level, Network, Timed, Window};
