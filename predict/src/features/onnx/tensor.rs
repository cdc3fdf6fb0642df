//! What is known of a tensor while the sizes of others are worked out.

use super::super::shape::Shape;

/// What is known of a tensor.
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
    /// The constant that it is another name of.
    pub(super) root: Option<usize>,
}
