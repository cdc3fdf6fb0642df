//! What is kept of the tab for the next window: the files, and the settings of the replay.

use std::path::PathBuf;

use crossover_allocation::Policy;
use crossover_page::storage::on_disk::absolute;
use serde::{Deserialize, Serialize};

use super::HistoryFiles;

/// The tab, as it is written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct KeptReplay {
    /// `None`: no jobs, or those of the sample, whose files end with the window.
    files: Option<KeptFiles>,
    pub(super) settings: ReplaySettings,
}

/// Files by their whole paths: the next window may be started in another folder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct KeptFiles {
    jobs: PathBuf,
    nodes: Option<PathBuf>,
}

/// What the user sets beside the files.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct ReplaySettings {
    pub(super) policies: Vec<Policy>,
    pub(super) preempts: bool,
    pub(super) seed: u64,
    /// 0: costs are not shown.
    pub(super) usd_per_gpu_hour: f64,
}

impl Default for ReplaySettings {
    fn default() -> Self {
        Self { policies: Policy::ALL.to_vec(), preempts: false, seed: 42, usd_per_gpu_hour: 0.0 }
    }
}

impl KeptReplay {
    /// The tab with these files.
    pub(super) fn new(files: Option<&HistoryFiles>, settings: ReplaySettings) -> Self {
        let kept = |files: &HistoryFiles| KeptFiles {
            jobs: absolute(&files.jobs),
            nodes: files.nodes.as_deref().map(absolute),
        };
        Self { files: files.map(kept), settings }
    }

    /// The files, to be opened by a window at its start.
    pub(super) fn files(&self) -> Option<HistoryFiles> {
        let KeptFiles { jobs, nodes } = self.files.clone()?;
        Some(HistoryFiles { jobs, nodes, opened: 0 })
    }
}

#[cfg(test)]
mod tests {
    use crossover_page::storage::kept::{read, write};

    use super::*;

    #[test]
    fn what_was_written_is_read_again_with_whole_paths() {
        let settings = ReplaySettings {
            policies: vec![Policy::MostLeft, Policy::Fgd],
            preempts: true,
            seed: 7,
            usd_per_gpu_hour: 2.5,
        };
        let jobs = PathBuf::from("/slurm/größe \"b\".json");
        for nodes in [None, Some(PathBuf::from("/slurm/nodes.txt"))] {
            let files = HistoryFiles { jobs: jobs.clone(), nodes, opened: 3 };
            let text = write(&KeptReplay::new(Some(&files), settings.clone())).expect("a text");
            let kept: KeptReplay = read(&text).expect("read");
            assert_eq!(kept.settings, settings);
            assert_eq!(kept.files(), Some(HistoryFiles { opened: 0, ..files }), "{text}");
        }
        let relative = HistoryFiles { jobs: PathBuf::from("sacct.json"), nodes: None, opened: 0 };
        let kept = KeptReplay::new(Some(&relative), ReplaySettings::default());
        assert!(kept.files().is_some_and(|files| files.jobs.is_absolute()));
        assert_eq!(KeptReplay::new(None, settings).files(), None);
        assert!(read::<KeptReplay>("{\"files\": 1}").is_err());
    }
}
