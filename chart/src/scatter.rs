//! Dots over two quantities, of which there may be many thousands.

use super::axis::Axis;
use crate::theme::Token;

/// A chart of dots, complete.
#[derive(Clone, Debug)]
pub struct Scatter {
    /// The question the chart answers.
    pub title: String,
    /// The answer, in one sentence.
    pub answer: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// Names and colours of kinds of dots, in the order of the legend.
    pub kinds: Vec<(String, Token)>,
    /// The dots; those that come later lie above.
    pub dots: Vec<Dot>,
    /// Label of the strip below the vertical axis, which has the dots without a place on the axis.
    pub below: String,
}

/// A dot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dot {
    /// Its place, in data units; without a place on the horizontal axis it is not drawn.
    pub x: f64,
    /// Its place, in data units.
    pub y: f64,
    /// Its kind, by its place in [`Scatter::kinds`].
    pub kind: usize,
}

impl Scatter {
    /// Whether a dot lies in the strip below.
    #[must_use]
    pub fn is_below(&self, dot: &Dot) -> bool {
        !self.y.has_place_for(dot.y)
    }
}
