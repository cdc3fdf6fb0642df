//! Every number of a regulation study: unit, range, meaning and source, and where it stands.
//!
//! Checks, forms, `--set` and the provenance of numbers all read these lists.

use super::study::{
    Band, Cluster, Controller, CurvePoint, Fuzzy, Manager, Measurement, Power, Regulation, Run, Rung, Schedule,
};
use crate::quantity::{Quantity, at_end_of};
use crate::unit::Unit;

/// Largest throughput, TOPS; a hundred times the fastest machine of 2026.
const MOST_TOPS: f64 = 1e12;
/// Longest time, seconds: a year.
const YEAR: f64 = 366.0 * 86_400.0;
/// Largest gain.
const MOST_GAIN: f64 = 1e3;

/// Source of what the published method has.
const PUBLISHED: &str = "published method of regulation";
/// Source of what the published method leaves out.
const EXTENSION: &str = "extension of the published method, neutral by default (docs/MODEL.md#regulation)";

/// Lists the numbers of a part of the study: quantity, and the field that holds it.
macro_rules! numbers {
    ($part:ty { $($quantity:ident => $($field:ident).+),+ $(,)? }) => {
        impl $part {
            /// The numbers of this part.
            #[must_use]
            pub fn numbers(&self) -> Vec<(&'static Quantity, f64)> {
                vec![$((&$quantity, self.$($field).+)),+]
            }

            /// The numbers of this part, to be changed.
            pub fn numbers_mut(&mut self) -> Vec<(&'static Quantity, &mut f64)> {
                vec![$((&$quantity, &mut self.$($field).+)),+]
            }

            /// What there is to know about the numbers of this part.
            pub(super) const QUANTITIES: &[&'static Quantity] = &[$(&$quantity),+];
        }
    };
}

numbers!(Run {
    PERIOD => period_seconds, PERIODS => periods, AVERAGE_PERIODS => average_periods, LIGHT_SHARE => light_share,
    SEED => seed,
});
numbers!(Cluster {
    VGPUS => vgpus, MIN_VGPUS => min_vgpus, MAX_VGPUS => max_vgpus, TOPS_PER_VGPU => tops_per_vgpu,
    BASE_FREQUENCY => base_ghz, START_FREQUENCY => start_ghz, MIN_FREQUENCY => min_ghz, MAX_FREQUENCY => max_ghz,
    FREQUENCY_STEP => step_ghz, PCIE_CEILING => pcie_tops, WATTS_PER_VGPU => watts_per_vgpu,
    BACKLOG_LIMIT => backlog_limit, DEMAND_LOW => demand.low_tops, DEMAND_HIGH => demand.high_tops,
    DEMAND_START => demand.start_seconds, DEMAND_END => demand.end_seconds,
    SECONDS_PER_VALUE => demand.seconds_per_value,
});
numbers!(Controller { KP => kp, KI => ki, KD => kd, INTEGRAL_LIMIT => integral_limit });
numbers!(Schedule {
    LARGE_ERROR => large_error, SMALL_ERROR => small_error, FAST_CHANGE => fast_change, KP1 => kp1, KP2 => kp2,
    KP3 => kp3, KI1 => ki1, KI2 => ki2, KI3 => ki3, KD1 => kd1, KD2 => kd2, KD3 => kd3, KD4 => kd4,
});
numbers!(Fuzzy {
    ERROR_RANGE => error_range, CHANGE_RANGE => change_range, KP_RANGE => kp_range, KI_RANGE => ki_range,
    KD_RANGE => kd_range,
});
numbers!(Band {
    BAND_FROM => from, BAND_TO => to, BAND_PRECISION => precision, BAND_FREQUENCY => frequency_mhz,
    BAND_VGPUS => vgpus,
});
numbers!(Rung { COMPUTE_FACTOR => compute_factor, TRANSFER_FACTOR => transfer_factor });
numbers!(Manager {
    SPARE_VGPUS => spare_vgpus, MOVE_DELAY => delay_periods, MOST_PER_PERIOD => most_per_period,
    POOL_POWER_SHARE => pool_power_share,
});
numbers!(Measurement { NOISE => noise_share, MEASUREMENT_DELAY => delay_periods });
numbers!(Power { IDLE_SHARE => idle_share, PRICE => price_per_kwh });
numbers!(CurvePoint { FREQUENCY_RATIO => frequency_ratio, POWER_RATIO => power_ratio });

impl Regulation {
    /// Every number that the study has now, with its path; the values of recorded series are not among them.
    #[must_use]
    pub fn numbers(&self) -> Vec<(String, &'static Quantity, f64)> {
        let mut numbers = Vec::new();
        let mut add = |part: &str, found: Vec<(&'static Quantity, f64)>| {
            numbers.extend(found.into_iter().map(|(quantity, value)| {
                let key = quantity.key;
                (format!("{part}.{key}"), quantity, value)
            }));
        };
        add("run", self.run.numbers());
        for cluster in &self.clusters {
            add(&format!("clusters.{}", cluster.name), cluster.numbers());
        }
        for controller in &self.controllers {
            let path = format!("controllers.{}", controller.name);
            add(&path, controller.numbers());
            if let Some(schedule) = &controller.schedule {
                add(&format!("{path}.schedule"), schedule.numbers());
            }
            if let Some(fuzzy) = &controller.fuzzy {
                add(&format!("{path}.fuzzy"), fuzzy.numbers());
            }
        }
        for (index, band) in self.table.iter().enumerate() {
            add(&format!("table.{index}"), band.numbers());
        }
        for rung in &self.ladder {
            add(&format!("ladder.{}", rung.name), rung.numbers());
        }
        add("manager", self.manager.numbers());
        add("measurement", self.measurement.numbers());
        add("power", self.power.numbers());
        for (index, point) in self.power.curve.iter().enumerate() {
            add(&format!("power.curve.{index}"), point.numbers());
        }
        numbers
    }

    /// The number at a path, to be changed; what depends on it is moved by [`Regulation::settle`]. `None` if the study
    /// has no such number now.
    pub fn number_mut(&mut self, path: &str) -> Option<&mut f64> {
        let (part, rest) = path.split_once('.')?;
        match part {
            "run" => entry(self.run.numbers_mut(), rest),
            "manager" => entry(self.manager.numbers_mut(), rest),
            "measurement" => entry(self.measurement.numbers_mut(), rest),
            "clusters" => self.clusters.iter_mut().find_map(|cluster| {
                let key = after(rest, &cluster.name)?;
                entry(cluster.numbers_mut(), key)
            }),
            "controllers" => self.controllers.iter_mut().find_map(|controller| {
                let key = after(rest, &controller.name)?;
                match key.split_once('.') {
                    None => entry(controller.numbers_mut(), key),
                    Some(("schedule", key)) => entry(controller.schedule.as_mut()?.numbers_mut(), key),
                    Some(("fuzzy", key)) => entry(controller.fuzzy.as_mut()?.numbers_mut(), key),
                    Some(_) => None,
                }
            }),
            "ladder" => self.ladder.iter_mut().find_map(|rung| {
                let key = after(rest, &rung.name)?;
                entry(rung.numbers_mut(), key)
            }),
            "table" => {
                let (row, key) = rest.split_once('.')?;
                entry(self.table.get_mut(row.parse::<usize>().ok()?)?.numbers_mut(), key)
            }
            "power" => match rest.strip_prefix("curve.") {
                None => entry(self.power.numbers_mut(), rest),
                Some(rest) => {
                    let (point, key) = rest.split_once('.')?;
                    entry(self.power.curve.get_mut(point.parse::<usize>().ok()?)?.numbers_mut(), key)
                }
            },
            _ => None,
        }
    }
}

/// What follows the name of an entry in a path below its list.
fn after<'p>(path: &'p str, name: &str) -> Option<&'p str> {
    path.strip_prefix(name)?.strip_prefix('.')
}

/// The number with this key.
fn entry<'n>(numbers: Vec<(&'static Quantity, &'n mut f64)>, key: &str) -> Option<&'n mut f64> {
    numbers.into_iter().find(|(quantity, _)| quantity.key == key).map(|(_, value)| value)
}

/// What there is to know about the number at a path such as `clusters.I.vgpus`; the study need not have it.
#[must_use]
pub fn quantity_at(path: &str) -> Option<&'static Quantity> {
    let (part, rest) = path.split_once('.')?;
    let groups: &[&[&'static Quantity]] = match part {
        "run" => &[Run::QUANTITIES],
        "clusters" => &[Cluster::QUANTITIES],
        "controllers" => &[Controller::QUANTITIES, Schedule::QUANTITIES, Fuzzy::QUANTITIES],
        "table" => &[Band::QUANTITIES],
        "ladder" => &[Rung::QUANTITIES],
        "manager" => &[Manager::QUANTITIES],
        "measurement" => &[Measurement::QUANTITIES],
        "power" => &[Power::QUANTITIES, CurvePoint::QUANTITIES],
        _ => return None,
    };
    at_end_of(rest, groups.iter().flat_map(|group| group.iter().copied()))
}

/// Sampling period.
pub const PERIOD: Quantity = Quantity::new("period_seconds", "T", "sampling period", PUBLISHED)
    .unit(Unit::Seconds, 1e-3, 86_400.0)
    .meaning("Time from one reading of the occupancies to the next; the controller acts once in each period.");

/// Periods.
pub const PERIODS: Quantity = Quantity::new("periods", "", "periods", EXTENSION)
    .unit(Unit::Count, 10.0, 100_000.0)
    .whole()
    .meaning("How many sampling periods are simulated.");

/// Averaged periods.
pub const AVERAGE_PERIODS: Quantity = Quantity::new("average_periods", "", "averaged periods", EXTENSION)
    .unit(Unit::Count, 1.0, 100_000.0)
    .whole()
    .meaning("Last periods of the run over which “before” and “after” are averaged.");

/// Light load.
pub const LIGHT_SHARE: Quantity = Quantity::new("light_share", "", "light load", PUBLISHED)
    .unit(Unit::Share, 0.01, 1.0)
    .meaning("Light load in the before/after table, as a share of what the cluster serves at full load.");

/// Seed of the noise.
pub const SEED: Quantity = Quantity::new("seed", "", "seed of the noise", EXTENSION)
    .unit(Unit::Count, 0.0, 1e15)
    .whole()
    .meaning("The same seed gives the same noise; without noise it has no effect.");

/// VGPUs.
pub const VGPUS: Quantity = Quantity::new("vgpus", "n", "vGPUs", PUBLISHED)
    .unit(Unit::Count, 0.0, 1e6)
    .whole()
    .meaning("vGPUs of the cluster at the start.");

/// Least vGPUs.
pub const MIN_VGPUS: Quantity = Quantity::new("min_vgpus", "", "least vGPUs", EXTENSION)
    .unit(Unit::Count, 0.0, 1e6)
    .whole()
    .meaning("The cluster never releases vGPUs below this number.");

/// Most vGPUs.
pub const MAX_VGPUS: Quantity = Quantity::new("max_vgpus", "", "most vGPUs", EXTENSION)
    .unit(Unit::Count, 0.0, 1e6)
    .whole()
    .meaning("The cluster never asks for vGPUs above this number.");

/// Throughput of a vGPU.
pub const TOPS_PER_VGPU: Quantity = Quantity::new("tops_per_vgpu", "", "throughput of a vGPU", PUBLISHED)
    .unit(Unit::Tops, 1e-6, 1e6)
    .meaning("Throughput of one vGPU at base frequency, in the precision whose ladder factor is 1.");

/// Base frequency.
pub const BASE_FREQUENCY: Quantity = Quantity::new("base_ghz", "f₀", "base frequency", PUBLISHED)
    .unit(Unit::Gigahertz, 0.01, 100.0)
    .meaning("Frequency at which throughput and power of a vGPU are given.");

/// Frequency.
pub const START_FREQUENCY: Quantity = Quantity::new("start_ghz", "f", "frequency", PUBLISHED)
    .unit(Unit::Gigahertz, 0.01, 100.0)
    .meaning("Frequency at the start.");

/// Least frequency.
pub const MIN_FREQUENCY: Quantity = Quantity::new("min_ghz", "", "least frequency", EXTENSION)
    .unit(Unit::Gigahertz, 0.01, 100.0)
    .meaning("The frequency never goes below this.");

/// Highest frequency.
pub const MAX_FREQUENCY: Quantity = Quantity::new("max_ghz", "", "highest frequency", PUBLISHED)
    .unit(Unit::Gigahertz, 0.01, 100.0)
    .meaning("The frequency never goes above this.");

/// Frequency step.
pub const FREQUENCY_STEP: Quantity = Quantity::new("step_ghz", "", "frequency step", PUBLISHED)
    .unit(Unit::Gigahertz, 1e-4, 10.0)
    .meaning("Step of the frequency where it takes over from another actuator and the control table has none.");

/// Transfer ceiling.
pub const PCIE_CEILING: Quantity = Quantity::new("pcie_tops", "B", "transfer ceiling", PUBLISHED)
    .unit(Unit::Tops, 1e-3, MOST_TOPS)
    .meaning("Throughput at which the transfer is fully occupied: more work than this cannot be fed.");

/// Power of a vGPU.
pub const WATTS_PER_VGPU: Quantity = Quantity::new("watts_per_vgpu", "", "power of a vGPU", EXTENSION)
    .unit(Unit::Watts, 1e-3, 1e6)
    .meaning("Power of one vGPU at base frequency and full load.");

/// Longest backlog.
pub const BACKLOG_LIMIT: Quantity = Quantity::new("backlog_limit", "", "longest backlog", EXTENSION)
    .unit(Unit::TeraOperations, 0.0, 1e18)
    .meaning("Work that may wait until it can be served; 0: what cannot be served at once is turned away.");

/// Low demand.
pub const DEMAND_LOW: Quantity = Quantity::new("demand.low_tops", "", "low demand", EXTENSION)
    .unit(Unit::Tops, 0.0, MOST_TOPS)
    .meaning("Demand before a step, where a ramp begins, or at the lowest point of a day.");

/// Demand.
pub const DEMAND_HIGH: Quantity = Quantity::new("demand.high_tops", "D", "demand", PUBLISHED)
    .unit(Unit::Tops, 0.0, MOST_TOPS)
    .meaning("Demand that is constant, after a step, where a ramp ends, or at the peak of a day.");

/// Change begins.
pub const DEMAND_START: Quantity = Quantity::new("demand.start_seconds", "", "change begins", EXTENSION)
    .unit(Unit::Seconds, 0.0, YEAR)
    .meaning("When the step comes or the ramp begins; of a day curve, the time of its peak.");

/// Change ends.
pub const DEMAND_END: Quantity = Quantity::new("demand.end_seconds", "", "change ends", EXTENSION)
    .unit(Unit::Seconds, 0.0, YEAR)
    .meaning("When the ramp ends.");

/// Time per value.
pub const SECONDS_PER_VALUE: Quantity = Quantity::new("demand.seconds_per_value", "", "time per value", EXTENSION)
    .unit(Unit::Seconds, 1e-3, YEAR)
    .meaning("How long each value of a recorded demand holds.");

/// Proportional gain.
pub const KP: Quantity = Quantity::new("kp", "Kp", "proportional gain", PUBLISHED)
    .unit(Unit::Ratio, 0.0, MOST_GAIN)
    .meaning("Output for the error of this moment.");

/// Integral gain.
pub const KI: Quantity = Quantity::new("ki", "Ki", "integral gain", PUBLISHED)
    .unit(Unit::Ratio, 0.0, MOST_GAIN)
    .meaning("Output for the sum of errors, one summand for each period.");

/// Derivative gain.
pub const KD: Quantity = Quantity::new("kd", "Kd", "derivative gain", PUBLISHED)
    .unit(Unit::Ratio, 0.0, MOST_GAIN)
    .meaning("Output for the change of the error since the period before.");

/// Integral limit.
pub const INTEGRAL_LIMIT: Quantity = Quantity::new("integral_limit", "", "integral limit", EXTENSION)
    .unit(Unit::Ratio, 0.0, MOST_GAIN)
    .meaning("The integral part never grows beyond this size, so that it does not wind up.");

/// Large error.
pub const LARGE_ERROR: Quantity = Quantity::new("large_error", "ε1", "large error", PUBLISHED)
    .unit(Unit::Share, 1e-6, 1.0)
    .meaning("From this |e| on the first gains hold.");

/// Small error.
pub const SMALL_ERROR: Quantity = Quantity::new("small_error", "ε2", "small error", PUBLISHED)
    .unit(Unit::Share, 1e-6, 1.0)
    .meaning("Below this |e| the third gains hold; between the two the second.");

/// Fast change.
pub const FAST_CHANGE: Quantity = Quantity::new("fast_change", "δ1", "fast change", PUBLISHED)
    .unit(Unit::Share, 1e-6, 2.0)
    .meaning("From this |ec| on a small error gets the third derivative gain, below it the fourth.");

/// Kp, large error.
pub const KP1: Quantity = Quantity::new("kp1", "Kp1", "Kp, large error", PUBLISHED)
    .unit(Unit::Ratio, 0.0, MOST_GAIN)
    .meaning("Proportional gain of a large error.");

/// Kp, middle error.
pub const KP2: Quantity = Quantity::new("kp2", "Kp2", "Kp, middle error", PUBLISHED)
    .unit(Unit::Ratio, 0.0, MOST_GAIN)
    .meaning("Proportional gain of a middle error.");

/// Kp, small error.
pub const KP3: Quantity = Quantity::new("kp3", "Kp3", "Kp, small error", PUBLISHED)
    .unit(Unit::Ratio, 0.0, MOST_GAIN)
    .meaning("Proportional gain of a small error.");

/// Ki, large error.
pub const KI1: Quantity = Quantity::new("ki1", "Ki1", "Ki, large error", PUBLISHED)
    .unit(Unit::Ratio, 0.0, MOST_GAIN)
    .meaning("Integral gain of a large error; 0 in the published method.");

/// Ki, middle error.
pub const KI2: Quantity = Quantity::new("ki2", "Ki2", "Ki, middle error", PUBLISHED)
    .unit(Unit::Ratio, 0.0, MOST_GAIN)
    .meaning("Integral gain of a middle error.");

/// Ki, small error.
pub const KI3: Quantity = Quantity::new("ki3", "Ki3", "Ki, small error", PUBLISHED)
    .unit(Unit::Ratio, 0.0, MOST_GAIN)
    .meaning("Integral gain of a small error.");

/// Kd, large error.
pub const KD1: Quantity = Quantity::new("kd1", "Kd1", "Kd, large error", PUBLISHED)
    .unit(Unit::Ratio, 0.0, MOST_GAIN)
    .meaning("Derivative gain of a large error.");

/// Kd, middle error.
pub const KD2: Quantity = Quantity::new("kd2", "Kd2", "Kd, middle error", PUBLISHED)
    .unit(Unit::Ratio, 0.0, MOST_GAIN)
    .meaning("Derivative gain of a middle error.");

/// Kd, small and fast.
pub const KD3: Quantity = Quantity::new("kd3", "Kd3", "Kd, small and fast", PUBLISHED)
    .unit(Unit::Ratio, 0.0, MOST_GAIN)
    .meaning("Derivative gain of a small error that changes fast.");

/// Kd, small and slow.
pub const KD4: Quantity = Quantity::new("kd4", "Kd4", "Kd, small and slow", PUBLISHED)
    .unit(Unit::Ratio, 0.0, MOST_GAIN)
    .meaning("Derivative gain of a small error that changes slowly.");

/// Range of e.
pub const ERROR_RANGE: Quantity = Quantity::new("error_range", "", "range of e", EXTENSION)
    .unit(Unit::Share, 1e-3, 1.0)
    .meaning("|e| that counts as “big”.");

/// Range of ec.
pub const CHANGE_RANGE: Quantity = Quantity::new("change_range", "", "range of ec", EXTENSION)
    .unit(Unit::Share, 1e-4, 2.0)
    .meaning("|ec| that counts as “big”.");

/// Range of ΔKp.
pub const KP_RANGE: Quantity = Quantity::new("kp_range", "ΔKp", "range of ΔKp", EXTENSION)
    .unit(Unit::Ratio, 0.0, MOST_GAIN)
    .meaning("Correction of Kp that “big” stands for.");

/// Range of ΔKi.
pub const KI_RANGE: Quantity = Quantity::new("ki_range", "ΔKi", "range of ΔKi", EXTENSION)
    .unit(Unit::Ratio, 0.0, MOST_GAIN)
    .meaning("Correction of Ki that “big” stands for.");

/// Range of ΔKd.
pub const KD_RANGE: Quantity = Quantity::new("kd_range", "ΔKd", "range of ΔKd", EXTENSION)
    .unit(Unit::Ratio, 0.0, MOST_GAIN)
    .meaning("Correction of Kd that “big” stands for.");

/// From.
pub const BAND_FROM: Quantity = Quantity::new("from", "u", "from", PUBLISHED)
    .unit(Unit::Ratio, -1000.0, 1000.0)
    .meaning("Smallest output of the row; an end that two rows share belongs to the one nearer to zero.");

/// To.
pub const BAND_TO: Quantity = Quantity::new("to", "u", "to", PUBLISHED)
    .unit(Unit::Ratio, -1000.0, 1000.0)
    .meaning("Largest output of the row; an end that two rows share belongs to the one nearer to zero.");

/// Precision.
pub const BAND_PRECISION: Quantity = Quantity::new("precision", "", "precision", PUBLISHED)
    .unit(Unit::Count, -16.0, 16.0)
    .whole()
    .meaning("Rungs of the ladder upwards; negative: downwards.");

/// Frequency.
pub const BAND_FREQUENCY: Quantity = Quantity::new("frequency_mhz", "", "frequency", PUBLISHED)
    .unit(Unit::Megahertz, -1e5, 1e5)
    .meaning("Change of the frequency.");

/// VGPUs.
pub const BAND_VGPUS: Quantity = Quantity::new("vgpus", "", "vGPUs", PUBLISHED)
    .unit(Unit::Count, -1e6, 1e6)
    .whole()
    .meaning("Change of the number of vGPUs.");

/// Throughput factor.
pub const COMPUTE_FACTOR: Quantity = Quantity::new("compute_factor", "s", "throughput factor", EXTENSION)
    .unit(Unit::Factor, 1e-4, 1e4)
    .meaning("Throughput in this precision against that of a factor of 1.");

/// Transfer factor.
pub const TRANSFER_FACTOR: Quantity = Quantity::new("transfer_factor", "", "transfer factor", EXTENSION)
    .unit(Unit::Factor, 1e-4, 1e4)
    .meaning("Bytes for the same work against those of a factor of 1; the transfer ceiling is divided by it.");

/// Spare vGPUs.
pub const SPARE_VGPUS: Quantity = Quantity::new("spare_vgpus", "", "spare vGPUs", EXTENSION)
    .unit(Unit::Count, 0.0, 1e6)
    .whole()
    .meaning("vGPUs that belong to no cluster at the start.");

/// Delay of a move.
pub const MOVE_DELAY: Quantity = Quantity::new("delay_periods", "", "delay of a move", EXTENSION)
    .unit(Unit::Count, 0.0, 1e4)
    .whole()
    .meaning("Periods until a released vGPU can be given out, and until one that was given out works; 0: the next period sees it.");

/// Most moves per period.
pub const MOST_PER_PERIOD: Quantity = Quantity::new("most_per_period", "", "moves per period", EXTENSION)
    .unit(Unit::Count, 1.0, 1e6)
    .whole()
    .meaning("Most vGPUs that are given out in one period.");

/// Power in the pool.
pub const POOL_POWER_SHARE: Quantity = Quantity::new("pool_power_share", "", "power in the pool", EXTENSION)
    .unit(Unit::Share, 0.0, 1.0)
    .meaning("Power of a vGPU that belongs to no cluster, against one of the first cluster at base frequency.");

/// Noise.
pub const NOISE: Quantity = Quantity::new("noise_share", "", "noise", EXTENSION)
    .unit(Unit::Share, 0.0, 1.0)
    .meaning("Standard deviation of the noise on both occupancies that the controller reads.");

/// Age of readings.
pub const MEASUREMENT_DELAY: Quantity = Quantity::new("delay_periods", "", "age of readings", EXTENSION)
    .unit(Unit::Count, 0.0, 1e4)
    .whole()
    .meaning("How many periods old the occupancies are that the controller reads.");

/// Idle power.
pub const IDLE_SHARE: Quantity = Quantity::new("idle_share", "", "idle power", EXTENSION)
    .unit(Unit::Share, 0.0, 1.0)
    .meaning("Share of the power that flows without any load; 100 %: power does not depend on the load, as published.");

/// Price of a kWh.
pub const PRICE: Quantity = Quantity::new("price_per_kwh", "", "price of a kWh", EXTENSION)
    .unit(Unit::Ratio, 0.0, 1e6)
    .meaning("Price of a kilowatt-hour, in any currency.");

/// Frequency.
pub const FREQUENCY_RATIO: Quantity = Quantity::new("frequency_ratio", "", "frequency", EXTENSION)
    .unit(Unit::Factor, 1e-3, 1e3)
    .meaning("Frequency against base frequency.");

/// Power.
pub const POWER_RATIO: Quantity = Quantity::new("power_ratio", "", "power", EXTENSION)
    .unit(Unit::Factor, 0.0, 1e3)
    .meaning("Power against that at base frequency.");
