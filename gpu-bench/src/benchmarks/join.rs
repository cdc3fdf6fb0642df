//! Hash join: building the table, probing it with a sum, probing it with materialised pairs.

use std::hint::black_box;

use crossover_harness::generator::{Generator, mix};
use rayon::prelude::*;

use super::bench::{Bench, Digest, Outcome};
use super::case::{Case, Scale};
use super::{Benchmark, Roof};
use crate::cpu;
use crate::cpu::join::Aggregate;
use crate::failure::Failure;
use crate::gpu::Gpu;
use crate::kernels;
use crate::report::{Side, Verified};
use crate::zipf::ForeignKeys;

/// The benchmarks of this module.
pub const BENCHMARKS: &[Benchmark] = &[
    Benchmark {
        id: "join.build",
        explains: "Builds a hash table over distinct keys of 4 bytes with payloads of 4 bytes, at most half full; \
                   emptying the table is part of it.",
        traffic: "8·n + 8·s + 32·n: n rows are read and s slots (twice the rows, rounded up to a power of two) are \
                  emptied; each row touches a 32-byte sector of the table",
        roof: Roof::Unbounded,
        cases: build_cases,
        measure: build,
    },
    Benchmark {
        id: "join.probe_aggregate",
        explains: "Probes a hash table with random keys, counts matches and adds up their payloads: nothing is \
                   written, so it measures random access. Its roof is the rate of random reads that \
                   memory.gather reaches.",
        traffic: "32·n: each of n probes touches one 32-byte sector of the table at least",
        roof: Roof::Gather,
        cases: aggregate_cases,
        measure: probe_aggregate,
    },
    Benchmark {
        id: "join.probe_materialise",
        explains: "Probes a hash table and writes a pair of row and payload for each match, in any order. Build \
                   side, share of rows that match (match_rate) and skew of the keys (theta of Zipf's law) vary. \
                   Input is the probe side only, 4 bytes a row.",
        traffic: "4·n + 8·m: n keys are read and m pairs written; the table is not counted, because it may stay in caches",
        roof: Roof::Copy,
        cases: materialise_cases,
        measure: probe_materialise,
    },
];

/// Rows of the build side that sizes are swept over: within caches, at their edge, beyond.
const BUILD_ROWS: [u64; 3] = [1 << 16, 1 << 20, 1 << 24];

/// Rows of the build side where skew is swept.
const SKEWED_BUILD_ROWS: u64 = 1 << 20;

/// Rows of the build side where the size of the input is swept: one table for all sizes, so that time grows with
/// the input alone; smaller in the quick suite.
#[must_use]
pub(super) fn swept_build_rows(scale: &Scale) -> u64 {
    if scale.sweeps() { SKEWED_BUILD_ROWS } else { 1 << 16 }
}

/// Seed of the keys of the build side.
const KEYS: u32 = 31;

/// Seed of the payloads of the build side.
const PAYLOADS: u32 = 32;

/// Rows whose pairs one task of the check adds up.
const CHECKED_TOGETHER: u32 = 1 << 16;

/// Sizes of the build side that are no larger than single inputs on this side, and whose table fits.
fn build_sizes(scale: &Scale, side: Side) -> impl Iterator<Item = u64> {
    let scale = *scale;
    BUILD_ROWS
        .into_iter()
        .filter(move |rows| rows * 8 <= scale.single_bytes(side) && scale.fits(side, kernels::join::slots(*rows) * 8))
}

fn shaped(case: Case, build_rows: u64, match_rate: f64, theta: f64) -> Case {
    case.with("build_rows", build_rows as f64).with("match_rate", match_rate).with("theta", theta)
}

fn build_cases(scale: &Scale) -> Vec<Case> {
    let sizes = |side| build_sizes(scale, side).flat_map(move |rows| scale.cases(side, rows));
    let mut cases: Vec<Case> = sizes(Side::Gpu).chain(sizes(Side::Cpu)).collect();
    cases.sort_by_key(|case| case.threads);
    cases
}

fn aggregate_cases(scale: &Scale) -> Vec<Case> {
    let rates: &[f64] = if scale.sweeps() { &[0.1, 1.0] } else { &[1.0] };
    let mut cases = Vec::new();
    for side in [Side::Gpu, Side::Cpu] {
        let probe = scale.widest(side, scale.single_bytes(side) / 4);
        for build_rows in build_sizes(scale, side) {
            // The size of the table decides how fast random access is.
            let probe = probe.clone().with("table_bytes", kernels::join::slots(build_rows) as f64 * 8.0);
            cases.extend(rates.iter().map(|rate| shaped(probe.clone(), build_rows, *rate, 0.0)));
        }
    }
    cases
}

fn materialise_cases(scale: &Scale) -> Vec<Case> {
    let sweep = |case: Case| shaped(case, swept_build_rows(scale), 1.0, 0.0).calibrating();
    let sizes = [scale.heavy_sweep(Side::Gpu, 4), scale.heavy_sweep(Side::Cpu, 4)].concat();
    let mut cases: Vec<Case> = sizes.into_iter().map(sweep).collect();
    for side in [Side::Gpu, Side::Cpu].into_iter().filter(|_| scale.sweeps()) {
        let probe = scale.widest(side, scale.single_bytes(side) / 4);
        for build_rows in build_sizes(scale, side) {
            shaped(probe.clone(), build_rows, 1.0, 0.0).add_to(&mut cases);
        }
        cases.push(shaped(probe.clone(), SKEWED_BUILD_ROWS, 0.1, 0.0));
        cases.extend([0.5, 0.75, 1.0].map(|theta| shaped(probe.clone(), SKEWED_BUILD_ROWS, 1.0, theta)));
    }
    cases
}

/// The inputs of a case.
struct Sides {
    rows: u32,
    build_rows: u32,
    keys: Generator,
    payloads: Generator,
    foreign: ForeignKeys,
}

impl Sides {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a number of rows of a case")]
    fn of(case: &Case) -> Result<Self, Failure> {
        let rows = case.row_count()?;
        let build_rows = case.param("build_rows") as u32;
        let keys = Generator::new(KEYS);
        let foreign = ForeignKeys::new(keys, build_rows, case.param("match_rate"), case.param("theta"));
        Ok(Self { rows, build_rows, keys, payloads: Generator::new(PAYLOADS), foreign })
    }

    /// The table on the GPU, built and checked.
    fn gpu_table(&self, gpu: &Gpu) -> Result<kernels::join::Table, Failure> {
        let keys = kernels::generate::words(gpu, self.keys, self.build_rows, None)?;
        let payloads = kernels::generate::words(gpu, self.payloads, self.build_rows, None)?;
        let table = kernels::join::Table::new(gpu, &keys, &payloads, self.build_rows)?;
        gpu.run(&table.program)?;
        table.check(gpu)?;
        Ok(table)
    }

    /// The table on the CPU.
    fn cpu_table(&self, bench: &Bench<'_>) -> cpu::join::Table {
        let rows = self.build_rows as usize;
        let (keys, payloads) = (self.keys.words(rows), self.payloads.words(rows));
        bench.pool.install(|| cpu::join::Table::build_parallel(&keys, &payloads))
    }

    /// Row and payload of each pair of some rows, from how the keys were made: without any hash table.
    fn pairs(&self, rows: std::ops::Range<u32>) -> impl Iterator<Item = (u32, u32)> {
        rows.filter_map(|row| Some((row, self.payloads.at(self.foreign.partner(row)?.into()))))
    }

    /// The expected result of a probe.
    fn aggregate(&self) -> Aggregate {
        let zero = Aggregate::default();
        chunks(self.rows)
            .map(|rows| {
                self.pairs(rows).fold(zero, |sum, (_, payload)| Aggregate {
                    matches: sum.matches + 1,
                    payload_sum: sum.payload_sum.wrapping_add(payload.into()),
                })
            })
            .reduce(
                || zero,
                |a, b| Aggregate {
                    matches: a.matches + b.matches,
                    payload_sum: a.payload_sum.wrapping_add(b.payload_sum),
                },
            )
    }

    /// Checks that these are the expected pairs, in any order.
    fn verify_pairs(&self, rows: &[u32], payloads: &[u32]) -> Result<Verified, Failure> {
        let expected = chunks(self.rows).map(|chunk| digest(self.pairs(chunk))).reduce(nothing, both);
        let together = CHECKED_TOGETHER as usize;
        let found = rows
            .par_chunks(together)
            .zip(payloads.par_chunks(together))
            .map(|(rows, payloads)| digest(rows.iter().copied().zip(payloads.iter().copied())))
            .reduce(nothing, both);
        if found == expected {
            Ok(Verified::Digest)
        } else {
            Err(Failure::WrongResult(format!("pairs of the join: {found:?}, expected {expected:?}")))
        }
    }
}

/// Chunks of rows from 0.
fn chunks(rows: u32) -> impl ParallelIterator<Item = std::ops::Range<u32>> {
    (0..rows.div_ceil(CHECKED_TOGETHER)).into_par_iter().map(move |chunk| {
        let start = chunk * CHECKED_TOGETHER;
        start..start.saturating_add(CHECKED_TOGETHER).min(rows)
    })
}

/// The digest of pairs: each is one word first, which depends on both.
fn digest(pairs: impl Iterator<Item = (u32, u32)>) -> Digest {
    let words: Vec<u32> = pairs.map(|(row, payload)| mix(mix(row).wrapping_add(payload))).collect();
    Digest::of(&words)
}

fn nothing() -> Digest {
    Digest::of(&[])
}

fn both(a: Digest, b: Digest) -> Digest {
    Digest { count: a.count + b.count, sum: a.sum.wrapping_add(b.sum), hashes: a.hashes.wrapping_add(b.hashes) }
}

fn verify_aggregate(found: Aggregate, expected: Aggregate) -> Result<Verified, Failure> {
    if found == expected {
        Ok(Verified::Digest)
    } else {
        Err(Failure::WrongResult(format!("join: {found:?}, expected {expected:?}")))
    }
}

fn build(bench: &Bench<'_>, case: &Case) -> Result<Outcome, Failure> {
    let rows = case.row_count()?;
    let (keys, payloads) = (Generator::new(KEYS), Generator::new(PAYLOADS));
    let payload_sum = chunks(rows).flat_map_iter(|chunk| chunk).map(|row| u64::from(payloads.at(row.into()))).sum();
    // Probed with its own keys, a complete table finds each of them once.
    let expected = Aggregate { matches: rows.into(), payload_sum };
    let (timed, verified) = if case.side == Side::Cpu {
        let (keys, payloads) = (keys.words(rows as usize), payloads.words(rows as usize));
        let build = || {
            if case.threads > 1 {
                cpu::join::Table::build_parallel(&keys, &payloads)
            } else {
                cpu::join::Table::build(&keys, &payloads)
            }
        };
        let verified = verify_aggregate(bench.pool.install(build).probe_aggregate(&keys), expected)?;
        (bench.time_cpu(case.threads, || _ = black_box(build()))?, verified)
    } else {
        let gpu = bench.gpu()?;
        let keys = kernels::generate::words(gpu, keys, rows, None)?;
        let payloads = kernels::generate::words(gpu, payloads, rows, None)?;
        let table = kernels::join::Table::new(gpu, &keys, &payloads, rows)?;
        gpu.run(&table.program)?;
        table.check(gpu)?;
        let probe = table.probe_aggregate(gpu, &keys, rows)?;
        gpu.run(&probe.program)?;
        let verified = verify_aggregate(probe.result(gpu)?, expected)?;
        (bench.time_program(&table.program)?, verified)
    };
    let input = 8.0 * case.rows as f64;
    let bytes_traffic = input + 8.0 * kernels::join::slots(case.rows) as f64 + 32.0 * case.rows as f64;
    Ok(Outcome::of(timed, verified, input, bytes_traffic))
}

fn probe_aggregate(bench: &Bench<'_>, case: &Case) -> Result<Outcome, Failure> {
    let sides = Sides::of(case)?;
    let expected = sides.aggregate();
    let (timed, verified) = if case.side == Side::Cpu {
        let (table, keys) = (sides.cpu_table(bench), sides.foreign.keys(sides.rows));
        let probe =
            || if case.threads > 1 { table.probe_aggregate_parallel(&keys) } else { table.probe_aggregate(&keys) };
        let verified = verify_aggregate(bench.pool.install(probe), expected)?;
        (bench.time_cpu(case.threads, || _ = black_box(probe()))?, verified)
    } else {
        let gpu = bench.gpu()?;
        let table = sides.gpu_table(gpu)?;
        let keys = kernels::zipf::foreign_keys(gpu, &sides.foreign, sides.rows)?;
        let probe = table.probe_aggregate(gpu, &keys, sides.rows)?;
        gpu.run(&probe.program)?;
        let verified = verify_aggregate(probe.result(gpu)?, expected)?;
        (bench.time_program(&probe.program)?, verified)
    };
    let rows = case.rows as f64;
    Ok(Outcome::of(timed, verified, 4.0 * rows, 32.0 * rows))
}

fn probe_materialise(bench: &Bench<'_>, case: &Case) -> Result<Outcome, Failure> {
    let sides = Sides::of(case)?;
    let (timed, verified, pairs) = if case.side == Side::Cpu {
        let (table, keys) = (sides.cpu_table(bench), sides.foreign.keys(sides.rows));
        // Keys of the build side are distinct, so a row has one partner at most.
        let (mut rows, mut payloads) = (vec![0; keys.len()], vec![0; keys.len()]);
        let mut pairs = 0;
        let timed = bench.time_cpu(case.threads, || {
            pairs = if case.threads > 1 {
                table.probe_materialise_parallel(&keys, &mut rows, &mut payloads)
            } else {
                table.probe_materialise(&keys, &mut rows, &mut payloads)
            };
        })?;
        let verified = sides.verify_pairs(&rows[..pairs], &payloads[..pairs])?;
        (timed, verified, pairs as f64)
    } else {
        let gpu = bench.gpu()?;
        let table = sides.gpu_table(gpu)?;
        let keys = kernels::zipf::foreign_keys(gpu, &sides.foreign, sides.rows)?;
        let probe = table.probe_materialise(gpu, &keys, sides.rows, sides.rows)?;
        gpu.run(&probe.program)?;
        let pairs = probe.count(gpu)?;
        let verified =
            sides.verify_pairs(&gpu.download(&probe.rows, pairs)?, &gpu.download(&probe.payloads, pairs)?)?;
        (bench.time_program(&probe.program)?, verified, pairs as f64)
    };
    let input = 4.0 * case.rows as f64;
    Ok(Outcome::of(timed, verified, input, input + 8.0 * pairs))
}
