//! What a file declares about its tensors: dimensions, their names, and element types.

use super::super::shape::{MOST_DIMENSIONS, Shape};
use super::messages::{DimensionProto, ValueInfoProto};

/// The dimensions of a tensor, if the file has them.
pub(super) fn dimensions(declared: &ValueInfoProto) -> Option<&[DimensionProto]> {
    Some(&declared.r#type.as_ref()?.tensor_type.as_ref()?.shape.as_ref()?.dim)
}

/// The element type of a tensor; 0 if the file does not have it.
pub(super) fn element_type(declared: &ValueInfoProto) -> i32 {
    let tensor = declared.r#type.as_ref().and_then(|declared| declared.tensor_type.as_ref());
    tensor.map_or(0, |tensor| tensor.elem_type)
}

/// The shape in the file, completed by the rules.
pub(super) fn merged(declared: Option<Shape>, worked_out: Option<Shape>) -> Option<Shape> {
    match (declared, worked_out) {
        (Some(declared), Some(worked_out)) if declared.len() == worked_out.len() => {
            Some(declared.iter().zip(worked_out).map(|(declared, worked_out)| declared.or(worked_out)).collect())
        }
        (Some(declared), _) => Some(declared),
        (None, worked_out) => worked_out.filter(|shape| shape.len() <= MOST_DIMENSIONS),
    }
}

/// The name under which the caller sets a dimension of an input: its own, or that of the input with its place.
pub(super) fn dimension_name(input: &str, place: usize, dimension: &DimensionProto) -> String {
    let own = dimension.dim_param.as_deref().filter(|name| !matches!(*name, "" | "?"));
    own.map_or_else(|| format!("{input}[{place}]"), str::to_owned)
}

/// The size of a dimension, if the file fixes it.
pub(super) fn fixed(dimension: &DimensionProto) -> Option<u64> {
    dimension.dim_value.and_then(|size| u64::try_from(size).ok())
}
