//! The jobs of a file as tasks: duplicates and bad entries are left out, arrays are tasks of their own.

use std::collections::BTreeMap;
use std::path::Path;

use crossover_allocation::{MOST_GPUS, Request, Requests, Task};
use crossover_quantity::balance::{Balance, BalanceOf, Tally};
use crossover_quantity::unread::Unread;
use serde_json::Value;

use super::job::{self, ParsedJob, Purpose, Remarks};
use super::{accounting, job_text};
use crate::error::{self, TraceError};
use crate::gpus::{GpuRequest, Types};
use crate::left_out::{LeftOut, shown};
use crate::{json, kind};

/// Largest table of jobs: those of a million take 200 MB.
const LARGEST_BYTES: u64 = 256 << 20;
/// Most tasks, arrays counted by their tasks.
const MOST_TASKS: usize = 1_000_000;

/// Why an entry without an error has no task.
const NOT_STARTED: &str = "it has not started, or was cancelled before";

/// A task with the times of its job, seconds since 1970.
struct DatedTask {
    task: Task,
    came: Option<f64>,
    /// Start of a job that runs up to the end of the record.
    runs_since: Option<f64>,
}

/// The jobs of a file that is being read.
pub(super) struct Jobs<'a> {
    purpose: Purpose,
    types: &'a Types,
    requests: &'a mut Requests,
    unread: &'a mut Unread,
    left_out: LeftOut,
    tally: Tally,
    remarks: Remarks,
    /// Place of each job, by its label; in a history by its label and times, so that each run is one.
    known: BTreeMap<String, String>,
    /// Runs of each job so far, and the end of the last one.
    runs: BTreeMap<String, (usize, f64)>,
    tasks: Vec<DatedTask>,
    /// Last time of the record.
    latest: f64,
    /// Whether jobs that run have memory; those that wait then get some too.
    allocates_memory: bool,
}

impl<'a> Jobs<'a> {
    pub(super) fn new(purpose: Purpose, types: &'a Types, requests: &'a mut Requests, unread: &'a mut Unread) -> Self {
        Self {
            purpose,
            types,
            requests,
            unread,
            left_out: LeftOut::new("job", "jobs"),
            tally: Tally::new(BalanceOf::Jobs),
            remarks: Remarks::default(),
            known: BTreeMap::new(),
            runs: BTreeMap::new(),
            tasks: Vec::new(),
            latest: 0.0,
            allocates_memory: true,
        }
    }

    /// The tasks of a file, sorted by name.
    pub(super) fn read(
        mut self,
        path: &Path,
        notes: &mut Vec<String>,
        balances: &mut Vec<Balance>,
    ) -> Result<Vec<Task>, TraceError> {
        // In a history all jobs have started, so each says it by itself.
        if self.purpose == Purpose::Snapshot {
            let mut allocates: Option<bool> = None;
            each(path, |_, entry| {
                if let Some(has_memory) = entry.ok().as_ref().and_then(job::allocates_memory) {
                    allocates = Some(has_memory || allocates.unwrap_or(false));
                }
            })?;
            self.allocates_memory = allocates.unwrap_or(true);
        }
        let (entries, broken) = each(path, |place, entry| self.take(place, entry))?;
        if self.tasks.is_empty() && entries > 0 && self.remarks.left_out() == 0 {
            return Err(TraceError::unusable(path, self.left_out.nothing_of("job")));
        }
        if let Some(problem) = broken {
            notes.push(format!("{}: damaged after entry {entries}; the rest is not read: {problem}", path.display()));
        }
        self.left_out.note(path, notes);
        self.remarks.note(notes);
        balances.extend(self.tally.balance());
        let begin = self.tasks.iter().filter_map(|dated| dated.came).reduce(f64::min).unwrap_or(0.0);
        let latest = self.latest;
        let arrived = |DatedTask { task, came, runs_since }: DatedTask| Task {
            arrives: came.map_or(0.0, |came| came - begin),
            seconds: task.seconds.or_else(|| runs_since.map(|since| (latest - since).max(0.0))),
            ..task
        };
        let mut tasks: Vec<Task> = self.tasks.into_iter().map(arrived).collect();
        tasks.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(tasks)
    }

    /// Adds the tasks of an entry, or leaves it out; `place`: where it is in the file.
    fn take(&mut self, place: &str, entry: Result<Value, String>) {
        let label = entry.as_ref().ok().and_then(|entry| job::label(entry).ok());
        let before = self.tasks.len();
        let outcome = entry.and_then(|entry| self.add(place, &entry));
        if outcome.is_ok() && self.tasks.len() == before {
            self.tally.lose(1.0, NOT_STARTED);
        } else {
            self.tally.add(1.0, &outcome);
        }
        if let Err(problem) = outcome {
            let label = label.map_or_else(String::new, |label| format!(" (job {})", shown(&label)));
            self.left_out.add(|| format!("{place}{label}"), &problem);
        }
    }

    fn add(&mut self, place: &str, entry: &Value) -> Result<(), String> {
        let label = job::label(entry)?;
        let key = match self.purpose {
            Purpose::Snapshot => label.clone(),
            Purpose::History => format!("{label} {}", job::run_key(entry)),
        };
        if let Some(above) = self.known.get(&key) {
            return Err(format!("duplicate of {above}"));
        }
        let Some(mut job) = job::read(entry, &label, self.purpose, &mut self.remarks, self.unread)? else {
            return Ok(());
        };
        if !self.allocates_memory && job.times.began.is_none() && job.memory_mib > 0 {
            job.memory_mib = 0;
            self.remarks.memory_not_allocated.add(&job.names[0]);
        }
        if self.purpose == Purpose::History {
            let (runs, last_end) = self.runs.entry(label).or_insert((0, 0.0));
            *runs += 1;
            if *runs > 1 {
                job.follow(*runs, *last_end);
                self.remarks.requeued.add(&job.names[0]);
            }
            *last_end = job.latest().max(*last_end);
        }
        self.latest = self.latest.max(job.latest());
        let room = MOST_TASKS.saturating_sub(self.tasks.len());
        let tasks = of_job(job, self.types, room, self.requests)?;
        self.tasks.extend(tasks);
        self.known.insert(key, place.to_owned());
        Ok(())
    }
}

/// Visits every job of a file with its place, as an entry of `squeue --json` or the reason why it is none. Their number, and the
/// problem where the file is damaged.
pub(super) fn each(
    path: &Path,
    mut visit: impl FnMut(&str, Result<Value, String>),
) -> Result<(usize, Option<String>), TraceError> {
    let beginning = kind::beginning(path)?;
    if beginning.trim_start().starts_with('{') {
        let ended =
            json::each(path, "jobs", "what “squeue --json” or “sacct --json” prints", |place, entry| {
                let entry = if accounting::is_entry(&entry) { accounting::of_json(&entry) } else { entry };
                visit(&format!("entry {place}"), Ok(entry));
            })?;
        return Ok((ended.entries, ended.broken));
    }
    let text = error::text(path, LARGEST_BYTES)?;
    let mut entries = 0;
    let each_line = |(line, entry): accounting::Line| {
        entries += 1;
        visit(&format!("line {line}"), entry);
    };
    if job_text::is_text(&beginning) {
        job_text::of_text(&text).for_each(each_line);
    } else {
        let jobs = accounting::of_text(&text).map_err(|problem| TraceError::unusable(path, problem))?;
        jobs.into_iter().for_each(each_line);
    }
    Ok((entries, None))
}

/// Tasks of a job.
fn of_job(job: ParsedJob, types: &Types, room: usize, requests: &mut Requests) -> Result<Vec<DatedTask>, String> {
    if job.names.len() > room {
        return Err(format!("more than {MOST_TASKS} tasks; split the file"));
    }
    let GpuRequest { gpus, shares } = match &job.gres {
        None => GpuRequest { gpus: 0, shares: vec![Some(0); types.devices().len()] },
        Some(gres) => {
            let resource = gres.resource();
            let taken = types.taken(&resource, gres.count, |_| true);
            taken.ok_or_else(|| format!("it requests {}; no node has that", shown(&resource)))?
        }
    };
    let of_a_node = u8::try_from(gpus).ok().filter(|gpus| usize::from(*gpus) <= MOST_GPUS);
    let gpus =
        of_a_node.ok_or_else(|| format!("it requests {gpus} GPUs of a node; at most {MOST_GPUS} are supported"))?;
    let ParsedJob { names, pieces, cpu_milli, memory_mib, is_sensitive, times, seconds, waited, .. } = job;
    let request = requests.place(Request { cpu_milli, memory_mib, gpus, shares });
    let runs_since = times.began.filter(|_| waited.is_some());
    let task = |name| DatedTask {
        task: Task { name, request, pieces, is_sensitive, arrives: 0.0, seconds, waited },
        came: times.came,
        runs_since,
    };
    Ok(names.into_iter().map(task).collect())
}
