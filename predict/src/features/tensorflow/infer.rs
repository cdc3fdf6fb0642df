//! Output shapes, small integers and multiply-adds of the operators of `TensorFlow`:
//! <https://www.tensorflow.org/api_docs/python/tf/raw_ops>.

use super::super::einsum::summed;
use super::super::operator::Operator;
use super::super::shape::{Padding, Shape, Window, axis, broadcast, elements, filled};
use super::node::{Inputs, MOST_VALUES, Node};
use super::rearranged::{rearranged, strided};

/// The shape of the first output of a node; `None` without a rule or a needed size.
pub(super) fn shape(node: &Node<'_>, inputs: &Inputs<'_>) -> Option<Shape> {
    let first = || inputs.shape(0);
    match node.op {
        "Conv2D" | "_FusedConv2D" => {
            let filter = inputs.shape(1)?;
            windows(node, first()?, [*filter.first()?, *filter.get(1)?], *filter.get(3)?)
        }
        "DepthwiseConv2dNative" => {
            let filter = inputs.shape(1)?;
            let channels = (*filter.get(2)?).zip(*filter.get(3)?).and_then(|(of, by)| of.checked_mul(by));
            windows(node, first()?, [*filter.first()?, *filter.get(1)?], channels)
        }
        "MaxPool" | "MaxPoolV2" | "AvgPool" => {
            let [height, width] = of_image(node, &node.numbers("ksize"))?;
            let channels = *first()?.get(channels_at(node, first()?.len()))?;
            windows(node, first()?, [height, width].map(|size| u64::try_from(size).ok()), channels)
        }
        // The sizes of the output are the first input.
        "Conv2DBackpropInput" | "Fill" => Some(sizes(inputs.values(0)?)),
        "BroadcastTo" => Some(sizes(inputs.values(1)?)),
        "ResizeBilinear" | "ResizeNearestNeighbor" | "ResizeBicubic" => {
            match (first()?.as_slice(), inputs.values(1)?) {
                ([batch, _, _, channels], [height, width]) => {
                    Some(vec![*batch, u64::try_from(*height).ok(), u64::try_from(*width).ok(), *channels])
                }
                _ => None,
            }
        }
        "Einsum" => einsum(node, inputs).map(|(shape, _)| shape),
        "MatMul" | "_FusedMatMul" => {
            let side = |place: usize, is_turned: bool| inputs.shape(place)?.get(usize::from(is_turned)).copied();
            Some(vec![side(0, node.is("transpose_a"))?, side(1, !node.is("transpose_b"))?])
        }
        "BatchMatMul" | "BatchMatMulV2" | "BatchMatMulV3" => {
            let (a, b) = (first()?, inputs.shape(1)?);
            let at = |shape: &Shape, from_end: usize| shape.len().checked_sub(from_end).map(|place| shape[place]);
            let mut shape = broadcast(a.get(..a.len().checked_sub(2)?)?, b.get(..b.len().checked_sub(2)?)?)?;
            shape.push(at(a, if node.is("adj_x") { 1 } else { 2 })?);
            shape.push(at(b, if node.is("adj_y") { 2 } else { 1 })?);
            Some(shape)
        }
        "Mean" | "Sum" | "Max" | "Min" | "Prod" | "ArgMax" | "ArgMin" => {
            let (shape, axes) = (first()?, inputs.values(1)?);
            let gone: Vec<usize> = axes.iter().map(|at| axis(*at, shape.len())).collect::<Option<_>>()?;
            let keeps = node.is("keep_dims");
            let sizes = shape.iter().enumerate().filter_map(|(place, size)| match (gone.contains(&place), keeps) {
                (false, _) => Some(*size),
                (true, true) => Some(Some(1)),
                (true, false) => None,
            });
            Some(sizes.collect())
        }
        "Reshape" => {
            let target: Vec<Option<i64>> = inputs.values(1)?.iter().copied().map(Some).collect();
            Some(filled(&target, first().and_then(|shape| elements(shape))))
        }
        "Squeeze" => {
            let (shape, axes) = (first()?, node.numbers("squeeze_dims"));
            let gone: Vec<usize> = axes.iter().map(|at| axis(*at, shape.len())).collect::<Option<_>>()?;
            let is_kept = |place: usize| if gone.is_empty() { shape[place] != Some(1) } else { !gone.contains(&place) };
            Some((0..shape.len()).filter(|place| is_kept(*place)).map(|place| shape[place]).collect())
        }
        "ExpandDims" => {
            let mut shape = first()?.clone();
            let at = axis(*inputs.values(1)?.first()?, shape.len() + 1)?;
            shape.insert(at, Some(1));
            Some(shape)
        }
        "Shape" => Some(vec![u64::try_from(first()?.len()).ok()]),
        "Add" | "AddV2" | "Sub" | "Mul" | "RealDiv" | "Div" | "Maximum" | "Minimum" | "Pow" | "SquaredDifference"
        | "FloorDiv" | "Greater" | "GreaterEqual" | "Less" | "LessEqual" | "Equal" | "LogicalAnd" | "LogicalOr" => {
            broadcast(first()?, inputs.shape(1)?)
        }
        "Select" | "SelectV2" => broadcast(inputs.shape(1)?, inputs.shape(2)?),
        op if is_elementwise(&Operator::named(op))
            || matches!(
                op,
                "Identity"
                    | "IdentityN"
                    | "StopGradient"
                    | "Cast"
                    | "ReadVariableOp"
                    | "PlaceholderWithDefault"
                    | "ZerosLike"
                    | "OnesLike"
                    | "Roll"
                    | "ReverseV2"
            ) =>
        {
            first().cloned()
        }
        _ => rearranged(node, inputs),
    }
}

/// Whether the output of an operator is as large as its first input.
fn is_elementwise(operator: &Operator) -> bool {
    matches!(
        operator,
        Operator::Relu
            | Operator::Softmax
            | Operator::BiasAdd
            | Operator::AddV2
            | Operator::Mul
            | Operator::BatchNorm
            | Operator::LayerNorm
            | Operator::Gelu
            | Operator::Sigmoid
            | Operator::Tanh
            | Operator::Silu
            | Operator::Dropout
            | Operator::Elementwise(_)
    )
}

fn sizes(values: &[i64]) -> Shape {
    values.iter().map(|size| u64::try_from(*size).ok()).collect()
}

/// Shape and multiply-adds of an Einstein summation.
fn einsum(node: &Node<'_>, inputs: &Inputs<'_>) -> Option<(Shape, Option<u64>)> {
    let shapes: Option<Vec<&[Option<u64>]>> =
        (0..inputs.0.len()).map(|place| inputs.shape(place).map(Vec::as_slice)).collect();
    summed(node.text("equation"), &shapes?)
}

/// Integers that a node gives: sizes of shapes, from which target shapes are made.
pub(super) fn values(node: &Node<'_>, inputs: &Inputs<'_>) -> Option<Vec<i64>> {
    match node.op {
        "Identity" | "Cast" => inputs.values(0).map(<[_]>::to_vec),
        "Shape" => inputs.shape(0)?.iter().map(|size| i64::try_from((*size)?).ok()).collect(),
        "Pack" => {
            let values = (0..inputs.0.len().min(MOST_VALUES + 1)).map(|place| inputs.values(place)?.first().copied());
            values.collect::<Option<Vec<i64>>>().filter(|values| values.len() <= MOST_VALUES)
        }
        // One element of a shape, or several in order.
        "StridedSlice" => {
            let (all, begin) = (inputs.values(0)?, inputs.values(1)?);
            if inputs.shape(0)?.len() != 1 || inputs.values(3).is_some_and(|by| by != [1]) {
                return None;
            }
            let start = if node.number("begin_mask") == Some(1) { 0 } else { axis(*begin.first()?, all.len())? };
            let count = strided(node, inputs)?.first().map_or(Some(1), |count| usize::try_from((*count)?).ok())?;
            Some(all.get(start..start.checked_add(count)?)?.to_vec())
        }
        "Prod" => {
            let all = inputs.values(0)?;
            Some(vec![all.iter().try_fold(1_i64, |product, value| product.checked_mul(*value))?])
        }
        "ConcatV2" => {
            let parts: Vec<&[i64]> =
                (0..inputs.0.len().checked_sub(1)?).map(|place| inputs.values(place)).collect::<Option<_>>()?;
            Some(parts.concat()).filter(|all| all.len() <= MOST_VALUES)
        }
        "GatherV2" => {
            let (all, at) = (inputs.values(0)?, inputs.values(1)?);
            let is_list = inputs.shape(0)?.len() == 1;
            at.iter().map(|at| axis(*at, all.len()).map(|at| all[at])).collect::<Option<_>>().filter(|_| is_list)
        }
        "Add" | "AddV2" | "Sub" | "Mul" | "FloorDiv" => {
            let ([a], [b]) = (inputs.values(0)?, inputs.values(1)?) else { return None };
            let value = match node.op {
                "Sub" => a.checked_sub(*b),
                "Mul" => a.checked_mul(*b),
                "FloorDiv" => a.checked_div_euclid(*b),
                _ => a.checked_add(*b),
            };
            value.map(|value| vec![value])
        }
        _ => None,
    }
}

/// Steps for [`Operator::flops`], from input and output elements of one sample.
pub(super) fn steps(node: &Node<'_>, inputs: &Inputs<'_>, [input, output]: [Option<u64>; 2]) -> Option<u64> {
    match node.op {
        "Conv2D" | "_FusedConv2D" => output?.checked_mul(elements(inputs.shape(1)?.get(..3)?)?),
        "DepthwiseConv2dNative" => output?.checked_mul(elements(inputs.shape(1)?.get(..2)?)?),
        // Each input is spread over the weights of its channel.
        "Conv2DBackpropInput" => elements(inputs.shape(2)?)?.checked_mul(elements(inputs.shape(1)?.get(..3)?)?),
        "Einsum" => einsum(node, inputs)?.1,
        "MatMul" | "_FusedMatMul" => {
            output?.checked_mul((*inputs.shape(0)?.get(usize::from(!node.is("transpose_a")))?)?)
        }
        "BatchMatMul" | "BatchMatMulV2" | "BatchMatMulV3" => {
            let shape = inputs.shape(0)?;
            let at = shape.len().checked_sub(if node.is("adj_x") { 2 } else { 1 })?;
            output?.checked_mul(shape[at]?)
        }
        "MaxPool" | "MaxPoolV2" | "AvgPool" => {
            let window: Option<Shape> =
                Some(node.numbers("ksize").iter().map(|size| u64::try_from(*size).ok()).collect());
            window.and_then(|window| elements(&window)).map_or(input, |window| output?.checked_mul(window))
        }
        _ => None,
    }
}

/// Place of the channels of an image.
fn channels_at(node: &Node<'_>, rank: usize) -> usize {
    if node.text("data_format") == "NCHW" { 1 } else { rank.saturating_sub(1) }
}

/// Numbers of height and width, of a list for all four dimensions; 1 if there is none.
fn of_image(node: &Node<'_>, numbers: &[i64]) -> Option<[i64; 2]> {
    let at = if node.text("data_format") == "NCHW" { 2 } else { 1 };
    match numbers {
        [] => Some([1, 1]),
        [_, _, _, _] => Some([numbers[at], numbers[at + 1]]),
        _ => None,
    }
}

/// Shape after a window moved over an image.
fn windows(node: &Node<'_>, shape: &Shape, window: [Option<u64>; 2], channels: Option<u64>) -> Option<Shape> {
    if shape.len() != 4 {
        return None;
    }
    let at = if node.text("data_format") == "NCHW" { 2 } else { 1 };
    let [strides, dilations] = ["strides", "dilations"].map(|name| of_image(node, &node.numbers(name)));
    let (strides, dilations) = (strides?, dilations?);
    let explicit = node.numbers("explicit_paddings");
    let mut after = shape.clone();
    for place in 0..2 {
        let padding = match node.text("padding") {
            "SAME" => Padding::Same,
            "EXPLICIT" => {
                let of = |side: usize| u64::try_from(*explicit.get(2 * (at + place) + side)?).ok();
                Padding::Explicit { both: of(0)?.checked_add(of(1)?)?, ceil: false }
            }
            _ => Padding::Explicit { both: 0, ceil: false },
        };
        let [stride, dilation] = [strides[place], dilations[place]].map(|number| u64::try_from(number).ok());
        let moving = window[place].zip(stride).zip(dilation);
        let outputs = moving.and_then(|((size, stride), dilation)| {
            Window { size, stride, dilation, padding }.outputs(shape[at + place]?)
        });
        after[at + place] = outputs;
    }
    after[channels_at(node, 4)] = channels;
    Some(after)
}
