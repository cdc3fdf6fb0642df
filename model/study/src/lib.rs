//! Studies in general: a tree of numbers, choices, optional parts and named lists, described once at its fields; and the
//! figures that it computes.
//!
//! - [`field`]: the description of a study; `#[derive(Part)]` generates it from the struct
//! - [`walk`]: every number with its path, and the number at a path
//! - [`mod@check`]: checks by the description alone: ranges, names, references, sources
//! - [`sources`]: sources of numbers, kept consistent with renaming, copying and editing
//! - [`figure`]: the figures of a study
//! - [`along`](mod@along): values along a range, on all cores
//! - [`bill`]: cost of the machines and of a run
//! - [`subject`]: the trait of a kind of study
//! - [`watch`]: progress and cancellation

// `#[derive(Part)]` refers to this crate by name, also inside it.
extern crate self as crossover_study;

pub mod along;
pub mod bill;
pub mod check;
pub mod field;
pub mod figure;
pub mod formula;
pub mod path;
pub mod sources;
pub mod subject;
pub mod walk;
pub mod watch;

pub use crossover_study_derive::Part;
pub use field::number_when_absent;
pub use field::{Describe, Field, FieldKind, FieldValue, FieldValueMut, List, Number, Part};
pub use figure::{Better, Figure, FigureValue};
pub use path::{Path, Segment};
pub use subject::{Subject, answer, figures, formulas, validate};
pub use walk::{described, names_of, number_at, numbers, numbers_in, quantity_at, set_number, usual_path};
pub use watch::Watch;
