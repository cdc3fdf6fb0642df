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
        "Slice" => {
            let data = inputs.values(0).filter(|_| inputs.shape(0).is_some_and(|shape| shape.len() == 1))?;
            let ([start], [end]) = (inputs.values(1)?, inputs.values(2)?) else { return None };
            if inputs.values(4).is_some_and(|by| by != [1]) {
                return None;
            }
            let size = i64::try_from(data.len()).ok()?;
            let count = usize::try_from(taken(size, *start, *end, 1)?).ok()?;
            let from = if *start < 0 { start.saturating_add(size) } else { *start }.clamp(0, size);
            Some(data.iter().skip(usize::try_from(from).ok()?).take(count).copied().collect())
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
