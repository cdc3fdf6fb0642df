//! Jobs of published logs on machines that the log does not describe: Microsoft's Philly (Jeon and others, USENIX ATC 2019), Helios,
//! Acme and Alibaba's PAI. Which one it is follows from the columns.
//!
//! A job has GPUs from its submission on for its run time. `ddl`, a deadline that the authors of `ElasticFlow` invented, is not
//! read, nor are cores and memory: those of the machines are not recorded.

use std::path::Path;

use crossover_allocation::recorded::equal_pieces;
use crossover_allocation::{MOST_GPUS, NodeSpec, Request, Requests, Task, Trace, WHOLE};
use crossover_quantity::balance::{BalanceOf, Tally};
use crossover_quantity::unread::Unread;

use crate::error::TraceError;
use crate::gpus::MOST_NODES;
use crate::job_log::{self, LoggedJob};
use crate::left_out::{LeftOut, shown};

/// Times from here on are seconds since 1970: the year 2001.
const OLDEST_DATE: f64 = 1e9;

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
    let mut unread = Unread::default();
    let log = job_log::read(path, &mut notes, &mut unread)?;
    let begin = log.jobs.iter().map(|job| job.arrives).reduce(f64::min).unwrap_or(0.0);
    // Dates count from the first job; seconds of a log already count from its beginning.
    let begin = if begin > OLDEST_DATE { begin } else { 0.0 };
    let mut requests = Requests::default();
    let mut left_out = LeftOut::new("job", "jobs");
    let mut tasks = Vec::new();
    let (mut of_jobs, mut of_requests) = (log.left_out.tally(BalanceOf::Jobs), Tally::new(BalanceOf::RequestedGpus));
    for job in log.jobs {
        let found = task(&job, begin, gpus_of_node, log.may_spread, &mut requests);
        of_jobs.add(1.0, &found);
        of_requests.add(requested(&job), &found);
        match found {
            Ok(task) => tasks.push(task),
            Err(problem) => left_out.add(|| shown(&job.name), &problem),
        }
    }
    if tasks.is_empty() {
        return Err(TraceError::unusable(path, left_out.nothing_of("job")));
    }
    left_out.note(path, &mut notes);
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
        unread,
        balances: [of_jobs, of_requests].into_iter().filter_map(Tally::balance).collect(),
    })
}

/// GPUs that a job requests, parts of one counted by their shares.
fn requested(job: &LoggedJob) -> f64 {
    f64::from(job.gpus) * f64::from(job.instances) * f64::from(job.share) / f64::from(WHOLE)
}

fn task(
    job: &LoggedJob,
    begin: f64,
    gpus_of_node: u8,
    may_spread: bool,
    requests: &mut Requests,
) -> Result<Task, String> {
    let (gpus, pieces) = if may_spread {
        equal_pieces(job.gpus, gpus_of_node).ok_or("it requests no GPU")?
    } else {
        let gpus = u8::try_from(job.gpus).ok().filter(|gpus| usize::from(*gpus) <= MOST_GPUS);
        let problem = || format!("it requests {} GPUs of a machine; at most {MOST_GPUS} are supported", job.gpus);
        (gpus.ok_or_else(problem)?, job.instances)
    };
    let request = requests.place(Request::of_any(0, 0, gpus, job.share, 1));
    let (name, seconds) = (job.name.clone(), job.seconds);
    Ok(Task { name, request, pieces, is_sensitive: false, arrives: job.arrives - begin, seconds, waited: None })
}
