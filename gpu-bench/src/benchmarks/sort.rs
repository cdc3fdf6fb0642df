//! Radix sort of keys, and of keys with payloads.

use std::time::Instant;

use crossover_harness::generator::Generator;
use rayon::prelude::*;

use super::bench::{Bench, Outcome, Timed, verify_exact};
use super::case::{Case, Scale};
use super::{Benchmark, Roof};
use crate::cpu;
use crate::failure::Failure;
use crate::kernels::scan::Form;
use crate::kernels::sort::{self, Pairs};
use crate::report::Side;

/// The benchmarks of this module.
pub const BENCHMARKS: &[Benchmark] = &[
    Benchmark {
        id: "sort.keys",
        explains: "Sorts 32-bit keys: random ones, few distinct ones (`distinct` values), or ones that are `sorted` \
                   already. On the GPU a stable radix sort in four passes of 8 bits; “subgroups” ranks by votes of \
                   subgroups, “portable” by counters in workgroup memory. It reads the input again each \
                   time and writes elsewhere. The CPU sorts in place; restoring the input is not timed.",
        traffic: "2·V: every key is read and written once; the passes of the GPU move 12·V, so for data larger than \
                  the caches at most 17 % of the roof is reachable",
        roof: Roof::Copy,
        cases: keys_cases,
        measure: keys,
    },
    Benchmark {
        id: "sort.pairs",
        explains: "Sorts pairs of a random 32-bit key and a 32-bit row number by key; equal keys stay in order. \
                   Otherwise like `sort.keys`.",
        traffic: "2·V: every pair is read and written once; the passes of the GPU move 10·V",
        roof: Roof::Copy,
        cases: pairs_cases,
        measure: pairs,
    },
];

/// Number of distinct keys, where few.
const FEW: u64 = 16;

/// Most bytes on a software adapter, which needs about a second for 16 MiB.
const MAX_BYTES_IN_SOFTWARE: u64 = 4 << 20;

fn keys_cases(scale: &Scale) -> Vec<Case> {
    let sweep = |side| scale.heavy_sweep_bytes(side).into_iter().map(|bytes| bytes / 4);
    let gpu = sweep(Side::Gpu).flat_map(|rows| on_gpu(scale, rows));
    let cpu = sweep(Side::Cpu).flat_map(|rows| scale.cases(Side::Cpu, rows));
    let mut cases: Vec<Case> = gpu.chain(cpu).collect();
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
    cases.extend(scale.single(Side::Cpu, bytes_per_row));
    cases
}

/// Both variants, one of which may be unsupported; on a slow software adapter only the portable one, except in the
/// ci suite.
fn on_gpu(scale: &Scale, rows: u64) -> Vec<Case> {
    let variants = if scale.software && scale.sweeps() { &Form::VARIANTS[..1] } else { &Form::VARIANTS };
    variants.iter().map(|variant| Case::new(Side::Gpu, rows).variant(variant)).collect()
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
    let (timed, verified) = if case.side == Side::Cpu {
        let (mut keys, mut scratch) = (input.clone(), vec![0; input.len()]);
        let sort = if case.threads > 1 { cpu::sort::sort_keys_parallel } else { cpu::sort::sort_keys };
        let timed = time_in_place(
            bench,
            case.threads,
            &mut keys,
            |keys| keys.copy_from_slice(&input),
            |keys| {
                sort(keys, &mut scratch);
            },
        )?;
        (timed, verify_exact("sorted keys", &keys, &expected)?)
    } else {
        let gpu = bench.gpu()?;
        let from = gpu.upload("keys", &input)?;
        let to = gpu.buffer("sorted keys", case.rows)?;
        let program = sort::keys(gpu, Form::of_variant(gpu, case.variant)?, &from, &to, count)?;
        gpu.run(&program)?;
        let verified = verify_exact("sorted keys", &gpu.download(&to, case.rows)?, &expected)?;
        (bench.time_program(&program)?, verified)
    };
    let bytes = case.rows as f64 * 4.0;
    Ok(Outcome::of(timed, verified, bytes, 2.0 * bytes))
}

fn pairs(bench: &Bench<'_>, case: &Case) -> Result<Outcome, Failure> {
    let count = case.row_count()?;
    let keys = Generator::new(72).words(count as usize);
    let rows: Vec<u32> = (0..count).collect();
    let (sorted_keys, sorted_rows) = bench.pool.install(|| sorted(&keys));
    let (timed, verified) = if case.side == Side::Cpu {
        let mut pairs = (keys.clone(), rows.clone());
        let (mut scratch_keys, mut scratch_rows) = (vec![0; keys.len()], vec![0; keys.len()]);
        let sort = if case.threads > 1 { cpu::sort::sort_pairs_parallel } else { cpu::sort::sort_pairs };
        let restore = |pairs: &mut (Vec<u32>, Vec<u32>)| {
            pairs.0.copy_from_slice(&keys);
            pairs.1.copy_from_slice(&rows);
        };
        let timed = time_in_place(bench, case.threads, &mut pairs, restore, |pairs| {
            sort(&mut pairs.0, &mut pairs.1, &mut scratch_keys, &mut scratch_rows);
        })?;
        verify_exact("sorted keys", &pairs.0, &sorted_keys)?;
        (timed, verify_exact("their rows", &pairs.1, &sorted_rows)?)
    } else {
        let gpu = bench.gpu()?;
        let (from_keys, from_rows) = (gpu.upload("keys", &keys)?, gpu.upload("rows", &rows)?);
        let (to_keys, to_rows) = (gpu.buffer("sorted keys", case.rows)?, gpu.buffer("their rows", case.rows)?);
        let from = Pairs { keys: &from_keys, payloads: &from_rows };
        let to = Pairs { keys: &to_keys, payloads: &to_rows };
        let program = sort::pairs(gpu, Form::of_variant(gpu, case.variant)?, from, to, count)?;
        gpu.run(&program)?;
        verify_exact("sorted keys", &gpu.download(&to_keys, case.rows)?, &sorted_keys)?;
        let verified = verify_exact("their rows", &gpu.download(&to_rows, case.rows)?, &sorted_rows)?;
        (bench.time_program(&program)?, verified)
    };
    let bytes = case.rows as f64 * 8.0;
    Ok(Outcome::of(timed, verified, bytes, 2.0 * bytes))
}

/// The keys in order and the rows they come from, by another method than the measured sorts: key and row
/// as one number, which no other row has.
#[expect(clippy::cast_possible_truncation, reason = "a row in the lower half, a key in the upper one")]
fn sorted(keys: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let mut pairs: Vec<u64> = (0..).zip(keys).map(|(row, key): (u64, _)| u64::from(*key) << 32 | row).collect();
    pairs.par_sort_unstable();
    (pairs.par_iter().map(|pair| (pair >> 32) as u32).collect(), pairs.par_iter().map(|pair| *pair as u32).collect())
}

/// Times work that destroys its input; `restore` restores it before each repetition and is not timed.
fn time_in_place<T: Send>(
    bench: &Bench<'_>,
    threads: usize,
    data: &mut T,
    restore: impl Fn(&mut T),
    mut work: impl FnMut(&mut T) + Send,
) -> Result<Timed, Failure> {
    bench.time_batches(|batch| {
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
    })
}
