//! Import of a recording as the demand of a cluster.

use crate::recording::Replay;
use crate::study::Regulation;
use crossover_quantity::provenance::Provenance;

impl Regulation {
    /// Sets the demand of a cluster to a recording, and its transfer ceiling where the replay has one; `file` is their
    /// source. Nothing happens if there is no such cluster.
    pub fn import_demand(&mut self, cluster: usize, replay: Replay, file: &str) {
        let Some(cluster) = self.clusters.get_mut(cluster) else { return };
        let path = |field: &str| format!("clusters.{}.{field}", cluster.name);
        let numbers = ["low_tops", "high_tops", "start_seconds", "end_seconds", "seconds_per_value"];
        for field in numbers {
            self.sources.remove(&path(&format!("demand.{field}")));
        }
        let mut imported = vec!["demand.series", "demand.seconds_per_value", "demand.high_tops"];
        if replay.pcie_tops.is_ok() {
            imported.push("pcie_tops");
        }
        for field in imported {
            self.sources.insert(path(field), Provenance::Imported { file: file.to_owned() });
        }
        cluster.demand = replay.demand;
        if let Ok(ceiling) = replay.pcie_tops {
            cluster.pcie_tops = ceiling;
        }
    }
}
