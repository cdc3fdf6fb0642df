//! Logs of jobs on GPUs that were published, read by the names of their columns:
//!
//! - Philly as the authors of `ElasticFlow` prepared it: `job_id,submit_time,num_gpu,duration`
//!   (<https://github.com/pkusys/ElasticFlow>)
//! - Philly itself: a JSON list with attempts (<https://github.com/msr-fiddle/philly-traces>)
//! - Helios and Acme: `job_id,gpu_num,submit_time,duration` (<https://github.com/S-Lab-System-Group/HeliosData>,
//!   <https://github.com/InternLM/AcmeTrace>)
//! - Alibaba's PAI of 2020: `job_name,inst_num,plan_gpu,start_time,end_time`, percent of a GPU for each instance
//!   (<https://github.com/alibaba/clusterdata/tree/master/cluster-trace-gpu-v2020>). Its tables have no header: that of
//!   `pai_task_table.csv` is in `pai_task_table.header`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crossover_allocation::WHOLE;
use crossover_quantity::balance::BalanceOf;
use crossover_quantity::unread::{Unread, UnreadKind, suggests_accelerator, suggests_time};
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use serde::Deserialize;
use serde_json::Value;

use crate::error::{self, TraceError};
use crate::left_out::{LeftOut, shown};
use crate::openb::{LONGEST, only_once};
use crate::table::{LARGEST_BYTES, Row, Table};

/// Most GPUs of a job.
const MOST_GPUS_OF_JOB: usize = 100_000;
/// Columns of each table.
const PHILLY: [&str; 4] = ["job_id", "submit_time", "num_gpu", "duration"];
const HELIOS: [&str; 4] = ["job_id", "submit_time", "gpu_num", "duration"];
const PAI: [&str; 5] = ["job_name", "inst_num", "plan_gpu", "start_time", "end_time"];
/// `pai_task_table.header`.
const PAI_HEADER: [&str; 10] = [
    "job_name",
    "task_name",
    "inst_num",
    "status",
    "start_time",
    "end_time",
    "plan_cpu",
    "plan_mem",
    "plan_gpu",
    "gpu_type",
];
/// Values of the column `status` of that table.
const PAI_STATUS: [&str; 4] = ["Terminated", "Failed", "Running", "Waiting"];

/// What a row of a table is.
const ROW: (&str, BalanceOf) = ("job", BalanceOf::Jobs);

/// Columns that say the same as those that are read: the times of a job beside its duration, and its GPUs times its duration.
const SAME: [&str; 3] = ["start_time", "end_time", "gpu_time"];

/// A job of a log.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LoggedJob {
    pub(crate) name: String,
    /// All its GPUs, or with shares those of each instance.
    pub(crate) gpus: u32,
    /// Of each GPU, in units of which [`WHOLE`] are one.
    pub(crate) share: u16,
    /// Instances that each have these GPUs.
    pub(crate) instances: u32,
    /// Seconds from any beginning.
    pub(crate) arrives: f64,
    /// Run time, seconds; `None` if it did not end.
    pub(crate) seconds: Option<f64>,
}

/// The jobs of a log, and whether they may spread over machines.
pub(crate) struct JobLog {
    pub(crate) jobs: Vec<LoggedJob>,
    pub(crate) may_spread: bool,
    /// Jobs that are left out.
    pub(crate) left_out: LeftOut,
}

/// Whether the fields of the first line are those of such a table.
pub(crate) fn is_first_line(fields: &[&str]) -> bool {
    let has = |columns: &[&str]| columns.iter().all(|column| fields.contains(column));
    [&PHILLY[..], &HELIOS, &PAI].iter().any(|columns| has(columns)) || is_pai_row(fields)
}

/// Whether these are the fields of a row of PAI's table of tasks.
fn is_pai_row(fields: &[&str]) -> bool {
    fields.len() == PAI_HEADER.len() && PAI_STATUS.contains(&fields[3]) && fields[2].parse::<f64>().is_ok()
}

/// Reads the jobs of a log.
///
/// # Errors
/// [`TraceError`]: unreadable, other columns, or no usable job. A bad one is left out, also one that repeats a name.
pub(crate) fn read(path: &Path, notes: &mut Vec<String>, unread: &mut Unread) -> Result<JobLog, TraceError> {
    let mut text = error::text(path, LARGEST_BYTES)?;
    if text.trim_start_matches('\u{feff}').trim_start().starts_with('[') {
        let (jobs, left_out) = of_json(path, &text, notes, unread)?;
        return Ok(JobLog { jobs, may_spread: true, left_out });
    }
    if is_pai_row(&first_line(&text)) {
        text = format!("{}\n{}", PAI_HEADER.join(","), text.trim_start_matches('\u{feff}'));
        notes.push(format!(
            "{}: no header; the columns are those of pai_task_table.header, which counts as line 1",
            path.display()
        ));
    }
    let header = first_line(&text);
    let has = |columns: &[&str]| columns.iter().all(|column| header.contains(column));
    let mut names = BTreeSet::new();
    if has(&PAI) {
        let table = Table::of(path, &text, &PAI)?;
        table.name_unread(&PAI, unread);
        notes.push(format!("{}: no submission times; jobs arrive when they start", path.display()));
        let (jobs, left_out) = table.rows(ROW, notes, |row| of_pai(row, &mut names))?;
        return Ok(JobLog { jobs, may_spread: false, left_out });
    }
    let columns = if has(&HELIOS) { &HELIOS } else { &PHILLY };
    let [.., gpus, _] = *columns;
    let table = Table::of(path, &text, columns)?;
    table.name_unread(&[&columns[..], &SAME].concat(), unread);
    let (jobs, left_out) = table.rows(ROW, notes, |row| of_job(row, gpus, &mut names))?;
    Ok(JobLog { jobs, may_spread: true, left_out })
}

/// The fields of the first line.
fn first_line(text: &str) -> Vec<&str> {
    let line = text.trim_start_matches('\u{feff}').lines().next().unwrap_or_default();
    line.split(',').map(|name| name.trim().trim_matches('"')).collect()
}

fn of_job(row: &Row<'_>, gpus: &str, names: &mut BTreeSet<String>) -> Result<LoggedJob, String> {
    let gpus = whole_gpus(row.whole(gpus, 1..=MOST_GPUS_OF_JOB)?)?;
    let text = row.text("submit_time");
    let arrives = match text.parse::<f64>() {
        Ok(_) => row.number("submit_time", 0.0..=LONGEST)?,
        Err(_) => seconds_of("submit_time", text)?,
    };
    let seconds = row.number("duration", 0.0..=LONGEST)?;
    let name = only_once(row, "job_id", names)?;
    Ok(LoggedJob { name, gpus, share: WHOLE, instances: 1, arrives, seconds: Some(seconds) })
}

fn whole_gpus(gpus: usize) -> Result<u32, String> {
    u32::try_from(gpus).ok().filter(|gpus| *gpus > 0).ok_or_else(|| "it requests no GPU".to_owned())
}

/// A task of PAI: each of its instances has some percent of a GPU, or several GPUs.
fn of_pai(row: &Row<'_>, names: &mut BTreeSet<String>) -> Result<LoggedJob, String> {
    let percent = row.optional("plan_gpu", 0.0..=1e5)?.filter(|percent| *percent > 0.0).ok_or("it requests no GPU")?;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked: above 0 and up to 10⁵ %")]
    let (gpus, share) = if percent <= 100.0 {
        // Rounded up, but for the error of the product.
        (1, (percent / 100.0 * f64::from(WHOLE) - 1e-6).ceil().max(1.0) as u16)
    } else {
        ((percent / 100.0).ceil() as u32, WHOLE)
    };
    let instances = u32::try_from(row.whole("inst_num", 1..=1_000_000)?).unwrap_or(u32::MAX);
    let arrives = row.number("start_time", 0.0..=LONGEST)?;
    let ended = row.optional("end_time", 0.0..=LONGEST)?.filter(|ended| *ended > 0.0);
    if let Some(ended) = ended.filter(|ended| *ended < arrives) {
        return Err(format!("it ends at {ended}, before it starts at {arrives}"));
    }
    let (job, task) = (row.text("job_name"), row.text("task_name"));
    let name = format!("{job} {task}").trim_end().to_owned();
    if !names.insert(name.clone()) {
        return Err(format!("duplicate job “{}”", shown(&name)));
    }
    Ok(LoggedJob { name, gpus, share, instances, arrives, seconds: ended.map(|ended| ended - arrives) })
}

/// Seconds since 1970 of a time like `2020-04-01 00:12:43` or `2023-03-01 00:00:34+08:00`; without an offset as UTC.
fn seconds_of(field: &str, text: &str) -> Result<f64, String> {
    let zoned = text.parse::<Timestamp>().ok();
    let local = || text.parse::<DateTime>().ok()?.to_zoned(TimeZone::UTC).ok().map(|time| time.timestamp());
    let time = zoned
        .or_else(local)
        .ok_or_else(|| format!("{field} is “{}”; expected seconds, or a time like 2020-04-01 00:12:43", shown(text)))?;
    Ok(time.as_second() as f64)
}

/// A job of Philly's own log.
#[derive(Deserialize)]
struct PhillyJob {
    jobid: String,
    submitted_time: Option<String>,
    #[serde(default)]
    attempts: Vec<Attempt>,
    /// All other fields.
    #[serde(flatten)]
    others: BTreeMap<String, Value>,
}

/// A time that a job ran.
#[derive(Deserialize)]
struct Attempt {
    start_time: Option<String>,
    end_time: Option<String>,
    #[serde(default)]
    detail: Vec<Machine>,
    #[serde(flatten)]
    others: BTreeMap<String, Value>,
}

/// GPUs of a machine.
#[derive(Deserialize)]
struct Machine {
    #[serde(default)]
    gpus: Vec<String>,
    #[serde(flatten)]
    others: BTreeMap<String, Value>,
}

impl PhillyJob {
    /// Adds the fields that speak of a time or of an accelerator and are not used.
    fn name_unread(&self, unread: &mut Unread) {
        let attempts = self.attempts.iter().map(|attempt| &attempt.others);
        let machines = self.attempts.iter().flat_map(|attempt| &attempt.detail).map(|machine| &machine.others);
        let fields = std::iter::once(&self.others).chain(attempts).chain(machines).flatten();
        for (name, _) in
            fields.filter(|(name, value)| !value.is_null() && (suggests_time(name) || suggests_accelerator(name)))
        {
            unread.add(UnreadKind::Column, name, &format!("job {}", self.jobid));
        }
    }
}

fn of_json(
    path: &Path,
    text: &str,
    notes: &mut Vec<String>,
    unread: &mut Unread,
) -> Result<(Vec<LoggedJob>, LeftOut), TraceError> {
    let jobs: Vec<PhillyJob> = serde_json::from_str(text.trim_start_matches('\u{feff}'))
        .map_err(|problem| TraceError::unusable(path, format!("{problem}; expected the jobs of Philly")))?;
    let mut names = BTreeSet::new();
    let mut left_out = LeftOut::new("job", "jobs");
    let mut found = Vec::new();
    for (place, job) in (1_usize..).zip(jobs) {
        job.name_unread(unread);
        match of_attempts(&job, &mut names) {
            Ok(job) => found.push(job),
            Err(problem) => left_out.add(|| format!("entry {place} ({})", shown(&job.jobid)), &problem),
        }
    }
    if found.is_empty() {
        return Err(TraceError::unusable(path, left_out.nothing_of("job")));
    }
    left_out.note_of(path, left_out.total(BalanceOf::Jobs, found.len()).balance().as_ref(), notes);
    Ok((found, left_out))
}

/// All attempts together, with the GPUs of the last one.
fn of_attempts(job: &PhillyJob, names: &mut BTreeSet<String>) -> Result<LoggedJob, String> {
    let last = job.attempts.last().ok_or("it never ran")?;
    let gpus = whole_gpus(last.detail.iter().map(|machine| machine.gpus.len()).sum())?;
    let submitted = job.submitted_time.as_deref().ok_or("submitted_time is absent")?;
    let arrives = seconds_of("submitted_time", submitted)?;
    let mut seconds = Some(0.0);
    for attempt in &job.attempts {
        let time = |field: &str, text: Option<&str>| {
            let text = text.filter(|text| !matches!(*text, "" | "None"));
            text.map(|text| seconds_of(field, text)).transpose()
        };
        let began = time("start_time", attempt.start_time.as_deref())?;
        let ended = time("end_time", attempt.end_time.as_deref())?;
        let ran = began.zip(ended).map(|(began, ended)| ended - began);
        if ran.is_some_and(|ran| ran < 0.0) {
            return Err("an attempt ends before it starts".to_owned());
        }
        // An attempt without an end was running when the log was written.
        seconds = seconds.zip(ran).map(|(all, ran)| all + ran);
    }
    if !names.insert(job.jobid.clone()) {
        return Err("duplicate jobid".to_owned());
    }
    Ok(LoggedJob { name: job.jobid.clone(), gpus, share: WHOLE, instances: 1, arrives, seconds })
}
