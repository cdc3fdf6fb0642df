//! Actions: what the actuators of a cluster change for an output.

pub(super) mod moves;

use moves::Moves;

use super::plant;
use super::study::{Actuator, ActuatorMode, Cluster, Regulation};
use super::table;

/// A part of the data this small is none: sums of shares do not end exactly at a level.
const WHOLE_LEVEL: f64 = 1e-9;

/// What an action changed.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Action {
    /// vGPUs that were released (negative) or allocated (positive).
    pub vgpus: f64,
    /// Change of the frequency, MHz.
    pub frequency_mhz: f64,
    /// Precision levels upwards; not whole where only a part of the data is converted.
    pub precision: f64,
    /// Change of the voltage, relative to that of the base power.
    pub voltage: f64,
    /// Change of the concurrent tasks of each vGPU.
    pub concurrency: f64,
}

impl Action {
    /// Whether anything changed.
    #[must_use]
    pub fn is_any(&self) -> bool {
        let Self { vgpus, frequency_mhz, precision, voltage, concurrency } = *self;
        [vgpus, frequency_mhz, precision, voltage, concurrency].iter().any(|change| *change != 0.0)
    }
}

/// The settings of one cluster that actions change, with their limits.
#[derive(Debug, Clone)]
pub(super) struct Acting {
    vgpus: f64,
    /// Allocated to it but in transit.
    incoming: f64,
    mhz: f64,
    precision: usize,
    /// Share of the data in the precision level below.
    converted: f64,
    voltage: f64,
    concurrency: f64,
    vgpu_limits: [f64; 2],
    /// The upper one at a voltage of 1.
    mhz_limits: [f64; 2],
    mhz_step: f64,
    precision_limits: [usize; 2],
    /// Share of the data that a level converts.
    converted_at_once: f64,
    voltage_limits: [f64; 2],
    most_concurrency: f64,
    task_share: f64,
    /// TOPS of one vGPU for each MHz, and transfer ceiling, by precision level.
    levels: Vec<[f64; 2]>,
}

impl Acting {
    /// A cluster at the start of a run.
    pub(super) fn new(study: &Regulation, cluster: &Cluster) -> Self {
        let level = |name: &str| study.precisions.iter().position(|level| level.name == name).unwrap_or_default();
        let per_mhz = cluster.tops_per_vgpu / (cluster.base_ghz * 1000.0);
        let max_mhz = cluster.max_ghz * 1000.0;
        let start_voltage = cluster.voltage.as_ref().map_or(1.0, |voltage| voltage.start);
        let factors = study.precisions.iter().map(|level| [level.compute_factor, level.transfer_factor]);
        Self {
            vgpus: cluster.vgpus,
            incoming: 0.0,
            mhz: (cluster.start_ghz * 1000.0).min(max_mhz * start_voltage).max(cluster.min_ghz * 1000.0),
            precision: level(&cluster.precision),
            converted: 0.0,
            voltage: start_voltage,
            concurrency: cluster.concurrency.as_ref().map_or(1.0, |tasks| tasks.start),
            vgpu_limits: [cluster.min_vgpus, cluster.max_vgpus],
            mhz_limits: [cluster.min_ghz * 1000.0, max_mhz],
            mhz_step: cluster.step_ghz * 1000.0,
            precision_limits: [level(&cluster.lowest_precision), level(&cluster.highest_precision)],
            converted_at_once: cluster.converted_share,
            voltage_limits: cluster.voltage.as_ref().map_or([1.0; 2], |voltage| [voltage.least, voltage.most]),
            most_concurrency: cluster.concurrency.as_ref().map_or(1.0, |tasks| tasks.most),
            task_share: cluster.concurrency.as_ref().map_or(1.0, |tasks| tasks.task_share),
            levels: factors.map(|[compute, transfer]| [per_mhz * compute, cluster.pcie_tops / transfer]).collect(),
        }
    }

    pub(super) fn vgpus(&self) -> f64 {
        self.vgpus
    }

    /// Fewest and most vGPUs.
    pub(super) fn vgpu_limits(&self) -> [f64; 2] {
        self.vgpu_limits
    }

    /// So many of the vGPUs that were allocated to it arrive.
    pub(super) fn arrive(&mut self, vgpus: f64) {
        self.vgpus += vgpus;
        self.incoming -= vgpus;
    }

    /// Sets its vGPUs where all of them are distributed.
    pub(super) fn set_vgpus(&mut self, vgpus: f64) {
        self.vgpus = vgpus;
    }

    pub(super) fn frequency_ghz(&self) -> f64 {
        self.mhz / 1000.0
    }

    pub(super) fn precision(&self) -> usize {
        self.precision
    }

    pub(super) fn converted_share(&self) -> f64 {
        self.converted
    }

    pub(super) fn voltage(&self) -> f64 {
        self.voltage
    }

    pub(super) fn concurrency(&self) -> f64 {
        self.concurrency
    }

    /// C = n·f·s·min(1, m·q), TOPS.
    pub(super) fn capacity(&self) -> f64 {
        self.vgpus * self.mhz * self.of_data(0) * plant::in_use(self.concurrency, self.task_share)
    }

    /// B, TOPS.
    pub(super) fn ceiling(&self) -> f64 {
        self.of_data(1)
    }

    fn of_data(&self, which: usize) -> f64 {
        let below = self.levels[self.precision.saturating_sub(1)][which];
        plant::of_data(self.levels[self.precision][which], below, self.converted)
    }

    /// Acts on an output by the control table, as far as limits and the pool allow.
    pub(super) fn act(
        &mut self,
        study: &Regulation,
        output: f64,
        period: usize,
        cluster: usize,
        moves: &mut Moves,
    ) -> Action {
        let mut action = Action::default();
        let Some(row) = table::row(&study.table, output) else { return action };
        if row.vgpus == 0.0 && row.frequency_mhz == 0.0 && row.precision == 0.0 {
            return action;
        }
        // More compute where compute is short, less where transfer is.
        let more = -output.signum();
        let mut is_fallback = false;
        for actuator in &study.actuators.order {
            let wanted = actuator.column(row);
            let wanted = if wanted == 0.0 && is_fallback { actuator.one_step(more, self.mhz_step) } else { wanted };
            if wanted == 0.0 {
                continue;
            }
            let carried_out = match actuator {
                Actuator::Vgpus => {
                    action.vgpus = self.change_vgpus(wanted, period, cluster, moves);
                    action.vgpus != 0.0
                }
                Actuator::Frequency => {
                    let change = self.change_frequency(wanted);
                    action.frequency_mhz += change;
                    change != 0.0
                }
                Actuator::Precision => {
                    action.precision = self.change_precision(wanted);
                    action.precision != 0.0
                }
                Actuator::Voltage => {
                    let [voltage, mhz] = self.change_voltage(wanted);
                    action.voltage = voltage;
                    action.frequency_mhz += mhz;
                    voltage != 0.0
                }
                Actuator::Concurrency => {
                    action.concurrency = self.change_concurrency(wanted);
                    action.concurrency != 0.0
                }
            };
            if study.actuators.mode == ActuatorMode::InOrder {
                if carried_out {
                    break;
                }
                is_fallback = true;
            }
        }
        action
    }

    fn change_vgpus(&mut self, wanted: f64, period: usize, cluster: usize, moves: &mut Moves) -> f64 {
        if wanted < 0.0 {
            let released = (-wanted).min(self.vgpus - self.vgpu_limits[0]).max(0.0);
            self.vgpus -= released;
            moves.release(released, period);
            -released
        } else {
            let room = (self.vgpu_limits[1] - self.vgpus - self.incoming).max(0.0);
            let granted = moves.grant(wanted.min(room), period, cluster);
            if moves.is_immediate() {
                self.vgpus += granted;
            } else {
                self.incoming += granted;
            }
            granted
        }
    }

    fn change_frequency(&mut self, wanted: f64) -> f64 {
        let next = (self.mhz + wanted).min(self.mhz_limits[1] * self.voltage).max(self.mhz_limits[0]);
        let before = std::mem::replace(&mut self.mhz, next);
        next - before
    }

    /// Moves the highest frequency by so many MHz, and the frequency with it where it would be above. Gives the change of the
    /// voltage, and that of the frequency.
    fn change_voltage(&mut self, wanted_mhz: f64) -> [f64; 2] {
        let [least, most] = self.voltage_limits;
        let next = (self.voltage + wanted_mhz / self.mhz_limits[1]).clamp(least, most);
        let before = std::mem::replace(&mut self.voltage, next);
        [next - before, self.change_frequency(0.0)]
    }

    fn change_concurrency(&mut self, wanted: f64) -> f64 {
        let next = (self.concurrency + wanted).clamp(1.0, self.most_concurrency);
        let before = std::mem::replace(&mut self.concurrency, next);
        next - before
    }

    fn change_precision(&mut self, wanted: f64) -> f64 {
        let [lowest, highest] = self.precision_limits.map(|level| level as f64);
        let before = self.precision as f64 - self.converted;
        let next = (before + wanted * self.converted_at_once).clamp(lowest, highest);
        // Twenty times 5 % are a whole level.
        let next = if (next - next.round()).abs() < WHOLE_LEVEL { next.round() } else { next };
        let upper = next.ceil();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "between two precision levels, which are whole"
        )]
        let level = upper as usize;
        (self.precision, self.converted) = (level, upper - next);
        next - before
    }
}
