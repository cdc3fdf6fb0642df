//! Radix sort of keys, and of keys with payloads.

use std::time::Instant;

use rayon::prelude::*;

use super::bench::{Bench, Outcome, verify_exact};
use super::case::{Case, Scale};
use super::{Benchmark, Roof};
use crate::cpu;
use crate::failure::Failure;
use crate::generator::Generator;
use crate::gpu::clock::TimingSource;
use crate::kernels::sort::{self, Pairs, Ranking};
use crate::report::Side;
use crate::timing::sampling::{Samples, sample};

/// What this module measures.
pub const BENCHMARKS: &[Benchmark] = &[
    Benchmark {
        id: "sort.keys",
        explains: "Sorts 32-bit keys: random ones, few distinct ones (`distinct` values), or ones that are `sorted` \
                   already. On the GPU a stable radix sort in four passes of 8 bits; the variant `subgroups` ranks by \
                   votes of subgroups, the other one by counters in workgroup memory. It reads the input anew each \
                   time and writes elsewhere. The CPU sorts in place; restoring the input before is not timed.",
        traffic: "2·V: every key is read and written once; the passes of the GPU move 12·V, so 17 % of the roof is \
                  the limit of data larger than the caches",
        roof: Roof::Copy,
        cases: keys_cases,
        measure: keys,
    },
    Benchmark {
        id: "sort.pairs",
        explains: "Sorts pairs of a random 32-bit key and a 32-bit row number by key; equal keys stay in order. \
                   Otherwise as `sort.keys`.",
        traffic: "2·V: every pair is read and written once; the passes of the GPU move 10·V",
        roof: Roof::Copy,
        cases: pairs_cases,
        measure: pairs,
    },
];

/// Forms on the GPU, named as in reports.
const VARIANTS: [(&str, Ranking); 2] = [("", Ranking::Nibbles), ("subgroups", Ranking::Subgroups)];

/// Values of keys where there are few.
const FEW: u64 = 16;

/// Most bytes on a software adapter, which needs about a second for 16 MiB.
const MAX_BYTES_IN_SOFTWARE: u64 = 4 << 20;

fn keys_cases(scale: &Scale) -> Vec<Case> {
    let sweep = |side| scale.heavy_sweep_bytes(side).into_iter().map(|bytes| bytes / 4);
    let gpu = sweep(Side::Gpu).flat_map(|rows| on_gpu(scale, rows));
    let mut cases: Vec<Case> = gpu.chain(sweep(Side::Cpu).flat_map(|rows| on_cpu(scale, rows))).collect();
    cases.retain(|case| case.side == Side::Cpu || !scale.software || case.rows * 4 <= MAX_BYTES_IN_SOFTWARE);
    cases = cases.into_iter().map(Case::calibrating).collect();
    if scale.sweeps() {
        let shapes = |case: Case| [case.clone().with("distinct", FEW as f64), case.with("sorted", 1.0)];
        cases.extend(single(scale, 4).into_iter().flat_map(shapes));
    }
    cases
}

fn pairs_cases(scale: &Scale) -> Vec<Case> {
    if scale.sweeps() { single(scale, 8) } else { Vec::new() }
}

/// Cases on every side at the size of parameter sweeps.
fn single(scale: &Scale, bytes_per_row: u64) -> Vec<Case> {
    let most = if scale.software { MAX_BYTES_IN_SOFTWARE } else { u64::MAX };
    let mut cases = on_gpu(scale, scale.single_bytes(Side::Gpu).min(most) / bytes_per_row);
    cases.extend(on_cpu(scale, scale.single_bytes(Side::Cpu) / bytes_per_row));
    cases
}

/// Both forms, of which one may turn out not to be supported; on a slow software adapter the portable one,
/// except where the suite is to show that all works.
fn on_gpu(scale: &Scale, rows: u64) -> Vec<Case> {
    let variants = if scale.software && scale.sweeps() { &VARIANTS[..1] } else { &VARIANTS };
    variants.iter().map(|(variant, _)| Case::new(Side::Gpu, rows).variant(variant)).collect()
}

fn on_cpu(scale: &Scale, rows: u64) -> Vec<Case> {
    scale.thread_counts().into_iter().map(|threads| Case::cpu(threads, rows)).collect()
}

fn ranking(case: &Case) -> Ranking {
    VARIANTS.iter().find(|(variant, _)| *variant == case.variant).map_or(Ranking::Nibbles, |(_, ranking)| *ranking)
}

fn keys(bench: &Bench<'_>, case: &Case) -> Result<Outcome, Failure> {
    let count = case.row_count()?;
    let generator = Generator::new(71);
    let mut input = if case.param("distinct") > 0.0 {
        generator.words_below(count as usize, FEW)
    } else {
        generator.words(count as usize)
    };
    let mut expected = input.clone();
    bench.pool.install(|| expected.par_sort_unstable());
    if case.param("sorted") > 0.0 {
        input.clone_from(&expected);
    }
    let (samples, source, verified) = if case.side == Side::Cpu {
        let (mut keys, mut scratch) = (input.clone(), vec![0; input.len()]);
        let sort = if case.threads > 1 { cpu::sort::sort_keys_parallel } else { cpu::sort::sort_keys };
        let (samples, source) = time_in_place(
            bench,
            case.threads,
            &mut keys,
            |keys| keys.copy_from_slice(&input),
            |keys| {
                sort(keys, &mut scratch);
            },
        )?;
        (samples, source, verify_exact("sorted keys", &keys, &expected)?)
    } else {
        let gpu = bench.gpu()?;
        let from = gpu.upload("keys", &input)?;
        let to = gpu.buffer("sorted keys", case.rows)?;
        let program = sort::keys(gpu, ranking(case), &from, &to, count)?;
        gpu.run(&program)?;
        let verified = verify_exact("sorted keys", &gpu.download(&to, case.rows)?, &expected)?;
        let (samples, source) = bench.time_program(&program)?;
        (samples, source, verified)
    };
    let bytes = case.rows as f64 * 4.0;
    Ok(Outcome { samples, source, verified, bytes_logical: bytes, bytes_traffic: 2.0 * bytes, ratio: None })
}

fn pairs(bench: &Bench<'_>, case: &Case) -> Result<Outcome, Failure> {
    let count = case.row_count()?;
    let keys = Generator::new(72).words(count as usize);
    let rows: Vec<u32> = (0..count).collect();
    let (sorted_keys, sorted_rows) = bench.pool.install(|| sorted(&keys));
    let (samples, source, verified) = if case.side == Side::Cpu {
        let mut pairs = (keys.clone(), rows.clone());
        let (mut scratch_keys, mut scratch_rows) = (vec![0; keys.len()], vec![0; keys.len()]);
        let sort = if case.threads > 1 { cpu::sort::sort_pairs_parallel } else { cpu::sort::sort_pairs };
        let restore = |pairs: &mut (Vec<u32>, Vec<u32>)| {
            pairs.0.copy_from_slice(&keys);
            pairs.1.copy_from_slice(&rows);
        };
        let (samples, source) = time_in_place(bench, case.threads, &mut pairs, restore, |pairs| {
            sort(&mut pairs.0, &mut pairs.1, &mut scratch_keys, &mut scratch_rows);
        })?;
        verify_exact("sorted keys", &pairs.0, &sorted_keys)?;
        (samples, source, verify_exact("their rows", &pairs.1, &sorted_rows)?)
    } else {
        let gpu = bench.gpu()?;
        let (from_keys, from_rows) = (gpu.upload("keys", &keys)?, gpu.upload("rows", &rows)?);
        let (to_keys, to_rows) = (gpu.buffer("sorted keys", case.rows)?, gpu.buffer("their rows", case.rows)?);
        let from = Pairs { keys: &from_keys, payloads: &from_rows };
        let to = Pairs { keys: &to_keys, payloads: &to_rows };
        let program = sort::pairs(gpu, ranking(case), from, to, count)?;
        gpu.run(&program)?;
        verify_exact("sorted keys", &gpu.download(&to_keys, case.rows)?, &sorted_keys)?;
        let verified = verify_exact("their rows", &gpu.download(&to_rows, case.rows)?, &sorted_rows)?;
        let (samples, source) = bench.time_program(&program)?;
        (samples, source, verified)
    };
    let bytes = case.rows as f64 * 8.0;
    Ok(Outcome { samples, source, verified, bytes_logical: bytes, bytes_traffic: 2.0 * bytes, ratio: None })
}

/// The keys in order and the rows they come from, by another way than any sort that is measured: key and row
/// as one number, which no other row has.
#[expect(clippy::cast_possible_truncation, reason = "a row in the lower half, a key in the upper one")]
fn sorted(keys: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let mut pairs: Vec<u64> = (0..).zip(keys).map(|(row, key): (u64, _)| u64::from(*key) << 32 | row).collect();
    pairs.par_sort_unstable();
    (pairs.par_iter().map(|pair| (pair >> 32) as u32).collect(), pairs.par_iter().map(|pair| *pair as u32).collect())
}

/// Times work that destroys its input: `restore` brings it back before each time and is not timed.
fn time_in_place<T: Send>(
    bench: &Bench<'_>,
    threads: usize,
    data: &mut T,
    restore: impl Fn(&mut T),
    mut work: impl FnMut(&mut T) + Send,
) -> Result<(Samples, TimingSource), Failure> {
    let samples = sample(&bench.effort, bench.deadline, bench.cancel, |batch| {
        let mut seconds = 0.0;
        for _ in 0..batch {
            restore(data);
            let start = Instant::now();
            if threads > 1 {
                bench.pool.install(|| work(data));
            } else {
                work(data);
            }
            seconds += start.elapsed().as_secs_f64();
        }
        Ok(seconds)
    })?;
    Ok((samples, TimingSource::WallClock))
}
