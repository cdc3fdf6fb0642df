//! Tables that torchsummary prints.

use super::{known, layer, problem, read};
use crossover_predict::features::Form;

/// As torchsummary prints a depthwise separable block and a classifier.
const TABLE: &str = "\
----------------------------------------------------------------
        Layer (type)               Output Shape         Param #
================================================================
            Conv2d-1         [-1, 16, 112, 112]             432
       BatchNorm2d-2         [-1, 16, 112, 112]              32
             ReLU6-3         [-1, 16, 112, 112]               0
            Conv2d-4         [-1, 16, 112, 112]             144
            Conv2d-5         [-1, 24, 112, 112]             384
          MyBlock-6          [-1, 24, 112, 112]               0
 AdaptiveAvgPool2d-7             [-1, 24, 1, 1]               0
            Linear-8                   [-1, 10]             250
================================================================
Total params: 1,242
Trainable params: 1,242
Non-trainable params: 0
----------------------------------------------------------------
Input size (MB): 0.57
Forward/backward pass size (MB): 13.78
Params size (MB): 0.00
Estimated Total Size (MB): 14.36
----------------------------------------------------------------
";

#[test]
fn every_line_of_a_torchsummary_table_is_a_layer_behind_the_one_above() {
    let network = read(TABLE).expect("a table");
    assert_eq!((network.form, network.parameters()), (Form::Torchsummary, Some(1_242)));
    let map = 112 * 112;
    for (name, expected) in [
        ("BatchNorm2d-2", [16 * map, 16 * map, 32, 2 * 16 * map]),
        ("ReLU6-3", [16 * map, 16 * map, 0, 16 * map]),
        // A window of 9 for each channel, and 16 channels for each filter.
        ("Conv2d-4", [16 * map, 16 * map, 144, 2 * 16 * map * 9]),
        ("Conv2d-5", [16 * map, 24 * map, 384, 2 * 24 * map * 16]),
        ("AdaptiveAvgPool2d-7", [24 * map, 24, 0, 24 * map]),
        ("Linear-8", [24, 10, 250, 480]),
    ] {
        assert_eq!(layer(&network, name), known(expected), "{name}");
    }
    // 0.57 MiB of single precision are 3 · 224 · 224 elements within 1 %; 27 weights for each filter.
    let [input, output, _, flops] = layer(&network, "Conv2d-1");
    assert!((input.expect("known") as f64 / 150_528.0 - 1.0).abs() < 0.01, "{input:?}");
    assert_eq!((output, flops), (Some(16 * map), Some(2 * 16 * map * 27)));
    assert!(network.notes.iter().any(|note| note.contains("“MyBlock”")), "{:?}", network.notes);
}

#[test]
fn a_batch_in_a_torchsummary_table_is_divided_out() {
    let network = read(TABLE.replace("[-1, ", "[8, ")).expect("a table");
    let one = read(TABLE).expect("a table");
    assert_eq!(layer(&network, "Conv2d-5"), layer(&one, "Conv2d-5"));
    assert!(network.notes.iter().any(|note| note.contains("8, is taken as the batch")), "{:?}", network.notes);
}

#[test]
fn a_damaged_torchsummary_table_says_where() {
    let odd = TABLE.replace("             144\n", "            many\n");
    assert!(problem(odd).contains("line 7: Param # is “many”; expected a number"));
    let cut = TABLE.replace("[-1, 16, 112, 112]             144", "[-1, 16, 112             144");
    assert!(problem(cut).contains("line 7: Output Shape is "));
    let empty = TABLE.lines().take(3).collect::<Vec<_>>().join("\n");
    assert!(problem(empty).contains("no layer below the column names"));
}
