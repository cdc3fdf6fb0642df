//! What makes a placement study invalid, field by field.

use std::collections::BTreeSet;

use super::parameter::Field;
use super::study::Placement;
use crate::invalid::{Invalid, did_you_mean};

/// The first thing that is wrong with a study.
///
/// # Errors
/// A value that is not finite or out of range, an empty list, a name that is empty or used twice, a
/// chosen network that does not exist, a provenance for a field that does not exist or with an interval
/// that is none.
pub fn validate(study: &Placement) -> Result<(), Invalid> {
    names("networks", study.networks.iter().map(|network| network.name.as_str()))?;
    names("operators", study.operators.iter().map(|operator| operator.name.as_str()))?;
    for field in Field::all(study) {
        let info = field.parameter.info();
        if let Some(problem) = field.value(study).and_then(|value| info.problem(value)) {
            return Err(Invalid { path: field.path(study), problem });
        }
    }
    if !study.networks.iter().any(|network| network.name == study.policy.network) {
        let known: Vec<_> = study.networks.iter().map(|network| network.name.as_str()).collect();
        return Err(Invalid {
            path: "policy.network".to_owned(),
            problem: format!("no network is called “{}”; allowed: {}", study.policy.network, known.join(", ")),
        });
    }
    if study.sources.is_empty() {
        return Ok(());
    }
    let known: BTreeSet<String> = Field::all(study).map(|field| field.path(study)).collect();
    if let Some(path) = study.sources.keys().find(|path| !known.contains(*path)) {
        return Err(Invalid {
            path: format!("sources.{path}"),
            problem: format!("“{path}” is not a number of this study{}", did_you_mean(path, known.iter())),
        });
    }
    for (path, source) in &study.sources {
        if let Some(problem) = source.problem() {
            return Err(Invalid { path: format!("sources.{path}"), problem });
        }
    }
    Ok(())
}

fn names<'a>(list: &str, names: impl Iterator<Item = &'a str>) -> Result<(), Invalid> {
    let mut seen = BTreeSet::new();
    for (index, name) in names.enumerate() {
        let invalid = |problem| Err(Invalid { path: format!("{list}.{index}.name"), problem });
        if name.trim().is_empty() {
            return invalid("a name must not be empty".to_owned());
        }
        if !seen.insert(name) {
            return invalid(format!("“{name}” is used twice; every name in {list} must be unique"));
        }
    }
    if seen.is_empty() {
        return Err(Invalid {
            path: list.to_owned(),
            problem: "the list is empty; at least one entry is needed".to_owned(),
        });
    }
    Ok(())
}
