//! Curves over the periods of a run, with no more points than a picture can show.

use crossover_regulation::{Step, StrategyRun};

/// Columns that a curve is thinned to; each keeps its first, smallest, largest and last value.
const COLUMNS: usize = 500;
/// Columns with at most one mark each, so that marks do not overlap.
const MARKS: usize = 70;

/// The periods of a run that are shown.
#[derive(Debug, Clone, Copy)]
pub(super) struct Window {
    /// How many, from the first on.
    pub(super) periods: usize,
    /// Length of a period, seconds.
    pub(super) seconds: f64,
    /// A period of which every curve keeps its exact value.
    pub(super) cursor: Option<usize>,
}

impl Window {
    /// The curve of a value by period, thinned so that peaks stay.
    pub(super) fn curve(self, value: impl Fn(usize) -> f64) -> Vec<[f64; 2]> {
        let same = |a: usize, b: usize| value(a).to_bits() == value(b).to_bits();
        let kept = without_repeats(&self.thinned(&value), same).into_iter();
        kept.map(|period| [self.at(period), value(period)]).collect()
    }

    /// The curve of a value that holds for a whole period, the last one included.
    pub(super) fn steps(self, value: impl Fn(usize) -> f64) -> Vec<[f64; 2]> {
        let mut points = self.curve(value);
        if let Some([_, last]) = points.last().copied() {
            points.push([self.at(self.periods), last]);
        }
        points
    }

    /// The band between two values by period.
    pub(super) fn band(self, ends: impl Fn(usize) -> [f64; 2]) -> Vec<[f64; 3]> {
        let point = |period: usize| {
            let [low, high] = ends(period);
            [self.at(period), low, high]
        };
        let same = |a: usize, b: usize| ends(a) == ends(b);
        without_repeats(&self.thinned(&|period| ends(period)[1]), same).into_iter().map(point).collect()
    }

    /// Marks on a curve at the selected periods, thinned so that they do not overlap.
    pub(super) fn marks(self, is_selected: impl Fn(usize) -> bool, value: impl Fn(usize) -> f64) -> Vec<[f64; 2]> {
        let apart = self.periods.div_ceil(MARKS).max(1);
        let mut free_from = 0;
        let mut marks = Vec::new();
        for period in (0..self.periods).filter(|period| is_selected(*period)) {
            if period >= free_from {
                marks.push([self.at(period), value(period)]);
                free_from = period + apart;
            }
        }
        marks
    }

    /// When a period begins, seconds.
    pub(super) fn at(self, period: usize) -> f64 {
        period as f64 * self.seconds
    }

    /// Periods enough for a picture of a value.
    fn thinned(self, value: &impl Fn(usize) -> f64) -> Vec<usize> {
        if self.periods <= 4 * COLUMNS {
            (0..self.periods).collect()
        } else {
            let width = self.periods.div_ceil(COLUMNS);
            let mut kept: Vec<usize> = (0..self.periods)
                .step_by(width)
                .flat_map(|from| column(from, (from + width).min(self.periods), value))
                .collect();
            kept.extend(self.cursor.filter(|cursor| *cursor < self.periods));
            kept.sort_unstable();
            kept.dedup();
            kept
        }
    }
}

/// First, smallest, largest and last value of a column.
fn column(from: usize, to: usize, value: &impl Fn(usize) -> f64) -> [usize; 4] {
    let by_value = |a: &usize, b: &usize| value(*a).total_cmp(&value(*b));
    let smallest = (from..to).min_by(by_value).unwrap_or(from);
    let largest = (from..to).max_by(by_value).unwrap_or(from);
    [from, smallest, largest, to - 1]
}

/// Removes periods between two neighbours of the same value.
fn without_repeats(periods: &[usize], same: impl Fn(usize, usize) -> bool) -> Vec<usize> {
    let is_needed = |index: &usize| {
        let (before, after) = (index.checked_sub(1).map(|before| periods[before]), periods.get(index + 1));
        match (before, after) {
            (Some(before), Some(after)) => !(same(before, periods[*index]) && same(*after, periods[*index])),
            _ => true,
        }
    };
    (0..periods.len()).filter(is_needed).map(|index| periods[index]).collect()
}

/// The steps of a run by period and cluster.
#[derive(Clone, Copy)]
pub(super) struct Steps<'a> {
    pub(super) run: &'a StrategyRun,
    pub(super) clusters: usize,
}

impl<'a> Steps<'a> {
    /// The step of a cluster in a period.
    pub(super) fn of(self, period: usize, cluster: usize) -> &'a Step {
        &self.run.steps[period * self.clusters + cluster]
    }

    /// The steps of all clusters in a period.
    pub(super) fn all(self, period: usize) -> &'a [Step] {
        &self.run.steps[period * self.clusters..(period + 1) * self.clusters]
    }

    /// A number of all clusters together in a period.
    pub(super) fn sum(self, period: usize, value: impl Fn(&Step) -> f64) -> f64 {
        self.all(period).iter().map(value).sum()
    }

    /// Number of periods.
    pub(super) fn periods(self) -> usize {
        self.run.steps.len() / self.clusters.max(1)
    }

    /// First period after which no action occurs and demand is constant.
    pub(super) fn settled_from(self) -> usize {
        let Some(last) = self.periods().checked_sub(1) else { return 0 };
        let is_changed = |period: &usize| {
            let steps = self.all(*period);
            let demand = |step: &Step| step.demand.to_bits() != self.of(last, step.cluster).demand.to_bits();
            steps.iter().any(|step| step.action.is_any() || demand(step))
        };
        (0..=last).rev().find(is_changed).map_or(0, |period| period + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::Window;

    fn window(periods: usize, cursor: Option<usize>) -> Window {
        Window { periods, seconds: 2.0, cursor }
    }

    #[test]
    fn a_long_curve_keeps_its_peaks_in_few_points() {
        let value = |period: usize| if period == 70_001 { 9.0 } else { f64::from(u8::from(period.is_multiple_of(2))) };
        let points = window(100_000, None).curve(value);
        assert!(points.len() <= 2000, "{}", points.len());
        assert!(points.contains(&[140_002.0, 9.0]));
        assert_eq!(points.first(), Some(&[0.0, 1.0]));
        assert_eq!(points.last(), Some(&[199_998.0, 0.0]));
        assert!(points.windows(2).all(|pair| pair[0][0] < pair[1][0]));
    }

    #[test]
    fn the_period_of_the_cursor_keeps_its_value() {
        let value = |period: usize| (period % 7) as f64;
        assert!(window(100_000, Some(12_345)).curve(value).contains(&[24_690.0, 4.0]));
    }

    #[test]
    fn a_level_stretch_needs_only_its_ends() {
        let value = |period: usize| if period < 300 { 1.0 } else { 2.0 };
        assert_eq!(window(600, None).curve(value), [[0.0, 1.0], [598.0, 1.0], [600.0, 2.0], [1198.0, 2.0]]);
        assert_eq!(window(600, None).steps(value).last(), Some(&[1200.0, 2.0]));
    }

    #[test]
    fn marks_stand_apart() {
        let marks = window(700, None).marks(|period| period >= 100, |_| 0.0);
        assert_eq!(marks.len(), 60);
        assert_eq!((marks[0], marks[1]), ([200.0, 0.0], [220.0, 0.0]));
    }
}
