//! The sentence of options that the errors of their predictions cannot tell apart: all are recommended, and a trial run of each
//! decides.

use std::collections::BTreeSet;

use crossover_quantity::text::counted;
use crossover_quantity::unit::{Unit, chance};

use crate::candidate::{Candidate, first_word};
use crate::decision::{Decision, DecisionOption};
use crate::expected::is_extra;
use crate::verdict::Verdict;
use crate::words::{go_to, joined, joined_titles, likely, unsupported};

/// What an application saves, if its query saves another sum.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OtherSaving {
    /// What it is: [`Decision::noun_of_saving`].
    pub noun: &'static str,
    /// "$18.6 a month"
    pub in_words: String,
    /// Whether it is more than that of the query.
    pub is_more: bool,
    /// Whether the machines of the option cost more than today's.
    pub is_on_dearer_machines: bool,
}

impl OtherSaving {
    /// "that of its 4 queries together", why an application of so many queries saves more than one of them; `None` if it does not.
    #[must_use]
    pub fn of_more_queries(&self, queries: usize) -> Option<String> {
        (self.is_more && queries > 1).then(|| format!("that of its {} together", counted(queries as f64, "query")))
    }
}

/// How a sentence refers to the best option and its near ties.
pub(crate) const NAMES: [&str; 3] = ["the first", "the second", "the third"];

impl Decision {
    /// Titles of the recommended options with a conjunction such as " or ": "RAPIDS, 2 × g6.2xlarge or Gluten (Velox), same machines";
    /// `None`: today's engine stays.
    #[must_use]
    pub fn recommended_title(&self, conjunction: &str) -> Option<String> {
        let titles: Vec<&str> = self.recommended().map(|place| self.options[place].candidate.title.as_str()).collect();
        (!titles.is_empty()).then(|| joined_titles(&titles, conjunction))
    }

    /// The same for a narrow column: of one option [`Candidate::short_title`], of several only the first words of their engines, "RAPIDS or
    /// Gluten", and of clusters of one engine their numbers of machines, "RAPIDS, 2 or 4 machines".
    #[must_use]
    pub fn short_recommended_title(&self, conjunction: &str) -> Option<String> {
        if self.near_ties.is_empty() {
            return self.best_option().map(|option| option.candidate.short_title());
        }
        let mut engines: Vec<(&str, Vec<String>)> = Vec::new();
        for place in self.recommended() {
            let Candidate { engine, machines, .. } = &self.options[place].candidate;
            let name = first_word(engine);
            let machines = machines.map(|machines| Unit::Count.format(machines));
            match engines.iter_mut().find(|(other, _)| *other == name) {
                Some((_, clusters)) => clusters.extend(machines),
                None => engines.push((name, machines.into_iter().collect())),
            }
        }
        let titles = engines.iter().map(|(name, clusters)| match clusters.as_slice() {
            [] | [_] => (*name).to_owned(),
            several => {
                let counts: Vec<&str> = several.iter().map(String::as_str).collect();
                format!("{name}, {} machines", joined(&counts, conjunction))
            }
        });
        let titles: Vec<String> = titles.collect();
        Some(joined(&titles.iter().map(String::as_str).collect::<Vec<&str>>(), conjunction))
    }

    /// Index of the option whose time, cost and likelihood stand beside the verdict: the recommended one, or else the one that only the effort
    /// of the move rejects, or else the one most likely to meet the goal. If no option can be judged, it is the most likely one of all.
    #[must_use]
    pub fn shown_place(&self) -> Option<usize> {
        let of_all = || self.likeliest_of(|_| true).filter(|_| self.verdict == Verdict::CannotJudge);
        self.best.or_else(|| self.named_beside_today()).or_else(of_all)
    }

    /// The option at [`Self::shown_place`].
    #[must_use]
    pub fn shown(&self) -> Option<&DecisionOption> {
        self.shown_place().map(|place| &self.options[place])
    }

    /// How likely each recommended option is to meet the goal, in their order: "93 %", "both 93 %", ">99 % and 94 %"; `None` without a
    /// recommendation.
    #[must_use]
    pub fn likelihoods(&self) -> Option<String> {
        let texts = self.recommended().map(|place| self.options[place].better.map(likely));
        let texts: Vec<String> = texts.collect::<Option<_>>()?;
        (!texts.is_empty()).then(|| each(&texts))
    }

    /// The same at half and at twice an assumed price: "<1 % … >99 %", of several options "<1 % … >99 % of the first"; `None` if none of
    /// them depends on an assumed price.
    #[must_use]
    pub fn likelihoods_over_assumed_price(&self) -> Option<String> {
        let is_only_option = self.near_ties.is_empty();
        let ranges = self.recommended().zip(NAMES).filter_map(|(place, name)| {
            let range = self.likely_over_assumed_price(&self.options[place])?;
            Some(if is_only_option { range } else { format!("{range} of {name}") })
        });
        let ranges: Vec<String> = ranges.collect();
        (!ranges.is_empty()).then(|| joined(&ranges.iter().map(String::as_str).collect::<Vec<&str>>(), " and "))
    }

    /// Whether this engine on these machines, "RAPIDS, 2 × g6.2xlarge", is recommended.
    #[must_use]
    pub fn recommends_title(&self, title: &str) -> bool {
        self.recommended().any(|place| self.options[place].candidate.is_titled(title))
    }

    /// Whether both recommend to stay, or have a recommended option in common.
    #[must_use]
    pub fn agrees_with(&self, other: &Self) -> bool {
        let titles = |decision: &Self| -> BTreeSet<String> {
            decision.recommended().map(|place| decision.options[place].candidate.title.clone()).collect()
        };
        let (one, other) = (titles(self), titles(other));
        one == other || !one.is_disjoint(&other)
    }

    /// What this decision about an application saves, if that is another sum than what its query saves by the same recommendation. Also
    /// if both stay because of the effort of the move only.
    #[must_use]
    pub fn other_saving_than(&self, query: &Self) -> Option<OtherSaving> {
        let ((own, in_words), (of_query, words_of_query)) = (self.named_saving()?, query.named_saving()?);
        let usd = |option: &DecisionOption| option.saving.unwrap_or(0.0);
        let prices = own.candidate.usd_per_hour().zip(self.baseline.usd_per_hour());
        (self.agrees_with(query) && in_words != words_of_query).then(|| OtherSaving {
            noun: self.noun_of_saving(&[own]),
            in_words,
            is_more: usd(own) > usd(of_query),
            is_on_dearer_machines: prices.is_some_and(|(own, today)| own > today),
        })
    }

    /// The best option with what the recommended ones save, "$18.6 a month". If only the effort of the move keeps today's engine, the
    /// option that would save most: "$9.26 a month with RAPIDS, 2 × g6.2xlarge".
    fn named_saving(&self) -> Option<(&DecisionOption, String)> {
        if let Some(best) = self.best_option() {
            return Some((best, self.saving_in_words()?));
        }
        let place = self.rejected_by_effort()?;
        let option = &self.options[place];
        let saving = self.saving_of(option, is_extra(&[option]))?;
        Some((option, format!("{saving} with {}", option.candidate.title)))
    }

    /// What near ties have about the same, as a verb, and what the better one is: "cost" and "cheaper".
    #[must_use]
    pub fn tie_words(&self) -> [&'static str; 2] {
        if self.is_by_time() { ["take", "faster"] } else { ["cost", "cheaper"] }
    }

    /// "They cost about the same: 52 % likely that the first is cheaper. A trial run of each would decide."; of three "… cheaper than the
    /// second, 57 % than the third."; `None` without a near tie.
    #[must_use]
    pub fn near_tie_in_words(&self) -> Option<String> {
        let (second, third) = match self.near_ties.as_slice() {
            [] => return None,
            [second] => (second, String::new()),
            [second, third, ..] => (second, format!(" than the second, {} than the third", chance(third.likelihood))),
        };
        let [same, better] = self.tie_words();
        Some(format!(
            "They {same} about the same: {} likely that the first is {better}{third}. A trial run of each would decide.",
            chance(second.likelihood)
        ))
    }

    /// The sentence of the best option and its near ties.
    pub(crate) fn choose(&self, best: &DecisionOption) -> [String; 2] {
        let all: Vec<&DecisionOption> = self.recommended().map(|place| &self.options[place]).collect();
        let titles: Vec<String> = all.iter().map(|option| self.in_sentence(&option.candidate).0).collect();
        // A measured time has no error.
        let is_predicted = all.iter().any(|option| option.candidate.deviation_of_ratio > Some(0.0));
        let prices = self.depends_on_price(best);
        let is_same = all.iter().all(|option| self.depends_on_price(option) == prices);
        let prices = if is_same { prices } else { " at the prices used" };
        let recommendation = format!(
            "{} {}: {} instead of {}. {} {} {} likely to be {}{prices}.",
            go_to(self.verdict),
            joined_titles(&titles.iter().map(String::as_str).collect::<Vec<&str>>(), " or "),
            self.times_in_sentence(&all),
            self.today(),
            self.near_tie_in_words().unwrap_or_default(),
            if is_predicted { "By the measured errors of predictions, they are" } else { "They are" },
            self.likelihoods().unwrap_or_default(),
            self.wanted(),
        );
        // Conditions of the move stand before what the move saves.
        let mut text = unsupported(&all);
        if let Some([now, costs]) = self.mean_costs() {
            let what = if is_predicted { "On average a run" } else { "A run" };
            text += &format!(" {what} costs {costs} instead of {now}{}.", self.at_assumed_price(best));
        }
        text += &self.saving_sentence(&all);
        text += &self.why_limit_decides(&all);
        text += &self.over_assumed_price(&all);
        text += &self.effort(&all);
        // Another option: what is above is about the recommended ones.
        text += &self.move_without_trial();
        [recommendation, text.trim_start().to_owned()]
    }
}

/// "93 %", "both 93 %", "all 93 %", "93 % and 91 %".
fn each(likelihoods: &[String]) -> String {
    match likelihoods {
        [only] => only.clone(),
        [first, others @ ..] if others.iter().all(|other| other == first) => {
            format!("{} {first}", if others.len() == 1 { "both" } else { "all" })
        }
        _ => {
            let texts: Vec<&str> = likelihoods.iter().map(String::as_str).collect();
            joined(&texts, " and ")
        }
    }
}
