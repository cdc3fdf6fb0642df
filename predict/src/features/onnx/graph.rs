//! Converts the graph of a model to a list of layers: its nodes in topological order, and the branches that are read.

use super::super::Dimensions;
use super::super::network::{Form, Layer, Network, first_names, shown};
use super::super::operator::Operator;
use super::super::shape::Shape;
use super::super::topological::Edges;
use super::constant::constant_tensor;
use super::declared::{element_type, merged};
use super::infer;
use super::layer::{name, operator};
use super::messages::{GraphProto, ModelProto, NodeProto, TensorProto};
use super::tensor::Tensor;
use super::tensors::Tensors;

/// Reads the network of a model. `dimensions`: sizes of named dimensions that the file leaves open.
pub(super) fn network(model: &ModelProto, dimensions: &Dimensions) -> Result<Network, String> {
    let graph = model.graph.as_ref().ok_or("the model has no graph")?;
    if graph.node.is_empty() {
        return Err("the graph has no node".to_owned());
    }
    let mut tensors = Tensors::of(graph, dimensions)?;
    let order = tensors.order(&graph.node)?;
    let mut found = Found { layers: Vec::with_capacity(order.len()), ..Found::default() };
    for index in order {
        tensors.step(&graph.node[index], index, &mut found)?;
    }
    let Found { layers, unknown, within, branches } = found;
    let mut notes = std::mem::take(&mut tensors.notes);
    if !branches.is_empty() {
        let names = first_names(branches.iter().map(String::as_str));
        notes.push(format!(
            "the file does not decide the conditions of these If nodes, so the branch with more parameters is read: {names}"
        ));
    }
    if !tensors.assumed.is_empty() {
        let named: Vec<String> = tensors.assumed.iter().map(|(name, count)| format!("{count} × {name}")).collect();
        notes.push(format!(
            "unknown operators, whose output is assumed to be as large as their first input: {}",
            first_names(named.iter().map(String::as_str))
        ));
    }
    if within > 0 {
        let nodes = if within == 1 { "node" } else { "nodes" };
        notes
            .push(format!("left out: {within} {nodes} inside of Loop or Scan, as the number of iterations is unknown"));
    }
    if !unknown.is_empty() {
        notes.push(format!(
            "sizes are not known from these nodes on: {}; add them to the file with onnx.shape_inference, or with a tool that \
             fixes all dimensions",
            first_names(unknown.iter().map(String::as_str))
        ));
    }
    if !model.functions.is_empty() {
        let names = first_names(model.functions.iter().map(|function| function.name.as_str()));
        notes.push(format!("functions that the model defines count as one layer each: {names}"));
    }
    if layers.is_empty() {
        return Err("all nodes of the graph compute constants".to_owned());
    }
    let input = tensors.input(graph);
    Ok(Network { form: Form::Onnx, layers, input, notes })
}

/// What the nodes of a graph give.
#[derive(Default)]
struct Found {
    layers: Vec<Layer>,
    /// Nodes from which on sizes are not known.
    unknown: Vec<String>,
    /// Nodes of graphs that run an unknown number of times.
    within: usize,
    /// `If` nodes whose condition is not known.
    branches: Vec<String>,
}

/// Graphs within a node.
fn graphs(node: &NodeProto) -> impl Iterator<Item = &GraphProto> {
    node.attribute.iter().flat_map(|attribute| attribute.g.as_deref().into_iter().chain(&attribute.graphs))
}

/// Elements of the constants of a graph, with those of the graphs within it.
fn weight(graph: &GraphProto) -> u64 {
    let of = |tensor: &TensorProto| {
        tensor.dims.iter().map(|size| u64::try_from(*size).unwrap_or(0)).fold(1_u64, u64::saturating_mul)
    };
    let of_node = |node: &NodeProto| {
        let own = node.attribute.iter().filter_map(|attribute| attribute.t.as_deref()).map(of);
        own.chain(graphs(node).map(weight)).fold(0_u64, u64::saturating_add)
    };
    graph.initializer.iter().map(of).chain(graph.node.iter().map(of_node)).fold(0_u64, u64::saturating_add)
}

impl<'a> Tensors<'a> {
    /// A topological order of the nodes, by the order of the file. Adds their outputs.
    fn order(&mut self, nodes: &'a [NodeProto]) -> Result<Vec<usize>, String> {
        let before = self.all.len();
        let mut giver = Vec::new();
        for (index, node) in nodes.iter().enumerate() {
            for output in node.output.iter().filter(|output| !output.is_empty()) {
                self.add(output, Tensor::default())?;
                giver.push(index);
            }
        }
        let mut edges = Edges::new(nodes.len());
        for (index, node) in nodes.iter().enumerate() {
            for input in node.input.iter().filter(|input| !input.is_empty()) {
                let Some(place) = self.places.get(input.as_str()) else {
                    return Err(format!("{}: input tensor {} does not exist", described(node, index), shown(input)));
                };
                if let Some(place) = place.checked_sub(before) {
                    edges.add(giver[place], index);
                }
            }
        }
        let (order, stuck) = edges.order();
        if let Some(stuck) = stuck {
            let node = described(&nodes[stuck], stuck);
            return Err(format!("the graph has a cycle through {node}"));
        }
        Ok(order)
    }

    /// Adds what a node gives.
    fn step(&mut self, node: &'a NodeProto, index: usize, found: &mut Found) -> Result<(), String> {
        if node.op_type == "If" && graphs(node).count() == 2 {
            return self.branch(node, index, found);
        }
        found.within += graphs(node).map(|graph| graph.node.len()).sum::<usize>();
        if let Some(layer) = self.run(node, index, &mut found.unknown)? {
            found.layers.push(layer);
        }
        Ok(())
    }

    /// Reads the branch of an `If` that its condition decides for, otherwise the one with more parameters.
    fn branch(&mut self, node: &'a NodeProto, index: usize, found: &mut Found) -> Result<(), String> {
        let condition = node.input.first().and_then(|name| self.places.get(name.as_str()));
        let condition = condition.and_then(|place| self.all[*place].values.as_deref()?.first().copied());
        let of = |name: &str| {
            node.attribute.iter().find(|attribute| attribute.name == name).and_then(|attribute| attribute.g.as_deref())
        };
        let (Some(then), Some(otherwise)) = (of("then_branch"), of("else_branch")) else {
            return Err(format!("{}: expected then_branch and else_branch", described(node, index)));
        };
        let is_then = condition.map_or_else(|| weight(then) >= weight(otherwise), |condition| condition != 0);
        let graph = if is_then { then } else { otherwise };
        if condition.is_none() {
            found.branches.push(name(node, index));
        }
        self.declared
            .extend(graph.value_info.iter().chain(&graph.output).map(|declared| (declared.name.as_str(), declared)));
        // Names within a branch may hide those outside of it.
        let mut hidden: Vec<(&'a str, Option<usize>)> = Vec::new();
        for constant in &graph.initializer {
            let tensor = constant_tensor(constant, &constant.dims)?;
            hidden.push((constant.name.as_str(), self.define(&constant.name, tensor)));
        }
        for (index, inner) in graph.node.iter().enumerate() {
            for output in inner.output.iter().filter(|output| !output.is_empty()) {
                hidden.push((output.as_str(), self.define(output, Tensor::default())));
            }
            self.step(inner, index, found)?;
        }
        for (outer, inner) in node.output.iter().zip(&graph.output) {
            let inner = self.places.get(inner.name.as_str()).copied();
            if let (Some(place), Some(inner)) = (self.places.get(outer.as_str()).copied(), inner) {
                let given = self.all[inner].clone();
                let declared = self.declared.get(outer.as_str()).copied();
                let declared = declared.and_then(|declared| self.declared_shape(declared, false));
                let root = given.is_constant.then(|| given.root.unwrap_or(inner));
                let is_constant = given.is_constant && condition.is_some();
                let shape = merged(given.shape, declared);
                self.all[place] = Tensor { shape, is_constant, root, ..given };
            }
        }
        for (name, before) in hidden.into_iter().rev() {
            match before {
                Some(place) => self.places.insert(name, place),
                None => self.places.remove(name),
            };
        }
        Ok(())
    }

    /// Infers the outputs of a node. Returns no layer if they are constant.
    fn run(&mut self, node: &NodeProto, index: usize, unknown: &mut Vec<String>) -> Result<Option<Layer>, String> {
        let places: Vec<Option<usize>> =
            node.input.iter().map(|name| self.places.get(name.as_str()).copied()).collect();
        let taken: Vec<Option<&Tensor>> = places.iter().map(|place| place.map(|place| &self.all[place])).collect();
        let given = infer::outputs(node, &taken).map_err(|problem| format!("{}: {problem}", described(node, index)))?;
        let is_source = matches!(node.op_type.as_str(), "RandomNormal" | "RandomUniform");
        let has_graph = node.attribute.iter().any(|attribute| attribute.g.is_some() || !attribute.graphs.is_empty());
        let is_constant = !is_source && !has_graph && places.iter().flatten().all(|place| self.all[*place].is_constant);
        let mut given = given.into_iter();
        for name in &node.output {
            let is_first = *name == node.output[0];
            let mut worked_out = given.next().unwrap_or_default();
            let Some(place) = self.places.get(name.as_str()).copied() else { continue };
            let declared = self.declared.get(name.as_str()).copied();
            let declared_shape = declared.and_then(|declared| self.declared_shape(declared, false));
            if is_first && !is_constant && worked_out.shape.is_none() && declared_shape.is_none() {
                worked_out.shape = self.assumed_shape(node, &places);
            }
            let root = (is_constant && node.op_type == "Identity").then(|| places.first().copied().flatten()).flatten();
            let root = root.map(|place| self.all[place].root.unwrap_or(place));
            let data_type =
                if worked_out.data_type == 0 { declared.map_or(0, element_type) } else { worked_out.data_type };
            self.all[place] =
                Tensor { shape: merged(declared_shape, worked_out.shape), is_constant, data_type, root, ..worked_out };
        }
        if is_constant {
            return Ok(None);
        }
        let layer = self.layer(node, index, &places);
        if layer.input_size.is_some() && layer.output_size.is_none() {
            unknown.push(format!("{} ({})", layer.name, node.op_type));
        }
        Ok(Some(layer))
    }

    /// The shape of the output of an unknown operator: that of its first input.
    fn assumed_shape(&mut self, node: &NodeProto, places: &[Option<usize>]) -> Option<Shape> {
        if !matches!(operator(node), Operator::Other(_)) {
            return None;
        }
        let first = places.iter().flatten().find(|place| !self.all[**place].is_constant)?;
        let shape = self.all[*first].shape.clone()?;
        *self.assumed.entry(node.op_type.clone()).or_default() += 1;
        Some(shape)
    }
}

fn described(node: &NodeProto, index: usize) -> String {
    format!("node {index}, {} ({})", shown(&name(node, index)), shown(&node.op_type))
}
