//! What a decision depends on most: how far the mean saving of an option moves while one number takes both ends of its 90 % range and
//! all others vary as they do.
//!
//! ```text
//! S(x) = E[cost of the other one − cost of the option | x]          without x it is the expected saving
//! swing = |S(high end) − S(low end)|
//! ```

use crossover_quantity::spread::Z_90;
use serde::{Deserialize, Serialize};

use crate::candidate::{Candidate, is_same_engine};
use crate::decision::{Decision, HOUR};
use crate::price::Price;
use crate::time::PredictedTime;

/// Numbers that are named.
const NAMED: usize = 3;

/// What a decision depends on most.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Dependence {
    /// Index of the option: the recommended one, or if today's engine is to stay, the one that only the effort rejects, or else the likeliest.
    pub option: usize,
    /// Place of what it is compared with; `None`: today's engine.
    pub other: Option<usize>,
    /// Mean saving of the option against the other one: against today's engine the expected saving.
    pub saving: f64,
    /// Unit of all savings.
    pub unit: SavingUnit,
    /// The numbers with the largest swings, the largest first.
    pub swings: Vec<Swing>,
}

/// Unit of a saving.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SavingUnit {
    /// Seconds of a run.
    SecondsPerRun,
    /// US dollars of a run.
    UsdPerRun,
    /// US dollars of a month.
    UsdPerMonth,
}

/// Unit of a number that is varied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NumberUnit {
    /// Seconds of a run.
    Seconds,
    /// US dollars for an hour of all machines.
    UsdPerHour,
    /// Runs in a month.
    RunsPerMonth,
}

/// How far a saving moves over the range of one number.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Swing {
    /// The number: "time of RAPIDS 25.12 (L4), 4 × g6.2xlarge".
    pub number: String,
    /// Its unit.
    pub unit: NumberUnit,
    /// Its value.
    pub value: f64,
    /// Ends of its 90 % range, the lower one first.
    pub range: [f64; 2],
    /// Mean savings at these ends, in the order of the ends.
    pub saving: [f64; 2],
    /// Where the range comes from.
    pub source: String,
}

impl Swing {
    /// How far the saving moves.
    #[must_use]
    pub fn width(&self) -> f64 {
        (self.saving[1] - self.saving[0]).abs()
    }

    /// Whether the option is better at one end and worse at the other.
    #[must_use]
    pub fn turns(&self) -> bool {
        self.saving[0] * self.saving[1] < 0.0
    }
}

/// One of both that are compared.
struct Side<'a> {
    title: &'a str,
    /// Its engine; `None`: today's.
    engine: Option<&'a str>,
    /// Its time with the error of its ratio to today's.
    time: PredictedTime,
    /// Mean of its time.
    mean_seconds: f64,
    /// Price of its machines; `None` only where time decides.
    price: Option<&'a Price>,
    /// Whether it runs on machines of today's type.
    is_on_same_machines: bool,
    runs: &'a str,
}

/// The numbers as they are varied: factors, and errors in standard deviations. Of two values the first is the option's.
#[derive(Clone, Copy)]
struct Point {
    /// `None`: the mean over the error.
    errors: [Option<f64>; 2],
    /// Factor of today's median time, and of all others, because all are multiples of today's where that was predicted; `None`: the mean.
    today: Option<f64>,
    prices: [f64; 2],
    runs: f64,
}

const PRESENT: Point = Point { errors: [None; 2], today: None, prices: [1.0; 2], runs: 1.0 };

/// A comparison of an option with the other one.
struct Comparison<'a> {
    sides: [Side<'a>; 2],
    /// Mean of today's time ÷ its median.
    mean_of_today: f64,
    by_time: bool,
    runs_per_month: Option<f64>,
}

impl Decision {
    /// The numbers whose 90 % ranges move the saving of the recommended option against the best other one most; if today's engine
    /// is to stay, that of the option that is named beside it. `None` if no option can be judged. Ranges are those of errors, of
    /// prices and of runs; a number that is exact has none.
    #[must_use]
    pub fn depends_on(&self) -> Option<Dependence> {
        let option = self.best.or_else(|| self.named_beside_today())?;
        let other = if self.best.is_some() { self.options[option].against?.other } else { None };
        let of_today = self.side_of_today();
        let other_side = other.map_or(Some(of_today), |other| self.side(&self.options[other].candidate))?;
        let today = &self.baseline.time;
        let comparison = Comparison {
            sides: [self.side(&self.options[option].candidate)?, other_side],
            mean_of_today: if today.value() > 0.0 { today.mean() / today.value() } else { 1.0 },
            by_time: self.is_by_time(),
            runs_per_month: self.objective.runs_per_month.filter(|_| !self.is_by_time()),
        };
        let mut swings = comparison.errors();
        swings.extend(comparison.time_today(&self.baseline.time));
        if !comparison.by_time {
            swings.extend(comparison.prices());
            swings.extend(comparison.runs(self.objective.runs_range));
        }
        swings.retain(|swing| swing.width() > 0.0);
        swings.sort_by(|a, b| b.width().total_cmp(&a.width()));
        swings.truncate(NAMED);
        let unit = match (comparison.by_time, comparison.runs_per_month) {
            (true, _) => SavingUnit::SecondsPerRun,
            (false, None) => SavingUnit::UsdPerRun,
            (false, Some(_)) => SavingUnit::UsdPerMonth,
        };
        Some(Dependence { option, other, saving: comparison.saving(PRESENT), unit, swings })
    }

    fn side_of_today(&self) -> Side<'_> {
        let baseline = &self.baseline;
        Side {
            title: &baseline.title,
            engine: None,
            time: PredictedTime { deviation: None, ..baseline.time },
            mean_seconds: baseline.time.mean(),
            price: baseline.price.as_ref(),
            is_on_same_machines: true,
            runs: "",
        }
    }

    /// A candidate; its error is that of its ratio to today's time. `None` without a time or, where prices count, without a price.
    fn side<'a>(&'a self, candidate: &'a Candidate) -> Option<Side<'a>> {
        if candidate.price.is_none() && !self.is_by_time() {
            return None;
        }
        let time = candidate.time?;
        Some(Side {
            title: &candidate.title,
            engine: Some(&candidate.engine),
            time: PredictedTime { deviation: candidate.deviation_of_ratio, ..time },
            mean_seconds: time.mean(),
            price: candidate.price.as_ref(),
            is_on_same_machines: candidate.is_on_same_machines,
            runs: &candidate.evidence.runs,
        })
    }
}

impl Comparison<'_> {
    /// Mean saving of the option against the other one.
    fn saving(&self, point: Point) -> f64 {
        let cost = |place: usize| {
            let side = &self.sides[place];
            let seconds = match (point.errors[place], point.today) {
                (None, None) => side.mean_seconds,
                (None, Some(today)) => side.time.mean() * today,
                (Some(z), today) => side.time.at(z) * today.unwrap_or(self.mean_of_today),
            };
            if self.by_time {
                return seconds;
            }
            let usd_per_hour = side.price.map_or(0.0, |price| price.usd_per_hour);
            let usd = seconds * usd_per_hour * point.prices[place] / HOUR;
            usd * self.runs_per_month.map_or(1.0, |runs| runs * point.runs)
        };
        cost(1) - cost(0)
    }

    fn both(&self, at: [Point; 2]) -> [f64; 2] {
        at.map(|point| self.saving(point))
    }

    /// The errors of predicted times; two options of one engine have the same error.
    fn errors(&self) -> Vec<Swing> {
        let [one, other] = [&self.sides[0], &self.sides[1]].map(|side| side.engine);
        let is_shared = one.zip(other).is_some_and(|(one, other)| is_same_engine(one, other));
        let swing = |place: usize| {
            let side = &self.sides[place];
            let range = side.time.interval()?;
            if is_shared && place == 1 {
                return None;
            }
            let at = |z: f64| {
                let mut point = PRESENT;
                point.errors[place] = Some(z);
                if is_shared {
                    point.errors = [Some(z); 2];
                }
                point
            };
            let runs = if side.runs.is_empty() { "measured runs" } else { side.runs };
            Some(Swing {
                number: format!("time of {}", side.title),
                unit: NumberUnit::Seconds,
                value: side.time.value(),
                range,
                saving: self.both([at(-Z_90), at(Z_90)]),
                source: format!("90 % interval of its error: {runs}"),
            })
        };
        (0..2).filter_map(swing).collect()
    }

    /// The error of today's time, if that was predicted.
    fn time_today(&self, time: &PredictedTime) -> Option<Swing> {
        let range = time.interval()?;
        let at = |end: f64| Point { today: Some(end / time.value()), ..PRESENT };
        Some(Swing {
            number: "time today".to_owned(),
            unit: NumberUnit::Seconds,
            value: time.value(),
            range,
            saving: self.both(range.map(at)),
            source: "90 % interval of its prediction; every option takes a multiple of it".to_owned(),
        })
    }

    /// The prices; machines of one type have one price.
    fn prices(&self) -> Vec<Swing> {
        let [option, other] = &self.sides;
        let are_alike = option.is_on_same_machines == other.is_on_same_machines;
        let is_shared = are_alike && (option.is_on_same_machines || option.engine == other.engine);
        let swing = |place: usize| {
            if is_shared && place == 1 {
                return None;
            }
            let side = &self.sides[place];
            let price = side.price?;
            let factors = price.basis.range();
            let at = |factor: f64| {
                let mut point = PRESENT;
                point.prices[place] = factor;
                if is_shared {
                    point.prices = [factor; 2];
                }
                point
            };
            let number = if side.is_on_same_machines {
                "price of today’s machines".to_owned()
            } else {
                format!("price of {}", side.title)
            };
            let source = [price.basis.range_source().to_owned(), price.origin()];
            let source: Vec<String> = source.into_iter().filter(|part| !part.is_empty()).collect();
            Some(Swing {
                number,
                unit: NumberUnit::UsdPerHour,
                value: price.usd_per_hour,
                range: factors.map(|factor| price.usd_per_hour * factor),
                saving: self.both(factors.map(at)),
                source: source.join("; "),
            })
        };
        (0..2).filter_map(swing).collect()
    }

    /// The runs of a month, if they are a range.
    fn runs(&self, range: Option<[f64; 2]>) -> Option<Swing> {
        let (value, range) = (self.runs_per_month?, range?);
        let at = |runs: f64| Point { runs: runs / value, ..PRESENT };
        Some(Swing {
            number: "runs per month".to_owned(),
            unit: NumberUnit::RunsPerMonth,
            value,
            range,
            saving: self.both(range.map(at)),
            source: "entered".to_owned(),
        })
    }
}
