//! Jobs as `squeue --json` prints them. The field names and forms are those of the data parsers v0.0.37 to v0.0.42:
//! numbers plain or as `{set, infinite, number}`, states as one text or a list.

use serde_json::Value;

use super::gres::{self, Gres};
use crate::left_out::{Named, shown};
use crossover_quantity::unread::{Unread, UnreadKind};

/// Most tasks of one job array.
const MOST_OF_ARRAY: u64 = 10_000;
/// Most nodes of a job.
const MOST_PIECES: u64 = 1_000_000;
/// Seconds since 1970 up to which a time is one: the year 2100.
const LATEST: f64 = 4.1e9;
/// Numbers from which on Slurm means “not set” or “without end”, in 32 bits.
const UNSET: f64 = 4_294_967_294.0;
/// States of jobs that ended.
const ENDED: [&str; 10] = [
    "COMPLETED",
    "FAILED",
    "CANCELLED",
    "TIMEOUT",
    "NODE_FAIL",
    "PREEMPTED",
    "BOOT_FAIL",
    "DEADLINE",
    "OUT_OF_MEMORY",
    "REVOKED",
];

/// States of a run that ended before the job did.
const INTERRUPTED: [&str; 4] = ["NODE_FAIL", "PREEMPTED", "BOOT_FAIL", "REQUEUED"];

/// Lists of resources that a job requests; only the first one that names GPUs is used, as they repeat each other.
const TRACKED: [&str; 2] = ["tres_per_node", "tres_req_str"];

/// What jobs are read for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// The jobs of a cluster, whatever their state.
    Snapshot,
    /// What happened to jobs that started.
    History,
}

/// How far a job got.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Progress {
    Waiting,
    /// It ended without a start, as it was cancelled.
    NeverStarted,
    Running,
    Ended,
}

/// Times of a job, seconds since 1970.
#[derive(Debug, Clone, Copy)]
pub(super) struct Times {
    /// Arrival: its submission, or when it became eligible if that was later.
    pub(super) came: Option<f64>,
    /// Start; `None` if it has not started.
    pub(super) began: Option<f64>,
    /// End; `None` if it has not ended.
    ended: Option<f64>,
    /// Whether its submission is known.
    is_submitted: bool,
    /// Whether it became eligible after its submission.
    is_delayed: bool,
    /// Whether the run ended before the job did.
    is_interrupted: bool,
    progress: Progress,
}

/// Notes on the jobs that were read.
#[derive(Default)]
pub(super) struct Remarks {
    pub(super) limits: Named,
    pub(super) uneven: Named,
    pub(super) arrays: Named,
    /// Arrays of which Slurm printed some tasks only.
    pub(super) cut_arrays: Named,
    pub(super) no_memory: Named,
    pub(super) memory_not_allocated: Named,
    pub(super) timeless: Named,
    pub(super) delayed: Named,
    pub(super) waiting: Named,
    pub(super) never_started: Named,
    pub(super) running: Named,
    pub(super) interrupted: Named,
    pub(super) requeued: Named,
}

impl Remarks {
    pub(super) fn note(&self, notes: &mut Vec<String>) {
        const JOBS: [&str; 2] = ["job", "jobs"];
        self.limits.note(notes, JOBS, "not ended yet; their time limit is used as run time");
        self.uneven.note(notes, JOBS, "their request is not divisible by their nodes; rounded up for each node");
        self.arrays.note(notes, JOBS, "pending arrays; each array task is a separate task");
        self.cut_arrays.note(
            notes,
            JOBS,
            "Slurm truncated the list of their array tasks; unlisted tasks are left out. Set SLURM_BITSTR_LEN=0 for squeue and scontrol",
        );
        self.no_memory.note(notes, JOBS, "no memory request; assumed 0");
        self.memory_not_allocated.note(notes, JOBS, "this Slurm does not allocate memory; assumed 0");
        self.timeless.note(notes, JOBS, "no submission time; assumed present from the start");
        self.delayed.note(
            notes,
            JOBS,
            "eligible after the submission (dependency, begin time, hold); they arrive then",
        );
        self.waiting.note(notes, JOBS, "not started yet; left out");
        self.never_started.note(notes, JOBS, "cancelled before they started; left out");
        self.running.note(notes, JOBS, "still running; they run up to the end of the record");
        self.interrupted.note(
            notes,
            JOBS,
            "ended by preemption, requeue or failure of a node; they run as long as recorded",
        );
        self.requeued.note(notes, ["further run", "further runs"], "of requeued jobs; each run is a task of its own");
    }

    /// Jobs that are no tasks, as they never started.
    pub(super) fn left_out(&self) -> usize {
        self.waiting.count() + self.never_started.count()
    }
}

/// A job that was read.
pub(super) struct ParsedJob {
    /// Names of its tasks: one, or one for each task of a pending array.
    pub(super) names: Vec<String>,
    /// Nodes.
    pub(super) pieces: u32,
    /// Of each piece.
    pub(super) cpu_milli: u32,
    /// Of each piece.
    pub(super) memory_mib: u32,
    /// Of each piece.
    pub(super) gres: Option<Gres>,
    pub(super) is_sensitive: bool,
    pub(super) times: Times,
    /// Run time, seconds; `None` if it is not known.
    pub(super) seconds: Option<f64>,
    /// Recorded wait, seconds; `None` if it is not known, and in a snapshot.
    pub(super) waited: Option<f64>,
}

impl ParsedJob {
    /// Its last known time.
    pub(super) fn latest(&self) -> f64 {
        let Times { came, began, ended, .. } = self.times;
        let runs_until = began.zip(self.seconds).map(|(began, seconds)| began + seconds);
        [came, began, ended, runs_until].into_iter().flatten().fold(0.0, f64::max)
    }

    /// Makes it a further run of a job whose last run ended at this time: it arrives then, if it was submitted earlier.
    pub(super) fn follow(&mut self, run: usize, end: f64) {
        if let Some(name) = self.names.first_mut() {
            name.push_str(&format!(" (run {run})"));
        }
        let Times { came, began, .. } = self.times;
        if came.is_some_and(|came| came < end)
            && let Some(wait) = began.map(|began| began - end).filter(|wait| *wait >= 0.0)
        {
            self.times.came = Some(end);
            self.waited = Some(wait);
        }
    }
}

/// The label of a job, which is unique: its number, or that of its array with the number of its task.
pub(super) fn label(job: &Value) -> Result<String, String> {
    if let Some(label) = job.get("label").and_then(Value::as_str) {
        return Ok(label.to_owned());
    }
    let id = whole(job.get("job_id").and_then(number).filter(|id| *id > 0.0), "job_id", u64::from(u32::MAX))?;
    Ok(id.to_string())
}

/// Tells runs of one job apart: submission and start.
pub(super) fn run_key(job: &Value) -> String {
    let time = |field: &str| job.get(field).and_then(number).unwrap_or(0.0);
    format!("{} {}", time("submit_time"), time("start_time"))
}

/// Whether Slurm has given a job memory; `None` if it was given nothing yet.
pub(super) fn allocates_memory(job: &Value) -> Option<bool> {
    let allocated = job.get("tres_alloc_str").and_then(Value::as_str).filter(|text| !text.is_empty())?;
    Some(gres::tracked(allocated, "mem").is_some())
}

/// Requests and times of a job with a label; `None` if it was cancelled before it started, and in a history if it never started.
pub(super) fn read(
    job: &Value,
    label: &str,
    purpose: Purpose,
    remarks: &mut Remarks,
    unread: &mut Unread,
) -> Result<Option<ParsedJob>, String> {
    let text = |field: &str| job.get(field).and_then(Value::as_str).unwrap_or_default();
    let number = |field: &str| job.get(field).and_then(number);
    let positive = |field: &str| number(field).filter(|value| *value > 0.0);
    let title = format!("{label} {}", text("name")).trim_end().to_owned();
    let pieces = whole(positive("node_count").or(Some(1.0)), "node_count", MOST_PIECES)?;

    let requested = text("tres_req_str");
    // The request is for the fewest nodes, not for those that the job got.
    let of_nodes = gres::tracked(requested, "node").and_then(|nodes| nodes.parse().ok()).filter(|nodes| *nodes > 0);
    let of_nodes: u64 = of_nodes.unwrap_or(pieces);
    let cores = positive("cpus").map(|cores| cores / pieces as f64);
    let tracked = || gres::tracked(requested, "cpu").and_then(|cores| cores.parse::<f64>().ok());
    let cores = cores.or_else(|| tracked().map(|cores| cores / of_nodes as f64)).unwrap_or(0.0);
    let memory = positive("memory_per_node").or_else(|| positive("memory_per_cpu").map(|mib| mib * cores.ceil()));
    let tracked = || gres::tracked(requested, "mem").and_then(gres::memory_mib).map(|mib| mib / of_nodes as f64);
    // Where Slurm allocates no memory, a job without a request is listed with all memory of its nodes.
    let is_not_allocated = allocates_memory(job) == Some(false);
    let memory = memory.or_else(tracked).map(|mib| if is_not_allocated { 0.0 } else { mib });
    let cpu_milli = u32::try_from(whole(Some((cores * 1e3).ceil()), "cpus", 4_000_000_000)?).unwrap_or(u32::MAX);
    let memory_mib = memory.map_or(0.0, f64::ceil);
    let memory_mib = u32::try_from(whole(Some(memory_mib), "memory", 4_000_000_000)?).unwrap_or(u32::MAX);

    let (gres, is_uneven) = gres_of_piece(job, pieces, of_nodes)?;
    let times = times(job, purpose)?;
    let (names, is_cut) = names(job, label, &title)?;
    let is_noted = purpose == Purpose::History || times.progress == Progress::NeverStarted;
    if is_noted && !remarks.add_progress(&times, &title) {
        return Ok(None);
    }
    let (seconds, is_limit) = run_time(job, &times, purpose);
    for field in TRACKED {
        for kind in gres::others(text(field), true) {
            unread.add(UnreadKind::Resource, &format!("gres/{kind}"), &format!("job {label}"));
        }
    }
    if is_uneven || cores.fract() != 0.0 {
        remarks.uneven.add(&title);
    }
    if is_limit {
        remarks.limits.add(&title);
    }
    if names.len() > 1 {
        remarks.arrays.add(&title);
    }
    if is_cut {
        remarks.cut_arrays.add(&title);
    }
    if memory.is_none() {
        remarks.no_memory.add(&title);
    } else if is_not_allocated {
        remarks.memory_not_allocated.add(&title);
    }
    if times.came.is_none() {
        remarks.timeless.add(&title);
    }
    if times.is_delayed {
        remarks.delayed.add(&title);
    }
    // A job without a script is interactive.
    let is_sensitive = job.get("batch_flag").and_then(Value::as_bool) == Some(false);
    let pieces = u32::try_from(pieces).unwrap_or(u32::MAX);
    let wait = times.came.zip(times.began).map(|(came, began)| (began - came).max(0.0));
    let waited = wait.filter(|_| purpose == Purpose::History && times.is_submitted);
    Ok(Some(ParsedJob { names, pieces, cpu_milli, memory_mib, gres, is_sensitive, times, seconds, waited }))
}

impl Remarks {
    /// Notes how far a job of a history got; whether it started.
    fn add_progress(&mut self, times: &Times, title: &str) -> bool {
        match times.progress {
            Progress::Waiting => self.waiting.add(title),
            Progress::NeverStarted => self.never_started.add(title),
            Progress::Running => self.running.add(title),
            Progress::Ended if times.is_interrupted => self.interrupted.add(title),
            Progress::Ended => {}
        }
        matches!(times.progress, Progress::Running | Progress::Ended)
    }
}

fn times(job: &Value, purpose: Purpose) -> Result<Times, String> {
    let time = |field: &str| job.get(field).and_then(number).filter(|value| *value > 0.0 && *value < LATEST);
    let states = match job.get("job_state") {
        Some(Value::String(state)) => vec![state.as_str()],
        Some(Value::Array(states)) => states.iter().filter_map(Value::as_str).collect(),
        _ => return Err("job_state is absent; expected an entry of “squeue --json” or “sacct --json”".to_owned()),
    };
    let (submitted, started, stopped) = (time("submit_time"), time("start_time"), time("end_time"));
    let is_history = purpose == Purpose::History;
    // Of a job that waits, the start is an estimate.
    let is_pending = states.contains(&"PENDING");
    let is_ended = |state: &&&str| ENDED.contains(*state) || (is_history && states.len() == 1 && **state == "REQUEUED");
    let progress = match states.iter().find(is_ended) {
        // Older versions give a job that was cancelled while it waited the time of its end as its start.
        Some(state)
            if (started.is_none() && (is_history || *state == "CANCELLED"))
                || (is_history && *state == "CANCELLED" && stopped == started) =>
        {
            Progress::NeverStarted
        }
        Some(state) => {
            let (Some(began), Some(ended)) = (started, stopped) else {
                return Err(format!("its state is {}, but its start or end time is absent", shown(state)));
            };
            if ended < began {
                return Err(format!("it ends at {ended}, before it begins at {began}"));
            }
            Progress::Ended
        }
        None if is_pending || started.is_none() => Progress::Waiting,
        None => Progress::Running,
    };
    let has_started = matches!(progress, Progress::Running | Progress::Ended);
    let began = started.filter(|_| has_started);
    let eligible = time("eligible_time").zip(submitted).filter(|(eligible, submitted)| eligible > submitted);
    let eligible =
        eligible.map(|(eligible, _)| eligible).filter(|eligible| began.is_none_or(|began| *eligible <= began));
    Ok(Times {
        came: eligible.or(submitted).or(started),
        began,
        ended: stopped.filter(|_| progress == Progress::Ended),
        is_submitted: submitted.is_some(),
        is_delayed: eligible.is_some(),
        is_interrupted: states.iter().any(|state| INTERRUPTED.contains(state)),
        progress,
    })
}

/// Run time, and whether it is the limit of a job that has not ended. In a history such a job runs up to the end of the record.
fn run_time(job: &Value, times: &Times, purpose: Purpose) -> (Option<f64>, bool) {
    let positive = |field: &str| job.get(field).and_then(number).filter(|value| *value > 0.0);
    if let Some((began, ended)) = times.began.zip(times.ended) {
        return (Some(ended - began), false);
    }
    if purpose == Purpose::History {
        return (positive("elapsed").filter(|seconds| *seconds < LATEST), false);
    }
    let minutes = positive("time_limit").filter(|minutes| *minutes < LATEST / 60.0);
    (minutes.map(|minutes| minutes * 60.0), minutes.is_some())
}

/// GPUs that each piece requests, and whether they were rounded up.
fn gres_of_piece(job: &Value, pieces: u64, of_nodes: u64) -> Result<(Option<Gres>, bool), String> {
    let text = |field: &str| job.get(field).and_then(Value::as_str).unwrap_or_default();
    let tasks = job.get("tasks").and_then(number).filter(|tasks| *tasks >= 1.0);
    let tasks = whole(tasks.or(Some(1.0)), "tasks", 1_000_000_000)?;
    // Multiplier and divisor of each field. Sockets are unknown, so requests per socket count by the sum only.
    let ways = [
        ("tres_per_node", 1, 1),
        ("tres_per_job", 1, pieces),
        ("tres_per_task", tasks, pieces),
        ("tres_req_str", 1, of_nodes),
        ("tres_alloc_str", 1, pieces),
    ];
    for (field, times, over) in ways {
        let mut listed = gres::list(text(field)).map_err(|problem| format!("{field}: {problem}"))?;
        listed.retain(|gres| gres.count > 0);
        // A list of trackable resources has the sum over all types beside each type.
        if listed.iter().any(|gres| !gres.of.is_empty()) {
            listed.retain(|gres| !gres.of.is_empty());
        }
        // It also has the GPUs beside their shares.
        if listed.iter().any(|gres| gres.kind != "gpu") {
            listed.retain(|gres| gres.kind != "gpu");
        }
        let mut listed = listed.into_iter();
        let Some(mut gres) = listed.next() else { continue };
        if let Some(other) = listed.next() {
            let (one, other) = (gres.resource(), other.resource());
            return Err(format!(
                "{field}: it requests {} and {} at once; expected one kind of GPU",
                shown(&one),
                shown(&other)
            ));
        }
        let all = gres.count.saturating_mul(times);
        gres.count = all.div_ceil(over);
        return Ok((Some(gres), !all.is_multiple_of(over)));
    }
    Ok((None, false))
}

/// The name of a job's task, or of each task of an array that waits: `1-5`, `0-8:2`, `1,3,7-9%2`; and whether Slurm cut the list.
fn names(job: &Value, label: &str, title: &str) -> Result<(Vec<String>, bool), String> {
    let waiting = job.get("array_task_string").and_then(Value::as_str).unwrap_or_default();
    let is_one = job.get("array_task_id").and_then(number).is_some();
    if waiting.is_empty() || is_one {
        return Ok((vec![title.to_owned()], false));
    }
    let problem = || format!("array_task_string is “{}”; expected numbers like 1-5", shown(waiting));
    let rest = title.strip_prefix(label).unwrap_or_default();
    let (numbers, _) = waiting.split_once('%').unwrap_or((waiting, ""));
    if let Some(mask) = numbers.strip_prefix("0x") {
        let tasks = masked(mask).ok_or_else(problem)?;
        return Ok((tasks.into_iter().map(|number| format!("{label}_{number}{rest}")).collect(), false));
    }
    let mut names = Vec::new();
    // Slurm replaces the end of a list of more than SLURM_BITSTR_LEN characters by dots, also within a number.
    let is_cut = numbers.contains("...");
    let listed =
        numbers.split_once("...").map_or(numbers, |(whole, _)| whole.rsplit_once(',').map_or("", |(whole, _)| whole));
    for range in listed.trim_matches(['[', ']']).split(',').filter(|range| !range.is_empty()) {
        let (range, step) = range.split_once(':').unwrap_or((range, "1"));
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let [first, last, step] = [first, last, step].map(str::parse::<u32>);
        let (Ok(first), Ok(last), Ok(step)) = (first, last, step) else { return Err(problem()) };
        for number in (first..=last).step_by(step.max(1) as usize) {
            if names.len() as u64 >= MOST_OF_ARRAY {
                return Err(format!("an array of more than {MOST_OF_ARRAY} tasks; at most that many are supported"));
            }
            names.push(format!("{label}_{number}{rest}"));
        }
    }
    if names.is_empty() { Err(problem()) } else { Ok((names, is_cut)) }
}

/// The tasks of a bit mask in hexadecimal digits, the lowest task last: accounting keeps a waiting array as `0x1E`, tasks 1 to 4.
fn masked(mask: &str) -> Option<Vec<u64>> {
    let digits = mask.chars().rev().map(|digit| digit.to_digit(16)).collect::<Option<Vec<u32>>>()?;
    let bits = (0..).zip(digits).flat_map(|(place, digit)| {
        (0..4_u64).filter(move |bit| (digit >> bit) & 1 == 1).map(move |bit| 4 * place + bit)
    });
    let tasks: Vec<u64> = bits.collect();
    (!tasks.is_empty() && tasks.len() as u64 <= MOST_OF_ARRAY).then_some(tasks)
}

/// A number, plain or with whether it is set and finite.
pub(super) fn number(value: &Value) -> Option<f64> {
    let flag = |name: &str| value.get(name).and_then(Value::as_bool);
    if flag("set") == Some(false) || flag("infinite") == Some(true) {
        return None;
    }
    let number = value.get("number").unwrap_or(value).as_f64()?;
    (number < UNSET).then_some(number)
}

/// A count up to the most that there can be.
fn whole(value: Option<f64>, field: &str, most: u64) -> Result<u64, String> {
    let value = value.ok_or_else(|| format!("{field} is absent; expected a number"))?;
    if !(0.0..=most as f64).contains(&value) || value.fract() != 0.0 {
        return Err(format!("{field} is {value}; allowed: a whole number up to {most}"));
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked: whole, 0 to a number of u64")]
    Ok(value as u64)
}
