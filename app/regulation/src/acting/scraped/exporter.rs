//! A scrape of dcgm-exporter as readings of its GPUs.

use crossover_quantity::text::shortened;
use crossover_regulation::recording::{self, Column, Track};

use super::reading::GpuReading;

/// Longest part of a foreign text in a message.
const SHOWN: usize = 60;

/// The readings of all GPUs of a scrape, by a bus of this speed in GB/s.
pub(super) fn readings(text: &str, bus: f64) -> Result<Vec<GpuReading>, String> {
    if text.trim().is_empty() {
        return Err("the answer is empty".to_owned());
    }
    if text.trim_start().starts_with('<') {
        return Err(format!("expected metrics, received “{}”", shortened(text.trim(), SHOWN)));
    }
    // A scrape is one reading: the time between two of them does not matter.
    let recording = recording::read(text, 1.0).map_err(|error| error.to_string())?;
    recording.tracks.iter().map(|track| reading(track, bus)).collect()
}

fn reading(track: &Track, bus: f64) -> Result<GpuReading, String> {
    let newest = |column: Column| track.values.get(&column).and_then(|values| values.last()).copied();
    let missing = |columns: [Column; 2]| {
        let [one, other] = columns.map(|column| column.metric().map_or(column.key(), |(metric, _)| metric));
        format!("GPU {} has neither {one} nor {other}; add one to the counters of the exporter", track.gpu)
    };
    let busier = [Column::PcieTx, Column::PcieRx].into_iter().filter_map(newest).reduce(f64::max);
    let busier = busier.ok_or_else(|| missing([Column::PcieTx, Column::PcieRx]))?;
    let load = newest(Column::SmActive).or_else(|| newest(Column::GpuUtilisation));
    let load = load.ok_or_else(|| missing([Column::SmActive, Column::GpuUtilisation]))?;
    Ok(GpuReading { name: track.gpu.clone(), occupancies: [(busier / bus).min(1.0), load] })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As dcgm-exporter writes it: a comment for each metric, then a line for each GPU.
    const SCRAPE: &str = "\
# HELP DCGM_FI_DEV_GPU_UTIL GPU utilization (in %).
# TYPE DCGM_FI_DEV_GPU_UTIL gauge
DCGM_FI_DEV_GPU_UTIL{gpu=\"0\",UUID=\"GPU-a\",Hostname=\"node1\"} 80
DCGM_FI_DEV_GPU_UTIL{gpu=\"1\",UUID=\"GPU-b\",Hostname=\"node1\"} 20
# TYPE DCGM_FI_PROF_PCIE_TX_BYTES gauge
DCGM_FI_PROF_PCIE_TX_BYTES{gpu=\"0\",UUID=\"GPU-a\",Hostname=\"node1\"} 5000000000
DCGM_FI_PROF_PCIE_TX_BYTES{gpu=\"1\",UUID=\"GPU-b\",Hostname=\"node1\"} 40000000000
# TYPE DCGM_FI_PROF_PCIE_RX_BYTES gauge
DCGM_FI_PROF_PCIE_RX_BYTES{gpu=\"0\",UUID=\"GPU-a\",Hostname=\"node1\"} 10000000000
DCGM_FI_PROF_PCIE_RX_BYTES{gpu=\"1\",UUID=\"GPU-b\",Hostname=\"node1\"} 1000000000
";

    #[test]
    fn each_gpu_has_its_busier_direction_over_the_bus_and_its_load() {
        let read = readings(SCRAPE, 25.0).expect("a scrape");
        let named = |name: &str, occupancies| GpuReading { name: name.to_owned(), occupancies };
        // 10 of 25 GB/s; above the speed of the bus is a short peak.
        assert_eq!(read, [named("0", [0.4, 0.8]), named("1", [1.0, 0.2])]);
        let with_sm = format!("{SCRAPE}DCGM_FI_PROF_SM_ACTIVE{{gpu=\"0\",UUID=\"GPU-a\",Hostname=\"node1\"}} 0.5\n");
        assert_eq!(readings(&with_sm, 25.0).expect("a scrape")[0].occupancies, [0.4, 0.5]);
    }

    #[test]
    fn what_is_no_scrape_or_lacks_a_metric_is_named() {
        let html = readings("<!DOCTYPE html>\n<title>Sign in</title>", 25.0).expect_err("HTML");
        assert!(html.starts_with("expected metrics, received “<!DOCTYPE html> <title>"), "{html}");
        let without: Vec<&str> = SCRAPE.lines().filter(|line| !line.contains("PCIE")).collect();
        let missing = readings(&without.join("\n"), 25.0).expect_err("no PCIe");
        assert!(missing.contains("GPU 0 has neither DCGM_FI_PROF_PCIE_TX_BYTES nor DCGM_FI_PROF_PCIE_RX_BYTES"));
        let other = readings("# TYPE node_load1 gauge\nnode_load1 0.5\n", 25.0).expect_err("another exporter");
        assert!(other.contains("no sample of a known metric; known: DCGM_FI_PROF_PCIE_TX_BYTES"), "{other}");
    }
}
