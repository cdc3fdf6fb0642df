//! Kernels that share a GPU, and leave it for others before they are done.
//!
//! - [`study`]: what the user enters
//! - [`occupancy`]: resident blocks, and how kernels share a multiprocessor
//! - [`table`]: how fast kernels run beside each other
//! - [`weigh`]: whether a preemption gains more than it costs
//! - `doubt`: how sure it is of that
//! - [`stream`]: launches that come
//! - [`policy`], [`ground`]: who runs beside whom; streams go from event to event in `simulate`, with `choice` and `cost`, or in
//!   slices of time in `slicing`
//! - [`run`], [`observer`], [`decision`]: what comes of it, for those who look on
//! - [`bound`]: what no policy can do better
//! - [`metrics`], [`outcome`], [`subject`]: what it answers
//! - [`analysis`]: instructions of a kernel by the size of its input
//! - [`fitted`]: pairs that were not measured, guessed by those that were

pub mod analysis;
mod answer;
pub mod bound;
mod choice;
mod cost;
pub mod decision;
mod dispatch;
mod doubt;
mod edit;
pub mod fitted;
pub mod ground;
pub mod metrics;
pub mod observer;
pub mod occupancy;
pub mod outcome;
pub mod policy;
pub mod run;
mod simulate;
mod slicing;
pub mod stream;
pub mod study;
pub mod subject;
pub mod table;
mod validate;
mod waiting;
mod warnings;
pub mod weigh;

pub use bound::Bound;
pub use decision::Decision;
pub use doubt::Doubt;
pub use ground::Ground;
pub use metrics::OfPolicy;
pub use metrics::{By, Means, Measures, More};
pub use observer::{Observer, Stay, What};
pub use occupancy::{Limit, Residency};
pub use outcome::{AtLoad, Log, Outcome, along_load, evaluate, evaluate_watched};
pub use policy::Policy;
pub use run::Run;
pub use stream::Launches;
pub use study::{Fallback, Gain, Gpu, Kernel, Launch, Order, Pair, Preemption, Recorded, Rule, Stream};
pub use table::{Basis, Table};
pub use weigh::{Case, Weighed};
