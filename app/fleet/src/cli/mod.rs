//! All event logs of an organisation: which applications gain on a GPU cluster, and what blocks the others.

mod rapids;
mod spark;
mod text;
mod together;

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::Read as _;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context as _, Result, anyhow, bail};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use crossover_export::Format;
use crossover_fleet::merge::Unfinished;
use crossover_fleet::opened::{has_results, open};
use crossover_fleet::{Base, Order, Outcomes, Overview, Places, merge, run};
use crossover_page::storage::scenario;
use crossover_page::terminal::{self, message, print, told_while};
use crossover_placement_page::examples::MEASURED;
use crossover_placement_page::truth::open_profile;
use crossover_plan::Control;
use crossover_scenario::{Scenario, read};
use crossover_tool_pages::quoted;
use crossover_tools::Shard;

use crate::cli::text::{Answer, summary};

/// Bytes of a megabyte.
const MB: f64 = 1e6;
/// Exit status of a program that a second Ctrl-C ends, as shells have it.
const INTERRUPTED: i32 = 130;
/// Left-out files that are named on standard error; all are in the table `left_out`.
const NAMED: usize = 5;
/// Most logs that are read at once.
const MOST_THREADS: usize = 1_000;
/// Said of a file that is named as a base.
const NO_SCENARIO: &str = "this is no scenario; expected a placement scenario with engines, such as \
                           scenarios/placement-truth-aws-l4.ron; --profile takes what `crossover fit` writes";
/// How the list of applications can be written.
const FORMATS: [Format; 4] = [Format::Table, Format::Json, Format::Csv, Format::Markdown];

/// What a path may be: addresses stand here as a user types them.
const PATHS: &str = "Event logs, plans of DuckDB and PostgreSQL, and folders of them: here, in buckets (s3://BUCKET/PREFIX, gs://…, \
                     az://…, abfss://…), or all logs of a Spark History Server (http://HOST:18080); with --merge the folders of \
                     results of all shards";

/// Options of `crossover fleet`.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch that clap reads")]
pub struct FleetOptions {
    /// Where logs lie; with --merge the folders of results of all shards.
    #[arg(value_name = "PATH", required = true, help = PATHS)]
    paths: Vec<PathBuf>,
    /// Folder for the results; a second run reads only what is new there
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Placement scenario with engines: the clusters to compare, for logs and plans of its CPU engine; several in any order;
    /// default: Spark on 8 × c5d.12xlarge, RAPIDS on 4 × L4; for plans of DuckDB that and Sirius on a GH200
    #[arg(long, value_name = "SCENARIO")]
    base: Vec<PathBuf>,
    /// Profile of `fit`; takes the place of the engines of the first base
    #[arg(long, value_name = "PROFILE")]
    profile: Option<PathBuf>,
    /// Reads one of N parts of the logs only, 1/N … N/N; --merge puts the folders of all parts together
    #[arg(long, value_name = "I/N", conflicts_with = "merge")]
    shard: Option<Shard>,
    /// Puts the results of all shards together instead of reading logs
    #[arg(long)]
    merge: bool,
    /// With --merge: also where shards have not ended; names them, keeps what was known of their logs, and ends with an error
    #[arg(long, requires = "merge")]
    unfinished: bool,
    /// Writes configuration of RAPIDS for everything that is to move, each line with its reason, to DIR/rapids
    #[arg(long, conflicts_with = "shard")]
    rapids: bool,
    /// Writes one scenario of everything that is to move, in which `crossover search` finds the cluster that serves it all
    #[arg(long, value_name = "FILE", conflicts_with_all = ["shard", "spark_submit"])]
    scenario: Option<PathBuf>,
    /// Writes a job for a Spark cluster to DIR/spark instead of reading logs, and prints the command that starts it
    #[arg(long, conflicts_with_all = ["merge", "shard"])]
    spark_submit: bool,
    /// Starts that job with the spark-submit that is here, and waits for it
    #[arg(long, requires = "spark_submit")]
    start: bool,
    /// Into how many parts the job divides the logs
    #[arg(long, value_name = "COUNT", requires = "spark_submit", default_value_t = spark::SHARDS,
        value_parser = clap::value_parser!(u16).range(1..=10_000))]
    parts: u16,
    /// The program that the executors run, where their system is another one; default: this program
    #[arg(long, value_name = "PROGRAM", requires = "spark_submit")]
    ship: Option<PathBuf>,
    /// Options of spark-submit for that job
    #[arg(last = true, value_name = "OPTION", requires = "spark_submit")]
    spark_options: Vec<OsString>,
    /// How many logs are read at once; default: as many as there are cores, at least 8 where a path leads to a network
    #[arg(long, value_name = "COUNT", value_parser = threads)]
    threads: Option<NonZeroUsize>,
    /// How the list of applications is written
    #[arg(long, value_parser = formats(), default_value = "table")]
    format: Format,
}

/// How many logs are read at once.
fn threads(text: &str) -> Result<NonZeroUsize, String> {
    let count: Option<NonZeroUsize> = text.parse().ok();
    count.filter(|count| count.get() <= MOST_THREADS).ok_or_else(|| "allowed: 1 … 1,000, whole".to_owned())
}

/// Reads the name of one of [`FORMATS`], and offers no other.
fn formats() -> impl TypedValueParser<Value = Format> {
    let names = FORMATS.iter().filter_map(ValueEnum::to_possible_value);
    PossibleValuesParser::new(names).try_map(|name| <Format as ValueEnum>::from_str(&name, false))
}

/// A wrong use of the command.
fn wrong_usage(problem: &str) -> clap::Error {
    terminal::wrong_usage(FleetOptions::augment_args(clap::Command::new("fleet")), problem)
}

/// Reads logs, writes the tables, and prints what to move.
///
/// # Errors
/// A wrong use, a base without engines, paths that cannot be read, logs of which none can be answered, shards that have not
/// ended, or results that cannot be written.
pub fn fleet(options: &FleetOptions) -> Result<()> {
    if fs::metadata(&options.out).is_ok_and(|there| !there.is_dir()) {
        let problem = format!("--out {}: this is a file; name a folder", options.out.display());
        return Err(wrong_usage(&problem).into());
    }
    let is_base_used = options.rapids || options.scenario.is_some();
    if options.merge && !is_base_used && (!options.base.is_empty() || options.profile.is_some()) {
        let problem =
            "--merge: the shards were measured already; --base and --profile only serve --rapids and --scenario here";
        return Err(wrong_usage(problem).into());
    }
    if !options.merge {
        // Before anything is written anywhere.
        Places::check(&options.paths).map_err(|problem| wrong_usage(&problem))?;
    }
    let scenarios = scenarios(options)?;
    let base = base_of(&scenarios, &options.base)?;
    let cluster = options.rapids.then(|| rapids::cluster(&base)).transpose()?;
    if options.spark_submit {
        return submit(options, scenarios);
    }
    let (outcomes, unfinished) = if options.merge {
        let unfinished = if options.unfinished { Unfinished::Named } else { Unfinished::Refused };
        merge(&options.paths, &options.out, unfinished)?
    } else {
        (read_logs(options, &base)?, Vec::new())
    };
    let overview = Overview::new(&outcomes);
    tell_left_out(&overview, &options.out);
    // One of many shards may have nothing to do.
    if overview.applications.is_empty() && options.shard.is_none() {
        let paths: Vec<String> = options.paths.iter().map(|path| path.display().to_string()).collect();
        match overview.without_base() {
            0 => bail!("no event log in {}; expected logs of Spark or folders of them", paths.join(", ")),
            count => bail!(
                "nothing in {} can be answered: {count} {} of engines that no base has on CPUs; name a scenario that has them \
                 with --base",
                paths.join(", "),
                if count == 1 { "log or plan is" } else { "logs and plans are" }
            ),
        }
    }
    message(&format!(
        "{}: {} read, {} unchanged; tables {}",
        options.out.display(),
        outcomes.read,
        outcomes.unchanged,
        if outcomes.tables_written { "written" } else { "unchanged" }
    ));
    tell_kept(&outcomes);
    if let Some(cluster) = &cluster {
        let measured = outcomes.ledger.done().map(|done| done.base.as_str());
        rapids::write(&options.out, &overview, &base, cluster, measured)?;
    }
    if let Some(file) = &options.scenario {
        together::write(file, &options.out, &outcomes, &overview, &base)?;
    }
    let (answer, measured) = (Answer::new(&overview), measured(&outcomes, &options.out, Some(base))?);
    let in_words = || summary(&overview, measured.as_ref());
    print(&match options.format {
        Format::Table => answer.table() + &in_words(),
        Format::Markdown => answer.markdown() + "\n" + &in_words(),
        Format::Csv => answer.csv(),
        Format::Json | Format::Ron => answer.json(),
    })?;
    if !unfinished.is_empty() {
        let folders: Vec<String> = unfinished.iter().map(|folder| folder.display().to_string()).collect();
        bail!("the tables have gaps: these shards have not ended: {}; run the same command again", folders.join(", "));
    }
    if !outcomes.missing.is_empty() {
        let missing = outcomes.missing.iter().map(|entry| format!("{}: {}", entry.path, entry.why));
        bail!("not all paths can be read: {}", missing.collect::<Vec<String>>().join("; "));
    }
    Ok(())
}

/// Writes the job for a Spark cluster, and starts it if that is wanted.
fn submit(options: &FleetOptions, mut bases: Vec<Scenario>) -> Result<()> {
    // Results of a job are known by the first one of its folder.
    bases.sort_by_key(|scenario| !Base::new(scenario).is_ok_and(|base| base.is_of_spark()));
    let name = |name: &str| format!("--{name}");
    let mut more = vec![
        name("format"),
        options.format.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned()),
    ];
    if options.rapids {
        more.push(name("rapids"));
        for file in spark::base_names(&bases) {
            let file = std::path::absolute(options.out.join("spark").join(file))?;
            let file = file.to_str().context("--out: this path is no UTF-8 text, which the job needs")?;
            more.extend([name("base"), file.to_owned()]);
        }
    }
    let order = spark::Order {
        paths: &options.paths,
        out: &options.out,
        bases: &bases,
        shards: options.parts,
        // A task has one core, unless somebody says otherwise.
        threads: options.threads.map_or(1, usize::from),
        ship: options.ship.as_deref(),
        more,
    };
    spark::submit(&order, options.start, &options.spark_options)
}

/// Refuses folders without results: only the window offers to read the logs in them.
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
    Ok(Answer::new(&overview).table() + &summary(&overview, measured.as_ref()))
}

/// The base that results were measured with: this one, or the one that their folder keeps.
fn measured(outcomes: &Outcomes, folder: &Path, named: Option<Base>) -> Result<Option<Base>> {
    let digest = outcomes.ledger.done().map_or("", |done| done.base.as_str());
    match named.filter(|base| base.digest == digest) {
        Some(base) => Ok(Some(base)),
        None => Base::of_results(folder, digest).map(with_those_of_the_program).transpose(),
    }
}

fn read_logs(options: &FleetOptions, base: &Base) -> Result<Outcomes> {
    let threads = options.threads.map_or_else(|| Places::at_once(&options.paths), usize::from);
    let control = Arc::new(Control::default());
    let heard = Arc::clone(&control);
    // The logs that are read come to the ledger, and the next run goes on from there; also after a second signal, which ends
    // the program where it stands.
    let end = move || {
        if heard.is_cancelled() {
            std::process::exit(INTERRUPTED);
        }
        heard.cancel();
    };
    if let Err(error) = ctrlc::set_handler(end) {
        message(&format!("Ctrl-C ends the program at once ({error})"));
    }
    let places = Places::of_environment(Arc::clone(&control));
    let order = Order { store: &places, paths: &options.paths, base, out: &options.out, shard: options.shard, threads };
    let begun = Instant::now();
    let line = || {
        let (done, total) = control.progress();
        let megabytes = |bytes: u64| format!("{:.0}", bytes as f64 / MB);
        let left = |done: u64, total: u64| {
            begun.elapsed().as_secs_f64() * total.saturating_sub(done) as f64 / (done.max(1)) as f64
        };
        match (total, control.files()) {
            (0, (_, 0)) => "looking for logs".to_owned(),
            // A History Server does not say how long its logs are.
            (0, (read, logs)) => {
                let (left, megabytes) = (left(read, logs), megabytes(done));
                format!("{read} of {logs} logs and {megabytes} MB read, about {left:.0} s left")
            }
            (total, _) => {
                let done = done.min(total);
                format!("{} of {} MB read, about {:.0} s left", megabytes(done), megabytes(total), left(done, total))
            }
        }
    };
    Ok(told_while(line, || run(&order, &control))?)
}

/// What the base is called.
fn base_name(path: Option<&Path>) -> String {
    path.map_or_else(|| "the base".to_owned(), |path| path.display().to_string())
}

/// The scenarios with the engines to measure against, as they were named.
fn scenarios(options: &FleetOptions) -> Result<Vec<Scenario>> {
    let first = scenario_of(options.base.first().map(PathBuf::as_path), options.profile.as_deref())?;
    let others = options.base.iter().skip(1).map(|path| scenario_of(Some(path), None));
    std::iter::once(Ok(first)).chain(others).collect()
}

/// All bases in one: those scenarios, and some that come with the program.
fn base_of(scenarios: &[Scenario], paths: &[PathBuf]) -> Result<Base> {
    let mut all: Option<Base> = None;
    for (place, scenario) in scenarios.iter().enumerate() {
        let base = Base::new(scenario).with_context(|| base_name(paths.get(place).map(PathBuf::as_path)))?;
        all = Some(match all {
            Some(all) => all.beside(base),
            None => base,
        });
    }
    with_those_of_the_program(all.context("no base")?)
}

/// The same with the ones that come with the program beside it, for CPU engines that none of them has. To which GPU cluster logs of
/// Spark are to move, nobody but the user says.
fn with_those_of_the_program(mut all: Base) -> Result<Base> {
    for (_, example) in MEASURED {
        let scenario = read(example.text).map_err(|error| anyhow!("a base that comes with the program: {error}"))?;
        let base = Base::new(&scenario).context("a base that comes with the program")?;
        let [cpu, _] = base.titles();
        if !base.is_of_spark() && all.of_engine(&cpu).is_none() {
            all = all.beside(base);
        }
    }
    Ok(all)
}

/// The scenario with the engines to measure against.
fn scenario_of(path: Option<&Path>, profile: Option<&Path>) -> Result<Scenario> {
    let name = base_name(path);
    let mut scenario: Scenario = match path {
        Some(path) => scenario::open(path).map_err(|error| {
            if begins_as_scenario(path) { error } else { error.context(format!("--base {name}: {NO_SCENARIO}")) }
        })?,
        None => read(MEASURED[0].1.text).map_err(|error| anyhow!("the base that comes with the program: {error}"))?,
    };
    if let Some(profile) = profile {
        let profile = open_profile(profile).map_err(|problem| anyhow!(problem))?;
        let study = scenario.study.placement_mut();
        study.with_context(|| format!("{name}: only placement scenarios have engines"))?.set_engines(profile);
    }
    scenario.study.validate().map_err(|invalid| anyhow!("{name}: {}: {}", invalid.path, invalid.problem))?;
    Ok(scenario)
}

/// Whether a file begins as scenarios do; of one that cannot be read whoever reads it says so.
fn begins_as_scenario(path: &Path) -> bool {
    let mut start = Vec::new();
    // A pipe has given all it has.
    let is_read = path.is_file() && File::open(path).and_then(|file| file.take(64).read_to_end(&mut start)).is_ok();
    let text = start.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&start).trim_ascii_start();
    !is_read || text.starts_with(b"(") || text.starts_with(b"/")
}

/// Says which logs count as an earlier run read them.
fn tell_kept(outcomes: &Outcomes) {
    let Some(first) = outcomes.kept.values().next() else { return };
    let logs = if outcomes.kept.len() == 1 { "log" } else { "logs" };
    message(&format!("{} {logs} {first}", outcomes.kept.len()));
}

/// Names what is left out; all of it is in a table.
fn tell_left_out(overview: &Overview<'_>, out: &Path) {
    for left_out in overview.left_out.iter().take(NAMED) {
        message(&format!("{}: left out: {}", left_out.path, left_out.why));
    }
    if overview.left_out.len() > NAMED {
        let more = overview.left_out.len() - NAMED;
        let are = if more == 1 { "is" } else { "are" };
        message(&format!("{more} more {are} left out, see {}", out.join("left_out.csv").display()));
    }
}
