//! Crossover: the window and the command line around the model.

pub mod chart;
pub mod cli;
pub mod storage;
pub mod theme;
