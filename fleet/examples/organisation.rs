//! Synthetic results of an organisation: its applications have names, users, queues, times and blockers as real ones do.
//!
//! `cargo run -p crossover-fleet --example organisation -- DIR 312` writes those of 312 applications into a folder, for pictures and
//! for trying the window. Tests and benchmarks of the window write them too.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use crossover_decision::{Baseline, Candidate, Decision, Objective, PredictedTime, Price, PriceBasis, judge};
use crossover_fleet::Base;
use crossover_fleet::application::{
    Application, OperatorClass, Parts, Predicted, Query, QueryOption, Range, Recommended, State, Summary, Verdict,
};
use crossover_fleet::blocker::Blocker;
use crossover_fleet::found::{LeftOut, Stamp};
use crossover_fleet::ledger::{Done, Head, Ledger, LogRecord, Outcome, Record};
use crossover_quantity::spread::Z_90;
use crossover_scenario::read;

const JOBS: [&str; 10] = [
    "load-orders",
    "daily-report",
    "sessionize-clicks",
    "train-features",
    "dedup-events",
    "export-billing",
    "fraud-scores",
    "catalog-sync",
    "rebuild-index",
    "weekly-forecast",
];
const USERS: [&str; 5] = ["etl", "reporting", "data-science", "finance", "search"];
const QUEUES: [&str; 3] = ["nightly", "batch", "adhoc"];
const CLASSES: [(&str, &str); 6] = [
    ("FileSourceScanExec", "scan"),
    ("FilterExec", "filter"),
    ("HashAggregateExec", "aggregate"),
    ("SortMergeJoinExec", "join"),
    ("ShuffleExchangeExec", "shuffle"),
    ("MapInPandasExec", "user code"),
];
const BLOCKERS: [Blocker; 6] = [
    Blocker::Unsupported,
    Blocker::WithinError,
    Blocker::TooShort,
    Blocker::Network,
    Blocker::OutsideSql,
    Blocker::Storage,
];

/// What runs them today, and what could.
const TODAY: &str = "Spark 3.5.3, 8 × c5d.12xlarge";
const OPTION: &str = "RAPIDS 25.12 (L4), 4 × g6.2xlarge";
const OPTION_ENGINE: &str = "RAPIDS 25.12 (L4)";
/// Prices of all machines of either for an hour, US dollars.
const TODAY_USD_PER_HOUR: f64 = 18.0;
const OPTION_USD_PER_HOUR: f64 = 14.0;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let (folder, count) = (arguments.next(), arguments.next().and_then(|count| count.parse().ok()));
    let (Some(folder), Some(count)) = (folder, count) else {
        eprintln!("usage: organisation DIR COUNT; writes the results of so many made-up applications into the folder");
        return ExitCode::from(2);
    };
    write(Path::new(&folder), count);
    ExitCode::SUCCESS
}

/// Numbers that look as if they were drawn, 0 … 1; the same every time.
struct Drawn(u64);

impl Drawn {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "made-up numbers are small and not negative"
    )]
    fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[((self.next() * of.len() as f64) as usize).min(of.len() - 1)]
    }
}

/// Writes the results of so many applications into a folder, as a run does that has ended.
pub(crate) fn write(folder: &Path, applications: usize) {
    write_of(folder, applications, "/var/log/spark-history", &base());
}

/// The same of logs below a path, measured with the engines that have this digest.
pub(crate) fn write_of(folder: &Path, applications: usize, logs: &str, base: &str) {
    let mut ledger = Ledger::open(folder).expect("a folder");
    let mut drawn = Drawn(20_261_125);
    for number in 0..applications {
        let application = application(number, &mut drawn);
        let key = format!("{logs}/{}", application.summary.id);
        let stamp = Stamp { bytes: 1_000_000, modified_ns: 0, files: 0 };
        let head = Head { key, stamp, digest: None, base: base.to_owned() };
        let outcome = Outcome::Application(Box::new(application));
        ledger.add(&Record::Log(Box::new(LogRecord { head, outcome }))).expect("written");
    }
    let left_out = vec![LeftOut { path: format!("{logs}/README"), reason: "it is no event log".to_owned() }];
    let done = Done {
        base: base.to_owned(),
        shard: (1, 1),
        tables: String::new(),
        checksums: String::new(),
        gone: Vec::new(),
        elsewhere: Vec::new(),
        kept: BTreeMap::new(),
        left_out,
    };
    ledger.add(&Record::Done(done)).expect("written");
    ledger.sync().expect("written");
}

/// The engines that come with the program.
pub(crate) fn base() -> String {
    let scenario = read(include_str!("../../scenarios/placement-truth-aws-l4.ron")).expect("a scenario");
    Base::new(&scenario).expect("a scenario with engines").digest
}

/// Milliseconds since 1970: nights of November 2026, as the names say.
fn began(number: usize) -> u64 {
    1_793_491_200_000 + (number as u64 % 25) * 86_400_000 + 61_000 * (number as u64 % 240)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "made-up numbers are small and not negative"
)]
fn application(number: usize, drawn: &mut Drawn) -> Application {
    // From 20 s to six hours, most of them some minutes.
    let seconds = 20.0 * (7.0 * drawn.next() * drawn.next().sqrt()).exp();
    // Only the first applications of a large organisation have details.
    let is_detailed = number < 1_000;
    let queries = if is_detailed { 1 + (drawn.next() * 5.0) as usize } else { 1 };
    let outside = 0.05 + 0.3 * drawn.next() * drawn.next();
    let in_queries = seconds * (1.0 - outside);
    let ratio = 0.15 + 2.6 * drawn.next() * drawn.next();
    let there = in_queries * ratio;
    let within = 1.5 + drawn.next();
    let staying = seconds - in_queries;
    let gpu = Range { value: staying + there, low: staying + there / within, high: staying + there * within };
    let decision = decision(seconds, PredictedTime::within(there, within).plus_known(staying));
    let option = &decision.options[0];
    let is_unknown = drawn.next() < 0.06;
    let known = |value: Option<f64>| value.filter(|_| !is_unknown);
    let verdict = if is_unknown { Verdict::CannotJudge } else { decision.verdict };
    let blocked_by = match verdict {
        Verdict::Move => Vec::new(),
        Verdict::CannotJudge => vec![drawn.one(&[Blocker::NoSql, Blocker::Failed, Blocker::Running])],
        Verdict::Try => vec![Blocker::WithinError],
        Verdict::Stay => vec![drawn.one(&BLOCKERS)],
    };
    let parts = |total: f64| {
        let shares = [0.06, 0.44, 0.2, 0.22, 0.08];
        let [start, work, storage, network, unsupported] = shares.map(|share| share * total);
        Parts { start, work, storage, network, spill: 0.0, unsupported }
    };
    let queries: Vec<Query> = (0..queries)
        .map(|at| {
            let share = in_queries / queries as f64;
            let gpu = share * ratio;
            let of_query = self::decision(share, PredictedTime::within(gpu, within));
            let best = of_query.best_option().filter(|_| !is_unknown && decision.best.is_some());
            let costs = of_query.today_usd().zip(of_query.options[0].usd);
            let classes =
                CLASSES.iter().enumerate().filter(|_| is_detailed).map(|(place, (class, kind))| OperatorClass {
                    class: (*class).to_owned(),
                    kind: (*kind).to_owned(),
                    operators: 1 + place as u64 % 3,
                    core_seconds: Some(share * 40.0 / (place + 1) as f64),
                    today_seconds: share / CLASSES.len() as f64,
                    gpu_seconds: gpu / CLASSES.len() as f64,
                    unsupported: (place == 5).then(|| "it runs Python, which has no GPU version".to_owned()),
                });
            Query {
                id: at.to_string(),
                description: format!(
                    "INSERT INTO warehouse.stage_{at} SELECT customer, sum(amount) FROM orders GROUP BY customer"
                ),
                repetition: format!("{number}-{at}"),
                start_ms: Some(began(number)),
                seconds: Some(share),
                share_seconds: share,
                state: State::Done,
                predicted: (!is_unknown).then(|| Predicted {
                    gpu: Range { value: gpu, low: gpu / within, high: gpu * within },
                    likelihood: option.faster,
                    parts: parts(gpu),
                }),
                usd: costs.filter(|_| !is_unknown).map(|(today, there)| [today.value, there.value]),
                verdict,
                recommended: best.map(|best| Recommended {
                    option: OPTION.to_owned(),
                    seconds: gpu,
                    usd: best.usd.map(|usd| usd.value),
                    expected_saving_usd: best.saving,
                    expected_saving_seconds: None,
                    likelihood: best.better.unwrap_or(0.0),
                }),
                option: (!is_unknown).then(|| QueryOption {
                    title: OPTION.to_owned(),
                    short_title: OPTION.to_owned(),
                    tie: None,
                    time: Range { value: gpu, low: gpu / within, high: gpu * within },
                    faster: option.faster,
                    likelihood: option.better,
                }),
                blocked_by: blocked_by.first().copied(),
                classes: classes.collect(),
                options: Vec::new(),
                evidence: Vec::new(),
                outside: Vec::new(),
                is_additive: false,
                runs: None,
            }
        })
        .collect();
    let summary = Summary {
        id: format!("application_1793491200000_{number:05}"),
        attempt: "1".to_owned(),
        name: format!("{}-2026-11-{:02}", drawn.one(&JOBS), 1 + number % 25),
        user: drawn.one(&USERS).to_owned(),
        queue: drawn.one(&QUEUES).to_owned(),
        engine: "Spark 3.5.3".to_owned(),
        start_ms: Some(began(number)),
        end_ms: Some(began(number) + (seconds * 1e3) as u64),
        ended: true,
        machines: Some(8),
        cores_per_machine: Some(14),
        seconds: Some(seconds),
        sql_seconds: in_queries,
        startup_seconds: staying * 0.6,
        gap_seconds: staying * 0.4,
        other_job_seconds: 0.0,
        largest_scan: None,
        largest_exchange: None,
        queries: queries.len() as u64,
        distinct_queries: queries.len() as u64,
        failed_queries: 0,
        predicted_queries: if is_unknown { 0 } else { queries.len() as u64 },
        option: OPTION.to_owned(),
        short_option: OPTION.to_owned(),
        tie: None,
        option_engine: OPTION_ENGINE.to_owned(),
        option_time: (!is_unknown).then_some(gpu),
        faster: known(option.faster),
        cheaper: known(option.cheaper),
        staying_seconds: staying,
        likelihood: known(option.better),
        today_usd: decision.today_usd().map(|usd| usd.value),
        expected_saving_usd: known(option.saving),
        option_usd: known(option.usd.map(|usd| usd.value)),
        verdict,
        blocked_by,
        unsupported: if verdict == Verdict::Stay { vec!["MapInPandasExec".to_owned()] } else { Vec::new() },
        parts: parts(there),
        standard_deviations: vec![(format!("{number}"), there * within.ln() / Z_90)],
        warnings: Vec::new(),
        baseline: (!is_unknown).then(|| decision.baseline.clone()),
        candidates: if is_unknown { Vec::new() } else { vec![option.candidate.clone()] },
        candidate_deviations: Vec::new(),
        base_place: Some(0),
        option_place: Some(0),
        runs: Vec::new(),
    };
    Application { summary, queries }
}

/// The decision about an application that took `seconds`, and would take `time` with the option.
fn decision(seconds: f64, time: PredictedTime) -> Decision {
    let baseline = Baseline { machines: 8.0, ..Baseline::measured(TODAY, seconds, Some(price(TODAY_USD_PER_HOUR))) };
    let candidate = Candidate {
        title: OPTION.to_owned(),
        machines: Some(4.0),
        lanes: Some(1.0),
        ..Candidate::predicted(OPTION_ENGINE, time, Some(price(OPTION_USD_PER_HOUR)))
    };
    judge(baseline, vec![candidate], Objective::default())
}

fn price(usd_per_hour: f64) -> Price {
    Price { basis: PriceBasis::OnDemand, source: "made up".to_owned(), ..Price::entered(usd_per_hour) }
}
