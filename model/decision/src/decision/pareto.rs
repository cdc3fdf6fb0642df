//! The Pareto front of time and cost: the points that no other one dominates.

use crossover_quantity::unit::predicted;

use super::{Cost, Decision, DecisionOption, is_judged};
use crate::candidate::Baseline;
use crate::time_digits::TimeDigits;
use crate::verdict::Verdict;

/// Median time and median cost of a run, seconds and US dollars. Those of an option have the digits with which they are shown, so that no option
/// dominates another one by digits that a prediction does not have.
pub(crate) type Point = [f64; 2];

/// Points of which a front is made.
#[derive(Debug, Default)]
pub(crate) struct Points {
    /// Those of today's engine and of the options that nothing blocks.
    pub(crate) judged: Vec<Point>,
    /// Those of the options that something blocks: whether they are as fast and as cheap as predicted is not known.
    pub(crate) blocked: Vec<Point>,
}

impl Points {
    /// Today's engine and the options that have a time and a cost.
    pub(crate) fn of(options: &[DecisionOption], baseline: &Baseline, digits: TimeDigits) -> Self {
        let mut points = Self::default();
        for option in options {
            let of = if option.candidate.blocked_by.is_some() { &mut points.blocked } else { &mut points.judged };
            of.extend(point(option, digits));
        }
        points.judged.extend(point_today(baseline));
        points
    }

    /// Whether a point is on the front; `None` if only a blocked option dominates it.
    pub(crate) fn front(&self, own: Point) -> Option<bool> {
        let is_dominated = |points: &[Point]| points.iter().any(|other| dominates(*other, own));
        match (is_dominated(&self.judged), is_dominated(&self.blocked)) {
            (true, _) => Some(false),
            (false, true) => None,
            (false, false) => Some(true),
        }
    }
}

/// Whether a point is at least as fast and as cheap as another one, and faster or cheaper.
pub(crate) fn dominates([time, usd]: Point, [other_time, other_usd]: Point) -> bool {
    time <= other_time && usd <= other_usd && (time < other_time || usd < other_usd)
}

/// The point of an option that has a time and a cost.
pub(crate) fn point(option: &DecisionOption, digits: TimeDigits) -> Option<Point> {
    Some([digits.rounded(option.candidate.time?.value()), predicted(option.usd?.value)])
}

/// That of today's engine; `None` without its price.
pub(crate) fn point_today(baseline: &Baseline) -> Option<Point> {
    let usd_per_hour = baseline.usd_per_hour()?;
    Some([baseline.time.value(), Cost::new(&baseline.time, usd_per_hour).value])
}

/// Marks the options on the Pareto front of time and cost, today's engine included.
pub(crate) fn mark_efficient(options: &mut [DecisionOption], baseline: &Baseline, digits: TimeDigits) {
    let points = Points::of(options, baseline, digits);
    for option in options {
        let own = if option.candidate.blocked_by.is_some() { None } else { point(option, digits) };
        option.is_efficient = own.and_then(|own| points.front(own));
    }
}

/// Whether an option can be chosen, and no other one that can be chosen dominates it.
pub(crate) fn is_listed(option: &DecisionOption) -> bool {
    let has_point = option.candidate.time.is_some() && option.usd.is_some();
    option.candidate.blocked_by.is_none() && has_point && option.is_efficient != Some(false)
}

/// Places of the options on the Pareto front of those that can be chosen, the fastest first; `None`: today's engine.
pub(crate) fn front(options: &[DecisionOption], baseline: &Baseline, digits: TimeDigits) -> Vec<Option<usize>> {
    let today = point_today(baseline).filter(|own| Points::of(options, baseline, digits).front(*own) != Some(false));
    let efficient = options.iter().enumerate().filter(|(_, option)| is_listed(option));
    let of_options = efficient.filter_map(|(place, option)| Some((Some(place), point(option, digits)?)));
    let mut front: Vec<(Option<usize>, Point)> = of_options.chain(today.map(|today| (None, today))).collect();
    front.sort_by(|(_, [a, _]), (_, [b, _])| a.total_cmp(b));
    front.into_iter().map(|(place, _)| place).collect()
}

impl Decision {
    /// The verdict on the Pareto front: to move, if one of its options is better than today without a trial; else to try, if one of them is
    /// worth it.
    pub(super) fn verdict_of_front(&self) -> Verdict {
        let mut judged = self.options.iter().filter(|option| is_judged(&option.candidate)).peekable();
        if judged.peek().is_none() {
            return Verdict::CannotJudge;
        }
        let on_front = judged.filter(|option| is_listed(option));
        on_front.map(|option| self.verdict_on(option)).min().unwrap_or(Verdict::Stay)
    }
}
