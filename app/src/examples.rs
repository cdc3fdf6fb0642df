//! The scenarios that come with the program.

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
    /// The worked example of regulation.
    PublishedRegulation,
}

impl Example {
    /// All examples, in the order of the menu.
    pub const ALL: [Self; 4] = [Self::Published, Self::Modern, Self::Small, Self::PublishedRegulation];

    /// Name in the menu.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Published => "Published setting: 1000 machines",
            Self::Modern => "A current cluster: 64 machines",
            Self::Small => "A small cluster: 8 machines",
            Self::PublishedRegulation => "Published regulation: two clusters of 100 vGPUs",
        }
    }

    /// The text of the scenario.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::Published => include_str!("../../scenarios/placement-published.ron"),
            Self::Modern => include_str!("../../scenarios/placement-modern.ron"),
            Self::Small => include_str!("../../scenarios/placement-small.ron"),
            Self::PublishedRegulation => include_str!("../../scenarios/regulation-published.ron"),
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
