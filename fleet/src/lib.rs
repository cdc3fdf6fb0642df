//! Every log of a house: which applications gain on a GPU cluster, how much, how sure that is, and what blocks the
//! others.
//!
//! - [`stores`]: where logs may lie: folders, buckets, Spark History Servers
//! - [`mod@find`]: the logs below some paths, which are what is [`found`]
//! - [`outcomes`]: what a run did
//! - [`mod@run`]: reads what is not in the [`ledger`] yet, on all cores
//! - [`mod@answer`]: what one log answers, with [`timeline`] (whose time is whose) and [`spread`] (how sure a sum is)
//! - `plans`: plans of other engines beside the logs
//! - [`chosen`]: which log of an application counts
//! - [`tables`]: the results as Parquet, CSV and JSON
//! - [`overview`]: what all applications come to
//! - [`rapids`]: configuration for what is to move
//! - [`names`]: what a folder of results has besides tables
//! - [`opened`]: the results of an earlier run, and [`listed`]: its applications filtered, sorted and grouped
//! - [`together`]: several applications as one scenario, in which the cluster is searched that serves them all
//! - [`shard`] and [`mod@merge`]: the same on several machines

pub mod answer;
pub mod application;
pub mod base;
pub mod chosen;
pub mod error;
pub mod find;
pub mod found;
pub mod ledger;
pub mod listed;
pub mod merge;
pub mod names;
pub mod opened;
pub mod outcomes;
pub mod overview;
mod plans;
pub mod rapids;
pub mod run;
pub mod shard;
pub mod spread;
pub mod stores;
pub mod tables;
pub mod timeline;
pub mod together;

pub use base::Base;
pub use error::FleetError;
pub use merge::merge;
pub use outcomes::Outcomes;
pub use overview::Overview;
pub use run::{Order, run};
pub use stores::Places;
pub use together::Together;
