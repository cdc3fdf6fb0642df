//! Finding a free place for each label of a chart.

use super::svg::{Rect, TEXT_SIZE, text_width};

/// What each step down the list of candidates costs, in the unit of [`Labels::cost`].
const PER_LATER_CANDIDATE: f64 = 5.0;

/// Labels placed so far, and the curves they should keep clear of.
pub(super) struct Labels {
    area: Rect,
    taken: Vec<Rect>,
    traces: Vec<[f64; 2]>,
}

impl Labels {
    /// No labels yet; all of them should stay inside `area`.
    pub(super) fn inside(area: Rect) -> Self {
        Self { area, taken: Vec::new(), traces: Vec::new() }
    }

    /// Asks labels to keep clear of a curve.
    pub(super) fn avoid_curve(&mut self, points: &[[f64; 2]]) {
        // Less than the height of a text, so that no curve slips through a label between two points.
        const STEP: f64 = 4.0;
        self.traces.extend(points.first());
        for pair in points.windows(2) {
            let [dx, dy] = [pair[1][0] - pair[0][0], pair[1][1] - pair[0][1]];
            let length = dx.hypot(dy);
            let mut along = STEP;
            while along < length {
                self.traces.push([pair[0][0] + dx * along / length, pair[0][1] + dy * along / length]);
                along += STEP;
            }
            self.traces.push(pair[1]);
        }
    }

    /// Asks labels to keep clear of a marker.
    pub(super) fn avoid_marker(&mut self, [x, y]: [f64; 2], radius: f64) {
        self.taken.push(Rect { left: x - radius, top: y - radius, right: x + radius, bottom: y + radius });
    }

    /// Takes the best of the candidate places, each the left end of the text's middle line; earlier candidates are
    /// preferred. Returns the left end of the baseline.
    pub(super) fn place(&mut self, text: &str, candidates: impl IntoIterator<Item = [f64; 2]>) -> Option<[f64; 2]> {
        self.reserve(text, candidates).map(|place| baseline(&place))
    }

    /// The same, but returns the whole place.
    pub(super) fn reserve(&mut self, text: &str, candidates: impl IntoIterator<Item = [f64; 2]>) -> Option<Rect> {
        let chosen = self.best(boxes(text, candidates))?;
        self.taken.push(chosen);
        Some(chosen)
    }

    /// Takes the best of the candidate places instead of a reserved one, if one is inside the area and hides nothing that was placed.
    /// Returns the left end of the baseline; `None`: the reserved place is kept.
    pub(super) fn replace(
        &mut self,
        reserved: Rect,
        text: &str,
        candidates: impl IntoIterator<Item = [f64; 2]>,
    ) -> Option<[f64; 2]> {
        let at = self.taken.iter().rposition(|taken| *taken == reserved)?;
        self.taken.remove(at);
        let free = boxes(text, candidates).filter(|candidate| self.is_free(candidate));
        let chosen = self.best(free);
        self.taken.push(chosen.unwrap_or(reserved));
        chosen.map(|place| baseline(&place))
    }

    fn is_free(&self, candidate: &Rect) -> bool {
        let size = candidate.width() * candidate.height();
        // Coordinates are rounded.
        overlap(candidate, &self.area) > size - 1e-6 && self.taken.iter().all(|taken| overlap(candidate, taken) <= 0.0)
    }

    fn best(&self, candidates: impl Iterator<Item = Rect>) -> Option<Rect> {
        let mut best: Option<(f64, Rect)> = None;
        for (candidate, later) in candidates.zip(0_u32..) {
            let cost = self.cost(&candidate) + f64::from(later) * PER_LATER_CANDIDATE;
            if best.is_none_or(|(lowest, _)| cost < lowest) {
                best = Some((cost, candidate));
            }
        }
        best.map(|(_, chosen)| chosen)
    }

    /// What a place costs, the lower the better.
    fn cost(&self, candidate: &Rect) -> f64 {
        // A curve under a label is a nuisance, another text under it makes both unreadable.
        const PER_CURVE_POINT: f64 = 6.0;
        const PER_HIDDEN_PIXEL: f64 = 4.0;
        let hidden: f64 = self.taken.iter().map(|taken| overlap(candidate, taken)).sum();
        let outside = candidate.width() * candidate.height() - overlap(candidate, &self.area);
        let crossed: f64 =
            self.traces.iter().filter(|&&point| candidate.contains(point)).map(|_| PER_CURVE_POINT).sum();
        PER_HIDDEN_PIXEL * hidden + crossed + 10.0 * outside
    }
}

/// The left end of the baseline of a text in its place.
pub(super) fn baseline(place: &Rect) -> [f64; 2] {
    [place.left, place.bottom - TEXT_SIZE * 0.25]
}

/// The rectangles of a text at the candidate places.
fn boxes(text: &str, candidates: impl IntoIterator<Item = [f64; 2]>) -> impl Iterator<Item = Rect> {
    let width = text_width(text, TEXT_SIZE);
    candidates.into_iter().map(move |[x, y]| Rect {
        left: x,
        top: y - TEXT_SIZE * 0.6,
        right: x + width,
        bottom: y + TEXT_SIZE * 0.6,
    })
}

fn overlap(one: &Rect, other: &Rect) -> f64 {
    let width = one.right.min(other.right) - one.left.max(other.left);
    let height = one.bottom.min(other.bottom) - one.top.max(other.top);
    width.max(0.0) * height.max(0.0)
}

#[cfg(test)]
mod tests {
    use super::Labels;
    use crate::svg::Rect;

    const AREA: Rect = Rect { left: 0.0, top: 0.0, right: 300.0, bottom: 300.0 };

    #[test]
    fn a_label_goes_to_the_first_free_candidate() {
        let mut labels = Labels::inside(AREA);
        let candidates = [[100.0, 100.0], [100.0, 120.0], [100.0, 140.0]];
        let places: Vec<f64> = (0..3).filter_map(|_| labels.place("join", candidates)).map(|place| place[1]).collect();
        assert!(places[0] < 110.0 && (110.0..130.0).contains(&places[1]) && places[2] > 130.0, "{places:?}");
    }

    #[test]
    fn a_name_replaces_its_number_only_in_a_free_place_inside_of_the_area() {
        let mut labels = Labels::inside(AREA);
        let number = labels.reserve("7", [[100.0, 100.0]]).expect("a place");
        labels.avoid_marker([205.0, 100.0], 5.0);
        assert_eq!(labels.replace(number, "7: join", [[200.0, 100.0], [299.0, 120.0]]), None, "taken and outside");
        assert_eq!(labels.taken.len(), 2, "the number keeps its place");
        let name = labels.replace(number, "7: join", [[200.0, 100.0], [100.0, 100.0]]).expect("that of the number");
        assert!(name[0] < 101.0, "{name:?}");
        assert_eq!(labels.replace(number, "7: join", [[20.0, 20.0]]), None, "it is no longer reserved");
    }

    #[test]
    fn a_label_keeps_clear_of_curves_and_edges() {
        let mut labels = Labels::inside(AREA);
        labels.avoid_curve(&[[0.0, 100.0], [300.0, 100.0]]);
        let place = labels.place("join", [[100.0, 100.0], [295.0, 150.0], [100.0, 200.0]]);
        assert!(place.is_some_and(|[x, y]| x < 101.0 && y > 195.0), "{place:?}");
        assert_eq!(labels.place("join", []), None);
    }
}
