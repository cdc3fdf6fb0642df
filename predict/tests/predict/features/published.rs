//! Parameters and multiply-adds of published networks, built by hand, and ONNX models of other element types, operators and open
//! dimensions.

use super::onnx::{dimension, int, ints, node, symbolic, value, weights};
use super::{problem, read};
use crossover_predict::features::onnx::messages::{
    AttributeProto, DimensionProto, GraphProto, ModelProto, NodeProto, TensorProto, ValueInfoProto,
};
use crossover_predict::features::{self, Dimensions, ElementBits, Network, Operator};
use prost::Message as _;

/// A graph that grows node by node.
#[derive(Default)]
struct Builder {
    nodes: Vec<NodeProto>,
    constants: Vec<TensorProto>,
    /// Element type of weights.
    data_type: i32,
}

impl Builder {
    fn new() -> Self {
        Self { data_type: 1, ..Self::default() }
    }

    fn constant(&mut self, name: &str, dims: &[i64]) -> String {
        self.constants.push(TensorProto { data_type: self.data_type, ..weights(name, dims) });
        name.to_owned()
    }

    fn add(&mut self, op_type: &str, inputs: &[&str], attributes: Vec<AttributeProto>) -> String {
        let name = format!("{}{}", op_type.to_lowercase(), self.nodes.len());
        self.nodes.push(node(op_type, inputs, &name, attributes));
        name
    }

    /// A convolution without bias, and the normalisation behind it: scale and shift are parameters, mean and variance are not.
    fn convolution(&mut self, from: &str, [to, of]: [i64; 2], [size, stride]: [i64; 2], groups: i64) -> String {
        let name = format!("w{}", self.nodes.len());
        let weights = self.constant(&name, &[to, of / groups, size, size]);
        let pad = size / 2;
        let attributes = vec![ints("pads", &[pad; 4]), ints("strides", &[stride; 2]), int("group", groups)];
        let out = self.add("Conv", &[from, &weights], attributes);
        let of_norm = ["s", "b"].map(|what| self.constant(&format!("{what}{name}"), &[to]));
        // Statistics as integers, so that only what is learned counts.
        let statistics = ["m", "v"].map(|what| {
            let name = format!("{what}{name}");
            self.constants.push(TensorProto { data_type: 7, ..super::onnx::weights(&name, &[to]) });
            name
        });
        let inputs = [&*out, &*of_norm[0], &*of_norm[1], &*statistics[0], &*statistics[1]];
        self.add("BatchNormalization", &inputs, vec![])
    }

    fn dense(&mut self, from: &str, [inputs, outputs]: [i64; 2]) -> String {
        let name = format!("d{}", self.nodes.len());
        let weights = self.constant(&name, &[inputs, outputs]);
        let bias = self.constant(&format!("b{name}"), &[outputs]);
        let product = self.add("MatMul", &[from, &weights], vec![]);
        self.add("Add", &[&product, &bias], vec![])
    }

    fn norm(&mut self, from: &str, size: i64) -> String {
        let name = format!("n{}", self.nodes.len());
        let [scale, shift] = ["s", "b"].map(|what| self.constant(&format!("{what}{name}"), &[size]));
        self.add("LayerNormalization", &[from, &scale, &shift], vec![])
    }

    fn model(self, inputs: Vec<ValueInfoProto>) -> ModelProto {
        let graph = GraphProto {
            name: "g".into(),
            node: self.nodes,
            initializer: self.constants,
            input: inputs,
            ..GraphProto::default()
        };
        ModelProto { ir_version: 8, graph: Some(graph), ..ModelProto::default() }
    }
}

fn image(size: i64) -> Vec<ValueInfoProto> {
    vec![value("x", vec![symbolic(), dimension(3), dimension(size), dimension(size)])]
}

/// ResNet-50: He and others, CVPR 2016, table 1, with the stride in the 3 × 3 convolution as torchvision has it.
fn resnet50() -> ModelProto {
    let mut net = Builder::new();
    let stem = net.convolution("x", [64, 3], [7, 2], 1);
    let stem = net.add("Relu", &[&stem], vec![]);
    let window = vec![ints("kernel_shape", &[3, 3]), ints("strides", &[2, 2]), ints("pads", &[1; 4])];
    let mut at = net.add("MaxPool", &[&stem], window);
    let mut channels = 64;
    for (width, blocks, stride) in [(64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)] {
        for block in 0..blocks {
            let stride = if block == 0 { stride } else { 1 };
            let first = net.convolution(&at, [width, channels], [1, 1], 1);
            let first = net.add("Relu", &[&first], vec![]);
            let second = net.convolution(&first, [width, width], [3, stride], 1);
            let second = net.add("Relu", &[&second], vec![]);
            let third = net.convolution(&second, [4 * width, width], [1, 1], 1);
            let short = if block == 0 { net.convolution(&at, [4 * width, channels], [1, stride], 1) } else { at };
            let sum = net.add("Add", &[&third, &short], vec![]);
            at = net.add("Relu", &[&sum], vec![]);
            channels = 4 * width;
        }
    }
    let mean = net.add("GlobalAveragePool", &[&at], vec![]);
    let flat = net.add("Flatten", &[&mean], vec![]);
    net.dense(&flat, [2_048, 1_000]);
    net.model(image(224))
}

/// `MobileNetV2`: Sandler and others, CVPR 2018, table 2.
fn mobilenet_v2() -> ModelProto {
    let mut net = Builder::new();
    let mut at = net.convolution("x", [32, 3], [3, 2], 1);
    at = net.add("Clip", &[&at], vec![]);
    let mut channels = 32;
    let rows =
        [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)];
    for (factor, to, repeats, stride) in rows {
        for repeat in 0..repeats {
            let stride = if repeat == 0 { stride } else { 1 };
            let wide = channels * factor;
            let mut inner = at.clone();
            if factor > 1 {
                inner = net.convolution(&inner, [wide, channels], [1, 1], 1);
                inner = net.add("Clip", &[&inner], vec![]);
            }
            inner = net.convolution(&inner, [wide, wide], [3, stride], wide);
            inner = net.add("Clip", &[&inner], vec![]);
            inner = net.convolution(&inner, [to, wide], [1, 1], 1);
            at = if stride == 1 && channels == to { net.add("Add", &[&inner, &at], vec![]) } else { inner };
            channels = to;
        }
    }
    at = net.convolution(&at, [1_280, 320], [1, 1], 1);
    at = net.add("Clip", &[&at], vec![]);
    let mean = net.add("GlobalAveragePool", &[&at], vec![]);
    let flat = net.add("Flatten", &[&mean], vec![]);
    net.dense(&flat, [1_280, 1_000]);
    net.model(image(224))
}

/// BERT-base: Devlin and others, NAACL 2019: 12 layers, 768 wide, 12 heads, 30,522 words, 512 places.
fn bert_base() -> ModelProto {
    let mut net = Builder::new();
    let [words, types, places] =
        [("words", 30_522), ("types", 2), ("places", 512)].map(|(name, rows)| net.constant(name, &[rows, 768]));
    let ids = ["ids", "type_ids", "place_ids"];
    let looked_up = [words, types, places].into_iter().zip(ids);
    let parts: Vec<String> = looked_up.map(|(table, ids)| net.add("Gather", &[&table, ids], vec![])).collect();
    let sum = net.add("Add", &[&parts[0], &parts[1]], vec![]);
    let sum = net.add("Add", &[&sum, &parts[2]], vec![]);
    let mut at = net.norm(&sum, 768);
    let shape = |net: &mut Builder, name: &str, sizes: &[i64]| {
        net.constants.push(TensorProto {
            name: name.into(),
            dims: vec![i64::try_from(sizes.len()).expect("few")],
            data_type: 7,
            raw_data: sizes.iter().flat_map(|size| size.to_le_bytes()).collect::<Vec<u8>>().into(),
            ..TensorProto::default()
        });
        name.to_owned()
    };
    let (split, joined) = (shape(&mut net, "split", &[0, 0, 12, 64]), shape(&mut net, "joined", &[0, 0, 768]));
    for _ in 0..12 {
        let [query, key, content] = [(); 3].map(|()| {
            let projected = net.dense(&at, [768, 768]);
            net.add("Reshape", &[&projected, &split], vec![])
        });
        let query = net.add("Transpose", &[&query], vec![ints("perm", &[0, 2, 1, 3])]);
        let key = net.add("Transpose", &[&key], vec![ints("perm", &[0, 2, 3, 1])]);
        let content = net.add("Transpose", &[&content], vec![ints("perm", &[0, 2, 1, 3])]);
        let scores = net.add("MatMul", &[&query, &key], vec![]);
        let shares = net.add("Softmax", &[&scores], vec![]);
        let mixed = net.add("MatMul", &[&shares, &content], vec![]);
        let mixed = net.add("Transpose", &[&mixed], vec![ints("perm", &[0, 2, 1, 3])]);
        let mixed = net.add("Reshape", &[&mixed, &joined], vec![]);
        let out = net.dense(&mixed, [768, 768]);
        let sum = net.add("Add", &[&out, &at], vec![]);
        let middle = net.norm(&sum, 768);
        let wide = net.dense(&middle, [768, 3_072]);
        let wide = net.add("Gelu", &[&wide], vec![]);
        let out = net.dense(&wide, [3_072, 768]);
        let sum = net.add("Add", &[&out, &middle], vec![]);
        at = net.norm(&sum, 768);
    }
    // The pooler works on the first token.
    let first = net.add("ReduceMax", &[&at], vec![ints("axes", &[1]), int("keepdims", 0)]);
    net.dense(&first, [768, 768]);
    let tokens = DimensionProto { dim_value: None, dim_param: Some("sequence".into()) };
    net.model(ids.iter().map(|name| value(name, vec![symbolic(), tokens.clone()])).collect())
}

/// The network of a model with sizes of open dimensions.
fn read_with(model: &ModelProto, sizes: &[(&str, u64)]) -> Result<Network, String> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("net.onnx");
    std::fs::write(&path, model.encode_to_vec()).expect("a file");
    let sizes: Dimensions = sizes.iter().map(|(name, size)| ((*name).to_owned(), *size)).collect();
    features::read_with(&path, &sizes).map_err(|error| error.to_string())
}

/// Within 2 %.
fn near(found: u64, published: f64) -> bool {
    (found as f64 / published - 1.0).abs() < 0.02
}

#[test]
fn published_networks_have_their_published_parameters_and_multiply_adds() {
    // torchvision, “Models and pre-trained weights” (<https://docs.pytorch.org/vision/stable/models.html>): 25.6 million and 4.09 G;
    // 3.5 million and 0.3 G.
    for (name, model, parameters, multiply_adds) in
        [("ResNet-50", resnet50(), 25_557_032.0, 4.09e9), ("MobileNetV2", mobilenet_v2(), 3_504_872.0, 0.30e9)]
    {
        let network = read(model.encode_to_vec()).expect("a model");
        let (found, unknown) = network.multiply_adds();
        let counted = network.parameters().expect("all are known");
        println!("{name}: {counted} parameters, {found} multiply-adds");
        assert!(near(counted, parameters), "{name}: {counted} parameters");
        assert!(near(found, multiply_adds) && unknown == 0, "{name}: {found} multiply-adds");
        // Four bytes each.
        assert_eq!(network.memory()[0], 4 * counted);
    }
}

#[test]
fn bert_has_its_published_parameters_and_needs_the_length_of_the_text() {
    let model = bert_base();
    let network = read_with(&model, &[("sequence", 128)]).expect("a model");
    // Devlin and others: 110 million; 109,482,240 in the published file.
    let counted = network.parameters().expect("all are known");
    assert!(near(counted, 109_482_240.0) && near(counted, 110e6), "{counted}");
    // By hand, for each of 12 layers and 128 tokens: 4 · 768² and 2 · 768 · 3,072 weights, and 2 · 128 · 768 for the products of
    // queries, keys and contents; the pooler once.
    let by_hand = 12 * 128 * (4 * 768 * 768 + 2 * 768 * 3_072 + 2 * 128 * 768) + 768 * 768;
    assert_eq!(network.multiply_adds(), (by_hand, 0));
    let open = read_with(&model, &[]).expect("a model");
    assert!(
        open.notes.iter().any(|note| note.contains("“sequence”") && note.contains("--dimension")),
        "{:?}",
        open.notes
    );
    assert!(open.multiply_adds().1 > 0);
    let wrong = read_with(&model, &[("length", 128)]).expect_err("no such dimension");
    assert!(wrong.contains("no open dimension “length”") && wrong.contains("“sequence”"), "{wrong}");
    let batch = read_with(&model, &[("N", 8)]).expect_err("the batch");
    assert!(batch.contains("set it with --batch"), "{batch}");
}

/// Two rectifiers of 64 · 2²⁰ elements of a type.
fn rectifiers(data_type: i32) -> Network {
    let mut net = Builder::new();
    let first = net.add("Relu", &["x"], vec![]);
    net.add("Relu", &[&first], vec![]);
    let mut inputs = vec![value("x", vec![symbolic(), dimension(64 << 20)])];
    let tensor = inputs[0].r#type.as_mut().and_then(|declared| declared.tensor_type.as_mut());
    tensor.expect("a tensor").elem_type = data_type;
    read(net.model(inputs).encode_to_vec()).expect("a model")
}

#[test]
fn the_element_type_of_tensors_counts() {
    // Types of ONNX: 1 float, 10 float16, 16 bfloat16, 11 double, 3 int8.
    for (data_type, bytes) in [(1, 4), (10, 2), (16, 2), (11, 8), (3, 1)] {
        let network = rectifiers(data_type);
        assert_eq!(network.bytes(1), Some(2 * 2 * (64 << 20) * bytes), "{data_type}");
        assert_eq!(
            network.layers[0].bits,
            ElementBits {
                input: 8 * u32::try_from(bytes).expect("small"),
                output: 8 * u32::try_from(bytes).expect("small"),
                parameters: 32
            }
        );
    }
}

#[test]
fn a_cast_reads_one_type_and_writes_another() {
    let mut net = Builder::new();
    let half = net.add("Cast", &["x"], vec![int("to", 10)]);
    net.add("Relu", &[&half], vec![]);
    let network = read(net.model(vec![value("x", vec![symbolic(), dimension(100)])]).encode_to_vec()).expect("a model");
    // 100 · (4 + 2) and 100 · (2 + 2) bytes.
    assert_eq!(network.layers.iter().map(|layer| layer.bytes_moved(1)).collect::<Vec<_>>(), [Some(600), Some(400)]);
}

#[test]
fn local_response_normalisation_and_resizing_have_sizes() {
    let mut net = Builder::new();
    let normalised = net.add("LRN", &["x"], vec![int("size", 5)]);
    net.constants.push(TensorProto {
        raw_data: [1.0_f32, 1.0, 2.0, 2.0].iter().flat_map(|factor| factor.to_le_bytes()).collect::<Vec<u8>>().into(),
        ..weights("scales", &[4])
    });
    let larger = net.add("Resize", &[&normalised, "", "scales"], vec![]);
    net.constants.push(TensorProto {
        data_type: 7,
        raw_data: [1_i64, 3, 10, 20].iter().flat_map(|size| size.to_le_bytes()).collect::<Vec<u8>>().into(),
        ..weights("sizes", &[4])
    });
    net.add("Resize", &[&larger, "", "", "sizes"], vec![]);
    let network = read(net.model(image(8)).encode_to_vec()).expect("a model");
    let sizes: Vec<[Option<u64>; 2]> =
        network.layers.iter().map(|layer| [layer.input_size, layer.output_size]).collect();
    assert_eq!(sizes, [[192, 192], [192, 768], [768, 600]].map(|sizes| sizes.map(Some)));
    assert!(network.flops().is_some(), "{:?}", network.known_flops().1);
    assert_eq!(network.layers[0].operator, Operator::Elementwise("LRN"));
}

#[test]
fn open_height_and_width_are_set_by_their_names() {
    let open = |name: &str| DimensionProto { dim_value: None, dim_param: Some(name.into()) };
    let mut net = Builder::new();
    net.convolution("x", [8, 3], [3, 1], 1);
    let model = net.model(vec![value("x", vec![open("N"), dimension(3), open("H"), open("W")])]);
    let network = read_with(&model, &[("H", 32), ("W", 16)]).expect("a model");
    assert_eq!((network.input, network.layers[0].flops), (Some(3 * 32 * 16), Some(2 * 8 * 32 * 16 * 27)));
    let problem = problem(b"hello\n");
    assert!(problem.contains("torchsummary"), "{problem}");
}
