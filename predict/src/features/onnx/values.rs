//! Small integer tensors that nodes compute from others: exporters compute target shapes this way.

use super::super::shape::{Shape, axis, elements, taken};
use super::constant::{MOST_VALUES, constant_tensor};
use super::messages::NodeProto;
use super::node::{Attributes, Inputs};

/// Integers that a node gives; `None` if unknown or not integers.
pub(super) fn values(node: &NodeProto, attributes: &Attributes<'_>, inputs: &Inputs<'_>) -> Option<Vec<i64>> {
    match node.op_type.as_str() {
        "Identity" | "Cast" | "Unsqueeze" | "Squeeze" | "Reshape" => inputs.values(0).map(<[_]>::to_vec),
        "Shape" => {
            let shape = inputs.shape(0)?;
            let (start, end) = (attributes.number("start", 0), attributes.number("end", i64::MAX));
            let rank = i64::try_from(shape.len()).ok()?;
            let place =
                |at: i64| usize::try_from(if at < 0 { at.saturating_add(rank) } else { at }.clamp(0, rank)).ok();
            let kept = shape.get(place(start)?..place(end)?)?;
            kept.iter().map(|size| i64::try_from((*size)?).ok()).collect()
        }
        "Gather" => {
            let (data, indices) = (inputs.values(0)?, inputs.values(1)?);
            let is_list = inputs.shape(0)?.len() == 1;
            indices.iter().map(|at| axis(*at, data.len()).map(|at| data[at])).collect::<Option<_>>().filter(|_| is_list)
        }
        "Concat" => {
            let mut all = Vec::new();
            for place in 0..inputs.0.len() {
                all.extend_from_slice(inputs.values(place)?);
                if all.len() > MOST_VALUES {
                    return None;
                }
            }
            Some(all)
        }
        "Slice" => rows(inputs),
        "Transpose" => {
            let (data, shape) = (inputs.values(0)?, inputs.shape(0)?);
            let [Some(_), Some(columns)] = shape.as_slice() else { return None };
            let columns = usize::try_from(*columns).ok()?;
            let turned = (0..columns).flat_map(|column| data.iter().skip(column).step_by(columns)).copied().collect();
            attributes.numbers("perm").is_none_or(|order| order == [1, 0]).then_some(turned)
        }
        "ConstantOfShape" => {
            let shape: Shape = inputs.values(0)?.iter().map(|size| u64::try_from(*size).ok()).collect();
            let count = usize::try_from(elements(&shape)?).ok().filter(|count| *count <= MOST_VALUES)?;
            let filling = attributes.find("value").and_then(|value| value.t.as_deref());
            let filling = constant_tensor(filling?, &filling?.dims).ok()?.values?;
            Some(vec![*filling.first()?; count])
        }
        "Where" => {
            let (which, a, b) = (inputs.values(0)?, inputs.values(1)?, inputs.values(2)?);
            let count = which.len().max(a.len()).max(b.len());
            let at = |values: &[i64], place: usize| values.get(if values.len() == 1 { 0 } else { place }).copied();
            (0..count).map(|place| if at(which, place)? != 0 { at(a, place) } else { at(b, place) }).collect()
        }
        "Add" | "Sub" | "Mul" | "Div" | "Mod" | "Equal" => {
            let (a, b) = (inputs.values(0)?, inputs.values(1)?);
            let count = a.len().max(b.len());
            if (a.len() != count && a.len() != 1) || (b.len() != count && b.len() != 1) {
                return None;
            }
            let at = |values: &[i64], place: usize| if values.len() == 1 { values[0] } else { values[place] };
            let computed = (0..count).map(|place| {
                let (a, b) = (at(a, place), at(b, place));
                match node.op_type.as_str() {
                    "Add" => a.checked_add(b),
                    "Sub" => a.checked_sub(b),
                    "Mul" => a.checked_mul(b),
                    "Mod" => a.checked_rem_euclid(b),
                    "Equal" => Some(i64::from(a == b)),
                    _ => a.checked_div(b),
                }
            });
            computed.collect()
        }
        _ => None,
    }
}

/// Rows of a small tensor from a start to an end, with a step: exporters reverse the order of paddings this way.
fn rows(inputs: &Inputs<'_>) -> Option<Vec<i64>> {
    let (data, shape) = (inputs.values(0)?, inputs.shape(0)?);
    let ([start], [end]) = (inputs.values(1)?, inputs.values(2)?) else { return None };
    if shape.len() > 1 && inputs.values(3).is_some_and(|axes| axes != [0]) {
        return None;
    }
    let by = inputs.values(4).map_or(Some(1), |by| by.first().copied())?;
    let size = (*shape.first()?)?;
    let row = data.len().checked_div(usize::try_from(size).ok()?)?;
    let size = i64::try_from(size).ok()?;
    let count = i64::try_from(taken(size, *start, *end, by)?).ok()?;
    let first = if *start < 0 { start.saturating_add(size) } else { *start }.clamp(0, size - 1);
    let mut found = Vec::new();
    for step in 0..count {
        let at = usize::try_from(step.checked_mul(by)?.checked_add(first)?).ok()?;
        found.extend_from_slice(data.get(at.checked_mul(row)?..at.checked_add(1)?.checked_mul(row)?)?);
    }
    Some(found)
}
