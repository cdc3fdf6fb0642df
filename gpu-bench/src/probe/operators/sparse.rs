//! Product of a sparse matrix and a vector: the stencil of 27 neighbours in a periodic grid, in compressed rows, as HPCG's.

use std::hint::black_box;

use rayon::prelude::*;

use super::{DOUBLE, Operator, Prepared, fraction, weighted};
use crate::failure::Failure;

/// Points of the grid along an axis.
pub(crate) const COLUMN_PERIOD: usize = 64;
/// Rows of the matrix: points of the grid.
pub(crate) const ROWS: usize = COLUMN_PERIOD.pow(3);
/// Entries of a row.
pub(crate) const NEIGHBOURS: usize = 27;
/// Rows of one task.
const CHUNK: usize = 1 << 10;

pub(super) const SPMV: Operator = Operator {
    key: "spmv",
    true_value: 2_619_497.394_818_082_5,
    tolerance: DOUBLE,
    prepare: || Box::new(Matrix::new()),
};

/// Compressed rows, the vector and the product.
struct Matrix {
    /// Where the entries of a row begin, and where the last one's end.
    starts: Vec<u32>,
    columns: Vec<u32>,
    entries: Vec<f64>,
    vector: Vec<f64>,
    product: Vec<f64>,
}

/// Position of entry k of a row.
#[expect(clippy::cast_possible_truncation, reason = "2^18 columns")]
pub(crate) fn column(row: usize, k: usize) -> u32 {
    let along = |position: usize, step: usize| (position + step + COLUMN_PERIOD - 1) % COLUMN_PERIOD;
    let x = along(row % COLUMN_PERIOD, k % 3);
    let y = along(row / COLUMN_PERIOD % COLUMN_PERIOD, k / 3 % 3);
    let z = along(row / COLUMN_PERIOD.pow(2), k / 9);
    (x + y * COLUMN_PERIOD + z * COLUMN_PERIOD.pow(2)) as u32
}

/// Entry k of a row.
pub(crate) fn entry(row: usize, k: usize) -> f64 {
    fraction(row * NEIGHBOURS + k, 104_729)
}

/// The vector at a place.
pub(crate) fn vector(place: usize) -> f64 {
    fraction(place, 7_919)
}

impl Matrix {
    #[expect(clippy::cast_possible_truncation, reason = "7 million entries")]
    fn new() -> Self {
        let all = (0..ROWS * NEIGHBOURS).into_par_iter().map(|place| (place / NEIGHBOURS, place % NEIGHBOURS));
        Self {
            starts: (0..=ROWS).map(|row| (row * NEIGHBOURS) as u32).collect(),
            columns: all.clone().map(|(row, k)| column(row, k)).collect(),
            entries: all.map(|(row, k)| entry(row, k)).collect(),
            vector: (0..ROWS).into_par_iter().map(vector).collect(),
            product: vec![0.0; ROWS],
        }
    }

    fn row(&self, row: usize) -> f64 {
        let (start, end) = (self.starts[row] as usize, self.starts[row + 1] as usize);
        let entries = self.entries[start..end].iter().zip(&self.columns[start..end]);
        entries.map(|(entry, column)| entry * self.vector[*column as usize]).sum()
    }
}

impl Prepared for Matrix {
    fn execute(&mut self, scale: f64) -> Result<(), Failure> {
        let mut product = std::mem::take(&mut self.product);
        product.par_chunks_mut(CHUNK).enumerate().for_each(|(chunk, product)| {
            for (row, product) in (chunk * CHUNK..).zip(product) {
                *product = scale * self.row(row);
            }
        });
        self.product = black_box(product);
        Ok(())
    }

    fn value(&mut self) -> Result<f64, Failure> {
        Ok(weighted(&self.product))
    }
}
