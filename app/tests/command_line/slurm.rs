//! Probes through a real Slurm: a cluster of one node on loopback, which the test starts and ends.

use std::io::Read as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use crossover_needs::wait_until;

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
    /// A cluster, or that the test does not run here.
    pub(crate) fn start() -> Option<Self> {
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
        let started = script("start", folder.path());
        let line = String::from_utf8_lossy(&started.stdout).trim().to_owned();
        let conf = line.strip_prefix("export SLURM_CONF=").map(str::to_owned);
        let conf = conf.unwrap_or_else(|| panic!("{line}{}", String::from_utf8_lossy(&started.stderr)));
        Some(Self { folder, conf })
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = crossover(arguments);
        command.env("SLURM_CONF", &self.conf);
        command
    }

    fn run(&self, arguments: &[&str]) -> (Option<i32>, String, String) {
        outcome_of(self.command(arguments).output().expect("it starts"))
    }

    fn stop(&self) {
        let stopped = script("stop", &self.folder.path().join("cluster"));
        assert!(stopped.status.success(), "{}", String::from_utf8_lossy(&stopped.stderr));
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        // Once more is no harm.
        drop(script("stop", &self.folder.path().join("cluster")));
    }
}

fn script(action: &str, folder: &Path) -> Output {
    let folder = if action == "start" { folder.join("cluster") } else { folder.to_owned() };
    Command::new("bash").arg(SCRIPT).arg(action).arg(folder).stdin(Stdio::null()).output().expect("bash")
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

/// A run that is interrupted takes its jobs along.
fn interrupted(cluster: &Cluster, place: &Path, shared: &str) {
    let task = place.join("sleeps.csv");
    std::fs::write(&task, "name,executions,runs\nsleeps,1,sleeps\n").expect("written");
    let added = place.join("added.ron");
    let text = r#"[(key: "sleeps", categories: [hpc], command: (line: ["sleep", "100000"]))]"#;
    std::fs::write(&added, text).expect("written");
    let scenario = place.join("sleeps.ron");
    let [task, added, scenario] = [&task, &added, &scenario].map(|path| path.to_str().expect("text").to_owned());
    let (code, _, messages) = cluster.run(&["probe", "build", &task, "--programs", &added, "--scenario", &scenario]);
    assert_eq!(code, Some(0), "{messages}");
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
    let queue = |states: &str| {
        let listed =
            Command::new("squeue").args(["-h", "-t", states, "-o", "%T"]).env("SLURM_CONF", &cluster.conf).output();
        String::from_utf8_lossy(&listed.expect("squeue").stdout).trim().to_owned()
    };
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
