//! Probes: small tasks of the operators that dominate large ones, run on any number of compute units of this machine.
//!
//! [`operators`] is the library, [`allowed`] has the programs that the user allows, [`gpu`] its kernels, [`command`] runs external programs as operators, [`execution`] is one run of an operator, [`units`] has the
//! compute units of a run, [`machine`] those of this machine, [`mod@run`] runs a probe, [`mod@file`] reads tasks and writes reports. `true_values.py` computes true values.

pub mod allowed;
pub mod command;
pub mod execution;
pub mod file;
pub mod gpu;
pub mod machine;
pub mod operators;
pub mod run;
pub mod units;

#[cfg(test)]
mod tests;

pub use self::operators::{OPERATORS, Operator, Prepared};
pub use self::run::{remarks, run};
pub use self::units::{ProbeError, UnitType, Units};
