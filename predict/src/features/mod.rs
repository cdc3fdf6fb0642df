//! Features of a task before it runs: its network, its execution, and its GPU.
//!
//! - [`network`]: layers of a network with sizes, operations and bytes
//! - [`operator`]: types of operators, by the names of frameworks
//! - [`vector`]: the features themselves, in the order of the method
//! - [`layer_list`], [`onnx`], [`torchinfo`], [`torchsummary`], [`keras`]: networks from files
//! - [`work`]: operations and bytes of layers, with what is assumed
//!
//! [`read`] takes a file of any of these forms.

mod einsum;
pub mod error;
pub mod keras;
pub mod layer_list;
pub mod network;
pub mod onnx;
pub mod operator;
pub(crate) mod shape;
mod table;
mod tensorflow;
mod topological;
pub mod torchinfo;
pub mod torchsummary;
pub mod vector;
pub mod work;

use std::collections::BTreeMap;
use std::path::Path;

use crossover_files::read::bytes as bytes_of_file;

pub use error::NetworkError;
pub use network::{ElementBits, Form, Layer, Network};
pub use operator::Operator;
pub use vector::{Execution, Features, Hardware};
pub use work::{Known, LayerWork};

/// Largest file, the limit of a protobuf message.
const LARGEST_BYTES: u64 = 1 << 31;
/// Largest text: a summary of hundreds of thousands of layers.
const LARGEST_TEXT: usize = 32 << 20;
/// Most layers of a network.
pub(crate) const MOST_LAYERS: usize = 1_000_000;
/// Forms of files.
const FORMS: &str = "an ONNX model (.onnx), a graph of TensorFlow (frozen_graph.pb, saved_model.pb, .pbtxt), the table that torchinfo or \
                     torchsummary prints, the table of Keras' model.summary(), the JSON of Keras' model.to_json(), or a layer list (CSV with the columns operator and input_size)";

/// Sizes of dimensions that an ONNX model or the JSON of Keras leaves open, such as the length of a sequence.
pub type Dimensions = BTreeMap<String, u64>;

/// The network of a file, whose form is recognised by its content; [`Network::form`] has the form.
///
/// # Errors
/// [`NetworkError`]: unreadable, of no known form, or damaged.
pub fn read(path: &Path) -> Result<Network, NetworkError> {
    read_with(path, &Dimensions::new())
}

/// The same with sizes of open dimensions.
///
/// # Errors
/// [`NetworkError`]: as [`read`], or a dimension that the file does not have.
pub fn read_with(path: &Path, dimensions: &Dimensions) -> Result<Network, NetworkError> {
    let bytes = bytes(path)?;
    let form = recognised(&bytes).map_err(|problem| NetworkError::unusable(path, problem))?;
    if !matches!(form, Form::Onnx | Form::KerasJson)
        && let Some(name) = dimensions.keys().next()
    {
        let problem = format!(
            "a {} has no open dimension “{name}”; only ONNX models and Keras JSON have open dimensions",
            form.name()
        );
        return Err(NetworkError::unusable(path, problem));
    }
    let network = match form {
        Form::Onnx => onnx::of_bytes(bytes, dimensions),
        Form::TensorFlow => tensorflow::of_bytes(&bytes),
        Form::LayerList => text(&bytes).and_then(layer_list::of_text),
        Form::Torchinfo => text(&bytes).and_then(torchinfo::of_text),
        Form::Torchsummary => text(&bytes).and_then(torchsummary::of_text),
        Form::KerasSummary => text(&bytes).and_then(keras::summary_of_text),
        Form::KerasJson => text(&bytes).and_then(|text| keras::json_of_text(text, dimensions)),
    };
    network.map_err(|problem| NetworkError::unusable(path, problem))
}

/// All bytes of a file.
fn bytes(path: &Path) -> Result<Vec<u8>, NetworkError> {
    bytes_of_file(path, LARGEST_BYTES).map_err(|cause| NetworkError::Unreadable { path: path.to_owned(), cause })
}

/// Reads a file of one form.
fn read_text(path: &Path, of_text: impl Fn(&str) -> Result<Network, String>) -> Result<Network, NetworkError> {
    let bytes = bytes(path)?;
    text(&bytes).and_then(of_text).map_err(|problem| NetworkError::unusable(path, problem))
}

fn text(bytes: &[u8]) -> Result<&str, String> {
    if bytes.len() > LARGEST_TEXT {
        return Err(format!("larger than {} MB, the limit of a text file", LARGEST_TEXT >> 20));
    }
    let text = std::str::from_utf8(bytes)
        .map_err(|error| format!("not UTF-8 text from byte {} on; expected {FORMS}", error.valid_up_to()))?;
    Ok(text.strip_prefix('\u{feff}').unwrap_or(text))
}

/// The form of a file, from its first lines.
fn recognised(bytes: &[u8]) -> Result<Form, String> {
    if tensorflow::is_one(bytes) {
        return Ok(Form::TensorFlow);
    }
    // ONNX begins with its first field, the version; no text begins with this control character.
    if bytes.first() == Some(&0x08) {
        return Ok(Form::Onnx);
    }
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(format!("empty; expected {FORMS}"));
    }
    if let Ok(text) = text(bytes) {
        if text.trim_start().starts_with('{') {
            return Ok(Form::KerasJson);
        }
        if let Some(form) = table::form(text) {
            return Ok(form);
        }
        let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        if layer_list::is_header(first) {
            return Ok(Form::LayerList);
        }
    }
    // Other writers put the fields in another order.
    match onnx::looks_like_one(bytes) {
        Ok(()) => Ok(Form::Onnx),
        Err(_) if text(bytes).is_ok() => Err(format!("a text of unknown form; expected {FORMS}")),
        Err(problem) => Err(format!("neither a text nor an ONNX model: {problem}; expected {FORMS}")),
    }
}
