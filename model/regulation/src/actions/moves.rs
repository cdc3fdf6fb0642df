//! The cloud manager: vGPUs in the pool and in transit, and how all of them are distributed.

use std::collections::VecDeque;

use super::Acting;
use crate::study::Manager;

/// The cloud manager during a run: the pool, the vGPUs in transit, and how many it may still allocate in this period.
#[derive(Debug, Clone)]
pub(crate) struct Moves {
    pool: f64,
    delay: usize,
    most: f64,
    left: f64,
    /// In the order of arrival, since every move takes equally long.
    in_transit: VecDeque<InTransit>,
    /// Sum of all vGPUs in transit; whole numbers, so that sums and differences are exact.
    vgpus_in_transit: f64,
    /// Shares of the clusters when all vGPUs are distributed; used again in every period.
    shares: Vec<Share>,
}

/// vGPUs in transit.
#[derive(Debug, Clone, Copy)]
struct InTransit {
    arrives: usize,
    /// Its destination; none: the pool.
    cluster: Option<usize>,
    vgpus: f64,
}

impl Moves {
    /// At the start of a run of so many periods.
    pub(crate) fn new(manager: &Manager, clusters: usize, periods: usize) -> Self {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "validated: 0 … 10,000")]
        let delay = manager.delay_periods as usize;
        let most = manager.most_per_period;
        // A cluster moves vGPUs at most once per period, and arrivals leave the queue before the next moves.
        let most_in_transit = if delay == 0 { 0 } else { clusters * (delay + 1).min(periods) };
        Self {
            pool: manager.spare_vgpus,
            delay,
            most,
            left: most,
            in_transit: VecDeque::with_capacity(most_in_transit),
            vgpus_in_transit: 0.0,
            shares: Vec::with_capacity(clusters),
        }
    }

    pub(crate) fn begin_period(&mut self) {
        self.left = self.most;
    }

    pub(crate) fn is_immediate(&self) -> bool {
        self.delay == 0
    }

    pub(crate) fn are_done(&self) -> bool {
        self.in_transit.is_empty()
    }

    pub(crate) fn pool_and_in_transit(&self) -> f64 {
        self.pool + self.vgpus_in_transit
    }

    /// Delivers the vGPUs that arrive by this period.
    pub(crate) fn arrive(&mut self, period: usize, clusters: &mut [Acting]) {
        while let Some(InTransit { cluster, vgpus, .. }) = self.in_transit.pop_front_if(|move_| move_.arrives <= period)
        {
            self.vgpus_in_transit -= vgpus;
            match cluster {
                None => self.pool += vgpus,
                Some(cluster) => clusters[cluster].arrive(vgpus),
            }
        }
    }

    fn send(&mut self, vgpus: f64, cluster: Option<usize>, period: usize) {
        self.in_transit.push_back(InTransit { arrives: period + 1 + self.delay, cluster, vgpus });
        self.vgpus_in_transit += vgpus;
    }

    /// A cluster gives vGPUs back.
    pub(crate) fn release(&mut self, vgpus: f64, period: usize) {
        if self.delay == 0 {
            self.pool += vgpus;
        } else if vgpus > 0.0 {
            self.send(vgpus, None, period);
        }
    }

    /// How many of the wanted vGPUs a cluster gets.
    pub(crate) fn grant(&mut self, wanted: f64, period: usize, cluster: usize) -> f64 {
        let granted = wanted.min(self.pool).min(self.left);
        self.pool -= granted;
        self.left -= granted;
        if self.delay > 0 && granted > 0.0 {
            self.send(granted, Some(cluster), period);
        }
        granted
    }

    /// Distributes all vGPUs in proportion to weights: whole numbers, by largest remainder, within the clusters' limits.
    /// vGPUs beyond all limits stay in the pool.
    pub(crate) fn distribute(&mut self, weights: &[f64], clusters: &mut [Acting]) {
        let total = self.pool + clusters.iter().map(Acting::vgpus).sum::<f64>();
        if weights.iter().sum::<f64>() <= 0.0 {
            return;
        }
        let shares = &mut self.shares;
        shares.clear();
        shares.extend(clusters.iter().zip(weights).map(|(cluster, weight)| Share::new(*weight, cluster.vgpu_limits())));
        share(total, shares);
        self.pool = total - shares.iter().map(|share| share.vgpus).sum::<f64>();
        for (cluster, share) in clusters.iter_mut().zip(shares) {
            cluster.set_vgpus(share.vgpus);
        }
    }
}

/// The share of one cluster when all vGPUs are distributed.
#[derive(Debug, Clone, Copy)]
struct Share {
    weight: f64,
    limits: [f64; 2],
    /// Whether it is at one of its limits.
    is_at_limit: bool,
    vgpus: f64,
    /// Lost by rounding down.
    remainder: f64,
}

impl Share {
    fn new(weight: f64, limits: [f64; 2]) -> Self {
        Self { weight, limits, is_at_limit: false, vgpus: limits[0], remainder: 0.0 }
    }
}

/// Distributes a whole number in proportion to weights, within limits whose lower ones it can meet.
///
/// In each round, shares beyond a limit are set to the limit, and the rest is distributed among the others: at most one
/// round for each. The remaining proportional shares are rounded down, and the difference goes one by one to the largest
/// remainders; on a tie the first of the list gets it. A weight of zero gives the lower limit.
fn share(total: f64, shares: &mut [Share]) {
    loop {
        let rest = total - shares.iter().filter(|share| share.is_at_limit).map(|share| share.vgpus).sum::<f64>();
        let weight: f64 = shares.iter().filter(|share| !share.is_at_limit).map(|share| share.weight).sum();
        let (mut above, mut below) = (0.0, 0.0);
        for share in shares.iter_mut().filter(|share| !share.is_at_limit) {
            share.vgpus = if weight > 0.0 { rest * (share.weight / weight) } else { 0.0 };
            above += (share.vgpus - share.limits[1]).max(0.0);
            below += (share.limits[0] - share.vgpus).max(0.0);
        }
        if above == 0.0 && below == 0.0 {
            break;
        }
        // Only the side that is further off: the other one may fit once this one is at its limit.
        let side = usize::from(above >= below);
        for share in shares.iter_mut().filter(|share| !share.is_at_limit) {
            let beyond = if side == 1 { share.vgpus - share.limits[1] } else { share.limits[0] - share.vgpus };
            if beyond > 0.0 {
                (share.vgpus, share.is_at_limit) = (share.limits[side], true);
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

    /// Shares of a total, by weight and limits.
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
        let (room, mut delivered) = (moves.in_transit.capacity(), Vec::new());
        for period in 0..20 {
            let before = moves.pool;
            moves.arrive(period, &mut []);
            delivered.push(moves.pool - before);
            moves.begin_period();
            // Two clusters give back what tells the period: 1 + 1, 2 + 1, 3 + 1, …
            moves.release(period as f64 + 1.0, period);
            moves.release(1.0, period);
            // Those of this period and of the three before it; nothing else is looked at or kept.
            assert_eq!(moves.in_transit.len(), 2 * (period + 1).min(4), "period {period}");
            let given_back: f64 = (0..=period).map(|period| period as f64 + 2.0).sum();
            assert_eq!(moves.pool_and_in_transit(), 40.0 + given_back);
        }
        let expected: Vec<f64> =
            (0_u8..20).map(|period| if period < 4 { 0.0 } else { f64::from(period) - 2.0 }).collect();
        assert_eq!(delivered, expected);
        assert_eq!(moves.in_transit.capacity(), room);
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
