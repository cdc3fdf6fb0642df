//! Predictions of trained networks, for every type of GPU.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use crossover_predict::features::Hardware;
use crossover_predict::train::{Model, Target, TypePrediction};

use super::predicted::Predicted;

/// A type of GPU that is predicted from its hardware.
#[derive(Debug, Clone)]
pub(super) struct FurtherGpu {
    /// Its name.
    pub(super) name: String,
    /// Its hardware; 0: not known.
    pub(super) hardware: Hardware,
    /// Whether the user named it: then it is not one of the types of the runs under another name.
    pub(super) is_named: bool,
}

/// Features of a task, its utilisation if it is known, and the types of GPUs beside those of the runs.
pub(super) struct Task<'a> {
    /// Features by name, without those of the hardware that the model card has.
    pub(super) features: &'a [(&'static str, f64)],
    /// Share of the GPU that it has now, percent; instead of the predicted utilisation.
    pub(super) share_percent: Option<f64>,
    /// Further types.
    pub(super) gpus: &'a [FurtherGpu],
}

/// Predicted utilisation of compute and of memory by the type of GPU in small letters, percent.
type Utilisations = BTreeMap<String, [Option<f64>; 2]>;

impl FurtherGpu {
    /// `NAME=CAPABILITY,MEMORY_GB,CORES`.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let expected = || "expected NAME=CAPABILITY,MEMORY_GB,CORES, such as T4=7.5,16,2560".to_owned();
        let (name, numbers) = text.rsplit_once('=').ok_or_else(expected)?;
        let numbers: Option<Vec<f64>> = numbers
            .split(',')
            .map(|number| number.trim().parse().ok().filter(|number: &f64| *number > 0.0 && *number <= 1e9))
            .collect();
        match (name.trim(), numbers.as_deref()) {
            (name, Some([capability, memory_gb, cores])) if !name.is_empty() => {
                let hardware = Hardware { capability: *capability, memory_gb: *memory_gb, cores: *cores };
                Ok(Self { name: name.to_owned(), hardware, is_named: true })
            }
            _ => Err(expected()),
        }
    }

    /// A feature of its hardware.
    fn value(&self, name: &str) -> Option<f64> {
        let value = match name.to_ascii_lowercase().as_str() {
            "capability" => self.hardware.capability,
            "memory" => self.hardware.memory_gb,
            "cores" => self.hardware.cores,
            _ => return None,
        };
        Some(value).filter(|value| *value > 0.0)
    }
}

/// The predictions of trained networks: utilisations first, which networks of the time may take.
pub(super) fn predicted(files: &[PathBuf], task: &Task<'_>, notes: &mut Vec<String>) -> Result<Vec<Predicted>> {
    let mut models = Vec::new();
    for file in files {
        models.push((file.as_path(), Model::load(file)?));
    }
    models.sort_by_key(|(_, model)| model.card().target == Target::Time);
    let (mut predicted, mut utilisations) = (Vec::new(), Utilisations::new());
    for (file, model) in &models {
        let of_model = of_model(file, model, task, &utilisations, notes)?;
        let place = match model.card().target {
            Target::Compute => Some(0),
            Target::Memory => Some(1),
            Target::Time => None,
        };
        if let Some(place) = place.filter(|_| model.card().unit == "%") {
            for one in &of_model {
                let known = utilisations.entry(one.device.to_lowercase()).or_default();
                known[place] = Some(one.value);
            }
        }
        predicted.extend(of_model);
    }
    Ok(predicted)
}

fn of_model(
    file: &Path,
    model: &Model,
    task: &Task<'_>,
    utilisations: &Utilisations,
    notes: &mut Vec<String>,
) -> Result<Vec<Predicted>> {
    let card = model.card();
    let by = file.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let of_network =
        |name: &str| task.features.iter().find(|(other, _)| other.eq_ignore_ascii_case(name)).map(|(_, value)| *value);
    let on = |device: &str, gpu: Option<&FurtherGpu>| {
        let hardware = |name: &str| gpu.and_then(|gpu| gpu.value(name));
        let utilisation = |name: &str| {
            let known = utilisations.get(&device.to_lowercase());
            match Target::ALL.into_iter().find(|target| target.column() == name)? {
                Target::Compute => task.share_percent.or_else(|| known?[0]),
                Target::Memory => known?[1],
                Target::Time => None,
            }
        };
        model.predict_on(device, hardware, |name| utilisation(name).or_else(|| of_network(name)))
    };
    let takes: Vec<&str> = Target::ALL
        .iter()
        .map(|target| target.column())
        .filter(|column| card.features.iter().any(|feature| feature.name == *column))
        .collect();
    let mut predicted = Vec::new();
    for device in &card.devices {
        let one = on(device, None).with_context(|| {
            if takes.is_empty() {
                format!("{}: trained on other features", file.display())
            } else {
                let takes = takes.join(" and ");
                format!(
                    "{}: takes the predicted {takes}; add a predictor of each for {device} with --model",
                    file.display()
                )
            }
        })?;
        predicted.push(of_type(model, &by, device, &one, notes));
    }
    let is_known = |gpu: &&FurtherGpu| card.devices.iter().any(|device| device.eq_ignore_ascii_case(&gpu.name));
    for gpu in task.gpus.iter().filter(|gpu| !is_known(gpu)) {
        let same = model.type_with(|name| gpu.value(name));
        if !gpu.is_named && (same.is_some() || card.hardware.is_none()) {
            continue;
        }
        match on(&gpu.name, Some(gpu)) {
            Ok(one) => predicted.push(of_type(model, &by, &gpu.name, &one, notes)),
            Err(problem) => notes.push(format!("{by}: no prediction for {}: {problem}", gpu.name)),
        }
    }
    Ok(predicted)
}

fn of_type(model: &Model, by: &str, device: &str, one: &TypePrediction, notes: &mut Vec<String>) -> Predicted {
    for feature in &one.out_of_range {
        let note = format!(
            "{} is {}, outside the training range {} to {}: the prediction is extrapolated",
            feature.feature, feature.value, feature.min, feature.max
        );
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
    let card = model.card();
    Predicted {
        quantity: format!("{}, {}", card.target.column(), card.unit),
        target: card.target,
        unit: card.unit.clone(),
        is_only: card.devices.len() == 1,
        learned_from: card.source.clone(),
        by: by.to_owned(),
        device: device.to_owned(),
        value: one.value,
        rmse: one.rmse,
        is_extrapolated: !one.out_of_range.is_empty(),
        is_unseen: one.is_unseen,
        is_least: false,
    }
}

#[cfg(test)]
mod tests {
    use super::FurtherGpu;

    #[test]
    fn a_type_is_its_name_and_three_numbers() {
        let gpu = FurtherGpu::parse("RTX 4090 = 8.9, 24, 16384").expect("a type");
        assert_eq!(
            (gpu.name.as_str(), gpu.value("Capability"), gpu.value("cores")),
            ("RTX 4090", Some(8.9), Some(16_384.0))
        );
        assert_eq!((gpu.value("memory"), gpu.value("batchsize")), (Some(24.0), None));
        for text in ["T4", "T4=7.5,16", "=7.5,16,2560", "T4=7.5,16,0", "T4=7.5,16,NaN", "T4=7.5,16,2560,1"] {
            assert!(FurtherGpu::parse(text).expect_err(text).contains("NAME=CAPABILITY,MEMORY_GB,CORES"));
        }
    }
}
