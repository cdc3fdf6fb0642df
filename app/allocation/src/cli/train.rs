//! Training of predictors of GPU utilisation, GPU memory or run time of a task.

use std::io::{IsTerminal as _, stderr};
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::AtomicUsize;

use anyhow::{Context as _, Result, bail};
use clap::{Parser, ValueEnum};
use crossover_export::json;
use crossover_page::terminal::{Outputs, keep_apart, message, with_progress};
use crossover_predict::train::{
    Dataset, Epoch, ErrorComparison, Errors, FeatureSet, Loss, Model, Options, Target, train,
};
use crossover_quantity::finite;
use crossover_quantity::text::csv::Records;
use crossover_quantity::text::{Column, Table, counted};
use crossover_study::Watch;

/// Trains a predictor on measured runs: it predicts GPU utilisation, GPU memory or run time of a task
///
/// Every numeric column of the CSV is a feature, except the targets `compute_percent`, `memory_percent` and `seconds`. A column
/// `device` names the type of GPU; with its hardware in the columns `capability`, `memory` and `cores`, types without runs can be
/// predicted too. The report compares the predictor with the mean and with ridge regression on a test set.
#[derive(Debug, Parser)]
#[command(name = "train")]
pub(super) struct TrainOptions {
    /// Measured runs
    #[arg(long, value_name = "CSV")]
    data: PathBuf,
    /// Target of the prediction
    #[arg(long, value_enum)]
    target: TargetOption,
    /// File for the trained predictor, with its model card
    #[arg(long, value_name = "SAFETENSORS")]
    out: Option<PathBuf>,
    /// File for the learning curve: epoch, training error, validation error
    #[arg(long, value_name = "CSV")]
    curve: Option<PathBuf>,
    /// Seed of the split of the runs and of the initial weights
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Loss that training minimises: mean squared or mean absolute error
    #[arg(long, value_enum, default_value = "mse")]
    loss: LossOption,
    /// Units of each hidden layer, from the first to the last
    #[arg(long, value_delimiter = ',', default_value = "64,32")]
    hidden: Vec<usize>,
    /// Maximum number of epochs
    #[arg(long, default_value_t = 300)]
    epochs: usize,
    /// Adds GPU utilisation and memory as input features when predicting run time
    #[arg(long)]
    with_utilisation: bool,
    /// Output format
    #[arg(long, value_enum, default_value = "table")]
    format: TrainFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum TargetOption {
    /// GPU compute utilisation, percent
    Compute,
    /// GPU memory occupied, percent of the memory of the GPU
    Memory,
    /// Run time, seconds
    Time,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum LossOption {
    Mse,
    Mae,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum TrainFormat {
    /// For the terminal
    Table,
    /// The model card, for programs
    Json,
}

pub(super) fn run(options: &TrainOptions) -> Result<()> {
    let target = match options.target {
        TargetOption::Compute => Target::Compute,
        TargetOption::Memory => Target::Memory,
        TargetOption::Time => Target::Time,
    };
    for out in options.out.iter().chain(&options.curve) {
        keep_apart(out, &[&options.data])?;
    }
    if options.out.is_some() && options.out == options.curve {
        bail!("--out and --curve name the same file; name two files");
    }
    let known = if options.with_utilisation { FeatureSet::Utilisations } else { FeatureSet::BeforeTheRun };
    let data = Dataset::read(&options.data, target, known)?;
    for note in &data.notes {
        message(format!("note: {note}"));
    }
    let training = Options {
        hidden: options.hidden.clone(),
        loss: if options.loss == LossOption::Mse { Loss::Squared } else { Loss::Absolute },
        most_epochs: options.epochs,
        seed: options.seed,
        ..Options::default()
    };
    let (model, curve) = learn(&data, &training)?;
    finite::check(model.card()).with_context(|| options.data.display().to_string())?;
    let text = match options.format {
        TrainFormat::Table => report(&model),
        TrainFormat::Json => json(model.card()),
    };
    let mut outputs = Outputs::default();
    if let Some(file) = &options.curve {
        outputs.add(file, curve_csv(&curve).as_bytes())?;
    }
    if let Some(out) = &options.out {
        outputs.add_prepared(out, model.prepare(out))?;
    }
    outputs.finish(text)
}

/// Trains, and prints the progress.
fn learn(data: &Dataset, options: &Options) -> Result<(Model, Vec<Epoch>)> {
    let curve: Mutex<Vec<Epoch>> = Mutex::default();
    let line = || match curve.lock().ok().and_then(|curve| curve.last().copied()) {
        Some(Epoch { epoch, validation, .. }) => format!("epoch {epoch}: validation error {validation:.4}"),
        None => "reading".to_owned(),
    };
    let done = AtomicUsize::new(0);
    let watch = Watch { is_cancelled: &|| false, done: &done };
    let mut add = |epoch: Epoch| {
        if let Ok(mut curve) = curve.lock() {
            curve.push(epoch);
        }
    };
    #[expect(clippy::disallowed_methods, reason = "nothing is written here")]
    let model = if stderr().is_terminal() {
        with_progress(line, || train(data, options, watch, &mut add))?
    } else {
        train(data, options, watch, &mut add)?
    };
    Ok((model, curve.into_inner().unwrap_or_default()))
}

fn curve_csv(curve: &[Epoch]) -> String {
    let mut csv = Records::default();
    csv.push(["epoch", "training", "training_low", "training_high", "validation", "validation_low", "validation_high"]);
    for Epoch { epoch, training, validation, training_interval, validation_interval } in curve {
        let ends = |interval: Option<[f64; 2]>| {
            interval.map_or_else(<[String; 2]>::default, |ends| ends.map(|end| end.to_string()))
        };
        let ([low, high], [least, most]) = (ends(*training_interval), ends(*validation_interval));
        csv.push([epoch.to_string(), training.to_string(), low, high, validation.to_string(), least, most]);
    }
    csv.into_text()
}

/// The model card as text.
fn report(model: &Model) -> String {
    let card = model.card();
    let mut text = format!(
        "{}: {} of {} in the training set, {} in the validation set, {} in the test set\n\
         {} features, hidden layers of {}, {} networks, {} epochs, weights of epoch {}\n\
         Errors on the test set, in {}\n\n",
        match card.target {
            Target::Compute => "GPU utilisation",
            Target::Memory => "GPU memory",
            Target::Time => "Run time",
        },
        counted(card.rows.training as f64, "run"),
        card.source,
        card.rows.validation,
        card.rows.test,
        card.features.len(),
        card.hidden.iter().map(ToString::to_string).collect::<Vec<_>>().join(" and "),
        card.members,
        card.epochs,
        card.best_epoch,
        card.unit,
    );
    let number = |value: f64| format!("{value:.3}");
    let row = |device: &str, name: &str, errors: &Errors| {
        let mape = errors.mape_percent.map_or_else(|| "–".to_owned(), |mape| format!("{mape:.1} %"));
        vec![device.to_owned(), name.to_owned(), number(errors.rmse), number(errors.mae), mape, errors.runs.to_string()]
    };
    let rows = |compared: &ErrorComparison| {
        let device = compared.device.clone().unwrap_or_else(|| "all".to_owned());
        [
            row(&device, "trained", &compared.network),
            row(&device, "ridge regression", &compared.ridge),
            row(&device, "mean", &compared.mean),
        ]
    };
    let further = card.of_devices.iter().filter(|_| card.devices.len() > 1);
    let columns = vec![
        Column::text("Device"),
        Column::text("Predictor"),
        Column::number("RMSE"),
        Column::number("MAE"),
        Column::number("MAPE"),
        Column::number("Runs"),
    ];
    let rows = std::iter::once(&card.errors).chain(further).flat_map(rows).collect();
    text.push_str(&Table { columns, rows }.aligned());
    if let Some(types) = &card.hardware {
        text.push_str(&format!(
            "\nTypes of GPUs without runs: RMSE {} {}, each type predicted from the others by its hardware\n",
            number(types.unseen.rmse),
            card.unit
        ));
    }
    if card.errors.network.rmse >= card.errors.mean.rmse {
        text.push_str("\nWarning: the predictor is no better than the mean of the runs: do not use it.\n");
    }
    text
}
