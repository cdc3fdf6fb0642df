//! Units of a probe as tasks of Slurm: each has its part of the executions, and all begin together.

use std::fs;
use std::path::{Path, PathBuf};

use crossover_files::shell::{line, quoted};
use crossover_measured::probe::{ProbeReport, divided};

use super::super::subject::ron;
use super::{RunRequest, RunResult, report};

/// Time between two looks whether all processes have started, seconds.
const BARRIER_SECONDS: f64 = 0.1;

/// Files of the reports of a run: one, or one of each process.
pub(super) fn reports(request: &RunRequest, units: u32, folder: &Path, repeat: u32) -> Vec<PathBuf> {
    match request.divided {
        None => vec![folder.join(format!("report-{units}-{repeat}.json"))],
        Some(_) => (0..units).map(|process| folder.join(format!("report-{units}-{repeat}-{process}.json"))).collect(),
    }
}

/// The report of a run; none as long as one of its files is missing.
pub(super) fn reported(request: &RunRequest, units: u32, folder: &Path, repeat: u32) -> Option<RunResult> {
    let paths = reports(request, units, folder, repeat);
    if !paths.iter().all(|path| path.exists()) {
        return None;
    }
    let all: Result<Vec<ProbeReport>, String> = paths.iter().map(|path| report(path)).collect();
    Some(all.and_then(|mut all| match &request.divided {
        Some(task) => divided::joined(task, &all),
        None => all.pop().ok_or_else(|| "no report".to_owned()),
    }))
}

/// Writes the part of the probe of each process, and what each one starts.
pub(super) fn divide(request: &RunRequest, units: u32, folder: &Path) -> Result<(), String> {
    let Some(task) = &request.divided else { return Ok(()) };
    let write = |name: String, text: String| {
        let path = folder.join(name);
        fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))
    };
    for (process, part) in task.divided(units)?.iter().enumerate() {
        let text = ron(part).map_err(|error| format!("cannot write a part of the probe: {error}"))?;
        write(format!("part-{units}-{process}.ron"), text)?;
    }
    write(format!("task-{units}.sh"), process_script(request, units, folder))
}

/// The script of each process: it waits until all have started, and runs its part of the probe.
pub(crate) fn process_script(request: &RunRequest, units: u32, folder: &Path) -> String {
    let path = |name: String| quoted(&folder.join(name).to_string_lossy());
    let (started, part) = (path(format!("started-{units}-")), path(format!("part-{units}-")));
    let report = path(format!("report-{units}-"));
    // The others may wait for their node as long as the limit says.
    let tries = (request.limit.as_secs_f64() / BARRIER_SECONDS).ceil().max(1.0);
    let mut words = request.arguments("PART", 1, Some("REPORT"));
    words.retain(|word| !matches!(word.as_str(), "PART" | "REPORT" | "--json"));
    let (verb, rest) = words.split_first().map_or(("", &[][..]), |(verb, rest)| (verb.as_str(), rest));
    format!(
        "#!/bin/sh\nstarted={started}\"$SLURM_ARRAY_TASK_ID\"\nmkdir -p \"$started\" && : > \"$started/$SLURM_PROCID\"\n\
         tries=0\nuntil [ \"$(ls \"$started\" | wc -l)\" -ge {units} ]; do\n    tries=$((tries + 1))\n    \
         if [ $tries -gt {tries} ]; then echo 'not all processes have started' >&2; exit 1; fi\n    \
         sleep {BARRIER_SECONDS}\ndone\nexec {} {verb} {part}\"$SLURM_PROCID\".ron {} \
         --json {report}\"$SLURM_ARRAY_TASK_ID-$SLURM_PROCID\".json\n",
        line(&request.program),
        line(rest),
    )
}

#[cfg(test)]
pub(super) mod tests {
    #[cfg(unix)]
    use std::process::Command;
    use std::time::Duration;

    use crossover_measured::probe::{Executed, ProbeOperator, ProbeTask};

    use super::*;

    /// A request with each unit as a task, of a probe with one operator.
    pub(crate) fn divided_request(unit: &str, executions: u32) -> RunRequest {
        let operator = ProbeOperator {
            name: "sort".into(),
            runs: Executed::Library("sort".into()),
            executions,
            in_target: 100.0,
            from: Vec::new(),
        };
        let task = ProbeTask { name: "probe".into(), task_type: String::new(), operators: vec![operator] };
        RunRequest {
            task: "/shared/probe.ron".into(),
            unit: unit.into(),
            units: vec![4],
            repeats: 2,
            limit: Duration::from_mins(1),
            program: vec!["/opt/gpu-bench".into()],
            has_allowed_programs: false,
            divided: Some(task),
        }
    }

    #[test]
    fn each_task_has_its_part_of_the_probe() {
        let request = divided_request("cpu:4", 6);
        let folder = tempfile::tempdir().expect("a folder");
        divide(&request, 4, folder.path()).expect("written");
        for (process, executions) in [(0, 2), (1, 2), (2, 1), (3, 1)] {
            let part = fs::read_to_string(folder.path().join(format!("part-4-{process}.ron"))).expect("a part");
            assert!(part.contains(&format!("executions: {executions}")), "{part}");
        }
        let few = divide(&divided_request("cpu", 3), 4, folder.path()).expect_err("too few");
        assert!(few.contains("cannot be divided among 4 units"), "{few}");
    }

    /// Processes in a shell, whose program prints its arguments.
    #[cfg(unix)]
    #[test]
    fn processes_begin_when_all_have_started() {
        let folder = tempfile::Builder::new().prefix("it's $HOME ").tempdir().expect("a folder");
        let start = |limit: Duration, run: &str, number: u32| {
            let mut request = divided_request("cpu:2", 6);
            request.program = vec!["echo".into(), "a b".into()];
            request.limit = limit;
            let script = folder.path().join(format!("task-{run}-{number}.sh"));
            fs::write(&script, process_script(&request, 2, folder.path())).expect("written");
            let mut command = Command::new("sh");
            command.arg(&script).env("SLURM_ARRAY_TASK_ID", run).env("SLURM_PROCID", number.to_string());
            let piped = std::process::Stdio::piped;
            command.stdout(piped()).stderr(piped()).spawn().expect("a shell")
        };
        let alone = start(Duration::from_millis(100), "0", 0).wait_with_output().expect("it ends");
        let said = String::from_utf8_lossy(&alone.stderr).into_owned();
        assert!(!alone.status.success() && said.contains("not all processes have started"), "{said}");
        let both = [0, 1].map(|number| start(Duration::from_mins(1), "1", number));
        for (number, child) in both.into_iter().enumerate() {
            let output = child.wait_with_output().expect("it ends");
            let here = folder.path().display();
            let expected = format!(
                "a b probe {here}/part-2-{number}.ron --units 1 --unit cpu:2 --json {here}/report-2-1-{number}.json\n"
            );
            assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
        }
    }
}
