//! What every page of the window and every command of the command line stands on: documents, commands and requests, the desk
//! that carries requests out, computations aside, the form kit, files of scenarios, and what a kind of study and a tool are.
//!
//! It knows no study by name and no tool.

pub mod ask;
pub mod catalogue;
pub mod command;
pub mod compute;
pub mod desk;
pub mod document;
pub mod examples;
pub mod export_menu;
pub mod headline;
pub mod importers;
pub mod made;
pub mod offer;
pub mod page;
pub mod room;
pub mod shelf;
pub mod span;
pub mod start;
pub mod storage;
pub mod terminal;
pub mod theme_choice;
pub mod tool;
pub mod widgets;
