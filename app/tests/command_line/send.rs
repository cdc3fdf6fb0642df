//! The real job goes to the best centre, through programs that stand in for the commands of Slurm.

use std::fs;

use super::probe::{CENTRES, Place};

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
    command.args(more).current_dir(place.0.path()).env("PATH", path);
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
        (&["--centre", "north=ssh:login"][..], "jobs are sent through Slurm only, not over SSH, host login"),
        (&["--units", "1000"][..], "south has 64 units of type “48 cores”; 1000 requested"),
        (&["--job", "none.sbatch"][..], "cannot be used multiple times"),
    ] {
        let (code, _, messages) = send(&place, more);
        assert!(code != Some(0) && messages.contains(expected), "{more:?}: {messages}");
    }
    fs::remove_file(place.path("run.sbatch")).expect("there");
    let (code, _, messages) = send(&place, &["--apply"]);
    assert!(code == Some(1) && messages.contains("run.sbatch: expected a batch script"), "{messages}");
    assert!(sent(&place).is_empty());
}
