//! Probes through Slurm: an array of jobs for each number of units, submitted by `sbatch`, followed by `squeue`, cancelled
//! by `scancel`. A probe queues like any other job; its job name identifies it.
//!
//! `sbatch --wait` is not used: it polls after 2, 10, 42 … s, and its exit code is the same for cancelled and failed jobs.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use crossover_files::process::{answer, last_line};
use crossover_files::shell::{line, quoted};
use crossover_probe::outcome;
use crossover_quantity::text::counted;

use super::nodes::{ClusterNode, SINFO_FORMAT, of_sinfo};
use super::tasks::{divide, reported, reports};
use super::{RunRequest, RunResult};

/// Polling interval of the queue.
const POLL: Duration = Duration::from_millis(500);
/// Time to wait for the report of a finished job, which a shared file system may delay.
const LATE: Duration = Duration::from_secs(5);
/// Prefixes of the states of finished jobs.
const ENDED: [&str; 11] = [
    "COMPLETED",
    "FAILED",
    "CANCELLED",
    "TIMEOUT",
    NODE_FAIL,
    "OUT_OF_MEMORY",
    "BOOT_FAIL",
    "DEADLINE",
    "PREEMPTED",
    "REVOKED",
    "SPECIAL_EXIT",
];
/// The unit of a probe on a GPU.
pub(crate) const GPU: &str = "gpu";
/// State of a job whose node failed.
const NODE_FAIL: &str = "NODE_FAIL";
/// Time limit of a command of Slurm; a controller that is down lets it wait ten seconds or more.
const ANSWER: Duration = Duration::from_mins(1);
/// Failed queries in a row after which Slurm counts as down.
const PATIENCE: u32 = 20;
/// Successful queries in a row that list no waiting or running job; after them, jobs that are not listed count as gone.
const UNLISTED: u32 = 10;

/// A Slurm cluster.
#[derive(Debug, Clone, Default)]
pub(crate) struct Cluster {
    /// Partition; none: the default of the cluster.
    pub(crate) partition: Option<String>,
    /// Further arguments of `sbatch`, such as an account.
    pub(crate) arguments: Vec<String>,
}

impl Cluster {
    /// The nodes of its partition.
    pub(crate) fn nodes(&self) -> Result<Vec<ClusterNode>, String> {
        let mut arguments = vec!["--noheader".to_owned(), "--Node".to_owned(), format!("--format={SINFO_FORMAT}")];
        arguments.extend(self.partition.iter().map(|partition| format!("--partition={partition}")));
        Ok(of_sinfo(&output_of("sinfo", &arguments, &|| false)?, self.partition.is_some()))
    }
}

/// Nodes of the cluster as text, which changes with its resources.
pub(crate) fn resources() -> Result<String, String> {
    let output = output_of("sinfo", &["-h".into(), "-o".into(), "%P %c %D %G".into()], &|| false)?;
    Ok(output.lines().map(str::trim).collect::<Vec<_>>().join("; "))
}

/// Runs a probe `repeats` times on a number of units, as one job array. Reports are written to the folder, which the nodes must
/// see; `tell` receives the states of the jobs.
pub(crate) fn run(
    request: &RunRequest,
    cluster: &Cluster,
    units: u32,
    folder: &Path,
    is_cancelled: &dyn Fn() -> bool,
    tell: &mut dyn FnMut(&str),
) -> Vec<RunResult> {
    let repeats = request.repeats as usize;
    // A failure of all runs is reported once.
    let all = |why: String| vec![Err(why)];
    // If the controller is down, every other command waits ten seconds or more.
    if let Err(why) = output_of("scontrol", &["ping".into()], is_cancelled) {
        return all(format!("Slurm does not respond: {why}"));
    }
    let script = folder.join(format!("probe-{units}.sh"));
    // Those of an earlier round.
    for repeat in 0..request.repeats {
        for path in reports(request, units, folder, repeat) {
            drop(fs::remove_file(path));
        }
        drop(fs::remove_dir_all(folder.join(format!("started-{units}-{repeat}"))));
    }
    if let Err(why) = divide(request, units, folder) {
        return all(why);
    }
    if let Err(error) = fs::write(&script, self::script(request, units, folder)) {
        return all(format!("{}: {error}", script.display()));
    }
    let mut arguments = options(request, cluster, units, folder);
    arguments.push(script.to_string_lossy().into_owned());
    // Not cancelled before its number is known, without which its jobs could not be.
    let job = match output_of("sbatch", &arguments, &|| false) {
        Ok(output) if !output.starts_with(|c: char| c.is_ascii_digit()) => {
            return all(format!("sbatch printed “{}”; expected a job ID", output.trim()));
        }
        Ok(output) => output.trim().split(';').next().unwrap_or_default().to_owned(),
        Err(why) => return all(format!("sbatch rejected the job: {why}")),
    };
    let runs = counted(f64::from(request.repeats), "run");
    tell(&format!("job {job}: {runs}, each on {}", outcome::units(f64::from(units))));
    let jobs = Jobs(job);
    let has_report = |repeat: usize| {
        u32::try_from(repeat)
            .is_ok_and(|repeat| reports(request, units, folder, repeat).iter().all(|path| path.exists()))
    };
    let ended = follow(&jobs, request.limit, repeats, &has_report, is_cancelled, tell);
    let results = (0..request.repeats).map(|repeat| {
        let read = || reported(request, units, folder, repeat);
        match &ended {
            Err(why) => read().unwrap_or_else(|| Err(why.clone())),
            Ok(states) => {
                let state = states.get(&(repeat as usize)).map(String::as_str);
                result(&read, state, &folder.join(format!("output-{units}-{repeat}.txt")))
            }
        }
    });
    results.collect()
}

/// The report of a finished job, or its state and last output; without a state, Slurm no longer lists the job.
fn result(read: &dyn Fn() -> Option<RunResult>, state: Option<&str>, output: &Path) -> RunResult {
    let until = Instant::now() + LATE;
    let has_failed = |state: &str| ["CANCELLED", "TIMEOUT", "FAILED", NODE_FAIL].iter().any(|of| state.starts_with(of));
    let is_late = !state.is_some_and(has_failed);
    let mut found = read();
    while is_late && found.is_none() && Instant::now() < until {
        std::thread::sleep(POLL);
        found = read();
    }
    if let Some(found) = found {
        return found;
    }
    let last = || last_line(output).unwrap_or_else(|| "no output".to_owned());
    let Some(state) = state else {
        return Err(format!("Slurm no longer lists the job, and it has no report: {}", last()));
    };
    if let Some(node) = state.strip_prefix(NODE_FAIL) {
        return Err(format!("its node{node} failed during the run ({NODE_FAIL})"));
    }
    Err(format!("the job ended as {state}: {}", last()))
}

/// Jobs that are cancelled when this is dropped.
struct Jobs(String);

impl Drop for Jobs {
    fn drop(&mut self) {
        // Jobs that have ended stay as they are.
        _ = output_of("scancel", std::slice::from_ref(&self.0), &|| false);
    }
}

/// Follows jobs to their end; returns the last state of each by its index in the array, without those that Slurm no longer lists.
/// `has_report`: whether a run has reported.
fn follow(
    jobs: &Jobs,
    limit: Duration,
    repeats: usize,
    has_report: &dyn Fn(usize) -> bool,
    is_cancelled: &dyn Fn() -> bool,
    tell: &mut dyn FnMut(&str),
) -> Result<BTreeMap<usize, String>, String> {
    // Only the time in which a job runs counts, not the time in the queue.
    let mut ran = Duration::ZERO;
    let mut states: BTreeMap<usize, String> = BTreeMap::new();
    let (mut failures, mut without_open) = (0, 0);
    let mut before = String::new();
    loop {
        if is_cancelled() {
            return Err("it was cancelled".to_owned());
        }
        let query = ["-h", "-t", "all", "-r", "-j", &jobs.0, "-o", "%K|%T|%N|%r"].map(str::to_owned);
        match output_of("squeue", &query, is_cancelled) {
            Ok(output) => {
                failures = 0;
                states.extend(output.lines().filter_map(state));
                let is_open = |line: &str| line.split('|').nth(1).is_some_and(|state| !has_ended(state));
                without_open = if output.lines().any(is_open) { 0 } else { without_open + 1 };
            }
            // The controller may be down for a while. If it no longer lists the jobs, they have ended.
            Err(why) if why.contains("Invalid job id") => return Ok(ended_only(states)),
            Err(why) => {
                failures += 1;
                if failures >= PATIENCE {
                    return Err(format!("Slurm no longer responds: {why}"));
                }
            }
        }
        let count = |of: &str| states.values().filter(|state| state.starts_with(of)).count();
        // A controller that was restarted may queue a job again that has run.
        let is_repeated = |place: usize, state: &str| state.starts_with("PENDING") && has_report(place);
        let repeated = states.iter().filter(|(place, state)| is_repeated(**place, state)).count();
        let ended = repeated + states.values().filter(|state| has_ended(state)).count();
        if states.len() >= repeats && ended == states.len() {
            return Ok(states);
        }
        // Slurm forgets a job minutes after its end, or at once if its controller lost its state. Some versions then list only the
        // other jobs, or none.
        if without_open >= UNLISTED {
            return Ok(ended_only(states));
        }
        let running = count("RUNNING");
        let waiting = count("PENDING").saturating_sub(repeated);
        let now = format!("job {}: {waiting} waiting, {running} running, {ended} ended", jobs.0);
        if now != before {
            tell(&now);
            before = now;
        }
        if running > 0 {
            ran += POLL;
        }
        if ran > limit.saturating_mul(u32::try_from(repeats).unwrap_or(u32::MAX)) {
            return Err(format!("the runs took longer than {} s each and were terminated", limit.as_secs_f64()));
        }
        std::thread::sleep(POLL);
    }
}

/// The states of jobs whose end was listed.
fn ended_only(mut states: BTreeMap<usize, String>) -> BTreeMap<usize, String> {
    states.retain(|_, state| has_ended(state));
    states
}

/// Whether a state is that of a finished job.
pub(crate) fn has_ended(state: &str) -> bool {
    ENDED.iter().any(|ended| state.starts_with(ended))
}

/// "3|RUNNING|n1|None": the index in the array, and the state with its reason; of a node that failed, with its name.
fn state(line: &str) -> Option<(usize, String)> {
    let mut fields = line.trim().splitn(4, '|');
    let place = fields.next()?.parse().ok()?;
    let [state, node, reason] = [fields.next()?, fields.next()?, fields.next()?];
    let more = if state == NODE_FAIL { node } else { reason };
    Some((place, if matches!(more, "" | "None") { state.to_owned() } else { format!("{state} {more}") }))
}

/// Options of `sbatch`; no shell interprets them.
pub(crate) fn options(request: &RunRequest, cluster: &Cluster, units: u32, folder: &Path) -> Vec<String> {
    let minutes = (request.limit.as_secs_f64() / 60.0).ceil().max(1.0);
    let tasks = if request.divided.is_some() { units.max(1) } else { 1 };
    // Slurm expands what follows a percent sign.
    let output = folder.to_string_lossy().replace('%', "%%");
    let mut options = vec![
        "--parsable".to_owned(),
        "--job-name=crossover-probe".to_owned(),
        "--comment=probe".to_owned(),
        // A run that loses its node is said so at once: Slurm would start it again after minutes.
        "--no-requeue".to_owned(),
        // One after another, as concurrent runs would slow each other down.
        format!("--array=0-{}%1", request.repeats.saturating_sub(1)),
        format!("--ntasks={tasks}"),
        format!("--cpus-per-task={}", request.threads(units / tasks)),
        format!("--time={minutes}"),
        format!("--output={output}/output-{units}-%a.txt"),
    ];
    let asks_for_gpus =
        |argument: &String| ["--gres", "--gpus", "-G"].iter().any(|option| argument.starts_with(option));
    if request.unit == GPU && !cluster.arguments.iter().any(asks_for_gpus) {
        options.push(if tasks > 1 { "--gpus-per-task=1" } else { "--gres=gpu:1" }.to_owned());
    }
    options.extend(cluster.partition.iter().map(|partition| format!("--partition={partition}")));
    options.extend(cluster.arguments.iter().cloned());
    options
}

/// The script of a job array: each task runs the probe once.
pub(crate) fn script(request: &RunRequest, units: u32, folder: &Path) -> String {
    if request.divided.is_some() {
        let process = folder.join(format!("task-{units}.sh"));
        return format!("#!/bin/sh\nexec srun --kill-on-bad-exit=1 sh {}\n", quoted(&process.to_string_lossy()));
    }
    let json = folder.join(format!("report-{units}-"));
    format!(
        "#!/bin/sh\nexec srun {} {} --json {}\"$SLURM_ARRAY_TASK_ID\".json\n",
        line(&request.program),
        line(request.arguments(&request.task.to_string_lossy(), units, None)),
        quoted(&json.to_string_lossy())
    )
}

/// The output of a command of Slurm.
///
/// # Errors
/// The last line of its output, that it cannot be started, or that it does not answer.
pub(crate) fn output_of(
    command: &str,
    arguments: &[String],
    is_cancelled: &dyn Fn() -> bool,
) -> Result<String, String> {
    let asked = answer(Command::new(command).args(arguments), ANSWER, is_cancelled);
    asked.map_err(
        |why| if why.contains("cannot be started") { format!("{why}; check that Slurm is installed") } else { why },
    )
}

/// The folder for reports, which the nodes must see.
pub(crate) fn shared(folder: Option<PathBuf>) -> Result<PathBuf, String> {
    let folder = folder.unwrap_or_else(|| PathBuf::from("crossover-probes"));
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    fs::canonicalize(&folder).map_err(|error| format!("{}: {error}", folder.display()))
}

/// A new folder in the shared one for this run of the program, as jobs of earlier ones may still use theirs.
pub(crate) fn new_folder(shared: &Path) -> Result<PathBuf, String> {
    let made = tempfile::Builder::new().prefix("run-").tempdir_in(shared);
    made.map(tempfile::TempDir::keep).map_err(|error| format!("{}: {error}", shared.display()))
}

#[cfg(test)]
mod tests {
    use super::super::tasks::tests::divided_request;
    use super::*;

    #[test]
    fn a_script_quotes_words_that_a_shell_would_split() {
        let request = RunRequest {
            task: "/shared/my probe.ron".into(),
            unit: "cpu:4".into(),
            units: vec![3],
            repeats: 5,
            limit: Duration::from_secs(90),
            program: vec!["/opt/gpu-bench".into()],
            has_allowed_programs: false,
            divided: None,
        };
        let cluster = Cluster { partition: Some("long".into()), arguments: vec!["--account=us".into()] };
        let folder = Path::new("/shared/50% $HOME");
        let options = options(&request, &cluster, 3, folder);
        for expected in [
            "--array=0-4%1",
            "--cpus-per-task=12",
            "--time=2",
            "--output=/shared/50%% $HOME/output-3-%a.txt",
            "--partition=long",
            "--account=us",
        ] {
            assert!(options.iter().any(|option| option == expected), "{expected}: {options:?}");
        }
        let text = script(&request, 3, folder);
        let line = "exec srun /opt/gpu-bench probe '/shared/my probe.ron' --units 3 --unit cpu:4 --json '/shared/50% \
                    $HOME/report-3-'\"$SLURM_ARRAY_TASK_ID\".json\n";
        assert_eq!(text, format!("#!/bin/sh\n{line}"));
    }

    #[test]
    fn states_of_jobs_are_read_with_their_reason() {
        assert_eq!(state("3|RUNNING|n1|None"), Some((3, "RUNNING".into())));
        assert_eq!(state("0|PENDING||Resources"), Some((0, "PENDING Resources".into())));
        assert_eq!(
            state("1|PENDING||ReqNodeNotAvail, UnavailableNodes:n1"),
            Some((1, "PENDING ReqNodeNotAvail, UnavailableNodes:n1".into()))
        );
        assert_eq!(state("0|NODE_FAIL|n1|NodeDown"), Some((0, "NODE_FAIL n1".into())));
        assert_eq!(state("N/A|COMPLETED|n1|None"), None);
        assert_eq!(state("N/A"), None);
    }

    #[test]
    fn a_run_that_lost_its_node_names_it() {
        let failed = result(&|| None, Some("NODE_FAIL n1"), Path::new("/no such output")).expect_err("no report");
        assert_eq!(failed, "its node n1 failed during the run (NODE_FAIL)");
    }

    #[test]
    fn each_unit_is_a_task_of_the_job() {
        let of = |unit: &str| {
            let request = divided_request(unit, 6);
            options(&request, &Cluster::default(), 4, Path::new("/shared"))
        };
        for expected in ["--ntasks=4", "--cpus-per-task=4", "--array=0-1%1"] {
            assert!(of("cpu:4").contains(&expected.to_owned()), "{expected}: {:?}", of("cpu:4"));
        }
        assert!(of("gpu").contains(&"--gpus-per-task=1".to_owned()), "{:?}", of("gpu"));
        let text = script(&divided_request("cpu", 6), 4, Path::new("/shared/a b"));
        assert_eq!(text, "#!/bin/sh\nexec srun --kill-on-bad-exit=1 sh '/shared/a b/task-4.sh'\n");
    }

    #[test]
    fn a_probe_on_a_gpu_gets_one_unless_the_user_says_which() {
        let request = RunRequest {
            task: "/shared/probe.ron".into(),
            unit: "gpu".into(),
            units: vec![1],
            repeats: 1,
            limit: Duration::from_mins(1),
            program: vec!["gpu-bench".into()],
            has_allowed_programs: false,
            divided: None,
        };
        let of = |arguments: &[&str]| {
            let arguments = arguments.iter().map(|&argument| argument.to_owned()).collect();
            let options = options(&request, &Cluster { partition: None, arguments }, 1, Path::new("/shared"));
            options.into_iter().filter(|option| option.contains("gpu")).collect::<Vec<_>>()
        };
        assert_eq!(of(&["--account=us"]), ["--gres=gpu:1"]);
        assert_eq!(of(&["--gres=gpu:a100:1"]), ["--gres=gpu:a100:1"]);
        assert_eq!(of(&["--gpus=1"]), ["--gpus=1"]);
        assert!(options(&request, &Cluster::default(), 1, Path::new("/shared")).contains(&"--no-requeue".to_owned()));
    }
}
