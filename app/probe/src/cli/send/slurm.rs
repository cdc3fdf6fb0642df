//! The real job through Slurm: submitted by `sbatch`, followed by `squeue`.

use anyhow::{Context as _, Result, anyhow, bail};
use crossover_files::shell::line;
use crossover_page::terminal::print;

use super::{DAY, EndedJob, HOUR, JobAnswer, SendOptions, Sent, is_sent, wait_for};
use crate::transport::slurm::{has_ended, output_of};

/// Submits the job, and waits for its end if the user asks for it.
pub(super) fn send(options: &SendOptions, sent: &Sent<'_>, partition: Option<&str>) -> Result<Option<EndedJob>> {
    let words = words(options, sent, partition)?;
    if !is_sent(options, sent, &format!("sbatch {}", line(&words)))? {
        return Ok(None);
    }
    let answer = output_of("sbatch", &words, &|| false);
    let answer = answer.map_err(|why| anyhow!("sbatch rejected the job: {why}"))?;
    let job = answer.trim().split(';').next().unwrap_or_default();
    if job.is_empty() || !job.chars().all(|c| c.is_ascii_digit()) {
        bail!("sbatch printed “{}”; expected a job ID", answer.trim());
    }
    print(format!("sent       job {job}\n"))?;
    if !options.wait {
        return Ok(None);
    }
    wait_for(&format!("job {job}"), &mut || state(job)).map(Some)
}

/// Arguments of `sbatch`; no shell interprets them.
fn words(options: &SendOptions, sent: &Sent<'_>, partition: Option<&str>) -> Result<Vec<String>> {
    let script = options.job.to_str().context("the script's name is not UTF-8")?;
    let units = sent.units;
    let mut words = vec!["--parsable".to_owned()];
    // Counted by the controller's own clock, whatever its time zone is.
    words.extend(sent.delay.map(|seconds| format!("--begin=now+{seconds}")));
    words.extend(partition.map(|partition| format!("--partition={partition}")));
    let of_unit = match (sent.has_gpus(), options.tasks) {
        (true, true) => vec![format!("--ntasks={units}"), "--gpus-per-task=1".to_owned()],
        (true, false) => vec!["--nodes=1".to_owned(), "--ntasks=1".to_owned(), format!("--gres=gpu:{units}")],
        (false, true) => vec![format!("--ntasks={units}"), format!("--cpus-per-task={}", sent.threads_of_unit())],
        (false, false) => {
            vec!["--nodes=1".to_owned(), "--ntasks=1".to_owned(), format!("--cpus-per-task={}", sent.threads())]
        }
    };
    words.extend(of_unit);
    words.push(format!("--export=ALL,CROSSOVER_UNITS={units}"));
    words.extend(options.sbatch.iter().cloned());
    // Its name could be an option.
    words.push(if script.starts_with('-') { format!("./{script}") } else { script.to_owned() });
    words.extend(options.arguments.iter().cloned());
    Ok(words)
}

/// The state of a job.
fn state(job: &str) -> JobAnswer {
    let query = ["-h", "-t", "all", "-j", job, "-o", "%T|%M|%N"].map(str::to_owned);
    let answer = output_of("squeue", &query, &|| false);
    let is_listed = match &answer {
        Ok(answer) => !answer.trim().is_empty(),
        Err(why) => !why.contains("Invalid job id"),
    };
    if !is_listed {
        return JobAnswer::Ended(Err(anyhow!(
            "Slurm no longer lists job {job}; its time is in “sacct -j {job}”, if Slurm records accounting"
        )));
    }
    let answer = match answer {
        Ok(answer) => answer,
        Err(why) => return JobAnswer::NoAnswer(why),
    };
    let mut fields = answer.trim().splitn(3, '|');
    let [state, ran, nodes] = [(); 3].map(|()| fields.next().unwrap_or_default().to_owned());
    if !has_ended(&state) {
        return JobAnswer::State(state);
    }
    JobAnswer::Ended(if state == "COMPLETED" {
        let seconds = seconds_of(&ran).with_context(|| format!("squeue printed no time of job {job}"));
        seconds.map(|seconds| EndedJob { seconds, place: nodes })
    } else {
        Err(anyhow!("job {job} ended as {state}"))
    })
}

/// Seconds of a time of squeue: `0:06`, `1:02:03`, `1-02:03:04`.
fn seconds_of(text: &str) -> Option<f64> {
    let (days, clock) = text.split_once('-').unwrap_or(("0", text));
    let parts: Vec<f64> = clock.split(':').map(|part| part.parse().ok()).collect::<Option<_>>()?;
    let seconds = parts.iter().fold(0.0, |sum, part| sum * 60.0 + part);
    let days: f64 = days.parse().ok()?;
    Some(days * DAY * HOUR + seconds)
}

#[cfg(test)]
mod tests {
    use super::seconds_of;

    #[test]
    fn times_of_squeue_are_read() {
        assert_eq!((seconds_of("0:06"), seconds_of("1:02:03")), (Some(6.0), Some(3_723.0)));
        assert_eq!((seconds_of("1-02:03:04"), seconds_of("INVALID"), seconds_of("")), (Some(93_784.0), None, None));
    }
}
