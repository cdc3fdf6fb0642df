//! A network as a list of layers, with the operations and bytes of one pass.

use super::operator::Operator;

/// Layers of a network, in the order in which they run.
#[derive(Debug, Clone, PartialEq)]
pub struct Network {
    /// Form of its file.
    pub form: Form,
    /// Its layers.
    pub layers: Vec<Layer>,
    /// Input elements of one sample; `None` if the file does not have them.
    pub input: Option<u64>,
    /// What was left out or is not known, and why; for the user.
    pub notes: Vec<String>,
}

/// A file form of a network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A layer list as CSV.
    LayerList,
    /// An ONNX model.
    Onnx,
    /// A graph of `TensorFlow`.
    TensorFlow,
    /// The table that torchinfo prints.
    Torchinfo,
    /// The table of Keras' `model.summary()`.
    KerasSummary,
    /// The table that torchsummary prints.
    Torchsummary,
    /// The JSON of Keras' `model.to_json()`.
    KerasJson,
}

impl Form {
    /// Its name, for the user.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::LayerList => "layer list (CSV)",
            Self::Onnx => "ONNX model",
            Self::TensorFlow => "TensorFlow graph",
            Self::Torchinfo => "torchinfo table",
            Self::Torchsummary => "torchsummary table",
            Self::KerasSummary => "Keras summary",
            Self::KerasJson => "Keras JSON",
        }
    }

    /// Whether its files have the element types of tensors.
    #[must_use]
    pub const fn has_element_types(self) -> bool {
        matches!(self, Self::Onnx | Self::TensorFlow | Self::KerasJson)
    }
}

/// A layer: a node of the computation graph. Sizes are of one sample, without the batch; `None` if not known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layer {
    /// Name.
    pub name: String,
    /// Operator.
    pub operator: Operator,
    /// Elements of all input tensors, without parameters.
    pub input_size: Option<u64>,
    /// Elements of all output tensors.
    pub output_size: Option<u64>,
    /// Parameters. Those that several layers share count where they are first used.
    pub parameters: Option<u64>,
    /// Floating-point operations for a sample; see [`Operator::flops`].
    pub flops: Option<u64>,
    /// Size of the elements of its tensors.
    pub bits: ElementBits,
}

/// Bits of an element of the tensors of a layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ElementBits {
    /// Of its inputs, the mean.
    pub input: u32,
    /// Of its outputs, the mean.
    pub output: u32,
    /// Of its parameters, the mean.
    pub parameters: u32,
}

impl ElementBits {
    /// Single precision, where a file does not have the element type.
    pub const SINGLE: Self = Self { input: 32, output: 32, parameters: 32 };
}

impl Layer {
    /// A layer with its operations. `steps`: see [`Operator::flops`].
    #[must_use]
    pub fn new(
        name: impl Into<String>,
        operator: Operator,
        [input_size, output_size]: [Option<u64>; 2],
        parameters: Option<u64>,
        steps: Option<u64>,
    ) -> Self {
        let flops = operator.flops(input_size, output_size, steps);
        Self { name: name.into(), operator, input_size, output_size, parameters, flops, bits: ElementBits::SINGLE }
    }

    /// Bytes that it reads and writes for a batch, parameters once: every layer reads its inputs from memory and writes its outputs
    /// there. A layer that only changes the shape moves nothing, nor do parameters beside the layers; an embedding moves only the rows
    /// looked up.
    #[must_use]
    pub fn bytes_moved(&self, batch: u64) -> Option<u64> {
        let of = |elements: Option<u64>, bits: u32| elements?.checked_mul(u64::from(bits));
        let ElementBits { input, output, parameters } = self.bits;
        let bits = match self.operator {
            Operator::Reshape | Operator::Dropout | Operator::Parameters => 0,
            Operator::Embedding => of(self.output_size, output)?.checked_mul(2)?.checked_mul(batch)?,
            _ => {
                let samples = of(self.input_size, input)?.checked_add(of(self.output_size, output)?)?;
                samples.checked_mul(batch)?.checked_add(of(self.parameters, parameters)?)?
            }
        };
        Some(bits.div_ceil(8))
    }

    /// Multiply-adds for one sample, in convolutions, matrix products, attention and recurrent layers; of an unknown operator half of
    /// the operations that the file has; 0 for all other layers, as published counts have it. `None` if not known.
    #[must_use]
    pub fn multiply_adds(&self) -> Option<u64> {
        match self.operator {
            Operator::Conv2D
            | Operator::ConvTranspose
            | Operator::MatMul
            | Operator::Attention
            | Operator::Recurrent
            | Operator::Other(_) => Some(self.flops? / 2),
            _ => Some(0),
        }
    }
}

impl Network {
    /// Floating-point operations of a forward pass for one sample; `None` if those of a layer are not known.
    #[must_use]
    pub fn flops(&self) -> Option<u64> {
        self.layers.iter().try_fold(0_u64, |sum, layer| sum.checked_add(layer.flops?))
    }

    /// Bytes that a forward pass over a batch moves; `None` if a size is not known. Layers are not fused: data that a compiler
    /// keeps in registers counts as moved.
    #[must_use]
    pub fn bytes(&self, batch: u64) -> Option<u64> {
        self.layers.iter().try_fold(0_u64, |sum, layer| sum.checked_add(layer.bytes_moved(batch)?))
    }

    /// Bytes of all parameters, and of the outputs of all layers for one sample; layers of unknown size do not count.
    #[must_use]
    pub fn memory(&self) -> [u64; 2] {
        let bytes =
            |elements: Option<u64>, bits: u32| elements.unwrap_or(0).saturating_mul(u64::from(bits)).div_ceil(8);
        self.layers.iter().fold([0_u64; 2], |[parameters, outputs], layer| {
            // A layer that only changes the shape has no output of its own.
            let output = layer.output_size.filter(|_| layer.operator != Operator::Reshape);
            [
                parameters.saturating_add(bytes(layer.parameters, layer.bits.parameters)),
                outputs.saturating_add(bytes(output, layer.bits.output)),
            ]
        })
    }

    /// The known multiply-adds for one sample, and the number of layers whose multiply-adds are not known.
    #[must_use]
    pub fn multiply_adds(&self) -> (u64, usize) {
        let of_layers = || self.layers.iter().map(Layer::multiply_adds);
        (of_layers().flatten().fold(0, u64::saturating_add), of_layers().filter(Option::is_none).count())
    }

    /// Sets the element type of all tensors, where the file does not have it.
    pub fn set_bits(&mut self, bits: u32) {
        for layer in &mut self.layers {
            layer.bits = ElementBits { input: bits, output: bits, parameters: bits };
        }
    }

    /// Parameters; `None` if those of a layer are not known.
    #[must_use]
    pub fn parameters(&self) -> Option<u64> {
        self.layers.iter().try_fold(0_u64, |sum, layer| sum.checked_add(layer.parameters?))
    }

    /// Sum of the known operations for one sample, and the layers whose operations are not known: for networks without
    /// [`Network::flops`].
    #[must_use]
    pub fn known_flops(&self) -> (u64, Vec<&Layer>) {
        let known = self.layers.iter().filter_map(|layer| layer.flops).fold(0, u64::saturating_add);
        (known, self.layers.iter().filter(|layer| layer.flops.is_none()).collect())
    }
}

/// The first of many names, and how many more there are.
pub(crate) fn first_names<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    const NAMED: usize = 3;
    let mut names = names.into_iter();
    let first: Vec<String> = names.by_ref().take(NAMED).map(shown).collect();
    let more = names.count();
    if more > 0 { format!("{} and {more} more", first.join(", ")) } else { first.join(", ") }
}

/// A name or field in quotation marks, cut where it is long.
pub(crate) fn shown(text: &str) -> String {
    const SHOWN: usize = 60;
    let cut: String = text.chars().take(SHOWN).collect();
    if cut.len() < text.len() { format!("“{cut}…”") } else { format!("“{cut}”") }
}
