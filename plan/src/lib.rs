//! Query plans from outside: Spark event logs and EXPLAIN output of Spark, DuckDB and PostgreSQL become plans that a placement
//! study can decide. SQL statements become such plans in `crossover-sql`.
//!
//! Every importer reads a file into an [`Import`]: its queries, each with a [`Plan`](crossover_query::Plan), and
//! the cluster of the file. Nothing is half-imported: a file gives an import or an [`ImportError`].
//! [`scenario::placement`] makes a placement study of a query, [`mod@per_operator`] one of each operator alone; [`today`] is the engine that ran it, [`options`] what could run it
//! instead, [`decide`] the decision between them by what the study says, and [`mod@remarks`] what an answer says of the log.
//! [`mod@timeline`] divides the time of an application among its queries.
//! [`mod@shape`] is what a query asks for whatever engine ran it, [`pairing`] finds its runs in two logs, [`history`] those in many, and
//! [`mod@learn`] updates a profile from a trial, [`site`] that of a scenario.
//! [`shipped`] has the measured queries that come with the program.

pub mod cases;
pub mod control;
pub mod decide;
mod detect;
pub mod dialect;
pub mod duckdb;
mod envelope;
pub mod error;
mod explain;
mod foreign;
pub mod format;
pub mod history;
pub mod import;
mod json;
pub mod learn;
pub mod options;
mod outline;
pub mod pairing;
pub mod per_operator;
pub mod postgres;
mod reader;
pub mod remarks;
pub mod scenario;
pub mod shape;
pub mod shipped;
pub mod site;
pub mod skew;
pub mod spark;
pub mod store;
pub mod stored;
pub mod support;
pub mod timeline;
pub mod today;

pub use control::Control;
pub use crossover_query::NativeEngine;
pub use dialect::SqlDialect;
pub use error::ImportError;
pub use format::Format;
pub use import::{Cluster, Import, Query, Run};
pub use reader::{SqlReader, read, read_sql, set_sql_reader};
pub use store::{Folders, Store};
