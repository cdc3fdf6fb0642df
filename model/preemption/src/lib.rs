//! Kernels that share a GPU, and are preempted for others.
//!
//! - [`study`]: the inputs
//! - [`occupancy`]: resident blocks, and how kernels share a multiprocessor
//! - [`table`]: the pair table
//! - [`weigh`]: whether a preemption gains more than it costs
//! - `uncertainty`: the uncertainty of that gain
//! - [`stream`]: launches and their arrivals
//! - [`policy`], [`simulator`]: the sharing policies; `simulate` runs streams from event to event, with `choice`, `cost`,
//!   `displacement` and `scheduler`, `slicing` in time slices
//! - [`run`], [`observer`], [`decision`]: results and events of a run
//! - [`bound`]: the upper bound
//! - [`metrics`], [`outcome`], [`subject`]: metrics, results and figures
//! - [`analysis`]: instructions of a kernel by the size of its input
//! - [`fitted`]: unmeasured pairs, estimated from measured ones

pub mod analysis;
mod answer;
pub mod bound;
mod choice;
mod cost;
pub mod decision;
mod dispatch;
mod displacement;
mod edit;
pub mod fitted;
pub mod metrics;
pub mod observer;
pub mod occupancy;
pub mod outcome;
pub mod policy;
pub mod run;
mod scheduler;
mod simulate;
pub mod simulator;
mod slicing;
pub mod stream;
pub mod study;
pub mod subject;
pub mod table;
mod uncertainty;
mod validate;
mod waiting;
mod warnings;
pub mod weigh;

pub use bound::Bound;
pub use decision::Decision;
pub use metrics::PolicyOutcome;
pub use metrics::{ComparedMetric, Comparison, Means, Measures};
pub use observer::{Observer, SlotInterval, SlotState};
pub use occupancy::{Limit, Residency};
pub use outcome::{AtLoad, Log, Outcome, along_load, evaluate, evaluate_watched};
pub use policy::Policy;
pub use run::Run;
pub use simulator::Simulator;
pub use stream::Launches;
pub use study::{Displacement, Fallback, Gain, Gpu, Kernel, Launch, Order, Pair, Preemption, Recorded, Rule, Stream};
pub use table::{Basis, Table};
pub use uncertainty::GainUncertainty;
pub use weigh::{Case, Weighed};
