//! Probes: small tasks of the operators that dominate large ones, run on any number of compute units of this machine.
//!
//! [`operators`] is the library, [`gpu`] its kernels, [`command`] runs programs that are operators, [`execution`] is one of an operator, [`units`] says on what a
//! probe runs, [`mod@run`] carries it out, [`mod@file`] reads tasks and writes reports. `true_values.py` computes what is right.

pub mod command;
pub mod execution;
pub mod file;
pub mod gpu;
pub mod operators;
pub mod run;
pub mod units;

#[cfg(test)]
mod tests;

pub use self::operators::{OPERATORS, Operator, Prepared};
pub use self::run::{remarks, run};
pub use self::units::{Refused, UnitType, Units};
