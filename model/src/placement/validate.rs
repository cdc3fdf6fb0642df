//! What makes a placement study invalid, field by field.

use super::parameter::Field;
use super::study::Placement;
use crate::invalid::{Invalid, names, sources, unknown};

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
        let known = study.networks.iter().map(|network| network.name.as_str());
        return Err(unknown("policy.network", "network", &study.policy.network, known));
    }
    if study.sources.is_empty() {
        return Ok(());
    }
    sources(&study.sources, &Field::all(study).map(|field| field.path(study)).collect())
}
