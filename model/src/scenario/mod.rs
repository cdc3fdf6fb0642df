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
use crate::provenance::Sources;
use crate::quantity::Quantity;
use crate::regulation::{self, Regulation};

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
    /// How are transfer and compute kept in balance?
    Regulation(Regulation),
}

/// The kind of a study.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Should an operator run on CPU or GPU?
    Placement,
    /// How are transfer and compute kept in balance?
    Regulation,
}

impl Kind {
    /// All kinds, in the order of menus.
    pub const ALL: [Self; 2] = [Self::Placement, Self::Regulation];

    /// Name in files and for programs.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::Placement => "placement",
            Self::Regulation => "regulation",
        }
    }
}

impl Scenario {
    /// The placement study, if the scenario is about one.
    #[must_use]
    pub fn placement(&self) -> Option<&Placement> {
        match &self.study {
            Study::Placement(study) => Some(study),
            Study::Regulation(_) => None,
        }
    }

    /// The regulation study, if the scenario is about one.
    #[must_use]
    pub fn regulation(&self) -> Option<&Regulation> {
        match &self.study {
            Study::Regulation(study) => Some(study),
            Study::Placement(_) => None,
        }
    }
}

impl Study {
    /// The placement study, if it is one.
    pub fn placement_mut(&mut self) -> Option<&mut Placement> {
        match self {
            Self::Placement(study) => Some(study),
            Self::Regulation(_) => None,
        }
    }

    /// The regulation study, if it is one.
    pub fn regulation_mut(&mut self) -> Option<&mut Regulation> {
        match self {
            Self::Regulation(study) => Some(study),
            Self::Placement(_) => None,
        }
    }

    /// What kind of study it is.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match self {
            Self::Placement(_) => Kind::Placement,
            Self::Regulation(_) => Kind::Regulation,
        }
    }

    /// The first thing that is wrong with the study.
    ///
    /// # Errors
    /// See the study's own `validate`.
    pub fn validate(&self) -> Result<(), Invalid> {
        match self {
            Self::Placement(study) => placement::validate::validate(study),
            Self::Regulation(study) => regulation::validate::validate(study),
        }
    }

    /// Where the numbers come from.
    #[must_use]
    pub fn sources(&self) -> &Sources {
        match self {
            Self::Placement(study) => &study.sources,
            Self::Regulation(study) => &study.sources,
        }
    }

    /// Where the numbers come from, to be changed.
    pub fn sources_mut(&mut self) -> &mut Sources {
        match self {
            Self::Placement(study) => &mut study.sources,
            Self::Regulation(study) => &mut study.sources,
        }
    }

    /// Marks what stands at the segments of a path, and every field inside or around it, as entered by hand.
    fn mark_entered(&mut self, segments: &[String]) {
        match self {
            Self::Placement(study) => study.mark_entered(segments),
            Self::Regulation(study) => study.mark_entered(segments),
        }
    }

    /// Gives another name to what is named at this path, and lets what refers to it follow; false if no name
    /// that others refer to stands there.
    fn rename(&mut self, path: &str, name: &str) -> bool {
        match self {
            Self::Placement(study) => study.rename(path, name),
            Self::Regulation(study) => study.rename(path, name),
        }
    }

    /// Gives a number that does not fit alone the value that it has in another study of the same kind; what depends
    /// on it follows. False if that cannot be.
    fn take_number_of(&mut self, other: &Self, path: &str) -> bool {
        match (self, other) {
            (Self::Regulation(study), Self::Regulation(other)) => study.take_number_of(other, path),
            // Numbers of a placement study do not depend on each other.
            _ => false,
        }
    }
}

/// What there is to know about the number at a path below the study, of whatever kind of study that has one.
#[must_use]
pub fn quantity_at(path: &str) -> Option<&'static Quantity> {
    let of_placement = placement::Parameter::at_path(path).map(placement::Parameter::info);
    of_placement.or_else(|| regulation::numbers::quantity_at(path))
}
