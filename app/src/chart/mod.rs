//! Charts as plain data, and what they become outside the window: CSV, SVG and PNG.
//!
//! A chart asks a question in its title and answers it in one sentence. The window draws the same data.

pub mod axis;
pub mod bars;
mod labels;
pub mod lines;
pub mod png;
mod svg;

use bars::BarChart;
use lines::LineChart;

/// Any chart.
#[derive(Clone, Debug)]
pub enum Chart {
    /// Curves over a quantity.
    Lines(LineChart),
    /// Stacked bars, one per row.
    Bars(BarChart),
}

impl Chart {
    /// The numbers behind the picture as comma-separated values (RFC 4180), every digit kept.
    ///
    /// Curves give one row per abscissa and one column per series, bars one row per bar and one column per segment
    /// name. A cell is empty where there is no finite number.
    #[must_use]
    pub fn to_csv(&self) -> String {
        match self {
            Self::Lines(chart) => chart.to_csv(),
            Self::Bars(chart) => chart.to_csv(),
        }
    }

    /// A stand-alone SVG picture, `size` being width and height in pixels.
    ///
    /// Pictures do not shrink below what can be read; bars grow downwards when there are more than fit.
    #[must_use]
    pub fn to_svg(&self, dark: bool, size: [f32; 2]) -> String {
        let size = size.map(f64::from);
        match self {
            Self::Lines(chart) => chart.to_svg(dark, size),
            Self::Bars(chart) => chart.to_svg(dark, size),
        }
    }
}

/// Writes one CSV record, quoting where RFC 4180 asks for it.
fn push_csv_record(csv: &mut String, cells: impl IntoIterator<Item = String>) {
    for (index, cell) in cells.into_iter().enumerate() {
        if index > 0 {
            csv.push(',');
        }
        if cell.contains([',', '"', '\r', '\n']) {
            csv.push('"');
            csv.push_str(&cell.replace('"', "\"\""));
            csv.push('"');
        } else {
            csv.push_str(&cell);
        }
    }
    csv.push_str("\r\n");
}

/// A number that reads back as the same number; nothing for what is not finite.
fn csv_number(value: f64) -> String {
    if value.is_finite() { format!("{value:?}") } else { String::new() }
}
