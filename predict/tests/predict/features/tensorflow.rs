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

/// A variable with its element type and shape.
fn variable(name: &str, sizes: &[i64]) -> Vec<u8> {
    node(name, "VarHandleOp", &[], &[data_type("dtype", 1), attribute("shape", &field(7, &shape(sizes)))])
}

/// A function: its name, arguments, nodes, and the tensors that its outputs are.
fn function(name: &str, arguments: &[&str], nodes: &[Vec<u8>], returned: &[(&str, &str)]) -> Vec<u8> {
    let named = |number: u64, name: &str| field(number, &field(1, name.as_bytes()));
    let mut signature = field(1, name.as_bytes());
    signature.extend(arguments.iter().flat_map(|argument| named(2, argument)));
    signature.extend(returned.iter().flat_map(|(output, _)| named(3, output)));
    let mut content = field(1, &signature);
    for node in nodes {
        // The same node as of a graph, in another field.
        content.extend(varint(3 << 3 | 2));
        content.extend(&node[1..]);
    }
    for (output, tensor) in returned {
        content.extend(field(4, &[field(1, output.as_bytes()), field(2, tensor.as_bytes())].concat()));
    }
    field(1, &content)
}

/// A node that calls a function.
fn call(name: &str, function: &str, inputs: &[&str]) -> Vec<u8> {
    let to = attribute("f", &field(10, &field(1, function.as_bytes())));
    node(name, "StatefulPartitionedCall", inputs, &[to])
}

#[test]
fn a_saved_model_is_read_by_its_signature_with_the_shapes_of_its_variables() {
    let kind = || data_type("T", 1);
    let read_variable = |name: &str, from: &str| node(name, "ReadVariableOp", &[from], &[data_type("dtype", 1)]);
    let dense = [
        read_variable("weights", "table"),
        node("product", "MatMul", &["x", "weights:value:0"], &[kind()]),
        node("relu", "Relu", &["product:product:0"], &[kind()]),
    ];
    // The second output of the inner function is what the model gives.
    let outer = [call("inner", "dense", &["x", "v"]), node("y", "Tanh", &["inner:output:1"], &[kind()])];
    let library = field(
        2,
        &[
            function(
                "dense",
                &["x", "table"],
                &dense,
                &[("raw", "product:product:0"), ("active", "relu:activations:0")],
            ),
            function("serve", &["x", "v"], &outer, &[("out", "y:y:0")]),
            function("training", &["x"], &[node("more", "MatMul", &["x", "x"], &[kind()])], &[]),
        ]
        .concat(),
    );
    let open = attribute("shape", &field(7, &shape(&[-1, 6])));
    let main = [
        node("in", "Placeholder", &[], &[data_type("dtype", 1), open]),
        variable("kernel", &[6, 4]),
        call("served", "serve", &["in", "kernel"]),
        call("other", "training", &["in"]),
        library,
    ]
    .concat();
    let signature = |name: &str, tensor: &str| {
        let outputs = field(2, &[field(1, b"y"), field(2, &field(1, tensor.as_bytes()))].concat());
        field(5, &[field(1, name.as_bytes()), field(2, &outputs)].concat())
    };
    let meta = [field(2, &main), signature("other", "other:0"), signature("serving_default", "served:0")].concat();
    let network = read([number(1, 1), field(2, &meta)].concat()).expect("a saved model");
    let names: Vec<&str> = network.layers.iter().map(|layer| layer.name.as_str()).collect();
    assert_eq!(names, ["served/inner/product", "served/inner/relu", "served/y"]);
    assert_eq!(layer(&network, "served/inner/product"), known([6, 4, 24, 48]));
    assert_eq!(layer(&network, "served/y"), known([4, 4, 0, 4]));
    assert_eq!((network.input, network.parameters()), (Some(6), Some(24)));
    assert_eq!(network.notes, ["the signature “serving_default” is read, and not “other”"]);
}

#[test]
fn a_graph_as_text_is_the_same_graph() {
    let text = r#"
# A dense layer.
node { name: "x" op: "Placeholder"
  attr { key: "dtype" value { type: DT_HALF } }
  attr { key: "shape" value { shape { dim { size: -1 } dim { size: 6 } } } } }
node {
  name: "kernel"
  op: "Const"
  attr { key: "value" value { tensor { dtype: DT_HALF tensor_shape { dim { size: 6 } dim { size: 4 } }
    tensor_content: "\000\"}" 'and \101' } } }
}
node { name: "to" op: "Const"
  attr { key: "value" value { tensor { dtype: DT_INT32 tensor_shape { dim { size: 2 } } int_val: [2, 2] } } } }
node { name: "product" op: "MatMul" input: "x" input: "kernel" device: "/gpu:0"
  attr { key: "T" value { type: DT_HALF } } attr { key: "transpose_b" value { b: false } } }
node { name: "y" op: "Reshape" input: "product" input: "to" }
versions { producer: 1994 }
"#;
    let network = read(text).expect("a graph");
    assert_eq!((network.form, network.input, network.parameters()), (Form::TensorFlow, Some(6), Some(24)));
    assert_eq!(layer(&network, "product"), known([6, 4, 24, 48]));
    assert_eq!(network.layers[0].bits, ElementBits { input: 16, output: 16, parameters: 16 });
    assert_eq!(layer(&network, "y")[1], Some(4));
    assert!(problem(text.replace("producer: 1994", "producer")).contains("line 17: expected a colon"));
    assert!(problem(text.replace("1994 }", "1994")).contains("expected }"));
}

#[test]
fn shapes_that_a_graph_computes_give_sizes_and_only_results_count() {
    let kind = || data_type("T", 1);
    let places = |name: &str, values: &[i32]| constant(name, 1, &[i64::try_from(values.len()).expect("few")], values);
    let image = attribute("shape", &field(7, &shape(&[-1, 8, 8, 16])));
    let slice = [("shrink_axis_mask", 1)].map(|(name, value)| attribute(name, &number(3, value)));
    let graph = [
        node("x", "Placeholder", &[], &[data_type("dtype", 1), image]),
        places("axes", &[1, 2]),
        node("mean", "Mean", &["x", "axes"], &[kind()]),
        node("sizes", "Shape", &["mean"], &[kind()]),
        [places("from", &[0]), places("until", &[1]), places("by", &[1])].concat(),
        node("batch", "StridedSlice", &["sizes", "from", "until", "by"], &slice),
        constant("one", 1, &[], &[1]),
        constant("channels", 1, &[], &[16]),
        node("target", "Pack", &["batch", "one", "one", "channels"], &[data_type("T", 3)]),
        node("squeezed", "Reshape", &["mean", "target"], &[kind()]),
        node("scaled", "Mul", &["x", "squeezed"], &[kind()]),
        constant("filter", 1, &[3, 3, 4, 16], &[]),
        places("wide", &[1, 16, 16, 4]),
        node("up", "Conv2DBackpropInput", &["wide", "filter", "scaled"], &[kind()]),
        constant("projection", 1, &[4, 2, 5], &[]),
        node("heads", "Einsum", &["up", "projection"], &[kind(), text("equation", "abcd,def->abcef")]),
        // A constant of the graph scales a table of a training step, which only changes a variable.
        node("step", "Mul", &["filter", "filter"], &[kind()]),
        variable("state", &[3, 3, 4, 16]),
        node("update", "Mul", &["heads", "heads"], &[kind()]),
        node("assign", "AssignVariableOp", &["state", "update"], &[]),
        node("y", "Relu", &["heads"], &[kind()]),
    ]
    .concat();
    let network = read(graph).expect("a graph");
    assert_eq!(layer(&network, "squeezed"), [Some(16 + 4), Some(16), Some(0), Some(0)]);
    assert_eq!(layer(&network, "scaled"), known([64 * 16 + 16, 64 * 16, 0, 64 * 16]));
    assert_eq!(layer(&network, "up"), known([64 * 16, 256 * 4, 576, 2 * 64 * 16 * 9 * 4]));
    assert_eq!(layer(&network, "heads"), known([256 * 4, 256 * 10, 40, 2 * 256 * 4 * 10]));
    assert_eq!(network.parameters(), Some(616));
    assert!(network.layers.iter().all(|layer| layer.name != "update" && layer.name != "step"));
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

/// Each function calls the next one twice and gives nothing: 2^30 calls without a node.
#[test]
fn calls_that_leave_no_node_are_counted() {
    let twice = |place: u32| {
        let next = format!("f{}", place + 1);
        function(&format!("f{place}"), &[], &[call("a", &next, &[]), call("b", &next, &[])], &[])
    };
    let nothing = function("f30", &[], &[], &[]);
    let library = field(2, &[(0..30).map(twice).collect::<Vec<_>>().concat(), nothing].concat());
    let graph = [node("x", "Placeholder", &[], &[data_type("dtype", 1)]), call("all", "f0", &[]), library].concat();
    assert!(problem(graph).contains("calls of functions expand to more than"));
}

/// Each output has the dimensions of both inputs but one: without a limit 2^40 after 40 operators.
#[test]
fn operators_that_join_the_dimensions_of_their_inputs_do_not_fill_the_memory() {
    let open = attribute("shape", &field(7, &shape(&[-1, 6])));
    let mut graph = node("g0", "Placeholder", &[], &[data_type("dtype", 1), open]);
    for place in 0..40 {
        let before = format!("g{place}");
        graph.extend(node(&format!("g{}", place + 1), "GatherV2", &[&before, &before], &[data_type("Tparams", 1)]));
    }
    let network = read(graph).expect("a graph");
    assert_eq!(network.layers.len(), 40);
    assert_eq!(layer(&network, "g1")[1], Some(6 * 6));
}
