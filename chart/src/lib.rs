//! Charts as plain data, drawn as SVG, as PNG and in a window.
//!
//! A chart asks a question in its title and answers it in one sentence. It is independent of studies, files and
//! commands.
//!
//! - [`lines`], [`bars`], [`map`], [`plan`], [`gantt`], [`grid`]: the kinds of charts, each with its SVG; [`axis`]: ranges and ticks
//! - `vega`: each kind as a Vega-Lite specification
//! - [`scatter`]: dots, which the window alone draws
//! - [`png`]: pixels of an SVG
//! - [`screen`]: the same charts in a window
//! - [`theme`]: colour tokens and their meaning

pub mod axis;
pub mod bars;
mod clip;
mod coincide;
pub mod gantt;
pub mod grid;
mod labels;
pub mod lines;
pub mod map;
pub mod plan;
pub mod png;
pub mod scatter;
pub mod screen;
mod svg;
pub mod theme;
mod vega;

use bars::BarChart;
use gantt::GanttChart;
use grid::GridChart;
use lines::LineChart;
use map::MapChart;
use plan::PlanChart;

/// Any chart.
#[derive(Clone, Debug)]
pub enum Chart {
    /// Curves over a quantity.
    Lines(LineChart),
    /// Stacked bars, one per row.
    Bars(BarChart),
    /// Colours over two quantities.
    Map(MapChart),
    /// Operators and the data between them.
    Plan(PlanChart),
    /// A timeline.
    Gantt(GanttChart),
    /// A table of colours.
    Grid(GridChart),
}

/// A form in which a chart is written as text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Form {
    /// An SVG picture on a light background, of a width and a height in pixels.
    Svg([f32; 2]),
    /// A Vega-Lite specification with its data.
    VegaLite,
}

impl Chart {
    /// The chart in a form.
    #[must_use]
    pub fn text(&self, form: Form) -> String {
        match form {
            Form::Svg(size) => self.to_svg(false, size),
            Form::VegaLite => format!("{:#}\n", vega::specification(self)),
        }
    }

    /// A standalone SVG picture, `size` being width and height in pixels.
    ///
    /// Pictures do not shrink below what can be read; bars grow downwards when there are more than fit.
    #[must_use]
    pub fn to_svg(&self, dark: bool, size: [f32; 2]) -> String {
        self.picture(dark, size, false)
    }

    /// The same for a page of a browser, which shows the values of curves at the pointer. It needs no script.
    #[must_use]
    pub fn to_svg_with_values(&self, dark: bool, size: [f32; 2]) -> String {
        self.picture(dark, size, true)
    }

    fn picture(&self, dark: bool, size: [f32; 2], has_values: bool) -> String {
        let size = size.map(f64::from);
        match self {
            Self::Lines(chart) => chart.to_svg(dark, size, has_values),
            Self::Bars(chart) => chart.to_svg(dark, size),
            Self::Map(chart) => chart.to_svg(dark, size),
            Self::Plan(chart) => chart.to_svg(dark, size),
            Self::Gantt(chart) => chart.to_svg(dark, size),
            Self::Grid(chart) => chart.to_svg(dark, size),
        }
    }
}

#[cfg(test)]
mod tests;
