//! What a search may change in a study of a kind besides single numbers: entries of the catalogue, and what is divided.

use crossover_quantity::catalogue::Catalogue;
use crossover_scenario::Study;
use crossover_tools::Searched;
use crossover_tools::search::{Choice, Found, Shared};

/// The free choices of a kind of study; none by default.
pub trait Offering: Sync {
    /// The catalogue lists of which a search may choose entries for a study of this kind.
    fn offers(&self, _study: &Study, _catalogue: &Catalogue) -> Vec<Offer> {
        Vec::new()
    }

    /// Numbers that are each unit's part of a total; the total is constant if a search changes the number of units (strong scaling).
    fn shared(&self, _study: &Study) -> Vec<Shared> {
        Vec::new()
    }

    /// A caution where one of these numbers changes without the others (weak scaling), if any.
    fn weak_scaling_caution(&self, study: &Study, moved: &[&str]) -> Option<String> {
        let shared = self.shared(study).into_iter().find(|shared| moved.contains(&shared.by.as_str()))?;
        let text = "weak scaling: input per machine is constant, so total input grows with machines; search uses strong scaling (constant total input)";
        Some(format!("{}: {text}", shared.by))
    }

    /// Applies the result of a search to a study.
    fn take(&self, study: &mut Study, found: &Searched, best: &Found) {
        found.apply(study.subject_mut(), best);
    }
}

/// A catalogue list of which a study may use an entry.
#[derive(Debug)]
pub struct Offer {
    /// The entries, with the numbers that the study has with each.
    pub choice: Choice,
    /// Entries that cannot be used.
    pub left_out: Vec<LeftOut>,
}

/// An entry that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// Its name.
    pub entry: String,
    /// Why, as the end of a sentence.
    pub reason: &'static str,
}

impl Offer {
    /// The entries that cannot be used, one sentence for each reason.
    #[must_use]
    pub fn left_out_in_words(&self) -> Vec<String> {
        let mut reasons: Vec<&str> = self.left_out.iter().map(|left_out| left_out.reason).collect();
        reasons.sort_unstable();
        reasons.dedup();
        let sentence = |reason: &str| {
            let of = |left_out: &&LeftOut| left_out.reason == reason;
            let names: Vec<&str> = self.left_out.iter().filter(of).map(|left_out| left_out.entry.as_str()).collect();
            format!("{}: {} excluded, because {reason}: {}", self.choice.name, names.len(), names.join(", "))
        };
        reasons.into_iter().map(sentence).collect()
    }
}
