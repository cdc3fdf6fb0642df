//! What of a line lies inside an area.

use super::svg::Rect;

/// The parts of a polyline inside an area; `None` among the points is a gap. A lone point is a run of one.
pub(super) fn visible_runs(points: impl Iterator<Item = Option<[f64; 2]>>, area: &Rect) -> Vec<Vec<[f64; 2]>> {
    let mut runs: Vec<Vec<[f64; 2]>> = Vec::new();
    let mut before_gap: Option<[f64; 2]> = None;
    for point in points {
        if let Some(here) = point {
            match before_gap {
                None if area.contains(here) => runs.push(vec![here]),
                None => {}
                Some(previous) => {
                    if let Some([from, to]) = clip([previous, here], area) {
                        match runs.last_mut().filter(|run| run.last() == Some(&from)) {
                            Some(run) => run.push(to),
                            None => runs.push(vec![from, to]),
                        }
                    }
                }
            }
        }
        before_gap = point;
    }
    runs
}

/// The part of a segment inside an area (Liang and Barsky 1984).
fn clip([[x0, y0], [x1, y1]]: [[f64; 2]; 2], area: &Rect) -> Option<[[f64; 2]; 2]> {
    let (dx, dy) = (x1 - x0, y1 - y0);
    let (mut enter, mut leave) = (0.0_f64, 1.0_f64);
    let edges = [(-dx, x0 - area.left), (dx, area.right - x0), (-dy, y0 - area.top), (dy, area.bottom - y0)];
    for (towards, room) in edges {
        if towards == 0.0 {
            if room < 0.0 {
                return None;
            }
        } else if towards < 0.0 {
            enter = enter.max(room / towards);
        } else {
            leave = leave.min(room / towards);
        }
    }
    let at = |t: f64, end: [f64; 2]| if t == 0.0 || t == 1.0 { end } else { [x0 + t * dx, y0 + t * dy] };
    (enter <= leave).then(|| [at(enter, [x0, y0]), at(leave, [x1, y1])])
}

#[cfg(test)]
mod tests {
    use super::*;

    const AREA: Rect = Rect { left: 0.0, top: 0.0, right: 10.0, bottom: 10.0 };

    #[test]
    fn segments_are_cut_at_the_edges() {
        let check = |segment, expected| assert_eq!(clip(segment, &AREA), expected, "{segment:?}");
        check([[1.0, 1.0], [2.0, 2.0]], Some([[1.0, 1.0], [2.0, 2.0]]));
        check([[-5.0, 5.0], [15.0, 5.0]], Some([[0.0, 5.0], [10.0, 5.0]]));
        check([[5.0, 5.0], [5.0, 1e6]], Some([[5.0, 5.0], [5.0, 10.0]]));
        check([[-5.0, -5.0], [-5.0, 15.0]], None);
        check([[-5.0, 9.0], [2.0, 16.0]], None);
    }

    #[test]
    fn curves_split_at_gaps_and_at_the_edges() {
        let at = |x: f64, y: f64| Some([x, y]);
        let check = |points: &[Option<[f64; 2]>], lengths: &[usize]| {
            let runs = visible_runs(points.iter().copied(), &AREA);
            assert_eq!(runs.iter().map(Vec::len).collect::<Vec<_>>(), lengths, "{points:?} gave {runs:?}");
        };
        check(&[], &[]);
        check(&[at(1.0, 1.0), at(2.0, 1.0), at(3.0, 1.0)], &[3]);
        check(&[at(1.0, 1.0), at(2.0, 1.0), None, at(3.0, 1.0), at(4.0, 2.0)], &[2, 2]);
        check(&[at(1.0, 1.0), None, at(3.0, 1.0)], &[1, 1]);
        check(&[at(1.0, 5.0), at(2.0, 50.0), at(3.0, 5.0)], &[2, 2]);
        check(&[at(-5.0, 5.0), None, at(20.0, 5.0)], &[]);
    }
}
