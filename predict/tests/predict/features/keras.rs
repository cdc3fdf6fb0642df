//! Tables and JSON of Keras.

use super::{EXECUTION, HARDWARE, known, layer, problem, read};
use crossover_predict::features::{Features, Form, Operator};

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

pub(super) const KERAS_3_TABLE: &str = "\
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

pub(super) const KERAS_2_TABLE: &str = "\
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
        // The table does not tell what the first layer takes; its window of 9 tells its bias. A pool of unknown window reads each
        // input once.
        assert_eq!(read_input, (name != "conv2d").then_some(input), "{name}");
        assert_eq!(read_flops, Some(if name.starts_with("max") { input } else { flops }), "{name}");
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
pub(super) fn mnist_json(input: &str) -> String {
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
    assert!(problem(cycle).contains("the layers form a cycle through “right”"));
    let missing = functional(["", first, first, r#"[["absent",0,0,{}]]"#, r#"[["sum",0,0,{}]]"#]);
    assert!(problem(missing).contains("the input “absent” of “sum” does not exist"));
    assert!(problem(r#"{"class_name":"Sequential"}"#).contains("expected the JSON of Keras' model.to_json()"));
    assert!(problem(r#"{"a":1}"#).contains("no class_name"));
    assert!(problem("{\"a\":").contains("not JSON: EOF while parsing a value at line 1 column 5"));
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
        assert!(problem(format!("{{{inner}}}")).contains("nested models expand to more than 1000000 layers"));
    }
}

/// A functional model of layers in a row, each with its class and configuration.
fn chain(input: &str, layers: &[(&str, &str, &str)]) -> String {
    let mut written = vec![format!(
        r#"{{"name":"in","class_name":"InputLayer","config":{{"batch_input_shape":{input},"name":"in"}},"inbound_nodes":[]}}"#
    )];
    let mut above = "in";
    for (name, class, config) in layers {
        written.push(format!(
            r#"{{"name":"{name}","class_name":"{class}","config":{{"name":"{name}",{config}}},"inbound_nodes":[[["{above}",0,0,{{"y":3.0}}]]]}}"#
        ));
        above = *name;
    }
    format!(
        r#"{{"class_name":"Functional","config":{{"layers":[{}],"input_layers":[["in",0,0]],"output_layers":[["{above}",0,0]]}}}}"#,
        written.join(",")
    )
}

#[test]
fn functions_and_unknown_layers_of_a_keras_model_cost_their_own_time_only() {
    let json = chain(
        "[null,4,4,3]",
        &[
            ("normal", "Normalization", r#""axis":[-1],"mean":null,"variance":null"#),
            ("shifted", "TFOpLambda", r#""function":"__operators__.add""#),
            ("scale", "LayerScale", r#""projection_dim":3"#),
            ("slope", "PReLU", r#""shared_axes":[1,2]"#),
            ("odd", "Custom>Fancy", r#""x":1"#),
            ("dense", "Dense", r#""units":5"#),
        ],
    );
    let network = read(json).expect("a model");
    // A mean and a variance of each channel, and a count.
    assert_eq!(layer(&network, "normal"), known([48, 48, 7, 48]));
    assert_eq!(layer(&network, "shifted"), known([48, 48, 0, 48]));
    assert_eq!(layer(&network, "scale"), known([48, 48, 3, 48]));
    assert_eq!(layer(&network, "slope"), known([48, 48, 3, 48]));
    assert_eq!(layer(&network, "odd"), [Some(48), Some(48), None, None]);
    assert_eq!(layer(&network, "dense"), known([48, 80, 20, 2 * 80 * 3]));
    assert!(network.notes.iter().any(|note| note.contains("“1 × Fancy”")), "{:?}", network.notes);
}

#[test]
fn open_sizes_of_the_input_of_a_keras_model_are_named_and_set() {
    let json = chain("[null,null,null,3]", &[("dense", "Dense", r#""units":5"#)]);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("network");
    std::fs::write(&path, &json).expect("a file");
    let with = |name: &str| {
        let sizes = std::collections::BTreeMap::from([("in[1]".to_owned(), 8), (name.to_owned(), 4)]);
        crossover_predict::features::read_with(&path, &sizes)
    };
    assert_eq!(layer(&with("in[2]").expect("a model"), "dense"), known([96, 160, 20, 2 * 160 * 3]));
    let wrong = with("width").expect_err("no such dimension").to_string();
    assert!(wrong.contains("no open dimension “width”") && wrong.contains("“in[1]”, “in[2]”"), "{wrong}");
    assert!(problem(json).contains("--dimension NAME=SIZE"));
    let unbuilt =
        r#"{"class_name":"Sequential","config":{"layers":[{"class_name":"Dense","config":{"name":"d","units":4}}]}}"#;
    assert!(problem(unbuilt).contains("model.build(input_shape)"));
}

#[test]
fn truncated_types_activations_and_half_precision_of_a_summary_are_recognised() {
    let table = "\
┏━━━━━━━━━━━━━━━━━━━━━┳━━━━━━━━━━━━━━━━━━━┳━━━━━━━━━━━━┳━━━━━━━━━━━━━━━━━━━┓
┃ Layer (type)        ┃ Output Shape      ┃    Param # ┃ Connected to      ┃
┡━━━━━━━━━━━━━━━━━━━━━╇━━━━━━━━━━━━━━━━━━━╇━━━━━━━━━━━━╇━━━━━━━━━━━━━━━━━━━┩
│ in (InputLayer)     │ (None, 10, 64)    │          0 │ -                 │
├─────────────────────┼───────────────────┼────────────┼───────────────────┤
│ block1_bn           │ (None, 10, 64)    │        256 │ in[0][0]          │
│ (BatchNormalizatio… │                   │            │                   │
├─────────────────────┼───────────────────┼────────────┼───────────────────┤
│ block1_relu         │ (None, 10, 64)    │          0 │ block1_bn[0][0]   │
│ (Activation)        │                   │            │                   │
├─────────────────────┼───────────────────┼────────────┼───────────────────┤
│ attending           │ (None, 10, 64)    │     16,640 │ block1_relu[0][0] │
│ (MultiHeadAttentio… │                   │            │                   │
├─────────────────────┼───────────────────┼────────────┼───────────────────┤
│ both_ways           │ (None, 10, 64)    │     24,832 │ attending[0][0]   │
│ (Bidirectional)     │                   │            │                   │
├─────────────────────┼───────────────────┼────────────┼───────────────────┤
│ inner (Functional)  │ (None, 10, 64)    │         12 │ both_ways[0][0]   │
└─────────────────────┴───────────────────┴────────────┴───────────────────┘
 Total params: 41,740 (81.52 KB)
";
    let network = read(table).expect("a table");
    let operators: Vec<&Operator> = network.layers.iter().map(|layer| &layer.operator).collect();
    assert_eq!(operators[..4], [&Operator::BatchNorm, &Operator::Relu, &Operator::Attention, &Operator::Recurrent]);
    // Four projections of 10 tokens, 64 wide, and two products; then every parameter once for each of 10 steps.
    assert_eq!(layer(&network, "attending")[3], Some(2 * (4 * 10 * 64 * 64 + 2 * 10 * 10 * 64)));
    assert_eq!(layer(&network, "both_ways")[3], Some(2 * 24_832 * 10));
    assert!(network.notes.iter().any(|note| note.contains("expand_nested=True") && note.contains("“inner”")));
    // 81.52 KB of 41,740 parameters: two bytes each.
    assert_eq!(network.memory()[0], 2 * 41_740);
}
