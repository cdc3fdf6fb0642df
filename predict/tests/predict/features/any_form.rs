//! What holds for files of any form, and of none.

use super::keras::{KERAS_2_TABLE, KERAS_3_TABLE, mnist_json};
use super::onnx::{dimension, small_cnn};
use super::torchinfo::TORCHINFO;
use super::{EXECUTION, HARDWARE, problem, read};
use crossover_needs::test_data;
use crossover_predict::features::{self, Features, NetworkError, Operator};
use proptest::prelude::*;
use prost::Message as _;

#[test]
fn an_error_for_an_unknown_form_lists_the_known_ones() {
    for (content, begins) in [
        (&b"hello\nworld\n"[..], "a text of unknown form"),
        (b"", "empty"),
        (b"\xff\xfe\x00\x01", "neither a text nor an ONNX model: byte 0: "),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "neither a text nor an ONNX model: the model has no graph"),
    ] {
        let problem = problem(content);
        assert!(problem.contains(begins), "{problem}");
        for form in ["ONNX", "torchinfo", "model.summary()", "model.to_json()", "operator and input_size"] {
            assert!(problem.contains(form), "{problem}");
        }
    }
    assert!(matches!(features::read("/no/such/network".as_ref()), Err(NetworkError::Unreadable { .. })));
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
            let _ = (network.flops(), network.bytes(u64::MAX), Features::new(&network, EXECUTION, HARDWARE));
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
