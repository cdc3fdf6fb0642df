//! Runs of probes on this machine: what comes into the scenario, what is refused, and what is shown before it starts.

use std::fs;

use serde_json::Value;

use super::probe::{CENTRES, PUBLISHED, Place, only_centre};
use super::{refusal, run};

#[test]
fn a_probe_runs_here_and_its_runs_come_into_the_scenario_and_the_history() {
    let place = Place::new();
    let (history, out) = (place.path("h.jsonl"), place.path("out.ron"));
    let arguments = [
        "probe",
        "run",
        PUBLISHED,
        "--centre",
        "example centre",
        "--repeats",
        "3",
        "--history",
        &history,
        "--out",
        &out,
    ];
    let (code, table, messages) = run(&arguments);
    assert_eq!(code, Some(0), "{messages}");
    assert!(table.contains("example centre, unit 2"), "{table}");
    let found = only_centre(&out);
    assert_eq!((&found["seconds"]["runs"], &found["target_method"]), (&3.into(), &"operators".into()));
    assert!(found["relative_error"]["mean"].as_f64() < Some(1e-9), "{found}");
    let lines = place.lines("h.jsonl");
    assert_eq!(lines.len(), 3);
    assert!(lines.iter().all(|line| line["centre"] == "example centre" && line["report"]["report"] == "probe"));
    // Nothing has changed since: nothing is run.
    let again: Vec<&str> = arguments.iter().copied().chain(["--if-changed"]).collect();
    let (code, _, messages) = run(&again);
    assert!(code == Some(0) && messages.contains("nothing is run"), "{messages}");
    assert_eq!(place.lines("h.jsonl").len(), 3);
}

#[test]
fn a_type_of_task_that_was_never_probed_is_probed_once_and_kept() {
    let place = Place::new();
    let (scenario, history) = (place.path("climate.ron"), place.path("h.jsonl"));
    let published = fs::read_to_string(PUBLISHED).expect("a scenario");
    let typed = published.replacen("target: (", "target: (task_type: \"climate\", ", 1);
    fs::write(&scenario, typed).expect("written");
    let probed = |file: &str| {
        let more = ["--centre", "example centre", "--repeats", "1", "--history", &history, "--if-unknown"];
        run(&[&["probe", "run", file], &more[..]].concat())
    };
    let (code, _, messages) = probed(&scenario);
    assert!(code == Some(0) && messages.contains(".ron: kept; "), "{messages}");
    assert_eq!(place.lines("h.jsonl").len(), 1);
    let folder = place.path("kept-probes");
    let (_, found, _) = run(&["probe", "find", "climate", "--folder", &folder]);
    assert!(found.contains("climate"), "{found}");

    let (code, output, messages) = probed(&scenario);
    assert_eq!((code, output.as_str()), (Some(0), ""), "{messages}");
    assert!(messages.contains("a probe of the type “climate” has been kept since "), "{messages}");
    assert_eq!(place.lines("h.jsonl").len(), 1);
    let (code, _, messages) = probed(PUBLISHED);
    assert!(code == Some(1) && messages.contains("--if-unknown: the task has no type"), "{messages}");
}

/// A program that stands in for a centre: a shell script that gets `probe TASK --units N --unit TYPE --json FILE`.
#[cfg(unix)]
fn centre(place: &Place, name: &str, script: &str) -> String {
    use std::os::unix::fs::PermissionsExt as _;
    let path = place.path(name);
    fs::write(&path, format!("#!/bin/sh\nfor json; do :; done\n{script}\n")).expect("written");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("executable");
    path
}

/// Faults of centres: each is named, kept apart, and what else there is goes on.
#[cfg(unix)]
#[test]
fn what_a_centre_does_wrong_is_named_and_counts_nowhere() {
    let place = Place::new();
    let own = env!("CARGO_BIN_EXE_crossover");
    let right = format!("{own} bench \"$@\" 2>/dev/null");
    let cases = [
        ("down", "exit 1".to_owned(), "it ended with exit status: 1"),
        ("asleep", "exec sleep 600".to_owned(), "it took longer than"),
        (
            "half",
            format!("{right}; head -c 200 \"$json\" > \"$json.h\"; mv \"$json.h\" \"$json\""),
            "incomplete report",
        ),
        ("garbage", "echo hello > \"$json\"".to_owned(), "not a report"),
        ("empty", ": > \"$json\"".to_owned(), "an empty report"),
        (
            "wrong",
            format!(
                "{right}; sed -i 's/\"operators\": *\\[/&/; s/\"failure\": *null/\"failure\": \"value 2, right is 1\"/; 0,/\"tolerance\": [^,]*/s//&,\\n\"failure\": \"value 2, right is 1\"/' \"$json\""
            ),
            "value 2, right is 1",
        ),
        ("version", format!("{right}; sed -i 's/\"library\": *[0-9]*/\"library\": 99/' \"$json\""), "version 99"),
        (
            "other",
            format!("{right}; sed -i '0,/\"in_target\": *[0-9.]*/s//\"in_target\": 9.0/' \"$json\""),
            "a different probe",
        ),
        ("nothing", "exit 0".to_owned(), "no report: "),
    ];
    let (history, out) = (place.path("h.jsonl"), place.path("out.ron"));
    fs::copy(PUBLISHED, &out).expect("copied");
    let enough = crossover_needs::deadline().as_secs().to_string();
    for (name, script, expected) in &cases {
        let program = centre(&place, name, script);
        let limit = if *name == "asleep" { "1" } else { enough.as_str() };
        let arguments = [
            "probe",
            "run",
            &out,
            "--centre",
            "example centre",
            "--repeats",
            "1",
            "--limit",
            limit,
            "--program",
            &program,
            "--history",
            &history,
            "--out",
            &out,
        ];
        let (_, output, messages) = run(&arguments);
        assert!(messages.contains(expected) && output.contains("Failed: "), "{name}: {messages}{output}");
    }
    assert_eq!(place.lines("h.jsonl").len(), cases.len());
    // A right run beside them counts alone.
    let arguments =
        ["probe", "run", &out, "--centre", "example centre", "--repeats", "1", "--history", &history, "--out", &out];
    let (code, _, messages) = run(&arguments);
    assert_eq!(code, Some(0), "{messages}");
    let found = only_centre(&out);
    assert_eq!((&found["seconds"]["runs"], &found["failed"]), (&1.into(), &cases.len().into()), "{found}");
}

#[cfg(unix)]
#[test]
fn a_wrong_clock_is_told_and_the_run_counts() {
    let place = Place::new();
    let own = env!("CARGO_BIN_EXE_crossover");
    let script =
        format!("{own} bench \"$@\" 2>/dev/null; sed -i 's/\"began\": *\"20[0-9][0-9]/\"began\": \"2001/' \"$json\"");
    let program = centre(&place, "late", &script);
    let history = place.path("h.jsonl");
    let (code, _, messages) =
        run(&["probe", "run", PUBLISHED, "--repeats", "1", "--program", &program, "--history", &history]);
    assert!(code == Some(0) && messages.contains("behind this one"), "{messages}");
}

#[test]
fn what_cannot_be_run_is_refused_before_anything_runs() {
    let cases: [(&[&str], &str); 6] = [
        (&["--centre", "example center"], "did you mean"),
        (&["--centre", "example centre", "--unit-type", "unit 9"], "has no units “unit 9”"),
        (&["--centre", "example centre", "--units", "21"], "has 20 units of type “unit 2”; 21 requested"),
        (&["--units", "0"], "0"),
        (&["--limit", "0"], "allowed: 0.01"),
        (&["--repeats", "0"], "0"),
    ];
    for (more, expected) in cases {
        let arguments: Vec<&str> = ["probe", "run", PUBLISHED].into_iter().chain(more.iter().copied()).collect();
        let (code, output, messages) = run(&arguments);
        assert!(code != Some(0) && output.is_empty() && messages.contains(expected), "{more:?}: {messages}");
    }
    let other = super::PUBLISHED;
    assert!(refusal(1, &["probe", "run", other]).contains("this is a placement scenario"), "another kind");
    assert!(
        refusal(1, &["probe", "run", CENTRES, "--transport", "slurm"])
            .contains("several centres; choose one: north, south, coast"),
        "several"
    );
}

/// Measured runs and assumed ones of another machine have nothing in common: averaged, their scaling law fits neither.
#[test]
fn runs_on_this_machine_leave_the_assumed_centres_alone() {
    let place = Place::new();
    let (history, out) = (place.path("h.jsonl"), place.path("out.ron"));
    let (code, table, messages) =
        run(&["probe", "run", CENTRES, "--units", "1", "--repeats", "1", "--history", &history, "--out", &out]);
    assert_eq!(code, Some(0), "{messages}");
    assert!(table.contains("this machine, cpu"), "{table}");
    let read = |path: &str| {
        let text = fs::read_to_string(path).expect("a scenario");
        crossover_scenario::read(&text).expect("valid").probe().expect("a probe study").centres.clone()
    };
    let (before, after) = (read(CENTRES), read(&out));
    assert_eq!((after.len(), &after[..3]), (4, &before[..]));
    assert_eq!((after[3].name.as_str(), after[3].units[0].runs.seconds.len()), ("this machine", 1));
    assert_eq!(place.lines("h.jsonl")[0]["centre"], "this machine");
}

#[test]
fn a_dry_run_prints_what_each_centre_would_get_and_starts_nothing() {
    let place = Place::new();
    let history = place.path("h.jsonl");
    let dry = |transport: &str| {
        let centre = format!("example centre={transport}");
        let arguments =
            ["probe", "run", PUBLISHED, "--centre", &centre, "--units", "1,2", "--repeats", "3", "--dry-run"];
        let mut command = super::crossover(&arguments);
        command.args(["--history", &history]).current_dir(place.0.path()).env("PATH", place.0.path());
        let (code, output, messages) = super::outcome_of(command.output().expect("the program starts"));
        assert_eq!((code, messages.as_str()), (Some(0), ""), "{transport}");
        assert!(
            output.starts_with("# example centre, ") && output.contains(": 6 runs of the probe, each about "),
            "{output}"
        );
        output
    };
    assert!(dry("local").contains(" bench probe FOLDER/probe.ron --units 2 --unit cpu --json FOLDER/report.json\n"));
    let slurm = dry("slurm:short");
    assert!(slurm.contains("sbatch --parsable ") && slurm.contains("--partition=short FOLDER/probe-1.sh"), "{slurm}");
    assert!(slurm.contains("#   exec srun ") && slurm.contains("#   #!/bin/sh"), "{slurm}");
    let ssh = dry("ssh:me@north");
    assert!(ssh.contains("ssh -o BatchMode=yes -- me@north 'exec sh -c ") && ssh.contains("--end-with-input"), "{ssh}");
    let kubernetes = dry("kubernetes");
    let manifest = kubernetes.lines().skip_while(|line| line.starts_with('#')).collect::<Vec<_>>().join("\n");
    let first = serde_json::Deserializer::from_str(&manifest).into_iter::<Value>().next();
    let job = first.expect("a manifest").expect("JSON")["items"][1].clone();
    assert_eq!((&job["kind"], &job["spec"]["completions"]), (&"Job".into(), &3.into()));
    assert_eq!(fs::read_dir(place.0.path()).expect("listed").count(), 0, "nothing is written");
}

/// The folder on the path is empty: no client is started. The centres are assumed to have as many units as the largest request: four.
#[test]
fn a_dry_run_and_a_timer_assume_the_units_of_a_centre_that_the_scenario_does_not_have() {
    let place = Place::new();
    let printed = |more: &[&str]| {
        let mut command = super::crossover(&[&["probe", "run", PUBLISHED, "--units", "1,4"], more].concat());
        command.args(["--history", &place.path("h.jsonl")]).current_dir(place.0.path()).env("PATH", place.0.path());
        let (code, output, messages) = super::outcome_of(command.output().expect("the program starts"));
        assert_eq!((code, messages.as_str()), (Some(0), ""), "{more:?}");
        output
    };
    let centres = ["--centre", "far=slurm:short", "--centre", "host=ssh:north", "--centre", "cloud=kubernetes"];
    let dry = printed(&[&centres[..], &["--dry-run"]].concat());
    for (centre, lists) in [("far", "sinfo"), ("host", "gpu-bench units"), ("cloud", "kubectl get nodes")] {
        let expected = format!(
            "# {centre} is not in the scenario: a run first lists its units ({lists}); assumed here: type “cpu”\n"
        );
        assert!(dry.contains(&expected), "{dry}");
    }
    assert!(
        dry.contains("--partition=short FOLDER/probe-4.sh") && dry.contains("ssh -o BatchMode=yes -- north "),
        "{dry}"
    );
    let gpu = printed(&[&centres[..2], &["--unit-type", "gpu", "--dry-run"]].concat());
    assert!(gpu.contains("assumed here: type “gpu”\n") && gpu.contains("--gres=gpu:1 "), "{gpu}");

    let timer = printed(&[&centres[..2], &["--every", "30", "--timer", "systemd"]].concat());
    assert!(timer.contains("\"--centre\" \"far=slurm:short\""), "{timer}");
    let jobs = printed(&[&centres[4..], &["--every", "30", "--timer", "cronjob"]].concat());
    let assumed = "it is not in the scenario, so its units are assumed to be of type “cpu”\n";
    assert_eq!(jobs.matches(assumed).count(), 2, "{jobs}");
}

#[test]
fn a_timer_repeats_the_call_and_starts_nothing() {
    let timer = |form: &'static str, more: &[&'static str]| {
        let call = ["probe", "run", PUBLISHED, "--repeats", "2", "--if-changed", "--every", "30", "--timer", form];
        let (code, output, messages) = run(&[&call[..], more].concat());
        assert_eq!(code, Some(0), "{messages}");
        output
    };
    let own = fs::canonicalize(env!("CARGO_BIN_EXE_crossover")).expect("the program");
    let own = own.display();
    let units = timer("systemd", &[]);
    let once =
        format!("\nExecStart=\"{own}\" \"probe\" \"run\" \"{PUBLISHED}\" \"--repeats\" \"2\" \"--if-changed\"\n");
    assert!(units.contains(&once) && units.contains("\nOnUnitActiveSec=30min\n"), "{units}");
    let line = timer("scrontab", &[]);
    assert!(line.contains("\n*/30 * * * * cd ") && line.ends_with(" --repeats 2 --if-changed\n"), "{line}");
    let manifest = timer("cronjob", &["--transport", "kubernetes", "--units", "1,2"]);
    let jobs: Vec<Value> = manifest
        .split("---\n")
        .skip(1)
        .map(|document| serde_json::from_str(document.split_once('\n').expect("a comment").1).expect("JSON"))
        .collect();
    assert_eq!(jobs.len(), 2, "{manifest}");
    assert!(jobs.iter().all(|job| job["items"][1]["kind"] == "CronJob"), "{manifest}");
    let refused = refusal(1, &["probe", "run", PUBLISHED, "--every", "30", "--timer", "cronjob"]);
    assert!(refused.contains("--timer cronjob is for centres through Kubernetes"), "{refused}");
    let refused = refusal(1, &["probe", "run", PUBLISHED, "--every", "45", "--timer", "scrontab"]);
    assert!(refused.contains("--every 45: cron cannot repeat after this period"), "{refused}");
}

/// 9,000 joins of some 46 ms: seven minutes, of which a limit of a minute would lose every run. At 50,000 to 1 there are 180.
#[test]
fn a_probe_takes_seconds_unless_the_user_asks_for_more() {
    let place = Place::new();
    let (list, scenario) = (place.path("task.csv"), place.path("s.ron"));
    fs::write(&list, "name,executions\nhash join,9000000\n").expect("written");
    let note = |on: &str| {
        format!(
            "note: reference ratio raised from 1,000 to 50,000; a run on {on} would take about 6 min 50 s, above the limit of 10 s"
        )
    };
    let built = |more: &[&str]| {
        let (code, _, messages) = run(&[&["probe", "build", &list, "--scenario", &scenario][..], more].concat());
        assert_eq!(code, Some(0), "{messages}");
        messages
    };
    let history = place.path("h.jsonl");
    let dry = |more: &[&str]| {
        let arguments = ["probe", "run", &scenario, "--history", &history, "--units", "1", "--dry-run"];
        let (code, output, messages) = run(&[&arguments[..], more].concat());
        assert_eq!(code, Some(0), "{messages}");
        (output, messages)
    };
    assert!(built(&[]).contains(&note("one thread")));
    let (output, messages) = dry(&[]);
    assert!(output.contains(": 5 runs of the probe, each about 8.3 s\n") && messages.is_empty(), "{output}{messages}");
    // At most a minute: 900 joins at 10,000 to 1, and one to warm up.
    assert!(built(&["--seconds", "60"]).contains("note: reference ratio raised from 1,000 to 10,000"));
    // The user names a ratio; a run would still raise it, unless the user allows its time.
    assert!(!built(&["--ratio", "1000"]).contains("note: reference ratio raised"));
    let (output, messages) = dry(&[]);
    assert!(output.contains("each about 8.3 s\n") && messages.contains(&note("1 unit")), "{output}{messages}");
    for more in [&["--set", "target.ratio=1000"][..], &["--seconds", "3600"]] {
        let (output, messages) = dry(more);
        assert!(output.contains("each about 6 min 50 s\n"), "{output}");
        assert!(
            messages.contains(
                "warning: a run at this machine takes about 6 min 50 s on 1 unit, and its time limit of 60 s ends it before; \
                 with “--set target.ratio=50000” it takes seconds"
            ),
            "{messages}"
        );
    }
    let (_, _, messages) = run(&["probe", "rank", &scenario]);
    assert!(messages.contains("takes about 6 min 50 s on 1 thread, by reference times"), "{messages}");
}

#[test]
fn an_address_that_could_be_an_option_or_is_unknown_is_refused() {
    for (centre, expected) in [
        ("example centre=pbs", "unknown transport “pbs”; expected local, slurm, slurm:PARTITION, ssh:HOST"),
        ("example centre=ssh:-oProxyCommand=x", "is not a name"),
        ("example centre=ssh", "ssh needs a host"),
        ("elsewhere=local", "no centre “elsewhere”"),
    ] {
        let problem = refusal(1, &["probe", "run", PUBLISHED, "--centre", centre]);
        assert!(problem.contains(expected), "{centre}: {problem}");
    }
    let twice = ["probe", "run", CENTRES, "--centre", "north", "--centre", "north=slurm"];
    assert!(refusal(1, &twice).contains("named twice"));
    let both = ["probe", "run", CENTRES, "--centre", "north=local", "--centre", "south=local"];
    assert!(refusal(1, &both).contains("two centres on this machine would slow each other down"));
}

/// A probe scenario that starts a program of its own, made from a list and a file of programs.
#[cfg(target_os = "linux")]
fn with_program(place: &Place, line: &str) -> String {
    let (list, programs, scenario) = (place.path("task.csv"), place.path("programs.ron"), place.path("theirs.ron"));
    fs::write(&list, "name,executions\nmark,2\n").expect("written");
    let program = format!(r#"[(key: "mark", categories: [hpc], command: (line: ["sh", "-c", "{line}"]))]"#);
    fs::write(&programs, program).expect("written");
    let (code, _, messages) = run(&["probe", "build", &list, "--programs", &programs, "--scenario", &scenario]);
    assert_eq!(code, Some(0), "{messages}");
    scenario
}

#[cfg(target_os = "linux")]
#[test]
fn programs_of_a_scenario_are_shown_and_run_only_where_they_were_allowed() {
    let place = Place::new();
    let scenario = with_program(&place, r#"touch started; echo '{\"value\": 1.0, \"true_value\": 1.0}'"#);
    let started = std::path::PathBuf::from(place.path("started"));
    let history = place.path("h.jsonl");
    let run = |more: &[&str]| {
        let mut command = super::crossover(&["probe", "run", &scenario, "--repeats", "1", "--history", &history]);
        command.args(more).env("XDG_DATA_HOME", place.path("data")).current_dir(place.0.path());
        super::outcome_of(command.output().expect("the program starts"))
    };
    for transport in ["local", "slurm", "ssh:north", "kubernetes"] {
        let (code, output, messages) = run(&["--transport", transport]);
        assert_eq!((code, output.as_str()), (Some(1), ""), "{transport}: {messages}");
        assert!(messages.contains("program of the file: sh -c 'touch started; echo "), "{messages}");
        assert!(messages.contains("nothing was started") && messages.contains("--allow-programs"), "{messages}");
        assert!(!started.exists() && !std::path::Path::new(&history).exists(), "{transport}");
    }
    let (code, _, messages) = run(&["--allow-programs"]);
    assert!(code == Some(0) && messages.contains("program of the file: sh -c "), "{messages}");
    assert!(started.exists() && place.lines("h.jsonl").len() == 1);
    // Allowed from now on, also to be started elsewhere.
    fs::remove_file(&started).expect("removed");
    let (code, _, messages) = run(&[]);
    assert!(code == Some(0) && !messages.contains("program of the file") && started.exists(), "{messages}");
    let (code, lines, messages) = run(&["--transport", "ssh:north", "--dry-run"]);
    assert!(code == Some(0) && lines.contains(" --allow-programs'"), "{lines}{messages}");
    assert!(lines.starts_with("# program of the file: sh -c "), "{lines}");
    // Another command line, or another folder, is not.
    with_program(&place, "touch other");
    assert!(run(&[]).0 == Some(1) && !std::path::Path::new(&place.path("other")).exists());
}
