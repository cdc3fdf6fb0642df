//! The Pareto front of time and cost: the points that no other one dominates.

/// Median time and median cost of a run, seconds and US dollars.
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
fn dominates([time, usd]: Point, [other_time, other_usd]: Point) -> bool {
    time <= other_time && usd <= other_usd && (time < other_time || usd < other_usd)
}
