//! Transports of a probe to a centre, and the results of its runs.
//!
//! - [`address`]: which transport reaches a centre
//! - [`local`]: this machine
//! - [`slurm`]: a cluster with Slurm
//! - [`tasks`]: units of a probe as tasks of Slurm
//! - [`ssh`]: a host, by the OpenSSH client
//! - [`kubernetes`]: a cluster with Kubernetes, by kubectl
//! - [`nodes`]: nodes of a cluster, as Slurm and Kubernetes list them
//! - [`round`]: all runs with one number of units
//! - [`history`]: all runs

pub(crate) mod address;
pub(crate) mod history;
pub(crate) mod kubernetes;
pub(crate) mod local;
pub(crate) mod nodes;
pub(crate) mod round;
pub(crate) mod slurm;
pub(crate) mod ssh;
pub(crate) mod tasks;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crossover_files::programs::ALLOW;
use crossover_measured::probe::report::REPORT;
use crossover_measured::probe::{MachineUnits, ProbeReport, ProbeTask};
use crossover_probe::window::MONDAY;
use crossover_probe::{Run, Runs, outcome};
use jiff::Timestamp;
use serde_json::Value;

use nodes::ListedUnits;

/// Largest report, bytes.
const LARGEST_REPORT: u64 = 16 << 20;
/// Seconds of an hour.
const HOUR: f64 = 3_600.0;
/// Largest clock difference without a warning, seconds.
const SKEW: f64 = 300.0;

/// A request to run a probe at a centre.
#[derive(Debug, Clone)]
pub(crate) struct RunRequest {
    /// The probe as a file that the centre can read.
    pub(crate) task: PathBuf,
    /// Device that gpu-bench uses as one unit: `cpu`, `cpu:K` or `gpu`.
    pub(crate) unit: String,
    /// Numbers of units, each in its own runs.
    pub(crate) units: Vec<u32>,
    /// Runs with each number of units.
    pub(crate) repeats: u32,
    /// Time limit of a run.
    pub(crate) limit: Duration,
    /// The measuring program with its first arguments; `probe TASK.ron …` is appended.
    pub(crate) program: Vec<String>,
    /// Whether the probe has programs, which the user has allowed.
    pub(crate) has_allowed_programs: bool,
    /// The probe if each unit is a task of Slurm with its part of the executions; none: one process has all units.
    pub(crate) divided: Option<ProbeTask>,
}

impl RunRequest {
    /// Arguments of one run, without the program.
    pub(crate) fn arguments(&self, task: &str, units: u32, json: Option<&str>) -> Vec<String> {
        let mut arguments = vec!["probe".to_owned(), task.to_owned()];
        arguments.extend(["--units".to_owned(), units.to_string(), "--unit".to_owned(), self.unit.clone()]);
        if self.has_allowed_programs {
            arguments.push(ALLOW.to_owned());
        }
        arguments.extend(json.into_iter().flat_map(|json| ["--json".to_owned(), json.to_owned()]));
        arguments
    }

    /// Threads of a run; 1 on a GPU.
    fn threads(&self, units: u32) -> u32 {
        let of_one = self.unit.split_once(':').and_then(|(_, threads)| threads.parse().ok()).unwrap_or(1);
        units.saturating_mul(of_one).max(1)
    }
}

/// A transport that returns results while the program waits.
#[derive(Debug, Clone)]
pub(crate) enum Transport {
    /// A process on this machine.
    Local,
    /// Jobs of Slurm.
    Slurm(slurm::Cluster),
    /// A host over SSH.
    Ssh(Arc<ssh::Connection>),
    /// Jobs of Kubernetes.
    Kubernetes(kubernetes::Cluster),
}

impl Transport {
    /// Runs all repeats on one number of units; `tell` receives states, `finished` the result of each run.
    pub(crate) fn run(
        &self,
        request: &RunRequest,
        units: u32,
        folder: &Path,
        is_cancelled: &dyn Fn() -> bool,
        tell: &mut dyn FnMut(&str),
        finished: &mut dyn FnMut(RunResult),
    ) {
        match self {
            Self::Slurm(cluster) => {
                slurm::run(request, cluster, units, folder, is_cancelled, tell).into_iter().for_each(finished);
            }
            Self::Kubernetes(cluster) => {
                kubernetes::run(request, cluster, units, folder, is_cancelled, tell).into_iter().for_each(finished);
            }
            Self::Ssh(connection) => ssh::run(request, connection, units, folder, is_cancelled, tell, finished),
            Self::Local => {
                for repeat in 1..=request.repeats {
                    if is_cancelled() {
                        break;
                    }
                    tell(&format!("{}, run {repeat} of {}", outcome::units(f64::from(units)), request.repeats));
                    finished(local::run(request, units, folder, is_cancelled));
                }
            }
        }
    }

    /// The units that the centre lists: of its host, or of the nodes of its cluster. A cluster has the largest number of each type on any
    /// node, or the sum over all nodes if a run is divided among several nodes.
    ///
    /// # Errors
    /// The centre does not answer, its answer cannot be read, or it lists no node; a sentence.
    pub(crate) fn listed_units(&self, program: &[String], is_divided: bool) -> Result<ListedUnits, String> {
        let nodes = match self {
            Self::Local => return Err("“gpu-bench units” lists the units of this machine".to_owned()),
            Self::Ssh(connection) => {
                let machine = machine(connection, program)?;
                let gpus = u32::try_from(machine.gpus.len()).unwrap_or(u32::MAX);
                return Ok(ListedUnits { cpus: machine.threads, gpus, summary: machine.summary() });
            }
            Self::Slurm(cluster) => cluster.nodes()?,
            Self::Kubernetes(cluster) => cluster.nodes()?,
        };
        if nodes.is_empty() {
            return Err("no node is listed".to_owned());
        }
        Ok(ListedUnits::of(&nodes, is_divided))
    }

    /// Resources of the centre now, if only a query to it shows them; `None` if it does not answer.
    pub(crate) fn listed_resources(&self, program: &[String]) -> Option<String> {
        match self {
            Self::Ssh(connection) => machine(connection, program).ok().map(|machine| machine.summary()),
            Self::Kubernetes(cluster) => cluster.nodes().ok().map(|listed| nodes::summary(&listed)),
            Self::Local | Self::Slurm(_) => None,
        }
    }

    /// Resources of the centre now; probes are repeated when they change. Empty if only [`Self::listed_resources`] shows them.
    pub(crate) fn resources(&self) -> String {
        match self {
            Self::Slurm(_) => slurm::resources().unwrap_or_default(),
            Self::Ssh(_) | Self::Kubernetes(_) => String::new(),
            Self::Local => {
                let host = crossover_gpu_bench::report::Host::here();
                format!("{} × {}, {} bytes", host.logical_cores, host.cpu, host.ram_bytes)
            }
        }
    }
}

/// The units of a host, which its measuring program lists.
fn machine(connection: &ssh::Connection, program: &[String]) -> Result<MachineUnits, String> {
    let words: Vec<String> = program.iter().cloned().chain(["units", "--json"].map(str::to_owned)).collect();
    let text = connection.ask(&words)?;
    // A host may print a greeting first.
    let text = &text[text.find('{').unwrap_or(0)..];
    serde_json::from_str(text).map_err(|error| format!("{} did not print a list of units: {error}", words.join(" ")))
}

/// Result of one run: a report, or why there is none.
pub(crate) type RunResult = Result<ProbeReport, String>;

/// Reads the report of a run.
///
/// # Errors
/// No file, incomplete JSON, or not a report; a sentence.
pub(crate) fn report(path: &Path) -> RunResult {
    let text = crossover_files::read::text(path, LARGEST_REPORT)
        .map_err(|error| format!("no report: cannot read {}: {error}", path.display()))?;
    report_of(&text)
}

/// Parses the report of a run.
pub(crate) fn report_of(text: &str) -> RunResult {
    if text.trim().is_empty() {
        return Err("an empty report".to_owned());
    }
    let read: Result<ProbeReport, serde_json::Error> = serde_json::from_str(text);
    let report = read.map_err(|error| {
        if error.is_eof() {
            format!("incomplete report: it ends in line {}, column {}", error.line(), error.column())
        } else {
            format!("not a report of a probe: {error}")
        }
    })?;
    if report.report != REPORT {
        return Err(format!("a report of “{}”; expected a report of a probe", report.report));
    }
    Ok(report)
}

/// Finds the report of one run in an output with other lines.
///
/// # Errors
/// No report, or several; a sentence.
pub(crate) fn report_among(text: &str) -> RunResult {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(begin) = text[from..].find('{').map(|place| from + place) {
        let mut values = serde_json::Deserializer::from_str(&text[begin..]).into_iter::<Value>();
        from = match values.next() {
            Some(Ok(value)) => {
                let is_report = value.get("report").is_some_and(|kind| kind == REPORT);
                let end = begin + values.byte_offset();
                found.extend(is_report.then(|| &text[begin..end]));
                end
            }
            _ => begin + 1,
        };
    }
    match &found[..] {
        [one] => report_of(one),
        // Its beginning tells what it is.
        [] => report_of(&text[text.find('{').unwrap_or(0)..]),
        several => Err(format!("the centre answered {} times; expected one report of each run", several.len())),
    }
}

/// Checks the report of a probe that was requested on a number of units.
///
/// # Errors
/// Why the run does not count: another version of the library, another probe, other units, a wrong value, no time.
pub(crate) fn validated(report: &ProbeReport, probe: &ProbeTask, units: u32) -> Result<Run, String> {
    if let Some(fault) = report.fault() {
        return Err(fault);
    }
    if probe.fingerprint() != report.task.fingerprint() {
        return Err("the report belongs to a different probe".to_owned());
    }
    if report.units != units {
        return Err(format!("it ran on {} units; expected {units}", report.units));
    }
    if !(Runs::SECONDS.min..=Runs::SECONDS.max).contains(&report.seconds) {
        return Err(format!("its time of {} s is outside the allowed range", report.seconds));
    }
    Ok(Run {
        units: f64::from(report.units),
        seconds: report.seconds,
        error: report.error(),
        target_seconds: report.target_seconds().filter(|seconds| seconds.is_finite()),
        hours: hours(report),
    })
}

/// Start of a run, hours from the midnight before a Monday, by the clock of its machine.
fn hours(report: &ProbeReport) -> Option<f64> {
    let began: Timestamp = report.began.parse().ok()?;
    Some((began.as_second() - MONDAY) as f64 / HOUR)
}

/// A warning if the start of a run, by the clock of its machine, is not between two times of this machine.
pub(crate) fn skew(report: &ProbeReport, requested: Timestamp, finished: Timestamp) -> Option<String> {
    let Ok(began) = report.began.parse::<Timestamp>() else {
        return Some(format!("its start “{}” is not a time; expected RFC 3339", report.began));
    };
    let (early, late) = (requested.as_second() - began.as_second(), began.as_second() - finished.as_second());
    let off = early.max(late) as f64;
    (off > SKEW).then(|| {
        let direction = if late > early { "ahead of" } else { "behind" };
        format!(
            "its clock is {} {direction} this one, so its hours of the day are wrong",
            crossover_quantity::unit::elapsed(off)
        )
    })
}

#[cfg(test)]
mod tests {
    use crossover_measured::probe::{Executed, LIBRARY_VERSION, OperatorReport, ProbeOperator};

    use super::*;

    fn example() -> ProbeReport {
        let operator = ProbeOperator {
            name: "solver".into(),
            runs: Executed::Library("dgemm".into()),
            executions: 2,
            in_target: 2_000.0,
            from: Vec::new(),
        };
        ProbeReport {
            report: "probe".into(),
            library: LIBRARY_VERSION,
            tool: "gpu-bench".into(),
            began: "2026-11-02T14:00:00Z".into(),
            processor: "a processor".into(),
            unit: "cpu".into(),
            units: 2,
            threads: 2,
            task: ProbeTask { name: "probe".into(), task_type: String::new(), operators: vec![operator] },
            seconds: 0.5,
            operators: vec![OperatorReport {
                name: "solver".into(),
                seconds: vec![0.2, 0.3],
                value: Some(1.0),
                true_value: Some(1.0),
                error: Some(1e-15),
                tolerance: 1e-12,
                failure: None,
            }],
            machine: None,
            processes: None,
        }
    }

    #[test]
    fn a_right_report_counts_with_the_time_of_its_target() {
        // 2,000 executions of 0.25 s; 2026-11-02 is a Monday: whole weeks and 14 hours after another one.
        let run = validated(&example(), &example().task, 2).expect("it counts");
        assert_eq!((run.units, run.seconds, run.error, run.target_seconds), (2.0, 0.5, Some(1e-15), Some(500.0)));
        assert_eq!(run.hours.map(|hours| hours.rem_euclid(168.0)), Some(14.0));
    }

    #[test]
    fn a_run_that_does_not_count_has_a_reason() {
        let mut other = example();
        other.task.operators[0].in_target = 3.0;
        let mut few = example();
        few.operators[0].seconds.pop();
        let mut lied = example();
        lied.operators[0].value = Some(2.0);
        let mut wrong = example();
        wrong.operators[0].failure = Some("value 2, right is 1".into());
        let cases = [
            (ProbeReport { library: LIBRARY_VERSION + 1, ..example() }, "version"),
            (other, "a different probe"),
            (wrong, "solver: value 2"),
            (few, "1 time of 2 executions"),
            (lied, "relative error 1.0e0"),
            (ProbeReport { seconds: 0.1, ..example() }, "took 0.5 s together"),
            (ProbeReport { units: 0, ..example() }, "on 0 units"),
            (ProbeReport { seconds: f64::INFINITY, ..example() }, "a time of inf s"),
        ];
        for (report, expected) in cases {
            let why = validated(&report, &example().task, 2).expect_err(expected);
            assert!(why.contains(expected), "{why}");
        }
    }

    #[test]
    fn an_incomplete_report_is_named() {
        let text = serde_json::to_string(&example()).expect("JSON");
        assert_eq!(report_of(&text), Ok(example()));
        let half = report_of(&text[..text.len() / 2]).expect_err("half");
        assert!(half.starts_with("incomplete report"), "{half}");
        assert!(report_of("slurmstepd: error").expect_err("no JSON").starts_with("not a report of a probe"));
        assert_eq!(report_of(" \n"), Err("an empty report".to_owned()));
    }

    #[test]
    fn the_report_of_a_run_is_found_among_other_lines_and_two_are_too_many() {
        let report = serde_json::to_string_pretty(&example()).expect("JSON");
        let noisy = format!("Welcome to {{north}}\n{{\"load\": 0.5}}\n{report}\nbye\n");
        assert_eq!(report_among(&noisy), Ok(example()));
        let twice = report_among(&format!("{report}\n{report}")).expect_err("two");
        assert!(twice.contains("answered 2 times"), "{twice}");
        let cut = report_among(&format!("hello\n{}", &report[..report.len() / 2])).expect_err("half");
        assert!(cut.starts_with("incomplete report"), "{cut}");
        assert!(report_among("no such file").expect_err("none").starts_with("not a report of a probe"));
    }

    #[test]
    fn a_wrong_clock_has_a_warning() {
        let at = |text: &str| text.parse::<Timestamp>().expect("a time");
        let during = skew(&example(), at("2026-11-02T13:59:00Z"), at("2026-11-02T14:01:00Z"));
        assert_eq!(during, None);
        let ahead = skew(&example(), at("2026-11-02T13:00:00Z"), at("2026-11-02T13:01:00Z")).expect("ahead");
        assert!(ahead.starts_with("its clock is 59 min ahead"), "{ahead}");
        let behind = skew(&example(), at("2026-11-02T15:00:00Z"), at("2026-11-02T15:01:00Z")).expect("behind");
        assert!(behind.starts_with("its clock is 1 h behind"), "{behind}");
    }
}
