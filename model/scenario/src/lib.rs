//! A scenario: one study with a name and notes, and its file format.
//!
//! The format is RON. Reading rejects everything unknown, with its position; writing keeps
//! every bit of every number.

mod error;
mod explain;
mod formulas;
pub mod glossary;
mod kinds;
mod locate;
mod read;
mod set;
pub mod views;
mod write;

use serde::{Deserialize, Serialize};

use crossover_allocation::NamedTrace;
use crossover_quantity::invalid::Invalid;
use crossover_quantity::provenance::Sources;
use crossover_quantity::quantity::Quantity;
use crossover_study::subject::{self, Subject};
use crossover_study::{Describe, Field, quantity_at};
use kinds::kinds;

pub use error::ReadError;
pub use formulas::FORMULAS;
pub use read::read;
pub use set::SetError;
pub use views::Views;

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
    /// Settings of tool pages, which no result depends on.
    #[serde(default, skip_serializing_if = "Views::is_empty")]
    pub views: Views,
}

/// The one list of the kinds of studies, in the order of menus, handed to the macro that is named: of each kind its name,
/// its name for programs, its accessors, of which the first is its module too, and the type of its study.
#[macro_export]
macro_rules! for_each_kind {
    ($make:ident) => {
        $make! {
            /// Should an operator run on CPU or GPU?
            Placement("placement", placement, placement_mut) => crossover_placement::Placement,
            /// How are transfer and compute kept in balance?
            Regulation("regulation", regulation, regulation_mut) => crossover_regulation::Regulation,
            /// Which node and which GPUs does a task get?
            Allocation("allocation", allocation, allocation_mut) => crossover_allocation::Allocation,
            /// What do compute centres deliver, and where should work run?
            Probe("probe", probe, probe_mut) => crossover_probe::Probe,
            /// Which kernels share a GPU, and which are preempted?
            Preemption("preemption", preemption, preemption_mut) => crossover_preemption::Preemption,
        }
    };
}

for_each_kind!(kinds);

impl Scenario {
    /// A scenario of this version, whose tool pages are as they begin.
    #[must_use]
    pub fn new(name: impl Into<String>, notes: impl Into<String>, study: Study) -> Self {
        Self { version: VERSION, name: name.into(), notes: notes.into(), study, views: Views::default() }
    }
}

impl Study {
    /// The recorded tasks that it names by files; `None` if it names none.
    #[must_use]
    pub fn named_trace(&self) -> Option<&NamedTrace> {
        self.allocation()?.replay.trace.as_ref()
    }

    /// The same, to be read or named anew.
    pub fn named_trace_mut(&mut self) -> Option<&mut NamedTrace> {
        self.allocation_mut()?.replay.trace.as_mut()
    }

    /// The first thing that is wrong with the study.
    ///
    /// # Errors
    /// What is wrong, and where.
    pub fn validate(&self) -> Result<(), Invalid> {
        subject::validate(self.subject())
    }

    /// Where the numbers come from.
    #[must_use]
    pub fn sources(&self) -> &Sources {
        self.subject().sources()
    }

    /// Where the numbers come from, to be changed.
    pub fn sources_mut(&mut self) -> &mut Sources {
        self.subject_mut().sources_mut()
    }

    /// The description of the number at a path below the study; the study may lack the number.
    #[must_use]
    pub fn quantity_at(&self, path: &str) -> Option<&'static Quantity> {
        self.kind().quantity_at(path)
    }
}

impl Kind {
    /// The description of the number at a path below a study of this kind.
    #[must_use]
    pub fn quantity_at(self, path: &str) -> Option<&'static Quantity> {
        quantity_at(self.fields(), path)
    }

    /// The kind with this name in files, as `Placement`.
    fn of_variant(variant: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.variant() == variant)
    }
}
