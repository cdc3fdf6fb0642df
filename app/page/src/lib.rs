//! Base of all pages and commands: documents, commands and requests, the services that carries requests out, background
//! computations, form widgets, scenario files, and the traits of a kind of study and of a tool.
//!
//! It depends on no study and no tool.

pub mod application;
pub mod ask;
pub mod cache;
pub mod catalogue;
pub mod command;
pub mod compute;
pub mod density;
pub mod document;
pub mod document_ids;
pub mod examples;
pub mod export_menu;
pub mod headline;
pub mod lazy_text;
pub mod offer;
pub mod page;
mod page_memory;
pub mod revised;
pub mod services;
pub mod shortcut;
pub mod span;
pub mod start;
pub mod storage;
pub mod study_module;
pub mod terminal;
pub mod theme_choice;
pub mod titles;
pub mod tool;
pub mod tour;
pub mod widgets;
