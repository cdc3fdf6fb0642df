//! The learning curve of a training.

use crossover_chart::axis::{Axis, Scale};
use crossover_chart::lines::{LineChart, Series};
use crossover_chart::theme::Token;
use crossover_predict::train::Epoch;
use crossover_quantity::unit::Unit;

/// The errors of the training set and of the validation set, epoch by epoch.
pub(super) fn learning(curve: &[Epoch]) -> LineChart {
    let series = |name: &str, token: Token, dashed: bool, of: fn(&Epoch) -> f64| {
        let points = curve.iter().map(|epoch| [epoch.epoch as f64, of(epoch)]).collect();
        Series { dashed, ..Series::line(name, token, points) }
    };
    let least = curve.iter().min_by(|a, b| a.validation.total_cmp(&b.validation));
    let errors = || curve.iter().flat_map(|epoch| [epoch.training, epoch.validation]).filter(|error| *error > 0.0);
    let (low, high) = (errors().fold(f64::INFINITY, f64::min), errors().fold(0.0, f64::max));
    LineChart {
        title: "Does the validation error still fall?".to_owned(),
        subtitle: String::new(),
        answer: least
            .map_or_else(String::new, |least| format!("The validation error is smallest in epoch {}.", least.epoch)),
        x: Axis {
            label: "epoch".to_owned(),
            format: Unit::Count.formatter(),
            scale: Scale::Linear,
            range: [0.0, curve.len().max(2) as f64],
        },
        y: Axis {
            label: "error, standard deviations of the target".to_owned(),
            format: Unit::Ratio.formatter(),
            scale: Scale::Log,
            range: if low < high { [0.8 * low, 1.25 * high] } else { [0.01, 1.0] },
        },
        bands: Vec::new(),
        series: vec![
            series("training set", Token::Rule(6), false, |epoch| epoch.training),
            series("validation set", Token::Rule(1), true, |epoch| epoch.validation),
        ],
        threshold: None,
        points: Vec::new(),
        breakevens: Vec::new(),
        is_editable: false,
    }
}
