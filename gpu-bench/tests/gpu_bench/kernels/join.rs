//! Joins against naive ones over a `HashMap`, and generated foreign keys against those of the CPU.

use std::collections::HashMap;

use crossover_gpu_bench::cpu::join::Aggregate;
use crossover_gpu_bench::failure::Failure;
use crossover_gpu_bench::gpu::Gpu;
use crossover_gpu_bench::kernels::join::{Table, slots};
use crossover_gpu_bench::kernels::zipf;
use crossover_gpu_bench::report::Side;
use crossover_gpu_bench::zipf::ForeignKeys;
use crossover_harness::generator::Generator;

use super::{SIZES, gpu, rows, verified_records};

/// The pairs of a join, sorted.
fn naive_pairs(build: &[u32], payloads: &[u32], probe: &[u32]) -> Vec<(u32, u32)> {
    let mut rows_of: HashMap<u32, Vec<u32>> = HashMap::new();
    for (key, payload) in build.iter().zip(payloads) {
        rows_of.entry(*key).or_default().push(*payload);
    }
    let mut pairs = Vec::new();
    for (row, key) in (0..).zip(probe) {
        pairs.extend(rows_of.get(key).into_iter().flatten().map(|payload| (row, *payload)));
    }
    sorted(pairs)
}

/// By a closure: the plain sort of pairs is linked from a dependency, which is not optimised.
fn sorted(mut pairs: Vec<(u32, u32)>) -> Vec<(u32, u32)> {
    pairs.sort_unstable_by_key(|pair| *pair);
    pairs
}

/// Joins on the GPU twice, by both probes, and compares with the naive join.
fn check(gpu: &Gpu, what: &str, build: &[u32], probe: &[u32]) {
    let what = format!("{what}: {} × {} rows", build.len(), probe.len());
    let payloads = Generator::new(77).words(build.len());
    let expected = naive_pairs(build, &payloads, probe);
    let aggregate = Aggregate {
        matches: expected.len() as u64,
        payload_sum: expected.iter().map(|(_, payload)| u64::from(*payload)).sum(),
    };
    let (build_rows, probe_rows) = (rows(build), rows(probe));
    let build = gpu.upload("build keys", build).expect("uploaded");
    let payloads = gpu.upload("payloads", &payloads).expect("uploaded");
    let probe = gpu.upload("probe keys", probe).expect("uploaded");
    let table = Table::new(gpu, &build, &payloads, build_rows).expect("prepared");
    let summed = table.probe_aggregate(gpu, &probe, probe_rows).expect("prepared");
    let written = table.probe_materialise(gpu, &probe, probe_rows, rows(&expected)).expect("prepared");
    for run in ["first", "second"] {
        gpu.run(&table.program).expect("built");
        table.check(gpu).expect("complete");
        gpu.run(&summed.program).expect("probed");
        assert_eq!(summed.result(gpu), Ok(aggregate), "{what}, {run} run");
        gpu.run(&written.program).expect("probed");
        let count = written.count(gpu).expect("fits");
        let found_rows = gpu.download(&written.rows, count).expect("downloaded");
        let found_payloads = gpu.download(&written.payloads, count).expect("downloaded");
        let found = sorted(found_rows.into_iter().zip(found_payloads).collect());
        assert!(found == expected, "{what}, {run} run: {count} pairs");
    }
}

/// Words of another part of the stream than the first 2^30.
fn others(generator: Generator, count: u32) -> Vec<u32> {
    (0..count).map(|row| generator.at((1 << 30) + u64::from(row))).collect()
}

#[test]
fn all_rows_match_or_none_does() {
    let Some(gpu) = gpu() else { return };
    let generator = Generator::new(1);
    for size in SIZES {
        let keys = generator.words(size as usize);
        let reversed: Vec<u32> = keys.iter().rev().copied().collect();
        check(&gpu, "all match", &keys, &reversed);
        check(&gpu, "none matches", &keys, &others(generator, size));
    }
}

#[test]
fn sides_differ_in_size() {
    let Some(gpu) = gpu() else { return };
    let keys = Generator::new(2).words(300_000);
    check(&gpu, "small build side", &keys[..1000], &keys);
    check(&gpu, "small probe side", &keys, &keys[..1000]);
    check(&gpu, "no build side", &[], &keys[..1000]);
    check(&gpu, "no probe side", &keys[..1000], &[]);
}

#[test]
fn duplicates_of_the_build_side_all_match() {
    let Some(gpu) = gpu() else { return };
    for size in SIZES {
        // 1 … 32 rows a key: neighbours in a sequence share the key `n` for as long as its length lasts.
        let mut build = Vec::new();
        for key in 0.. {
            let times = Generator::new(4).below(key, 32) + 1;
            build.extend((0..times).map(|_| Generator::new(3).at(key)));
            if build.len() >= size as usize {
                break;
            }
        }
        build.truncate(size as usize);
        let probe: Vec<u32> = build.iter().step_by(8).copied().collect();
        check(&gpu, "duplicates", &build, &probe);
    }
}

#[test]
fn every_key_is_valid() {
    let Some(gpu) = gpu() else { return };
    for size in SIZES {
        let mut build = Generator::new(5).words(size as usize);
        let extremes = [0, u32::MAX, 1, u32::MAX - 1, 0x8000_0000, 0, u32::MAX];
        for (row, key) in build.iter_mut().zip(extremes) {
            *row = key;
        }
        let mut probe = build.clone();
        probe.extend(extremes);
        check(&gpu, "extreme keys", &build, &probe);
        let absent: Vec<u32> = Generator::new(5).words(size as usize).into_iter().filter(|key| *key > 1).collect();
        check(&gpu, "extreme keys that are absent", &absent, &[0, 0, 1]);
    }
    let dense: Vec<u32> = (0..100_000).collect();
    check(&gpu, "small numbers", &dense, &dense);
    let high: Vec<u32> = (0..100_000).map(|low| low << 15).collect();
    check(&gpu, "multiples of a power of two", &high, &dense);
}

#[test]
fn all_probes_may_have_the_same_key() {
    let Some(gpu) = gpu() else { return };
    for size in SIZES {
        let build = Generator::new(6).words(size as usize);
        check(&gpu, "one key", &build, &vec![build.first().copied().unwrap_or(9); size as usize]);
        check(&gpu, "one absent key", &build, &vec![Generator::new(6).at(1 << 30); size as usize]);
    }
}

#[test]
fn equal_build_keys_join_or_are_refused() {
    let Some(gpu) = gpu() else { return };
    for size in SIZES {
        let keys = vec![u32::MAX; size as usize];
        if size <= 4096 {
            check(&gpu, "equal keys", &keys, &[u32::MAX, 5, u32::MAX]);
        } else {
            let keys = gpu.upload("keys", &keys).expect("uploaded");
            let table = Table::new(&gpu, &keys, &keys, size).expect("prepared");
            for _ in 0..2 {
                gpu.run(&table.program).expect("ends");
                assert!(matches!(table.check(&gpu), Err(Failure::Unsupported(_))), "{size} rows");
            }
        }
    }
}

/// The hash of the table: the finaliser of `MurmurHash3` (Appleby 2011).
fn murmur(key: u32) -> u32 {
    let x = (key ^ key >> 16).wrapping_mul(0x85eb_ca6b);
    let x = (x ^ x >> 13).wrapping_mul(0xc2b2_ae35);
    x ^ x >> 16
}

/// 128 rows have 64 buckets of four slots. If all belong to the last bucket, they fill it and the first 31.
#[test]
fn rows_that_overflow_the_last_bucket_continue_in_the_first() {
    let Some(gpu) = gpu() else { return };
    let of_bucket = |bucket: u32| (0_u32..).filter(move |key| murmur(*key) % 64 == bucket);
    let build: Vec<u32> = of_bucket(63).take(128).collect();
    let absent = of_bucket(63).skip(128).take(128);
    let probe: Vec<u32> = build.iter().copied().chain(absent).chain(of_bucket(0).take(128)).collect();
    check(&gpu, "all rows in the last bucket", &build, &probe);
    // Rows of the first bucket find it full, and move on.
    let both: Vec<u32> = of_bucket(63).take(64).chain(of_bucket(0).take(64)).collect();
    check(&gpu, "rows of the last bucket and of the first", &both, &probe);
}

#[test]
fn pairs_that_do_not_fit_are_a_failure() {
    let Some(gpu) = gpu() else { return };
    for (rows, capacity) in [(1000, 999), (5000, 0), (5000, 4999)] {
        let keys = gpu.upload("keys", &Generator::new(7).words(rows as usize)).expect("uploaded");
        let table = Table::new(&gpu, &keys, &keys, rows).expect("prepared");
        let probe = table.probe_materialise(&gpu, &keys, rows, capacity).expect("prepared");
        gpu.run(&table.program).expect("built");
        gpu.run(&probe.program).expect("probed");
        assert!(matches!(probe.count(&gpu), Err(Failure::TooLarge { .. })), "{rows} pairs, room for {capacity}");
    }
}

#[test]
fn a_table_is_at_most_half_full() {
    for rows in SIZES.map(u64::from) {
        assert!(slots(rows) >= 2 * rows && slots(rows).is_power_of_two(), "{rows} rows");
    }
}

#[test]
fn the_gpu_generates_the_foreign_keys_of_the_cpu() {
    let Some(gpu) = gpu() else { return };
    for count in SIZES {
        for (rate, theta) in [(0.0, 0.0), (0.1, 0.0), (1.0, 0.0), (1.0, 0.5), (0.5, 0.75), (1.0, 1.0)] {
            for build_rows in [1, 1000] {
                let foreign = ForeignKeys::new(Generator::new(8), build_rows, rate, theta);
                let keys = zipf::foreign_keys(&gpu, &foreign, count).expect("generated");
                let keys = gpu.download(&keys, count.into()).expect("downloaded");
                assert!(keys == foreign.keys(count), "{count} keys for {build_rows}, rate {rate}, θ {theta}");
            }
        }
    }
}

#[test]
fn benchmarks_of_joins_yield_verified_numbers_on_both_sides() {
    let Some(gpu) = gpu() else { return };
    let records = verified_records(&gpu, "join");
    for id in ["join.build", "join.probe_aggregate", "join.probe_materialise"] {
        for side in [Side::Cpu, Side::Gpu] {
            assert!(records.iter().any(|record| record.id == id && record.side == side), "{id} on {side:?}");
        }
    }
}
