//! What the results of a scenario are about: the query, where its application has an answer of its own, and the engines and machines of
//! the figures.

use crossover_plan::timeline::share_of_query;
use crossover_quantity::text::shortened;
use crossover_quantity::unit::share_of_time;
use crossover_query::{Application, Plan};
use crossover_scenario::Study;

use crate::decided::engine_titles;

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

/// "About query 6 of application shop (18.4 % of its time), not about the whole application."; of several queries as [`combined`]. `None`
/// for one query without its application.
#[must_use]
pub fn about(study: &Study) -> Option<String> {
    let of_application = || QueryOfApplication::of(study).map(|query| alone(&query.title_with_share()));
    combined(study).or_else(of_application)
}

/// "About 3 queries of application shop (12.43 s of its 16.32 s), not about the time outside these queries."; `None` if the study is not of
/// combined queries.
#[must_use]
pub fn combined(study: &Study) -> Option<String> {
    let queries = &study.placement()?.query.as_deref()?.combined;
    (!queries.is_empty()).then(|| format!("About {queries}, not about the time outside these queries."))
}

/// What results state first: the query that they are about, and the engines and machines of their figures; empty without engines and an
/// application.
pub fn statements(study: &Study) -> impl Iterator<Item = String> {
    about(study).into_iter().chain(figures_of(study))
}

/// "Spark 3.5.3, 8 × c5d.12xlarge" and "RAPIDS 25.12 (L4), 4 × g6.2xlarge": the engines and machines of the figures that tools compute,
/// which the recommended option need not have; `None` without engines and a query.
#[must_use]
pub fn figure_engines(study: &Study) -> Option<[String; 2]> {
    let study = study.placement().filter(|study| study.query.is_some())?;
    Some(engine_titles(study.engines.as_deref()?))
}

/// "Figures of Spark 3.5.3, 8 × c5d.12xlarge and of RAPIDS 25.12 (L4), 4 × g6.2xlarge."; `None` without engines and a query.
#[must_use]
pub fn figures_of(study: &Study) -> Option<String> {
    figure_engines(study).map(|engines| engines_in_words(&engines))
}

/// The same of several scenarios: one sentence if all have the same engines, else one for each that has engines, such as “a”: Figures of
/// Spark 3.5.3, 8 × c5d.12xlarge and of RAPIDS 25.12 (L4), 4 × g6.2xlarge.
#[must_use]
pub fn figures_of_all(names: &[String], engines: &[Option<[String; 2]>]) -> Option<String> {
    if let [Some(first), others @ ..] = engines
        && others.iter().all(|other| other.as_ref() == Some(first))
    {
        return Some(engines_in_words(first));
    }
    let named = names.iter().zip(engines);
    let named = named.filter_map(|(name, of)| Some(format!("“{name}”: {}", engines_in_words(of.as_ref()?))));
    let named: Vec<String> = named.collect();
    (!named.is_empty()).then(|| named.join(" "))
}

fn engines_in_words([today, gpu]: &[String; 2]) -> String {
    format!("Figures of {today} and of {gpu}.")
}

fn alone(query: &str) -> String {
    format!("About {query}, not about the whole application.")
}

#[cfg(test)]
mod tests {
    use crossover_placement::Query;

    use super::*;

    #[test]
    fn a_study_without_engines_and_a_query_states_nothing() {
        for text in [
            include_str!("../../../scenarios/placement-published.ron"),
            include_str!("../../../scenarios/regulation-published.ron"),
        ] {
            let study = crossover_scenario::read(text).expect("a valid example").study;
            assert_eq!((statements(&study).next(), figure_engines(&study)), (None, None));
        }
    }

    #[test]
    fn compared_scenarios_name_their_engines_once_if_they_are_the_same() {
        let names = ["a", "b"].map(str::to_owned);
        let of = |gpu: &str| Some(["Spark 3.5.3, 8 × c5d.12xlarge".to_owned(), gpu.to_owned()]);
        let [four, two] = ["RAPIDS 25.12 (L4), 4 × g6.2xlarge", "RAPIDS 25.12 (L4), 2 × g6.2xlarge"].map(of);
        let line = |engines: [&Option<[String; 2]>; 2]| figures_of_all(&names, &engines.map(Clone::clone));
        let of_four = "Figures of Spark 3.5.3, 8 × c5d.12xlarge and of RAPIDS 25.12 (L4), 4 × g6.2xlarge.";
        assert_eq!(line([&four, &four]).as_deref(), Some(of_four));
        assert_eq!(line([&four, &two]), Some(format!("“a”: {of_four} “b”: {}", of_four.replace("4 × g6", "2 × g6"))));
        assert_eq!(line([&None, &four]), Some(format!("“b”: {of_four}")));
        assert_eq!(line([&None, &None]), None);
    }

    #[test]
    fn combined_queries_are_named_with_their_part_of_the_time() {
        let text = include_str!("../../../scenarios/placement-published.ron");
        let mut study = crossover_scenario::read(text).expect("a valid example").study;
        assert_eq!(about(&study), None);
        let combined = "3 queries of application shop (12.43 s of its 16.32 s)".to_owned();
        let query = Query { combined, ..Query::default() };
        study.placement_mut().expect("a placement study").query = Some(Box::new(query));
        let expected =
            "About 3 queries of application shop (12.43 s of its 16.32 s), not about the time outside these queries.";
        assert_eq!(about(&study).as_deref(), Some(expected));
    }
}
