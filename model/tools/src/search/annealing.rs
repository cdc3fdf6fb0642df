//! Simulated annealing for search spaces that are too large to evaluate: several runs, each with other weights of the
//! objectives.

use std::cell::RefCell;

use argmin::core::{CostFunction, Error, Executor};
use argmin::solver::simulatedannealing::{Anneal, SATempFunc, SimulatedAnnealing};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{RngCore as _, SeedableRng as _};
use rayon::prelude::*;

use super::space::{Domain, Evaluated, Space};
use crate::sequence::mix;
use crossover_study::{Subject, Watch};

/// How many runs there are: a constant, so that the result is the same on any number of threads.
const RUNS: usize = 8;
/// Candidates drawn at random first, to scale the objectives.
const FIRST: usize = 200;
/// Penalty of violating a constraint by its whole value, where objectives are scaled to about 1.
const OF_CONSTRAINTS: f64 = 10.0;
/// Temperature at the end, of 1 at the beginning.
const COLD: f64 = 1e-4;

/// The evaluated candidates; `None` if it was cancelled.
pub(super) fn run(space: &Space<'_>, watch: Watch<'_>) -> Option<Evaluated> {
    let runs: Option<Vec<Evaluated>> =
        (0..RUNS).into_par_iter().map(|run| Run::begin(space, run, watch)?.cool()).collect();
    Some(runs?.into_iter().flatten().collect())
}

/// One run.
struct Run<'a> {
    space: &'a Space<'a>,
    watch: Watch<'a>,
    /// Weight of each objective, divided by its spread.
    weights: Vec<f64>,
    /// Median of each objective.
    middles: Vec<f64>,
    state: RefCell<State>,
    draws: RefCell<Xoshiro256PlusPlus>,
    budget: usize,
    seed: u64,
}

struct State {
    study: Box<dyn Subject>,
    evaluated: Evaluated,
}

impl<'a> Run<'a> {
    fn begin(space: &'a Space<'a>, number: usize, watch: Watch<'a>) -> Option<Self> {
        let seed = mix(space.search().seed ^ mix(number as u64));
        let state = RefCell::new(State { study: space.start(), evaluated: Evaluated::new() });
        let objectives = space.aims.of_objectives().len();
        let mut run = Self {
            space,
            watch,
            weights: vec![0.0; objectives],
            middles: vec![0.0; objectives],
            state,
            draws: RefCell::new(Xoshiro256PlusPlus::seed_from_u64(seed)),
            budget: (space.search().budget / RUNS).max(1),
            seed,
        };
        for _ in 0..FIRST.min(run.budget / 2) {
            run.values(&run.anywhere())?;
        }
        run.weigh(number);
        Some(run)
    }

    /// Scales each objective by its spread among the evaluated candidates. The first runs use one objective each, the rest
    /// all of them with random weights.
    fn weigh(&mut self, number: usize) {
        let objectives = self.weights.len();
        let state = self.state.borrow();
        for objective in 0..objectives {
            let evaluated = state.evaluated.values().filter_map(|at| at.as_ref().ok());
            let costs =
                evaluated.map(|values| self.space.aims.costs(&self.space.found(Vec::new(), values).values)[objective]);
            let mut costs: Vec<f64> = costs.filter(|cost| cost.is_finite()).collect();
            costs.sort_by(f64::total_cmp);
            let at = |quarter: usize| costs.get(costs.len() * quarter / 4).copied().unwrap_or(0.0);
            let apart = at(3) - at(1);
            let weight =
                if number < objectives { if number == objective { 1.0 } else { 0.01 } } else { 0.01 + self.share() };
            self.middles[objective] = at(2);
            self.weights[objective] = weight / if apart > 0.0 { apart } else { 1.0 };
        }
    }

    /// Cools down from a random candidate; returns the evaluated candidates.
    fn cool(self) -> Option<Evaluated> {
        let start = self.anywhere();
        let steps = self.budget.saturating_sub(self.state.borrow().evaluated.len()).max(1);
        let cooling = COLD.powf(1.0 / steps as f64);
        let solver = SimulatedAnnealing::new_with_rng(1.0, Xoshiro256PlusPlus::seed_from_u64(mix(self.seed))).ok()?;
        let solver = solver.with_temp_func(SATempFunc::Exponential(cooling));
        let executor = Executor::new(self, solver).configure(|state| state.param(start).max_iters(steps as u64));
        let done = executor.ctrlc(false).run().ok()?;
        Some(done.problem.problem?.state.into_inner().evaluated)
    }

    /// The figures of a candidate; `None` if it was cancelled.
    fn values(&self, place: &[usize]) -> Option<f64> {
        if self.watch.is_cancelled() {
            return None;
        }
        let mut state = self.state.borrow_mut();
        let State { study, evaluated } = &mut *state;
        if !evaluated.contains_key(place) {
            let found = self.space.at(study, place, self.watch)?;
            self.watch.count(1);
            evaluated.insert(place.to_vec(), found);
        }
        Some(match &evaluated[place] {
            Err(_) => f64::MAX,
            Ok(values) => {
                let values = &self.space.found(Vec::new(), values).values;
                let costs = self.space.aims.costs(values);
                let objectives = costs.iter().zip(&self.middles).zip(&self.weights);
                let objectives: f64 = objectives.map(|((cost, middle), weight)| weight * (cost - middle)).sum();
                (objectives + OF_CONSTRAINTS * self.space.aims.violation(values)).min(f64::MAX)
            }
        })
    }

    fn anywhere(&self) -> Vec<usize> {
        self.space.axes.iter().map(|axis| self.below(axis.len())).collect()
    }

    /// From 0 up, below a number.
    fn below(&self, most: usize) -> usize {
        // The bias is negligible: at most 10,000 of 2^64.
        usize::try_from(self.draws.borrow_mut().next_u64() % most.max(1) as u64).unwrap_or(0)
    }

    /// From 0 up, below 1.
    fn share(&self) -> f64 {
        (self.draws.borrow_mut().next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

impl CostFunction for Run<'_> {
    type Param = Vec<usize>;
    type Output = f64;

    fn cost(&self, place: &Vec<usize>) -> Result<f64, Error> {
        self.values(place).ok_or_else(|| Error::msg("cancelled"))
    }
}

impl Anneal for Run<'_> {
    type Param = Vec<usize>;
    type Output = Vec<usize>;
    type Float = f64;

    /// A neighbour along one axis, the nearer the lower the temperature.
    fn anneal(&self, place: &Vec<usize>, temperature: f64) -> Result<Vec<usize>, Error> {
        let mut place = place.clone();
        let number = self.below(place.len());
        let Some(axis) = self.space.axes.get(number) else { return Ok(place) };
        place[number] = match axis.what {
            Domain::Choice(_) => self.below(axis.len()),
            Domain::Number { .. } => {
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "from 1 to half of the values"
                )]
                let reach = (temperature.sqrt() * axis.len() as f64 / 2.0).max(1.0).ceil() as usize;
                let steps = 1 + self.below(reach);
                let is_up = self.below(2) == 0;
                if is_up { (place[number] + steps).min(axis.len() - 1) } else { place[number].saturating_sub(steps) }
            }
        };
        Ok(place)
    }
}
