//! Calls of the layers of a functional model: the tensors that they take, and an order in which each has its inputs.

use std::collections::BTreeMap;

use serde_json::Value;

use super::super::network::shown;
use super::super::shape::Shape;
use super::super::topological::Edges;
use super::layers::{name_of, shape_of};

/// A call of a layer, with its input tensors.
pub(super) struct Call {
    pub(super) layer: usize,
    pub(super) takes: Vec<Reference>,
}

/// A tensor: the output of a call of a layer.
#[derive(Clone)]
pub(super) struct Reference {
    pub(super) layer: String,
    pub(super) call: usize,
    /// Its shape, if the reference has it.
    pub(super) shape: Option<Shape>,
}

/// All tensors that a value refers to, in order: `["conv2d", 0, 0, {…}]` or a `__keras_tensor__`. A JSON is no deeper than its
/// reader allows, 128.
pub(super) fn references(value: &Value, found: &mut Vec<Reference>, values: &mut usize) {
    *values += 1;
    let call = |number: &Value| number.as_u64().and_then(|number| usize::try_from(number).ok());
    match value {
        Value::Array(parts) => {
            if let [Value::String(layer), number, Value::Number(_), rest @ ..] = parts.as_slice()
                && let Some(call) = call(number)
            {
                found.push(Reference { layer: layer.clone(), call, shape: None });
                for part in rest {
                    references(part, found, values);
                }
                return;
            }
            for part in parts {
                references(part, found, values);
            }
        }
        Value::Object(fields) => {
            let config = fields
                .get("config")
                .filter(|_| fields.get("class_name").is_some_and(|name| name == "__keras_tensor__"));
            if let Some([Value::String(layer), number, ..]) =
                config.and_then(|config| config.get("keras_history")).and_then(Value::as_array).map(Vec::as_slice)
                && let Some(call) = call(number)
            {
                let shape = config.and_then(|config| config.get("shape")).and_then(shape_of);
                found.push(Reference { layer: layer.clone(), call, shape });
                return;
            }
            // Positional arguments come first.
            for part in fields
                .get("args")
                .into_iter()
                .chain(fields.iter().filter(|(name, _)| *name != "args").map(|(_, part)| part))
            {
                references(part, found, values);
            }
        }
        _ => {}
    }
}

/// The number of the first call of each layer; above 0 for a nested model that was built by an earlier call.
pub(super) fn first_calls(
    calls: &[Call],
    outputs: &[Reference],
    of_layer: &[Vec<usize>],
    names: &BTreeMap<&str, usize>,
) -> Vec<usize> {
    let mut range: Vec<Option<(usize, usize)>> = vec![None; of_layer.len()];
    for reference in calls.iter().flat_map(|call| &call.takes).chain(outputs) {
        if let Some(place) = names.get(reference.layer.as_str()) {
            let (low, high) = range[*place].unwrap_or((reference.call, reference.call));
            range[*place] = Some((low.min(reference.call), high.max(reference.call)));
        }
    }
    let first = range.iter().zip(of_layer).map(|(range, calls)| match range {
        Some((low, high)) if *high >= calls.len() => *low,
        _ => 0,
    });
    first.collect()
}

/// A topological order of the calls, by the order of the file.
pub(super) fn order(
    calls: &[Call],
    layers: &[Value],
    resolve: &impl Fn(&Reference, &str) -> Result<usize, String>,
) -> Result<Vec<usize>, String> {
    let mut edges = Edges::new(calls.len());
    for (index, call) in calls.iter().enumerate() {
        for reference in &call.takes {
            edges.add(resolve(reference, name_of(&layers[call.layer]))?, index);
        }
    }
    let (order, stuck) = edges.order();
    if let Some(stuck) = stuck {
        let name = shown(name_of(&layers[calls[stuck].layer]));
        return Err(format!("the layers form a cycle through {name}"));
    }
    Ok(order)
}
