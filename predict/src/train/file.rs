//! A trained network as one file in the format safetensors: tensors, with the model card in the metadata.
//! <https://github.com/huggingface/safetensors#format>

use std::collections::BTreeMap;
use std::path::Path;

use crossover_files::atomic::{self, Prepared};
use crossover_files::read::{self, ReadTextError};
use serde::{Deserialize, Serialize};

use super::card::ModelCard;
use super::error::TrainError;
use super::model::Model;
use super::network::{Layer, Network};

/// Largest file: the most weights, model card and names.
const LARGEST_BYTES: u64 = 72_000_000;
/// Largest header.
const LARGEST_HEADER: usize = 8_000_000;
/// Key of the model card in the metadata.
const CARD: &str = "model_card";
/// Bytes of a number in single precision.
const SINGLE: usize = 4;

#[derive(Serialize, Deserialize)]
struct Header {
    #[serde(rename = "__metadata__")]
    metadata: BTreeMap<String, String>,
    #[serde(flatten)]
    tensors: BTreeMap<String, Entry>,
}

#[derive(Serialize, Deserialize)]
struct Entry {
    dtype: String,
    shape: Vec<usize>,
    data_offsets: [usize; 2],
}

/// Names and shapes of the tensors of a network, in their order: weights and biases of each layer of each member.
fn tensors(card: &ModelCard) -> Vec<(String, Vec<usize>)> {
    let of_layer = |member: usize, (layer, [inputs, outputs]): (usize, [usize; 2])| {
        let name = |what: &str| format!("member.{member:02}.layer.{layer}.{what}");
        [(name("weights"), vec![inputs, outputs]), (name("biases"), vec![outputs])]
    };
    let of_member = |member| card.shapes().into_iter().enumerate().flat_map(move |layer| of_layer(member, layer));
    (0..card.members).flat_map(of_member).collect()
}

impl Model {
    /// Writes the network to one file, in one step.
    ///
    /// # Errors
    /// [`TrainError::Save`]: it cannot be written.
    pub fn save(&self, path: &Path) -> Result<(), TrainError> {
        Ok(self.prepare(path)?.commit()?)
    }

    /// The first half of [`save`](Self::save): the bytes are on the disk, under another name.
    ///
    /// # Errors
    /// As [`save`](Self::save).
    pub fn prepare(&self, path: &Path) -> Result<Prepared, TrainError> {
        let lists = self.networks.iter().flat_map(Network::parameters);
        let (mut entries, mut data) = (BTreeMap::new(), Vec::new());
        for ((name, shape), numbers) in tensors(&self.card).into_iter().zip(lists) {
            let begin = data.len();
            data.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
            entries.insert(name, Entry { dtype: "F32".to_owned(), shape, data_offsets: [begin, data.len()] });
        }
        let unwritable =
            |error: serde_json::Error| TrainError::unusable(path, format!("cannot write the model card: {error}"));
        let card = serde_json::to_string(&self.card).map_err(unwritable)?;
        let header = Header { metadata: BTreeMap::from([(CARD.to_owned(), card)]), tensors: entries };
        let mut header = serde_json::to_vec(&header).map_err(unwritable)?;
        header.resize(header.len().next_multiple_of(8), b' ');
        let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
        bytes.extend(header);
        bytes.extend(data);
        Ok(atomic::prepare(path, &bytes)?)
    }

    /// The network of a file.
    ///
    /// # Errors
    /// [`TrainError`]: unreadable or damaged.
    pub fn load(path: &Path) -> Result<Self, TrainError> {
        let unreadable = |problem: ReadTextError| TrainError::Unreadable { path: path.to_owned(), problem };
        let bytes = read::bytes(path, LARGEST_BYTES).map_err(unreadable)?;
        parse(&bytes).map_err(|problem| TrainError::unusable(path, problem))
    }
}

fn parse(bytes: &[u8]) -> Result<Model, String> {
    let again = "train the predictor again, or load another file";
    let (length, rest) =
        bytes.split_first_chunk::<8>().ok_or_else(|| format!("{} bytes; expected a network; {again}", bytes.len()))?;
    let length = usize::try_from(u64::from_le_bytes(*length)).unwrap_or(usize::MAX);
    if length > rest.len() || length > LARGEST_HEADER {
        return Err(format!("not a safetensors file, or truncated: its header has {length} bytes; {again}"));
    }
    let (header, data) = rest.split_at(length);
    let header: Header =
        serde_json::from_slice(header).map_err(|error| format!("header of the safetensors file: {error}; {again}"))?;
    let card = header
        .metadata
        .get(CARD)
        .ok_or_else(|| format!("no “{CARD}” in the metadata: not trained by Crossover; {again}"))?;
    let card: ModelCard = serde_json::from_str(card).map_err(|error| format!("model card: {error}; {again}"))?;
    if let Some(problem) = card.problem() {
        return Err(format!("model card: {problem}; {again}"));
    }
    let expected = tensors(&card);
    if header.tensors.len() != expected.len() {
        return Err(format!("{} tensors; the model card has {}; {again}", header.tensors.len(), expected.len()));
    }
    let mut lists = Vec::new();
    let mut used = 0;
    for (name, shape) in expected {
        let entry = header.tensors.get(&name).ok_or_else(|| format!("no tensor “{name}”; {again}"))?;
        let size = shape.iter().product::<usize>() * SINGLE;
        let [begin, end] = entry.data_offsets;
        if entry.dtype != "F32" || entry.shape != shape || begin != used || end != begin + size {
            return Err(format!(
                "tensor “{name}”: {} {:?} at {begin} to {end}; expected F32 {shape:?} at {used} to {}; {again}",
                entry.dtype,
                entry.shape,
                used + size
            ));
        }
        used = end;
        let numbers = data.get(begin..end).ok_or_else(|| format!("tensor “{name}”: the file is truncated; {again}"))?;
        let (chunks, _) = numbers.as_chunks::<SINGLE>();
        let numbers: Vec<f32> = chunks.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
        if let Some(place) = numbers.iter().position(|number| !number.is_finite()) {
            return Err(format!("tensor “{name}”, number {}: not finite; {again}", place + 1));
        }
        lists.push(numbers);
    }
    if used != data.len() {
        return Err(format!("{} bytes after the last tensor; {again}", data.len() - used));
    }
    let mut lists = lists.into_iter();
    let mut layers = Vec::new();
    while let (Some(weights), Some(biases)) = (lists.next(), lists.next()) {
        layers.push(Layer { weights, biases });
    }
    let depth = card.shapes().len();
    let networks = layers.chunks(depth).map(|layers| Network { layers: layers.to_vec() }).collect();
    Ok(Model { card, networks })
}
