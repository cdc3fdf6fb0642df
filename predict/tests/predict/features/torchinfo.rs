//! Tables that torchinfo prints.

use super::{known, layer, problem, read};
use crossover_predict::features::Form;

/// As torchinfo 1.8 prints `Sequential(Conv2d(3, 8, 3, padding=1), ReLU, MaxPool2d(2), Flatten, Linear(2048, 10))` for 4 images.
pub(super) const TORCHINFO: &str = "\
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
    assert!(network.notes.iter().any(|note| note.contains("the first dimension, 4, is taken as the batch")));
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
    // 6 outputs with 42 parameters have 6 weights and a bias each.
    assert_eq!(layer(&network, "Linear (a): 2-1"), [None, Some(6), Some(42), Some(72)]);
    assert_eq!(layer(&network, "Linear (a): 2-2"), known([6, 6, 0, 72]));
    assert_eq!(layer(&network, "Linear (b): 1-3"), known([6, 5, 35, 60]));
    let joined = network.notes.join("; ");
    assert!(joined.contains("without the column Input Shape") && joined.contains("“Dropout (never): 1-2”"), "{joined}");
}

/// As torchinfo 1.8 prints a vision transformer by default: modules within modules end at a depth of 3.
const DEFAULT: &str = "\
==========================================================================================
Layer (type:depth-idx)                   Output Shape              Param #
==========================================================================================
Vision                                   [8, 10]                   640
├─Conv2d: 1-1                            [8, 64, 7, 7]             3,136
├─Sequential: 1-2                        [8, 7, 7, 64]             --
│    └─Block: 2-1                        [8, 7, 7, 64]             50,000
├─Embedding: 1-3                         [1, 49, 64]               3,136
├─MultiheadAttention: 1-4                [8, 49, 64]               16,640
├─Conv1D: 1-5                            [8, 49, 192]              12,480
├─Dropout: 1-6                           [8, 4, 49, 49]            --
├─Linear: 1-7                            [8, 49, 64]               4,160
==========================================================================================
Total params: 90,192
Total mult-adds (M): 1.21
==========================================================================================
Params size (MB): 0.18
";

#[test]
fn modules_of_a_default_torchinfo_table_count_by_parameters_and_places() {
    let network = read(DEFAULT).expect("a table");
    let multiply_adds = |name: &str| layer(&network, name)[3].expect("known") / 2;
    // 49 places of a square image whose channels are last; the printed total has a linear layer once for a sample.
    assert_eq!(multiply_adds("Block: 2-1"), 49 * 50_000);
    // Four projections of 49 tokens, 64 wide, and two products of 49 × 49 × 64.
    assert_eq!(multiply_adds("MultiheadAttention: 1-4"), 4 * 49 * 64 * 64 + 2 * 49 * 49 * 64);
    // A linear layer of the transformers library; one whose input is a function call of the layer above.
    assert_eq!(multiply_adds("Conv1D: 1-5"), 49 * 64 * 192);
    assert_eq!(multiply_adds("Linear: 1-7"), 49 * 64 * 64);
    // One table of positions serves all 8 samples.
    assert_eq!(layer(&network, "Embedding: 1-3")[1], Some(49 * 64));
    assert_eq!(network.layers[0].output_size, Some(64 * 49));
}

#[test]
fn transformer_blocks_of_a_default_torchinfo_table_count_with_their_attention() {
    // BERT-base for 128 tokens: each of its layers has 7,087,872 parameters.
    let row = |name: &str, shape: &str, parameters: &str| format!("{name:<40} {shape:<20} {parameters}\n");
    let layer = |number: u32| row(&format!("│    │    └─BertLayer: 3-{number}"), "[1, 128, 768]", "7,087,872");
    let rule = "=".repeat(80) + "\n";
    let table = [
        rule.clone(),
        row("Layer (type:depth-idx)", "Output Shape", "Param #"),
        rule.clone(),
        row("BertModel", "[1, 768]", "--"),
        row("├─BertEncoder: 1-1", "[1, 128, 768]", "--"),
        row("│    └─ModuleList: 2-1", "--", "--"),
        (1..=12).map(layer).collect(),
        rule,
        "Total params: 85,054,464\nTotal mult-adds (M): 85.05\n".to_owned(),
    ]
    .concat();
    let network = read(table).expect("a table");
    // 12 · 768² weights at each of 128 tokens, and two products of 128 × 128 × 768, by hand; parameters count biases too.
    let by_hand = 12.0 * 128.0 * (12.0 * 768.0 * 768.0 + 2.0 * 128.0 * 768.0);
    let found = network.multiply_adds().0 as f64;
    assert!((found / by_hand - 1.0).abs() < 0.002, "{found}");
    assert!(network.notes.iter().any(|note| note.contains("12 modules have the parameters of a transformer block")));
}

#[test]
fn parameters_beside_the_layers_and_their_element_size_come_from_the_totals() {
    let network = read(DEFAULT).expect("a table");
    assert_eq!(network.parameters(), Some(90_192));
    // 0.18 MB of 90,192 parameters: half precision.
    assert_eq!(network.memory()[0], 2 * 90_192);
    let joined = network.notes.join("; ");
    assert!(joined.contains("640 parameters of “Total params” belong to no layer"), "{joined}");
    assert!(joined.contains("a parameter has 16 bits"), "{joined}");
}

#[test]
fn a_damaged_torchinfo_table_says_where() {
    let many = TORCHINFO.replace("224                       [3, 3]", "two hundred               [3, 3]");
    assert!(problem(many).contains("line 5: 5 values; expected 4, as many as the columns above"));
    let odd = TORCHINFO.replace("224                       [3, 3]", "few                       [3, 3]");
    assert!(problem(odd).contains("line 5: Param # is “few”; expected a number, -- or (recursive)"));
    let empty = TORCHINFO.lines().take(3).collect::<Vec<_>>().join("\n");
    assert!(problem(empty).contains("no layer below the column names"));
}
