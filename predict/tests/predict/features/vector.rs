//! The features that the method makes of a network.

use super::{EXECUTION, HARDWARE, read};
use crossover_predict::features::Features;

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
        // The method names both operators, its example has neither.
        ("biasadd", 0.0),
        ("biasaddgrad", 0.0),
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
    assert_eq!(features.notes, ["layers without a feature: 2 × BatchNorm, 1 × Fancy"]);
    assert_eq!(features.values()[3], 5.0);
}

#[test]
fn biases_and_their_gradients_have_features() {
    let network = read("operator,input_size\nBiasAdd,640\nBiasAdd,320\nBiasAddGrad,1280\n").expect("a list");
    let features = Features::new(&network, EXECUTION, HARDWARE);
    let of = |name: &str| {
        let place = Features::names().iter().position(|other| *other == name).expect("a feature");
        features.values()[place]
    };
    assert_eq!((of("biasadd"), of("biasaddgrad")), (640.0, 1280.0));
    assert!(features.notes.is_empty(), "{:?}", features.notes);
}
