//! Crossover: the window and the command line around the model.

mod ask;
mod autosave;
pub mod calibrate;
pub mod catalogue;
pub mod cli;
pub mod command;
pub mod compute;
#[cfg(test)]
mod csv;
pub mod desk;
pub mod document;
pub mod edition;
pub mod examples;
pub mod export;
mod importers;
mod jobs;
mod kinds;
mod look;
mod made;
mod offer;
pub mod page;
mod room;
pub mod screenshot;
pub mod settings;
mod shelf;
mod start;
pub mod storage;
pub mod studies;
mod terminal;
pub mod theme_choice;
mod tool;
pub mod tools;
mod truth;
mod widgets;
pub mod window;
pub mod workbench;
