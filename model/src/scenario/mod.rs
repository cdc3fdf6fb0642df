//! A scenario: one study with a name and notes, and its file format.
//!
//! The format is RON. Reading refuses whatever it does not understand and says where; writing keeps
//! every bit of every number.

mod error;
mod explain;
mod locate;
mod read;
mod set;
mod write;

use serde::{Deserialize, Serialize};

use crate::invalid::Invalid;
use crate::placement::{self, Placement};

pub use error::ReadError;
pub use read::read;
pub use set::SetError;

/// Version of the file format that this program reads and writes.
pub const VERSION: u32 = 1;

/// A scenario: one study with a name and notes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// Version of the file format, see [`VERSION`].
    pub version: u32,
    /// Name, shown in the tab.
    pub name: String,
    /// Free text.
    #[serde(default)]
    pub notes: String,
    /// The study.
    pub study: Study,
}

/// What a scenario is about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Study {
    /// Should an operator run on CPU or GPU?
    Placement(Placement),
}

impl Scenario {
    /// The placement study, if the scenario is about one.
    #[must_use]
    pub fn placement(&self) -> Option<&Placement> {
        match &self.study {
            Study::Placement(study) => Some(study),
        }
    }
}

impl Study {
    /// The placement study, if it is one.
    pub fn placement_mut(&mut self) -> Option<&mut Placement> {
        match self {
            Self::Placement(study) => Some(study),
        }
    }

    /// The first thing that is wrong with the study.
    ///
    /// # Errors
    /// See the study's own `validate`.
    pub fn validate(&self) -> Result<(), Invalid> {
        match self {
            Self::Placement(study) => placement::validate::validate(study),
        }
    }

    /// Marks a field, and every field inside it, as entered by hand.
    pub fn mark_entered(&mut self, path: &str) {
        let is_inside =
            |other: &str| other.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        match self {
            Self::Placement(study) => study.sources.retain(|other, _| !is_inside(other)),
        }
    }
}
