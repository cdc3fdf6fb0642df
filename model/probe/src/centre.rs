//! Results of one centre.

use super::build::Built;
use super::scaling::Scaled;
use super::score::Score;
use super::study::{Centre, Probe, Route, Runs, UnitType};
use super::usl::{NoScaling, Point};
use super::window::{Network, Timed, Window};
use crossover_measured::probe::ProbeOperator;
use crossover_quantity::estimate::Estimate;

/// Fewest timed probes for a profile of the day.
const LEAST_OF_A_DAY: usize = 12;
/// Fewest different hours for a profile of the day.
const LEAST_HOURS: usize = 6;
/// Runs at hours slower than the lowest level by more than this factor are left out of the scaling fit.
const SLOW: f64 = 1.1;

/// Results of a centre.
#[derive(Debug, Clone, PartialEq)]
pub struct CentreOutcome {
    /// Index of the type of units that is compared, or why there is none.
    pub unit: Result<usize, String>,
    /// Time of the probe on the compared units.
    pub seconds: Option<Estimate>,
    /// Relative error of the output on these units.
    pub error: Option<Estimate>,
    /// Score; none without runs on these units.
    pub score: Option<Score>,
    /// Scaling of throughput with units, or why there is no fit.
    pub scaled: Result<Scaled, NoScaling>,
    /// Recommended units of a task, at most the existing ones; without a fit those of the comparison.
    pub recommended: f64,
    /// Runs that the fit leaves out, because the network is slow at their hours.
    pub disturbed: usize,
    /// Profile of the network over the day; none if too few runs record their start.
    pub network: Option<Network>,
    /// Time of the whole task on the recommended units, at most the most that were measured, and its method.
    pub target: Option<(Estimate, EstimateMethod)>,
}

/// Method by which the time of a target task was estimated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EstimateMethod {
    /// Time of each operator × its executions.
    Operators,
    /// Time of the probe × the ratio of all executions: rough, as small counts were not scaled down.
    Ratio,
}

impl CentreOutcome {
    /// Results of a centre of a study, for the probe that was built.
    #[must_use]
    pub fn new(study: &Probe, built: &Built, centre: &Centre) -> Self {
        let unit = route(centre, built).and_then(|unit| {
            let of = &centre.units[unit];
            if is_of(&of.runs, built) {
                Ok(unit)
            } else {
                Err(format!("its runs on {} belong to a different probe; run this probe on {}", of.name, of.name))
            }
        });
        let none = Runs::default();
        let of_unit = unit.as_ref().ok().map(|unit| &centre.units[*unit]);
        let runs = of_unit.map_or(&none, |of| &of.runs);
        let at = study.target.units;
        let chosen: Vec<usize> = (0..runs.seconds.len()).filter(|run| runs.units[*run] == at).collect();
        let of = |value: &dyn Fn(usize) -> Option<f64>| {
            Estimate::of(&chosen.iter().filter_map(|run| value(*run)).collect::<Vec<f64>>())
        };
        let seconds = of(&|run| Some(runs.seconds[run]));
        let error = of(&|run| optional(&runs.errors, run));
        let score = seconds.map(|seconds| Score::new(&study.score, seconds, error));
        let network = network(study, runs, &chosen);
        let is_disturbed = |run: usize| {
            let hour = optional(&runs.hours, run);
            network.as_ref().zip(hour).is_some_and(|(network, hour)| is_slow(network, hour))
        };
        let point = |run: usize| Point { units: runs.units[run], throughput: 1.0 / runs.seconds[run] };
        let all: Vec<Point> = (0..runs.seconds.len()).map(point).collect();
        let mut points: Vec<Point> = (0..runs.seconds.len()).filter(|run| !is_disturbed(*run)).map(point).collect();
        // If a number of units ran at slow hours only, all runs count: a slow value is better than none.
        if numbers_of_units(&points) < numbers_of_units(&all) {
            points = all;
        }
        let disturbed = runs.seconds.len() - points.len();
        let scaled = Scaled::new(&points);
        let most = of_unit.map_or(at, |of| of.count);
        let recommended = scaled.as_ref().map_or(at, |scaled| scaled.recommended.units() as f64).min(most);
        let by_operators = of(&|run| optional(&runs.target_seconds, run));
        let target = match by_operators {
            Some(target) => Some((target, EstimateMethod::Operators)),
            None => seconds.map(|seconds| (seconds.times(ratio(study, built)), EstimateMethod::Ratio)),
        };
        let law = scaled.as_ref().ok();
        let target = target.map(|(target, how)| (on_units(target, law, at, within(law, recommended)), how));
        Self { unit, seconds, error, score, scaled, recommended, disturbed, network, target }
    }

    /// Time of a task on these units ÷ time on the recommended units; 1 without a fit. Beyond the most measured units the time
    /// stays constant.
    #[must_use]
    pub fn slowdown(&self, units: f64) -> f64 {
        let law = self.scaled.as_ref().ok();
        law.map_or(1.0, |scaled| scaled.law.at(within(law, self.recommended)) / scaled.law.at(within(law, units)))
    }

    /// The best window of the day; none if the day was not probed, or has no change point.
    #[must_use]
    pub fn best_window(&self) -> Option<Window> {
        self.network.as_ref().filter(|network| network.levels.len() > 1)?.best
    }

    /// Time at an hour of the day ÷ mean time, of work that depends on the network.
    #[must_use]
    pub fn at_hour(&self, hour: f64) -> f64 {
        let band = |network: &Network| Some(of_hour(network, hour)? / network.seconds);
        self.network.as_ref().and_then(band).unwrap_or(1.0)
    }
}

/// The value of a run in a column, if there is one.
fn optional(column: &[Option<f64>], run: usize) -> Option<f64> {
    column.get(run).copied().flatten()
}

/// Profile of the network from these runs; none if too few of them record their start.
fn network(study: &Probe, runs: &Runs, chosen: &[usize]) -> Option<Network> {
    let mut timed: Vec<Timed> = chosen
        .iter()
        .filter_map(|run| Some(Timed { at: optional(&runs.hours, *run)?, seconds: runs.seconds[*run] }))
        .collect();
    timed.sort_by(|a, b| a.at.total_cmp(&b.at));
    if timed.len() < LEAST_OF_A_DAY {
        return None;
    }
    let network = Network::new(&timed, study.planning.window_hours);
    (network.hours.iter().flatten().count() >= LEAST_HOURS).then_some(network)
}

/// Whether runs are of the probe of the task; true if their probe is not recorded.
fn is_of(runs: &Runs, built: &Built) -> bool {
    match (&runs.probe, &built.probes[..]) {
        (Some(probe), [only]) => *probe == only.fingerprint(),
        (Some(_), _) => false,
        (None, _) => true,
    }
}

/// How many different numbers of units there are.
fn numbers_of_units(points: &[Point]) -> usize {
    let mut units: Vec<f64> = points.iter().map(|point| point.units).collect();
    units.sort_by(f64::total_cmp);
    units.dedup();
    units.len()
}

/// Units, at most the most that were measured: the law is not extrapolated.
fn within(scaled: Option<&Scaled>, units: f64) -> f64 {
    let most = scaled.and_then(|scaled| scaled.means.last()).map_or(f64::INFINITY, |point| point.units);
    units.min(most)
}

/// Whether probes take longer at an hour than at the lowest level, by more than a tenth.
fn is_slow(network: &Network, hour: f64) -> bool {
    let best = network.levels.iter().map(|level| level.seconds).fold(f64::INFINITY, f64::min);
    of_hour(network, hour).is_some_and(|seconds| seconds > SLOW * best)
}

/// Mean time of the probes at an hour of the day.
fn of_hour(network: &Network, hour: f64) -> Option<f64> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 … 23")]
    let place = hour.rem_euclid(24.0).floor() as usize;
    network.hours.get(place).copied().flatten()
}

/// A time moved to other units by the law. The residual of the law widens the interval.
fn on_units(time: Estimate, scaled: Option<&Scaled>, from: f64, to: f64) -> Estimate {
    let Some(scaled) = scaled.filter(|_| from != to) else { return time };
    let moved = time.times(scaled.law.at(from) / scaled.law.at(to));
    let open = 2.0 * scaled.residual();
    let half = moved.relative().map(|relative| relative.hypot(open));
    let interval = half.map(|half| [(moved.mean * (1.0 - half)).max(0.0), moved.mean * (1.0 + half)]);
    Estimate { interval, ..moved }
}

/// Executions of matched operators in the target ÷ executions in the probe.
fn ratio(study: &Probe, built: &Built) -> f64 {
    let (target, probe) = built
        .operators()
        .fold((0.0, 0.0), |(target, probe), of| (target + of.in_target, probe + f64::from(of.executions)));
    if probe > 0.0 { target / probe } else { study.target.ratio }
}

/// Index of the type of units that is compared.
///
/// # Errors
/// No type fits; a sentence for the user.
pub fn route(centre: &Centre, built: &Built) -> Result<usize, String> {
    let by_name = |name: &str| centre.units.iter().position(|of| of.name == name);
    let missing = |of: &UnitType| built.operators().find(|operator| !supports(of, operator));
    match &centre.route {
        Route::Table => {
            if let Some(found) = centre.units.iter().position(|of| missing(of).is_none()) {
                return Ok(found);
            }
            let why = centre.units.iter().filter_map(|of| Some(format!("{} lacks {}", of.name, missing(of)?.name)));
            Err(format!(
                "no type of units supports every operator of the probe: {}",
                why.collect::<Vec<_>>().join(", ")
            ))
        }
        Route::Named(named) => {
            let found = named.iter().find_map(|name| by_name(name));
            found.ok_or_else(|| "the list of types of units that can run the probe is empty".to_owned())
        }
        Route::User(name) => by_name(name).ok_or_else(|| format!("the centre has no type of units “{name}”")),
        Route::Centre => {
            let measured = centre.units.iter().position(|of| !of.runs.seconds.is_empty());
            measured.ok_or_else(|| "the centre has not reported any run, so its type of units is not known".to_owned())
        }
    }
}

/// Whether units of a type support an operator, by its name or by the key that it executes.
#[must_use]
pub fn supports(of: &UnitType, operator: &ProbeOperator) -> bool {
    let key = operator.runs.key();
    of.supports.is_empty() || of.supports.iter().any(|name| *name == operator.name || Some(name.as_str()) == key)
}
