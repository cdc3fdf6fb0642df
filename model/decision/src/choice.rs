//! The sentence of two options that the errors of their predictions cannot tell apart: both are recommended, and a trial run of each
//! decides.

use crossover_quantity::unit::chance;

use crate::decision::{Decision, DecisionOption, NearTie};
use crate::words::{go_to, likely, one_or_other, unsupported};

/// How a sentence refers to the best option and its near tie.
const NAMES: [&str; 2] = ["the first", "the second"];

impl Decision {
    /// Titles of the recommended options with a conjunction such as " or ": "RAPIDS, 2 × g6.2xlarge or Gluten (Velox), same machines";
    /// `None`: today's engine stays.
    #[must_use]
    pub fn recommended_title(&self, conjunction: &str) -> Option<String> {
        let titles: Vec<&str> = self.recommended().map(|place| self.options[place].candidate.title.as_str()).collect();
        (!titles.is_empty()).then(|| titles.join(conjunction))
    }

    /// Whether this engine on these machines, "RAPIDS, 2 × g6.2xlarge", is recommended.
    #[must_use]
    pub fn recommends_title(&self, title: &str) -> bool {
        self.recommended().any(|place| {
            // The basis of a price may stand behind the machines.
            let rest = self.options[place].candidate.title.strip_prefix(title);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(" ("))
        })
    }

    /// "They cost about the same: 52 % likely that the first is cheaper. A trial run of each would decide."; `None` without a near tie.
    #[must_use]
    pub fn near_tie_in_words(&self) -> Option<String> {
        let NearTie { likelihood, .. } = self.near_tie?;
        let (same, better) = if self.is_by_time() { ("take", "faster") } else { ("cost", "cheaper") };
        Some(format!(
            "They {same} about the same: {} likely that the first is {better}. A trial run of each would decide.",
            chance(likelihood)
        ))
    }

    /// The sentence of the best option and its near tie.
    pub(crate) fn choose(&self, best: &DecisionOption, tie: NearTie) -> String {
        let both = [best, &self.options[tie.other]];
        let or = |text: &dyn Fn(&DecisionOption) -> String| one_or_other(&both.map(text));
        // A measured time has no error.
        let is_predicted = both.iter().any(|option| option.candidate.deviation_of_ratio > Some(0.0));
        let likelihoods = both.map(|option| option.better.map(likely).unwrap_or_default());
        let likelihoods = match likelihoods {
            [one, other] if one == other => format!("both {one}"),
            [one, other] => format!("{one} and {other}"),
        };
        let prices = match both.map(|option| self.depends_on_price(option)) {
            [one, other] if one == other => one,
            _ => " at the prices used",
        };
        let mut text = format!(
            "{} {}: {} instead of {}. {} {} {likelihoods} likely to be {}{prices}.",
            go_to(self.verdict),
            or(&|option| self.in_sentence(&option.candidate).0),
            or(&|option| self.time_in_sentence(&option.candidate).trim_end_matches(',').to_owned()),
            self.today(),
            self.near_tie_in_words().unwrap_or_default(),
            if is_predicted { "By the measured errors of predictions, they are" } else { "They are" },
            self.wanted(),
        );
        if let Some([now, costs]) = self.mean_costs() {
            let what = if is_predicted { "On average a run" } else { "A run" };
            text += &format!(" {what} costs {costs} instead of {now}{}.", self.at_assumed_price(best));
        }
        let savings = both.into_iter().zip(NAMES);
        let savings =
            savings.filter_map(|(option, name)| Some(format!("{} with {name}", self.expected_saving(option)?)));
        let savings: Vec<String> = savings.collect();
        if !savings.is_empty() {
            text += &format!(" Expected saving: {}.", savings.join("; "));
        }
        for (option, name) in both.into_iter().zip(NAMES) {
            text += &self.over_assumed_price(option, &format!(" of {name}"));
        }
        text += &self.effort(&both);
        let unsupported = both.map(|option| unsupported(&option.candidate));
        text += &unsupported[0];
        if unsupported[1] != unsupported[0] {
            text += &unsupported[1];
        }
        text
    }
}
