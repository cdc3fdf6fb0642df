//! A whole query plan: which side for every operator, counting what it costs to change sides.
//!
//! - [`cost`]: every operator's time on either side, and the bus where sides differ
//! - [`cut`]: the cheapest assignment, exactly
//! - [`outcome`]: the decision and its baselines
//! - [`Reason`]: why an operator runs where it does
//! - [`classes`]: the best decision that treats all operators of a class alike

pub mod classes;
pub mod cost;
pub mod cut;
pub mod outcome;
mod reason;
mod reduce;
mod spread;
mod warnings;

pub use classes::{ByClass, ClassChoice, by_class};
pub use cost::{Costs, EdgeCost, OperatorCost};
pub use outcome::{Baselines, Decided, Fixed, Flow, Whole, decide, decide_in};
pub use reason::Reason;
