//! Sums and group-by against naive loops.

use std::collections::HashMap;

use crossover_gpu_bench::cpu::aggregate::Groups;
use crossover_gpu_bench::failure::Failure;
use crossover_gpu_bench::gpu::Gpu;
use crossover_gpu_bench::kernels::aggregate::{MOST_PRIVATE_GROUPS, group_by, sum};
use crossover_gpu_bench::report::Side;
use crossover_harness::generator::Generator;

use super::{SIZES, gpu, rows, verified_records};

/// Count and sum of a group, naively.
fn naive_groups(codes: &[u32], values: &[u32], groups: u32) -> Groups {
    let mut by_code: HashMap<u32, (u32, u64)> = HashMap::new();
    for (code, value) in codes.iter().zip(values) {
        let group = by_code.entry(*code).or_default();
        *group = (group.0 + 1, group.1 + u64::from(*value));
    }
    let of = |code: u32| by_code.get(&code).copied().unwrap_or_default();
    Groups { counts: (0..groups).map(|code| of(code).0).collect(), sums: (0..groups).map(|code| of(code).1).collect() }
}

/// Groups on the GPU twice and compares with the naive loop.
fn check(gpu: &Gpu, what: &str, codes: &[u32], values: &[u32], groups: u32) {
    let rows = rows(codes);
    let expected = naive_groups(codes, values, groups);
    let codes = gpu.upload("codes", codes).expect("uploaded");
    let values = gpu.upload("values", values).expect("uploaded");
    let grouped = group_by(gpu, &codes, &values, rows, groups).expect("prepared");
    for run in ["first", "second"] {
        gpu.run(&grouped.program).expect("ran");
        let found = grouped.result(gpu).expect("all counted");
        assert!(found == expected, "{what}: {rows} rows in {groups} groups, {run} run");
    }
}

#[test]
fn a_sum_carries_beyond_32_bits() {
    let Some(gpu) = gpu() else { return };
    for size in SIZES {
        for (what, words) in [
            ("random", Generator::new(1).words(size as usize)),
            ("largest", vec![u32::MAX; size as usize]),
            ("zero", vec![0; size as usize]),
        ] {
            let expected: u64 = words.iter().map(|word| u64::from(*word)).sum();
            let words = gpu.upload("words", &words).expect("uploaded");
            let program = sum(&gpu, &words, size).expect("prepared");
            for run in ["first", "second"] {
                gpu.run(&program.program).expect("ran");
                assert_eq!(program.result(&gpu), Ok(expected), "{size} {what} words, {run} run");
            }
        }
    }
}

#[test]
fn words_behind_the_summed_ones_do_not_count() {
    let Some(gpu) = gpu() else { return };
    let words = gpu.upload("words", &[u32::MAX; 40]).expect("uploaded");
    for count in 0..=40 {
        let program = sum(&gpu, &words, count).expect("prepared");
        gpu.run(&program.program).expect("ran");
        assert_eq!(program.result(&gpu), Ok(u64::from(count) * u64::from(u32::MAX)));
    }
}

#[test]
fn groups_have_the_counts_and_sums_of_a_naive_loop() {
    let Some(gpu) = gpu() else { return };
    for size in SIZES {
        let values = Generator::new(2).words(size as usize);
        for groups in [1, 10, MOST_PRIVATE_GROUPS, MOST_PRIVATE_GROUPS + 1, size.max(1)] {
            let codes = Generator::new(3).words_below(size as usize, groups.into());
            check(&gpu, "random codes", &codes, &values, groups);
        }
    }
}

#[test]
fn every_row_may_be_a_group() {
    let Some(gpu) = gpu() else { return };
    for size in SIZES {
        let codes: Vec<u32> = (0..size).rev().collect();
        check(&gpu, "distinct codes", &codes, &Generator::new(4).words(size as usize), size.max(1));
    }
}

#[test]
fn one_group_may_have_all_rows_and_the_largest_values() {
    let Some(gpu) = gpu() else { return };
    for size in SIZES {
        for groups in [1, 1_000, 2_000] {
            let (codes, values) = (vec![groups - 1; size as usize], vec![u32::MAX; size as usize]);
            check(&gpu, "one code", &codes, &values, groups);
        }
    }
}

#[test]
fn workgroups_take_more_rows_where_there_are_many() {
    // From 4 Mi rows on a workgroup takes more than 4096; with 701 groups each has one accumulator.
    let Some(gpu) = gpu() else { return };
    let rows = (6 << 20) + 1;
    let codes: Vec<u32> = (0..rows).map(|row| u32::from(row % 5 == 0) * 700).collect();
    check(&gpu, "two codes", &codes, &vec![u32::MAX; rows], 701);
}

#[test]
fn codes_that_are_too_large_are_a_failure() {
    let Some(gpu) = gpu() else { return };
    for groups in [10, 2_000] {
        let codes = gpu.upload("codes", &[0, 3, groups, 1]).expect("uploaded");
        let grouped = group_by(&gpu, &codes, &codes, 4, groups).expect("prepared");
        gpu.run(&grouped.program).expect("ran");
        assert!(matches!(grouped.result(&gpu), Err(Failure::WrongResult(_))), "{groups} groups");
    }
}

#[test]
fn benchmarks_of_aggregation_yield_verified_numbers_on_both_sides() {
    let Some(gpu) = gpu() else { return };
    let records = verified_records(&gpu, "aggregate");
    for id in ["aggregate.sum", "aggregate.group_by"] {
        for side in [Side::Cpu, Side::Gpu] {
            assert!(records.iter().any(|record| record.id == id && record.side == side), "{id} on {side:?}");
        }
    }
}
