//! 90 % intervals of curves over time, from runs with different seeds of the measurement noise.

use crossover_page::compute::background::Ticket;
use crossover_page::compute::watched::watched;
use crossover_regulation::outcome::{all_periods, evaluate_watched};
use crossover_regulation::{Outcome, Regulation, Step, StrategyRun};

/// Runs with other seeds.
const SEEDS: usize = 38;
/// No more steps of clusters are simulated for intervals: about 0.14 s and 80 MB.
const MOST_STEPS: usize = 1_000_000;
/// Ranks of the ends of a 90 % interval, from both ends of the runs, from 1. Between the ends of n runs, a further run is with the
/// probability (n + 1 − 2 · rank) ÷ (n + 1), whatever the distribution (David and Nagaraja, Order Statistics, Wiley, 2003, section
/// 7.2): 36 of 40. The 5 % and 95 % quantiles of so few runs would hold less.
const RANK: usize = 2;
/// Largest seed of a study, exclusive.
const SEED_LIMIT: f64 = 1e15;

/// A quantity that a controller moves, by period.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quantity {
    /// PCIe occupancy of a cluster.
    Pcie(usize),
    /// Compute load of a cluster.
    Load(usize),
    /// vGPUs of a cluster.
    Vgpus(usize),
    /// Frequency of a cluster, GHz.
    Frequency(usize),
    /// Precision level of a cluster, less the share of the data in the level below.
    Precision(usize),
    /// Relative voltage of a cluster.
    Voltage(usize),
    /// Concurrent tasks of each vGPU of a cluster.
    Concurrency(usize),
    /// Throughput of all clusters, TOPS.
    Tops,
    /// Power of all clusters and of the pool, W.
    Watts,
    /// Largest absolute control error of a cluster.
    Error,
}

impl Quantity {
    /// Those of a cluster.
    const OF_CLUSTER: [fn(usize) -> Self; 7] =
        [Self::Pcie, Self::Load, Self::Vgpus, Self::Frequency, Self::Precision, Self::Voltage, Self::Concurrency];

    /// Those of all clusters together, then those of each cluster.
    fn all(clusters: usize) -> impl Iterator<Item = Self> {
        let of_clusters = (0..clusters).flat_map(|cluster| Self::OF_CLUSTER.map(|of| of(cluster)));
        [Self::Tops, Self::Watts, Self::Error].into_iter().chain(of_clusters)
    }

    /// Its value in a period; `steps` are those of all clusters.
    pub(super) fn of(self, study: &Regulation, steps: &[Step]) -> f64 {
        match self {
            Self::Pcie(cluster) => steps[cluster].pcie,
            Self::Load(cluster) => steps[cluster].load,
            Self::Vgpus(cluster) => steps[cluster].vgpus,
            Self::Frequency(cluster) => steps[cluster].frequency_ghz,
            Self::Precision(cluster) => steps[cluster].precision as f64 - steps[cluster].converted_share,
            Self::Voltage(cluster) => steps[cluster].voltage,
            Self::Concurrency(cluster) => steps[cluster].concurrency,
            Self::Tops => steps.iter().map(|step| step.tops).sum(),
            Self::Watts => {
                let pool_watts = study.clusters[0].watts_per_vgpu * study.manager.pool_power_share;
                steps.iter().map(|step| step.watts).sum::<f64>() + pool_watts * steps[0].pool
            }
            Self::Error => steps.iter().map(|step| step.error.abs()).fold(0.0, f64::max),
        }
    }
}

/// The 90 % intervals of the quantities under each controller.
#[derive(Debug, Clone)]
pub(super) struct Spread {
    quantities: Vec<Quantity>,
    /// By controller, then by quantity, then by period.
    ends: Vec<Vec<Vec<[f64; 2]>>>,
}

impl Spread {
    /// Runs with different seeds, that of the study among them.
    pub(super) const RUNS: usize = SEEDS + 1;

    /// Whether a study has intervals: its runs differ with the seed, and are short enough to be repeated.
    pub(super) fn is_of(study: &Regulation) -> bool {
        is_noisy(study) && all_steps(study) <= MOST_STEPS
    }

    /// Simulates a study with other seeds; `own` is its outcome. `None` if it was cancelled.
    pub(super) fn new(study: &Regulation, own: &Outcome, ticket: &Ticket) -> Option<Self> {
        let quantities: Vec<Quantity> = Quantity::all(study.clusters.len()).collect();
        let mut runs = vec![values(study, own, &quantities)];
        let others = watched(ticket, SEEDS * all_periods(study), |watch| {
            let with_seed = |seed: usize| {
                let mut other = study.clone();
                other.run.seed = (study.run.seed + seed as f64) % SEED_LIMIT;
                Some(values(&other, &evaluate_watched(&other, watch)?, &quantities))
            };
            (1..=SEEDS).map(with_seed).collect::<Option<Vec<_>>>()
        });
        runs.extend(others?);
        let of_controller = |controller: usize| -> Vec<Vec<[f64; 2]>> {
            let of_quantity = |quantity: usize| -> Vec<[f64; 2]> {
                let periods = runs[0][controller][quantity].len();
                (0..periods).map(|period| interval(runs.iter().map(|run| run[controller][quantity][period]))).collect()
            };
            (0..quantities.len()).map(of_quantity).collect()
        };
        let ends = (0..own.controllers.len()).map(of_controller).collect();
        Some(Self { quantities, ends })
    }

    /// The interval of a quantity under a controller, by its index, in each period.
    pub(super) fn of(&self, controller: usize, quantity: Quantity) -> Option<&[[f64; 2]]> {
        let place = self.quantities.iter().position(|of| *of == quantity)?;
        self.ends.get(controller)?.get(place).map(Vec::as_slice)
    }
}

/// Whether the runs of a study have noise.
pub(super) fn is_noisy(study: &Regulation) -> bool {
    study.measurement.noise_share > 0.0
}

fn all_steps(study: &Regulation) -> usize {
    SEEDS.saturating_mul(all_periods(study)).saturating_mul(study.clusters.len())
}

/// For each controller, the values of each quantity by period.
fn values(study: &Regulation, outcome: &Outcome, quantities: &[Quantity]) -> Vec<Vec<Vec<f64>>> {
    let clusters = study.clusters.len();
    let of_run = |run: &StrategyRun| -> Vec<Vec<f64>> {
        let periods = || run.steps.chunks_exact(clusters);
        quantities.iter().map(|quantity| periods().map(|steps| quantity.of(study, steps)).collect()).collect()
    };
    outcome.controllers.iter().map(of_run).collect()
}

/// The 90 % interval of the values of all runs.
fn interval(values: impl Iterator<Item = f64>) -> [f64; 2] {
    let mut values: Vec<f64> = values.collect();
    values.sort_unstable_by(f64::total_cmp);
    [values[RANK - 1], values[values.len() - RANK]]
}

#[cfg(test)]
mod tests {
    use crossover_regulation::evaluate;

    use super::*;

    fn study(text: &str) -> Regulation {
        crossover_scenario::read(text).expect("an example").regulation().expect("a regulation study").clone()
    }

    /// Of as many values as there are runs and one more, each is equally likely to be the further one.
    #[test]
    fn nine_of_ten_further_runs_are_inside_the_interval() {
        let is_inside = |further: &usize| {
            let runs = (0..=Spread::RUNS).rev().filter(|run| run != further);
            let [low, high] = interval(runs.map(|run| run as f64));
            (low..=high).contains(&(*further as f64))
        };
        let all = Spread::RUNS + 1;
        assert_eq!((0..all).filter(is_inside).count() * 10, 9 * all);
    }

    #[test]
    fn noise_spreads_what_the_controller_reads_and_moves() {
        let study = study(include_str!("../../../scenarios/regulation-noisy.ron"));
        assert!(Spread::is_of(&study));
        let outcome = evaluate(&study);
        let spread = Spread::new(&study, &outcome, &Ticket::default()).expect("not cancelled");
        let ends = spread.of(outcome.chosen, Quantity::Error).expect("an interval");
        assert_eq!(ends.len(), 1200);
        assert!(ends.iter().all(|[low, high]| low <= high));
        // Both readings have a standard deviation of 2 %, so the 90 % interval of their difference is wide.
        let wide = ends.iter().filter(|[low, high]| high - low > 0.01).count();
        assert!(wide > 1000, "{wide} of 1200");
        assert!(spread.of(outcome.chosen, Quantity::Pcie(99)).is_none(), "no such cluster");
    }

    #[test]
    fn runs_without_noise_or_of_many_steps_have_no_intervals() {
        assert!(!Spread::is_of(&study(include_str!("../../../scenarios/regulation-recorded.ron"))));
        let mut long = study(include_str!("../../../scenarios/regulation-noisy.ron"));
        long.run.periods = 100_000.0;
        assert!(!Spread::is_of(&long));
    }
}
