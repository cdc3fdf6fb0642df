//! Probes through a real Slurm: clusters of one and of four nodes on loopback, which the tests start and end.

use std::io::Read as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use crossover_needs::{wait_for, wait_until};

use super::probe::CENTRES;
use super::{crossover, outcome_of};

const PUBLISHED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../scenarios/probe-published.ron");
const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/slurm.sh");

/// A cluster that ends with its owner.
pub(crate) struct Cluster {
    folder: tempfile::TempDir,
    /// The path of its configuration: what `SLURM_CONF` has to be.
    pub(crate) conf: String,
}

impl Cluster {
    /// A cluster of one node, or that the test does not run here.
    pub(crate) fn start() -> Option<Self> {
        Self::start_with(&[])
    }

    /// A cluster with these settings of the script.
    pub(crate) fn start_with(settings: &[(&str, &str)]) -> Option<Self> {
        let has = |program: &str| {
            let found =
                Command::new("sh").args(["-c", &format!("PATH=$PATH:/usr/sbin:/sbin command -v {program}")]).output();
            found.is_ok_and(|output| output.status.success())
        };
        let missing: Vec<&str> =
            ["munged", "slurmctld", "slurmd", "sbatch", "srun"].into_iter().filter(|program| !has(program)).collect();
        if !missing.is_empty() {
            let why = "Debian's slurmctld, slurmd, slurm-client and munge";
            crossover_needs::not_run(&format!("no Slurm: {} is missing; {why}", missing.join(", ")));
            return None;
        }
        let is_root = Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout == b"0\n");
        if !is_root {
            crossover_needs::not_run("a Slurm cluster of one's own needs root");
            return None;
        }
        // Sockets have short paths.
        let folder = tempfile::Builder::new().prefix("sl").tempdir_in("/tmp").expect("a folder");
        let started = script("start", folder.path(), settings);
        let line = String::from_utf8_lossy(&started.stdout).trim().to_owned();
        let conf = line.strip_prefix("export SLURM_CONF=").map(str::to_owned);
        let conf = conf.unwrap_or_else(|| panic!("{line}{}", String::from_utf8_lossy(&started.stderr)));
        Some(Self { folder, conf })
    }

    /// Takes a node its power.
    fn fail(&self, node: &str) {
        let folder = self.folder.path().join("cluster");
        let failed = Command::new("bash").arg(SCRIPT).arg("fail").arg(folder).arg(node).output().expect("bash");
        assert!(failed.status.success(), "{}", String::from_utf8_lossy(&failed.stderr));
    }

    /// What squeue prints about jobs in these states.
    pub(crate) fn queue(&self, states: &str, format: &str) -> String {
        let mut command = Command::new("squeue");
        let listed = command.args(["-h", "-t", states, "-o", format]).env("SLURM_CONF", &self.conf).output();
        String::from_utf8_lossy(&listed.expect("squeue").stdout).trim().to_owned()
    }

    /// The node of a running job, and what it requests of it; empty before it runs.
    fn placed(&self, job: &str) -> String {
        let jobs = self.queue("RUNNING", "%i %N %b");
        jobs.lines().find_map(|line| line.strip_prefix(&format!("{job} "))).unwrap_or_default().to_owned()
    }

    /// The program with this cluster.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = crossover(arguments);
        command.env("SLURM_CONF", &self.conf);
        command
    }

    fn run(&self, arguments: &[&str]) -> (Option<i32>, String, String) {
        outcome_of(self.command(arguments).output().expect("it starts"))
    }

    fn stop(&self) {
        let stopped = script("stop", &self.folder.path().join("cluster"), &[]);
        assert!(stopped.status.success(), "{}", String::from_utf8_lossy(&stopped.stderr));
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        let folder = self.folder.path().join("cluster");
        // Why a job did not run is only in the logs, which go with the folder.
        if std::thread::panicking() {
            eprintln!("{}", self.queue("all", "%i %T %r %b %N"));
            for log in std::fs::read_dir(folder.join("log")).into_iter().flatten().flatten() {
                eprintln!("{}:\n{}", log.path().display(), std::fs::read_to_string(log.path()).unwrap_or_default());
            }
        }
        // Once more is no harm.
        drop(script("stop", &folder, &[]));
    }
}

fn script(action: &str, folder: &Path, settings: &[(&str, &str)]) -> Output {
    let folder = if action == "start" { folder.join("cluster") } else { folder.to_owned() };
    let mut command = Command::new("bash");
    command.arg(SCRIPT).arg(action).arg(folder).envs(settings.iter().copied()).stdin(Stdio::null());
    command.output().expect("bash")
}

/// A scenario whose only operator is a program, in a file.
fn scenario_of(cluster: &Cluster, place: &Path, program: &[&str]) -> String {
    let task = place.join("program.csv");
    std::fs::write(&task, "name,executions,runs\nprogram,1,program\n").expect("written");
    let added = place.join("added.ron");
    let text = format!(r#"[(key: "program", categories: [hpc], command: (line: {program:?}))]"#);
    std::fs::write(&added, text).expect("written");
    let scenario = place.join("program.ron");
    let [task, added, scenario] = [&task, &added, &scenario].map(|path| path.to_str().expect("text").to_owned());
    let (code, _, messages) = cluster.run(&["probe", "build", &task, "--programs", &added, "--scenario", &scenario]);
    assert_eq!(code, Some(0), "{messages}");
    scenario
}

#[test]
fn a_probe_runs_through_a_real_slurm() {
    let Some(cluster) = Cluster::start() else { return };
    let place = tempfile::tempdir().expect("a folder");
    let path = |name: &str| place.path().join(name).to_str().expect("text").to_owned();
    let (history, out, shared) = (path("h.jsonl"), path("out.ron"), path("shared"));
    let common = ["probe", "run", PUBLISHED, "--transport", "slurm", "--folder", &shared, "--history", &history];
    let with = |more: &[&'static str]| -> Vec<String> {
        common.iter().map(|part| (*part).to_owned()).chain(more.iter().map(|part| (*part).to_owned())).collect()
    };
    let run = |arguments: &[String]| cluster.run(&arguments.iter().map(String::as_str).collect::<Vec<&str>>());

    let mut arguments = with(&["--units", "1,2", "--repeats", "2"]);
    arguments.extend(["--out".to_owned(), out.clone()]);
    let (code, table, messages) = run(&arguments);
    assert_eq!(code, Some(0), "{messages}");
    assert!(messages.contains("job 1: 2 runs") && table.contains("example centre, unit 2"), "{table}{messages}");
    let all = outcome_of(crossover(&["evaluate", &out, "--format", "json"]).output().expect("it starts")).1;
    let all: serde_json::Value = serde_json::from_str(&all).expect("JSON");
    assert_eq!(all["centres"][0]["seconds"]["runs"], 2);
    let lines = std::fs::read_to_string(&history).expect("a history");
    assert_eq!(lines.lines().count(), 4);
    assert!(lines.lines().all(|line| line.contains("\"resources\":\"main*")), "{lines}");

    // The real job, with the recommended units.
    let (script, told) = (path("real.sbatch"), path("told"));
    std::fs::write(&script, format!("#!/bin/sh\nsleep 1\necho $CROSSOVER_UNITS > '{told}'\n")).expect("written");
    let send = ["probe", "send", &out, "--job", &script, "--sbatch=--output=/dev/null", "--apply", "--wait"];
    let (code, sent, messages) = cluster.run(&send);
    assert!(code == Some(0) && sent.contains("result     "), "{sent}{messages}");
    let units = std::fs::read_to_string(&told).expect("it ran");
    assert_eq!(units.trim(), all["centres"][0]["recommended_units"].to_string().trim_end_matches(".0"));

    sent_in_its_window(&cluster, place.path());

    // A partition that does not exist, and a program that fails.
    let (code, table, messages) = run(&with(&["--repeats", "1", "--partition", "nosuch"]));
    assert!(code == Some(1) && messages.contains("Invalid partition name"), "{table}{messages}");
    let (code, _, messages) = run(&with(&["--repeats", "1", "--program", "/bin/false"]));
    assert!(code == Some(1) && messages.contains("the job ended as FAILED"), "{messages}");

    interrupted(&cluster, place.path(), &shared);

    cluster.stop();
    let (code, _, messages) = run(&with(&["--repeats", "1"]));
    assert!(code == Some(1) && messages.contains("Slurm does not respond"), "{messages}");
}

/// The window of north begins at 18:15 UTC. Before, the job waits for it in Slurm's queue; here it is then told to begin.
fn sent_in_its_window(cluster: &Cluster, place: &Path) {
    let [script, told] =
        ["window.sbatch", "window-told"].map(|name| place.join(name).to_str().expect("text").to_owned());
    std::fs::write(&script, format!("#!/bin/sh\necho $CROSSOVER_UNITS > '{told}'\n")).expect("written");
    let send = ["probe", "send", CENTRES, "--centre", "north=slurm", "--units", "1", "--job", &script, "--apply"];
    let (code, output, messages) = cluster.run(&[&send[..], &["--sbatch=--output=/dev/null"][..]].concat());
    assert_eq!(code, Some(0), "{output}{messages}");
    let job = output.lines().find_map(|line| line.strip_prefix("sent       job ")).expect("its number").to_owned();
    if output.contains("--begin=now+") {
        let waiting = format!("{job} BeginTime");
        wait_until("the job to wait for its window", || cluster.queue("PENDING", "%i %r") == waiting);
        assert!(!Path::new(&told).exists());
        let update = ["update", &format!("JobId={job}"), "StartTime=now"].map(str::to_owned);
        let updated =
            Command::new("scontrol").args(update).env("SLURM_CONF", &cluster.conf).status().expect("scontrol");
        assert!(updated.success());
    } else {
        assert!(output.contains("begin      at once\n"), "{output}");
    }
    wait_until("the job to run", || std::fs::read_to_string(&told).is_ok_and(|units| units == "1\n"));
}

/// A run that is interrupted takes its jobs along.
fn interrupted(cluster: &Cluster, place: &Path, shared: &str) {
    let scenario = scenario_of(cluster, place, &["sleep", "100000"]);
    let history = place.join("h2.jsonl").to_str().expect("text").to_owned();
    let mut child = cluster
        .command(&[
            "probe",
            "run",
            &scenario,
            "--transport",
            "slurm",
            "--folder",
            shared,
            "--history",
            &history,
            "--repeats",
            "1",
            "--allow-programs",
        ])
        .env("XDG_DATA_HOME", place)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let queue = |states: &str| cluster.queue(states, "%T");
    wait_until("the job to run", || !queue("RUNNING").is_empty());
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
    assert!(killed.success());
    let mut messages = String::new();
    child.stderr.take().expect("piped").read_to_string(&mut messages).expect("text");
    assert_eq!(child.wait().expect("it ends").code(), Some(1), "{messages}");
    assert!(messages.contains("interrupted; finished runs are kept"), "{messages}");
    // Not at its end, nor at its limit of time.
    wait_until("the job to be cancelled", || !queue("CANCELLED").is_empty() && queue("RUNNING").is_empty());
}

/// Each of four nodes runs a task with its part of the executions; the time is that of the slowest.
#[test]
fn the_units_of_a_probe_are_tasks_on_several_nodes() {
    let settings = [("SLURM_SH_NODES", "4"), ("SLURM_SH_CPUS", "2")];
    let Some(cluster) = Cluster::start_with(&settings) else { return };
    let place = tempfile::tempdir().expect("a folder");
    let [history, shared] =
        ["h.jsonl", "shared"].map(|name| place.path().join(name).to_str().expect("text").to_owned());
    // The operators of the published probe are executed 3, 2 and 1 times at its own ratio of 1,000.
    let fixed =
        ["probe", "run", PUBLISHED, "--transport", "slurm", "--folder", &shared, "--history", &history, "--tasks"];
    let run = |more: &[&str]| cluster.run(&[&fixed[..], more].concat());
    let (code, table, messages) =
        run(&["--units", "4", "--repeats", "2", "--set", "target.ratio=100", "--sbatch=--nodes=4"]);
    assert_eq!(code, Some(0), "{table}{messages}");
    let lines = std::fs::read_to_string(&history).expect("a history");
    assert_eq!(lines.lines().count(), 2);
    for line in lines.lines() {
        let entry: serde_json::Value = serde_json::from_str(line).expect("JSON");
        let report = &entry["report"];
        assert_eq!((&report["processes"], &report["units"]), (&4.into(), &4.into()), "{line}");
        let times = report["operators"].as_array().expect("operators").iter();
        let all: f64 =
            times.flat_map(|of| of["seconds"].as_array().expect("times")).filter_map(serde_json::Value::as_f64).sum();
        let slowest = report["seconds"].as_f64().expect("a time");
        assert!(slowest < all && slowest >= all / 4.0, "{line}");
    }
    let (code, _, messages) = run(&["--units", "4"]);
    assert!(code == Some(1) && messages.contains("cannot be divided among 4 units"), "{messages}");
    // A centre that the scenario does not have: the nodes of the default partition.
    let far = ["--centre", "far=slurm", "--units", "4", "--repeats", "1", "--set", "target.ratio=100"];
    let (code, _, messages) = run(&far);
    let note = "note: far is a new centre of the scenario: 4 nodes with 2 CPUs each\n";
    assert!(code == Some(0) && messages.contains(note), "{messages}");
}

/// The first run waits for a file on a node that then loses its power; the second one runs elsewhere.
#[test]
fn a_run_whose_node_fails_is_named_and_the_others_are_kept() {
    let settings = [("SLURM_SH_NODES", "4"), ("SLURM_SH_CPUS", "2"), ("SLURM_SH_CONF", "SlurmdTimeout=5")];
    let Some(cluster) = Cluster::start_with(&settings) else { return };
    let place = tempfile::tempdir().expect("a folder");
    let path = |name: &str| place.path().join(name).to_str().expect("text").to_owned();
    let (waits, begun, program) = (path("waits"), path("begun"), path("program.sh"));
    std::fs::write(&waits, "").expect("written");
    let text = format!(
        "echo $SLURMD_NODENAME >> '{begun}'; while [ -e '{waits}' ]; do sleep 0.1; done; \
         echo '{{\"value\": 1.5, \"true_value\": 1.5}}'\n"
    );
    std::fs::write(&program, text).expect("written");
    let scenario = scenario_of(&cluster, place.path(), &["sh", &program]);
    let [history, shared, out] = ["h.jsonl", "shared", "out.ron"].map(path);
    let run = ["probe", "run", &scenario, "--transport", "slurm", "--folder", &shared, "--history", &history];
    let mut command = cluster.command(&run);
    command.args(["--repeats", "2", "--allow-programs", "--out", &out]).env("XDG_DATA_HOME", place.path());
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    // A job counts as running before its program does, and squeue need not have the job: the program itself names its node.
    let node = wait_for("the program to run", || {
        let named = std::fs::read_to_string(&begun).ok()?;
        named.lines().next().filter(|_| named.ends_with('\n')).map(str::to_owned)
    });
    cluster.fail(&node);
    std::fs::remove_file(&waits).expect("there");
    let (code, table, messages) = outcome_of(child.wait_with_output().expect("it ends"));
    assert_eq!(code, Some(0), "{table}{messages}");
    let lost = format!("its node {node} failed during the run (NODE_FAIL)");
    assert_eq!(messages.lines().filter(|line| line.contains(&lost)).count(), 1, "{messages}");
    let all = outcome_of(crossover(&["evaluate", &out, "--format", "json"]).output().expect("it starts")).1;
    let all: serde_json::Value = serde_json::from_str(&all).expect("JSON");
    assert_eq!(all["centres"][0]["seconds"]["runs"], 1, "{all}");
    // Both runs are in the history, the lost one with its reason.
    let lines = std::fs::read_to_string(&history).expect("a history");
    assert!(lines.lines().count() == 2 && lines.contains(&lost), "{lines}");
}

/// Four idle nodes with two GPUs each, and four shards of each GPU.
#[test]
fn jobs_get_the_node_and_the_share_that_a_policy_chooses() {
    let settings = [("SLURM_SH_NODES", "4"), ("SLURM_SH_CPUS", "4"), ("SLURM_SH_GPUS", "2")];
    let Some(cluster) = Cluster::start_with(&settings) else { return };
    let place = tempfile::tempdir().expect("a folder");
    let script = place.path().join("run.sbatch");
    std::fs::write(&script, "#!/bin/sh\nsleep 100000\n").expect("written");
    let script = script.to_str().expect("text");
    let submit = |more: &[&str]| {
        let fixed = ["allocate", "submit", script, "--policy", "BestFit", "--apply", "--sbatch=--output=/dev/null"];
        let (code, output, messages) = cluster.run(&[&fixed[..], more].concat());
        assert_eq!(code, Some(0), "{output}{messages}");
        let job = output.lines().find_map(|line| line.strip_prefix("submitted  job ")).expect("its number").to_owned();
        wait_until("the job to run", || !cluster.placed(&job).is_empty());
        cluster.placed(&job)
    };
    let (one, another) = (submit(&["--share", "30"]), submit(&["--share", "50"]));
    // Two of four shards each, which the policy puts on one GPU.
    assert!(one.ends_with("shard:2") && one == another, "{one}, {another}");
    let node = one.split(' ').next().expect("a node");
    let whole = submit(&["--gpus", "2", "--gpu-type", "a100"]);
    assert!(whole.ends_with("gpu:a100:2") && !whole.starts_with(node), "{whole}");
    // The other GPU of the first node is idle.
    let idle = submit(&["--gpus", "1"]);
    assert!(idle.starts_with(&format!("{node} ")) && idle.ends_with("gpu:1"), "{idle}");
    // The second job gets a whole GPU instead of a half, which only another node has. Its checkpoint is taken before.
    let (save, saved) = (place.path().join("save"), place.path().join("saved"));
    std::fs::write(&save, format!("#!/bin/sh\necho $1 > '{}'\n", saved.display())).expect("written");
    std::fs::set_permissions(&save, std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("executable");
    let save = save.to_str().expect("text");
    let resize = ["allocate", "resize", "2", "--share", "100", "--policy", "BestFit", "--apply", "--checkpoint", save];
    let (code, output, messages) = cluster.run(&resize);
    assert_eq!(code, Some(0), "{output}{messages}");
    assert_eq!(std::fs::read_to_string(&saved).expect("a checkpoint"), "2\n");
    wait_until("the job to run again", || !cluster.placed("2").is_empty());
    let larger = cluster.placed("2");
    assert!(larger.ends_with("shard:4") && !larger.starts_with(node), "{larger}");
    let none = cluster.run(&["allocate", "submit", script, "--gpus", "2", "--cores", "5"]);
    assert!(none.0 == Some(1) && none.2.contains("too few cores are left"), "{}{}", none.1, none.2);
    read_as_text(&cluster, place.path(), script);
    suspended_for_another(&cluster, place.path(), node);
}

/// Jobs as `scontrol show job` prints them are those of `squeue --json`.
fn read_as_text(cluster: &Cluster, place: &Path, script: &str) {
    let printed = |words: &[&str]| {
        let file = place.join(words.concat()).to_str().expect("text").to_owned();
        let output = Command::new(words[0]).args(&words[1..]).env("SLURM_CONF", &cluster.conf).output().expect("Slurm");
        std::fs::write(&file, output.stdout).expect("written");
        file
    };
    let nodes = printed(&["scontrol", "show", "node"]);
    let choice = |jobs: &[&str]| {
        let jobs = printed(jobs);
        let submit = ["allocate", "submit", script, "--policy", "BestFit", "--share", "30"];
        cluster.run(&[&submit[..], &["--nodes", &nodes, "--jobs", &jobs][..]].concat())
    };
    let by_json = choice(&["squeue", "--json"]);
    assert_eq!(by_json.0, Some(0), "{}", by_json.2);
    assert_eq!(choice(&["scontrol", "--details", "show", "job"]), by_json);
    assert_eq!(choice(&["scontrol", "--details", "--oneliner", "show", "job"]), by_json);
}

/// Job 1 has half a GPU of a node. Job 5 gets the other half and is behind, so that job 1 is suspended while job 5 is watched.
fn suspended_for_another(cluster: &Cluster, place: &Path, node: &str) {
    let path = |name: &str| place.join(name).to_str().expect("text").to_owned();
    let (script, progress) = (path("steps.sbatch"), path("progress"));
    let steps = format!("i=0; while :; do i=$((i+1)); echo $i/100000 >> '{progress}'; sleep 0.2; done");
    std::fs::write(&script, format!("#!/bin/sh\n{steps}\n")).expect("written");
    let submit = ["allocate", "submit", &script, "--policy", "BestFit", "--share", "50", "--apply"];
    let (code, output, messages) = cluster.run(&[&submit[..], &["--sbatch=--output=/dev/null"][..]].concat());
    assert!(code == Some(0) && output.ends_with("submitted  job 5\n"), "{output}{messages}");
    wait_until("the job to run", || !cluster.placed("5").is_empty());
    assert_eq!(cluster.placed("5"), format!("{node} gres:shard:2"));
    wait_until("its progress", || Path::new(&progress).exists());
    let watch = ["allocate", "watch", "5", "--progress", &progress, "--within", "60", "--share", "50", "--every", "1"];
    let mut command = cluster.command(&[&watch[..], &["--suspend", "1", "--no-requeue", "--apply"][..]].concat());
    command.env("XDG_DATA_HOME", place).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().expect("it starts");
    wait_until("the job to be suspended", || cluster.queue("SUSPENDED", "%i") == "1");
    let cancelled = Command::new("scancel").arg("5").env("SLURM_CONF", &cluster.conf).status().expect("scancel");
    assert!(cancelled.success());
    let (code, output, messages) = outcome_of(child.wait_with_output().expect("it ends"));
    assert!(code == Some(1) && messages.contains("job 5 ended as CANCELLED"), "{output}{messages}");
    assert!(output.ends_with("command    scontrol resume 1\nresumed    job 1\n"), "{output}");
    assert!(cluster.placed("1").starts_with(node));
}

/// One GPU of four shards, of which two jobs have two each. The second one is behind: 60 % are three shards, so that one is left for the
/// first one. As soon as it runs again, it is fast enough.
#[test]
fn a_job_that_is_behind_grows_and_another_one_shrinks() {
    let Some(cluster) = Cluster::start_with(&[("SLURM_SH_CPUS", "4"), ("SLURM_SH_GPUS", "1")]) else { return };
    let place = tempfile::tempdir().expect("a folder");
    let path = |name: &str| place.path().join(name).to_str().expect("text").to_owned();
    let (idle, steps, progress) = (path("idle.sbatch"), path("steps.sbatch"), path("progress"));
    std::fs::write(&idle, "#!/bin/sh\nsleep 100000\n").expect("written");
    let text = format!(
        "#!/bin/sh\nstep=1; [ \"${{SLURM_RESTART_COUNT:-0}}\" -gt 0 ] && step=100\n\
         i=0; while :; do i=$((i+step)); echo $i/100000 >> '{progress}'; sleep 0.2; done\n"
    );
    std::fs::write(&steps, text).expect("written");
    for (job, script) in [("1", &idle), ("2", &steps)] {
        let submit = ["allocate", "submit", script, "--share", "50", "--apply", "--sbatch=--output=/dev/null"];
        let (code, output, messages) = cluster.run(&submit);
        assert!(code == Some(0) && output.ends_with(&format!("submitted  job {job}\n")), "{output}{messages}");
        wait_until("the job to run", || cluster.placed(job).ends_with("shard:2"));
    }
    wait_until("its progress", || Path::new(&progress).exists());
    let watch = ["allocate", "watch", "2", "--progress", &progress, "--within", "600", "--share", "50", "--every", "1"];
    let mut command = cluster.command(&[&watch[..], &["--shrink", "1", "--apply"][..]].concat());
    command.env("XDG_DATA_HOME", place.path()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().expect("it starts");
    wait_until("both jobs to run with their new shares", || {
        cluster.placed("1").ends_with("shard:1") && cluster.placed("2").ends_with("shard:3")
    });
    let cancelled = Command::new("scancel").arg("2").env("SLURM_CONF", &cluster.conf).status().expect("scancel");
    assert!(cancelled.success());
    let (code, output, messages) = outcome_of(child.wait_with_output().expect("it ends"));
    assert!(code == Some(1) && messages.contains("job 2 ended as CANCELLED"), "{output}{messages}");
    for job in ["1", "2"] {
        assert!(output.contains(&format!("command    scontrol requeuehold {job}\n")), "{output}");
    }
    assert!(messages.contains("“crossover allocate resize 1 --share 50 --apply” gives it 50 % again"), "{messages}");
}
