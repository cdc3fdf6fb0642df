//! Bytes that scans read.
//!
//! A stage counts what its tasks read from storage. That is what the scans of the stage read together, and less than
//! `size of files read` where columns or row groups are skipped.
//!
//! Some versions of Spark count next to nothing where they read ahead in other threads. Bytes of the stage are not
//! believed if they are less than one for each row and less than a tenth of the files, of which columns were read.

use std::collections::BTreeMap;

use crossover_query::{Amount, Balance, BalanceOf, Kind, Node, Rule};

use super::metrics;
use super::raw::{LOST, RawQuery, RawStage, stage_list};

/// Sets what every scan read. Gives whether the input bytes of a stage contradict what a scan reports itself, and the balance of the
/// bytes if some belong to no scan.
pub(super) fn bytes_read(
    raw: &RawQuery,
    nodes: &mut [Node],
    pipelines: &[Vec<u64>],
    ran: &BTreeMap<u64, &RawStage>,
) -> (bool, Option<Balance>) {
    let mut scans_of: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    for (id, node) in nodes.iter().enumerate() {
        // A cached table is read from the block store, which counts as well.
        let is_read = node.kind == Kind::Scan || node.class.as_deref() == Some("InMemoryTableScanExec");
        if is_read && node.reuses.is_none() {
            for stage in &pipelines[id] {
                scans_of.entry(*stage).or_default().push(id);
            }
        }
    }
    let mut read: BTreeMap<usize, Amount> = BTreeMap::new();
    for (stage, scans) in &scans_of {
        let bytes = ran[stage].bytes_read;
        if bytes <= 0.0 || !metrics::is_usable(bytes) {
            continue;
        }
        let weights = weights(raw, nodes, scans);
        let all: f64 = weights.iter().sum();
        for (id, weight) in scans.iter().zip(weights) {
            let so_far = read.get(id).map_or(0.0, |figure| figure.value);
            let is_guess = scans.len() > 1 || read.get(id).is_some_and(|figure| figure.is_estimated());
            let sum = so_far + bytes * (weight / all);
            let figure = if is_guess { Amount::estimated(sum, Rule::ShareOfInput) } else { Amount::reported(sum) };
            read.insert(*id, figure);
        }
    }
    let mut contradict = false;
    for (id, node) in nodes.iter_mut().enumerate() {
        if node.kind == Kind::Scan {
            let files = metrics::total(&raw.nodes[id], &["size of files read"]);
            let of_stage = read.remove(&id);
            let believed = of_stage.filter(|bytes| !is_implausible(node, bytes.value, files));
            contradict |= believed != of_stage;
            node.bytes_in = believed.or(files.map(Amount::reported));
        }
    }
    (contradict, balance(&scans_of, ran))
}

/// The balance of what the stages read, and tasks that do not count; `None` if scans have all of it.
fn balance(scans_of: &BTreeMap<u64, Vec<usize>>, ran: &BTreeMap<u64, &RawStage>) -> Option<Balance> {
    let usable = |bytes: f64| if metrics::is_usable(bytes) { bytes.max(0.0) } else { 0.0 };
    let is_bare = |stage: &&&RawStage| !scans_of.contains_key(&stage.id) && usable(stage.bytes_read) > 0.0;
    let bare: Vec<&RawStage> = ran.values().filter(is_bare).copied().collect();
    let total: f64 = ran.values().map(|stage| usable(stage.bytes_read)).sum();
    let of_bare: f64 = bare.iter().map(|stage| usable(stage.bytes_read)).sum();
    let lost: f64 = ran.values().map(|stage| usable(stage.lost_bytes_read)).sum();
    (of_bare + lost > 0.0).then(|| {
        Balance::new(BalanceOf::BytesRead, total + lost, total - of_bare)
            .without(of_bare, format!("no scan of the logged plan ran in {}", stage_list(&bare)))
            .without(lost, LOST)
    })
}

/// Whether a scan cannot have read so few bytes. Rows without a column, as a count needs them, are not read at all.
fn is_implausible(node: &Node, bytes: f64, files: Option<f64>) -> bool {
    let (Some(rows), Some(files)) = (node.rows_out, files) else { return false };
    node.row_width.is_some() && bytes < rows.value && bytes < files / 10.0
}

/// How much each scan of a stage counts: by the size of its files, else by its rows, else all the same.
fn weights(raw: &RawQuery, nodes: &[Node], scans: &[usize]) -> Vec<f64> {
    let files: Option<Vec<f64>> =
        scans.iter().map(|id| metrics::total(&raw.nodes[*id], &["size of files read"])).collect();
    let rows = || scans.iter().map(|id| nodes[*id].rows_out.map(|rows| rows.value)).collect::<Option<Vec<f64>>>();
    files
        .filter(|weights| weights.iter().sum::<f64>() > 0.0)
        .or_else(|| rows().filter(|weights| weights.iter().sum::<f64>() > 0.0))
        .unwrap_or_else(|| vec![1.0; scans.len()])
}
