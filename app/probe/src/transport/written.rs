//! Probes that somebody else carries out: manifests of Kubernetes jobs, and command lines for SSH.

use std::fmt::Write as _;

use super::Asked;
use super::slurm::quoted;

/// A manifest for each number of units: an indexed job whose pods each run the probe once and print their report, which
/// `kubectl logs` gives back. The probe comes as a config map.
pub(crate) fn manifests(asked: &Asked, image: &str, task: &str) -> Vec<(String, String)> {
    let manifest = |units: &u32| {
        let name = format!("crossover-probe-{units}");
        let mut words = asked.program.clone();
        words.extend(asked.arguments("/probe/probe.ron", *units, None));
        let command: Vec<String> = words.iter().map(|word| json(word)).collect();
        let threads = asked.threads(*units);
        let limits =
            if asked.unit == "gpu" { "nvidia.com/gpu: \"1\"".to_owned() } else { format!("cpu: \"{threads}\"") };
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
            repeats = asked.repeats,
            // Images must be fetched, and nodes found.
            deadline = (asked.limit.as_secs_f64() * f64::from(asked.repeats)).ceil() + 600.0,
            image = json(image),
            command = command.join(", "),
        );
        (format!("{name}.yaml"), text)
    };
    asked.units.iter().map(manifest).collect()
}

/// Lines of a literal block.
fn indented(text: &str) -> String {
    text.lines().fold(String::new(), |mut all, line| {
        _ = writeln!(all, "    {line}");
        all
    })
}

/// A text in quotes, as YAML takes it from JSON.
fn json(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Lines that copy the probe to a machine, run it there and bring the reports back, for a shell.
pub(crate) fn ssh(asked: &Asked, host: &str) -> String {
    let mut text = String::new();
    let remote = "crossover-probe.ron";
    _ = writeln!(text, "scp {} {}", quoted(&asked.task.to_string_lossy()), quoted(&format!("{host}:{remote}")));
    for units in &asked.units {
        let words: Vec<String> = asked
            .program
            .iter()
            .cloned()
            .chain(asked.arguments(remote, *units, None))
            .map(|word| quoted(&word))
            .collect();
        for repeat in 1..=asked.repeats {
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

    fn asked() -> Asked {
        Asked {
            task: "probe.ron".into(),
            unit: "cpu:2".into(),
            units: vec![1, 4],
            repeats: 3,
            limit: Duration::from_mins(1),
            program: vec!["gpu-bench".into()],
        }
    }

    #[test]
    fn manifests_are_indexed_jobs_with_the_probe_in_them() {
        let manifests = manifests(&asked(), "registry/gpu-bench:1", "(name: \"x\")\n");
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
    fn lines_for_ssh_copy_run_and_bring_back() {
        let text = ssh(&asked(), "me@north");
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
