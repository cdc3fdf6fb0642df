//! The engines that results were measured with: kept beside them, those that come with the program, or named by the user.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use crossover_fleet::opened::open;
use crossover_fleet::{Base, Outcomes};
use crossover_model::scenario::read;

use super::super::examples::MEASURED;
use super::Kept;
use crate::examples::Example;

/// What results were measured with.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Measured {
    /// These engines.
    With(Arc<Base>),
    /// Engines that are not kept beside the results; this tells them from others.
    Unknown(String),
    /// One log with these engines, another one with those.
    Several,
}

impl Measured {
    /// Of results in a folder.
    pub(super) fn of(folder: &Path, outcomes: &Outcomes) -> Self {
        let digests: BTreeSet<&str> = outcomes.logs().map(|log| log.head.base.as_str()).collect();
        let mut digests = digests.into_iter();
        match (digests.next(), digests.next()) {
            (Some(digest), None) => Base::of_results(folder, digest)
                .or_else(|| of_program(digest))
                .map_or_else(|| Self::Unknown(digest.to_owned()), |base| Self::With(Arc::new(base))),
            (None, _) => Self::Unknown(String::new()),
            (Some(_), Some(_)) => Self::Several,
        }
    }

    /// The engines, also where the user named them.
    pub(super) fn base<'a>(&'a self, kept: Option<&'a Kept>) -> Option<&'a Arc<Base>> {
        match self {
            Self::With(base) => Some(base),
            Self::Unknown(digest) => kept?.named.iter().find(|base| base.digest == *digest),
            Self::Several => None,
        }
    }

    /// Why nothing can be planned with them.
    pub(super) fn why_not(&self) -> &'static str {
        match self {
            Self::With(_) => "",
            Self::Unknown(_) => {
                "These results do not have the engines beside them that they were measured with: name their scenario first"
            }
            Self::Several => {
                "Some logs of these results were measured with other engines than others: read them again, all with the same"
            }
        }
    }
}

/// The engines that come with the program, in which logs are read.
pub(super) fn usual() -> Result<Base, String> {
    of_example(&MEASURED[0].1).map_err(|problem| format!("The base that comes with the program: {problem}"))
}

/// The one among those that come with the program.
fn of_program(digest: &str) -> Option<Base> {
    MEASURED.iter().filter_map(|(_, example)| of_example(example).ok()).find(|base| base.digest == digest)
}

fn of_example(example: &Example) -> Result<Base, String> {
    let scenario = read(example.text).map_err(|error| error.to_string())?;
    Base::new(&scenario).map_err(|error| error.to_string())
}

/// What is in a folder that other engines measured than these; `None`: logs can be read into it and nothing is lost.
pub(super) fn others(out: &Path, base: &Base) -> Option<Measured> {
    let opened = open(out).ok()?;
    let differs = opened.outcomes.logs().any(|log| log.head.base != base.digest);
    differs.then(|| Measured::of(out, &opened.outcomes))
}
