//! Preemption studies in the window and on the command line.

use std::path::Path;

use anyhow::{Context as _, Result};
use crossover_export::preemption::results;
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
use crossover_preemption::evaluate;
use crossover_scenario::{Scenario, Study};

use super::request::Request;
use super::{View, cli, examples, findings};

/// Preemption studies.
pub struct Module;

impl study_module::StudyModule for Module {
    fn template(&self) -> Template {
        examples::TEMPLATE
    }

    fn examples(&self) -> &'static [Example] {
        &examples::ALL
    }

    fn page(&self, study: &Study) -> Box<dyn Page> {
        Box::new(View::new(study.preemption().expect("a preemption study")))
    }

    fn subcommands(&self) -> &'static [Subcommand] {
        &cli::SUBCOMMANDS
    }

    fn requests(&self) -> Vec<(MenuPlace, ask::Request)> {
        Request::IMPORTS.map(|request| (MenuPlace::ImportInto, ask::Request::new(request))).into()
    }

    fn carry_out(&self, request: &ask::Request, services: &mut Services<'_>) -> bool {
        request.of::<Request>().map(|request| request.carry_out(services)).is_some()
    }

    fn imports(&self, on_screen: Option<&Scenario>) -> Option<&'static str> {
        on_screen?.preemption().map(|_| "a profile of kernels, measured pairs or requests")
    }

    fn dropped(&self, file: &Path, on_screen: Option<&Scenario>) -> Option<ask::Request> {
        on_screen?.preemption()?;
        let is_told = extension::is_one_of(file, &["csv", "json", "log", "txt"]);
        is_told.then(|| ask::Request::new(Request::File(file.to_owned())))
    }

    fn findings(&self, scenario: &Scenario) -> Result<Findings> {
        findings::findings(&scenario.name, scenario.preemption().context("this is not a preemption scenario")?)
    }

    fn write(&self, scenario: &Scenario, format: Format) -> Result<Written> {
        let study = scenario.preemption().context("this is not a preemption scenario")?;
        let outcome = evaluate(study);
        let text = results(&scenario.name, study, &outcome).write(format);
        Ok(Written { text, warnings: outcome.warnings })
    }
}

impl Offering for Module {}
