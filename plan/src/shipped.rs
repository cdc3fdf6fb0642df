//! Measured queries that come with the program: what each moves, and its times in two engines. Fits to them are judged by the
//! queries, or by the clusters, that they did not see.

mod clusters;
mod decisions;

use std::collections::BTreeMap;

use crossover_engine::fit::{AnchoredFit, AnchoredRun, PlannedRun, fit_anchored, fit_from_plan};
use crossover_engine::score::{constants, geometric_mean};
use crossover_engine::{Engines, Range, Score, ScoredQuery, file};
use crossover_query::{EstimatedVolumes, Volumes};
use serde::Deserialize;
use serde::de::DeserializeOwned;

pub use clusters::clusters_left_out;
pub use decisions::{
    Choice, DecidedEngine, DecidedQuery, ENGINES, MoveScore, Rule, RuleScore, ScoredDecisions, Wanted, decide_measured,
};

/// Where the engines and machines of some runs are written.
#[derive(Debug, Clone, Copy)]
enum Source {
    Scenario(&'static str),
    Profile(&'static str),
}

/// The files of a set.
#[derive(Debug)]
struct Files {
    name: &'static str,
    benchmark: &'static str,
    pair: [&'static str; 2],
    /// Files with the columns of [`cases`](crate::cases), of which the name and both times are read. Runs of one query in several
    /// files are averaged.
    times: &'static [&'static str],
    volumes: &'static str,
    /// Size of the data ÷ size of the data that the volumes are of.
    growth: f64,
    engines: Source,
}

const AWS_L4_VOLUMES: &str = include_str!("../../scenarios/truth/aws-l4-volumes.csv");
const AWS_L4_PLAN_VOLUMES: &str = include_str!("../../scenarios/truth/aws-l4-plan-volumes.csv");
const RAPIDS: [&str; 2] = ["Spark", "RAPIDS"];
const GLUTEN: [&str; 2] = ["Spark", "Gluten"];

/// Queries that ran in Spark and in RAPIDS; the same runs in Spark are in [`GLUTEN_ON_C5D`].
const RAPIDS_ON_L4: &str = "Spark → RAPIDS, 4 × L4";
/// The same queries in Spark and in Gluten.
const GLUTEN_ON_C5D: &str = "Spark → Gluten, c5d";

/// All sets, those of GPUs first.
const ALL: [Files; 6] = [
    Files {
        name: RAPIDS_ON_L4,
        benchmark: "TPC-DS, scale factor 1000",
        pair: RAPIDS,
        times: &[include_str!("../../scenarios/truth/aws-l4.csv")],
        volumes: AWS_L4_VOLUMES,
        growth: 1.0,
        engines: Source::Scenario(include_str!("../../scenarios/placement-truth-aws-l4.ron")),
    },
    Files {
        name: "Spark → RAPIDS, 8 × A100",
        benchmark: "NDS, scale factor 3000, micro-benchmarks",
        pair: RAPIDS,
        times: &[include_str!("../../scenarios/truth/a100.csv")],
        volumes: include_str!("../../scenarios/truth/a100-volumes.csv"),
        growth: 1.0,
        engines: Source::Scenario(include_str!("../../scenarios/placement-truth-a100.ron")),
    },
    Files {
        name: "DuckDB → Sirius, GH200",
        benchmark: "TPC-H, scale factor 100",
        pair: ["DuckDB", "Sirius"],
        times: &[
            include_str!("../../scenarios/truth/gh200.csv"),
            include_str!("../../scenarios/truth/gh200-scanresults.csv"),
        ],
        volumes: include_str!("../../scenarios/truth/gh200-volumes.csv"),
        growth: 1.0,
        engines: Source::Scenario(include_str!("../../scenarios/placement-truth-gh200.ron")),
    },
    Files {
        name: GLUTEN_ON_C5D,
        benchmark: "TPC-DS, scale factor 1000",
        pair: GLUTEN,
        times: &[include_str!("../../scenarios/truth/aws-gluten.csv")],
        volumes: AWS_L4_VOLUMES,
        growth: 1.0,
        engines: Source::Profile(include_str!("../../assets/profiles/spark-gluten.ron")),
    },
    Files {
        name: "Spark → Gluten, r8gd",
        benchmark: "TPC-DS, scale factor 3000",
        pair: GLUTEN,
        times: &[include_str!("../../scenarios/truth/aws-gluten-arm.csv")],
        volumes: AWS_L4_VOLUMES,
        growth: 3.0,
        engines: Source::Profile(include_str!("../../assets/profiles/spark-gluten-1.6.ron")),
    },
    Files {
        name: "Spark → Comet, r8gd",
        benchmark: "TPC-DS, scale factor 3000",
        pair: ["Spark", "Comet"],
        times: &[include_str!("../../scenarios/truth/aws-comet.csv")],
        volumes: AWS_L4_VOLUMES,
        growth: 3.0,
        engines: Source::Profile(include_str!("../../assets/profiles/spark-comet.ron")),
    },
];

/// Number of sets.
pub const SETS: usize = ALL.len();

/// Measured queries of two engines on their clusters.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasuredSet {
    /// Both engines and the cluster of the second: "Spark → RAPIDS, 4 × L4".
    pub name: &'static str,
    /// The queries and the size of their data.
    pub benchmark: &'static str,
    /// What both engines are called, today's first; the same for sets of other clusters.
    pub pair: [&'static str; 2],
    /// The engines with their machines.
    pub engines: Engines,
    /// The queries.
    pub runs: Vec<AnchoredRun>,
}

/// What a fit did not see when it predicted a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeftOutOf {
    /// The query and its siblings.
    Query,
    /// All queries of its cluster.
    Cluster,
}

impl LeftOutOf {
    /// In tables.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Query => "query",
            Self::Cluster => "cluster",
        }
    }
}

/// Queries of a set, predicted by fits that did not see them.
#[derive(Debug, Clone, PartialEq)]
pub struct ScoredSet {
    /// Name of the set.
    pub name: &'static str,
    /// The queries and the size of their data.
    pub benchmark: &'static str,
    /// What both engines are called, today's first.
    pub pair: [&'static str; 2],
    /// What the fits did not see.
    pub left_out: LeftOutOf,
    /// The form of the predicted time, as all queries of the fit choose it, with the number of its numbers.
    pub form: String,
    /// Whether the constant answers, because left-out clusters of these engines were not predicted better by a form.
    pub is_constant: bool,
    /// The queries, in the order of the measurements.
    pub queries: Vec<ScoredQuery>,
    /// What the predictions are worth.
    pub score: Score,
}

/// All measured queries, each predicted by fits that did not see it, and decisions from these predictions.
#[derive(Debug, Clone, PartialEq)]
pub struct Scoreboard {
    /// The predictions.
    pub sets: Vec<ScoredSet>,
    /// The decisions about the queries that ran in three engines; none if nothing was decided.
    pub decisions: Option<ScoredDecisions>,
}

/// All measured sets that come with the program.
///
/// # Errors
/// A file cannot be read, which would be an error of the program.
pub fn measured_sets() -> Result<Vec<MeasuredSet>, String> {
    ALL.iter().map(|files| files.read().map_err(|problem| format!("{}: {problem}", files.name))).collect()
}

impl Files {
    fn read(&self) -> Result<MeasuredSet, String> {
        let engines = self.engines.read()?;
        let volumes: BTreeMap<String, Volumes> = rows::<VolumesRow>(self.volumes)?
            .into_iter()
            .map(|row| Ok((row.query.clone(), row.volumes(self.growth)?)))
            .collect::<Result<_, String>>()?;
        let mut runs: Vec<AnchoredRun> = Vec::new();
        let mut times: BTreeMap<String, Vec<TimesRow>> = BTreeMap::new();
        let mut order: Vec<String> = Vec::new();
        for text in self.times {
            for row in rows::<TimesRow>(text)? {
                if !times.contains_key(&row.case) {
                    order.push(row.case.clone());
                }
                times.entry(row.case.clone()).or_default().push(row);
            }
        }
        for query in order {
            let volumes = volumes.get(&query).cloned().ok_or_else(|| format!("{query} has no volumes"))?;
            let of_query = &times[&query];
            let mean = |seconds: fn(&TimesRow) -> f64| {
                geometric_mean(of_query.iter().map(seconds)).ok_or_else(|| format!("{query} has no time"))
            };
            let (cpu_seconds, gpu_seconds) = (mean(|row| row.cpu_seconds)?, mean(|row| row.gpu_seconds)?);
            runs.push(AnchoredRun { query, cpu_seconds, gpu_seconds, volumes });
        }
        Ok(MeasuredSet { name: self.name, benchmark: self.benchmark, pair: self.pair, engines, runs })
    }
}

impl Source {
    fn read(self) -> Result<Engines, String> {
        match self {
            Self::Profile(text) => file::read(text).map(|profile| profile.engines).map_err(|error| error.problem),
            Self::Scenario(text) => {
                let scenario = crossover_scenario::read(text).map_err(|error| error.to_string())?;
                let engines = scenario.placement().and_then(|study| study.engines.as_deref()).cloned();
                engines.ok_or_else(|| format!("{} has no engines", scenario.name))
            }
        }
    }
}

impl MeasuredSet {
    /// The numbers fitted to all queries, and each query predicted by a fit to all others but its siblings; `None` if they are too few.
    #[must_use]
    pub fn fit(&self) -> Option<AnchoredFit> {
        fit_anchored(&self.runs, self.engines.machines())
    }

    /// The queries, each predicted by a fit to all others but its siblings; `fit` is that of this set.
    #[must_use]
    pub fn queries_left_out(&self, fit: &AnchoredFit) -> ScoredSet {
        let found = fit.left_out.iter().map(|found| Some(Range::new(found.gpu_seconds, found.error_factor_90)));
        let speedups: Vec<(&str, f64)> =
            self.runs.iter().map(|run| (run.query.as_str(), run.cpu_seconds / run.gpu_seconds)).collect();
        self.scored(LeftOutOf::Query, fit, found, constants(&speedups))
    }

    /// The queries, each predicted on these machines by the fit to the same engines on another cluster. A query outside what was
    /// measured there has no prediction.
    #[must_use]
    pub fn cluster_left_out(&self, other: &Self, fit: &AnchoredFit) -> ScoredSet {
        // Whether it or the constant answers is found by its errors.
        let fitted = Engines { anchored: Some(fit.anchored.clone()), elsewhere: None, ..other.engines.clone() };
        let mut moved = fitted.moved_to(self.engines.machines());
        moved.on_unmeasured_machines();
        let found = self.runs.iter().map(|run| {
            let engines = Engines { measured_seconds: Some(run.cpu_seconds), ..moved.clone() };
            let sum = engines.additive(Some(&run.volumes)).filter(|sum| sum.outside().is_none())?;
            Some(Range::new(sum.seconds().iter().sum(), sum.error_factor_90()))
        });
        let constant = geometric_mean(other.runs.iter().map(|run| run.cpu_seconds / run.gpu_seconds));
        self.scored(LeftOutOf::Cluster, fit, found, vec![constant; self.runs.len()])
    }

    /// The set with predictions and constants, in the order of its runs.
    fn scored(
        &self,
        left_out: LeftOutOf,
        fit: &AnchoredFit,
        predicted: impl Iterator<Item = Option<Range>>,
        constants: Vec<Option<f64>>,
    ) -> ScoredSet {
        let queries: Vec<ScoredQuery> = self
            .runs
            .iter()
            .zip(predicted)
            .zip(constants)
            .map(|((run, predicted), constant)| ScoredQuery {
                query: run.query.clone(),
                cpu_seconds: run.cpu_seconds,
                gpu_seconds: run.gpu_seconds,
                predicted_cpu_seconds: None,
                predicted,
                constant,
            })
            .collect();
        let score = Score::of(&queries);
        let Self { name, benchmark, pair, .. } = *self;
        ScoredSet { name, benchmark, pair, left_out, form: fit.form.clone(), is_constant: false, queries, score }
    }
}

/// The queries of the first set with their volumes by rules.
fn planned_runs() -> Result<Vec<PlannedRun>, String> {
    let planned = rows::<PlannedRow>(AWS_L4_PLAN_VOLUMES)?;
    let moved: BTreeMap<String, EstimatedVolumes> = rows::<VolumesRow>(AWS_L4_PLAN_VOLUMES)?
        .into_iter()
        .zip(planned)
        .map(|(row, PlannedRow { depth, grouped_rows })| {
            let volumes = row.volumes(1.0)?;
            let moved =
                EstimatedVolumes { volumes, depth, grouped_rows, has_sizes: true, ..EstimatedVolumes::default() };
            Ok((row.query, moved))
        })
        .collect::<Result<_, String>>()?;
    let runs = ALL[0].read()?.runs.into_iter().map(|run| {
        let AnchoredRun { query, cpu_seconds, gpu_seconds, .. } = run;
        let moved = moved.get(&query).cloned().ok_or_else(|| format!("{query} has no volumes by rules"))?;
        Ok(PlannedRun { query, cpu_seconds, gpu_seconds, moved })
    });
    runs.collect()
}

/// Queries that never ran, as far as the fit knows: both times of each are predicted from its plan, by a fit to the other queries.
///
/// # Errors
/// A file cannot be read, which would be an error of the program.
pub fn from_plans_alone() -> Result<Option<ScoredSet>, String> {
    const NAME: &str = "Spark → RAPIDS, 4 × L4, from the plan alone";
    let Files { benchmark, pair, engines, .. } = ALL[0];
    let runs = planned_runs()?;
    let Some(fit) = fit_from_plan(&runs, engines.read()?.machines()) else { return Ok(None) };
    let speedups: Vec<(&str, f64)> =
        runs.iter().map(|run| (run.query.as_str(), run.cpu_seconds / run.gpu_seconds)).collect();
    let queries: Vec<ScoredQuery> = runs
        .iter()
        .zip(&fit.left_out)
        .zip(constants(&speedups))
        .map(|((run, found), constant)| ScoredQuery {
            query: run.query.clone(),
            cpu_seconds: run.cpu_seconds,
            gpu_seconds: run.gpu_seconds,
            predicted_cpu_seconds: Some(found.cpu_seconds),
            predicted: Some(Range::new(found.gpu_seconds, found.speedup_error_factor_90)),
            constant,
        })
        .collect();
    let score = Score::of(&queries);
    let form =
        "sums of the plan’s data volumes, one for each engine, that of CPUs to a power (11 parameters)".to_owned();
    let left_out = LeftOutOf::Query;
    Ok(Some(ScoredSet { name: NAME, benchmark, pair, left_out, form, is_constant: false, queries, score }))
}

/// A line of a file of times.
#[derive(Debug, Deserialize)]
struct TimesRow {
    case: String,
    cpu_seconds: f64,
    gpu_seconds: f64,
}

/// A line of a file of volumes.
#[derive(Debug, Deserialize)]
struct VolumesRow {
    query: String,
    read_gb: f64,
    files: f64,
    partitioned_scans: f64,
    /// Numbers with a space between.
    exchanges_gb: String,
    window_rows: f64,
    expanded_rows: f64,
    copies: f64,
    pairs: f64,
    /// Cores that the stages of the run had tasks for, where its cluster had many more.
    #[serde(default)]
    lanes: Option<f64>,
}

impl VolumesRow {
    /// The volumes over tables that are larger by this factor.
    fn volumes(&self, growth: f64) -> Result<Volumes, String> {
        let exchanges = self.exchanges_gb.split_whitespace().map(|text| {
            let problem = || format!("{}: “{text}” in exchanges_gb is not a number", self.query);
            text.parse::<f64>().map_err(|_| problem())
        });
        let volumes = Volumes {
            read_gb: self.read_gb,
            files: self.files,
            partitioned_scans: self.partitioned_scans,
            exchanges_gb: exchanges.collect::<Result<_, String>>()?,
            window_rows: self.window_rows,
            expanded_rows: self.expanded_rows,
            copies: self.copies,
            pairs: self.pairs,
            lanes: self.lanes,
        };
        Ok(volumes.times(growth))
    }
}

/// What a line of a file of volumes by rules has besides.
#[derive(Debug, Deserialize)]
struct PlannedRow {
    depth: f64,
    grouped_rows: f64,
}

/// The lines of a CSV file with a header; lines that begin with `#` are comments.
fn rows<R: DeserializeOwned>(text: &str) -> Result<Vec<R>, String> {
    let reader = csv::ReaderBuilder::new().comment(Some(b'#')).from_reader(text.as_bytes());
    reader.into_deserialize::<R>().collect::<Result<_, csv::Error>>().map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests;
