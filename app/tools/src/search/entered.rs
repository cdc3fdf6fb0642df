//! What is entered in the form of a search: kept in a document, proposed by another page, and read as a search.

use crossover_page::offer::Offer;
use crossover_quantity::quantity::Quantity;
use crossover_quantity::unit::Unit;
use crossover_scenario::Study;
use crossover_scenario::views::{ConstraintView, Goal, Limit, ObjectiveView, SearchView};
use crossover_study::{FigureValue, number_at};
use crossover_tools::search::{BUDGET, Bound, Choice, Constraint, MOST_POINTS, Objective, POINTS, Shared};
use crossover_tools::{Range, Search};

use super::super::kept;
use super::super::pick;
use super::super::usual_range;
use super::Proposal;

/// How far the range of a free parameter reaches beyond the present value, each way, and is widened.
const NEARBY: f64 = 4.0;

/// What the form offers for a study.
pub(super) struct Around<'a> {
    pub(super) study: &'a Study,
    pub(super) figures: &'a [FigureValue],
    /// Hardware of the catalogue that the study can use.
    pub(super) offers: &'a [Offer],
    /// Numbers that are parts of a total under strong scaling.
    pub(super) shared: &'a [Shared],
}

/// What the form keeps between frames.
#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) free: Vec<Range>,
    /// Lists to choose from, by their names.
    pub(super) lists: Vec<String>,
    pub(super) constraints: Vec<Entered>,
    pub(super) objectives: Vec<Objective>,
    pub(super) filter: String,
    /// Whether weak scaling holds, instead of strong scaling.
    pub(super) weak_scaling: bool,
    /// Required likelihood of meeting every constraint, as typed.
    pub(super) share: String,
    /// Uncertainty of numbers without a distribution, as typed.
    pub(super) spread_all: String,
}

/// Required likelihood, and uncertainty of numbers without a distribution.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct RequiredLikelihood {
    /// Required likelihood of meeting every constraint.
    pub(super) share: Option<f64>,
    /// Uncertainty of numbers without a distribution, as a share of their values.
    pub(super) spread_all: Option<f64>,
}

/// A constraint as typed.
#[derive(Debug)]
pub(super) struct Entered {
    pub(super) key: String,
    pub(super) side: Bound,
    pub(super) value: String,
}

impl State {
    /// The form as a document keeps it.
    pub(super) fn kept(view: &SearchView, study: &Study) -> Self {
        let constraint = |of: &ConstraintView| Entered {
            key: of.figure.clone(),
            side: match of.side {
                Limit::AtMost => Bound::AtMost,
                Limit::AtLeast => Bound::AtLeast,
            },
            value: of.value.clone(),
        };
        let objective =
            |of: &ObjectiveView| Objective { key: of.figure.clone(), is_minimised: of.goal == Goal::Minimise };
        Self {
            free: view.free.iter().map(|range| kept::range(range, study)).collect(),
            lists: view.lists.clone(),
            constraints: view.constraints.iter().map(constraint).collect(),
            objectives: view.objectives.iter().map(objective).collect(),
            filter: String::new(),
            weak_scaling: view.weak_scaling,
            share: view.likelihood.clone(),
            spread_all: view.spread_all.clone(),
        }
    }

    /// What a document keeps of it.
    pub(super) fn view(&self) -> SearchView {
        let constraint = |of: &Entered| ConstraintView {
            figure: of.key.clone(),
            side: match of.side {
                Bound::AtMost => Limit::AtMost,
                Bound::AtLeast => Limit::AtLeast,
            },
            value: of.value.clone(),
        };
        let objective = |of: &Objective| ObjectiveView {
            figure: of.key.clone(),
            goal: if of.is_minimised { Goal::Minimise } else { Goal::Maximise },
        };
        SearchView {
            free: self.free.iter().map(kept::view_of).collect(),
            lists: self.lists.clone(),
            constraints: self.constraints.iter().map(constraint).collect(),
            objectives: self.objectives.iter().map(objective).collect(),
            weak_scaling: self.weak_scaling,
            likelihood: self.share.clone(),
            spread_all: self.spread_all.clone(),
        }
    }

    /// The same form with the filter of another one.
    pub(super) fn filtered_as(self, other: Self) -> Self {
        Self { filter: other.filter, ..self }
    }

    /// Without an objective, it is the cost, or the first figure that has a better end.
    pub(super) fn begin(&mut self, figures: &[FigureValue]) {
        if self.objectives.is_empty() {
            let cost = figures.iter().find(|one| one.figure.key == crossover_study::bill::RUN_COST.key);
            self.objectives.extend(cost.or(figures.first()).and_then(Objective::usual));
        }
    }

    /// The form of a proposed search; numbers that the study lacks are left out.
    pub(super) fn proposed(proposal: &Proposal, study: &Study) -> Self {
        let free = proposal.free.iter().filter_map(|(path, ends)| {
            let (quantity, Some(now)) = number_at(study.subject(), path)? else { return None };
            Some(Range { ends: *ends, ..around(path.clone(), quantity, now) })
        });
        let constraint = |(key, side, value): &(String, Bound, String)| Entered {
            key: key.clone(),
            side: *side,
            value: value.clone(),
        };
        Self {
            free: free.collect(),
            lists: proposal.lists.clone(),
            constraints: proposal.constraints.iter().map(constraint).collect(),
            objectives: proposal.objectives.clone(),
            ..Self::default()
        }
    }

    /// The search; else what to enter next.
    pub(super) fn search(&self, around: &Around<'_>) -> Result<Search, String> {
        let Around { study, figures, offers, shared } = around;
        let shared = if self.weak_scaling { Vec::new() } else { shared.to_vec() };
        let free: Vec<Range> =
            self.free.iter().filter(|range| pick::has_number(study, &range.path)).cloned().map(ascending).collect();
        let chosen = offers.iter().filter(|offer| self.lists.contains(&offer.choice.name));
        let choices: Vec<Choice> = chosen.map(|offer| offer.choice.clone()).collect();
        if free.is_empty() && choices.is_empty() {
            return Err("Choose free parameters on the left: a number, or a list of the catalogue.".to_owned());
        }
        let has = |key: &str| figures.iter().any(|one| one.key() == key);
        let mut constraints = Vec::new();
        for constraint in
            self.constraints.iter().filter(|constraint| has(&constraint.key) && !constraint.value.trim().is_empty())
        {
            let figure = figures.iter().find(|one| one.key() == constraint.key).map(|one| one.figure);
            let Some(figure) = figure else { continue };
            let value = figure.unit.parse_typed(&constraint.value);
            let value = value.map_err(|error| format!("{}: {error}", figure.label))?;
            constraints.push(Constraint { key: constraint.key.clone(), side: constraint.side, value });
        }
        let objectives: Vec<Objective> =
            self.objectives.iter().filter(|objective| has(&objective.key)).cloned().collect();
        if objectives.is_empty() {
            return Err("Choose an objective on the left: a figure to minimise or maximise.".to_owned());
        }
        Ok(Search { free, choices, shared, constraints, objectives, seed: 1, budget: BUDGET })
    }

    /// Moves the ends of the range of a free number further apart, as far as the number may be.
    pub(super) fn widen(&mut self, path: &str, quantity: &Quantity) {
        let Some(range) = self.free.iter_mut().find(|range| range.path == path) else { return };
        let [from, to] = range.ends;
        let ends = if from > 0.0 {
            [from / NEARBY, to * NEARBY]
        } else {
            let reach = (to - from).abs();
            [from - reach, to + reach]
        };
        let ends = if is_counted(quantity, ends[0]) { ends.map(f64::floor) } else { ends };
        range.ends = ends.map(|end| end.clamp(quantity.min, quantity.max));
        range.is_logarithmic &= range.ends.iter().all(|end| *end > 0.0);
    }

    /// The required likelihood; else what is wrong with the typed text.
    pub(super) fn required(&self) -> Result<RequiredLikelihood, String> {
        let share = |text: &str, most: f64, what: &str| match text.trim() {
            "" => Ok(None),
            text => match Unit::Share.parse_typed(text) {
                Ok(share) if share > 0.0 && share <= most => Ok(Some(share)),
                Ok(share) => Err(format!(
                    "{what}: expected a share above 0 % and at most {}, found {}",
                    Unit::Share.format(most),
                    Unit::Share.format(share)
                )),
                Err(error) => Err(format!("{what}: {error}")),
            },
        };
        let typed = if self.constraints.is_empty() { "" } else { &self.share };
        Ok(RequiredLikelihood {
            share: share(typed, 1.0, "likelihood")?,
            spread_all: share(&self.spread_all, 0.99, "other numbers")?,
        })
    }
}

/// A range whose ends are in order.
fn ascending(mut range: Range) -> Range {
    range.ends.sort_by(f64::total_cmp);
    range
}

/// A free parameter with the range around its value.
pub(super) fn around(path: String, quantity: &Quantity, value: f64) -> Range {
    let (ends, is_logarithmic) = nearby(quantity, value);
    // As close to each other however far the ends are apart.
    let decades = if is_logarithmic { (ends[1] / ends[0]).log(NEARBY * NEARBY).ceil().max(1.0) } else { 1.0 };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "1 … 10,000")]
    let points = POINTS * decades.min((MOST_POINTS / POINTS) as f64) as usize;
    Range { path, ends, points, is_logarithmic }
}

/// Whether a range that begins here has whole ends: that of a count, unless it begins with a part of one.
fn is_counted(quantity: &Quantity, least: f64) -> bool {
    quantity.whole || quantity.unit == Unit::Count && least >= 1.0
}

/// From a quarter to four times the value, which can be bought; of counts from one, as one machine may be enough.
fn nearby(quantity: &Quantity, value: f64) -> ([f64; 2], bool) {
    if value > 0.0 {
        let least = if quantity.whole { 1.0 } else { value / NEARBY };
        let ends = [least.max(quantity.min), (value * NEARBY).min(quantity.max)];
        let ends = if is_counted(quantity, ends[0]) { ends.map(f64::floor) } else { ends };
        if ends[0] < ends[1] {
            return (ends, quantity.is_wide());
        }
    }
    usual_range::around(quantity, value)
}
