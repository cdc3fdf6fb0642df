//! Everything the page shows, computed once for each change of the study or of the view.

use std::sync::Arc;

use crossover_chart::bars::BarChart;
use crossover_chart::lines::LineChart;
use crossover_page::compute::background::Ticket;
use crossover_page::compute::computed::Work;
use crossover_page::compute::watched::watched;
use crossover_placement::curves;
use crossover_placement::outcome::evaluate_watched;
use crossover_placement::{Axis, Outcome, ParameterOf, Placement, Variant};
use crossover_study::along::samples;

use super::plan::PlanBoard;
use super::view_options::{ClassCurves, ViewOptions};
use super::{bars, charts};

/// Points of each curve.
const SAMPLES: usize = 512;

// Estimated times in milliseconds, upper bounds. `cargo bench -p crossover-placement --bench placement`, two cores: 0.56 ms
// for the published example, estimated 0.64; 1.9 ms for the modern cluster, estimated 2.9.
/// One operator in one variant, with its break-even.
const ROW_MS: f64 = 0.02;
/// One curve, with its break-even.
const CURVE_MS: f64 = 0.06;
/// One node of a plan: its decision takes up to 0.0015 (docs/ARCHITECTURE.md, Speed); the rest is a margin for layout and
/// texts, not measured.
const NODE_MS: f64 = 0.004;

/// The input of the page: a study and its view.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct BoardInput {
    pub(super) study: Placement,
    pub(super) look: ViewOptions,
}

/// Everything the page shows.
#[derive(Debug)]
pub struct Board {
    study: Placement,
    axis: Axis,
    outcome: Outcome,
    xs: Vec<f64>,
    classes: Vec<ClassCurves>,
    charts: Vec<LineChart>,
    coincidences: Vec<String>,
    bars: BarChart,
    plan: Option<Arc<PlanBoard>>,
    provenance: String,
}

impl Work for BoardInput {
    type Outcome = Board;
    const NAME: &'static str = "placement";
    const AGAIN: &'static str = "Place again";

    fn milliseconds(&self) -> f64 {
        let Placement { operators, query, .. } = &self.study;
        if let Some(query) = query {
            return NODE_MS * query.plan.nodes.len() as f64;
        }
        let variants = Variant::all(&self.study).count() as f64;
        operators.len() as f64 * variants * (ROW_MS + CURVE_MS)
    }

    /// "Placing 10,000 nodes of a plan".
    fn in_words(&self) -> String {
        let count = |count: usize, one: &str, many: &str| {
            let number = crossover_quantity::unit::Unit::Count.format(count as f64);
            format!("Placing {number} {}", if count == 1 { one } else { many })
        };
        match &self.study.query {
            Some(query) => count(query.plan.nodes.len(), "node of a plan", "nodes of a plan"),
            None => count(self.study.operators.len(), "operator", "operators"),
        }
    }

    fn compute(&self, before: Option<&Board>, ticket: &Ticket) -> Option<Board> {
        let Self { study, look } = self;
        // The page of a plan shows its nodes, and not the kinds of operators beside it.
        let without_kinds = study.query.is_some().then(|| Placement { operators: Vec::new(), ..study.clone() });
        let workload = without_kinds.as_ref().unwrap_or(study);
        let outcome = watched(ticket, 2 * workload.operators.len(), |watch| evaluate_watched(workload, watch))?;
        let xs = samples(look.axis.window(study), SAMPLES, look.log_x);
        let selected = look.selected(study);
        let mut classes = Vec::new();
        // A query has curves of its plan, not of the costs of kinds.
        let groups = if study.query.is_none() { curves::classes(study) } else { Vec::new() };
        for group in groups {
            let operator = if group.operators.contains(&selected) { selected } else { group.operators[0] };
            let curves = curves::curves(study, operator, look.axis, &xs);
            classes.push(ClassCurves { group, operator, curves });
            if ticket.is_cancelled() {
                return None;
            }
        }
        let charts: Vec<LineChart> =
            classes.iter().map(|class| charts::chart(study, look, &outcome, &xs, class)).collect();
        // With equal networks the curves of every class coincide; one note is enough.
        let mut coincidences: Vec<String> = Vec::new();
        for found in charts.iter().map(LineChart::coincidences) {
            if !found.is_empty() && !coincidences.contains(&found) {
                coincidences.push(found);
            }
        }
        let plan = match &study.query {
            Some(query) => {
                let before = before.and_then(Board::plan).map(|plan| &**plan);
                Some(Arc::new(PlanBoard::new(study, query, before, ticket)?))
            }
            None => None,
        };
        Some(Board {
            charts,
            coincidences,
            bars: bars::chart(workload, &outcome),
            plan,
            provenance: provenance_kinds(study),
            study: study.clone(),
            axis: look.axis,
            outcome,
            xs,
            classes,
        })
    }
}

impl Board {
    /// The study that everything was computed from.
    #[must_use]
    pub fn study(&self) -> &Placement {
        &self.study
    }

    /// The x axis of the speedups.
    #[must_use]
    pub fn axis(&self) -> Axis {
        self.axis
    }

    /// Rows, workload and warnings; without rows if the study has a plan.
    #[must_use]
    pub fn outcome(&self) -> &Outcome {
        &self.outcome
    }

    /// Where the curves are sampled.
    #[must_use]
    pub fn xs(&self) -> &[f64] {
        &self.xs
    }

    /// The curves, class by class.
    #[must_use]
    pub fn classes(&self) -> &[ClassCurves] {
        &self.classes
    }

    /// One chart for each class.
    #[must_use]
    pub fn charts(&self) -> &[LineChart] {
        &self.charts
    }

    /// Which curves coincide, in words.
    #[must_use]
    pub fn coincidences(&self) -> &[String] {
        &self.coincidences
    }

    /// The chart of the times.
    #[must_use]
    pub fn bars(&self) -> &BarChart {
        &self.bars
    }

    /// The plan of the query, if the study has one.
    #[must_use]
    pub fn plan(&self) -> Option<&Arc<PlanBoard>> {
        self.plan.as_ref()
    }

    /// "published, entered": the kinds of sources that the study's numbers have.
    #[must_use]
    pub fn provenance(&self) -> &str {
        &self.provenance
    }
}

fn provenance_kinds(study: &Placement) -> String {
    let mut kinds: Vec<&str> = Vec::new();
    for field in ParameterOf::all(study) {
        let kind = study.sources.get(&field.path(study)).map_or("entered", |source| source.kind());
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    kinds.join(", ")
}
