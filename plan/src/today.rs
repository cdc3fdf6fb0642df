//! Today's engine and machines, as a file has them.

use crossover_engine::{Engine, Engines};
use crossover_placement::Placement;
use crossover_quantity::provenance::{Provenance, Sources};
use crossover_quantity::text::counted;
use crossover_quantity::unit::Unit;

use crate::import::{Cluster, Import, Query};

/// Shortest measured time that an answer starts from, seconds: the least that a study has. Logs of Spark have whole milliseconds,
/// profiles of DuckDB microseconds.
pub const SHORTEST_SECONDS: f64 = 1e-6;

/// End of the name of a machine that a file does not name.
const UNNAMED: &str = "-core machine";
/// Beginning of the name of a machine of a Spark log: the log has the cores of its executors, not those of the machine.
const HOST: &str = "host with ";

/// Between the lowest and the highest of several versions in the name of an engine.
const UP_TO: &str = " … ";

/// Words in the names of Spark engines, in lower case.
const OF_SPARK: [&str; 3] = ["spark", "databricks", "rapids"];

/// Whether an engine of this name is Spark, which runs its plans and writes its logs.
#[must_use]
pub fn is_spark(engine: &str) -> bool {
    let mut words = engine.split(|c: char| !c.is_alphanumeric());
    words.any(|word| OF_SPARK.iter().any(|known| word.eq_ignore_ascii_case(known)))
}

/// "Spark 3.3.0 … 4.3.0": the lowest and the highest of several versions of Spark; `None` for one, or if a name is not of this form, as that
/// of Databricks, which counts its own versions.
#[must_use]
pub fn range_of_versions<'a>(engines: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let version = |engine: &'a str| {
        let version = engine.strip_prefix("Spark ")?;
        // Vendors add their own numbers behind: "3.3.0-amzn-0".
        let numbers = version.split('-').next().unwrap_or_default().split('.').map(|part| part.parse::<u32>().ok());
        Some((numbers.collect::<Option<Vec<u32>>>()?, version))
    };
    let mut versions = engines.into_iter().map(version).collect::<Option<Vec<(Vec<u32>, &str)>>>()?;
    versions.sort();
    let [(_, first), .., (_, last)] = versions.as_slice() else { return None };
    Some(format!("Spark {first}{UP_TO}{last}"))
}

/// The engines in a name: the lowest and the highest version of [`range_of_versions`], else the name itself.
pub(crate) fn engines_in(name: &str) -> Vec<String> {
    match name.split_once(UP_TO) {
        Some((first, last)) => vec![first.to_owned(), format!("Spark {last}")],
        None => vec![name.to_owned()],
    }
}

/// Whether an engine is the CPU engine of a base: versions do not matter, all names of Spark are one, and a base without a name
/// is of Spark.
#[must_use]
pub fn is_same_engine(one: &str, other: &str) -> bool {
    if other.is_empty() {
        return is_spark(one);
    }
    let first = |name: &str| {
        let word = name.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        word.to_lowercase()
    };
    if is_spark(one) { is_spark(other) } else { !one.is_empty() && first(one) == first(other) }
}

/// The engines, today's as a file names it and on the machines of the file; numbers that the file lacks are kept.
#[must_use]
pub fn on_machines_of(engines: &Engines, cluster: &Cluster, engine: &str) -> Engines {
    let mut today = engines.cpu.clone();
    if let Some(machines) = cluster.machines.filter(|machines| *machines > 0) {
        today.machines = (machines as f64).min(1e6);
    }
    if let Some(cores) = cluster.cores_per_machine.filter(|cores| *cores > 0) {
        today.lanes = (cores as f64).min(1e5);
    }
    if !engine.is_empty() {
        engine.clone_into(&mut today.name);
    }
    match (&cluster.machine_type, cluster.cores_per_machine) {
        (Some(name), _) => name.clone_into(&mut today.machine),
        // What a file does not name is not taken for a machine of the measurement.
        (None, Some(cores)) if is_spark(engine) => {
            today.machine = format!("{HOST}{}", counted(cores as f64, "executor core"));
        }
        (None, Some(cores)) => today.machine = format!("{}{UNNAMED}", Unit::Count.format(cores as f64)),
        (None, None) => {}
    }
    if today.machine != engines.cpu.machine {
        // Cores of the machines that Spark does not use are not counted.
        today.usd_per_hour = engines.cpu.usd_per_core_hour().map(|usd| usd * today.lanes);
        today.vcpus = None;
    }
    let mut moved = on_engine(engines, &today);
    // A plan without its machine probably ran on another one.
    if cluster.cores_per_machine.is_none() {
        moved.on_unmeasured_machines();
    }
    moved
}

/// The engines with today's on the machines, at the price and under the name of another one. On other machines than those of
/// the measured errors, the error factor of the other engine's time alone applies.
#[must_use]
pub(crate) fn on_engine(engines: &Engines, today: &Engine) -> Engines {
    let mut moved = engines.clone();
    let Engine { name, machine, machines, lanes, vcpus, usd_per_hour, .. } = today.clone();
    moved.cpu = Engine { name, machine, machines, lanes, vcpus, usd_per_hour, ..moved.cpu };
    if moved.cpu.fitted_to.is_empty() && moved.cpu.title() != engines.cpu.title() {
        moved.cpu.fitted_to = engines.cpu.title();
    }
    if is_moved(&engines.cpu, today) {
        moved.on_unmeasured_machines();
    }
    moved
}

/// Whether an engine is on other machines than before, as far as they are known.
fn is_moved(before: &Engine, now: &Engine) -> bool {
    let is_unnamed = now.machine.ends_with(UNNAMED) || now.machine.starts_with(HOST);
    let is_of_other_type = now.machine != before.machine && !is_unnamed;
    is_of_other_type || (now.machines - before.machines).abs() > 0.5 || (now.lanes / before.lanes - 1.0).abs() > 0.1
}

/// That today's machines were entered, and are others than those of a file, whose time is measured, without the last full stop; `None` if the
/// file does not say how many machines it had with how many cores, or if they are the same.
#[must_use]
pub fn entered_instead(today: &Engine, of_file: &Cluster) -> Option<String> {
    let (machines, cores) = of_file.machines.zip(of_file.cores_per_machine)?;
    let [machines, cores] = [machines, cores].map(|count| count as f64);
    let other_type = of_file.machine_type.as_deref().filter(|name| *name != today.machine);
    if today.machines == machines && today.lanes == cores && other_type.is_none() {
        return None;
    }
    let in_words = |machines: f64, cores: f64, name: Option<&str>| {
        let name = name.map(|name| format!(" ({name})")).unwrap_or_default();
        let each = if machines == 1.0 { "" } else { " each" };
        format!("{}{name} with {}{each}", counted(machines, "machine"), counted(cores, "core"))
    };
    Some(format!(
        "The file has {}; you entered {}. The measured time counts as that of the machines that you entered",
        in_words(machines, cores, other_type),
        in_words(today.machines, today.lanes, other_type.map(|_| today.machine.as_str()))
    ))
}

/// The origin of the price of today's machines that is assumed from that of the machines of the measurement; `None` if both are the same, or
/// there is no price. `of_measured`: the origin of their price.
#[must_use]
pub fn assumed_price(of_measured: Option<&Provenance>, measured: &Engine, today: &Engine) -> Option<Provenance> {
    if measured.machine == today.machine || today.usd_per_hour.is_none() {
        return None;
    }
    let from = match of_measured {
        Some(Provenance::Assumed { from, .. }) => from.clone(),
        other => Box::new(other.cloned().unwrap_or_default()),
    };
    let of = if measured.machine.is_empty() { measured.title() } else { measured.machine.clone() };
    Some(Provenance::Assumed { why: format!("each core costs as much as a vCPU of {of}"), from })
}

/// Marks the price at a path of the sources as assumed, if today's machines are others than those of the measurement.
fn mark_assumed_price(sources: &mut Sources, path: &str, measured: &Engine, today: &Engine) {
    if let Some(assumed) = assumed_price(sources.get(path), measured, today) {
        sources.insert(path.to_owned(), assumed);
    }
}

/// The time of a query that an answer about another engine starts from; `None` if it failed, or ran on GPUs already.
#[must_use]
pub fn measured_seconds(query: &Query) -> Option<f64> {
    let is_comparable = query.failure.is_none() && !query.plan.nodes.iter().any(|node| node.ran_on_gpu);
    query.duration_seconds.filter(|seconds| is_comparable && *seconds >= SHORTEST_SECONDS)
}

/// Sets today's engine, machines and time of a query in a study with engines, as the file has them.
pub fn take_today(study: &mut Placement, import: &Import, query: &Query) {
    let Some(engines) = &study.engines else { return };
    let measured = measured_seconds(query);
    let before = engines.cpu.clone();
    let engines = Engines { measured_seconds: measured, ..on_machines_of(engines, &import.cluster, &import.engine) };
    mark_assumed_price(&mut study.sources, "engines.cpu.usd_per_hour", &before, &engines.cpu);
    if engines.cpu.vcpus.is_none() {
        study.sources.remove("engines.cpu.vcpus");
    }
    study.engines = Some(Box::new(engines));
    let imported = [
        ("cpu.machines", import.cluster.machines.is_some()),
        ("cpu.lanes", import.cluster.cores_per_machine.is_some()),
        ("measured_seconds", measured.is_some()),
    ];
    for (field, _) in imported.into_iter().filter(|(_, is_in_file)| *is_in_file) {
        study.sources.insert(format!("engines.{field}"), Provenance::Imported { file: import.file.clone() });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What was assumed of the machines of the measurement is the origin of both prices.
    #[test]
    fn a_price_of_other_machines_is_assumed_from_that_of_the_measured_ones() {
        let scenario = crossover_scenario::read(include_str!("../../scenarios/placement-truth-aws-l4.ron"));
        let scenario = scenario.expect("a valid scenario");
        let measured = &scenario.placement().and_then(|study| study.engines.as_deref()).expect("engines").cpu;
        let listed = Provenance::Published("a list".to_owned());
        let other = Engine { machine: "host".to_owned(), usd_per_hour: Some(1.0), ..measured.clone() };
        let expected = Provenance::Assumed {
            why: format!("each core costs as much as a vCPU of {}", measured.machine),
            from: Box::new(listed.clone()),
        };
        assert_eq!(assumed_price(Some(&listed), measured, &other).as_ref(), Some(&expected));
        assert_eq!(assumed_price(Some(&expected), measured, &other).as_ref(), Some(&expected));
        assert_eq!(assumed_price(Some(&listed), measured, measured), None);
        assert_eq!(assumed_price(Some(&listed), measured, &Engine { usd_per_hour: None, ..other }), None);
    }

    #[test]
    fn several_versions_of_spark_are_named_by_the_lowest_and_the_highest() {
        let of = |engines: &[&str]| range_of_versions(engines.iter().copied());
        let four = ["Spark 4.3.0", "Spark 3.10.1", "Spark 3.3.0-amzn-0", "Spark 3.5.3"];
        let name = of(&four).expect("several versions");
        assert_eq!(name, "Spark 3.3.0-amzn-0 … 4.3.0");
        assert_eq!(engines_in(&name), ["Spark 3.3.0-amzn-0", "Spark 4.3.0"]);
        assert_eq!(of(&["Spark 3.5.3", "Spark 3.10.1"]).as_deref(), Some("Spark 3.5.3 … 3.10.1"), "as numbers");
        assert_eq!(
            [of(&["Spark 4.3.0"]), of(&[]), of(&["Spark 4.3.0", "Databricks 13.3.x-scala2.12"])],
            [None, None, None]
        );
        assert_eq!(engines_in("Spark 4.3.0"), ["Spark 4.3.0"]);
    }

    #[test]
    fn entered_machines_are_named_beside_those_of_the_file_if_they_are_others() {
        let scenario = crossover_scenario::read(include_str!("../../scenarios/placement-truth-aws-l4.ron"));
        let scenario = scenario.expect("a valid scenario");
        let measured = &scenario.placement().and_then(|study| study.engines.as_deref()).expect("engines").cpu;
        let engine = |machine: &str, machines: f64, lanes: f64| Engine {
            machine: machine.to_owned(),
            machines,
            lanes,
            ..measured.clone()
        };
        let of_file = Cluster { machines: Some(2), cores_per_machine: Some(30), ..Cluster::default() };
        assert_eq!(entered_instead(&engine("host", 2.0, 30.0), &of_file), None);
        assert_eq!(
            entered_instead(&engine("c5d.12xlarge", 1.0, 48.0), &of_file).as_deref(),
            Some(
                "The file has 2 machines with 30 cores each; you entered 1 machine with 48 cores. The measured time counts as that of \
                 the machines that you entered"
            )
        );
        let typed = Cluster { machine_type: Some("m5.8xlarge".to_owned()), ..of_file.clone() };
        assert_eq!(entered_instead(&engine("m5.8xlarge", 2.0, 30.0), &typed), None);
        let other = entered_instead(&engine("c5.8xlarge", 2.0, 30.0), &typed).expect("another type");
        assert!(
            other.contains("2 machines (m5.8xlarge) with 30 cores each; you entered 2 machines (c5.8xlarge)"),
            "{other}"
        );
        // A file that does not say it has no others.
        assert_eq!(entered_instead(&engine("host", 2.0, 30.0), &Cluster::default()), None);
    }
}
