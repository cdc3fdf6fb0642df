//! Graphs of `TensorFlow`, encoded by hand: `graph.proto`, `node_def.proto`, `attr_value.proto`, `tensor.proto`.

use super::{known, layer, problem, read};
use crossover_predict::features::{ElementBits, Form};

fn varint(number: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    prost::encoding::encode_varint(number, &mut bytes);
    bytes
}

/// A field of bytes.
fn field(number: u64, content: &[u8]) -> Vec<u8> {
    [varint(number << 3 | 2), varint(content.len() as u64), content.to_vec()].concat()
}

/// A field of a number.
fn number(number: u64, value: u64) -> Vec<u8> {
    [varint(number << 3), varint(value)].concat()
}

/// A shape; −1 is open.
fn shape(sizes: &[i64]) -> Vec<u8> {
    sizes.iter().flat_map(|size| field(2, &number(1, size.cast_unsigned()))).collect()
}

fn attribute(name: &str, value: &[u8]) -> Vec<u8> {
    field(5, &[field(1, name.as_bytes()), field(2, value)].concat())
}

fn text(name: &str, value: &str) -> Vec<u8> {
    attribute(name, &field(2, value.as_bytes()))
}

fn numbers(name: &str, values: &[u64]) -> Vec<u8> {
    let packed: Vec<u8> = values.iter().flat_map(|value| varint(*value)).collect();
    attribute(name, &field(1, &field(3, &packed)))
}

/// An attribute with an element type: 1 is float, 3 a 32 bit integer, 19 half precision.
fn data_type(name: &str, value: u64) -> Vec<u8> {
    attribute(name, &number(6, value))
}

/// A node of the graph.
fn node(name: &str, op: &str, inputs: &[&str], attributes: &[Vec<u8>]) -> Vec<u8> {
    let inputs: Vec<u8> = inputs.iter().flat_map(|input| field(3, input.as_bytes())).collect();
    field(1, &[field(1, name.as_bytes()), field(2, op.as_bytes()), inputs, attributes.concat()].concat())
}

/// A constant of floats without its elements, or of 32 bit integers.
fn constant(name: &str, float: u64, sizes: &[i64], values: &[i32]) -> Vec<u8> {
    let content: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    let kind = if values.is_empty() { float } else { 3 };
    let tensor = [number(1, kind), field(2, &shape(sizes)), field(4, &content)].concat();
    node(name, "Const", &[], &[attribute("value", &field(8, &tensor)), data_type("dtype", kind)])
}

/// A small frozen graph with elements of a type: convolution, bias, rectifier, depthwise convolution, pool, mean, product.
fn graph(float: u64) -> Vec<u8> {
    let kind = || data_type("T", float);
    [
        node(
            "x",
            "Placeholder",
            &[],
            &[data_type("dtype", float), attribute("shape", &field(7, &shape(&[-1, 32, 32, 3])))],
        ),
        constant("w1", float, &[3, 3, 3, 8], &[]),
        node("w1/read", "Identity", &["w1"], &[kind()]),
        constant("b1", float, &[8], &[]),
        node(
            "conv",
            "Conv2D",
            &["x", "w1/read"],
            &[kind(), numbers("strides", &[1, 2, 2, 1]), text("padding", "SAME")],
        ),
        node("bias", "BiasAdd", &["conv", "b1", "^w1"], &[kind()]),
        node("relu", "Relu", &["bias:0"], &[kind()]),
        constant("w2", float, &[3, 3, 8, 1], &[]),
        node(
            "deep",
            "DepthwiseConv2dNative",
            &["relu", "w2"],
            &[kind(), numbers("strides", &[1, 1, 1, 1]), text("padding", "SAME")],
        ),
        node(
            "pool",
            "MaxPool",
            &["deep"],
            &[kind(), numbers("ksize", &[1, 2, 2, 1]), numbers("strides", &[1, 2, 2, 1]), text("padding", "VALID")],
        ),
        constant("axes", float, &[2], &[1, 2]),
        node("mean", "Mean", &["pool", "axes"], &[kind()]),
        constant("w3", float, &[8, 10], &[]),
        node("dense", "MatMul", &["mean", "w3"], &[kind()]),
        node("y", "Softmax", &["dense"], &[kind()]),
    ]
    .concat()
}

const LAYERS: [(&str, [u64; 4]); 8] = [
    ("conv", [3072, 2048, 216, 2 * 2048 * 27]),
    ("bias", [2048, 2048, 8, 2048]),
    ("relu", [2048, 2048, 0, 2048]),
    ("deep", [2048, 2048, 72, 2 * 2048 * 9]),
    ("pool", [2048, 512, 0, 4 * 512]),
    ("mean", [512, 8, 0, 512]),
    ("dense", [8, 10, 80, 160]),
    ("y", [10, 10, 0, 50]),
];

#[test]
fn a_frozen_graph_gives_layers_with_their_parameters() {
    let network = read(graph(1)).expect("a graph");
    assert_eq!((network.form, network.input, network.parameters()), (Form::TensorFlow, Some(3072), Some(376)));
    for (name, expected) in LAYERS {
        assert_eq!(layer(&network, name), known(expected), "{name}");
    }
    assert!(network.notes.is_empty(), "{:?}", network.notes);
    // Half precision moves half of the bytes.
    let half = read(graph(19)).expect("a graph");
    assert_eq!(half.layers[0].bits, ElementBits { input: 16, output: 16, parameters: 16 });
    assert_eq!(half.bytes(4).map(|bytes| 2 * bytes), network.bytes(4));
}

#[test]
fn a_saved_model_has_the_same_graph_and_functions_of_version_2_are_read() {
    let frozen = read(graph(1)).expect("a graph");
    let saved = |graph: &[u8]| [number(1, 1), field(2, &[field(1, b""), field(2, graph)].concat())].concat();
    assert_eq!(read(saved(&graph(1))).expect("a saved model").layers, frozen.layers);
    // A function: its signature with an argument, and nodes in field 3 that name outputs.
    let shaped = |sizes: &[i64]| attribute("_output_shapes", &field(1, &field(7, &shape(sizes))));
    let in_function = |node: Vec<u8>| {
        // The same node in another field.
        [varint(3 << 3 | 2), node[1..].to_vec()].concat()
    };
    let nodes = [
        in_function(node("in", "Identity", &["arg"], &[data_type("T", 1), shaped(&[-1, 6])])),
        in_function(node("weights", "Identity", &["table"], &[data_type("T", 1), shaped(&[6, 4])])),
        in_function(node("dense", "MatMul", &["in:output:0", "weights:output:0"], &[data_type("T", 1)])),
    ];
    let signature = field(1, &[field(1, b"f"), field(2, &field(1, b"arg")), field(2, &field(1, b"table"))].concat());
    let library = field(2, &field(1, &[signature, nodes.concat()].concat()));
    let main = [node("call", "StatefulPartitionedCall", &[], &[]), library].concat();
    let network = read(saved(&main)).expect("a function");
    assert_eq!(layer(&network, "dense")[3], Some(2 * 6 * 4));
    assert!(network.notes[0].contains("largest function"), "{:?}", network.notes);
}

#[test]
fn a_damaged_graph_is_refused_or_read_and_never_panics() {
    let whole = graph(1);
    for end in (1..whole.len()).step_by(7) {
        drop(read(&whole[..end]));
    }
    let twice = [whole.clone(), node("conv", "Relu", &["x"], &[])].concat();
    assert!(problem(twice).contains("two nodes have the name “conv”"));
    let unknown =
        [whole, node("odd", "Fancy", &["relu"], &[data_type("T", 1)]), node("after", "Relu", &["odd"], &[])].concat();
    let network = read(unknown).expect("a graph");
    assert_eq!(layer(&network, "after"), known([2048, 2048, 0, 2048]));
    assert!(network.notes[0].contains("“1 × Fancy”"), "{:?}", network.notes);
}
