//! Products of two dense matrices, tile by tile of the result.

use std::hint::black_box;

use nalgebra::{DMatrix, RealField, convert};
use rayon::prelude::*;

use super::{DOUBLE, Operator, Prepared, SINGLE, fraction, weighted};
use crate::failure::Failure;

/// Rows and columns of the matrices in double precision.
const DOUBLE_SIDE: usize = 640;
/// Rows and columns of the matrices in single precision.
pub(crate) const SINGLE_SIDE: usize = 768;
/// Rows and columns of a tile, which is one task.
const TILE: usize = 64;

/// Multiplier of the left operand's fractions, column by column.
pub(crate) const LEFT: usize = 7_919;
/// Multiplier of the right operand's fractions, column by column.
pub(crate) const RIGHT: usize = 104_729;

pub(super) const DGEMM: Operator = Operator {
    key: "dgemm",
    true_value: 97_027_818.977_700_55,
    tolerance: DOUBLE,
    prepare: || Box::new(Product::<f64>::new(DOUBLE_SIDE)),
};

pub(super) const SGEMM: Operator = Operator {
    key: "sgemm",
    true_value: 167_664_939.776_807_9,
    tolerance: SINGLE,
    prepare: || Box::new(Product::<f32>::new(SINGLE_SIDE)),
};

/// Two matrices and the tiles of their product, column by column.
struct Product<T> {
    left: DMatrix<T>,
    right: DMatrix<T>,
    tiles: Vec<DMatrix<T>>,
}

impl<T: RealField + Copy> Product<T> {
    fn new(side: usize) -> Self {
        let matrix =
            |multiplier| DMatrix::from_fn(side, side, |row, column| convert(fraction(column * side + row, multiplier)));
        let tiles = vec![DMatrix::zeros(TILE, TILE); (side / TILE).pow(2)];
        Self { left: matrix(LEFT), right: matrix(RIGHT), tiles }
    }
}

impl<T: RealField + Copy + Into<f64>> Prepared for Product<T> {
    fn execute(&mut self, scale: f64) -> Result<(), Failure> {
        let (left, right) = (&self.left, &self.right);
        let side = left.nrows();
        self.tiles.par_iter_mut().enumerate().for_each(|(tile, product)| {
            let (row, column) = (tile % (side / TILE) * TILE, tile / (side / TILE) * TILE);
            let (rows, columns) = (left.rows(row, TILE), right.columns(column, TILE));
            product.gemm(convert(scale), &rows, &columns, T::zero());
        });
        black_box(&mut self.tiles);
        Ok(())
    }

    fn value(&mut self) -> Result<f64, Failure> {
        // A tile has as many rows as there are weights, so that these go by the row of the whole matrix.
        Ok(self.tiles.iter().map(|tile| weighted(tile.as_slice())).sum())
    }
}
