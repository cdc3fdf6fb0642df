//! Probes through Kubernetes, by kubectl with the user's configuration: an indexed job for each number of units is applied, watched
//! to its end, read from the logs of its pods, and deleted.
//!
//! The job deletes itself with its probe some time after its end, so also when this program is killed.

use std::fs;
use std::hash::{BuildHasher as _, RandomState};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use crossover_files::process::{answer, answer_read};
use crossover_files::read;
use crossover_probe::outcome;
use crossover_quantity::text::{counted, one_line};
use serde_json::{Value, json};

use super::nodes::{ClusterNode, LARGEST_NODES, of_kubectl};
use super::{RunRequest, RunResult, report_among};

/// Polling interval of a job.
const POLL: Duration = Duration::from_millis(500);
/// Time limit of a command of kubectl.
const ANSWER: Duration = Duration::from_mins(1);
/// Failed queries in a row after which the cluster counts as down; its server may restart meanwhile.
const PATIENCE: u32 = 60;
/// Time to pull images and find nodes, beside the limits of the runs.
const STARTING: Duration = Duration::from_mins(10);
/// Time after its end at which the cluster deletes a job that this program did not delete.
const KEPT_SECONDS: u32 = 600;
/// Largest probe, bytes: a `ConfigMap` holds 1 MiB (<https://kubernetes.io/docs/concepts/configuration/configmap/>).
const LARGEST_PROBE: u64 = 1 << 20;
/// Jobs of a schedule that stay with the logs of their pods.
const KEPT_JOBS: u32 = 24;

/// A Kubernetes cluster.
#[derive(Debug, Clone)]
pub(crate) struct Cluster {
    /// Context of kubectl; none: the current one.
    pub(crate) context: Option<String>,
    /// Container image with the measuring program.
    pub(crate) image: String,
}

impl Cluster {
    /// Asks kubectl.
    pub(crate) fn kubectl(&self, arguments: &[&str], is_cancelled: &dyn Fn() -> bool) -> Result<String, String> {
        answer(&mut self.command(arguments), ANSWER, is_cancelled)
    }

    /// Its nodes.
    pub(crate) fn nodes(&self) -> Result<Vec<ClusterNode>, String> {
        let mut command = self.command(&["get", "nodes", "--output=json"]);
        answer_read(&mut command, &[], LARGEST_NODES, ANSWER, &|| false, of_kubectl)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("kubectl");
        command.args(self.context.iter().map(|context| format!("--context={context}"))).args(arguments);
        command
    }
}

/// A job that is deleted with its probe when this is dropped.
struct Job<'a> {
    cluster: &'a Cluster,
    name: String,
}

impl Drop for Job<'_> {
    fn drop(&mut self) {
        let [job, probe] = [format!("job/{}", self.name), format!("configmap/{}", self.name)];
        // If that fails, the cluster deletes both itself.
        _ = self.cluster.kubectl(&["delete", &job, &probe, "--ignore-not-found", "--wait=false"], &|| false);
    }
}

/// Runs a probe `repeats` times on a number of units, as one indexed job; `tell` receives its states.
pub(crate) fn run(
    request: &RunRequest,
    cluster: &Cluster,
    units: u32,
    folder: &Path,
    is_cancelled: &dyn Fn() -> bool,
    tell: &mut dyn FnMut(&str),
) -> Vec<RunResult> {
    // A failure of all runs is reported once.
    let all = |why: String| vec![Err(why)];
    let task = match read::text(&request.task, LARGEST_PROBE) {
        Ok(task) => task,
        Err(error) => return all(format!("cannot read {}: {error}", request.task.display())),
    };
    // No two runs of this program have the same, on whatever machine.
    let name = format!("crossover-probe-{:08x}-{units}", RandomState::new().hash_one(units) & 0xffff_ffff);
    let path = folder.join(format!("{name}.json"));
    if let Err(error) = fs::write(&path, manifest(request, &name, &cluster.image, &task, units)) {
        return all(format!("cannot write {}: {error}", path.display()));
    }
    let job = Job { cluster, name };
    let file = format!("--filename={}", path.display());
    if let Err(why) = cluster.kubectl(&["apply", &file], &|| false) {
        return all(format!("kubectl did not apply the job: {why}"));
    }
    let runs = counted(f64::from(request.repeats), "run");
    tell(&format!("job {}: {runs}, each on {}", job.name, outcome::units(f64::from(units))));
    if let Err(why) = job.own_probe(is_cancelled) {
        tell(&format!("job {}: its probe (a ConfigMap) is not deleted with it: {why}", job.name));
    }
    let ended = job.follow(request, is_cancelled, tell);
    if is_cancelled() {
        return all("it was cancelled".to_owned());
    }
    match (job.reports(request.repeats, is_cancelled), ended) {
        (Ok(reports), Ok(())) => reports,
        // What ended before is kept.
        (Ok(reports), Err(why)) if reports.iter().any(Result::is_ok) => {
            reports.into_iter().map(|report| report.map_err(|_| why.clone())).collect()
        }
        (_, Err(why)) | (Err(why), Ok(())) => all(why),
    }
}

impl Job<'_> {
    /// Makes the job the owner of its probe, so that the cluster deletes both.
    fn own_probe(&self, is_cancelled: &dyn Fn() -> bool) -> Result<(), String> {
        let [job, probe] = [format!("job/{}", self.name), format!("configmap/{}", self.name)];
        let uid = self.cluster.kubectl(&["get", &job, "--output=jsonpath={.metadata.uid}"], is_cancelled)?;
        let owner = json!({ "apiVersion": "batch/v1", "kind": "Job", "name": self.name, "uid": uid.trim() });
        let patch = format!("--patch={}", json!({ "metadata": { "ownerReferences": [owner] } }));
        self.cluster.kubectl(&["patch", &probe, "--type=merge", &patch], is_cancelled).map(|_| ())
    }

    /// Follows the job to its end.
    fn follow(
        &self,
        request: &RunRequest,
        is_cancelled: &dyn Fn() -> bool,
        tell: &mut dyn FnMut(&str),
    ) -> Result<(), String> {
        let until = Instant::now() + deadline(request) + ANSWER;
        let job = format!("job/{}", self.name);
        let (mut failures, mut before) = (0, String::new());
        while !is_cancelled() {
            match self.cluster.kubectl(&["get", &job, "--output=json"], is_cancelled) {
                Ok(text) => {
                    failures = 0;
                    let state: Value = serde_json::from_str(&text).unwrap_or_default();
                    let status = &state["status"];
                    if has_condition(status, "Complete") || has_condition(status, "Failed") {
                        return Ok(());
                    }
                    let [active, succeeded, failed] =
                        ["active", "succeeded", "failed"].map(|count| status[count].as_u64().unwrap_or(0));
                    let now = format!("{job}: {active} running, {succeeded} ended, {failed} failed");
                    if now != before {
                        tell(&now);
                        before = now;
                    }
                }
                Err(why) if why.contains("NotFound") => return Err("the job was deleted before its end".to_owned()),
                Err(why) => {
                    failures += 1;
                    if failures >= PATIENCE {
                        return Err(format!("Kubernetes no longer responds: {why}"));
                    }
                }
            }
            if Instant::now() > until {
                return Err("the job did not end within its time limit".to_owned());
            }
            std::thread::sleep(POLL);
        }
        Err("it was cancelled".to_owned())
    }

    /// The report of each run, from the log of its pod.
    fn reports(&self, repeats: u32, is_cancelled: &dyn Fn() -> bool) -> Result<Vec<RunResult>, String> {
        let selector = format!("--selector=job-name={}", self.name);
        let listed = self.cluster.kubectl(&["get", "pods", &selector, "--output=json"], is_cancelled)?;
        let listed: Value =
            serde_json::from_str(&listed).map_err(|error| format!("the list of pods is not JSON: {error}"))?;
        let pods: Vec<Pod> = listed["items"].as_array().into_iter().flatten().filter_map(Pod::of).collect();
        Ok((0..repeats).map(|run| self.report(run, &pods, is_cancelled)).collect())
    }

    fn report(&self, run: u32, pods: &[Pod], is_cancelled: &dyn Fn() -> bool) -> RunResult {
        let of_run: Vec<&Pod> = pods.iter().filter(|pod| pod.index == u64::from(run)).collect();
        let succeeded: Vec<&Pod> = of_run.iter().copied().filter(|pod| pod.phase == "Succeeded").collect();
        // The resource's kind in front: a name cannot be taken for an option.
        let log = |pod: &Pod| {
            self.cluster.kubectl(&["logs", &format!("pod/{}", pod.name), "--container=probe"], is_cancelled)
        };
        match (&succeeded[..], of_run.last()) {
            ([pod], _) => report_among(&log(pod).map_err(|why| format!("no log of pod {}: {why}", pod.name))?),
            ([], None) => Err(format!("no pod of run {} was started", run + 1)),
            ([], Some(pod)) => {
                let text = log(pod).unwrap_or_else(|why| why);
                let last = text.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("no output");
                Err(format!("pod {} ended as {}: {}", pod.name, pod.phase, one_line(last)))
            }
            (several, _) => {
                let names: Vec<&str> = several.iter().map(|pod| pod.name.as_str()).collect();
                Err(format!("the centre answered run {} twice: pods {}", run + 1, names.join(", ")))
            }
        }
    }
}

/// Whether a condition of a job is true.
pub(crate) fn has_condition(status: &Value, wanted: &str) -> bool {
    let mut conditions = status["conditions"].as_array().into_iter().flatten();
    conditions.any(|one| one["type"] == wanted && one["status"] == "True")
}

/// A pod of a job.
struct Pod {
    name: String,
    /// Index of its run.
    index: u64,
    phase: String,
}

impl Pod {
    fn of(item: &Value) -> Option<Self> {
        let metadata = &item["metadata"];
        let index = metadata["annotations"]["batch.kubernetes.io/job-completion-index"].as_str()?;
        Some(Self {
            name: metadata["name"].as_str()?.to_owned(),
            index: index.parse().ok()?,
            phase: item["status"]["phase"].as_str().unwrap_or("Unknown").to_owned(),
        })
    }
}

/// Time after which the cluster ends a job.
fn deadline(request: &RunRequest) -> Duration {
    request.limit.saturating_mul(request.repeats) + STARTING
}

/// A manifest: an indexed job whose pods each run the probe once and print the report; the probe is in a config map. It is JSON,
/// in which no text from outside becomes anything but a string.
pub(crate) fn manifest(request: &RunRequest, name: &str, image: &str, task: &str, units: u32) -> String {
    list(&objects(request, name, image, task, units))
}

/// The same job as the cluster itself starts it by a schedule of cron, with no program of ours beside it. Its last pods stay for
/// their logs.
pub(crate) fn cron_manifest(
    request: &RunRequest,
    name: &str,
    image: &str,
    task: &str,
    units: u32,
    schedule: &str,
) -> String {
    let [probe, job] = objects(request, name, image, task, units);
    let mut spec = job["spec"].clone();
    if let Some(spec) = spec.as_object_mut() {
        spec.remove("ttlSecondsAfterFinished");
    }
    let cron = json!({
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": job["metadata"],
        "spec": {
            "schedule": schedule,
            "timeZone": "Etc/UTC",
            // A run that is late does not slow down the next one.
            "concurrencyPolicy": "Forbid",
            "successfulJobsHistoryLimit": KEPT_JOBS,
            "failedJobsHistoryLimit": KEPT_JOBS,
            "jobTemplate": { "metadata": { "labels": job["metadata"]["labels"] }, "spec": spec },
        },
    });
    list(&[probe, cron])
}

/// A manifest of two objects.
pub(crate) fn list(items: &[Value; 2]) -> String {
    format!("{:#}\n", json!({ "apiVersion": "v1", "kind": "List", "items": items }))
}

/// A word of a command: Kubernetes expands `$(NAME)`, and takes two dollar signs for one.
pub(crate) fn literal(word: &str) -> String {
    word.replace('$', "$$")
}

/// The config map with the probe, and the job.
fn objects(request: &RunRequest, name: &str, image: &str, task: &str, units: u32) -> [Value; 2] {
    let words = request.program.iter().cloned().chain(request.arguments("/probe/probe.ron", units, None));
    let command: Vec<String> = words.map(|word| literal(&word)).collect();
    let limits = if request.unit == "gpu" {
        json!({ "nvidia.com/gpu": "1" })
    } else {
        json!({ "cpu": request.threads(units).to_string() })
    };
    let labels = json!({ "app": "crossover-probe", "crossover/units": units.to_string() });
    let container = json!({
        "name": "probe",
        "image": image,
        "command": command,
        "resources": { "requests": &limits, "limits": &limits },
        "volumeMounts": [{ "name": "probe", "mountPath": "/probe" }],
    });
    let probe = json!({
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": { "name": name, "labels": &labels },
        "data": { "probe.ron": task },
    });
    let job = json!({
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": { "name": name, "labels": &labels },
        "spec": {
            "completionMode": "Indexed",
            "completions": request.repeats,
            // One after another, as concurrent runs would slow each other down.
            "parallelism": 1,
            "backoffLimit": request.repeats,
            "activeDeadlineSeconds": deadline(request).as_secs(),
            "ttlSecondsAfterFinished": KEPT_SECONDS,
            "template": {
                "metadata": { "labels": &labels },
                "spec": {
                    "restartPolicy": "Never",
                    "containers": [container],
                    "volumes": [{ "name": "probe", "configMap": { "name": name } }],
                },
            },
        },
    });
    [probe, job]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request() -> RunRequest {
        RunRequest {
            task: "probe.ron".into(),
            unit: "cpu:2".into(),
            units: vec![1, 4],
            repeats: 3,
            limit: Duration::from_mins(1),
            program: vec!["/opt/$(HOME)/gpu-bench".to_owned()],
            has_allowed_programs: true,
            divided: None,
        }
    }

    #[test]
    fn a_manifest_is_an_indexed_job_with_the_probe_beside_it() {
        let task = "(name: \"x\")\n---\nkind: Pod";
        let text = manifest(&request(), "crossover-probe-1-4", "registry/gpu-bench:1", task, 4);
        let list: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(list["items"].as_array().map(Vec::len), Some(2));
        assert_eq!(list["items"][0]["data"]["probe.ron"], task, "as it is");
        let spec = &list["items"][1]["spec"];
        // Three runs of a minute, and ten minutes to start.
        assert_eq!((&spec["completions"], &spec["activeDeadlineSeconds"]), (&json!(3), &json!(780)));
        assert_eq!(spec["ttlSecondsAfterFinished"], 600);
        let container = &spec["template"]["spec"]["containers"][0];
        assert_eq!(container["resources"]["limits"], json!({ "cpu": "8" }));
        let command = ["/opt/$$(HOME)/gpu-bench", "probe", "/probe/probe.ron", "--units", "4", "--unit", "cpu:2"];
        let expected: Vec<&str> = command.into_iter().chain(["--allow-programs"]).collect();
        assert_eq!(container["command"], json!(expected));
    }

    /// Fields of `CronJobSpec` in `batch/v1`.
    #[test]
    fn a_schedule_starts_the_same_job_and_keeps_its_logs() {
        let [once, cron] = [
            manifest(&request(), "crossover-probe-1-4", "gpu-bench", "(name: \"x\")", 4),
            cron_manifest(&request(), "crossover-probe-1-4", "gpu-bench", "(name: \"x\")", 4, "*/30 * * * *"),
        ]
        .map(|text| serde_json::from_str::<Value>(&text).expect("JSON"));
        assert_eq!(once["items"][0], cron["items"][0]);
        let (job, cron) = (&once["items"][1], &cron["items"][1]);
        assert_eq!((&cron["apiVersion"], &cron["kind"]), (&json!("batch/v1"), &json!("CronJob")));
        assert_eq!(
            (&cron["spec"]["schedule"], &cron["spec"]["concurrencyPolicy"]),
            (&json!("*/30 * * * *"), &json!("Forbid"))
        );
        let of_cron = &cron["spec"]["jobTemplate"]["spec"];
        assert_eq!(of_cron["template"], job["spec"]["template"]);
        assert_eq!(of_cron.get("ttlSecondsAfterFinished"), None);
    }
}
