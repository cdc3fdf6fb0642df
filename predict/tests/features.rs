//! Networks from files of every form, and the features that the method makes of them.

use std::fs;
use std::path::PathBuf;

use crossover_needs::test_data;
use crossover_predict::features::onnx::messages::{
    AttributeProto, DimensionProto, GraphProto, ModelProto, NodeProto, TensorProto, TensorShapeProto, TensorTypeProto,
    TypeProto, ValueInfoProto,
};
use crossover_predict::features::{self, Execution, Features, Form, Hardware, Network, NetworkError, Operator};
use proptest::prelude::*;
use prost::Message as _;

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

// ---------------------------------------------------------------------------------------------- features of the method

#[test]
fn the_published_example_comes_out_of_a_list_with_several_layers_of_a_type() {
    let network = read(
        "operator,input_size\nConv2D,2400\nReLU,1000\nMaxPool,3200\nConv2D,4800\nConv2D,2800\nReLU,640\nAddV2,2000\nAddV2,1800\n\
         MaxPool,800\nConcat,100\nMatMul,4200\nMatMul,100\nSoftmax,100\n",
    );
    let features = Features::new(&network.expect("a list"), EXECUTION, HARDWARE);
    let published = [
        ("addv2", 2000.0),
        ("conv2d", 4800.0),
        ("maxpool", 3200.0),
        ("relu", 1000.0),
        ("matmul", 4200.0),
        ("avgpool", 0.0),
        ("mul", 0.0),
        ("concat", 100.0),
        ("softmax", 100.0),
        ("batchsize", 32.0),
        ("iteration", 2000.0),
        ("input", 1000.0),
        ("capability", 7.0),
        ("memory", 32.0),
        ("cores", 2880.0),
    ];
    let made: Vec<(&str, f64)> = Features::names().into_iter().zip(*features.values()).collect();
    assert_eq!(made, published);
    assert!(features.notes.is_empty());
}

#[test]
fn the_largest_of_three_convolutions_counts_as_in_the_published_task_b() {
    let network = read(
        "operator,input_size\nconv2d,2400\nconv2d,2800\nconv2d,4800\naddv2,2400\nmaxpool,4800\nrelu,1000\nconcat,100\n",
    );
    let features = Features::new(&network.expect("a list"), EXECUTION, HARDWARE);
    assert_eq!(features.values()[..9], [2400.0, 4800.0, 4800.0, 1000.0, 0.0, 0.0, 0.0, 100.0, 0.0]);
}

#[test]
fn layers_without_a_place_are_counted_and_named() {
    let network = read("operator,input_size\nBatchNormalization,9\nbatch_norm,9\nFancy,1\nRelu,5\n").expect("a list");
    let features = Features::new(&network, EXECUTION, HARDWARE);
    assert_eq!(features.notes, ["without a place among the features: 2 × BatchNorm, 1 × Fancy"]);
    assert_eq!(features.values()[3], 5.0);
}

// ------------------------------------------------------------------------------------------------------- layer lists

#[test]
fn a_layer_list_may_tell_parameters_and_operations_and_a_full_matrix_tells_them_itself() {
    let network = read(
        "name,operator,input_size,output_size,parameters,flops\nfirst,Linear,20,10,210,\nact,GELU,10,10,0,\nodd,Fancy,10,10,0,77\n",
    );
    let network = network.expect("a list");
    assert_eq!(network.form, Form::LayerList);
    assert_eq!(layer(&network, "first"), known([20, 10, 210, 400]));
    assert_eq!(network.flops(), Some(400 + 50 + 77));
    assert_eq!(network.parameters(), Some(210));
    // (20 + 10 + 10 + 10 + 10 + 10) numbers for each of 8 samples, and the parameters once.
    assert_eq!(network.bytes(8, 4), Some((70 * 8 + 210) * 4));
}

#[test]
fn what_is_not_told_is_not_guessed() {
    let network = read("operator,input_size,output_size\nConv2D,100,50\nRelu,50,50\n").expect("a list");
    assert_eq!((network.flops(), network.bytes(1, 4), network.parameters()), (None, None, None));
    let (operations, without) = network.known_flops();
    assert_eq!((operations, without.len(), &without[0].operator), (50, 1, &Operator::Conv2D));
}

#[test]
fn a_bad_layer_list_says_line_column_and_what_was_expected() {
    for (list, expected) in [
        ("operator,size\nRelu,1\n", "line 1: no column “input_size” in “operator,size”; expected operator,input_size"),
        ("operator,input_size\nRelu,ten\n", "line 2, column input_size: “ten”; expected a whole number from 0 to"),
        ("operator,input_size\nRelu,-1\n", "line 2, column input_size: “-1”; expected a whole number"),
        ("operator,input_size\nRelu,\n", "line 2, column input_size: empty"),
        ("operator,input_size\n,3\n", "line 2, column operator: empty"),
        ("operator,input_size\nRelu,1,2\n", "line 2: 3 fields; expected 2, as many as the header has"),
        ("operator,input_size\n", "no layer in it"),
    ] {
        let problem = problem(list);
        assert!(problem.contains(expected), "{problem}");
    }
}

// --------------------------------------------------------------------------------------------------------------- ONNX

fn dimension(size: i64) -> DimensionProto {
    DimensionProto { dim_value: Some(size), dim_param: None }
}

fn value(name: &str, dims: Vec<DimensionProto>) -> ValueInfoProto {
    let shape = Some(TensorShapeProto { dim: dims });
    let tensor_type = Some(TensorTypeProto { elem_type: 1, shape });
    ValueInfoProto { name: name.into(), r#type: Some(TypeProto { tensor_type }) }
}

fn weights(name: &str, dims: &[i64]) -> TensorProto {
    TensorProto { name: name.into(), dims: dims.to_vec(), data_type: 1, ..TensorProto::default() }
}

fn node(op_type: &str, inputs: &[&str], output: &str, attribute: Vec<AttributeProto>) -> NodeProto {
    NodeProto {
        input: inputs.iter().map(ToString::to_string).collect(),
        output: vec![output.into()],
        name: output.into(),
        op_type: op_type.into(),
        attribute,
        domain: String::new(),
    }
}

fn ints(name: &str, ints: &[i64]) -> AttributeProto {
    AttributeProto { name: name.into(), ints: ints.to_vec(), ..AttributeProto::default() }
}

fn int(name: &str, i: i64) -> AttributeProto {
    AttributeProto { name: name.into(), i, ..AttributeProto::default() }
}

/// A small convolutional network with a shortcut.
fn small_cnn(batch: DimensionProto) -> ModelProto {
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

fn symbolic() -> DimensionProto {
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
    assert!(network.flops().is_some() && network.bytes(1, 4).is_some());
}

#[test]
fn a_fixed_batch_gives_the_sizes_of_one_sample_too() {
    let [open, fixed] =
        [symbolic(), dimension(16)].map(|batch| read(small_cnn(batch).encode_to_vec()).expect("a model"));
    assert_eq!(open.layers, fixed.layers);
    assert_eq!(fixed.input, Some(3072));
    assert!(
        fixed.notes[0].contains("first dimension of what it takes, 16, was taken for the batch"),
        "{:?}",
        fixed.notes
    );
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
    assert!(
        problem.contains("the graph has a cycle: node ") && problem.contains("waits for what comes from itself"),
        "{problem}"
    );
}

#[test]
fn a_tensor_that_nothing_gives_or_two_nodes_give_is_named() {
    let mut model = small_cnn(symbolic());
    model.graph.as_mut().expect("a graph").node[2].input[0] = "absent".into();
    assert!(
        problem(model.encode_to_vec()).contains("node 2, “relu1” (“Relu”) takes tensor “absent”, which nothing gives")
    );
    let mut model = small_cnn(symbolic());
    model.graph.as_mut().expect("a graph").node[2].output[0] = "pool".into();
    assert!(problem(model.encode_to_vec()).contains("tensor “pool” comes from two places"));
    let mut model = small_cnn(symbolic());
    model.graph.as_mut().expect("a graph").initializer[0].dims[0] = -8;
    assert!(problem(model.encode_to_vec()).contains("constant “w1” has a negative dimension"));
}

#[test]
fn weights_in_another_file_are_not_missed_but_told_of() {
    let mut model = small_cnn(symbolic());
    model.graph.as_mut().expect("a graph").initializer[0].data_location = 1;
    let network = read(model.encode_to_vec()).expect("a model");
    assert_eq!(network.notes, ["1 of its weights stand in another file, which is not needed"]);
    assert_eq!(layer(&network, "conv1")[2], Some(224));
}

#[test]
fn sizes_behind_an_open_dimension_or_an_unknown_operator_are_not_known_and_that_is_told() {
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
        features.notes.iter().any(|note| note.contains("its input size is not known: 7 layers: “conv1”")),
        "{:?}",
        features.notes
    );

    let mut model = small_cnn(symbolic());
    model.graph.as_mut().expect("a graph").node[2].op_type = "Fancy".into();
    let network = read(model.encode_to_vec()).expect("a model");
    assert_eq!(layer(&network, "relu1"), [Some(8192), None, Some(0), None]);
    assert!(network.notes[0].contains("“relu1 (Fancy)”"), "{:?}", network.notes);
    // The file may tell it.
    let graph = model.graph.as_mut().expect("a graph");
    graph.value_info = vec![value("relu1", vec![symbolic(), dimension(8), dimension(32), dimension(32)])];
    let network = read(model.encode_to_vec()).expect("a model");
    assert_eq!(layer(&network, "pool"), known([8192, 2048, 0, 8192]));
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
    assert!(problem.contains("more than 16 graphs within each other"), "{problem}");
}

#[test]
fn nodes_inside_of_a_loop_are_counted_and_left_out() {
    let mut model = small_cnn(symbolic());
    let body = GraphProto { node: vec![node("Relu", &["a"], "b", vec![])], ..GraphProto::default() };
    let attribute = AttributeProto { name: "body".into(), g: Some(Box::new(body)), ..AttributeProto::default() };
    model.graph.as_mut().expect("a graph").node.push(node("Loop", &["y"], "z", vec![attribute]));
    let network = read(model.encode_to_vec()).expect("a model");
    assert!(network.notes[0].starts_with("left out: 1 nodes inside of If, Loop or Scan"), "{:?}", network.notes);
}

// ---------------------------------------------------------------------------------------------------------- torchinfo

/// As torchinfo 1.8 prints `Sequential(Conv2d(3, 8, 3, padding=1), ReLU, MaxPool2d(2), Flatten, Linear(2048, 10))` for 4 images.
const TORCHINFO: &str = "\
==============================================================================================================================
Layer (type:depth-idx)                   Input Shape               Output Shape              Param #                   Kernel Shape
==============================================================================================================================
Sequential                               [4, 3, 32, 32]            [4, 10]                   --                        --
├─Conv2d: 1-1                            [4, 3, 32, 32]            [4, 8, 32, 32]            224                       [3, 3]
├─ReLU: 1-2                              [4, 8, 32, 32]            [4, 8, 32, 32]            --                        --
├─MaxPool2d: 1-3                         [4, 8, 32, 32]            [4, 8, 16, 16]            --                        2
├─Flatten: 1-4                           [4, 8, 16, 16]            [4, 2048]                 --                        --
├─Linear: 1-5                            [4, 2048]                 [4, 10]                   20,490                    --
==============================================================================================================================
Total params: 20,714
==============================================================================================================================
";

#[test]
fn a_torchinfo_table_gives_sizes_of_one_sample() {
    let network = read(TORCHINFO).expect("a table");
    assert_eq!((network.form, network.input, network.parameters()), (Form::Torchinfo, Some(3072), Some(20_714)));
    for (name, expected) in [
        ("Conv2d: 1-1", [3072, 8192, 224, 2 * 8192 * 27]),
        ("ReLU: 1-2", [8192, 8192, 0, 8192]),
        ("MaxPool2d: 1-3", [8192, 2048, 0, 4 * 2048]),
        ("Flatten: 1-4", [2048, 2048, 0, 0]),
        ("Linear: 1-5", [2048, 10, 20_490, 2 * 20_480]),
    ] {
        assert_eq!(layer(&network, name), known(expected), "{name}");
    }
    assert!(network.notes.iter().any(|note| note.contains("the first dimension, 4, was taken for the batch")));
}

#[test]
fn torchinfo_tables_with_other_columns_signs_and_rows_of_weights_are_read() {
    // Default columns; modules within modules in plain letters; a module that runs twice; weights of verbose tables.
    let table = "\
==========================================================================================
Layer (type (var_name):depth-idx)        Kernel Shape              Output Shape              Param #
==========================================================================================
Net (Net)                                --                        [2, 5]                    --
+ Block (block): 1-1                     --                        [2, 6]                    --
|    + Linear (a): 2-1                   --                        [2, 6]                    42
|    |    + weight                       [6, 6]                                              ├─36
|    |    + bias                         [6]                                                 └─6
|    + Linear (a): 2-2                   --                        [2, 6]                    (recursive)
+ Dropout (never): 1-2                   --                        --                        --
+ Linear (b): 1-3                        --                        [2, 5]                    (35)
==========================================================================================
";
    let network = read(table).expect("a table");
    let names: Vec<&str> = network.layers.iter().map(|layer| layer.name.as_str()).collect();
    assert_eq!(names, ["Linear (a): 2-1", "Linear (a): 2-2", "Linear (b): 1-3"]);
    assert_eq!(layer(&network, "Linear (a): 2-1"), [None, Some(6), Some(42), None]);
    assert_eq!(layer(&network, "Linear (a): 2-2"), known([6, 6, 0, 72]));
    assert_eq!(layer(&network, "Linear (b): 1-3"), known([6, 5, 35, 60]));
    let told = network.notes.join("; ");
    assert!(told.contains("without the column Input Shape") && told.contains("“Dropout (never): 1-2”"), "{told}");
}

#[test]
fn a_damaged_torchinfo_table_says_where() {
    let many = TORCHINFO.replace("224                       [3, 3]", "two hundred               [3, 3]");
    assert!(problem(many).contains("line 5: 5 values; expected 4, as many as the columns above"));
    let odd = TORCHINFO.replace("224                       [3, 3]", "few                       [3, 3]");
    assert!(problem(odd).contains("line 5: Param # is “few”; expected a number, -- or (recursive)"));
    let empty = TORCHINFO.lines().take(3).collect::<Vec<_>>().join("\n");
    assert!(problem(empty).contains("no layer below the names of columns"));
}

// -------------------------------------------------------------------------------------------------------------- Keras

/// Keras' example “Simple MNIST convnet” (<https://keras.io/examples/vision/mnist_convnet/>) prints 320, 18 496 and 16 010
/// parameters. Layers with input, output, parameters and operations.
const MNIST: [(&str, [u64; 4]); 7] = [
    ("conv2d", [784, 26 * 26 * 32, 320, 2 * 26 * 26 * 32 * 9]),
    ("max_pooling2d", [26 * 26 * 32, 13 * 13 * 32, 0, 4 * 13 * 13 * 32]),
    ("conv2d_1", [13 * 13 * 32, 11 * 11 * 64, 18_496, 2 * 11 * 11 * 64 * 288]),
    ("max_pooling2d_1", [11 * 11 * 64, 1600, 0, 4 * 1600]),
    ("flatten", [1600, 1600, 0, 0]),
    ("dropout", [1600, 1600, 0, 0]),
    ("dense", [1600, 10, 16_010, 32_000]),
];

const KERAS_3_TABLE: &str = "\
Model: \"sequential\"
┏━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┳━━━━━━━━━━━━━━━━━━━━━━━━┳━━━━━━━━━━━━━━━┓
┃ Layer (type)                    ┃ Output Shape           ┃       Param # ┃
┡━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━╇━━━━━━━━━━━━━━━━━━━━━━━━╇━━━━━━━━━━━━━━━┩
│ conv2d (Conv2D)                 │ (None, 26, 26, 32)     │           320 │
├─────────────────────────────────┼────────────────────────┼───────────────┤
│ max_pooling2d (MaxPooling2D)    │ (None, 13, 13, 32)     │             0 │
├─────────────────────────────────┼────────────────────────┼───────────────┤
│ conv2d_1 (Conv2D)               │ (None, 11, 11, 64)     │        18,496 │
├─────────────────────────────────┼────────────────────────┼───────────────┤
│ max_pooling2d_1                 │ (None, 5, 5, 64)       │             0 │
│ (MaxPooling2D)                  │                        │               │
├─────────────────────────────────┼────────────────────────┼───────────────┤
│ flatten (Flatten)               │ (None, 1600)           │             0 │
├─────────────────────────────────┼────────────────────────┼───────────────┤
│ dropout (Dropout)               │ (None, 1600)           │             0 │
├─────────────────────────────────┼────────────────────────┼───────────────┤
│ dense (Dense)                   │ (None, 10)             │        16,010 │
└─────────────────────────────────┴────────────────────────┴───────────────┘
 Total params: 34,826 (136.04 KB)
";

const KERAS_2_TABLE: &str = "\
Model: \"sequential\"
_________________________________________________________________
 Layer (type)                Output Shape              Param #
=================================================================
 conv2d (Conv2D)             (None, 26, 26, 32)        320

 max_pooling2d (MaxPooling2  (None, 13, 13, 32)        0
 D)

 conv2d_1 (Conv2D)           (None, 11, 11, 64)        18496

 max_pooling2d_1 (MaxPoolin  (None, 5, 5, 64)          0
 g2D)

 flatten (Flatten)           (None, 1600)              0
_________________________________________________________________
 dropout (Dropout)           (None, 1600)              0

 dense (Dense)               (None, 10)                16010

=================================================================
Total params: 34826 (136.04 KB)
";

#[test]
fn summaries_of_keras_2_and_3_give_the_same_layers() {
    let [two, three] = [KERAS_2_TABLE, KERAS_3_TABLE].map(|table| read(table).expect("a table"));
    assert_eq!((two.form, three.form), (Form::KerasSummary, Form::KerasSummary));
    assert_eq!(two.layers, three.layers);
    for (name, [input, output, parameters, flops]) in MNIST {
        let [read_input, read_output, read_parameters, read_flops] = layer(&two, name);
        assert_eq!((read_output, read_parameters), (Some(output), Some(parameters)), "{name}");
        // The table does not tell what the first layer takes, nor how large windows are: nothing to tell its bias by.
        assert_eq!(read_input, (name != "conv2d").then_some(input), "{name}");
        assert_eq!(read_flops, (!name.starts_with("max") && name != "conv2d").then_some(flops), "{name}");
    }
}

#[test]
fn connections_of_a_summary_are_followed() {
    let table = "\
Model: \"model\"
__________________________________________________________________________________________________
 Layer (type)                Output Shape                 Param #   Connected to
==================================================================================================
 input_2 (InputLayer)        [(None, 8, 8, 3)]            0         []

 conv2d_2 (Conv2D)           (None, 8, 8, 16)             432       ['input_2[0][0]']

 activation (Activation)     (None, 8, 8, 16)             0         ['conv2d_2[0][0]']

 add (Add)                   (None, 8, 8, 16)             0         ['activation[0][0]',
                                                                     'conv2d_2[0][0]']

 concatenate (Concatenate)   (None, 8, 8, 19)             0         ['add[0][0]',
                                                                     'input_2[0][0]']

 global_average_pooling2d (  (None, 19)                   0         ['concatenate[0][0]']
 GlobalAveragePooling2D)
==================================================================================================
";
    let network = read(table).expect("a table");
    assert_eq!(network.input, Some(192));
    assert_eq!(layer(&network, "conv2d_2"), known([192, 1024, 432, 2 * 64 * 432]));
    assert_eq!(layer(&network, "add"), known([2048, 1024, 0, 1024]));
    assert_eq!(layer(&network, "concatenate"), known([1216, 1216, 0, 0]));
    assert_eq!(layer(&network, "global_average_pooling2d"), known([1216, 19, 0, 1216]));
    let boxed = "\
┏━━━━━━━━━━━━━━━━━━━━━┳━━━━━━━━━━━━━━━━━━━┳━━━━━━━━━━━━┳━━━━━━━━━━━━━━━━━━━┓
┃ Layer (type)        ┃ Output Shape      ┃    Param # ┃ Connected to      ┃
┡━━━━━━━━━━━━━━━━━━━━━╇━━━━━━━━━━━━━━━━━━━╇━━━━━━━━━━━━╇━━━━━━━━━━━━━━━━━━━┩
│ input_layer         │ (None, 8, 8, 16)  │          0 │ -                 │
│ (InputLayer)        │                   │            │                   │
├─────────────────────┼───────────────────┼────────────┼───────────────────┤
│ batch_normalization │ (None, 8, 8,      │         64 │ input_layer[0][0] │
│ (BatchNormalizatio… │ 16)               │            │                   │
├─────────────────────┼───────────────────┼────────────┼───────────────────┤
│ add (Add)           │ (None, 8, 8, 16)  │          0 │ batch_normalizat… │
│                     │                   │            │ input_layer[0][0] │
└─────────────────────┴───────────────────┴────────────┴───────────────────┘
";
    let network = read(boxed).expect("a table");
    assert_eq!(network.layers[0].operator, Operator::BatchNorm);
    assert_eq!(layer(&network, "add"), known([2048, 1024, 0, 1024]));
}

/// The same network as JSON: layers as both versions write them.
fn mnist_json(input: &str) -> String {
    let conv = |name: &str, filters: u32| {
        format!(
            r#"{{"class_name":"Conv2D","config":{{"name":"{name}","filters":{filters},"kernel_size":[3,3],"strides":[1,1],"padding":"valid","data_format":"channels_last","dilation_rate":[1,1],"groups":1,"activation":"relu","use_bias":true}}}}"#
        )
    };
    let pool = |name: &str| {
        format!(
            r#"{{"class_name":"MaxPooling2D","config":{{"name":"{name}","pool_size":[2,2],"padding":"valid","strides":[2,2],"data_format":"channels_last"}}}}"#
        )
    };
    let layers = [
        input.to_owned(),
        conv("conv2d", 32),
        pool("max_pooling2d"),
        conv("conv2d_1", 64),
        pool("max_pooling2d_1"),
        r#"{"class_name":"Flatten","config":{"name":"flatten"}}"#.to_owned(),
        r#"{"class_name":"Dropout","config":{"name":"dropout","rate":0.5}}"#.to_owned(),
        r#"{"class_name":"Dense","config":{"name":"dense","units":10,"activation":"softmax","use_bias":true}}"#
            .to_owned(),
    ];
    format!(r#"{{"class_name":"Sequential","config":{{"name":"sequential","layers":[{}]}}}}"#, layers.join(","))
}

#[test]
fn shapes_of_a_sequential_model_are_worked_out_from_its_json() {
    for input in [
        r#"{"class_name":"InputLayer","config":{"batch_input_shape":[null,28,28,1],"name":"input_1"}}"#,
        r#"{"module":"keras.layers","class_name":"InputLayer","config":{"batch_shape":[null,28,28,1],"name":"input_layer"}}"#,
    ] {
        let network = read(mnist_json(input)).expect("a model");
        assert_eq!((network.form, network.input, network.parameters()), (Form::KerasJson, Some(784), Some(34_826)));
        for (name, expected) in MNIST {
            assert_eq!(layer(&network, name), known(expected), "{name}");
        }
        // Activations that are part of a layer are nodes of the graph all the same.
        assert_eq!(layer(&network, "conv2d (relu)"), known([21_632, 21_632, 0, 21_632]));
        assert_eq!(layer(&network, "dense (softmax)"), known([10, 10, 0, 50]));
        let features = Features::new(&network, EXECUTION, HARDWARE);
        assert_eq!(features.values()[..9], [0.0, 5408.0, 21_632.0, 21_632.0, 1600.0, 0.0, 0.0, 0.0, 10.0]);
    }
}

/// A functional model whose layers take what the calls say.
fn functional(calls: [&str; 5]) -> String {
    let names = ["in", "left", "right", "sum", "out"];
    let configs = [
        r#""class_name":"InputLayer","config":{"batch_shape":[null,6],"name":"in"}"#,
        r#""class_name":"Dense","config":{"name":"left","units":4,"activation":"linear"}"#,
        r#""class_name":"Sequential","config":{"name":"right","layers":[{"class_name":"InputLayer","config":{"name":"i","batch_shape":[null,6]}},{"class_name":"Dense","config":{"name":"inner","units":4,"use_bias":false}}]}"#,
        r#""class_name":"Add","config":{"name":"sum"}"#,
        r#""class_name":"Concatenate","config":{"name":"out","axis":-1}"#,
    ];
    let layers: Vec<String> = names
        .iter()
        .zip(configs)
        .zip(calls)
        .map(|((name, config), call)| format!(r#"{{"name":"{name}",{config},"inbound_nodes":[{call}]}}"#))
        .collect();
    format!(
        r#"{{"class_name":"Functional","config":{{"layers":[{}],"input_layers":[["in",0,0]],"output_layers":[["out",0,0]]}}}}"#,
        layers.join(",")
    )
}

#[test]
fn functional_models_of_keras_2_and_3_give_the_same_layers() {
    // A model within a model has a call of its own in Keras 2, so that its first one here is number 1.
    let two = functional([
        "",
        r#"[["in",0,0,{}]]"#,
        r#"[["in",0,0,{}]]"#,
        r#"[["left",0,0,{}],["right",1,0,{}]]"#,
        r#"[["sum",0,0,{}],["left",0,0,{}]]"#,
    ]);
    let tensor = |layer: &str, size: u32| {
        format!(
            r#"{{"class_name":"__keras_tensor__","config":{{"shape":[null,{size}],"dtype":"float32","keras_history":["{layer}",0,0]}}}}"#
        )
    };
    let one = |layer: &str, size: u32| format!(r#"{{"args":[{}],"kwargs":{{}}}}"#, tensor(layer, size));
    let both = |a: &str, b: &str| format!(r#"{{"args":[[{},{}]],"kwargs":{{}}}}"#, tensor(a, 4), tensor(b, 4));
    let [sum, out, dense] = [both("left", "right"), both("sum", "left"), one("in", 6)];
    let three = functional(["", &dense, &dense, &sum, &out]);
    let [two, three] = [two, three].map(|json| read(json).expect("a model"));
    assert_eq!(two, three);
    assert_eq!(two.input, Some(6));
    assert_eq!(layer(&two, "left"), known([6, 4, 28, 48]));
    assert_eq!(layer(&two, "right/inner"), known([6, 4, 24, 48]));
    assert_eq!(layer(&two, "sum"), known([8, 4, 0, 4]));
    assert_eq!(layer(&two, "out"), known([8, 8, 0, 0]));
}

#[test]
fn a_keras_model_with_a_cycle_or_a_missing_layer_is_refused_with_its_name() {
    let first = r#"[["in",0,0,{}]]"#;
    let cycle =
        functional(["", first, r#"[["sum",0,0,{}]]"#, r#"[["left",0,0,{}],["right",0,0,{}]]"#, r#"[["sum",0,0,{}]]"#]);
    assert!(problem(cycle).contains("the layers form a cycle: “right” waits for what comes from itself"));
    let missing = functional(["", first, first, r#"[["nobody",0,0,{}]]"#, r#"[["sum",0,0,{}]]"#]);
    assert!(problem(missing).contains("“sum” takes what “nobody” gives, but there is no such layer"));
    assert!(problem(r#"{"class_name":"Sequential"}"#).contains("expected the JSON of Keras' model.to_json()"));
    assert!(problem(r#"{"a":1}"#).contains("there is no class_name"));
    assert!(problem("{\"a\":").contains("no JSON: EOF while parsing a value at line 1 column 5"));
    let deep = "{\"config\":".repeat(100_000);
    assert!(problem(deep).contains("recursion limit"));
}

#[test]
fn models_within_models_that_multiply_are_refused() {
    // Nine models within each other, each called ten times by the next; with a layer at the bottom, with an empty model, and
    // with a long name.
    let empty = r#""class_name":"Sequential","config":{"name":"s","layers":[]}"#.to_owned();
    let long = format!(
        r#""class_name":"Sequential","config":{{"name":"s","layers":[{{"class_name":"ReLU","config":{{"name":"{}"}}}}]}}"#,
        "n".repeat(100_000)
    );
    for innermost in [r#""class_name":"ReLU","config":{"name":"relu"}"#.to_owned(), empty, long] {
        let mut inner = innermost;
        for _ in 0..9 {
            let calls = [r#"[["i",0,0,{}]]"#; 10].join(",");
            inner = format!(
                r#""class_name":"Functional","config":{{"name":"m","layers":[{{"name":"i","class_name":"InputLayer","config":{{"name":"i","batch_shape":[null,2]}},"inbound_nodes":[]}},{{"name":"l",{inner},"inbound_nodes":[{calls}]}}],"input_layers":[["i",0,0]],"output_layers":[["l",9,0]]}}"#
            );
        }
        assert!(
            problem(format!("{{{inner}}}")).contains("its models within each other come to more than 1000000 layers")
        );
    }
}

// ---------------------------------------------------------------------------------------------------------- any file

#[test]
fn a_file_of_no_known_form_is_told_which_there_are() {
    for (content, begins) in [
        (&b"hello\nworld\n"[..], "a text of no known form"),
        (b"", "empty"),
        (b"\xff\xfe\x00\x01", "no text, and no ONNX model: byte 0: "),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "no text, and no ONNX model: there is no graph in it"),
    ] {
        let problem = problem(content);
        assert!(problem.contains(begins), "{problem}");
        for form in ["ONNX", "torchinfo", "model.summary()", "model.to_json()", "operator and input_size"] {
            assert!(problem.contains(form), "{problem}");
        }
    }
    assert!(matches!(features::read("/no/such/network".as_ref()), Err(NetworkError::NoText { .. })));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn a_damaged_file_never_panics(
        which in 0_usize..6,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12),
    ) {
        let input = r#"{"class_name":"InputLayer","config":{"batch_shape":[null,28,28,1],"name":"i"}}"#;
        let mut bytes = match which {
            0 => small_cnn(dimension(4)).encode_to_vec(),
            1 => TORCHINFO.as_bytes().to_vec(),
            2 => KERAS_2_TABLE.as_bytes().to_vec(),
            3 => KERAS_3_TABLE.as_bytes().to_vec(),
            4 => mnist_json(input).into_bytes(),
            _ => b"operator,input_size,output_size\nConv2D,12,4\nRelu,4,4\n".to_vec(),
        };
        for (place, byte) in changes {
            let place = place.index(bytes.len());
            // A digit for a digit keeps the form and reaches the rules behind it.
            bytes[place] = if bytes[place].is_ascii_digit() { b'0' + byte % 10 } else { byte };
        }
        if let Ok(network) = read(&bytes) {
            let _ = (network.flops(), network.bytes(u64::MAX, 4), Features::new(&network, EXECUTION, HARDWARE));
        }
    }
}

#[test]
fn layer_lists_of_measured_perceptrons_have_as_many_parameters_as_was_counted() {
    let Some(table) = test_data("dl/gpumemnet/mlp_data_step1.csv") else { return };
    let mut reader = csv::Reader::from_path(table).expect("a table");
    let mut checked = 0;
    for row in reader.records().take(300) {
        let row = row.expect("a row");
        let after = row[0].strip_prefix("input:").expect("the size of its input");
        let mut width: u64 = after.split('_').next().and_then(|size| size.parse().ok()).expect("a number");
        let mut list = "operator,input_size,output_size,parameters\n".to_owned();
        for part in row[2].trim_matches(['[', ']']).split("), (") {
            let fields: Vec<&str> = part.trim_matches(['(', ')']).split(", ").collect();
            list.push_str(&format!("{},{width},{},{}\n", fields[0].trim_matches('\''), fields[1], fields[2]));
            width = fields[1].parse().expect("a number");
        }
        let network = read(list).expect("a layer list");
        let counted: u64 = row[5].parse().expect("a number");
        assert_eq!(network.parameters(), Some(counted), "{}", &row[0]);
        if network.layers.iter().all(|layer| !matches!(layer.operator, Operator::Other(_) | Operator::BatchNorm)) {
            assert!(network.flops().is_some(), "{}: {:?}", &row[0], network.known_flops().1);
            checked += 1;
        }
    }
    assert!(checked > 100, "{checked}");
}
