//! Documents that links of a fleet opened, so that a link to the same query leads to its open tab.

use crossover_page::cache::Cache;
use crossover_page::services::Services;
use crossover_scenario::Scenario;

/// The documents by their ids, each as it was made: the user may have edited it since.
#[derive(Default)]
struct LinkedDocuments(Vec<(String, Scenario)>);

/// Shows the open document that was made as this scenario; else opens it as a document. Its id, and whether it was open.
pub(super) fn show_or_open(services: &mut Services<'_>, scenario: Scenario) -> (String, bool) {
    if let Some(document) = open_as(services, &scenario) {
        services.show(&document);
        return (document, true);
    }
    let document = services.open(scenario.clone());
    let mut linked = services.cache().get_mut::<LinkedDocuments>().map(std::mem::take).unwrap_or_default();
    linked.0.push((document.clone(), scenario));
    services.cache().put(linked);
    (document, false)
}

/// The document that was made as this scenario, or is as it after a restart.
fn open_as(services: &mut Services<'_>, made: &Scenario) -> Option<String> {
    let is_same = |scenario: &Scenario| scenario.name == made.name && scenario.study == made.study;
    let linked = services.cache().get::<LinkedDocuments>();
    let linked = linked.and_then(|LinkedDocuments(all)| all.iter().find(|(_, scenario)| is_same(scenario)));
    linked.map(|(document, _)| document.clone()).or_else(|| {
        let unedited = services.documents().iter().find(|document| is_same(&document.scenario));
        unedited.map(|document| document.id.clone())
    })
}

/// After a document is closed: a link opens its query anew.
pub(super) fn closed(document: &str, cache: &mut Cache) {
    if let Some(LinkedDocuments(all)) = cache.get_mut() {
        all.retain(|(linked, _)| linked != document);
    }
}
