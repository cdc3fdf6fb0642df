//! Types of operators: one table of the names that `TensorFlow`, `PyTorch`, Keras and ONNX give them.

mod names;

use names::{NAMES, normalised};

/// The operator of a layer. The first ten and the gradient of a bias are features of the method; all others are counted and named.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operator {
    /// Sum of tensors.
    AddV2,
    /// Convolution over one to three dimensions, grouped and depthwise ones too.
    Conv2D,
    /// Largest of a window.
    MaxPool,
    /// Rectifier: `ReLU` with its leaky, parametric and capped variants.
    Relu,
    /// Matrix product: fully connected layers too.
    MatMul,
    /// Mean of a window or of everything.
    AvgPool,
    /// Product of tensors, element by element.
    Mul,
    /// Concatenation of tensors.
    Concat,
    /// Normalised exponential.
    Softmax,
    /// Sum of a tensor and a learned vector.
    BiasAdd,
    /// Gradient of such a vector, in training.
    BiasAddGrad,
    /// Transposed convolution.
    ConvTranspose,
    /// Normalisation over the batch, with learned statistics.
    BatchNorm,
    /// Normalisation of each sample: by layer, group, instance or root mean square.
    LayerNorm,
    /// Gaussian error linear unit.
    Gelu,
    /// Logistic function.
    Sigmoid,
    /// Hyperbolic tangent.
    Tanh,
    /// Sigmoid-weighted linear unit, also called swish.
    Silu,
    /// Lookup of rows of a table.
    Embedding,
    /// Attention with its projections.
    Attention,
    /// Recurrent layer: LSTM, GRU or plain.
    Recurrent,
    /// Dropout and other noise: no computation outside training.
    Dropout,
    /// Change of shape without change of numbers, or identity.
    Reshape,
    /// Parameters beside the layers: learned positions, and modules that do not run. They take memory only.
    Parameters,
    /// Another element-wise function, with its name.
    Elementwise(&'static str),
    /// Another reduction along dimensions, with its name.
    Reduction(&'static str),
    /// Movement or selection of elements without arithmetic, with its name.
    Movement(&'static str),
    /// An unknown operator, with its name in the file.
    Other(String),
}

use Operator::{
    AddV2, Attention, AvgPool, BatchNorm, BiasAdd, BiasAddGrad, Concat, Conv2D, ConvTranspose, Dropout, Elementwise,
    Embedding, Gelu, LayerNorm, MatMul, MaxPool, Movement, Mul, Parameters, Recurrent, Reduction, Relu, Reshape,
    Sigmoid, Silu, Softmax, Tanh,
};

/// Operators that are features: those of the method's table in its order, then the two that the method names beside it.
pub(crate) const PLACES: [(Operator, &str); 11] = [
    (AddV2, "addv2"),
    (Conv2D, "conv2d"),
    (MaxPool, "maxpool"),
    (Relu, "relu"),
    (MatMul, "matmul"),
    (AvgPool, "avgpool"),
    (Mul, "mul"),
    (Concat, "concat"),
    (Softmax, "softmax"),
    (BiasAdd, "biasadd"),
    (BiasAddGrad, "biasaddgrad"),
];

impl Operator {
    /// The operator of a name as frameworks write it: `Conv2d`, `nn.Linear`, `FusedBatchNormV3`, `aten::add`.
    #[must_use]
    pub fn named(name: &str) -> Self {
        let short = normalised(name);
        let known = NAMES.iter().find(|(_, names)| names.contains(&short.as_str()));
        known.map_or_else(|| Self::Other(name.trim().chars().take(80).collect()), |(operator, _)| operator.clone())
    }

    /// The operator of a name whose end is cut off, if all names that begin so belong to one operator.
    pub(crate) fn of_beginning(name: &str) -> Option<Self> {
        let short = normalised(name);
        let begins = |names: &[&str]| !short.is_empty() && names.iter().any(|name| name.starts_with(&short));
        let mut found = NAMES.iter().filter(|(_, names)| begins(names)).map(|(operator, _)| operator);
        let only = found.next()?;
        found.next().is_none().then(|| only.clone())
    }

    /// The operator of a class of `PyTorch`, whose convolution is `Conv1d`; `Conv1D` of the transformers library is a linear layer.
    pub(crate) fn of_torch(class: &str) -> Self {
        if class == "Conv1D" { MatMul } else { Self::named(class) }
    }

    /// Its name, for the user.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            AddV2 => "AddV2",
            Conv2D => "Conv2D",
            MaxPool => "MaxPool",
            Relu => "ReLU",
            MatMul => "MatMul",
            AvgPool => "AvgPool",
            Mul => "Mul",
            Concat => "Concat",
            Softmax => "Softmax",
            BiasAdd => "BiasAdd",
            BiasAddGrad => "BiasAddGrad",
            ConvTranspose => "ConvTranspose",
            BatchNorm => "BatchNorm",
            LayerNorm => "LayerNorm",
            Gelu => "GELU",
            Sigmoid => "Sigmoid",
            Tanh => "Tanh",
            Silu => "SiLU",
            Embedding => "Embedding",
            Attention => "Attention",
            Recurrent => "recurrent layer",
            Dropout => "Dropout",
            Reshape => "Reshape",
            Parameters => "parameters of no layer",
            Elementwise(name) | Reduction(name) | Movement(name) => name,
            Self::Other(name) => name,
        }
    }

    /// Its index among the features, if it is one.
    pub(crate) fn place(&self) -> Option<usize> {
        PLACES.iter().position(|(operator, _)| operator == self)
    }

    /// Floating-point operations of a layer with these numbers of input and output elements.
    ///
    /// Convolutions, matrix products, attention and recurrent layers: 2 · `steps`, their multiply-adds. Pooling: `steps`, the
    /// elements of all windows. Of the others, per element of the output, a root, exponential or division counting as one:
    /// softmax 5 (maximum, difference, exponential, sum, division), batch normalisation 2 (scale, shift), layer normalisation
    /// 7 (mean, deviation, square, variance, division, scale, shift), GELU 5, sigmoid 3, `SiLU` 4, other functions 1;
    /// reductions and gradients of biases 1 per element of the input; movement of data none. `None` if a needed size is not known.
    #[must_use]
    pub fn flops(&self, input: Option<u64>, output: Option<u64>, steps: Option<u64>) -> Option<u64> {
        let per_output = |operations: u64| output?.checked_mul(operations);
        match self {
            Conv2D | ConvTranspose | MatMul | Attention | Recurrent => steps?.checked_mul(2),
            MaxPool | AvgPool => steps,
            AddV2 | Mul | Relu | BiasAdd | Tanh | Elementwise(_) => output,
            BatchNorm => per_output(2),
            Sigmoid => per_output(3),
            Silu => per_output(4),
            Softmax | Gelu => per_output(5),
            LayerNorm => per_output(7),
            Reduction(_) | BiasAddGrad => input,
            Concat | Embedding | Dropout | Reshape | Parameters | Movement(_) => Some(0),
            Self::Other(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operator_is_known_under_the_names_of_every_framework() {
        for (operator, names) in [
            (AddV2, &["AddV2", "Add", "aten::add", "tf.math.add"][..]),
            (
                Conv2D,
                &["Conv2D", "Conv2d", "nn.Conv2d", "Conv", "Conv1D", "DepthwiseConv2D", "torch.nn.modules.conv.Conv2d"],
            ),
            (MaxPool, &["MaxPool", "MaxPool2d", "MaxPooling2D", "max_pool2d", "MaxPoolV2", "GlobalMaxPool"]),
            (Relu, &["ReLU", "Relu", "relu", "LeakyReLU", "ReLU6"]),
            (MatMul, &["MatMul", "Gemm", "Dense", "Linear", "BatchMatMulV2", "aten::addmm"]),
            (AvgPool, &["AvgPool", "AveragePooling2D", "GlobalAveragePool", "AdaptiveAvgPool2d"]),
            (Mul, &["Mul", "Multiply", "aten::mul"]),
            (Concat, &["ConcatV2", "Concat", "Concatenate", "cat"]),
            (Softmax, &["Softmax", "LogSoftmax", "Softmax2d"]),
            (BatchNorm, &["BatchNormalization", "FusedBatchNormV3", "BatchNorm2d"]),
            (ConvTranspose, &["ConvTranspose2d", "Conv2DTranspose", "ConvTranspose"]),
            (BiasAdd, &["BiasAdd", "tf.nn.bias_add"]),
            (BiasAddGrad, &["BiasAddGrad"]),
        ] {
            for name in names {
                assert_eq!(Operator::named(name), operator, "{name}");
            }
        }
        assert_eq!(Operator::named("BasicBlock"), Operator::Other("BasicBlock".to_owned()));
    }

    #[test]
    fn every_name_belongs_to_one_operator() {
        let all: Vec<&str> = NAMES.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        for (place, name) in all.iter().enumerate() {
            assert!(!all[..place].contains(name), "{name} occurs twice");
        }
    }
}
