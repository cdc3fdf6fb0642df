//! A placement study as a kind of study: its checks, assignments and figures.

use super::decision::DecisionInputs;
use super::figures::{OF_ENGINES, OF_QUERY, OF_WORKLOAD, formulas, of_query, of_workload};
use super::study::{Placement, Side};
use super::validate::{kinds, node_exists, query};
use super::whole::{self, EngineWork, has_errors};
use crossover_decision::Goal;
use crossover_quantity::invalid::{Invalid, did_you_mean};
use crossover_quantity::spread::{Spread, Spreads};
use crossover_query::{EstimatedVolumes, Volumes, fill};
use crossover_study::formula::Node;
use crossover_study::{Describe as _, Figure, FigureValue, Subject, Watch, quantity_at, set_number};

impl Subject for Placement {
    fn kind(&self) -> &'static str {
        "placement"
    }

    crossover_study::annotations!();

    fn model_errors(&self) -> Spreads {
        let (Some(engines), Some(query)) = (&self.engines, &self.query) else { return Spreads::new() };
        if !has_errors(query) {
            return Spreads::new();
        }
        let volumes = Volumes::reported(&query.plan);
        let estimated = EstimatedVolumes::of(&query.plan);
        let is_outside = || {
            let multiplied = Volumes::multiplied(&query.plan, &fill(&query.plan));
            engines.outside_by_plan(&multiplied).is_some()
        };
        if engines.measured_seconds.is_none() && engines.planned(estimated.as_ref()).is_none() && is_outside() {
            return Spreads::new();
        }
        let errors = engines.errors(volumes.as_ref(), estimated.as_ref());
        let is_accounted = query.plan.unaccounted_share() <= 0.0;
        let verdict = || EngineWork::new(query, engines).verdict(engines);
        let widening = if is_accounted { 1.0 } else { verdict().map_or(1.0, |verdict| verdict.widening) };
        let widened = |(path, spread): (String, Spread)| {
            let by = if path.starts_with("gpu.") { widening } else { 1.0 };
            (format!("engines.{path}"), Spread { distribution: spread.distribution.widened(by), ..spread })
        };
        errors.into_iter().map(widened).collect()
    }

    fn check_first(&self) -> Result<(), Invalid> {
        // The operators of an imported study come from its plan.
        self.query.as_deref().map_or(Ok(()), query)
    }

    fn check(&self) -> Result<(), Invalid> {
        let inputs = self.decision.as_deref();
        if let Some(trial) = inputs.and_then(|inputs| inputs.trial.as_ref()) {
            trial.check()?;
        }
        if let Some(learned) = inputs.and_then(|inputs| inputs.learned.as_deref()) {
            learned.check()?;
        }
        kinds(self)
    }

    fn why_not_offered(&self) -> Option<Invalid> {
        let why = self.query.as_ref().and(self.engines.as_deref())?.gpu.why_not_on_one()?;
        Some(Invalid { path: "engines.gpu.machines".to_owned(), problem: why })
    }

    fn assign(&mut self, path: &str, value: &str) -> Option<Result<(), String>> {
        if self.decision.is_none()
            && let Some(key) = path.strip_prefix("decision.")
        {
            let inputs = match first_input(key, value)? {
                Ok(inputs) => inputs,
                Err(problem) => return Some(Err(problem)),
            };
            self.edit_decision(|now| *now = inputs);
            return Some(Ok(()));
        }
        let id = path.strip_prefix("query.pins.")?.parse().ok()?;
        if let Err(invalid) = node_exists(self.query.as_ref()?, id) {
            return Some(Err(invalid.problem));
        }
        let side = match value {
            "Cpu" | "Some(Cpu)" => Some(Side::Cpu),
            "Gpu" | "Some(Gpu)" => Some(Side::Gpu),
            "None" => None,
            other => {
                let allowed = ["Cpu", "Gpu", "None"];
                let hint = did_you_mean(other, allowed);
                return Some(Err(format!("“{other}” is not allowed{hint}; allowed: {}", allowed.join(", "))));
            }
        };
        self.pin_node(id, side);
        Some(Ok(()))
    }

    fn figures(&self) -> &'static [Figure] {
        match (&self.query, &self.engines) {
            (Some(_), Some(_)) => &OF_ENGINES,
            (Some(_), None) => &OF_QUERY,
            (None, _) => &OF_WORKLOAD,
        }
    }

    fn answer(&self, watch: Watch<'_>) -> Option<Vec<FigureValue>> {
        if watch.is_cancelled() {
            return None;
        }
        match whole::decide(self) {
            Some(whole) => {
                watch.count(1);
                Some(of_query(&whole))
            }
            None => of_workload(self, watch),
        }
    }

    fn formulas<'t>(&self, number: &dyn Fn(&str, f64) -> Node<'t>) -> Option<Vec<Node<'t>>> {
        // The operators of a plan are placed together, which is not a formula.
        self.query.is_none().then(|| formulas(self, number))
    }
}

/// The inputs of a decision with one that is not the default: a file leaves all of them out while they are. `None` if there is no
/// such number and no such choice.
fn first_input(key: &str, value: &str) -> Option<Result<DecisionInputs, String>> {
    let mut inputs = DecisionInputs::default();
    if key == "goal" {
        inputs.goal = match value {
            "cost" => Goal::Cost,
            "time" => Goal::Time,
            "pareto_front" => Goal::ParetoFront,
            other => return Some(Err(format!("“{other}” is not allowed; allowed: cost, time, pareto_front"))),
        };
        return Some(Ok(inputs));
    }
    let quantity = quantity_at(DecisionInputs::FIELDS, key)?;
    let number = match quantity.parse(value) {
        Ok(number) => number,
        Err(error) => return Some(Err(error.to_string())),
    };
    if let Some(problem) = quantity.problem(number) {
        return Some(Err(problem));
    }
    set_number(&mut inputs, key, number).then_some(Ok(inputs))
}
