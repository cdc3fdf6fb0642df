//! p_p and p_d over time, with error and output of the controller.

use crossover_chart::axis::{Axis, Scale};
use crossover_chart::lines::{Band, LineChart, Series};
use crossover_chart::theme::Token;
use crossover_quantity::unit::{Unit, elapsed};
use crossover_regulation::Band as Row;

use super::track::Point;
use crate::balance::Balance;
use crate::time::{COMPUTE, TRANSFER};

/// Both charts of the samples of the last minutes; `dead_zone` is the range of outputs without action.
pub(super) fn charts<'a>(
    points: &(impl Iterator<Item = &'a Point> + Clone),
    load_name: &str,
    dead_zone: [f64; 2],
) -> [LineChart; 2] {
    let curve = |value: fn(&Point) -> Option<f64>| -> Vec<[f64; 2]> {
        points.clone().map(|point| [point.seconds, value(point).unwrap_or(f64::NAN)]).collect()
    };
    let pcie = curve(|point| point.occupancies.map(|[pcie, _]| pcie));
    let load = curve(|point| point.occupancies.map(|[_, load]| load));
    let error = curve(|point| point.advice.as_ref().map(|advice| advice.error));
    let output = curve(|point| point.advice.as_ref().map(|advice| advice.output));
    let [from, to] = [pcie.first(), pcie.last()].map(|end| end.map_or(0.0, |[seconds, _]| *seconds));
    let chart = |title: &str, answer, y, bands, series| LineChart {
        answer,
        bands,
        series,
        ..LineChart::new(
            title,
            Axis {
                label: "time since start".into(),
                format: elapsed,
                scale: Scale::Time,
                range: [from, to],
                step_unit: 1.0,
            },
            y,
        )
    };
    let axis = |label: &str, unit: Unit, range| Axis {
        label: label.into(),
        format: unit.formatter(),
        scale: Scale::Linear,
        range,
        step_unit: 1.0,
    };
    let farthest = error.iter().chain(&output).map(|[_, value]| value.abs()).fold(1.0, f64::max);
    let (balance, control) = (balance(&pcie, &load, dead_zone), acts(points.clone()));
    let dead_zone = Band {
        name: "dead zone".into(),
        token: Token::TextWeak,
        points: [from, to].map(|seconds| [seconds, dead_zone[0], dead_zone[1]]).to_vec(),
    };
    [
        chart(
            "Are transfer and compute in balance?",
            balance,
            axis("occupancy", Unit::Share, [0.0, 1.0]),
            Vec::new(),
            vec![series("PCIe occupancy p_p", TRANSFER, pcie), series(load_name, COMPUTE, load)],
        ),
        chart(
            "What is the controller output?",
            control,
            axis("e and u", Unit::Ratio, [-farthest, farthest]),
            vec![dead_zone],
            vec![series("e = p_p − p_d", Token::TextWeak, error), series("u, output", Token::Accent, output)],
        ),
    ]
}

fn series(name: &str, token: Token, points: Vec<[f64; 2]>) -> Series {
    Series::line(name, token, points)
}

/// Both averages, and what bounds the GPU.
fn balance(pcie: &[[f64; 2]], load: &[[f64; 2]], dead_zone: [f64; 2]) -> String {
    let (Some(pcie), Some(load)) = (mean(pcie), mean(load)) else {
        return "The GPU did not report both p_p and p_d.".into();
    };
    let bound = Balance::of(pcie - load, dead_zone).in_words();
    format!("On average p_p {}, p_d {}: {bound}.", Unit::Share.format(pcie), Unit::Share.format(load))
}

/// How often the controller would have acted.
fn acts<'a>(points: impl Iterator<Item = &'a Point>) -> String {
    let advised: Vec<_> = points.filter_map(|point| point.advice.as_ref()).collect();
    let is_idle = |row: &Row| row.vgpus == 0.0 && row.frequency_mhz == 0.0 && row.precision == 0.0;
    let outside = advised.iter().filter(|advice| !is_idle(&advice.row)).count();
    format!("u lies outside the dead zone in {outside} of {} samples.", advised.len())
}

fn mean(points: &[[f64; 2]]) -> Option<f64> {
    let values: Vec<f64> = points.iter().map(|[_, value]| *value).filter(|value| value.is_finite()).collect();
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}
