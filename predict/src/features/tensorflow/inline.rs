//! Puts the functions that a graph calls in place of the calls, and keeps the nodes that its outputs need. Field numbers:
//! `function.proto` and `op_def.proto` of `TensorFlow`.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};

use super::super::MOST_LAYERS;
use super::node::Node;
use super::wire::{Field, Fields, first_text};

/// Deepest nesting of calls.
const DEEPEST: usize = 32;
/// Most letters of all names: those of nested calls repeat the names of their callers.
const MOST_LETTERS: usize = 400_000_000;
/// Operators that run for their effect on variables and files, not for a result.
const EFFECTS: [&str; 14] = [
    "Assign",
    "AssignAdd",
    "AssignSub",
    "AssignVariableOp",
    "AssignAddVariableOp",
    "AssignSubVariableOp",
    "VarHandleOp",
    "VarIsInitializedOp",
    "IsVariableInitialized",
    "SaveV2",
    "RestoreV2",
    "MergeV2Checkpoints",
    "Const",
    "NoOp",
];

/// A function of a graph.
#[derive(Debug, Clone, Default)]
pub(super) struct Function<'a> {
    pub(super) name: &'a str,
    arguments: Vec<&'a str>,
    /// Names of its outputs, in order.
    outputs: Vec<&'a str>,
    /// The tensor that each output is.
    returned: HashMap<&'a str, &'a str>,
    nodes: Vec<Node<'a>>,
}

impl<'a> Function<'a> {
    /// The function of a message.
    pub(super) fn of(bytes: &'a [u8]) -> Result<Self, String> {
        let mut function = Self::default();
        for field in Fields::of(bytes) {
            match field? {
                (1, Field::Bytes(signature)) => {
                    for field in Fields::of(signature) {
                        match field? {
                            (1, Field::Bytes(_)) => function.name = first_text(signature, 1),
                            (2, Field::Bytes(argument)) => function.arguments.push(first_text(argument, 1)),
                            (3, Field::Bytes(output)) => function.outputs.push(first_text(output, 1)),
                            _ => {}
                        }
                    }
                }
                (3, Field::Bytes(node)) => function.nodes.push(Node::of(node)?),
                (4, Field::Bytes(entry)) => {
                    function.returned.insert(first_text(entry, 1), first_text(entry, 2));
                }
                _ => {}
            }
        }
        Ok(function)
    }

    /// Its nodes as a graph, whose inputs have no shapes.
    pub(super) fn graph(&self) -> Vec<Node<'a>> {
        let arguments =
            self.arguments.iter().map(|name| Node { name: Cow::Borrowed(*name), op: "Placeholder", ..Node::default() });
        arguments.chain(self.nodes.iter().cloned()).collect()
    }
}

/// The node and the output of an input such as `dense:output:1`, `dense:1` or `dense`; `None` for one that only orders.
fn source(input: &str) -> Option<(&str, usize)> {
    if input.starts_with('^') {
        return None;
    }
    let (node, output) = input.split_once(':').unwrap_or((input, ""));
    let output = output.rsplit(':').next().and_then(|place| place.parse().ok()).unwrap_or(0);
    Some((node, output))
}

/// The nodes that outputs need, or, without any, all results of the graph.
pub(super) fn needed<'a>(nodes: Vec<Node<'a>>, outputs: &[&str]) -> Vec<Node<'a>> {
    let mut is_kept = vec![false; nodes.len()];
    {
        let places: HashMap<&str, usize> = nodes.iter().enumerate().map(|(place, node)| (&*node.name, place)).collect();
        let place_of = |input: &str| {
            places.get(input).copied().or_else(|| source(input).and_then(|(node, _)| places.get(node).copied()))
        };
        let mut is_taken = vec![false; nodes.len()];
        for place in nodes.iter().flat_map(|node| &node.inputs).filter_map(|input| place_of(input)) {
            is_taken[place] = true;
        }
        let mut open: Vec<usize> = outputs.iter().filter_map(|output| place_of(output)).collect();
        if open.is_empty() {
            open = (0..nodes.len()).filter(|place| !is_taken[*place] && !EFFECTS.contains(&nodes[*place].op)).collect();
        }
        if open.is_empty() {
            is_kept.fill(true);
        }
        while let Some(place) = open.pop() {
            if !std::mem::replace(&mut is_kept[place], true) {
                open.extend(nodes[place].inputs.iter().filter_map(|input| place_of(input)));
            }
        }
    }
    nodes.into_iter().zip(is_kept).filter_map(|(node, is_kept)| is_kept.then_some(node)).collect()
}

/// The nodes of a graph with the bodies of the functions that it calls in place of the calls. Every input is the name of a node.
pub(super) fn inlined<'a>(
    nodes: &[Node<'a>],
    functions: &BTreeMap<&'a str, Function<'a>>,
) -> Result<Vec<Node<'a>>, String> {
    let mut inlining = Inlining { functions, nodes: Vec::with_capacity(nodes.len()), calls: 0, letters: 0 };
    inlining.body(nodes, "", 0)?;
    Ok(inlining.nodes)
}

struct Inlining<'f, 'a> {
    functions: &'f BTreeMap<&'a str, Function<'a>>,
    nodes: Vec<Node<'a>>,
    /// Calls that were expanded, also those that leave no node.
    calls: usize,
    letters: usize,
}

impl<'f, 'a> Inlining<'f, 'a> {
    /// The function that a node calls.
    fn called(&self, node: &Node<'a>) -> Option<&'f Function<'a>> {
        let name = match node.op {
            "PartitionedCall" | "StatefulPartitionedCall" => node.function()?,
            op => op,
        };
        self.functions.get(name)
    }

    /// Names of the nodes that call a function.
    fn calls<'n>(&self, nodes: &'n [Node<'a>]) -> HashSet<&'n str> {
        nodes.iter().filter(|node| self.called(node).is_some()).map(|node| &*node.name).collect()
    }

    fn add(&mut self, node: Node<'a>) -> Result<(), String> {
        self.letters += node.name.len() + node.inputs.iter().map(|input| input.len()).sum::<usize>();
        self.nodes.push(node);
        self.check()
    }

    fn check(&self) -> Result<(), String> {
        if self.nodes.len() + self.calls > MOST_LAYERS || self.letters > MOST_LETTERS {
            return Err(format!("calls of functions expand to more than {MOST_LAYERS} nodes, or to too many names"));
        }
        Ok(())
    }

    /// Adds the nodes of a body, their names behind a prefix.
    fn body(&mut self, nodes: &[Node<'a>], prefix: &str, depth: usize) -> Result<(), String> {
        let calls = self.calls(nodes);
        for node in nodes {
            let inputs: Vec<Cow<'a, str>> =
                node.inputs.iter().filter_map(|input| tensor(input.clone(), prefix, &calls)).collect();
            let name = if prefix.is_empty() { node.name.clone() } else { format!("{prefix}{}", node.name).into() };
            let Some(function) = self.called(node).filter(|_| depth < DEEPEST) else {
                self.add(Node { name, inputs, ..node.clone() })?;
                continue;
            };
            self.calls += 1;
            self.check()?;
            let within = format!("{name}/");
            for (argument, input) in function.arguments.iter().zip(inputs) {
                self.add(passed(format!("{within}{argument}"), input))?;
            }
            self.body(&function.nodes, &within, depth + 1)?;
            let calls = self.calls(&function.nodes);
            for (place, output) in function.outputs.iter().enumerate() {
                let returned = function.returned.get(output).copied().unwrap_or_default();
                let Some(from) = tensor(Cow::Borrowed(returned), &within, &calls) else { continue };
                let own = if place == 0 { name.to_string() } else { format!("{name}:{place}") };
                self.add(passed(own, from))?;
            }
        }
        Ok(())
    }
}

/// A node that passes a tensor on.
fn passed(name: String, input: Cow<'_, str>) -> Node<'_> {
    Node { name: name.into(), op: "Identity", inputs: vec![input], attributes: Vec::new() }
}

/// The name of an input in the expanded graph. Outputs of a call after the first have nodes of their own.
fn tensor<'a>(input: Cow<'a, str>, prefix: &str, calls: &HashSet<&str>) -> Option<Cow<'a, str>> {
    let (node, output) = source(&input)?;
    if output > 0 && calls.contains(node) {
        return Some(format!("{prefix}{node}:{output}").into());
    }
    if prefix.is_empty() && node.len() == input.len() {
        return Some(input);
    }
    Some(format!("{prefix}{node}").into())
}
