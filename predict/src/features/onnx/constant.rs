//! Constants of a model: dimensions, and the elements of small ones, from which exporters compute shapes.

use super::super::network::shown;
use super::super::shape::{MOST_DIMENSIONS, Shape, elements};
use super::messages::TensorProto;
use super::tensor::Tensor;

/// Most integers of a constant that are tracked: enough for every shape.
pub(super) const MOST_VALUES: usize = 64;
/// Floating-point numbers of 32 bits.
pub(super) const FLOAT: i32 = 1;
/// Integers of 32 bits.
pub(super) const INT32: i32 = 6;
/// Integers of 64 bits.
pub(super) const INT64: i32 = 7;

/// A constant with its dimensions and, if they are few integers, its elements.
pub(super) fn constant_tensor(tensor: &TensorProto, dims: &[i64]) -> Result<Tensor, String> {
    let wrong = |what: &str| format!("constant {} {what}", shown(&tensor.name));
    if dims.len() > MOST_DIMENSIONS {
        return Err(wrong(&format!("has {} dimensions; at most {MOST_DIMENSIONS} can be read", dims.len())));
    }
    let shape: Option<Vec<u64>> = dims.iter().map(|size| u64::try_from(*size).ok()).collect();
    let shape: Shape = shape.ok_or_else(|| wrong("has a negative dimension"))?.into_iter().map(Some).collect();
    let count = elements(&shape).ok_or_else(|| wrong("has more than 2⁶⁴ elements"))?;
    let values = usize::try_from(count).ok().filter(|count| *count <= MOST_VALUES && tensor.data_location == 0);
    let floats = values.and_then(|count| floats(tensor, count));
    let values = values.and_then(|count| integers(tensor, count));
    Ok(Tensor {
        shape: Some(shape),
        values,
        floats,
        is_constant: true,
        data_type: tensor.data_type,
        ..Tensor::default()
    })
}

/// Few floating-point numbers of a constant.
fn floats(tensor: &TensorProto, count: usize) -> Option<Vec<f32>> {
    let bytes = if tensor.raw_data.is_empty() { &tensor.float_data } else { &tensor.raw_data };
    let (numbers, rest) = bytes.as_chunks::<4>();
    let is_whole = tensor.data_type == FLOAT && rest.is_empty() && numbers.len() == count;
    is_whole.then(|| numbers.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect())
}

/// Few integers of a constant.
fn integers(tensor: &TensorProto, count: usize) -> Option<Vec<i64>> {
    let values: Vec<i64> = match (tensor.data_type, tensor.raw_data.is_empty()) {
        (INT64, false) => tensor
            .raw_data
            .chunks_exact(8)
            .filter_map(|bytes| bytes.try_into().ok())
            .map(i64::from_le_bytes)
            .take(count + 1)
            .collect(),
        (INT32, false) => {
            let all = tensor.raw_data.chunks_exact(4).filter_map(|bytes| bytes.try_into().ok());
            all.map(i32::from_le_bytes).map(i64::from).take(count + 1).collect()
        }
        (INT64, true) => packed(&tensor.int64_data, count)?,
        (INT32, true) => packed(&tensor.int32_data, count)?,
        _ => return None,
    };
    (values.len() == count).then_some(values)
}

/// Packed varints; negative numbers take ten bytes.
fn packed(bytes: &[u8], most: usize) -> Option<Vec<i64>> {
    let mut rest = bytes;
    let mut values = Vec::new();
    while !rest.is_empty() && values.len() <= most {
        let number = prost::encoding::decode_varint(&mut rest).ok()?;
        values.push(number.cast_signed());
    }
    Some(values)
}
