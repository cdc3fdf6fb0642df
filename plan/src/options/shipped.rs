//! What could run Spark's queries instead: the engines that are shipped with the program.

use std::sync::LazyLock;

use crossover_engine::{Profile, file};
use crossover_placement::Placement;

use super::{Alternative, Alternatives, Unmeasured};
use crate::today::is_spark;

/// Profiles of engines that run the queries of Spark on its machines, each beside Spark.
pub const PROFILES: [&str; 4] = [
    include_str!("../../../assets/profiles/spark-gluten.ron"),
    include_str!("../../../assets/profiles/spark-comet.ron"),
    include_str!("../../../assets/profiles/spark-gluten-1.6.ron"),
    include_str!("../../../assets/profiles/spark-comet-0.16.ron"),
];

/// Title of the option without measured data that one GPU machine is, until the user names it.
pub const ONE_MACHINE: &str = "RAPIDS on one GPU machine";

/// Options of Spark that people want, and nothing was measured of.
const UNMEASURED: [(&str, &str); 4] = [
    (
        ONE_MACHINE,
        "it was measured on four machines, and the model has no memory limit of one machine; the predicted time of one \
         machine that you add may be too short",
    ),
    ("DuckDB on one large machine", "no query was measured in both Spark and DuckDB on the same data"),
    ("Sirius on one GH200", "it was measured against DuckDB, not against Spark"),
    ("Photon (Databricks)", "no published benchmark has the time of each query in both Spark and Photon"),
];

/// What could run the query of a study with engines: the shipped alternatives if its CPU engine is Spark, of which one may have learned
/// from a trial.
#[must_use]
pub fn alternatives(study: &Placement) -> Alternatives {
    // Read once: a page asks at each edit. A test reads each profile.
    static SHIPPED: LazyLock<Alternatives> = LazyLock::new(|| shipped().unwrap_or_default());
    let of_spark = study.engines.as_deref().is_some_and(|engines| is_spark(&engines.cpu.name));
    let mut all = if of_spark { SHIPPED.clone() } else { Alternatives::default() };
    let learned = study.decision.as_deref().and_then(|inputs| inputs.learned.as_deref());
    // Otherwise it is the GPU engine of the study.
    if let Some(learned) = learned.filter(|learned| learned.before.is_none()) {
        let Profile { engines, sources } = &learned.profile;
        let is_same = |other: &&mut Alternative| other.engines.gpu.name == engines.gpu.name;
        if let Some(same) = all.on_same_machines.iter_mut().find(is_same) {
            *same = Alternative::new(engines.clone(), sources);
        }
    }
    all
}

/// The shipped alternatives of Spark.
///
/// # Errors
/// A shipped profile is damaged; a test reads each.
pub fn shipped() -> Result<Alternatives, String> {
    let read = |text: &str| {
        let profile = file::read(text).map_err(|error| format!("a shipped profile: {}", error.problem))?;
        Ok(Alternative::new(profile.engines, &profile.sources))
    };
    let unmeasured = UNMEASURED.into_iter();
    let unmeasured =
        unmeasured.map(|(title, why)| Unmeasured { title: title.to_owned(), why: why.to_owned(), is_named: false });
    Ok(Alternatives {
        on_same_machines: PROFILES.into_iter().map(read).collect::<Result<Vec<Alternative>, String>>()?,
        clusters: Vec::new(),
        unmeasured: unmeasured.collect(),
    })
}

#[cfg(test)]
mod tests {
    use crossover_engine::Engine;

    use super::*;

    /// Those that the public tables have times of, in Spark and in the engine.
    #[test]
    fn every_measured_version_is_an_option() {
        let shipped = shipped().expect("profiles");
        let names: Vec<&str> =
            shipped.on_same_machines.iter().map(|alternative| alternative.engines.gpu.name.as_str()).collect();
        let expected = [
            "Gluten (Velox) on Spark 3.5.3",
            "Comet 0.17.0 on Spark 3.5.8",
            "Gluten 1.6.0 (Velox) on Spark 3.5.8",
            "Comet 0.16 on Spark 3.5.8",
        ];
        assert_eq!(names, expected);
    }

    #[test]
    fn shipped_engines_were_measured_on_the_same_machines_with_an_error() {
        let shipped = shipped().expect("profiles");
        assert_eq!(shipped.on_same_machines.len(), PROFILES.len());
        for alternative in shipped.on_same_machines {
            let name = &alternative.engines.gpu.name;
            let machines = |engine: &Engine| (engine.machine.clone(), engine.machines);
            assert_eq!(machines(&alternative.engines.cpu), machines(&alternative.engines.gpu), "{name}");
            assert!(alternative.runs.contains("48 queries"), "{name}: {}", alternative.runs);
            assert!(alternative.engines.anchored_error_factor_90 > 1.0, "{name}");
            for engine in [&alternative.engines.cpu, &alternative.engines.gpu] {
                let measurement = engine.measurement.as_ref().expect("a date");
                // A date of another form would never be warned of as old.
                let lengths: Vec<usize> = measurement.date.split('-').map(str::len).collect();
                assert!(matches!(lengths[..], [4, 2] | [4, 2, 2]), "{name}: {measurement:?}");
                let is_date = measurement.date.chars().all(|c| c == '-' || c.is_ascii_digit());
                assert!(is_date, "{name}: {measurement:?}");
                assert!(!measurement.source.is_empty(), "{name}");
            }
        }
    }
}
