//! The outcome of a probe study: as records for programs, reports for people, and single fits as text.

pub mod network;
mod report;
pub mod scaling;

pub use report::{executed, how, matches, percent};

use crossover_measured::probe::ProbeTask;
use crossover_probe::{CentreOutcome, Expected, Match, Outcome, Placed, Plan, Probe};
use crossover_quantity::estimate::Estimate;
use crossover_quantity::text::csv::Records;
use crossover_quantity::text::{Document, Table};
use serde::Serialize;

use super::{Format, json, ron};

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
    library: Option<&'a str>,
    /// "chosen", "name", "like" or "none".
    by: &'static str,
    /// Similarity of the names, up to 1; null if they are equal or were not compared.
    likeness: Option<f64>,
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
    unit: Option<&'a str>,
    no_unit_because: Option<&'a str>,
    /// Null where the probe did not run on the compared units, as below.
    place: Option<usize>,
    score: Option<f64>,
    score_low: Option<f64>,
    score_high: Option<f64>,
    /// Centres that do not differ clearly from it.
    like: Vec<&'a str>,
    seconds: Option<EstimateRecord>,
    relative_error: Option<EstimateRecord>,
    /// Null without a fit.
    alpha: Option<f64>,
    beta: Option<f64>,
    gamma: Option<f64>,
    r_squared: Option<f64>,
    recommended_units: f64,
    /// Best time of the day, hours from midnight; null if the day was not probed.
    window_from_hour: Option<f64>,
    window_until_hour: Option<f64>,
    target_seconds: Option<EstimateRecord>,
    /// "operators" or "ratio".
    target_by: Option<&'static str>,
    /// Runs that failed and count nowhere.
    failed: usize,
}

/// A plan.
#[derive(Debug, Serialize)]
struct PlanRecord<'a> {
    maker: &'static str,
    makespan_hours: f64,
    cost: f64,
    /// Cost, and the value of the hours of all tasks.
    worth: f64,
    tasks: Vec<PlacedRecord<'a>>,
}

/// Where and when a task runs.
#[derive(Debug, Serialize)]
struct PlacedRecord<'a> {
    task: String,
    centre: &'a str,
    units: f64,
    from_hours: f64,
    until_hours: f64,
    cost: f64,
    why: &'a str,
}

fn by(found: &Match) -> (&'static str, Option<f64>) {
    match found {
        Match::Chosen(_) => ("chosen", None),
        Match::Name(_) => ("name", None),
        Match::Like(_, likeness) => ("like", Some(*likeness)),
        Match::None => ("none", None),
    }
}

/// "solver", or "solver 3" of several.
#[must_use]
pub fn task(study: &Probe, placed: &Placed) -> String {
    let work = &study.work[placed.work];
    if work.copies > 1.0 { format!("{} {}", work.name, placed.copy + 1) } else { work.name.clone() }
}

/// The results of a study.
#[must_use]
pub fn results<'a>(scenario: &'a str, study: &'a Probe, outcome: &'a Outcome) -> Results<'a> {
    let matches = study.operators.iter().zip(&outcome.built.matches).map(|(of, found)| {
        let (by, likeness) = by(found);
        MatchRecord { operator: &of.name, library: found.key(), by, likeness }
    });
    let plan = |plan: &'a Plan| PlanRecord {
        maker: plan.maker.label(),
        makespan_hours: plan.makespan,
        cost: plan.cost,
        worth: plan.worth,
        tasks: plan.placed.iter().map(|placed| record(study, placed)).collect(),
    };
    Results {
        study: "probe",
        scenario,
        answer: outcome.sentence(study),
        matches: matches.collect(),
        probes: &outcome.built.probes,
        centres: (0..study.centres.len()).map(|centre| centre_record(study, outcome, centre)).collect(),
        plan: outcome.plan().map(|plan| plan.maker.label()),
        plans: outcome.plans.iter().map(plan).collect(),
        warnings: &outcome.warnings,
        evaluated: (study, outcome),
    }
}

fn record<'a>(study: &'a Probe, placed: &'a Placed) -> PlacedRecord<'a> {
    PlacedRecord {
        task: task(study, placed),
        centre: &study.centres[placed.centre].name,
        units: placed.units,
        from_hours: placed.from,
        until_hours: placed.until,
        cost: placed.cost,
        why: &placed.why,
    }
}

fn centre_record<'a>(study: &'a Probe, outcome: &'a Outcome, place: usize) -> CentreRecord<'a> {
    let (centre, of): (_, &CentreOutcome) = (&study.centres[place], &outcome.centres[place]);
    let unit = of.unit.as_ref().ok().map(|unit| &centre.units[*unit]);
    let rank = outcome.ranking.iter().find(|rank| rank.centre == place);
    let like = rank.into_iter().flat_map(|rank| &rank.tied).map(|other| study.centres[*other].name.as_str());
    let interval = of.score.and_then(|score| score.interval);
    let law = of.scaled.as_ref().ok().map(|scaled| scaled.law);
    let window = of.best_window();
    CentreRecord {
        centre: &centre.name,
        unit: unit.map(|unit| unit.name.as_str()),
        no_unit_because: of.unit.as_ref().err().map(String::as_str),
        place: rank.map(|rank| rank.rank),
        score: of.score.map(|score| score.value),
        score_low: interval.map(|[low, _]| low),
        score_high: interval.map(|[_, high]| high),
        like: like.collect(),
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
        target_by: of.target.map(|(_, how)| match how {
            Expected::Operators => "operators",
            Expected::Ratio => "ratio",
        }),
        failed: unit.map_or(0, |unit| unit.runs.failed.len()),
    }
}

impl Results<'_> {
    /// As a report.
    #[must_use]
    pub fn document(&self) -> Document {
        report::document(self)
    }

    /// As text.
    #[must_use]
    pub fn write(&self, format: Format) -> String {
        match format {
            Format::Table => self.document().terminal(),
            Format::Markdown => self.document().markdown(),
            Format::Json => json(self),
            Format::Ron => ron(self),
            Format::Csv => self.centres_csv(),
        }
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

    /// The plan and those that it is compared with, for people.
    #[must_use]
    pub fn schedule(&self) -> Document {
        report::schedule(self)
    }

    /// Plans alone, ours first, for programs.
    #[must_use]
    pub fn schedule_json(&self) -> String {
        json(&self.plans)
    }

    /// A line for each task of the selected plan.
    #[must_use]
    pub fn schedule_csv(&self) -> String {
        let mut csv = Records::default();
        csv.push(["task", "centre", "units", "from_hours", "until_hours", "cost", "why"]);
        let taken = self.plans.iter().find(|plan| Some(plan.maker) == self.plan);
        for placed in taken.into_iter().flat_map(|plan| &plan.tasks) {
            let [units, from, until, cost] =
                [placed.units, placed.from_hours, placed.until_hours, placed.cost].map(|value| value.to_string());
            csv.push([placed.task.clone(), placed.centre.to_owned(), units, from, until, cost, placed.why.to_owned()]);
        }
        csv.into_text()
    }

    /// A line for each centre.
    #[must_use]
    pub fn centres_csv(&self) -> String {
        let mut csv = Records::default();
        csv.push([
            "centre",
            "unit",
            "place",
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
        let cell = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
        for centre in &self.centres {
            let seconds = centre.seconds;
            csv.push([
                centre.centre.to_owned(),
                centre.unit.unwrap_or_default().to_owned(),
                centre.place.map_or_else(String::new, |place| place.to_string()),
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

/// Every run as CSV, in the shape that can be read back.
#[must_use]
pub fn runs_csv(study: &Probe) -> String {
    let mut csv = Records::default();
    csv.push(["centre", "unit", "units", "time", "seconds", "error", "target_seconds"]);
    let cell = |column: &[Option<f64>], run: usize| {
        column.get(run).copied().flatten().map_or_else(String::new, |value| value.to_string())
    };
    for centre in &study.centres {
        for of in &centre.units {
            let runs = &of.runs;
            for (run, seconds) in runs.seconds.iter().enumerate() {
                csv.push([
                    centre.name.clone(),
                    of.name.clone(),
                    runs.units[run].to_string(),
                    cell(&runs.hours, run),
                    seconds.to_string(),
                    cell(&runs.errors, run),
                    cell(&runs.target_seconds, run),
                ]);
            }
        }
    }
    csv.into_text()
}
