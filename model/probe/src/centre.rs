//! What probes say of one centre.

use super::build::Built;
use super::scaling::Scaled;
use super::score::Score;
use super::study::{Centre, Probe, Route, Runs, UnitType};
use super::usl::{NoScaling, Point};
use super::window::{Network, Timed, Window};
use crossover_measured::probe::ProbeOperator;
use crossover_quantity::estimate::Estimate;

/// Fewer probes tell nothing of a day.
const LEAST_OF_A_DAY: usize = 12;
/// Nor do those of fewer hours of it.
const LEAST_HOURS: usize = 6;
/// Runs at hours that are slower than the best one by more than this say more of the network than of scaling.
const SLOW: f64 = 1.1;

/// What probes say of a centre.
#[derive(Debug, Clone, PartialEq)]
pub struct OfCentre {
    /// The type of units on which it is judged, by its place; none: why not.
    pub unit: Result<usize, String>,
    /// Time of the probe on the units to compare on.
    pub seconds: Option<Estimate>,
    /// Relative error of its output there.
    pub error: Option<Estimate>,
    /// Points.
    pub score: Option<Score>,
    /// How throughput grows with units; none: why not.
    pub scaled: Result<Scaled, NoScaling>,
    /// Units that a task should get, at most those that there are; those to compare on without a fit.
    pub recommended: f64,
    /// Runs that the fit leaves out, because they ran at hours at which the network is slow.
    pub disturbed: usize,
    /// When the network is good; none if too few probes tell when they ran.
    pub network: Option<Network>,
    /// Time of the whole target task on the recommended units, at most as many as were measured, and how it was found.
    pub target: Option<(Estimate, Expected)>,
}

/// How the time of a target task was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expected {
    /// Each operator's own time, times its executions.
    Operators,
    /// The time of the probe, times the ratio of all executions: small operators were not scaled down, so it is rough.
    Ratio,
}

impl OfCentre {
    /// What the study says of a centre, with the probe that was built.
    #[must_use]
    pub fn new(study: &Probe, built: &Built, centre: &Centre) -> Self {
        let unit = route(centre, built).and_then(|unit| {
            let of = &centre.units[unit];
            if is_of(&of.runs, built) {
                Ok(unit)
            } else {
                Err(format!("its runs on {} are of another probe; run this one there", of.name))
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
        // A number of units that ran at slow hours alone is better known slow than not at all.
        if numbers_of_units(&points) < numbers_of_units(&all) {
            points = all;
        }
        let disturbed = runs.seconds.len() - points.len();
        let scaled = Scaled::new(&points);
        let most = of_unit.map_or(at, |of| of.count);
        let recommended = scaled.as_ref().map_or(at, |scaled| scaled.recommended.units() as f64).min(most);
        let by_operators = of(&|run| optional(&runs.target_seconds, run));
        let target = match by_operators {
            Some(target) => Some((target, Expected::Operators)),
            None => seconds.map(|seconds| (seconds.times(ratio(study, built)), Expected::Ratio)),
        };
        let law = scaled.as_ref().ok();
        let target = target.map(|(target, how)| (on_units(target, law, at, within(law, recommended)), how));
        Self { unit, seconds, error, score, scaled, recommended, disturbed, network, target }
    }

    /// How much longer or shorter a task takes on other units than on those it is recommended; 1 without a fit. On more units
    /// than were measured it takes as long as on the most of them.
    #[must_use]
    pub fn slowdown(&self, units: f64) -> f64 {
        let law = self.scaled.as_ref().ok();
        law.map_or(1.0, |scaled| scaled.law.at(within(law, self.recommended)) / scaled.law.at(within(law, units)))
    }

    /// The best time of the day; none if the day was not probed, or nothing changed in it.
    #[must_use]
    pub fn best_window(&self) -> Option<Window> {
        self.network.as_ref().filter(|network| network.levels.len() > 1)?.best
    }

    /// How much longer what follows the network takes at an hour of the day, of what it takes on average.
    #[must_use]
    pub fn at_hour(&self, hour: f64) -> f64 {
        let band = |network: &Network| Some(of_hour(network, hour)? / network.seconds);
        self.network.as_ref().and_then(band).unwrap_or(1.0)
    }
}

/// What a column says of a run, if it does.
fn optional(column: &[Option<f64>], run: usize) -> Option<f64> {
    column.get(run).copied().flatten()
}

/// What these runs say of the hours of the day; none if too few of them tell when they began.
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

/// Whether runs are of the probe that the task becomes, as far as anybody knows.
fn is_of(runs: &Runs, built: &Built) -> bool {
    match (&runs.probe, &built.probes[..]) {
        (Some(probe), [only]) => *probe == only.fingerprint(),
        (Some(_), _) => false,
        (None, _) => true,
    }
}

/// Different numbers of units.
fn numbers_of_units(points: &[Point]) -> usize {
    let mut units: Vec<f64> = points.iter().map(|point| point.units).collect();
    units.sort_by(f64::total_cmp);
    units.dedup();
    units.len()
}

/// Units, at most as many as were measured: beyond them nobody knows whether more help or hinder.
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

/// A time on other units than those on which it was measured, by the law. What the law leaves open widens the interval.
fn on_units(time: Estimate, scaled: Option<&Scaled>, from: f64, to: f64) -> Estimate {
    let Some(scaled) = scaled.filter(|_| from != to) else { return time };
    let moved = time.times(scaled.law.at(from) / scaled.law.at(to));
    let open = 2.0 * scaled.miss();
    let half = moved.relative().map(|relative| relative.hypot(open));
    let interval = half.map(|half| [(moved.mean * (1.0 - half)).max(0.0), moved.mean * (1.0 + half)]);
    Estimate { interval, ..moved }
}

/// Executions of matched operators in the target, of those in the probe.
fn ratio(study: &Probe, built: &Built) -> f64 {
    let (target, probe) = built
        .operators()
        .fold((0.0, 0.0), |(target, probe), of| (target + of.in_target, probe + f64::from(of.executions)));
    if probe > 0.0 { target / probe } else { study.target.ratio }
}

/// The type of units on which a centre is judged.
///
/// # Errors
/// A sentence for the user: none fits.
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
        Route::Asked(named) => {
            let found = named.iter().find_map(|name| by_name(name));
            found.ok_or_else(|| "the centre named no type of units that can run the probe".to_owned())
        }
        Route::User(name) => by_name(name).ok_or_else(|| format!("it has no type of units “{name}”")),
        Route::Centre => {
            let measured = centre.units.iter().position(|of| !of.runs.seconds.is_empty());
            measured.ok_or_else(|| "the centre has not reported yet which units it took".to_owned())
        }
    }
}

/// Whether units of a type can run an operator: they name it, or what it executes.
#[must_use]
pub fn supports(of: &UnitType, operator: &ProbeOperator) -> bool {
    let key = operator.runs.key();
    of.supports.is_empty() || of.supports.iter().any(|name| *name == operator.name || Some(name.as_str()) == key)
}
