//! The Pareto front as the goal: its options with time and cost, without a choice between them.

use crossover_quantity::text::{between, counted};

use crate::decision::pareto::{dominates, is_listed, point, point_today};
use crate::decision::{Decision, DecisionOption};
use crate::objective::Goal;
use crate::verdict::Verdict;
use crate::words::{dollars, likely, unsupported};

impl Decision {
    /// Whether the goal is the Pareto front, so that no option is preferred; where a price is missing, time decides instead.
    #[must_use]
    pub fn lists_front(&self) -> bool {
        self.objective.goal == Goal::ParetoFront && !self.lacks_price
    }

    /// "3 options on the Pareto front"; `None` for other goals, and if no option can be judged.
    #[must_use]
    pub fn front_title(&self) -> Option<String> {
        let has_front = self.verdict != Verdict::CannotJudge && !self.front.is_empty();
        has_front.then(|| format!("{} on the Pareto front", counted(self.front.len() as f64, "option")))
    }

    /// The least and the largest time of a run of the options on the front, and the same of its cost: "830 ms … 10 s" and "$0.00023 …
    /// $0.0016". `None` for other goals.
    #[must_use]
    pub fn front_ranges(&self) -> Option<[String; 2]> {
        let points: Option<Vec<[f64; 2]>> = self.front.iter().map(|place| self.point_of(*place)).collect();
        let points = points.filter(|points| !points.is_empty())?;
        let range = |axis: usize| {
            let values = points.iter().map(|point| point[axis]);
            values.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], value| [low.min(value), high.max(value)])
        };
        Some([between(range(0).map(|seconds| self.predicted_seconds(seconds))), between(range(1).map(dollars))])
    }

    /// Places of the options that the user chooses between: the recommended ones, or those on the Pareto front if that is the goal.
    #[must_use]
    pub fn choices(&self) -> Vec<usize> {
        if self.lists_front() { self.front.iter().copied().flatten().collect() } else { self.recommended().collect() }
    }

    /// "3 options on the Pareto front, the fastest first: …", and whether one of them is cheaper and not slower than today; `None` for
    /// other goals, and if no option can be judged.
    pub(crate) fn front_in_words(&self) -> Option<[String; 2]> {
        let title = self.front_title()?;
        let order = if self.front.len() > 1 { ", the fastest first" } else { "" };
        let options: Vec<String> = self.front.iter().map(|place| self.in_front(*place)).collect();
        Some([format!("{title}{order}: {}.", options.join("; ")), self.front_against_today()])
    }

    /// "Gluten (Velox), same machines (4.2 s, $0.00023 a run)".
    fn in_front(&self, place: Option<usize>) -> String {
        let usd = self.point_of(place).map(|[_, usd]| format!(", {} a run", dollars(usd))).unwrap_or_default();
        match place {
            None => format!("today’s {} ({}{usd})", self.baseline.title, self.today()),
            Some(place) => {
                let candidate = &self.options[place].candidate;
                let time = candidate.time.map(|time| self.predicted_seconds(time.value())).unwrap_or_default();
                format!("{} ({time}{usd})", self.in_sentence(candidate).0)
            }
        }
    }

    fn front_against_today(&self) -> String {
        let on_front: Vec<&DecisionOption> =
            self.front.iter().copied().flatten().map(|place| &self.options[place]).collect();
        let saving = |option: &DecisionOption| option.saving.unwrap_or(f64::NEG_INFINITY);
        let of_verdict = on_front.iter().copied().filter(|option| self.verdict_on(option) == self.verdict);
        let best = of_verdict.max_by(|a, b| saving(a).total_cmp(&saving(b)));
        match (self.verdict, best) {
            (Verdict::Move | Verdict::Try, Some(option)) => {
                let next = if self.verdict == Verdict::Move { "" } else { " Run a trial of it before a move." };
                format!(
                    "{} is {} likely to be {} than today{}.{next}{}{}",
                    self.in_sentence(&option.candidate).0,
                    likely(option.better.unwrap_or(0.0)),
                    self.wanted(),
                    self.depends_on_price(option),
                    unsupported(&[option]),
                    self.over_assumed_price(&[option])
                )
            }
            _ if on_front.is_empty() => "No other option is predicted to be faster or cheaper.".to_owned(),
            _ => {
                let likeliest = self.likeliest_of(is_listed);
                let likeliest = likeliest.map(|place| &self.options[place]).map(|option| {
                    let name = self.in_sentence(&option.candidate).0;
                    let why = self.why_too_little(option).map(|why| format!("; {why}")).unwrap_or_default();
                    format!(" The likeliest is {name}: {}{why}.", likely(option.better.unwrap_or(0.0)))
                });
                format!(
                    "Goal: {} than today. No option on the front is worth a trial.{}",
                    self.wanted(),
                    likeliest.unwrap_or_default()
                )
            }
        }
    }

    /// Why an option that can be judged is on the Pareto front or not.
    pub(crate) fn why_of_front(&self, option: &DecisionOption) -> String {
        match option.is_efficient {
            Some(true) | None => {
                let of = if option.is_efficient.is_none() { " of judged options" } else { "" };
                let better = likely(option.better.unwrap_or(0.0));
                format!("on the Pareto front{of}; {better} likely to be {} than today", self.wanted())
            }
            Some(false) => {
                let own = point(option, self.time_digits());
                let is_better = |place: &&Option<usize>| {
                    self.point_of(**place).zip(own).is_some_and(|(point, own)| dominates(point, own))
                };
                let by = self.front.iter().find(is_better).copied().flatten();
                let by = by.map_or(self.baseline.title.as_str(), |place| self.options[place].candidate.title.as_str());
                format!("dominated by {by}")
            }
        }
    }

    /// Median time and median cost of a run of an option, or of today's engine.
    fn point_of(&self, place: Option<usize>) -> Option<[f64; 2]> {
        match place {
            None => point_today(&self.baseline),
            Some(place) => point(&self.options[place], self.time_digits()),
        }
    }
}
