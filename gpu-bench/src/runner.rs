//! A run: which cases in which order, what happens when one fails, and who is told.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use rayon::ThreadPoolBuilder;
use serde::{Deserialize, Serialize};

use crate::benchmarks::bench::{Bench, Outcome};
use crate::benchmarks::canary::{Canary, DRIFT};
use crate::benchmarks::case::{Case, Scale, Suite};
use crate::benchmarks::{self, Benchmark, Roof};
use crate::failure::Failure;
use crate::gpu::Gpu;
use crate::report::quantity;
use crate::report::{Host, MeasuredAdapter, Measurement, Report, SCHEMA, Side, Time, Tool, Verified};
use crate::timing::Cancel;
use crate::timing::statistics::Summary;

/// What to measure.
#[derive(Debug, Clone)]
pub struct Plan {
    /// How much.
    pub suite: Suite,
    /// Time for the whole run, seconds.
    pub budget_seconds: f64,
    /// Only benchmarks whose id begins with one of these; all if empty.
    pub only: Vec<String>,
}

/// What a run tells while it goes on; one line of JSON each where another process listens.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// The run begins; the report so far has no results.
    Planned {
        /// Number of measurements.
        total: usize,
        /// The report without results.
        report: Box<Report>,
    },
    /// A measurement begins.
    Started {
        /// Its number, from 0.
        index: usize,
        /// What it is, in words.
        what: String,
    },
    /// A measurement ended, with a number or with the reason why there is none.
    Finished {
        /// Its number, from 0.
        index: usize,
        /// The record.
        measurement: Box<Measurement>,
    },
    /// Something a reader must know.
    Noted {
        /// The sentence.
        note: String,
    },
    /// The run is over.
    Ended {
        /// The whole report.
        report: Box<Report>,
    },
}

/// Carries out a plan. Whatever goes wrong is in the report; `tell` hears of every step, in time to save what
/// was measured so far.
pub fn run(plan: &Plan, gpu: Result<&Gpu, &Failure>, cancel: &Cancel, tell: &mut dyn FnMut(Event)) -> Report {
    let host = Host::here();
    let mut run = Run { report: report(plan, host, gpu), roofs: Roofs::default(), tell };
    let threads = run.report.host.logical_cores;
    let pool = match ThreadPoolBuilder::new().num_threads(threads).thread_name(|index| format!("cpu {index}")).build() {
        Ok(pool) => pool,
        Err(error) => {
            run.note(format!("threads cannot be started: {error}"));
            return run.end();
        }
    };
    let bench = Bench {
        gpu: gpu.ok(),
        pool: &pool,
        effort: plan.suite.effort(),
        deadline: Some(Instant::now() + Duration::from_secs_f64(plan.budget_seconds.clamp(0.0, 1e6))),
        cancel,
    };
    let scale = Scale {
        suite: plan.suite,
        gpu_words: gpu.ok().map(Gpu::max_words),
        software: gpu.is_ok_and(|gpu| gpu.description.software),
        threads,
    };
    let work = work(plan, &scale);
    (run.tell)(Event::Planned { total: work.len(), report: Box::new(run.report.clone()) });
    let canary = Canary::new(&bench, plan.suite).ok();
    let mut before = None;
    let mut lost: Option<Failure> = None;
    for (index, (benchmark, case)) in work.iter().enumerate() {
        if cancel.asked() {
            break;
        }
        let new_group = index == 0 || group(work[index - 1].0.id) != group(benchmark.id);
        if new_group && let Some(canary) = canary.as_ref().filter(|_| lost.is_none()) {
            run.listen(canary, &bench, &mut before, index.checked_sub(1).map(|last| work[last].0.id));
        }
        (run.tell)(Event::Started { index, what: describe(benchmark, case) });
        let outcome = match &lost {
            Some(failure) if case.side != Side::Cpu => Err(failure.clone()),
            _ => (benchmark.measure)(&bench, case),
        };
        if let Err(failure) = &outcome
            && failure.ends_device()
        {
            lost = Some(failure.clone());
        }
        let measurement = run.record(benchmark, case, outcome);
        run.report.results.push(measurement.clone());
        (run.tell)(Event::Finished { index, measurement: Box::new(measurement) });
    }
    if cancel.asked() {
        let measured = run.report.results.iter().filter(|measurement| measurement.time.is_some()).count();
        run.note(format!("cancelled after {measured} of {} measurements", work.len()));
    }
    if let Some((canary, (last, _))) = canary.as_ref().filter(|_| lost.is_none() && !cancel.asked()).zip(work.last()) {
        run.listen(canary, &bench, &mut before, Some(last.id));
    }
    run.end()
}

/// The cases of a plan: what calibration needs first, so that a short budget drops sweeps.
fn work(plan: &Plan, scale: &Scale) -> Vec<(Benchmark, Case)> {
    let wanted = |id: &str| plan.only.is_empty() || plan.only.iter().any(|only| id.starts_with(only.as_str()));
    let (first, later): (Vec<_>, Vec<_>) = benchmarks::all()
        .into_iter()
        .filter(|benchmark| wanted(benchmark.id))
        .flat_map(|benchmark| (benchmark.cases)(scale).into_iter().map(move |case| (benchmark, case)))
        .filter(|(_, case)| scale.has(case.side))
        .partition(|(_, case)| case.calibrates);
    first.into_iter().chain(later).collect()
}

/// What stands before the dot of an id.
fn group(id: &str) -> &str {
    id.split('.').next().unwrap_or(id)
}

/// "filter.append, GPU, 16.78 M rows, selectivity 0.1".
fn describe(benchmark: &Benchmark, case: &Case) -> String {
    let mut text = format!("{}, {}", benchmark.id, case.side.label());
    if case.threads > 0 {
        text += &format!(", {} thread{}", case.threads, if case.threads == 1 { "" } else { "s" });
    }
    if !case.variant.is_empty() {
        text += &format!(", {}", case.variant);
    }
    if case.rows > 0 {
        text += &format!(", {} rows", quantity::count(case.rows as f64));
    }
    for (name, value) in &case.params {
        text += &format!(", {}", quantity::parameter(name, *value));
    }
    text
}

/// A report without results.
fn report(plan: &Plan, host: Host, gpu: Result<&Gpu, &Failure>) -> Report {
    Report {
        schema: SCHEMA,
        tool: Tool::here(),
        time: jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        suite: plan.suite.name().to_owned(),
        host,
        adapter: gpu.ok().map(|gpu| MeasuredAdapter {
            description: gpu.description.clone(),
            timing_source: gpu.timing_source(),
            self_test: gpu.self_test(),
        }),
        results: Vec::new(),
        calibration: None,
        notes: gpu.err().map(|failure| format!("the CPU alone is measured: {failure}")).into_iter().collect(),
    }
}

/// A run in progress.
struct Run<'tell> {
    report: Report,
    roofs: Roofs,
    tell: &'tell mut dyn FnMut(Event),
}

impl Run<'_> {
    fn note(&mut self, note: String) {
        (self.tell)(Event::Noted { note: note.clone() });
        self.report.notes.push(note);
    }

    fn end(self) -> Report {
        (self.tell)(Event::Ended { report: Box::new(self.report.clone()) });
        self.report
    }

    /// Hears the canary; if it changed since the last time, the group in between says so.
    fn listen(&mut self, canary: &Canary, bench: &Bench<'_>, before: &mut Option<f64>, measured: Option<&str>) {
        let Ok(now) = canary.sing(bench) else { return };
        if let (Some(before), Some(measured)) = (*before, measured)
            && (now / before - 1.0).abs() > DRIFT
        {
            let drift = (now / before - 1.0) * 100.0;
            let group = group(measured).to_owned();
            self.note(format!("throttled or shared: a fixed copy took {drift:+.0} % after the group “{group}”"));
            for measurement in &mut self.report.results {
                if self::group(&measurement.id) == group {
                    measurement.warnings.push(format!("the machine changed by {drift:+.0} % meanwhile"));
                }
            }
        }
        *before = Some(now);
    }

    /// The record of a case; what is faster than its roof is a failure.
    fn record(&mut self, benchmark: &Benchmark, case: &Case, outcome: Result<Outcome, Failure>) -> Measurement {
        let mut measurement = blank(benchmark, case);
        let checked = outcome.and_then(|outcome| {
            let summary = Summary::of(&outcome.samples.seconds).filter(|summary| summary.min > 0.0);
            let summary = summary.ok_or(Failure::TimerStopped)?;
            let speed = outcome.bytes_traffic / summary.median / 1e9;
            let roof = self.roofs.above(benchmark.roof, case, speed)?;
            Ok((outcome, summary, roof))
        });
        match checked {
            Ok((outcome, summary, roof_share)) => {
                self.roofs.learn(benchmark, case, outcome.bytes_traffic / summary.median / 1e9);
                measurement.bytes_logical = outcome.bytes_logical;
                measurement.bytes_traffic = outcome.bytes_traffic;
                measurement.batch = outcome.samples.batch;
                measurement.verified = outcome.verified;
                measurement.ratio = outcome.ratio;
                measurement.roof_share = roof_share;
                measurement.time = Some(Time {
                    median_s: summary.median,
                    iqr_s: summary.iqr(),
                    min_s: summary.min,
                    ci95_s: summary.ci95,
                    n: outcome.samples.seconds.len(),
                    stop: outcome.samples.stop,
                    source: outcome.source,
                });
                measurement.samples_s = outcome.samples.seconds;
            }
            Err(failure) => {
                if matches!(failure, Failure::WrongResult(_) | Failure::AboveRoof { .. }) {
                    measurement.verified = Verified::Failed;
                }
                measurement.skipped = Some(failure.to_string());
            }
        }
        measurement
    }
}

/// The record of a case that has not been measured yet.
fn blank(benchmark: &Benchmark, case: &Case) -> Measurement {
    let mut params: BTreeMap<String, f64> =
        case.params.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
    params.insert("rows".to_owned(), case.rows as f64);
    Measurement {
        id: benchmark.id.to_owned(),
        side: case.side,
        threads: case.threads,
        variant: case.variant.to_owned(),
        params,
        bytes_logical: 0.0,
        bytes_traffic: 0.0,
        samples_s: Vec::new(),
        batch: 0,
        time: None,
        roof_share: None,
        verified: Verified::Skipped,
        warnings: Vec::new(),
        skipped: None,
        ratio: None,
    }
}

/// The fastest that the run saw memory be, GB/s.
#[derive(Debug, Default)]
struct Roofs {
    /// By benchmark id: speed by rows, ascending.
    speeds: BTreeMap<&'static str, BTreeMap<u64, f64>>,
}

impl Roofs {
    fn learn(&mut self, benchmark: &Benchmark, case: &Case, gb_per_s: f64) {
        if case.side == Side::Gpu && benchmark.id.starts_with("memory.") {
            let speeds = self.speeds.entry(benchmark.id).or_default();
            let best = speeds.entry(case.rows).or_insert(gb_per_s);
            *best = best.max(gb_per_s);
        }
    }

    /// The share of the roof at the nearest size that was measured.
    ///
    /// # Errors
    /// [`Failure::AboveRoof`] above 1.05 × the fastest at any size, caches included.
    fn above(&self, roof: Roof, case: &Case, gb_per_s: f64) -> Result<Option<f64>, Failure> {
        let id = match roof {
            Roof::Unbounded => return Ok(None),
            _ if case.side != Side::Gpu => return Ok(None),
            Roof::Copy => "memory.copy",
            Roof::Read => "memory.read",
            Roof::Gather => "memory.gather",
        };
        let Some(speeds) = self.speeds.get(id) else { return Ok(None) };
        let fastest = speeds.values().copied().fold(0.0, f64::max);
        if gb_per_s > 1.05 * fastest {
            return Err(Failure::AboveRoof { gb_per_s, roof_gb_per_s: fastest });
        }
        let nearest = speeds.iter().min_by_key(|(rows, _)| rows.abs_diff(case.rows));
        Ok(nearest.map(|(_, roof)| gb_per_s / roof))
    }
}
