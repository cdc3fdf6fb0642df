//! Actions: what a cluster's actuators do for an output, and the cloud manager that moves vGPUs.

use std::collections::VecDeque;

use super::study::{Actuator, ActuatorMode, Cluster, Manager, Regulation};
use super::table;

/// What an action changed.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Action {
    /// vGPUs that were given back (negative) or given out (positive).
    pub vgpus: f64,
    /// Change of the frequency, MHz.
    pub frequency_mhz: f64,
    /// Rungs of the ladder upwards.
    pub precision: f64,
}

impl Action {
    /// Whether anything changed.
    #[must_use]
    pub fn is_any(&self) -> bool {
        self.vgpus != 0.0 || self.frequency_mhz != 0.0 || self.precision != 0.0
    }
}

/// What actions move in one cluster, with its limits.
#[derive(Debug, Clone)]
pub(super) struct Acting {
    vgpus: f64,
    /// Given out to it but not there yet.
    incoming: f64,
    mhz: f64,
    precision: usize,
    vgpu_limits: [f64; 2],
    mhz_limits: [f64; 2],
    mhz_step: f64,
    precision_limits: [usize; 2],
    /// TOPS of one vGPU for each MHz, and transfer ceiling, by rung of the ladder.
    rungs: Vec<[f64; 2]>,
}

impl Acting {
    /// A cluster at the start of a run.
    pub(super) fn new(study: &Regulation, cluster: &Cluster) -> Self {
        let rung = |name: &str| study.ladder.iter().position(|rung| rung.name == name).unwrap_or_default();
        let per_mhz = cluster.tops_per_vgpu / (cluster.base_ghz * 1000.0);
        let rungs = study.ladder.iter().map(|rung| [rung.compute_factor, rung.transfer_factor]);
        Self {
            vgpus: cluster.vgpus,
            incoming: 0.0,
            mhz: cluster.start_ghz * 1000.0,
            precision: rung(&cluster.precision),
            vgpu_limits: [cluster.min_vgpus, cluster.max_vgpus],
            mhz_limits: [cluster.min_ghz * 1000.0, cluster.max_ghz * 1000.0],
            mhz_step: cluster.step_ghz * 1000.0,
            precision_limits: [rung(&cluster.lowest_precision), rung(&cluster.highest_precision)],
            rungs: rungs.map(|[compute, transfer]| [per_mhz * compute, cluster.pcie_tops / transfer]).collect(),
        }
    }

    pub(super) fn vgpus(&self) -> f64 {
        self.vgpus
    }

    pub(super) fn frequency_ghz(&self) -> f64 {
        self.mhz / 1000.0
    }

    pub(super) fn precision(&self) -> usize {
        self.precision
    }

    /// C = n·f·s, TOPS.
    pub(super) fn capacity(&self) -> f64 {
        self.vgpus * self.mhz * self.rungs[self.precision][0]
    }

    /// B, TOPS.
    pub(super) fn ceiling(&self) -> f64 {
        self.rungs[self.precision][1]
    }

    /// Carries out what the control table says for an output, as far as limits and the pool allow.
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
        let mut had_to_pass = false;
        for actuator in &study.actuators.order {
            let wanted = match actuator {
                Actuator::Vgpus => row.vgpus,
                Actuator::Frequency => row.frequency_mhz,
                Actuator::Precision => row.precision,
            };
            let one_step = match actuator {
                Actuator::Vgpus => more,
                Actuator::Frequency => more * self.mhz_step,
                Actuator::Precision => -more,
            };
            let wanted = if wanted == 0.0 && had_to_pass { one_step } else { wanted };
            if wanted == 0.0 {
                continue;
            }
            let carried_out = match actuator {
                Actuator::Vgpus => {
                    action.vgpus = self.change_vgpus(wanted, period, cluster, moves);
                    action.vgpus != 0.0
                }
                Actuator::Frequency => {
                    action.frequency_mhz = self.change_frequency(wanted);
                    action.frequency_mhz != 0.0
                }
                Actuator::Precision => {
                    action.precision = self.change_precision(wanted);
                    action.precision != 0.0
                }
            };
            if study.actuators.mode == ActuatorMode::InOrder {
                if carried_out {
                    break;
                }
                had_to_pass = true;
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
        let next = (self.mhz + wanted).clamp(self.mhz_limits[0], self.mhz_limits[1]);
        let before = std::mem::replace(&mut self.mhz, next);
        next - before
    }

    fn change_precision(&mut self, wanted: f64) -> f64 {
        let [lowest, highest] = self.precision_limits;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "between two rungs of the ladder, which are whole"
        )]
        let next = (self.precision as f64 + wanted).clamp(lowest as f64, highest as f64) as usize;
        let before = std::mem::replace(&mut self.precision, next);
        next as f64 - before as f64
    }
}

/// The cloud manager during a run: the pool, what is under way, and what it may still give out in this period.
#[derive(Debug, Clone)]
pub(super) struct Moves {
    pool: f64,
    delay: usize,
    most: f64,
    left: f64,
    /// In the order of arrival, since every move takes as long as any other.
    under_way: VecDeque<UnderWay>,
    /// vGPUs of all that is under way; whole numbers, so that adding and taking away leaves nothing behind.
    vgpus_under_way: f64,
    /// What the clusters get when all is shared out; used again in every period.
    shares: Vec<Share>,
}

/// vGPUs under way.
#[derive(Debug, Clone, Copy)]
struct UnderWay {
    arrives: usize,
    /// Where to; none: to the pool.
    cluster: Option<usize>,
    vgpus: f64,
}

impl Moves {
    /// At the start of a run of so many periods.
    pub(super) fn new(manager: &Manager, clusters: usize, periods: usize) -> Self {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "validated: 0 … 10,000")]
        let delay = manager.delay_periods as usize;
        let most = manager.most_per_period;
        // A cluster moves vGPUs once in a period at most; what is handed over makes room before the next ones.
        let most_under_way = if delay == 0 { 0 } else { clusters * (delay + 1).min(periods) };
        Self {
            pool: manager.spare_vgpus,
            delay,
            most,
            left: most,
            under_way: VecDeque::with_capacity(most_under_way),
            vgpus_under_way: 0.0,
            shares: Vec::with_capacity(clusters),
        }
    }

    pub(super) fn begin_period(&mut self) {
        self.left = self.most;
    }

    pub(super) fn is_immediate(&self) -> bool {
        self.delay == 0
    }

    pub(super) fn are_done(&self) -> bool {
        self.under_way.is_empty()
    }

    pub(super) fn pool_and_under_way(&self) -> f64 {
        self.pool + self.vgpus_under_way
    }

    /// Hands over what has arrived by this period.
    pub(super) fn arrive(&mut self, period: usize, clusters: &mut [Acting]) {
        while let Some(UnderWay { cluster, vgpus, .. }) = self.under_way.pop_front_if(|move_| move_.arrives <= period) {
            self.vgpus_under_way -= vgpus;
            match cluster {
                None => self.pool += vgpus,
                Some(cluster) => {
                    clusters[cluster].vgpus += vgpus;
                    clusters[cluster].incoming -= vgpus;
                }
            }
        }
    }

    fn send(&mut self, vgpus: f64, cluster: Option<usize>, period: usize) {
        self.under_way.push_back(UnderWay { arrives: period + 1 + self.delay, cluster, vgpus });
        self.vgpus_under_way += vgpus;
    }

    fn release(&mut self, vgpus: f64, period: usize) {
        if self.delay == 0 {
            self.pool += vgpus;
        } else if vgpus > 0.0 {
            self.send(vgpus, None, period);
        }
    }

    fn grant(&mut self, wanted: f64, period: usize, cluster: usize) -> f64 {
        let granted = wanted.min(self.pool).min(self.left);
        self.pool -= granted;
        self.left -= granted;
        if self.delay > 0 && granted > 0.0 {
            self.send(granted, Some(cluster), period);
        }
        granted
    }

    /// Gives all vGPUs out in proportion to weights: whole numbers, by largest remainder, within the clusters' limits.
    /// What no cluster may take stays in the pool.
    pub(super) fn share_out(&mut self, weights: &[f64], clusters: &mut [Acting]) {
        let total = self.pool + clusters.iter().map(|cluster| cluster.vgpus).sum::<f64>();
        if weights.iter().sum::<f64>() <= 0.0 {
            return;
        }
        let shares = &mut self.shares;
        shares.clear();
        shares.extend(clusters.iter().zip(weights).map(|(cluster, weight)| Share::new(*weight, cluster.vgpu_limits)));
        share(total, shares);
        self.pool = total - shares.iter().map(|share| share.vgpus).sum::<f64>();
        for (cluster, share) in clusters.iter_mut().zip(shares) {
            cluster.vgpus = share.vgpus;
        }
    }
}

/// What one cluster gets when all vGPUs are shared out.
#[derive(Debug, Clone, Copy)]
struct Share {
    weight: f64,
    limits: [f64; 2],
    /// It stands at one of its limits.
    is_settled: bool,
    vgpus: f64,
    /// What rounding down took away.
    remainder: f64,
}

impl Share {
    fn new(weight: f64, limits: [f64; 2]) -> Self {
        Self { weight, limits, is_settled: false, vgpus: limits[0], remainder: 0.0 }
    }
}

/// Shares a whole number out in proportion to weights, within limits whose lower ones it can meet.
///
/// In each round those that a limit keeps from their proportional share get the limit, and the others share the rest
/// anew: at most one round for each. The proportional shares that remain are rounded down, and what that leaves goes
/// one by one to the largest remainders; on a tie the first of the list is served. Who weighs nothing gets its lower
/// limit.
fn share(total: f64, shares: &mut [Share]) {
    loop {
        let rest = total - shares.iter().filter(|share| share.is_settled).map(|share| share.vgpus).sum::<f64>();
        let weight: f64 = shares.iter().filter(|share| !share.is_settled).map(|share| share.weight).sum();
        let (mut above, mut below) = (0.0, 0.0);
        for share in shares.iter_mut().filter(|share| !share.is_settled) {
            share.vgpus = if weight > 0.0 { rest * (share.weight / weight) } else { 0.0 };
            above += (share.vgpus - share.limits[1]).max(0.0);
            below += (share.limits[0] - share.vgpus).max(0.0);
        }
        if above == 0.0 && below == 0.0 {
            break;
        }
        // Only the side that is further off: the other one may fit once this one is settled.
        let side = usize::from(above >= below);
        for share in shares.iter_mut().filter(|share| !share.is_settled) {
            let beyond = if side == 1 { share.vgpus - share.limits[1] } else { share.limits[0] - share.vgpus };
            if beyond > 0.0 {
                (share.vgpus, share.is_settled) = (share.limits[side], true);
            }
        }
    }
    let mut left = total;
    for share in shares.iter_mut() {
        let whole = share.vgpus.floor();
        share.remainder = share.vgpus - whole;
        share.vgpus = whole;
        left -= whole;
    }
    while left >= 1.0 {
        let with_remainder = shares.iter_mut().rev().filter(|share| share.remainder > 0.0);
        let Some(largest) = with_remainder.max_by(|a, b| a.remainder.total_cmp(&b.remainder)) else { break };
        largest.vgpus += 1.0;
        largest.remainder = 0.0;
        left -= 1.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What each gets of a total, by weight and limits.
    fn shared(total: f64, of: &[(f64, [f64; 2])]) -> Vec<f64> {
        let mut shares: Vec<Share> = of.iter().map(|(weight, limits)| Share::new(*weight, *limits)).collect();
        share(total, &mut shares);
        shares.iter().map(|share| share.vgpus).collect()
    }

    const ANY: [f64; 2] = [0.0, 1e6];

    #[test]
    fn shares_are_proportional_and_the_largest_remainders_get_what_rounding_leaves() {
        assert_eq!(shared(200.0, &[(0.5, ANY), (1.0, ANY)]), [67.0, 133.0]); // 66.67 and 133.33
        assert_eq!(shared(10.0, &[(1.0, ANY), (1.0, ANY), (1.0, ANY)]), [4.0, 3.0, 3.0]); // the first on a tie
        assert_eq!(shared(7.0, &[(1.0, ANY), (2.0, ANY), (3.0, ANY)]), [1.0, 2.0, 4.0]); // 1.17, 2.33, 3.5
        assert_eq!(shared(0.0, &[(1.0, ANY), (2.0, ANY)]), [0.0, 0.0]);
    }

    #[test]
    fn what_a_limit_keeps_from_one_goes_to_the_others_in_proportion() {
        // 100 each; the first may have 40, so the others share 260 by 1 : 1.
        assert_eq!(shared(300.0, &[(1.0, [0.0, 40.0]), (1.0, ANY), (1.0, ANY)]), [40.0, 130.0, 130.0]);
        // The first needs 150 at least: the others share 150 by 1 : 2.
        assert_eq!(shared(300.0, &[(1.0, [150.0, 200.0]), (1.0, ANY), (2.0, ANY)]), [150.0, 50.0, 100.0]);
        // Both kinds: 0.5 : 0.5 of 100 is 50 each, limits [0, 10] and [0, 60]: 30 stay over.
        assert_eq!(shared(100.0, &[(1.0, [0.0, 10.0]), (1.0, [0.0, 60.0])]), [10.0, 60.0]);
        // Who weighs nothing gets its lower limit.
        assert_eq!(shared(100.0, &[(0.0, [5.0, 50.0]), (1.0, ANY)]), [5.0, 95.0]);
    }

    #[test]
    fn moves_arrive_in_their_order_after_the_delay_and_no_period_allocates() {
        let manager = Manager { spare_vgpus: 40.0, delay_periods: 3.0, ..Manager::default() };
        let mut moves = Moves::new(&manager, 2, 20);
        let (room, mut delivered) = (moves.under_way.capacity(), Vec::new());
        for period in 0..20 {
            let before = moves.pool;
            moves.arrive(period, &mut []);
            delivered.push(moves.pool - before);
            moves.begin_period();
            // Two clusters give back what tells the period: 1 + 1, 2 + 1, 3 + 1, …
            moves.release(period as f64 + 1.0, period);
            moves.release(1.0, period);
            // Those of this period and of the three before it; nothing else is looked at or kept.
            assert_eq!(moves.under_way.len(), 2 * (period + 1).min(4), "period {period}");
            let given_back: f64 = (0..=period).map(|period| period as f64 + 2.0).sum();
            assert_eq!(moves.pool_and_under_way(), 40.0 + given_back);
        }
        let expected: Vec<f64> =
            (0_u8..20).map(|period| if period < 4 { 0.0 } else { f64::from(period) - 2.0 }).collect();
        assert_eq!(delivered, expected);
        assert_eq!(moves.under_way.capacity(), room);
    }

    #[test]
    fn a_million_vgpus_within_tight_limits_are_shared_at_once() {
        let shares = shared(1_600_000.0, &[(1e-9, [100_000.0, 100_001.0]); 16]);
        assert_eq!(shares, [100_000.0; 16]);
        let shares = shared(1_600_007.0, &[(1e-9, [100_000.0, 100_001.0]); 16]);
        assert_eq!(shares.iter().sum::<f64>(), 1_600_007.0);
        assert!(shares.iter().all(|share| (100_000.0..=100_001.0).contains(share)));
    }
}
