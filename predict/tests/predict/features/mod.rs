//! Networks from files of every form, and the features that the method makes of them.

mod any_form;
mod keras;
mod layer_list;
mod onnx;
mod published;
mod tensorflow;
mod torchinfo;
mod torchsummary;
mod vector;

use crossover_predict::features::{self, Execution, Hardware, Network, NetworkError};
use std::fs;
use std::path::PathBuf;

const EXECUTION: Execution = Execution { batch: 32, iterations: 2_000, input: 1_000 };
const HARDWARE: Hardware = Hardware { capability: 7.0, memory_gb: 32.0, cores: 2_880.0 };

/// Reads a file with this content.
fn read(content: impl AsRef<[u8]>) -> Result<Network, NetworkError> {
    let folder = tempfile::tempdir().expect("a folder");
    let path: PathBuf = folder.path().join("network");
    fs::write(&path, content).expect("a file");
    features::read(&path)
}

fn problem(content: impl AsRef<[u8]>) -> String {
    read(content).expect_err("something is wrong with it").to_string()
}

/// Input, output, parameters and operations of a layer.
fn layer(network: &Network, name: &str) -> [Option<u64>; 4] {
    let layer = network.layers.iter().find(|layer| layer.name == name).unwrap_or_else(|| panic!("no layer {name}"));
    [layer.input_size, layer.output_size, layer.parameters, layer.flops]
}

fn known(numbers: [u64; 4]) -> [Option<u64>; 4] {
    numbers.map(Some)
}
