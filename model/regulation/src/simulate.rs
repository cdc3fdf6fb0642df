//! The loop in discrete time: demand, plant, readings, controller, control table, actions, cloud manager.
//!
//! One period of all clusters: vGPUs in transit arrive, every cluster serves its demand, readings are taken,
//! controllers decide. Then clusters with too much compute release vGPUs, and after them the requests of clusters with
//! too little are served. Actions take effect in the next period.

use std::sync::atomic::Ordering::Relaxed;

use super::actions::moves::Moves;
use super::actions::{Acting, Action};
use super::gains::gains;
use super::pid::Pid;
use super::plant::{offered, serve, waiting, watts};
use super::step::Step;
use super::study::{Controller, Regulation, ServeOrder};
use super::{noise, table};
use crossover_study::Watch;

/// Steps between two checks for cancellation.
const STEPS_AT_ONCE: usize = 2000;

/// The rule that sets vGPUs, frequency and precision in a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Strategy<'a> {
    /// Nothing: every cluster stays as it is.
    NoControl,
    /// The same number of vGPUs for every cluster, whatever its load.
    RoundRobin,
    /// vGPUs in proportion to the compute load, whatever the PCIe occupancy.
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
    /// The error must pass zero by this much before the output changes its sign, h.
    pub hysteresis: f64,
}

impl Relay {
    /// The output for an error: +d above h, −d below −h, between them as before; +d in the beginning.
    #[must_use]
    pub fn output(&self, before: f64, error: f64) -> f64 {
        if error > self.hysteresis || (error >= -self.hysteresis && before >= 0.0) { self.output } else { -self.output }
    }
}

/// A study prepared for many runs: everything independent of the strategy is computed once.
#[derive(Debug, Clone)]
pub struct Simulation<'a> {
    study: &'a Regulation,
    periods: usize,
    /// Demand, period by period and in it cluster by cluster, TOPS.
    demand: Vec<f64>,
    /// Noise on both readings, in the same order; empty without noise.
    noise: Vec<[f64; 2]>,
    /// First period from which on demand is constant; the number of periods if it changes until the end.
    steady_from: usize,
    /// Delay of samples, periods.
    delay: usize,
    dead_zone: [f64; 2],
    table: [f64; 2],
}

impl<'a> Simulation<'a> {
    /// Prepares a valid study.
    #[must_use]
    pub fn new(study: &'a Regulation) -> Self {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "validated: 10 … 100,000")]
        let periods = study.run.periods as usize;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "validated: 0 … 10,000")]
        let delay = study.measurement.delay_periods as usize;
        let times = (0..periods).map(|period| period as f64 * study.run.period_seconds);
        let demand: Vec<f64> =
            times.flat_map(|seconds| study.clusters.iter().map(move |cluster| cluster.demand.at(seconds))).collect();
        let count = study.clusters.len();
        let last = demand.len().saturating_sub(count);
        let same = demand.chunks(count).rev().take_while(|period| **period == demand[last..]).count();
        // A repeated recording may be constant by chance in the last periods.
        let steady_from = if same >= periods.div_ceil(10) { periods - same } else { periods };
        Self {
            study,
            periods,
            noise: noise::noise(study, periods),
            demand,
            steady_from,
            delay,
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

    /// Delay of samples, periods.
    pub(super) fn delay(&self) -> usize {
        self.delay
    }

    /// The largest demand of a cluster in the run, TOPS.
    #[must_use]
    pub fn largest_demand(&self, cluster: usize) -> f64 {
        self.demand.iter().skip(cluster).step_by(self.study.clusters.len()).copied().fold(0.0, f64::max)
    }

    /// First period from which on demand is constant; the number of periods if it changes until the end.
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

    /// The same, cancellable and with progress. `None` if it was cancelled; `record` then got the first part.
    pub fn run_watched(&self, strategy: Strategy<'_>, watch: Watch<'_>, mut record: impl FnMut(&Step)) -> Option<()> {
        let mut running = self.start(strategy);
        let at_once = (STEPS_AT_ONCE / self.study.clusters.len()).max(1);
        let mut left = self.periods;
        while left > 0 {
            if (watch.is_cancelled)() {
                return None;
            }
            let periods = left.min(at_once);
            for _ in 0..periods {
                running.advance(&mut record);
            }
            watch.done.fetch_add(periods, Relaxed);
            left -= periods;
        }
        Some(())
    }

    /// A run that is advanced period by period.
    #[must_use]
    pub fn start<'s>(&'s self, strategy: Strategy<'s>) -> Running<'s> {
        let count = self.study.clusters.len();
        Running {
            simulation: self,
            strategy,
            period: 0,
            units: vec![ClusterMemory::default(); count],
            acting: self.study.clusters.iter().map(|cluster| Acting::new(self.study, cluster)).collect(),
            moves: Moves::new(&self.study.manager, count, self.periods),
            steps: (0..count).map(Step::empty).collect(),
            requesting: Vec::with_capacity(count),
            weights: Vec::with_capacity(count),
            readings: if self.delay > 0 { vec![[0.0; 2]; (self.delay + 1) * count] } else { Vec::new() },
            same_readings: 0,
            is_steady: false,
        }
    }
}

/// A run in progress. Its lists are allocated once and used again in every period.
#[derive(Debug, Clone)]
pub struct Running<'s> {
    simulation: &'s Simulation<'s>,
    strategy: Strategy<'s>,
    period: usize,
    units: Vec<ClusterMemory>,
    acting: Vec<Acting>,
    moves: Moves,
    /// The steps of the period.
    steps: Vec<Step>,
    /// Clusters that request vGPUs, in the order in which they are served.
    requesting: Vec<usize>,
    /// Weights of the clusters where all vGPUs are distributed.
    weights: Vec<f64>,
    /// True occupancies of this period and of the periods of the delay before it, in a ring; empty without delay.
    readings: Vec<[f64; 2]>,
    /// For how many periods in a row the true occupancies have been those of the period before.
    same_readings: usize,
    is_steady: bool,
}

/// State of one cluster besides its settings.
#[derive(Debug, Clone, Default)]
struct ClusterMemory {
    pid: Pid,
    backlog: f64,
    joules: f64,
}

impl Running<'_> {
    /// Whether every further period equals the last one except for time and energy: no action, no vGPU in transit, no
    /// change of a controller or a backlog, equal readings throughout the delay, constant demand and no noise.
    #[must_use]
    pub fn is_steady(&self) -> bool {
        self.is_steady
    }

    /// Runs one period; after the last one the demand of the last one stays.
    pub fn advance(&mut self, record: &mut impl FnMut(&Step)) {
        self.moves.arrive(self.period, &mut self.acting);
        let mut changed = self.serve();
        self.read();
        match self.strategy {
            Strategy::NoControl => {}
            Strategy::RoundRobin => self.distribute(|_| 1.0),
            Strategy::LoadProportional => self.distribute(|step| step.load),
            Strategy::Controller(controller) => changed |= self.control(controller),
            Strategy::Relay(relay) => changed |= self.switch(relay),
        }
        let pool = self.moves.pool_and_in_transit();
        for step in &mut self.steps {
            step.pool = pool;
            changed |= step.action.is_any();
            record(step);
        }
        let simulation = self.simulation;
        let is_undisturbed = self.period >= simulation.steady_from && simulation.noise.is_empty();
        let is_read = self.same_readings >= simulation.delay.min(self.period);
        self.is_steady = is_undisturbed && is_read && !changed && self.moves.are_done();
        self.period += 1;
    }

    /// Every cluster serves its demand; fills the steps of the period except for the control fields. Gives whether a
    /// backlog changed.
    fn serve(&mut self) -> bool {
        let Simulation { study, demand, .. } = self.simulation;
        let row = self.period.min(self.simulation.periods - 1) * study.clusters.len();
        let seconds = study.run.period_seconds;
        let (mut backlog_changed, mut same_readings) = (false, true);
        let of_clusters = study.clusters.iter().zip(&demand[row..]);
        let states = self.units.iter_mut().zip(&self.acting).zip(&mut self.steps);
        for ((cluster, &demand), ((unit, acting), step)) in of_clusters.zip(states) {
            let offered = offered(demand, unit.backlog, seconds);
            let served = serve(offered, acting.capacity(), acting.ceiling());
            let backlog = waiting(offered, served.tops, seconds).min(cluster.backlog_limit);
            let frequency_ghz = acting.frequency_ghz();
            let speed = [frequency_ghz, acting.voltage()];
            let watts = watts(&study.power, cluster, acting.vgpus(), speed, served.load);
            backlog_changed |= backlog != unit.backlog;
            same_readings &= [step.pcie, step.load] == [served.pcie, served.load];
            unit.backlog = backlog;
            unit.joules += watts * seconds;
            step.period = self.period;
            step.seconds = self.period as f64 * seconds;
            step.demand = demand;
            step.tops = served.tops;
            step.backlog = backlog;
            step.pcie = served.pcie;
            step.load = served.load;
            step.action = Action::default();
            step.vgpus = acting.vgpus();
            step.frequency_ghz = frequency_ghz;
            step.precision = acting.precision();
            step.converted_share = acting.converted_share();
            step.voltage = acting.voltage();
            step.concurrency = acting.concurrency();
            step.watts = watts;
            step.joules = unit.joules;
        }
        self.same_readings = if same_readings && self.period > 0 { self.same_readings + 1 } else { 0 };
        backlog_changed
    }

    /// Takes the readings with the delay and noise of the study.
    fn read(&mut self) {
        let Simulation { noise, delay, periods, .. } = self.simulation;
        let count = self.steps.len();
        let slot = |period: usize| period % (delay + 1) * count;
        let (now, then) = (slot(self.period), slot(self.period.saturating_sub(*delay)));
        let row = self.period.min(periods - 1) * count;
        for (index, step) in self.steps.iter_mut().enumerate() {
            let mut read = [step.pcie, step.load];
            if *delay > 0 {
                self.readings[now + index] = read;
                read = self.readings[then + index];
            }
            if let Some(noise) = noise.get(row + index) {
                read = [0, 1].map(|which| (read[which] + noise[which]).clamp(0.0, 1.0));
            }
            [step.read_pcie, step.read_load] = read;
            step.error = step.read_pcie - step.read_load;
        }
    }

    /// Every cluster's controller decides; those with too much compute act first. Gives whether the state of a
    /// controller changed.
    fn control(&mut self, controller: &Controller) -> bool {
        let Simulation { study, dead_zone, table: ends, .. } = self.simulation;
        let mut changed = false;
        for (step, unit) in self.steps.iter_mut().zip(&mut self.units) {
            let before = unit.pid;
            step.gains = gains(controller, step.error, unit.pid.change(step.error));
            let read = [step.read_pcie, step.read_load];
            step.parts = unit.pid.step(controller, step.gains, read, *dead_zone, *ends);
            step.output = step.parts.output();
            changed |= unit.pid != before;
        }
        self.moves.begin_period();
        let period = self.period;
        for step in self.steps.iter_mut().filter(|step| step.output > 0.0) {
            step.action = self.acting[step.cluster].act(study, step.output, period, step.cluster, &mut self.moves);
        }
        serving_order(study.manager.order, period, &self.steps, &mut self.requesting);
        for index in &self.requesting {
            let step = &mut self.steps[*index];
            step.action = self.acting[*index].act(study, step.output, period, *index, &mut self.moves);
        }
        if controller.reset_after_action {
            for (unit, _) in self.units.iter_mut().zip(&self.steps).filter(|(_, step)| step.action.is_any()) {
                unit.pid.reset_integral();
            }
        }
        changed
    }

    /// The relay of one cluster decides; the other clusters do not act. Gives whether it switched.
    fn switch(&mut self, relay: Relay) -> bool {
        let (step, acting) = (&mut self.steps[relay.cluster], &mut self.acting[relay.cluster]);
        // The step still holds the output of the period before.
        let before = step.output;
        step.output = relay.output(before, step.error);
        self.moves.begin_period();
        step.action = acting.act(self.simulation.study, step.output, self.period, relay.cluster, &mut self.moves);
        step.output != before
    }

    /// The schedulers without feedback from the transfer redistribute all vGPUs at once; only the limits of the clusters
    /// apply.
    fn distribute(&mut self, weight: impl Fn(&Step) -> f64) {
        self.weights.clear();
        self.weights.extend(self.steps.iter().map(weight));
        self.moves.distribute(&self.weights, &mut self.acting);
        for (step, acting) in self.steps.iter_mut().zip(&self.acting) {
            step.action.vgpus = acting.vgpus() - step.vgpus;
        }
    }
}

/// Fills in the indices of the clusters that have too little compute, in the order in which they are served.
fn serving_order(order: ServeOrder, period: usize, steps: &[Step], requesting: &mut Vec<usize>) {
    requesting.clear();
    requesting.extend((0..steps.len()).filter(|index| steps[*index].output < 0.0));
    match order {
        ServeOrder::AsListed => {}
        ServeOrder::LargestFirst => {
            requesting.sort_unstable_by(|a, b| steps[*a].output.total_cmp(&steps[*b].output).then(a.cmp(b)));
        }
        ServeOrder::Rotating => {
            let first = period % steps.len();
            requesting.sort_unstable_by_key(|index| (index + steps.len() - first) % steps.len());
        }
    }
}
