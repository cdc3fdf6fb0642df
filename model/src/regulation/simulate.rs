//! The loop in discrete time: demand, plant, readings, controller, control table, actions, cloud manager.
//!
//! One period of all clusters: what was given out earlier arrives, every cluster serves its demand, readings are
//! taken, controllers decide; then clusters that have too much compute give some back, and after them those that
//! have too little are served. What was decided is seen in the next period.

use super::actions::{Acting, Moves};
use super::gains::gains;
use super::pid::{Gains, Parts, Pid};
use super::plant::{serve, watts};
use super::study::{Controller, Regulation, ServeOrder};
use super::{noise, table};

/// What decides in a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Strategy<'a> {
    /// Nothing: every cluster stays as it is.
    NoControl,
    /// The same number of vGPUs for every cluster, in turns, whatever they need.
    RoundRobin,
    /// vGPUs in proportion to the compute load, whatever the transfer does.
    LoadProportional,
    /// A controller in every cluster.
    Controller(&'a Controller),
    /// A relay in one cluster; the others stay as they are.
    Relay(Relay),
}

/// Two outputs by the sign of the error: +`output` above zero, −`output` below it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Relay {
    /// Index of the cluster.
    pub cluster: usize,
    /// Size of the output, d.
    pub output: f64,
    /// The output changes sign only when the error is more than this beyond zero, h.
    pub hysteresis: f64,
}

impl Relay {
    /// The output for an error: +d above h, −d below −h, between them as before; +d in the beginning.
    #[must_use]
    pub fn output(&self, before: f64, error: f64) -> f64 {
        if error > self.hysteresis || (error >= -self.hysteresis && before >= 0.0) { self.output } else { -self.output }
    }
}

/// What an action changed.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Action {
    /// vGPUs that were given back (negative) or given out (positive).
    pub vgpus: f64,
    /// Change of the frequency, MHz.
    pub frequency_mhz: f64,
    /// Rungs of the ladder upwards.
    pub precision: f64,
}

impl Action {
    /// Whether anything changed.
    #[must_use]
    pub fn is_any(&self) -> bool {
        self.vgpus != 0.0 || self.frequency_mhz != 0.0 || self.precision != 0.0
    }
}

/// One period of one cluster.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// Period, from 0.
    pub period: usize,
    /// Index of the cluster.
    pub cluster: usize,
    /// Start of the period, seconds.
    pub seconds: f64,
    /// Work that arrives, TOPS.
    pub demand: f64,
    /// X, what is served, TOPS.
    pub tops: f64,
    /// Work that waits at the end of the period, tera-operations.
    pub backlog: f64,
    /// p_p, transfer occupancy, 0 … 1.
    pub pcie: f64,
    /// p_d, compute load, 0 … 1.
    pub load: f64,
    /// Transfer occupancy as the controller reads it.
    pub read_pcie: f64,
    /// Compute load as the controller reads it.
    pub read_load: f64,
    /// e = p_p − p_d, as read.
    pub error: f64,
    /// Gains in force.
    pub gains: Gains,
    /// Parts of the output.
    pub parts: Parts,
    /// u, output of the controller.
    pub output: f64,
    /// What changed at the end of the period.
    pub action: Action,
    /// vGPUs that worked.
    pub vgpus: f64,
    /// Frequency, GHz.
    pub frequency_ghz: f64,
    /// Precision, a rung of the ladder.
    pub precision: usize,
    /// Power, W.
    pub watts: f64,
    /// Energy since the start, joules.
    pub joules: f64,
    /// vGPUs that belong to no cluster, those under way included, at the end of the period.
    pub pool: f64,
}

/// A study made ready for many runs: what does not depend on the strategy is computed once.
#[derive(Debug, Clone)]
pub struct Simulation<'a> {
    study: &'a Regulation,
    periods: usize,
    /// Demand, period by period and in it cluster by cluster, TOPS.
    demand: Vec<f64>,
    /// Noise on both readings, in the same order; empty without noise.
    noise: Vec<[f64; 2]>,
    /// First period from which on no demand changes; the number of periods if it never rests.
    steady_from: usize,
    dead_zone: [f64; 2],
    table: [f64; 2],
}

impl<'a> Simulation<'a> {
    /// Makes a valid study ready.
    #[must_use]
    pub fn new(study: &'a Regulation) -> Self {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "validated: 10 … 100,000")]
        let periods = study.run.periods as usize;
        let times = (0..periods).map(|period| period as f64 * study.run.period_seconds);
        let demand: Vec<f64> =
            times.flat_map(|seconds| study.clusters.iter().map(move |cluster| cluster.demand.at(seconds))).collect();
        let count = study.clusters.len();
        let last = demand.len().saturating_sub(count);
        let same = demand.chunks(count).rev().take_while(|period| **period == demand[last..]).count();
        let steady_from = if same > 1 { periods - same } else { periods };
        Self {
            study,
            periods,
            noise: noise::noise(study, periods),
            demand,
            steady_from,
            dead_zone: table::dead_zone(&study.table),
            table: table::ends(&study.table),
        }
    }

    /// The study.
    #[must_use]
    pub fn study(&self) -> &'a Regulation {
        self.study
    }

    /// Number of periods of a run.
    #[must_use]
    pub fn periods(&self) -> usize {
        self.periods
    }

    /// First period from which on no demand changes; the number of periods if it never rests.
    #[must_use]
    pub fn steady_from(&self) -> usize {
        self.steady_from
    }

    /// Runs all periods; `record` gets every step, period by period and in it cluster by cluster.
    pub fn run(&self, strategy: Strategy<'_>, mut record: impl FnMut(&Step)) {
        let mut running = self.start(strategy);
        for _ in 0..self.periods {
            running.advance(&mut record);
        }
    }

    /// A run that is carried on period by period.
    #[must_use]
    pub fn start<'s>(&'s self, strategy: Strategy<'s>) -> Running<'s> {
        Running {
            simulation: self,
            strategy,
            period: 0,
            units: self.study.clusters.iter().map(|_| Unit::default()).collect(),
            acting: self.study.clusters.iter().map(|cluster| Acting::new(self.study, cluster)).collect(),
            moves: Moves::new(&self.study.manager),
            steps: Vec::with_capacity(self.study.clusters.len()),
            readings: Vec::new(),
            rests: false,
        }
    }
}

/// A run under way.
#[derive(Debug, Clone)]
pub struct Running<'s> {
    simulation: &'s Simulation<'s>,
    strategy: Strategy<'s>,
    period: usize,
    units: Vec<Unit>,
    acting: Vec<Acting>,
    moves: Moves,
    /// The steps of the period, reused.
    steps: Vec<Step>,
    /// Readings of earlier periods, only if readings are late.
    readings: Vec<[f64; 2]>,
    rests: bool,
}

/// What one cluster remembers besides what actions move.
#[derive(Debug, Clone, Default)]
struct Unit {
    pid: Pid,
    /// Output of its relay; 0 before the first period.
    relay: f64,
    backlog: f64,
    joules: f64,
}

impl Running<'_> {
    /// Whether every further period would be like the last one: nothing moved or is under way, no reading, no
    /// integral and no backlog changed, and neither demand nor noise will.
    #[must_use]
    pub fn rests(&self) -> bool {
        self.rests
    }

    /// Runs one period; after the last one the demand of the last one stays.
    pub fn advance(&mut self, record: &mut impl FnMut(&Step)) {
        let before = self.steps.first().map(|_| self.memory());
        self.moves.arrive(self.period, &mut self.acting);
        self.serve();
        match self.strategy {
            Strategy::NoControl => {}
            Strategy::RoundRobin | Strategy::LoadProportional => self.share_out(),
            Strategy::Controller(controller) => self.control(controller),
            Strategy::Relay(relay) => self.switch(relay),
        }
        let pool = self.moves.pool_and_under_way();
        let mut acted = false;
        for step in &mut self.steps {
            step.pool = pool;
            acted |= step.action.is_any();
            record(step);
        }
        let simulation = self.simulation;
        let is_steady = self.period >= simulation.steady_from && simulation.noise.is_empty();
        self.rests =
            is_steady && !acted && self.moves.are_done() && before.is_some_and(|before| before == self.memory());
        self.period += 1;
    }

    /// Everything that one period leaves to the next, but for energy, pool and what actions move.
    fn memory(&self) -> Vec<(Pid, f64, f64)> {
        self.units.iter().zip(&self.steps).map(|(unit, step)| (unit.pid, unit.backlog, step.error)).collect()
    }

    /// Every cluster serves its demand; makes the steps of the period.
    fn serve(&mut self) {
        let Simulation { study, demand, noise, .. } = self.simulation;
        let count = study.clusters.len();
        let row = self.period.min(self.simulation.periods - 1) * count;
        let seconds = study.run.period_seconds;
        self.steps.clear();
        for (index, cluster) in study.clusters.iter().enumerate() {
            let (unit, acting) = (&mut self.units[index], &self.acting[index]);
            let demand = demand[row + index];
            let served = serve(demand + unit.backlog / seconds, acting.capacity(), acting.ceiling());
            unit.backlog = (unit.backlog + (demand - served.tops) * seconds).clamp(0.0, cluster.backlog_limit);
            let frequency_ghz = acting.frequency_ghz();
            let watts = watts(&study.power, cluster, acting.vgpus(), frequency_ghz, served.load);
            unit.joules += watts * seconds;
            self.steps.push(Step {
                period: self.period,
                cluster: index,
                seconds: self.period as f64 * seconds,
                demand,
                tops: served.tops,
                backlog: unit.backlog,
                pcie: served.pcie,
                load: served.load,
                read_pcie: served.pcie,
                read_load: served.load,
                error: served.pcie - served.load,
                gains: Gains { kp: 0.0, ki: 0.0, kd: 0.0 },
                parts: Parts::default(),
                output: 0.0,
                action: Action::default(),
                vgpus: acting.vgpus(),
                frequency_ghz,
                precision: acting.precision(),
                watts,
                joules: unit.joules,
                pool: 0.0,
            });
        }
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "validated: 0 … 10,000")]
        let delay = study.measurement.delay_periods as usize;
        if delay > 0 {
            self.readings.extend(self.steps.iter().map(|step| [step.pcie, step.load]));
        }
        let is_plain = delay == 0 && noise.is_empty();
        for (index, step) in self.steps.iter_mut().enumerate().filter(|_| !is_plain) {
            let read = if delay > 0 {
                self.readings[self.period.saturating_sub(delay) * count + index]
            } else {
                [step.pcie, step.load]
            };
            let noise = noise.get(row + index).copied().unwrap_or_default();
            step.read_pcie = (read[0] + noise[0]).clamp(0.0, 1.0);
            step.read_load = (read[1] + noise[1]).clamp(0.0, 1.0);
            step.error = step.read_pcie - step.read_load;
        }
    }

    /// Every cluster's controller decides; those with too much compute act first.
    fn control(&mut self, controller: &Controller) {
        let Simulation { study, dead_zone, table: ends, .. } = self.simulation;
        for (step, unit) in self.steps.iter_mut().zip(&mut self.units) {
            step.gains = gains(controller, step.error, unit.pid.change(step.error));
            let read = [step.read_pcie, step.read_load];
            step.parts = unit.pid.step(controller, step.gains, read, *dead_zone, *ends);
            step.output = step.parts.output();
        }
        self.moves.begin_period();
        let period = self.period;
        for step in self.steps.iter_mut().filter(|step| step.output > 0.0) {
            step.action = self.acting[step.cluster].act(study, step.output, period, step.cluster, &mut self.moves);
        }
        for index in serving_order(study.manager.order, period, &self.steps) {
            let step = &mut self.steps[index];
            step.action = self.acting[index].act(study, step.output, period, index, &mut self.moves);
        }
        for (step, unit) in self.steps.iter().zip(&mut self.units) {
            if step.action.is_any() && controller.reset_after_action {
                unit.pid.reset_integral();
            }
        }
    }

    /// The relay of one cluster decides.
    fn switch(&mut self, relay: Relay) {
        let (step, unit) = (&mut self.steps[relay.cluster], &mut self.units[relay.cluster]);
        unit.relay = relay.output(unit.relay, step.error);
        step.output = unit.relay;
        self.moves.begin_period();
        let (study, acting) = (self.simulation.study, &mut self.acting[relay.cluster]);
        step.action = acting.act(study, step.output, self.period, relay.cluster, &mut self.moves);
    }

    /// The schedulers without feedback from the transfer share all vGPUs out anew.
    fn share_out(&mut self) {
        let by_load = self.strategy == Strategy::LoadProportional;
        let weights: Vec<f64> = self.steps.iter().map(|step| if by_load { step.load } else { 1.0 }).collect();
        let before: Vec<f64> = self.acting.iter().map(Acting::vgpus).collect();
        self.moves.share_out(&weights, &mut self.acting);
        for (step, before) in self.steps.iter_mut().zip(before) {
            step.action.vgpus = self.acting[step.cluster].vgpus() - before;
        }
    }
}

/// Indices of the clusters that have too little compute, in the order in which they are served.
fn serving_order(order: ServeOrder, period: usize, steps: &[Step]) -> Vec<usize> {
    let mut asking: Vec<usize> = (0..steps.len()).filter(|index| steps[*index].output < 0.0).collect();
    match order {
        ServeOrder::AsListed => {}
        ServeOrder::LargestFirst => asking.sort_by(|a, b| steps[*a].output.total_cmp(&steps[*b].output)),
        ServeOrder::Rotating => {
            let first = period % steps.len();
            asking.sort_by_key(|index| (index + steps.len() - first) % steps.len());
        }
    }
    asking
}
