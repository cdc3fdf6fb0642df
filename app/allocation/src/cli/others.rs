//! Jobs beside a watched one on its GPU, which make room for it: they get a smaller share, or are suspended.

use std::path::Path;
use std::str::FromStr;
use std::time::Duration;

use anyhow::{Result, bail};
use clap::Args;
use crossover_allocation::WHOLE;
use crossover_files::shell;
use crossover_page::terminal::{message, print};
use crossover_traces::slurm::live::{LiveCluster, Wanted, WantedGpus};

use super::resize::{Plan, RequeueOptions, piece};
use crate::submitting::commands;
use crate::submitting::interrupts::Interrupts;
use crate::submitting::suspended::{self, Suspended, words};

/// What may happen to other jobs.
#[derive(Debug, Args)]
pub(super) struct OtherJobs {
    /// Job on the same GPU that may be requeued with a smaller share if no node has room; PERCENT is the least share that it
    /// needs
    ///
    /// May be repeated, or have several with commas. Each time the share falls by --step. The program of --checkpoint gets the job ID.
    #[arg(long, value_name = "JOB[=PERCENT]", value_delimiter = ',')]
    shrink: Vec<Shrinkable>,
    /// Job on the same GPU that may be suspended if nothing else helps; it is resumed when the watch ends, or when the
    /// watched job leaves that GPU
    ///
    /// May be repeated, or have several with commas. Only operators and administrators of Slurm may suspend jobs. A
    /// suspended job keeps its share and its GPU memory: the watched job gets its compute time, but no larger share.
    #[arg(long, value_name = "JOB", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..))]
    suspend: Vec<u32>,
    /// Never requeues the watched job, for jobs without checkpoints; only suspends others
    #[arg(long, requires = "suspend", conflicts_with_all = ["shrink", "checkpoint"])]
    pub(super) no_requeue: bool,
}

/// A job that may get a smaller share.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Shrinkable {
    job: String,
    /// Percent of a GPU.
    least: u8,
}

impl FromStr for Shrinkable {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (job, least) = text.split_once('=').unwrap_or((text, "1"));
        let id: Option<u32> = job.parse().ok().filter(|id| *id > 0);
        let least: Option<u8> = least.parse().ok().filter(|percent| (1..=100).contains(percent));
        match id.zip(least) {
            Some((id, least)) => Ok(Self { job: id.to_string(), least }),
            None => Err("expected a job ID, or one with a percentage such as 18=20".to_owned()),
        }
    }
}

/// The other jobs of a watch that runs.
pub(super) struct Others<'a> {
    options: &'a OtherJobs,
    watched: &'a str,
    /// Those that are suspended; none if nothing is.
    suspended: Option<Suspended>,
    /// Interrupts, which a dry run does not handle.
    pub(super) interrupts: Interrupts,
}

impl<'a> Others<'a> {
    /// Resumes what killed watches have left, if changes are applied.
    ///
    /// # Errors
    /// The watched job is among the others; or jobs are to be suspended, and those of killed watches could not be resumed, or suspended
    /// jobs could not be listed.
    pub(super) fn new(options: &'a OtherJobs, watched: &'a str, applies: bool) -> Result<Self> {
        let is_watched = options.shrink.iter().any(|one| one.job == watched)
            || options.suspend.iter().any(|id| id.to_string() == watched);
        if is_watched {
            bail!("--shrink and --suspend: job {watched} is the watched job; name other jobs");
        }
        // Before the first change: an interrupt would leave jobs held or suspended.
        let interrupts = if applies { Interrupts::handled()? } else { Interrupts::default() };
        let mut others = Self { options, watched, suspended: None, interrupts };
        let suspends = applies && !options.suspend.is_empty();
        let folder = match suspended::folder() {
            Ok(folder) => folder,
            Err(why) if suspends => return Err(why),
            Err(_) => return Ok(others),
        };
        if !suspends && !suspended::is_any(&folder) {
            return Ok(others);
        }
        let named = commands::cluster_name(&|| others.interrupts.is_any());
        let cluster = match named {
            Err(why) if !suspends => {
                message(format!("note: jobs that another watch may have left suspended are not resumed: {why:#}"));
                return Ok(others);
            }
            named => named?,
        };
        if suspended::is_any(&folder)
            && let Err(why) = resume_left(&folder, &cluster, applies, &others.interrupts)
        {
            if suspends {
                return Err(why);
            }
            message(format!("note: {why:#}"));
        }
        if suspends {
            others.suspended = Some(Suspended::of_watch(&folder, &cluster, watched)?);
        }
        Ok(others)
    }

    /// Waits so long.
    ///
    /// # Errors
    /// An interrupt: the watch ends.
    pub(super) fn pause(&self, time: Duration) -> Result<()> {
        self.interrupts.pause(time);
        self.check()
    }

    /// Goes on if there was no interrupt.
    ///
    /// # Errors
    /// An interrupt: the watch ends.
    pub(super) fn check(&self) -> Result<()> {
        if self.interrupts.is_any() {
            bail!("interrupted; job {} continues with its share", self.watched);
        }
        Ok(())
    }

    /// Takes the next step from the share of a job beside the watched one: in the cluster here, and as a plan. None if all have the
    /// least that they need.
    pub(super) fn shrink(&self, cluster: &mut LiveCluster, step: u8, requeue: &RequeueOptions) -> Option<Smaller> {
        let smaller =
            |one: &Shrinkable| smaller(cluster, self.watched, one, step).map(|found| (one.job.clone(), found));
        let (job, (place, wanted, gres, former)) = self.options.shrink.iter().find_map(smaller)?;
        let request = cluster.request(&wanted).ok()?;
        cluster.trace.requests.push(request);
        cluster.placed[place].request = cluster.trace.requests.len() - 1;
        let node = &cluster.trace.nodes[cluster.placed[place].node].name;
        let plan = requeue.on_its_node(&job, node, &gres);
        Some(Smaller { job, former, plan })
    }

    /// Suspends the next job beside the watched one, or shows it in a dry run; whether there is one.
    ///
    /// # Errors
    /// Slurm does not suspend it.
    pub(super) fn suspend(&mut self, cluster: &LiveCluster) -> Result<bool> {
        let done = self.suspended.as_ref().map_or(&[][..], Suspended::jobs);
        let mut ids = self.options.suspend.iter().map(u32::to_string);
        let next = ids.find(|job| !done.contains(job) && share_gpu(cluster, self.watched, job) == Some(true));
        let Some(job) = next else { return Ok(false) };
        print(format!("command    {}\n", shell::line(words("suspend", &job))))?;
        match &mut self.suspended {
            Some(suspended) => {
                suspended.suspend(&job, &self.interrupts)?;
                print(format!("suspended  job {job}\n"))?;
            }
            None => message("a dry run: nothing was changed; add --apply to suspend the job"),
        }
        Ok(true)
    }

    /// Resumes what was suspended; what fails is tried again as the watch ends.
    ///
    /// # Errors
    /// A job may still be suspended.
    pub(super) fn resume(&mut self) -> Result<()> {
        let Some(suspended) = &mut self.suspended else { return Ok(()) };
        resume(suspended, &|_| true, &self.interrupts)
    }

    /// Resumes the suspended jobs whose GPU the watched job, which runs, does not have: Slurm may have given it another one.
    ///
    /// # Errors
    /// Slurm does not say where the jobs are, or a job may still be suspended.
    pub(super) fn resume_apart(&mut self) -> Result<()> {
        let (watched, interrupts) = (self.watched, &self.interrupts);
        let Some(suspended) = self.suspended.as_mut().filter(|suspended| !suspended.jobs().is_empty()) else {
            return Ok(());
        };
        let cluster = commands::cluster(&|| interrupts.is_any())?;
        resume(suspended, &|job| share_gpu(&cluster, watched, job) == Some(false), interrupts)
    }

    /// Resumes what was suspended, as the watch ends.
    ///
    /// # Errors
    /// A job may still be suspended: Slurm does not resume it, or there was a second interrupt.
    pub(super) fn end(self) -> Result<()> {
        let Some(suspended) = self.suspended else { return Ok(()) };
        if self.interrupts.is_any() && !suspended.jobs().is_empty() {
            let jobs = suspended.jobs().join(",");
            message(format!("interrupted: resuming suspended jobs ({jobs}); another Ctrl-C ends this command at once"));
        }
        end(suspended, &self.interrupts)
    }
}

/// A job that gets a smaller share.
pub(super) struct Smaller {
    job: String,
    /// Its share until now, percent.
    former: u8,
    plan: Plan,
}

impl Smaller {
    /// Adds a step to earlier ones. It replaces that of the same job, so that each job is requeued once.
    pub(super) fn add_to(mut self, steps: &mut Vec<Self>) {
        match steps.iter_mut().find(|earlier| earlier.job == self.job) {
            Some(earlier) => {
                self.former = earlier.former;
                *earlier = self;
            }
            None => steps.push(self),
        }
    }

    /// Requeues it, or shows the commands in a dry run.
    ///
    /// # Errors
    /// A command fails.
    pub(super) fn carry_out(&self, applies: bool, interrupts: &Interrupts) -> Result<()> {
        self.plan.carry_out(interrupts)?;
        if applies {
            let Self { job, former, .. } = self;
            message(format!(
                "note: job {job} keeps its smaller share; “crossover allocate resize {job} --share {former} --apply” gives it {former} % again"
            ));
        }
        Ok(())
    }
}

/// Resumes some of the jobs, and shows the commands.
fn resume(suspended: &mut Suspended, is_meant: &dyn Fn(&str) -> bool, interrupts: &Interrupts) -> Result<()> {
    let (resumed, outcome) = suspended.resume(is_meant, interrupts);
    for job in resumed {
        print(format!("command    {}\nresumed    job {job}\n", shell::line(words("resume", &job))))?;
    }
    outcome
}

/// Resumes jobs, and removes their file.
fn end(mut suspended: Suspended, interrupts: &Interrupts) -> Result<()> {
    resume(&mut suspended, &|_| true, interrupts)?;
    suspended.remove()
}

/// Resumes what killed watches of a cluster have left, or names it in a dry run.
///
/// # Errors
/// The first failure; what the other watches have left is resumed.
fn resume_left(folder: &Path, cluster: &str, applies: bool, interrupts: &Interrupts) -> Result<()> {
    let mut outcome = Ok(());
    for left in suspended::of_killed(folder, cluster)? {
        if applies {
            outcome = outcome.and(end(left, interrupts));
        } else if !left.jobs().is_empty() {
            let jobs = left.jobs().join(",");
            message(format!(
                "note: a watch that was killed has suspended jobs; “scontrol resume {jobs}” or --apply resumes them"
            ));
        }
    }
    outcome
}

/// Whether two jobs are on one GPU, as far as Slurm tells; none if one of them has no place.
fn share_gpu(cluster: &LiveCluster, one: &str, other: &str) -> Option<bool> {
    let (one, other) = (piece(cluster, one).ok()?, piece(cluster, other).ok()?);
    let is_apart = one.gpus.zip(other.gpus).is_some_and(|(one, other)| one.0 & other.0 == 0);
    Some(one.node == other.node && !is_apart)
}

/// Place of the piece of a job, its next smaller request, the resource of that, and its share until now in percent.
type Shrunk = (usize, Wanted, String, u8);

/// The next smaller share of a job beside the watched one; none if it needs all that it has, or has several GPUs.
fn smaller(cluster: &LiveCluster, watched: &str, one: &Shrinkable, step: u8) -> Option<Shrunk> {
    if share_gpu(cluster, watched, &one.job) != Some(true) {
        return None;
    }
    let place = cluster.placed.iter().position(|piece| piece.job == one.job)?;
    let piece = &cluster.placed[place];
    let request = &cluster.trace.requests[piece.request];
    let gpu_type = *cluster.trace.nodes[piece.node].devices.first()?;
    let share = request.shares.get(usize::from(gpu_type)).copied().flatten().filter(|_| request.gpus == 1)?;
    let now = u8::try_from(u32::from(share) * 100 / u32::from(WHOLE)).ok()?;
    let wanted = |percent: u8| Wanted {
        cores: request.cpu_milli.div_ceil(1_000),
        memory_mib: request.memory_mib,
        gpus: WantedGpus::Percent(percent),
        gpu_type: None,
    };
    let present = cluster.gres(&wanted(now), gpu_type)?;
    let mut next = now;
    while next > one.least {
        next = next.saturating_sub(step).max(one.least);
        let wanted = wanted(next);
        if let Some(gres) = cluster.gres(&wanted, gpu_type).filter(|gres| *gres != present) {
            return Some((place, wanted, gres, now));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_that_may_shrink_has_the_least_share_that_it_needs() {
        let of = |text: &str| text.parse::<Shrinkable>().ok().map(|one| (one.job, one.least));
        assert_eq!(of("18=20"), Some(("18".to_owned(), 20)));
        assert_eq!(of("18"), Some(("18".to_owned(), 1)));
        for wrong in ["", "0", "x", "18=", "18=0", "18=101", "18=20%"] {
            assert_eq!(of(wrong), None, "{wrong}");
        }
    }
}
