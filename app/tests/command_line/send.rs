//! The real job goes to the best centre, through programs that stand in for the commands of Slurm, and for the clients of SSH and
//! Kubernetes.

use std::fs;

use serde_json::Value;

use super::probe::{CENTRES, Place};
use super::probe_centres::Clients;

/// A Slurm that takes every job as job 17, which has ended at once.
fn slurm(queue: &str) -> Place {
    let place = Place::new();
    let here = place.0.path().display().to_string();
    for (name, script) in [
        ("sbatch", format!("for word; do printf '%s\\n' \"$word\" >> '{here}/sbatch.log'; done; echo 17")),
        ("squeue", format!("echo '{queue}'")),
    ] {
        use std::os::unix::fs::PermissionsExt as _;
        fs::write(place.path(name), format!("#!/bin/sh\n{script}\n")).expect("written");
        fs::set_permissions(place.path(name), fs::Permissions::from_mode(0o755)).expect("executable");
    }
    fs::write(place.path("run.sbatch"), "#!/bin/sh\n").expect("written");
    place
}

/// Sends the job; returns exit code, output and messages.
fn send(place: &Place, more: &[&str]) -> (Option<i32>, String, String) {
    let mut command = super::crossover(&["probe", "send", CENTRES, "--job", "run.sbatch"]);
    let path = format!("{}:{}", place.0.path().display(), std::env::var("PATH").unwrap_or_default());
    command.args(more).current_dir(place.0.path()).env("PATH", path).env("HOME", place.0.path());
    super::outcome_of(command.output().expect("the program starts"))
}

/// The arguments that sbatch got; none if it was not started.
fn sent(place: &Place) -> Vec<String> {
    let text = fs::read_to_string(place.path("sbatch.log")).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

/// As the page about centres shows: south has the highest score and 32 recommended units, for 109 s.
#[test]
fn the_best_centre_gets_the_job_with_its_recommended_units() {
    let place = slurm("COMPLETED|1:49|n[1-2]");
    let (code, output, messages) = send(&place, &["--", "a b"]);
    assert_eq!(code, Some(0), "{messages}");
    assert!(output.contains("centre     south, score 76.9"), "{output}");
    assert!(output.contains("units      32 of type “48 cores”\n"), "{output}");
    assert!(output.contains("begin      at once; no window of the day is known\n"), "{output}");
    let command = "command    sbatch --parsable --nodes=1 --ntasks=1 --cpus-per-task=32 \
                   --export=ALL,CROSSOVER_UNITS=32 run.sbatch 'a b'\n";
    assert!(output.contains(command), "{output}");
    assert!(messages.contains("a dry run: nothing was sent; add --apply"), "{messages}");
    assert!(sent(&place).is_empty());

    let (code, output, messages) = send(&place, &["--apply", "--wait", "--", "a b"]);
    assert_eq!(code, Some(0), "{messages}");
    assert!(output.contains("sent       job 17\n"), "{output}");
    assert!(output.contains("result     1 min 49 s on n[1-2]; estimate "), "{output}");
    assert!(output.ends_with(", within the interval\n"), "{output}");
    assert_eq!(sent(&place).last().map(String::as_str), Some("a b"));
}

/// The window of north is from 18:15 UTC; whether it is open depends on the hour in which the test runs.
#[test]
fn a_named_centre_gets_the_job_in_its_window() {
    let place = slurm("FAILED|0:03|n1");
    let (code, output, messages) = send(&place, &["--centre", "north=slurm:short", "--tasks", "--apply"]);
    assert_eq!(code, Some(0), "{messages}");
    assert!(
        output.contains("centre     north, score 73.7") && output.contains("units      16 of type “64 cores”\n"),
        "{output}"
    );
    let mut words = sent(&place);
    let begin = words.iter().position(|word| word.starts_with("--begin=")).map(|place| words.remove(place));
    match begin {
        Some(begin) => {
            let seconds: u64 = begin.strip_prefix("--begin=now+").and_then(|text| text.parse().ok()).expect("seconds");
            assert!(seconds <= 86_400 && output.contains("in the window from 18:15 UTC\n"), "{output}");
        }
        None => assert!(output.contains("begin      at once\n"), "{output}"),
    }
    let expected = [
        "--parsable",
        "--partition=short",
        "--ntasks=16",
        "--cpus-per-task=1",
        "--export=ALL,CROSSOVER_UNITS=16",
        "run.sbatch",
    ];
    assert_eq!(words, expected);

    let (code, output, messages) =
        send(&place, &["--centre", "north", "--at-once", "--units", "4", "--apply", "--wait"]);
    assert!(code == Some(1) && messages.contains("job 17 ended as FAILED"), "{messages}");
    assert!(output.contains("units      4 of type “64 cores”, not the recommended number\n"), "{output}");
    assert!(!output.contains("--begin="), "{output}");
}

/// The estimate is of 32 units.
#[test]
fn a_job_on_other_units_is_not_compared_with_the_estimate() {
    let place = slurm("COMPLETED|1:49|n1");
    let (code, output, messages) = send(&place, &["--units", "4", "--apply", "--wait"]);
    assert_eq!(code, Some(0), "{messages}");
    assert!(output.ends_with("result     1 min 49 s on n1\n"), "{output}");
}

/// Slurm forgets jobs that ended minutes ago; some versions then print nothing.
#[test]
fn the_wait_for_a_job_that_is_no_longer_listed_ends() {
    let place = slurm("");
    let (code, output, messages) = send(&place, &["--apply", "--wait"]);
    assert!(code == Some(1) && output.ends_with("sent       job 17\n"), "{output} {messages}");
    assert!(messages.contains("Slurm no longer lists job 17; its time is in “sacct -j 17”"), "{messages}");
}

#[test]
fn a_job_that_cannot_be_sent_has_its_reason() {
    let place = slurm("");
    for (more, expected) in [
        (&["--centre", "west"][..], "--centre west: the scenario has no such centre"),
        (
            &["--centre", "north=local"][..],
            "--centre north: expected a centre through Slurm or Kubernetes, or over SSH",
        ),
        (&["--centre", "north=ssh:north", "--tasks"][..], "north is reached over SSH, host north"),
        (&["--centre", "north=kubernetes"][..], "name the container image of the job: --image IMAGE"),
        (&["--units", "1000"][..], "south has 64 units of type “48 cores”; 1000 requested"),
        (&["--job", "none.sbatch"][..], "cannot be used multiple times"),
    ] {
        let (code, _, messages) = send(&place, more);
        assert!(code != Some(0) && messages.contains(expected), "{more:?}: {messages}");
    }
    fs::remove_file(place.path("run.sbatch")).expect("there");
    let (code, _, messages) = send(&place, &["--apply"]);
    assert!(code == Some(1) && messages.contains("run.sbatch: expected a script"), "{messages}");
    assert!(sent(&place).is_empty());
}

/// A job for a centre that is not reached through Slurm, which prints its units and its argument.
fn job(script: &str) -> Clients {
    let clients = Clients::new();
    fs::write(clients.0.path("run.sbatch"), script).expect("written");
    clients
}

/// South has no window of the day, so the job begins at once.
#[test]
fn a_host_runs_the_job_in_a_folder_of_its_own() {
    const HOSTILE: &str = "it's $(touch here) `touch here`";
    let clients = job("#!/bin/sh\nprintf '%s|%s\\n' \"$CROSSOVER_UNITS\" \"$1\"\n");
    let (code, output, messages) = send(&clients.0, &["--centre", "south=ssh:north", "--", HOSTILE]);
    assert_eq!(code, Some(0), "{messages}");
    assert!(output.contains("\ncommand    ssh -o BatchMode=yes -- north 'exec sh -c "), "{output}");
    assert!(output.ends_with(" < run.sbatch\n") && messages.contains("a dry run: nothing was sent"), "{output}");
    let folders = || {
        let all = fs::read_dir(clients.0.0.path()).expect("listed").map(|entry| entry.expect("an entry").path());
        all.filter(|path| path.is_dir()).collect::<Vec<_>>()
    };
    assert!(folders().is_empty());

    let (code, output, messages) =
        send(&clients.0, &["--centre", "south=ssh:north", "--apply", "--wait", "--", HOSTILE]);
    assert_eq!(code, Some(0), "{messages}");
    assert!(output.contains("\ncancel     ssh -- north 'kill ") && output.contains(" on north; estimate "), "{output}");
    let [folder] = &folders()[..] else { panic!("one folder") };
    let printed = fs::read_to_string(folder.join("output.txt")).expect("an output");
    assert_eq!(printed, format!("32|{HOSTILE}\n"));
    assert!(!std::path::Path::new(&clients.0.path("here")).exists(), "no other program was started");
}

#[test]
fn a_job_that_fails_at_a_host_or_a_host_that_is_down_is_said_so() {
    let clients = job("#!/bin/sh\nexit 3\n");
    let (code, _, messages) = send(&clients.0, &["--centre", "south=ssh:north", "--apply", "--wait"]);
    assert!(
        code == Some(1) && messages.contains("the job ended with exit code 3; its output is in north:/"),
        "{messages}"
    );
    let (code, _, messages) = send(&clients.0, &["--centre", "south=ssh:down", "--apply"]);
    assert!(code == Some(1) && messages.contains("down: ssh: connect to host down port 22"), "{messages}");
}

/// The container ran from 14:00:00 to 14:01:49, the time of the estimate.
#[test]
fn kubernetes_runs_the_job_and_its_container_gives_the_time() {
    let clients = job("#!/bin/sh\necho $1\n");
    let pods = r#"{"items": [{"spec": {"nodeName": "n7"}, "status": {"containerStatuses": [{"state": {"terminated":
        {"startedAt": "2026-11-02T14:00:00Z", "finishedAt": "2026-11-02T14:01:49Z"}}}]}}]}"#;
    fs::write(clients.0.path("pods.json"), pods).expect("written");
    let west = ["--centre", "south=kubernetes:west", "--image", "registry/solver:1"];
    let (code, output, messages) = send(&clients.0, &[&west[..], &["--", "$(HOME)"]].concat());
    assert_eq!(code, Some(0), "{messages}");
    assert!(output.contains("\ncommand    kubectl --context=west apply --filename=- <<'END'\n{"), "{output}");
    assert!(fs::read_to_string(clients.0.path("kubectl.log")).is_err(), "kubectl was not started");

    let (code, output, messages) = send(&clients.0, &[&west[..], &["--apply", "--wait", "--", "$(HOME)"]].concat());
    assert_eq!(code, Some(0), "{messages}");
    assert!(
        output.contains("\nsent       job crossover-job-") && output.contains("result     1 min 49 s on n7; "),
        "{output}"
    );
    assert!(output.contains("\ncancel     kubectl --context=west delete job/crossover-job-"), "{output}");
    let manifest = fs::read_to_string(clients.0.path("manifest.json")).expect("a manifest");
    let manifest: Value = serde_json::from_str(&manifest).expect("JSON");
    let [script, job] = [0_usize, 1].map(|place| &manifest["items"][place]);
    assert_eq!((&script["data"]["run"], &job["kind"]), (&"#!/bin/sh\necho $1\n".into(), &"Job".into()));
    let container = &job["spec"]["template"]["spec"]["containers"][0];
    // Two dollar signs stand for one.
    assert_eq!(container["command"], serde_json::json!(["/job/run", "$$(HOME)"]));
    assert_eq!(container["resources"]["limits"], serde_json::json!({ "cpu": "32" }));
    assert_eq!(container["env"][0]["value"], "32");
}

/// The window of north is from 18:15 UTC; whether it is open depends on the hour in which the test runs.
#[test]
fn kubernetes_begins_a_job_in_its_window() {
    let clients = job("#!/bin/sh\n");
    let (code, output, messages) = send(&clients.0, &["--centre", "north=kubernetes", "--image", "solver", "--apply"]);
    assert_eq!(code, Some(0), "{messages}");
    let manifest = fs::read_to_string(clients.0.path("manifest.json")).expect("a manifest");
    let job: Value = serde_json::from_str::<Value>(&manifest).expect("JSON")["items"][1].clone();
    if output.contains("begin      at once\n") {
        assert_eq!(job["kind"], "Job");
    } else {
        assert_eq!((&job["kind"], &job["spec"]["timeZone"]), (&"CronJob".into(), &"Etc/UTC".into()));
        let schedule = job["spec"]["schedule"].as_str().expect("a schedule");
        assert!(["15 18 ", "16 18 "].iter().any(|begin| schedule.starts_with(begin)), "{schedule}");
        assert!(output.contains("delete the CronJob after its run, or it runs again in a year"), "{output}");
    }
}
