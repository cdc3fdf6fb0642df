//! A latency-sensitive job of Slurm is watched. If it is behind, it gets a larger share of its GPU, or others make room.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use clap::Parser;
use crossover_allocation::Policy;
use crossover_page::terminal::{message, print};
use crossover_quantity::text::counted;
use crossover_quantity::unit::elapsed;
use crossover_traces::slurm::live::{LiveCluster, Wanted, WantedGpus};

use super::import::policy;
use super::others::{OtherJobs, Others};
use super::progress::{Progress, ProgressOptions};
use super::resize::{RequeueOptions, piece};
use crate::submitting::commands::{self, NotStarted};

/// States of jobs that have ended.
const ENDED: [&str; 9] =
    ["COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "NODE_FAIL", "OUT_OF_MEMORY", "BOOT_FAIL", "DEADLINE", "PREEMPTED"];

/// Watches a job of Slurm, and requeues it with a larger share of its GPU if it is behind; a dry run without --apply
///
/// A job is behind if elapsed time + predicted remaining time exceed --within. The remaining time is that of the
/// remaining work at the speed of the present run. The share grows by --step, or by several steps if one step adds no
/// shard. If no node has room, jobs of --shrink get smaller shares first; if that does not suffice, a job of --suspend
/// is suspended. Time counts from the start of this command.
#[derive(Debug, Parser)]
#[command(name = "watch")]
pub(super) struct WatchOptions {
    /// Job ID
    #[arg(value_name = "JOB", value_parser = clap::value_parser!(u32).range(1..))]
    job: u32,
    #[command(flatten)]
    progress: ProgressOptions,
    /// Seconds from now within which the job should end
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    within: u64,
    /// Share of its GPU that the job has now, percent
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u8).range(1..=100))]
    share: u8,
    /// Step by which the share grows, percentage points
    #[arg(long, value_name = "POINTS", default_value_t = 10, value_parser = clap::value_parser!(u8).range(1..=100))]
    step: u8,
    /// Seconds between samples
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    every: u64,
    /// Failures of squeue in a row after which this command ends
    ///
    /// From the second failure on, the pause doubles from --every up to a minute. If --every is longer than a minute, the pause stays
    /// --every.
    #[arg(long, value_name = "COUNT", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..))]
    failures: u32,
    /// Scheduling policy
    #[arg(long, value_parser = policy, default_value = "FGD")]
    policy: Policy,
    #[command(flatten)]
    others: OtherJobs,
    #[command(flatten)]
    requeue: RequeueOptions,
}

/// A sample of a job.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Sample {
    /// Seconds since the start.
    at: f64,
    /// Share of the work that is done, 0 … 1.
    done: f64,
}

pub(super) fn watch(options: &WatchOptions) -> Result<()> {
    let job = options.job.to_string();
    let progress = options.progress.source()?;
    let mut others = Others::new(&options.others, &job, options.requeue.apply)?;
    let outcome = follow(options, &job, &progress, &mut others);
    // However it ended.
    match (outcome, others.end()) {
        (Err(why), Err(left)) => Err(why.context(format!("{left:#}"))),
        (outcome, resumed) => outcome.and(resumed),
    }
}

/// Watches a job up to its end.
fn follow(options: &WatchOptions, job: &str, progress: &Progress, others: &mut Others<'_>) -> Result<()> {
    let begun = Instant::now();
    let within = Duration::from_secs(options.within).as_secs_f64();
    let every = Duration::from_secs(options.every);
    let mut share = options.share;
    // Of the present run.
    let mut first: Option<Sample> = None;
    let (mut said_of_progress, mut said_of_suspended) = (String::new(), String::new());
    let mut queries = Queries::default();
    // It may have another GPU than the suspended jobs.
    let mut is_new_run = false;
    loop {
        let state = match commands::state_of(job, &|| others.interrupts.is_any()) {
            Ok(Some(state)) => state,
            Ok(None) => {
                bail!(
                    "Slurm does not list job {job}; if it has ended and Slurm records accounting, “sacct -j {job}” shows its state"
                )
            }
            Err(why) => {
                others.check()?;
                let failures = queries
                    .failed(why, job, options.failures)
                    .with_context(|| format!("the watch has ended; job {job} continues with {share} % of its GPU"))?;
                others.pause(commands::pause(every, failures))?;
                continue;
            }
        };
        queries.answered();
        if ENDED.contains(&state.as_str()) {
            let after = elapsed(begun.elapsed().as_secs_f64().round());
            if state != "COMPLETED" {
                bail!("job {job} ended as {state} after {after}");
            }
            return print(format!("completed  job {job} after {after}\n"));
        }
        if state == "RUNNING" {
            if is_new_run {
                match others.resume_apart() {
                    Ok(()) => is_new_run = false,
                    Err(why) => {
                        say_once(&mut said_of_suspended, format!("suspended jobs stay suspended for now: {why:#}"));
                    }
                }
            }
            let at = begun.elapsed().as_secs_f64();
            match progress.read().map(|done| Sample { at, done }) {
                Ok(now) => {
                    let start = start_of_run(first, now);
                    first = Some(start);
                    let end = expected_end(start, now);
                    if let Some(end) = end.filter(|end| *end > within) {
                        message(format!(
                            "job {job} is behind: {:.0} % done, expected to end after {}, {} allowed",
                            100.0 * now.done,
                            elapsed(end.round()),
                            elapsed(within)
                        ));
                        // The next sample is the first one of another run.
                        first = None;
                        speed_up(options, job, &mut share, others);
                        is_new_run = true;
                    }
                }
                Err(why) => say_once(&mut said_of_progress, format!("no progress: {why:#}")),
            }
        }
        if state != "RUNNING" {
            // The next sample is of another run.
            first = None;
            is_new_run = true;
        }
        others.pause(every)?;
    }
}

/// Says what was not said just before of the same.
fn say_once(said: &mut String, text: String) {
    if text != *said {
        message(&text);
        *said = text;
    }
}

/// Failures of squeue: a controller that restarts, or is busy, answers again soon.
#[derive(Debug, Default)]
struct Queries {
    /// Whether it has ever answered.
    has_answered: bool,
    /// Failures in a row.
    failures: u32,
}

impl Queries {
    /// Counts a failure, and says the first one of a row; returns how many there are in a row.
    ///
    /// # Errors
    /// There are too many of them, or there is no squeue.
    fn failed(&mut self, why: anyhow::Error, job: &str, most: u32) -> Result<u32> {
        if !self.has_answered && why.is::<NotStarted>() {
            return Err(why);
        }
        self.failures += 1;
        if self.failures >= most {
            return Err(why.context(format!("squeue failed {} in a row", counted(f64::from(self.failures), "time"))));
        }
        if self.failures == 1 {
            let more = counted(f64::from(most - 1), "more failure");
            message(format!("the state of job {job} is unknown: {why:#}; trying again until {more} in a row"));
        }
        Ok(self.failures)
    }

    /// Says that it answers again.
    fn answered(&mut self) {
        if self.failures > 0 {
            message(format!("squeue answers again after {}", counted(f64::from(self.failures), "failure")));
        }
        *self = Self { has_answered: true, failures: 0 };
    }
}

/// The first sample of the present run: a job that was requeued goes on from an earlier checkpoint, or begins anew.
fn start_of_run(first: Option<Sample>, now: Sample) -> Sample {
    first.filter(|first| first.done <= now.done).unwrap_or(now)
}

/// Gives the job the next larger share if a node has it, perhaps after others have shrunk; else suspends one of the others.
fn speed_up(options: &WatchOptions, job: &str, share: &mut u8, others: &mut Others<'_>) {
    let cluster = commands::cluster(&|| others.interrupts.is_any());
    let changed = cluster.and_then(|mut cluster| {
        let why = if options.others.no_requeue {
            None
        } else {
            match grown(options, job, *share, others, &mut cluster)? {
                Ok(next) => {
                    // A dry run changes nothing.
                    *share = if options.requeue.apply { next } else { *share };
                    return Ok(());
                }
                Err(why) => Some(why),
            }
        };
        others.check()?;
        if others.suspend(&cluster)? {
            return Ok(());
        }
        bail!(why.unwrap_or_else(|| "no further job of --suspend runs on its GPU".to_owned()))
    });
    if let Err(why) = changed {
        message(format!("the share of job {job} stays at {share} %: {why:#}"));
    }
}

/// Requeues the job with the next larger share, which it returns; or the reason why there is none.
///
/// # Errors
/// A command fails.
fn grown(
    options: &WatchOptions,
    job: &str,
    share: u8,
    others: &mut Others<'_>,
    cluster: &mut LiveCluster,
) -> Result<Result<u8, String>> {
    let Some(next) = next_share(cluster, job, share, options.step)? else {
        return Ok(Err("it already has a whole GPU".to_owned()));
    };
    let requeue = &options.requeue;
    let change = requeue.change(WantedGpus::Percent(next), None, options.policy);
    let mut smaller = Vec::new();
    let plan = loop {
        match change.plan(cluster, job, &others.interrupts) {
            Ok(plan) => break plan,
            Err(why) => match others.shrink(cluster, options.step, requeue) {
                Some(one) => one.add_to(&mut smaller),
                None => return Ok(Err(format!("{why:#}"))),
            },
        }
    };
    for one in smaller {
        others.check()?;
        one.carry_out(requeue.apply, &others.interrupts)?;
    }
    others.check()?;
    plan.carry_out(&others.interrupts)?;
    // Those on its former node need not wait for it any longer.
    if plan.is_moved
        && requeue.apply
        && let Err(left) = others.resume()
    {
        message(format!("{left:#}"));
    }
    Ok(Ok(next))
}

/// The next larger share that is more of the parts in which the job's node shares its GPUs; none if it has all of one.
fn next_share(cluster: &LiveCluster, job: &str, share: u8, step: u8) -> Result<Option<u8>> {
    let node = piece(cluster, job)?.node;
    let gpu_type = cluster.trace.nodes[node].devices.first().context("its node has no GPU")?;
    let gres = |percent: u8| {
        let gpus = WantedGpus::Percent(percent);
        cluster.gres(&Wanted { cores: 1, memory_mib: 0, gpus, gpu_type: None }, *gpu_type)
    };
    let now = gres(share).context("its node does not share its GPUs")?;
    let mut next = share;
    while next < 100 {
        next = next.saturating_add(step).min(100);
        if gres(next).is_some_and(|gres| gres != now) {
            return Ok(Some(next));
        }
    }
    Ok(None)
}

/// When the job ends at the speed between two samples, seconds since the start; none without progress.
fn expected_end(first: Sample, now: Sample) -> Option<f64> {
    let speed = (now.done - first.done) / (now.at - first.at);
    (speed.is_finite() && speed > 0.0).then(|| now.at + (1.0 - now.done).max(0.0) / speed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_that_went_back_to_a_checkpoint_has_begun_another_run() {
        let sample = |at: f64, done: f64| Sample { at, done };
        assert_eq!(start_of_run(None, sample(10.0, 0.2)), sample(10.0, 0.2));
        assert_eq!(start_of_run(Some(sample(0.0, 0.1)), sample(10.0, 0.2)), sample(0.0, 0.1));
        assert_eq!(start_of_run(Some(sample(0.0, 0.5)), sample(90.0, 0.4)), sample(90.0, 0.4));
    }

    #[test]
    fn failures_end_the_watch_only_if_there_are_as_many_in_a_row() {
        let failure = || anyhow::anyhow!("squeue did not end within 60 s");
        let mut queries = Queries::default();
        assert_eq!(queries.failed(failure(), "3", 3).expect("the first"), 1);
        assert_eq!(queries.failed(failure(), "3", 3).expect("the second"), 2);
        queries.answered();
        assert_eq!(queries.failed(failure(), "3", 3).expect("the first after an answer"), 1);
        let missing = || commands::answer(&["no such program".to_owned()], &|| false).expect_err("there is none");
        assert_eq!(queries.failed(missing(), "3", 3).expect("there was a program"), 2);
        let why = format!("{:#}", queries.failed(failure(), "3", 3).expect_err("the third"));
        assert_eq!(why, "squeue failed 3 times in a row: squeue did not end within 60 s");
        assert!(Queries::default().failed(missing(), "3", 3).is_err(), "a program that was never there");
    }

    /// The published example: 60 of 100 iterations.
    #[test]
    fn the_rest_takes_as_long_as_the_speed_says() {
        let first = Sample { at: 0.0, done: 0.0 };
        assert_eq!(expected_end(first, Sample { at: 90.0, done: 0.6 }).map(f64::round), Some(150.0));
        // After a checkpoint, only the present run counts.
        let again = Sample { at: 100.0, done: 0.5 };
        assert_eq!(expected_end(again, Sample { at: 110.0, done: 0.75 }).map(f64::round), Some(120.0));
        assert_eq!(expected_end(first, first), None);
        assert_eq!(expected_end(again, Sample { at: 110.0, done: 0.5 }), None);
    }
}
