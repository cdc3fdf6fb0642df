//! The view that the user chose, and the curves of one operator class.

use crossover_placement::curves::ClassGroup;
use crossover_placement::{Axis, Curve, Parameter, Placement, Variant};

/// The view that the user chose. Operators and networks are identified by name, so that a choice survives reordering and
/// undo.
#[derive(Debug, Clone, PartialEq)]
pub struct ViewOptions {
    /// The x axis of the speedups.
    pub axis: Axis,
    /// Whether x is logarithmic.
    pub log_x: bool,
    /// Whether the speedup is logarithmic.
    pub log_y: bool,
    hidden: Vec<(String, bool)>,
    selected: String,
}

impl Default for ViewOptions {
    fn default() -> Self {
        let axis = Axis::One(Parameter::CPU_TIME);
        Self { axis, log_x: true, log_y: true, hidden: Vec::new(), selected: String::new() }
    }
}

impl ViewOptions {
    /// Whether the legend hides a curve.
    #[must_use]
    pub fn is_hidden(&self, study: &Placement, variant: Variant) -> bool {
        self.hidden.contains(&key(study, variant))
    }

    /// Hides a curve, or shows it again.
    pub fn toggle(&mut self, study: &Placement, variant: Variant) {
        let key = key(study, variant);
        match self.hidden.iter().position(|hidden| *hidden == key) {
            Some(index) => drop(self.hidden.remove(index)),
            None => self.hidden.push(key),
        }
    }

    /// Index of the selected operator, or the first one; its class plots its curves.
    #[must_use]
    pub fn selected(&self, study: &Placement) -> usize {
        study.operators.iter().position(|operator| operator.name == self.selected).unwrap_or(0)
    }

    /// Picks an operator.
    pub fn select(&mut self, study: &Placement, operator: usize) {
        if let Some(operator) = study.operators.get(operator) {
            self.selected.clone_from(&operator.name);
        }
    }
}

fn key(study: &Placement, variant: Variant) -> (String, bool) {
    let name = study.networks.get(variant.network).map_or_else(String::new, |network| network.name.clone());
    (name, variant.compression)
}

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
