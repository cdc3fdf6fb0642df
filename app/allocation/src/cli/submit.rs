//! A job for Slurm, on the node and with the share of a GPU that a policy chooses.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use clap::{ArgGroup, Args, CommandFactory as _, Parser};
use crossover_allocation::{LiveSetting, Policy};
use crossover_files::{read, shell};
use crossover_page::terminal::{message, print, wrong_usage};
use crossover_traces::slurm::live::{self, LiveCluster, Wanted, WantedGpus};

use super::import::policy;
use crate::submitting::{Among, Choice, choose, commands};

/// Largest batch script: what Slurm takes by default.
const LARGEST_SCRIPT: u64 = 4 << 20;
/// Options of `sbatch` that this command sets.
const SET_HERE: [&str; 13] = [
    "--nodelist",
    "-w",
    "--nodefile",
    "-F",
    "--exclude",
    "-x",
    "--nodes",
    "-N",
    "--gres",
    "--gpus",
    "-G",
    "--partition",
    "-p",
];
/// Requests for GPUs of a script that `--gres` does not replace.
const NOT_REPLACED: [&str; 2] = ["--gpus", "-G"];

/// How many GPUs of which type a job gets, and the policy that chooses them.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("amount").required(true).args(["gpus", "share"]))]
pub(super) struct ChosenGpus {
    /// Scheduling policy
    #[arg(long, value_parser = policy, default_value = "FGD")]
    pub(super) policy: Policy,
    /// Whole GPUs
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=16))]
    gpus: Option<u8>,
    /// Share of one GPU, rounded up to the shards or MPS parts of the node
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u8).range(1..=100))]
    share: Option<u8>,
    /// Type of the GPUs, as in `gres`, e.g. a100
    #[arg(long, value_name = "TYPE")]
    pub(super) gpu_type: Option<String>,
}

/// Submits a job to Slurm, on the node and with the share of a GPU that a policy chooses; a dry run without --apply
///
/// Nodes come from `scontrol show node`, jobs from `squeue --json`, or before Slurm 21.08 from
/// `scontrol --details show job`. The policy chooses one of the nodes that the job fits now, and `sbatch` gets it as `--nodelist` and `--gres`. Slurm chooses the GPU on that node.
#[derive(Debug, Parser)]
#[command(name = "submit")]
pub(super) struct SubmitOptions {
    /// Batch script
    #[arg(value_name = "SCRIPT")]
    script: PathBuf,
    /// Arguments of the batch script
    #[arg(value_name = "ARGUMENTS", last = true)]
    arguments: Vec<String>,
    #[command(flatten)]
    chosen: ChosenGpus,
    /// Cores of the job; without it the policy counts one, and sbatch takes those of the script
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    cores: Option<u32>,
    /// Memory of the job, MiB; without it the policy counts none, and sbatch takes that of the script
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u32).range(1..))]
    memory: Option<u32>,
    /// Partition, or several with commas; default: that of the script, else that of Slurm
    #[arg(long, value_name = "NAME")]
    partition: Option<String>,
    /// A further argument of sbatch, e.g. --account=us; may be repeated
    #[arg(long, value_name = "ARGUMENT", allow_hyphen_values = true)]
    sbatch: Vec<String>,
    /// Output of `scontrol show node`, instead of the command
    #[arg(long, value_name = "FILE", requires = "jobs", conflicts_with = "apply")]
    nodes: Option<PathBuf>,
    /// Output of `squeue --json` or `scontrol --details show job`, instead of the command
    #[arg(long, value_name = "JSON", requires = "nodes", conflicts_with = "apply")]
    jobs: Option<PathBuf>,
    /// Submits the job, by sbatch with your permissions
    #[arg(long)]
    apply: bool,
    /// Seed of the order of nodes that the policy ranks equally, and of random choices
    #[arg(long, default_value_t = 42)]
    seed: u64,
}

pub(super) fn submit(options: &SubmitOptions) -> Result<()> {
    check_arguments(&options.sbatch)?;
    let of_script = partition_of_script(&options.script)?;
    let named = options.partition.clone().or(of_script);
    let gpus = options.chosen.wanted();
    let wanted = Wanted {
        cores: options.cores.unwrap_or(1),
        memory_mib: options.memory.unwrap_or(0),
        gpus,
        gpu_type: options.chosen.gpu_type.clone(),
    };
    let (cluster, partition) = if let (Some(nodes), Some(jobs)) = (&options.nodes, &options.jobs) {
        (live::read(nodes, jobs)?, named.clone())
    } else {
        let default = if named.is_none() { commands::default_partition()? } else { None };
        (commands::cluster(&|| false)?, named.clone().or(default))
    };
    for note in &cluster.trace.notes {
        message(format!("note: {note}"));
    }
    if options.memory.is_none() && has_memory(&cluster) {
        message(
            "note: this Slurm also allocates memory; without --memory the node may lack the default memory of the job",
        );
    }
    let setting = LiveSetting { policy: options.chosen.policy, seed: options.seed };
    let choice = choose(&cluster, &wanted, setting, Among { partition: partition.as_deref(), without: None })
        .map_err(anyhow::Error::msg)?;
    let words = words(options, named.as_deref(), &choice)?;
    print(format!("{}command    {}\n", choice.lines(options.chosen.policy), shell::line(&words)))?;
    if !options.apply {
        message("a dry run: nothing was submitted; add --apply to submit it");
        return Ok(());
    }
    let answer = commands::answer(&words, &|| false)?;
    let job = answer.trim().split(';').next().unwrap_or_default();
    if job.is_empty() || !job.chars().all(|c| c.is_ascii_digit()) {
        bail!("sbatch printed “{}”; expected a job ID", answer.trim());
    }
    print(format!("submitted  job {job}\n"))
}

impl ChosenGpus {
    /// Whole GPUs, or else a share.
    pub(super) fn wanted(&self) -> WantedGpus {
        self.gpus.map_or_else(|| WantedGpus::Percent(self.share.unwrap_or(100)), WantedGpus::Whole)
    }
}

/// Whether jobs of the cluster have memory.
fn has_memory(cluster: &LiveCluster) -> bool {
    cluster.placed.iter().any(|piece| cluster.trace.requests[piece.request].memory_mib > 0)
}

fn is_option(argument: &str, option: &str) -> bool {
    let Some(rest) = argument.strip_prefix(option) else { return false };
    // A short option is followed by its value: -wn1. --gpus is one of a family: --gpus-per-node=1.
    !option.starts_with("--")
        || rest.is_empty()
        || rest.starts_with('=')
        || (option == "--gpus" && rest.starts_with('-'))
}

/// Refuses arguments that would replace the choice.
fn check_arguments(arguments: &[String]) -> Result<()> {
    let set = arguments.iter().find(|argument| SET_HERE.iter().any(|option| is_option(argument, option)));
    match set {
        None => Ok(()),
        Some(argument) => {
            let problem = format!("--sbatch {argument}: the policy chooses this; use --gpus, --share or --partition");
            Err(wrong_usage(SubmitOptions::command().name("allocate submit"), &problem).into())
        }
    }
}

/// The partition that a script names. Slurm reads its directives up to the first command.
///
/// # Errors
/// The script cannot be read, or requests GPUs beside those that are chosen here.
fn partition_of_script(script: &Path) -> Result<Option<String>> {
    let file = script.display();
    let text = read::text(script, LARGEST_SCRIPT).with_context(|| format!("cannot read {file}"))?;
    let mut partition = None;
    let is_before_commands = |(_, line): &(usize, &str)| line.trim().is_empty() || line.starts_with('#');
    for (line, text) in (1..).zip(text.lines()).take_while(is_before_commands) {
        let Some(directive) = text.strip_prefix("#SBATCH") else { continue };
        let asks = |word: &&str| NOT_REPLACED.iter().any(|option| is_option(word, option));
        if let Some(word) = directive.split_whitespace().find(asks) {
            bail!("{file}:{line}: {word} requests GPUs in addition to --gres; remove it, and use --gpus or --share");
        }
        partition = named_partition(directive).or(partition);
    }
    Ok(partition)
}

/// The partition of a directive: `--partition=long`, `--partition long`, `-p long` or `-plong`.
fn named_partition(directive: &str) -> Option<String> {
    let mut words = directive.split_whitespace();
    while let Some(word) = words.next() {
        let value = word.strip_prefix("--partition").or_else(|| word.strip_prefix("-p"));
        let Some(value) = value else { continue };
        let value = value.strip_prefix('=').unwrap_or(value);
        let value = if value.is_empty() { words.next()? } else { value };
        return Some(value.trim_matches(['"', '\'']).to_owned());
    }
    None
}

/// The command that submits the job.
fn words(options: &SubmitOptions, partition: Option<&str>, choice: &Choice) -> Result<Vec<String>> {
    let script = options.script.to_str().context("the script's name is not UTF-8")?;
    let mut words = vec!["sbatch".to_owned(), "--parsable".to_owned(), "--nodes=1".to_owned()];
    words.push(format!("--nodelist={}", choice.node));
    words.push(format!("--gres={}", choice.gres));
    words.extend(options.cores.map(|cores| format!("--cpus-per-task={cores}")));
    words.extend(options.memory.map(|mib| format!("--mem={mib}M")));
    words.extend(partition.map(|partition| format!("--partition={partition}")));
    words.extend(options.sbatch.iter().cloned());
    // Its name could be an option.
    words.push(if script.starts_with('-') { format!("./{script}") } else { script.to_owned() });
    words.extend(options.arguments.iter().cloned());
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_that_would_replace_the_choice_are_refused() {
        for argument in [
            "--nodelist=n1",
            "-wn1",
            "-Fnodes.txt",
            "--gres=gpu:1",
            "--gpus-per-node=1",
            "-G2",
            "-N",
            "--exclude=n1",
            "-xn1",
            "-plong",
            "--partition=long",
        ] {
            let problem = check_arguments(&[argument.to_owned()]).expect_err(argument).to_string();
            assert!(problem.contains("the policy chooses this"), "{problem}");
        }
        let fine =
            ["--account=us", "--time=10", "--job-name=x", "--nice=10", "--wckey=x", "--gres-flags=enforce-binding"]
                .map(str::to_owned);
        assert!(check_arguments(&fine).is_ok());
    }

    #[test]
    fn the_partition_of_a_directive_is_read_in_all_its_forms() {
        for directive in
            [" --partition=long", " -p long", " -plong", " --time=10 --partition long # note", " -p \"long\""]
        {
            assert_eq!(named_partition(directive).as_deref(), Some("long"), "{directive}");
        }
        assert_eq!((named_partition(" --time=10 --parsable"), named_partition(" -p")), (None, None));
    }

    #[test]
    fn the_options_of_the_command_are_consistent() {
        SubmitOptions::command().debug_assert();
    }
}
