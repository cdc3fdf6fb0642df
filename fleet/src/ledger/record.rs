//! Records in the lines of a ledger.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::application::{Application, Summary};
use crate::found::{LeftOut, Stamp};

/// The record of a line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Record {
    /// A log was read.
    Log(Box<LogRecord>),
    /// All logs of a run are in the lines before.
    Done(Done),
}

/// A log and its outcome.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LogRecord {
    /// The log.
    pub head: Head,
    /// The application, or why the log is left out.
    pub outcome: Outcome,
}

/// The log of a record, and the state that it was read in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// The log's path.
    pub key: String,
    /// Its size and times.
    pub stamp: Stamp,
    /// SHA-256 of the bytes of its files, if all were read.
    pub digest: Option<String>,
    /// The engines that it was measured against.
    pub base: String,
}

/// The application of a log, or why the log is left out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The application.
    Application(Box<Application>),
    /// Why the log is left out.
    LeftOut(Rejection),
}

/// Why a log is left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rejection {
    /// It is not a log that can be used.
    Unusable(String),
    /// No base has its engine.
    NoBase(String),
}

impl Rejection {
    /// The reason, as text after the path.
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            Self::Unusable(text) | Self::NoBase(text) => text,
        }
    }
}

/// The end of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Done {
    /// The engines that it was measured against.
    pub base: String,
    /// Which shard it was, counted from 1, and of how many.
    pub shard: (usize, usize),
    /// Digest of the tables' inputs.
    pub tables: String,
    /// Lengths and checksums of the tables, by which damaged ones are found and written again.
    #[serde(default)]
    pub checksums: String,
    /// Logs of the ledger that no longer exist; dropped when the ledger is rewritten.
    pub gone: Vec<String>,
    /// Logs of the ledger that do not count in this run but may exist: they are below other paths, or in folders that could
    /// not be read.
    #[serde(default)]
    pub elsewhere: Vec<String>,
    /// Logs that count with the results of an earlier run, and why.
    #[serde(default)]
    pub kept: BTreeMap<String, String>,
    /// Files that are not logs.
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
    LeftOut(Rejection),
}

#[derive(Deserialize)]
pub(super) struct ShortApplication {
    pub(super) summary: Summary,
}
