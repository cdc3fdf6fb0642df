//! Jobs of a virtual cluster of Microsoft's Philly (Jeon and others, USENIX ATC 2019), as the authors of `ElasticFlow`
//! prepared them for replay: <https://github.com/pkusys/ElasticFlow>.
//!
//! A line is a job: `num_gpu` GPUs from `submit_time` on for `duration` seconds. `ddl`, a deadline that those authors
//! invented, is not read.

use std::collections::BTreeSet;
use std::path::Path;

use crossover_allocation::recorded::equal_pieces;
use crossover_allocation::{MOST_GPUS, NodeSpec, Request, Requests, Task, Trace, WHOLE};

use crossover_quantity::unread::Unread;

use crate::error::TraceError;
use crate::gpus::MOST_NODES;
use crate::openb::{LONGEST, only_once};
use crate::table::{Row, Table};

/// Most GPUs of a job.
const MOST_GPUS_OF_JOB: usize = 100_000;

/// The cluster on which the jobs run; the file does not describe one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Machines {
    /// Number of nodes; 0 if the study describes them.
    pub nodes: usize,
    /// GPUs of each; 1 to [`MOST_GPUS`].
    pub gpus_of_node: u8,
}

impl Default for Machines {
    /// Eight GPUs each, as the machines of that cluster mostly had.
    fn default() -> Self {
        Self { nodes: 0, gpus_of_node: 8 }
    }
}

/// Jobs of a file, on the given machines. Cores and memory are not recorded: 0. A job with more GPUs than a
/// machine has runs in pieces, the fewest that are equal and each fit on a machine.
///
/// # Errors
/// [`TraceError`]: unreadable, other columns, no usable line, or machines beyond what a cluster may have. A bad line is
/// left out, also one that repeats a job, and notes say so.
pub fn read(path: &Path, machines: Machines) -> Result<Trace, TraceError> {
    let Machines { nodes, gpus_of_node } = machines;
    if !(1..=MOST_GPUS).contains(&usize::from(gpus_of_node)) || nodes > MOST_NODES {
        let problem = format!(
            "{nodes} machines with {gpus_of_node} GPUs each; allowed: up to {MOST_NODES} machines with 1 to \
             {MOST_GPUS} GPUs"
        );
        return Err(TraceError::unusable(path, problem));
    }
    let mut notes = Vec::new();
    let mut names = BTreeSet::new();
    let mut requests = Requests::default();
    let table = Table::read(path, &["job_id", "submit_time", "num_gpu", "duration"])?;
    let mut tasks = table.rows("job", &mut notes, |row| job(row, gpus_of_node, &mut names, &mut requests))?;
    tasks.sort_by(|a, b| a.name.cmp(&b.name));
    let width = nodes.to_string().len();
    let node = |number| NodeSpec {
        name: format!("node-{number:0width$}"),
        cpu_milli: 0,
        memory_mib: 0,
        devices: vec![0; usize::from(gpus_of_node)],
    };
    let nodes = (1..=nodes).map(node).collect();
    Ok(Trace {
        types: vec!["GPU".to_owned()],
        nodes,
        requests: requests.into_list(),
        tasks,
        notes,
        may_spread: true,
        unread: Unread::default(),
    })
}

fn job(row: &Row<'_>, gpus_of_node: u8, names: &mut BTreeSet<String>, requests: &mut Requests) -> Result<Task, String> {
    #[expect(clippy::cast_possible_truncation, reason = "checked: 1 … 100,000")]
    let gpus = row.whole("num_gpu", 1..=MOST_GPUS_OF_JOB)? as u32;
    let (gpus, pieces) = equal_pieces(gpus, gpus_of_node).ok_or("it requests no GPU")?;
    let arrives = row.number("submit_time", 0.0..=LONGEST)?;
    let seconds = row.number("duration", 0.0..=LONGEST)?;
    let name = only_once(row, "job_id", names)?;
    let request = requests.place(Request::of_any(0, 0, gpus, WHOLE, 1));
    Ok(Task { name, request, pieces, is_sensitive: false, arrives, seconds: Some(seconds) })
}
