//! Output shapes, parameters and multiply-adds of the layers of Keras, from their inputs and configuration.
//! Rules: <https://keras.io/api/layers/>. The first dimension is the batch, which counts 1.

use serde_json::Value;

use super::super::operator::Operator;
use super::super::shape::{MOST_DIMENSIONS, Padding, Shape, Window, axis, broadcast, concatenated, elements, filled};

/// Result of applying a layer.
#[derive(Debug, Clone, Default)]
pub(super) struct Applied {
    /// Output shape; `None` without a rule.
    pub(super) output: Option<Shape>,
    /// Number of parameters.
    pub(super) parameters: Option<u64>,
    /// Steps for [`Operator::flops`].
    pub(super) steps: Option<u64>,
}

/// The class of a layer, without its package.
pub(super) fn class_of(layer: &Value) -> &str {
    let class = layer.get("class_name").and_then(Value::as_str).unwrap_or_default();
    class.rsplit('>').next().unwrap_or_default()
}

/// The name of a layer, which stands beside its configuration or in it.
pub(super) fn name_of(layer: &Value) -> &str {
    let own = layer.get("name").or_else(|| layer.get("config")?.get("name"));
    own.and_then(Value::as_str).unwrap_or_default()
}

/// Configuration of a layer.
#[derive(Clone, Copy)]
pub(super) struct Config<'a>(pub(super) &'a Value);

impl<'a> Config<'a> {
    fn number(self, name: &str) -> Option<u64> {
        self.0.get(name)?.as_u64()
    }

    fn is(self, name: &str, otherwise: bool) -> bool {
        self.0.get(name).and_then(Value::as_bool).unwrap_or(otherwise)
    }

    /// A list with at most as many values as a shape has dimensions.
    fn list(self, name: &str) -> Option<&'a Vec<Value>> {
        self.0.get(name).and_then(Value::as_array).filter(|list| list.len() <= MOST_DIMENSIONS)
    }

    pub(super) fn text(self, name: &str) -> &'a str {
        self.0.get(name).and_then(Value::as_str).unwrap_or_default()
    }

    /// A number for each dimension; one number applies to all.
    fn numbers(self, name: &str, dimensions: usize, otherwise: u64) -> Option<Vec<u64>> {
        match self.0.get(name) {
            None | Some(Value::Null) => Some(vec![otherwise; dimensions]),
            Some(Value::Array(numbers)) if numbers.len() == dimensions => numbers.iter().map(Value::as_u64).collect(),
            Some(Value::Array(_)) => None,
            Some(number) => Some(vec![number.as_u64()?; dimensions]),
        }
    }

    /// The name of its activation; `None` if it has none.
    pub(super) fn activation(self) -> Option<&'a str> {
        let activation = self.0.get("activation")?;
        let class = activation.get("class_name").and_then(Value::as_str);
        let named = match class {
            Some("function") => activation.get("config").and_then(Value::as_str),
            other => other.or_else(|| activation.as_str()),
        };
        named.filter(|name| *name != "linear")
    }

    fn is_channels_first(self) -> bool {
        self.text("data_format") == "channels_first"
    }
}

/// A product of factors, if all are known and it is no more than 2⁶⁴.
fn product(factors: &[Option<u64>]) -> Option<u64> {
    factors.iter().try_fold(1_u64, |product, factor| product.checked_mul((*factor)?))
}

/// Applies a layer of a class.
pub(super) fn apply(class: &str, operator: &Operator, config: Config<'_>, inputs: &[Shape]) -> Applied {
    let nothing = || Applied { parameters: Some(0), ..Applied::default() };
    let Some(input) = inputs.first() else { return Applied::default() };
    let same = Applied { output: Some(input.clone()), parameters: Some(0), steps: None };
    let last = || input.last().copied().flatten();
    let shaped = |output: Option<Shape>| Applied { output, ..nothing() };
    match class {
        "Dense" => {
            let units = config.number("units");
            let mut output = input.clone();
            if let Some(last) = output.last_mut() {
                *last = units;
            }
            let bias = if config.is("use_bias", true) { units } else { Some(0) };
            let parameters = product(&[last(), units]).zip(bias).and_then(|(weights, bias)| weights.checked_add(bias));
            let steps = product(&[elements(&output), last()]);
            Applied { output: Some(output), parameters, steps }
        }
        "Conv1D" | "Conv2D" | "Conv3D" | "DepthwiseConv1D" | "DepthwiseConv2D" | "SeparableConv1D"
        | "SeparableConv2D" | "Conv1DTranspose" | "Conv2DTranspose" | "Conv3DTranspose" | "Convolution2D" => {
            convolution(class, config, input).unwrap_or_default()
        }
        "MaxPooling1D" | "MaxPooling2D" | "MaxPooling3D" | "AveragePooling1D" | "AveragePooling2D"
        | "AveragePooling3D" => pooling(config, input).unwrap_or_else(nothing),
        "Flatten" => {
            let rest = input.get(1..).map_or(Some(1), elements);
            shaped(Some(vec![input.first().copied().flatten(), rest]))
        }
        "Reshape" => {
            let target = config.list("target_shape");
            let target: Option<Vec<Option<i64>>> = target.map(|sizes| sizes.iter().map(Value::as_i64).collect());
            let rest = input.get(1..).and_then(elements);
            let shape = target
                .map(|target| [input.first().copied().flatten()].into_iter().chain(filled(&target, rest)).collect());
            shaped(shape)
        }
        "Permute" => {
            let order = config.list("dims");
            let sizes = |order: &Vec<Value>| {
                let rest = order.iter().map(|from| input.get(usize::try_from(from.as_u64()?).ok()?).copied());
                [input.first().copied()].into_iter().chain(rest).collect::<Option<Shape>>()
            };
            shaped(order.and_then(sizes))
        }
        "RepeatVector" => shaped(Some(vec![Some(1), config.number("n"), last()])),
        "ZeroPadding1D" | "ZeroPadding2D" | "ZeroPadding3D" => {
            shaped(padded(config, input, "padding", u64::checked_add))
        }
        "Cropping1D" | "Cropping2D" | "Cropping3D" => shaped(padded(config, input, "cropping", u64::checked_sub)),
        "UpSampling1D" | "UpSampling2D" | "UpSampling3D" => shaped(upsampled(config, input)),
        "BatchNormalization" => {
            let learned = [("scale", 1), ("center", 1)].iter().filter(|(name, _)| config.is(name, true)).count() as u64;
            let channels = along(config, input);
            // Mean and variance are kept too.
            Applied { parameters: product(&[channels, Some(learned + 2)]), ..same }
        }
        "LayerNormalization" | "GroupNormalization" | "RMSNormalization" => {
            let learned = ["scale", "center"].iter().filter(|name| config.is(name, true)).count() as u64;
            let learned = if class == "RMSNormalization" { 1 } else { learned };
            Applied { parameters: product(&[along(config, input), Some(learned)]), ..same }
        }
        "PReLU" => {
            // Axes that are shared count from 1, the first behind the batch.
            let shared = config.list("shared_axes").map(Vec::as_slice).unwrap_or_default();
            let is_shared = |place: usize| shared.iter().any(|axis| axis.as_u64() == u64::try_from(place).ok());
            let own: Shape = (1..input.len()).filter(|place| !is_shared(*place)).map(|place| input[place]).collect();
            Applied { parameters: elements(&own), ..same }
        }
        "LayerScale" => Applied { parameters: config.number("projection_dim"), ..same },
        // Mean, variance and a count of what they were made of, unless the configuration has them.
        "Normalization" if config.list("mean").is_none() => {
            let parameters = product(&[along(config, input), Some(2)]).and_then(|count| count.checked_add(1));
            Applied { parameters, ..same }
        }
        "Embedding" => {
            let width = config.number("output_dim");
            let output = input.iter().copied().chain([width]).collect();
            Applied { output: Some(output), parameters: product(&[config.number("input_dim"), width]), steps: None }
        }
        "LSTM" | "GRU" | "SimpleRNN" => recurrent(class, config, input).unwrap_or_default(),
        "MultiHeadAttention" => attention(config, inputs).unwrap_or_default(),
        "Add" | "Subtract" | "Multiply" | "Average" | "Maximum" | "Minimum" => {
            let joined = inputs.iter().skip(1).try_fold(input.clone(), |joined, next| broadcast(&joined, next));
            shaped(joined)
        }
        "Concatenate" => {
            let shapes: Vec<&[Option<u64>]> = inputs.iter().map(Vec::as_slice).collect();
            let at = config.0.get("axis").and_then(Value::as_i64).unwrap_or(-1);
            shaped(axis(at, input.len()).and_then(|at| concatenated(&shapes, at)))
        }
        _ if class.starts_with("Global") => {
            let channels = if config.is_channels_first() { input.get(1).copied().flatten() } else { last() };
            let rank = input.len();
            let output = match (config.is("keepdims", false), config.is_channels_first()) {
                (false, _) => vec![Some(1), channels],
                (true, true) => [Some(1), channels].into_iter().chain((2..rank).map(|_| Some(1))).collect(),
                (true, false) => (0..rank.saturating_sub(1)).map(|_| Some(1)).chain([channels]).collect(),
            };
            Applied { steps: elements(input), ..shaped(Some(output)) }
        }
        _ => match operator {
            // Functions of several tensors, such as the operators of Python.
            Operator::AddV2
            | Operator::Mul
            | Operator::BiasAdd
            | Operator::Elementwise("Sub" | "Div" | "Pow" | "Compare") => {
                let joined = inputs.iter().skip(1).try_fold(input.clone(), |joined, next| broadcast(&joined, next));
                shaped(joined)
            }
            Operator::Relu
            | Operator::Softmax
            | Operator::Gelu
            | Operator::Sigmoid
            | Operator::Tanh
            | Operator::Silu
            | Operator::Dropout
            | Operator::Elementwise(_) => same,
            _ => Applied::default(),
        },
    }
}

/// Size of the dimension that a normalisation has parameters for.
fn along(config: Config<'_>, input: &Shape) -> Option<u64> {
    let at = match config.0.get("axis") {
        None => -1,
        Some(Value::Array(axes)) if axes.len() == 1 => axes[0].as_i64()?,
        Some(at) => at.as_i64()?,
    };
    input[axis(at, input.len())?]
}

/// Dimensions between batch and channels, and the channels.
fn spatial(config: Config<'_>, input: &Shape) -> Option<(Vec<Option<u64>>, Option<u64>)> {
    let rank = input.len();
    if rank < 3 {
        return None;
    }
    Some(if config.is_channels_first() {
        (input[2..].to_vec(), input[1])
    } else {
        (input[1..rank - 1].to_vec(), input[rank - 1])
    })
}

fn with_channels(config: Config<'_>, spatial: Vec<Option<u64>>, channels: Option<u64>) -> Shape {
    if config.is_channels_first() {
        [Some(1), channels].into_iter().chain(spatial).collect()
    } else {
        [Some(1)].into_iter().chain(spatial).chain([channels]).collect()
    }
}

fn padding(config: Config<'_>, size: u64, dilation: u64) -> Option<Padding> {
    match config.text("padding") {
        "same" => Some(Padding::Same),
        "valid" | "" => Some(Padding::Explicit { both: 0, ceil: false }),
        "causal" => Some(Padding::Explicit { both: dilation.checked_mul(size.checked_sub(1)?)?, ceil: false }),
        _ => None,
    }
}

fn convolution(class: &str, config: Config<'_>, input: &Shape) -> Option<Applied> {
    let (sizes, channels) = spatial(config, input)?;
    let dimensions = sizes.len();
    let kernel = config.numbers("kernel_size", dimensions, 1)?;
    let strides = config.numbers("strides", dimensions, 1)?;
    let dilations = config.numbers("dilation_rate", dimensions, 1)?;
    let is_transposed = class.ends_with("Transpose");
    let given = sizes.iter().enumerate().map(|(place, size)| {
        let (window, stride, dilation) = (kernel[place], strides[place], dilations[place]);
        let padding = padding(config, window, dilation)?;
        if !is_transposed {
            return Window { size: window, stride, dilation, padding }.outputs((*size)?);
        }
        let outputs = (*size)?.checked_mul(stride)?;
        let reach = dilation.checked_mul(window.checked_sub(1)?)?.checked_add(1)?;
        let beyond = match padding {
            Padding::Same => 0,
            Padding::Explicit { .. } => reach.saturating_sub(stride),
        };
        // With an explicit output padding Keras adds it to what the shortest output would be.
        if config.0.get("output_padding").is_some_and(|padding| !padding.is_null()) {
            None
        } else {
            outputs.checked_add(beyond)
        }
    });
    let given: Vec<Option<u64>> = given.collect();
    let window = product(&kernel.iter().map(|size| Some(*size)).collect::<Vec<_>>());
    let multiplier = Some(config.number("depth_multiplier").unwrap_or(1));
    let (filters, weights) = if class.starts_with("Depthwise") {
        let filters = product(&[channels, multiplier]);
        (filters, product(&[window, filters]))
    } else if class.starts_with("Separable") {
        let filters = config.number("filters");
        let depthwise = product(&[window, channels, multiplier]);
        let pointwise = product(&[channels, multiplier, filters]);
        (filters, depthwise.zip(pointwise).and_then(|(depthwise, pointwise)| depthwise.checked_add(pointwise)))
    } else {
        let filters = config.number("filters");
        let groups = config.number("groups").unwrap_or(1);
        let incoming = channels.and_then(|channels| channels.checked_div(groups));
        (filters, product(&[window, incoming, filters]))
    };
    let bias = if config.is("use_bias", true) { filters } else { Some(0) };
    let parameters = weights.zip(bias).and_then(|(weights, bias)| weights.checked_add(bias));
    // Each weight is used once at every position: of the output, or, transposed, of the input.
    let positions = elements(if is_transposed { &sizes } else { &given });
    Some(Applied {
        output: Some(with_channels(config, given, filters)),
        parameters,
        steps: product(&[weights, positions]),
    })
}

fn pooling(config: Config<'_>, input: &Shape) -> Option<Applied> {
    let (sizes, channels) = spatial(config, input)?;
    let pool = config.numbers("pool_size", sizes.len(), 2)?;
    let strides = match config.0.get("strides") {
        None | Some(Value::Null) => pool.clone(),
        Some(_) => config.numbers("strides", sizes.len(), 1)?,
    };
    let given = sizes.iter().enumerate().map(|(place, size)| {
        let padding = padding(config, pool[place], 1)?;
        Window { size: pool[place], stride: strides[place], dilation: 1, padding }.outputs((*size)?)
    });
    let output = with_channels(config, given.collect(), channels);
    let window: Vec<Option<u64>> = pool.iter().map(|size| Some(*size)).collect();
    let steps = product(&[elements(&output), product(&window)]);
    Some(Applied { output: Some(output), parameters: Some(0), steps })
}

/// A shape with both ends of its dimensions padded or cropped.
fn padded(config: Config<'_>, input: &Shape, name: &str, change: fn(u64, u64) -> Option<u64>) -> Option<Shape> {
    let (sizes, channels) = spatial(config, input)?;
    let declared = config.0.get(name)?;
    let pair = |ends: &Value| match ends {
        Value::Array(ends) => ends.iter().try_fold(0_u64, |sum, end| sum.checked_add(end.as_u64()?)),
        both => both.as_u64()?.checked_mul(2),
    };
    let given = sizes.iter().enumerate().map(|(place, size)| {
        let both = match declared {
            Value::Array(ends) if sizes.len() == 1 && ends.len() == 2 => pair(declared)?,
            Value::Array(ends) => pair(ends.get(place)?)?,
            both => pair(both)?,
        };
        change((*size)?, both)
    });
    Some(with_channels(config, given.collect(), channels))
}

fn upsampled(config: Config<'_>, input: &Shape) -> Option<Shape> {
    let (sizes, channels) = spatial(config, input)?;
    let factors = config.numbers("size", sizes.len(), 2)?;
    let given = sizes.iter().zip(factors).map(|(size, factor)| (*size)?.checked_mul(factor));
    Some(with_channels(config, given.collect(), channels))
}

/// Gates of `units` numbers, each with weights for the input and the previous output, and biases.
fn recurrent(class: &str, config: Config<'_>, input: &Shape) -> Option<Applied> {
    let [_, times, features] = input.as_slice() else { return None };
    let units = config.number("units")?;
    let gates = match class {
        "LSTM" => 4,
        "GRU" => 3,
        _ => 1,
    };
    let biases = match (config.is("use_bias", true), class == "GRU" && config.is("reset_after", true)) {
        (false, _) => 0,
        (true, false) => 1,
        (true, true) => 2,
    };
    let per_gate = (*features)?.checked_add(units)?.checked_mul(units)?;
    let weights = per_gate.checked_mul(gates)?;
    let parameters = weights.checked_add(units.checked_mul(gates * biases)?);
    let output = if config.is("return_sequences", false) {
        vec![Some(1), *times, Some(units)]
    } else {
        vec![Some(1), Some(units)]
    };
    Some(Applied { output: Some(output), parameters, steps: product(&[Some(weights), *times]) })
}

/// Projections of query, key and value, the products between them, and the projection of the result.
fn attention(config: Config<'_>, inputs: &[Shape]) -> Option<Applied> {
    let [query, value] = [inputs.first()?, inputs.get(1).or_else(|| inputs.first())?];
    let key = inputs.get(2).unwrap_or(value);
    let ([_, times, width], [_, source, value_width], [_, _, key_width]) =
        (query.as_slice(), value.as_slice(), key.as_slice())
    else {
        return None;
    };
    let heads = config.number("num_heads")?;
    let key_size = config.number("key_dim")?.checked_mul(heads)?;
    let value_size = config.number("value_dim").or_else(|| config.number("key_dim"))?.checked_mul(heads)?;
    if config.0.get("output_shape").is_some_and(|shape| !shape.is_null()) {
        return None;
    }
    let has_bias = u64::from(config.is("use_bias", true));
    let projection = |from: Option<u64>, to: u64| from?.checked_add(has_bias)?.checked_mul(to);
    let parameters = [
        projection(*width, key_size),
        projection(*key_width, key_size),
        projection(*value_width, value_size),
        projection(Some(value_size), (*width)?),
    ];
    let steps = [
        product(&[*times, *width, Some(key_size)]),
        product(&[*source, *key_width, Some(key_size)]),
        product(&[*source, *value_width, Some(value_size)]),
        product(&[*times, *source, Some(key_size)]),
        product(&[*times, *source, Some(value_size)]),
        product(&[*times, Some(value_size), *width]),
    ];
    let sum = |parts: &[Option<u64>]| parts.iter().try_fold(0_u64, |sum, part| sum.checked_add((*part)?));
    Some(Applied { output: Some(query.clone()), parameters: sum(&parameters), steps: sum(&steps) })
}

/// A shape in a configuration, its first dimension being the batch; `None` if it is not a shape.
pub(super) fn shape_of(value: &Value) -> Option<Shape> {
    let sizes = value.as_array().filter(|sizes| !sizes.is_empty() && sizes.len() <= MOST_DIMENSIONS)?;
    let mut shape: Shape = sizes
        .iter()
        .map(|size| if size.is_null() { Some(None) } else { size.as_u64().map(Some) })
        .collect::<Option<_>>()?;
    shape[0] = Some(1);
    Some(shape)
}
