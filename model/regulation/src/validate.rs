//! What makes a regulation study invalid, field by field.

use super::gain_table::GainTable;
use super::study::{Actuator, Band, Cluster, PowerLaw, Regulation, Shape};
use crossover_quantity::invalid::{Invalid, unknown};

/// Most clusters × periods, which bounds time and memory of one run.
pub const MOST_STEPS: f64 = 200_000.0;
/// Most values of a recorded series.
pub const MOST_VALUES: usize = 100_000;

/// Checks the relations between fields that are each valid alone.
///
/// # Errors
/// Limits that exclude the start, a control table with a gap or an overlap, a curve that does not ascend.
pub(super) fn check(study: &Regulation) -> Result<(), Invalid> {
    run(study)?;
    for cluster in &study.clusters {
        limits(study, cluster)?;
        demand(cluster)?;
    }
    for controller in &study.controllers {
        if let Some(schedule) = &controller.schedule {
            let path = format!("controllers.{}.schedule.small_error", controller.name);
            below(&path, "small_error", schedule.small_error, "large_error", schedule.large_error)?;
        }
    }
    for controller in &study.controllers {
        if let Some(problem) = controller.learned.as_ref().and_then(GainTable::problem) {
            return invalid(format!("controllers.{}.learned", controller.name), problem);
        }
    }
    table(&study.table)?;
    actuators(&study.actuators.order)?;
    power(study)
}

fn invalid<T>(path: impl Into<String>, problem: impl Into<String>) -> Result<T, Invalid> {
    Err(Invalid { path: path.into(), problem: problem.into() })
}

fn at_most(list: &str, count: usize, most: usize) -> Result<(), Invalid> {
    if count > most { invalid(list, format!("{count} entries; at most {most} are allowed")) } else { Ok(()) }
}

fn not_above(path: &str, low_name: &str, low: f64, high_name: &str, high: f64) -> Result<(), Invalid> {
    if low > high {
        return invalid(path, format!("{low_name} {low} is above {high_name} {high}"));
    }
    Ok(())
}

fn below(path: &str, low_name: &str, low: f64, high_name: &str, high: f64) -> Result<(), Invalid> {
    if low >= high {
        return invalid(path, format!("{low_name} {low} must be below {high_name} {high}"));
    }
    Ok(())
}

fn run(study: &Regulation) -> Result<(), Invalid> {
    let run = &study.run;
    not_above("run.average_periods", "average_periods", run.average_periods, "periods", run.periods)?;
    let steps = run.periods * study.clusters.len() as f64;
    if steps > MOST_STEPS {
        let problem = format!("{steps} periods of all clusters together; at most {MOST_STEPS} are allowed");
        return invalid("run.periods", problem);
    }
    Ok(())
}

fn limits(study: &Regulation, cluster: &Cluster) -> Result<(), Invalid> {
    let path = |field: &str| format!("clusters.{}.{field}", cluster.name);
    not_above(&path("min_vgpus"), "min_vgpus", cluster.min_vgpus, "vgpus", cluster.vgpus)?;
    not_above(&path("max_vgpus"), "vgpus", cluster.vgpus, "max_vgpus", cluster.max_vgpus)?;
    not_above(&path("min_ghz"), "min_ghz", cluster.min_ghz, "start_ghz", cluster.start_ghz)?;
    not_above(&path("max_ghz"), "start_ghz", cluster.start_ghz, "max_ghz", cluster.max_ghz)?;
    if let Some(voltage) = &cluster.voltage {
        not_above(&path("voltage.least"), "least", voltage.least, "start", voltage.start)?;
        not_above(&path("voltage.most"), "start", voltage.start, "most", voltage.most)?;
    }
    if let Some(tasks) = &cluster.concurrency {
        not_above(&path("concurrency.most"), "start", tasks.start, "most", tasks.most)?;
    }
    let level = |field: &str, name: &str| {
        let known = study.precisions.iter().map(|level| level.name.as_str());
        let found = known.clone().position(|level| level == name);
        found.ok_or_else(|| unknown(&path(field), "precision", name, known))
    };
    let start = level("precision", &cluster.precision)?;
    let lowest = level("lowest_precision", &cluster.lowest_precision)?;
    let highest = level("highest_precision", &cluster.highest_precision)?;
    if lowest > start {
        return invalid(path("lowest_precision"), format!("lowest_precision is above precision {}", cluster.precision));
    }
    if highest < start {
        return invalid(
            path("highest_precision"),
            format!("highest_precision is below precision {}", cluster.precision),
        );
    }
    Ok(())
}

fn demand(cluster: &Cluster) -> Result<(), Invalid> {
    let demand = &cluster.demand;
    let path = |field: &str| format!("clusters.{}.demand.{field}", cluster.name);
    match demand.shape {
        Shape::Ramp => {
            let (start, end) = (demand.start_seconds, demand.end_seconds);
            below(&path("end_seconds"), "start_seconds", start, "end_seconds", end)?;
        }
        Shape::Recorded if demand.series.is_empty() => {
            return invalid(path("series"), "the recorded series is empty; at least one value is needed");
        }
        Shape::Constant | Shape::Step | Shape::Day | Shape::Recorded => {}
    }
    at_most(&path("series"), demand.series.len(), MOST_VALUES)
}

fn table(table: &[Band]) -> Result<(), Invalid> {
    if table.is_empty() {
        return invalid("table", "the control table is empty; at least one row is needed");
    }
    for (index, band) in table.iter().enumerate() {
        below(&format!("table.{index}.to"), "from", band.from, "to", band.to)?;
    }
    for (index, pair) in table.windows(2).enumerate() {
        let path = format!("table.{}.from", index + 1);
        let (end, begin) = (pair[0].to, pair[1].from);
        if begin > end {
            return invalid(path, format!("a gap: no row covers outputs from {end} to {begin}"));
        }
        if begin < end {
            return invalid(path, format!("an overlap: two rows cover outputs from {begin} to {end}"));
        }
    }
    let Some(dead_zone) = super::table::dead_zone_row(table) else {
        return invalid("table", "no row has zero inside; the row around zero is the dead zone");
    };
    if acts(&table[dead_zone]) {
        return invalid(format!("table.{dead_zone}"), "the row around zero is the dead zone and must not act");
    }
    Ok(())
}

/// Whether a row of the control table changes anything.
fn acts(band: &Band) -> bool {
    band.precision != 0.0 || band.frequency_mhz != 0.0 || band.vgpus != 0.0
}

fn actuators(order: &[Actuator]) -> Result<(), Invalid> {
    if order.is_empty() {
        return invalid("actuators.order", "the list is empty; at least one actuator is needed");
    }
    for (index, actuator) in order.iter().enumerate() {
        if order[..index].contains(actuator) {
            return invalid(format!("actuators.order.{index}"), format!("{actuator:?} is listed twice"));
        }
    }
    Ok(())
}

fn power(study: &Regulation) -> Result<(), Invalid> {
    let curve = &study.power.curve;
    if study.power.law == PowerLaw::Measured && curve.len() < 2 {
        return invalid("power.curve", "a measured curve needs at least two points");
    }
    for (index, pair) in curve.windows(2).enumerate() {
        let path = format!("power.curve.{}.frequency_ratio", index + 1);
        below(&path, "the point before", pair[0].frequency_ratio, "this one", pair[1].frequency_ratio)?;
    }
    Ok(())
}
