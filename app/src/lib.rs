//! Crossover: the window and the command line around the model.

mod appearance;
mod autosave;
pub mod cli;
mod drawing;
pub mod edition;
mod jobs;
mod kinds;
pub mod screenshot;
pub mod settings;
pub mod storage;
pub mod window;
mod window_state;
pub mod workbench;
