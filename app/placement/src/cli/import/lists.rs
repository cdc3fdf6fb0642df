//! Lists about classes of operators that come with an import.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;
use crossover_placement::Query;
use crossover_plan::support;

/// Classes without a GPU version, and scores of the others.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Lists {
    unsupported: BTreeMap<String, String>,
    scores: BTreeMap<String, f64>,
}

impl Lists {
    /// Reads the lists that are named.
    pub(super) fn read(unsupported: Option<&Path>, scores: Option<&Path>) -> Result<Self> {
        Ok(Self {
            unsupported: unsupported.map(support::unsupported).transpose()?.unwrap_or_default(),
            scores: scores.map(support::scores).transpose()?.unwrap_or_default(),
        })
    }

    /// Adds the lists to a query; scores replace the model's GPU times.
    pub(super) fn give(&self, query: &mut Query) {
        query.unsupported.clone_from(&self.unsupported);
        query.use_scores = !self.scores.is_empty();
        query.scores.clone_from(&self.scores);
    }
}
