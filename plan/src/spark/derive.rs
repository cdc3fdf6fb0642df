//! A plan of what a log says about a query.

use std::collections::BTreeMap;

use crossover_model::plan::{Kind, Metric, Node, Plan};

use super::raw::{RawQuery, RawStage};

/// A plan.
#[must_use]
pub fn plan(raw: &RawQuery, _stages: &BTreeMap<u64, RawStage>, engine: &str, file: &str) -> Plan {
    let nodes = raw.nodes.iter().map(|node| Node {
        inputs: node.children.clone(),
        stages: node.stages.clone(),
        metrics: node
            .metrics
            .iter()
            .map(|m| Metric { name: m.name.clone(), unit: m.metric_type.clone(), total: m.total })
            .collect(),
        ..Node::new(node.name.clone(), Kind::Other)
    });
    Plan { engine: engine.into(), file: file.into(), nodes: nodes.collect(), ..Plan::default() }
}

/// Ratio.
#[must_use]
pub fn compression_ratio(_raw: &RawQuery, _stages: &BTreeMap<u64, RawStage>) -> Option<f64> {
    None
}
