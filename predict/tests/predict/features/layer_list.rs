//! Lists of layers as CSV.

use super::{known, layer, problem, read};
use crossover_predict::features::{Form, Operator};

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
    assert_eq!(network.bytes(8), Some((70 * 8 + 210) * 4));
}

#[test]
fn what_is_not_told_is_not_guessed() {
    let network = read("operator,input_size,output_size\nConv2D,100,50\nRelu,50,50\n").expect("a list");
    assert_eq!((network.flops(), network.bytes(1), network.parameters()), (None, None, None));
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
        ("operator,input_size\nRelu,1,2\n", "line 2: number of fields: 3; expected 2, as many as the header has"),
        ("operator,input_size\n", "no layer; expected"),
    ] {
        let problem = problem(list);
        assert!(problem.contains(expected), "{problem}");
    }
}
