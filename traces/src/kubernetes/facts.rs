//! What a node says of itself, and the notes on what was read of nodes.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::api::resource::Quantity;

use super::quantity;
use crate::left_out::{Contradictions, Named};

/// Notes on the nodes that were read.
#[derive(Default)]
pub(super) struct Remarks {
    pub(super) cordoned: Named,
    pub(super) tainted: Named,
    pub(super) rounded: Named,
    pub(super) unnamed: Named,
    pub(super) uneven: Named,
    pub(super) cut: Named,
    pub(super) split: Named,
    pub(super) contradictions: Contradictions,
}

impl Remarks {
    pub(super) fn note(&self, notes: &mut Vec<String>) {
        const NODES: [&str; 2] = ["node", "nodes"];
        self.cordoned.note(notes, NODES, "unschedulable; assumed schedulable");
        self.tainted.note(notes, NODES, "tainted; assumed tolerated by every task");
        self.rounded.note(notes, NODES, "cores rounded down to thousandths, memory to MiB");
        self.unnamed.note(notes, NODES, "no label names their GPU type; it has the name of its resource");
        self.uneven.note(notes, NODES, "replicas do not add up to whole GPUs; the remainder is left out");
        self.cut.note(notes, NODES, "parts of a GPU are rounded down to 1/42,000 of it");
        self.split.note(notes, NODES, "virtual GPUs (HAMi, Volcano); their maximum number per GPU is not modelled");
        self.contradictions.note(notes, NODES);
    }
}

/// What a node says of itself.
pub(super) struct Facts<'a> {
    /// Name.
    pub(super) name: &'a str,
    pub(super) labels: &'a BTreeMap<String, String>,
    pub(super) annotations: &'a BTreeMap<String, String>,
    /// Allocatable resources.
    pub(super) has: &'a BTreeMap<String, Quantity>,
}

impl Facts<'_> {
    /// How many of a resource it offers; 0 if none.
    pub(super) fn count(&self, resource: &str) -> Result<u64, String> {
        let quantity = self.has.get(resource).map_or("0", |quantity| quantity.0.as_str());
        quantity::count(&format!("status.allocatable of {resource}"), quantity)
    }

    /// The first of these labels that it has, with its text.
    pub(super) fn label<'a>(&'a self, names: &[&'static str]) -> Option<(&'static str, &'a str)> {
        names.iter().find_map(|name| Some((*name, self.labels.get(*name)?.as_str())))
    }

    /// The first of these labels that it has, with its whole number; a label with another text counts as absent.
    pub(super) fn number(&self, names: &[&'static str]) -> Option<(&'static str, u64)> {
        names.iter().find_map(|name| Some((*name, self.labels.get(*name)?.parse().ok()?)))
    }
}
