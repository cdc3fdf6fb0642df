//! Converts a graph to a list of layers: nodes in topological order, constants as parameters where they are first used.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::super::MOST_LAYERS;
use super::super::network::{ElementBits, Form, Layer, Network, first_names};
use super::super::operator::Operator;
use super::super::shape::{MOST_DIMENSIONS, Shape, elements};
use super::super::topological::Edges;
use super::infer;
use super::inline::{Function, inlined, needed};
use super::node::{Inputs, Node, Tensor};
use super::wire::{Field, Fields};

/// Operators that only hold or move the state of a program.
const NO_LAYERS: [&str; 18] = [
    "Assert",
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

/// Most constants that one tensor is made of.
const MOST_ROOTS: usize = 64;

/// Whether the bytes begin with a node that has a name and an operator.
pub(super) fn begins(bytes: &[u8]) -> bool {
    let first = Fields::of(bytes).next();
    matches!(first, Some(Ok((1, Field::Bytes(node)))) if Node::of(node).is_ok_and(|node| !node.name.is_empty() && !node.op.is_empty()))
}

/// The network of a `GraphDef`: of the nodes that its outputs need, or of its largest function if no node calls it.
pub(super) fn network(bytes: &[u8], outputs: &[&str]) -> Result<Network, String> {
    let (mut nodes, mut functions) = (Vec::new(), BTreeMap::new());
    for field in Fields::of(bytes) {
        match field? {
            (1, Field::Bytes(node)) => nodes.push(Node::of(node)?),
            (2, Field::Bytes(library)) => {
                for field in Fields::of(library) {
                    if let (1, Field::Bytes(function)) = field? {
                        let function = Function::of(function)?;
                        functions.insert(function.name, function);
                    }
                }
            }
            _ => {}
        }
        if nodes.len() > MOST_LAYERS || functions.len() > MOST_LAYERS {
            return Err(format!("more than {MOST_LAYERS} nodes"));
        }
    }
    let whole = |nodes: Vec<Node<'_>>, outputs: &[&str]| {
        // What only changes variables is left out before calls are expanded, and within them.
        read(&needed(inlined(&needed(nodes, outputs), &functions)?, outputs))
    };
    let own = whole(nodes, outputs)?;
    let has_products = |network: &Network| {
        network.layers.iter().any(|layer| matches!(layer.operator, Operator::Conv2D | Operator::MatMul))
    };
    if has_products(&own) || functions.is_empty() {
        return if own.layers.is_empty() { Err("the graph has no layer".to_owned()) } else { Ok(own) };
    }
    let mut largest: Option<Network> = None;
    for function in functions.values() {
        let network = whole(function.graph(), &[])?;
        if largest.as_ref().is_none_or(|known| known.layers.len() < network.layers.len()) {
            largest = Some(network);
        }
    }
    let mut network = largest.filter(|network| !network.layers.is_empty()).ok_or("the graph has no layer")?;
    network.notes.insert(
        0,
        "no signature and no node calls a function, so the largest function is read. Without _output_shapes it lacks the shapes of its \
         inputs and variables: export the model with a signature, or as ONNX (tf2onnx)"
            .to_owned(),
    );
    Ok(network)
}

/// Nodes in topological order, and the number of those in loops.
fn order(nodes: &[Node<'_>]) -> Result<(Vec<usize>, usize), String> {
    let mut places: HashMap<&str, usize> = HashMap::with_capacity(nodes.len());
    for (place, node) in nodes.iter().enumerate() {
        if places.insert(&node.name, place).is_some() {
            return Err(format!("two nodes have the name “{}”; expected unique names", node.name));
        }
    }
    let mut edges = Edges::new(nodes.len());
    for (place, node) in nodes.iter().enumerate() {
        for name in &node.inputs {
            if let Some(giver) = places.get(&**name) {
                edges.add(*giver, place);
            }
        }
    }
    let (order, _) = edges.order();
    let in_loops = nodes.len() - order.len();
    Ok((order, in_loops))
}

/// The layers of nodes.
fn read(nodes: &[Node<'_>]) -> Result<Network, String> {
    let (order, in_loops) = order(nodes)?;
    let mut reading = Reading::default();
    for place in order {
        reading.node(&nodes[place]);
    }
    let mut notes = Vec::new();
    if in_loops > 0 {
        notes.push(format!("left out: nodes of loops ({in_loops}), as the number of iterations is unknown"));
    }
    let assumed = reading.assumed.iter().filter(|(_, count)| **count > 0);
    let named: Vec<String> = assumed.map(|(name, count)| format!("{count} × {name}")).collect();
    if !named.is_empty() {
        notes.push(format!(
            "unknown operators, whose output is assumed to be as large as their first input: {}",
            first_names(named.iter().map(String::as_str))
        ));
    }
    if !reading.unknown.is_empty() {
        notes.push(format!(
            "sizes are not known from these nodes on: {}",
            first_names(reading.unknown.iter().map(String::as_str))
        ));
    }
    Ok(Network { form: Form::TensorFlow, layers: reading.layers, input: reading.input, notes })
}

/// State of the reader.
#[derive(Default)]
struct Reading<'n> {
    tensors: BTreeMap<&'n str, Tensor>,
    /// The constants of the file that a constant tensor is made of.
    roots: BTreeMap<&'n str, BTreeSet<&'n str>>,
    /// Constants that were counted as parameters of a layer.
    counted: BTreeSet<&'n str>,
    /// Number of nodes of each unknown operator whose output size is assumed.
    assumed: BTreeMap<&'n str, usize>,
    layers: Vec<Layer>,
    input: Option<u64>,
    unknown: Vec<String>,
}

impl<'n> Reading<'n> {
    fn node(&mut self, node: &'n Node<'_>) {
        let names: Vec<&'n str> = node.inputs.iter().map(|input| &**input).collect();
        let nothing = Tensor::default();
        let inputs = Inputs(names.iter().map(|name| self.tensors.get(name).unwrap_or(&nothing)).collect());
        let mut tensor = made(node, &inputs);
        if node.op == "Placeholder" {
            if let Some(first) = tensor.shape.as_mut().and_then(|shape| shape.first_mut()) {
                first.get_or_insert(1);
            }
            let size = tensor.shape.as_deref().and_then(elements);
            self.input = match (self.input, size) {
                (Some(sum), Some(size)) => sum.checked_add(size),
                (known, size) => known.or(size),
            };
        }
        let is_layer = !tensor.is_constant && !NO_LAYERS.contains(&node.op);
        if is_layer && tensor.shape.is_none() && matches!(operator(node), Operator::Other(_)) {
            // An unknown operator costs its own time only: what follows keeps its sizes.
            let first = inputs.0.iter().find(|tensor| !tensor.is_constant);
            tensor.shape = first.and_then(|tensor| tensor.shape.clone());
            *self.assumed.entry(node.op).or_default() += usize::from(tensor.shape.is_some());
        }
        if tensor.is_constant {
            let mut made_of: BTreeSet<&'n str> =
                names.iter().filter_map(|name| self.roots.get(name)).flatten().copied().take(MOST_ROOTS).collect();
            if names.is_empty() {
                made_of.insert(&node.name);
            }
            self.roots.insert(&node.name, made_of);
        }
        if is_layer {
            let taken = self.taken(&names, &inputs);
            let output = tensor.shape.as_deref().and_then(elements);
            if taken.size.is_some() && output.is_none() {
                self.unknown.push(format!("{} ({})", node.name, node.op));
            }
            let steps = infer::steps(node, &inputs, [taken.size, output]);
            let [of_inputs, of_parameters] = taken.bits;
            let bits = ElementBits { input: of_inputs, output: tensor.bits(), parameters: of_parameters };
            for root in taken.roots {
                self.counted.insert(root);
            }
            let layer =
                Layer::new(node.name.to_string(), operator(node), [taken.size, output], taken.parameters, steps);
            self.layers.push(Layer { bits, ..layer });
        }
        self.tensors.insert(&node.name, tensor);
    }

    /// What a layer reads, and the constants that are counted as its parameters.
    fn taken(&self, names: &[&'n str], inputs: &Inputs<'_>) -> Taken<'n> {
        let mut taken = Taken { size: Some(0), parameters: Some(0), bits: [32; 2], roots: BTreeSet::new() };
        let sum = |sum: Option<u64>, shape: Option<&Shape>| {
            sum.zip(shape.and_then(|shape| elements(shape))).and_then(|(sum, size)| sum.checked_add(size))
        };
        for (place, (name, one)) in names.iter().zip(&inputs.0).enumerate() {
            if !one.is_constant {
                if place == 0 {
                    taken.bits[0] = one.bits();
                }
                taken.size = sum(taken.size, one.shape.as_ref());
                continue;
            }
            for root in self.roots.get(name).into_iter().flatten() {
                let constant = self.tensors.get(root).filter(|constant| constant.may_be_learned());
                let Some(constant) = constant.filter(|_| !self.counted.contains(root)) else { continue };
                if taken.roots.insert(*root) {
                    taken.bits[1] = constant.bits();
                    taken.parameters = sum(taken.parameters, constant.shape.as_ref());
                }
            }
        }
        taken
    }
}

/// What a layer reads.
struct Taken<'n> {
    /// Elements of its inputs, without constants.
    size: Option<u64>,
    parameters: Option<u64>,
    /// Bits of an element of the first input, and of a parameter.
    bits: [u32; 2],
    /// The constants that its parameters are.
    roots: BTreeSet<&'n str>,
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
            let own = inputs.0.first().map_or(0, |tensor| tensor.data_type);
            let data_type = match node.data_type() {
                0 => own,
                data_type => data_type,
            };
            // What follows from constants is computed once.
            let is_constant = node.op != "PlaceholderWithDefault"
                && !inputs.0.is_empty()
                && inputs.0.iter().all(|tensor| tensor.is_constant);
            // A chain of operators that each join the dimensions of their inputs doubles them.
            let is_usual = |shape: &Shape| shape.len() <= MOST_DIMENSIONS;
            Tensor {
                shape: node.output_shape().or_else(|| infer::shape(node, inputs).filter(is_usual)),
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
