//! Places for the names of points in the window: near the point, on no other text or mark, with lines to them that cross none.

use egui::{Pos2, Rect, Vec2, vec2};

/// Tops of the places for a name, from its point, in points; the nearest free one is taken.
const ROWS: [f32; 8] = [-18.0, 4.0, -36.0, 22.0, -54.0, 40.0, -72.0, 58.0];
/// So many of them are for a point without a mark of its own.
const FEW_ROWS: usize = 5;
/// Distance of a name beside its point, in points.
const BESIDE: f32 = 8.0;
/// A name that is further from its point has a line to it, in points.
const FAR: f32 = 16.0;

/// The names of a chart that have a place, and what others keep off.
pub(super) struct Names {
    frame: Rect,
    texts: Vec<Rect>,
    lines: Vec<Rect>,
    leaders: Vec<[Pos2; 2]>,
}

/// The place of a name, and the line from its point if it is far from it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Place {
    pub(super) rect: Rect,
    pub(super) leader: Option<[Pos2; 2]>,
}

impl Place {
    fn new(at: Pos2, rect: Rect) -> Self {
        let nearest = rect.clamp(at);
        Self { rect, leader: (nearest.distance(at) > FAR).then_some([at, nearest]) }
    }
}

impl Names {
    /// No names yet. `texts` are marks and texts: neither a name nor the line to one may touch them. `lines` are lines that a name must
    /// not cover, and a line to a name may cross.
    pub(super) fn new(frame: Rect, texts: Vec<Rect>, lines: Vec<Rect>) -> Self {
        Self { frame, texts, lines, leaders: Vec::new() }
    }

    /// Takes the nearest free place for a name of this size; `None` if there is none.
    pub(super) fn place(&mut self, at: Pos2, size: Vec2, is_marked: bool) -> Option<Place> {
        let place = candidates(at, size, is_marked).find(|place| self.is_free(at, place))?;
        self.take(place);
        Some(place)
    }

    /// Takes the place inside the frame where a name hides least; `None` if it does not fit into the frame.
    pub(super) fn place_over(&mut self, at: Pos2, size: Vec2, is_marked: bool) -> Option<Place> {
        let inside = candidates(at, size, is_marked).filter(|place| self.frame.contains_rect(place.rect));
        let hidden = |place: &Place| -> f32 { self.texts.iter().map(|text| overlap(*text, place.rect)).sum() };
        let place = inside.min_by(|one, other| hidden(one).total_cmp(&hidden(other)))?;
        self.take(place);
        Some(place)
    }

    /// Takes a place for the number of a row: a free one, else the one where the number hides least. `None` if it does not fit into the
    /// frame.
    pub(super) fn place_number(&mut self, at: Pos2, size: Vec2, is_marked: bool) -> Option<Place> {
        self.place(at, size, is_marked).or_else(|| self.place_over(at, size, is_marked))
    }

    /// Gives a place back.
    pub(super) fn release(&mut self, place: &Place) {
        if let Some(at) = self.texts.iter().rposition(|text| *text == place.rect) {
            self.texts.remove(at);
        }
        if let Some(at) = self.leaders.iter().rposition(|leader| Some(*leader) == place.leader) {
            self.leaders.remove(at);
        }
    }

    /// Takes this place.
    pub(super) fn take(&mut self, place: Place) {
        self.texts.push(place.rect);
        self.leaders.extend(place.leader);
    }

    fn is_free(&self, at: Pos2, place: &Place) -> bool {
        let is_clear = |leader: [Pos2; 2]| {
            // It begins in the mark of its own point.
            let mut others = self.texts.iter().filter(|text| !text.contains(at));
            !others.any(|text| crosses(leader, *text)) && !self.leaders.iter().any(|other| meet(leader, *other))
        };
        self.frame.contains_rect(place.rect)
            && !self.texts.iter().chain(&self.lines).any(|taken| taken.intersects(place.rect))
            && !self.leaders.iter().any(|leader| crosses(*leader, place.rect))
            && place.leader.is_none_or(is_clear)
    }
}

/// Places right of a point, left of it, and in its middle, in the nearest row first.
fn candidates(at: Pos2, size: Vec2, is_marked: bool) -> impl Iterator<Item = Place> {
    let rows = ROWS.into_iter().take(if is_marked { ROWS.len() } else { FEW_ROWS });
    let places = rows.flat_map(move |y| [BESIDE, -BESIDE - size.x, -size.x / 2.0].map(|x| vec2(x, y)));
    places.map(move |offset| Place::new(at, Rect::from_min_size(at + offset, size)))
}

/// Area that two rectangles share.
fn overlap(one: Rect, other: Rect) -> f32 {
    let shared = one.intersect(other);
    shared.width().max(0.0) * shared.height().max(0.0)
}

/// Whether a line from point to point touches a rectangle (Liang and Barsky 1984).
fn crosses([from, to]: [Pos2; 2], rect: Rect) -> bool {
    let way = to - from;
    let (mut enters, mut leaves) = (0.0_f32, 1.0_f32);
    for (start, way, [low, high]) in
        [(from.x, way.x, [rect.left(), rect.right()]), (from.y, way.y, [rect.top(), rect.bottom()])]
    {
        if way.abs() < f32::EPSILON {
            if start < low || start > high {
                return false;
            }
            continue;
        }
        let [one, other] = [low, high].map(|end| (end - start) / way);
        enters = enters.max(one.min(other));
        leaves = leaves.min(one.max(other));
    }
    enters <= leaves
}

/// Whether two lines from point to point cross each other.
fn meet(one: [Pos2; 2], other: [Pos2; 2]) -> bool {
    let side = |[from, to]: [Pos2; 2], point: Pos2| {
        let (way, beside) = (to - from, point - from);
        way.x * beside.y - way.y * beside.x
    };
    let parts = |line: [Pos2; 2], ends: [Pos2; 2]| side(line, ends[0]) * side(line, ends[1]) < 0.0;
    parts(one, other) && parts(other, one)
}

#[cfg(test)]
mod tests {
    use egui::pos2;
    use proptest::prelude::*;

    use super::*;

    const FRAME: Rect = Rect { min: pos2(0.0, 0.0), max: pos2(800.0, 200.0) };
    const SIZE: Vec2 = vec2(120.0, 15.0);

    fn mark(at: Pos2) -> Rect {
        Rect::from_center_size(at, vec2(9.0, 9.0))
    }

    fn named(points: &[Pos2]) -> Vec<Place> {
        let mut names = Names::new(FRAME, points.iter().map(|at| mark(*at)).collect(), Vec::new());
        points.iter().filter_map(|at| names.place(*at, SIZE, true)).collect()
    }

    #[test]
    fn a_name_alone_is_right_of_its_point_without_a_line() {
        let at = pos2(100.0, 100.0);
        let expected = Rect::from_min_size(pos2(108.0, 82.0), SIZE);
        assert_eq!(named(&[at]), [Place { rect: expected, leader: None }]);
        assert_eq!(named(&[pos2(750.0, 100.0)])[0].rect.right(), 742.0, "left of it where the frame ends");
    }

    #[test]
    fn a_place_that_is_given_back_is_free() {
        let mut names = Names::new(FRAME, Vec::new(), Vec::new());
        let at = pos2(100.0, 100.0);
        let first = names.place(at, SIZE, true).expect("a place");
        assert_ne!(names.place(at, SIZE, true), Some(first));
        names.release(&first);
        assert_eq!(names.place(at, SIZE, true), Some(first));
    }

    #[test]
    fn numbers_of_points_in_one_place_are_beside_each_other() {
        let at = pos2(400.0, 100.0);
        let mut names = Names::new(FRAME, vec![mark(at); 3], Vec::new());
        let places = [(); 3].map(|()| names.place_number(at, vec2(8.0, 15.0), true).expect("a place").rect);
        let [one, other, third] = places;
        assert!(!one.intersects(other) && !one.intersects(third) && !other.intersects(third), "{places:?}");
    }

    #[test]
    fn a_line_touches_what_it_goes_through() {
        let rect = Rect::from_min_max(pos2(10.0, 10.0), pos2(20.0, 20.0));
        for (line, expected) in [
            ([pos2(0.0, 0.0), pos2(30.0, 30.0)], true),
            ([pos2(15.0, 0.0), pos2(15.0, 30.0)], true),
            ([pos2(12.0, 12.0), pos2(14.0, 14.0)], true),
            ([pos2(0.0, 0.0), pos2(9.0, 9.0)], false),
            ([pos2(5.0, 0.0), pos2(5.0, 30.0)], false),
            ([pos2(0.0, 15.0), pos2(15.0, 30.0)], false),
        ] {
            assert_eq!(crosses(line, rect), expected, "{line:?}");
        }
        assert!(meet([pos2(0.0, 0.0), pos2(10.0, 10.0)], [pos2(0.0, 10.0), pos2(10.0, 0.0)]));
        assert!(!meet([pos2(0.0, 0.0), pos2(4.0, 4.0)], [pos2(0.0, 10.0), pos2(10.0, 0.0)]));
    }

    #[test]
    fn a_name_without_a_free_place_hides_least() {
        let at = pos2(100.0, 100.0);
        // Everything is taken but a strip at the left.
        let taken = Rect::from_min_max(pos2(60.0, 0.0), FRAME.max);
        let mut names = Names::new(FRAME, vec![taken], Vec::new());
        let size = vec2(60.0, 15.0);
        assert_eq!(names.place(at, size, false), None);
        let place = names.place_over(at, size, false).expect("it fits into the frame");
        assert_eq!((place.rect.left(), place.rect.right()), (32.0, 92.0), "left of its point");
    }

    proptest! {
        /// Also of points in one place or in a corner.
        #[test]
        fn every_number_of_a_row_is_in_the_frame(
            xs in prop::collection::vec(prop::sample::select(vec![0.0_f32, 400.0, 405.0, 800.0]), 1..20),
            y in 0.0_f32..=200.0,
        ) {
            let points: Vec<Pos2> = xs.into_iter().map(|x| pos2(x, y)).collect();
            let mut names = Names::new(FRAME, points.iter().map(|at| mark(*at)).collect(), Vec::new());
            for at in points {
                let place = names.place_number(at, vec2(16.0, 15.0), true);
                prop_assert!(place.is_some_and(|place| FRAME.contains_rect(place.rect)), "{at:?}: {place:?}");
            }
        }

        #[test]
        fn no_name_and_no_line_to_a_name_crosses_another(
            points in prop::collection::vec((0.0_f32..800.0, 0.0_f32..200.0), 2..9),
        ) {
            let points: Vec<Pos2> = points.into_iter().map(|(x, y)| pos2(x, y)).collect();
            let places = named(&points);
            for (index, place) in places.iter().enumerate() {
                for other in &places[..index] {
                    prop_assert!(!place.rect.intersects(other.rect), "{place:?} {other:?}");
                    for (one, other) in [(place, other), (other, place)] {
                        prop_assert!(one.leader.is_none_or(|leader| !crosses(leader, other.rect)), "{one:?} {other:?}");
                    }
                    if let Some((one, other)) = place.leader.zip(other.leader) {
                        prop_assert!(!meet(one, other), "{one:?} {other:?}");
                    }
                }
            }
        }
    }
}
