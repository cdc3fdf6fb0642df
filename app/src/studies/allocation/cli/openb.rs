//! Alibaba's cluster: how much a rule gives away of it, and a scenario of it.

use std::path::PathBuf;

use anyhow::{Context as _, Result};
use clap::{Parser, ValueEnum};
use crossover_model::allocation::trace::summarised;
use crossover_model::allocation::{Cluster, Fill, Policy, Workload};
use crossover_model::scenario::{Scenario, Study, VERSION};
use crossover_model::study::Watch;
use crossover_model::text::{Column, Table};
use crossover_model::unit::Unit;

use crate::export::allocation::protocol_json;
use crate::storage::scenario;
use crate::terminal::{message, print};

/// Fills Alibaba's GPU cluster of 2023 with the tasks of its trace, and makes a scenario of it
#[derive(Debug, Parser)]
#[command(name = "openb")]
pub(super) struct OpenbOptions {
    /// Nodes: a CSV with the columns `sn,cpu_milli,memory_mib,gpu,model`
    #[arg(long, value_name = "CSV")]
    nodes: PathBuf,
    /// Pods: a CSV with the columns `name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos`
    #[arg(long, value_name = "CSV")]
    pods: PathBuf,
    /// Which node a task gets
    #[arg(long, value_parser = policy, default_value = "FGD")]
    policy: Policy,
    /// Decides the order of the tasks
    #[arg(long, default_value_t = 42)]
    seed: u64,
    /// Until so many times the GPUs of the cluster were asked for
    #[arg(long, default_value_t = 1.3, value_parser = demand)]
    demand: f64,
    /// How the result is written
    #[arg(long, value_enum, default_value = "table")]
    format: OpenbFormat,
    /// File for an allocation scenario of the cluster and its tasks
    #[arg(long, value_name = "SCENARIO")]
    out: Option<PathBuf>,
}

/// What a filled cluster is written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum OpenbFormat {
    /// For the terminal
    Table,
    /// The curve, for programs
    Json,
}

fn policy(text: &str) -> Result<Policy, String> {
    let found = Policy::ALL.into_iter().find(|policy| policy.label().eq_ignore_ascii_case(text));
    let known = Policy::ALL.map(Policy::label).join(", ");
    found.ok_or_else(|| format!("there is no such rule; allowed: {known}"))
}

fn demand(text: &str) -> Result<f64, String> {
    let value: Option<f64> = text.parse().ok();
    value.filter(|value| (0.01..=10.0).contains(value)).ok_or_else(|| "allowed: a number from 0.01 to 10".to_owned())
}

/// Prints what is given away; writes a scenario if a file is named.
pub(super) fn import(options: &OpenbOptions) -> Result<()> {
    let trace = crossover_traces::openb::read(&options.nodes, &options.pods)?;
    for note in &trace.notes {
        message(&format!("note: {note}"));
    }
    let (policy, seed) = (options.policy, options.seed);
    if let Some(out) = &options.out {
        let file = options.pods.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let study = summarised(&trace, &file, policy, options.demand);
        let scenario = Scenario {
            version: VERSION,
            name: file.clone(),
            notes: format!("Made of {file}: nodes and tasks that are alike stand together."),
            study: Study::Allocation(study),
        };
        let done = if out.exists() { "replaced" } else { "written" };
        scenario::save(out, &scenario).with_context(|| format!("{}: cannot be written", out.display()))?;
        message(&format!("{}: {done}", out.display()));
    }
    let cluster = Cluster::new(&trace.nodes);
    let workload = Workload::new(&cluster, trace.requests.clone());
    let tasks: Vec<usize> = trace.tasks.iter().map(|task| task.request).collect();
    let fill = Fill { cluster: &cluster, workload: &workload, tasks: &tasks, policy, seed, until: options.demand };
    let filled = Watch::nobody(|watch| fill.run(watch)).context("nobody calls it off")?;
    if options.format == OpenbFormat::Json {
        return print(&protocol_json(policy.label(), seed, &filled.curve));
    }
    let share = |percent: f64| Unit::Share.format(percent / 100.0);
    let shown = filled.curve.iter().filter(|point| point.demand_percent % 10 == 0);
    let rows = shown.map(|point| {
        let demand = share(f64::from(point.demand_percent));
        vec![demand, share(point.allocated_percent), share(point.fragmented_percent)]
    });
    let columns = vec![Column::number("Asked for"), Column::number("Given away"), Column::number("Fragments")];
    print(&format!(
        "{} nodes with {} GPUs, {} tasks, {}, seed {seed}\n\n{}\n{} tasks placed, {} turned away\n",
        Unit::Count.format(trace.nodes.len() as f64),
        Unit::Count.format(cluster.capacity as f64 / 1e3),
        Unit::Count.format(trace.tasks.len() as f64),
        policy.label(),
        Table { columns, rows: rows.collect() }.aligned(),
        Unit::Count.format(filled.placed as f64),
        Unit::Count.format(filled.refused as f64),
    ))
}
