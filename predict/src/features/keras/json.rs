//! The JSON of `model.to_json()`: sequential and functional models, nested models, and layers that are called several times, in
//! the formats of Keras 2 and Keras 3.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::super::network::{ElementBits, Form, Layer, Network, first_names, shown};
use super::super::operator::Operator;
use super::super::shape::{Shape, elements};
use super::super::{Dimensions, MOST_LAYERS};
use super::calls::{Call, Reference, first_calls, order, references};
use super::layers::{Applied, Config, apply, class_of, name_of, shape_of};

/// Deepest nesting of models.
const DEEPEST: usize = 16;
/// Most values to read; those of models that are called several times count each time.
const MOST_VALUES: usize = 50_000_000;
/// Most letters of all names together.
const MOST_LETTERS: usize = 200_000_000;

/// The network of a JSON; otherwise what is wrong, and where.
pub(in super::super) fn of_text(text: &str, dimensions: &Dimensions) -> Result<Network, String> {
    let model: Value = serde_json::from_str(text).map_err(|error| format!("not JSON: {error}"))?;
    let class = model.get("class_name").and_then(Value::as_str).unwrap_or_default();
    if !is_model(&model) {
        let found =
            if class.is_empty() { "no class_name".to_owned() } else { format!("class_name is {}", shown(class)) };
        return Err(format!(
            "{found}; expected the JSON of Keras' model.to_json(): Sequential or Functional with config.layers"
        ));
    }
    let mut reading = Reading { dimensions: dimensions.clone(), ..Reading::default() };
    reading.model(&model, &[], "", 0)?;
    if reading.layers.is_empty() {
        return Err("no layer; expected a list of layers in config.layers".to_owned());
    }
    reading.check_names()?;
    if reading.layers.iter().all(|layer| layer.input_size.is_none() && layer.output_size.is_none()) {
        return Err(
            "no size of any layer is known, as the model was not built, or the sizes of its input are open; call \
                    model.build(input_shape) with all sizes before model.to_json(), or set open ones with --dimension NAME=SIZE"
                .to_owned(),
        );
    }
    let mut notes = Vec::new();
    notes.extend(reading.left_open());
    if !reading.assumed.is_empty() {
        let named: Vec<String> = reading.assumed.iter().map(|(name, count)| format!("{count} × {name}")).collect();
        notes.push(format!(
            "unknown layers, whose output is assumed to be as large as their first input: {}",
            first_names(named.iter().map(String::as_str))
        ));
    }
    if !reading.without_rule.is_empty() {
        let names = first_names(reading.without_rule.iter().map(String::as_str));
        notes.push(format!("output sizes of these layers are known only if the file has them: {names}"));
    }
    Ok(Network { form: Form::KerasJson, layers: reading.layers, input: reading.input, notes })
}

/// Whether a layer is a model of layers.
fn is_model(layer: &Value) -> bool {
    layers_of(layer).is_some_and(|layers| layers.iter().all(|layer| layer.get("class_name").is_some()))
}

/// The layers of a model; old files have them directly in its configuration.
fn layers_of(model: &Value) -> Option<&Vec<Value>> {
    let config = model.get("config")?;
    config.get("layers").and_then(Value::as_array).or_else(|| config.as_array())
}

/// State of the reader.
#[derive(Default)]
struct Reading {
    /// Sizes of open dimensions that the caller sets.
    dimensions: Dimensions,
    /// Open dimensions of inputs by their names, and whether the caller sets them.
    open: BTreeMap<String, bool>,
    layers: Vec<Layer>,
    input: Option<u64>,
    without_rule: BTreeSet<String>,
    /// Number of layers of each unknown class whose output size is assumed.
    assumed: BTreeMap<String, usize>,
    /// Layers whose parameters have been counted.
    counted: BTreeSet<String>,
    /// Values that were read.
    values: usize,
    /// Letters of all names.
    letters: usize,
}

impl Reading {
    /// Reads a model with inputs of these shapes; returns the shapes of its outputs.
    fn model(
        &mut self,
        model: &Value,
        taken: &[Option<Shape>],
        prefix: &str,
        depth: usize,
    ) -> Result<Vec<Option<Shape>>, String> {
        if depth > DEEPEST {
            return Err(format!("models nested more than {DEEPEST} deep"));
        }
        let layers = layers_of(model).ok_or_else(|| format!("model {} has no config.layers", shown(prefix)))?;
        self.values += 1 + layers.len();
        let is_connected = layers.iter().any(|layer| layer.get("inbound_nodes").is_some());
        if is_connected {
            return self.functional(model, layers, taken, prefix, depth);
        }
        self.bounded()?;
        let config = model.get("config").unwrap_or(&Value::Null);
        let built =
            [config.get("build_input_shape"), model.get("build_config").and_then(|build| build.get("input_shape"))];
        let mut shape = taken.first().cloned().flatten();
        let mut is_first = true;
        for layer in layers {
            if is_first {
                is_first = false;
                shape = shape
                    .or_else(|| self.declared(layer))
                    .or_else(|| built.iter().copied().flatten().find_map(shape_of));
                if depth == 0 {
                    self.input = shape.as_deref().and_then(elements);
                }
            }
            if class_of(layer) == "InputLayer" {
                continue;
            }
            shape = self.layer(layer, &[shape], prefix, depth)?.into_iter().next().flatten();
        }
        Ok(vec![shape])
    }

    /// The shape that an input layer declares, open sizes as the caller sets them under the name of the layer and their place.
    fn declared(&mut self, layer: &Value) -> Option<Shape> {
        let own = layer.get("config")?;
        let mut shape = own.get("batch_input_shape").or_else(|| own.get("batch_shape")).and_then(shape_of)?;
        for (place, size) in shape.iter_mut().enumerate().filter(|(_, size)| size.is_none()) {
            let name = format!("{}[{place}]", name_of(layer));
            *size = self.dimensions.get(&name).copied();
            self.open.insert(name, size.is_some());
        }
        Some(shape)
    }

    /// Checks that the dimensions that the caller sets are open ones.
    fn check_names(&self) -> Result<(), String> {
        let Some(name) = self.dimensions.keys().find(|name| !self.open.contains_key(*name)) else { return Ok(()) };
        let known = first_names(self.open.keys().map(String::as_str));
        let known = if known.is_empty() { "it has none".to_owned() } else { format!("it has {known}") };
        Err(format!("no open dimension {} among those of the inputs; {known}", shown(name)))
    }

    /// A note with the open dimensions that the caller does not set.
    fn left_open(&self) -> Option<String> {
        let left = self.open.iter().filter(|(_, is_set)| !**is_set).map(|(name, _)| name.as_str());
        let names = first_names(left);
        (!names.is_empty()).then(|| {
            format!(
                "input dimensions without a size: {names}; sizes that depend on them are not known; set them with --dimension NAME=SIZE"
            )
        })
    }

    /// Bounds the work: nested models may be called several times at each level.
    fn bounded(&self) -> Result<(), String> {
        if self.values > MOST_VALUES || self.letters > MOST_LETTERS || self.layers.len() > MOST_LAYERS {
            return Err(format!(
                "nested models expand to more than {MOST_LAYERS} layers, or to too many names and calls"
            ));
        }
        Ok(())
    }

    /// A model whose layers name their inputs.
    fn functional(
        &mut self,
        model: &Value,
        layers: &[Value],
        taken: &[Option<Shape>],
        prefix: &str,
        depth: usize,
    ) -> Result<Vec<Option<Shape>>, String> {
        let mut names: BTreeMap<&str, usize> = BTreeMap::new();
        for (place, layer) in layers.iter().enumerate() {
            if names.insert(name_of(layer), place).is_some() {
                return Err(format!("two layers have the name {}; expected unique names", shown(name_of(layer))));
            }
        }
        let config = model.get("config").unwrap_or(&Value::Null);
        let [inputs, outputs] = ["input_layers", "output_layers"].map(|name| {
            let mut found = Vec::new();
            references(config.get(name).unwrap_or(&Value::Null), &mut found, &mut self.values);
            found
        });
        let (mut calls, mut of_layer): (Vec<Call>, Vec<Vec<usize>>) = (Vec::new(), vec![Vec::new(); layers.len()]);
        for (place, layer) in layers.iter().enumerate() {
            let nodes = layer.get("inbound_nodes").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
            for node in nodes {
                let mut takes = Vec::new();
                references(node, &mut takes, &mut self.values);
                of_layer[place].push(calls.len());
                calls.push(Call { layer: place, takes });
            }
            if nodes.is_empty() {
                // An input layer has no call of its own.
                of_layer[place].push(calls.len());
                calls.push(Call { layer: place, takes: Vec::new() });
            }
            if calls.len() > MOST_LAYERS {
                return Err(format!("more than {MOST_LAYERS} layers"));
            }
        }
        self.bounded()?;
        let first = first_calls(&calls, &outputs, &of_layer, &names);
        let resolve = |reference: &Reference, by: &str| -> Result<usize, String> {
            let place = *names
                .get(reference.layer.as_str())
                .ok_or_else(|| format!("the input {} of {} does not exist", shown(&reference.layer), shown(by)))?;
            let call = reference.call - first[place].min(reference.call);
            of_layer[place].get(call).copied().ok_or_else(|| {
                format!(
                    "{} refers to call {} of {}, which is called {} times",
                    shown(by),
                    reference.call,
                    shown(&reference.layer),
                    of_layer[place].len()
                )
            })
        };
        let order = order(&calls, layers, &resolve)?;
        let mut given: Vec<Option<Shape>> = vec![None; calls.len()];
        let (mut size, mut has_input) = (Some(0_u64), false);
        for index in order {
            let call = &calls[index];
            let layer = &layers[call.layer];
            let name = name_of(layer);
            if call.takes.is_empty() && class_of(layer) == "InputLayer" {
                let from_outside = inputs.iter().position(|input| input.layer == name);
                let from_outside = from_outside.and_then(|place| taken.get(place).cloned().flatten());
                given[index] = from_outside.or_else(|| self.declared(layer));
                let own_size = given[index].as_deref().and_then(elements);
                size = size.zip(own_size).and_then(|(sum, size)| sum.checked_add(size));
                has_input = true;
                continue;
            }
            let mut shapes = Vec::with_capacity(call.takes.len());
            for reference in &call.takes {
                let known = given[resolve(reference, name)?].clone();
                shapes.push(known.or_else(|| reference.shape.clone()));
            }
            given[index] = self.layer(layer, &shapes, prefix, depth)?.into_iter().next().flatten();
        }
        if depth == 0 {
            self.input = size.filter(|_| has_input);
        }
        outputs.iter().map(|output| resolve(output, "the model").map(|call| given[call].clone())).collect()
    }

    /// Reads a layer with inputs of these shapes; returns the shapes of its outputs.
    fn layer(
        &mut self,
        layer: &Value,
        taken: &[Option<Shape>],
        prefix: &str,
        depth: usize,
    ) -> Result<Vec<Option<Shape>>, String> {
        let name = format!("{prefix}{}", name_of(layer));
        // The name is stored twice, and once more for the activation.
        self.letters += 3 * name.len();
        self.values += 1;
        self.bounded()?;
        if is_model(layer) {
            return self.model(layer, taken, &format!("{name}/"), depth + 1);
        }
        let class = class_of(layer);
        let config = Config(layer.get("config").unwrap_or(&Value::Null));
        // A layer that is applied at every time step or in both directions does the computation.
        let inner = config.0.get("layer").filter(|_| matches!(class, "Bidirectional" | "TimeDistributed"));
        let config_within = inner.map_or(config, |inner| Config(inner.get("config").unwrap_or(&Value::Null)));
        let activation = config_within.activation();
        if class == "Activation" && activation.is_none() {
            return Ok(vec![taken.first().cloned().flatten()]);
        }
        let computes = match class {
            "Activation" => activation.unwrap_or_default(),
            // Functions and operators of tensors, such as `math.multiply` and `__operators__.add`.
            "TFOpLambda" | "SlicingOpLambda" => config.text("function"),
            class => inner.map_or(class, class_of),
        };
        let operator = Operator::named(computes);
        let built = layer.get("build_config").and_then(|build| build.get("input_shape"));
        let shapes: Vec<Option<Shape>> = match (taken, built.and_then(shape_of)) {
            ([None] | [], Some(built)) => vec![Some(built)],
            _ => taken.to_vec(),
        };
        let whole: Option<Vec<Shape>> = shapes.iter().cloned().collect();
        let input = whole
            .as_ref()
            .and_then(|shapes| shapes.iter().try_fold(0_u64, |sum, shape| sum.checked_add(elements(shape)?)));
        let input = input.filter(|_| !shapes.is_empty());
        let mut applied = whole.map_or_else(Applied::default, |shapes| wrapped(class, &operator, config, &shapes));
        if class.ends_with("OpLambda") {
            applied.parameters = Some(0);
        }
        let first = shapes.first().cloned().flatten().filter(|_| applied.output.is_none());
        if matches!(operator, Operator::Other(_)) && first.is_some() {
            // An unknown layer costs its own time only: what follows keeps its sizes.
            *self.assumed.entry(computes.to_owned()).or_default() += 1;
            applied.output = first;
        } else if applied.output.is_none() && !shapes.is_empty() {
            self.without_rule.insert(class.to_owned());
        }
        let is_first = self.counted.insert(name.clone());
        let parameters = if is_first { applied.parameters } else { Some(0) };
        let output = applied.output.as_deref().and_then(elements);
        let bits = bits(config);
        let own = Layer::new(name.clone(), operator.clone(), [input, output], parameters, applied.steps);
        self.layers.push(Layer { bits, ..own });
        // Gates have activations of their own.
        let is_own = class == "Activation" || matches!(operator, Operator::Recurrent | Operator::Attention);
        if let Some(activation) = activation.filter(|_| !is_own) {
            self.letters += activation.len();
            let operator = Operator::named(activation);
            let own = Layer::new(format!("{name} ({activation})"), operator, [output, output], Some(0), None);
            self.layers.push(Layer { bits, ..own });
        }
        Ok(vec![applied.output])
    }
}

/// Element sizes by the policy of a layer: with `mixed_float16` it computes in 16 bits and keeps its parameters in 32.
fn bits(config: Config<'_>) -> ElementBits {
    let dtype = config.0.get("dtype");
    let policy = dtype.and_then(|dtype| dtype.as_str().or_else(|| dtype.get("config")?.get("name")?.as_str()));
    let policy = policy.unwrap_or_default();
    let of = |name: &str| match name {
        "float16" | "bfloat16" => 16,
        "float64" => 64,
        "int8" | "uint8" | "float8" => 8,
        _ => 32,
    };
    match policy.strip_prefix("mixed_") {
        Some(name) => ElementBits { input: of(name), output: of(name), parameters: 32 },
        None => ElementBits { input: of(policy), output: of(policy), parameters: of(policy) },
    }
}

/// A layer, possibly applied at every time step or in both directions.
fn wrapped(class: &str, operator: &Operator, config: Config<'_>, inputs: &[Shape]) -> Applied {
    let Some(inner) = config.0.get("layer") else { return apply(class, operator, config, inputs) };
    let inner_config = Config(inner.get("config").unwrap_or(&Value::Null));
    let inner_class = class_of(inner);
    let inner_operator = Operator::named(inner_class);
    match (class, inputs) {
        ("Bidirectional", inputs) => {
            let one = apply(inner_class, &inner_operator, inner_config, inputs);
            let twice = |number: Option<u64>| number.and_then(|number| number.checked_mul(2));
            let output = one.output.map(|mut shape| {
                if matches!(config.text("merge_mode"), "concat" | "")
                    && let Some(last) = shape.last_mut()
                {
                    *last = twice(*last);
                }
                shape
            });
            Applied { output, parameters: twice(one.parameters), steps: twice(one.steps) }
        }
        ("TimeDistributed", [input]) if input.len() > 2 => {
            let times = input[1];
            let at_one: Shape =
                input.iter().enumerate().filter(|(place, _)| *place != 1).map(|(_, size)| *size).collect();
            let one = apply(inner_class, &inner_operator, inner_config, &[at_one]);
            let output = one.output.map(|mut shape| {
                shape.insert(1.min(shape.len()), times);
                shape
            });
            let steps = one.steps.zip(times).and_then(|(steps, times)| steps.checked_mul(times));
            Applied { output, parameters: one.parameters, steps }
        }
        _ => Applied::default(),
    }
}
