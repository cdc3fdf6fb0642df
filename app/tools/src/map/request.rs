//! What the Map page computes: a map in rounds, each with more values of both numbers.

use std::time::Instant;

use crossover_page::compute::background::Ticket;
use crossover_page::compute::computed::{IN_FRAME_MS, Work};
use crossover_page::compute::watched::watched;
use crossover_quantity::text::counted;
use crossover_scenario::Study;
use crossover_study::answer;
use crossover_study::sources::set_numbers;
use crossover_tools::batch::is_of_formulas;
use crossover_tools::selected::{EVERY, SelectedFigure};
use crossover_tools::titles::title_at;
use crossover_tools::{Map, Mapped, Range, map};

use super::begin::usual_figure;

/// About how long a map may take in all rounds; a slow study has fewer cells, unless the user chooses their number.
const PATIENCE_SECONDS: f64 = 5.0;
/// Longest time of a cell of a study whose figures are formulas: half a millisecond for 512 × 512 was measured.
const MILLISECONDS_PER_FORMULA: f64 = 1e-5;
/// Values of each number in the first round, however long they take.
const FEWEST_POINTS: usize = 12;

/// What a map depends on.
#[derive(Debug, Clone)]
pub(super) struct MapRequest {
    pub(super) study: Study,
    /// The study with both numbers where the map begins: their present values change nothing in it.
    pub(super) apart: Study,
    pub(super) ranges: [Range; 2],
    pub(super) figure: Option<String>,
    /// Whether the user chose the number of cells; else as many as are computed quickly.
    pub(super) is_exact: bool,
    /// Values of each number that the last window evaluated: as many are evaluated again, however long that takes.
    pub(super) reached: usize,
}

/// A map of one figure, and which figures there are.
#[derive(Debug)]
pub(super) struct Found {
    /// What was requested.
    pub(super) of: MapRequest,
    pub(super) mapped: Mapped,
    pub(super) figures: Vec<SelectedFigure>,
    /// Most values of each number.
    pub(super) points: usize,
    /// How long all of it took so far, and the last round.
    pub(super) seconds: [f64; 2],
}

impl Found {
    /// How many columns and rows it has.
    pub(super) fn cells(&self) -> [usize; 2] {
        [self.mapped.x.values.len(), self.mapped.y.values.len()]
    }
}

impl Work for MapRequest {
    type Outcome = Result<Found, String>;
    const NAME: &'static str = "map";
    const AGAIN: &'static str = "Map";

    fn milliseconds(&self) -> f64 {
        if is_of_formulas(self.study.subject()) {
            return self.pairs() as f64 * MILLISECONDS_PER_FORMULA;
        }
        // How long another study takes is not known in advance; many evaluations exceed a frame, but mostly end soon.
        10.0 * IN_FRAME_MS
    }

    fn in_words(&self) -> String {
        let [x, y] = self.ranges.each_ref().map(|range| title_at(self.study.subject(), &range.path));
        let pairs = self.pairs().min(self.first_points().pow(2));
        format!("Evaluating at {} of {x} and {y}", counted(pairs as f64, "pair"))
    }

    fn compute(&self, before: Option<&Self::Outcome>, ticket: &Ticket) -> Option<Self::Outcome> {
        let before = before.and_then(|found| found.as_ref().ok()).filter(|found| self.is_coarse(found));
        let points = match before {
            Some(before) => 2 * before.points,
            None => self.first_points(),
        };
        let points = points.min(self.most_points());
        let began = Instant::now();
        watched(ticket, self.pairs().min(points * points), |watch| {
            let figures = SelectedFigure::of(&answer(self.study.subject(), watch)?, &[EVERY.to_owned()]);
            let figures = match figures {
                Ok(figures) => figures,
                Err(error) => return Some(Err(error.to_string())),
            };
            let picked = figures.iter().find(|figure| Some(&figure.key) == self.figure.as_ref());
            let Some(figure) = picked.or_else(|| usual_figure(&figures.iter().collect::<Vec<_>>())) else {
                return Some(Err("This scenario has no figures".to_owned()));
            };
            let [mut x, mut y] = self.ranges.clone();
            [x.points, y.points] = [x.points.min(points), y.points.min(points)];
            let found = map(self.study.subject(), &Map { x, y, figures: vec![figure.key.clone()] }, watch);
            let found = found.map_err(|error| error.to_string()).transpose()?;
            let last = began.elapsed().as_secs_f64();
            let seconds = [before.map_or(0.0, |before| before.seconds[0]) + last, last];
            Some(found.map(|mapped| Found { of: self.clone(), mapped, figures, points, seconds }))
        })
    }

    fn is_refinable(&self, outcome: &Self::Outcome) -> bool {
        // Twice as many values of each number take four times as long.
        let is_affordable = |[all, last]: [f64; 2]| self.is_exact || all + 4.0 * last <= PATIENCE_SECONDS;
        let is_wanted = |found: &Found| found.points < self.reached || is_affordable(found.seconds);
        outcome.as_ref().is_ok_and(|found| self.is_coarse(found) && is_wanted(found))
    }
}

impl MapRequest {
    /// Values of the number that has more.
    fn most_points(&self) -> usize {
        let [x, y] = &self.ranges;
        x.points.max(y.points)
    }

    /// Most values of each number in the first round.
    fn first_points(&self) -> usize {
        if is_of_formulas(self.study.subject()) { self.most_points() } else { FEWEST_POINTS }
    }

    /// Whether a map is of this request, with fewer cells.
    fn is_coarse(&self, found: &Found) -> bool {
        let Self { apart, ranges, figure, is_exact, .. } = &found.of;
        found.points < self.most_points() && self.is_of(apart, ranges, figure.as_ref(), *is_exact)
    }

    pub(super) fn is_of(&self, apart: &Study, ranges: &[Range; 2], figure: Option<&String>, is_exact: bool) -> bool {
        self.ranges == *ranges && self.figure.as_ref() == figure && self.is_exact == is_exact && self.apart == *apart
    }

    /// How many pairs of values there are, a cell for each.
    fn pairs(&self) -> usize {
        let [columns, rows] = self.all_cells();
        columns * rows
    }

    /// How many columns and rows there are; of whole numbers perhaps fewer than points.
    pub(super) fn all_cells(&self) -> [usize; 2] {
        let [x, y] = &self.ranges;
        let map = Map { x: x.clone(), y: y.clone(), figures: Vec::new() };
        map.values(self.study.subject()).map_or([x.points, y.points], |[xs, ys]| [xs.len(), ys.len()])
    }
}

/// The study with both numbers where their ranges begin, and without their sources.
pub(super) fn apart(study: &Study, ranges: &[Range; 2]) -> Study {
    let mut apart = study.clone();
    let begins: Vec<(String, f64)> = ranges.iter().map(|range| (range.path.clone(), range.ends[0])).collect();
    set_numbers(apart.subject_mut(), &begins);
    for (path, _) in &begins {
        apart.sources_mut().remove(path);
    }
    apart
}

#[cfg(test)]
mod tests {
    use crossover_study::Watch;

    use super::*;

    /// A first round of a map that took so long that a second one is not quick.
    #[test]
    fn a_map_goes_on_to_the_values_that_the_last_window_evaluated() {
        let scenario = crossover_scenario::read(include_str!("../../../../scenarios/placement-published.ron"));
        let study = scenario.expect("a valid example").study;
        let range = |path: &str, ends| Range { path: path.to_owned(), ends, points: 64, is_logarithmic: true };
        let ranges = [range("cluster.machines", [10.0, 1000.0]), range("gpu.gpu_parallelism", [1.0, 512.0])];
        let few = ranges.clone().map(|range| Range { points: 2, ..range });
        let [x, y] = few;
        let few = Map { x, y, figures: Vec::new() };
        let mapped = Watch::uncancellable(|watch| map(study.subject(), &few, watch));
        let mapped = mapped.expect("a map").expect("not cancelled");
        let request = |reached| MapRequest {
            study: study.clone(),
            apart: apart(&study, &ranges),
            ranges: ranges.clone(),
            figure: None,
            is_exact: false,
            reached,
        };
        let seconds = [2.0 * PATIENCE_SECONDS; 2];
        let found = |points| Ok(Found { of: request(0), mapped: mapped.clone(), figures: Vec::new(), points, seconds });
        for (reached, points, goes_on) in [(0, 12, false), (48, 12, true), (48, 24, true), (48, 48, false)] {
            assert_eq!(request(reached).is_refinable(&found(points)), goes_on, "{points} of {reached}");
        }
    }
}
