//! Files of profiles.

use ron::ser::PrettyConfig;

use serde::{Deserialize, Serialize};

use super::profile::Engines;
use crossover_quantity::invalid::Invalid;
use crossover_quantity::provenance::Sources;
use crossover_study::check::{check, sources};

/// Engines, and the sources of their numbers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// The engines.
    pub engines: Engines,
    /// By path in the engines, e.g. `cpu.start_seconds`; a number not listed was entered.
    #[serde(default, skip_serializing_if = "Sources::is_empty")]
    pub sources: Sources,
}

/// An error in a profile file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileError {
    /// Line and column, from 1, if known.
    pub place: Option<(usize, usize)>,
    /// The problem.
    pub problem: String,
}

impl Profile {
    /// Checks the numbers of the engines and their sources.
    ///
    /// # Errors
    /// A number is out of range, or a source is of none.
    pub fn check(&self) -> Result<(), Invalid> {
        check(&self.engines)?;
        sources(&self.engines, &self.sources)
    }

    /// The profile as the text of a `.ron` file, as [`read`] takes it.
    ///
    /// # Panics
    /// Never: RON can write every type of a profile.
    #[must_use]
    pub fn to_ron(&self) -> String {
        let config = PrettyConfig::new().depth_limit(3).new_line("\n").struct_names(false);
        ron::ser::to_string_pretty(self, config).expect("a profile holds only types that RON can write") + "\n"
    }
}

/// Reads a profile.
///
/// # Errors
/// The text is no profile, or one of its numbers is out of range.
pub fn read(text: &str) -> Result<Profile, FileError> {
    let options = ron::Options::default().with_default_extension(ron::extensions::Extensions::IMPLICIT_SOME);
    let profile: Profile = options.from_str(text).map_err(|error| FileError {
        place: Some((error.span.start.line, error.span.start.col)),
        problem: error.code.to_string(),
    })?;
    let refused = |Invalid { path, problem }| FileError { place: None, problem: format!("{path}: {problem}") };
    profile.check().map_err(refused)?;
    Ok(profile)
}
