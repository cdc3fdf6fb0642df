//! Checks between the fields of a preemption study.

use super::occupancy::residency;
use super::outcome::{checks, steps};
use super::study::{MOST_LAUNCHES, Preemption};
use crossover_quantity::invalid::Invalid;

/// Most steps of an evaluation: minutes of a core.
const MOST_STEPS: f64 = 3e9;
/// Least weight of the newest run in the experience of a pair.
const LEAST_WEIGHT: f64 = 0.01;

/// Checks fields against each other; each field is already within its range.
///
/// # Errors
/// A kernel fits no multiprocessor, nothing is launched, a pair is listed twice, or the simulation would take hours.
pub(super) fn check(study: &Preemption) -> Result<(), Invalid> {
    for kernel in &study.kernels {
        if let Err(why) = residency(&study.gpu, kernel) {
            return invalid(&format!("kernels.{}", kernel.name), why);
        }
    }
    if let Some(kernel) = study.kernels.iter().find(|kernel| kernel.alone_cycles() < 1.0) {
        let problem = format!(
            "a launch of {} instructions at an IPC of {} takes less than a cycle; expected at least one",
            kernel.instructions, kernel.ipc
        );
        return invalid(&format!("kernels.{}.instructions", kernel.name), problem);
    }
    if study.stream.listed.is_empty() && study.kernels.iter().all(|kernel| kernel.weight == 0.0) {
        return invalid("kernels", "every kernel has a share of 0 of the launches; expected one above 0".to_owned());
    }
    let place = |name: &str| study.kernels.iter().position(|kernel| kernel.name == name);
    let mut seen = std::collections::BTreeSet::new();
    for (row, pair) in study.pairs.iter().enumerate() {
        let (first, second) = (place(&pair.first), place(&pair.second));
        if !seen.insert((first.min(second), first.max(second))) {
            let problem = format!("the pair of {} and {} is listed twice; remove one", pair.first, pair.second);
            return invalid(&format!("pairs.{row}"), problem);
        }
    }
    if let Some(recorded) = &study.stream.recorded {
        let rows = recorded.seconds.len();
        if rows as f64 > MOST_LAUNCHES {
            return invalid("stream.recorded.seconds", format!("{rows} requests; at most {MOST_LAUNCHES} are allowed"));
        }
        if rows < 2 || recorded.seconds[rows - 1] <= recorded.seconds[0] {
            let problem = "expected at least two requests at different times".to_owned();
            return invalid("stream.recorded.seconds", problem);
        }
        if let Some(row) = recorded.seconds.windows(2).position(|pair| pair[1] < pair[0]) {
            let problem = format!("request {} is earlier than the one before it; expected ascending times", row + 2);
            return invalid("stream.recorded.seconds", problem);
        }
        let sizes = recorded.sizes.len();
        if sizes != 0 && sizes != rows {
            return invalid(
                "stream.recorded.sizes",
                format!("{sizes} sizes for {rows} requests; expected one for each"),
            );
        }
    }
    let weight = study.rule.experience_weight;
    if weight > 0.0 && weight < LEAST_WEIGHT {
        let problem = format!("{weight} takes thousands of runs to learn a pair; expected 0, or {LEAST_WEIGHT} to 1");
        return invalid("rule.experience_weight", problem);
    }
    let steps = steps(study);
    if steps > MOST_STEPS {
        let path = if checks(study) > MOST_STEPS / 2.0 {
            "rule.period_cycles"
        } else if study.stream.launches * study.stream.streams > 1e7 {
            "stream.launches"
        } else {
            "rule.slice_cycles"
        };
        let problem = format!(
            "{steps:.0} steps to simulate; at most {MOST_STEPS:.0} are allowed: use fewer launches, streams or concurrent kernels, or \
             longer slices or check periods"
        );
        return invalid(path, problem);
    }
    Ok(())
}

fn invalid(path: &str, problem: String) -> Result<(), Invalid> {
    Err(Invalid { path: path.to_owned(), problem })
}
