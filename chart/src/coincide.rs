//! Curves that coincide: where they do, and how each of them is still seen.
//!
//! Where curves share their way they take turns: pieces in the colour of one follow pieces in the colour of the next,
//! and dashes follow dashes. A dashed curve that lies on a solid one is wider, so that it is seen in its own colour too.

use std::ops::Range;

/// Two values nearer than this part of the height of an axis hide each other: less than a curve is wide.
const NEAR: f64 = 0.005;
/// A shorter way together, as a part of the width of an axis, is a crossing.
const SHORTEST: f64 = 0.025;
/// A way together from this part of the width of an axis on is worth a sentence.
const WORTH_A_SENTENCE: f64 = 0.5;
/// A curve that has no dashes: length of the piece that it is drawn in when it is its turn, and of the gap, in pixels.
pub(crate) const SOLID: [f64; 2] = [10.0, 0.0];
/// How much wider a dashed curve is on a solid one.
pub(crate) const WIDER: f64 = 1.8;
/// Curves that are compared, each with each other one and in every frame; more cannot be distinguished. Further ones are drawn
/// as if they were alone.
const MOST: usize = 16;

/// The points of a curve in plot coordinates, from left to right; none where it has a gap.
pub(crate) type Path = Vec<Option<[f64; 2]>>;

/// Where curves of a chart coincide.
#[derive(Debug, Default)]
pub(crate) struct Coincidences {
    /// By curve, and by the piece that begins at each of its points: the other curves that share it, as bits.
    others: Vec<Vec<u64>>,
    /// What each two curves share without an interruption.
    ways: Vec<Way>,
}

/// What two curves share without an interruption.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Way {
    curves: [usize; 2],
    /// Where it begins and ends.
    x: [f64; 2],
    /// Whether neither curve goes anywhere else.
    is_whole: bool,
}

/// A part of a curve along which it has the same company.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Stretch {
    /// Its points; the last one is the first one of the next stretch.
    pub(crate) points: Range<usize>,
    /// When it is drawn.
    pub(crate) turn: Turn,
    /// Whether it is dashed and lies on a curve that is not.
    pub(crate) lies_on_solid: bool,
}

/// Which one a curve is of those that take turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Turn {
    /// From 0.
    pub(crate) place: u8,
    /// How many they are; 1: the curve is alone.
    pub(crate) of: u8,
}

impl Turn {
    /// Lengths that are drawn and left out by turns, beginning with drawn ones, of a curve whose own are these. Along
    /// the way that curves share nothing is drawn by two of them.
    pub(crate) fn pattern(self, [drawn, gap]: [f64; 2]) -> [f64; 4] {
        let period = drawn + gap;
        let (place, of) = (f64::from(self.place), f64::from(self.of));
        [0.0, place * period, drawn, (of - place) * period - drawn]
    }
}

impl Coincidences {
    /// Compares each curve with each other one; `size` is that of the picture in plot coordinates.
    pub(crate) fn new(paths: &[Path], size: [f64; 2]) -> Self {
        let paths = &paths[..paths.len().min(MOST)];
        let mut found = Self { others: paths.iter().map(|path| vec![0; path.len()]).collect(), ways: Vec::new() };
        let pieces: Vec<usize> = paths.iter().map(|path| pieces(path)).collect();
        for a in 0..paths.len() {
            for b in a + 1..paths.len() {
                let common = common_points(&paths[a], &paths[b], NEAR * size[1].abs());
                for way in common.chunk_by(|one, next| next.at == [one.at[0] + 1, one.at[1] + 1]) {
                    let (first, last) = (way[0], way[way.len() - 1]);
                    if last.x - first.x <= SHORTEST * size[0].abs() {
                        continue;
                    }
                    for point in &way[..way.len() - 1] {
                        found.others[a][point.at[0]] |= 1 << b;
                        found.others[b][point.at[1]] |= 1 << a;
                    }
                    let is_whole = [pieces[a], pieces[b]] == [way.len() - 1; 2];
                    found.ways.push(Way { curves: [a, b], x: [first.x, last.x], is_whole });
                }
            }
        }
        found
    }

    /// Whether a curve shares anything.
    pub(crate) fn has(&self, curve: usize) -> bool {
        self.others.get(curve).is_some_and(|others| others.iter().any(|others| *others != 0))
    }

    /// The stretches of a curve of `count` points, which cover it; `dashed` has whether each curve is dashed.
    pub(crate) fn stretches(&self, curve: usize, count: usize, dashed: &[bool]) -> Vec<Stretch> {
        let alone = Stretch { points: 0..count, turn: Turn { place: 0, of: 1 }, lies_on_solid: false };
        let Some(others) = self.others.get(curve).filter(|_| self.has(curve)) else { return vec![alone] };
        let mut stretches: Vec<Stretch> = Vec::new();
        let mut start = 0;
        for company in others[..count - 1].chunk_by(|one, next| one == next) {
            let end = start + company.len();
            let is_here = |other: &usize| company[0] & (1 << other) != 0;
            let alike = |other: &usize| is_here(other) && dashed[*other] == dashed[curve];
            let turn = Turn { place: counted(0..curve, alike), of: 1 + counted(0..others_end(dashed), alike) };
            let lies_on_solid = dashed[curve] && (0..others_end(dashed)).any(|other| is_here(&other) && !dashed[other]);
            stretches.push(Stretch { points: start..end + 1, turn, lies_on_solid });
            start = end;
        }
        stretches
    }

    /// What is to be said about them, a sentence without a full stop for each group of curves that share all of their
    /// way, or much of it; `width` is that of the picture in plot coordinates, `text` writes a place in it.
    pub(crate) fn sentences(&self, names: &[&str], width: f64, text: impl Fn(f64) -> String) -> Vec<String> {
        let is_long = |way: &&Way| way.is_whole || way.x[1] - way.x[0] >= WORTH_A_SENTENCE * width.abs();
        let mut ways: Vec<Way> = self.ways.iter().filter(is_long).copied().collect();
        let mut sentences = Vec::new();
        while let Some(Way { curves: [first, _], x, is_whole }) = ways.first().copied() {
            let is_alike = |way: &Way| way.x == x && way.is_whole == is_whole;
            let group: Vec<usize> = std::iter::once(first)
                .chain(ways.iter().filter(|way| way.curves[0] == first && is_alike(way)).map(|way| way.curves[1]))
                .collect();
            ways.retain(|way| !(is_alike(way) && way.curves.iter().all(|curve| group.contains(curve))));
            let mut names: Vec<String> =
                group.iter().filter_map(|curve| names.get(*curve).map(|name| (*name).to_owned())).collect();
            if names.iter().any(|name| name.contains(',')) {
                names = names.iter().map(|name| format!("“{name}”")).collect();
            }
            let Some((last, before)) = names.split_last() else { continue };
            let place = if is_whole { String::new() } else { format!(" from {} to {}", text(x[0]), text(x[1])) };
            sentences.push(format!("{} and {last} coincide{place}", before.join(", ")));
        }
        sentences
    }
}

/// One after the last curve that is compared.
fn others_end(dashed: &[bool]) -> usize {
    dashed.len().min(MOST)
}

fn counted(range: Range<usize>, is_wanted: impl Fn(&usize) -> bool) -> u8 {
    // At most 64.
    u8::try_from(range.filter(is_wanted).count()).unwrap_or(u8::MAX)
}

/// How many pieces a curve has.
fn pieces(path: &[Option<[f64; 2]>]) -> usize {
    path.windows(2).filter(|ends| ends[0].is_some() && ends[1].is_some()).count()
}

/// A point that two curves have in common: its place in either, and x.
#[derive(Clone, Copy)]
struct Common {
    at: [usize; 2],
    x: f64,
}

/// The points that two curves have in common, from left to right.
fn common_points(one: &[Option<[f64; 2]>], other: &[Option<[f64; 2]>], near: f64) -> Vec<Common> {
    let mut common = Vec::new();
    let (mut a, mut b) = (0, 0);
    while let (Some(left), Some(right)) = (one.get(a), other.get(b)) {
        let (Some([x, y]), Some([other_x, other_y])) = (*left, *right) else {
            (a, b) = (a + usize::from(left.is_none()), b + usize::from(right.is_none()));
            continue;
        };
        let goes_on_here = one.get(a + 1).copied().flatten().is_some_and(|next| next[0] == x);
        if x < other_x {
            a += 1;
        } else if x > other_x {
            b += 1;
        } else if (y - other_y).abs() <= near {
            common.push(Common { at: [a, b], x });
            (a, b) = (a + 1, b + 1);
        } else if goes_on_here {
            // The corner of a step, which the other curve may not have.
            a += 1;
        } else {
            b += 1;
        }
    }
    common
}

#[cfg(test)]
mod tests {
    use super::{Coincidences, Path, SOLID, Stretch, Turn};

    const SIZE: [f64; 2] = [10.0, 100.0];

    fn path(ys: &[f64]) -> Path {
        ys.iter().enumerate().map(|(x, y)| y.is_finite().then_some([x as f64, *y])).collect()
    }

    fn alone(points: std::ops::Range<usize>) -> Stretch {
        Stretch { points, turn: Turn { place: 0, of: 1 }, lies_on_solid: false }
    }

    fn sentences(paths: &[Path]) -> Vec<String> {
        let names = ["A", "B", "C", "D"];
        Coincidences::new(paths, SIZE).sentences(&names, SIZE[0], |x| format!("{x} s"))
    }

    #[test]
    fn curves_that_part_take_turns_until_they_do() {
        let paths = [path(&[1.0, 2.0, 3.0, 4.0, 5.0]), path(&[1.0, 2.0, 3.0, 9.0, 20.0])];
        let found = Coincidences::new(&paths, SIZE);
        for curve in 0..2 {
            let first = Stretch { turn: Turn { place: curve, of: 2 }, ..alone(0..3) };
            assert_eq!(found.stretches(usize::from(curve), 5, &[false; 2]), [first, alone(2..5)]);
        }
        assert_eq!(sentences(&paths), Vec::<String>::new(), "two of ten are not worth a sentence");
    }

    #[test]
    fn the_curves_that_coincide_are_named() {
        let (curve, other) = (path(&[1.0, 2.0, 3.0, 4.0]), path(&[50.0, 60.0, 70.0, 80.0]));
        assert_eq!(sentences(&[curve.clone(), other.clone()]), Vec::<String>::new());
        assert_eq!(sentences(&[curve.clone(), other.clone(), curve.clone()]), ["A and C coincide"]);
        let all = [curve.clone(), curve.clone(), other.clone(), curve.clone()];
        assert_eq!(sentences(&all), ["A, B and D coincide"]);
        let pairs = [curve.clone(), other.clone(), curve, other];
        assert_eq!(sentences(&pairs), ["A and C coincide", "B and D coincide"]);
        let long = path(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]);
        let parting = path(&[9.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]);
        assert_eq!(sentences(&[long, parting]), ["A and B coincide from 1 s to 6 s"]);
    }

    #[test]
    fn names_with_commas_are_quoted() {
        let curve = path(&[1.0, 2.0, 3.0, 4.0]);
        let names = ["Ethernet, compressed", "InfiniBand"];
        let found = Coincidences::new(&[curve.clone(), curve], SIZE).sentences(&names, SIZE[0], |x| format!("{x} s"));
        assert_eq!(found, ["“Ethernet, compressed” and “InfiniBand” coincide"]);
    }

    #[test]
    fn a_crossing_and_a_near_miss_are_no_coincidence() {
        let check = |one: &[f64], other: &[f64]| {
            let found = Coincidences::new(&[path(one), path(other)], SIZE);
            assert!(!found.has(0) && !found.has(1), "{one:?} and {other:?}");
        };
        check(&[1.0, 2.0, 3.0], &[3.0, 2.0, 1.0]);
        check(&[1.0, 2.0, 3.0], &[1.6, 2.6, 3.6]);
        check(&[1.0, f64::NAN, 3.0], &[1.0, f64::NAN, 3.0]);
        check(&[], &[1.0, 2.0]);
    }

    #[test]
    fn a_step_that_only_one_of_them_makes_parts_them() {
        let step = vec![Some([0.0, 1.0]), Some([2.0, 1.0]), Some([2.0, 40.0]), Some([4.0, 40.0])];
        let flat = vec![Some([0.0, 1.0]), Some([2.0, 1.0]), Some([4.0, 1.0])];
        let found = Coincidences::new(&[step.clone(), flat], SIZE);
        assert_eq!(found.stretches(1, 3, &[false; 2]).len(), 2);
        let both = Coincidences::new(&[step.clone(), step], SIZE);
        assert_eq!(both.stretches(0, 4, &[false; 2]), [Stretch { turn: Turn { place: 0, of: 2 }, ..alone(0..4) }]);
    }

    #[test]
    fn dashed_curves_take_turns_among_themselves_and_lie_on_solid_ones() {
        let paths = vec![path(&[1.0, 2.0, 3.0]); 3];
        let found = Coincidences::new(&paths, SIZE);
        let dashed = [true, false, true];
        let of = |curve| found.stretches(curve, 3, &dashed).remove(0);
        assert_eq!(of(0), Stretch { turn: Turn { place: 0, of: 2 }, lies_on_solid: true, ..alone(0..3) });
        assert_eq!(of(1), alone(0..3));
        assert_eq!(of(2), Stretch { turn: Turn { place: 1, of: 2 }, lies_on_solid: true, ..alone(0..3) });
    }

    /// By hand: of three solid curves each has ten pixels of thirty, one after the other.
    #[test]
    fn turns_leave_nothing_out_and_draw_nothing_twice() {
        let pattern = |place, dash| Turn { place, of: 3 }.pattern(dash);
        assert_eq!(pattern(0, SOLID), [0.0, 0.0, 10.0, 20.0]);
        assert_eq!(pattern(1, SOLID), [0.0, 10.0, 10.0, 10.0]);
        assert_eq!(pattern(2, SOLID), [0.0, 20.0, 10.0, 0.0]);
        assert_eq!(pattern(1, [6.0, 4.0]), [0.0, 10.0, 6.0, 14.0]);
    }

    #[test]
    fn more_curves_than_can_be_told_apart_are_drawn_all_the_same() {
        let paths = vec![path(&[1.0, 2.0, 3.0]); 20];
        let found = Coincidences::new(&paths, SIZE);
        let dashed = [false; 20];
        assert_eq!(found.stretches(15, 3, &dashed)[0].turn, Turn { place: 15, of: 16 });
        assert_eq!(found.stretches(19, 3, &dashed), [alone(0..3)]);
    }
}
