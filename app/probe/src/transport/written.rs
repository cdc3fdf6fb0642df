//! Probes to run elsewhere: manifests of Kubernetes jobs, and command lines for SSH.

use std::fmt::Write as _;

use super::RunRequest;
use super::slurm::quoted;

/// A manifest for each number of units: an indexed job whose pods each run the probe once and print the report for
/// `kubectl logs`. The probe is in a config map.
pub(crate) fn manifests(request: &RunRequest, image: &str, task: &str) -> Vec<(String, String)> {
    let manifest = |units: &u32| {
        let name = format!("crossover-probe-{units}");
        let mut words = request.program.clone();
        words.extend(request.arguments("/probe/probe.ron", *units, None));
        let command: Vec<String> = words.iter().map(|word| json(word)).collect();
        let threads = request.threads(*units);
        let limits =
            if request.unit == "gpu" { "nvidia.com/gpu: \"1\"".to_owned() } else { format!("cpu: \"{threads}\"") };
        let mut text = String::new();
        _ = write!(
            text,
            "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\ndata:\n  probe.ron: |\n{}---\n",
            indented(task)
        );
        _ = write!(
            text,
            "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: {name}\n  labels:\n    app: crossover-probe\n    crossover/units: \
             \"{units}\"\nspec:\n  completionMode: Indexed\n  completions: {repeats}\n  parallelism: 1\n  backoffLimit: {repeats}\n  \
             activeDeadlineSeconds: {deadline}\n  template:\n    metadata:\n      labels:\n        app: crossover-probe\n    \
             spec:\n      restartPolicy: Never\n      containers:\n        - name: probe\n          image: {image}\n          \
             command: [{command}]\n          resources:\n            requests:\n              {limits}\n            limits:\n              \
             {limits}\n          volumeMounts:\n            - name: probe\n              mountPath: /probe\n      volumes:\n        - \
             name: probe\n          configMap:\n            name: {name}\n",
            repeats = request.repeats,
            // Ten minutes more, to pull images and find nodes.
            deadline = (request.limit.as_secs_f64() * f64::from(request.repeats)).ceil() + 600.0,
            image = json(image),
            command = command.join(", "),
        );
        (format!("{name}.yaml"), text)
    };
    request.units.iter().map(manifest).collect()
}

/// Lines of a literal block.
fn indented(text: &str) -> String {
    text.lines().fold(String::new(), |mut all, line| {
        _ = writeln!(all, "    {line}");
        all
    })
}

/// A JSON string, which is also valid YAML.
fn json(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Shell lines that copy the probe to a machine, run it there and save the reports here.
pub(crate) fn ssh(request: &RunRequest, host: &str) -> String {
    let mut text = String::new();
    let remote = "crossover-probe.ron";
    _ = writeln!(text, "scp {} {}", quoted(&request.task.to_string_lossy()), quoted(&format!("{host}:{remote}")));
    for units in &request.units {
        let words: Vec<String> = request
            .program
            .iter()
            .cloned()
            .chain(request.arguments(remote, *units, None))
            .map(|word| quoted(&word))
            .collect();
        for repeat in 1..=request.repeats {
            let line = words.join(" ");
            _ = writeln!(text, "ssh {} {} > report-{units}-{repeat}.json", quoted(host), quoted(&line));
        }
    }
    text.push_str("# then: crossover probe read SCENARIO --from report-*.json --centre NAME --out SCENARIO\n");
    text
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn request() -> RunRequest {
        RunRequest {
            task: "probe.ron".into(),
            unit: "cpu:2".into(),
            units: vec![1, 4],
            repeats: 3,
            limit: Duration::from_mins(1),
            program: vec!["gpu-bench".into()],
            has_allowed_programs: false,
        }
    }

    #[test]
    fn manifests_are_indexed_jobs_with_the_probe_in_them() {
        let manifests = manifests(&request(), "registry/gpu-bench:1", "(name: \"x\")\n");
        assert_eq!(manifests.len(), 2);
        let (name, text) = &manifests[1];
        assert_eq!(name, "crossover-probe-4.yaml");
        for expected in [
            "completionMode: Indexed",
            "completions: 3",
            "cpu: \"8\"",
            "image: \"registry/gpu-bench:1\"",
            "    (name: \"x\")\n",
            "command: [\"gpu-bench\", \"probe\", \"/probe/probe.ron\", \"--units\", \"4\", \"--unit\", \"cpu:2\"]",
        ] {
            assert!(text.contains(expected), "{expected}: {text}");
        }
    }

    #[test]
    fn programs_that_the_user_has_allowed_here_are_allowed_there() {
        let request = RunRequest { has_allowed_programs: true, ..request() };
        let manifests = manifests(&request, "gpu-bench", "(name: \"x\")\n");
        assert!(manifests[0].1.contains("\"cpu:2\", \"--allow-programs\"]"), "{}", manifests[0].1);
        assert!(ssh(&request, "north").contains(" --unit cpu:2 --allow-programs' > report-1-1.json"));
    }

    #[test]
    fn lines_for_ssh_copy_run_and_bring_back() {
        let text = ssh(&request(), "me@north");
        assert!(text.starts_with("scp probe.ron me@north:crossover-probe.ron\n"), "{text}");
        assert_eq!(text.lines().count(), 8);
        assert!(
            text.contains(
                "ssh me@north 'gpu-bench probe crossover-probe.ron --units 4 --unit cpu:2' > report-4-3.json\n"
            ),
            "{text}"
        );
    }
}
