//! Output shapes of operators that select, join or rearrange the elements of tensors.

use super::super::shape::{MOST_DIMENSIONS, Shape, axis, concatenated, taken};
use super::node::{Inputs, Node};

/// The shape of the first output of a node; `None` without a rule or a needed size.
pub(super) fn rearranged(node: &Node<'_>, inputs: &Inputs<'_>) -> Option<Shape> {
    let first = || inputs.shape(0);
    match node.op {
        "ConcatV2" => {
            let count = inputs.0.len().checked_sub(1)?;
            let shapes: Vec<&[Option<u64>]> =
                (0..count).map(|place| inputs.shape(place).map(Vec::as_slice)).collect::<Option<_>>()?;
            concatenated(&shapes, axis(*inputs.values(count)?.first()?, shapes.first()?.len())?)
        }
        "Pad" | "PadV2" | "MirrorPad" => {
            let (shape, pads) = (first()?, inputs.values(1)?);
            let sizes = shape.iter().zip(pads.as_chunks::<2>().0);
            let padded = sizes.map(|(size, [before, after])| (*size)?.checked_add_signed(before.checked_add(*after)?));
            (pads.len() == 2 * shape.len()).then(|| padded.collect())
        }
        "Transpose" => {
            let (shape, order) = (first()?, inputs.values(1)?);
            let from = order.iter().map(|from| axis(*from, shape.len()).map(|from| shape[from]));
            from.collect::<Option<Shape>>().filter(|turned| turned.len() == shape.len())
        }
        "Gather" | "GatherV2" | "ResourceGather" => {
            let (data, indices) = (first()?, inputs.shape(1)?);
            let at = inputs.values(2).map_or(Some(0), |at| axis(*at.first()?, data.len()))?;
            Some(data.get(..at)?.iter().chain(indices).chain(data.get(at + 1..)?).copied().collect())
        }
        "Pack" => {
            let mut shape = first()?.clone();
            let at = axis(node.number("axis").unwrap_or(0), shape.len() + 1)?;
            shape.insert(at, u64::try_from(inputs.0.len()).ok());
            Some(shape)
        }
        "StridedSlice" => strided(node, inputs),
        "Slice" => {
            let sizes = first()?.iter().zip(inputs.values(1)?).zip(inputs.values(2)?);
            let of = |((all, begin), size): ((&Option<u64>, &i64), &i64)| match size {
                -1 => all.and_then(|all| all.checked_sub(u64::try_from(*begin).ok()?)),
                size => u64::try_from(*size).ok(),
            };
            Some(sizes.map(of).collect())
        }
        "Tile" => {
            let sizes = first()?.iter().zip(inputs.values(1)?);
            Some(sizes.map(|(size, times)| (*size)?.checked_mul(u64::try_from(*times).ok()?)).collect())
        }
        "Split" => {
            let mut shape = inputs.shape(1)?.clone();
            let at = axis(*inputs.values(0)?.first()?, shape.len())?;
            let parts = u64::try_from(node.number("num_split")?).ok()?;
            shape[at] = shape[at].and_then(|size| size.checked_div(parts));
            Some(shape)
        }
        "SplitV" => {
            let mut shape = first()?.clone();
            let at = axis(*inputs.values(2)?.first()?, shape.len())?;
            shape[at] = inputs.values(1).and_then(|sizes| u64::try_from(*sizes.first()?).ok());
            Some(shape)
        }
        "Unpack" => {
            let mut shape = first()?.clone();
            shape.remove(axis(node.number("axis").unwrap_or(0), shape.len())?);
            Some(shape)
        }
        "OneHot" => {
            let depth = inputs.values(1).and_then(|depth| u64::try_from(*depth.first()?).ok());
            Some(first()?.iter().copied().chain([depth]).collect())
        }
        _ => None,
    }
}

/// Shape of a part of a tensor; bits of the masks stand for dimensions of the part.
pub(super) fn strided(node: &Node<'_>, inputs: &Inputs<'_>) -> Option<Shape> {
    let shape = inputs.shape(0)?;
    let (begin, end, by) = (inputs.values(1)?, inputs.values(2)?, inputs.values(3)?);
    if begin.len() > MOST_DIMENSIONS || begin.len() != end.len() || begin.len() != by.len() {
        return None;
    }
    let is = |mask: &str, place: usize| (node.number(mask).unwrap_or(0) >> place) & 1 == 1;
    let (mut part, mut at) = (Shape::new(), 0);
    for place in 0..begin.len() {
        if is("ellipsis_mask", place) {
            let after = (place + 1..begin.len()).filter(|place| !is("new_axis_mask", *place)).count();
            let until = shape.len().checked_sub(after)?;
            part.extend(shape.get(at..until)?);
            at = until;
        } else if is("new_axis_mask", place) {
            part.push(Some(1));
        } else {
            let size = *shape.get(at)?;
            at += 1;
            if is("shrink_axis_mask", place) {
                continue;
            }
            let forward = by[place] > 0;
            let start = match (is("begin_mask", place), forward) {
                (false, _) => begin[place],
                (true, true) => 0,
                (true, false) => i64::MAX,
            };
            let stop = match (is("end_mask", place), forward) {
                (false, _) => end[place],
                (true, true) => i64::MAX,
                (true, false) => i64::MIN,
            };
            part.push(size.and_then(|size| taken(i64::try_from(size).ok()?, start, stop, by[place])));
        }
    }
    part.extend(shape.get(at..)?);
    Some(part)
}
