//! What PostgreSQL's nodes read: their children, common table expressions, and subplans.
//!
//! In the file a common table expression and an uncorrelated subquery (`InitPlan`) are children of the node that defines
//! them, but run when a node below asks for them first. Here they are read by the nodes that ask: a `CTE Scan` by its
//! name, an `InitPlan` by the first node that mentions it.

use std::collections::HashMap;

use serde_json::Value;

use crate::outline::{Object, Outline};

/// Positions of a node's children in the order of their ids: what is read by others comes last, and of these the
/// later ones first, because they may read the earlier ones.
pub(super) fn listing(_: &Object, children: &[&Object]) -> Vec<usize> {
    let is = |position: &usize, relationship: &str| {
        children[*position].get("Parent Relationship").and_then(Value::as_str) == Some(relationship)
    };
    let all = 0..children.len();
    let inputs = all.clone().filter(|position| !is(position, "SubPlan") && !is(position, "InitPlan"));
    let subplans = all.clone().filter(|position| is(position, "SubPlan"));
    let init_plans = all.clone().rev().filter(|position| is(position, "InitPlan"));
    inputs.chain(subplans).chain(init_plans).collect()
}

/// Whether a node is read by others than the node that defines it.
pub(super) fn is_init_plan(outline: &Outline<'_>, id: usize) -> bool {
    outline.text(id, &["Parent Relationship"]) == Some("InitPlan")
}

/// Ids of what each node reads.
pub(super) fn inputs(outline: &Outline<'_>) -> Vec<Vec<usize>> {
    let mut inputs: Vec<Vec<usize>> = Vec::with_capacity(outline.operators.len());
    let mut expressions: HashMap<(usize, &str), usize> = HashMap::new();
    let mut init_plans = Vec::new();
    for (id, operator) in outline.operators.iter().enumerate() {
        inputs.push(operator.children.iter().copied().filter(|child| !is_init_plan(outline, *child)).collect());
        if let Some(parent) = operator.parent.filter(|_| is_init_plan(outline, id)) {
            let name = outline.text(id, &["Subplan Name"]).unwrap_or_default();
            match name.strip_prefix("CTE ") {
                Some(name) => {
                    expressions.insert((parent, name), id);
                }
                None => init_plans.push((id, parent, name)),
            }
        }
    }
    for (id, inputs) in inputs.iter_mut().enumerate() {
        let Some(name) = outline.text(id, &["CTE Name"]) else { continue };
        let mut around = Some(id);
        while let Some(at) = around {
            // Within its own definition a name means an outer expression.
            if let Some(source) = expressions.get(&(at, name)).filter(|source| **source > id) {
                inputs.push(*source);
                break;
            }
            around = outline.operators[at].parent;
        }
    }
    let mentions = Mentions::new(outline);
    for (id, definer, name) in init_plans {
        let reader = tokens(name).filter_map(|token| mentions.first(token, definer..id)).min();
        inputs[reader.unwrap_or(definer)].push(id);
    }
    inputs
}

/// Which nodes mention which results of subplans: `$1`, or `InitPlan 1` since version 17.
struct Mentions<'a> {
    readers: HashMap<&'a str, Vec<usize>>,
}

impl<'a> Mentions<'a> {
    fn new(outline: &Outline<'a>) -> Self {
        let mut readers: HashMap<&str, Vec<usize>> = HashMap::new();
        for (id, operator) in outline.operators.iter().enumerate() {
            let fields = operator.fields.iter().filter(|(key, _)| *key != "Subplan Name" && *key != "Plans");
            for text in fields.flat_map(|(_, value)| texts(value)) {
                for token in tokens(text) {
                    let readers = readers.entry(token).or_default();
                    if readers.last() != Some(&id) {
                        readers.push(id);
                    }
                }
            }
        }
        Self { readers }
    }

    /// The first node among `ids` that mentions it.
    fn first(&self, token: &str, ids: std::ops::Range<usize>) -> Option<usize> {
        let readers = self.readers.get(token)?;
        let at = readers.partition_point(|reader| *reader < ids.start);
        readers.get(at).copied().filter(|reader| ids.contains(reader))
    }
}

/// Whether a node looks up the rows of a subplan in a hash table, which is built once: `(hashed SubPlan 1)`.
pub(super) fn is_hashed(outline: &Outline<'_>, reader: usize, subplan: &str) -> bool {
    let hashed = format!("hashed {subplan}");
    let names = |text: &str| {
        // “SubPlan 12” also begins with “SubPlan 1”.
        text.match_indices(&hashed)
            .any(|(at, found)| !text[at + found.len()..].starts_with(|c: char| c.is_ascii_digit()))
    };
    outline.operators[reader].fields.values().flat_map(texts).any(names)
}

/// A text, or those of an array.
fn texts(value: &Value) -> impl Iterator<Item = &str> {
    let several = value.as_array().map(Vec::as_slice).unwrap_or_default();
    value.as_str().into_iter().chain(several.iter().filter_map(Value::as_str))
}

/// Names of subplans' results in a text: `$1`, `InitPlan 1`.
fn tokens(text: &str) -> impl Iterator<Item = &str> {
    const WORD: &str = "InitPlan ";
    let numbered = move |start: usize, digits: usize| {
        let number = text[digits..].bytes().take_while(u8::is_ascii_digit).count();
        (number > 0).then(|| &text[start..digits + number])
    };
    let parameters = text.match_indices('$').filter_map(move |(start, _)| numbered(start, start + 1));
    let plans = text.match_indices(WORD).filter_map(move |(start, _)| numbered(start, start + WORD.len()));
    parameters.chain(plans)
}
