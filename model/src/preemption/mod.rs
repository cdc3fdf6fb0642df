//! Kernels that share a GPU, and leave it for others before they are done.
//!
//! - [`study`]: what the user enters
//! - [`occupancy`]: resident blocks, and how kernels share a multiprocessor
//! - [`table`]: how fast kernels run beside each other
//! - [`weigh`]: whether a preemption gains more than it costs
//! - [`stream`]: launches that come
//! - [`policy`], [`simulate`]: who runs beside whom, from event to event
//! - [`bound`]: what no policy can do better
//! - [`metrics`], [`outcome`], [`subject`]: what it answers
//! - [`analysis`]: instructions of a kernel by the size of its input
//! - [`fitted`]: pairs that were not measured, guessed by those that were

pub mod analysis;
pub mod bound;
mod edit;
pub mod fitted;
pub mod metrics;
pub mod occupancy;
pub mod outcome;
pub mod policy;
pub mod simulate;
pub mod stream;
pub mod study;
pub mod subject;
pub mod table;
mod validate;
mod waiting;
pub mod weigh;

pub use bound::Bound;
pub use metrics::{Means, Measures};
pub use occupancy::{Limit, Residency};
pub use outcome::{AtLoad, Log, OfPolicy, Outcome, along_load, evaluate, evaluate_watched};
pub use policy::Policy;
pub use simulate::{Decision, Ground, Observer, Run, Stay, What};
pub use stream::Launches;
pub use study::{Class, Fallback, Gain, Gpu, Kernel, Launch, Order, Pair, Preemption, Recorded, Rule, Stream};
pub use table::Table;
pub use weigh::{Case, Weighed};
