//! The kinds of studies and the fleet: maps each kind to its [`StudyModule`], tools and requests.

use std::path::PathBuf;

use crossover_allocation_page as allocation;
use crossover_calibrate_page as calibrate;
use crossover_fleet_page as fleet;
use crossover_page::ask::Request;
use crossover_page::cache::Cache;
use crossover_page::command::Command;
use crossover_page::offer::Offering;
use crossover_page::page::Page;
use crossover_page::services::Services;
use crossover_page::start::Start;
use crossover_page::study_module::{MenuPlace, StudyModule};
use crossover_page::tool::ToolKind;
use crossover_placement_page as placement;
use crossover_preemption_page as preemption;
use crossover_probe_page as probe;
use crossover_regulation_page as regulation;
use crossover_scenario::for_each_kind;
use crossover_scenario::{Kind, Study};
use crossover_tool_pages as tools;

macro_rules! modules {
    ($($(#[doc = $meaning:literal])+ $kind:ident($key:literal, $study:ident, $study_mut:ident) => $type:path),+ $(,)?) => {
        /// The module of a kind: that of the crate of its page.
        #[must_use]
        pub(crate) fn module(kind: Kind) -> &'static dyn StudyModule {
            match kind {
                $(Kind::$kind => &$study::Module,)+
            }
        }
    };
}

for_each_kind!(modules);

/// The free choices of a search in a study of a kind.
pub(crate) fn offering(kind: Kind) -> &'static dyn Offering {
    module(kind)
}

/// All modules, in the order of menus.
pub(crate) fn modules() -> impl Iterator<Item = &'static dyn StudyModule> {
    Kind::ALL.into_iter().map(module)
}

/// The tools about one document, which keeps their settings.
pub(crate) fn tools_of_documents() -> [&'static ToolKind; 5] {
    [&tools::sweep::KIND, &tools::map::KIND, &tools::compare::KIND, &tools::uncertainty::KIND, &tools::search::KIND]
}

/// All tools, in the order of the menu: those of every study, those of logs, then those of one kind.
pub(crate) fn tools() -> impl Iterator<Item = &'static ToolKind> {
    let of_logs = [&fleet::what::KIND, &fleet::KIND];
    let of_kinds = modules().flat_map(|module| module.tools().iter().copied());
    [&calibrate::KIND].into_iter().chain(tools_of_documents()).chain(of_logs).chain(of_kinds)
}

/// The commands that show tools, in the order of the menu.
pub(crate) fn tool_commands() -> impl Iterator<Item = Command> {
    tools().map(|kind| Command::ShowTool(kind.tool))
}

/// The page of a study as it is first shown.
#[must_use]
pub(crate) fn page(study: &Study) -> Box<dyn Page> {
    module(study.kind()).page(study)
}

/// The requests at these places of the menus.
pub(crate) fn requests(is_wanted: impl Fn(MenuPlace) -> bool) -> impl Iterator<Item = Request> {
    let requests = modules().flat_map(requests_of);
    requests.filter(move |(place, _)| is_wanted(*place)).map(|(_, request)| request)
}

/// The requests of a kind. Those of fleets follow those of query plans, because their logs hold plans.
fn requests_of(module: &dyn StudyModule) -> Vec<(MenuPlace, Request)> {
    let mut requests = module.requests();
    if module.template().kind == Kind::Placement {
        requests.extend(fleet::requests());
    }
    requests
}

/// Carries out a request of a kind or about fleets; true if it was one.
pub(crate) fn carry_out(request: &Request, services: &mut Services<'_>) -> bool {
    modules().any(|module| module.carry_out(request, services)) || fleet::carry_out(request, services)
}

/// Puts the services that requests need on the cache when the window opens.
pub(crate) fn begin(start: &Start, cache: &mut Cache) {
    for module in modules() {
        module.begin(start, cache);
    }
    fleet::begin(start, cache);
}

/// The request for a dropped file that no kind of study imports.
pub(crate) fn dropped(file: PathBuf) -> Request {
    fleet::dropped(file)
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_example_and_template_opens_as_the_kind_that_it_is_listed_for() {
        for module in super::modules() {
            let kind = module.template().kind;
            for example in module.examples().iter().chain([&module.template().example]) {
                let scenario = crossover_scenario::read(example.text).expect("a valid example");
                assert_eq!(scenario.study.kind(), kind, "{}", example.label);
                // Its page can be made.
                _ = super::page(&scenario.study);
            }
        }
    }

    #[test]
    fn reports_find_the_sections_of_what_a_model_leaves_out() {
        for module in super::modules() {
            let example = module.template().example;
            let scenario = crossover_scenario::read(example.text).expect("a valid example");
            let findings = module.findings(&scenario).expect("findings of its kind");
            assert!(!findings.limits.is_empty(), "{}", example.label);
            for title in findings.limits {
                assert!(crossover_export::report::limits(title).is_some(), "{}: {title}", example.label);
            }
        }
        let of_engines = ["What a decision leaves out", "What whole engines leave out", "What a whole plan leaves out"];
        assert!(of_engines.iter().all(|title| crossover_export::report::limits(title).is_some()));
    }
}
