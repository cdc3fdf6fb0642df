//! What compute centres deliver, measured by probes: small tasks made of the operators that dominate real ones.
//!
//! - [`build`]: a probe made of a target task
//! - [`score`]: means become points
//! - [`usl`]: throughput against units, a law that is fitted
//! - [`kneedle`]: where a curve begins to flatten
//! - [`scaling`]: how many units are worth while
//! - [`pelt`]: when a series changes its level
//! - [`window`]: when the network is good
//! - [`centre`]: what all that says of one centre
//! - [`ranking`]: which centres deliver most, and which cannot be told apart
//! - [`schedule`]: work for centres
//! - [`study`], [`outcome`], [`subject`]: what the user enters, and what it answers

pub mod build;
pub mod centre;
pub mod edit;
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
pub use centre::{Expected, OfCentre};
pub use edit::Run;
pub use outcome::{Outcome, evaluate, evaluate_watched};
pub use ranking::Rank;
pub use scaling::{Recommended, Scaled};
pub use schedule::{Maker, Placed, Plan};
pub use score::Score;
pub use study::{
    Between, Centre, Input, Planning, PrecisionBand, Probe, Route, Runs, Scoring, Target, TargetOperator, TimeBand,
    UnitType, Work,
};
pub use usl::{NoScaling, Point, Scaling};
pub use window::{Level, Network, Timed, Window};
