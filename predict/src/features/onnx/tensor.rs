//! Properties of a tensor during shape inference.

use super::super::shape::Shape;

/// Properties of a tensor.
#[derive(Debug, Clone, Default)]
pub(super) struct Tensor {
    pub(super) shape: Option<Shape>,
    /// Its elements, if it is a constant of few integers.
    pub(super) values: Option<Vec<i64>>,
    /// Its elements, if it is a constant of few floating-point numbers.
    pub(super) floats: Option<Vec<f32>>,
    /// Whether it is the same in every run.
    pub(super) is_constant: bool,
    /// Type of its elements; 0 if not known.
    pub(super) data_type: i32,
    /// Whether its elements have been counted as parameters of a layer.
    pub(super) is_counted: bool,
    /// The constant of which it is an alias.
    pub(super) root: Option<usize>,
}

impl Tensor {
    /// Bits of an element; 32 if its type is not known.
    pub(super) fn bits(&self) -> u32 {
        // Numbers of `TensorProto.DataType`.
        match self.data_type {
            2 | 3 | 9 | 17..=20 | 24 => 8,
            4 | 5 | 10 | 16 => 16,
            7 | 11 | 13 | 14 => 64,
            15 => 128,
            21..=23 => 4,
            25 | 26 => 2,
            _ => 32,
        }
    }
}
