//! Remaining error: the steady-state error that a controller leaves although it could reduce it.

use crate::figures::{ClusterState, Figures};
use crate::study::{Actuator, Cluster, Regulation, Voltage};

/// A remaining error up to this counts as none: two points of occupancy, what one vGPU of fifty changes.
pub const NO_REMAINING_ERROR: f64 = 0.02;
/// A steady-state error that exceeds the least one of all gains by more than this is a remaining error too, even at a
/// limit: other gains do not reach it.
const NEAR_THE_LEAST: f64 = 0.05;
/// Frequencies this near to a limit are at it, GHz.
const AT_LIMIT_GHZ: f64 = 1e-9;

/// The largest difference of PCIe occupancy and compute load, of the means over the averaged periods, among clusters
/// that could still act against it; 0 if there are none. Errors at a limit do not count, because no gains
/// remove them.
#[must_use]
pub fn remaining_error(study: &Regulation, figures: &Figures) -> f64 {
    let pool = figures.state.pool.min(study.manager.most_per_period);
    let clusters = study.clusters.iter().zip(&figures.state.clusters);
    let errors = clusters.map(|(cluster, state)| {
        let error = state.pcie - state.load;
        let mut actuators = study.actuators.order.iter();
        let could_act = actuators.any(|actuator| can_move(study, *actuator, cluster, state, pool, error > 0.0));
        if could_act { error.abs() } else { 0.0 }
    });
    errors.fold(0.0, f64::max)
}

/// The largest steady-state error that is near the least one of all gains that were tried.
pub(crate) fn near_the_least(errors: impl Iterator<Item = f64>) -> f64 {
    errors.fold(f64::INFINITY, f64::min) + NEAR_THE_LEAST
}

/// Whether an actuator could still take compute away (or else add some).
fn can_move(
    study: &Regulation,
    actuator: Actuator,
    cluster: &Cluster,
    state: &ClusterState,
    pool: f64,
    away: bool,
) -> bool {
    let level = |name: &str| study.precisions.iter().position(|level| level.name == name).unwrap_or_default();
    match (actuator, away) {
        (Actuator::Vgpus, true) => state.vgpus > cluster.min_vgpus,
        (Actuator::Vgpus, false) => state.vgpus < cluster.max_vgpus && pool > 0.0,
        (Actuator::Frequency, true) => state.frequency_ghz > cluster.min_ghz + AT_LIMIT_GHZ,
        (Actuator::Frequency, false) => state.frequency_ghz < cluster.max_ghz * state.voltage - AT_LIMIT_GHZ,
        // A higher precision takes more compute for the same work.
        (Actuator::Precision, true) => {
            state.converted_share > 0.0 || state.precision < level(&cluster.highest_precision)
        }
        (Actuator::Precision, false) => state.precision > level(&cluster.lowest_precision),
        // A voltage acts through the frequency alone: at its minimum no voltage lowers it, and without a maximum to raise none
        // is needed.
        (Actuator::Voltage, true) => {
            let is_above = |voltage: &Voltage| state.voltage > voltage.least;
            cluster.voltage.as_ref().is_some_and(is_above) && state.frequency_ghz > cluster.min_ghz + AT_LIMIT_GHZ
        }
        (Actuator::Voltage, false) => {
            study.actuators.order.contains(&Actuator::Frequency)
                && cluster.voltage.as_ref().is_some_and(|voltage| state.voltage < voltage.most)
        }
        (Actuator::Concurrency, true) => cluster.concurrency.is_some() && state.concurrency > 1.0,
        (Actuator::Concurrency, false) => {
            cluster.concurrency.as_ref().is_some_and(|tasks| state.concurrency < tasks.most)
        }
    }
}
