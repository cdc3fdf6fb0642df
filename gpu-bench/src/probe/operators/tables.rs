//! Filter, join, group-by and sort: the CPU's side of the benchmarks, on the same sort of data.
//!
//! Their data are whole numbers, so an operand cannot be multiplied by about 1: the scale is rounded and says how many rows
//! there are, or which bound they are below.

use std::hint::black_box;

use crossover_harness::generator::Generator;
use rayon::prelude::*;

use super::{Operator, Prepared, exactly, rows_at};
use crate::cpu::aggregate::{Groups, group_by_parallel};
use crate::cpu::filter::below_parallel;
use crate::cpu::join::{Aggregate, Table};
use crate::cpu::memory;
use crate::cpu::sort::sort_keys_parallel;
use crate::failure::Failure;

/// Rows that are filtered.
const FILTERED: usize = 1 << 24;
/// Their values are below [`MOST`], and those below this bound are kept.
pub(crate) const BOUND: u32 = 250;
/// Rows of the table that is built.
const BUILD_ROWS: usize = 1 << 18;
/// Rows that look for their key in it; half of them find it.
const PROBE_ROWS: usize = 1 << 21;
/// Rows that are added up by group.
const GROUPED: usize = 1 << 23;
/// Groups.
pub(crate) const GROUPS: usize = 1_000;
/// Keys that are sorted.
const SORTED: usize = 1 << 21;

/// What values of tables are below.
const MOST: u64 = 1_000;
/// Values that are filtered.
const COLUMN: Generator = Generator::new(11);
/// Group of each row.
const CODES: Generator = Generator::new(12);
/// Values that are added up.
const VALUES: Generator = Generator::new(13);
/// Keys that are sorted.
const KEYS: Generator = Generator::new(14);
/// Keys of both tables: those of the one that is built come first.
const JOIN_KEYS: Generator = Generator::new(15);
/// Which key a row of the other table has.
const PICKS: Generator = Generator::new(16);

pub(super) const FILTER: Operator = Operator {
    key: "filter",
    true_value: 526_003_924.0,
    tolerance: 0.0,
    prepare: || {
        let words = column();
        Box::new(Filter { kept: vec![0; words.len()], words, count: 0 })
    },
};

pub(super) const HASH_JOIN: Operator = Operator {
    key: "hash_join",
    true_value: 137_220_888_685.0,
    tolerance: 0.0,
    prepare: || {
        Box::new(Join { keys: build_keys(), payloads: payloads(), probe: probe_keys(), found: Aggregate::default() })
    },
};

pub(super) const AGGREGATE: Operator = Operator {
    key: "aggregate",
    true_value: 2_101_116_082_105.0,
    tolerance: 0.0,
    prepare: || Box::new(GroupBy { codes: codes(), values: values(), groups: Groups::default() }),
};

pub(super) const SORT: Operator = Operator {
    key: "sort",
    true_value: 4_406_525_445_979_277.0,
    tolerance: 0.0,
    prepare: || Box::new(Sort { keys: sort_keys(), sorted: vec![0; SORTED], scratch: vec![0; SORTED] }),
};

/// The values that are filtered.
pub(crate) fn column() -> Vec<u32> {
    COLUMN.words_below(FILTERED, MOST)
}

/// The keys of the table that is built, all distinct.
pub(crate) fn build_keys() -> Vec<u32> {
    JOIN_KEYS.words(BUILD_ROWS)
}

/// The payloads of the table that is built: numbers of rows.
#[expect(clippy::cast_possible_truncation, reason = "2^18 rows")]
pub(crate) fn payloads() -> Vec<u32> {
    (0..BUILD_ROWS as u32).collect()
}

/// The keys that are looked for.
pub(crate) fn probe_keys() -> Vec<u32> {
    let keys = (0..PROBE_ROWS as u64).into_par_iter();
    keys.map(|row| JOIN_KEYS.at(PICKS.below(row, 2 * BUILD_ROWS as u64))).collect()
}

/// The group of each row.
pub(crate) fn codes() -> Vec<u32> {
    CODES.words_below(GROUPED, GROUPS as u64)
}

/// The values that are added up by group.
pub(crate) fn values() -> Vec<u32> {
    VALUES.words_below(GROUPED, MOST)
}

/// The keys that are sorted.
pub(crate) fn sort_keys() -> Vec<u32> {
    KEYS.words(SORTED)
}

struct Filter {
    words: Vec<u32>,
    kept: Vec<u32>,
    count: usize,
}

impl Prepared for Filter {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few times the bound")]
    fn execute(&mut self, scale: f64) -> Result<(), Failure> {
        let bound = (f64::from(BOUND) * scale.round()) as u32;
        self.count = below_parallel(&self.words, bound, &mut self.kept);
        black_box(&mut self.kept);
        Ok(())
    }

    fn value(&mut self) -> Result<f64, Failure> {
        Ok(kept(&self.kept[..self.count]))
    }
}

/// Output of a filter: sum of the words that it kept, and their number.
pub(crate) fn kept(words: &[u32]) -> f64 {
    exactly(memory::sum_parallel(words) + words.len() as u64)
}

struct Join {
    keys: Vec<u32>,
    payloads: Vec<u32>,
    probe: Vec<u32>,
    found: Aggregate,
}

impl Prepared for Join {
    fn execute(&mut self, scale: f64) -> Result<(), Failure> {
        let table = Table::build_parallel(&self.keys, &self.payloads);
        let rows = rows_at(scale, self.probe.len());
        self.found = black_box(table.probe_aggregate_parallel(&self.probe[..rows]));
        Ok(())
    }

    fn value(&mut self) -> Result<f64, Failure> {
        Ok(joined(self.found))
    }
}

/// Output of a join: sum of the payloads that were found, and their number.
pub(crate) fn joined(found: Aggregate) -> f64 {
    exactly(found.payload_sum + found.matches)
}

struct GroupBy {
    codes: Vec<u32>,
    values: Vec<u32>,
    groups: Groups,
}

impl Prepared for GroupBy {
    fn execute(&mut self, scale: f64) -> Result<(), Failure> {
        let rows = rows_at(scale, self.codes.len());
        self.groups = black_box(group_by_parallel(&self.codes[..rows], &self.values[..rows], GROUPS));
        Ok(())
    }

    fn value(&mut self) -> Result<f64, Failure> {
        Ok(grouped(&self.groups))
    }
}

/// Output of a group-by: sum and count of each group, times its number from 1.
pub(crate) fn grouped(groups: &Groups) -> f64 {
    let rows = groups.sums.iter().zip(&groups.counts);
    exactly((1..).zip(rows).map(|(number, (sum, count))| number * (sum + u64::from(*count))).sum())
}

struct Sort {
    keys: Vec<u32>,
    sorted: Vec<u32>,
    scratch: Vec<u32>,
}

impl Prepared for Sort {
    fn execute(&mut self, scale: f64) -> Result<(), Failure> {
        let rows = rows_at(scale, self.keys.len());
        self.sorted.clear();
        self.sorted.extend_from_slice(&self.keys[..rows]);
        sort_keys_parallel(&mut self.sorted, &mut self.scratch[..rows]);
        black_box(&mut self.sorted);
        Ok(())
    }

    fn value(&mut self) -> Result<f64, Failure> {
        Ok(ordered(&self.sorted))
    }
}

/// Output of a sort: sum of the keys, each times its place from 1, of which the lower 53 bits.
pub(crate) fn ordered(keys: &[u32]) -> f64 {
    let sum = |sum: u64, (place, key): (u64, &u32)| sum.wrapping_add(place * u64::from(*key));
    exactly((1..).zip(keys).fold(0, sum))
}
