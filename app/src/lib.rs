//! Crossover: the window and the command line around the model.

mod autosave;
pub mod calibrate;
pub mod catalogue;
pub mod cli;
pub mod command;
#[cfg(test)]
mod csv;
pub mod document;
pub mod examples;
pub mod export;
mod jobs;
mod look;
pub mod screenshot;
pub mod settings;
pub mod storage;
pub mod studies;
mod widgets;
pub mod window;
pub mod workbench;
