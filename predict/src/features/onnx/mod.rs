//! ONNX models: the nodes of the graph with the sizes of what they take and give.
//!
//! Sizes come from the file where it tells them, otherwise from the rules of the operators
//! (<https://onnx.ai/onnx/operators/>). Weights are never looked at, only their dimensions, so that it does not matter
//! whether they stand in another file.

mod constant;
mod graph;
mod infer;
pub mod messages;
mod node;
mod rearranged;
mod tensor;
mod values;
mod window;
mod wire;

use std::path::Path;

use prost::Message as _;
use prost::bytes::Bytes;

use super::network::Network;
use super::{NetworkError, bytes};

/// The network of a model.
///
/// # Errors
/// [`NetworkError`]: unreadable; no protobuf, cut off; without a graph, with a cycle or with a tensor that nothing gives.
pub fn read(path: &Path) -> Result<Network, NetworkError> {
    of_bytes(bytes(path)?).map_err(|problem| NetworkError::unusable(path, problem))
}

/// The network of the bytes of a model; otherwise what is wrong, and where.
pub(super) fn of_bytes(bytes: Vec<u8>) -> Result<Network, String> {
    wire::check(&bytes).map_err(|problem| format!("no ONNX model that can be read: {problem}"))?;
    let model = messages::ModelProto::decode(Bytes::from(bytes));
    let model = model.map_err(|error| format!("no ONNX model that can be read: {error}"))?;
    graph::network(&model)
}

/// Whether bytes are made up as a model is.
pub(super) fn looks_like_one(bytes: &[u8]) -> Result<(), String> {
    wire::check(bytes)
}
