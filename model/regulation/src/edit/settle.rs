//! Moves what depends on a field that was changed alone, so that the study stays valid.

use crate::study::{Band, Cluster, Concurrency, CurvePoint, Demand, Regulation, Run, Schedule, Shape, Voltage};
use crate::table;
use crate::validate::MOST_STEPS;
use crossover_study::sources;

/// Of two numbers that must differ, the larger one becomes this many times the smaller one.
const APART: f64 = 1.5;
/// A number that must lie strictly between two others keeps this share of their distance from both.
const MARGIN: f64 = 1e-3;

impl Regulation {
    /// Makes the study valid again after the field at `path`, alone and within its own range, was changed in a valid
    /// study: what limits it or is limited by it moves along. Where nothing else can move, the field itself goes back
    /// as far as it must. Sources of other numbers that changed go.
    ///
    /// `path` is that of a number (`clusters.I.min_vgpus`, `table.3.to`), or of a precision of a cluster
    /// (`clusters.I.precision`); nothing happens for any other.
    pub(crate) fn settle_from(&mut self, path: &str) {
        let (part, rest) = path.split_once('.').unwrap_or((path, ""));
        let path = path.to_owned();
        sources::enter(self, |study| match part {
            "run" => settle_run(&mut study.run, rest, study.clusters.len()),
            "clusters" => {
                let period = study.run.period_seconds;
                let precisions: Vec<&str> = study.precisions.iter().map(|level| level.name.as_str()).collect();
                for cluster in &mut study.clusters {
                    if let Some(field) = field_of(&path, "clusters", &cluster.name) {
                        settle_cluster(cluster, field, period, &precisions);
                    }
                }
            }
            "controllers" => {
                for controller in &mut study.controllers {
                    let field = field_of(&path, "controllers", &controller.name);
                    let field = field.and_then(|field| field.strip_prefix("schedule."));
                    if let (Some(field), Some(schedule)) = (field, &mut controller.schedule) {
                        settle_schedule(schedule, field);
                    }
                }
            }
            "table" => settle_table(&mut study.table, rest),
            "power" => settle_curve(&mut study.power.curve, rest),
            _ => {}
        });
    }
}

/// What follows the name of an entry of a list in a path.
fn field_of<'p>(path: &'p str, list: &str, name: &str) -> Option<&'p str> {
    path.strip_prefix(list)?.strip_prefix('.')?.strip_prefix(name)?.strip_prefix('.')
}

/// Makes numbers ascend by letting the others give way to the one that changed.
fn ascend<T: PartialOrd + Copy>(values: &mut [&mut T], changed: usize) {
    let fixed = *values[changed];
    for (index, value) in values.iter_mut().enumerate() {
        if (index < changed && **value > fixed) || (index > changed && **value < fixed) {
            **value = fixed;
        }
    }
}

fn settle_run(run: &mut Run, field: &str, clusters: usize) {
    let most = (MOST_STEPS / clusters as f64).floor().min(Run::PERIODS.max);
    if field == "average_periods" {
        run.periods = run.periods.max(run.average_periods);
    }
    run.periods = run.periods.min(most);
    run.average_periods = run.average_periods.min(run.periods);
}

fn settle_cluster(cluster: &mut Cluster, field: &str, period: f64, precisions: &[&str]) {
    let Cluster { vgpus, min_vgpus, max_vgpus, start_ghz, min_ghz, max_ghz, .. } = cluster;
    match field {
        "min_vgpus" => ascend(&mut [min_vgpus, vgpus, max_vgpus], 0),
        "vgpus" => ascend(&mut [min_vgpus, vgpus, max_vgpus], 1),
        "max_vgpus" => ascend(&mut [min_vgpus, vgpus, max_vgpus], 2),
        "min_ghz" => ascend(&mut [min_ghz, start_ghz, max_ghz], 0),
        "start_ghz" => ascend(&mut [min_ghz, start_ghz, max_ghz], 1),
        "max_ghz" => ascend(&mut [min_ghz, start_ghz, max_ghz], 2),
        "voltage.least" | "voltage.start" | "voltage.most" => {
            if let Some(Voltage { start, least, most }) = &mut cluster.voltage {
                let changed = ["voltage.least", "voltage.start", "voltage.most"].iter().position(|path| *path == field);
                ascend(&mut [least, start, most], changed.unwrap_or_default());
            }
        }
        "concurrency.start" | "concurrency.most" => {
            if let Some(Concurrency { start, most, .. }) = &mut cluster.concurrency {
                ascend(&mut [start, most], usize::from(field == "concurrency.most"));
            }
        }
        "lowest_precision" => settle_precisions(cluster, precisions, 0),
        "precision" => settle_precisions(cluster, precisions, 1),
        "highest_precision" => settle_precisions(cluster, precisions, 2),
        "demand.start_seconds" | "demand.end_seconds" if cluster.demand.shape == Shape::Ramp => {
            let (start, end) = (&mut cluster.demand.start_seconds, &mut cluster.demand.end_seconds);
            let last = Demand::END_SECONDS.max;
            if *start >= *end {
                if field == "demand.end_seconds" {
                    *start = (*end - period).max(0.0);
                } else {
                    *start = start.min(last - period);
                }
                *end = end.max((*start + period).min(last));
            }
        }
        _ => {}
    }
}

fn settle_precisions(cluster: &mut Cluster, precisions: &[&str], changed: usize) {
    let level = |name: &str| precisions.iter().position(|level| *level == name);
    let Cluster { precision, lowest_precision, highest_precision, .. } = cluster;
    let found = (level(lowest_precision), level(precision), level(highest_precision));
    let (Some(mut lowest), Some(mut start), Some(mut highest)) = found else { return };
    ascend(&mut [&mut lowest, &mut start, &mut highest], changed);
    for (name, level) in [(lowest_precision, lowest), (precision, start), (highest_precision, highest)] {
        precisions[level].clone_into(name);
    }
}

fn settle_schedule(schedule: &mut Schedule, field: &str) {
    let (small, large) = (&mut schedule.small_error, &mut schedule.large_error);
    let (least, most) = (Schedule::SMALL_ERROR.min, Schedule::LARGE_ERROR.max);
    if *small < *large {
        return;
    }
    if field == "large_error" {
        *large = large.max(least * APART);
        *small = *large / APART;
    } else {
        *small = small.min(most / APART);
        *large = *small * APART;
    }
}

/// The row and the field of a path below a list without names.
fn row_of(rest: &str) -> Option<(usize, &str)> {
    let (row, field) = rest.split_once('.')?;
    Some((row.parse().ok()?, field))
}

fn settle_table(table: &mut [Band], rest: &str) {
    let Some((row, field)) = row_of(rest).filter(|(row, _)| *row < table.len()) else { return };
    match field {
        "from" if row > 0 => settle_shared_end(table, row - 1, table[row].from),
        "to" if row + 1 < table.len() => settle_shared_end(table, row, table[row].to),
        // The outermost ends: the dead zone must reach beyond zero, every other row must have a width.
        "from" => {
            let inner = if table[0].to > 0.0 { 0.0 } else { table[0].to };
            if table[0].from >= inner {
                table[0].from = f64::midpoint(inner, Band::FROM.min).max(inner - 0.1);
            }
        }
        "to" => {
            let last = &mut table[row];
            let inner = if last.from < 0.0 { 0.0 } else { last.from };
            if last.to <= inner {
                last.to = f64::midpoint(inner, Band::TO.max).min(inner + 0.1);
            }
        }
        _ => {
            if let Some(dead_zone) = table::dead_zone_row(table) {
                let Band { precision, frequency_mhz, vgpus, .. } = &mut table[dead_zone];
                (*precision, *frequency_mhz, *vgpus) = (0.0, 0.0, 0.0);
            }
        }
    }
}

/// Moves the end that a row shares with the next one. It stays between their other ends, and on its side of zero.
fn settle_shared_end(table: &mut [Band], row: usize, wanted: f64) {
    let (low, high) = (table[row].from, table[row + 1].to);
    // One of the two rows still has the end as it was.
    let before = if table[row].to == wanted { table[row + 1].from } else { table[row].to };
    let is_above = before > 0.0;
    let end =
        between(wanted, before, if is_above { low.max(0.0) } else { low }, if is_above { high } else { high.min(0.0) });
    (table[row].to, table[row + 1].from) = (end, end);
}

/// The wanted value, or the nearest one that is well between two limits; the one before if there is no room.
fn between(wanted: f64, before: f64, low: f64, high: f64) -> f64 {
    if low < wanted && wanted < high {
        return wanted;
    }
    let margin = MARGIN * (high - low);
    let nearest = wanted.max(low + margin).min(high - margin);
    if low < nearest && nearest < high { nearest } else { before }
}

fn settle_curve(curve: &mut [CurvePoint], rest: &str) {
    let Some((index, "frequency_ratio")) = rest.strip_prefix("curve.").and_then(row_of) else { return };
    if index >= curve.len() {
        return;
    }
    // The ends of the range are allowed, the neighbours are not.
    let range = CurvePoint::FREQUENCY_RATIO;
    let low = index.checked_sub(1).map_or(range.min.next_down(), |before| curve[before].frequency_ratio);
    let high = curve.get(index + 1).map_or(range.max.next_up(), |after| after.frequency_ratio);
    curve[index].frequency_ratio = between(curve[index].frequency_ratio, f64::midpoint(low, high), low, high);
}
