//! Regulation studies in the window and on the command line.

use std::path::Path;

use anyhow::{Context as _, Result};
use crossover_export::regulation::results;
use crossover_export::report::Findings;
use crossover_export::{Format, Written};
use crossover_files::extension;
use crossover_page::ask;
use crossover_page::cache::Cache;
use crossover_page::examples::{Example, Template};
use crossover_page::offer::Offering;
use crossover_page::page::Page;
use crossover_page::services::Services;
use crossover_page::start::Start;
use crossover_page::study_module::{self, MenuPlace};
use crossover_page::terminal::Subcommand;
use crossover_regulation::{evaluate, strategy_names};
use crossover_scenario::{Scenario, Study};

use super::{Request, Section, View, cli, examples, findings, handle, recording, reset};

/// Regulation studies.
pub struct Module;

impl study_module::StudyModule for Module {
    fn template(&self) -> Template {
        examples::TEMPLATE
    }

    fn reset(&self, scenario: &Scenario, saved: &Scenario, path: &str) -> Option<Scenario> {
        reset::with_saved_field(scenario, saved, path)
    }

    fn examples(&self) -> &'static [Example] {
        &examples::ALL
    }

    fn page(&self, study: &Study) -> Box<dyn Page> {
        Box::new(View::new(study.regulation().expect("a regulation study")))
    }

    fn subcommands(&self) -> &'static [Subcommand] {
        &cli::SUBCOMMANDS
    }

    fn strategies(&self, scenario: &Scenario) -> Vec<String> {
        scenario.regulation().into_iter().flat_map(strategy_names).map(str::to_owned).collect()
    }

    fn findings(&self, scenario: &Scenario) -> Result<Findings> {
        findings::findings(&scenario.name, scenario.regulation().context("this is not a regulation scenario")?)
    }

    /// With the steps of the chosen controller.
    fn write(&self, scenario: &Scenario, format: Format) -> Result<Written> {
        let study = scenario.regulation().context("this is not a regulation scenario")?;
        let outcome = evaluate(study);
        let text = results(&scenario.name, study, &outcome).write(format);
        Ok(Written { text, warnings: outcome.every_warning() })
    }

    fn write_strategy(&self, scenario: &Scenario, strategy: &str, format: Format) -> Result<Written> {
        let study = scenario.regulation().context("this is not a regulation scenario")?;
        let outcome = evaluate(study);
        let run = outcome.runs().find(|run| run.name == strategy).context("there is no such strategy")?;
        let text = results(&scenario.name, study, &outcome).with_steps_of(run).write(format);
        Ok(Written { text, warnings: outcome.every_warning() })
    }

    fn requests(&self) -> Vec<(MenuPlace, ask::Request)> {
        let all = [
            (MenuPlace::Palette, Request::Show(Section::Gains)),
            (MenuPlace::File, Request::IMPORT),
            (MenuPlace::Palette, Request::Watch),
        ];
        all.map(|(place, request)| (place, ask::Request::new(request))).to_vec()
    }

    fn carry_out(&self, request: &ask::Request, services: &mut Services<'_>) -> bool {
        request.of::<Request>().map(|request| handle::carry_out(request, services)).is_some()
    }

    fn begin(&self, start: &Start, cache: &mut Cache) {
        cache.put(start.telemetry.clone());
    }

    fn imports(&self, on_screen: Option<&Scenario>) -> Option<&'static str> {
        on_screen?.regulation().map(|_| "a recording")
    }

    fn dropped(&self, file: &Path, on_screen: Option<&Scenario>) -> Option<ask::Request> {
        on_screen?.regulation()?;
        let is_recording = extension::is_one_of(file, &recording::EXTENSIONS);
        is_recording.then(|| ask::Request::new(Request::ImportFile(file.to_owned())))
    }
}

impl Offering for Module {}
