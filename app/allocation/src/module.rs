//! What window and command line need of allocation studies.

use std::path::Path;

use anyhow::{Context as _, Result};
use crossover_allocation::evaluate;
use crossover_export::allocation::results;
use crossover_export::report::Findings;
use crossover_export::{Format, Written};
use crossover_files::extension;
use crossover_page::ask;
use crossover_page::examples::{Example, Template};
use crossover_page::offer::Offering;
use crossover_page::page::Page;
use crossover_page::services::Services;
use crossover_page::study_module::{self, MenuPlace};
use crossover_page::terminal::Subcommand;
use crossover_page::tool::ToolKind;
use crossover_scenario::{Scenario, Study};

use super::importing::{self, Request};
use super::{View, cli, examples, findings, history, training};

/// Allocation studies.
pub struct Module;

impl study_module::StudyModule for Module {
    fn template(&self) -> Template {
        examples::TEMPLATE
    }

    fn examples(&self) -> &'static [Example] {
        &examples::ALL
    }

    fn page(&self, study: &Study) -> Box<dyn Page> {
        Box::new(View::new(study.allocation().expect("an allocation study")))
    }

    fn subcommands(&self) -> &'static [Subcommand] {
        &cli::SUBCOMMANDS
    }

    fn tools(&self) -> &'static [&'static ToolKind] {
        &[&history::KIND, &training::KIND]
    }

    fn carry_out(&self, request: &ask::Request, services: &mut Services<'_>) -> bool {
        let is_of_records = request.of::<importing::Request>().map(|request| request.carry_out(services)).is_some();
        is_of_records
            || request.of::<history::Request>().map(|request| request.carry_out(services)).is_some()
            || request.of::<training::Request>().map(|request| request.carry_out(services)).is_some()
    }

    fn requests(&self) -> Vec<(MenuPlace, ask::Request)> {
        let all = [
            (MenuPlace::Import, Request::Import),
            (MenuPlace::ImportInto, Request::Replay),
            (MenuPlace::Palette, Request::ReadAgain),
        ];
        all.map(|(place, request)| (place, ask::Request::new(request))).to_vec()
    }

    fn imports(&self, on_screen: Option<&Scenario>) -> Option<&'static str> {
        on_screen?.allocation().map(|_| "a recorded cluster")
    }

    /// A table with an allocation scenario on screen; an error names a file that is not a record.
    fn dropped(&self, file: &Path, on_screen: Option<&Scenario>) -> Option<ask::Request> {
        on_screen?.allocation()?;
        let is_table = extension::is_one_of(file, &["csv"]);
        is_table.then(|| ask::Request::new(Request::ImportFile(file.to_owned())))
    }

    fn findings(&self, scenario: &Scenario) -> Result<Findings> {
        findings::findings(&scenario.name, scenario.allocation().context("expected an allocation scenario")?)
    }

    fn write(&self, scenario: &Scenario, format: Format) -> Result<Written> {
        let study = scenario.allocation().context("expected an allocation scenario")?;
        let outcome = evaluate(study);
        let text = results(&scenario.name, study, &outcome).write(format);
        Ok(Written { text, warnings: outcome.warnings })
    }
}

impl Offering for Module {}
