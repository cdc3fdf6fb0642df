//! Sums, and group-by over dictionary codes.

use std::hint::black_box;

use crossover_harness::generator::Generator;
use crossover_quantity::text::counted;
use rayon::prelude::*;

use super::bench::{Bench, Outcome, verify_sum};
use super::case::{Case, Scale};
use super::{Benchmark, Roof};
use crate::cpu;
use crate::cpu::aggregate::Groups;
use crate::failure::Failure;
use crate::kernels;
use crate::report::{Side, Verified};

/// The benchmarks of this module.
pub const BENCHMARKS: &[Benchmark] = &[
    Benchmark {
        id: "aggregate.sum",
        explains: "Adds up a column of 4-byte numbers to an 8-byte sum: limited by reading.",
        traffic: "4·n: n words are read",
        roof: Roof::Read,
        cases: sum_cases,
        measure: sum,
    },
    Benchmark {
        id: "aggregate.group_by",
        explains: "Counts rows and adds up their values by dictionary code. Codes are random; codes and values have 4 \
                   bytes each. Up to 1365 groups are accumulated within workgroups, larger numbers in memory.",
        traffic: "8·n + 12·g: n rows are read and g groups written",
        roof: Roof::Read,
        cases: group_by_cases,
        measure: group_by,
    },
];

/// Groups where the size of the input is swept.
const GROUPS: u64 = 1_000;

/// Numbers of groups that are swept: within workgroups, within caches, beyond.
const SWEPT_GROUPS: [u64; 4] = [10, 1_000, 100_000, 10_000_000];

/// Seed of the values.
const VALUES: u32 = 41;

/// Seed of the codes.
const CODES: u32 = 42;

fn sum_cases(scale: &Scale) -> Vec<Case> {
    [scale.sweep(Side::Gpu, 4), scale.memory(Side::Cpu)].concat()
}

fn group_by_cases(scale: &Scale) -> Vec<Case> {
    let sizes = [scale.sweep(Side::Gpu, 8), scale.sweep(Side::Cpu, 8)].concat().into_iter();
    let mut cases: Vec<Case> = sizes.map(|case| case.with("groups", GROUPS as f64).calibrating()).collect();
    // The smallest suite has one number of groups for each kernel.
    let swept = if scale.sweeps() { &SWEPT_GROUPS[..] } else { &SWEPT_GROUPS[2..3] };
    for side in [Side::Gpu, Side::Cpu] {
        let rows = scale.single_bytes(side) / 8;
        for groups in swept.iter().filter(|groups| **groups <= rows && scale.fits(side, **groups * 16)) {
            scale.widest(side, rows).with("groups", *groups as f64).add_to(&mut cases);
        }
    }
    cases
}

fn sum(bench: &Bench<'_>, case: &Case) -> Result<Outcome, Failure> {
    let (rows, generator) = (case.row_count()?, Generator::new(VALUES));
    let expected = (0..rows).into_par_iter().map(|row| u64::from(generator.at(row.into()))).sum();
    let (timed, verified) = if case.side == Side::Cpu {
        let values = generator.words(rows as usize);
        let run = || {
            if case.threads > 1 {
                cpu::memory::sum_parallel(black_box(&values))
            } else {
                cpu::memory::sum(black_box(&values))
            }
        };
        let verified = verify_sum(bench.pool.install(run), expected)?;
        (bench.time_cpu(case.threads, || _ = black_box(run()))?, verified)
    } else {
        let gpu = bench.gpu()?;
        let values = kernels::generate::words(gpu, generator, rows, None)?;
        let sum = kernels::aggregate::sum(gpu, &values, rows)?;
        gpu.run(&sum.program)?;
        let verified = verify_sum(sum.result(gpu)?, expected)?;
        (bench.time_program(&sum.program)?, verified)
    };
    let bytes = 4.0 * case.rows as f64;
    Ok(Outcome::of(timed, verified, bytes, bytes))
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a number of groups of a case")]
fn group_by(bench: &Bench<'_>, case: &Case) -> Result<Outcome, Failure> {
    let (rows, groups) = (case.row_count()?, case.param("groups") as u32);
    let (codes, values) = (Generator::new(CODES), Generator::new(VALUES));
    let expected = groups_of(codes, values, rows, groups);
    let (timed, verified) = if case.side == Side::Cpu {
        let codes = codes.words_below(rows as usize, groups.into());
        let values = values.words(rows as usize);
        let run = || {
            if case.threads > 1 {
                cpu::aggregate::group_by_parallel(&codes, &values, groups as usize)
            } else {
                cpu::aggregate::group_by(&codes, &values, groups as usize)
            }
        };
        let verified = verify_groups(&bench.pool.install(run), &expected)?;
        (bench.time_cpu(case.threads, || _ = black_box(run()))?, verified)
    } else {
        let gpu = bench.gpu()?;
        let codes = kernels::generate::words(gpu, codes, rows, Some(groups))?;
        let values = kernels::generate::words(gpu, values, rows, None)?;
        let grouped = kernels::aggregate::group_by(gpu, &codes, &values, rows, groups)?;
        gpu.run(&grouped.program)?;
        let verified = verify_groups(&grouped.result(gpu)?, &expected)?;
        (bench.time_program(&grouped.program)?, verified)
    };
    let input = 8.0 * case.rows as f64;
    Ok(Outcome::of(timed, verified, input, input + 12.0 * f64::from(groups)))
}

/// The expected groups, computed row by row from the generators.
#[expect(clippy::cast_possible_truncation, reason = "a code is below the number of groups")]
fn groups_of(codes: Generator, values: Generator, rows: u32, groups: u32) -> Groups {
    let mut expected = Groups { sums: vec![0; groups as usize], counts: vec![0; groups as usize] };
    for row in 0..u64::from(rows) {
        let code = codes.below(row, groups.into()) as usize;
        expected.sums[code] = expected.sums[code].wrapping_add(values.at(row).into());
        expected.counts[code] += 1;
    }
    expected
}

/// Whether counts and sums are the expected ones.
///
/// # Errors
/// [`Failure::WrongResult`] with the first difference.
pub(super) fn verify_groups(found: &Groups, expected: &Groups) -> Result<Verified, Failure> {
    let rows = |groups: &Groups| groups.counts.iter().copied().zip(groups.sums.iter().copied()).collect::<Vec<_>>();
    let (found, expected) = (rows(found), rows(expected));
    if found == expected {
        return Ok(Verified::Exact);
    }
    let different = (0..).zip(found.iter().zip(&expected)).find(|(_, (found, expected))| found != expected);
    Err(Failure::WrongResult(match different {
        Some((group, (found, expected))) => format!("group {group} has count and sum {found:?}, not {expected:?}"),
        None => format!("{} instead of {}", counted(found.len() as f64, "group"), expected.len()),
    }))
}
