//! The outcome of a probe study: as records for programs, reports for people, and single fits as text.

pub mod network;
mod report;
pub mod scaling;

pub use report::{estimate_method, estimated, executed, matches, percent, plan_start};

use crossover_measured::probe::ProbeTask;
use crossover_probe::{CentreOutcome, EstimateMethod, Match, Outcome, Plan, Probe, ScheduledTask};
use crossover_quantity::estimate::Estimate;
use crossover_quantity::text::csv::{Records, cell};
use crossover_quantity::text::{Table, TextReport};
use serde::Serialize;

use super::{Format, json};

/// The results of a probe study, as JSON and RON have them.
#[derive(Debug, Serialize)]
pub struct Results<'a> {
    /// "probe", so that a reader of many studies can tell them apart.
    study: &'static str,
    /// Name of the scenario.
    scenario: &'a str,
    /// The answer in one sentence.
    answer: String,
    /// The library operator of each operator of the task.
    matches: Vec<MatchRecord<'a>>,
    /// The probes that centres receive.
    probes: &'a [ProbeTask],
    /// Every centre, in the order of the study.
    centres: Vec<CentreRecord<'a>>,
    /// The method of the selected plan; null without work.
    plan: Option<&'static str>,
    /// Plans for the work.
    plans: Vec<PlanRecord<'a>>,
    /// Warnings about the numbers.
    warnings: &'a [String],
    /// The source of the records, from which reports for people are made.
    #[serde(skip)]
    evaluated: (&'a Probe, &'a Outcome),
}

/// The library operator of an operator of the task.
#[derive(Debug, Serialize)]
struct MatchRecord<'a> {
    operator: &'a str,
    /// Null if the library has no similar operator.
    library_operator: Option<&'a str>,
    /// "chosen", "name", "similar" or "none".
    method: &'static str,
    /// Similarity of the names, up to 1; null if they are equal or were not compared.
    similarity: Option<f64>,
}

/// A mean with its 95 % interval.
#[derive(Debug, Clone, Copy, Serialize)]
struct EstimateRecord {
    mean: f64,
    /// Null after a single run, as below.
    low: Option<f64>,
    high: Option<f64>,
    runs: usize,
}

impl From<Estimate> for EstimateRecord {
    fn from(estimate: Estimate) -> Self {
        let (low, high) = (estimate.interval.map(|[low, _]| low), estimate.interval.map(|[_, high]| high));
        Self { mean: estimate.mean, low, high, runs: estimate.runs }
    }
}

/// The results of a centre.
#[derive(Debug, Serialize)]
struct CentreRecord<'a> {
    centre: &'a str,
    /// Type of units on which it is scored; null with a reason.
    unit_type: Option<&'a str>,
    no_unit_type_reason: Option<&'a str>,
    /// Null where the probe did not run on the compared units, as below.
    rank: Option<usize>,
    score: Option<f64>,
    score_low: Option<f64>,
    score_high: Option<f64>,
    /// Centres without a significant difference from it.
    tied: Vec<&'a str>,
    seconds: Option<EstimateRecord>,
    relative_error: Option<EstimateRecord>,
    /// Null without a fit.
    alpha: Option<f64>,
    beta: Option<f64>,
    gamma: Option<f64>,
    r_squared: Option<f64>,
    recommended_units: f64,
    /// Best window of the day, hours from midnight; null if the day was not probed.
    window_from_hour: Option<f64>,
    window_until_hour: Option<f64>,
    target_seconds: Option<EstimateRecord>,
    /// "operators" or "ratio".
    target_method: Option<&'static str>,
    /// Failed runs, which do not count.
    failed: usize,
}

/// A plan.
#[derive(Debug, Serialize)]
struct PlanRecord<'a> {
    planner: &'static str,
    makespan_hours: f64,
    cost: f64,
    /// Objective: cost + value of the hours of all tasks.
    objective: f64,
    tasks: Vec<ScheduledTaskRecord<'a>>,
}

/// Schedule of a task: where and when it runs.
#[derive(Debug, Serialize)]
struct ScheduledTaskRecord<'a> {
    task: String,
    centre: &'a str,
    units: f64,
    /// Hours after the start of the plan, as below.
    start_hours: f64,
    end_hours: f64,
    cost: f64,
    reason: &'a str,
}

fn match_method(found: &Match) -> (&'static str, Option<f64>) {
    match found {
        Match::Chosen(_) => ("chosen", None),
        Match::Name(_) => ("name", None),
        Match::Similar(_, similarity) => ("similar", Some(*similarity)),
        Match::None => ("none", None),
    }
}

/// "solver", or "solver 3" of several.
#[must_use]
pub fn task(study: &Probe, scheduled: &ScheduledTask) -> String {
    let work = &study.work[scheduled.work];
    if work.copies > 1.0 { format!("{} {}", work.name, scheduled.copy + 1) } else { work.name.clone() }
}

/// The results of a study.
#[must_use]
pub fn results<'a>(scenario: &'a str, study: &'a Probe, outcome: &'a Outcome) -> Results<'a> {
    let matches = study.operators.iter().zip(&outcome.built.matches).map(|(of, found)| {
        let (method, similarity) = match_method(found);
        MatchRecord { operator: &of.name, library_operator: found.key(), method, similarity }
    });
    let plan = |plan: &'a Plan| PlanRecord {
        planner: plan.planner.label(),
        makespan_hours: plan.makespan,
        cost: plan.cost,
        objective: plan.objective,
        tasks: plan.tasks.iter().map(|scheduled| record(study, scheduled)).collect(),
    };
    Results {
        study: "probe",
        scenario,
        answer: outcome.sentence(study),
        matches: matches.collect(),
        probes: &outcome.built.probes,
        centres: (0..study.centres.len()).map(|centre| centre_record(study, outcome, centre)).collect(),
        plan: outcome.plan().map(|plan| plan.planner.label()),
        plans: outcome.plans.iter().map(plan).collect(),
        warnings: &outcome.warnings,
        evaluated: (study, outcome),
    }
}

fn record<'a>(study: &'a Probe, scheduled: &'a ScheduledTask) -> ScheduledTaskRecord<'a> {
    ScheduledTaskRecord {
        task: task(study, scheduled),
        centre: &study.centres[scheduled.centre].name,
        units: scheduled.units,
        start_hours: scheduled.from,
        end_hours: scheduled.until,
        cost: scheduled.cost,
        reason: &scheduled.reason,
    }
}

fn centre_record<'a>(study: &'a Probe, outcome: &'a Outcome, place: usize) -> CentreRecord<'a> {
    let (centre, of): (_, &CentreOutcome) = (&study.centres[place], &outcome.centres[place]);
    let unit = of.unit.as_ref().ok().map(|unit| &centre.units[*unit]);
    let rank = outcome.ranking.iter().find(|rank| rank.centre == place);
    let tied = rank.into_iter().flat_map(|rank| &rank.tied).map(|other| study.centres[*other].name.as_str());
    let interval = of.score.and_then(|score| score.interval);
    let law = of.scaled.as_ref().ok().map(|scaled| scaled.law);
    let window = of.best_window();
    CentreRecord {
        centre: &centre.name,
        unit_type: unit.map(|unit| unit.name.as_str()),
        no_unit_type_reason: of.unit.as_ref().err().map(String::as_str),
        rank: rank.map(|rank| rank.rank),
        score: of.score.map(|score| score.value),
        score_low: interval.map(|[low, _]| low),
        score_high: interval.map(|[_, high]| high),
        tied: tied.collect(),
        seconds: of.seconds.map(EstimateRecord::from),
        relative_error: of.error.map(EstimateRecord::from),
        alpha: law.map(|law| law.alpha),
        beta: law.map(|law| law.beta),
        gamma: law.map(|law| law.gamma),
        r_squared: law.map(|law| law.r_squared),
        recommended_units: of.recommended,
        window_from_hour: window.map(|window| window.from),
        window_until_hour: window.map(|window| window.until),
        target_seconds: of.target.map(|(target, _)| target.into()),
        target_method: of.target.map(|(_, how)| match how {
            EstimateMethod::Operators => "operators",
            EstimateMethod::Ratio => "ratio",
        }),
        failed: unit.map_or(0, |unit| unit.runs.failed.len()),
    }
}

impl Results<'_> {
    /// As a report.
    #[must_use]
    pub fn text_report(&self) -> TextReport {
        report::text_report(self)
    }

    /// As text.
    #[must_use]
    pub fn write(&self, format: Format) -> String {
        format.write(|| self.text_report(), || self, || self.centres_csv())
    }

    /// Centres as a table for people.
    #[must_use]
    pub fn centres_table(&self) -> Table {
        report::centres(self)
    }

    /// Centres alone, for programs.
    #[must_use]
    pub fn centres_json(&self) -> String {
        json(&self.centres)
    }

    /// The plan and the baselines, for people.
    #[must_use]
    pub fn schedule(&self) -> TextReport {
        report::schedule(self)
    }

    /// Plans alone, the plan from probes first, for programs.
    #[must_use]
    pub fn schedule_json(&self) -> String {
        json(&self.plans)
    }

    /// A line for each task of the selected plan.
    #[must_use]
    pub fn schedule_csv(&self) -> String {
        let mut csv = Records::default();
        csv.push(["task", "centre", "units", "start_hours", "end_hours", "cost", "reason"]);
        let taken = self.plans.iter().find(|plan| Some(plan.planner) == self.plan);
        for scheduled in taken.into_iter().flat_map(|plan| &plan.tasks) {
            let [units, from, until, cost] =
                [scheduled.units, scheduled.start_hours, scheduled.end_hours, scheduled.cost]
                    .map(|value| value.to_string());
            csv.push([
                scheduled.task.clone(),
                scheduled.centre.to_owned(),
                units,
                from,
                until,
                cost,
                scheduled.reason.to_owned(),
            ]);
        }
        csv.into_text()
    }

    /// A line for each centre.
    #[must_use]
    pub fn centres_csv(&self) -> String {
        let mut csv = Records::default();
        csv.push([
            "centre",
            "unit_type",
            "rank",
            "score",
            "score_low",
            "score_high",
            "probe_seconds",
            "probe_seconds_low",
            "probe_seconds_high",
            "runs",
            "relative_error",
            "recommended_units",
            "r_squared",
            "window_from_hour",
            "target_seconds",
            "failed",
        ]);
        for centre in &self.centres {
            let seconds = centre.seconds;
            csv.push([
                centre.centre.to_owned(),
                centre.unit_type.unwrap_or_default().to_owned(),
                cell(centre.rank),
                cell(centre.score),
                cell(centre.score_low),
                cell(centre.score_high),
                cell(seconds.map(|seconds| seconds.mean)),
                cell(seconds.and_then(|seconds| seconds.low)),
                cell(seconds.and_then(|seconds| seconds.high)),
                seconds.map_or(0, |seconds| seconds.runs).to_string(),
                cell(centre.relative_error.map(|error| error.mean)),
                cell(centre.score.map(|_| centre.recommended_units)),
                cell(centre.r_squared),
                cell(centre.window_from_hour),
                cell(centre.target_seconds.map(|target| target.mean)),
                centre.failed.to_string(),
            ]);
        }
        csv.into_text()
    }
}

/// Every number behind the charts of the page as CSV: the scores of the centres, then every run, with a header each and a blank line
/// between.
#[must_use]
pub fn data_csv(study: &Probe, outcome: &Outcome) -> String {
    [results("", study, outcome).centres_csv(), runs_csv(study)].join("\r\n")
}

/// A line for each run.
fn runs_csv(study: &Probe) -> String {
    let mut csv = Records::default();
    csv.push(["centre", "unit_type", "units", "time", "seconds", "relative_error", "target_seconds"]);
    let of_run = |column: &[Option<f64>], run: usize| cell(column.get(run).copied().flatten());
    for centre in &study.centres {
        for of in &centre.units {
            let runs = &of.runs;
            for (run, seconds) in runs.seconds.iter().enumerate() {
                csv.push([
                    centre.name.clone(),
                    of.name.clone(),
                    runs.units[run].to_string(),
                    of_run(&runs.hours, run),
                    seconds.to_string(),
                    of_run(&runs.errors, run),
                    of_run(&runs.target_seconds, run),
                ]);
            }
        }
    }
    csv.into_text()
}
