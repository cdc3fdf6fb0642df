//! Share of the measured memory bandwidth that each kernel reaches.

use crossover_chart::bars::{BarChart, BarRow, Segment};
use crossover_chart::screen;
use crossover_chart::theme::Token;
use crossover_gpu_bench::report::{Measurement, Side};
use crossover_quantity::unit::Unit;
use egui::Ui;

use super::results::name;

/// The chart of a run; `None` while no measurement has a roof.
pub(super) fn chart(results: &[Measurement]) -> Option<BarChart> {
    let mut largest: Vec<&Measurement> = Vec::new();
    let on_gpu = results.iter().filter(|one| one.side == Side::Gpu && one.roof_share.is_some() && one.time.is_some());
    for measurement in on_gpu {
        let same = |other: &&Measurement| (&other.id, &other.variant) == (&measurement.id, &measurement.variant);
        match largest.iter().position(same) {
            // Small inputs fit into caches, which are above the roof of memory.
            Some(index) if measurement.bytes_traffic > largest[index].bytes_traffic => largest[index] = measurement,
            Some(_) => {}
            None => largest.push(measurement),
        }
    }
    let share = |measurement: &Measurement| measurement.roof_share.unwrap_or(0.0);
    largest.sort_by(|a, b| share(b).total_cmp(&share(a)));
    let (first, last) = (largest.first()?, largest.last()?);
    let mut answer =
        format!("{} reaches the largest share of its bandwidth, {}", name(first), Unit::Share.format(share(first)));
    if largest.len() > 1 {
        answer += &format!("; {} the smallest, {}", name(last), Unit::Share.format(share(last)));
    }
    let row = |measurement: &&Measurement| BarRow {
        start: 0.0,
        interval: None,
        group: name(measurement),
        label: "GPU".to_owned(),
        token: Token::Gpu,
        segments: vec![Segment { name: "reached".to_owned(), token: Token::Gpu, value: share(measurement) }],
        total: share(measurement),
        note: measurement.traffic_gb_per_s().map_or_else(String::new, |speed| of_roof(speed, share(measurement))),
        detail: String::new(),
    };
    Some(BarChart {
        title: "How close do kernels come to the memory bandwidth?".to_owned(),
        subtitle:
            "share of the bandwidth that this GPU reached with the same kind of access (streaming or random), at \
                   the largest input"
                .to_owned(),
        answer: answer + ".",
        step_unit: 1.0,
        unit_format: |share| Unit::Share.format(share),
        rows: largest.iter().map(row).collect(),
    })
}

/// "833 GB/s of 1.016 TB/s": the speed, and the one of which it is this share.
fn of_roof(speed: f64, share: f64) -> String {
    let reached = Unit::GigabytesPerSecond.format(speed);
    if share > 0.0 { format!("{reached} of {}", Unit::GigabytesPerSecond.format(speed / share)) } else { reached }
}

/// Draws the chart with title and answer.
pub(super) fn show(ui: &mut Ui, chart: &BarChart) {
    ui.horizontal_wrapped(|ui| {
        ui.heading(&chart.title);
        ui.weak(&chart.subtitle);
    });
    screen::bars(ui, chart);
    ui.label(&chart.answer);
}
