//! Sizes that are predicted from all others: which law does that best, and how far it is off.

use std::iter::repeat_n;

use super::line::Line;
use super::{Law, ROUNDING, is_of_one_size};

/// Up to so many sizes each is left out by itself.
const MOST_ALONE: usize = 50;
/// So many times some are left out where there are more.
const FOLDS: usize = 10;

/// The law that is off least at sizes that were left out, with its error and that of the constant.
pub(super) fn choose(points: &[[f64; 2]], sizes: usize) -> (Law, [f64; 2]) {
    let folds = folds(points, sizes);
    let off: Vec<[f64; 3]> = left_out(points, &folds);
    // Which law holds at a size is chosen by the errors at others: a choice by its own would make it look better than it is.
    let by_others: Vec<usize> = (0..count(&folds)).map(|fold| best(&off, |other| folds[other] != fold)).collect();
    let squares = |at: usize| off[at][by_others[folds[at]]].powi(2);
    let root =
        |squares: f64| Some((squares / points.len() as f64).sqrt()).filter(|root| *root > ROUNDING).unwrap_or(0.0);
    let error = root((0..points.len()).map(squares).sum());
    let of_constant = root(off.iter().map(|[of_constant, ..]| of_constant.powi(2)).sum());
    if sizes == 2 {
        // Without either of two sizes there is no slope: what the law is worth cannot be told, and the constant is a bound.
        let law = if of_constant > 0.0 { Law::Power } else { Law::Constant };
        return (law, [of_constant, of_constant]);
    }
    let law = Law::ALL[best(&off, |_| true)];
    if law == Law::Constant || error >= of_constant {
        return (Law::Constant, [of_constant, of_constant]);
    }
    (law, [error, of_constant])
}

/// Which points are left out together: those of a size, and every tenth size if there are many.
fn folds(points: &[[f64; 2]], sizes: usize) -> Vec<usize> {
    let folds = if sizes > MOST_ALONE { FOLDS } else { sizes };
    let alike = points.chunk_by(is_of_one_size).enumerate();
    alike.flat_map(|(place, alike)| repeat_n(place % folds, alike.len())).collect()
}

/// Parts: at most [`MOST_ALONE`].
fn count(folds: &[usize]) -> usize {
    folds.iter().max().map_or(0, |last| last + 1)
}

/// How far each law is off at each point when it was fitted without it.
fn left_out(points: &[[f64; 2]], folds: &[usize]) -> Vec<[f64; 3]> {
    let lines: Vec<[Line; 3]> = (0..count(folds))
        .map(|fold| {
            let others = points.iter().zip(folds).filter(|(_, of_point)| **of_point != fold);
            let others: Vec<[f64; 2]> = others.map(|(point, _)| *point).collect();
            Law::ALL.map(|law| Line::through(law, &others))
        })
        .collect();
    let off = |([size, log], fold): (&[f64; 2], &usize)| lines[*fold].map(|line| log - line.at(*size));
    points.iter().zip(folds).map(off).collect()
}

/// Place of the law with the smallest squares at some points.
fn best(off: &[[f64; 3]], is_counted: impl Fn(usize) -> bool) -> usize {
    let mut squares = [0.0; 3];
    for (_, off) in off.iter().enumerate().filter(|(at, _)| is_counted(*at)) {
        for (squares, off) in squares.iter_mut().zip(off) {
            *squares += off.abs().max(ROUNDING).powi(2);
        }
    }
    // The first of those that are alike.
    (1..3).fold(0, |best, law| if squares[law] < squares[best] { law } else { best })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_of_one_size_are_left_out_together() {
        let points = [[1.0, 0.0], [1.0, 0.5], [2.0, 0.0], [4.0, 0.0], [4.0, 0.1]];
        assert_eq!(folds(&points, 3), [0, 0, 1, 2, 2]);
        let many: Vec<[f64; 2]> = (1..=51).map(|size| [f64::from(size), 0.0]).collect();
        assert_eq!(folds(&many, 51)[..12], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1]);
    }
}
