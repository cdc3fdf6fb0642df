//! The plant: throughput of a cluster of vGPUs, occupancy of transfer and compute, and power.

use super::study::{Cluster, CurvePoint, Demand, Power, PowerLaw, Shape};

/// Seconds of a day.
const DAY: f64 = 86_400.0;

/// Throughput and occupancies of a cluster.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Served {
    /// X, throughput, TOPS.
    pub tops: f64,
    /// p_p, PCIe occupancy, 0 … 1.
    pub pcie: f64,
    /// p_d, compute load, 0 … 1.
    pub load: f64,
}

/// Serves as much of the offered work as compute (`capacity`) and transfer (`ceiling`) allow, all in TOPS:
/// X = min(offered, capacity, ceiling), p_p = X/ceiling, p_d = X/capacity. A cluster without any capacity is fully
/// loaded as soon as there is work.
#[must_use]
pub fn serve(offered: f64, capacity: f64, ceiling: f64) -> Served {
    let tops = offered.min(capacity).min(ceiling);
    let load = if capacity > 0.0 { tops / capacity } else { f64::from(offered > 0.0) };
    Served { tops, pcie: tops / ceiling, load }
}

/// Work offered to a cluster in a period, TOPS: demand and backlog (tera-operations).
#[must_use]
pub fn offered(demand: f64, backlog: f64, seconds: f64) -> f64 {
    demand + backlog / seconds
}

/// Backlog after a period if nothing is rejected, tera-operations; exactly 0 if all offered work was served.
#[must_use]
pub fn waiting(offered: f64, tops: f64, seconds: f64) -> f64 {
    (offered - tops) * seconds
}

/// Capacity or ceiling of a cluster, TOPS, that computes a share of its data in the precision level below: work takes
/// (1 − c)/`upper` + c/`below` for a unit of data.
#[must_use]
pub fn of_data(upper: f64, below: f64, converted_share: f64) -> f64 {
    if converted_share == 0.0 { upper } else { 1.0 / ((1.0 - converted_share) / upper + converted_share / below) }
}

/// Share of each vGPU that its concurrent tasks can use, min(1, m·q).
#[must_use]
pub fn in_use(concurrency: f64, task_share: f64) -> f64 {
    (concurrency * task_share).min(1.0)
}

/// Power of vGPUs at a frequency, a voltage (relative to that of the base power) and a compute load, W: the power law of the
/// frequency × voltage².
#[must_use]
pub fn watts(power: &Power, cluster: &Cluster, vgpus: f64, [ghz, voltage]: [f64; 2], load: f64) -> f64 {
    let busy = power.idle_share + (1.0 - power.idle_share) * load;
    let ratio = power_ratio(power, ghz / cluster.base_ghz) * (voltage * voltage);
    vgpus * cluster.watts_per_vgpu * ratio * busy
}

/// Power ÷ power at base frequency, for a frequency ÷ base frequency.
#[must_use]
pub fn power_ratio(power: &Power, ratio: f64) -> f64 {
    match power.law {
        PowerLaw::Linear => ratio,
        PowerLaw::Square => ratio * ratio,
        PowerLaw::Cube => ratio * ratio * ratio,
        PowerLaw::Measured => along(&power.curve, ratio),
    }
}

/// The curve at a frequency: linear between its points, constant beyond them.
fn along(curve: &[CurvePoint], ratio: f64) -> f64 {
    let after = curve.partition_point(|point| point.frequency_ratio < ratio);
    match (after.checked_sub(1).and_then(|before| curve.get(before)), curve.get(after)) {
        (Some(low), Some(high)) => {
            let part = (ratio - low.frequency_ratio) / (high.frequency_ratio - low.frequency_ratio);
            low.power_ratio + part * (high.power_ratio - low.power_ratio)
        }
        (Some(only), None) | (None, Some(only)) => only.power_ratio,
        (None, None) => ratio,
    }
}

impl Demand {
    /// Demand at a time after the start, TOPS.
    #[must_use]
    pub fn at(&self, seconds: f64) -> f64 {
        match self.shape {
            Shape::Constant => self.high_tops,
            Shape::Step => {
                if seconds < self.start_seconds {
                    self.low_tops
                } else {
                    self.high_tops
                }
            }
            Shape::Ramp => {
                let part = (seconds - self.start_seconds) / (self.end_seconds - self.start_seconds);
                self.low_tops + part.clamp(0.0, 1.0) * (self.high_tops - self.low_tops)
            }
            Shape::Day => {
                let angle = std::f64::consts::TAU * (seconds - self.start_seconds) / DAY;
                self.low_tops + 0.5 * (1.0 + angle.cos()) * (self.high_tops - self.low_tops)
            }
            Shape::Recorded if self.series.is_empty() => 0.0,
            Shape::Recorded => {
                let index = (seconds / self.seconds_per_value + 1e-9).floor() % self.series.len() as f64;
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "below the length")]
                self.series[index as usize]
            }
        }
    }
}
