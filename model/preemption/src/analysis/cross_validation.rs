//! Cross-validation over sizes: the law with the least error, and that error.

use std::iter::repeat_n;

use super::line::Line;
use super::{Law, ROUNDING, is_of_one_size};

/// Most sizes for leave-one-out cross-validation.
const MOST_ALONE: usize = 50;
/// Folds for more sizes.
const FOLDS: usize = 10;

/// The law with the least cross-validation error, with its error and that of the constant.
pub(super) fn choose(points: &[[f64; 2]], sizes: usize) -> (Law, [f64; 2]) {
    let folds = folds(points, sizes);
    let off: Vec<[f64; 3]> = left_out(points, &folds);
    // The law at a size is chosen by the errors at other sizes: a choice by its own error would be biased.
    let by_others: Vec<usize> = (0..count(&folds)).map(|fold| best(&off, |other| folds[other] != fold)).collect();
    let squares = |at: usize| off[at][by_others[folds[at]]].powi(2);
    let root =
        |squares: f64| Some((squares / points.len() as f64).sqrt()).filter(|root| *root > ROUNDING).unwrap_or(0.0);
    let error = root((0..points.len()).map(squares).sum());
    let of_constant = root(off.iter().map(|[of_constant, ..]| of_constant.powi(2)).sum());
    if sizes == 2 {
        // Without one of two sizes there is no slope: the error of the law is unknown, and that of the constant is a bound.
        let law = if of_constant > 0.0 { Law::Power } else { Law::Constant };
        return (law, [of_constant, of_constant]);
    }
    let law = Law::ALL[best(&off, |_| true)];
    if law == Law::Constant || error >= of_constant {
        return (Law::Constant, [of_constant, of_constant]);
    }
    (law, [error, of_constant])
}

/// The fold of each point: by size, and every tenth size if there are many.
fn folds(points: &[[f64; 2]], sizes: usize) -> Vec<usize> {
    let folds = if sizes > MOST_ALONE { FOLDS } else { sizes };
    let alike = points.chunk_by(is_of_one_size).enumerate();
    alike.flat_map(|(place, alike)| repeat_n(place % folds, alike.len())).collect()
}

/// Number of folds: at most [`MOST_ALONE`].
fn count(folds: &[usize]) -> usize {
    folds.iter().max().map_or(0, |last| last + 1)
}

/// Residual of each law at each point when fitted without it.
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

/// Position of the law with the least squared residuals at some points.
fn best(off: &[[f64; 3]], is_counted: impl Fn(usize) -> bool) -> usize {
    let mut squares = [0.0; 3];
    for (_, off) in off.iter().enumerate().filter(|(at, _)| is_counted(*at)) {
        for (squares, off) in squares.iter_mut().zip(off) {
            *squares += off.abs().max(ROUNDING).powi(2);
        }
    }
    // The first of equal ones.
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
