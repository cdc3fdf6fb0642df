//! What is kept of the tab for the next window: the measured runs, and the settings of the training.

use std::path::{Path, PathBuf};

use crossover_page::storage::on_disk::absolute;
use crossover_predict::train::{Loss, Target};
use serde::{Deserialize, Serialize};

/// The tab, as it is written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct KeptTraining {
    /// The whole path of the runs: the next window may be started in another folder. `None`: no runs, or those of the sample, whose
    /// file ends with the window.
    pub(super) runs: Option<PathBuf>,
    pub(super) settings: TrainingSettings,
}

/// What the user sets beside the runs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct TrainingSettings {
    pub(super) target: Target,
    pub(super) loss: Loss,
    pub(super) seed: u64,
}

impl Default for TrainingSettings {
    fn default() -> Self {
        Self { target: Target::Compute, loss: Loss::Squared, seed: 1 }
    }
}

impl KeptTraining {
    /// The tab with these runs.
    pub(super) fn new(runs: Option<&Path>, settings: TrainingSettings) -> Self {
        Self { runs: runs.map(absolute), settings }
    }
}

#[cfg(test)]
mod tests {
    use crossover_page::storage::kept::{read, write};

    use super::*;

    #[test]
    fn what_was_written_is_read_again_with_a_whole_path() {
        let settings = TrainingSettings { target: Target::Memory, loss: Loss::Absolute, seed: 9 };
        for runs in [None, Some(Path::new("/runs/größe \"b\".csv"))] {
            let text = write(&KeptTraining::new(runs, settings)).expect("a text");
            let expected = KeptTraining { runs: runs.map(Path::to_owned), settings };
            assert_eq!(read::<KeptTraining>(&text), Ok(expected), "{text}");
        }
        let relative = KeptTraining::new(Some(Path::new("runs.csv")), settings);
        assert!(relative.runs.is_some_and(|runs| runs.is_absolute()));
        assert!(read::<KeptTraining>("{\"runs\": 1}").is_err());
    }
}
