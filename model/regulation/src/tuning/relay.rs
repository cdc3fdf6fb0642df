//! The relay experiment: oscillation of the loop under a relay, and the gains that Ziegler and Nichols derive from it.
//!
//! K. J. Åström and T. Hägglund, "Automatic tuning of simple regulators with specifications on phase and amplitude
//! margins", Automatica 20 (1984). A relay replaces the controller of one cluster: u = +d while e is above zero,
//! −d while it is below. The loop then oscillates with amplitude a and period Tu, and
//!
//! ```text
//! Ku = 4·d / (π·√(a² − h²))        h: hysteresis of the relay
//! ```
//!
//! is the proportional gain at which the loop would just keep oscillating (the describing function of a relay). The other
//! clusters do not act: they would take the vGPUs that this one releases and requests, and the experiment would end at
//! an empty pool.
//!
//! The control table turns the output into steps, larger ones for larger outputs, so the loop is not linear: Ku is the
//! gain for the oscillation that the row of d causes, and another d gives another Ku.

use std::f64::consts::PI;

use crate::pid::Gains;
use crate::simulate::{Relay, Simulation, Strategy};
use crate::step::Step;
use crate::study::{Band, Form, Regulation};
use crate::table;
use crossover_study::Watch;

/// Whole cycles that a measurement needs.
pub const LEAST_CYCLES: usize = 3;
/// Whole cycles that are averaged at most, the last ones of the run.
const MOST_CYCLES: usize = 10;
/// Errors within this count as zero: occupancies are quotients, which are not exact.
const NO_ERROR: f64 = 1e-9;
/// Hysteresis in standard deviations of the error.
const STANDARD_DEVIATIONS: f64 = 3.0;

/// Runs the experiment. `cluster`: the index of the cluster, by default the one with the largest |e| in the first
/// period (the first of them); `output`: d, by default [`default_output`].
#[must_use]
pub fn experiment(simulation: &Simulation<'_>, cluster: Option<usize>, output: Option<f64>) -> Experiment {
    let relay = relay(simulation, cluster, output);
    let mut steps = Vec::new();
    let may_run = check(simulation.study(), relay);
    if may_run.is_ok() {
        simulation.run(Strategy::Relay(relay), |step| keep(step, relay, &mut steps));
    }
    let oscillation = may_run.and_then(|()| measure(simulation, relay, &steps));
    Experiment { relay, steps, oscillation }
}

/// The same, cancellable and with progress. `None` if it was cancelled.
#[must_use]
pub fn experiment_watched(
    simulation: &Simulation<'_>,
    cluster: Option<usize>,
    output: Option<f64>,
    watch: Watch<'_>,
) -> Option<Experiment> {
    let relay = relay(simulation, cluster, output);
    let mut steps = Vec::new();
    let may_run = check(simulation.study(), relay);
    if may_run.is_ok() {
        simulation.run_watched(Strategy::Relay(relay), watch, |step| keep(step, relay, &mut steps))?;
    }
    let oscillation = may_run.and_then(|()| measure(simulation, relay, &steps));
    Some(Experiment { relay, steps, oscillation })
}

fn relay(simulation: &Simulation<'_>, cluster: Option<usize>, output: Option<f64>) -> Relay {
    let study = simulation.study();
    Relay {
        cluster: cluster.unwrap_or_else(|| largest_error(simulation)),
        output: output.unwrap_or_else(|| default_output(&study.table)),
        hysteresis: hysteresis(study.measurement.noise_share),
    }
}

/// Only the cluster of the relay matters.
fn keep(step: &Step, relay: Relay, steps: &mut Vec<Step>) {
    if step.cluster == relay.cluster {
        steps.push(*step);
    }
}

/// The output of a relay with the smallest effect: the centre of the row next to the dead zone, on whichever side it is larger.
#[must_use]
pub fn default_output(table: &[Band]) -> f64 {
    let [from, to] = table::dead_zone(table);
    let centre = |band: &Band| f64::midpoint(band.from, band.to).abs();
    let above = table.iter().find(|band| band.from >= to).map_or(to.next_up(), centre);
    let below = table.iter().rev().find(|band| band.to <= from).map_or(from.next_down().abs(), centre);
    above.max(below)
}

/// A relay experiment with everything that it recorded.
#[derive(Debug, Clone, PartialEq)]
pub struct Experiment {
    /// Cluster, output and hysteresis.
    pub relay: Relay,
    /// Every period of the cluster; empty if the experiment could not begin.
    pub steps: Vec<Step>,
    /// The oscillation of the loop, or why there is none.
    pub oscillation: Result<Oscillation, NoOscillation>,
}

/// The oscillation of the loop under a relay, and the gains that follow.
#[derive(Debug, Clone, PartialEq)]
pub struct Oscillation {
    /// Half of the difference between largest and smallest error of a cycle, a; mean of the measured cycles.
    pub amplitude: f64,
    /// Time of a cycle, Tu, seconds; the mean of the measured cycles.
    pub period_seconds: f64,
    /// Ultimate gain, Ku.
    pub ultimate_gain: f64,
    /// Whole cycles that were measured, the last ones of the run.
    pub cycles: usize,
    /// First period of the measured cycles.
    pub from_period: usize,
    /// Gains for P, PI and PID, for one period of the controller. Ziegler and Nichols have no rule for PD.
    pub gains: [(Form, Gains); 3],
}

impl Oscillation {
    /// The gains for a form of controller; none for PD.
    #[must_use]
    pub fn gains(&self, form: Form) -> Option<Gains> {
        self.gains.iter().find(|(known, _)| *known == form).map(|(_, gains)| *gains)
    }
}

/// Why the loop does not oscillate.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum NoOscillation {
    /// There is no such cluster.
    #[error("there is no cluster number {cluster}; the study has {count}")]
    NoCluster {
        /// Number of the cluster, from 1.
        cluster: usize,
        /// Clusters of the study.
        count: usize,
    },
    /// The output causes no action.
    #[error("a relay output of ±{output} lies in the dead zone and causes no action; expected an output above {least}")]
    InDeadZone {
        /// The output of the relay.
        output: f64,
        /// The end of the dead zone.
        least: f64,
    },
    /// Demand changes until the end.
    #[error("demand changes until the end of the run; the experiment needs demand that is constant at the end")]
    DemandChanges,
    /// The error is always zero.
    #[error("the error of “{cluster}” is 0 in every period: the cluster has no work, or no action changes its error")]
    AlwaysBalanced {
        /// Name of the cluster.
        cluster: String,
    },
    /// The error keeps its sign because no further action is possible.
    #[error(
        "the error of “{cluster}” stays {side}. From period {period} on all its actuators are blocked ({vgpus} \
         vGPUs, {ghz} GHz): cluster limit, empty pool or disabled actuator"
    )]
    AtLimits {
        /// Name of the cluster.
        cluster: String,
        /// "positive" or "negative".
        side: &'static str,
        /// The first period without an action.
        period: usize,
        /// vGPUs that it has then.
        vgpus: f64,
        /// Frequency that it has then, GHz.
        ghz: f64,
    },
    /// The run ends too early.
    #[error(
        "only {cycles} of {LEAST_CYCLES} required oscillation cycles of “{cluster}” fit into the run; raise the number of periods"
    )]
    TooShort {
        /// Name of the cluster.
        cluster: String,
        /// Whole cycles with constant demand.
        cycles: usize,
    },
    /// Cycles differ too much.
    #[error(
        "the cycles of “{cluster}” last {shortest} to {longest} periods, so the oscillation is irregular; lower the \
         noise or raise the relay output"
    )]
    Irregular {
        /// Name of the cluster.
        cluster: String,
        /// Periods of the shortest cycle.
        shortest: usize,
        /// Periods of the longest cycle.
        longest: usize,
    },
}

fn largest_error(simulation: &Simulation<'_>) -> usize {
    let mut largest = (0, 0.0);
    simulation.start(Strategy::NoControl).advance(&mut |step: &Step| {
        if step.error.abs() > largest.1 {
            largest = (step.cluster, step.error.abs());
        }
    });
    largest.0
}

/// Both readings have the noise, so the error has √2 of it.
fn hysteresis(noise_share: f64) -> f64 {
    (STANDARD_DEVIATIONS * std::f64::consts::SQRT_2 * noise_share).max(NO_ERROR)
}

fn check(study: &Regulation, relay: Relay) -> Result<(), NoOscillation> {
    if relay.cluster >= study.clusters.len() {
        return Err(NoOscillation::NoCluster { cluster: relay.cluster + 1, count: study.clusters.len() });
    }
    let [from, to] = table::dead_zone(&study.table);
    let least = to.max(-from);
    if relay.output.is_nan() || table::is_inside(relay.output, [-least, least]) || relay.output < 0.0 {
        return Err(NoOscillation::InDeadZone { output: relay.output, least });
    }
    Ok(())
}

fn measure(simulation: &Simulation<'_>, relay: Relay, steps: &[Step]) -> Result<Oscillation, NoOscillation> {
    let study = simulation.study();
    let cluster = || study.clusters[relay.cluster].name.clone();
    let Some(last) = steps.last().filter(|_| simulation.steady_from() < simulation.periods()) else {
        return Err(NoOscillation::DemandChanges);
    };
    if steps.iter().all(|step| step.error.abs() <= NO_ERROR) {
        return Err(NoOscillation::AlwaysBalanced { cluster: cluster() });
    }
    let steady = &steps[simulation.steady_from()..];
    // A cycle begins where the relay switches upwards.
    let begins: Vec<usize> = steady
        .windows(2)
        .filter(|pair| pair[0].output < 0.0 && pair[1].output > 0.0)
        .map(|pair| pair[1].period)
        .collect();
    let cycles = begins.len().saturating_sub(1);
    let same_side = steps.iter().rev().take_while(|step| step.output == last.output).count();
    let moved = steps.iter().rposition(|step| step.action.is_any()).map_or(0, |period| period + 1);
    // Stuck: longer on one side than a cycle takes, without an action.
    let usual = begins.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or_default();
    if moved < steps.len() && same_side > usual {
        let side = if last.output > 0.0 { "positive" } else { "negative" };
        let (vgpus, ghz) = (last.vgpus, last.frequency_ghz);
        return Err(NoOscillation::AtLimits { cluster: cluster(), side, period: moved, vgpus, ghz });
    }
    if cycles < LEAST_CYCLES {
        return Err(NoOscillation::TooShort { cluster: cluster(), cycles });
    }
    let begins = &begins[begins.len() - 1 - cycles.min(MOST_CYCLES)..];
    let lengths = || begins.windows(2).map(|pair| pair[1] - pair[0]);
    let (shortest, longest) = (lengths().min().unwrap_or_default(), lengths().max().unwrap_or_default());
    if longest > 2 * shortest {
        return Err(NoOscillation::Irregular { cluster: cluster(), shortest, longest });
    }
    let cycles = begins.len() - 1;
    let amplitudes = begins.windows(2).map(|pair| half_range(&steps[pair[0]..pair[1]]));
    let amplitude = amplitudes.sum::<f64>() / cycles as f64;
    let periods = lengths().sum::<usize>() as f64 / cycles as f64;
    let ultimate_gain = 4.0 * relay.output / (PI * (amplitude.powi(2) - relay.hysteresis.powi(2)).sqrt());
    Ok(Oscillation {
        amplitude,
        period_seconds: periods * study.run.period_seconds,
        ultimate_gain,
        cycles,
        from_period: begins[0],
        gains: ziegler_nichols(ultimate_gain, periods),
    })
}

/// Half of the difference between largest and smallest error.
fn half_range(cycle: &[Step]) -> f64 {
    let errors = || cycle.iter().map(|step| step.error);
    0.5 * (errors().fold(f64::NEG_INFINITY, f64::max) - errors().fold(f64::INFINITY, f64::min))
}

/// Gains from the ultimate gain and the ultimate period, which is in periods of the controller: P has Kp = 0.5·Ku, PI
/// 0.45·Ku and Ti = Tu/1.2, PID 0.6·Ku, Ti = Tu/2 and Td = Tu/8. For one period Ki = Kp·T/Ti and Kd = Kp·Td/T.
///
/// J. G. Ziegler and N. B. Nichols, "Optimum settings for automatic controllers", Transactions of the ASME 64 (1942).
#[must_use]
pub fn ziegler_nichols(ultimate_gain: f64, ultimate_periods: f64) -> [(Form, Gains); 3] {
    let gains = |share: f64, integral: Option<f64>, derivative: f64| {
        let kp = share * ultimate_gain;
        let ki = integral.map_or(0.0, |part| kp * part / ultimate_periods);
        Gains { kp, ki, kd: kp * derivative * ultimate_periods }
    };
    [
        (Form::P, gains(0.5, None, 0.0)),
        (Form::PI, gains(0.45, Some(1.2), 0.0)),
        (Form::PID, gains(0.6, Some(2.0), 0.125)),
    ]
}
