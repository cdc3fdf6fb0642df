//! What a search may change in a study of a kind besides single numbers: entries of the catalogue, and what is divided.

use crossover_quantity::catalogue::Catalogue;
use crossover_scenario::Study;
use crossover_tools::Searched;
use crossover_tools::search::{Choice, Found, Shared};

/// What a kind of study says of that; nothing, unless it says so.
pub trait Offering: Sync {
    /// What of the catalogue a search may give a study of this kind.
    fn offers(&self, _study: &Study, _catalogue: &Catalogue) -> Vec<Offer> {
        Vec::new()
    }

    /// Numbers that are what each of several has of a whole, which stays where a search changes how many there are.
    fn shared(&self, _study: &Study) -> Vec<Shared> {
        Vec::new()
    }

    /// What a careful reader should know where one of these numbers is moved alone, if anything.
    fn kept_by_each(&self, study: &Study, moved: &[&str]) -> Option<String> {
        let shared = self.shared(study).into_iter().find(|shared| moved.contains(&shared.by.as_str()))?;
        let text = "each keeps the work that it has, so with fewer there is less work in all; a search divides the same work among them";
        Some(format!("{}: {text}", shared.by))
    }

    /// Gives a study what a search found.
    fn take(&self, study: &mut Study, found: &Searched, best: &Found) {
        found.apply(study.subject_mut(), best);
    }
}

/// A list of the catalogue from which a study may take an entry.
#[derive(Debug)]
pub struct Offer {
    /// The entries, with the numbers that the study has with each.
    pub choice: Choice,
    /// Entries that cannot be taken.
    pub left_out: Vec<LeftOut>,
}

/// An entry that cannot be taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// Its name.
    pub entry: String,
    /// Why, as the end of a sentence.
    pub reason: &'static str,
}

impl Offer {
    /// What cannot be taken, a sentence for each reason.
    #[must_use]
    pub fn left_out_in_words(&self) -> Vec<String> {
        let mut reasons: Vec<&str> = self.left_out.iter().map(|left_out| left_out.reason).collect();
        reasons.sort_unstable();
        reasons.dedup();
        let sentence = |reason: &str| {
            let of = |left_out: &&LeftOut| left_out.reason == reason;
            let names: Vec<&str> = self.left_out.iter().filter(of).map(|left_out| left_out.entry.as_str()).collect();
            format!("{}: {} left out, because {reason}: {}", self.choice.name, names.len(), names.join(", "))
        };
        reasons.into_iter().map(sentence).collect()
    }
}
