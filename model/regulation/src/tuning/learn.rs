//! A table of gains that is learned by simulation: rules from a trained model, which the published method allows beside those of
//! an expert.
//!
//! Disturbances are variants of the study, drawn by a seed: in each cluster demand steps between two levels at some time, and the
//! transfer ceiling is another one. The cost of a table is the mean, over the disturbances for training, of its integral of
//! absolute error (IAE) ÷ that of the present gains. The gains of one cell at a time are multiplied by some factors, and the best
//! factor is kept. After each round other disturbances decide whether the round is kept, and a third set, which no choice has seen,
//! tells how good the table is.

use std::sync::atomic::Ordering::Relaxed;

use rand_distr::{Distribution as _, StandardUniform};
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::SeedableRng as _;
use rayon::iter::{IntoParallelRefIterator as _, ParallelIterator as _};

use crate::figures::summary;
use crate::gain_table::{CELLS, GainTable};
use crate::pid::Gains;
use crate::simulate::{Simulation, Strategy};
use crate::study::{Cluster, Controller, Demand, Regulation, Shape};
use crossover_study::Watch;

/// Disturbances by which gains are chosen, by which rounds are kept, and by which the result is judged.
const SETS: [u64; 3] = [8, 8, 16];
/// Rounds over all cells.
const ROUNDS: usize = 2;
/// Factors of a gain that are tried.
const FACTORS: [f64; 4] = [0.5, 0.8, 1.25, 2.0];
/// Values that are tried of a gain that is 0.
const FROM_ZERO: [f64; 2] = [0.05, 0.2];
/// A cost that is less by no more than this is the same.
const SAME: f64 = 1e-9;
/// Longest run, periods.
const LONGEST: f64 = 600.0;
/// Levels of demand, as shares of that of the study.
const DEMAND: [f64; 2] = [0.4, 1.2];
/// Transfer ceilings, as shares of that of the study.
const CEILING: [f64; 2] = [0.7, 1.3];
/// When demand steps, as a share of the run.
const STEP: [f64; 2] = [0.05, 0.3];

/// A learned table, and how good it is.
#[derive(Debug, Clone, PartialEq)]
pub struct Learned {
    /// The controller with the table in place of its gains or its schedule.
    pub controller: Controller,
    /// Mean IAE ÷ that of the present gains, over the disturbances for training.
    pub training: f64,
    /// The same over the disturbances that no choice has seen.
    pub held_out: f64,
    /// The largest of these.
    pub worst_held_out: f64,
    /// Runs that it took.
    pub runs: usize,
}

/// Variants of a study, with the IAE of the present controller in each.
struct Disturbances {
    studies: Vec<Regulation>,
    present: Vec<f64>,
}

impl Disturbances {
    fn new(study: &Regulation, controller: &Controller, seed: u64, set: usize) -> Self {
        // The first sets come first in the sequence of disturbances, so that no two are the same.
        let before: u64 = SETS[..set].iter().sum();
        let studies: Vec<Regulation> = (0..SETS[set]).map(|place| disturbed(study, seed, before + place)).collect();
        let present = studies.par_iter().map(|study| absolute_error(study, controller)).collect();
        Self { studies, present }
    }

    /// The IAE of a controller ÷ that of the present one, for each disturbance; where neither has an error it is 1.
    fn ratios(&self, controller: &Controller) -> Vec<f64> {
        let found: Vec<f64> = self.studies.par_iter().map(|study| absolute_error(study, controller)).collect();
        let ratio = |(found, present): (&f64, &f64)| if found == present { 1.0 } else { found / present };
        found.iter().zip(&self.present).map(ratio).collect()
    }

    fn cost(&self, controller: &Controller) -> f64 {
        self.ratios(controller).iter().sum::<f64>() / self.studies.len() as f64
    }
}

fn absolute_error(study: &Regulation, controller: &Controller) -> f64 {
    summary(&Simulation::new(study), Strategy::Controller(controller)).integral_absolute_error
}

/// One variant of a study.
fn disturbed(study: &Regulation, seed: u64, place: u64) -> Regulation {
    let mut stream = Pcg64Mcg::seed_from_u64(seed.rotate_left(32) ^ place);
    let mut between = |[low, high]: [f64; 2]| {
        let share: f64 = StandardUniform.sample(&mut stream);
        low + share * (high - low)
    };
    let mut study = study.clone();
    study.run.periods = study.run.periods.min(LONGEST);
    study.run.average_periods = study.run.average_periods.min(study.run.periods);
    study.run.seed = place as f64;
    let seconds = study.run.periods * study.run.period_seconds;
    for cluster in &mut study.clusters {
        let full = cluster.demand.high_tops;
        let mut level = || (full * between(DEMAND)).min(Demand::HIGH_TOPS.max);
        let (low_tops, high_tops) = (level(), level());
        let start_seconds = (seconds * between(STEP)).min(Demand::START_SECONDS.max);
        let demand = Demand { shape: Shape::Step, low_tops, high_tops, start_seconds, ..cluster.demand.clone() };
        let pcie_tops = cluster.pcie_tops * between(CEILING);
        cluster.pcie_tops = pcie_tops.clamp(Cluster::PCIE_TOPS.min, Cluster::PCIE_TOPS.max);
        cluster.demand = demand;
    }
    study
}

/// Learns a table for a controller of a valid study. The same seed gives the same table. `None` if it was cancelled.
#[must_use]
pub fn learn(study: &Regulation, controller: &Controller, seed: u64, watch: Watch<'_>) -> Option<Learned> {
    let [training, validation, held_out] = [0, 1, 2].map(|set| Disturbances::new(study, controller, seed, set));
    let mut runs = SETS.iter().sum::<u64>();
    let with = |table: &GainTable| Controller { schedule: None, learned: Some(table.clone()), ..controller.clone() };
    let mut table = GainTable::of(controller, seed);
    let mut least = training.cost(&with(&table));
    let mut kept = (validation.cost(&with(&table)), least, table.clone());
    runs += SETS[0] + SETS[1];
    let used = [true, controller.form.has_integral(), controller.form.has_derivative()];
    for _ in 0..ROUNDS {
        let before = least;
        for cell in 0..CELLS {
            for which in (0..3).filter(|which| used[*which]) {
                if watch.is_cancelled() {
                    return None;
                }
                let present = *gain(&mut table.gains[cell], which);
                for candidate in candidates(present) {
                    let mut tried = table.clone();
                    *gain(&mut tried.gains[cell], which) = candidate;
                    if tried.problem().is_some() {
                        continue;
                    }
                    let cost = training.cost(&with(&tried));
                    runs += SETS[0];
                    watch.done.fetch_add(training.studies.len(), Relaxed);
                    if cost < least - SAME {
                        least = cost;
                        *gain(&mut table.gains[cell], which) = candidate;
                    }
                }
            }
        }
        let cost = validation.cost(&with(&table));
        runs += SETS[1];
        if cost < kept.0 {
            kept = (cost, least, table.clone());
        }
        if least >= before {
            break;
        }
    }
    let (_, training, table) = kept;
    let controller = with(&table);
    let ratios = held_out.ratios(&controller);
    runs += SETS[2];
    Some(Learned {
        controller,
        training,
        held_out: ratios.iter().sum::<f64>() / ratios.len() as f64,
        worst_held_out: ratios.iter().copied().fold(0.0, f64::max),
        runs: usize::try_from(runs).unwrap_or(usize::MAX),
    })
}

/// Kp, Ki or Kd.
fn gain(gains: &mut Gains, which: usize) -> &mut f64 {
    match which {
        0 => &mut gains.kp,
        1 => &mut gains.ki,
        _ => &mut gains.kd,
    }
}

/// Values of a gain that are tried.
fn candidates(present: f64) -> Vec<f64> {
    if present > 0.0 { FACTORS.iter().map(|factor| present * factor).collect() } else { FROM_ZERO.to_vec() }
}
