//! Predictions of whole queries compared with measurements: the page that checks them, and the page that fits engines.

mod board;
mod cases_page;
mod choose;
mod fit;
mod fitted_sets;
mod kept;
mod list;
mod page;
mod parts;
mod request;
mod shipped;
mod truth;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crossover_engine::Profile;
use crossover_page::cache::Cache;
use crossover_page::services::name_of;
use crossover_page::tool::ToolKind;

pub use fit::TOOL as FIT;
pub(super) use parts::token as part_token;
pub use request::Request;
pub use truth::TOOL as TRUTH;

/// The tools of placement studies.
pub(super) const TOOLS: [&ToolKind; 2] = [&truth::KIND, &fit::KIND];

/// What both pages share while the window is open.
#[derive(Debug, Default)]
struct SharedState {
    /// The cases.
    cases: Option<Cases>,
    /// Whether the pages show the measurements that come with the program, although there are cases.
    shows_shipped: bool,
    /// Profiles that were opened or fitted, the newest last.
    profiles: Vec<Named>,
    /// Number of offers so far.
    offers: u64,
}

impl SharedState {
    /// The state of the window.
    fn of(cache: &mut Cache) -> &mut Self {
        if cache.get::<Self>().is_none() {
            cache.put(Self::default());
        }
        cache.get_mut().expect("it was put there")
    }
}

/// A file of cases, and how often it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Cases {
    file: PathBuf,
    revision: u64,
}

impl Cases {
    /// Number of cases; none if the file cannot be read.
    fn count(&self) -> usize {
        crossover_plan::cases::cases(&self.file).map_or(0, |cases| cases.len())
    }
}

/// A profile with its name: of its file, or of the cases that it was fitted to.
#[derive(Debug, Clone, PartialEq)]
struct Named {
    name: String,
    /// Its origin; a later profile of the same origin replaces it.
    origin: Origin,
    profile: Arc<Profile>,
}

/// Where a profile comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// A file of it.
    File(PathBuf),
    /// A fit to the cases of this file.
    FittedTo(PathBuf),
}

impl Origin {
    /// The file.
    fn path(&self) -> &Path {
        match self {
            Self::File(path) | Self::FittedTo(path) => path,
        }
    }

    /// Name of the profile, if it is unique.
    fn name(&self) -> String {
        match self {
            Self::File(path) => name_of(path),
            Self::FittedTo(path) => format!("fitted to {}", name_of(path)),
        }
    }
}
