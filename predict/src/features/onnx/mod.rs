//! ONNX models: the nodes of the graph with their input and output sizes.
//!
//! Sizes come from the file if it has them, otherwise from the rules of the operators
//! (<https://onnx.ai/onnx/operators/>). Only the dimensions of weights are read, so weights may be in another file.

mod bits;
mod constant;
mod declared;
mod graph;
mod infer;
mod layer;
pub mod messages;
mod node;
mod rearranged;
mod resized;
mod tensor;
mod tensors;
mod values;
mod window;
mod wire;

use std::path::Path;

use prost::Message as _;
use prost::bytes::Bytes;

use super::network::Network;
use super::{Dimensions, NetworkError, bytes};

/// The network of a model.
///
/// # Errors
/// [`NetworkError`]: unreadable; not protobuf, or truncated; without a graph, with a cycle or with a missing tensor.
pub fn read(path: &Path) -> Result<Network, NetworkError> {
    of_bytes(bytes(path)?, &Dimensions::new()).map_err(|problem| NetworkError::unusable(path, problem))
}

/// The network of the bytes of a model; otherwise what is wrong, and where.
pub(super) fn of_bytes(bytes: Vec<u8>, dimensions: &Dimensions) -> Result<Network, String> {
    wire::check(&bytes).map_err(|problem| format!("not a readable ONNX model: {problem}"))?;
    let model = messages::ModelProto::decode(Bytes::from(bytes));
    let model = model.map_err(|error| format!("not a readable ONNX model: {error}"))?;
    graph::network(&model, dimensions)
}

/// Whether bytes have the structure of a model.
pub(super) fn looks_like_one(bytes: &[u8]) -> Result<(), String> {
    wire::check(bytes)
}
