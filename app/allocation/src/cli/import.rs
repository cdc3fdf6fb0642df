//! Recorded clusters: allocated GPUs by policy, waits at the recorded times, and a scenario of the cluster.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use clap::{Args, Parser, ValueEnum};
use crossover_allocation::recorded::Recorded;
use crossover_allocation::{Arrivals, Fill, Form, Policy, Replayed, Trace};
use crossover_export::allocation::{manifests, protocol_json, replays_json};
use crossover_page::terminal::{Outputs, keep_apart, message};
use crossover_quantity::text::{Column, Table, counted};
use crossover_quantity::unit::{Unit, elapsed};
use crossover_study::Watch;
use crossover_traces::philly::Machines;

use super::super::recorded::{MACHINES, Source};

/// Fills Alibaba's 2023 GPU cluster with the tasks of its trace, and writes a scenario
#[derive(Debug, Parser)]
#[command(name = "openb")]
pub(super) struct OpenbOptions {
    /// Nodes: a CSV with the columns `sn,cpu_milli,memory_mib,gpu,model`
    #[arg(long, value_name = "CSV")]
    nodes: PathBuf,
    /// Pods: a CSV with the columns `name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos`
    #[arg(long, value_name = "CSV")]
    pods: PathBuf,
    #[command(flatten)]
    to: ImportOptions,
}

/// Places jobs of a published log (Philly, Helios, Acme, PAI) on machines that you describe, and writes a scenario
#[derive(Debug, Parser)]
#[command(name = "philly")]
pub(super) struct PhillyOptions {
    /// Jobs: a CSV with the columns `job_id,submit_time,num_gpu,duration` (Helios and Acme: `gpu_num` instead of
    /// `num_gpu`); for PAI `job_name,inst_num,plan_gpu,start_time,end_time`; or Philly's own JSON
    #[arg(value_name = "FILE")]
    jobs: PathBuf,
    /// Machines of the cluster, which the file does not contain
    #[arg(long, default_value_t = MACHINES)]
    nodes: u16,
    /// GPUs of each machine
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u8).range(1..=16))]
    gpus: u8,
    #[command(flatten)]
    to: ImportOptions,
}

/// Imports a Kubernetes cluster and simulates how many GPUs another scheduling policy allocates
#[derive(Debug, Parser)]
#[command(name = "kubectl")]
pub(super) struct KubectlOptions {
    /// Output of `kubectl get nodes,pods -A -o json`; nodes and pods may be in two files
    #[arg(value_name = "JSON", required = true, num_args = 1..=2)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    to: ImportOptions,
}

/// Imports decisions of `crossover allocate serve` and simulates what other scheduling policies would have done
#[derive(Debug, Parser)]
#[command(name = "decisions")]
pub(super) struct DecisionsOptions {
    /// Log of decisions that `crossover allocate serve --log` wrote
    #[arg(value_name = "JSONL")]
    log: PathBuf,
    #[command(flatten)]
    to: ImportOptions,
}

/// Imports a Slurm cluster and simulates how many GPUs another scheduling policy allocates
#[derive(Debug, Parser)]
#[command(name = "slurm")]
pub(super) struct SlurmOptions {
    /// Output of `scontrol show node`, also with `--json`, or of `sinfo --Node --format="%N %c %m %G %T"`
    #[arg(long, value_name = "TEXT")]
    nodes: PathBuf,
    /// Output of `squeue --json`, `scontrol --details show job`, `sacct --json`, or `sacct --parsable2`; only sacct has jobs that ended
    #[arg(long, value_name = "FILE")]
    jobs: Option<PathBuf>,
    #[command(flatten)]
    to: ImportOptions,
}

/// Options of every import of a recorded cluster.
#[derive(Debug, Args)]
struct ImportOptions {
    /// Scheduling policy that fills the cluster, and that --out and --manifests use
    #[arg(long, value_parser = policy, default_value = "FGD")]
    policy: Policy,
    /// Seed of the order of the tasks
    #[arg(long, default_value_t = 42)]
    seed: u64,
    /// Demand at which arrivals end: requested GPUs ÷ GPUs of the cluster
    ///
    /// Each imported task arrives once, in random order. If all tasks together request less than this demand, randomly chosen tasks
    /// arrive again. If they request more, the last tasks do not arrive. --out stores this demand in the scenario.
    #[arg(long, default_value_t = 1.3, value_parser = demand)]
    demand: f64,
    /// Replays the imported tasks instead of filling the cluster, and compares the waits under every scheduling policy
    ///
    /// The tasks arrive at the times of the imported file and run as long as recorded there, on the nodes of the cluster. The table has a row
    /// for each policy: waits, slowdowns, rejected tasks and allocated GPU time. --demand has no effect on it.
    #[arg(long)]
    replay: bool,
    /// Output format
    #[arg(long, value_enum, default_value = "table")]
    format: TraceFormat,
    /// File for an allocation scenario of the cluster and its tasks
    #[arg(long, value_name = "SCENARIO")]
    out: Option<PathBuf>,
    /// File for a list of Kubernetes pods: every task once, on the node that the policy chooses
    #[arg(long, value_name = "JSON")]
    manifests: Option<PathBuf>,
}

/// The output format of a recorded cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum TraceFormat {
    /// For the terminal
    Table,
    /// The same for programs, with the names that were not read and the totals of the files
    Json,
}

/// The policy of a name, in any case.
pub(super) fn policy(text: &str) -> Result<Policy, String> {
    let found = Policy::ALL.into_iter().find(|policy| policy.label().eq_ignore_ascii_case(text));
    let known = Policy::ALL.map(Policy::label).join(", ");
    found.ok_or_else(|| format!("unknown policy; allowed: {known}"))
}

fn demand(text: &str) -> Result<f64, String> {
    let value: Option<f64> = text.parse().ok();
    value.filter(|value| (0.01..=10.0).contains(value)).ok_or_else(|| "allowed: a number from 0.01 to 10".to_owned())
}

pub(super) fn openb(options: &OpenbOptions) -> Result<()> {
    let trace = crossover_traces::openb::read(&options.nodes, &options.pods)?;
    show(&Source { trace: &trace, files: [&options.nodes, &options.pods], form: Some(Form::Openb) }, &options.to)
}

pub(super) fn philly(options: &PhillyOptions) -> Result<()> {
    let machines = Machines { nodes: usize::from(options.nodes), gpus_of_node: options.gpus };
    let trace = crossover_traces::philly::read(&options.jobs, machines)?;
    show(&Source { trace: &trace, files: [&options.jobs, &options.jobs], form: Some(Form::Philly) }, &options.to)
}

pub(super) fn kubectl(options: &KubectlOptions) -> Result<()> {
    let files: Vec<&Path> = options.files.iter().map(PathBuf::as_path).collect();
    let trace = crossover_traces::kubernetes::read(&files)?;
    show(&Source { trace: &trace, files: [files[0], files[files.len() - 1]], form: None }, &options.to)
}

pub(super) fn decisions(options: &DecisionsOptions) -> Result<()> {
    let trace = crossover_traces::decisions::read(&options.log)?;
    show(&Source { trace: &trace, files: [&options.log, &options.log], form: Some(Form::Decisions) }, &options.to)
}

pub(super) fn slurm(options: &SlurmOptions) -> Result<()> {
    let trace = crossover_traces::slurm::read(&options.nodes, options.jobs.as_deref())?;
    let jobs = options.jobs.as_deref().unwrap_or(&options.nodes);
    show(&Source { trace: &trace, files: [&options.nodes, jobs], form: None }, &options.to)
}

/// Prints allocated GPUs, or waits; then writes a scenario if a file is given.
fn show(source: &Source<'_>, options: &ImportOptions) -> Result<()> {
    let Source { trace, files: [nodes, tasks], .. } = *source;
    for out in options.out.iter().chain(&options.manifests) {
        keep_apart(out, &[nodes, tasks])?;
    }
    if options.out.is_some() && options.out == options.manifests {
        bail!("--out and --manifests name the same file; name two files");
    }
    for note in &trace.messages() {
        message(format!("note: {note}"));
    }
    let recorded = Recorded::new(trace);
    let mut outputs = Outputs::default();
    if recorded.cluster.capacity.is_none() {
        let which =
            if trace.unread.is_empty() { "no node has a GPU" } else { "no node has a supported GPU (see the notes)" };
        bail!("{}: {which}, so nothing can be placed", nodes.display());
    }
    if recorded.tasks.is_empty() {
        let Some(out) = options.out.as_ref().filter(|_| options.manifests.is_none() && !options.replay) else {
            bail!(
                "{}: no task found, so nothing can be placed; --out alone writes a scenario with one task to replace with your own",
                tasks.display()
            );
        };
        message(format!(
            "note: {}: no task found, so nothing is placed; the scenario has one task to replace with your own",
            tasks.display()
        ));
        save(source, options, out, &mut outputs)?;
        return outputs.commit();
    }
    let text = if options.replay { waits(trace, &recorded, options)? } else { fill(trace, &recorded, options)? };
    if let Some(out) = &options.out {
        save(source, options, out, &mut outputs)?;
    }
    if let Some(file) = &options.manifests {
        let (text, without) = manifests::of_trace(trace, &recorded, options.policy, options.seed);
        outputs.add(file, text.as_bytes())?;
        if without > 0 {
            message(format!("note: {} left out of {}", manifests::without(without), file.display()));
        }
    }
    outputs.finish(text)
}

/// Prepares the file of a scenario.
fn save(source: &Source<'_>, options: &ImportOptions, out: &Path, outputs: &mut Outputs) -> Result<()> {
    let arrivals = Arrivals { demand: options.demand, orders: 10.0, seed: options.seed as f64, target: 0.95 };
    let (scenario, notes) = match source.scenario(options.policy, arrivals) {
        Ok(made) => made,
        Err(problem) => bail!("{}: not written: {problem}", out.display()),
    };
    for note in notes {
        message(format!("note: {note}"));
    }
    outputs.add_scenario(out, &scenario)
}

/// Allocated GPUs and fragments along the demand.
fn fill(trace: &Trace, recorded: &Recorded, options: &ImportOptions) -> Result<String> {
    let Recorded { cluster, workload, typical, tasks, .. } = recorded;
    let ImportOptions { policy, seed, demand, .. } = *options;
    let fill = Fill { cluster, workload, needed: workload, typical, tasks, policy, seed, until: demand };
    let filled = Watch::uncancellable(|watch| fill.run(watch)).context("the evaluation was cancelled")?;
    if options.format == TraceFormat::Json {
        return Ok(protocol_json(policy.label(), seed, &filled.curve, trace));
    }
    let share = |percent: f64| Unit::Share.format(percent / 100.0);
    let shown = filled.curve.iter().filter(|point| point.demand_percent % 10 == 0);
    let rows = shown.map(|point| {
        let demand = share(f64::from(point.demand_percent));
        vec![demand, share(point.allocated_percent), share(point.fragmented_percent)]
    });
    let columns = vec![Column::number("Requested"), Column::number("Allocated"), Column::number("Fragments")];
    Ok(format!(
        "{}, {}, seed {seed}\nEach task arrives once, in random order; then randomly chosen tasks arrive again. Arrivals end when {} of \
         the GPUs are requested.\n\n{}\n{} placed, {} rejected\n",
        cluster_in_words(trace, recorded),
        policy.label(),
        Unit::Share.format(demand),
        Table { columns, rows: rows.collect() }.aligned(),
        counted(filled.placed as f64, "task"),
        Unit::Count.format(filled.rejected as f64),
    ))
}

/// The waits of tasks that arrive and run as recorded, with every policy.
fn waits(trace: &Trace, recorded: &Recorded, options: &ImportOptions) -> Result<String> {
    if recorded.arrivals.is_empty() {
        bail!("the record has no run times, so nothing can be replayed");
    }
    if recorded.unended > 0 {
        message(format!(
            "note: left out of the replay, as they ran beyond the end of the record: {}",
            counted(recorded.unended as f64, "task")
        ));
    }
    let replay = |policy: Policy| -> Result<(Policy, Replayed)> {
        let replayed =
            Watch::uncancellable(|watch| recorded.replay(policy, options.seed, policy != Policy::Declared, watch));
        Ok((policy, replayed.context("the evaluation was cancelled")?))
    };
    let replays = Policy::ALL.into_iter().map(replay).collect::<Result<Vec<_>>>()?;
    if options.format == TraceFormat::Json {
        return Ok(replays_json(options.seed, &replays, recorded, trace));
    }
    let mut rows = Vec::new();
    for (policy, replayed) in &replays {
        let mut row = vec![policy.label().to_owned()];
        for served in &replayed.served {
            let is_any = served.ended > 0.0;
            let none = || "–".to_owned();
            row.push(if is_any { elapsed(served.mean_wait) } else { none() });
            row.push(if is_any { elapsed(served.p99_wait) } else { none() });
            row.push(served.mean_slowdown.map_or_else(none, |slowdown| Unit::Factor.format(slowdown)));
        }
        let rejected: f64 = replayed.served.iter().map(|served| served.rejected).sum();
        row.push(Unit::Count.format(rejected));
        row.push(Unit::Share.format(replayed.utilisation));
        rows.push(row);
    }
    let columns = [
        "Latency-sensitive: wait",
        "p99 wait",
        "slowdown",
        "Others: wait",
        "p99 wait",
        "slowdown",
        "Rejected",
        "GPU time allocated",
    ];
    let columns = columns.map(Column::number);
    let table = Table { columns: std::iter::once(Column::text("Policy")).chain(columns).collect(), rows };
    let tasks = counted(recorded.arrivals.len() as f64, "task");
    Ok(format!(
        "Waits of {tasks}, with arrivals and run times as recorded, under every policy, seed {}\n\n{}",
        options.seed,
        table.aligned()
    ))
}

/// "1,213 nodes with 6,212 GPUs, 8,152 tasks".
fn cluster_in_words(trace: &Trace, recorded: &Recorded) -> String {
    let gpus: usize = trace.nodes.iter().map(|node| node.devices.len()).sum();
    format!(
        "{} with {}, {}",
        counted(trace.nodes.len() as f64, "node"),
        counted(gpus as f64, "GPU"),
        counted(recorded.tasks.len() as f64, "task")
    )
}
