//! The engines that are shipped with the program: what logs are compared with.

use crossover_engine::Profile;
use crossover_fleet::Base;
use crossover_page::examples::Example;
use crossover_placement_page::examples::MEASURED;
use crossover_plan::options::{self, Alternative};
use crossover_scenario::read;

/// The shipped engines for logs and for plans of other engines.
///
/// # Errors
/// A shipped file is damaged; a test reads each.
pub fn base() -> Result<Base, String> {
    let base = of_example(&MEASURED[0].1).map_err(|problem| format!("the shipped base: {problem}"))?;
    with_shipped(base)
}

/// The shipped engines with those of a profile on its own machines: an engine that runs on today's machines takes the place of
/// the shipped one of the same name, any other engine that of the GPU cluster.
///
/// # Errors
/// A shipped file is damaged, or the profile makes no valid study.
pub fn with_profile(profile: Profile) -> Result<Base, String> {
    let shipped = base()?;
    let mut alternatives = shipped.alternatives().clone();
    let name = profile.engines.gpu.name.clone();
    if let Some(same) = alternatives.on_same_machines.iter_mut().find(|other| other.engines.gpu.name == name) {
        *same = Alternative::new(profile.engines, &profile.sources);
        return Ok(shipped.or(alternatives));
    }
    let mut scenario = read(MEASURED[0].1.text).map_err(|error| error.to_string())?;
    let study = scenario.study.placement_mut().ok_or("the shipped base has no engines")?;
    // A study with engines keeps its machines.
    study.engines = None;
    study.set_engines(profile);
    scenario.study.validate().map_err(|invalid| format!("{}: {}", invalid.path, invalid.problem))?;
    with_shipped(Base::new(&scenario).map_err(|error| error.to_string())?)
}

/// A base with everything shipped that it lacks: bases for other CPU engines, and, for Spark, the engines that run on the same
/// machines. For Spark only the user names the GPU cluster.
///
/// # Errors
/// A shipped file is damaged; a test reads each.
pub fn with_shipped(base: Base) -> Result<Base, String> {
    let mut all = base;
    if all.is_of_spark() {
        all = all.or(options::shipped()?);
    }
    for (_, example) in MEASURED {
        let other = of_example(&example)?;
        let [cpu, _] = other.titles();
        if !other.is_of_spark() && all.of_engine(&cpu).is_none() {
            all = all.beside(other);
        }
    }
    Ok(all)
}

/// The shipped base with this digest.
pub(crate) fn with_digest(digest: &str) -> Option<Base> {
    all().find(|base| base.digest == digest)
}

/// All shipped bases.
pub(crate) fn all() -> impl Iterator<Item = Base> {
    MEASURED.into_iter().filter_map(|(_, example)| of_example(&example).ok())
}

fn of_example(example: &Example) -> Result<Base, String> {
    let scenario = read(example.text).map_err(|error| error.to_string())?;
    Base::new(&scenario).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_has_bases_for_logs_of_spark_and_for_plans_of_duckdb() {
        let all = base().expect("a base");
        let of = |engine: &str| all.of_engine(engine).map(|base| base.name.clone());
        assert!(all.is_of_spark());
        assert!(of("DuckDB").is_some() && of("DuckDB") != of("Spark 3.5.3"), "{:?}", of("DuckDB"));
        assert_eq!(of("PostgreSQL"), None);
        // Those beside it change nothing of what logs are measured with.
        assert_eq!(all.digest, of_example(&MEASURED[0].1).expect("a base").digest);
        assert!(with_digest(&all.digest).is_some());
    }
}
