//! A running job of Slurm gets another share of a GPU: it is requeued with it.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use clap::{Args, Parser};
use crossover_allocation::{LiveSetting, Policy};
use crossover_files::shell;
use crossover_page::terminal::{message, print};
use crossover_quantity::text::counted;
use crossover_quantity::unit::elapsed;
use crossover_traces::slurm::live::{LiveCluster, PlacedPiece, Wanted, WantedGpus};

use super::submit::ChosenGpus;
use crate::submitting::interrupts::Interrupts;
use crate::submitting::{Among, choose, commands};

/// Longest wait for the end of a job that is requeued.
const LONGEST: Duration = Duration::from_mins(5);
/// Longest time in which the release of a held job is repeated.
const LONGEST_RELEASE: Duration = Duration::from_hours(1);
/// Longest time after an interrupt in which it is repeated.
const LONGEST_INTERRUPTED: Duration = Duration::from_secs(10);
/// Polling interval of its end.
const POLL: Duration = Duration::from_millis(500);
/// Time from its end to its next start. Slurm dates both in whole seconds. If they are equal, slurmd takes the start for one of the run
/// that it has ended, and the job fails: “Job credential revoked”.
const NEXT_SECOND: Duration = Duration::from_secs(1);

/// Gives a running job of Slurm another share of a GPU, on the node that a policy chooses; a dry run without --apply
///
/// Slurm cannot change the GPUs of a running job. The job is therefore requeued with the new share and starts again,
/// after a checkpoint. Ctrl-C releases the job if it is held; a second Ctrl-C ends the command at once. If the command
/// is killed meanwhile, the job stays held; `scontrol release` lets it start.
#[derive(Debug, Parser)]
#[command(name = "resize")]
pub(super) struct ResizeOptions {
    /// Job ID
    #[arg(value_name = "JOB", value_parser = clap::value_parser!(u32).range(1..))]
    job: u32,
    #[command(flatten)]
    chosen: ChosenGpus,
    #[command(flatten)]
    requeue: RequeueOptions,
}

#[derive(Debug, Args)]
pub(super) struct RequeueOptions {
    /// Program that takes a checkpoint of the job; its argument is the job ID
    #[arg(long, value_name = "PROGRAM")]
    checkpoint: Option<String>,
    /// Runs the commands, by scontrol with your permissions
    #[arg(long)]
    pub(super) apply: bool,
    /// Seed of the order of nodes that the policy ranks equally, and of random choices
    #[arg(long, default_value_t = 42)]
    seed: u64,
}

/// What changes of a job, and how.
#[derive(Debug, Clone, Copy)]
pub(super) struct Change<'a> {
    gpus: WantedGpus,
    gpu_type: Option<&'a str>,
    setting: LiveSetting,
    /// Program that takes a checkpoint.
    checkpoint: Option<&'a str>,
    /// Whether the job is requeued; otherwise it is only shown.
    applies: bool,
}

pub(super) fn resize(options: &ResizeOptions) -> Result<()> {
    let ResizeOptions { job, chosen, requeue } = options;
    let interrupts = if requeue.apply { Interrupts::handled()? } else { Interrupts::default() };
    let change = requeue.change(chosen.wanted(), chosen.gpu_type.as_deref(), chosen.policy);
    let cluster = commands::cluster(&|| interrupts.is_any())?;
    change.plan(&cluster, &job.to_string(), &interrupts)?.carry_out(&interrupts)
}

impl RequeueOptions {
    /// A change of a job by a policy with these options.
    pub(super) fn change<'a>(&'a self, gpus: WantedGpus, gpu_type: Option<&'a str>, policy: Policy) -> Change<'a> {
        Change {
            gpus,
            gpu_type,
            setting: LiveSetting { policy, seed: self.seed },
            checkpoint: self.checkpoint.as_deref(),
            applies: self.apply,
        }
    }

    /// A job that stays on its node with another share.
    pub(super) fn on_its_node(&self, job: &str, node: &str, gres: &str) -> Plan {
        let text = format!("job        {job}, on {node} as {gres}\n");
        let steps = Steps::new(job, self.checkpoint.as_deref(), gres, node);
        Plan { job: job.to_owned(), text, steps, is_moved: false, applies: self.apply }
    }
}

impl Change<'_> {
    /// The change of a job in a cluster.
    ///
    /// # Errors
    /// It fits no node with its new share, or Slurm does not answer before an interrupt.
    pub(super) fn plan(self, cluster: &LiveCluster, job: &str, interrupts: &Interrupts) -> Result<Plan> {
        let piece = piece(cluster, job)?;
        let request = &cluster.trace.requests[piece.request];
        let node = &cluster.trace.nodes[piece.node];
        let wanted = Wanted {
            cores: request.cpu_milli.div_ceil(1_000),
            memory_mib: request.memory_mib,
            gpus: self.gpus,
            gpu_type: self.gpu_type.map(str::to_owned),
        };
        let partition = commands::partition_of(job, &|| interrupts.is_any())?;
        let among = Among { partition: Some(&partition), without: Some(job) };
        let choice = choose(cluster, &wanted, self.setting, among).map_err(anyhow::Error::msg)?;
        Ok(Plan {
            job: job.to_owned(),
            text: format!("job        {job}, now on {}\n{}", node.name, choice.lines(self.setting.policy)),
            steps: Steps::new(job, self.checkpoint, &choice.gres, &choice.node),
            is_moved: choice.node != node.name,
            applies: self.applies,
        })
    }
}

/// How a job gets another share.
pub(super) struct Plan {
    job: String,
    /// The choice, in lines.
    text: String,
    steps: Steps,
    /// Whether the job gets another node.
    pub(super) is_moved: bool,
    applies: bool,
}

impl Plan {
    /// Shows the commands, and carries them out.
    ///
    /// # Errors
    /// A command fails, or they are interrupted; the job then goes on or starts again as it was.
    pub(super) fn carry_out(&self, interrupts: &Interrupts) -> Result<()> {
        let job = &self.job;
        print(format!("{}{}", self.text, self.steps.lines()))?;
        if self.steps.checkpoint.is_none() {
            message(
                "note: without --checkpoint the job resumes from its last checkpoint if its script can; otherwise it starts over",
            );
        }
        if !self.applies {
            message("a dry run: nothing was changed; add --apply to requeue the job");
            return Ok(());
        }
        self.steps.apply(job, interrupts)?;
        print(format!("requeued   job {job}\n"))
    }
}

/// The place of a job, which has to be on one node.
pub(super) fn piece<'a>(cluster: &'a LiveCluster, job: &str) -> Result<&'a PlacedPiece> {
    let pieces: Vec<&PlacedPiece> = cluster.placed.iter().filter(|piece| piece.job == job).collect();
    match &pieces[..] {
        [one] => Ok(one),
        [] => bail!("job {job} is on no node that accepts jobs; see “squeue --job={job}”"),
        several => bail!("job {job} is on {}; expected a job on one", counted(several.len() as f64, "node")),
    }
}

/// Commands that requeue a job, each as its words.
struct Steps {
    checkpoint: Option<Vec<String>>,
    hold: Vec<String>,
    update: Vec<String>,
    release: Vec<String>,
}

impl Steps {
    fn new(job: &str, checkpoint: Option<&str>, gres: &str, node: &str) -> Self {
        let words = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect::<Vec<String>>();
        let [id, gres, node] = [format!("JobId={job}"), format!("Gres={gres}"), format!("ReqNodeList={node}")];
        Self {
            checkpoint: checkpoint.map(|program| words(&[program, job])),
            hold: words(&["scontrol", "requeuehold", job]),
            // A requeued job waits two minutes else.
            update: words(&["scontrol", "update", &id, &gres, &node, "StartTime=now"]),
            release: words(&["scontrol", "release", job]),
        }
    }

    fn lines(&self) -> String {
        let mut text = String::new();
        for words in self.checkpoint.iter().chain([&self.hold, &self.update, &self.release]) {
            _ = writeln!(text, "command    {}", shell::line(words));
        }
        text
    }

    /// Carries the commands out. If one fails, the job starts again as it was.
    fn apply(&self, job: &str, interrupts: &Interrupts) -> Result<()> {
        let is_stopped = || interrupts.is_repeated();
        if let Some(words) = &self.checkpoint {
            commands::checkpoint(words, &|| interrupts.is_any())
                .with_context(|| format!("the checkpoint failed; job {job} continues unchanged"))?;
        }
        commands::answer(&self.hold, &is_stopped).with_context(|| {
            if is_stopped() {
                format!("job {job} may be held; run “scontrol release {job}”")
            } else {
                format!("job {job} was not requeued, and continues unchanged")
            }
        })?;
        let updated = wait_until_held(job, interrupts).and_then(|()| {
            interrupts.pause_restoring(NEXT_SECOND);
            commands::answer(&self.update, &is_stopped)
        });
        // Also after a failure.
        let released = self.release(job, interrupts);
        updated.with_context(|| match &released {
            Ok(()) => format!("the share of job {job} is unchanged, and the job starts again"),
            Err(_) => format!("the share of job {job} is unchanged, and the job is held; run “scontrol release {job}”"),
        })?;
        released.with_context(|| format!("job {job} is held; run “scontrol release {job}”"))
    }

    /// Releases a held job, so that it starts again; repeated while the job is held, or still ends, or Slurm does not answer.
    ///
    /// # Errors
    /// It is not released in time, or before a second interrupt.
    fn release(&self, job: &str, interrupts: &Interrupts) -> Result<()> {
        let is_stopped = || interrupts.is_repeated();
        if is_stopped() {
            bail!("a second interrupt came before the release");
        }
        let begun = Instant::now();
        let limit = || if interrupts.is_any() { LONGEST_INTERRUPTED } else { LONGEST_RELEASE };
        let mut failures = 0;
        while let Err(why) = commands::answer(&self.release, &is_stopped) {
            if is_stopped() {
                return Err(why);
            }
            failures += 1;
            let state = commands::state_of(job, &is_stopped);
            match state.as_ref().map(Option::as_deref) {
                // Slurm has released it, and its answer was lost.
                Ok(Some("CONFIGURING" | "RUNNING")) => break,
                Ok(Some("PENDING" | "COMPLETING")) | Err(_) if begun.elapsed() < limit() => {}
                _ => return Err(why),
            }
            if failures == 1 {
                let limit = elapsed(limit().as_secs_f64());
                message(format!("job {job} is still held: {why:#}; trying again for up to {limit}"));
            }
            pause(commands::pause(POLL, failures), interrupts);
        }
        if failures > 0 {
            message(format!("job {job} is released after {}", counted(f64::from(failures), "failure")));
        }
        Ok(())
    }
}

/// Waits so long, and no longer than one polling interval after an interrupt.
fn pause(time: Duration, interrupts: &Interrupts) {
    interrupts.pause(time);
    if interrupts.is_any() {
        interrupts.pause_restoring(POLL);
    }
}

/// Waits until no process of a requeued job is left.
fn wait_until_held(job: &str, interrupts: &Interrupts) -> Result<()> {
    let begun = Instant::now();
    loop {
        let state = commands::state_of(job, &|| interrupts.is_any());
        match &state {
            Ok(Some(state)) if state == "PENDING" => return Ok(()),
            Ok(None) => bail!("Slurm no longer lists job {job}"),
            Ok(Some(_)) | Err(_) => {}
        }
        if interrupts.is_any() {
            bail!("the wait for its end was interrupted");
        }
        if begun.elapsed() >= LONGEST {
            let state = state?.unwrap_or_default();
            bail!("after {} s job {job} is still {state}", LONGEST.as_secs());
        }
        interrupts.pause(POLL);
    }
}
