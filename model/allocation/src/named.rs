//! Recorded tasks that a study refers to by file names.

use serde::{Deserialize, Serialize};

use super::trace::Trace;
use crossover_quantity::shared::Shared;

/// Recorded tasks, by their files.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NamedTrace {
    /// Format of the files.
    pub form: Form,
    /// The files, in the order of the form; their paths are absolute while a study is open.
    pub files: Vec<NamedFile>,
    /// What was read from them; not stored in the scenario.
    #[serde(skip)]
    pub found: Found,
}

/// A file as it was when the study was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NamedFile {
    /// Path; relative to the folder of the scenario, or absolute.
    pub path: String,
    /// SHA-256 of its bytes, 64 hexadecimal digits.
    pub sha256: String,
}

/// Formats of recorded tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Form {
    /// Alibaba's GPU cluster of 2023: nodes, pods.
    Openb,
    /// Jobs of Microsoft's Philly.
    Philly,
    /// Decisions of the scheduler extender.
    Decisions,
}

impl Form {
    /// The content of each of its files.
    #[must_use]
    pub fn files(self) -> &'static [&'static str] {
        match self {
            Self::Openb => &["nodes", "pods"],
            Self::Philly => &["jobs"],
            Self::Decisions => &["decisions"],
        }
    }
}

/// What was read from the named files.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Found {
    /// The trace, if it could be read.
    pub trace: Option<Shared<Trace>>,
    /// Tasks of it with known times.
    pub timed: usize,
    /// Sentences for the user: missing or changed files, and tasks that were left out.
    pub notes: Vec<String>,
}

impl Found {
    /// A trace that was read.
    #[must_use]
    pub fn new(trace: Trace, notes: Vec<String>) -> Self {
        let timed = trace.tasks.iter().filter(|task| task.seconds.is_some()).count();
        Self { trace: Some(Shared::from(trace)), timed, notes }
    }
}

impl NamedTrace {
    /// Whether the files were read, or reading them has failed.
    #[must_use]
    pub fn is_read(&self) -> bool {
        self.found != Found::default()
    }

    /// "jobs.csv", the name of the file of tasks.
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

    /// Replaces what was read, unless other files are named by now.
    pub fn take(&mut self, fetched: &Self) {
        // An equal trace keeps its copy: comparing shared copies is fast.
        if self.names_the_same(fetched) && self.found != fetched.found {
            self.found = fetched.found.clone();
        }
    }

    /// A problem of the names as they are stored in a scenario.
    pub(super) fn problem(&self) -> Option<String> {
        let expected = self.form.files();
        if self.files.len() != expected.len() {
            let count = self.files.len();
            return Some(format!(
                "{count} files named; {:?} needs {}: {}",
                self.form,
                expected.len(),
                expected.join(", ")
            ));
        }
        let is_digest = |text: &str| text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        if self.files.iter().any(|file| file.path.is_empty()) {
            return Some("a file has no path".to_owned());
        }
        let bad = self.files.iter().find(|file| !is_digest(&file.sha256))?;
        Some(format!("{}: its sha256 is not 64 hexadecimal digits, as `sha256sum` prints them", bad.path))
    }
}
