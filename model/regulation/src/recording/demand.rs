//! A recording as the demand of a cluster, and the transfer ceiling that fits it.

use super::super::actions::Acting;
use super::super::study::{Cluster, Demand, Regulation, Shape};
use super::super::validate::MOST_VALUES;
use super::{Column, Recording, Track};
use crossover_quantity::text::counted;

/// Smaller PCIe occupancies are mostly rounding and give no ceiling.
const SMALLEST_OCCUPANCY: f64 = 0.01;
/// Readings this near to a uniform grid, in intervals, are on it.
const ON_GRID: f64 = 1e-3;

/// The GPUs whose work is replayed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gpus {
    /// One GPU, by its index in [`Recording::tracks`]: the cluster is as busy as this GPU was.
    One(usize),
    /// All GPUs: the cluster is as busy as they were on average; demands in TOPS add up. Only the time in which
    /// all were recorded counts.
    All,
}

/// A recording, ready to be replayed.
#[derive(Debug, Clone, PartialEq)]
pub struct Replay {
    /// The demand; its series is uniform in time.
    pub demand: Demand,
    /// The transfer ceiling of the cluster that fits the recording, TOPS, for its field `pcie_tops`; or why none can
    /// be derived.
    pub pcie_tops: Result<f64, String>,
    /// Remarks on both, one sentence each.
    pub notes: Vec<String>,
}

/// Why a recording cannot be replayed in this way.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {problem}")]
pub struct ReplayError {
    /// The option or field that is wrong.
    pub field: &'static str,
    /// What is wrong and what is expected.
    pub problem: String,
}

fn reject<T>(field: &'static str, problem: impl Into<String>) -> Result<T, ReplayError> {
    Err(ReplayError { field, problem: problem.into() })
}

/// The demand that makes a cluster at its start as busy as GPUs were.
///
/// - Demand: X = activity × C, with C the cluster's capacity at its start, TOPS; SM activity where it was recorded,
///   else the share of time in which the GPU was busy. A recorded `demand_tops` is taken as it is.
/// - Ceiling: B = median(X / `p_p`), with `p_p` = max(sent, received) / `bus_gb_per_s`, over the values with a `p_p`
///   of at least 1 %; at a transfer factor of 1.
/// - Time: a reading holds from its time to the next one's. A value is the average over its `seconds_per_value`,
///   which is the recording's own interval if none is given, so no work is lost or added.
///
/// # Errors
/// There is no such GPU or cluster, the recording has no demand and no activity, it is too short, or the series
/// would be too long.
pub fn to_demand(
    recording: &Recording,
    gpus: Gpus,
    study: &Regulation,
    cluster: usize,
    bus_gb_per_s: f64,
    seconds_per_value: Option<f64>,
) -> Result<Replay, ReplayError> {
    let Some(cluster) = study.clusters.get(cluster) else {
        return reject("cluster", format!("there is no cluster {cluster}"));
    };
    let tracks: Vec<&Track> = match gpus {
        Gpus::All => recording.tracks.iter().collect(),
        Gpus::One(index) => recording.tracks.get(index).into_iter().collect(),
    };
    let Some(first) = tracks.first() else {
        return reject("gpu", format!("there is no such GPU; the recording has {}", recording.tracks.len()));
    };
    let (column, mut notes) = source(&tracks)?;
    let grid = Grid::over(&tracks, seconds_per_value.or(first.interval()))?;
    let capacity = Acting::new(study, cluster).capacity();
    let count = tracks.len() as f64;
    let factor = if column == Column::DemandTops { 1.0 } else { capacity / count };
    let mut series = vec![0.0; grid.values];
    for track in &tracks {
        for (sum, value) in series.iter_mut().zip(grid.averages(track, &track.values[&column])) {
            *sum += factor * value;
        }
    }
    if let Some(problem) = series.iter().find_map(|value| Demand::HIGH_TOPS.problem(*value)) {
        return reject("demand", problem);
    }
    let level = study.precisions.iter().find(|level| level.name == cluster.precision);
    let transfer_factor = level.map_or(1.0, |level| level.transfer_factor);
    let pcie_tops = ceiling(&tracks, &grid, &series, column, bus_gb_per_s).map(|tops| tops * transfer_factor);
    let pcie_tops = pcie_tops.and_then(|tops| match Cluster::PCIE_TOPS.problem(tops) {
        None => Ok(tops),
        Some(problem) => Err(format!("The derived ceiling is not valid: {problem}.")),
    });
    if tracks.len() > 1 {
        notes.push(format!(
            "Sum or mean of {}, over the {} s in which all were recorded.",
            counted(tracks.len() as f64, "GPU"),
            grid.length()
        ));
    }
    let demand = Demand {
        shape: Shape::Recorded,
        low_tops: 0.0,
        high_tops: series.iter().copied().fold(0.0, f64::max),
        start_seconds: 0.0,
        end_seconds: 0.0,
        seconds_per_value: grid.seconds_per_value,
        series: series.into(),
    };
    Ok(Replay { demand, pcie_tops, notes })
}

/// The column that measures the work.
fn source(tracks: &[&Track]) -> Result<(Column, Vec<String>), ReplayError> {
    let all_have = |column: &Column| tracks.iter().all(|track| track.values.contains_key(column));
    match [Column::DemandTops, Column::SmActive, Column::GpuUtilisation].into_iter().find(all_have) {
        Some(Column::GpuUtilisation) => {
            let note = "The recording has no SM activity. GPU utilisation replaces it; it is higher where kernels do \
                        not fill the GPU.";
            Ok((Column::GpuUtilisation, vec![note.to_owned()]))
        }
        Some(column) => Ok((column, Vec::new())),
        None => reject(
            "gpu",
            format!(
                "not every GPU has a column for its work; expected {}, {} or {}",
                Column::SmActive.key(),
                Column::GpuUtilisation.key(),
                Column::DemandTops.key()
            ),
        ),
    }
}

/// B = median(X / `p_p`), TOPS, at the cluster's precision.
fn ceiling(tracks: &[&Track], grid: &Grid, series: &[f64], column: Column, bus_gb_per_s: f64) -> Result<f64, String> {
    if column == Column::DemandTops {
        return Err("A demand in TOPS has no transfer rate.".to_owned());
    }
    if !(bus_gb_per_s.is_finite() && bus_gb_per_s > 0.0) {
        return Err(format!("The speed of the bus, {bus_gb_per_s} GB/s, must be above 0."));
    }
    let mut occupancy = vec![0.0; grid.values];
    for track in tracks {
        let directions: Vec<&Vec<f64>> =
            [Column::PcieTx, Column::PcieRx].iter().filter_map(|one| track.values.get(one)).collect();
        let Some(length) = directions.first().map(|values| values.len()) else {
            return Err("The recording lacks the PCIe transfer of at least one GPU.".to_owned());
        };
        let busier: Vec<f64> =
            (0..length).map(|index| directions.iter().map(|values| values[index]).fold(0.0, f64::max)).collect();
        let peak = busier.iter().copied().fold(0.0, f64::max);
        if peak > bus_gb_per_s {
            return Err(format!(
                "Transfer reached {peak} GB/s, more than the bus with {bus_gb_per_s} GB/s can carry; enter the speed \
                 of the link."
            ));
        }
        for (sum, value) in occupancy.iter_mut().zip(grid.averages(track, &busier)) {
            *sum += value / bus_gb_per_s / tracks.len() as f64;
        }
    }
    let pairs = series.iter().zip(&occupancy);
    let mut ceilings: Vec<f64> = pairs
        .filter(|(tops, occupancy)| **occupancy >= SMALLEST_OCCUPANCY && **tops > 0.0)
        .map(|(tops, occupancy)| tops / occupancy)
        .collect();
    ceilings.sort_by(f64::total_cmp);
    let middle = ceilings.len() / 2;
    match ceilings.len() {
        0 => Err("There is no time with both work and transfer of at least 1 % of the bus.".to_owned()),
        odd if odd % 2 == 1 => Ok(ceilings[middle]),
        _ => Ok(f64::midpoint(ceilings[middle - 1], ceilings[middle])),
    }
}

/// Uniform times.
struct Grid {
    begin: f64,
    seconds_per_value: f64,
    values: usize,
}

impl Grid {
    /// Over the time that all tracks share.
    fn over(tracks: &[&Track], seconds_per_value: Option<f64>) -> Result<Self, ReplayError> {
        let field = "demand.seconds_per_value";
        let Some(seconds_per_value) = seconds_per_value else {
            return reject(field, "a single reading has no interval; two readings or a time per value are needed");
        };
        if let Some(problem) = Demand::SECONDS_PER_VALUE.problem(seconds_per_value) {
            return reject(field, problem);
        }
        let begin = tracks.iter().map(|track| track.seconds[0]).fold(0.0, f64::max);
        let end = tracks.iter().map(|track| end(track, seconds_per_value)).fold(f64::INFINITY, f64::min);
        let values = ((end - begin) / seconds_per_value + ON_GRID).floor();
        if values < 1.0 {
            return reject(
                field,
                format!("{seconds_per_value} s is longer than the time in which all GPUs were recorded"),
            );
        }
        if values > MOST_VALUES as f64 {
            return reject(
                field,
                format!("{values} values; at most {MOST_VALUES} are allowed; choose a longer time per value"),
            );
        }
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "1 … MOST_VALUES")]
        let values = values as usize;
        Ok(Self { begin, seconds_per_value, values })
    }

    fn length(&self) -> f64 {
        self.values as f64 * self.seconds_per_value
    }

    fn time(&self, index: usize) -> f64 {
        self.begin + index as f64 * self.seconds_per_value
    }

    /// The average of a track's values over each interval.
    fn averages(&self, track: &Track, values: &[f64]) -> Vec<f64> {
        let near = |(index, time): (usize, &f64)| (time - self.time(index)).abs() <= ON_GRID * self.seconds_per_value;
        if values.len() == self.values && track.seconds.iter().enumerate().all(near) {
            return values.to_vec();
        }
        let last = end(track, self.seconds_per_value);
        let until = |index: usize| track.seconds.get(index + 1).copied().unwrap_or(last);
        let mut reading = 0;
        (0..self.values)
            .map(|index| {
                let (from, to) = (self.time(index), self.time(index + 1));
                while reading + 1 < values.len() && until(reading) <= from {
                    reading += 1;
                }
                let (mut work, mut time) = (0.0, 0.0);
                for (index, value) in values.iter().enumerate().skip(reading) {
                    let held = until(index).min(to) - track.seconds[index].max(from);
                    if held <= 0.0 {
                        break;
                    }
                    work += value * held;
                    time += held;
                }
                if time > 0.0 { work / time } else { values[reading] }
            })
            .collect()
    }
}

/// When the last reading of a track ends: it holds as long as one usually does.
fn end(track: &Track, seconds_per_value: f64) -> f64 {
    track.seconds.last().copied().unwrap_or_default() + track.interval().unwrap_or(seconds_per_value)
}
