//! The learning curve of a training.

use crossover_chart::axis::{Axis, Scale};
use crossover_chart::lines::{Band, LineChart, Series};
use crossover_chart::theme::Token;
use crossover_predict::train::Epoch;
use crossover_quantity::unit::Unit;

/// Colour of the training set.
const TRAINING: Token = Token::Rule(6);
/// Colour of the validation set.
const VALIDATION: Token = Token::Rule(1);

/// The errors of the training set and of the validation set, epoch by epoch, with their 90 % intervals.
pub(super) fn learning(curve: &[Epoch]) -> LineChart {
    let series = |name: &str, token: Token, dashed: bool, of: fn(&Epoch) -> f64| {
        let points = curve.iter().map(|epoch| [epoch.epoch as f64, of(epoch)]).collect();
        Series { dashed, ..Series::line(name, token, points) }
    };
    let least = curve.iter().min_by(|a, b| a.validation.total_cmp(&b.validation));
    let errors = || curve.iter().flat_map(|epoch| [epoch.training, epoch.validation]).filter(|error| *error > 0.0);
    let intervals = curve.iter().flat_map(|epoch| [epoch.training_interval, epoch.validation_interval]);
    let highest = errors().chain(intervals.flatten().map(|[_, high]| high)).fold(0.0, f64::max);
    let (low, high) = (errors().fold(f64::INFINITY, f64::min), highest);
    let y = if low < high { [0.8 * low, 1.25 * high] } else { [0.01, 1.0] };
    let band = |name: &str, token: Token, of: fn(&Epoch) -> Option<[f64; 2]>| {
        // A logarithmic axis cannot show 0.
        let ends = |epoch: &Epoch| of(epoch).map(|[low, high]| [epoch.epoch as f64, low.max(y[0]), high.max(y[0])]);
        Band { name: name.to_owned(), token, points: curve.iter().filter_map(ends).collect() }
    };
    let bands = [
        band("90 % interval over the networks", TRAINING, |epoch| epoch.training_interval),
        band("90 % interval over the runs", VALIDATION, |epoch| epoch.validation_interval),
    ];
    LineChart {
        answer: least
            .map_or_else(String::new, |least| format!("The validation error is smallest in epoch {}.", least.epoch)),
        bands: bands.into_iter().filter(|band| !band.points.is_empty()).collect(),
        series: vec![
            series("training set", TRAINING, false, |epoch| epoch.training),
            series("validation set", VALIDATION, true, |epoch| epoch.validation),
        ],
        ..LineChart::new(
            "Does the validation error still fall?",
            Axis {
                label: "epoch".to_owned(),
                format: Unit::Count.formatter(),
                scale: Scale::Linear,
                range: [0.0, curve.len().max(2) as f64],
                step_unit: 1.0,
            },
            Axis {
                label: "error, standard deviations of the target".to_owned(),
                format: Unit::Ratio.formatter(),
                scale: Scale::Log,
                range: y,
                step_unit: 1.0,
            },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_have_the_bands_of_their_intervals_above_the_end_of_the_axis() {
        let epoch = |epoch, training_interval| Epoch {
            epoch,
            training: 1.0,
            validation: 2.0,
            training_interval,
            validation_interval: Some([0.0, 4.0]),
        };
        let chart = learning(&[epoch(1, Some([0.9, 1.1])), epoch(2, None)]);
        let [training, validation] = &chart.bands[..] else { panic!("{:?}", chart.bands) };
        assert_eq!(training.points, [[1.0, 0.9, 1.1]]);
        // The axis begins at 0.8 of the least error, and ends above the highest interval.
        assert_eq!(validation.points, [[1.0, 0.8, 4.0], [2.0, 0.8, 4.0]]);
        assert_eq!(chart.y.range, [0.8, 5.0]);
    }
}
