//! What every scheduling policy would have done with the recorded jobs of a Slurm cluster.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context as _, Result};
use clap::Parser;
use crossover_allocation::{HistoryOptions, Policy};
use crossover_export::allocation::history::HistoryFormat;
use crossover_page::terminal::{message, print, with_progress};
use crossover_quantity::unit::Unit;
use crossover_study::Watch;

use super::import::policy;
use crate::history::jobs::RecordedJobs;

/// Simulates what each scheduling policy would have done with the recorded jobs of a Slurm cluster
///
/// Every policy replays the jobs at their recorded arrivals and run times. The table has waits, GPU hours and SLO violations beside those
/// recorded. A replay of one queue (first come, first served, with backfilling) is compared with the recorded waits.
#[derive(Debug, Parser)]
#[command(name = "replay")]
pub(super) struct ReplayOptions {
    /// Recorded jobs: output of `sacct --allusers --json` or `sacct --parsable2`; with `--duplicates` also the runs of requeued jobs
    #[arg(long, value_name = "FILE")]
    from: PathBuf,
    /// Nodes: output of `scontrol show node`, also with `--json`, or of `sinfo --Node --format="%N %c %m %G %T"`
    ///
    /// Without it, a node has the most GPUs, cores and memory that its jobs used at once: a lower bound.
    #[arg(long, value_name = "FILE")]
    cluster: Option<PathBuf>,
    /// Scheduling policies to replay, separated by commas; default: all
    #[arg(long, value_parser = policy, value_delimiter = ',', value_name = "POLICIES")]
    policies: Vec<Policy>,
    /// Price of a GPU for an hour, US dollars
    #[arg(long, value_name = "USD", value_parser = price)]
    usd_per_gpu_hour: Option<f64>,
    /// Lets latency-sensitive jobs (srun, salloc) preempt others if they fit no node, under all policies but vCUDA
    #[arg(long)]
    preempt: bool,
    /// Seed of the order of nodes that the policy ranks equally
    #[arg(long, default_value_t = 42)]
    seed: u64,
    /// Format of the result
    #[arg(long, value_enum, default_value = "table")]
    format: HistoryFormat,
}

fn price(text: &str) -> Result<f64, String> {
    let value: Option<f64> = text.parse().ok();
    let value = value.filter(|value| (0.0..=1e6).contains(value));
    value.ok_or_else(|| "allowed: a number from 0 to 1,000,000".to_owned())
}

pub(super) fn run(options: &ReplayOptions) -> Result<()> {
    let jobs = RecordedJobs::read(options.cluster.as_deref(), &options.from)?;
    let mut policies = options.policies.clone();
    if policies.is_empty() {
        policies.extend(Policy::ALL);
    }
    let history_options = HistoryOptions { policies, seed: options.seed, preempts: options.preempt };
    let arrived = AtomicUsize::new(0);
    let all = jobs.arrivals(&history_options);
    let line = || {
        let [arrived, all] = [arrived.load(Ordering::Relaxed), all].map(|count| Unit::Count.format(count as f64));
        format!("{arrived} of {all} arrivals")
    };
    let watch = Watch { is_cancelled: &|| false, done: &arrived };
    let replayed = with_progress(line, || jobs.replay(&history_options, watch));
    let replayed = replayed.context("the evaluation was cancelled")?;
    // A table of numbers has no place for them.
    if replayed.is_err() || options.format == HistoryFormat::Csv {
        for note in jobs.messages() {
            message(format!("note: {note}"));
        }
    }
    print(replayed?.results(options.usd_per_gpu_hour).write(options.format))
}
