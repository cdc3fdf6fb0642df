//! Converts the graph of a model to a list of layers: tensors by name, nodes in topological order.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::super::Dimensions;
use super::super::network::{ElementBits, Form, Layer, Network, first_names, shown};
use super::super::operator::Operator;
use super::super::shape::{MOST_DIMENSIONS, Shape, elements};
use super::super::topological::Edges;
use super::bits::Bits;
use super::constant::constant_tensor;
use super::declared::{dimension_name, dimensions, element_type, fixed, merged};
use super::infer;
use super::messages::{GraphProto, ModelProto, NodeProto, TensorProto, ValueInfoProto};
use super::tensor::Tensor;

/// Element types of tensors that are not parameters: 32 and 64 bit integers, signed and unsigned, texts and booleans.
const NOT_LEARNT: [i32; 6] = [6, 7, 8, 9, 12, 13];

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

/// Tensors of a graph.
struct Tensors<'a> {
    places: HashMap<&'a str, usize>,
    all: Vec<Tensor>,
    /// Shapes in the file of tensors that nodes give.
    declared: HashMap<&'a str, &'a ValueInfoProto>,
    /// Names of the first dimensions of inputs.
    batch_names: BTreeSet<&'a str>,
    /// Sizes of named dimensions that the caller sets.
    dimensions: &'a Dimensions,
    /// Number of nodes of each unknown operator whose output size is assumed.
    assumed: BTreeMap<String, usize>,
    /// Samples of a batch, if the file fixes them.
    batch: u64,
    notes: Vec<String>,
}

impl<'a> Tensors<'a> {
    /// Constants and inputs.
    fn of(graph: &'a GraphProto, sizes: &'a Dimensions) -> Result<Self, String> {
        let mut all = Self {
            places: HashMap::new(),
            all: Vec::new(),
            declared: HashMap::new(),
            batch_names: BTreeSet::new(),
            dimensions: sizes,
            assumed: BTreeMap::new(),
            batch: 1,
            notes: Vec::new(),
        };
        let mut elsewhere = 0_usize;
        for constant in &graph.initializer {
            elsewhere += usize::from(constant.data_location == 1);
            let tensor = constant_tensor(constant, &constant.dims)?;
            all.add(&constant.name, tensor)?;
        }
        for sparse in &graph.sparse_initializer {
            let values = sparse.values.as_ref().ok_or("a sparse constant has no values")?;
            let tensor = Tensor { values: None, ..constant_tensor(values, &sparse.dims)? };
            all.add(&values.name, tensor)?;
        }
        if elsewhere > 0 {
            all.notes.push(format!("{elsewhere} of the weights are in another file, which is not needed"));
        }
        let inputs: Vec<&ValueInfoProto> =
            graph.input.iter().filter(|input| !all.places.contains_key(input.name.as_str())).collect();
        let leading = inputs.iter().filter_map(|input| dimensions(input)?.first());
        all.batch_names = leading
            .filter_map(|dimension| dimension.dim_param.as_deref())
            .filter(|name| !matches!(*name, "" | "?"))
            .collect();
        all.check_names(&inputs)?;
        let mut unknown = BTreeSet::new();
        let mut batches = BTreeSet::new();
        for input in inputs {
            let declared = dimensions(input).filter(|dimensions| dimensions.len() <= MOST_DIMENSIONS);
            let shape = declared.map(|_| all.declared_shape(input, true).unwrap_or_default());
            if let (Some(dimensions), Some(shape)) = (declared, &shape) {
                for (place, (dimension, size)) in dimensions.iter().zip(shape).enumerate() {
                    if size.is_none() {
                        unknown.insert(dimension_name(&input.name, place, dimension));
                    }
                }
                if let [first, _, ..] = dimensions {
                    batches.insert(fixed(first).filter(|size| *size > 0));
                }
            }
            let data_type = element_type(input);
            all.add(&input.name, Tensor { shape, data_type, ..Tensor::default() })?;
        }
        if let (1, Some(Some(batch))) = (batches.len(), batches.first()) {
            all.batch = *batch;
            if all.batch > 1 {
                all.notes.push(format!(
                    "the first dimension of the inputs, {batch}, is taken as the batch; sizes are of one sample"
                ));
            }
        }
        if !unknown.is_empty() {
            all.notes.push(format!(
                "input dimensions without a size: {}; sizes that depend on them are not known; set them in the file, or with \
                 --dimension NAME=SIZE",
                first_names(unknown.iter().map(String::as_str))
            ));
        }
        all.declared =
            graph.value_info.iter().chain(&graph.output).map(|declared| (declared.name.as_str(), declared)).collect();
        Ok(all)
    }

    fn add(&mut self, name: &'a str, tensor: Tensor) -> Result<(), String> {
        if name.is_empty() {
            return Err("a tensor has no name; expected a unique name".to_owned());
        }
        if self.places.insert(name, self.all.len()).is_some() {
            return Err(format!("tensor {} is defined twice; expected once", shown(name)));
        }
        self.all.push(tensor);
        Ok(())
    }

    /// The shape in the file, with a batch of 1.
    fn declared_shape(&self, declared: &ValueInfoProto, is_input: bool) -> Option<Shape> {
        let dimensions = dimensions(declared).filter(|dimensions| dimensions.len() <= MOST_DIMENSIONS)?;
        let sizes = dimensions.iter().enumerate().map(|(place, dimension)| {
            let fixed = fixed(dimension);
            let is_batch = dimension.dim_param.as_deref().is_some_and(|name| self.batch_names.contains(name));
            // Old writers use 0 or −1 for an open batch.
            let is_open = is_input && place == 0 && fixed.is_none_or(|size| size == 0);
            let named = || self.dimensions.get(&dimension_name(&declared.name, place, dimension)).copied();
            if is_batch || is_open { Some(1) } else { fixed.or_else(named) }
        });
        Some(sizes.collect())
    }

    /// Checks that the dimensions that the caller sets are open dimensions of inputs.
    fn check_names(&self, inputs: &[&ValueInfoProto]) -> Result<(), String> {
        let (mut open, mut batch) = (BTreeSet::new(), BTreeSet::new());
        for input in inputs {
            for (place, dimension) in dimensions(input).unwrap_or_default().iter().enumerate() {
                let name = dimension_name(&input.name, place, dimension);
                let is_batch = place == 0 || self.batch_names.contains(name.as_str());
                if fixed(dimension).is_none_or(|size| size == 0) {
                    let names = if is_batch { &mut batch } else { &mut open };
                    names.insert(name);
                }
            }
        }
        let Some(name) = self.dimensions.keys().find(|name| !open.contains(*name)) else { return Ok(()) };
        if batch.contains(name) {
            return Err(format!("dimension {} is the batch; set it with --batch", shown(name)));
        }
        let known = if open.is_empty() {
            "it has none".to_owned()
        } else {
            format!("it has {}", first_names(open.iter().map(String::as_str)))
        };
        Err(format!("no open dimension {} among those of the inputs; {known}", shown(name)))
    }

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

    /// Adds a tensor within a branch; the place that its name had before.
    fn define(&mut self, name: &'a str, tensor: Tensor) -> Option<usize> {
        self.all.push(tensor);
        self.places.insert(name, self.all.len() - 1)
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

    fn layer(&mut self, node: &NodeProto, index: usize, places: &[Option<usize>]) -> Layer {
        let (mut input, mut parameters) = (Some(0_u64), Some(0_u64));
        let [mut of_inputs, mut of_outputs, mut of_parameters] = [Bits::default(); 3];
        for place in places.iter().flatten() {
            let tensor = &self.all[*place];
            if !tensor.is_constant {
                let size = self.size(*place);
                of_inputs.add(size, tensor.bits());
                input = input.zip(size).and_then(|(sum, size)| sum.checked_add(size));
                continue;
            }
            let root = tensor.root.unwrap_or(*place);
            let root = &mut self.all[root];
            if !root.is_counted && !NOT_LEARNT.contains(&root.data_type) {
                root.is_counted = true;
                let size = root.shape.as_deref().and_then(elements);
                of_parameters.add(size, root.bits());
                parameters = parameters.zip(size).and_then(|(sum, size)| sum.checked_add(size));
            }
        }
        let outputs: Vec<usize> =
            node.output.iter().filter_map(|name| self.places.get(name.as_str()).copied()).collect();
        let sizes: Vec<Option<u64>> = outputs.iter().map(|place| self.size(*place)).collect();
        // Outputs after the first are masks and statistics of mostly unknown size; those of a split are all inferred.
        let output = sizes.iter().copied().try_fold(0_u64, |sum, size| sum.checked_add(size?));
        let output = output.or_else(|| sizes.first().copied().flatten().filter(|_| node.op_type != "Split"));
        // Rows of a learnt table are looked up.
        let is_table = node.op_type == "Gather"
            && places.first().copied().flatten().is_some_and(|place| {
                let table = &self.all[place];
                table.is_constant && !NOT_LEARNT.contains(&table.data_type)
            });
        let operator = if is_table { Operator::Embedding } else { operator(node) };
        let taken: Vec<Option<&Tensor>> = places.iter().map(|place| place.map(|place| &self.all[place])).collect();
        let first = outputs.first().and_then(|place| self.size(*place));
        let steps = infer::steps(node, &operator, &taken, input, first, self.batch);
        for place in &outputs {
            of_outputs.add(self.size(*place), self.all[*place].bits());
        }
        let bits = ElementBits { input: of_inputs.mean(), output: of_outputs.mean(), parameters: of_parameters.mean() };
        Layer { bits, ..Layer::new(name(node, index), operator, [input, output], parameters, steps) }
    }

    /// Elements of a tensor for one sample.
    fn size(&self, place: usize) -> Option<u64> {
        let shape = self.all[place].shape.as_deref()?;
        let all = elements(shape)?;
        let has_batch = shape.iter().flatten().any(|size| size.is_multiple_of(self.batch));
        Some(if has_batch && all.is_multiple_of(self.batch) { all / self.batch } else { all })
    }

    /// Input elements of the graph for one sample.
    fn input(&self, graph: &GraphProto) -> Option<u64> {
        let places = graph.input.iter().filter_map(|input| self.places.get(input.name.as_str()));
        let taken = places.filter(|place| !self.all[**place].is_constant);
        taken.map(|place| self.size(*place)).try_fold(0_u64, |sum, size| sum.checked_add(size?))
    }
}

/// The operator of a node. A sum, mean or extreme of ONNX is one of tensors, element by element.
fn operator(node: &NodeProto) -> Operator {
    match (node.domain.as_str(), node.op_type.as_str()) {
        ("" | "ai.onnx", "Sum") => Operator::AddV2,
        ("" | "ai.onnx", "Mean") => Operator::Elementwise("Mean"),
        (_, op_type) => Operator::named(op_type),
    }
}

fn name(node: &NodeProto, index: usize) -> String {
    let output = node.output.iter().find(|output| !output.is_empty());
    match (node.name.as_str(), output) {
        ("", None) => format!("{} {index}", node.op_type),
        ("", Some(output)) => output.clone(),
        (name, _) => name.to_owned(),
    }
}

fn described(node: &NodeProto, index: usize) -> String {
    format!("node {index}, {} ({})", shown(&name(node, index)), shown(&node.op_type))
}
