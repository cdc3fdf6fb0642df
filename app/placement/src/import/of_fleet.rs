//! What the page of a fleet, which this crate does not know, asks of imports, and what a prompt asks of it.

use std::path::PathBuf;
use std::sync::Arc;

use crossover_page::services::Services;
use crossover_placement::{EnteredInputs, Placement};
use crossover_plan::{Import, Query};
use crossover_scenario::Scenario;

use super::application::DecideApplication;
use super::found::{FirstPage, Found, Listing, obstacle};
use super::{LastImport, Newest, open_made_of, read_then};

/// Answers for a whole application at a path: the page of a fleet, which this crate does not know.
#[derive(Clone, Copy)]
pub struct WholeApplication(pub fn(&mut Services<'_>, PathBuf, EnteredInputs));

/// What the user entered in the last open query of a file.
pub(super) fn entered_of(services: &Services<'_>, file: &str) -> EnteredInputs {
    let studies = services.documents().iter().rev().filter_map(|document| document.scenario.placement());
    let is_of_file = |study: &&Placement| study.query.as_deref().is_some_and(|query| query.plan.file == file);
    let mut of_file = studies.filter(is_of_file);
    of_file.next().map(EnteredInputs::of_study).unwrap_or_default()
}

/// What opens of a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OpenedOfLog {
    /// The answer about the application, beside its longest query.
    Application,
    /// The answer about the query with this id.
    Query(String),
    /// The plan of the query with this id.
    Plan(String),
}

impl OpenedOfLog {
    /// The id of the query, if it has one.
    fn query(&self) -> Option<&str> {
        match self {
            Self::Application => None,
            Self::Query(id) | Self::Plan(id) => Some(id),
        }
    }

    fn first_page(&self) -> FirstPage {
        match self {
            Self::Application => FirstPage::Application,
            Self::Query(_) => FirstPage::QueryAnswer,
            Self::Plan(_) => FirstPage::Plan,
        }
    }
}

/// Reads a file or folder, and opens a query of it without a prompt, as the scenario that `make` returns with what the user entered;
/// shows its tab if it is open. Passes on the document.
pub fn read_of_fleet(
    services: &mut Services<'_>,
    path: PathBuf,
    (opened, entered): (OpenedOfLog, EnteredInputs),
    make: impl FnOnce(&Import, &Query) -> Scenario + Send + 'static,
    then: impl FnOnce(&mut Services<'_>, &str) + Send + 'static,
) {
    read_then(services, path, move |services, found| {
        let index = match place(&opened, &found) {
            Ok(index) => index,
            Err(problem) => return services.notify_error(format!("{problem}; nothing was opened")),
        };
        let found = Arc::new(Found { first: opened.first_page(), ..found });
        services.cache().remove::<LastImport>();
        services.cache().put(Newest(Arc::downgrade(&found)));
        let make = move |import: &Import, query: &Query| {
            let mut scenario = make(import, query);
            if let Some(study) = scenario.study.placement_mut() {
                entered.enter(study);
            }
            scenario
        };
        let decide = services.cache().get::<DecideApplication>().copied();
        open_made_of(services, (found, index), make, decide, String::new(), then);
    });
}

/// The place of the query in a file: the longest one for the application.
///
/// # Errors
/// The file has no such query, or no plan for it.
fn place(opened: &OpenedOfLog, found: &Found) -> Result<usize, String> {
    let file = &found.import.file;
    let index = match opened.query() {
        None => Listing::new(found).selected.ok_or_else(|| format!("{file}: the file has no query"))?,
        Some(id) => {
            let index = found.import.queries.iter().position(|query| query.id == id);
            index.ok_or_else(|| format!("{file}: query {id} is no longer in the file"))?
        }
    };
    match found.query(index).map(|query| (query, obstacle(query))) {
        Some((query, Some(reason))) => Err(format!("{file}, query {}: {reason}", query.id)),
        _ => Ok(index),
    }
}

#[cfg(test)]
mod tests {
    use crossover_query::{Kind, Node, Plan};

    use super::*;

    fn query(id: &str, seconds: f64, operators: usize) -> Query {
        let plan = Plan { nodes: vec![Node::new("Filter", Kind::Filter); operators], ..Plan::default() };
        Query { id: id.into(), duration_seconds: Some(seconds), plan: plan.into(), ..Query::default() }
    }

    #[test]
    fn the_answer_about_an_application_opens_beside_its_longest_query_with_a_plan() {
        let queries = vec![query("1", 2.0, 1), query("2", 40.0, 0), query("3", 9.0, 1)];
        let found = Found::new(Import { file: "shop".to_owned(), queries, ..Import::default() });
        let of = |opened: OpenedOfLog| place(&opened, &found);
        assert_eq!(of(OpenedOfLog::Application), Ok(2));
        assert_eq!(of(OpenedOfLog::Query("1".to_owned())), Ok(0));
        assert_eq!(of(OpenedOfLog::Plan("7".to_owned())), Err("shop: query 7 is no longer in the file".to_owned()));
        let without_plan = of(OpenedOfLog::Query("2".to_owned())).expect_err("it has no plan");
        assert!(without_plan.starts_with("shop, query 2: "), "{without_plan}");
    }
}
