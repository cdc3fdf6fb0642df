//! The real job through Kubernetes, by kubectl with the user's configuration: a job at once, or a `CronJob` with the date of its window.

use std::fs;
use std::hash::{BuildHasher as _, RandomState};

use anyhow::{Context as _, Error, Result, anyhow};
use crossover_files::shell::line;
use crossover_page::terminal::print;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::{Value, json};

use super::{EndedJob, JobAnswer, SendOptions, Sent, is_sent, wait_for};
use crate::transport::kubernetes::{Cluster, has_condition, list, literal};

/// Largest script, bytes: a config map has at most 1 MiB.
const LARGEST_SCRIPT: u64 = 1_000_000;
/// Label of the job and its pods.
const LABEL: &str = "crossover/job";
/// Mode of the script: all may read and start it.
const MODE: u32 = 0o555;

/// Applies the job, and waits for its end if the user asks for it.
pub(super) fn send(options: &SendOptions, sent: &Sent<'_>, context: Option<String>) -> Result<Option<EndedJob>> {
    let image = options.image.clone().context("name the container image of the job: --image IMAGE")?;
    let script = crossover_files::read::text(&options.job, LARGEST_SCRIPT)
        .with_context(|| format!("cannot read {}", options.job.display()))?;
    // No two jobs have the same.
    let name = format!("crossover-job-{:08x}", RandomState::new().hash_one(sent.units) & 0xffff_ffff);
    let begin = sent.delay.map(|delay| schedule(delay, Timestamp::now())).transpose()?;
    let kind = if begin.is_some() { "cronjob" } else { "job" };
    let manifest = manifest(&name, &image, &script, &options.arguments, sent, begin.as_deref());
    let cluster = Cluster { context, image };
    if !is_sent(options, sent, &format!("{} <<'END'\n{manifest}END", typed(&cluster, &["apply", "--filename=-"])))? {
        return Ok(None);
    }
    let folder = tempfile::tempdir().context("cannot create a folder for the manifest")?;
    let path = folder.path().join("job.json");
    fs::write(&path, &manifest).with_context(|| format!("cannot write {}", path.display()))?;
    let objects = [format!("{kind}/{name}"), format!("configmap/{name}")];
    let cancel = typed(&cluster, &["delete", &objects[0], &objects[1]]);
    let applied = cluster.kubectl(&["apply", &format!("--filename={}", path.display())], &|| false);
    applied.map_err(|why| anyhow!("kubectl did not apply the job: {why}"))?;
    let again = if begin.is_some() { "; delete the CronJob after its run, or it runs again in a year" } else { "" };
    print(format!("sent       {kind} {name}{again}\ncancel     {cancel}\n"))?;
    if !options.wait {
        return Ok(None);
    }
    wait_for(&format!("job {name}"), &mut || state(&cluster, &name)).map(Some)
}

/// A command of kubectl for the user to type.
fn typed(cluster: &Cluster, words: &[&str]) -> String {
    let context = cluster.context.iter().map(|context| format!("--context={context}"));
    let words = words.iter().map(|&word| word.to_owned());
    line(std::iter::once("kubectl".to_owned()).chain(context).chain(words))
}

/// The schedule of cron of the first full minute after a wait, in UTC.
fn schedule(delay: u64, now: Timestamp) -> Result<String> {
    let at = now.as_second() + i64::try_from(delay)?;
    let minute = Timestamp::from_second((at + 59).div_euclid(60) * 60)?.to_zoned(TimeZone::UTC);
    Ok(format!("{} {} {} {} *", minute.minute(), minute.hour(), minute.day(), minute.month()))
}

/// A manifest: the script in a config map, and a job that runs it once. It is JSON, in which no text from outside becomes anything but
/// a string.
fn manifest(
    name: &str,
    image: &str,
    script: &str,
    arguments: &[String],
    sent: &Sent<'_>,
    begin: Option<&str>,
) -> String {
    let labels = json!({ "app": "crossover-job", LABEL: name });
    let metadata = json!({ "name": name, "labels": &labels });
    let command: Vec<String> =
        std::iter::once("/job/run".to_owned()).chain(arguments.iter().map(|word| literal(word))).collect();
    let limits = if sent.has_gpus() {
        json!({ "nvidia.com/gpu": sent.units.to_string() })
    } else {
        json!({ "cpu": sent.threads().to_string() })
    };
    let container = json!({
        "name": "job",
        "image": image,
        "command": command,
        "env": [{ "name": "CROSSOVER_UNITS", "value": sent.units.to_string() }],
        "resources": { "requests": &limits, "limits": &limits },
        "volumeMounts": [{ "name": "job", "mountPath": "/job" }],
    });
    let spec = json!({
        // A job that failed is not repeated: the user decides.
        "backoffLimit": 0,
        "template": {
            "metadata": { "labels": &labels },
            "spec": {
                "restartPolicy": "Never",
                "containers": [container],
                "volumes": [{ "name": "job", "configMap": { "name": name, "defaultMode": MODE } }],
            },
        },
    });
    let job = match begin {
        None => json!({ "apiVersion": "batch/v1", "kind": "Job", "metadata": &metadata, "spec": spec }),
        Some(schedule) => json!({
            "apiVersion": "batch/v1",
            "kind": "CronJob",
            "metadata": &metadata,
            "spec": {
                "schedule": schedule,
                "timeZone": "Etc/UTC",
                "concurrencyPolicy": "Forbid",
                "jobTemplate": { "metadata": { "labels": &labels }, "spec": spec },
            },
        }),
    };
    let script = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": &metadata, "data": { "run": script } });
    list(&[script, job])
}

/// The state of the job.
fn state(cluster: &Cluster, name: &str) -> JobAnswer {
    let selector = format!("--selector={LABEL}={name}");
    let listed = |what: &str| -> Result<Value, String> {
        let text = cluster.kubectl(&["get", what, &selector, "--output=json"], &|| false)?;
        serde_json::from_str(&text).map_err(|error| format!("the list of {what} is not JSON: {error}"))
    };
    let jobs = match listed("jobs") {
        Ok(jobs) => jobs,
        Err(why) => return JobAnswer::NoAnswer(why),
    };
    let status = &jobs["items"][0]["status"];
    if has_condition(status, "Failed") {
        let logs = typed(cluster, &["logs", &selector]);
        return JobAnswer::Ended(Err(anyhow!("the job failed; its output: {logs}")));
    }
    if !has_condition(status, "Complete") {
        let is_running = status["active"].as_u64().unwrap_or(0) > 0;
        return JobAnswer::State(if is_running { "active" } else { "waiting" }.to_owned());
    }
    match listed("pods") {
        Ok(pods) => {
            let ended = ended(&pods["items"][0]).context("Kubernetes does not list the times of its container");
            JobAnswer::Ended(ended.map_err(|error: Error| error.context("the job has ended")))
        }
        Err(why) => JobAnswer::NoAnswer(why),
    }
}

/// The time of the container of a pod that has ended; pulling its image does not count.
fn ended(pod: &Value) -> Option<EndedJob> {
    let terminated = &pod["status"]["containerStatuses"][0]["state"]["terminated"];
    let time = |field: &str| -> Option<i64> {
        terminated[field].as_str()?.parse::<Timestamp>().ok().map(Timestamp::as_second)
    };
    let place = pod["spec"]["nodeName"].as_str().unwrap_or("a node").to_owned();
    Some(EndedJob { seconds: (time("finishedAt")? - time("startedAt")?) as f64, place })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_to_type_names_the_context_and_is_quoted() {
        let typed_in = |context: Option<&str>| {
            let cluster = Cluster { context: context.map(str::to_owned), image: String::new() };
            typed(&cluster, &["logs", "--selector=a=b"])
        };
        assert_eq!(typed_in(None), "kubectl logs --selector=a=b");
        assert_eq!(typed_in(Some("north; x")), "kubectl '--context=north; x' logs --selector=a=b");
    }

    /// crontab(5): minutes, hours, days of the month, months. 14:00:30 and 4 h 15 min are 18:15:30, after which 18:16 is the first minute.
    #[test]
    fn a_window_is_a_date_of_cron() {
        let at = |text: &str, delay| schedule(delay, text.parse().expect("a time")).expect("a schedule");
        assert_eq!(at("2026-11-02T14:00:30Z", 15_300), "16 18 2 11 *");
        assert_eq!(at("2026-12-31T23:59:00Z", 60), "0 0 1 1 *");
    }
}
