//! What all measurements share, with or without a GPU: pseudo-random data, statistics of samples, the program that
//! measures, the request to end a run, and reports as files.

mod cancel;
pub mod file;
pub mod generator;
pub mod statistics;
pub mod tool;

pub use self::cancel::Cancel;
