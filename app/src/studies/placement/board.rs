//! Everything the page shows, computed once for each change of the study or of how it is looked at.

use crossover_chart::bars::BarChart;
use crossover_chart::lines::LineChart;
use crossover_model::placement::curves;
use crossover_model::placement::{Field, Outcome, Placement, evaluate};

use super::look::{ClassCurves, Look};
use super::plan::PlanBoard;
use super::{bars, charts};

/// Points of each curve.
const SAMPLES: usize = 512;

/// Everything the page shows.
#[derive(Debug)]
pub struct Board {
    study: Placement,
    look: Look,
    outcome: Outcome,
    xs: Vec<f64>,
    classes: Vec<ClassCurves>,
    charts: Vec<LineChart>,
    bars: BarChart,
    plan: Option<PlanBoard>,
    provenance: String,
    evaluations: u64,
}

impl Board {
    /// Computes everything.
    #[must_use]
    pub fn new(study: &Placement, look: &Look) -> Self {
        Self::compute(study, look, 1, None)
    }

    /// Computes everything again if the study or the look differs from the last one.
    pub fn refresh(&mut self, study: &Placement, look: &Look) {
        if self.look != *look || self.study != *study {
            *self = Self::compute(study, look, self.evaluations + 1, self.plan.as_ref());
        }
    }

    fn compute(study: &Placement, look: &Look, evaluations: u64, before: Option<&PlanBoard>) -> Self {
        let outcome = evaluate(study);
        let xs = curves::samples(look.axis.window(study), SAMPLES, look.log_x);
        let selected = look.selected(study);
        let classes: Vec<ClassCurves> = curves::classes(study)
            .into_iter()
            .map(|group| {
                let operator = if group.operators.contains(&selected) { selected } else { group.operators[0] };
                ClassCurves { operator, curves: curves::curves(study, operator, look.axis, &xs), group }
            })
            .collect();
        let charts = classes.iter().map(|class| charts::chart(study, look, &outcome, &xs, class)).collect();
        Self {
            charts,
            bars: bars::chart(study, &outcome),
            plan: PlanBoard::new(study, before),
            provenance: provenance_kinds(study),
            study: study.clone(),
            look: look.clone(),
            outcome,
            xs,
            classes,
            evaluations,
        }
    }

    /// The study that everything was computed from.
    #[must_use]
    pub fn study(&self) -> &Placement {
        &self.study
    }

    /// Rows, workload and warnings.
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

    /// The chart of the times.
    #[must_use]
    pub fn bars(&self) -> &BarChart {
        &self.bars
    }

    /// The plan of the query, if the study has one.
    #[must_use]
    pub fn plan(&self) -> Option<&PlanBoard> {
        self.plan.as_ref()
    }

    /// "published, entered": the kinds of sources that the study's numbers have.
    #[must_use]
    pub fn provenance(&self) -> &str {
        &self.provenance
    }

    /// How often everything has been computed.
    #[must_use]
    pub fn evaluations(&self) -> u64 {
        self.evaluations
    }
}

fn provenance_kinds(study: &Placement) -> String {
    let mut kinds: Vec<&str> = Vec::new();
    for field in Field::all(study) {
        let kind = study.sources.get(&field.path(study)).map_or("entered", |source| source.kind());
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    kinds.join(", ")
}
