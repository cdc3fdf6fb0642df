//! Alibaba's GPU cluster of 2023: nodes and pods as CSV.
//! <https://github.com/alibaba/clusterdata/tree/master/cluster-trace-gpu-v2023>

use std::collections::BTreeSet;
use std::path::Path;

use crossover_allocation::{MOST_GPUS, NodeSpec, Request, Requests, THOUSANDTH, Task, Trace};

use crossover_quantity::balance::{BalanceOf, Tally};
use crossover_quantity::text::counted;
use crossover_quantity::unread::Unread;

use crate::error::TraceError;
use crate::gpus;
use crate::left_out::{Named, shown};
use crate::table::{Rounding, Row, Table};

/// Longest time, seconds: a century.
pub(crate) const LONGEST: f64 = 3.2e9;
/// Most thousandths of cores, and most MiB.
const MOST: u32 = 4_000_000_000;
/// Numbers of GPUs that count in a balance, also of a row that is left out.
const COUNTS: std::ops::RangeInclusive<f64> = 0.0..=1e6;
/// Columns that a table of nodes must have, and one of pods.
const NODES: [&str; 5] = ["sn", "cpu_milli", "memory_mib", "gpu", "model"];
const PODS: [&str; 7] = ["name", "cpu_milli", "memory_mib", "num_gpu", "gpu_milli", "gpu_spec", "qos"];
/// Columns of pods that are used where they are.
const TIMES: [&str; 3] = ["creation_time", "scheduled_time", "deletion_time"];
/// Quality-of-service classes of latency-sensitive tasks.
const SENSITIVE: [&str; 2] = ["LS", "Guaranteed"];

/// Nodes and pods of two files. A pod may use every GPU type that its `gpu_spec` names; empty: any. Parts of a thousandth or of a MiB are rounded: down for nodes, up for pods.
///
/// # Errors
/// [`TraceError`]: unreadable, other columns, or no usable line. A bad line is left out, also one that repeats a name,
/// and notes say so.
pub fn read(nodes: &Path, pods: &Path) -> Result<Trace, TraceError> {
    let (mut notes, mut unread) = (Vec::new(), Unread::default());
    let (mut names, mut rounded) = (BTreeSet::new(), Named::default());
    let table = Table::read(nodes, &NODES)?;
    table.name_unread(&NODES, &mut unread);
    let mut of_gpus = Tally::new(BalanceOf::Gpus);
    let (rows, left_out) = table.rows(("node", BalanceOf::Nodes), &mut notes, |row| {
        let found = node(row, &mut names, &mut rounded);
        of_gpus.add(row.number("gpu", COUNTS).unwrap_or(0.0), &found);
        found
    })?;
    let of_nodes = left_out.total(BalanceOf::Nodes, rows.len());
    rounded.note(&mut notes, ["node", "nodes"], "cores rounded down to thousandths, memory to MiB");
    let types: BTreeSet<&String> = rows.iter().map(|row| &row.model).filter(|model| !model.is_empty()).collect();
    let types: Vec<String> = types.into_iter().cloned().collect();
    gpus::check(rows.len(), types.len()).map_err(|problem| TraceError::unusable(nodes, problem))?;
    let place = |name: &str| types.iter().position(|known| known == name);
    let nodes = rows.into_iter().map(|NodeRow { name, cpu_milli, memory_mib, gpus, model }| {
        let device = place(&model).and_then(|place| u16::try_from(place).ok()).unwrap_or(0);
        NodeSpec { name, cpu_milli, memory_mib, devices: vec![device; gpus] }
    });
    let mut nodes: Vec<NodeSpec> = nodes.collect();
    nodes.sort_by(|a, b| a.name.cmp(&b.name));

    let mut requests = Requests::default();
    let (mut names, mut rounded) = (BTreeSet::new(), Named::default());
    let table = Table::read(pods, &PODS)?;
    table.name_unread(&[&PODS[..], &TIMES].concat(), &mut unread);
    let mut of_requests = Tally::new(BalanceOf::RequestedGpus);
    let (mut tasks, left_out) = table.rows(("pod", BalanceOf::Jobs), &mut notes, |row| {
        let found = pod(row, &types, &mut names, &mut rounded, &mut requests);
        of_requests.add(row.number("num_gpu", COUNTS).unwrap_or(0.0), &found);
        found
    })?;
    let of_jobs = left_out.total(BalanceOf::Jobs, tasks.len());
    rounded.note(&mut notes, ["pod", "pods"], "cores and GPUs rounded up to thousandths, memory to MiB");
    tasks.sort_by(|a, b| a.name.cmp(&b.name));
    let balances = [of_nodes, of_gpus, of_jobs, of_requests].into_iter().filter_map(Tally::balance).collect();
    Ok(Trace { nodes, tasks, notes, requests: requests.into_list(), types, may_spread: false, unread, balances })
}

struct NodeRow {
    name: String,
    cpu_milli: u32,
    memory_mib: u32,
    gpus: usize,
    model: String,
}

fn node(row: &Row<'_>, names: &mut BTreeSet<String>, rounded: &mut Named) -> Result<NodeRow, String> {
    let mut rounding = Rounding::down(rounded);
    let cpu_milli = row.rounded("cpu_milli", MOST, &mut rounding)?;
    let memory_mib = row.rounded("memory_mib", MOST, &mut rounding)?;
    let gpus = row.whole("gpu", 0..=MOST_GPUS)?;
    let model = row.text("model").to_owned();
    if gpus > 0 && model.is_empty() {
        return Err("model is empty; expected the type of its GPUs".to_owned());
    }
    let name = only_once(row, "sn", names)?;
    rounding.end(&name);
    Ok(NodeRow { name, cpu_milli, memory_mib, gpus, model })
}

fn pod(
    row: &Row<'_>,
    types: &[String],
    names: &mut BTreeSet<String>,
    rounded: &mut Named,
    requests: &mut Requests,
) -> Result<Task, String> {
    let mut rounding = Rounding::up(rounded);
    let cpu_milli = row.rounded("cpu_milli", MOST, &mut rounding)?;
    let memory_mib = row.rounded("memory_mib", MOST, &mut rounding)?;
    #[expect(clippy::cast_possible_truncation, reason = "checked: 0 … 16 and 0 … 1000")]
    let (gpus, milli) =
        (row.whole("num_gpu", 0..=MOST_GPUS)? as u8, row.rounded("gpu_milli", 1_000, &mut rounding)? as u16);
    let share = milli * THOUSANDTH;
    if gpus > 0 && share == 0 {
        return Err(format!("it requests {} with gpu_milli 0; expected above 0", counted(f64::from(gpus), "GPU")));
    }
    let named: Vec<&str> = row.text("gpu_spec").split('|').map(str::trim).filter(|name| !name.is_empty()).collect();
    if let Some(unknown) = named.iter().find(|name| !types.iter().any(|known| known == **name)) {
        return Err(format!(
            "gpu_spec is “{}”, which no node has; expected one of {}",
            shown(unknown),
            types.join(", ")
        ));
    }
    let share_of = |name: &String| (named.is_empty() || named.contains(&name.as_str())).then_some(share);
    let shares = types.iter().map(share_of).collect();
    let came = row.optional("creation_time", 0.0..=LONGEST)?.unwrap_or(0.0);
    let began = row.optional("scheduled_time", 0.0..=LONGEST)?.unwrap_or(came);
    let ended = row.optional("deletion_time", 0.0..=LONGEST)?;
    if let Some(ended) = ended.filter(|ended| *ended < began) {
        return Err(format!("it ends at {ended}, before it begins at {began}"));
    }
    let name = only_once(row, "name", names)?;
    rounding.end(&name);
    Ok(Task {
        name,
        request: requests.place(Request { cpu_milli, memory_mib, gpus, shares }),
        pieces: 1,
        is_sensitive: SENSITIVE.contains(&row.text("qos")),
        arrives: came,
        seconds: ended.map(|ended| ended - began),
        waited: None,
    })
}

/// The name in a column, which must be unique.
pub(crate) fn only_once(row: &Row<'_>, column: &str, names: &mut BTreeSet<String>) -> Result<String, String> {
    let name = row.text(column).to_owned();
    if names.insert(name.clone()) { Ok(name) } else { Err(format!("duplicate {column} “{}”", shown(&name))) }
}
