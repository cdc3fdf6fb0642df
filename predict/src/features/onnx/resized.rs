//! Output shape of a resized image: <https://onnx.ai/onnx/operators/onnx__Resize.html>.

use super::super::shape::{Shape, axis};
use super::node::{Attributes, Inputs};

/// Largest factor of a dimension.
const MOST: f64 = 1e6;

/// Shape of an image that is resized to sizes, or by factors; both are constants of few numbers.
pub(super) fn resized(op_type: &str, attributes: &Attributes<'_>, inputs: &Inputs<'_>) -> Option<Shape> {
    let shape = inputs.shape(0)?;
    let axes: Vec<usize> = match attributes.numbers("axes") {
        Some(axes) => axes.iter().map(|at| axis(*at, shape.len())).collect::<Option<_>>()?,
        None => (0..shape.len()).collect(),
    };
    let mut after = shape.clone();
    // Inputs are the image, a region, factors and sizes; before version 11 the image and factors.
    if let Some(sizes) = inputs.values(3).filter(|sizes| !sizes.is_empty()) {
        if sizes.len() != axes.len() {
            return None;
        }
        for (place, size) in axes.iter().zip(sizes) {
            after[*place] = u64::try_from(*size).ok();
        }
        // The first dimension of an image is the batch, whatever the file was made with.
        if axes.first() == Some(&0) && shape.len() > 2 {
            after[0] = shape[0];
        }
        return Some(after);
    }
    let is_old = op_type == "Upsample" || inputs.0.len() < 3;
    let by = inputs.floats(if is_old { 1 } else { 2 }).or_else(|| attributes.floats("scales"))?;
    if by.len() != axes.len() {
        return None;
    }
    for (place, factor) in axes.iter().zip(by) {
        let size = after[*place].map(|size| (size as f64 * f64::from(*factor)).floor());
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bounded, not negative")]
        let size =
            size.filter(|size| (0.0..=1e15).contains(size) && f64::from(*factor) <= MOST).map(|size| size as u64);
        after[*place] = size;
    }
    Some(after)
}
