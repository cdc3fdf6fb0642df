//! The site profile of a scenario: what a trial taught about the engine that it ran.

use crossover_engine::Profile;
use crossover_quantity::invalid::Invalid;
use serde::{Deserialize, Serialize};

/// What was learned from a trial, and the engine after it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LearnedTrial {
    /// The runs: "3 queries of shop.zstd and shop-on-comet.zstd".
    pub runs: String,
    /// Engine and machines of the option that was tried.
    pub option: String,
    /// Geometric mean of measured ÷ predicted time.
    pub mean_ratio: f64,
    /// The error factor (90 %) before and after.
    pub error_factors_90: [f64; 2],
    /// The engine after the trial, beside today's.
    pub profile: Profile,
    /// The engines that the study had before, if the trial was of its GPU engine. Absent: the engine runs on today's machines, and takes the
    /// place of the shipped one of its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Profile>,
}

impl LearnedTrial {
    /// Checks the numbers of its engines.
    pub(crate) fn check(&self) -> Result<(), Invalid> {
        let of = |profile: &Profile, field: &str| {
            profile.check().map_err(|Invalid { path, problem }| Invalid {
                path: format!("decision.learned.{field}.engines.{path}"),
                problem,
            })
        };
        of(&self.profile, "profile")?;
        self.before.as_ref().map_or(Ok(()), |before| of(before, "before"))
    }
}
