//! The results of a regulation study: a run for every strategy, and the comparison of before and after.

use super::figures::{ClusterState, Run, State, figures, figures_watched};
use super::plant::{in_use, of_data, serve};
use super::simulate::{Simulation, Strategy};
use super::step::Step;
use super::study::{Cluster, Regulation};
use super::warnings::{of_others, warnings};
use crossover_study::Watch;

/// The results of a regulation study.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// Runs without feedback: no control, round robin, load-proportional.
    pub baselines: Vec<Run>,
    /// A run for each controller, in the order of the study.
    pub controllers: Vec<Run>,
    /// Index of the chosen controller.
    pub chosen: usize,
    /// The table of the published method, one row for each cluster.
    pub comparison: Vec<Comparison>,
    /// Warnings about the figures of the chosen controller.
    pub warnings: Vec<String>,
    /// Warnings about the other controllers.
    pub warnings_of_others: Vec<String>,
}

impl Outcome {
    /// Warnings about all controllers, those about the chosen one first.
    #[must_use]
    pub fn every_warning(&self) -> Vec<String> {
        self.warnings.iter().chain(&self.warnings_of_others).cloned().collect()
    }
}

/// One cluster before and after.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// Without control.
    pub before: Loads,
    /// With the chosen controller.
    pub after: Loads,
}

/// A cluster at light and at full load.
#[derive(Debug, Clone, PartialEq)]
pub struct Loads {
    /// vGPUs.
    pub vgpus: f64,
    /// Frequency, GHz.
    pub frequency_ghz: f64,
    /// Precision level, by its index.
    pub precision: usize,
    /// Share of the data in the precision level below.
    pub converted_share: f64,
    /// p_p at light and at full load.
    pub pcie: [f64; 2],
    /// p_d at light and at full load.
    pub load: [f64; 2],
    /// Throughput at light and at full load, TOPS.
    pub tops: [f64; 2],
}

impl Outcome {
    /// The state without control.
    #[must_use]
    pub fn before(&self) -> &State {
        &self.baselines[0].figures.state
    }

    /// The run with the chosen controller.
    #[must_use]
    pub fn chosen(&self) -> &Run {
        &self.controllers[self.chosen]
    }

    /// The state with the chosen controller.
    #[must_use]
    pub fn after(&self) -> &State {
        &self.chosen().figures.state
    }

    /// Throughput per watt after ÷ before; 1 if neither serves anything, infinite if only "after" does.
    #[must_use]
    pub fn efficiency(&self) -> f64 {
        let (before, after) = (self.before().tops_per_watt(), self.after().tops_per_watt());
        if after == before { 1.0 } else { after / before }
    }

    /// All runs: the baselines, then the controllers.
    pub fn runs(&self) -> impl Iterator<Item = &Run> {
        self.baselines.iter().chain(&self.controllers)
    }
}

/// Strategies without feedback that every controller is compared with.
const BASELINES: [(&str, Strategy<'_>); 3] = [
    ("no control", Strategy::NoControl),
    ("round robin", Strategy::RoundRobin),
    ("load-proportional", Strategy::LoadProportional),
];

/// Runs every strategy of a valid study.
#[must_use]
pub fn evaluate(study: &Regulation) -> Outcome {
    let simulation = Simulation::new(study);
    let run = |(name, strategy): (&str, Strategy<'_>)| {
        let mut steps = step_buffer(&simulation);
        let figures = figures(&simulation, strategy, |step| steps.push(*step));
        Run { name: name.to_owned(), figures, steps }
    };
    let runs = strategies(study).map(run).collect();
    outcome(&simulation, runs)
}

/// Runs every strategy of a valid study, cancellable and with progress: [`all_periods`] in total. `None` if it was
/// cancelled.
#[must_use]
pub fn evaluate_watched(study: &Regulation, watch: Watch<'_>) -> Option<Outcome> {
    let simulation = Simulation::new(study);
    let run = |(name, strategy): (&str, Strategy<'_>)| {
        let mut steps = step_buffer(&simulation);
        let figures = figures_watched(&simulation, strategy, watch, |step| steps.push(*step))?;
        Some(Run { name: name.to_owned(), figures, steps })
    };
    let runs = strategies(study).map(run).collect::<Option<Vec<Run>>>()?;
    Some(outcome(&simulation, runs))
}

/// Periods of all runs of an evaluation together.
#[must_use]
pub fn all_periods(study: &Regulation) -> usize {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "validated: 10 … 100,000")]
    let periods = study.run.periods as usize;
    periods * strategies(study).count()
}

/// Names of the strategies of a study, in the order of the runs of an evaluation: those without feedback, then the
/// controllers.
pub fn strategy_names(study: &Regulation) -> impl Iterator<Item = &str> {
    strategies(study).map(|(name, _)| name)
}

/// Every strategy of a study with its name: the baselines, then the controllers.
fn strategies(study: &Regulation) -> impl Iterator<Item = (&str, Strategy<'_>)> {
    let controllers = study.controllers.iter();
    let controllers = controllers.map(|controller| (controller.name.as_str(), Strategy::Controller(controller)));
    BASELINES.into_iter().chain(controllers)
}

fn step_buffer(simulation: &Simulation<'_>) -> Vec<Step> {
    Vec::with_capacity(simulation.periods() * simulation.study().clusters.len())
}

/// The results of the runs of all strategies.
fn outcome(simulation: &Simulation<'_>, mut baselines: Vec<Run>) -> Outcome {
    let study = simulation.study();
    let controllers = baselines.split_off(BASELINES.len());
    let chosen = study.controllers.iter().position(|controller| controller.name == study.policy.controller);
    let chosen = chosen.unwrap_or_default();
    let (before, after) = (&baselines[0].figures.state, &controllers[chosen].figures.state);
    let comparison = study
        .clusters
        .iter()
        .zip(before.clusters.iter().zip(&after.clusters))
        .enumerate()
        .map(|(index, (cluster, states))| compare(study, cluster, simulation.largest_demand(index), states))
        .collect();
    let warnings = warnings(simulation, &baselines[0], &controllers[chosen]);
    let warnings_of_others = of_others(study, &controllers[chosen]);
    Outcome { baselines, controllers, chosen, comparison, warnings, warnings_of_others }
}

/// A cluster at light and at full load, `full` in TOPS. Light load is a share of the work served at full load before
/// control; as in the published table it grows with the frequency.
fn compare(
    study: &Regulation,
    cluster: &Cluster,
    full: f64,
    (before, after): (&ClusterState, &ClusterState),
) -> Comparison {
    let capacity = |state: &ClusterState| {
        let [level, below] = [state.precision, state.precision.saturating_sub(1)].map(|level| &study.precisions[level]);
        let compute = of_data(level.compute_factor, below.compute_factor, state.converted_share);
        let ceiling = |factor: f64| cluster.pcie_tops / factor;
        let speed = cluster.tops_per_vgpu * state.frequency_ghz / cluster.base_ghz;
        let used = cluster.concurrency.as_ref().map_or(1.0, |tasks| in_use(state.concurrency, tasks.task_share));
        [
            state.vgpus * speed * compute * used,
            of_data(ceiling(level.transfer_factor), ceiling(below.transfer_factor), state.converted_share),
        ]
    };
    let loads = |state: &ClusterState, light: f64| {
        let [capacity, ceiling] = capacity(state);
        let served = [light, full].map(|demand| serve(demand, capacity, ceiling));
        Loads {
            vgpus: state.vgpus,
            frequency_ghz: state.frequency_ghz,
            precision: state.precision,
            converted_share: state.converted_share,
            pcie: served.map(|served| served.pcie),
            load: served.map(|served| served.load),
            tops: served.map(|served| served.tops),
        }
    };
    let [compute, ceiling] = capacity(before);
    let light = study.run.light_share * serve(full, compute, ceiling).tops;
    let grown = light * after.frequency_ghz / before.frequency_ghz;
    Comparison { before: loads(before, light), after: loads(after, grown) }
}
