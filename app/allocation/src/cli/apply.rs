//! Writes predictions into the requests of a group of tasks.

use std::path::Path;

use anyhow::{Result, bail};
use crossover_allocation::{Allocation, RunsOn};
use crossover_page::storage::scenario;
use crossover_page::terminal::{Outputs, keep_apart, message};
use crossover_predict::train::Target;
use crossover_quantity::invalid::did_you_mean;
use crossover_quantity::provenance::Provenance;
use crossover_quantity::unit::{Unit, elapsed};

use super::predicted::Predicted;

/// Half width of a 90 % interval of a normal distribution, in standard deviations.
const HALF_WIDTH_90: f64 = 1.645;
/// The least share that a task may request.
const LEAST: f64 = 0.001;

/// A field that was set.
struct FieldSet<'a> {
    /// Its path below the group.
    field: String,
    value: f64,
    by: &'a Predicted,
}

/// Writes the scenario with the predictions in one of its groups: the shares of the compute units and of the memory, each as its own,
/// and the time. Of a roofline, which knows no share of the memory, the larger of the shares of compute and bandwidth counts. A
/// predictor of several devices sets the types of the study, any other one the group.
pub(super) fn apply(predicted: &[Predicted], network: &Path, (file, group): (&Path, &str), out: &Path) -> Result<()> {
    let mut scenario = scenario::open(file)?;
    let named = scenario.study.named_trace().into_iter().flat_map(|named| &named.files);
    keep_apart(out, &named.map(|file| Path::new(&file.path)).collect::<Vec<_>>())?;
    let Some(study) = scenario.study.allocation_mut() else {
        bail!("{}: expected an allocation scenario", file.display())
    };
    let Some(place) = study.tasks.iter().position(|other| other.name == *group) else {
        let known: Vec<String> = study.tasks.iter().map(|other| other.name.clone()).collect();
        let hint = did_you_mean(group, &known);
        bail!("{}: no group of tasks “{group}”{hint}; expected one of: {}", file.display(), known.join(", "));
    };
    let set = set(study, place, predicted)?;
    if set.is_empty() {
        let file = file.display();
        bail!("no prediction applies to {file}; add --model, or --gflop-per-s and --gb-per-s");
    }
    let network = network.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    for FieldSet { field, value, by } in set {
        let path = format!("tasks.{group}.{field}");
        let last = field.rsplit('.').next().unwrap_or_default();
        let shown = match last {
            "speed" => Unit::Factor.format(value),
            "run_seconds" => elapsed(value),
            _ => Unit::Share.format(value),
        };
        let how = match (by.is_extrapolated, by.is_unseen) {
            (true, _) => ", extrapolated",
            (false, true) => ", from the hardware: the runs do not have this type",
            (false, false) => "",
        };
        message(format!("{path}: {shown}, {}{how}", by.by));
        // A speed is a ratio of two predicted times.
        let source = if last == "speed" { imported(by, &network) } else { source(by, value, &network) };
        study.sources.insert(path, source);
    }
    if let Err(invalid) = scenario.study.validate() {
        bail!("{}: not written: {}: {}", out.display(), invalid.path, invalid.problem);
    }
    let mut outputs = Outputs::default();
    outputs.add_scenario(out, &scenario)?;
    outputs.commit()
}

/// Provenance of a predicted number, with its interval if the error is known.
fn source(by: &Predicted, value: f64, network: &str) -> Provenance {
    let Some(rmse) = by.rmse.filter(|_| !by.learned_from.is_empty()) else { return imported(by, network) };
    let is_time = by.target == Target::Time;
    let (half, most) =
        if is_time { (HALF_WIDTH_90 * rmse, f64::INFINITY) } else { (HALF_WIDTH_90 * rmse / 100.0, 1.0) };
    let interval = ((value - half).max(0.0), (value + half).min(most));
    Provenance::Fitted { runs: format!("{} by {}, for {network}", by.learned_from, by.by), interval }
}

/// Provenance of a number whose error is not known.
fn imported(by: &Predicted, network: &str) -> Provenance {
    let extrapolated = if by.is_extrapolated { ", extrapolated beyond its training data" } else { "" };
    Provenance::Imported { file: format!("{network}, {}{extrapolated}", by.by) }
}

/// Sets the fields, and returns them.
///
/// # Errors
/// Two predictors predict the same field.
fn set<'a>(study: &mut Allocation, place: usize, predicted: &'a [Predicted]) -> Result<Vec<FieldSet<'a>>> {
    let types: Vec<String> = study.types.iter().map(|gpu_type| gpu_type.name.clone()).collect();
    let is_type = |device: &str| types.iter().any(|name| name.eq_ignore_ascii_case(device));
    let usable: Vec<&Predicted> = predicted.iter().filter(|other| is_usable(other)).collect();
    for (at, one) in usable.iter().enumerate() {
        let other = usable[..at]
            .iter()
            .find(|other| other.target == one.target && other.device.eq_ignore_ascii_case(&one.device));
        if let Some(other) = other {
            bail!("{} is predicted twice, by {} and by {}; remove one of them", one.target.column(), other.by, one.by);
        }
    }
    let group = &mut study.tasks[place];
    let mut set = Vec::new();
    // A share is predicted for one GPU only.
    let is_shared = group.gpus == 1.0;
    if !is_shared && usable.iter().any(|other| other.target != Target::Time) {
        message(format!("note: tasks of {} request whole GPUs or none; their share is unchanged", group.name));
    }
    // A trained predictor of the memory predicts how much of it is occupied, a roofline how busy its bandwidth is.
    let is_occupied = |other: &Predicted| other.target == Target::Memory && !other.learned_from.is_empty();
    let memory = |of: &dyn Fn(&Predicted) -> bool| {
        usable.iter().copied().find(|other| is_shared && is_occupied(other) && of(other))
    };
    let larger = |of: &dyn Fn(&Predicted) -> bool| {
        let is_busy = |other: &Predicted| other.target != Target::Time && !is_occupied(other);
        let shares = usable.iter().copied().filter(|other| is_shared && is_busy(other) && of(other));
        shares.max_by(|a, b| a.value.total_cmp(&b.value))
    };
    let time = |of: &dyn Fn(&Predicted) -> bool| {
        usable.iter().copied().find(|other| other.target == Target::Time && other.value > 0.0 && of(other))
    };

    // Predictions for types of the study.
    if group.runs_on.is_empty() && usable.iter().any(|other| is_type(&other.device)) {
        // On the other types the task runs as before.
        group.runs_on = types
            .iter()
            .map(|name| RunsOn { gpu_type: name.clone(), share: 0.0, memory_share: 0.0, speed: 1.0 })
            .collect();
    }
    let mut first_time = None;
    let mut is_timed = vec![false; group.runs_on.len()];
    for (at, on) in group.runs_on.iter_mut().enumerate() {
        let of_type = |other: &Predicted| other.device.eq_ignore_ascii_case(&on.gpu_type);
        if let Some(by) = larger(&of_type) {
            let value = share(by);
            set.push(FieldSet { field: format!("runs_on.{at}.share"), value, by });
            on.share = value;
        }
        if let Some(by) = memory(&of_type) {
            on.memory_share = share(by);
            set.push(FieldSet { field: format!("runs_on.{at}.memory_share"), value: on.memory_share, by });
        }
        if let Some(by) = time(&of_type) {
            let (seconds, _) = *first_time.get_or_insert((by.value, by));
            on.speed = seconds / by.value;
            is_timed[at] = true;
            set.push(FieldSet { field: format!("runs_on.{at}.speed"), value: on.speed, by });
        }
    }
    if let Some((seconds, by)) = first_time {
        // On types without prediction the task takes as long as before.
        for (on, _) in group.runs_on.iter_mut().zip(is_timed).filter(|(_, is_timed)| !is_timed) {
            on.speed *= seconds / group.run_seconds;
        }
        group.run_seconds = seconds;
        set.push(FieldSet { field: "run_seconds".to_owned(), value: seconds, by });
    }

    // Predictions of predictors with one device.
    let of_one = |other: &Predicted| other.is_only && !is_type(&other.device);
    if let Some(by) = larger(&of_one) {
        group.share = share(by);
        set.push(FieldSet { field: "share".to_owned(), value: group.share, by });
    }
    if let Some(by) = memory(&of_one) {
        group.memory_share = share(by);
        set.push(FieldSet { field: "memory_share".to_owned(), value: group.memory_share, by });
    }
    if let Some(by) = time(&of_one).filter(|_| first_time.is_none()) {
        group.run_seconds = by.value;
        set.push(FieldSet { field: "run_seconds".to_owned(), value: by.value, by });
    }
    let of_other = |other: &&&Predicted| {
        let is_run_on = group.runs_on.iter().any(|on| on.gpu_type.eq_ignore_ascii_case(&other.device));
        !other.is_only && !is_run_on
    };
    let mut left_out: Vec<&str> = usable.iter().filter(of_other).map(|other| other.device.as_str()).collect();
    left_out.dedup();
    let is_predicted = |name: &String| usable.iter().any(|other| other.device.eq_ignore_ascii_case(name));
    let without: Vec<&str> =
        group.runs_on.iter().map(|on| &on.gpu_type).filter(|name| !is_predicted(name)).map(String::as_str).collect();
    if !without.is_empty() && without.len() < group.runs_on.len() {
        message(format!(
            "note: no prediction for {}, where the task runs as before; add --gpu {}=CAPABILITY,MEMORY_GB,CORES for each",
            without.join(", "),
            without[0]
        ));
    }
    if !left_out.is_empty() {
        let (devices, types) = (left_out.join(", "), types.join(", "));
        message(format!(
            "note: left out, because tasks of {} do not run there: {devices}; types of the scenario: {types}",
            group.name
        ));
    }
    Ok(set)
}

/// A predicted share, limited to what a task may request.
fn share(by: &Predicted) -> f64 {
    let wanted = by.value / 100.0;
    let value = wanted.clamp(LEAST, 1.0);
    if value != wanted {
        let (from, to) = (Unit::Share.format(wanted), Unit::Share.format(value));
        message(format!("note: {} predicts {from} of a GPU; set to {to}", by.by));
    }
    value
}

/// Whether a prediction has the unit of the scenario: networks may predict memory in MiB.
fn is_usable(predicted: &Predicted) -> bool {
    predicted.unit == predicted.target.unit()
}
