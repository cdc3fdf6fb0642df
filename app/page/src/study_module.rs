//! The interface of a kind of study to the window and the command line.

use std::path::Path;

use anyhow::Result;
use crossover_export::report::Findings;
use crossover_export::{Format, Written};
use crossover_scenario::{Scenario, Study};

use crate::ask::Request;
use crate::cache::Cache;
use crate::examples::{Example, Template};
use crate::offer::Offering;
use crate::page::Page;
use crate::services::Services;
use crate::start::Start;
use crate::terminal::Subcommand;
use crate::tool::ToolKind;

/// A kind of study: its template, its page, its outputs and its requests.
pub trait StudyModule: Offering {
    /// Template of a new scenario.
    fn template(&self) -> Template;

    /// The scenarios that come with the program, in the order of the menu.
    fn examples(&self) -> &'static [Example];

    /// The page of a study of this kind as it is first shown.
    fn page(&self, study: &Study) -> Box<dyn Page>;

    /// Its subcommands.
    fn subcommands(&self) -> &'static [Subcommand] {
        &[]
    }

    /// The strategies of a scenario whose steps can be written; empty: there is only one.
    fn strategies(&self, _scenario: &Scenario) -> Vec<String> {
        Vec::new()
    }

    /// Tools for studies of this kind, in the order of the menu.
    fn tools(&self) -> &'static [&'static ToolKind] {
        &[]
    }

    /// The outcome of a scenario of this kind as text.
    ///
    /// # Errors
    /// If it is of another kind.
    fn write(&self, scenario: &Scenario, format: Format) -> Result<Written>;

    /// The findings of a scenario of this kind for a report.
    ///
    /// # Errors
    /// If it is of another kind.
    fn findings(&self, scenario: &Scenario) -> Result<Findings>;

    /// The same with one of [`Self::strategies`] step by step.
    ///
    /// # Errors
    /// If it is of another kind, or has no such strategy.
    fn write_strategy(&self, _scenario: &Scenario, _strategy: &str, _format: Format) -> Result<Written> {
        anyhow::bail!("unknown strategy")
    }

    /// A scenario of this kind with one field as it was saved, found without reading what is large. `None` if either has
    /// no such field, or the value does not fit the other fields.
    fn reset(&self, scenario: &Scenario, saved: &Scenario, path: &str) -> Option<Scenario> {
        scenario.with_field_of(saved, path)
    }

    /// Its requests, each with its place in the menus.
    fn requests(&self) -> Vec<(MenuPlace, Request)> {
        Vec::new()
    }

    /// Carries out a request of its own; false if it is not one.
    fn carry_out(&self, _request: &Request, _services: &mut Services<'_>) -> bool {
        false
    }

    /// Puts values that the requests need on the cache when the window opens.
    fn begin(&self, _start: &Start, _cache: &mut Cache) {}

    /// A document is closed.
    fn closed(&self, _document: &str, _cache: &mut Cache) {}

    /// What it imports from a dropped file with this scenario on screen, with its article; none if nothing.
    fn imports(&self, _on_screen: Option<&Scenario>) -> Option<&'static str> {
        None
    }

    /// The request for a dropped file with this scenario on screen; none if it cannot import the file.
    fn dropped(&self, _file: &Path, _on_screen: Option<&Scenario>) -> Option<Request> {
        None
    }
}

/// Position of a request in the menus; the palette has all requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MenuPlace {
    /// Where documents are opened and made: the file menu, the new tab, the empty page, and with this text the right
    /// end of the menu bar.
    Open(&'static str),
    /// In the file menu, below what is opened.
    Folder,
    /// Among the other ways to import.
    Import,
    /// Among what is imported into the document on screen.
    ImportInto,
    /// In the file menu, below saving.
    File,
    /// Among the exports.
    Export,
    /// Only in the palette.
    Palette,
}
