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
    /// The table that torchinfo prints.
    Torchinfo,
    /// The table of Keras' `model.summary()`.
    KerasSummary,
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
            Self::Torchinfo => "torchinfo table",
            Self::KerasSummary => "Keras summary",
            Self::KerasJson => "Keras JSON",
        }
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
        Self { name: name.into(), operator, input_size, output_size, parameters, flops }
    }

    /// Elements that it reads and writes for a batch, parameters once: every layer reads its inputs from memory and writes
    /// its outputs there. A layer that only changes the shape moves nothing; an embedding moves only the rows looked up.
    #[must_use]
    pub fn elements_moved(&self, batch: u64) -> Option<u64> {
        match self.operator {
            Operator::Reshape | Operator::Dropout => Some(0),
            Operator::Embedding => self.output_size?.checked_mul(2)?.checked_mul(batch),
            _ => self.input_size?.checked_add(self.output_size?)?.checked_mul(batch)?.checked_add(self.parameters?),
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
    pub fn bytes(&self, batch: u64, bytes_per_number: u64) -> Option<u64> {
        let moved = self.layers.iter().try_fold(0_u64, |sum, layer| sum.checked_add(layer.elements_moved(batch)?))?;
        moved.checked_mul(bytes_per_number)
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
