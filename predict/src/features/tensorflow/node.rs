//! A node of a graph, its attributes and constants. Field numbers: `node_def.proto`, `attr_value.proto`, `tensor.proto` and
//! `tensor_shape.proto` of `TensorFlow` (<https://github.com/tensorflow/tensorflow/tree/master/tensorflow/core/framework>).

use std::borrow::Cow;

use super::super::shape::{MOST_DIMENSIONS, Shape, elements};
use super::wire::{Field, Fields, first_text, packed};

/// Most integers of a constant that are tracked: enough for every shape.
pub(super) const MOST_VALUES: usize = 64;

/// A node.
#[derive(Debug, Clone, Default)]
pub(super) struct Node<'a> {
    pub(super) name: Cow<'a, str>,
    pub(super) op: &'a str,
    /// Names of inputs, as the file has them, or, once functions are inlined, of nodes.
    pub(super) inputs: Vec<Cow<'a, str>>,
    /// Attributes by their names; each is a message.
    pub(super) attributes: Vec<(&'a str, &'a [u8])>,
}

/// A tensor during inference.
#[derive(Debug, Clone, Default)]
pub(super) struct Tensor {
    pub(super) shape: Option<Shape>,
    /// Its elements, if it is a constant of few integers.
    pub(super) values: Option<Vec<i64>>,
    /// Type of its elements, by `types.proto`; 0 if not known.
    pub(super) data_type: u64,
    pub(super) is_constant: bool,
}

impl Tensor {
    /// Bits of an element; 32 if its type is not known.
    pub(super) fn bits(&self) -> u32 {
        match self.data_type {
            4 | 6 | 10..=12 | 24..=28 => 8,
            5 | 14 | 17 | 19 => 16,
            2 | 8 | 9 | 23 => 64,
            18 => 128,
            _ => 32,
        }
    }

    /// Whether its elements may be learned: numbers that are no 32 or 64 bit integers.
    pub(super) fn may_be_learned(&self) -> bool {
        !matches!(self.data_type, 3 | 7 | 9 | 10 | 20 | 22 | 23)
    }
}

/// Inputs of a node.
pub(super) struct Inputs<'a>(pub(super) Vec<&'a Tensor>);

impl<'a> Inputs<'a> {
    pub(super) fn shape(&self, place: usize) -> Option<&'a Shape> {
        self.0.get(place)?.shape.as_ref()
    }

    pub(super) fn values(&self, place: usize) -> Option<&'a [i64]> {
        self.0.get(place)?.values.as_deref()
    }
}

impl<'a> Node<'a> {
    /// The node of a message.
    pub(super) fn of(bytes: &'a [u8]) -> Result<Self, String> {
        let mut node = Self::default();
        for field in Fields::of(bytes) {
            match field? {
                (1, Field::Bytes(name)) => node.name = text(name)?.into(),
                (2, Field::Bytes(op)) => node.op = text(op)?,
                (3, Field::Bytes(input)) => node.inputs.push(text(input)?.into()),
                (5, Field::Bytes(entry)) => {
                    let (mut key, mut value): (&str, &[u8]) = ("", &[]);
                    for field in Fields::of(entry) {
                        match field? {
                            (1, Field::Bytes(name)) => key = text(name)?,
                            (2, Field::Bytes(content)) => value = content,
                            _ => {}
                        }
                    }
                    node.attributes.push((key, value));
                }
                _ => {}
            }
        }
        Ok(node)
    }

    fn find(&self, name: &str, number: u64) -> Option<Field<'a>> {
        let (_, value) = *self.attributes.iter().find(|(key, _)| *key == name)?;
        Fields::of(value).filter_map(Result::ok).find(|(field, _)| *field == number).map(|(_, value)| value)
    }

    /// A text.
    pub(super) fn text(&self, name: &str) -> &'a str {
        let Some(Field::Bytes(value)) = self.find(name, 2) else { return "" };
        std::str::from_utf8(value).unwrap_or_default()
    }

    /// Whether a switch is on.
    pub(super) fn is(&self, name: &str) -> bool {
        matches!(self.find(name, 5), Some(Field::Number(1)))
    }

    /// A number.
    pub(super) fn number(&self, name: &str) -> Option<i64> {
        if let Field::Number(value) = self.find(name, 3)? { Some(value.cast_signed()) } else { None }
    }

    /// A list of numbers; empty if there is none.
    pub(super) fn numbers(&self, name: &str) -> Vec<i64> {
        let Some(Field::Bytes(list)) = self.find(name, 1) else { return Vec::new() };
        let mut numbers = Vec::new();
        for (field, value) in Fields::of(list).filter_map(Result::ok) {
            match (field, value) {
                (3, Field::Number(value)) => numbers.push(value.cast_signed()),
                (3, Field::Bytes(bytes)) => numbers.extend(packed(bytes, MOST_VALUES).unwrap_or_default()),
                _ => {}
            }
            if numbers.len() > MOST_VALUES {
                return Vec::new();
            }
        }
        numbers
    }

    /// A shape.
    pub(super) fn shape(&self, name: &str) -> Option<Shape> {
        if let Field::Bytes(bytes) = self.find(name, 7)? { shape(bytes) } else { None }
    }

    /// The first of the shapes of its outputs, if the file has them, with a batch of 1 where it is open.
    pub(super) fn output_shape(&self) -> Option<Shape> {
        let Field::Bytes(list) = self.find("_output_shapes", 1)? else { return None };
        let first = Fields::of(list).filter_map(Result::ok).find(|(field, _)| *field == 7)?;
        let (_, Field::Bytes(bytes)) = first else { return None };
        let mut shape = shape(bytes)?;
        if let Some(batch) = shape.first_mut() {
            *batch = batch.or(Some(1));
        }
        Some(shape)
    }

    /// The name of the function that it calls.
    pub(super) fn function(&self) -> Option<&'a str> {
        let Some(Field::Bytes(function)) = self.find("f", 10) else { return None };
        Some(first_text(function, 1))
    }

    /// The element type of its output.
    pub(super) fn data_type(&self) -> u64 {
        let name = match self.op {
            "Cast" => "DstT",
            "Shape" => "out_type",
            _ => "T",
        };
        match self.find(name, 6).or_else(|| self.find("dtype", 6)) {
            Some(Field::Number(data_type)) => data_type,
            _ => 0,
        }
    }

    /// The constant that it is.
    pub(super) fn constant(&self) -> Option<Tensor> {
        let Field::Bytes(tensor) = self.find("value", 8)? else { return None };
        let mut found = Tensor { is_constant: true, shape: Some(Vec::new()), ..Tensor::default() };
        let (mut content, mut listed): (&[u8], Vec<i64>) = (&[], Vec::new());
        for (field, value) in Fields::of(tensor).filter_map(Result::ok) {
            match (field, value) {
                (1, Field::Number(data_type)) => found.data_type = data_type,
                (2, Field::Bytes(bytes)) => found.shape = shape(bytes),
                (4, Field::Bytes(bytes)) => content = bytes,
                (7 | 10, Field::Number(value)) if listed.len() < MOST_VALUES => listed.push(value.cast_signed()),
                (7 | 10, Field::Bytes(bytes)) => listed.extend(packed(bytes, MOST_VALUES).unwrap_or_default()),
                _ => {}
            }
        }
        let count = usize::try_from(elements(found.shape.as_deref()?)?).ok().filter(|count| *count <= MOST_VALUES);
        found.values = count.and_then(|count| integers(found.data_type, content, &listed, count));
        Some(found)
    }
}

/// Integers of a constant: as they lie in memory, or a list whose last one stands for all that follow.
fn integers(data_type: u64, content: &[u8], listed: &[i64], count: usize) -> Option<Vec<i64>> {
    let values: Vec<i64> = match (data_type, content.is_empty()) {
        (3, false) => content.as_chunks::<4>().0.iter().map(|bytes| i64::from(i32::from_le_bytes(*bytes))).collect(),
        (9, false) => content.as_chunks::<8>().0.iter().map(|bytes| i64::from_le_bytes(*bytes)).collect(),
        (3 | 9, true) => {
            let last = *listed.last()?;
            listed.iter().copied().chain(std::iter::repeat(last)).take(count).collect()
        }
        _ => return None,
    };
    (values.len() == count).then_some(values)
}

/// A shape; `None` if not even the number of dimensions is known.
fn shape(bytes: &[u8]) -> Option<Shape> {
    let mut shape = Vec::new();
    for (field, value) in Fields::of(bytes).filter_map(Result::ok) {
        match (field, value) {
            (2, Field::Bytes(dimension)) => {
                let size =
                    Fields::of(dimension).filter_map(Result::ok).find_map(|(field, value)| match (field, value) {
                        (1, Field::Number(size)) => Some(size.cast_signed()),
                        _ => None,
                    });
                shape.push(u64::try_from(size.unwrap_or(0)).ok());
            }
            (3, Field::Number(1)) => return None,
            _ => {}
        }
        if shape.len() > MOST_DIMENSIONS {
            return None;
        }
    }
    Some(shape)
}

fn text(bytes: &[u8]) -> Result<&str, String> {
    std::str::from_utf8(bytes).map_err(|_| "a name is not UTF-8 text: damaged".to_owned())
}
