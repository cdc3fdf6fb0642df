//! The program that measured: version and how it was built.

use serde::{Deserialize, Serialize};

/// Warning for figures of a build without optimisation.
pub const NOT_OPTIMISED: &str = "built without optimisation; its figures are not comparable";

/// The program that measured.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Tool {
    /// Version of the program.
    pub version: String,
    /// Whether it was built with optimisation; figures of other builds are not comparable.
    pub optimised: bool,
    /// Extensions of the instruction set that the CPU's side was compiled for; empty for the baseline.
    pub target_features: Vec<String>,
}

impl Tool {
    /// This program.
    #[must_use]
    pub fn here() -> Self {
        Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            // The level of optimisation is not visible to a program; the profiles that debug are those without.
            optimised: !cfg!(debug_assertions),
            target_features: target_features(),
        }
    }
}

/// The extensions that matter to loops over words, as far as the compiler was allowed to use them.
fn target_features() -> Vec<String> {
    let known = [
        ("sse4.2", cfg!(target_feature = "sse4.2")),
        ("avx", cfg!(target_feature = "avx")),
        ("avx2", cfg!(target_feature = "avx2")),
        ("bmi2", cfg!(target_feature = "bmi2")),
        ("avx512f", cfg!(target_feature = "avx512f")),
        ("neon", cfg!(target_feature = "neon")),
        ("sve", cfg!(target_feature = "sve")),
    ];
    known.into_iter().filter(|(_, enabled)| *enabled).map(|(name, _)| name.to_owned()).collect()
}
