//! Requests of the two pages to the window.

use std::any::Any;
use std::path::PathBuf;
use std::sync::Arc;

use crossover_engine::Profile;
use crossover_page::ask::Ask;
use crossover_page::lazy_text::LazyText;
use crossover_page::services::{Pick, Services, Target};
use crossover_plan::cases::Case;

use super::{Cases, Named, Origin, SharedState};
use crate::truth::{as_scenario, open_profile};

const CASES: Pick = Pick {
    title: "Open measured cases",
    title_by_path: "Open measured cases by path",
    action: "Open",
    filter: Some(("csv", &["csv"])),
    target: Target::File,
};
const PROFILE: Pick = Pick {
    title: "Open a profile of engines",
    title_by_path: "Open a profile of engines by path",
    action: "Open",
    filter: Some(("ron", &["ron"])),
    target: Target::File,
};

/// A request of the two pages to the window.
#[derive(Debug, Clone, PartialEq)]
pub enum Request {
    /// Prompt for a file of cases.
    PickCases,
    /// Read the cases of this file, also if they were read before.
    UseCases(PathBuf),
    /// Show the measurements that come with the program.
    ShowShipped,
    /// Show the cases of the file that was opened.
    ShowOwn,
    /// Prompt for the file of a profile.
    PickProfile,
    /// Read the profile that a page used in the last window.
    ReadProfile(PathBuf),
    /// Offer this profile on both pages.
    Offer(Origin, Arc<Profile>),
    /// Prompt for a file name and write this profile there.
    SaveProfile(Arc<Profile>),
    /// Use these engines in the scenario of this document.
    Give(String, Arc<Profile>),
    /// Open a case's query as a scenario, with these engines or those of its scenario.
    Open(Box<Case>, Option<Arc<Profile>>),
}

impl Request {
    /// Does it.
    pub(in super::super) fn carry_out(&self, services: &mut Services<'_>) {
        match self.clone() {
            Self::PickCases => services.pick(CASES, |services, path| SharedState::of(services.cache()).take(path)),
            Self::UseCases(path) => SharedState::of(services.cache()).take(path),
            Self::ShowShipped => SharedState::of(services.cache()).shows_shipped = true,
            Self::ShowOwn => SharedState::of(services.cache()).shows_shipped = false,
            Self::PickProfile => services.pick(PROFILE, |services, path| {
                let origin = Origin::File(path.clone());
                services.work(
                    "profile",
                    move || open_profile(&path),
                    |services, opened| match opened {
                        Ok(profile) => SharedState::of(services.cache()).offer(origin, Arc::new(profile)),
                        Err(problem) => services.notify_error(problem),
                    },
                );
            }),
            Self::ReadProfile(path) => {
                let origin = Origin::File(path.clone());
                services.work(
                    "profile",
                    move || open_profile(&path),
                    |services, opened| match opened {
                        Ok(profile) => SharedState::of(services.cache()).add(origin, Arc::new(profile)),
                        Err(problem) => services.notify_error(problem),
                    },
                );
            }
            Self::Offer(origin, profile) => SharedState::of(services.cache()).offer(origin, profile),
            Self::SaveProfile(profile) => {
                services.save("Save a profile of engines", "profile", "ron", LazyText::new(move || profile.to_ron()));
            }
            Self::Give(document, profile) => {
                services.edit(&document, |study| {
                    if let Some(study) = study.placement_mut() {
                        study.set_engines((*profile).clone());
                    }
                });
                services.show(&document);
                services.notify("The scenario uses these engines now; Undo restores the old ones");
            }
            Self::Open(case, profile) => {
                let read = move || as_scenario(&case, profile.as_deref());
                services.work("case", read, |services, read| match read {
                    Ok(scenario) => drop(services.open(scenario)),
                    Err(error) => services.notify_error(error.to_string()),
                });
            }
        }
    }
}

impl Ask for Request {
    fn text(&self) -> String {
        match self {
            Self::PickCases => "Open measured cases…".into(),
            Self::UseCases(path) => format!("Read the cases of {}", path.display()),
            Self::ShowShipped => "Show the shipped measurements".into(),
            Self::ShowOwn => "Show the cases of the file".into(),
            Self::PickProfile => "Open a profile of engines…".into(),
            Self::ReadProfile(path) => format!("Read the profile {}", path.display()),
            Self::Offer(origin, _) => format!("Offer the profile {}", origin.name()),
            Self::SaveProfile(_) => "Save the profile of engines…".into(),
            Self::Give(..) => "Use these engines in the scenario".into(),
            Self::Open(case, _) => format!("Open {} as a scenario", case.name),
        }
    }

    fn tooltip(&self) -> &'static str {
        match self {
            Self::PickCases => "A CSV file of queries, where they ran, and their times",
            Self::ShowShipped => "All measured queries that come with the program",
            Self::ShowOwn => "The cases that you opened",
            Self::PickProfile => "A profile that a fit wrote",
            _ => "",
        }
    }

    fn is_same(&self, other: &dyn Any) -> bool {
        other.downcast_ref() == Some(self)
    }
}

impl SharedState {
    /// Uses the cases of a file; the same file is read again.
    fn take(&mut self, file: PathBuf) {
        let revision = self.cases.as_ref().map_or(0, |cases| cases.revision + 1);
        self.cases = Some(Cases { file, revision });
        self.shows_shipped = false;
    }

    /// Offers a profile instead of the one of its origin.
    fn offer(&mut self, origin: Origin, profile: Arc<Profile>) {
        self.profiles.retain(|named| named.origin != origin);
        self.profiles.push(Named { name: origin.name(), origin, profile });
        self.offers += 1;
    }

    /// Adds a profile to choose from, which no page selects by itself. If there is one of the same origin, that one stays.
    fn add(&mut self, origin: Origin, profile: Arc<Profile>) {
        if self.profiles.iter().all(|named| named.origin != origin) {
            self.profiles.insert(0, Named { name: origin.name(), origin, profile });
        }
    }
}
