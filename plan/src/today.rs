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

/// Words in the names of Spark engines, in lower case.
const OF_SPARK: [&str; 3] = ["spark", "databricks", "rapids"];

/// Whether an engine of this name is Spark, which runs its plans and writes its logs.
#[must_use]
pub fn is_spark(engine: &str) -> bool {
    let mut words = engine.split(|c: char| !c.is_alphanumeric());
    words.any(|word| OF_SPARK.iter().any(|known| word.eq_ignore_ascii_case(known)))
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
        moved.widen_anchored_errors();
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
        moved.widen_anchored_errors();
    }
    moved
}

/// Whether an engine is on other machines than before, as far as they are known.
fn is_moved(before: &Engine, now: &Engine) -> bool {
    let is_unnamed = now.machine.ends_with(UNNAMED) || now.machine.starts_with(HOST);
    let is_of_other_type = now.machine != before.machine && !is_unnamed;
    is_of_other_type || (now.machines - before.machines).abs() > 0.5 || (now.lanes / before.lanes - 1.0).abs() > 0.1
}

/// Marks the price at a path of the sources as assumed, if today's machines are others than those of the measurement.
pub fn mark_assumed_price(sources: &mut Sources, path: &str, measured: &Engine, today: &Engine) {
    if measured.machine == today.machine || today.usd_per_hour.is_none() {
        return;
    }
    let from = match sources.remove(path) {
        Some(Provenance::Assumed { from, .. }) => from,
        other => Box::new(other.unwrap_or_default()),
    };
    let of = if measured.machine.is_empty() { measured.title() } else { measured.machine.clone() };
    let why = format!("each core costs as much as a vCPU of {of}");
    sources.insert(path.to_owned(), Provenance::Assumed { why, from });
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
