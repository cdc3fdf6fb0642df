//! The placement of the tasks of a scenario as a list of Kubernetes pods.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use clap::Parser;
use crossover_export::allocation::manifests;
use crossover_files::atomic;
use crossover_page::storage::scenario;
use crossover_page::terminal::{keep_apart, message, print};

/// Places every task of an allocation scenario once, and writes Kubernetes pods with their nodes
///
/// Replace the image of each pod before `kubectl apply -f`. GPU shares are annotations of Alibaba's GPU sharing, whole GPUs
/// are `nvidia.com/gpu`.
#[derive(Debug, Parser)]
#[command(name = "manifests")]
pub(super) struct ManifestsOptions {
    /// Allocation scenario
    #[arg(value_name = "SCENARIO")]
    file: PathBuf,
    /// JSON file for the list; without it, the list is printed
    #[arg(long, value_name = "JSON")]
    out: Option<PathBuf>,
}

pub(super) fn write(options: &ManifestsOptions) -> Result<()> {
    let scenario = scenario::open(&options.file)?;
    if let Some(out) = &options.out {
        let named = scenario.study.named_trace().into_iter().flat_map(|named| &named.files);
        let read: Vec<&Path> = named.map(|file| Path::new(&file.path)).chain([options.file.as_path()]).collect();
        keep_apart(out, &read)?;
    }
    let study = scenario
        .study
        .allocation()
        .with_context(|| format!("{}: expected an allocation scenario", options.file.display()))?;
    let (text, without) = manifests::of(study);
    message(
        "note: nodes have the names of the scenario's groups; `crossover import kubectl --manifests` keeps host names",
    );
    if without > 0 {
        message(format!("note: {} left out", manifests::without(without)));
    }
    match &options.out {
        Some(out) => atomic::write(out, text.as_bytes()).with_context(|| format!("cannot write {}", out.display())),
        None => print(&text),
    }
}
