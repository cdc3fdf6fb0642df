//! Checks the bytes of a model before decoding: whether they are complete, and how much memory decoding would take. An empty
//! message of two bytes becomes a struct of hundreds, so the number of items is bounded, not only the file.
//!
//! Encoding: <https://protobuf.dev/programming-guides/encoding/>.

use super::super::MOST_LAYERS;

/// Most messages, names and numbers of a model, weights left out.
const MOST_ITEMS: usize = 16_000_000;
/// Deepest nesting of graphs.
const DEEPEST_GRAPHS: usize = 16;

/// Messages of ONNX that are read.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Model,
    Function,
    Graph,
    Node,
    Attribute,
    Tensor,
    Sparse,
    Value,
    Type,
    TensorType,
    Shape,
    Dimension,
}

/// Content of a field of bytes.
enum Content {
    Message(Kind),
    /// A name.
    Text,
    /// Packed numbers.
    Packed,
    /// Weights, or fields that are not read.
    Skipped,
}

impl Kind {
    /// Content of a field of this message; field numbers are those of `messages.rs`.
    const fn content(self, field: u64) -> Content {
        use Content::{Message, Packed, Skipped, Text};
        match (self, field) {
            (Self::Model, 7) | (Self::Attribute, 6 | 11) => Message(Self::Graph),
            (Self::Model, 25) => Message(Self::Function),
            (Self::Graph, 1) => Message(Self::Node),
            (Self::Graph | Self::Attribute, 5) | (Self::Sparse, 1) => Message(Self::Tensor),
            (Self::Graph, 11..=13) => Message(Self::Value),
            (Self::Graph, 15) => Message(Self::Sparse),
            (Self::Node, 5) => Message(Self::Attribute),
            (Self::Value, 2) => Message(Self::Type),
            (Self::Type, 1) => Message(Self::TensorType),
            (Self::TensorType, 2) => Message(Self::Shape),
            (Self::Shape, 1) => Message(Self::Dimension),
            (Self::Attribute, 8) | (Self::Tensor, 1) | (Self::Sparse, 3) => Packed,
            (Self::Node, 1..=4 | 7)
            | (Self::Model | Self::Graph | Self::Dimension, 2)
            | (Self::Function | Self::Attribute | Self::Value, 1)
            | (Self::Tensor, 8) => Text,
            _ => Skipped,
        }
    }
}

/// Checks the bytes of a model.
///
/// # Errors
/// A sentence with the damaged byte or the exceeded limit.
pub(super) fn check(bytes: &[u8]) -> Result<(), String> {
    let mut walk = Walk { bytes, place: 0, items: 0, nodes: 0, graphs: 0, has_graph: false };
    walk.message(Kind::Model, bytes.len())?;
    if !walk.has_graph {
        return Err("the model has no graph".to_owned());
    }
    Ok(())
}

struct Walk<'a> {
    bytes: &'a [u8],
    place: usize,
    items: usize,
    nodes: usize,
    graphs: usize,
    has_graph: bool,
}

impl Walk<'_> {
    /// Checks a message that ends before this byte. The recursion is limited by the nesting of graphs.
    fn message(&mut self, kind: Kind, end: usize) -> Result<(), String> {
        self.count()?;
        if kind == Kind::Node {
            self.nodes += 1;
            if self.nodes > MOST_LAYERS {
                return Err(format!("more than {MOST_LAYERS} nodes"));
            }
        }
        if kind == Kind::Graph {
            self.has_graph = true;
            self.graphs += 1;
            if self.graphs > DEEPEST_GRAPHS {
                return Err(format!("byte {}: graphs nested more than {DEEPEST_GRAPHS} deep", self.place));
            }
        }
        while self.place < end {
            let start = self.place;
            let key = self.number(end)?;
            let (field, wire) = (key >> 3, key & 7);
            if field == 0 {
                return Err(format!(
                    "byte {start}: field 0, which protobuf does not have; damaged or not an ONNX model"
                ));
            }
            match wire {
                0 => {
                    self.number(end)?;
                    if matches!(kind.content(field), Content::Packed) {
                        self.count()?;
                    }
                }
                1 => self.skip(8, end)?,
                5 => self.skip(4, end)?,
                2 => {
                    let length = self.number(end)?;
                    let inner = usize::try_from(length).ok().and_then(|length| self.place.checked_add(length));
                    let Some(inner) = inner.filter(|inner| *inner <= end) else {
                        let left = end - self.place;
                        return Err(format!(
                            "byte {start}: a field of {length} bytes, but only {left} remain; truncated or damaged"
                        ));
                    };
                    match kind.content(field) {
                        Content::Message(kind) => self.message(kind, inner)?,
                        Content::Text => self.count()?,
                        Content::Packed => {
                            // Every number ends with a byte below 128.
                            self.items += self.bytes[self.place..inner].iter().filter(|byte| **byte < 128).count();
                        }
                        Content::Skipped => {}
                    }
                    self.place = inner;
                }
                _ => {
                    return Err(format!(
                        "byte {start}: a field of type {wire}, which ONNX does not use; damaged or not an ONNX model"
                    ));
                }
            }
        }
        if kind == Kind::Graph {
            self.graphs -= 1;
        }
        Ok(())
    }

    fn count(&mut self) -> Result<(), String> {
        self.items += 1;
        if self.items > MOST_ITEMS {
            return Err(format!("more than {MOST_ITEMS} nodes, attributes, names and dimensions"));
        }
        Ok(())
    }

    /// A number of seven bits a byte, the lowest first.
    fn number(&mut self, end: usize) -> Result<u64, String> {
        let start = self.place;
        let mut number = 0_u64;
        for shift in (0..70).step_by(7) {
            if self.place == end {
                return Err(format!("byte {start}: an incomplete number; truncated or damaged"));
            }
            let byte = self.bytes[self.place];
            self.place += 1;
            number |= u64::from(byte & 127).checked_shl(shift).unwrap_or(0);
            if byte < 128 {
                return Ok(number);
            }
        }
        Err(format!("byte {start}: a number of more than ten bytes; damaged or not an ONNX model"))
    }

    fn skip(&mut self, bytes: usize, end: usize) -> Result<(), String> {
        let start = self.place;
        self.place += bytes;
        if self.place > end {
            Err(format!("byte {start}: expected {bytes} bytes; truncated or damaged"))
        } else {
            Ok(())
        }
    }
}
