//! A run: the cases and their order, failures, and events.

mod pace;
mod roofs;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use crossover_harness::Cancel;
use crossover_harness::statistics::Summary;
use crossover_harness::tool::Tool;
use crossover_quantity::text::counted;
use rayon::ThreadPoolBuilder;
use serde::{Deserialize, Serialize};

use self::roofs::Roofs;
use crate::benchmarks::bench::{Bench, Outcome};
use crate::benchmarks::canary::{Canary, DRIFT};
use crate::benchmarks::case::{Case, Scale, Suite};
use crate::benchmarks::{self, Benchmark};
use crate::calibration::calibrate;
use crate::failure::Failure;
use crate::gpu::Gpu;
use crate::gpu::pcie::Link;
use crate::quantity;
use crate::report::{Host, MeasuredAdapter, Measurement, Report, SCHEMA, Side, Time, Verified};

/// The plan of a run.
#[derive(Debug, Clone)]
pub struct Plan {
    /// How much.
    pub suite: Suite,
    /// Time for the whole run, seconds.
    pub budget_seconds: f64,
    /// Only these benchmarks, or groups of them; all if empty.
    pub only: Vec<String>,
}

/// An event of a run; one line of JSON each for another process.
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
    /// A note for the reader.
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

/// Carries out a plan. Failures are in the report; `emit` receives every step, so that results so far can be saved.
pub fn run(plan: &Plan, gpu: Result<&Gpu, &Failure>, cancel: &Cancel, emit: &mut dyn FnMut(Event)) -> Report {
    let host = Host::here();
    let link = gpu.ok().filter(|gpu| gpu.description.has_own_memory()).and_then(|gpu| gpu.description.link);
    let roofs = Roofs::new(link.map(Link::gb_per_s));
    let mut run = Run { report: report(plan, host, gpu), roofs, checked_at: 0, emit };
    let threads = run.report.host.logical_cores;
    let pool = match ThreadPoolBuilder::new().num_threads(threads).thread_name(|index| format!("cpu {index}")).build() {
        Ok(pool) => pool,
        Err(error) => {
            run.note(format!("cannot start threads: {error}"));
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
        host_bytes: Some(run.report.host.ram_bytes).filter(|bytes| *bytes > 0),
    };
    let work = work(plan, &scale);
    (run.emit)(Event::Planned { total: work.len(), report: Box::new(run.report.clone()) });
    // Times of the ci suite are not meaningful, so neither are their changes.
    let has_times = plan.suite != Suite::Ci;
    let canary = has_times.then(|| Canary::new(&bench).ok()).flatten();
    if canary.is_none() && has_times {
        run.note("no canary: throttling is not detected".to_owned());
    }
    if let Some(roof) = missing_roof(&work) {
        run.note(format!("{roof} is not selected, so shares of this roof are not checked"));
    }
    let mut before = None;
    let mut lost: Option<Failure> = None;
    for (index, (benchmark, case)) in work.iter().enumerate() {
        if cancel.is_requested() {
            break;
        }
        if bench.is_over() {
            let (left, total) = (work.len() - index, work.len());
            run.note(format!("the time budget is used up: {left} of {total} measurements were skipped"));
            break;
        }
        let new_group = index == 0 || group(work[index - 1].0.id) != group(benchmark.id);
        if new_group && let Some(canary) = canary.as_ref().filter(|_| lost.is_none()) {
            run.check_canary(canary, &bench, &mut before, index.checked_sub(1).map(|last| work[last].0.id));
        }
        (run.emit)(Event::Started { index, what: describe(benchmark, case) });
        let outcome = match &lost {
            Some(failure) if case.side != Side::Cpu => Err(failure.clone()),
            _ if case.side == Side::Cpu => measure(benchmark, &bench, case),
            _ => {
                if has_times {
                    pace::wake(&bench);
                }
                measure(benchmark, &bench, case)
            }
        };
        if let Err(failure) = &outcome
            && failure.ends_device()
        {
            lost = Some(failure.clone());
        }
        let mut measurement = run.record(&bench, benchmark, case, outcome);
        if has_times && case.side != Side::Cpu && measurement.time.is_some() {
            measurement.warnings.extend(pace::warning(&bench));
        }
        run.report.results.push(measurement.clone());
        (run.emit)(Event::Finished { index, measurement: Box::new(measurement) });
    }
    if cancel.is_requested() {
        let measured = run.report.results.iter().filter(|measurement| measurement.time.is_some()).count();
        run.note(format!("cancelled after {measured} of {} measurements", work.len()));
    }
    if let Some((canary, (last, _))) =
        canary.as_ref().filter(|_| lost.is_none() && !cancel.is_requested()).zip(work.last())
    {
        run.check_canary(canary, &bench, &mut before, Some(last.id));
    }
    if let (Ok(gpu), Some(adapter)) = (gpu, &mut run.report.adapter)
        && gpu.timing_source() != adapter.timing_source
    {
        adapter.timing_source = gpu.timing_source();
        run.note("the GPU timer stopped during the run; later times are by the wall clock".to_owned());
    }
    run.end()
}

/// The first roof that a plan needs and does not measure.
fn missing_roof(work: &[(Benchmark, Case)]) -> Option<&'static str> {
    let measured = |id: &str| work.iter().any(|(benchmark, case)| benchmark.id == id && case.side == Side::Gpu);
    work.iter()
        .filter(|(_, case)| case.side == Side::Gpu)
        .filter_map(|(benchmark, _)| benchmark.roof.id())
        .find(|roof| !measured(roof))
}

/// The cases of a plan: inputs of the calibration first, so that a short budget drops sweeps.
fn work(plan: &Plan, scale: &Scale) -> Vec<(Benchmark, Case)> {
    let wanted = |id: &str| plan.only.is_empty() || plan.only.iter().any(|only| benchmarks::is_inside(id, only));
    let (first, later): (Vec<_>, Vec<_>) = benchmarks::all()
        .into_iter()
        .filter(|benchmark| wanted(benchmark.id))
        .flat_map(|benchmark| (benchmark.cases)(scale).into_iter().map(move |case| (benchmark, case)))
        .filter(|(_, case)| scale.has(case.side))
        .partition(|(_, case)| case.calibrates);
    first.into_iter().chain(later).collect()
}

/// Measures a case. A panic of a driver fails this case, not the run.
fn measure(benchmark: &Benchmark, bench: &Bench<'_>, case: &Case) -> Result<Outcome, Failure> {
    catch_unwind(AssertUnwindSafe(|| (benchmark.measure)(bench, case))).unwrap_or_else(|panic| {
        let message = panic.downcast_ref::<String>().cloned();
        let message = message.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        Err(Failure::Panicked(message.unwrap_or_else(|| "without a message".to_owned())))
    })
}

/// The group of an id: the part before the dot.
fn group(id: &str) -> &str {
    id.split('.').next().unwrap_or(id)
}

/// "filter.append, GPU, 16.78 M rows, selectivity 0.1".
fn describe(benchmark: &Benchmark, case: &Case) -> String {
    let mut text = format!("{}, {}", benchmark.id, case.side.label());
    if case.threads > 0 {
        text += &format!(", {}", counted(case.threads as f64, "thread"));
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
            clocks_held: gpu.holds_clocks(),
        }),
        results: Vec::new(),
        calibration: None,
        notes: gpu.err().map(|failure| format!("only the CPU is measured: {failure}")).into_iter().collect(),
        drift: None,
    }
}

/// A run in progress.
struct Run<'emit> {
    report: Report,
    roofs: Roofs,
    /// Number of results at the last check of the canary.
    checked_at: usize,
    emit: &'emit mut dyn FnMut(Event),
}

impl Run<'_> {
    fn note(&mut self, note: String) {
        (self.emit)(Event::Noted { note: note.clone() });
        self.report.notes.push(note);
    }

    fn end(mut self) -> Report {
        self.report.calibration = calibrate(&self.report);
        (self.emit)(Event::Ended { report: Box::new(self.report.clone()) });
        self.report
    }

    /// Measures the canary; if it changed since the last time, the results in between get a warning.
    fn check_canary(&mut self, canary: &Canary, bench: &Bench<'_>, before: &mut Option<f64>, measured: Option<&str>) {
        let Ok(now) = canary.measure(bench) else { return };
        if let Some(before) = *before {
            let change = now / before - 1.0;
            self.report.drift = Some(self.report.drift.filter(|most| most.abs() >= change.abs()).unwrap_or(change));
        }
        if let (Some(before), Some(measured)) = (*before, measured)
            && (now / before - 1.0).abs() > DRIFT
        {
            let drift = (now / before - 1.0) * 100.0;
            let group = group(measured).to_owned();
            let (percent, change) = (drift.abs(), if drift > 0.0 { "slower" } else { "faster" });
            self.note(format!("machine state changed: the reference copy was {percent:.0} % {change} after “{group}”"));
            let since = self.checked_at.min(self.report.results.len());
            for measurement in &mut self.report.results[since..] {
                if self::group(&measurement.id) == group {
                    measurement.warnings.push(format!(
                        "machine state changed: the reference copy was {percent:.0} % {change} afterwards"
                    ));
                }
            }
        }
        *before = Some(now);
        self.checked_at = self.report.results.len();
    }

    /// The record of a case; what is faster than its roof is a failure.
    fn record(
        &mut self,
        bench: &Bench<'_>,
        benchmark: &Benchmark,
        case: &Case,
        outcome: Result<Outcome, Failure>,
    ) -> Measurement {
        let mut measurement = blank(benchmark, case);
        let checked = outcome.and_then(|outcome| {
            let summary = Summary::of(&outcome.samples.seconds).filter(|summary| summary.min > 0.0);
            let summary = summary.ok_or(Failure::TimerStopped)?;
            let speed = outcome.bytes_traffic / summary.median / 1e9;
            // Without meaningful times there is no roof.
            let share = if self.report.suite == Suite::Ci.name() {
                None
            } else {
                self.share_of_roof(bench, benchmark, case, outcome.bytes_logical, speed)?
            };
            Ok((outcome, summary, share))
        });
        match checked {
            Ok((outcome, summary, roof_share)) => {
                let speed = outcome.bytes_traffic / summary.median / 1e9;
                self.roofs.learn(benchmark.id, case, outcome.bytes_logical, speed);
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
                measurement.reason = Some(failure.to_string());
            }
        }
        measurement
    }
}

impl Run<'_> {
    /// The share of the roof. If it is too large, the roof is measured again: a machine that was busy during the
    /// measurement of the roof must not invalidate good results.
    fn share_of_roof(
        &mut self,
        bench: &Bench<'_>,
        benchmark: &Benchmark,
        case: &Case,
        bytes: f64,
        gb_per_s: f64,
    ) -> Result<Option<f64>, Failure> {
        let first = self.roofs.share(benchmark.roof, case, bytes, gb_per_s);
        if !matches!(first, Err(Failure::AboveRoof { .. })) {
            return first;
        }
        for (roof, case) in self.roofs.fastest_cases(benchmark.roof, case, bytes) {
            if let Some(outcome) = benchmarks::find(roof).and_then(|roof| measure(&roof, bench, &case).ok())
                && let Some(summary) = Summary::of(&outcome.samples.seconds)
            {
                self.roofs.learn(roof, &case, outcome.bytes_logical, outcome.bytes_traffic / summary.median / 1e9);
            }
        }
        self.roofs.share(benchmark.roof, case, bytes, gb_per_s)
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
        calibrates: case.calibrates,
        bytes_logical: 0.0,
        bytes_traffic: 0.0,
        samples_s: Vec::new(),
        batch: 0,
        time: None,
        roof_share: None,
        verified: Verified::Skipped,
        warnings: Vec::new(),
        reason: None,
        ratio: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::benchmarks::Roof;
    use crate::sampling::Effort;

    /// A benchmark that does nothing but this.
    fn benchmark(id: &'static str, measure: fn(&Bench<'_>, &Case) -> Result<Outcome, Failure>) -> Benchmark {
        Benchmark { id, explains: "", traffic: "", roof: Roof::Unbounded, cases: |_| Vec::new(), measure }
    }

    #[test]
    fn a_panic_in_a_measurement_is_a_failure_with_its_message() {
        let pool = ThreadPoolBuilder::new().num_threads(1).build().expect("a pool");
        let effort: Effort = Suite::Ci.effort();
        let bench = Bench { gpu: None, pool: &pool, effort, deadline: None, cancel: &Cancel::default() };
        let broken = benchmark("test.broken", |_, case| panic!("the driver fell over at {} rows", case.rows));
        let outcome = measure(&broken, &bench, &Case::cpu(1, 7));
        assert_eq!(outcome, Err(Failure::Panicked("the driver fell over at 7 rows".to_owned())));
    }
}
