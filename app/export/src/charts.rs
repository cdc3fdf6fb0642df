//! The numbers of charts as CSV: of pages whose data is nothing but their charts.

use crossover_chart::Chart;
use crossover_chart::bars::BarChart;
use crossover_chart::lines::LineChart;
use crossover_quantity::text::csv::Records;

/// A line for each point of a curve, each marked value, each end of a named band or of an interval, and each part of a bar, in the units
/// of the axes. Charts of other kinds have
/// none: their pages write data of their own.
#[must_use]
pub fn charts_csv(charts: &[Chart]) -> String {
    let mut csv = Records::default();
    csv.push(["chart", "of", "series", "kind", "name", "x", "y"]);
    for chart in charts {
        match chart {
            Chart::Lines(chart) => lines(&mut csv, chart),
            Chart::Bars(chart) => bars(&mut csv, chart),
            Chart::Map(_) | Chart::Plan(_) | Chart::Gantt(_) | Chart::Grid(_) => {}
        }
    }
    csv.into_text()
}

fn lines(csv: &mut Records, chart: &LineChart) {
    let [title, of] = chart.captions();
    let mut write = |series: &str, kind: &str, name: &str, [x, y]: [f64; 2]| {
        if x.is_finite() && y.is_finite() {
            csv.push([title, of, series, kind, name, &x.to_string(), &y.to_string()]);
        }
    };
    for band in chart.bands.iter().filter(|band| !band.name.is_empty()) {
        for [x, low, high] in &band.points {
            write(&band.name, "lower end of the band", "", [*x, *low]);
            write(&band.name, "upper end of the band", "", [*x, *high]);
        }
    }
    for series in &chart.series {
        for point in &series.points {
            write(&series.name, "curve", "", *point);
        }
        for (index, (place, is_fitted)) in series.samples.all().enumerate() {
            let kind = if is_fitted { "mark" } else { "mark outside the fit" };
            write(&series.name, kind, series.samples.names.get(index).map_or("", String::as_str), place);
        }
        for end in series.samples.whiskers.iter().flatten() {
            write(&series.name, "end of an interval", "", *end);
        }
    }
}

fn bars(csv: &mut Records, chart: &BarChart) {
    for row in &chart.rows {
        let name = if row.label.is_empty() { row.group.clone() } else { format!("{}, {}", row.group, row.label) };
        for part in row.segments.iter().filter(|part| part.value.is_finite()) {
            let value = part.value.to_string();
            let fields: [&str; 7] = [&chart.title, &chart.subtitle, &part.name, "part of a bar", &name, "", &value];
            csv.push(fields);
        }
    }
}

#[cfg(test)]
mod tests {
    use crossover_chart::axis::{Axis, Scale};
    use crossover_chart::bars::{BarRow, Segment};
    use crossover_chart::lines::{Band, Marker, Samples, Series};
    use crossover_chart::theme::Token;

    use super::*;
    use crate::csv::parse;

    #[test]
    fn curves_marks_and_bars_are_written_with_the_names_of_their_charts() {
        let format: fn(f64) -> String = |value| value.to_string();
        let axis = |label: &str| Axis {
            label: label.to_owned(),
            format,
            scale: Scale::Linear,
            range: [0.0, 1.0],
            step_unit: 1.0,
        };
        let (places, names) = (vec![[1.0, 2.5]], ["first", "second"].map(str::to_owned).to_vec());
        let samples = Samples {
            marker: Marker::Up,
            places,
            left_out: vec![[3.0, 0.25]],
            names,
            whiskers: vec![[[1.0, 2.0], [1.0, 3.0]]],
        };
        let series = Series { samples, ..Series::line("CPU", Token::Cpu, vec![[1.0, 2.0], [2.0, f64::NAN]]) };
        let lines = LineChart {
            subtitle: "filter".to_owned(),
            bands: vec![Band { name: "90 %".to_owned(), token: Token::Cpu, points: vec![[1.0, 1.5, 4.0]] }],
            series: vec![series],
            ..LineChart::new("Which?", axis("x"), axis("y"))
        };
        let segment = Segment { name: "p95 wait".to_owned(), token: Token::Cpu, value: 60.0 };
        let row = BarRow {
            group: "record".to_owned(),
            label: String::new(),
            token: Token::Cpu,
            start: 0.0,
            segments: vec![segment],
            total: 60.0,
            interval: None,
            note: String::new(),
            detail: String::new(),
        };
        let bars = BarChart {
            title: "How long?".to_owned(),
            subtitle: String::new(),
            answer: String::new(),
            step_unit: 1.0,
            unit_format: format,
            rows: vec![row],
        };
        let expected = [
            vec!["chart", "of", "series", "kind", "name", "x", "y"],
            vec!["Which?", "filter", "90 %", "lower end of the band", "", "1", "1.5"],
            vec!["Which?", "filter", "90 %", "upper end of the band", "", "1", "4"],
            vec!["Which?", "filter", "CPU", "curve", "", "1", "2"],
            vec!["Which?", "filter", "CPU", "mark", "first", "1", "2.5"],
            vec!["Which?", "filter", "CPU", "mark outside the fit", "second", "3", "0.25"],
            vec!["Which?", "filter", "CPU", "end of an interval", "", "1", "2"],
            vec!["Which?", "filter", "CPU", "end of an interval", "", "1", "3"],
            vec!["How long?", "", "p95 wait", "part of a bar", "record", "", "60"],
        ];
        assert_eq!(parse(&charts_csv(&[Chart::Lines(lines), Chart::Bars(bars)])), expected);
    }
}
