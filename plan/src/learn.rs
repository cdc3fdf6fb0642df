//! Learns from a trial: runs of the same queries in Spark and in another engine, predicted against measured, and the profile of
//! that engine after it.

use std::collections::BTreeMap;

use crossover_decision::trial::TrialTime;
use crossover_decision::{MeasuredRuns, Objective, judge};
use crossover_engine::{Engine, Posterior, Profile};
use crossover_placement::Placement;
use crossover_quantity::text::counted;
use crossover_query::{Kind, NativeEngine};
use serde::Serialize;
use thiserror::Error;

use crate::history::{Histories, ran_on};
use crate::import::{Import, Query};
use crate::options::trial::{TrialError, place_of};
use crate::options::{Alternatives, options, workload_of};
use crate::pairing::{PairedBy, pair, run_seconds};
use crate::scenario::{Machines, placement, query_name};
use crate::shape::digest;
use crate::today::{is_spark, measured_seconds};

/// What was learned.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Learning {
    /// The engine of the first runs, on its machines.
    pub today: String,
    /// The option that the other runs tried.
    pub option: String,
    /// The queries of both, in the order of the trial.
    pub queries: Vec<LearnedQuery>,
    /// Queries without a pair of times, each with the reason.
    pub left_out: Vec<LeftOutQuery>,
    /// The error factor (90 %) before.
    pub error_factor_90: f64,
    /// The time factor before.
    pub time_ratio: f64,
    /// What is known after.
    pub posterior: Posterior,
    /// The profile after.
    pub profile: Profile,
    /// What is assumed, and runs that contradict each other.
    pub notes: Vec<String>,
}

/// A query that ran in both engines.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LearnedQuery {
    /// Its name, with the time predicted before the trial and the measured one: of several runs the median.
    #[serde(flatten)]
    pub times: TrialTime,
    /// In words or in SQL.
    pub description: String,
    /// Time in Spark, seconds: of several runs the median.
    pub today_seconds: f64,
    /// Runs in Spark.
    pub today_runs: usize,
    /// Runs of the trial.
    pub trial_runs: usize,
    /// How the runs were paired.
    pub paired_by: PairedBy,
}

/// A query without a pair of times.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LeftOutQuery {
    /// "query 6 of shop.zstd".
    pub name: String,
    /// Why.
    pub reason: String,
}

/// Why nothing can be learned.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum LearnError {
    /// A file is of another program.
    #[error(
        "{0}: not an event log of Spark; expected logs of runs in Spark, and of the same queries in another engine"
    )]
    OtherProgram(String),
    /// No log is of Spark alone.
    #[error("no log of a run in Spark alone; {0} ran in {1}. Add the log of a run of the same queries in Spark")]
    NoBefore(String, &'static str),
    /// All logs are of Spark alone.
    #[error(
        "no log of another engine: no operator in {0} is of RAPIDS, Gluten or Comet. Add the log of a run in one of them; if its \
         plugin was loaded, it left all operators to Spark"
    )]
    NoAfter(String),
    /// Several engines at once.
    #[error("{one} ran in {engine}, and {other} in {other_engine}; learn from one engine at a time")]
    SeveralEngines {
        /// A log.
        one: String,
        /// Its engine.
        engine: &'static str,
        /// Another log.
        other: String,
        /// Its engine.
        other_engine: &'static str,
    },
    /// Runs on several clusters.
    #[error("{0} and {1} ran on different machines; learn from one cluster at a time")]
    SeveralClusters(String, String),
    /// The engine is no option.
    #[error("{file}: {problem}")]
    NoOption {
        /// The log of the trial.
        file: String,
        /// Why.
        problem: TrialError,
    },
    /// No query ran in both.
    #[error("no query ran in both engines with a time and a prediction: {0}")]
    NoPair(String),
    /// The error before is not known.
    #[error(
        "the engines have no measured error factor, so the trial cannot be weighed against it; fit them with crossover fit"
    )]
    NoErrorFactor,
}

/// A run of a query, and its log.
type RunOfLog<'a> = (&'a Import, &'a Query);

/// Runs of one query: in Spark and in the trial.
struct Group<'a> {
    before: Vec<RunOfLog<'a>>,
    after: Vec<RunOfLog<'a>>,
    by: PairedBy,
}

/// Learns from logs of the same queries in Spark and in another engine, in any order. `base` has the engines, `alternatives` those
/// that run on the machines of today.
///
/// # Errors
/// [`LearnError`]: the logs are not of one engine beside Spark, on one cluster each, or have no query in common.
pub fn learn(base: &Placement, alternatives: &Alternatives, logs: &[Import]) -> Result<Learning, LearnError> {
    if let Some(other) = logs.iter().find(|log| !is_spark(&log.engine)) {
        return Err(LearnError::OtherProgram(other.file.clone()));
    }
    let (before, after): (Vec<&Import>, Vec<&Import>) =
        logs.iter().partition(|log| NativeEngine::of(&log.engine).is_none());
    let ran_in = |log: &Import| NativeEngine::of(&log.engine);
    let Some((first_after, engine)) = after.first().and_then(|first| Some((first, ran_in(first)?))) else {
        return Err(LearnError::NoAfter(files(&before)));
    };
    let Some(first_before) = before.first() else {
        return Err(LearnError::NoBefore(first_after.file.clone(), engine.name()));
    };
    if let Some(other) = after.iter().find(|log| ran_in(log) != Some(engine)) {
        return Err(LearnError::SeveralEngines {
            one: first_after.file.clone(),
            engine: engine.name(),
            other: other.file.clone(),
            other_engine: ran_in(other).map_or("Spark", NativeEngine::name),
        });
    }
    for (first, all) in [(first_before, &before), (first_after, &after)] {
        if let Some(other) = all.iter().find(|log| ran_on("", &log.cluster) != ran_on("", &first.cluster)) {
            return Err(LearnError::SeveralClusters(first.file.clone(), other.file.clone()));
        }
    }
    let mut notes: Vec<String> = Vec::new();
    for logs in [&before, &after] {
        let found = Histories::new(logs.iter().copied()).contradictions();
        notes.extend(found.into_iter().map(|found| found.sentence));
    }
    let machines = first_after.cluster.machines.map(|machines| machines as f64);
    let alternatives = with_cluster(base, alternatives, engine, machines);
    let (groups, mut left_out) = groups(&before, &after);
    let mut learned: Option<Learned> = None;
    let (mut queries, mut errors): (Vec<LearnedQuery>, Vec<f64>) = (Vec::new(), Vec::new());
    // A query that differs from the measured ones has a wider error than the profile.
    let mut error_factor_90 = f64::INFINITY;
    for group in groups {
        let predicted = Predicted::new(base, &alternatives, &group, engine, machines);
        match predicted.map_err(|problem| LearnError::NoOption { file: first_after.file.clone(), problem })? {
            Err(skipped) => left_out.push(skipped),
            Ok(predicted) => {
                errors.push(predicted.query.times.ratio().ln());
                error_factor_90 = error_factor_90.min(predicted.error_factor_90);
                queries.push(predicted.query);
                if learned.is_none() {
                    learned = Some(predicted.learned);
                }
            }
        }
    }
    let Some(Learned { today, option, profile }) = learned else {
        let reasons: Vec<String> =
            left_out.iter().take(3).map(|query| format!("{}: {}", query.name, query.reason)).collect();
        return Err(LearnError::NoPair(reasons.join("; ")));
    };
    let posterior = Posterior::new(error_factor_90, &errors).ok_or(LearnError::NoErrorFactor)?;
    let gpu = &profile.engines.gpu;
    if engine == NativeEngine::Rapids {
        notes.push(format!(
            "the log does not name its GPU machines; they are assumed to be {} × {}",
            gpu.machines, gpu.machine
        ));
    }
    let runs = format!("{} of {} and {}", counted(queries.len() as f64, "query"), files(&before), files(&after));
    let shortest_seconds = queries.iter().map(|query| query.today_seconds).fold(f64::INFINITY, f64::min);
    Ok(Learning {
        error_factor_90,
        time_ratio: gpu.time_ratio,
        profile: profile.learned(&posterior, &runs, shortest_seconds),
        today,
        option,
        queries,
        left_out,
        posterior,
        notes,
    })
}

/// "a.zstd", "a.zstd and 2 others".
fn files(logs: &[&Import]) -> String {
    match logs {
        [] => String::new(),
        [only] => only.file.clone(),
        [first, others @ ..] => format!("{} and {}", first.file, counted(others.len() as f64, "other log")),
    }
}

/// The alternatives, and the GPU engine on the number of machines of the trial.
fn with_cluster(
    base: &Placement,
    alternatives: &Alternatives,
    engine: NativeEngine,
    machines: Option<f64>,
) -> Alternatives {
    let measured = base.engines.as_deref().map(|engines| &engines.gpu);
    let measured = measured.filter(|_| engine == NativeEngine::Rapids);
    let cluster = measured.zip(machines).map(|(measured, machines)| Engine { machines, ..measured.clone() });
    let mut alternatives = alternatives.clone();
    alternatives.clusters.extend(cluster.map(|cluster| (cluster, None)));
    alternatives
}

/// The runs of each query that ran in both, in the order of the trial, and the queries without a partner.
fn groups<'a>(before: &[&'a Import], after: &[&'a Import]) -> (Vec<Group<'a>>, Vec<LeftOutQuery>) {
    let [own, other]: [Vec<RunOfLog<'a>>; 2] = [before, after].map(|logs| {
        let runs = logs.iter().flat_map(|log| log.queries.iter().map(move |query| (*log, query)));
        // What reads nothing has no time that a profile could explain.
        runs.filter(|(_, query)| query.plan.nodes.iter().any(|node| node.kind == Kind::Scan)).collect()
    });
    let [own_queries, other_queries]: [Vec<&Query>; 2] =
        [&own, &other].map(|runs| runs.iter().map(|(_, query)| *query).collect());
    let pairing = pair(&own_queries, &other_queries);
    let digest_of = |query: &Query| digest(&query.plan);
    let mut groups: Vec<Group<'a>> = Vec::new();
    let mut of_own: BTreeMap<String, usize> = BTreeMap::new();
    let mut of_other: BTreeMap<String, usize> = BTreeMap::new();
    for found in &pairing.pairs {
        let (own, other) = (own[found.own], other[found.other]);
        let digests = (digest_of(own.1), digest_of(other.1));
        let known = digests.0.as_ref().and_then(|digest| of_own.get(digest)).copied();
        let place = known.unwrap_or(groups.len());
        if place == groups.len() {
            groups.push(Group { before: Vec::new(), after: Vec::new(), by: found.by });
        }
        let group = &mut groups[place];
        group.before.push(own);
        group.after.push(other);
        group.by = group.by.min(found.by);
        of_own.extend(digests.0.map(|digest| (digest, place)));
        of_other.extend(digests.1.map(|digest| (digest, place)));
    }
    let mut left_out = Vec::new();
    let mut rest = |places: &[usize], runs: &[RunOfLog<'a>], known: &BTreeMap<String, usize>, is_before: bool| {
        for place in places {
            let run = runs[*place];
            match digest_of(run.1).and_then(|digest| known.get(&digest)) {
                // One more run of a query that is paired.
                Some(group) if is_before => groups[*group].before.push(run),
                Some(group) => groups[*group].after.push(run),
                None => left_out
                    .push(LeftOutQuery { name: name(run), reason: "no query with its plan or description".to_owned() }),
            }
        }
    };
    rest(&pairing.only_own, &own, &of_own, true);
    rest(&pairing.only_other, &other, &of_other, false);
    (groups, left_out)
}

/// "query 6 of shop.zstd".
fn name((log, query): RunOfLog<'_>) -> String {
    format!("{} of {}", query_name(query), log.file)
}

/// Median of times, seconds, and their number; `None` without any.
fn median(seconds: &[f64]) -> Option<(f64, usize)> {
    match seconds {
        [] => None,
        [only] => Some((*only, 1)),
        several => MeasuredRuns::of(several.iter().copied()).map(|runs| (runs.median_seconds, runs.count)),
    }
}

/// The option of a trial, before it.
struct Learned {
    today: String,
    option: String,
    /// The engines of the option, on the machines of both logs.
    profile: Profile,
}

/// The prediction for a query of a trial.
struct Predicted {
    query: LearnedQuery,
    /// The error factor (90 %) of this prediction; 1: no measured error.
    error_factor_90: f64,
    learned: Learned,
}

impl Predicted {
    /// Predicts a query as a decision does, with its measured time in Spark. The inner error: it has no pair of times.
    ///
    /// # Errors
    /// No option is of the trial's engine and machines.
    fn new(
        base: &Placement,
        alternatives: &Alternatives,
        group: &Group<'_>,
        engine: NativeEngine,
        machines: Option<f64>,
    ) -> Result<Result<Self, LeftOutQuery>, TrialError> {
        let [first, ..] = group.before.as_slice() else { return Err(TrialError::NoQuery) };
        let left_out = |reason: &str| Ok(Err(LeftOutQuery { name: name(*first), reason: reason.to_owned() }));
        let today: Vec<f64> = group.before.iter().filter_map(|(_, query)| measured_seconds(query)).collect();
        let trial: Vec<f64> = group.after.iter().filter_map(|(_, query)| run_seconds(query)).collect();
        let Some((today_seconds, today_runs)) = median(&today) else {
            return left_out("no run in Spark has a time: it failed, did not end, or is too short");
        };
        let Some((seconds, trial_runs)) = median(&trial) else {
            return left_out("no run of the trial has a time: it failed, did not end, or is too short");
        };
        let (import, query) = *first;
        let mut study = placement(base, Machines::OfFile, import, query);
        if let Some(engines) = &mut study.engines {
            engines.measured_seconds = Some(today_seconds);
        }
        let Some((baseline, candidates)) = workload_of(&study, alternatives) else {
            return left_out("its plan takes no time in the model");
        };
        let decision = judge(baseline, candidates, Objective::default());
        let place = place_of(Some(engine), machines, &decision)?;
        let candidate = &decision.options[place].candidate;
        if let Some(why) = &candidate.blocked_by {
            return left_out(why);
        }
        let (Some(time), Some(profile)) = (candidate.time, profile_of(&study, alternatives, place)) else {
            return left_out("it has no prediction");
        };
        let query = LearnedQuery {
            times: TrialTime { name: name(*first), predicted: time, seconds },
            description: query.description.clone(),
            today_seconds,
            today_runs,
            trial_runs,
            paired_by: group.by,
        };
        let error_factor_90 = candidate.evidence.error.as_ref().map_or(1.0, |error| error.factor_90);
        let learned = Learned { today: decision.baseline.title.clone(), option: candidate.title.clone(), profile };
        Ok(Ok(Self { query, error_factor_90, learned }))
    }
}

/// The engines of the option at a place, with the sources of their numbers.
fn profile_of(study: &Placement, alternatives: &Alternatives, place: usize) -> Option<Profile> {
    let own = study.profile()?;
    let all = options(&own.engines, &own.sources, alternatives);
    let engines = all.get(place)?.engines().clone();
    let same = alternatives.on_same_machines.iter().find(|other| other.engines.gpu.name == engines.gpu.name);
    let mut sources = same.map_or_else(|| own.sources.clone(), |other| other.sources.clone());
    if same.is_some() {
        // It runs on the machines of the log, as Spark does.
        for key in [Engine::MACHINES.key, Engine::LANES.key, Engine::VCPUS.key, Engine::USD_PER_HOUR.key] {
            let source = own.sources.get(&format!("cpu.{key}"));
            for path in ["cpu", "gpu"].map(|side| format!("{side}.{key}")) {
                match source {
                    Some(source) => sources.insert(path, source.clone()),
                    None => sources.remove(&path),
                };
            }
        }
    }
    Some(Profile { engines, sources })
}
