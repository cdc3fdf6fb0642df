//! The Pareto front of time and cost: today's engine and the options that no other one dominates.

use crate::candidate::Baseline;
use crate::decision::{Cost, Decision, DecisionOption};

/// Median time and median cost of a run, seconds and US dollars.
type Point = [f64; 2];

/// Today's engine and the options with a time and a cost.
struct Points {
    /// Today's engine and the options that nothing blocks.
    judged: Vec<Point>,
    /// The options that something blocks: whether they are as fast and as cheap as predicted is not known.
    blocked: Vec<Point>,
}

impl Points {
    fn of(options: &[DecisionOption], baseline: &Baseline) -> Self {
        let (blocked, judged): (Vec<&DecisionOption>, Vec<&DecisionOption>) =
            options.iter().partition(|option| is_blocked(option));
        let points = |options: Vec<&DecisionOption>| options.into_iter().filter_map(of_option).collect::<Vec<Point>>();
        let mut judged = points(judged);
        judged.extend(of_today(baseline));
        Self { judged, blocked: points(blocked) }
    }

    /// Whether a point is on the front; `None` if only a blocked option dominates it.
    fn front(&self, own: Point) -> Option<bool> {
        let is_dominated = |points: &[Point]| points.iter().any(|other| dominates(*other, own));
        match (is_dominated(&self.judged), is_dominated(&self.blocked)) {
            (true, _) => Some(false),
            (false, true) => None,
            (false, false) => Some(true),
        }
    }
}

fn is_blocked(option: &DecisionOption) -> bool {
    option.candidate.blocked_by.is_some()
}

fn of_option(option: &DecisionOption) -> Option<Point> {
    Some([option.candidate.time?.value(), option.usd?.value])
}

fn of_today(baseline: &Baseline) -> Option<Point> {
    let usd_per_hour = baseline.usd_per_hour()?;
    Some([baseline.time.value(), Cost::new(&baseline.time, usd_per_hour).value])
}

/// Whether a point is at least as fast and as cheap as another one, and faster or cheaper.
fn dominates([time, usd]: Point, [other_time, other_usd]: Point) -> bool {
    time <= other_time && usd <= other_usd && (time < other_time || usd < other_usd)
}

/// Marks the options on the front, today's engine included.
pub(crate) fn mark_efficient(options: &mut [DecisionOption], baseline: &Baseline) {
    let points = Points::of(options, baseline);
    for option in options {
        let own = if is_blocked(option) { None } else { of_option(option) };
        option.is_efficient = own.and_then(|own| points.front(own));
    }
}

impl Decision {
    /// Whether today's engine is on the Pareto front of time and cost; `None` without its price, or if only an option that cannot be
    /// judged is predicted to be as fast and as cheap, and faster or cheaper.
    #[must_use]
    pub fn is_today_efficient(&self) -> Option<bool> {
        Points::of(&self.options, &self.baseline).front(of_today(&self.baseline)?)
    }
}
