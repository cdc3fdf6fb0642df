//! What is predicted of a task becomes what a group of tasks asks for.

use std::path::Path;

use anyhow::{Context as _, Result, bail};
use crossover_model::allocation::{Allocation, RunsOn};
use crossover_model::invalid::did_you_mean;
use crossover_model::provenance::Provenance;
use crossover_model::unit::{Unit, elapsed};
use crossover_predict::train::Target;

use super::predict::Predicted;
use crate::storage::scenario;
use crate::terminal::message;

/// Standard deviations on either side of the mean that hold nine of ten values of a normal distribution.
const NINE_OF_TEN: f64 = 1.645;
/// The least share that a task may ask for.
const LEAST: f64 = 0.001;

/// A number that is predicted for a field.
struct Wanted<'a> {
    /// The field, below the group.
    field: String,
    value: f64,
    by: &'a Predicted,
    /// Units of the field in one of the prediction.
    scale: f64,
}

/// Writes the scenario with what is predicted in one of its groups: shares are the larger of compute and memory where both
/// are predicted, of the types of GPUs that predictors name, else of all.
pub(super) fn apply(predicted: &[Predicted], network: &Path, (file, group): (&Path, &str), out: &Path) -> Result<()> {
    let mut scenario = scenario::open(file)?;
    let Some(study) = scenario.study.allocation_mut() else {
        bail!("{}: this is no allocation scenario", file.display())
    };
    let Some(place) = study.tasks.iter().position(|other| other.name == *group) else {
        let known: Vec<String> = study.tasks.iter().map(|other| other.name.clone()).collect();
        let hint = did_you_mean(group, &known);
        bail!("{}: there is no group of tasks “{group}”{hint}; there is: {}", file.display(), known.join(", "));
    };
    let wanted = wanted(study, place, predicted);
    if wanted.is_empty() {
        bail!(
            "nothing is predicted that {} could take; name a trained network, or a GPU for the roofline",
            file.display()
        );
    }
    let network = network.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    for Wanted { field, value, by, scale } in wanted {
        let path = format!("tasks.{group}.{field}");
        let source = match by.rmse.filter(|_| !by.learnt_from.is_empty()) {
            Some(rmse) => {
                let half = NINE_OF_TEN * rmse * scale;
                let runs = format!("{} by {}, for {network}", by.learnt_from, by.by);
                Provenance::Fitted { runs, interval: ((value - half).max(0.0), value + half) }
            }
            None => Provenance::Imported { file: format!("{network}, {}", by.by) },
        };
        let shown = if by.target == Target::Time { elapsed(value) } else { Unit::Share.format(value) };
        message(&format!("{path}: {shown}, {}", by.by));
        study.sources.insert(path, source);
    }
    if let Err(invalid) = scenario.study.validate() {
        bail!("{}: not written: {}: {}", out.display(), invalid.path, invalid.problem);
    }
    scenario::save(out, &scenario).with_context(|| format!("{}: cannot be written", out.display()))
}

/// Sets the fields, and tells which.
fn wanted<'a>(study: &mut Allocation, place: usize, predicted: &'a [Predicted]) -> Vec<Wanted<'a>> {
    let types: Vec<String> = study.types.iter().map(|gpu_type| gpu_type.name.clone()).collect();
    let group = &mut study.tasks[place];
    let mut wanted = Vec::new();
    let of = |name: &str, targets: &[Target]| {
        let meant = |other: &&Predicted| is_usable(other, targets) && other.device.eq_ignore_ascii_case(name);
        predicted.iter().filter(meant).max_by(|a, b| a.value.total_cmp(&b.value))
    };
    let share = |by: &Predicted| (by.value / 100.0).clamp(LEAST, 1.0);
    let both = [Target::Compute, Target::Memory];
    let named: Vec<&String> = types.iter().filter(|name| of(name, &both).is_some()).collect();
    if !named.is_empty() && group.runs_on.is_empty() {
        // On the other types it runs as before.
        group.runs_on = types.iter().map(|name| RunsOn { gpu_type: name.clone(), share: 0.0, speed: 1.0 }).collect();
    }
    for (at, on) in group.runs_on.iter_mut().enumerate() {
        if let Some(by) = of(&on.gpu_type, &both) {
            on.share = share(by);
            wanted.push(Wanted { field: format!("runs_on.{at}.share"), value: on.share, by, scale: 0.01 });
        }
    }
    // What names no type of the study is of the only device that was measured.
    let of_any = |targets: &[Target]| {
        let meant = |other: &&Predicted| {
            is_usable(other, targets) && !types.iter().any(|name| name.eq_ignore_ascii_case(&other.device))
        };
        predicted.iter().filter(meant).max_by(|a, b| a.value.total_cmp(&b.value))
    };
    if let Some(by) = of_any(&both) {
        group.share = share(by);
        wanted.push(Wanted { field: "share".to_owned(), value: group.share, by, scale: 0.01 });
    }
    if let Some(by) = of_any(&[Target::Time]).filter(|by| by.value > 0.0) {
        group.run_seconds = by.value;
        wanted.push(Wanted { field: "run_seconds".to_owned(), value: by.value, by, scale: 1.0 });
    }
    wanted
}

/// Whether a prediction is one of these targets, in the unit of the scenario: memory may have been learnt in MiB.
fn is_usable(predicted: &Predicted, targets: &[Target]) -> bool {
    targets.contains(&predicted.target) && predicted.unit == predicted.target.unit()
}
