//! What a study is to everything that does not know it: a tree of numbers, choices, optional parts and named lists,
//! described once, where the fields stand; and figures, with which it answers.
//!
//! - [`field`]: what a study consists of; `#[derive(Part)]` writes it down from the struct
//! - [`walk`]: every number with its path, and the number at a path
//! - [`mod@check`]: what follows from the description alone: ranges, names, references, sources
//! - [`sources`]: where the numbers come from follows renaming, copying and editing
//! - [`figure`]: what a study answers
//! - [`along`](mod@along): values along a range, on all cores
//! - [`bill`]: what the machines cost, and so a run
//! - [`subject`]: what a kind of study says besides
//! - [`watch`]: progress, and calling off

// `#[derive(Part)]` names this crate, here as everywhere.
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
pub use field::{Describe, Field, List, Number, Part, Slot, SlotMut, What};
pub use figure::{Better, Figure, FigureValue};
pub use path::{Path, Segment};
pub use subject::{Subject, answer, figures, formulas, validate};
pub use walk::{described, names_of, number_at, numbers, numbers_in, quantity_at, set_number, usual_path};
pub use watch::Watch;
