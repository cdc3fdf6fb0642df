//! Totals of Spark's accumulators.

use std::collections::{BTreeMap, HashMap};

/// Type of a metric that counts.
const COUNTS: [&str; 2] = ["sum", "count"];

/// Totals of accumulators, and the stages that reported them.
#[derive(Default)]
pub(super) struct Sums {
    by_accumulator: HashMap<i64, Sum>,
    /// How many stages all sums have together.
    visits: usize,
}

#[derive(Default)]
struct Sum {
    /// Of what is not negative; `None`: no such value was reported.
    positive: Option<f64>,
    /// Of what is negative.
    negative: Option<f64>,
    /// Ascending.
    stages: Vec<u64>,
}

impl Sum {
    fn add(&mut self, value: f64) {
        let part = if value < 0.0 { &mut self.negative } else { &mut self.positive };
        *part = Some(part.unwrap_or(0.0) + value);
    }
}

impl Sums {
    /// Notes that a task of a stage has it, and adds what the task reported, if that counts.
    pub(super) fn visit(&mut self, accumulator: i64, stage: u64, value: Option<f64>) {
        let sum = self.by_accumulator.entry(accumulator).or_default();
        if let Err(place) = sum.stages.binary_search(&stage) {
            sum.stages.insert(place, stage);
            self.visits += 1;
        }
        if let Some(value) = value {
            sum.add(value);
        }
    }

    /// Adds what the driver reported in one event. Where it lists an accumulator several times, the largest value
    /// counts: a coalesced read of a shuffle gives the size of each partition, whose sum is the exchange's own metric.
    pub(super) fn add_of_driver(&mut self, updates: &[(i64, f64)]) {
        let mut largest: BTreeMap<i64, f64> = BTreeMap::new();
        for (accumulator, value) in updates {
            largest.entry(*accumulator).and_modify(|most| *most = most.max(*value)).or_insert(*value);
        }
        for (accumulator, value) in largest {
            self.by_accumulator.entry(accumulator).or_default().add(value);
        }
    }

    /// How many sums and stages of sums are held.
    pub(super) fn held(&self) -> usize {
        self.by_accumulator.len() + self.visits
    }

    /// Total of a metric; `None` if it was not reported.
    ///
    /// Sizes and times begin at −1 in tasks that do not use them; as in Spark, what is negative only counts in counts.
    pub(super) fn total(&self, accumulator: i64, metric_type: &str) -> Option<f64> {
        let sum = self.by_accumulator.get(&accumulator)?;
        match sum.negative.filter(|_| COUNTS.contains(&metric_type)) {
            Some(negative) => Some(negative + sum.positive.unwrap_or(0.0)),
            None => sum.positive,
        }
    }

    /// Stages whose tasks reported it, ascending.
    pub(super) fn stages(&self, accumulator: i64) -> &[u64] {
        self.by_accumulator.get(&accumulator).map_or(&[], |sum| &sum.stages)
    }
}
