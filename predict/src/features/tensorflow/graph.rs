//! Converts a graph to a list of layers: nodes in topological order, constants as parameters where they are first used.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap};

use super::super::MOST_LAYERS;
use super::super::network::{ElementBits, Form, Layer, Network, first_names};
use super::super::operator::Operator;
use super::super::shape::elements;
use super::infer::{self, Inputs};
use super::node::{Node, Tensor};
use super::wire::{Field, Fields};

/// Operators that only hold or move the state of a program.
const NO_LAYERS: [&str; 17] = [
    "Placeholder",
    "PlaceholderWithDefault",
    "Const",
    "Identity",
    "IdentityN",
    "NoOp",
    "ReadVariableOp",
    "VarHandleOp",
    "Variable",
    "VariableV2",
    "Assign",
    "AssignVariableOp",
    "VarIsInitializedOp",
    "SaveV2",
    "RestoreV2",
    "MergeV2Checkpoints",
    "StopGradient",
];

/// Whether the bytes begin with a node that has a name and an operator.
pub(super) fn begins(bytes: &[u8]) -> bool {
    let first = Fields::of(bytes).next();
    matches!(first, Some(Ok((1, Field::Bytes(node)))) if Node::of(node).is_ok_and(|node| !node.name.is_empty() && !node.op.is_empty()))
}

/// The network of a `GraphDef`: of its nodes, or of its largest function if it has no layer itself.
pub(super) fn network(bytes: &[u8]) -> Result<Network, String> {
    let (mut nodes, mut functions) = (Vec::new(), Vec::new());
    for field in Fields::of(bytes) {
        match field? {
            (1, Field::Bytes(node)) => nodes.push(Node::of(node)?),
            (2, Field::Bytes(library)) => {
                for field in Fields::of(library) {
                    if let (1, Field::Bytes(function)) = field? {
                        functions.push(function);
                    }
                }
            }
            _ => {}
        }
        if nodes.len() > MOST_LAYERS || functions.len() > MOST_LAYERS {
            return Err(format!("more than {MOST_LAYERS} nodes"));
        }
    }
    let own = read(&nodes)?;
    let has_products = |network: &Network| {
        network.layers.iter().any(|layer| matches!(layer.operator, Operator::Conv2D | Operator::MatMul))
    };
    if has_products(&own) || functions.is_empty() {
        return if own.layers.is_empty() { Err("the graph has no layer".to_owned()) } else { Ok(own) };
    }
    let mut largest: Option<Network> = None;
    for function in functions {
        let mut nodes = Vec::new();
        for field in Fields::of(function) {
            match field? {
                // Arguments are inputs of the function, without a shape.
                (1, Field::Bytes(signature)) => {
                    for field in Fields::of(signature) {
                        if let (2, Field::Bytes(argument)) = field? {
                            let name = Fields::of(argument).filter_map(Result::ok).find_map(|field| match field {
                                (1, Field::Bytes(name)) => std::str::from_utf8(name).ok(),
                                _ => None,
                            });
                            let name = name.unwrap_or_default();
                            nodes.push(Node { name, op: "Placeholder", ..Node::default() });
                        }
                    }
                }
                (3, Field::Bytes(node)) => nodes.push(Node::of(node)?),
                _ => {}
            }
        }
        let network = read(&nodes)?;
        if largest.as_ref().is_none_or(|known| known.layers.len() < network.layers.len()) {
            largest = Some(network);
        }
    }
    let mut network = largest.filter(|network| !network.layers.is_empty()).ok_or("the graph has no layer")?;
    network.notes.insert(
        0,
        "the largest function of the saved model is read; it has no shapes of its inputs and variables unless it was exported with \
         _output_shapes; ONNX (tf2onnx) has them"
            .to_owned(),
    );
    Ok(network)
}

/// The name of the node that an input is of; `None` for one that only orders.
fn source(input: &str) -> Option<&str> {
    (!input.starts_with('^')).then(|| input.split(':').next().unwrap_or_default())
}

/// Nodes in topological order, and the number of those in loops.
fn order(nodes: &[Node<'_>]) -> Result<(Vec<usize>, usize), String> {
    let mut places: HashMap<&str, usize> = HashMap::with_capacity(nodes.len());
    for (place, node) in nodes.iter().enumerate() {
        if places.insert(node.name, place).is_some() {
            return Err(format!("two nodes have the name “{}”; expected unique names", node.name));
        }
    }
    let mut waits = vec![0_usize; nodes.len()];
    let mut takers: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
    for (place, node) in nodes.iter().enumerate() {
        for name in node.inputs.iter().filter_map(|input| source(input)) {
            if let Some(giver) = places.get(name) {
                waits[place] += 1;
                takers[*giver].push(place);
            }
        }
    }
    let mut ready: BinaryHeap<Reverse<usize>> =
        (0..nodes.len()).filter(|place| waits[*place] == 0).map(Reverse).collect();
    let mut order = Vec::with_capacity(nodes.len());
    while let Some(Reverse(place)) = ready.pop() {
        order.push(place);
        for taker in std::mem::take(&mut takers[place]) {
            waits[taker] -= 1;
            if waits[taker] == 0 {
                ready.push(Reverse(taker));
            }
        }
    }
    let in_loops = nodes.len() - order.len();
    Ok((order, in_loops))
}

/// The layers of nodes.
fn read(nodes: &[Node<'_>]) -> Result<Network, String> {
    let (order, in_loops) = order(nodes)?;
    let mut tensors: BTreeMap<&str, Tensor> = BTreeMap::new();
    // The constant that a tensor is an alias of, and those that have been counted.
    let mut roots: BTreeMap<&str, &str> = BTreeMap::new();
    let mut counted: BTreeMap<&str, bool> = BTreeMap::new();
    let mut assumed: BTreeMap<&str, usize> = BTreeMap::new();
    let (mut layers, mut input, mut unknown) = (Vec::new(), None, Vec::new());
    for place in order {
        let node = &nodes[place];
        let names: Vec<&str> = node.inputs.iter().filter_map(|input| source(input)).collect();
        let nothing = Tensor::default();
        let inputs = Inputs(names.iter().map(|name| tensors.get(name).unwrap_or(&nothing)).collect());
        let mut tensor = made(node, &inputs);
        if node.op == "Placeholder" {
            if let Some(first) = tensor.shape.as_mut().and_then(|shape| shape.first_mut()) {
                first.get_or_insert(1);
            }
            let size = tensor.shape.as_deref().and_then(elements);
            input =
                Some(input.unwrap_or(0)).zip(size).and_then(|(sum, size): (u64, u64)| sum.checked_add(size)).or(input);
        }
        let is_layer = !tensor.is_constant && !NO_LAYERS.contains(&node.op);
        if is_layer && tensor.shape.is_none() && matches!(operator(node), Operator::Other(_)) {
            // An unknown operator costs its own time only: what follows keeps its sizes.
            let first = inputs.0.iter().find(|tensor| !tensor.is_constant);
            tensor.shape = first.and_then(|tensor| tensor.shape.clone());
            *assumed.entry(node.op).or_default() += usize::from(tensor.shape.is_some());
        }
        if tensor.is_constant {
            let root = names.first().and_then(|name| roots.get(name)).copied().unwrap_or(node.name);
            roots.insert(node.name, root);
        }
        if is_layer {
            let mut parameters = Some(0_u64);
            let mut taken = Some(0_u64);
            let (mut of_input, mut of_parameters) = (32, 32);
            for (place, (name, one)) in names.iter().zip(&inputs.0).enumerate() {
                let size = one.shape.as_deref().and_then(elements);
                if !one.is_constant {
                    if place == 0 {
                        of_input = one.bits();
                    }
                    taken = taken.zip(size).and_then(|(sum, size)| sum.checked_add(size));
                } else if one.may_be_learnt() {
                    let root = roots.get(name).copied().unwrap_or(*name);
                    if !std::mem::replace(counted.entry(root).or_default(), true) {
                        of_parameters = one.bits();
                        parameters = parameters.zip(size).and_then(|(sum, size)| sum.checked_add(size));
                    }
                }
            }
            let operator = operator(node);
            let output = tensor.shape.as_deref().and_then(elements);
            if taken.is_some() && output.is_none() {
                unknown.push(format!("{} ({})", node.name, node.op));
            }
            let steps = infer::steps(node, &inputs, [taken, output]);
            let bits = ElementBits { input: of_input, output: tensor.bits(), parameters: of_parameters };
            let layer = Layer::new(node.name, operator, [taken, output], parameters, steps);
            layers.push(Layer { bits, ..layer });
        }
        tensors.insert(node.name, tensor);
    }
    let mut notes = Vec::new();
    if in_loops > 0 {
        notes.push(format!("left out: nodes of loops ({in_loops}), as their number of runs is not known"));
    }
    let named: Vec<String> =
        assumed.iter().filter(|(_, count)| **count > 0).map(|(name, count)| format!("{count} × {name}")).collect();
    if !named.is_empty() {
        notes.push(format!(
            "unknown operators, whose output is assumed to be as large as their first input: {}",
            first_names(named.iter().map(String::as_str))
        ));
    }
    if !unknown.is_empty() {
        notes.push(format!(
            "sizes are not known from these nodes on: {}",
            first_names(unknown.iter().map(String::as_str))
        ));
    }
    Ok(Network { form: Form::TensorFlow, layers, input, notes })
}

/// The first output of a node.
fn made(node: &Node<'_>, inputs: &Inputs<'_>) -> Tensor {
    match node.op {
        "Const" => node.constant().unwrap_or(Tensor { is_constant: true, ..Tensor::default() }),
        "Variable" | "VariableV2" | "VarHandleOp" => {
            Tensor { shape: node.shape("shape"), data_type: node.data_type(), is_constant: true, values: None }
        }
        "Placeholder" => Tensor {
            shape: node.output_shape().or_else(|| node.shape("shape")),
            data_type: node.data_type(),
            ..Tensor::default()
        },
        _ => {
            let is_passed = matches!(node.op, "Identity" | "ReadVariableOp");
            let own = inputs.0.first().map_or(0, |tensor| tensor.data_type);
            let data_type = match node.data_type() {
                0 => own,
                data_type => data_type,
            };
            let is_constant = is_passed && inputs.0.first().is_some_and(|tensor| tensor.is_constant);
            Tensor {
                shape: node.output_shape().or_else(|| infer::shape(node, inputs)),
                values: infer::values(node, inputs),
                data_type,
                is_constant,
            }
        }
    }
}

/// The operator of a node. A mean or extreme over axes is a reduction.
fn operator(node: &Node<'_>) -> Operator {
    match node.op {
        "Mean" => Operator::Reduction("ReduceMean"),
        "Sum" | "Prod" => Operator::Reduction("ReduceSum"),
        "Max" | "Min" => Operator::Reduction("ReduceMax"),
        op => Operator::named(op),
    }
}
