//! Recorded tasks that a study names by their files instead of holding them.

use serde::{Deserialize, Serialize};

use super::trace::Trace;
use crossover_quantity::shared::Shared;

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

/// What was found in the named files.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Found {
    /// The trace, if it could be read.
    pub trace: Option<Shared<Trace>>,
    /// Tasks of it whose times are known.
    pub timed: usize,
    /// What the user should know: what is missing, what has changed, what was left out. Whole sentences.
    pub notes: Vec<String>,
}

impl Found {
    /// A trace that could be read.
    #[must_use]
    pub fn new(trace: Trace, notes: Vec<String>) -> Self {
        let timed = trace.tasks.iter().filter(|task| task.seconds.is_some()).count();
        Self { trace: Some(Shared::from(trace)), timed, notes }
    }
}

impl NamedTrace {
    /// "jobs.csv", the file that has the tasks.
    #[must_use]
    pub fn name(&self) -> &str {
        let path = self.files.last().map_or("", |file| file.path.as_str());
        path.rsplit(['/', '\\']).next().unwrap_or(path)
    }

    /// Whether another one names the same files with the same content.
    #[must_use]
    pub fn names_the_same(&self, other: &Self) -> bool {
        self.form == other.form && self.files == other.files
    }

    /// Takes what was found in the same files, unless other ones are named by now.
    pub fn take(&mut self, fetched: &Self) {
        // What is the same stays the same copy: copies are found equal at once.
        if self.names_the_same(fetched) && self.found != fetched.found {
            self.found = fetched.found.clone();
        }
    }

    /// What is wrong with it as it stands in a file.
    pub(super) fn problem(&self) -> Option<String> {
        let expected = self.form.files();
        if self.files.len() != expected.len() {
            let count = self.files.len();
            return Some(format!("{count} named; {:?} has {}: {}", self.form, expected.len(), expected.join(", ")));
        }
        let is_digest = |text: &str| text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        if self.files.iter().any(|file| file.path.is_empty()) {
            return Some("a file has no path".to_owned());
        }
        let bad = self.files.iter().find(|file| !is_digest(&file.sha256))?;
        Some(format!("{}: its sha256 is not 64 hexadecimal digits, as `sha256sum` prints them", bad.path))
    }
}
