//! What is kept of a fleet's tab for the next window: where the fleet comes from, and what the user entered.

use std::path::{Path, PathBuf};

use crossover_fleet::LogStores;
use crossover_page::storage::on_disk::absolute;
use crossover_placement::EnteredInputs;
use serde::{Deserialize, Serialize};

use super::FleetSource;

/// A fleet's tab, as it is written.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct KeptFleet {
    source: KeptSource,
    /// What the user entered; `None`: what the command was given last.
    pub(super) inputs: Option<EnteredInputs>,
    /// Most GPU machines at a time.
    pub(super) machines: Option<u32>,
}

/// Where the fleet comes from. The engines of results are in their folder.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum KeptSource {
    Results(PathBuf),
    Logs { paths: Vec<PathBuf>, out: PathBuf },
}

impl KeptFleet {
    /// The tab of a fleet. The next window may be started in another folder.
    pub(super) fn new(source: &FleetSource, inputs: Option<EnteredInputs>, machines: Option<u32>) -> Self {
        let source = match source {
            FleetSource::Results(folder) => KeptSource::Results(whole(folder)),
            FleetSource::Logs { paths, out, .. } => {
                KeptSource::Logs { paths: paths.iter().map(|path| whole(path)).collect(), out: whole(out) }
            }
        };
        Self { source, inputs, machines }
    }

    /// Whether it was kept of the fleet with this source.
    pub(super) fn is_of(&self, source: &FleetSource) -> bool {
        Self::new(source, None, None).source == self.source
    }

    /// Where the fleet comes from, to be opened by a window at its start.
    pub(super) fn source(&self) -> FleetSource {
        match &self.source {
            KeptSource::Results(folder) => FleetSource::Results(folder.clone()),
            KeptSource::Logs { paths, out } => {
                FleetSource::Logs { paths: paths.clone(), out: out.clone(), base: None, is_restored: true }
            }
        }
    }
}

/// The whole path of a file or folder; an address is one.
fn whole(path: &Path) -> PathBuf {
    if LogStores::is_remote(path) { path.to_owned() } else { absolute(path) }
}

#[cfg(test)]
mod tests {
    use crossover_page::storage::kept::{read, write};

    use super::*;

    #[test]
    fn what_was_written_is_read_again_and_logs_are_known_to_be_restored() {
        let entered = EnteredInputs {
            runs_per_month: Some(720.0),
            time_limit: Some(1.2),
            budget_usd: Some(0.01),
            effort_usd: Some(5000.0),
            ..EnteredInputs::default()
        };
        let logs = |is_restored| FleetSource::Logs {
            paths: ["s3://logs/spark", "/var/log/größe \"b\""].map(PathBuf::from).to_vec(),
            out: PathBuf::from("/fleet"),
            base: None,
            is_restored,
        };
        let results = FleetSource::Results(PathBuf::from("/fleet"));
        for (source, expected, inputs, machines) in
            [(logs(false), logs(true), Some(entered), Some(12)), (results.clone(), results, None, None)]
        {
            let text = write(&KeptFleet::new(&source, inputs, machines)).expect("a text");
            let kept: KeptFleet = read(&text).expect("read");
            assert_eq!((kept.source(), kept.inputs, kept.machines), (expected, inputs, machines), "{text}");
            assert!(kept.is_of(&source) && !kept.is_of(&FleetSource::Results(PathBuf::from("/other"))));
        }
        assert!(read::<KeptFleet>("{\"source\": 1}").is_err());
        // Of another folder than that in which the next window is started.
        assert!(whole(Path::new("logs")).is_absolute());
        assert_eq!(whole(Path::new("http://history:18080")), Path::new("http://history:18080"));
    }
}
