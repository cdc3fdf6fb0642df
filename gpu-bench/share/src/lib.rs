//! Two programs of the user that share a GPU or CPUs: wall time of each alone, beside the other, and as a policy starts them.
//!
//! [`words`] splits command lines, `stage` starts, watches and ends programs, `actuator` has the ways to divide the device between
//! them, `policy` decides what starts next, `run` measures, [`summary`] has the report as text.

#![cfg(unix)]

mod actuator;
mod cgroups;
mod error;
mod mps;
mod policy;
mod run;
mod stage;
pub mod summary;
pub mod words;

pub use self::actuator::usual_settings;
pub use self::error::ShareError;
pub use self::run::{ShareOutcome, SharePlan, run};
