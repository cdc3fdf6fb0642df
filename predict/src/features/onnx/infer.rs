//! Inference for the operators of ONNX: output shapes, small integer tensors for computing shapes, and multiply-adds. Rules: <https://onnx.ai/onnx/operators/>.

use super::super::einsum::summed;
use super::super::operator::Operator;
use super::super::shape::{MOST_DIMENSIONS, Shape, axis, broadcast, concatenated, elements};
use super::constant::{FLOAT, INT32, INT64, MOST_VALUES, constant_tensor};
use super::messages::NodeProto;
use super::node::{Attributes, Inputs};
use super::rearranged::{reduced, reshape, slice, split, squeezed};
use super::resized::resized;
use super::tensor::Tensor;
use super::values::values;
use super::window::{transposed_convolution, windows};

/// Unsigned integers of 8 bits.
const UINT8: i32 = 2;
/// Booleans.
const BOOL: i32 = 9;

/// Functions of each element of their first input.
const SAME: [&str; 66] = [
    "Relu",
    "LeakyRelu",
    "Elu",
    "Selu",
    "Celu",
    "ThresholdedRelu",
    "Sigmoid",
    "HardSigmoid",
    "HardSwish",
    "Tanh",
    "Gelu",
    "Softplus",
    "Softsign",
    "Mish",
    "Exp",
    "Log",
    "Sqrt",
    "Reciprocal",
    "Abs",
    "Neg",
    "Sign",
    "Floor",
    "Ceil",
    "Round",
    "Erf",
    "Sin",
    "Cos",
    "Tan",
    "Not",
    "Identity",
    "Dropout",
    "Cast",
    "CastLike",
    "Clip",
    "Softmax",
    "LogSoftmax",
    "Hardmax",
    "BatchNormalization",
    "InstanceNormalization",
    "LayerNormalization",
    "GroupNormalization",
    "RMSNormalization",
    "LpNormalization",
    "MeanVarianceNormalization",
    "LRN",
    "CumSum",
    "QuantizeLinear",
    "DequantizeLinear",
    "IsNaN",
    "IsInf",
    "Trilu",
    "PRelu",
    "ScatterND",
    "ScatterElements",
    "Swish",
    "FastGelu",
    "QuickGelu",
    "BiasGelu",
    "SkipLayerNormalization",
    "SimplifiedLayerNormalization",
    "SkipSimplifiedLayerNormalization",
    "Shrink",
    "DynamicQuantizeLinear",
    "QLinearSigmoid",
    "QLinearLeakyRelu",
    "ReverseSequence",
];
/// Functions of several tensors, element by element.
const BROADCAST: [&str; 24] = [
    "Add",
    "Sub",
    "Mul",
    "Div",
    "Pow",
    "Mod",
    "Min",
    "Max",
    "Sum",
    "Mean",
    "Where",
    "Equal",
    "Greater",
    "Less",
    "GreaterOrEqual",
    "LessOrEqual",
    "And",
    "Or",
    "Xor",
    "BitShift",
    "BitwiseAnd",
    "BitwiseOr",
    "BitwiseXor",
    "Expand",
];

/// Outputs of a node; without a shape where there is no rule.
pub(super) fn outputs(node: &NodeProto, inputs: &[Option<&Tensor>]) -> Result<Vec<Tensor>, String> {
    let (attributes, inputs) = (Attributes(&node.attribute), Inputs(inputs));
    if node.op_type == "Constant" {
        return constant(&attributes).map(|tensor| vec![tensor]);
    }
    let data_type = data_type(node, &attributes, &inputs);
    if node.op_type == "Split" {
        let shapes = split(node, &attributes, &inputs);
        return Ok(shapes.into_iter().map(|shape| Tensor { shape, data_type, ..Tensor::default() }).collect());
    }
    if node.op_type == "DynamicQuantizeLinear" {
        // The quantised tensor, its scale and its zero point.
        let shapes = [(inputs.shape(0).cloned(), UINT8), (Some(Vec::new()), FLOAT), (Some(Vec::new()), UINT8)];
        return Ok(shapes.map(|(shape, data_type)| Tensor { shape, data_type, ..Tensor::default() }).to_vec());
    }
    if matches!(node.op_type.as_str(), "LSTM" | "GRU" | "RNN" | "DynamicQuantizeLSTM") {
        let shapes = recurrent(&inputs, node.op_type == "DynamicQuantizeLSTM");
        return Ok(shapes.into_iter().map(|shape| Tensor { shape, data_type, ..Tensor::default() }).collect());
    }
    let shape = shape(node, &attributes, &inputs).filter(|shape| shape.len() <= MOST_DIMENSIONS);
    let count = shape.as_deref().and_then(elements).filter(|count| *count <= MOST_VALUES as u64);
    let values = values(node, &attributes, &inputs).filter(|values| Some(values.len() as u64) == count);
    // Factors of a resizing pass through these.
    let is_passed = matches!(node.op_type.as_str(), "Identity" | "Cast" | "Reshape" | "Squeeze" | "Unsqueeze");
    let floats = inputs.floats(0).filter(|_| is_passed && data_type == FLOAT).map(<[_]>::to_vec);
    Ok(vec![Tensor { shape, values, floats, data_type, ..Tensor::default() }])
}

/// Element type of the first output.
fn data_type(node: &NodeProto, attributes: &Attributes<'_>, inputs: &Inputs<'_>) -> i32 {
    let of = |place: usize| inputs.tensor(place).map_or(0, |tensor| tensor.data_type);
    match node.op_type.as_str() {
        "Cast" => i32::try_from(attributes.number("to", 0)).unwrap_or(0),
        "Shape" | "Size" | "ArgMax" | "ArgMin" | "NonZero" => INT64,
        "ConvInteger" | "MatMulInteger" => INT32,
        "Equal" | "Greater" | "GreaterOrEqual" | "Less" | "LessOrEqual" | "And" | "Or" | "Xor" | "Not" | "IsNaN"
        | "IsInf" => BOOL,
        "DequantizeLinear" => [of(1), FLOAT].into_iter().find(|known| *known != 0).unwrap_or(FLOAT),
        "QuantizeLinear" | "DynamicQuantizeLinear" => {
            [of(2), UINT8].into_iter().find(|known| *known != 0).unwrap_or(UINT8)
        }
        "ConstantOfShape" => {
            attributes.find("value").and_then(|value| value.t.as_deref()).map_or(FLOAT, |value| value.data_type)
        }
        "Where" | "CastLike" => of(1),
        "OneHot" | "EmbedLayerNormalization" => of(2),
        _ => of(0),
    }
}

/// Shapes of the outputs of a recurrent layer: all steps, the last step, and the last state of the cells.
/// Quantised weights are transposed.
fn recurrent(inputs: &Inputs<'_>, is_quantised: bool) -> Vec<Option<Shape>> {
    let shapes = || {
        let (taken, recurrence) = (inputs.shape(0)?, inputs.shape(2)?);
        match (taken.as_slice(), recurrence.as_slice()) {
            ([steps, batch, _], [directions, rows, columns]) => {
                let hidden = if is_quantised { rows } else { columns };
                let last = vec![*directions, *batch, *hidden];
                Some([vec![*steps, *directions, *batch, *hidden], last.clone(), last])
            }
            _ => None,
        }
    };
    shapes().map_or_else(|| vec![None; 3], |shapes| shapes.map(Some).to_vec())
}

fn constant(attributes: &Attributes<'_>) -> Result<Tensor, String> {
    let given = attributes.0.first();
    if let Some(tensor) = given.and_then(|attribute| attribute.t.as_deref()) {
        return constant_tensor(tensor, &tensor.dims);
    }
    let is = |name: &str| given.is_some_and(|attribute| attribute.name == name);
    let ints: &[i64] = given.map_or(&[], |attribute| &attribute.ints);
    Ok(if is("value_ints") {
        let values = (ints.len() <= MOST_VALUES).then(|| ints.to_vec());
        Tensor { shape: Some(vec![u64::try_from(ints.len()).ok()]), values, data_type: INT64, ..Tensor::default() }
    } else if is("value_int") {
        let values = given.map(|attribute| vec![attribute.i]);
        Tensor { shape: Some(Vec::new()), values, data_type: INT64, ..Tensor::default() }
    } else if is("value_floats") {
        let floats: &[f32] = given.map_or(&[], |attribute| &attribute.floats);
        let shape = Some(vec![u64::try_from(floats.len()).ok()]);
        let floats = (floats.len() <= MOST_VALUES).then(|| floats.to_vec());
        Tensor { shape, floats, data_type: FLOAT, ..Tensor::default() }
    } else {
        let shape = is("value_float").then(Vec::new);
        Tensor { shape, data_type: FLOAT, ..Tensor::default() }
    })
}

fn shape(node: &NodeProto, attributes: &Attributes<'_>, inputs: &Inputs<'_>) -> Option<Shape> {
    let op_type = node.op_type.as_str();
    if SAME.contains(&op_type) {
        return inputs.shape(0).cloned();
    }
    if op_type == "Expand" {
        let target: Shape = inputs.values(1)?.iter().map(|size| u64::try_from(*size).ok()).collect();
        return broadcast(inputs.shape(0)?, &target);
    }
    if BROADCAST.contains(&op_type) {
        let mut shape = Vec::new();
        for place in 0..inputs.0.len() {
            shape = broadcast(&shape, inputs.shape(place)?)?;
        }
        return Some(shape);
    }
    match op_type {
        "Conv" | "ConvInteger" | "FusedConv" | "QLinearConv" => {
            let weights = inputs.shape(weights(op_type))?;
            windows(attributes, inputs.shape(0)?, weights.get(2..), weights.first().copied().flatten())
        }
        "MaxPool" | "AveragePool" | "LpPool" => {
            let shape = inputs.shape(0)?;
            windows(attributes, shape, None, shape.get(1).copied().flatten())
        }
        "ConvTranspose" => transposed_convolution(attributes, inputs),
        "GlobalAveragePool" | "GlobalMaxPool" | "GlobalLpPool" => {
            let shape = inputs.shape(0)?;
            Some(shape.iter().enumerate().map(|(place, size)| if place < 2 { *size } else { Some(1) }).collect())
        }
        "Gemm" => {
            let rows = inputs.shape(0)?.get(usize::from(attributes.number("transA", 0) != 0)).copied()?;
            let columns = inputs.shape(1)?.get(usize::from(attributes.number("transB", 0) == 0)).copied()?;
            Some(vec![rows, columns])
        }
        "MatMul" | "MatMulInteger" | "MatMulIntegerToFloat" | "DynamicQuantizeMatMul" => {
            product(inputs.shape(0)?, inputs.shape(1)?)
        }
        "QLinearMatMul" => product(inputs.shape(0)?, inputs.shape(3)?),
        "QLinearAdd" | "QLinearMul" => broadcast(inputs.shape(0)?, inputs.shape(3)?),
        "Einsum" => einsum(attributes, inputs).map(|(shape, _)| shape),
        "MatMulNBits" => {
            let (_, leading) = inputs.shape(0)?.split_last()?;
            let columns = u64::try_from(attributes.number("N", 0)).ok().filter(|columns| *columns > 0);
            Some(leading.iter().copied().chain([columns]).collect())
        }
        "Resize" | "Upsample" => resized(op_type, attributes, inputs),
        "DepthToSpace" | "SpaceToDepth" => blocks(op_type, attributes, inputs),
        "GatherElements" => inputs.shape(1).cloned(),
        "TopK" => {
            let mut shape = inputs.shape(0)?.clone();
            let at = axis(attributes.number("axis", -1), shape.len())?;
            shape[at] = inputs.values(1).and_then(|count| u64::try_from(*count.first()?).ok());
            Some(shape)
        }
        "Range" => {
            let [start, end, by] = [0, 1, 2].map(|place| {
                let whole = inputs.values(place).and_then(|value| value.first().copied());
                whole.or_else(|| whole_number(*inputs.floats(place)?.first()?))
            });
            Some(vec![start.zip(end).zip(by).and_then(|((start, end), by)| {
                let distance = if by > 0 { end.checked_sub(start)? } else { start.checked_sub(end)? };
                u64::try_from(distance.max(0))
                    .ok()?
                    .checked_add(by.unsigned_abs().checked_sub(1)?)?
                    .checked_div(by.unsigned_abs())
            })])
        }
        "Concat" => {
            let shapes: Option<Vec<&[Option<u64>]>> =
                (0..inputs.0.len()).map(|place| inputs.shape(place).map(Vec::as_slice)).collect();
            let shapes = shapes?;
            concatenated(&shapes, axis(attributes.number("axis", 0), shapes.first()?.len())?)
        }
        "Flatten" => {
            let shape = inputs.shape(0)?;
            let at = attributes.number("axis", 1);
            let at = if at == i64::try_from(shape.len()).ok()? { shape.len() } else { axis(at, shape.len())? };
            Some(vec![elements(&shape[..at]), elements(&shape[at..])])
        }
        "Reshape" => reshape(attributes, inputs),
        "Transpose" => {
            let shape = inputs.shape(0)?;
            match attributes.numbers("perm") {
                None => Some(shape.iter().rev().copied().collect()),
                Some(order) if order.len() == shape.len() => {
                    order.iter().map(|from| axis(*from, shape.len()).map(|from| shape[from])).collect()
                }
                Some(_) => None,
            }
        }
        "Squeeze" | "Unsqueeze" => squeezed(op_type, attributes, inputs),
        "Shape" => Some(vec![u64::try_from(inputs.shape(0)?.len()).ok()]),
        "Size" => Some(Vec::new()),
        "ConstantOfShape" => inputs.values(0)?.iter().map(|size| u64::try_from(*size).ok().map(Some)).collect(),
        "Gather" => {
            let (data, indices) = (inputs.shape(0)?, inputs.shape(1)?);
            let at = axis(attributes.number("axis", 0), data.len())?;
            Some(data[..at].iter().chain(indices).chain(&data[at + 1..]).copied().collect())
        }
        "Slice" => slice(attributes, inputs),
        "Pad" => {
            let (shape, pads) = (inputs.shape(0)?, attributes.numbers("pads").or_else(|| inputs.values(1))?);
            if pads.len() != 2 * shape.len() || inputs.tensor(3).is_some() {
                return None;
            }
            let sizes = shape.iter().enumerate().map(|(place, size)| {
                let both = pads[place].checked_add(pads[place + shape.len()])?;
                (*size)?.checked_add_signed(both)
            });
            Some(sizes.collect())
        }
        "Tile" => {
            let (shape, repeats) = (inputs.shape(0)?, inputs.values(1)?);
            let sizes =
                shape.iter().zip(repeats).map(|(size, times)| (*size)?.checked_mul(u64::try_from(*times).ok()?));
            (shape.len() == repeats.len()).then(|| sizes.collect())
        }
        _ if op_type.starts_with("Reduce") || op_type.starts_with("Arg") => reduced(attributes, inputs, op_type),
        _ => None,
    }
}

/// A whole number that is written as a floating-point number.
fn whole_number(number: f32) -> Option<i64> {
    #[expect(clippy::cast_possible_truncation, reason = "whole and bounded")]
    let whole = number as i64;
    (number.fract() == 0.0 && number.abs() < 1e6).then_some(whole)
}

/// Shape and multiply-adds of an Einstein summation.
fn einsum(attributes: &Attributes<'_>, inputs: &Inputs<'_>) -> Option<(Shape, Option<u64>)> {
    let shapes: Option<Vec<&[Option<u64>]>> =
        (0..inputs.0.len()).map(|place| inputs.shape(place).map(Vec::as_slice)).collect();
    summed(std::str::from_utf8(attributes.text("equation")).ok()?, &shapes?)
}

/// Place of the weights among the inputs of a convolution.
fn weights(op_type: &str) -> usize {
    if op_type == "QLinearConv" { 3 } else { 1 }
}

/// Shape of an image whose blocks become channels, or the reverse.
fn blocks(op_type: &str, attributes: &Attributes<'_>, inputs: &Inputs<'_>) -> Option<Shape> {
    let [batch, channels, height, width] = inputs.shape(0)?.as_slice() else { return None };
    let size = u64::try_from(attributes.number("blocksize", 0)).ok().filter(|size| *size > 0)?;
    let area = size.checked_mul(size)?;
    let more = |count: &Option<u64>, by: u64| count.and_then(|count| count.checked_mul(by));
    let less = |count: &Option<u64>, by: u64| count.and_then(|count| count.checked_div(by));
    Some(if op_type == "DepthToSpace" {
        vec![*batch, less(channels, area), more(height, size), more(width, size)]
    } else {
        vec![*batch, more(channels, area), less(height, size), less(width, size)]
    })
}

/// Shape of a matrix product with leading dimensions, as that of `NumPy`'s `matmul`.
fn product(a: &[Option<u64>], b: &[Option<u64>]) -> Option<Shape> {
    let (a_rows, b_columns) = (a.len() > 1, b.len() > 1);
    let leading = |shape: &[Option<u64>]| shape[..shape.len().saturating_sub(2)].to_vec();
    let mut shape = broadcast(&leading(a), &leading(b))?;
    if a_rows {
        shape.push(a[a.len() - 2]);
    }
    if b_columns {
        shape.push(b[b.len() - 1]);
    }
    (!a.is_empty() && !b.is_empty()).then_some(shape)
}

/// Steps for [`Operator::flops`], from input and output elements of one sample, and the batch in the shapes.
pub(super) fn steps(
    node: &NodeProto,
    operator: &Operator,
    inputs: &[Option<&Tensor>],
    input: Option<u64>,
    output: Option<u64>,
    batch: u64,
) -> Option<u64> {
    let (attributes, inputs) = (Attributes(&node.attribute), Inputs(inputs));
    match operator {
        // Each output sums over the weights of its filter.
        Operator::Conv2D => output?.checked_mul(elements(inputs.shape(weights(&node.op_type))?.get(1..)?)?),
        // Each input is spread over the weights of its channel.
        Operator::ConvTranspose => input?.checked_mul(elements(inputs.shape(1)?.get(1..)?)?),
        Operator::MatMul if node.op_type == "Einsum" => einsum(&attributes, &inputs)?.1?.checked_div(batch),
        Operator::MatMul => {
            let shape = inputs.shape(0)?;
            let is_turned = node.op_type == "Gemm" && attributes.number("transA", 0) != 0;
            let summed = if is_turned { shape.first() } else { shape.last() };
            output?.checked_mul((*summed?)?)
        }
        Operator::MaxPool | Operator::AvgPool => match attributes.numbers("kernel_shape") {
            Some(sizes) => {
                let sizes: Shape = sizes.iter().map(|size| u64::try_from(*size).ok()).collect();
                output?.checked_mul(elements(&sizes)?)
            }
            None => input.filter(|_| node.op_type.starts_with("Global")),
        },
        Operator::Recurrent => {
            let per_step = elements(inputs.shape(1)?)?.checked_add(elements(inputs.shape(2)?)?)?;
            let features = (*inputs.shape(0)?.get(2)?)?;
            elements(inputs.shape(0)?)?.checked_div(features)?.checked_div(batch)?.checked_mul(per_step)
        }
        _ => None,
    }
}
