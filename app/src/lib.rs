//! Crossover: the window and the command line around the model.

mod autosave;
pub mod cli;
pub mod edition;
mod jobs;
mod kinds;
mod look;
pub mod screenshot;
pub mod settings;
pub mod storage;
pub mod window;
pub mod workbench;
