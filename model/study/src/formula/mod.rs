//! Formulas that are written once and worked out for one point at a time, or for many side by side.
//!
//! A formula takes any [`Real`]. Of `f64` it is a plain function. Of [`Node`] it is recorded on a [`Tape`]: what hangs on no
//! number that varies is worked out while it is recorded, and what stands in it twice is recorded once. A [`Program`] runs
//! the rest over arrays, as many values at once as the processor's vectors hold.

mod program;
mod real;
mod tape;

pub use program::{LANES, Program, Registers};
pub use real::Real;
pub use tape::{Node, Tape};
