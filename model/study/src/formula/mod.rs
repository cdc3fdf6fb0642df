//! Formulas that are written once and evaluated for one point at a time, or for many at once.
//!
//! A formula takes any [`Real`]. Of `f64` it is a plain function. Of [`Node`] it is recorded on a [`Tape`]: constant
//! subexpressions are evaluated while recording, and common subexpressions are recorded once. A [`Program`] runs
//! the rest over arrays, as many values at once as the processor's vectors hold.

mod program;
mod real;
mod tape;

pub use program::{LANES, Program, Registers};
pub use real::Real;
pub use tape::{Node, Tape};
