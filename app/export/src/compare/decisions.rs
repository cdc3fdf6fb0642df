//! The decisions of compared scenarios, all about the same: about whole applications where each scenario has one, else about queries.

use crossover_decision::Decision;
use crossover_scenario::Study;

use crate::about::{QueryOfApplication, figure_engines};
use crate::decided::of_study;
use crate::decision::ApplicationAnswer;

/// What should run the queries of compared scenarios, or their applications, in whole engines.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ComparedDecisions {
    /// One for each scenario; none for a scenario without engines and a query.
    pub(super) decisions: Vec<Option<Decision>>,
    /// The query of each scenario that has its application, in words.
    queries: Vec<Option<String>>,
    /// The engines and machines of the figures of each scenario; none without engines and a query.
    pub(super) figure_engines: Vec<Option<[String; 2]>>,
    /// Whether the decisions are about the applications.
    are_of_applications: bool,
}

impl ComparedDecisions {
    /// The decisions of studies; `answer` finds what is said of the application of a study's query. If one of them cannot be judged, all
    /// decisions are about queries.
    #[must_use]
    pub fn new<'a>(
        studies: impl IntoIterator<Item = &'a Study>,
        answer: impl Fn(&Study) -> Option<ApplicationAnswer>,
    ) -> Self {
        let studies: Vec<&Study> = studies.into_iter().collect();
        let of_queries: Vec<Option<Decision>> = studies.iter().map(|study| of_study(study)).collect();
        let title = |study: &&Study| QueryOfApplication::of(study).map(|query| query.title_with_share());
        let queries: Vec<Option<String>> = studies.iter().map(title).collect();
        let figure_engines = studies.iter().map(|study| figure_engines(study)).collect();
        let may_be_of_applications = studies
            .iter()
            .zip(&of_queries)
            .all(|(study, of_query)| of_query.is_none() || QueryOfApplication::of(study).is_some())
            && of_queries.iter().any(Option::is_some);
        let of_application = |(&study, of_query): (&&Study, &Option<Decision>)| match of_query {
            Some(_) => Some(Some(answer(study)?.into_decision()?)),
            None => Some(None),
        };
        let of_applications: Option<Vec<Option<Decision>>> =
            if may_be_of_applications { studies.iter().zip(&of_queries).map(of_application).collect() } else { None };
        let are_of_applications = of_applications.is_some();
        Self { decisions: of_applications.unwrap_or(of_queries), queries, figure_engines, are_of_applications }
    }

    /// What figures and decisions of scenarios with these names are about; `None` if no scenario has the application of its query.
    pub(super) fn about(&self, names: &[String]) -> Option<String> {
        let of = names.iter().zip(&self.queries);
        let of: Vec<String> = of.filter_map(|(name, query)| Some(format!("“{name}”: {}", query.as_ref()?))).collect();
        let what = if self.are_of_applications {
            "The decisions are about whole applications, the figures about one query of each"
        } else {
            "The results are about queries, not about their whole applications"
        };
        (!of.is_empty()).then(|| format!("{what}. {}.", of.join("; ")))
    }
}

#[cfg(test)]
mod tests {
    use crossover_placement::{Placement, Query};
    use crossover_query::{Application, Plan};

    use super::*;

    fn study(application: Option<&str>) -> Study {
        let application =
            application.map(|name| Application { name: name.to_owned(), ..Application::default() }.into());
        let plan = Plan { query: "6".to_owned(), ..Plan::default() }.into();
        let text = include_str!("../../../../scenarios/placement-published.ron");
        let published = crossover_scenario::read(text).expect("a scenario").study;
        let placement = published.placement().expect("a placement study").clone();
        let query = Some(Box::new(Query { plan, application, ..Query::default() }));
        Study::Placement(Placement { query, ..placement })
    }

    #[test]
    fn scenarios_with_an_application_say_what_is_compared() {
        let names = ["a", "b"].map(str::to_owned);
        let about = |studies: [Study; 2]| ComparedDecisions::new(&studies, |_| None).about(&names);
        assert_eq!(about([study(None), study(None)]), None);
        assert_eq!(
            about([study(None), study(Some("shop"))]).as_deref(),
            Some(
                "The results are about queries, not about their whole applications. “b”: query 6 of application shop."
            )
        );
    }
}
