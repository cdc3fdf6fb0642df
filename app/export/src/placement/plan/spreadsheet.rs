//! A decided plan as CSV: one line for each node.

use crossover_quantity::text::csv::Records;
use crossover_query::Amount;

use super::NodeRecord;
use super::report::depths;
use crossover_placement::Query;
use crossover_placement::whole::Whole;

const HEADER: [&str; 30] = [
    "id",
    "depth",
    "name",
    "kind",
    "class",
    "detail",
    "inputs",
    "reuses",
    "stages",
    "rows_in",
    "rows_in_origin",
    "rows_out",
    "rows_out_origin",
    "bytes_in",
    "bytes_in_origin",
    "bytes_out",
    "bytes_out_origin",
    "core_seconds",
    "core_seconds_origin",
    "ran_on_gpu",
    "placement",
    "fixed",
    "greedy_side",
    "cpu_seconds",
    "gpu_seconds",
    "seconds",
    "transfer_bytes",
    "transfer_seconds",
    "reason",
    "spark_ui_id",
];

/// One line for each node; data from the other side counts for the node that reads it.
pub(in super::super) fn csv(query: &Query, whole: &Whole) -> String {
    let mut csv = Records::default();
    csv.push(HEADER);
    let depths = depths(&query.plan);
    let mut moved = vec![(0.0, 0.0); query.plan.nodes.len()];
    for flow in whole.edges.iter().filter(|flow| flow.changes_to.is_some()) {
        moved[flow.edge.to].0 += flow.edge.bytes;
        moved[flow.edge.to].1 += flow.seconds();
    }
    for node in NodeRecord::all(query, whole) {
        let numbers = &whole.numbers[node.id];
        let figure = |figure: Option<Amount>| {
            let value = figure.map(|figure| figure.value.to_string()).unwrap_or_default();
            [value, figure.map(|figure| figure.origin.kind().to_owned()).unwrap_or_default()]
        };
        let mut fields = vec![
            node.id.to_string(),
            depths[node.id].to_string(),
            node.name.to_owned(),
            node.kind.to_owned(),
            node.class.unwrap_or_default().to_owned(),
            node.detail.to_owned(),
            list(node.inputs),
            node.reuses.map(|other| other.to_string()).unwrap_or_default(),
            list(node.stages),
        ];
        for number in [numbers.rows_in, numbers.rows_out, numbers.bytes_in, numbers.bytes_out] {
            fields.extend(figure(Some(number)));
        }
        fields.extend(figure(query.plan.nodes[node.id].cpu_seconds));
        let seconds = |seconds: Option<f64>| seconds.map(|seconds| seconds.to_string()).unwrap_or_default();
        let (bytes, transfer_seconds) = moved[node.id];
        fields.extend([
            node.ran_on_gpu.to_string(),
            node.placement.unwrap_or_default().to_owned(),
            node.fixed.unwrap_or_default().to_owned(),
            node.greedy_side.unwrap_or_default().to_owned(),
            seconds(node.cpu_seconds),
            seconds(node.gpu_seconds),
            seconds(node.seconds),
            seconds(node.placement.map(|_| bytes)),
            seconds(node.placement.map(|_| transfer_seconds)),
            node.reason.clone().unwrap_or_default(),
            node.spark_ui_id.map(|id| id.to_string()).unwrap_or_default(),
        ]);
        csv.push(fields);
    }
    csv.into_text()
}

/// "1 2".
fn list(numbers: &[impl ToString]) -> String {
    numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}
