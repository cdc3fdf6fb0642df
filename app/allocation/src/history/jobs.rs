//! Recorded jobs of a Slurm cluster, and their replay under scheduling policies.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use crossover_allocation::recorded::Recorded;
use crossover_allocation::{History, HistoryOptions, Trace};
use crossover_export::allocation::history::HistoryResults;
use crossover_page::services::name_of;
use crossover_quantity::balance::Balance;
use crossover_quantity::unread::Unread;
use crossover_study::Watch;

/// Recorded jobs on nodes with GPUs.
pub(crate) struct RecordedJobs {
    file: PathBuf,
    trace: Trace,
    recorded: Recorded,
}

/// Replayed jobs, with what a report says about them.
#[derive(Debug)]
pub(crate) struct ReplayedJobs {
    /// Name of the file of jobs.
    name: String,
    /// The record and its replays.
    pub(crate) history: History,
    preempts: bool,
    notes: Vec<String>,
    unread: Unread,
    balances: Vec<Balance>,
}

impl RecordedJobs {
    /// Reads jobs, and nodes if there is a file of them.
    ///
    /// # Errors
    /// A file cannot be read, or no node has a GPU.
    pub(crate) fn read(nodes: Option<&Path>, jobs: &Path) -> Result<Self> {
        let trace = crossover_traces::slurm::read_history(nodes, jobs)?;
        let recorded = Recorded::new(&trace);
        if recorded.cluster.capacity.is_none() {
            bail!("{}: no node has a GPU, so nothing can be replayed", nodes.unwrap_or(jobs).display());
        }
        Ok(Self { file: jobs.to_owned(), trace, recorded })
    }

    /// Arrivals of jobs in all replays.
    pub(crate) fn arrivals(&self, options: &HistoryOptions) -> usize {
        (1 + options.policies.len()) * self.recorded.arrivals.len()
    }

    /// What was left out of the files, and what was assumed.
    pub(crate) fn messages(&self) -> Vec<String> {
        self.trace.messages()
    }

    /// Replays the jobs; `None` if it was cancelled. An error: no job can be compared.
    pub(crate) fn replay(&self, options: &HistoryOptions, watch: Watch<'_>) -> Option<Result<ReplayedJobs>> {
        let history = History::of(&self.recorded, options, watch)?;
        Some(self.compared(history, options.preempts))
    }

    fn compared(&self, history: History, preempts: bool) -> Result<ReplayedJobs> {
        if history.tasks == 0 {
            let file = self.file.display();
            bail!("{file}: no job with GPUs started and fits a node, so nothing can be compared");
        }
        Ok(ReplayedJobs {
            name: name_of(&self.file),
            history,
            preempts,
            notes: self.trace.notes.clone(),
            unread: self.trace.unread.clone(),
            balances: self.trace.balances.clone(),
        })
    }
}

impl ReplayedJobs {
    /// The results, with a price of a GPU for an hour in US dollars if there is one.
    pub(crate) fn results(&self, usd_per_gpu_hour: Option<f64>) -> HistoryResults<'_> {
        HistoryResults {
            name: &self.name,
            history: &self.history,
            preempts: self.preempts,
            usd_per_gpu_hour,
            notes: &self.notes,
            unread: &self.unread,
            balances: &self.balances,
        }
    }
}
