//! Prices at which another option is recommended: that of today's machines, and those of the options' machines.
//!
//! A price is changed for all that runs on the same machines: today's engine and the options on today's machines, or the options of
//! one engine whose machines cost the same. Of one recommended option, the price is named from which another one is about as good, and
//! the farther one from which another one alone is recommended. Of several options that are about as good, the prices are named beyond
//! which one of them alone is recommended: a higher and a lower one.

use serde::{Deserialize, Serialize};

use crate::candidate::{Baseline, Candidate};
use crate::decision::{Decision, judge};
use crate::price::{Price, PriceBasis};

/// Largest factor of a price that is looked for, and its inverse the smallest.
const FARTHEST: f64 = 10.0;
/// Steps of the search for the first change, up and down: each is a factor of 1.12.
const STEPS: u32 = 20;
/// Halvings of a step: enough for more digits than are shown.
const HALVINGS: u32 = 24;
/// Relative difference of equal prices.
const ROUNDING: f64 = 1e-9;

/// The machines whose price is changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PricedMachines {
    /// Those of today, and of the options on them.
    Today,
    /// Those of the option at this place, and of the options of its engine on machines of the same price.
    OfOption(usize),
}

/// A price at which the recommendation is another one.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PriceChange {
    /// The machines.
    pub of: PricedMachines,
    /// The price as a factor of the present one.
    pub factor: f64,
    /// The price of all these machines for an hour, US dollars; of several options that of the one that is named.
    pub usd_per_hour: f64,
    /// How many machines that is; 1 if it is not known.
    pub machines: f64,
    /// Place of what is recommended then; `None`: today's engine.
    pub best: Option<usize>,
    /// Place of an option that is about as good then, and recommended beside it.
    pub beside: Option<usize>,
    /// Whether several options are about as good now, and `best`, one of them, is the only one recommended then.
    pub ends_tie: bool,
    /// Where `best` and `beside` are about as good: the farther price from which one option alone is recommended. `None` if no price
    /// within a factor of ten does that.
    pub tie_ends: Option<TieEnd>,
}

/// A price at which a near tie ends: from there on one option alone is recommended, which is not the present one.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct TieEnd {
    /// The price as a factor of the present one.
    pub factor: f64,
    /// The price for an hour, US dollars, of as many machines as [`PriceChange::machines`].
    pub usd_per_hour: f64,
    /// Place of what is recommended then; `None`: today's engine.
    pub best: Option<usize>,
}

/// Decisions at other prices of some machines.
struct AtPrices<'a> {
    decision: &'a Decision,
    of: PricedMachines,
    /// Decisions return what is decided between, so it is copied once.
    candidates: Vec<Candidate>,
}

impl Decision {
    /// The nearest price of each kind of machines within a factor of ten at which the recommendation is another one: today's
    /// machines first, then the options' by the factor. Where several options are recommended, the nearest one above and the nearest one
    /// below, beyond which it is no longer a choice.
    #[must_use]
    pub fn prices_of_a_change(&self) -> Vec<PriceChange> {
        if self.lacks_price || self.lists_front() {
            return Vec::new();
        }
        // Of a rise and a fall at the same distance the rise is named.
        let signs: &[&[f64]] = if self.near_ties.is_empty() { &[&[1.0, -1.0]] } else { &[&[1.0], &[-1.0]] };
        let changes = |of: PricedMachines| signs.iter().filter_map(move |signs| self.price_of_a_change(of, signs));
        let mut of_options: Vec<PriceChange> = self.priced().flat_map(changes).collect();
        of_options.sort_by(|a, b| a.factor.ln().abs().total_cmp(&b.factor.ln().abs()));
        changes(PricedMachines::Today).chain(of_options).collect()
    }

    /// The decision with another price of these machines, as a factor of the present one.
    #[must_use]
    pub fn with_price(&self, of: PricedMachines, factor: f64) -> Self {
        let candidates = self.options.iter().map(|option| option.candidate.clone()).collect();
        let (baseline, candidates) = self.at_price(of, factor, self.baseline.clone(), candidates);
        judge(baseline, candidates, self.objective)
    }

    /// The decisions at half and at twice the price of today's machines, if that is assumed and the recommendation is another one there; `None`
    /// at an end where it is the same.
    pub(crate) fn other_at_ends_of_price_today(&self) -> [Option<Self>; 2] {
        if !self.is_price_assumed() || self.lacks_price || self.lists_front() {
            return [None, None];
        }
        PriceBasis::Assumed.range().map(|factor| {
            let then = self.with_price(PricedMachines::Today, factor);
            (!self.is_still_recommended_in(&then)).then(|| then.with_near_ties())
        })
    }

    /// The first option of each engine and price of its machines that is not on today's.
    fn priced(&self) -> impl Iterator<Item = PricedMachines> + '_ {
        let is_priced = |candidate: &Candidate| {
            candidate.time.is_some() && candidate.price.is_some() && !candidate.is_on_same_machines
        };
        let places = (0..self.options.len()).filter(move |place| is_priced(&self.options[*place].candidate));
        let is_first = move |place: &usize| {
            let own = &self.options[*place].candidate;
            !self.options[..*place].iter().any(|option| has_same_price(&option.candidate, own))
        };
        places.filter(is_first).map(PricedMachines::OfOption)
    }

    /// Whether the price of these machines is that of the candidate at a place.
    fn is_of(&self, of: PricedMachines, place: usize) -> bool {
        let candidate = &self.options[place].candidate;
        match of {
            PricedMachines::Today => candidate.is_on_same_machines,
            PricedMachines::OfOption(other) => {
                !candidate.is_on_same_machines && has_same_price(&self.options[other].candidate, candidate)
            }
        }
    }

    /// What is decided between, with the present prices but for those of these machines.
    fn at_price(
        &self,
        of: PricedMachines,
        factor: f64,
        mut baseline: Baseline,
        mut candidates: Vec<Candidate>,
    ) -> (Baseline, Vec<Candidate>) {
        let of_today = if of == PricedMachines::Today { factor } else { 1.0 };
        set_usd(&mut baseline.price, self.baseline.usd_per_hour(), of_today);
        for (place, candidate) in candidates.iter_mut().enumerate() {
            let factor = if self.is_of(of, place) { factor } else { 1.0 };
            set_usd(&mut candidate.price, self.options[place].candidate.usd_per_hour(), factor);
        }
        (baseline, candidates)
    }

    /// Whether a decision at another price recommends what is recommended now; of a choice of several, whether it is a choice with one of
    /// them still. Options are compared with each other only where this depends on it: that takes most of the time.
    fn is_still_recommended_in(&self, then: &Self) -> bool {
        let has_best_of_now = self.recommends(then.best);
        if self.near_ties.is_empty() {
            has_best_of_now && !then.has_near_tie()
        } else if has_best_of_now {
            then.has_near_tie()
        } else {
            then.find_near_ties().iter().any(|tie| self.recommends(Some(tie.other)))
        }
    }

    /// The nearest price of these machines at which the recommendation is another one: above (1) or below (−1) the present price.
    fn price_of_a_change(&self, of: PricedMachines, signs: &[f64]) -> Option<PriceChange> {
        let mut prices = AtPrices::new(self, of);
        let (sign, exponent) = prices.nearest(signs, 0.0, |then| !self.is_still_recommended_in(then))?;
        let (best, near_ties) = prices.at(sign * exponent, |then| (then.best, then.find_near_ties()));
        let beside = near_ties.first().map(|tie| tie.other);
        let ends_tie = !self.near_ties.is_empty() && beside.is_none() && self.recommends(best);
        let factor = FARTHEST.powf(sign * exponent);
        let tie_ends = if self.best.is_some() && self.near_ties.is_empty() && beside.is_some() {
            let is_another = |then: &Self| then.best != self.best && !then.has_near_tie();
            prices.nearest(&[sign], exponent, is_another).map(|(sign, exponent)| {
                let exponent = sign * exponent;
                (FARTHEST.powf(exponent), prices.at(exponent, |then| then.best))
            })
        } else {
            None
        };
        // Where an option of these machines is recommended before or after, its number of them is named.
        let then = tie_ends.and_then(|(_, best)| best).into_iter().chain(best).chain(beside);
        let named = then.chain(self.recommended()).find(|place| self.is_of(of, *place));
        let (present, machines) = match of {
            PricedMachines::Today => (self.baseline.usd_per_hour()?, Some(self.baseline.machines)),
            PricedMachines::OfOption(place) => {
                let candidate = &self.options[named.unwrap_or(place)].candidate;
                (candidate.usd_per_hour()?, candidate.machines)
            }
        };
        let of = match (of, named) {
            (PricedMachines::OfOption(_), Some(place)) => PricedMachines::OfOption(place),
            _ => of,
        };
        let usd_per_hour = present * factor;
        // What costs nothing has no other price.
        (present > 0.0 && usd_per_hour.is_finite()).then(|| PriceChange {
            of,
            factor,
            usd_per_hour,
            machines: machines.filter(|count| *count > 0.0).unwrap_or(1.0),
            best,
            beside,
            ends_tie,
            tie_ends: tie_ends
                .map(|(factor, best)| TieEnd { factor, usd_per_hour: present * factor, best })
                .filter(|end| end.usd_per_hour.is_finite()),
        })
    }
}

impl<'a> AtPrices<'a> {
    fn new(decision: &'a Decision, of: PricedMachines) -> Self {
        let candidates = decision.options.iter().map(|option| option.candidate.clone()).collect();
        Self { decision, of, candidates }
    }

    /// The nearest power of [`FARTHEST`] beyond this one, above (1) or below (−1) the present price, from which this holds, with its sign.
    fn nearest(&mut self, signs: &[f64], from: f64, holds: impl Fn(&Decision) -> bool) -> Option<(f64, f64)> {
        let step = 1.0 / f64::from(STEPS);
        let mut steps = (1..=STEPS).map(|count| f64::from(count) * step).filter(|far| *far > from);
        let first = steps
            .find_map(|far| signs.iter().copied().find(|sign| self.at(sign * far, &holds)).map(|sign| (sign, far)));
        let (sign, mut found) = first?;
        let mut before = (found - step).max(from);
        for _ in 0..HALVINGS {
            let middle: f64 = f64::midpoint(before, found);
            if self.at(sign * middle, &holds) { found = middle } else { before = middle }
        }
        Some((sign, found))
    }

    /// What this finds in the decision at the present price times this power of [`FARTHEST`], which has no near ties yet.
    fn at<T>(&mut self, exponent: f64, find: impl Fn(&Decision) -> T) -> T {
        let now = self.decision;
        let candidates = std::mem::take(&mut self.candidates);
        let (baseline, candidates) = now.at_price(self.of, FARTHEST.powf(exponent), now.baseline.clone(), candidates);
        let then = judge(baseline, candidates, now.objective);
        let found = find(&then);
        self.candidates = then.options.into_iter().map(|option| option.candidate).collect();
        found
    }
}

/// Sets a price to this multiple of the present one.
fn set_usd(price: &mut Option<Price>, present: Option<f64>, factor: f64) {
    if let Some((price, present)) = price.as_mut().zip(present) {
        price.usd_per_hour = present * factor;
    }
}

/// Whether two candidates are of the same engine, on machines of the same price.
fn has_same_price(one: &Candidate, other: &Candidate) -> bool {
    let of_machine = |candidate: &Candidate| Some(candidate.usd_per_hour()? / candidate.machines.unwrap_or(1.0));
    one.engine == other.engine
        && of_machine(one).zip(of_machine(other)).is_some_and(|(one, other)| is_equal(one, other))
}

fn is_equal(one: f64, other: f64) -> bool {
    one == other || (one / other - 1.0).abs() < ROUNDING
}
