//! Figures of a run: how it settles, and the throughput and power of the clusters.

use super::plant::{offered, waiting};
use super::simulate::{Simulation, Strategy};
use super::step::Step;
use crossover_study::Watch;

/// An error below this counts as none.
const NO_ERROR: f64 = 1e-9;
/// An error below so many standard deviations of the measurement noise may be noise: three of those of the difference
/// of two noisy readings.
const NOISE_BAND: f64 = 3.0 * std::f64::consts::SQRT_2;
/// Joules of a kilowatt-hour.
const JOULES_PER_KWH: f64 = 3.6e6;

/// Control quality of a run, and its throughput and power.
#[derive(Debug, Clone, PartialEq)]
pub struct Figures {
    /// Periods from the last change of demand to the last action; none if demand changes until the end or an action
    /// occurs in the last tenth of the run.
    pub settling_periods: Option<usize>,
    /// Largest error of opposite sign ÷ largest error before the first zero crossing; the largest of all clusters. It covers
    /// the time after the last change of demand, or the whole run if demand changes until the end; errors that may be noise
    /// do not count.
    pub overshoot: f64,
    /// Mean |e| over the averaged periods; the largest of all clusters.
    pub steady_state_error: f64,
    /// Integral of absolute error (IAE) over the run, summed over the clusters, seconds.
    pub integral_absolute_error: f64,
    /// Actions of all clusters.
    pub actions: usize,
    /// Throughput, power and energy.
    pub state: State,
}

/// One strategy over the whole time.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// Name of the strategy or of the controller.
    pub name: String,
    /// Its figures.
    pub figures: Figures,
    /// Every step, period by period and in it cluster by cluster.
    pub steps: Vec<Step>,
}

/// Throughput, power and energy of all clusters; throughput, occupancy and power are means over the averaged periods.
#[derive(Debug, Clone, PartialEq)]
pub struct State {
    /// Throughput, TOPS.
    pub tops: f64,
    /// Power of the clusters and of the pool, W.
    pub watts: f64,
    /// Energy of the whole run, kWh.
    pub kwh: f64,
    /// Its cost, US dollars.
    pub cost: f64,
    /// vGPUs that belong to no cluster at the end.
    pub pool: f64,
    /// One for each cluster.
    pub clusters: Vec<ClusterState>,
}

impl State {
    /// Throughput for power, TOPS/W; 0 without power.
    #[must_use]
    pub fn tops_per_watt(&self) -> f64 {
        if self.watts > 0.0 { self.tops / self.watts } else { 0.0 }
    }

    /// Energy for work, joules per tera-operation; infinite if nothing is served.
    #[must_use]
    pub fn joules_per_tera_operation(&self) -> f64 {
        if self.watts == 0.0 { 0.0 } else { self.watts / self.tops }
    }
}

/// Throughput, power and settings of one cluster.
#[derive(Debug, Clone, PartialEq)]
pub struct ClusterState {
    /// vGPUs in the last period.
    pub vgpus: f64,
    /// Frequency in the last period, GHz.
    pub frequency_ghz: f64,
    /// Precision level in the last period, by its index.
    pub precision: usize,
    /// Share of the data in the precision level below, in the last period.
    pub converted_share: f64,
    /// Voltage in the last period, relative to that of the base power.
    pub voltage: f64,
    /// Concurrent tasks of each vGPU in the last period.
    pub concurrency: f64,
    /// Throughput, TOPS, mean.
    pub tops: f64,
    /// Power, W, mean.
    pub watts: f64,
    /// p_p, mean.
    pub pcie: f64,
    /// p_d, mean.
    pub load: f64,
    /// Mean |e|.
    pub error: f64,
    /// Work that waits at the end, tera-operations.
    pub backlog: f64,
    /// Work that was rejected during the run, tera-operations.
    pub rejected: f64,
}

/// Runs a strategy and sums it up; `record` gets every step.
pub fn figures(simulation: &Simulation<'_>, strategy: Strategy<'_>, mut record: impl FnMut(&Step)) -> Figures {
    let mut summing = Summing::new(simulation);
    simulation.run(strategy, |step| {
        summing.add(step, 1);
        record(step);
    });
    summing.finish()
}

/// The same, cancellable and with progress. `None` if it was cancelled.
pub fn figures_watched(
    simulation: &Simulation<'_>,
    strategy: Strategy<'_>,
    watch: Watch<'_>,
    mut record: impl FnMut(&Step),
) -> Option<Figures> {
    let mut summing = Summing::new(simulation);
    simulation.run_watched(strategy, watch, |step| {
        summing.add(step, 1);
        record(step);
    })?;
    Some(summing.finish())
}

/// The figures of a run without its steps: in a steady state the last period represents all that follow. Equal to
/// [`figures`] except for rounding.
#[must_use]
pub fn summary(simulation: &Simulation<'_>, strategy: Strategy<'_>) -> Figures {
    let mut summing = Summing::new(simulation);
    let mut running = simulation.start(strategy);
    for period in 0..simulation.periods() {
        running.advance(&mut |step| summing.add(step, 1));
        if running.is_steady() {
            let left = simulation.periods() - (period + 1);
            running.advance(&mut |step| summing.add(step, left));
            break;
        }
    }
    summing.finish()
}

/// Sums up a run step by step.
#[derive(Debug)]
struct Summing<'s> {
    simulation: &'s Simulation<'s>,
    averaged_from: usize,
    /// First period that counts for the overshoot.
    watched_from: usize,
    /// Errors up to this size do not count for the overshoot.
    no_error: f64,
    clusters: Vec<ClusterSum>,
    last_action: Option<usize>,
    actions: usize,
    pool: f64,
    pool_joules: f64,
    pool_watts: f64,
}

#[derive(Debug, Clone, Default)]
struct ClusterSum {
    excursion: Excursion,
    integral_absolute_error: f64,
    averaged: [f64; 5],
    joules: f64,
    backlog: f64,
    rejected: f64,
    end: End,
}

/// The settings of a cluster in the last period so far.
#[derive(Debug, Clone, Copy, Default)]
struct End {
    vgpus: f64,
    frequency_ghz: f64,
    precision: usize,
    converted_share: f64,
    voltage: f64,
    concurrency: f64,
}

/// How far an error goes to its own side, and beyond zero.
#[derive(Debug, Clone, Copy, Default)]
struct Excursion {
    /// The largest error before the first one on the other side.
    first: f64,
    /// The largest error on the other side ÷ `first`.
    beyond: f64,
}

impl Excursion {
    fn add(&mut self, error: f64) {
        if self.first == 0.0 || (self.beyond == 0.0 && error / self.first > 1.0) {
            self.first = error;
        } else {
            self.beyond = self.beyond.max(-error / self.first);
        }
    }
}

impl<'s> Summing<'s> {
    fn new(simulation: &'s Simulation<'s>) -> Self {
        let study = simulation.study();
        let periods = simulation.periods();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "validated: 1 … periods")]
        let averaged_from = periods - study.run.average_periods as usize;
        // Delayed samples still show the time before the last change.
        let watched_from = simulation.steady_from() + simulation.delay();
        Self {
            simulation,
            averaged_from,
            watched_from: if simulation.steady_from() < periods { watched_from } else { 0 },
            no_error: NO_ERROR.max(NOISE_BAND * study.measurement.noise_share),
            clusters: vec![ClusterSum::default(); study.clusters.len()],
            last_action: None,
            actions: 0,
            pool: 0.0,
            pool_joules: 0.0,
            pool_watts: 0.0,
        }
    }

    /// Adds a step that represents this many equal periods in a row.
    fn add(&mut self, step: &Step, periods: usize) {
        if periods == 0 {
            return;
        }
        let study = self.simulation.study();
        let seconds = study.run.period_seconds;
        let times = periods as f64;
        let averaged = (step.period + periods).saturating_sub(step.period.max(self.averaged_from)) as f64;
        let sum = &mut self.clusters[step.cluster];
        let waiting = waiting(offered(step.demand, sum.backlog, seconds), step.tops, seconds);
        sum.rejected += times * (waiting - step.backlog);
        sum.backlog = step.backlog;
        sum.integral_absolute_error += times * (step.error.abs() * seconds);
        sum.joules += times * (step.watts * seconds);
        let Step { vgpus, frequency_ghz, precision, converted_share, voltage, concurrency, .. } = *step;
        sum.end = End { vgpus, frequency_ghz, precision, converted_share, voltage, concurrency };
        if step.period >= self.watched_from && step.error.abs() > self.no_error {
            sum.excursion.add(step.error);
        }
        if averaged > 0.0 {
            let values = [step.tops, step.watts, step.pcie, step.load, step.error.abs()];
            for (total, value) in sum.averaged.iter_mut().zip(values) {
                *total += averaged * value;
            }
        }
        if step.action.is_any() {
            self.actions += 1;
            self.last_action = Some(step.period);
        }
        if step.cluster == 0 {
            let first = &study.clusters[0];
            let watts = step.pool * first.watts_per_vgpu * study.manager.pool_power_share;
            self.pool = step.pool;
            self.pool_joules += times * (watts * seconds);
            self.pool_watts += averaged * watts;
        }
    }

    fn finish(self) -> Figures {
        let study = self.simulation.study();
        let periods = self.simulation.periods();
        let averaged = (periods - self.averaged_from) as f64;
        let clusters: Vec<ClusterState> = self
            .clusters
            .iter()
            .map(|sum| {
                let [tops, watts, pcie, load, error] = sum.averaged.map(|total| total / averaged);
                let End { vgpus, frequency_ghz, precision, converted_share, voltage, concurrency } = sum.end;
                ClusterState {
                    vgpus,
                    frequency_ghz,
                    precision,
                    converted_share,
                    voltage,
                    concurrency,
                    tops,
                    watts,
                    pcie,
                    load,
                    error,
                    backlog: sum.backlog,
                    rejected: sum.rejected,
                }
            })
            .collect();
        let joules = self.pool_joules + self.clusters.iter().map(|sum| sum.joules).sum::<f64>();
        let kwh = joules / JOULES_PER_KWH;
        let largest = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0, f64::max);
        Figures {
            settling_periods: self.settling_periods(),
            overshoot: largest(&mut self.clusters.iter().map(|sum| sum.excursion.beyond)),
            steady_state_error: largest(&mut clusters.iter().map(|cluster| cluster.error)),
            integral_absolute_error: self.clusters.iter().map(|sum| sum.integral_absolute_error).sum(),
            actions: self.actions,
            state: State {
                tops: clusters.iter().map(|cluster| cluster.tops).sum(),
                watts: clusters.iter().map(|cluster| cluster.watts).sum::<f64>() + self.pool_watts / averaged,
                kwh,
                cost: kwh * study.power.price_per_kwh,
                pool: self.pool,
                clusters,
            },
        }
    }

    fn settling_periods(&self) -> Option<usize> {
        let (periods, steady_from) = (self.simulation.periods(), self.simulation.steady_from());
        let moved = self.last_action.map_or(0, |period| period + 1);
        let is_settled = steady_from < periods && moved <= periods - periods.div_ceil(10);
        is_settled.then(|| moved.saturating_sub(steady_from))
    }
}
