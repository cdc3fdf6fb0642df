//! What the results of a scenario are about, where the application of its query has an answer of its own.

use crossover_plan::timeline::share_of_query;
use crossover_quantity::text::shortened;
use crossover_quantity::unit::share_of_time;
use crossover_query::{Application, Plan};
use crossover_scenario::Study;

/// Longest id of a query and name of an application, characters.
const LONGEST: usize = 60;

/// "query 6", or "the query" without an id.
#[must_use]
pub fn query_in_words(plan: &Plan) -> String {
    if plan.query.is_empty() { "the query".to_owned() } else { format!("query {}", shortened(&plan.query, LONGEST)) }
}

/// The query of a study that also has its application.
#[derive(Debug, Clone, Copy)]
pub struct QueryOfApplication<'a> {
    plan: &'a Plan,
    application: &'a Application,
}

impl<'a> QueryOfApplication<'a> {
    /// That of a study; `None` if it has no query, or not the application of its query.
    #[must_use]
    pub fn of(study: &'a Study) -> Option<Self> {
        let query = study.placement()?.query.as_deref()?;
        Some(Self { plan: &query.plan, application: query.application.as_deref()? })
    }

    /// "query 6 of application shop".
    #[must_use]
    pub fn title(&self) -> String {
        let Application { name, file, .. } = self.application;
        let name = if name.is_empty() { file } else { name };
        format!("{} of application {}", query_in_words(self.plan), shortened(name, LONGEST))
    }

    /// "About query 6 of application shop, not about the whole application."
    #[must_use]
    pub fn alone(&self) -> String {
        alone(&self.title())
    }

    /// "query 6 of application shop (18.4 % of its time)"; without the share if it is not known.
    #[must_use]
    pub fn title_with_share(&self) -> String {
        let share = share_of_query(self.application, &self.plan.query);
        let share = share.map(|share| format!(" ({} of its time)", share_of_time(share)));
        self.title() + &share.unwrap_or_default()
    }
}

/// "About query 6 of application shop (18.4 % of its time), not about the whole application."; `None` if the study does not have the
/// application of its query.
#[must_use]
pub fn about(study: &Study) -> Option<String> {
    let query = QueryOfApplication::of(study)?;
    Some(alone(&query.title_with_share()))
}

fn alone(query: &str) -> String {
    format!("About {query}, not about the whole application.")
}
