//! `gpu-bench list`: the adapters of this machine.

use anyhow::Result;
use clap::Args;
use crossover_quantity::text::TextReport;
use serde::Serialize;

use super::{message, print};
use crate::gpu::adapter::{self, Description};
use crate::quantity;

#[derive(Debug, Args)]
pub struct Options {
    /// Writes a JSON array; empty if there is no adapter
    #[arg(long)]
    json: bool,
}

/// Message for a machine without an adapter.
const NO_ADAPTER: &str = "no GPU adapter found: install the driver of the GPU (on Linux e.g. the package \
                                     mesa-vulkan-drivers, which also has a software adapter, or NVIDIA's driver); \
                                     without one, “gpu-bench run --cpu-only” (“crossover bench run --cpu-only”) measures the CPU";

/// An adapter and the number that `--device` takes.
#[derive(Serialize)]
struct Listed {
    index: usize,
    #[serde(flatten)]
    description: Description,
}

/// Without an adapter the list is empty, and a message says what to install; not a failure.
pub(super) fn list(options: &Options) -> Result<()> {
    let adapters = adapter::list().into_iter().enumerate();
    let listed: Vec<Listed> =
        adapters.map(|(index, adapter)| Listed { index, description: adapter.description }).collect();
    if listed.is_empty() {
        message(NO_ADAPTER);
    }
    if options.json {
        return print(&(serde_json::to_string_pretty(&listed)? + "\n"));
    }
    let mut text_report = TextReport::default();
    for listed in &listed {
        let heading = format!("{} {}", listed.index, listed.description.name);
        text_report.heading(heading).facts(facts(&listed.description));
    }
    print(text_report.terminal())
}

fn facts(description: &Description) -> Vec<(String, String)> {
    let limits = description.limits;
    let size = |bytes: u64| quantity::bytes(bytes as f64);
    let kind =
        if description.software { "software renderer on the CPU; no GPU speedup reported" } else { &description.kind };
    let link = description
        .link
        .map(|link| format!("{}, {} GB/s in each direction", link.label(), quantity::gb_per_s(link.gb_per_s())));
    let (smallest, largest) = description.subgroup;
    let subgroup =
        if smallest == largest { format!("{largest} lanes") } else { format!("{smallest} to {largest} lanes") };
    let facts = [
        ("type", kind.to_owned()),
        ("backend", description.backend.clone()),
        ("driver", format!("{} {}", description.driver, description.driver_info).trim().to_owned()),
        ("PCI address", description.pci.clone()),
        ("link", link.unwrap_or_else(|| "not reported by the system".to_owned())),
        ("largest buffer", size(limits.buffer_bytes)),
        ("largest binding", size(limits.binding_bytes)),
        (
            "workgroup",
            format!("{} invocations, {} shared", limits.workgroup_size, size(u64::from(limits.workgroup_bytes))),
        ),
        ("subgroup", if largest == 0 { String::new() } else { subgroup }),
        ("features", description.features.join(", ")),
    ];
    facts.into_iter().filter(|(_, fact)| !fact.is_empty()).map(|(name, fact)| (name.to_owned(), fact)).collect()
}
