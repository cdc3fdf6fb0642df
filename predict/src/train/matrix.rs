//! Products of matrices in single precision, for mini-batches. Matrices are stored row by row.
//!
//! Every element adds its terms one after another, each multiplied and rounded before the addition. Vectors have neighbouring
//! elements of a row, so their width has no effect: a product has the same bits on every processor.

#![expect(clippy::inline_always, reason = "vector instructions are in force only in what is inlined")]

use pulp::Arch;

/// Terms that are added between loading an element and storing it.
const TERMS: usize = 4;
/// Columns that are transposed at a time: 64 bytes of a row, a line of the cache.
const TILE: usize = 16;

/// `sums += left · right`; `right` and `sums` have `columns` columns.
pub(super) fn add_product(sums: &mut [f32], left: &[f32], right: &[f32], columns: usize) {
    let width = right.len() / columns;
    Arch::new().dispatch(
        #[inline(always)]
        || add_outer_products(sums, right, columns, |row, term| left[row * width + term]),
    );
}

/// `sums += leftᵀ · right`; `right` and `sums` have `columns` columns.
pub(super) fn add_transposed_product(sums: &mut [f32], left: &[f32], right: &[f32], columns: usize) {
    let width = sums.len() / columns;
    Arch::new().dispatch(
        #[inline(always)]
        || add_outer_products(sums, right, columns, |row, term| left[term * width + row]),
    );
}

/// Adds to each row of `sums` the rows of `right`, the terms, each times its factor. A term stays in the cache for all rows.
#[inline(always)]
fn add_outer_products(sums: &mut [f32], right: &[f32], columns: usize, factor: impl Fn(usize, usize) -> f32) {
    let mut blocks = right.chunks_exact(TERMS * columns);
    let mut term = 0;
    for block in blocks.by_ref() {
        let (first, others) = block.split_at(columns);
        let (second, others) = others.split_at(columns);
        let (third, fourth) = others.split_at(columns);
        for (row, sums) in sums.chunks_exact_mut(columns).enumerate() {
            let factors = [factor(row, term), factor(row, term + 1), factor(row, term + 2), factor(row, term + 3)];
            add_four(sums, factors, [first, second, third, fourth]);
        }
        term += TERMS;
    }
    for (term, right) in (term..).zip(blocks.remainder().chunks_exact(columns)) {
        for (row, sums) in sums.chunks_exact_mut(columns).enumerate() {
            let factor = factor(row, term);
            for (sum, element) in sums.iter_mut().zip(right) {
                *sum += factor * element;
            }
        }
    }
}

#[inline(always)]
fn add_four(sums: &mut [f32], factors: [f32; TERMS], [first, second, third, fourth]: [&[f32]; TERMS]) {
    for ((((sum, a), b), c), d) in sums.iter_mut().zip(first).zip(second).zip(third).zip(fourth) {
        *sum = *sum + factors[0] * a + factors[1] * b + factors[2] * c + factors[3] * d;
    }
}

/// Replaces `transposed` by the transpose of `matrix`, which has `columns` columns.
pub(super) fn transpose(matrix: &[f32], columns: usize, transposed: &mut Vec<f32>) {
    let rows = matrix.len() / columns;
    transposed.resize(matrix.len(), 0.0);
    for begin in (0..columns).step_by(TILE) {
        let end = columns.min(begin + TILE);
        for (row, elements) in matrix.chunks_exact(columns).enumerate() {
            for (column, element) in (begin..end).zip(&elements[begin..end]) {
                transposed[column * rows + row] = *element;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_product_adds_rows_times_columns() {
        // By hand: 1 · 5 + 2 · 7 = 19, 1 · 6 + 2 · 8 = 22, 3 · 5 + 4 · 7 = 43, 3 · 6 + 4 · 8 = 50; and 100 from before.
        let mut sums = [100.0; 4];
        add_product(&mut sums, &[1.0, 2.0, 3.0, 4.0], &[5.0, 6.0, 7.0, 8.0], 2);
        assert_eq!(sums, [119.0, 122.0, 143.0, 150.0]);
        // 1 · 5 + 3 · 7 = 26, 1 · 6 + 3 · 8 = 30, 2 · 5 + 4 · 7 = 38, 2 · 6 + 4 · 8 = 44.
        let mut sums = [0.0; 4];
        add_transposed_product(&mut sums, &[1.0, 2.0, 3.0, 4.0], &[5.0, 6.0, 7.0, 8.0], 2);
        assert_eq!(sums, [26.0, 30.0, 38.0, 44.0]);
    }

    #[test]
    fn a_transpose_exchanges_rows_and_columns() {
        let mut transposed = vec![9.0; 20];
        transpose(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 3, &mut transposed);
        assert_eq!(transposed, [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
    }

    #[test]
    fn terms_are_added_in_their_order() {
        // 2²⁴ + 1 is no number in single precision and is rounded to 2²⁴, so one by one no 1 arrives; together all four would.
        let mut sums = [16_777_216.0];
        add_product(&mut sums, &[1.0; 4], &[1.0; 4], 1);
        assert_eq!(sums, [16_777_216.0]);
    }

    proptest! {
        /// Whole numbers up to 8 are multiplied and added without rounding, so the definition holds exactly.
        #[test]
        fn products_of_any_shape_follow_the_definition(
            (rows, width, columns) in (1..40_usize, 1..40_usize, 1..40_usize),
            numbers in prop::collection::vec(-8..9_i8, 3200),
        ) {
            let (left, right) = numbers.split_at(1600);
            let single = |numbers: &[i8]| numbers.iter().copied().map(f32::from).collect::<Vec<f32>>();
            let (left, right) = (single(&left[..rows * width]), single(&right[..width * columns]));
            let mut expected = Vec::new();
            for row in 0..rows {
                for column in 0..columns {
                    let terms = (0..width).map(|term| left[row * width + term] * right[term * columns + column]);
                    expected.push(terms.sum::<f32>());
                }
            }
            let mut sums = vec![0.0; rows * columns];
            add_product(&mut sums, &left, &right, columns);
            prop_assert_eq!(&sums, &expected);
            let mut transposed = Vec::new();
            transpose(&left, width, &mut transposed);
            sums.fill(0.0);
            add_transposed_product(&mut sums, &transposed, &right, columns);
            prop_assert_eq!(&sums, &expected);
        }
    }
}
