//! Shards: a part of the points of a tool, evaluated on this machine, in a file for `crossover merge`.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context as _, Result, anyhow, bail};
use clap::Args;
use crossover_export::json_line;
use crossover_files::digest::DigestWriter;
use crossover_files::read::{ReadTextError, text};
use crossover_page::storage::named;
use crossover_page::storage::scenario::folder_of;
use crossover_page::terminal::{print, with_progress};
use crossover_quantity::invalid::Invalid;
use crossover_scenario::{self as scenario, Scenario};
use crossover_study::Watch;
use crossover_tools::Shard;
use crossover_tools::points::{At, Pointwise, ShardsError, evaluate_shard, together};
use crossover_tools::values::Values;
use serde::{Deserialize, Serialize};

use super::tool_arguments::ToolArguments;

/// A larger shard would fill the memory of a usual machine: it takes several times its size.
const LARGEST_BYTES: u64 = 1_000_000_000;

/// The option of each tool whose points can be divided among machines.
#[derive(Debug, Args)]
pub(super) struct ShardOption {
    /// Evaluates part I of N and prints a partial result; `crossover merge` combines the N partial results
    #[arg(long, value_name = "I/N", conflicts_with = "format")]
    pub(super) shard: Option<Shard>,
}

/// A file with the values of a shard.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    /// Version of the program that made it.
    crossover: String,
    /// The number of the shard, and of all shards.
    shard: [usize; 2],
    arguments: ToolArguments,
    /// The scenario as the text of a file.
    scenario: String,
    /// One for each tool.
    runs: Vec<Run>,
    /// SHA-256 of the runs as JSON, by which a changed or damaged file is found.
    sha256: String,
}

/// The values that a tool computed for a shard.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Run {
    /// Points of all shards together.
    points: usize,
    values: Vec<Point>,
}

/// The values at a point, or why there are none.
#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum Point {
    Values(Vec<Option<f64>>),
    NotAllowed(NotAllowed),
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct NotAllowed {
    path: String,
    problem: String,
}

impl From<At> for Point {
    fn from(at: At) -> Self {
        match at {
            Ok(values) => Self::Values(values.into_iter().map(|value| (!value.is_nan()).then_some(value)).collect()),
            Err(Invalid { path, problem }) => Self::NotAllowed(NotAllowed { path, problem }),
        }
    }
}

impl From<Point> for At {
    fn from(point: Point) -> Self {
        match point {
            Point::Values(values) => Ok(values.into_iter().map(|value| value.unwrap_or(f64::NAN)).collect()),
            Point::NotAllowed(NotAllowed { path, problem }) => Err(Invalid { path, problem }),
        }
    }
}

/// Evaluates a shard of a tool and prints its file.
pub(super) fn evaluate<T: Pointwise>(
    tool: &T,
    shard: Shard,
    scenario: &Scenario,
    arguments: ToolArguments,
) -> Result<()> {
    written(shard, scenario, arguments, vec![run(tool, shard)?])
}

/// Evaluates a shard of a tool; prints progress.
pub(super) fn run<T: Pointwise>(tool: &T, shard: Shard) -> Result<Run> {
    let done = AtomicUsize::new(0);
    let count = shard.numbers(tool.points()).count();
    let line = || format!("{} of {count} points", done.load(Ordering::Relaxed));
    let watch = Watch { is_cancelled: &|| false, done: &done };
    let values = with_progress(line, || evaluate_shard(tool, shard, watch)).context("the shard was cancelled")?;
    Ok(Run { points: tool.points(), values: values.points().map(Point::from).collect() })
}

/// Prints the file of a shard.
pub(super) fn written(shard: Shard, scenario: &Scenario, arguments: ToolArguments, runs: Vec<Run>) -> Result<()> {
    let (crossover, scenario) = (env!("CARGO_PKG_VERSION").to_owned(), scenario.to_ron());
    let sha256 = sha256(&runs)?;
    print(json_line(&File { crossover, shard: [shard.place(), shard.of()], arguments, scenario, runs, sha256 }))
}

/// Digest of runs.
fn sha256(runs: &[Run]) -> Result<String> {
    let mut digest = DigestWriter::default();
    serde_json::to_writer(&mut digest, runs)?;
    Ok(digest.finish())
}

/// All shards of one run.
pub(super) struct Shards {
    /// The scenario that they are of.
    pub(super) scenario: Scenario,
    /// The arguments of the run.
    pub(super) arguments: ToolArguments,
    /// The values of each tool.
    runs: std::vec::IntoIter<ShardValues>,
}

impl Shards {
    /// Reads files of shards, in any order.
    ///
    /// # Errors
    /// A file is not a shard, is of another version or run, or repeats the shard of another file.
    pub(super) fn read<'p>(files: impl IntoIterator<Item = &'p Path>) -> Result<Self> {
        let mut read: Vec<(&Path, File, Shard)> = Vec::new();
        for path in files {
            let (file, shard) = open(path)?;
            if let Some((first, of_first, _)) = read.first() {
                let (first, path) = (first.display(), path.display());
                if file.arguments.tool() != of_first.arguments.tool() {
                    let [tool, of_first] = [&file, of_first].map(|file| file.arguments.tool());
                    bail!("{path}: shard of `crossover {tool}`; expected `crossover {of_first}`, as in {first}");
                }
                if file.scenario != of_first.scenario {
                    bail!("{path}: its scenario differs from that of {first}; merge shards of one run only");
                }
                let points = |file: &File| file.runs.iter().map(|run| run.points).collect::<Vec<_>>();
                if file.arguments != of_first.arguments || points(&file) != points(of_first) {
                    bail!("{path}: its arguments differ from those of {first}; merge shards of one run only");
                }
            }
            if let Some((other, ..)) = read.iter().find(|(.., known)| *known == shard) {
                bail!("{}: {shard} is already in {}; name each shard once", path.display(), other.display());
            }
            read.push((path, file, shard));
        }
        let (path, first, _) = read.first().context("no shard file is named")?;
        let scenario = scenario::read(&first.scenario);
        let mut scenario =
            scenario.map_err(|error| anyhow!("cannot read the scenario in {}: {error}", path.display()))?;
        named::fetch(&mut scenario, folder_of(path));
        let arguments = first.arguments.clone();
        let mut runs: Vec<ShardValues> =
            first.runs.iter().map(|run| ShardValues { points: run.points, of: Vec::new() }).collect();
        for (_, file, shard) in read {
            for (all, run) in runs.iter_mut().zip(file.runs) {
                all.of.push((shard, run.values.into_iter().map(At::from).collect()));
            }
        }
        Ok(Self { scenario, arguments, runs: runs.into_iter() })
    }

    /// The values of the next tool.
    ///
    /// # Errors
    /// If there is none, because a file was changed.
    pub(super) fn next(&mut self) -> Result<ShardValues> {
        self.runs.next().context("values of a tool are missing: a shard file was changed; make it again")
    }
}

/// The values of all shards of a tool.
#[derive(Debug)]
pub(super) struct ShardValues {
    points: usize,
    of: Vec<(Shard, Vec<At>)>,
}

impl ShardValues {
    /// The result of the tool.
    ///
    /// # Errors
    /// If a shard is missing, or the values give no result.
    pub(super) fn conclude<T>(self, tool: T) -> Result<T::Found>
    where
        T: Pointwise<Error: std::error::Error + Send + Sync + 'static>,
    {
        let values = self.together(&tool)?;
        Ok(tool.conclude(values)?)
    }

    /// The values at all points.
    ///
    /// # Errors
    /// If a shard is missing, or was changed.
    pub(super) fn together<T: Pointwise>(self, tool: &T) -> Result<Values> {
        let points = tool.points();
        if self.points != points {
            bail!("the shards have {} points, expected {points}: a shard file was changed; make it again", self.points);
        }
        let mut shards = Vec::new();
        for (shard, of) in self.of {
            if of.iter().flatten().any(|values| values.len() != tool.figures()) {
                return Err(ShardsError::Values(shard).into());
            }
            shards.push((shard, Values::of(tool.figures(), of)));
        }
        Ok(together(tool, shards)?)
    }
}

fn open(path: &Path) -> Result<(File, Shard)> {
    let name = path.display();
    let text = text(path, LARGEST_BYTES).map_err(|problem| match problem {
        ReadTextError::TooLarge(_) => anyhow!("cannot read {name}: {problem}; divide the run into more shards"),
        problem => anyhow!("cannot read {name}: {problem}"),
    })?;
    let no_shard = |error: serde_json::Error| {
        if error.is_eof() {
            anyhow!("{name}: the file ends too early; make the shard again")
        } else {
            anyhow!("{name}: not a file that --shard printed: {error}")
        }
    };
    let file: File = serde_json::from_str(&text).map_err(no_shard)?;
    if file.crossover != env!("CARGO_PKG_VERSION") {
        let (made, this) = (&file.crossover, env!("CARGO_PKG_VERSION"));
        bail!("{name}: made by Crossover {made}, expected {this}; use one version for all shards");
    }
    let shard = Shard::new(file.shard[0], file.shard[1]).map_err(|problem| anyhow!("{name}: {problem}"))?;
    if sha256(&file.runs)? != file.sha256 {
        bail!("{name}: its values were changed or damaged after it was made; make the shard again");
    }
    Ok((file, shard))
}
