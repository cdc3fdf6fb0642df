//! Filter, in order and not, in both forms; and the benchmarks of filter and scan as a run carries them out.

use crossover_gpu_bench::benchmarks::case::Suite;
use crossover_gpu_bench::gpu::Gpu;
use crossover_gpu_bench::kernels::filter::{self, Filter};
use crossover_gpu_bench::kernels::scan::Form;
use crossover_gpu_bench::report::{Side, Verified};
use crossover_gpu_bench::runner::{self, Plan};
use crossover_harness::Cancel;
use crossover_harness::generator::Generator;

use super::scan::{WORDS_OF_45_TILES, forms, narrow_gpu};
use super::{SIZES, gpu};

/// Content of the result before anything is kept; above every bound but the largest.
const UNTOUCHED: u32 = u32::MAX;

/// Runs a filter twice; both times its result must be `expected` in this order, or in that of tiles.
fn check(gpu: &Gpu, words: &[u32], bound: u32) {
    let count = u32::try_from(words.len()).expect("a count");
    let from = gpu.upload("words", words).expect("uploaded");
    let expected: Vec<u32> = words.iter().copied().filter(|word| *word < bound).collect();
    for form in forms(gpu) {
        let what = format!("{form:?}, {count} words below {bound}");
        let ordered = filter::ordered(gpu, form, &from, count, bound).expect("prepared");
        for found in results(gpu, &ordered, words.len()) {
            assert!(found == expected, "ordered, {what}");
        }
        let append = filter::append(gpu, form, &from, count, bound).expect("prepared");
        for found in results(gpu, &append, words.len()) {
            assert!(sorted(found) == sorted(expected.clone()), "append, {what}");
        }
    }
}

/// What two runs of the same program keep.
fn results(gpu: &Gpu, filter: &Filter, words: usize) -> [Vec<u32>; 2] {
    [1, 2].map(|_| {
        gpu.write(&filter.kept, &vec![UNTOUCHED; words]).expect("written");
        gpu.run(&filter.program).expect("ran");
        let count = gpu.download(&filter.count, 1).expect("downloaded")[0] as usize;
        let mut kept = gpu.download(&filter.kept, words as u64).expect("downloaded");
        assert!(count <= words, "{count} kept of {words}");
        assert!(kept[count..].iter().all(|word| *word == UNTOUCHED), "{count} of {words}: beyond the end");
        kept.truncate(count);
        kept
    })
}

fn sorted(mut words: Vec<u32>) -> Vec<u32> {
    words.sort_unstable();
    words
}

#[test]
fn a_random_share_is_kept() {
    let Some(gpu) = gpu() else { return };
    for size in SIZES.into_iter().chain([2, 3, 1023, 1025, 8191]) {
        let words = Generator::new(1).words(size as usize);
        for bound in [1 << 25, 1 << 31] {
            check(&gpu, &words, bound);
        }
    }
}

#[test]
fn all_or_nothing_is_kept() {
    let Some(gpu) = gpu() else { return };
    for size in SIZES {
        let words: Vec<u32> = (0..size).collect();
        check(&gpu, &words, size);
        check(&gpu, &words, 0);
    }
}

#[test]
fn the_largest_word_is_below_no_bound() {
    let Some(gpu) = gpu() else { return };
    for size in SIZES {
        check(&gpu, &vec![u32::MAX; size as usize], u32::MAX);
        let words: Vec<u32> = (0..size).map(|place| u32::MAX - place % 3).collect();
        check(&gpu, &words, u32::MAX);
        check(&gpu, &words, u32::MAX - 1);
    }
}

#[test]
fn clustered_words_are_kept_like_scattered_ones() {
    let Some(gpu) = gpu() else { return };
    // Whole tiles and rows pass, others not at all, and runs end inside of vectors.
    let words: Vec<u32> = (0..50_000_u32).map(|place| place / 1_501 % 2 * 1_000_000 + place).collect();
    check(&gpu, &words, 1_000_000);
}

#[test]
fn tiles_are_spread_over_two_dimensions() {
    let Some(gpu) = narrow_gpu() else { return };
    check(&gpu, &Generator::new(3).words(WORDS_OF_45_TILES), 1 << 30);
}

#[test]
fn more_tiles_than_a_tile_has_words_are_filtered() {
    let Some(gpu) = gpu() else { return };
    let words = Generator::new(2).words(4096 * 4096 + 1);
    let from = gpu.upload("words", &words).expect("uploaded");
    let bound = 1 << 29;
    let expected: Vec<u32> = words.iter().copied().filter(|word| *word < bound).collect();
    let count = u32::try_from(words.len()).expect("a count");
    let ordered = filter::ordered(&gpu, Form::preferred(&gpu), &from, count, bound).expect("prepared");
    gpu.run(&ordered.program).expect("ran");
    assert_eq!(gpu.download(&ordered.count, 1).expect("downloaded"), [u32::try_from(expected.len()).expect("fits")]);
    assert!(gpu.download(&ordered.kept, expected.len() as u64).expect("downloaded") == expected);
}

/// What is the same of the same words in any order: their number, sum and exclusive or.
fn summary(words: impl Iterator<Item = u32>) -> (usize, u64, u32) {
    words.fold((0, 0, 0), |(count, sum, bits), word| (count + 1, sum + u64::from(word), bits ^ word))
}

/// 8192 tiles are two for each workgroup. Of a share of an eighth they are written together; of three quarters, the words
/// of the second have no room beside those of the first.
#[test]
fn a_workgroup_appends_what_several_tiles_keep() {
    let Some(gpu) = gpu() else { return };
    let words = Generator::new(4).words(8192 * 4096 - 5);
    let count = u32::try_from(words.len()).expect("a count");
    let from = gpu.upload("words", &words).expect("uploaded");
    for bound in [1 << 29, 3 << 30] {
        let expected = summary(words.iter().copied().filter(|word| *word < bound));
        for form in forms(&gpu) {
            let append = filter::append(&gpu, form, &from, count, bound).expect("prepared");
            gpu.run(&append.program).expect("ran");
            let kept = gpu.download(&append.count, 1).expect("downloaded")[0];
            let found = gpu.download(&append.kept, kept.into()).expect("downloaded");
            assert_eq!(summary(found.into_iter()), expected, "{form:?}, below {bound}");
        }
    }
}

#[test]
fn a_run_measures_scan_and_filter_on_both_sides_and_verifies_all_of_it() {
    let Some(gpu) = gpu() else { return };
    let plan = Plan { suite: Suite::Ci, budget_seconds: 60.0, only: ["scan", "filter"].map(str::to_owned).to_vec() };
    let report = runner::run(&plan, Ok(&gpu), &Cancel::default(), &mut |_| {});
    for result in &report.results {
        let what = format!("{} {:?} {}", result.id, result.side, result.variant);
        if result.variant == "subgroups" && !gpu.has_subgroups() {
            assert!(result.reason.as_ref().is_some_and(|reason| reason.contains("subgroup")), "{what}");
            continue;
        }
        let wanted = if result.id == "filter.append" { Verified::Digest } else { Verified::Exact };
        assert_eq!((result.verified, result.reason.as_deref()), (wanted, None), "{what}");
        assert!(result.time.is_some(), "{what}");
    }
    for id in ["scan.prefix_sum", "filter.ordered", "filter.append"] {
        let sides = |side| report.results.iter().filter(|result| result.id == id && result.side == side).count();
        assert!(sides(Side::Gpu) >= 2, "{id}: both forms");
        assert_eq!(sides(Side::Cpu) > 0, id != "filter.append", "{id}");
    }
}
