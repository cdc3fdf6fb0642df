//! Training: the split, the scales, the epochs of all members, and the errors.

use std::num::NonZeroUsize;
use std::{io, thread};

use crossover_quantity::estimate::{BAND_CONFIDENCE, interval};
use crossover_study::Watch;
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::SeedableRng as _;

use super::baseline::Ridge;
use super::card::{FORMAT, MOST_WEIGHTS, ModelCard, Parts, weights};
use super::dataset::{Dataset, Row};
use super::error::TrainError;
use super::examples::Examples;
use super::hardware::TypeHardware;
use super::learner::Learner;
use super::model::Model;
use super::network::{Network, shapes};
use super::options::{Loss, Options};
use super::report::{ErrorComparison, Errors};
use super::scale::{Feature, TargetScale, single};
use super::split::Split;

/// Learning rate at the last epoch, relative to the first.
const LAST_RATE: f64 = 0.01;
/// Most test runs that are predicted from other types: each takes a prediction for every type.
const MOST_UNSEEN: usize = 5_000;

/// Progress of training; the two losses are the points of the learning curve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Epoch {
    /// Number of the finished epoch, from 1.
    pub epoch: usize,
    /// Mean loss over the training set and all members, each run before its update: squared or absolute, in standard deviations
    /// of the scaled target.
    pub training: f64,
    /// Loss of the averaged predictions on the validation set.
    pub validation: f64,
    /// 90 % interval of [`training`](Self::training), from the losses of the members, each with a seed of its own; `None` with one member.
    pub training_interval: Option<[f64; 2]>,
    /// 90 % interval of [`validation`](Self::validation), from the losses of its runs; `None` with one run.
    pub validation_interval: Option<[f64; 2]>,
}

/// Trains a network on the training set of measured runs and keeps the weights of the epoch with the smallest loss on the
/// validation set. Reports errors on the test set, also of two baselines. Deterministic for the same data, options and version,
/// on any number of threads. `on_epoch` is called after each epoch; `watch` counts epochs and may cancel before each.
///
/// # Errors
/// [`TrainError`]: options outside their ranges, runs that cannot be trained on, or cancelled.
pub fn train(
    data: &Dataset,
    options: &Options,
    watch: Watch<'_>,
    on_epoch: &mut dyn FnMut(Epoch),
) -> Result<Model, TrainError> {
    let untrainable = |problem: String| TrainError::Untrainable(format!("{}: {problem}", data.source));
    if let Some(problem) = data.problem().or_else(|| options.problem()) {
        return Err(untrainable(problem));
    }
    let shapes = shapes(data.features.len(), &options.hidden, data.devices.len());
    let weights = weights(options.members, &shapes);
    if weights > MOST_WEIGHTS {
        return Err(untrainable(format!(
            "{weights} weights; allowed: at most {MOST_WEIGHTS}; use fewer or smaller layers"
        )));
    }
    let base = base(data, options).map_err(untrainable)?;
    let split = {
        let mut random = Pcg64Mcg::seed_from_u64(options.seed);
        Split::new(data.rows.len(), options.validation, options.test, &mut random)
    };
    let features: Vec<Feature> = (0..data.features.len())
        .map(|place| Feature::of(&data.features[place], &column(data, &split.training, place)))
        .collect();
    let values: Vec<f64> = split.training.iter().map(|row| data.rows[*row].value).collect();
    let bases = base.map(|place| (place, column(data, &split.training, place)));
    let scale = TargetScale::of(&values, bases.as_ref().map(|(place, bases)| (*place, bases.as_slice())), bounds(data));
    let examples = |part: &[usize]| examples(data, part, &features, &scale);
    let [training, validation, test] = [&split.training, &split.validation, &split.test].map(|part| examples(part));

    let failed = |error: io::Error| untrainable(format!("the predictor could not be trained: {error}"));
    let (networks, epochs, best_epoch) = {
        let learners = (0..options.members).map(|member| Learner::new(&shapes, training.len(), options, member));
        let mut learners: Vec<Learner> = learners.collect();
        let mut best: Option<(f64, usize, Vec<Network>)> = None;
        let mut epochs = 0;
        while epochs < options.most_epochs {
            if watch.is_cancelled() {
                return Err(TrainError::Cancelled);
            }
            let rate = rate(options, epochs);
            epochs += 1;
            let done = epoch_of_all(&mut learners, &training, &validation, rate, options).map_err(failed)?;
            let members: Vec<f64> = done.iter().map(|done| done.loss).collect();
            let of_runs = validation_losses(&done, &validation, options.loss);
            let [training, validation] = [&members, &of_runs].map(|losses| mean(losses));
            if !(training.is_finite() && validation.is_finite()) {
                let rate = options.learning_rate;
                return Err(untrainable(format!(
                    "the loss diverged in epoch {epochs}; use a learning rate below {rate}"
                )));
            }
            watch.count(1);
            let [training_interval, validation_interval] = [&members, &of_runs].map(|losses| interval_of(losses));
            on_epoch(Epoch { epoch: epochs, training, validation, training_interval, validation_interval });
            if best.as_ref().is_none_or(|(least, ..)| validation < *least) {
                best = Some((validation, epochs, done.into_iter().map(|done| done.network).collect()));
            } else if best.as_ref().is_some_and(|(_, epoch, _)| epochs - epoch >= options.patience) {
                break;
            }
        }
        let (_, best_epoch, networks) = best.ok_or_else(|| untrainable("no epoch was trained".to_owned()))?;
        (networks, epochs, best_epoch)
    };

    let ridge = Ridge::new(&training, &validation, data.devices.len());
    let card = ModelCard {
        format: FORMAT,
        source: data.source.clone(),
        digest: data.digest.clone(),
        rows: Parts {
            training: training.len(),
            validation: validation.len(),
            test: test.len(),
            left_out: data.left_out,
        },
        date: options.date.clone(),
        target: data.target,
        unit: data.unit.clone(),
        devices: data.devices.clone(),
        hardware: TypeHardware::of(data),
        features,
        scale,
        hidden: options.hidden.clone(),
        members: options.members,
        loss: options.loss,
        seed: options.seed,
        epochs,
        best_epoch,
        ridge_strength: ridge.strength,
        errors: ErrorComparison::default(),
        of_devices: Vec::new(),
    };
    let mut model = Model { card, networks };
    report(&mut model, data, &split, &test, &ridge);
    Ok(model)
}

/// The index of the feature by which the target is divided.
fn base(data: &Dataset, options: &Options) -> Result<Option<usize>, String> {
    let Some(name) = &options.relative_to else { return Ok(None) };
    let place = data.features.iter().position(|feature| feature == name).ok_or_else(|| {
        format!("no feature “{name}” to divide the target by; available: {}", data.features.join(", "))
    })?;
    match data.rows.iter().position(|row| row.features[place] <= 0.0 || row.value <= 0.0) {
        Some(row) => Err(format!("row {}: “{name}” and the target must be above 0 to be divided", row + 1)),
        None => Ok(Some(place)),
    }
}

/// Bounds of predictions: 0 and 100 % of a utilisation; 0 if no measured value is below.
fn bounds(data: &Dataset) -> [f64; 2] {
    if data.unit == "%" {
        return [0.0, 100.0];
    }
    let values = || data.rows.iter().map(|row| row.value);
    let least = values().fold(f64::INFINITY, f64::min);
    if least >= 0.0 { [0.0, super::table::LARGEST] } else { [-super::table::LARGEST, super::table::LARGEST] }
}

fn column(data: &Dataset, part: &[usize], place: usize) -> Vec<f64> {
    part.iter().map(|row| data.rows[*row].features[place]).collect()
}

fn examples(data: &Dataset, part: &[usize], features: &[Feature], scale: &TargetScale) -> Examples {
    let rows = || part.iter().map(|row| &data.rows[*row]);
    let inputs =
        rows().flat_map(|row| row.features.iter().zip(features)).map(|(value, feature)| feature.scaled(*value));
    let values = rows().map(|row| scale.scaled(row.value, scale.relative_to.map(|place| row.features[place])));
    Examples {
        inputs: inputs.map(single).collect(),
        width: features.len(),
        devices: rows().map(|row| row.device).collect(),
        values: values.map(single).collect(),
    }
}

fn rate(options: &Options, epochs: usize) -> f64 {
    let part = epochs as f64 / options.most_epochs as f64;
    let cosine = f64::midpoint((std::f64::consts::PI * part).cos(), 1.0);
    options.learning_rate * (LAST_RATE + (1.0 - LAST_RATE) * cosine)
}

/// A member after an epoch.
struct Done {
    loss: f64,
    network: Network,
    /// Its outputs on the validation set, for the device of each run.
    outputs: Vec<f32>,
}

/// One epoch of every member, spread over the cores.
fn epoch_of_all(
    learners: &mut [Learner],
    training: &Examples,
    validation: &Examples,
    rate: f64,
    options: &Options,
) -> io::Result<Vec<Done>> {
    let one = |learner: &mut Learner| {
        let loss = learner.epoch(training, rate, options);
        let network = learner.network.clone();
        let output = |run: usize| network.output(validation.input(run))[validation.devices[run]];
        Done { loss, outputs: (0..validation.len()).map(output).collect(), network }
    };
    let cores = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let share = learners.len().div_ceil(cores.min(learners.len()));
    let (own, others) = learners.split_at_mut(share.min(learners.len()));
    thread::scope(|scope| {
        let threads: Vec<_> = others
            .chunks_mut(share)
            .map(|share| {
                let work = move || share.iter_mut().map(one).collect::<Vec<Done>>();
                thread::Builder::new().name("train".to_owned()).spawn_scoped(scope, work)
            })
            .collect();
        let mut done: Vec<Done> = own.iter_mut().map(one).collect();
        for thread in threads {
            match thread?.join() {
                Ok(share) => done.extend(share),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        Ok(done)
    })
}

/// The loss of each run of the validation set.
fn validation_losses(done: &[Done], validation: &Examples, loss: Loss) -> Vec<f64> {
    let of_run = |(run, value): (usize, &f32)| {
        let output = done.iter().map(|done| f64::from(done.outputs[run])).sum::<f64>() / done.len() as f64;
        let error = output - f64::from(*value);
        if loss == Loss::Squared { error * error } else { error.abs() }
    };
    validation.values.iter().enumerate().map(of_run).collect()
}

fn mean(losses: &[f64]) -> f64 {
    losses.iter().sum::<f64>() / losses.len() as f64
}

/// The 90 % interval of the mean of losses, which are at least 0.
fn interval_of(losses: &[f64]) -> Option<[f64; 2]> {
    interval(losses, BAND_CONFIDENCE).map(|[low, high]| [low.max(0.0), high])
}

/// Errors on the test set, of all devices and of each.
fn report(model: &mut Model, data: &Dataset, split: &Split, test: &Examples, ridge: &Ridge) {
    let mean_of = |device: Option<usize>| {
        let rows = split.training.iter().map(|row| &data.rows[*row]);
        let values: Vec<f64> =
            rows.filter(|row| device.is_none_or(|device| row.device == device)).map(|row| row.value).collect();
        (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
    };
    let of_all = mean_of(None).unwrap_or(0.0);
    let means: Vec<f64> = (0..data.devices.len()).map(|device| mean_of(Some(device)).unwrap_or(of_all)).collect();
    let scale = &model.card.scale;
    // Device, measured value, and predictions of network, mean and ridge regression.
    let found: Vec<(usize, f64, [f64; 3])> = split
        .test
        .iter()
        .enumerate()
        .map(|(run, row)| {
            let row = &data.rows[*row];
            let base = scale.relative_to.map(|place| row.features[place]);
            let network = model.outputs(&row.features)[row.device];
            let ridge = scale.value(ridge.output(test.input(run), row.device), base);
            (row.device, row.value, [network, means[row.device], ridge])
        })
        .collect();
    let compared = |device: Option<usize>| {
        let own = || found.iter().filter(move |(other, ..)| device.is_none_or(|device| device == *other));
        let [network, mean, ridge] =
            [0, 1, 2].map(|which| Errors::of(own().map(|(_, measured, predicted)| (predicted[which], *measured))));
        ErrorComparison { device: device.map(|device| data.devices[device].clone()), network, mean, ridge }
    };
    let (errors, of_devices) = (compared(None), (0..data.devices.len()).map(|device| compared(Some(device))).collect());
    model.card.errors = errors;
    model.card.of_devices = of_devices;
    let unseen = Errors::of(split.test.iter().take(MOST_UNSEEN).filter_map(|row| unseen(model, &data.rows[*row])));
    if let Some(types) = &mut model.card.hardware {
        types.unseen = unseen;
    }
}

/// The prediction for a run from all other types, as if its own had no runs, and the measured value; `None` without hardware.
fn unseen(model: &Model, row: &Row) -> Option<(f64, f64)> {
    let types = model.card.hardware.as_ref()?;
    let known: Vec<(usize, f64)> = (0..model.card.devices.len())
        .filter(|device| *device != row.device)
        .map(|device| (device, model.output_with(types, device, &row.features)))
        .collect();
    let value = types.combined(types.of_devices.get(row.device)?, &known);
    Some((value.clamp(model.card.scale.least, model.card.scale.most), row.value))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Mean 3, standard error √0.5; Student's t of 4 degrees of freedom is 2.132 for 90 %. Of 0 and 2, t is 6.314, which reaches below 0.
    #[test]
    fn the_interval_of_a_mean_loss_is_that_of_students_t() {
        let [low, high] = interval_of(&[1.0, 2.0, 3.0, 4.0, 5.0]).expect("five losses");
        let half = 2.132 * 0.5_f64.sqrt();
        assert!((low - 3.0 + half).abs() < 1e-3 && (high - 3.0 - half).abs() < 1e-3, "{low} {high}");
        assert_eq!(interval_of(&[0.0, 2.0]).expect("two losses")[0], 0.0);
        assert_eq!(interval_of(&[1.0]), None);
    }
}
