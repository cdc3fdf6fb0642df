//! Graphs of `TensorFlow`: a frozen graph (`GraphDef`, mostly `frozen_graph.pb`), and the graph of a `saved_model.pb`, also of the
//! functions that version 2 keeps it in.
//!
//! Sizes come from the file where it has them (`_output_shapes`), otherwise from rules of the operators.

mod graph;
mod infer;
mod node;
mod wire;

use super::network::Network;
use wire::{Field, Fields};

/// The network of the bytes of a graph, or of a saved model; otherwise what is wrong.
pub(super) fn of_bytes(bytes: &[u8]) -> Result<Network, String> {
    let wrong = |problem: String| format!("not a readable TensorFlow graph: {problem}");
    if !is_saved_model(bytes) {
        return graph::network(bytes).map_err(wrong);
    }
    // A saved model has a list of graphs, each with what it is for; field 2 of each is its `GraphDef`.
    for field in Fields::of(bytes) {
        if let (2, Field::Bytes(meta)) = field.map_err(wrong)? {
            for field in Fields::of(meta) {
                if let (2, Field::Bytes(graph)) = field.map_err(wrong)? {
                    return graph::network(graph).map_err(wrong);
                }
            }
        }
    }
    Err("the saved model has no graph".to_owned())
}

/// Whether bytes begin as a saved model: version 1 of its format, then a graph. No model of ONNX has version 1.
pub(super) fn is_saved_model(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0x08, 0x01, 0x12])
}

/// Whether bytes begin as a graph: a node, whose first field is its name, with control characters that no text has.
pub(super) fn is_graph(bytes: &[u8]) -> bool {
    let is_control = |byte: &u8| *byte < 9 || (14..32).contains(byte);
    bytes.first() == Some(&0x0a) && bytes.iter().take(4_096).any(is_control) && graph::begins(bytes)
}
