//! Everything the page shows, computed once for each change of the input.

use crossover_model::placement::curves::{self, ClassGroup};
use crossover_model::placement::{Axis, Curve, Outcome, Placement, evaluate};

/// Points of each curve.
const SAMPLES: usize = 512;

/// The curves of one operator class.
#[derive(Debug, Clone)]
pub struct ClassCurves {
    /// The class and its operators.
    pub group: ClassGroup,
    /// The operator whose numbers the curves use.
    pub operator: usize,
    /// One curve for each network × compression.
    pub curves: Vec<Curve>,
}

/// Everything the page shows.
#[derive(Debug)]
pub struct Board {
    input: (Placement, Axis, bool, usize),
    outcome: Outcome,
    xs: Vec<f64>,
    classes: Vec<ClassCurves>,
    evaluations: u64,
}

impl Board {
    /// Computes everything.
    #[must_use]
    pub fn new(study: &Placement, axis: Axis, log_x: bool) -> Self {
        Self::compute((study.clone(), axis, log_x, 0), 0)
    }

    /// Computes everything again if the input differs from the last one.
    pub fn refresh(&mut self, study: &Placement, axis: Axis, log_x: bool, selected: usize) {
        let (last, last_axis, last_log, last_selected) = &self.input;
        let is_same = *last_axis == axis && *last_log == log_x && *last_selected == selected && last == study;
        if !is_same {
            *self = Self::compute((study.clone(), axis, log_x, selected), self.evaluations);
        }
    }

    fn compute(input: (Placement, Axis, bool, usize), evaluations: u64) -> Self {
        let (study, axis, log_x, selected) = &input;
        let xs = curves::samples(axis.window(study), SAMPLES, *log_x);
        let classes = curves::classes(study)
            .into_iter()
            .map(|group| {
                let operator = if group.operators.contains(selected) { *selected } else { group.operators[0] };
                ClassCurves { operator, curves: curves::curves(study, operator, *axis, &xs), group }
            })
            .collect();
        Self { outcome: evaluate(study), xs, classes, evaluations: evaluations + 1, input }
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

    /// How often everything has been computed.
    #[must_use]
    pub fn evaluations(&self) -> u64 {
        self.evaluations
    }
}
