//! What is predicted of a task becomes what a group of tasks asks for.

use std::path::Path;

use anyhow::{Context as _, Result, bail};
use crossover_allocation::{Allocation, RunsOn};
use crossover_page::storage::scenario;
use crossover_page::terminal::{keep_apart, message};
use crossover_predict::train::Target;
use crossover_quantity::invalid::did_you_mean;
use crossover_quantity::provenance::Provenance;
use crossover_quantity::unit::{Unit, elapsed};

use super::predicted::Predicted;

/// Standard deviations on either side of the mean that hold nine of ten values of a normal distribution.
const NINE_OF_TEN: f64 = 1.645;
/// The least share that a task may ask for.
const LEAST: f64 = 0.001;

/// A field that was set.
struct Set<'a> {
    /// Its path below the group.
    field: String,
    value: f64,
    by: &'a Predicted,
}

/// Writes the scenario with what is predicted in one of its groups: the larger of the shares of compute and memory, and the
/// time. A predictor of several devices sets what it predicts for types of the study, any other the group.
pub(super) fn apply(predicted: &[Predicted], network: &Path, (file, group): (&Path, &str), out: &Path) -> Result<()> {
    let mut scenario = scenario::open(file)?;
    let named = scenario.study.named_trace().into_iter().flat_map(|named| &named.files);
    keep_apart(out, &named.map(|file| Path::new(&file.path)).collect::<Vec<_>>())?;
    let Some(study) = scenario.study.allocation_mut() else {
        bail!("{}: this is no allocation scenario", file.display())
    };
    let Some(place) = study.tasks.iter().position(|other| other.name == *group) else {
        let known: Vec<String> = study.tasks.iter().map(|other| other.name.clone()).collect();
        let hint = did_you_mean(group, &known);
        bail!("{}: there is no group of tasks “{group}”{hint}; there is: {}", file.display(), known.join(", "));
    };
    let set = set(study, place, predicted)?;
    if set.is_empty() {
        let file = file.display();
        bail!("nothing is predicted that {file} could take; name a trained network, or a GPU for the roofline");
    }
    let network = network.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    for Set { field, value, by } in set {
        let path = format!("tasks.{group}.{field}");
        let last = field.rsplit('.').next().unwrap_or_default();
        let shown = match last {
            "speed" => Unit::Factor.format(value),
            "run_seconds" => elapsed(value),
            _ => Unit::Share.format(value),
        };
        message(&format!("{path}: {shown}, {}{}", by.by, if by.is_guess { ", a guess" } else { "" }));
        // A speed is a ratio of two predicted times.
        let source = if last == "speed" { told(by, &network) } else { source(by, value, &network) };
        study.sources.insert(path, source);
    }
    if let Err(invalid) = scenario.study.validate() {
        bail!("{}: not written: {}: {}", out.display(), invalid.path, invalid.problem);
    }
    let done = if out.exists() { "replaced" } else { "written" };
    scenario::save(out, &scenario).with_context(|| format!("{}: cannot be written", out.display()))?;
    message(&format!("{}: {done}", out.display()));
    Ok(())
}

/// Where a predicted number comes from; with its error where that is known.
fn source(by: &Predicted, value: f64, network: &str) -> Provenance {
    let Some(rmse) = by.rmse.filter(|_| !by.learnt_from.is_empty()) else { return told(by, network) };
    let is_time = by.target == Target::Time;
    let (half, most) = if is_time { (NINE_OF_TEN * rmse, f64::INFINITY) } else { (NINE_OF_TEN * rmse / 100.0, 1.0) };
    let interval = ((value - half).max(0.0), (value + half).min(most));
    Provenance::Fitted { runs: format!("{} by {}, for {network}", by.learnt_from, by.by), interval }
}

/// Where a number comes from whose error is not known.
fn told(by: &Predicted, network: &str) -> Provenance {
    let guess = if by.is_guess { ", a guess: unlike what it learnt from" } else { "" };
    Provenance::Imported { file: format!("{network}, {}{guess}", by.by) }
}

/// Sets the fields, and tells which.
///
/// # Errors
/// Two predictors say the same.
fn set<'a>(study: &mut Allocation, place: usize, predicted: &'a [Predicted]) -> Result<Vec<Set<'a>>> {
    let types: Vec<String> = study.types.iter().map(|gpu_type| gpu_type.name.clone()).collect();
    let is_type = |device: &str| types.iter().any(|name| name.eq_ignore_ascii_case(device));
    let usable: Vec<&Predicted> = predicted.iter().filter(|other| is_usable(other)).collect();
    for (at, one) in usable.iter().enumerate() {
        let other = usable[..at]
            .iter()
            .find(|other| other.target == one.target && other.device.eq_ignore_ascii_case(&one.device));
        if let Some(other) = other {
            bail!("{} is predicted twice, by {} and by {}; name one of them", one.target.column(), other.by, one.by);
        }
    }
    let group = &mut study.tasks[place];
    let mut set = Vec::new();
    // A share of several GPUs, or of none, is nobody's to predict.
    let is_shared = group.gpus == 1.0;
    if !is_shared && usable.iter().any(|other| other.target != Target::Time) {
        message(&format!("note: a task of {} asks for whole GPUs or none, so its share stays", group.name));
    }
    let larger = |of: &dyn Fn(&Predicted) -> bool| {
        let shares = usable.iter().copied().filter(|other| is_shared && other.target != Target::Time && of(other));
        shares.max_by(|a, b| a.value.total_cmp(&b.value))
    };
    let time = |of: &dyn Fn(&Predicted) -> bool| {
        usable.iter().copied().find(|other| other.target == Target::Time && other.value > 0.0 && of(other))
    };

    // Of types of the study.
    if group.runs_on.is_empty() && usable.iter().any(|other| is_type(&other.device)) {
        // On the other types it runs as before.
        group.runs_on = types.iter().map(|name| RunsOn { gpu_type: name.clone(), share: 0.0, speed: 1.0 }).collect();
    }
    let mut first_time = None;
    let mut is_timed = vec![false; group.runs_on.len()];
    for (at, on) in group.runs_on.iter_mut().enumerate() {
        let of_type = |other: &Predicted| other.device.eq_ignore_ascii_case(&on.gpu_type);
        if let Some(by) = larger(&of_type) {
            let value = share(by);
            set.push(Set { field: format!("runs_on.{at}.share"), value, by });
            on.share = value;
        }
        if let Some(by) = time(&of_type) {
            let (seconds, _) = *first_time.get_or_insert((by.value, by));
            on.speed = seconds / by.value;
            is_timed[at] = true;
            set.push(Set { field: format!("runs_on.{at}.speed"), value: on.speed, by });
        }
    }
    if let Some((seconds, by)) = first_time {
        // On types of which nothing is predicted it takes as long as before.
        for (on, _) in group.runs_on.iter_mut().zip(is_timed).filter(|(_, is_timed)| !is_timed) {
            on.speed *= seconds / group.run_seconds;
        }
        group.run_seconds = seconds;
        set.push(Set { field: "run_seconds".to_owned(), value: seconds, by });
    }

    // Of whatever GPU a predictor of one device only is about.
    let of_one = |other: &Predicted| other.is_only && !is_type(&other.device);
    if let Some(by) = larger(&of_one) {
        group.share = share(by);
        set.push(Set { field: "share".to_owned(), value: group.share, by });
    }
    if let Some(by) = time(&of_one).filter(|_| first_time.is_none()) {
        group.run_seconds = by.value;
        set.push(Set { field: "run_seconds".to_owned(), value: by.value, by });
    }
    let of_other = |other: &&&Predicted| {
        let is_run_on = group.runs_on.iter().any(|on| on.gpu_type.eq_ignore_ascii_case(&other.device));
        !other.is_only && !is_run_on
    };
    let mut left_out: Vec<&str> = usable.iter().filter(of_other).map(|other| other.device.as_str()).collect();
    left_out.dedup();
    if !left_out.is_empty() {
        let (devices, types) = (left_out.join(", "), types.join(", "));
        message(&format!(
            "note: left out, because tasks of {} do not run there: {devices}; types are {types}",
            group.name
        ));
    }
    Ok(set)
}

/// A predicted share as a task may ask for it.
fn share(by: &Predicted) -> f64 {
    let wanted = by.value / 100.0;
    let value = wanted.clamp(LEAST, 1.0);
    if value != wanted {
        let (from, to) = (Unit::Share.format(wanted), Unit::Share.format(value));
        message(&format!("note: {} predicts {from} of a GPU; taken as {to}", by.by));
    }
    value
}

/// Whether a prediction is in the unit of the scenario: memory may have been learnt in MiB.
fn is_usable(predicted: &Predicted) -> bool {
    predicted.unit == predicted.target.unit()
}
