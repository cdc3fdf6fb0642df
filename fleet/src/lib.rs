//! All event logs of an organisation: which applications gain on a GPU cluster, how much, how certain that is, and what
//! blocks the others.
//!
//! - [`stores`]: sources of logs: folders, buckets, Spark History Servers
//! - [`mod@find`]: finds the logs below paths; [`found`] has the types
//! - [`outcomes`]: the result of a run
//! - [`mod@run`]: reads the logs that are not in the [`ledger`] yet, on all cores
//! - [`mod@answer`]: the prediction for one log, with [`spread`] (the interval of a sum)
//! - [`application`]: what is kept of a log, with `decision`: what is decided about it and its queries, and [`blocker`]: why they stay
//! - `plans`: plans of other engines beside the logs
//! - [`selection`]: which log of an application counts
//! - [`tables`]: the results as Parquet, CSV and JSON
//! - [`overview`]: the sum of all applications, with their [`costs`], by how often they run ([`frequency`])
//! - `choice`: the option of an application, also at another price of today's machines
//! - [`entered`]: what was entered for the last run of the command, with which the window begins
//! - [`effort`]: the effort of moves, and when their savings have paid it back
//! - [`portfolio`]: the applications that save most within a budget of GPU machines
//! - [`rapids`]: configuration of the applications to move
//! - [`names`]: names of other files in a folder of results
//! - [`opened`]: the results of an earlier run, and [`listed`]: its applications filtered, sorted and grouped
//! - [`workload`]: several applications as one scenario, for a search of their cluster
//! - [`shard`] and [`mod@merge`]: the same on several machines

pub mod answer;
pub mod application;
pub mod base;
pub mod blocker;
mod choice;
pub mod costs;
mod decision;
pub mod effort;
pub mod entered;
pub mod error;
pub mod find;
pub mod found;
pub mod frequency;
pub mod ledger;
pub mod listed;
pub mod merge;
pub mod names;
pub mod opened;
pub mod outcomes;
pub mod overview;
mod plans;
pub mod portfolio;
pub mod rapids;
pub mod run;
pub mod selection;
pub mod shard;
pub mod spread;
pub mod stores;
pub mod tables;
pub mod workload;

pub use base::Base;
pub use costs::{ApplicationCosts, Costs};
pub use effort::{EffortSum, Recurrence};
pub use error::FleetError;
pub use frequency::Frequency;
pub use merge::merge;
pub use outcomes::Outcomes;
pub use overview::Overview;
pub use portfolio::{Budget, Portfolio};
pub use run::{RunOptions, run};
pub use stores::LogStores;
pub use workload::CombinedWorkload;
