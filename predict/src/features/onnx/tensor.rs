//! Properties of a tensor during shape inference.

use super::super::shape::Shape;

/// Properties of a tensor.
#[derive(Debug, Clone, Default)]
pub(super) struct Tensor {
    pub(super) shape: Option<Shape>,
    /// Its elements, if it is a constant of few integers.
    pub(super) values: Option<Vec<i64>>,
    /// Whether it is the same in every run.
    pub(super) is_constant: bool,
    /// Type of its elements; 0 if not known.
    pub(super) data_type: i32,
    /// Whether its elements have been counted as parameters of a layer.
    pub(super) is_counted: bool,
    /// The constant of which it is an alias.
    pub(super) root: Option<usize>,
}
