//! Placement studies as the window and the command line register them.

use std::path::Path;

use anyhow::{Context as _, Result};
use crossover_export::decided::in_shown_engines;
use crossover_export::placement::plan::PlanFormat;
use crossover_export::placement::recommendations;
use crossover_export::report::Findings;
use crossover_export::{Format, Written};
use crossover_files::extension;
use crossover_page::ask;
use crossover_page::cache::Cache;
use crossover_page::examples::{Example, Template};
use crossover_page::offer::{Offer, Offering};
use crossover_page::page::Page;
use crossover_page::services::Services;
use crossover_page::start::Start;
use crossover_page::study_module::{self, MenuPlace};
use crossover_page::terminal::Subcommand;
use crossover_page::tool::ToolKind;
use crossover_placement::evaluate;
use crossover_placement::whole::decide;
use crossover_quantity::catalogue::Catalogue;
use crossover_scenario::{Scenario, Study};
use crossover_tools::Searched;
use crossover_tools::search::{Domain, Found, Shared};

use super::request::Request;
use super::{View, cli, engines, examples, findings, import, offers, reset};

/// Placement studies.
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
        Box::new(View::new(study.placement().expect("a placement study")))
    }

    fn subcommands(&self) -> &'static [Subcommand] {
        &cli::SUBCOMMANDS
    }

    fn tools(&self) -> &'static [&'static ToolKind] {
        &engines::TOOLS
    }

    fn findings(&self, scenario: &Scenario) -> Result<Findings> {
        findings::findings(&scenario.name, scenario.placement().context("the scenario is not a placement scenario")?)
    }

    fn write(&self, scenario: &Scenario, format: Format) -> Result<Written> {
        let study = scenario.placement().context("the scenario is not a placement scenario")?;
        let (outcome, whole) = (evaluate(study), decide(&in_shown_engines(study)));
        let recommended = recommendations(&scenario.name, study, &outcome, whole.as_ref());
        Ok(Written { text: recommended.write(format), warnings: recommended.warnings })
    }

    fn requests(&self) -> Vec<(MenuPlace, ask::Request)> {
        let import = [(MenuPlace::Open("Open my query…"), Request::Import)];
        let more =
            [Request::ImportFolder, Request::TypePath, Request::Another].map(|request| (MenuPlace::Import, request));
        let lists = Request::LISTS.map(|request| (MenuPlace::ImportInto, request));
        let exports = PlanFormat::ALL.map(|format| (MenuPlace::Export, Request::Export(format)));
        let all = import.into_iter().chain(more).chain(lists).chain(exports);
        all.map(|(place, request)| (place, ask::Request::new(request))).collect()
    }

    fn carry_out(&self, request: &ask::Request, services: &mut Services<'_>) -> bool {
        let is_of_plans = request.of::<Request>().map(|request| request.carry_out(services)).is_some();
        is_of_plans || request.of::<engines::Request>().map(|request| request.carry_out(services)).is_some()
    }

    fn begin(&self, start: &Start, cache: &mut Cache) {
        cache.put(start.plan_reader.clone());
    }

    fn closed(&self, document: &str, cache: &mut Cache) {
        import::closed(document, cache);
    }

    fn imports(&self, _on_screen: Option<&Scenario>) -> Option<&'static str> {
        Some("a query plan")
    }

    fn dropped(&self, file: &Path, on_screen: Option<&Scenario>) -> Option<ask::Request> {
        let is_list = extension::is_one_of(file, &["csv"]);
        let has_query = on_screen.is_some_and(|scenario| import::lists::query(scenario).is_some());
        (is_list && has_query).then(|| ask::Request::new(Request::UseFile(file.to_owned())))
    }
}

impl Offering for Module {
    fn offers(&self, study: &Study, catalogue: &Catalogue) -> Vec<Offer> {
        study.placement().map_or_else(Vec::new, |study| offers::offers(study, catalogue))
    }

    fn shared(&self, study: &Study) -> Vec<Shared> {
        study.placement().map_or_else(Vec::new, offers::shared)
    }

    fn take(&self, study: &mut Study, found: &Searched, best: &Found) {
        found.apply(study.subject_mut(), best);
        let Some(study) = study.placement_mut() else { return };
        for (axis, place) in found.axes.iter().zip(&best.place) {
            if let Domain::Choice(_) = axis.what {
                offers::name(study, &axis.name, &axis.text(*place));
            }
        }
    }
}
