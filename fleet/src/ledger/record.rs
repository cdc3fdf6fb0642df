//! What a line of a ledger says.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::application::{Application, Summary};
use crate::found::{LeftOut, Stamp};

/// What a line says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Record {
    /// A log was read.
    Log(Box<LogRecord>),
    /// All logs of a run are in the lines before.
    Done(Done),
}

/// A log, and what it answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LogRecord {
    /// Which log.
    pub head: Head,
    /// What it answers, or why it is left out.
    pub outcome: Outcome,
}

/// Which log a record is of, and when it holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// The log's path.
    pub key: String,
    /// What it looked like.
    pub stamp: Stamp,
    /// SHA-256 of the bytes of its files, if all were read.
    pub digest: Option<String>,
    /// The engines that it was measured against.
    pub base: String,
}

/// What a log answers, or why it is left out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The application.
    Application(Box<Application>),
    /// Why the log is left out.
    LeftOut(String),
}

/// The end of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Done {
    /// The engines that it was measured against.
    pub base: String,
    /// Which shard it was, counted from 1, and of how many.
    pub shard: (usize, usize),
    /// Tells what the tables were made of.
    pub tables: String,
    /// Logs of the ledger that are there no more. They are dropped when it is written anew.
    pub gone: Vec<String>,
    /// Logs of the ledger that do not count in this run, though nobody knows that they are gone: they lie below other
    /// paths, or where nobody could look.
    #[serde(default)]
    pub elsewhere: Vec<String>,
    /// Logs that count as a run before read them, and why.
    #[serde(default)]
    pub kept: BTreeMap<String, String>,
    /// What is no log.
    pub left_out: Vec<LeftOut>,
}

/// A line without the queries of an application.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Short {
    Log(Box<ShortLog>),
    Done(Done),
}

#[derive(Deserialize)]
pub(super) struct ShortLog {
    pub(super) head: Head,
    pub(super) outcome: ShortOutcome,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ShortOutcome {
    Application(Box<ShortApplication>),
    LeftOut(String),
}

#[derive(Deserialize)]
pub(super) struct ShortApplication {
    pub(super) summary: Summary,
}
