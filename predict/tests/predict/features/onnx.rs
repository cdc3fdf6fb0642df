//! ONNX models, made of the messages that the reader declares.

use super::{EXECUTION, HARDWARE, known, layer, problem, read};
use crossover_predict::features::onnx::messages::{
    AttributeProto, DimensionProto, GraphProto, ModelProto, NodeProto, TensorProto, TensorShapeProto, TensorTypeProto,
    TypeProto, ValueInfoProto,
};
use crossover_predict::features::{Features, Form};
use prost::Message as _;

pub(super) fn dimension(size: i64) -> DimensionProto {
    DimensionProto { dim_value: Some(size), dim_param: None }
}

pub(super) fn value(name: &str, dims: Vec<DimensionProto>) -> ValueInfoProto {
    let shape = Some(TensorShapeProto { dim: dims });
    let tensor_type = Some(TensorTypeProto { elem_type: 1, shape });
    ValueInfoProto { name: name.into(), r#type: Some(TypeProto { tensor_type }) }
}

pub(super) fn weights(name: &str, dims: &[i64]) -> TensorProto {
    TensorProto { name: name.into(), dims: dims.to_vec(), data_type: 1, ..TensorProto::default() }
}

pub(super) fn node(op_type: &str, inputs: &[&str], output: &str, attribute: Vec<AttributeProto>) -> NodeProto {
    NodeProto {
        input: inputs.iter().map(ToString::to_string).collect(),
        output: vec![output.into()],
        name: output.into(),
        op_type: op_type.into(),
        attribute,
        domain: String::new(),
    }
}

pub(super) fn ints(name: &str, ints: &[i64]) -> AttributeProto {
    AttributeProto { name: name.into(), ints: ints.to_vec(), ..AttributeProto::default() }
}

pub(super) fn int(name: &str, i: i64) -> AttributeProto {
    AttributeProto { name: name.into(), i, ..AttributeProto::default() }
}

/// A small convolutional network with a shortcut.
pub(super) fn small_cnn(batch: DimensionProto) -> ModelProto {
    let target = TensorProto {
        name: "target".into(),
        dims: vec![2],
        data_type: 7,
        raw_data: [0_i64, -1].iter().flat_map(|size| size.to_le_bytes()).collect::<Vec<u8>>().into(),
        ..TensorProto::default()
    };
    let pads = || vec![ints("pads", &[1, 1, 1, 1])];
    let graph = GraphProto {
        name: "cnn".into(),
        node: vec![
            node("Conv", &["x", "w1", "b1"], "conv1", pads()),
            node("BatchNormalization", &["conv1", "scale", "shift", "mean", "variance"], "norm", vec![]),
            node("Relu", &["norm"], "relu1", vec![]),
            node("MaxPool", &["relu1"], "pool", vec![ints("kernel_shape", &[2, 2]), ints("strides", &[2, 2])]),
            node("Conv", &["pool", "w2"], "conv2", pads()),
            node("Add", &["conv2", "pool"], "sum", vec![]),
            node("Concat", &["sum", "pool"], "both", vec![int("axis", 1)]),
            node("GlobalAveragePool", &["both"], "mean_of_all", vec![]),
            node("Reshape", &["mean_of_all", "target"], "flat", vec![]),
            node("Gemm", &["flat", "w3", "b3"], "logits", vec![int("transB", 1)]),
            node("Softmax", &["logits"], "y", vec![]),
        ],
        initializer: vec![
            weights("w1", &[8, 3, 3, 3]),
            weights("b1", &[8]),
            weights("scale", &[8]),
            weights("shift", &[8]),
            weights("mean", &[8]),
            weights("variance", &[8]),
            weights("w2", &[8, 8, 3, 3]),
            target,
            weights("w3", &[10, 16]),
            weights("b3", &[10]),
        ],
        input: vec![value("x", vec![batch, dimension(3), dimension(32), dimension(32)])],
        output: vec![value("y", vec![])],
        ..GraphProto::default()
    };
    let mut graph = graph;
    graph.output[0].r#type = None;
    ModelProto { ir_version: 8, graph: Some(graph), ..ModelProto::default() }
}

pub(super) fn symbolic() -> DimensionProto {
    DimensionProto { dim_value: None, dim_param: Some("N".into()) }
}

#[test]
fn shapes_of_an_onnx_model_are_worked_out_by_the_rules_of_its_operators() {
    let network = read(small_cnn(symbolic()).encode_to_vec()).expect("a model");
    assert_eq!((network.form, network.input, network.notes.len()), (Form::Onnx, Some(3 * 32 * 32), 0));
    let map = 8 * 32 * 32;
    let pooled = 8 * 16 * 16;
    for (name, expected) in [
        ("conv1", [3 * 32 * 32, map, 8 * 27 + 8, 2 * map * 27]),
        ("norm", [map, map, 4 * 8, 2 * map]),
        ("relu1", [map, map, 0, map]),
        ("pool", [map, pooled, 0, 4 * pooled]),
        ("conv2", [pooled, pooled, 8 * 72, 2 * pooled * 72]),
        ("sum", [2 * pooled, pooled, 0, pooled]),
        ("both", [2 * pooled, 2 * pooled, 0, 0]),
        ("mean_of_all", [2 * pooled, 16, 0, 2 * pooled]),
        ("flat", [16, 16, 0, 0]),
        ("logits", [16, 10, 170, 2 * 160]),
        ("y", [10, 10, 0, 50]),
    ] {
        assert_eq!(layer(&network, name), known(expected), "{name}");
    }
    let features = Features::new(&network, EXECUTION, HARDWARE);
    assert_eq!(features.values()[..9], [4096.0, 3072.0, 8192.0, 8192.0, 16.0, 4096.0, 0.0, 4096.0, 10.0]);
    assert!(network.flops().is_some() && network.bytes(1).is_some());
}

#[test]
fn a_fixed_batch_gives_the_sizes_of_one_sample_too() {
    let [open, fixed] =
        [symbolic(), dimension(16)].map(|batch| read(small_cnn(batch).encode_to_vec()).expect("a model"));
    assert_eq!(open.layers, fixed.layers);
    assert_eq!(fixed.input, Some(3072));
    assert!(fixed.notes[0].contains("first dimension of the inputs, 16, is taken as the batch"), "{:?}", fixed.notes);
}

#[test]
fn nodes_may_stand_in_any_order_but_not_in_a_cycle() {
    let mut model = small_cnn(symbolic());
    let sorted = read(model.encode_to_vec()).expect("a model");
    let nodes = |model: &mut ModelProto| std::mem::take(&mut model.graph.as_mut().expect("a graph").node);
    let mut turned = nodes(&mut model);
    turned.reverse();
    model.graph.as_mut().expect("a graph").node = turned;
    assert_eq!(read(model.encode_to_vec()).expect("a model").layers, sorted.layers);
    let graph = model.graph.as_mut().expect("a graph");
    graph.node.iter_mut().find(|node| node.name == "conv1").expect("a node").input[0] = "relu1".into();
    let problem = problem(model.encode_to_vec());
    assert!(problem.contains("the graph has a cycle through node "), "{problem}");
}

#[test]
fn a_tensor_that_nothing_gives_or_two_nodes_give_is_named() {
    let mut model = small_cnn(symbolic());
    model.graph.as_mut().expect("a graph").node[2].input[0] = "absent".into();
    assert!(problem(model.encode_to_vec()).contains("node 2, “relu1” (“Relu”): input tensor “absent” does not exist"));
    let mut model = small_cnn(symbolic());
    model.graph.as_mut().expect("a graph").node[2].output[0] = "pool".into();
    assert!(problem(model.encode_to_vec()).contains("tensor “pool” is defined twice"));
    let mut model = small_cnn(symbolic());
    model.graph.as_mut().expect("a graph").initializer[0].dims[0] = -8;
    assert!(problem(model.encode_to_vec()).contains("constant “w1” has a negative dimension"));
}

#[test]
fn weights_in_another_file_are_not_missed_but_told_of() {
    let mut model = small_cnn(symbolic());
    model.graph.as_mut().expect("a graph").initializer[0].data_location = 1;
    let network = read(model.encode_to_vec()).expect("a model");
    assert_eq!(network.notes, ["1 of the weights are in another file, which is not needed"]);
    assert_eq!(layer(&network, "conv1")[2], Some(224));
}

#[test]
fn sizes_behind_an_open_dimension_are_not_known_and_an_unknown_operator_costs_its_own_only() {
    let mut model = small_cnn(symbolic());
    let graph = model.graph.as_mut().expect("a graph");
    graph.input[0] = value(
        "x",
        vec![
            symbolic(),
            dimension(3),
            DimensionProto { dim_value: None, dim_param: Some("height".into()) },
            dimension(32),
        ],
    );
    let network = read(model.encode_to_vec()).expect("a model");
    assert_eq!((network.input, layer(&network, "conv1")[0], network.flops()), (None, None, None));
    // Behind the mean over everything the height does not matter.
    assert_eq!(layer(&network, "logits"), known([16, 10, 170, 320]));
    assert!(network.notes[0].contains("“height”"), "{:?}", network.notes);
    let features = Features::new(&network, EXECUTION, HARDWARE);
    assert!(
        features.notes.iter().any(|note| note.contains("the input size is not known: 7 layers: “conv1”")),
        "{:?}",
        features.notes
    );

    let mut model = small_cnn(symbolic());
    model.graph.as_mut().expect("a graph").node[2].op_type = "Fancy".into();
    let network = read(model.encode_to_vec()).expect("a model");
    // It is taken to be as large as its input, so that what follows is known, and is named.
    assert_eq!(layer(&network, "relu1"), [Some(8192), Some(8192), Some(0), None]);
    assert_eq!(layer(&network, "pool"), known([8192, 2048, 0, 8192]));
    assert_eq!(
        network.notes,
        ["unknown operators, whose output is assumed to be as large as their first input: “1 × Fancy”"]
    );
    // The file may tell it.
    let graph = model.graph.as_mut().expect("a graph");
    graph.value_info = vec![value("relu1", vec![symbolic(), dimension(8), dimension(32), dimension(32)])];
    let network = read(model.encode_to_vec()).expect("a model");
    assert_eq!(layer(&network, "pool"), known([8192, 2048, 0, 8192]));
    assert!(network.notes.is_empty(), "{:?}", network.notes);
}

#[test]
fn a_model_that_is_cut_off_anywhere_is_refused() {
    let whole = small_cnn(symbolic()).encode_to_vec();
    for end in 1..whole.len() {
        let problem = problem(&whole[..end]);
        assert!(problem.contains("ONNX"), "{end}: {problem}");
    }
}

#[test]
fn a_small_file_that_would_unfold_into_gigabytes_is_refused() {
    // Empty attributes of a node: two bytes each.
    let attributes: Vec<u8> = [0x2a, 0x00].repeat(17_000_000);
    let field = |number: u8, content: &[u8]| {
        let mut bytes = vec![number << 3 | 2];
        prost::encoding::encode_varint(content.len() as u64, &mut bytes);
        bytes.extend_from_slice(content);
        bytes
    };
    let model = [vec![0x08, 0x08], field(7, &field(1, &attributes))].concat();
    assert!(problem(&model).contains("more than 16000000 nodes, attributes, names and dimensions"));
    let nodes: Vec<u8> = [0x0a, 0x00].repeat(1_000_001);
    assert!(problem([vec![0x08, 0x08], field(7, &nodes)].concat()).contains("more than 1000000 nodes"));
    // Graphs within graphs.
    let mut inner = Vec::new();
    for _ in 0..40 {
        inner = field(1, &field(5, &field(6, &inner)));
    }
    let problem = problem([vec![0x08, 0x08], field(7, &inner)].concat());
    assert!(problem.contains("graphs nested more than 16 deep"), "{problem}");
}

#[test]
fn nodes_inside_of_a_loop_are_counted_and_left_out() {
    let mut model = small_cnn(symbolic());
    let body = GraphProto { node: vec![node("Relu", &["a"], "b", vec![])], ..GraphProto::default() };
    let attribute = AttributeProto { name: "body".into(), g: Some(Box::new(body)), ..AttributeProto::default() };
    model.graph.as_mut().expect("a graph").node.push(node("Loop", &["y"], "z", vec![attribute]));
    let network = read(model.encode_to_vec()).expect("a model");
    let left_out = network.notes.iter().any(|note| note.starts_with("left out: 1 node inside of Loop or Scan"));
    assert!(left_out, "{:?}", network.notes);
}

/// An `If` on the tensor `which`: 16 channels, or 8 with names that the other branch has too.
fn branched(which: NodeProto) -> ModelProto {
    let branch = |name: &str, channels: i64| {
        let graph = GraphProto {
            node: vec![
                node("Conv", &["pool", "inner_w"], "inner", vec![ints("pads", &[1, 1, 1, 1])]),
                node("Relu", &["inner"], "inner_out", vec![]),
            ],
            initializer: vec![weights("inner_w", &[channels, 8, 3, 3])],
            output: vec![ValueInfoProto { name: "inner_out".into(), r#type: None }],
            ..GraphProto::default()
        };
        AttributeProto { name: name.into(), g: Some(Box::new(graph)), ..AttributeProto::default() }
    };
    let mut model = small_cnn(symbolic());
    let graph = model.graph.as_mut().expect("a graph");
    let decided = node("If", &["which"], "chosen", vec![branch("then_branch", 8), branch("else_branch", 16)]);
    graph.node.extend([which, decided, node("Sigmoid", &["chosen"], "after", vec![])]);
    model
}

#[test]
fn an_if_gives_the_layers_of_the_branch_that_its_condition_decides_for() {
    // Constants that are equal: the first branch, 8 channels of 16 × 16.
    let small = |name: &str| TensorProto { data_type: 7, int64_data: vec![3].into(), ..weights(name, &[]) };
    let mut model = branched(node("Equal", &["three", "other"], "which", vec![]));
    model.graph.as_mut().expect("a graph").initializer.extend([small("three"), small("other")]);
    let network = read(model.encode_to_vec()).expect("a model");
    assert_eq!(layer(&network, "inner"), known([2048, 2048, 8 * 72, 2 * 2048 * 72]));
    assert_eq!(layer(&network, "after"), known([2048, 2048, 0, 3 * 2048]));
    assert!(network.notes.is_empty(), "{:?}", network.notes);
}

#[test]
fn an_if_that_the_file_does_not_decide_gives_the_branch_with_more_parameters_and_is_named() {
    let which = node("Identity", &["y"], "which", vec![]);
    let network = read(branched(which).encode_to_vec()).expect("a model");
    assert_eq!(layer(&network, "inner"), known([2048, 4096, 16 * 72, 2 * 4096 * 72]));
    assert_eq!(layer(&network, "after")[0], Some(4096));
    assert!(network.notes.iter().any(|note| note.contains("“chosen”")), "{:?}", network.notes);
    assert_eq!(network.layers.iter().filter(|layer| layer.name == "inner").count(), 1);
}

#[test]
fn a_dimension_without_a_name_is_set_by_its_place() {
    let unnamed = |param: &str| DimensionProto { dim_value: None, dim_param: Some(param.into()) };
    let mut model = small_cnn(symbolic());
    let graph = model.graph.as_mut().expect("a graph");
    graph.input = vec![value("x", vec![symbolic(), dimension(3), unnamed("?"), unnamed("")])];
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("network");
    std::fs::write(&path, model.encode_to_vec()).expect("a file");
    let sizes = std::collections::BTreeMap::from([("x[2]".to_owned(), 32), ("x[3]".to_owned(), 16)]);
    let network = crossover_predict::features::read_with(&path, &sizes).expect("a model");
    assert_eq!(layer(&network, "conv1")[1], Some(8 * 32 * 16));
    let open = read(model.encode_to_vec()).expect("a model");
    assert!(open.notes.iter().any(|note| note.contains("“x[2]”, “x[3]”")), "{:?}", open.notes);
}

#[test]
fn paddings_that_an_exporter_computes_and_einstein_summations_have_sizes() {
    let list = |name: &str, dims: &[i64], values: &[i64]| TensorProto {
        data_type: 7,
        raw_data: values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>().into(),
        ..weights(name, dims)
    };
    let mut model = small_cnn(symbolic());
    let graph = model.graph.as_mut().expect("a graph");
    // PyTorch writes pairs from the last dimension on; they are reversed, and turned to all starts before all ends.
    graph.initializer.extend([
        list("pairs", &[4, 2], &[3, 4, 1, 2, 0, 0, 0, 0]),
        list("last", &[1], &[-1]),
        list("beyond", &[1], &[i64::MIN]),
        list("rows", &[1], &[0]),
        list("flat_shape", &[1], &[-1]),
        weights("projection", &[8, 5]),
    ]);
    graph.node.extend([
        node("Slice", &["pairs", "last", "beyond", "rows", "last"], "reversed", vec![]),
        node("Transpose", &["reversed"], "turned", vec![ints("perm", &[1, 0])]),
        node("Reshape", &["turned", "flat_shape"], "pads", vec![]),
        node("Pad", &["pool", "pads"], "padded", vec![]),
        node(
            "Einsum",
            &["padded", "projection"],
            "summed",
            vec![AttributeProto {
                name: "equation".into(),
                s: b"nchw,cd->ndhw".to_vec().into(),
                ..AttributeProto::default()
            }],
        ),
    ]);
    let network = read(model.encode_to_vec()).expect("a model");
    // 16 × 16 places with 1 and 2 rows, 3 and 4 columns beside them.
    assert_eq!(layer(&network, "padded")[1], Some(8 * 19 * 23));
    assert_eq!(layer(&network, "summed"), known([8 * 19 * 23, 5 * 19 * 23, 40, 2 * 8 * 5 * 19 * 23]));
}

#[test]
fn a_model_that_is_quantised_while_it_runs_has_sizes() {
    let mut model = small_cnn(symbolic());
    let graph = model.graph.as_mut().expect("a graph");
    graph.initializer.extend([
        TensorProto { data_type: 3, ..weights("q_w", &[4, 8, 3, 3]) },
        TensorProto { data_type: 3, ..weights("q_zero", &[]) },
    ]);
    let quantised = NodeProto {
        output: ["q", "scale_of_q", "zero_of_q"].map(ToOwned::to_owned).to_vec(),
        ..node("DynamicQuantizeLinear", &["pool"], "q", vec![])
    };
    graph.node.extend([
        quantised,
        node("ConvInteger", &["q", "q_w", "zero_of_q", "q_zero"], "counted", vec![ints("pads", &[1, 1, 1, 1])]),
        node("Cast", &["counted"], "cast", vec![int("to", 1)]),
        node("Mul", &["cast", "scale_of_q"], "scaled", vec![]),
    ]);
    let network = read(model.encode_to_vec()).expect("a model");
    // One scale and one zero point of the whole tensor.
    assert_eq!(layer(&network, "counted"), known([2048 + 1, 1024, 4 * 72 + 1, 2 * 1024 * 72]));
    assert_eq!(layer(&network, "scaled"), known([1024 + 1, 1024, 0, 1024]));
    assert!(network.notes.is_empty(), "{:?}", network.notes);
}
