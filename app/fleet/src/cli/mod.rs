//! All event logs of an organisation: which applications gain with another engine, and what blocks the others.

mod base;
pub mod decide;
pub mod learn;
mod logs;
mod rapids;
mod spark;
mod text;
mod workload;

use std::ffi::OsString;
use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use clap::{Args, ValueEnum};
use crossover_decision::saving::longest_payback;
use crossover_decision::{Goal, Objective};
use crossover_export::arguments::{Effort, entered_effort, factor, positive};
use crossover_files::shell::quoted;
use crossover_fleet::merge::Unfinished;
use crossover_fleet::opened::{has_results, open};
use crossover_fleet::{Base, Budget, LogStores, Outcomes, Overview, entered, merge};
use crossover_page::services::name_of;
use crossover_page::terminal::{self, Outputs, message};
use crossover_placement::EnteredInputs;
use crossover_scenario::Scenario;
use crossover_tools::Shard;

use crate::cli::base::{base_of, measured, scenarios};
use crate::cli::logs::read_logs;
use crate::cli::text::{Answer, engines};
use crate::money::runs;
use crate::report::{ReportContext, report};

/// Left-out files that are named on standard error; all are in the table `left_out`.
const NAMED: usize = 5;
/// Most logs that are read at once.
const MOST_THREADS: usize = 1_000;

/// Help of the paths.
const PATHS: &str = "Event logs, plans of DuckDB and PostgreSQL, and folders of them. Also folders in buckets \
                     (s3://BUCKET/PREFIX, gs://…, az://…, abfss://…), or all logs of a Spark History Server \
                     (http://HOST:18080). With --merge: the result folders of all shards";

/// Help of the effort.
fn effort_help() -> String {
    let within = longest_payback();
    format!(
        "One-time cost of moving an application (work, tests, training), the same for each: US dollars, e.g. 5000, or hours, e.g. 40h with \
         --hourly-rate 90. With runs per month, an application whose saving does not pay it back within {within} is not moved"
    )
}

/// Options of `crossover fleet`.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch that clap reads")]
pub struct FleetOptions {
    /// Paths of logs; with --merge the folders of results of all shards.
    #[arg(value_name = "PATH", required = true, help = PATHS)]
    paths: Vec<PathBuf>,
    /// Folder for the results; a second run reads only new and changed logs
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Scenario with the CPU and GPU engines; repeat once per CPU engine.
    /// Defaults: Spark → RAPIDS on 4 × L4, DuckDB → Sirius on a GH200
    #[arg(long, value_name = "SCENARIO")]
    base: Vec<PathBuf>,
    /// Profile written by `crossover fit`; replaces the engines of the first base
    #[arg(long, value_name = "PROFILE")]
    profile: Option<PathBuf>,
    /// Reads part I of N of the logs; --merge combines the N result folders
    #[arg(long, value_name = "I/N", conflicts_with = "merge")]
    shard: Option<Shard>,
    /// Merges the results of all shards instead of reading logs
    #[arg(long)]
    merge: bool,
    /// With --merge: also merges shards that have not ended, with the earlier results of their logs. The command writes
    /// the incomplete tables, and exits with an error
    #[arg(long, requires = "merge")]
    unfinished: bool,
    /// Writes the RAPIDS configuration of all applications to move to DIR/rapids, each setting with its reason
    #[arg(long, conflicts_with = "shard")]
    rapids: bool,
    /// Writes one scenario with all applications to move, for `crossover search` to find their cluster
    #[arg(long, value_name = "FILE", conflicts_with_all = ["shard", "spark_submit"])]
    scenario: Option<PathBuf>,
    /// Writes a job for a Spark cluster to DIR/spark instead of reading logs, and prints the command that starts it
    #[arg(long, conflicts_with_all = ["merge", "shard"])]
    spark_submit: bool,
    /// Runs the local spark-submit and waits for the job
    #[arg(long, requires = "spark_submit")]
    start: bool,
    /// Number of parts into which the job divides the logs
    #[arg(long, value_name = "COUNT", requires = "spark_submit", default_value_t = spark::SHARDS,
        value_parser = clap::value_parser!(u16).range(1..=10_000))]
    parts: u16,
    /// Program for the executors, if their system differs from this one; default: this program
    #[arg(long, value_name = "PROGRAM", requires = "spark_submit")]
    program: Option<PathBuf>,
    /// Arguments passed to spark-submit (with --spark-submit)
    #[arg(last = true, value_name = "OPTION", requires = "spark_submit")]
    spark_options: Vec<OsString>,
    /// Runs of each application per month, for costs per month; default: as often as in the logs if they cover a week
    #[arg(long, value_name = "COUNT", value_parser = positive)]
    runs_per_month: Option<f64>,
    /// Price of one of today's machines, US dollars per hour; default: each core costs what a core of the base's CPU machines costs
    #[arg(long, value_name = "USD", value_parser = positive)]
    price_today: Option<f64>,
    /// What to minimise for each application
    #[arg(long, value_enum, default_value = "cost")]
    least: FleetLeast,
    /// With --least cost: time limit of each application, as a factor of its time today, such as 1.2x; default: 1x
    #[arg(long, value_name = "LIMIT", value_parser = factor)]
    within: Option<f64>,
    /// With --least time: largest cost of one run of each application, US dollars; default: its cost today. Each query is decided alone,
    /// with this limit
    #[arg(long, value_name = "USD", value_parser = positive)]
    budget: Option<f64>,
    #[arg(long, value_name = "USD|HOURS", value_parser = Effort::parse, help = effort_help())]
    effort: Option<Effort>,
    /// With --effort in hours: cost of an hour of work, US dollars
    #[arg(long, value_name = "USD", value_parser = positive)]
    hourly_rate: Option<f64>,
    /// Chooses the applications that save most with at most this many GPU machines at a time
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    max_gpu_machines: Option<u32>,
    /// Chooses the applications that save most with at most this cost of GPU machines per month, US dollars
    #[arg(long, value_name = "USD", value_parser = positive, conflicts_with = "max_gpu_machines")]
    max_gpu_usd: Option<f64>,
    /// Number of logs to read at once; default: the number of cores, at least 8 if a path is remote
    #[arg(long, value_name = "COUNT", value_parser = threads)]
    threads: Option<NonZeroUsize>,
    /// Format of the list of applications
    #[arg(long, value_enum, default_value = "table")]
    format: FleetFormat,
}

/// What should be least for each application.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FleetLeast {
    /// The cost of a run, within the time limit
    Cost,
    /// The time of a run, within the budget
    Time,
}

/// How a fleet is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FleetFormat {
    /// For the terminal
    Table,
    /// Everything, for programs
    Json,
    /// One row per application, for spreadsheets
    Csv,
    /// For documents
    Markdown,
    /// One file for a browser or an e-mail
    Html,
}

impl FleetOptions {
    /// The budget of GPU machines.
    fn gpu_budget(&self) -> Option<Budget> {
        let machines = self.max_gpu_machines.map(|count| Budget::Instances(f64::from(count)));
        machines.or(self.max_gpu_usd.map(Budget::Usd))
    }
}

/// Parses the number of logs to read at once.
fn threads(text: &str) -> Result<NonZeroUsize, String> {
    let count: Option<NonZeroUsize> = text.parse().ok();
    count.filter(|count| count.get() <= MOST_THREADS).ok_or_else(|| "allowed: 1 … 1,000, whole".to_owned())
}

/// A wrong use of the command.
fn wrong_usage(problem: &str) -> clap::Error {
    terminal::wrong_usage(FleetOptions::augment_args(clap::Command::new("fleet")), problem)
}

/// A wrong use of another command of this module.
fn wrong_usage_of(name: &'static str, problem: &str) -> clap::Error {
    terminal::wrong_usage(decide::DecideOptions::augment_args(clap::Command::new(name)), problem)
}

/// Reads logs, writes the tables, and prints what to move.
///
/// # Errors
/// A wrong use, a base without engines, unreadable paths, no log with a result, shards that have not ended, or results
/// that cannot be written.
pub fn fleet(options: &FleetOptions) -> Result<()> {
    if fs::metadata(&options.out).is_ok_and(|there| !there.is_dir()) {
        let problem = format!("--out {}: this is a file; name a folder", options.out.display());
        return Err(wrong_usage(&problem).into());
    }
    if options.least == FleetLeast::Time && options.within.is_some() {
        return Err(wrong_usage("--within: only with --least cost").into());
    }
    if options.least == FleetLeast::Cost && options.budget.is_some() {
        return Err(wrong_usage("--budget: only with --least time").into());
    }
    let effort = entered_effort(options.effort, options.hourly_rate);
    let [effort_usd, effort_hours, hourly_rate_usd] = effort.map_err(wrong_usage)?;
    let is_base_used = options.rapids || options.scenario.is_some();
    if options.merge && !is_base_used && (!options.base.is_empty() || options.profile.is_some()) {
        let problem =
            "--merge: the shards already have their engines; use --base and --profile only with --rapids or --scenario";
        return Err(wrong_usage(problem).into());
    }
    if !options.merge {
        // Before anything is written anywhere.
        LogStores::check(&options.paths).map_err(|problem| wrong_usage(&problem))?;
    }
    let scenarios = scenarios(options)?;
    let base = base_of(&scenarios, &options.base)?;
    let cluster = options.rapids.then(|| rapids::cluster(&base)).transpose()?;
    if options.spark_submit {
        return submit(options, scenarios);
    }
    let (mut outcomes, unfinished) = if options.merge {
        let unfinished = if options.unfinished { Unfinished::Named } else { Unfinished::Refused };
        merge(&options.paths, &options.out, unfinished)?
    } else {
        (read_logs(options, &base)?, Vec::new())
    };
    let inputs = EnteredInputs {
        runs_per_month: options.runs_per_month,
        price_today: options.price_today,
        time_limit: options.within,
        time_limit_seconds: None,
        goal: match options.least {
            FleetLeast::Cost => Goal::Cost,
            FleetLeast::Time => Goal::Time,
        },
        budget_usd: options.budget,
        effort_usd,
        effort_hours,
        hourly_rate_usd,
    };
    outcomes.decide_again(inputs);
    let overview = Overview::new(&outcomes);
    print_left_out(&overview, &options.out);
    // One of many shards may have nothing to do.
    if overview.applications.is_empty() && options.shard.is_none() {
        let paths: Vec<String> = options.paths.iter().map(|path| path.display().to_string()).collect();
        match overview.without_base {
            0 => bail!("no event log in {}; expected Spark event logs or folders of them", paths.join(", ")),
            count => bail!(
                "no result for {}: {count} {} without a base; name a scenario with this CPU engine with --base",
                paths.join(", "),
                if count == 1 { "log or plan is of an engine" } else { "logs and plans are of engines" }
            ),
        }
    }
    message(format!(
        "{}: {} read, {} unchanged; tables {}",
        options.out.display(),
        outcomes.read,
        outcomes.unchanged,
        if outcomes.tables_written { "written" } else { "unchanged" }
    ));
    print_kept(&outcomes);
    entered::keep(inputs, &options.out)?;
    let frequency = overview.frequency(options.runs_per_month);
    if options.max_gpu_usd.is_some() && !frequency.is_monthly() {
        bail!("--max-gpu-usd: costs per month are unknown; add --runs-per-month. {}", runs(frequency));
    }
    let answer = Answer::new(&overview, frequency, options.gpu_budget(), inputs.objective());
    let measured = measured(&outcomes, &options.out, Some(base.clone()))?;
    if let Some(cluster) = &cluster {
        let measured = outcomes.ledger.done().map(|done| done.base.as_str());
        rapids::write(&options.out, &overview, &base, cluster, measured)?;
    }
    let mut outputs = Outputs::default();
    if let Some(file) = &options.scenario {
        workload::add(file, &options.out, &outcomes, &overview, &base, &mut outputs)?;
    }
    let in_words = || answer.summary(measured.as_ref());
    let text = match options.format {
        FleetFormat::Table => answer.table() + &in_words(),
        FleetFormat::Markdown => answer.markdown() + "\n" + &in_words(),
        FleetFormat::Csv => answer.csv(),
        FleetFormat::Json => answer.json(),
        FleetFormat::Html => {
            let context = ReportContext {
                name: name_of(&options.out),
                frequency,
                goal: inputs.objective(),
                budget: options.gpu_budget(),
                engines: engines(&overview, measured.as_ref()),
                warnings: unfinished
                    .iter()
                    .map(|folder| format!("{}: this shard has not ended", folder.display()))
                    .collect(),
            };
            report(&overview, context).html()
        }
    };
    outputs.finish(text)?;
    if !unfinished.is_empty() {
        let folders: Vec<String> = unfinished.iter().map(|folder| folder.display().to_string()).collect();
        bail!(
            "the tables are incomplete: these shards have not ended: {}; run the same command again",
            folders.join(", ")
        );
    }
    if !outcomes.missing.is_empty() {
        let missing = outcomes.missing.iter().map(|entry| format!("{}: {}", entry.path, entry.reason));
        bail!("not all paths can be read: {}", missing.collect::<Vec<String>>().join("; "));
    }
    Ok(())
}

/// Writes the job for a Spark cluster, and starts it with --start.
fn submit(options: &FleetOptions, mut bases: Vec<Scenario>) -> Result<()> {
    // Results of a job keep the first base of its folder.
    bases.sort_by_key(|scenario| !Base::new(scenario).is_ok_and(|base| base.is_of_spark()));
    let name = |name: &str| format!("--{name}");
    let mut more = vec![
        name("format"),
        options.format.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned()),
    ];
    let amounts = [
        ("runs-per-month", options.runs_per_month.map(|runs| runs.to_string())),
        ("price-today", options.price_today.map(|usd| usd.to_string())),
        ("least", (options.least == FleetLeast::Time).then(|| "time".to_owned())),
        ("within", options.within.map(|limit| limit.to_string())),
        ("budget", options.budget.map(|usd| usd.to_string())),
        ("effort", options.effort.map(|effort| effort.to_string())),
        ("hourly-rate", options.hourly_rate.map(|usd| usd.to_string())),
        ("max-gpu-machines", options.max_gpu_machines.map(|count| count.to_string())),
        ("max-gpu-usd", options.max_gpu_usd.map(|usd| usd.to_string())),
    ];
    for (option, value) in amounts {
        more.extend(value.into_iter().flat_map(|value| [name(option), value]));
    }
    if options.rapids {
        more.push(name("rapids"));
        for file in spark::base_names(&bases) {
            let file = std::path::absolute(options.out.join("spark").join(file))?;
            let file = file.to_str().context("--out: the path is not UTF-8 text, which the job needs; rename it")?;
            more.extend([name("base"), file.to_owned()]);
        }
    }
    let order = spark::JobOptions {
        paths: &options.paths,
        out: &options.out,
        bases: &bases,
        shards: options.parts,
        // A Spark task has one core by default.
        threads: options.threads.map_or(1, usize::from),
        program: options.program.as_deref(),
        more,
    };
    spark::submit(&order, options.start, &options.spark_options)
}

/// Refuses folders without results; only the window offers to read the logs in them.
///
/// # Errors
/// A folder without results.
pub fn check(folders: &[PathBuf]) -> Result<()> {
    if let Some(folder) = folders.iter().find(|folder| !has_results(folder)) {
        let folder = folder.display();
        let read = format!("crossover fleet {} --out DIR", quoted(&folder.to_string()));
        bail!("{folder}: no results of `crossover fleet` here; read the logs in it with `{read}`");
    }
    Ok(())
}

/// The results of an earlier run, for readers.
///
/// # Errors
/// The results cannot be read, or are damaged.
pub fn results(folder: &Path) -> Result<String> {
    let opened = open(folder)?;
    let overview = Overview::new(&opened.outcomes);
    let measured = measured(&opened.outcomes, &opened.folder, None)?;
    let answer = Answer::new(&overview, overview.frequency(None), None, Objective::default());
    Ok(answer.table() + &answer.summary(measured.as_ref()))
}

/// Prints how many logs count with the results of an earlier run.
fn print_kept(outcomes: &Outcomes) {
    let Some(first) = outcomes.kept.values().next() else { return };
    let logs = if outcomes.kept.len() == 1 { "log" } else { "logs" };
    message(format!("{} {logs} {first}", outcomes.kept.len()));
}

/// Prints the first files that are left out; the table has all.
fn print_left_out(overview: &Overview<'_>, out: &Path) {
    for left_out in overview.left_out.iter().take(NAMED) {
        message(format!("{}: left out: {}", left_out.path, left_out.reason));
    }
    if overview.left_out.len() > NAMED {
        let more = overview.left_out.len() - NAMED;
        let are = if more == 1 { "is" } else { "are" };
        message(format!("{more} more {are} left out, see {}", out.join("left_out.csv").display()));
    }
}
