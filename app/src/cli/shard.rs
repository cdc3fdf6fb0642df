//! Shards: some of the points of a tool, evaluated here, as a file that `crossover merge` puts together with the others.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context as _, Result, anyhow, bail};
use clap::Args;
use crossover_export::json_line;
use crossover_files::read::text;
use crossover_page::storage::named;
use crossover_page::storage::scenario::folder_of;
use crossover_page::terminal::{print, told_while};
use crossover_quantity::invalid::Invalid;
use crossover_scenario::{self as scenario, Scenario};
use crossover_study::Watch;
use crossover_tools::Shard;
use crossover_tools::points::{At, Pointwise, ShardsError, evaluate_shard, together};
use crossover_tools::values::Values;
use serde::{Deserialize, Serialize};

use super::asked::Asked;

/// A larger file is no shard, and would only fill the memory.
const LARGEST_BYTES: u64 = 4_000_000_000;

/// The option of every tool whose points can be divided among machines.
#[derive(Debug, Args)]
pub(super) struct ShardOption {
    /// Evaluates one of N equal parts only, 1/N … N/N, and prints a file for `crossover merge`, which makes of all of them
    /// what the command prints without this option
    #[arg(long, value_name = "I/N", conflicts_with = "format")]
    pub(super) shard: Option<Shard>,
}

/// A file with the values of a shard.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    /// Version of the program that made it.
    crossover: String,
    /// Which shard of how many.
    shard: [usize; 2],
    asked: Asked,
    /// The scenario as the text of a file.
    scenario: String,
    /// Of each tool that was asked for.
    runs: Vec<Run>,
}

/// What a tool found in a shard.
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
pub(super) fn evaluate<T: Pointwise>(tool: &T, shard: Shard, scenario: &Scenario, asked: Asked) -> Result<()> {
    written(shard, scenario, asked, vec![run(tool, shard)?])
}

/// What a tool finds in a shard; tells how far it is.
pub(super) fn run<T: Pointwise>(tool: &T, shard: Shard) -> Result<Run> {
    let done = AtomicUsize::new(0);
    let count = shard.numbers(tool.points()).count();
    let line = || format!("{} of {count} points", done.load(Ordering::Relaxed));
    let watch = Watch { is_cancelled: &|| false, done: &done };
    let values = told_while(line, || evaluate_shard(tool, shard, watch)).context("the shard was called off")?;
    Ok(Run { points: tool.points(), values: values.points().map(Point::from).collect() })
}

/// Prints the file of a shard.
pub(super) fn written(shard: Shard, scenario: &Scenario, asked: Asked, runs: Vec<Run>) -> Result<()> {
    let (crossover, scenario) = (env!("CARGO_PKG_VERSION").to_owned(), scenario.to_ron());
    print(&json_line(&File { crossover, shard: [shard.place(), shard.of()], asked, scenario, runs }))
}

/// All shards of one run.
pub(super) struct Shards {
    /// The scenario that they are of.
    pub(super) scenario: Scenario,
    /// What was asked for.
    pub(super) asked: Asked,
    /// The values of each tool.
    runs: std::vec::IntoIter<OfShards>,
}

impl Shards {
    /// Reads files of shards, in any order.
    ///
    /// # Errors
    /// A file that is no shard, of another version, of another run, or of a shard that another file holds.
    pub(super) fn read<'p>(files: impl IntoIterator<Item = &'p Path>) -> Result<Self> {
        let mut read: Vec<(&Path, File, Shard)> = Vec::new();
        for path in files {
            let (file, shard) = open(path)?;
            if let Some((first, of_first, _)) = read.first() {
                let (first, path) = (first.display(), path.display());
                if file.asked.tool() != of_first.asked.tool() {
                    let [tool, of_first] = [&file, of_first].map(|file| file.asked.tool());
                    bail!("{path}: this is a shard of `crossover {tool}`, and {first} one of `crossover {of_first}`");
                }
                if file.scenario != of_first.scenario {
                    bail!("{path}: its scenario is not that of {first}");
                }
                let points = |file: &File| file.runs.iter().map(|run| run.points).collect::<Vec<_>>();
                if file.asked != of_first.asked || points(&file) != points(of_first) {
                    bail!("{path}: it was made with other arguments than {first}");
                }
            }
            if let Some((other, ..)) = read.iter().find(|(.., known)| *known == shard) {
                bail!("{}: this is {shard}, and so is {}", path.display(), other.display());
            }
            read.push((path, file, shard));
        }
        let (path, first, _) = read.first().context("no shard is given")?;
        let scenario = scenario::read(&first.scenario);
        let mut scenario = scenario.map_err(|error| anyhow!("{}: its scenario: {error}", path.display()))?;
        named::fetch(&mut scenario, folder_of(path));
        let asked = first.asked.clone();
        let mut runs: Vec<OfShards> =
            first.runs.iter().map(|run| OfShards { points: run.points, of: Vec::new() }).collect();
        for (_, file, shard) in read {
            for (all, run) in runs.iter_mut().zip(file.runs) {
                all.of.push((shard, run.values.into_iter().map(At::from).collect()));
            }
        }
        Ok(Self { scenario, asked, runs: runs.into_iter() })
    }

    /// The values of the next tool that was asked for.
    ///
    /// # Errors
    /// If there is none, as in a file that was changed.
    pub(super) fn next(&mut self) -> Result<OfShards> {
        self.runs.next().context("the shards do not hold what was asked for: they were changed")
    }
}

/// The values of all shards of a tool.
#[derive(Debug)]
pub(super) struct OfShards {
    points: usize,
    of: Vec<(Shard, Vec<At>)>,
}

impl OfShards {
    /// What comes of them.
    ///
    /// # Errors
    /// If a shard is missing, or nothing comes of the values.
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
            bail!("the shards are of {} points, and the scenario has {points}: a shard was changed", self.points);
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
    let text = text(path, LARGEST_BYTES).map_err(|problem| anyhow!("{name}: {problem}"))?;
    let no_shard = |error: serde_json::Error| {
        if error.is_eof() {
            anyhow!("{name}: the file ends too early: the shard was not written to its end; make it again")
        } else {
            anyhow!("{name}: this is no shard that --shard printed: {error}")
        }
    };
    let file: File = serde_json::from_str(&text).map_err(no_shard)?;
    if file.crossover != env!("CARGO_PKG_VERSION") {
        let (made, this) = (&file.crossover, env!("CARGO_PKG_VERSION"));
        bail!("{name}: Crossover {made} made this shard, and this is {this}; use one version for all of them");
    }
    let shard = Shard::new(file.shard[0], file.shard[1]).map_err(|problem| anyhow!("{name}: {problem}"))?;
    Ok((file, shard))
}
