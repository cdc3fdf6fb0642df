//! RAPIDS configuration of all applications to move.

use std::path::Path;

use anyhow::{Context as _, Result, bail};
use crossover_fleet::names::RAPIDS;
use crossover_fleet::rapids;
use crossover_fleet::rapids::cluster::{GpuCluster, Host};
use crossover_fleet::{Base, Overview};
use crossover_page::catalogue::shipped;
use crossover_page::terminal::message;
use crossover_quantity::text::counted;

/// The GPU machines of a base, with their cores and memory from the catalogue.
pub(super) fn cluster(base: &Base) -> Result<GpuCluster> {
    let catalogue = shipped()?;
    let host = |machine: &str| {
        let found = catalogue.instances.iter().find(|instance| instance.name == machine)?;
        Some(Host { name: found.name.clone(), cores: found.vcpus, memory_gib: found.memory_gib })
    };
    GpuCluster::of(base, host).context("--rapids")
}

/// Writes the files and prints their folder. `measured` is the digest of the results' engines.
pub(super) fn write(
    out: &Path,
    overview: &Overview<'_>,
    base: &Base,
    cluster: &GpuCluster,
    measured: Option<&str>,
) -> Result<()> {
    if measured != Some(base.digest.as_str()) {
        bail!(
            "--rapids: the results in {} were predicted with other engines than {}; give the same --base and --profile",
            out.display(),
            base.name
        );
    }
    let written = rapids::write(out, overview, cluster)?;
    if written.applications == 0 {
        message("--rapids: no Spark application is to move, so there is nothing to configure");
        return Ok(());
    }
    message(format!(
        "{}: RAPIDS configuration for {} and {}",
        out.join(RAPIDS).display(),
        counted(written.applications as f64, "application"),
        counted(written.queues as f64, "queue"),
    ));
    Ok(())
}
