//! Every log of a house: which applications gain on a GPU cluster, and what blocks the others.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::available_parallelism;
use std::time::Instant;

use anyhow::{Context as _, Result, anyhow, bail};
use clap::Args;
use crossover_fleet::opened::open;
use crossover_fleet::{Base, Order, Outcomes, Overview, merge, run};
use crossover_model::scenario::{Scenario, read};
use crossover_model::tools::Shard;
use crossover_plan::{Control, Folders};

use super::wrong_usage;
use crate::export::Format;
use crate::export::fleet::{Answer, sentence};
use crate::storage::scenario;
use crate::studies::placement::examples::MEASURED;
use crate::terminal::{message, print, told_while};
use crate::truth::open_profile;

/// Bytes of a megabyte.
const MB: f64 = 1e6;
/// Left-out files that are named on standard error; all are in the table `left_out`.
const NAMED: usize = 5;

#[derive(Debug, Args)]
pub(super) struct FleetOptions {
    /// Event logs, and folders of them; with --merge the folders of results of all shards
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    /// Folder for the results; a second run reads only what is new there
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Placement scenario with engines: the clusters to compare; default: Spark on 8 × c5d.12xlarge, RAPIDS on 4 × L4
    #[arg(long, value_name = "SCENARIO")]
    base: Option<PathBuf>,
    /// Profile of `fit`; takes the place of the engines of the base
    #[arg(long, value_name = "PROFILE")]
    profile: Option<PathBuf>,
    /// Reads one of N parts of the logs only, 1/N … N/N; --merge puts the folders of all parts together
    #[arg(long, value_name = "I/N", conflicts_with = "merge")]
    shard: Option<Shard>,
    /// Puts the results of all shards together instead of reading logs
    #[arg(long, conflicts_with_all = ["base", "profile"])]
    merge: bool,
    /// How many logs are read at once; default: as many as there are cores
    #[arg(long, value_name = "COUNT")]
    threads: Option<std::num::NonZeroUsize>,
    /// How the list of applications is written
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
}

/// Reads logs, writes the tables, and prints what to move.
pub(super) fn fleet(options: &FleetOptions) -> Result<()> {
    if options.format == Format::Ron {
        let problem = "--format: a fleet is written as table, json, csv or markdown";
        return Err(wrong_usage("fleet", problem).into());
    }
    let outcomes = if options.merge { merge(&options.paths, &options.out)? } else { read_logs(options)? };
    let overview = Overview::new(&outcomes);
    tell_left_out(&overview, &options.out);
    if overview.applications.is_empty() {
        let paths: Vec<String> = options.paths.iter().map(|path| path.display().to_string()).collect();
        // One of many shards may have nothing to do.
        if options.shard.is_none() {
            bail!("no event log in {}; expected logs of Spark or folders of them", paths.join(", "));
        }
    }
    message(&format!(
        "{}: {} read, {} unchanged; tables {}",
        options.out.display(),
        outcomes.read,
        outcomes.unchanged,
        if outcomes.tables_written { "written" } else { "unchanged" }
    ));
    let answer = Answer::new(&overview);
    print(&match options.format {
        Format::Table => answer.table() + &sentence(&overview) + "\n",
        Format::Markdown => answer.markdown() + "\n" + &sentence(&overview) + "\n",
        Format::Csv => answer.csv(),
        Format::Json | Format::Ron => answer.json(),
    })
}

/// The results of an earlier run, for readers.
pub(super) fn results(folder: &Path) -> Result<String> {
    let opened = open(folder)?;
    let overview = Overview::new(&opened.outcomes);
    Ok(Answer::new(&overview).table() + &sentence(&overview) + "\n")
}

fn read_logs(options: &FleetOptions) -> Result<Outcomes> {
    let base = base(options.base.as_deref(), options.profile.as_deref())?;
    if !base.is_of_spark() {
        let [cpu, _] = base.titles();
        message(&format!("the base's CPU engine is {cpu}, and the logs are of Spark: take a profile of Spark"));
    }
    let threads = options.threads.map_or_else(|| available_parallelism().map_or(1, usize::from), usize::from);
    let control = Arc::new(Control::default());
    let heard = Arc::clone(&control);
    // The logs that are read come to the ledger, and the next run goes on from there.
    if let Err(error) = ctrlc::set_handler(move || heard.cancel()) {
        message(&format!("Ctrl-C ends the program at once ({error})"));
    }
    let order =
        Order { store: &Folders, paths: &options.paths, base: &base, out: &options.out, shard: options.shard, threads };
    let begun = Instant::now();
    let line = || {
        let (done, total) = control.progress();
        let megabytes = |bytes: u64| format!("{:.0}", bytes as f64 / MB);
        match total {
            0 => "looking for logs".to_owned(),
            total => {
                let done = done.min(total);
                let left = begun.elapsed().as_secs_f64() * (total - done) as f64 / (done.max(1)) as f64;
                format!("{} of {} MB read, about {left:.0} s left", megabytes(done), megabytes(total))
            }
        }
    };
    Ok(told_while(line, || run(&order, &control))?)
}

/// The engines to measure against.
fn base(path: Option<&Path>, profile: Option<&Path>) -> Result<Base> {
    let name = path.map_or_else(|| "the base".to_owned(), |path| path.display().to_string());
    let mut scenario: Scenario = match path {
        Some(path) => scenario::open(path)?,
        None => read(MEASURED[0].1.text).map_err(|error| anyhow!("the base that comes with the program: {error}"))?,
    };
    if let Some(profile) = profile {
        let profile = open_profile(profile).map_err(|problem| anyhow!(problem))?;
        let study = scenario.study.placement_mut();
        study.with_context(|| format!("{name}: only placement scenarios have engines"))?.set_engines(profile);
    }
    scenario.study.validate().map_err(|invalid| anyhow!("{name}: {}: {}", invalid.path, invalid.problem))?;
    Base::new(&scenario).with_context(|| name)
}

/// Names what is left out; all of it is in a table.
fn tell_left_out(overview: &Overview<'_>, out: &Path) {
    for left_out in overview.left_out.iter().take(NAMED) {
        message(&format!("{}: left out: {}", left_out.path, left_out.why));
    }
    if overview.left_out.len() > NAMED {
        let more = overview.left_out.len() - NAMED;
        message(&format!("{} more are left out, see {}", more, out.join("left_out.csv").display()));
    }
}
