//! Probe studies as a part of window and command line.

use std::path::Path;

use anyhow::{Context as _, Result};
use crossover_export::probe::results;
use crossover_export::report::Findings;
use crossover_export::{Format, Written};
use crossover_files::extension;
use crossover_files::programs::AllowList;
use crossover_page::ask;
use crossover_page::cache::Cache;
use crossover_page::examples::{Example, Template};
use crossover_page::offer::Offering;
use crossover_page::page::Page;
use crossover_page::services::Services;
use crossover_page::start::Start;
use crossover_page::study_module::{self, MenuPlace};
use crossover_page::terminal::Subcommand;
use crossover_probe::evaluate;
use crossover_scenario::{Scenario, Study};

use super::request::Request;
use super::requested::ProbeEnvironment;
use super::{View, cli, examples, findings};

/// Probe studies.
pub struct Module;

impl study_module::StudyModule for Module {
    fn template(&self) -> Template {
        examples::TEMPLATE
    }

    fn examples(&self) -> &'static [Example] {
        &examples::ALL
    }

    fn page(&self, study: &Study) -> Box<dyn Page> {
        Box::new(View::new(study.probe().expect("a probe study")))
    }

    fn subcommands(&self) -> &'static [Subcommand] {
        &cli::SUBCOMMANDS
    }

    fn requests(&self) -> Vec<(MenuPlace, ask::Request)> {
        [Request::Task, Request::Read(None)].map(|request| (MenuPlace::ImportInto, ask::Request::new(request))).into()
    }

    fn carry_out(&self, request: &ask::Request, services: &mut Services<'_>) -> bool {
        request.of::<Request>().map(|request| request.carry_out(services)).is_some()
    }

    fn begin(&self, start: &Start, cache: &mut Cache) {
        let program = match &start.measuring_program {
            Some(program) => vec![program.to_string_lossy().into_owned()],
            None => std::env::current_exe()
                .map(|own| vec![own.to_string_lossy().into_owned(), "bench".to_owned()])
                .unwrap_or_default(),
        };
        let history = start.measurements_folder.as_ref().map(|folder| folder.with_file_name("probes.jsonl"));
        let allowed = start.measurements_folder.as_ref().map(|folder| folder.with_file_name("allowed-programs.txt"));
        cache.put(ProbeEnvironment { program, history, allowed: AllowList::at(allowed) });
    }

    fn imports(&self, on_screen: Option<&Scenario>) -> Option<&'static str> {
        on_screen?.probe().map(|_| "results of a centre")
    }

    fn dropped(&self, file: &Path, on_screen: Option<&Scenario>) -> Option<ask::Request> {
        on_screen?.probe()?;
        let is_report = extension::is_one_of(file, &["json", "csv", "txt", "log"]);
        is_report.then(|| ask::Request::new(Request::ReadFile(file.to_owned())))
    }

    fn findings(&self, scenario: &Scenario) -> Result<Findings> {
        findings::findings(&scenario.name, scenario.probe().context("this is not a probe scenario")?)
    }

    fn write(&self, scenario: &Scenario, format: Format) -> Result<Written> {
        let study = scenario.probe().context("this is not a probe scenario")?;
        let outcome = evaluate(study);
        let text = results(&scenario.name, study, &outcome).write(format);
        Ok(Written { text, warnings: outcome.warnings })
    }
}

impl Offering for Module {}
