//! Probes at several centres at once, through programs that stand in for the clients of SSH, Kubernetes and Slurm.

use std::fs;

use serde_json::Value;

use super::probe::{PUBLISHED, Place};
use super::run;

/// Commands that stand in for the clients of centres: the only ones that the program finds.
pub(super) struct Clients(pub(super) Place);

impl Clients {
    /// An OpenSSH client whose hosts are this machine, a kubectl whose only job ends at once, and a Slurm that runs a job as it is
    /// submitted.
    pub(super) fn new() -> Self {
        let place = Place::new();
        let own = env!("CARGO_BIN_EXE_crossover");
        let ssh = r#"
while [ "$1" != -- ]; do shift; done
host=$2; shift 2
case $host in
north) exec sh -c "$*" ;;
here) touch "$HERE/here"; until [ -e "$HERE/there" ]; do sleep 0.1; done; exec sh -c "$*" ;;
there) touch "$HERE/there"; until [ -e "$HERE/here" ]; do sleep 0.1; done; exec sh -c "$*" ;;
down) echo "ssh: connect to host down port 22: Connection refused" >&2; exit 255 ;;
silent) exec sleep 600 ;;
twice) text=$(sh -c "$*"); printf '%s\n%s\n' "$text" "$text" ;;
same) [ -e "$HERE/same" ] || sh -c "$*" > "$HERE/same"; cat "$HERE/same" ;;
other) sh -c "$*" | sed '0,/"in_target": *[0-9.]*/s//"in_target": 9.0/' ;;
esac
"#;
        let kubectl = r#"
while [ $# -gt 0 ]; do case $1 in --context=*) shift ;; *) break ;; esac; done
echo "$@" >> "$HERE/kubectl.log"
case "$1 $2 $3" in
apply*) cp "${2#--filename=}" "$HERE/manifest.json" ;;
"get job/"*jsonpath*) echo uid-1 ;;
"get job/"*) echo '{"status": {"succeeded": 1, "conditions": [{"type": "Complete", "status": "True"}]}}' ;;
"get jobs "*) echo '{"items": [{"status": {"conditions": [{"type": "Complete", "status": "True"}]}}]}' ;;
"get pods "*) cat "$HERE/pods.json" ;;
"get nodes "*) echo '{"items": [{"status": {"allocatable": {"cpu": "15800m", "nvidia.com/gpu": "2"}}}]}' ;;
"logs pod/"*)
    sed -n 's/^ *"probe.ron": "\(.*\)"$/\1/p' "$HERE/manifest.json" > "$HERE/text"
    printf '%b' "$(cat "$HERE/text")" | sed 's/\\"/"/g' > "$HERE/probe.ron"
    echo "starting"; exec gpu-bench probe "$HERE/probe.ron" --units 1 ;;
esac
"#;
        let own = format!("exec {own} bench \"$@\" 2>/dev/null");
        let sbatch = r#"
echo "$@" > "$HERE/sbatch.log"
for script; do :; done
SLURM_ARRAY_TASK_ID=0 sh "$script" > /dev/null 2>&1
echo 7
"#;
        let sinfo = r#"
case "$*" in
*--Node*) printf '%s\n' 'n1|64|gpu:a100:4(S:0-1)|short' 'n2|32|(null)|short' ;;
*) echo short 4 2 ;;
esac
"#;
        for (name, script) in [
            ("ssh", ssh),
            ("kubectl", kubectl),
            ("gpu-bench", own.as_str()),
            ("sbatch", sbatch),
            ("srun", r#"exec "$@""#),
            ("squeue", "echo '0|COMPLETED|n1|None'"),
            ("scancel", r#"echo "$@" >> "$HERE/scancel.log""#),
            ("sinfo", sinfo),
            ("scontrol", "exit 0"),
        ] {
            use std::os::unix::fs::PermissionsExt as _;
            let path = place.path(name);
            let here = place.0.path().display();
            fs::write(&path, format!("#!/bin/sh\nHERE='{here}'\n{script}\n")).expect("written");
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("executable");
        }
        fs::write(place.path("pods.json"), pods(&["crossover-probe-a"])).expect("written");
        // A centre for each host, as in the published example.
        let mut scenario =
            crossover_scenario::read(&fs::read_to_string(PUBLISHED).expect("a scenario")).expect("valid");
        let study = scenario.study.probe_mut().expect("a probe study");
        let centre = study.centres[0].clone();
        for name in ["north", "slow", "down", "silent", "twice", "same", "other", "west", "east"] {
            study.centres.push(crossover_probe::Centre { name: name.to_owned(), ..centre.clone() });
        }
        crossover_page::storage::scenario::save(std::path::Path::new(&place.path("s.ron")), &scenario).expect("saved");
        Self(place)
    }

    /// Runs the probe at centres; returns exit code, output and messages, and the scenario with the runs.
    fn run(&self, centres: &[&str], more: &[&str]) -> (Option<i32>, String, String) {
        let [scenario, history, out] = ["s.ron", "h.jsonl", "out.ron"].map(|name| self.0.path(name));
        let mut command = super::crossover(&["probe", "run", &scenario, "--history", &history, "--out", &out]);
        for centre in centres {
            command.args(["--centre", centre]);
        }
        let path = format!("{}:{}", self.0.0.path().display(), std::env::var("PATH").unwrap_or_default());
        super::outcome_of(command.args(more).env("PATH", path).output().expect("the program starts"))
    }

    /// Numbers of valid and failed runs of a centre.
    fn runs(&self, centre: &str) -> (usize, usize) {
        let text = fs::read_to_string(self.0.path("out.ron")).expect("a scenario");
        let scenario = crossover_scenario::read(&text).expect("valid");
        let study = scenario.probe().expect("a probe study");
        let of = &study.centres.iter().find(|of| of.name == centre).expect("a centre").units[1].runs;
        (of.seconds.len(), of.failed.len())
    }
}

/// The list of pods of a job: each of its first run, and succeeded.
fn pods(names: &[&str]) -> String {
    let pod = |name: &&str| {
        serde_json::json!({
            "metadata": { "name": name, "annotations": { "batch.kubernetes.io/job-completion-index": "0" } },
            "status": { "phase": "Succeeded" },
        })
    };
    serde_json::json!({ "items": names.iter().map(pod).collect::<Vec<Value>>() }).to_string()
}

/// Two of the hosts wait for each other: one after the other they would never end.
#[test]
fn several_centres_run_side_by_side() {
    let clients = Clients::new();
    let centres = ["north=ssh:north", "slow=ssh:here", "same=ssh:there", "west=kubernetes:west", "east=slurm:short"];
    // Names that a shell would take for more than names.
    let shared = clients.0.path("it's $(touch here) shared");
    let (code, table, messages) = clients.run(&centres, &["--repeats", "1", "--folder", &shared]);
    assert_eq!(code, Some(0), "{messages}");
    for name in ["north", "slow", "same", "west", "east"] {
        assert_eq!(clients.runs(name), (1, 0), "{name}: {messages}");
        assert!(table.contains(&format!("{name}, unit 2")), "{table}");
    }
    assert_eq!(clients.0.lines("h.jsonl").len(), 5);
    let submitted = fs::read_to_string(clients.0.path("sbatch.log")).expect("a log");
    assert!(submitted.contains("--partition=short"), "{submitted}");
    assert_eq!(fs::read_to_string(clients.0.path("scancel.log")).expect("a log"), "7\n");
    // The job and its probe are deleted, and would delete themselves.
    let asked = fs::read_to_string(clients.0.path("kubectl.log")).expect("a log");
    assert!(asked.lines().last().is_some_and(|line| line.starts_with("delete job/crossover-probe-")), "{asked}");
    assert!(asked.contains("patch configmap/crossover-probe-") && asked.contains("\"uid\":\"uid-1\""), "{asked}");
}

/// As a real controller does that was killed while the job ran, and restarted.
#[test]
fn a_run_that_has_reported_is_kept_if_slurm_queues_its_job_again() {
    let clients = Clients::new();
    fs::write(clients.0.path("squeue"), "#!/bin/sh\necho '0|PENDING||BeginTime'\n").expect("written");
    let shared = clients.0.path("shared");
    let (code, _, messages) = clients.run(&["east=slurm"], &["--repeats", "1", "--folder", &shared]);
    assert_eq!((code, clients.runs("east")), (Some(0), (1, 0)), "{messages}");
    assert_eq!(fs::read_to_string(clients.0.path("scancel.log")).expect("a log"), "7\n");
}

#[test]
fn a_centre_at_fault_is_named_in_one_line_and_the_others_keep_their_runs() {
    let clients = Clients::new();
    let faults = [
        ("down", "no connection to down: ssh: connect to host down port 22: Connection refused"),
        ("silent", "silent did not answer within 10 s"),
        ("twice", "answered 2 times; expected one report of each run"),
        ("other", "the report belongs to a different probe"),
    ];
    let centres: Vec<String> = faults
        .iter()
        .map(|(name, _)| *name)
        .chain(["north", "same"])
        .map(|name| format!("{name}=ssh:{name}"))
        .collect();
    let centres: Vec<&str> = centres.iter().map(String::as_str).collect();
    let (code, table, messages) = clients.run(&centres, &["--repeats", "2", "--limit", "10s"]);
    assert_eq!(code, Some(1), "{messages}");
    for (name, expected) in faults {
        let lines = messages.lines().filter(|line| line.starts_with(&format!("crossover: {name}: "))).count();
        assert_eq!(lines, 1, "{name}: {messages}");
        assert!(messages.contains(expected), "{name}: {messages}");
        assert_eq!(clients.runs(name).0, 0, "{name}");
    }
    assert!(
        messages.contains("no run at down, silent, twice, other succeeded; the runs of the other centres are kept")
    );
    assert_eq!(clients.runs("north"), (2, 0), "{table}");
    // A report that comes once more is no second run.
    assert_eq!(clients.runs("same"), (1, 1), "{messages}");
    assert!(messages.contains("the centre answered twice: this report is that of an earlier run"), "{messages}");
}

#[test]
fn a_centre_that_is_late_is_cancelled_and_the_others_go_on() {
    let clients = Clients::new();
    let centres = ["silent=ssh:silent", "north=ssh:north"];
    // Each centre has its own limit; without one, that of all.
    let more = ["--repeats", "1", "--answer-within", "silent=8s", "--answer-within", "1h"];
    let (code, _, messages) = clients.run(&centres, &more);
    assert_eq!(code, Some(1), "{messages}");
    assert!(messages.contains("silent: did not answer within 8 s; its other runs were cancelled"), "{messages}");
    assert_eq!((clients.runs("north"), clients.runs("silent")), ((1, 0), (0, 0)), "{messages}");
    let (code, _, messages) = clients.run(&centres, &["--answer-within", "west=8s"]);
    assert!(code == Some(1) && messages.contains("--answer-within west: no --centre has this name"), "{messages}");
}

/// What a centre has is not typed: its host lists it.
#[test]
fn a_host_that_the_scenario_does_not_have_lists_its_units_and_becomes_a_centre() {
    let clients = Clients::new();
    let (code, table, messages) = clients.run(&["far=ssh:north"], &["--repeats", "1"]);
    assert_eq!(code, Some(0), "{messages}");
    assert!(
        messages.contains("note: far is a new centre of the scenario: ") && table.contains("far, cpu"),
        "{messages}"
    );
    let text = fs::read_to_string(clients.0.path("out.ron")).expect("a scenario");
    let scenario = crossover_scenario::read(&text).expect("valid");
    let far = scenario.probe().expect("a probe study").centres.last().expect("a centre").clone();
    let listed: Value = serde_json::from_str(&run(&["bench", "units", "--json"]).1).expect("JSON");
    assert_eq!(listed["threads"].as_f64(), Some(far.units[0].count), "{listed}");
    // Its report carries them too.
    let report = &clients.0.lines("h.jsonl")[0]["report"];
    assert_eq!(report["machine"]["threads"], listed["threads"]);
    let table = run(&["bench", "units"]).1;
    assert!(["sockets", "cores", "threads", "memory"].iter().all(|fact| table.contains(fact)), "{table}");
}

/// Slurm and Kubernetes list their nodes without a run. A run on one node has at most the units of the largest one.
#[test]
fn a_cluster_that_the_scenario_does_not_have_lists_its_nodes_and_becomes_a_centre() {
    let clients = Clients::new();
    let shared = clients.0.path("shared");
    let more = ["--repeats", "1", "--folder", &shared];
    let (code, _, messages) = clients.run(&["far=slurm:short", "cloud=kubernetes:west"], &more);
    assert_eq!(code, Some(0), "{messages}");
    for note in [
        "note: far is a new centre of the scenario: 1 node with 64 CPUs and 4 GPUs; 1 node with 32 CPUs\n",
        "note: cloud is a new centre of the scenario: 1 node with 15 CPUs and 2 GPUs\n",
    ] {
        assert!(messages.contains(note), "{messages}");
    }
    let text = fs::read_to_string(clients.0.path("out.ron")).expect("a scenario");
    let scenario = crossover_scenario::read(&text).expect("valid");
    let centres = &scenario.probe().expect("a probe study").centres;
    for (name, cpus, gpus) in [("far", 64.0, 4.0), ("cloud", 15.0, 2.0)] {
        let units = &centres.iter().find(|centre| centre.name == name).expect("a centre").units;
        let found: Vec<(&str, f64, usize)> =
            units.iter().map(|of| (of.name.as_str(), of.count, of.runs.seconds.len())).collect();
        assert_eq!(found, [("cpu", cpus, 1), ("gpu", gpus, 0)], "{name}");
    }

    fs::write(clients.0.path("sinfo"), "#!/bin/sh\n").expect("written");
    let (code, _, messages) = clients.run(&["far=slurm:nosuch"], &more);
    let expected =
        "far: it is not in the scenario, and its units are not known; describe it in the scenario: no node is listed";
    assert!(code == Some(1) && messages.contains(expected), "{messages}");
}

#[test]
fn a_cluster_of_kubernetes_runs_again_only_if_its_nodes_have_changed() {
    let clients = Clients::new();
    let more = ["--repeats", "1", "--if-changed"];
    let (code, _, messages) = clients.run(&["west=kubernetes"], &more);
    assert_eq!((code, clients.runs("west")), (Some(0), (1, 0)), "{messages}");
    let (code, _, messages) = clients.run(&["west=kubernetes"], &more);
    assert!(code == Some(0) && messages.contains("the resources of west have not changed"), "{messages}");
    assert_eq!(clients.0.lines("h.jsonl").len(), 1);
}

/// Slurm lists a job only for some minutes after its end: here it lists the first run of two, and the second one has not reported.
#[test]
fn half_an_array_that_slurm_no_longer_lists_is_named_and_the_other_half_is_kept() {
    let clients = Clients::new();
    let shared = clients.0.path("shared");
    let (code, _, messages) = clients.run(&["east=slurm"], &["--repeats", "2", "--folder", &shared]);
    assert_eq!((code, clients.runs("east")), (Some(0), (1, 1)), "{messages}");
    let expected = "Slurm no longer lists the job, and it has no report: no output";
    assert_eq!(messages.lines().filter(|line| line.contains(expected)).count(), 1, "{messages}");
    assert_eq!(fs::read_to_string(clients.0.path("scancel.log")).expect("a log"), "7\n");
}

#[test]
fn a_host_runs_again_only_if_its_units_have_changed() {
    let clients = Clients::new();
    let more = ["--repeats", "1", "--if-changed"];
    assert_eq!(clients.run(&["north=ssh:north"], &more).0, Some(0));
    let (code, _, messages) = clients.run(&["north=ssh:north"], &more);
    assert!(code == Some(0) && messages.contains("the resources of north have not changed"), "{messages}");
    assert_eq!(clients.0.lines("h.jsonl").len(), 1);
}

#[test]
fn a_centre_that_drops_a_request_runs_once() {
    let clients = Clients::new();
    let folder = clients.0.path("requests");
    fs::create_dir(&folder).expect("a folder");
    let run = || clients.run(&["north=ssh:north", "same=ssh:same"], &["--repeats", "1", "--if-requested", &folder]);
    let (code, _, messages) = run();
    assert!(code == Some(0) && messages.contains("no file requests runs at north; nothing is run"), "{messages}");
    let request = format!("{folder}/north");
    fs::write(&request, "").expect("written");
    let (code, _, messages) = run();
    assert_eq!(code, Some(0), "{messages}");
    assert!(messages.contains("no file requests runs at same"), "{messages}");
    assert_eq!((clients.runs("north"), clients.runs("same")), ((1, 0), (0, 0)), "{messages}");
    assert!(!std::path::Path::new(&request).exists(), "it is fulfilled");
    assert_eq!(clients.0.lines("h.jsonl").len(), 1);
}

#[test]
fn a_job_whose_pods_answer_twice_counts_nowhere_and_is_deleted() {
    let clients = Clients::new();
    fs::write(clients.0.path("pods.json"), pods(&["crossover-probe-a", "crossover-probe-b"])).expect("written");
    let (code, _, messages) = clients.run(&["west=kubernetes"], &["--repeats", "1"]);
    assert_eq!(code, Some(1), "{messages}");
    assert!(messages.contains("answered run 1 twice: pods crossover-probe-a, crossover-probe-b"), "{messages}");
    let asked = fs::read_to_string(clients.0.path("kubectl.log")).expect("a log");
    assert!(asked.lines().last().is_some_and(|line| line.starts_with("delete job/")), "{asked}");
}
