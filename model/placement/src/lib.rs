//! Placement: should an operator run on the CPU cluster or on the GPU cluster?
//!
//! For every operator of a distributed batch query the total time on CPUs and on GPUs is estimated
//! before it runs; `speedup = T_cpu / T_gpu`, and the operator goes to the GPU when the speedup
//! exceeds a threshold. `docs/model/placement.md` states every formula and its source.
//!
//! - [`study`]: the inputs
//! - [`parameter`]: the numbers that the code names
//! - [`cost`]: the two times, term by term
//! - [`break_even`]: the value of a parameter at which the placement flips
//! - [`curves`]: speedup along one parameter
//! - [`outcome`]: all results, and [`reason`]: the reasons in words
//! - [`decision`]: the goal, prices and clusters of the decision about a query, and [`entered`]: what holds for its application, too;
//!   [`LearnedTrial`]: what a trial taught
//! - [`whole`]: the same for a whole query plan, with data transfer between CPU and GPU

pub mod axis;
pub mod break_even;
pub mod calibration;
pub mod cost;
pub mod curves;
pub mod decision;
mod edit;
pub mod entered;
mod figures;
mod learned;
mod learning;
mod network_calibration;
pub mod outcome;
pub mod parameter;
pub mod point;
pub mod reason;
mod root;
pub mod row;
pub mod study;
mod subject;
pub mod validate;
pub mod variant;
pub mod whole;

pub use axis::Axis;
pub use break_even::{BreakEven, GpuRecommended};
pub use cost::{Breakdown, Cost, Term};
pub use crossover_quantity::catalogue::NetworkFamily;
pub use curves::Curve;
pub use decision::{CandidateCluster, DecisionInputs, MOST_CANDIDATES, TrialRun};
pub use entered::EnteredInputs;
pub use learned::LearnedTrial;
pub use network_calibration::network_change;
pub use outcome::{Outcome, Summary, evaluate};
pub use parameter::{Parameter, ParameterOf};
pub use point::Point;
pub use row::Row;
pub use study::{
    Aggregation, Bus, Class, Cluster, Compression, Gpu, MOST_NETWORKS, MOST_OPERATORS, Network, Node, Operator,
    Overlap, Placement, Policy, Query, Side,
};
pub use variant::Variant;

/// The published setting, for unit tests.
#[cfg(test)]
pub(crate) fn published() -> Placement {
    crossover_needs::study_in(include_str!("../../../scenarios/placement-published.ron"))
}
