//! A whole query plan: the side of every operator, including data transfer between CPU and GPU.
//!
//! - [`cost`]: every operator's time on both sides, and the bus where sides differ
//! - [`cut`]: the cheapest assignment, exactly
//! - [`verdict`]: the answer in a sentence, with its 90 % interval
//! - [`decide()`]: the decision; [`outcome`] is its result, with baselines
//! - [`EngineWork`]: the same times in many engines, without the decision for each operator
//! - [`rules`]: operators that a GPU engine runs on one side
//! - [`Reason`]: why an operator is on its side
//! - [`along`]: times of the plan along one number, or as its data grows
//! - [`classes`]: the best decision that treats all operators of a class alike

pub mod along;
pub mod classes;
pub mod cost;
pub mod cut;
mod decide;
mod engine_work;
mod fixed;
mod flow;
pub mod outcome;
mod problem;
mod reason;
mod reduce;
pub mod rules;
mod spread;
mod unaccounted;
pub mod verdict;
mod warnings;

pub use along::{PlanAxis, PlanCurve, PlanTimes, along_plan};
pub use classes::{ByClass, ClassChoice, by_class};
pub use cost::{Costs, EdgeCost, Moving, OperatorCost};
pub(super) use decide::has_errors;
pub use decide::{decide, decide_in};
pub use engine_work::{EngineOperator, EngineWork};
pub use fixed::Fixed;
pub use flow::Flow;
pub use outcome::{Baselines, Decided, Unpinned, Whole};
pub use reason::Reason;
pub use rules::{Rule, Tie};
pub use verdict::PlanVerdict;
