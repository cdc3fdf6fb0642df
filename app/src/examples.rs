//! The scenarios that come with the program.

use crossover_model::placement::{Overlap, Placement};
use crossover_model::scenario::Kind;

/// A scenario that comes with the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Example {
    /// The published setting of placement.
    Published,
    /// A current cluster.
    Modern,
    /// Eight machines.
    Small,
    /// A query that Spark ran.
    Spark,
    /// The join of the published setting as a query plan.
    Query,
    /// The filter of the published setting as a query plan.
    QueryFilter,
    /// The worked example of regulation.
    PublishedRegulation,
    /// Two clusters with opposite day curves.
    Day,
    /// Readings that are noisy and late.
    Noisy,
}

impl Example {
    /// All examples, in the order of the menu.
    pub const ALL: [Self; 9] = [
        Self::Published,
        Self::Modern,
        Self::Small,
        Self::Spark,
        Self::Query,
        Self::QueryFilter,
        Self::PublishedRegulation,
        Self::Day,
        Self::Noisy,
    ];

    /// Name in the menu.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Published => "Published setting: 1000 machines",
            Self::Modern => "A current cluster: 64 machines",
            Self::Small => "A small cluster: 8 machines",
            Self::Spark => "A query plan: a join that Spark ran",
            Self::Query => "A query plan: the published join in SQL",
            Self::QueryFilter => "A query plan: the published filter in SQL",
            Self::PublishedRegulation => "Published regulation: two clusters of 100 vGPUs",
            Self::Day => "Regulation: two clusters with opposite days",
            Self::Noisy => "Regulation: noisy and late readings",
        }
    }

    /// The text of the scenario.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::Published => include_str!("../../scenarios/placement-published.ron"),
            Self::Modern => include_str!("../../scenarios/placement-modern.ron"),
            Self::Small => include_str!("../../scenarios/placement-small.ron"),
            Self::Spark => include_str!("../../scenarios/placement-spark.ron"),
            Self::Query => include_str!("../../scenarios/placement-query.ron"),
            Self::QueryFilter => include_str!("../../scenarios/placement-query-filter.ron"),
            Self::PublishedRegulation => include_str!("../../scenarios/regulation-published.ron"),
            Self::Day => include_str!("../../scenarios/regulation-day.ron"),
            Self::Noisy => include_str!("../../scenarios/regulation-noisy.ron"),
        }
    }

    /// What a new scenario of a kind starts from.
    #[must_use]
    pub const fn template(kind: Kind) -> Self {
        match kind {
            Kind::Placement => Self::Small,
            Kind::Regulation => Self::PublishedRegulation,
        }
    }
}

/// The hardware of a new study, for a query whose user names no other. The fastest placement counts, however small its
/// gain, and times add up, as those of a whole plan do.
///
/// # Errors
/// What is wrong with the template.
pub fn hardware_for_queries() -> Result<Placement, String> {
    let template = crossover_model::scenario::read(Example::template(Kind::Placement).text());
    let template = template.map_err(|error| format!("The template of a new scenario: {error}"))?;
    let mut study = template.placement().cloned().ok_or("The template of a new scenario is no placement study")?;
    study.policy.threshold = 1.0;
    study.policy.overlap = Overlap::Nothing;
    Ok(study)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_example_opens() {
        for example in Example::ALL {
            crossover_model::scenario::read(example.text()).expect("a valid example");
        }
    }
}
