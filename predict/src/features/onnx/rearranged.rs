//! Output shapes of operators that select, reduce or rearrange the elements of a tensor.

use super::super::shape::{MOST_DIMENSIONS, Shape, axis, elements, filled, taken};
use super::messages::NodeProto;
use super::node::{Attributes, Inputs};

/// Most parts of a tensor.
const MOST_PARTS: usize = 4_096;

/// Shape of a reshaping: 0 keeps a dimension, −1 takes the remaining elements.
pub(super) fn reshape(attributes: &Attributes<'_>, inputs: &Inputs<'_>) -> Option<Shape> {
    let target = attributes.numbers("shape").or_else(|| inputs.values(1))?;
    let from = inputs.shape(0);
    let keeps_zero = attributes.number("allowzero", 0) != 0;
    let target: Vec<Option<i64>> = target
        .iter()
        .enumerate()
        .map(|(place, size)| match size {
            0 if !keeps_zero => from.and_then(|from| *from.get(place)?).and_then(|size| i64::try_from(size).ok()),
            size => Some(*size),
        })
        .collect();
    Some(filled(&target, from.and_then(|from| elements(from))))
}

/// Shape with dimensions of 1 removed or inserted.
pub(super) fn squeezed(op_type: &str, attributes: &Attributes<'_>, inputs: &Inputs<'_>) -> Option<Shape> {
    let shape = inputs.shape(0)?;
    let axes = attributes.numbers("axes").or_else(|| inputs.values(1));
    if op_type == "Squeeze" {
        let Some(axes) = axes else {
            // Without axes every dimension of 1 is removed; an unknown dimension may be 1.
            return shape
                .iter()
                .all(Option::is_some)
                .then(|| shape.iter().filter(|size| **size != Some(1)).copied().collect());
        };
        let gone: Option<Vec<usize>> = axes.iter().map(|at| axis(*at, shape.len())).collect();
        let gone = gone?;
        return Some((0..shape.len()).filter(|place| !gone.contains(place)).map(|place| shape[place]).collect());
    }
    let axes = axes.filter(|axes| axes.len() <= MOST_DIMENSIONS)?;
    let rank = shape.len() + axes.len();
    let new: Option<Vec<usize>> = axes.iter().map(|at| axis(*at, rank)).collect();
    let new = new?;
    let mut rest = shape.iter();
    (0..rank).map(|place| if new.contains(&place) { Some(Some(1)) } else { rest.next().copied() }).collect()
}

/// Shape of a reduction along dimensions.
pub(super) fn reduced(attributes: &Attributes<'_>, inputs: &Inputs<'_>, op_type: &str) -> Option<Shape> {
    let shape = inputs.shape(0)?;
    let single = [attributes.number("axis", 0)];
    let axes = if op_type.starts_with("Arg") {
        Some(&single[..])
    } else if inputs.tensor(1).is_some() {
        Some(inputs.values(1)?)
    } else {
        attributes.numbers("axes")
    };
    let keeps = attributes.number("keepdims", 1) != 0;
    let gone: Vec<usize> = match axes {
        Some(axes) => axes.iter().map(|at| axis(*at, shape.len())).collect::<Option<_>>()?,
        None if attributes.number("noop_with_empty_axes", 0) != 0 => Vec::new(),
        None => (0..shape.len()).collect(),
    };
    let sizes = shape.iter().enumerate().filter_map(|(place, size)| match (gone.contains(&place), keeps) {
        (false, _) => Some(*size),
        (true, true) => Some(Some(1)),
        (true, false) => None,
    });
    Some(sizes.collect())
}

/// Shape of a part of a tensor.
pub(super) fn slice(attributes: &Attributes<'_>, inputs: &Inputs<'_>) -> Option<Shape> {
    let mut shape = inputs.shape(0)?.clone();
    let starts = attributes.numbers("starts").or_else(|| inputs.values(1))?;
    let ends = attributes.numbers("ends").or_else(|| inputs.values(2))?;
    if inputs.tensor(3).is_some_and(|axes| axes.values.is_none())
        || inputs.tensor(4).is_some_and(|by| by.values.is_none())
    {
        return None;
    }
    let axes = attributes.numbers("axes").or_else(|| inputs.values(3));
    for (place, (start, end)) in starts.iter().zip(ends).enumerate() {
        let along = match axes {
            Some(axes) => axis(*axes.get(place)?, shape.len())?,
            None => (place < shape.len()).then_some(place)?,
        };
        let by = inputs.values(4).map_or(Some(1), |by| by.get(place).copied())?;
        shape[along] = shape[along].and_then(|size| taken(i64::try_from(size).ok()?, *start, *end, by));
    }
    Some(shape)
}

/// Shapes of the parts of a tensor, if they are not too many.
pub(super) fn split(node: &NodeProto, attributes: &Attributes<'_>, inputs: &Inputs<'_>) -> Vec<Option<Shape>> {
    let count = node.output.len();
    if count > MOST_PARTS {
        return Vec::new();
    }
    let nothing = vec![None; count];
    let Some(shape) = inputs.shape(0) else { return nothing };
    let Some(along) = axis(attributes.number("axis", 0), shape.len()) else { return nothing };
    if inputs.tensor(1).is_some_and(|sizes| sizes.values.is_none()) {
        return nothing;
    }
    let declared = attributes.numbers("split").or_else(|| inputs.values(1));
    let each = u64::try_from(count).ok().and_then(|count| Some(shape[along]?.div_ceil(count)));
    let sizes = (0..count as u64).map(|place| match (declared, usize::try_from(place)) {
        (Some(declared), Ok(place)) => declared.get(place).and_then(|size| u64::try_from(*size).ok()),
        _ => each.and_then(|each| Some(shape[along]?.saturating_sub(each.checked_mul(place)?).min(each))),
    });
    sizes
        .map(|size| {
            let mut part = shape.clone();
            part[along] = size;
            Some(part)
        })
        .collect()
}
