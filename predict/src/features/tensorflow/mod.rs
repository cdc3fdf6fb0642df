//! Graphs of `TensorFlow`: a frozen graph (`GraphDef`, mostly `frozen_graph.pb`), the graph of a `saved_model.pb`, and both as
//! text (`.pbtxt`). Functions that a graph calls stand in place of the calls.
//!
//! Sizes come from the file where it has them (`_output_shapes`), otherwise from rules of the operators.

mod graph;
mod infer;
mod inline;
mod node;
mod rearranged;
mod text;
mod wire;

use super::network::{Network, first_names};
use wire::{Field, Fields, first_text};

/// The signature by which models are served.
const SERVED: &str = "serving_default";

/// The network of the bytes of a graph, or of a saved model; otherwise what is wrong.
pub(super) fn of_bytes(bytes: &[u8]) -> Result<Network, String> {
    let wrong = |problem: String| format!("not a readable TensorFlow graph: {problem}");
    if text::is_text(bytes) {
        let (bytes, is_saved) = text::bytes_of(bytes).map_err(wrong)?;
        let network = if is_saved { saved_model(&bytes) } else { graph::network(&bytes, &[]) };
        return network.map_err(wrong);
    }
    let network = if is_saved_model(bytes) { saved_model(bytes) } else { graph::network(bytes, &[]) };
    network.map_err(wrong)
}

/// A saved model has a list of graphs, each with what it is for; field 2 of each is its `GraphDef`, field 5 its signatures.
fn saved_model(bytes: &[u8]) -> Result<Network, String> {
    for field in Fields::of(bytes) {
        let (2, Field::Bytes(meta)) = field? else { continue };
        let (mut graph, mut signatures) = (None, Vec::new());
        for field in Fields::of(meta) {
            match field? {
                (2, Field::Bytes(found)) => graph = Some(found),
                (5, Field::Bytes(entry)) => signatures.push((first_text(entry, 1), outputs(entry))),
                _ => {}
            }
        }
        let Some(graph) = graph else { continue };
        // Names of the program's own begin with underscores.
        signatures.retain(|(name, outputs)| !outputs.is_empty() && !name.starts_with("__"));
        signatures.sort_by_key(|(name, _)| *name != SERVED);
        let chosen = signatures.first().map(|(_, outputs)| outputs.as_slice()).unwrap_or_default();
        let mut network = graph::network(graph, chosen)?;
        if let [(name, _), others @ ..] = signatures.as_slice()
            && !others.is_empty()
        {
            let others = first_names(others.iter().map(|(name, _)| *name));
            network.notes.push(format!("the signature “{name}” is read, and not {others}"));
        }
        return Ok(network);
    }
    Err("the saved model has no graph".to_owned())
}

/// Names of the tensors that a signature gives: `SignatureDef`, field 2 of an entry, and its outputs, field 2.
fn outputs(entry: &[u8]) -> Vec<&str> {
    let mut found = Vec::new();
    for signature in messages(entry, 2) {
        for output in messages(signature, 2) {
            found.extend(messages(output, 2).map(|tensor| first_text(tensor, 1)).filter(|name| !name.is_empty()));
        }
    }
    found
}

/// The messages in a field of a message.
fn messages(bytes: &[u8], number: u64) -> impl Iterator<Item = &[u8]> {
    Fields::of(bytes).filter_map(Result::ok).filter_map(move |field| match field {
        (found, Field::Bytes(content)) if found == number => Some(content),
        _ => None,
    })
}

/// Whether bytes are a graph in any of its forms.
pub(super) fn is_one(bytes: &[u8]) -> bool {
    is_saved_model(bytes) || is_graph(bytes) || text::is_text(bytes)
}

/// Whether bytes begin as a saved model: version 1 of its format, then a graph. No model of ONNX has version 1.
fn is_saved_model(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0x08, 0x01, 0x12])
}

/// Whether bytes begin as a graph: a node, whose first field is its name, with control characters that no text has.
fn is_graph(bytes: &[u8]) -> bool {
    let is_control = |byte: &u8| *byte < 9 || (14..32).contains(byte);
    bytes.first() == Some(&0x0a) && bytes.iter().take(4_096).any(is_control) && graph::begins(bytes)
}
