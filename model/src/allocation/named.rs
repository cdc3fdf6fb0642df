//! Recorded tasks that a study names by their files instead of holding them.

use serde::{Deserialize, Serialize};

use super::cluster::WHOLE;
use super::trace::Trace;
use crate::shared::Shared;

/// Recorded tasks, by the files that hold them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NamedTrace {
    /// What the files are.
    pub form: Form,
    /// The files, in the order of the form. While a study is worked on their paths are whole.
    pub files: Vec<NamedFile>,
    /// What was found there. It stands in no file.
    #[serde(skip)]
    pub found: Found,
}

/// A file as it was when the study was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NamedFile {
    /// Where it is; from the folder of the scenario unless it is a whole path.
    pub path: String,
    /// SHA-256 of its bytes, 64 hexadecimal digits.
    pub sha256: String,
}

/// What files of recorded tasks are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Form {
    /// Alibaba's GPU cluster of 2023: nodes, pods.
    Openb,
    /// Jobs of Microsoft's Philly.
    Philly,
}

impl Form {
    /// What each of its files holds.
    #[must_use]
    pub fn files(self) -> &'static [&'static str] {
        match self {
            Self::Openb => &["nodes", "pods"],
            Self::Philly => &["jobs"],
        }
    }
}

/// Sums over recorded tasks whose times are known.
#[derive(Debug, Clone, Copy)]
pub(super) struct Timed {
    /// Pieces of tasks.
    pub pieces: f64,
    /// What they take of GPUs altogether, s.
    pub gpu_seconds: f64,
    /// How long latency-sensitive ones run altogether, s.
    pub sensitive_seconds: f64,
    /// When the first one comes, s.
    pub first: f64,
    /// When the last one comes, s.
    pub last: f64,
}

impl Default for Timed {
    fn default() -> Self {
        Self { pieces: 0.0, gpu_seconds: 0.0, sensitive_seconds: 0.0, first: f64::INFINITY, last: 0.0 }
    }
}

/// What was found in the named files.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Found {
    /// The trace, if it could be read.
    pub trace: Option<Shared<Trace>>,
    /// What the user should know: what is missing, what has changed, what was left out.
    pub notes: Vec<String>,
}

impl NamedTrace {
    /// "jobs.csv", the file that has the tasks.
    #[must_use]
    pub fn name(&self) -> &str {
        let path = self.files.last().map_or("", |file| file.path.as_str());
        path.rsplit(['/', '\\']).next().unwrap_or(path)
    }

    /// Recorded tasks whose times are known; how many, and how long they run altogether, GPUs by seconds and seconds.
    pub(super) fn timed(&self) -> Timed {
        let mut timed = Timed::default();
        let Some(trace) = &self.found.trace else { return timed };
        for (task, seconds) in trace.tasks.iter().filter_map(|task| Some((task, task.seconds?))) {
            timed.pieces += f64::from(task.pieces);
            let demand = f64::from(trace.requests[task.request].demand()) / f64::from(WHOLE);
            timed.gpu_seconds += f64::from(task.pieces) * demand * seconds;
            timed.sensitive_seconds += if task.is_sensitive { seconds } else { 0.0 };
            timed.last = timed.last.max(task.arrives);
            timed.first = timed.first.min(task.arrives);
        }
        timed
    }

    /// What is wrong with it as it stands in a file.
    pub(super) fn problem(&self) -> Option<String> {
        let expected = self.form.files();
        if self.files.len() != expected.len() {
            let count = self.files.len();
            return Some(format!("{count} files; {:?} has {}: {}", self.form, expected.len(), expected.join(", ")));
        }
        let is_digest = |text: &str| text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let bad = self.files.iter().find(|file| !is_digest(&file.sha256))?;
        Some(format!("{}: its sha256 is not 64 hexadecimal digits, as `sha256sum` prints them", bad.path))
    }
}
