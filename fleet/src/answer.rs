//! Predicted times of an application and its queries on the GPU cluster, and their blockers.

mod summary;

use std::collections::BTreeMap;

use crossover_decision::{Objective, Price};
use crossover_engine::{Engine, Engines, Part, Work};
use crossover_files::digest::hex;
use crossover_placement::Query as StudyQuery;
use crossover_placement::cost::Term;
use crossover_placement::whole::{EngineOperator, EngineWork, Fixed, PlanVerdict};
use crossover_plan::history::{Histories, ran_on, recorded};
use crossover_plan::options::{
    EngineOption, TimeEvidence, options, price_of, ran_in_another_engine, set_measured_seconds, times, why_outside,
};
use crossover_plan::remarks::warnings;
use crossover_plan::timeline::timeline;
use crossover_plan::today::{SHORTEST_SECONDS, assumed_price};
use crossover_plan::{Import, Query as Imported};
use crossover_quantity::text::counted;
use crossover_query::{Amount, Kind, Node, Plan};
use sha2::{Digest as _, Sha256};

use self::summary::sum_up;
use crate::application::{Application, Largest, OperatorClass, Parts, Predicted, Query, Range, State, Summary};
use crate::base::Base;
use crate::blocker::Blocker;
use crate::choice::record;

/// Longest description that is kept, characters.
const LONGEST_DESCRIPTION: usize = 500;
/// Longest name that is kept, characters.
const LONGEST_NAME: usize = 200;
/// Most runs of queries that are kept of one log: the results of all logs are in memory at once.
const MOST_RUNS: usize = 10;
/// Longest warning that is kept of one log, characters.
const LONGEST_WARNING: usize = 500;

/// The context of all queries of a log.
struct LogContext<'a> {
    base: &'a Base,
    /// The base's engines on the machines of the log; each query sets its measured time in them.
    engines: Engines,
    /// What could run its queries; each sets its measured time in them, too.
    options: Vec<EngineOption>,
    /// The blocker of a query without its end in the log, and of the application without its end.
    no_end: Blocker,
    /// Whether a query ran on GPUs: then today's machines have GPUs, and their times are GPU times.
    on_gpu: bool,
    /// The runs of queries in several logs.
    histories: &'a Histories,
    /// Today's engine and machines in them.
    ran_on: String,
}

/// The predictions for a log, whose plans are shared, not copied; `is_in_progress`: whether Spark still writes it.
#[must_use]
pub fn answer(base: &Base, import: &Import, is_in_progress: bool) -> Application {
    answer_with(base, import, is_in_progress, &Histories::default())
}

/// The same beside other logs: the time of a query that has several runs is their median.
#[must_use]
pub fn answer_with(base: &Base, import: &Import, is_in_progress: bool, histories: &Histories) -> Application {
    let ran_on = ran_on(&import.engine, &import.cluster);
    let runs = recorded(import, MOST_RUNS);
    let Import { engine, application, queries, run, cluster, .. } = import;
    // A log in progress may end within a line or a compressed block.
    let is_truncated = import.is_truncated && !is_in_progress;
    let engines = base.engines_on(cluster, engine);
    let mut of_log = LogContext {
        base,
        options: options(&engines, base.sources(), base.alternatives()),
        engines,
        no_end: match (run.ended, is_in_progress) {
            (true, _) if !is_truncated => Blocker::NoEnd,
            (false, true) => Blocker::Running,
            _ => Blocker::Truncated,
        },
        on_gpu: queries.iter().any(|query| query.plan.nodes.iter().any(|node| node.ran_on_gpu)),
        histories,
        ran_on,
    };
    let times = timeline(run, queries);
    let cut_short = |text: &String| text.chars().take(LONGEST_WARNING).collect::<String>();
    let warnings = warnings(import, None).iter().map(cut_short).collect();
    let mut summary = Summary {
        id: cut(&run.id),
        attempt: cut(&run.attempt),
        name: cut(application),
        user: cut(&run.user),
        queue: cut(&run.queue),
        engine: cut(engine),
        start_ms: run.start_ms,
        end_ms: run.end_ms,
        ended: run.ended,
        machines: cluster.machines,
        cores_per_machine: cluster.cores_per_machine,
        seconds: times.seconds,
        startup_seconds: times.startup_seconds,
        gap_seconds: times.gap_seconds,
        other_job_seconds: times.other_job_seconds,
        largest_scan: largest(queries, |node| if node.kind == Kind::Scan { node.bytes_in } else { None }),
        largest_exchange: largest(queries, |node| if node.kind == Kind::Shuffle { node.bytes_out } else { None }),
        warnings,
        runs,
        ..Summary::default()
    };
    let recorded: f64 = times.shares.iter().sum();
    let answered = queries.iter().zip(times.shares).map(|(query, share)| of_log.answer(query, share));
    let queries: Vec<Query> = answered.collect();
    // The application takes as long as its queries usually do.
    let usual: f64 = queries.iter().map(|query| query.share_seconds).sum();
    summary.seconds = summary.seconds.map(|seconds| seconds + (usual - recorded));
    sum_up(&mut summary, &queries, &of_log);
    let mut application = Application { summary, queries };
    application.judge_queries(Objective::default(), record);
    application
}

/// A note that times are medians of several runs, without a full stop; `None` if none is.
#[must_use]
pub fn note_of_runs(queries: &[Query]) -> Option<String> {
    let runs: Vec<usize> = queries.iter().filter_map(|query| query.runs).map(|runs| runs.count).collect();
    let most = runs.iter().copied().max()?;
    let times = counted(runs.len() as f64, "query");
    let most = counted(most as f64, "run");
    Some(format!("the time of {times} is the median of its runs in these logs, up to {most} each"))
}

/// A name; a long one is cut and ends in a digest, so that names stay distinct.
fn cut(name: &str) -> String {
    let Some((end, _)) = name.char_indices().nth(LONGEST_NAME) else { return name.to_owned() };
    format!("{}… {}", &name[..end], hex(&Sha256::digest(name)[..8]))
}

/// The largest amount of all operators; the first of equal ones.
fn largest(queries: &[Imported], amount: fn(&Node) -> Option<Amount>) -> Option<Largest> {
    let mut most: Option<Largest> = None;
    for query in queries {
        for node in query.plan.nodes.iter().filter(|node| node.works()) {
            let bytes = amount(node).map_or(0.0, |amount| amount.value);
            if bytes > most.as_ref().map_or(0.0, |most| most.bytes) {
                most = Some(Largest { bytes, query: query.id.clone() });
            }
        }
    }
    most
}

impl LogContext<'_> {
    /// Price of one of today's machines.
    fn price_today(&self) -> Option<Price> {
        let (measured, today) = (&self.base.engines().cpu, &self.engines.cpu);
        let of_measured = self.base.sources().get("cpu.usd_per_hour");
        let assumed = assumed_price(of_measured, measured, today);
        price_of(today.usd_per_hour, assumed.as_ref().or(of_measured))
    }

    /// The prediction for a query with this share of the application's time.
    fn answer(&mut self, query: &Imported, share_seconds: f64) -> Query {
        let Self { engines, options, no_end, on_gpu, histories, ran_on, .. } = self;
        let state = match (&query.failure, query.duration_seconds) {
            (Some(_), _) => State::Failed,
            (None, Some(_)) => State::Done,
            (None, None) if *no_end == Blocker::Running => State::Running,
            (None, None) => State::NoEnd,
        };
        let mut answered = Query {
            repetition: repetition(&query.description, &query.plan),
            description: query.description.chars().take(LONGEST_DESCRIPTION).collect(),
            id: query.id.clone(),
            start_ms: query.start_ms,
            seconds: query.duration_seconds,
            share_seconds,
            state,
            ..Query::default()
        };
        let seconds = query.duration_seconds.filter(|seconds| *seconds >= SHORTEST_SECONDS);
        answered.blocked_by = match (state, seconds) {
            (State::Failed, _) => Some(Blocker::Failed),
            (State::Running | State::NoEnd, _) => Some(*no_end),
            _ if *on_gpu => Some(Blocker::OnGpu),
            (State::Done, None) => Some(Blocker::TooShort),
            _ if ran_in_another_engine(&query.plan, engines).is_some() => Some(Blocker::OtherEngine),
            _ if query.plan.why_not_judged().is_some() => Some(Blocker::WithoutOperator),
            _ => None,
        };
        let Some(seconds) = seconds.filter(|_| answered.blocked_by.is_none()) else { return answered };
        let recorded = seconds;
        let runs = histories.of(&query.plan, ran_on);
        let seconds = runs.map_or(recorded, |runs| runs.median_seconds);
        let study_query = StudyQuery { plan: query.plan.clone(), ..StudyQuery::default() };
        engines.measured_seconds = Some(seconds);
        set_measured_seconds(options, Some(seconds));
        let engines = &*engines;
        let work = EngineWork::new(&study_query, engines);
        let (predicted, is_additive, classes) = match predict(engines, &work, &query.plan) {
            Ok(found) => found,
            Err(blocker) => {
                answered.blocked_by = Some(blocker);
                return answered;
            }
        };
        answered.is_additive = is_additive;
        let times = times(options, &work);
        let evidence = options.iter().zip(&times).map(|(option, time)| TimeEvidence::new(option, time.as_ref()?));
        answered.evidence = evidence.collect();
        if times.iter().flatten().any(|time| time.outside.is_some()) {
            answered.outside = times.iter().map(|time| time.as_ref().and_then(why_outside)).collect();
        }
        let inside = |time: &Option<PlanVerdict>| {
            time.as_ref().filter(|time| time.outside.is_none()).map(|time| Range::of(&time.gpu))
        };
        answered.options = times.iter().map(inside).collect();
        answered.classes = classes;
        answered.predicted = predicted;
        if !answered.has_prediction() {
            answered.blocked_by = Some(Blocker::OutsideMeasured);
            return answered;
        }
        answered.seconds = Some(seconds);
        answered.share_seconds = share_seconds * (seconds / recorded);
        answered.runs = runs;
        answered
    }
}

/// Predicted time on the GPU cluster of a query whose measured time `engines` have, whether it is a sum with that time, and its operators.
/// A query outside what was measured there has no time.
///
/// # Errors
/// Its plan takes no time.
fn predict(
    engines: &Engines,
    work: &EngineWork<'_>,
    plan: &Plan,
) -> Result<(Option<Predicted>, bool, Vec<OperatorClass>), Blocker> {
    let (operators, verdict) = work.operators(engines);
    let verdict = verdict.ok_or(Blocker::NoPlan)?;
    if verdict.outside.is_some() {
        return Ok((None, verdict.is_additive, Vec::new()));
    }
    let gpu = Range::of(&verdict.gpu);
    let mut parts = parts(&operators);
    // In the sum, only data beyond the memory of exchanges takes time.
    let modelled = || spilled(&engines.gpu, &work.total());
    parts.spill = parts.network * if verdict.is_additive { 1.0 } else { modelled() };
    let predicted = Predicted { gpu, likelihood: verdict.likelihood, parts };
    Ok((Some(predicted), verdict.is_additive, classes(plan, &operators)))
}

/// Why an operator stays on CPUs, if it must.
fn unsupported<'a>(operator: &EngineOperator<'a>) -> Option<&'a str> {
    match operator.fixed? {
        Fixed::Unsupported(note) => Some(note),
        Fixed::CpuOnly(why) => Some(why),
        Fixed::Pinned => None,
    }
}

/// Seconds of an operator on the GPU cluster.
fn gpu_seconds(operator: &EngineOperator<'_>) -> f64 {
    if unsupported(operator).is_some() { operator.cost.cpu.total() } else { operator.cost.gpu.total() }
}

/// Share of spilling in the network time: the same for every operator that exchanges.
fn spilled(engine: &Engine, work: &Work) -> f64 {
    let seconds = engine.seconds(work);
    let [exchange, spill] = [Part::Exchange, Part::Spill].map(|part| seconds[part as usize]);
    if spill > 0.0 { spill / (exchange + spill) } else { 0.0 }
}

fn parts(operators: &[EngineOperator<'_>]) -> Parts {
    let mut parts = Parts::default();
    for operator in operators {
        if unsupported(operator).is_some() {
            parts.unsupported += gpu_seconds(operator);
            continue;
        }
        let of = |term: Term| operator.cost.gpu.get(term);
        parts.start += of(Term::Fixed);
        parts.work += of(Term::Compute);
        parts.storage += of(Term::Scan);
        parts.network += of(Term::Network);
    }
    parts
}

fn classes(plan: &Plan, operators: &[EngineOperator<'_>]) -> Vec<OperatorClass> {
    let mut classes: BTreeMap<&str, OperatorClass> = BTreeMap::new();
    for operator in operators {
        let node = &plan.nodes[operator.node];
        let name = node.class.as_deref().unwrap_or(node.kind.label());
        let class = classes.entry(name).or_insert_with(|| OperatorClass {
            class: name.to_owned(),
            kind: node.kind.label().to_owned(),
            operators: 0,
            core_seconds: None,
            today_seconds: 0.0,
            gpu_seconds: 0.0,
            unsupported: None,
        });
        class.operators += 1;
        if let Some(seconds) = node.cpu_seconds {
            *class.core_seconds.get_or_insert(0.0) += seconds.value;
        }
        class.today_seconds += operator.cost.cpu.total();
        class.gpu_seconds += gpu_seconds(operator);
        if class.unsupported.is_none() {
            class.unsupported = unsupported(operator).map(str::to_owned);
        }
    }
    classes.into_values().collect()
}

/// Key of all repetitions of a query: its description without digits, its operators, and its tables.
fn repetition(description: &str, plan: &Plan) -> String {
    let mut digest = Sha256::new();
    let mut add = |text: &str| {
        for between in text.split(|c: char| c.is_ascii_digit()) {
            digest.update(between);
        }
        digest.update([0]);
    };
    add(description);
    // Tasks that failed in one run are no other query.
    for node in plan.nodes.iter().filter(|node| !node.is_without_operator()) {
        add(&node.name);
        if let Some(source) = &node.source {
            add(&source.table);
        }
    }
    hex(&digest.finalize()[..8])
}
