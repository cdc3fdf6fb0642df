//! Measured queries that come with the program: what each moves, and its times in two engines. Fits to them are judged by the
//! queries, or by the clusters, that they did not see.

use std::collections::BTreeMap;

use crossover_engine::fit::{AnchoredFit, AnchoredRun, PlannedRun, fit_anchored, fit_from_plan};
use crossover_engine::score::{constants, geometric_mean};
use crossover_engine::{Engines, Range, Score, ScoredQuery, file};
use crossover_query::{EstimatedVolumes, Volumes};
use serde::Deserialize;
use serde::de::DeserializeOwned;

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

/// All sets, those of GPUs first.
const ALL: [Files; 6] = [
    Files {
        name: "Spark → RAPIDS, 4 × L4",
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
        name: "Spark → Gluten, c5d",
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
        // Both engines ran on these machines; the profile names another second engine.
        engines: Source::Profile(include_str!("../../assets/profiles/spark-comet.ron")),
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

/// The set of the same engines on another cluster with the most queries.
#[must_use]
pub fn other_cluster<'a>(set: &MeasuredSet, sets: &'a [MeasuredSet]) -> Option<&'a MeasuredSet> {
    let others = sets.iter().filter(|other| other.pair == set.pair && other.name != set.name);
    others.max_by_key(|other| other.runs.len())
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
    /// The queries, in the order of the measurements.
    pub queries: Vec<ScoredQuery>,
    /// What the predictions are worth.
    pub score: Score,
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
    /// The queries, each predicted by a fit to all others but its siblings; `None` if they are too few for a fit.
    #[must_use]
    pub fn queries_left_out(&self) -> Option<ScoredSet> {
        let AnchoredFit { left_out, .. } = fit_anchored(&self.runs, self.engines.machines())?;
        let found = left_out.iter().map(|found| Some(Range::new(found.gpu_seconds, found.error_factor_90)));
        let speedups: Vec<(&str, f64)> =
            self.runs.iter().map(|run| (run.query.as_str(), run.cpu_seconds / run.gpu_seconds)).collect();
        Some(self.scored(LeftOutOf::Query, found, constants(&speedups)))
    }

    /// The queries, each predicted on these machines by a fit to the same engines on another cluster; `None` if that one has too
    /// few queries for a fit. A query outside what was measured there has no prediction.
    #[must_use]
    pub fn cluster_left_out(&self, other: &Self) -> Option<ScoredSet> {
        let AnchoredFit { anchored, .. } = fit_anchored(&other.runs, other.engines.machines())?;
        let fitted = Engines { anchored: Some(anchored), ..other.engines.clone() };
        let mut moved = fitted.moved_to(self.engines.machines());
        moved.widen_anchored_errors();
        let found = self.runs.iter().map(|run| {
            let engines = Engines { measured_seconds: Some(run.cpu_seconds), ..moved.clone() };
            let sum = engines.additive(Some(&run.volumes)).filter(|sum| sum.outside().is_none())?;
            Some(Range::new(sum.seconds().iter().sum(), sum.error_factor_90()))
        });
        let constant = geometric_mean(other.runs.iter().map(|run| run.cpu_seconds / run.gpu_seconds));
        Some(self.scored(LeftOutOf::Cluster, found, vec![constant; self.runs.len()]))
    }

    /// The set with predictions and constants, in the order of its runs.
    fn scored(
        &self,
        left_out: LeftOutOf,
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
        ScoredSet { name: self.name, benchmark: self.benchmark, pair: self.pair, left_out, queries, score }
    }
}

/// The queries of the first set with their volumes by rules.
fn planned_runs() -> Result<Vec<PlannedRun>, String> {
    let moved: BTreeMap<String, EstimatedVolumes> = rows::<PlannedRow>(AWS_L4_PLAN_VOLUMES)?
        .into_iter()
        .map(|row| Ok((row.query.clone(), row.moved()?)))
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
    Ok(Some(ScoredSet { name: NAME, benchmark, pair, left_out: LeftOutOf::Query, queries, score }))
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
        };
        Ok(volumes.times(growth))
    }
}

/// A line of a file of volumes by rules.
#[derive(Debug, Deserialize)]
struct PlannedRow {
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
    depth: f64,
    grouped_rows: f64,
}

impl PlannedRow {
    fn moved(self) -> Result<EstimatedVolumes, String> {
        let Self {
            query,
            read_gb,
            files,
            partitioned_scans,
            exchanges_gb,
            window_rows,
            expanded_rows,
            copies,
            pairs,
            depth,
            grouped_rows,
        } = self;
        let row = VolumesRow {
            query,
            read_gb,
            files,
            partitioned_scans,
            exchanges_gb,
            window_rows,
            expanded_rows,
            copies,
            pairs,
        };
        Ok(EstimatedVolumes { volumes: row.volumes(1.0)?, depth, grouped_rows, has_sizes: true, assumed: Vec::new() })
    }
}

/// The lines of a CSV file with a header; lines that begin with `#` are comments.
fn rows<R: DeserializeOwned>(text: &str) -> Result<Vec<R>, String> {
    let reader = csv::ReaderBuilder::new().comment(Some(b'#')).from_reader(text.as_bytes());
    reader.into_deserialize::<R>().collect::<Result<_, csv::Error>>().map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use crossover_engine::{FromPlan, PlanTime};

    use super::*;

    #[test]
    fn every_shipped_query_has_times_and_volumes() {
        let sets = measured_sets().expect("the files of the program");
        let counts: Vec<usize> = sets.iter().map(|set| set.runs.len()).collect();
        assert_eq!(counts, [48, 3, 11, 48, 48, 48]);
        for run in sets.iter().flat_map(|set| &set.runs) {
            assert!(run.cpu_seconds > 0.0 && run.gpu_seconds > 0.0 && run.volumes.read_gb > 0.0, "{}", run.query);
        }
    }

    /// What is reached of the goals for queries that never ran: a rank of 0.55, 90 % of the clear sides, 40 % answered, and 85 to 95 %
    /// inside the interval. An error of 0.70 of the constant's is not reached.
    #[test]
    fn queries_that_never_ran_are_predicted_better_than_by_a_constant() {
        let set = from_plans_alone().expect("the files of the program").expect("enough queries");
        let score = set.score;
        assert_eq!((score.queries, score.predicted), (48, 48));
        assert!(score.rank_correlation.is_some_and(|rank| rank >= 0.55), "{score:?}");
        assert!(score.error_ratio().is_some_and(|ratio| ratio <= 0.80), "{score:?}");
        assert!(score.clear_right as f64 >= 0.9 * score.clear as f64, "{score:?}");
        assert!(score.answered_share() >= 0.4, "{score:?}");
        assert!(score.inside_share().is_some_and(|share| (0.85..=0.95).contains(&share)), "{score:?}");
    }

    #[test]
    fn the_numbers_of_the_shipped_engines_are_those_of_a_fit_to_their_plans() {
        let engines = ALL[0].engines.read().expect("the files of the program");
        let fit = fit_from_plan(&planned_runs().expect("the files of the program"), engines.machines());
        let (found, shipped) = (fit.expect("enough queries").from_plan, engines.from_plan.expect("times from plans"));
        let numbers = |of: &FromPlan| {
            let of_time = |time: &PlanTime| {
                [
                    time.start_seconds,
                    time.read_gb_per_s.expect("a rate"),
                    time.file_seconds,
                    time.scan_seconds,
                    time.step_seconds,
                    time.spill_gb_per_s.expect("a rate"),
                    time.group_seconds,
                    time.error_factor_90,
                ]
            };
            [of_time(&of.cpu), of_time(&of.gpu), [of.exchange_memory_gb; 8], [of.speedup_error_factor_90; 8]].concat()
        };
        for (place, (found, shipped)) in numbers(&found).into_iter().zip(numbers(&shipped)).enumerate() {
            let is_near = (found - shipped).abs() <= 0.01 * shipped.abs();
            assert!(is_near, "number {place}: {found} instead of {shipped}");
        }
    }

    #[test]
    fn clusters_of_one_pair_of_engines_predict_each_other() {
        let sets = measured_sets().expect("the files of the program");
        let other = |place: usize| other_cluster(&sets[place], &sets).map(|other| other.name);
        let expected = [
            Some("Spark → RAPIDS, 8 × A100"),
            Some("Spark → RAPIDS, 4 × L4"),
            None,
            Some("Spark → Gluten, r8gd"),
            Some("Spark → Gluten, c5d"),
            None,
        ];
        assert_eq!([0, 1, 2, 3, 4, 5].map(other), expected);
    }

    #[test]
    fn two_runs_of_a_query_count_as_their_geometric_mean() {
        let files = Files {
            times: &[
                "case,cpu_seconds,gpu_seconds\nq1,4,1\nq2,5,6\n",
                "case,plan,cpu_seconds,gpu_seconds\nq1,p,9,16\n",
            ],
            volumes: "# made up\nquery,read_gb,files,partitioned_scans,exchanges_gb,window_rows,expanded_rows,copies,pairs\n\
                      q2,1,2,1,0.5 20,7,8,9,10\nq1,3,0,0,,0,0,0,0\n",
            growth: 3.0,
            ..ALL[0]
        };
        let set = files.read().expect("files");
        // √(4·9) and √(1·16).
        let [first, second] = &set.runs[..] else { panic!("{:?}", set.runs) };
        assert!((first.cpu_seconds - 6.0).abs() < 1e-12 && (first.gpu_seconds - 4.0).abs() < 1e-12, "{first:?}");
        assert_eq!(first.query, "q1");
        assert!(first.volumes.exchanges_gb.is_empty());
        // Rows and bytes grow with the data, files and copies of a row do not.
        let Volumes { read_gb, files, ref exchanges_gb, window_rows, copies, .. } = second.volumes;
        assert_eq!((read_gb, files, window_rows, copies), (3.0, 2.0, 21.0, 9.0));
        assert_eq!(*exchanges_gb, [1.5, 60.0]);
    }

    #[test]
    fn a_query_without_volumes_is_named() {
        let files = Files {
            times: &["case,cpu_seconds,gpu_seconds\nq7,4,1\n"],
            volumes: "query,read_gb,files,partitioned_scans,exchanges_gb,window_rows,expanded_rows,copies,pairs\n",
            ..ALL[0]
        };
        assert_eq!(files.read().expect_err("no volumes"), "q7 has no volumes");
    }
}
