//! `crossover import`: query plans of other programs, their placement, and a scenario of one.

mod lists;

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, anyhow, bail};
use clap::builder::PossibleValue;
use clap::{Parser, ValueEnum};
use crossover_engine::Profile;
use crossover_export::decided::in_shown_engines;
use crossover_export::import::{Imported, Placed};
use crossover_export::placement::recommendations;
use crossover_page::storage::scenario;
use crossover_page::terminal::{Outputs, with_progress};
use crossover_placement::whole::decide;
use crossover_placement::{Placement, evaluate};
use crossover_plan::cases::Scale;
use crossover_plan::remarks::warnings;
use crossover_plan::scenario::{Machines, query_name};
use crossover_plan::{Control, Format, Import, Query, SqlDialect, per_operator};
use crossover_quantity::invalid::did_you_mean;
use crossover_quantity::shared::Shared;
use crossover_scenario::{Scenario, Study};

use crate::examples::PUBLISHED;
use crate::truth::open_profile;
use crate::{hardware_for_queries, hardware_model, machines_for};
use lists::Lists;

/// Bytes of a megabyte.
const MB: f64 = 1e6;
/// Ids that a message names.
const IDS_NAMED: usize = 20;

/// Imports query plans, Kubernetes or Slurm clusters, traces or kernel profiles as a scenario
#[derive(Debug, Parser)]
#[command(name = "import", display_order = 50)]
pub(super) struct ImportOptions {
    /// What the file is
    #[arg(value_enum, value_name = "KIND")]
    kind: ImportKind,
    /// The file, or the folder with the parts of a Spark event log
    path: PathBuf,
    /// Imports this query only, e.g. 3, and shows its plan; an SQL statement also by its position, from 1
    #[arg(long, value_name = "ID")]
    query: Option<String>,
    /// Dialect of SQL statements. Default: the first under which all of them can be parsed
    #[arg(long, value_enum, value_name = "DIALECT")]
    dialect: Option<Dialect>,
    /// How the result is written
    #[arg(long, value_enum, default_value = "table")]
    format: ImportFormat,
    /// File for a placement scenario of the query
    #[arg(long, value_name = "SCENARIO")]
    out: Option<PathBuf>,
    /// Placement scenario with the engines, or the hardware, to plan for. Default: the engines measured against the
    /// engine that wrote the file; if there are none, the hardware model
    #[arg(long, value_name = "SCENARIO")]
    base: Option<PathBuf>,
    /// Plans for the hardware model, which places each operator by the speeds of the hardware; default: that of --base
    #[arg(long, conflicts_with = "base")]
    hardware_model: bool,
    /// Places each operator alone, by the published method, and prints the result as `evaluate` does. One scenario has
    /// the operators of all queries
    #[arg(long, value_enum, value_name = "METHOD", conflicts_with_all = ["hardware_model", "support", "scores", "profile", "scale"])]
    method: Option<Method>,
    /// Operators that a GPU can run, in the format of supportedExecs.csv; all others stay on the CPU
    #[arg(long, value_name = "CSV")]
    support: Option<PathBuf>,
    /// How many times faster operators are on a GPU, in the format of operatorsScore.csv; replaces the model's GPU times
    #[arg(long, value_name = "CSV")]
    scores: Option<PathBuf>,
    /// Profile of `fit`; replaces the engines of the base
    #[arg(long, value_name = "PROFILE")]
    profile: Option<PathBuf>,
    /// Scales the tables: a factor on rows, bytes and times, a CSV `table,rows` with the sizes of the tables, or a
    /// folder with one subfolder of Parquet files per table
    #[arg(long, value_name = "FACTOR|CSV|FOLDER")]
    scale: Option<String>,
    /// Overrides a field of the study, e.g. cluster.machines=20; may be repeated
    #[arg(long = "set", value_name = "PATH=VALUE")]
    overrides: Vec<String>,
}

/// What can be imported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ImportKind {
    /// Event log of Spark: plain, gzip, zstd, lz4, snappy or lzf; a file, or the folder of a rolling log
    SparkLog,
    /// Text of Spark's EXPLAIN, EXTENDED, COST or FORMATTED, including queries that never ran
    SparkPlan,
    /// JSON of DuckDB's EXPLAIN (ANALYZE, FORMAT json), or of its profiler
    #[value(name = "duckdb")]
    DuckDb,
    /// Output of PostgreSQL's EXPLAIN (ANALYZE), as JSON, YAML, XML or text
    Postgres,
    /// SQL statements with the sizes of their tables
    Sql,
}

/// How operators are placed alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Method {
    /// The published method, with machines and costs of filter and join from the published setting, or from --base
    Published,
}

/// The dialect of SQL statements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Dialect(SqlDialect);

impl ValueEnum for Dialect {
    fn value_variants<'a>() -> &'a [Self] {
        const ALL: [Dialect; SqlDialect::ALL.len()] = {
            let mut all = [Dialect(SqlDialect::Spark); SqlDialect::ALL.len()];
            let mut place = 0;
            while place < all.len() {
                all[place] = Dialect(SqlDialect::ALL[place]);
                place += 1;
            }
            all
        };
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.0.name()).help(self.0.label()))
    }
}

/// What an import is written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ImportFormat {
    /// For the terminal
    Table,
    /// Everything, for programs
    Json,
}

impl ImportKind {
    fn format(self) -> Format {
        match self {
            Self::SparkLog => Format::SparkLog,
            Self::SparkPlan => Format::SparkPlan,
            Self::DuckDb => Format::DuckDb,
            Self::Postgres => Format::Postgres,
            Self::Sql => Format::Sql,
        }
    }
}

/// Shows the queries of a file and where their operators would run; writes a scenario if a file is named.
pub(super) fn import(options: &ImportOptions) -> Result<()> {
    // Errors in these options show before a long file is read.
    let base = options.base.as_deref().map(base).transpose()?;
    let profile = options.profile.as_deref().map(open_profile).transpose().map_err(|problem| anyhow!(problem))?;
    let lists = Lists::read(options.support.as_deref(), options.scores.as_deref())?;

    if options.dialect.is_some() && options.kind != ImportKind::Sql {
        bail!("--dialect is for SQL statements; `import sql` reads them");
    }
    let dialect = options.dialect.map(|Dialect(dialect)| dialect);
    let mut import = watched_in(options.kind.format(), dialect, &options.path)?;
    let queries = wanted(options.kind, &options.path, std::mem::take(&mut import.queries), options.query.as_deref())?;
    if let Some(Method::Published) = options.method {
        return each_alone(base, &import, &queries, options);
    }
    let tables = options.scale.as_deref().map(|text| Scale::parse(text, |path| Ok(PathBuf::from(path)))).transpose();
    let tables = tables.map_err(|problem| anyhow!("--scale: {problem}"))?;
    let (base, machines) = planned_for(base, profile, &import.engine, options)?;
    import.queries = match &tables {
        Some(tables) => queries.into_iter().map(|query| over(tables, query)).collect::<Result<Vec<Query>>>()?,
        None => queries,
    };
    let warnings = warnings(&import, None);
    let scenarios = std::mem::take(&mut import.queries).into_iter().map(|query| {
        let scenario = scenario(&base, machines, &lists, &import, &query, &options.overrides)?;
        // The scenario has the plan; of a long log only one is kept.
        Ok((scenario, Query { plan: Shared::default(), ..query }))
    });
    let scenarios = scenarios.collect::<Result<Vec<(Scenario, Query)>>>()?;
    let saved = match (&options.out, scenarios.as_slice()) {
        (None, _) => None,
        (Some(out), [(scenario, _)]) => Some((out, scenario.clone())),
        (Some(_), _) => {
            let ids = scenarios.iter().map(|(_, query)| query.id.as_str());
            bail!("{}: {}", options.path.display(), which(ids));
        }
    };
    let queries = scenarios.into_iter().filter_map(|(scenario, query)| placed(scenario, query)).collect();
    let imported = Imported { import, queries, warnings };
    let text = match options.format {
        ImportFormat::Table => imported.text_report().terminal(),
        ImportFormat::Json => imported.json(),
    };
    let mut outputs = Outputs::default();
    if let Some((out, scenario)) = saved {
        outputs.add_scenario(out, &scenario)?;
    }
    outputs.finish(text)
}

/// Shows where each operator would run, without its neighbours; writes a scenario if a file is named.
fn each_alone(base: Option<Placement>, import: &Import, queries: &[Query], options: &ImportOptions) -> Result<()> {
    let file = options.path.display();
    let base = match base {
        Some(base) => base,
        None => published_setting()?,
    };
    let scenario = per_operator::scenario(&base, import, queries).map_err(|why| anyhow!("{file}: {why}"))?;
    let overrides = &options.overrides;
    let scenario = if overrides.is_empty() { scenario } else { scenario.with_all(overrides)? };
    scenario.study.validate().map_err(|invalid| anyhow!("{file}: {}: {}", invalid.path, invalid.problem))?;
    let study = scenario.placement().context("the scenario is not a placement scenario")?;
    let outcome = evaluate(study);
    let recommended = recommendations(&scenario.name, study, &outcome, None);
    let text = match options.format {
        // What was left out belongs to the answer.
        ImportFormat::Table => recommended.text_report().notes(scenario.notes.lines()).terminal(),
        ImportFormat::Json => recommended.write(crossover_export::Format::Json),
    };
    let mut outputs = Outputs::default();
    if let Some(out) = &options.out {
        outputs.add_scenario(out, &scenario)?;
    }
    outputs.finish(text)
}

/// The study of the published setting.
fn published_setting() -> Result<Placement> {
    let scenario =
        crossover_scenario::read(PUBLISHED.text).map_err(|error| anyhow!("the published setting: {error}"))?;
    scenario.placement().cloned().context("the published setting is not a placement scenario")
}

/// The query over tables of other sizes, without measured times.
fn over(tables: &Scale, query: Query) -> Result<Query> {
    let (plan, unchanged) = tables.apply(&query.plan).map_err(|problem| anyhow!("--scale: {problem}"))?;
    let mut warnings = query.warnings.clone();
    warnings.push("The numbers are scaled to other table sizes.".to_owned());
    if !unchanged.is_empty() {
        warnings.push(format!(
            "Tables that keep their size, because none was given or the query reads only some of their partitions: {}.",
            unchanged.join(", ")
        ));
    }
    Ok(Query { duration_seconds: plan.duration_seconds, plan: plan.into(), warnings, ..query })
}

/// The study with the engines or the hardware to plan for, and whose machines count.
fn planned_for(
    base: Option<Placement>,
    profile: Option<Profile>,
    engine: &str,
    options: &ImportOptions,
) -> Result<(Placement, Machines)> {
    let is_named = base.is_some();
    let mut study = match base {
        Some(study) => study,
        None if options.hardware_model => hardware_model().map_err(|problem| anyhow!(problem))?,
        None => hardware_for_queries(engine).map_err(|problem| anyhow!(problem))?,
    };
    if let Some(profile) = profile {
        study.set_engines(profile);
    }
    // With tables of other sizes no run was measured, so its machines have no part in the answer.
    let has_run = options.scale.is_none();
    let machines = if is_named && !(has_run && machines_for(&study, engine) == Machines::OfFile) {
        Machines::OfBase
    } else {
        Machines::OfFile
    };
    Ok((study, machines))
}

/// The study with the hardware to plan for.
fn base(path: &Path) -> Result<Placement> {
    let study = scenario::open(path)?.placement().cloned();
    study.with_context(|| format!("{}: only placement scenarios have the hardware that a plan needs", path.display()))
}

/// Reads a file with progress.
///
/// # Errors
/// It cannot be read, is not of this format, or is damaged.
pub fn watched(format: Format, path: &Path) -> Result<Import> {
    watched_in(format, None, path)
}

/// As [`watched()`]; SQL in a dialect.
fn watched_in(format: Format, dialect: Option<SqlDialect>, path: &Path) -> Result<Import> {
    let control = Control::default();
    let line = || {
        let (done, total) = control.progress();
        let megabytes = |bytes: u64| format!("{:.0}", bytes as f64 / MB);
        match total {
            0 => format!("{} MB read", megabytes(done)),
            total => format!("{} of {} MB read", megabytes(done.min(total)), megabytes(total)),
        }
    };
    // The message has its cause, which a chain of errors would name again.
    let read = || match format {
        Format::Sql => crossover_plan::read_sql(path, dialect, &control),
        format => crossover_plan::read(format, path, &control),
    };
    with_progress(line, read).map_err(|error| anyhow!("{error}"))
}

/// The query of an id, of SQL also by its place from 1; or all of them.
fn wanted(kind: ImportKind, path: &Path, queries: Vec<Query>, id: Option<&str>) -> Result<Vec<Query>> {
    let Some(id) = id else { return Ok(queries) };
    let ids: Vec<&str> = queries.iter().map(|query| query.id.as_str()).collect();
    let place = || {
        let place = id.parse::<usize>().ok()?.checked_sub(1)?;
        (kind == ImportKind::Sql && place < ids.len()).then_some(place)
    };
    let Some(index) = ids.iter().position(|known| *known == id).or_else(place) else {
        let hint = did_you_mean(id, &ids);
        bail!("{}: --query: unknown query “{id}”{hint}; queries: {}", path.display(), named(ids.iter().copied()));
    };
    Ok(queries.into_iter().skip(index).take(1).collect())
}

/// Why a scenario needs `--query`.
fn which<'a>(ids: impl ExactSizeIterator<Item = &'a str>) -> String {
    match ids.len() {
        0 => "the file has no query, so no scenario can be written".to_owned(),
        count => format!("a scenario has one query, and the file has {count}; choose one with --query: {}", named(ids)),
    }
}

/// "0, 1, 2", and how many more.
fn named<'a>(ids: impl ExactSizeIterator<Item = &'a str>) -> String {
    let count = ids.len();
    let names: Vec<&str> = ids.take(IDS_NAMED).collect();
    let rest = if count > names.len() { format!(" and {} more", count - names.len()) } else { String::new() };
    if count == 0 { "none".to_owned() } else { names.join(", ") + &rest }
}

/// A placement scenario of a query.
fn scenario(
    base: &Placement,
    machines: Machines,
    lists: &Lists,
    import: &Import,
    query: &Query,
    overrides: &[String],
) -> Result<Scenario> {
    let mut scenario = crossover_plan::scenario::scenario(base, machines, import, query);
    if let Some(query) = scenario.study.placement_mut().and_then(|study| study.query.as_mut()) {
        lists.give(query);
    }
    let of_query = || format!("{}: {}", import.file, query_name(query));
    let scenario = if overrides.is_empty() { scenario } else { scenario.with_all(overrides).with_context(of_query)? };
    scenario.study.validate().map_err(|invalid| anyhow!("{}: {}: {}", of_query(), invalid.path, invalid.problem))?;
    Ok(scenario)
}

/// The decision for the plan of a scenario.
fn placed(scenario: Scenario, query: Query) -> Option<Placed> {
    let Study::Placement(study) = scenario.study else { return None };
    let shown = in_shown_engines(&study);
    let whole = decide(&shown)?;
    Some(Placed { query, study, shown, whole })
}
