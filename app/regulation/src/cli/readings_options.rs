//! Options that say where readings of a real cluster come from: a file, the driver, exporters or Prometheus.

use std::path::PathBuf;

use anyhow::{Context as _, Result, anyhow, bail};
use clap::Args;
use crossover_telemetry::http;

use super::replay::bus_speed;
use crate::acting::scraped::Page;

/// Readings of NVIDIA's driver, where no file is named.
const DRIVER: &str = "driver";
/// Path of the metrics of an exporter.
const METRICS: &str = "/metrics";

/// Where readings come from, as the command line has it.
#[derive(Debug, Args)]
pub(super) struct ReadingsOptions {
    /// CSV file with the columns `pcie_occupancy` and `load`, to which another program appends rows; "driver" for an NVIDIA
    /// GPU of this machine; or address of dcgm-exporter, `http://HOST:9400`, which may be repeated
    #[arg(long, value_name = "SOURCE", required_unless_present = "prometheus")]
    readings: Vec<PathBuf>,
    /// Index of the GPU in the driver
    #[arg(long, value_name = "INDEX", default_value_t = 0)]
    gpu: usize,
    /// Bus speed of one direction, e.g. "31.5 GB/s"; needed for readings of exporters
    #[arg(long, value_name = "SPEED", value_parser = bus_speed)]
    bus: Option<f64>,
    /// Address of Prometheus, instead of --readings
    #[arg(long, value_name = "URL", conflicts_with = "readings", requires_all = ["pcie_query", "load_query"])]
    prometheus: Option<String>,
    /// Query of Prometheus for the PCIe occupancy, 0 … 1; the mean of its series is used
    #[arg(long, value_name = "PROMQL", requires = "prometheus")]
    pcie_query: Option<String>,
    /// Query of Prometheus for the compute load, 0 … 1; the mean of its series is used
    #[arg(long, value_name = "PROMQL", requires = "prometheus")]
    load_query: Option<String>,
}

/// Where readings come from.
pub(super) enum ReadingsSource {
    /// A GPU of this machine, by its index.
    Driver(usize),
    /// Rows of a file.
    File(PathBuf),
    /// Pages by HTTP.
    Pages(Vec<Page>),
}

impl ReadingsOptions {
    /// The source, before anything is read.
    pub(super) fn source(&self) -> Result<ReadingsSource> {
        let wrong = |problem: String| anyhow!("{problem}");
        if let (Some(server), Some(pcie), Some(load)) = (&self.prometheus, &self.pcie_query, &self.load_query) {
            let server = http::address(server, "/").map_err(wrong).context("--prometheus")?;
            return Ok(ReadingsSource::Pages(vec![Page::Prometheus(server, [pcie.clone(), load.clone()])]));
        }
        let texts: Vec<String> = self.readings.iter().map(|source| source.to_string_lossy().into_owned()).collect();
        let is_address = |text: &str| text.contains("://");
        if let ([one], [text]) = (&self.readings[..], &texts[..])
            && !is_address(text)
        {
            let is_driver = text == DRIVER;
            return Ok(if is_driver { ReadingsSource::Driver(self.gpu) } else { ReadingsSource::File(one.clone()) });
        }
        if let Some(other) = texts.iter().find(|text| !is_address(text)) {
            bail!("--readings {other}: only addresses of exporters may be repeated");
        }
        let bus = self.bus.context("readings of exporters need the speed of the bus of their GPUs; set --bus")?;
        let pages = texts.iter().map(|text| -> Result<Page> {
            let url = http::address(text, METRICS).map_err(wrong).context("--readings")?;
            Ok(Page::Exporter(url, bus))
        });
        Ok(ReadingsSource::Pages(pages.collect::<Result<Vec<Page>>>()?))
    }
}
