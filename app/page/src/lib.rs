//! Base of all pages and commands: documents, commands and requests, the services that carries requests out, background
//! computations, form widgets, scenario files, and the traits of a kind of study and of a tool.
//!
//! It depends on no study and no tool.

pub mod ask;
pub mod catalogue;
pub mod command;
pub mod compute;
pub mod services;
pub mod document;
pub mod examples;
pub mod export_menu;
pub mod headline;
pub mod importers;
pub mod made;
pub mod offer;
pub mod page;
pub mod study_module;
pub mod cache;
pub mod span;
pub mod start;
pub mod storage;
pub mod terminal;
pub mod theme_choice;
pub mod tool;
pub mod widgets;
