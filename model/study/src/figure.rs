//! Figures: the outputs of a study, for the whole and for its parts.

use crossover_quantity::unit::Unit;

/// Description of a figure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Figure {
    /// Name in files and on the command line; unique in its study together with `list`.
    pub key: &'static str,
    /// Short name for a table or an axis.
    pub label: &'static str,
    /// Unit of the value.
    pub unit: Unit,
    /// Which direction is better.
    pub better: Better,
    /// The list whose entries each have it; `None`: the whole study has it.
    pub list: Option<&'static str>,
    /// What it means, one sentence.
    pub meaning: &'static str,
}

/// Which direction of a figure is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Better {
    /// The higher.
    Higher,
    /// The lower.
    Lower,
    /// Neither.
    Neither,
}

/// A figure with its value.
#[derive(Debug, Clone, PartialEq)]
pub struct FigureValue {
    /// Which figure.
    pub figure: &'static Figure,
    /// The entry of the list that it belongs to; `None`: the whole study.
    pub of: Option<String>,
    /// The value in the figure's unit; `None` if there is none, for example if a run does not settle.
    pub value: Option<f64>,
}

impl FigureValue {
    /// Of the whole study.
    #[must_use]
    pub fn whole(figure: &'static Figure, value: impl Into<Option<f64>>) -> Self {
        Self { figure, of: None, value: finite(value) }
    }

    /// Of an entry of the figure's list.
    #[must_use]
    pub fn of(figure: &'static Figure, entry: &str, value: impl Into<Option<f64>>) -> Self {
        Self { figure, of: Some(entry.to_owned()), value: finite(value) }
    }

    /// Name on the command line: `speedup`, or `operators.join.speedup`.
    #[must_use]
    pub fn key(&self) -> String {
        match (&self.of, self.figure.list) {
            (Some(of), Some(list)) => format!("{list}.{of}.{}", self.figure.key),
            _ => self.figure.key.to_owned(),
        }
    }

    /// "speedup", or "join: speedup".
    #[must_use]
    pub fn label(&self) -> String {
        match &self.of {
            Some(of) => format!("{of}: {}", self.figure.label),
            None => self.figure.label.to_owned(),
        }
    }
}

/// `None` if not finite.
fn finite(value: impl Into<Option<f64>>) -> Option<f64> {
    // Adding zero makes one zero of the two.
    value.into().filter(|value| value.is_finite()).map(|value| value + 0.0)
}
