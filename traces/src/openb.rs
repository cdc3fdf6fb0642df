//! Alibaba's GPU cluster of 2023: nodes and pods as CSV.
//! <https://github.com/alibaba/clusterdata/tree/master/cluster-trace-gpu-v2023>

use std::collections::BTreeSet;
use std::path::Path;

use crossover_model::allocation::{MOST_GPUS, NodeSpec, Request, Requests, Task, Trace, WHOLE};

use crate::error::TraceError;
use crate::table::{Row, Table};

/// Longest time, seconds: a century.
const LONGEST: f64 = 3.2e9;
/// Qualities of service whose tasks somebody waits for.
const SENSITIVE: [&str; 2] = ["LS", "Guaranteed"];

/// Nodes and pods of two files. What a pod asks for of a GPU, it asks for of every type that its `gpu_spec` names; empty: of
/// any.
///
/// # Errors
/// [`TraceError`]: unreadable, other columns, or no usable line. A bad line is left out, and notes say so.
pub fn read(nodes: &Path, pods: &Path) -> Result<Trace, TraceError> {
    let mut notes = Vec::new();
    let rows = Table::read(nodes, &["sn", "cpu_milli", "memory_mib", "gpu", "model"])?;
    let rows = rows.rows("node", &mut notes, node)?;
    let types: Vec<String> = rows.iter().map(|row| row.model.clone()).filter(|model| !model.is_empty()).collect();
    let types: Vec<String> = types.into_iter().collect::<BTreeSet<_>>().into_iter().collect();
    let place = |name: &str| types.iter().position(|known| known == name);
    let nodes = rows.into_iter().map(|NodeRow { name, cpu_milli, memory_mib, gpus, model }| {
        let device = place(&model).and_then(|place| u16::try_from(place).ok()).unwrap_or(0);
        NodeSpec { name, cpu_milli, memory_mib, devices: vec![device; gpus] }
    });
    let mut nodes: Vec<NodeSpec> = nodes.collect();
    nodes.sort_by(|a, b| a.name.cmp(&b.name));

    let columns = ["name", "cpu_milli", "memory_mib", "num_gpu", "gpu_milli", "gpu_spec", "qos"];
    let mut requests = Requests::default();
    let table = Table::read(pods, &columns)?;
    let mut tasks = table.rows("pod", &mut notes, |row| pod(row, &types, &mut requests))?;
    tasks.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(Trace { nodes, tasks, notes, requests: requests.into_list(), types })
}

struct NodeRow {
    name: String,
    cpu_milli: u32,
    memory_mib: u32,
    gpus: usize,
    model: String,
}

fn node(row: &Row<'_>) -> Result<NodeRow, String> {
    let [cpu_milli, memory_mib] = sizes(row)?;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked: 0 … 16")]
    let gpus = row.number("gpu", 0.0..=MOST_GPUS as f64)? as usize;
    let model = row.text("model").to_owned();
    if gpus > 0 && model.is_empty() {
        return Err("model is empty; expected the type of its GPUs".to_owned());
    }
    Ok(NodeRow { name: row.text("sn").to_owned(), cpu_milli, memory_mib, gpus, model })
}

/// Cores in thousandths and memory in MiB.
fn sizes(row: &Row<'_>) -> Result<[u32; 2], String> {
    const MOST: f64 = 4e9;
    let cpu = row.number("cpu_milli", 0.0..=MOST)?;
    let memory = row.number("memory_mib", 0.0..=MOST)?;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked: 0 … 4e9")]
    Ok([cpu as u32, memory as u32])
}

fn pod(row: &Row<'_>, types: &[String], requests: &mut Requests) -> Result<Task, String> {
    let [cpu_milli, memory_mib] = sizes(row)?;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked: 0 … 16 and 0 … 1000")]
    let (gpus, share) =
        (row.number("num_gpu", 0.0..=MOST_GPUS as f64)? as u8, row.number("gpu_milli", 0.0..=f64::from(WHOLE))? as u16);
    if gpus > 0 && share == 0 {
        return Err(format!("it asks for {gpus} GPUs, and for nothing of each: gpu_milli is 0"));
    }
    let named: Vec<&str> = row.text("gpu_spec").split('|').map(str::trim).filter(|name| !name.is_empty()).collect();
    if let Some(unknown) = named.iter().find(|name| !types.iter().any(|known| known == **name)) {
        return Err(format!("gpu_spec has “{unknown}”, which no node has; there is {}", types.join(", ")));
    }
    let share_of = |name: &String| (named.is_empty() || named.contains(&name.as_str())).then_some(share);
    let shares = types.iter().map(share_of).collect();
    let came = row.optional("creation_time", 0.0..=LONGEST)?.unwrap_or(0.0);
    let began = row.optional("scheduled_time", 0.0..=LONGEST)?.unwrap_or(came);
    let ended = row.optional("deletion_time", 0.0..=LONGEST)?;
    if let Some(ended) = ended.filter(|ended| *ended < began) {
        return Err(format!("it ends at {ended}, before it begins at {began}"));
    }
    Ok(Task {
        name: row.text("name").to_owned(),
        request: requests.place(Request { cpu_milli, memory_mib, gpus, shares }),
        pieces: 1,
        is_sensitive: SENSITIVE.contains(&row.text("qos")),
        arrives: came,
        seconds: ended.map(|ended| ended - began),
    })
}
