//! Every operator against the plainest form of it, on one thread and on three.

use std::collections::BTreeMap;

use crossover_harness::generator::{Generator, mix};
use proptest::prelude::*;

use super::{aggregate, filter, join, memory, scan, sort};

/// Around the chunks, blocks and batches of the operators.
const SIZES: [usize; 14] =
    [0, 1, 7, 31, 32, 33, 49, 16_385, 32_769, 65_535, 65_537, 131_073, 300_001, (1 << 18) * 3 + 1];

fn on_threads<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    rayon::ThreadPoolBuilder::new().num_threads(3).build().expect("threads").install(work)
}

fn check_filter(words: &[u32], bound: u32) {
    let expected: Vec<u32> = words.iter().copied().filter(|word| *word < bound).collect();
    let mut kept = vec![9; words.len()];
    let count = filter::below(words, bound, &mut kept);
    assert!(kept[..count] == expected, "{} words below {bound}", words.len());
    kept.fill(9);
    let count = on_threads(|| filter::below_parallel(words, bound, &mut kept));
    assert!(kept[..count] == expected, "{} words below {bound} on three threads", words.len());
    assert!(filter::collect_below(words, bound) == expected, "{} words below {bound}, new", words.len());
    let collected = on_threads(|| filter::collect_below_parallel(words, bound));
    assert!(collected == expected, "{} words below {bound}, new, on three threads", words.len());
}

fn check_scan(words: &[u32]) {
    let mut total = 0_u32;
    let mut expected = Vec::new();
    for word in words {
        expected.push(total);
        total = total.wrapping_add(*word);
    }
    let mut sums = vec![9; words.len()];
    scan::exclusive_sum(words, &mut sums);
    assert!(sums == expected, "{} words", words.len());
    sums.fill(9);
    on_threads(|| scan::exclusive_sum_parallel(words, &mut sums));
    assert!(sums == expected, "{} words on three threads", words.len());
}

fn check_sort(keys: &[u32]) {
    let rows: Vec<u32> = (0..).take(keys.len()).collect();
    let mut expected: Vec<(u32, u32)> = keys.iter().copied().zip(rows.iter().copied()).collect();
    // By a closure: the plain sort of pairs is linked from a dependency, which is not optimised.
    expected.sort_by_key(|(key, _)| *key);
    let (expected_keys, expected_rows): (Vec<u32>, Vec<u32>) = expected.into_iter().unzip();
    for parallel in [false, true] {
        let (mut sorted, mut scratch) = (keys.to_vec(), vec![9; keys.len()]);
        if parallel {
            on_threads(|| sort::sort_keys_parallel(&mut sorted, &mut scratch));
        } else {
            sort::sort_keys(&mut sorted, &mut scratch);
        }
        assert!(sorted == expected_keys, "{} keys", keys.len());
        let (mut sorted, mut moved) = (keys.to_vec(), rows.clone());
        let mut more_scratch = vec![9; keys.len()];
        if parallel {
            on_threads(|| sort::sort_pairs_parallel(&mut sorted, &mut moved, &mut scratch, &mut more_scratch));
        } else {
            sort::sort_pairs(&mut sorted, &mut moved, &mut scratch, &mut more_scratch);
        }
        assert!(sorted == expected_keys && moved == expected_rows, "{} pairs", keys.len());
    }
}

fn check_group_by(codes: &[u32], values: &[u32], groups: usize) {
    let mut expected = aggregate::Groups { sums: vec![0; groups], counts: vec![0; groups] };
    for (code, value) in codes.iter().zip(values) {
        expected.sums[*code as usize] += u64::from(*value);
        expected.counts[*code as usize] += 1;
    }
    assert!(aggregate::group_by(codes, values, groups) == expected, "{} rows, {groups} groups", codes.len());
    let parallel = on_threads(|| aggregate::group_by_parallel(codes, values, groups));
    assert!(parallel == expected, "{} rows, {groups} groups on three threads", codes.len());
}

fn check_join(build_keys: &[u32], probe_keys: &[u32]) {
    let payloads = Generator::new(99).words(build_keys.len());
    let mut lists: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (key, payload) in build_keys.iter().zip(&payloads) {
        lists.entry(*key).or_default().push(*payload);
    }
    let mut expected: Vec<(u32, u32)> = Vec::new();
    for (row, key) in (0..).zip(probe_keys) {
        expected.extend(lists.get(key).into_iter().flatten().map(|payload| (row, *payload)));
    }
    let aggregate = join::Aggregate {
        matches: expected.len() as u64,
        payload_sum: expected.iter().map(|(_, payload)| u64::from(*payload)).sum(),
    };
    let (expected_rows, expected_payloads): (Vec<u32>, Vec<u32>) = expected.into_iter().unzip();
    let length = expected_rows.len();
    let (mut rows, mut found) = (vec![9; length], vec![9; length]);
    let table = join::Table::build(build_keys, &payloads);
    assert_eq!(table.probe_aggregate(probe_keys), aggregate);
    assert_eq!(table.probe_materialise(probe_keys, &mut rows, &mut found), length);
    assert!(rows == expected_rows && found == expected_payloads, "{} × {}", build_keys.len(), probe_keys.len());
    let expected = join::Pairs { rows: expected_rows, payloads: expected_payloads };
    assert!(table.collect_pairs(probe_keys) == expected, "{} × {}", build_keys.len(), probe_keys.len());
    rows.fill(9);
    found.fill(9);
    on_threads(|| {
        let table = join::Table::build_parallel(build_keys, &payloads);
        assert_eq!(table.probe_aggregate_parallel(probe_keys), aggregate);
        assert_eq!(table.probe_materialise_parallel(probe_keys, &mut rows, &mut found), length);
        assert!(table.collect_pairs_parallel(probe_keys) == expected, "{length} pairs");
    });
    assert!(rows == expected.rows && found == expected.payloads, "{} × {}", build_keys.len(), probe_keys.len());
}

#[test]
fn operators_agree_with_plain_forms_around_the_ends_of_chunks() {
    for size in SIZES {
        let words = Generator::new(1).words(size);
        for bound in [0, 1 << 29, 1 << 31, u32::MAX] {
            check_filter(&words, bound);
        }
        check_scan(&words);
        check_sort(&words);
        for bound in [1, 5, 200, 1 << 20] {
            check_sort(&Generator::new(2).words_below(size, bound));
        }
        for groups in [1, 3, 513, 10_000, 70_001, 1_000_000] {
            check_group_by(&Generator::new(3).words_below(size, groups as u64), &words, groups);
        }
        let keys = Generator::new(4).words_below(size, 2 * size.max(1) as u64);
        check_join(&Generator::new(5).words(size), &Generator::new(5).words(size / 2));
        check_join(&keys, &keys[..size / 3]);
    }
}

#[test]
fn largest_values_do_not_spill_from_sum_to_count() {
    for groups in [1, 600] {
        check_group_by(&vec![0; 300_000], &vec![u32::MAX; 300_000], groups);
    }
}

#[test]
fn every_word_may_be_a_key() {
    let extremes = [0, u32::MAX, 1, 0, u32::MAX - 1, 1 << 31, u32::MAX];
    check_join(&extremes, &extremes);
    check_join(&[], &extremes);
    check_join(&extremes[4..], &(0..100).map(mix).collect::<Vec<_>>());
    check_sort(&extremes);
}

/// A table that searched through equal keys one by one would need 5·10⁹ steps.
#[test]
fn equal_build_keys_do_not_make_the_table_quadratic() {
    let keys = vec![42; 100_000];
    check_join(&keys, &[41, 42, 43, 42]);
    let mut few: Vec<u32> = Generator::new(6).words(100_000);
    few[50_000..].fill(7);
    check_join(&few, &few[49_990..50_001]);
}

#[test]
fn a_code_beyond_the_groups_is_refused() {
    for groups in [1_u32, 600, 10_000, 70_000] {
        for code in [groups, groups * 2, u32::MAX] {
            let outcome = std::panic::catch_unwind(|| aggregate::group_by(&[code], &[1], groups as usize));
            assert!(outcome.is_err(), "code {code} of {groups} groups");
        }
    }
}

#[test]
fn memory_is_copied_and_added_up() {
    let words = Generator::new(7).words(200_001);
    let expected: u64 = words.iter().map(|word| u64::from(*word)).sum();
    assert_eq!(on_threads(|| memory::sum_parallel(&words)), expected);
    let mut copied = vec![0; words.len()];
    on_threads(|| memory::copy_parallel(&words, &mut copied));
    assert!(copied == words);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn operators_agree_with_plain_forms(
        words in prop::collection::vec(prop_oneof![0_u32..20, any::<u32>(), Just(u32::MAX)], 0..400),
        build in prop::collection::vec(prop_oneof![0_u32..20, any::<u32>(), Just(u32::MAX)], 0..200),
        bound in any::<u32>(),
        groups in 1_u32..2_000,
    ) {
        check_filter(&words, bound);
        check_scan(&words);
        check_sort(&words);
        check_join(&build, &words);
        let codes: Vec<u32> = words.iter().map(|word| word % groups).collect();
        check_group_by(&codes, &words, groups as usize);
    }
}
