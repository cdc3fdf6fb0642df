//! A placement study as a kind of study: its checks, assignments and figures.

use super::figures::{OF_ENGINES, OF_QUERY, OF_WORKLOAD, formulas, of_query, of_workload};
use super::study::{Placement, Side};
use super::validate::{kinds, node_exists, query};
use super::whole::{self, has_errors};
use crossover_quantity::invalid::{Invalid, did_you_mean};
use crossover_quantity::provenance::Sources;
use crossover_quantity::spread::Spreads;
use crossover_study::bill::Bill;
use crossover_study::formula::Node;
use crossover_study::{Figure, FigureValue, Subject, Watch};

impl Subject for Placement {
    fn kind(&self) -> &'static str {
        "placement"
    }

    fn sources(&self) -> &Sources {
        &self.sources
    }

    fn sources_mut(&mut self) -> &mut Sources {
        &mut self.sources
    }

    fn spreads(&self) -> &Spreads {
        &self.uncertain
    }

    fn spreads_mut(&mut self) -> &mut Spreads {
        &mut self.uncertain
    }

    fn model_errors(&self) -> Spreads {
        let (Some(engines), Some(query)) = (&self.engines, &self.query) else { return Spreads::new() };
        if !has_errors(query) {
            return Spreads::new();
        }
        engines.errors().into_iter().map(|(path, spread)| (format!("engines.{path}"), spread)).collect()
    }

    fn bill(&self) -> Option<&Bill> {
        self.bill.as_deref()
    }

    fn bill_mut(&mut self) -> &mut Option<Box<Bill>> {
        &mut self.bill
    }

    fn check_first(&self) -> Result<(), Invalid> {
        // The operators of an imported study come from its plan.
        self.query.as_deref().map_or(Ok(()), query)
    }

    fn check(&self) -> Result<(), Invalid> {
        kinds(self)
    }

    fn assign(&mut self, path: &str, value: &str) -> Option<Result<(), String>> {
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
