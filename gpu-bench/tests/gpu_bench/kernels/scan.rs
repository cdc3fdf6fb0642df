//! Prefix sums, in both forms.

use crossover_gpu_bench::gpu::{Gpu, adapter};
use crossover_gpu_bench::kernels::scan::{self, Form};
use crossover_harness::generator::Generator;
use crossover_needs::gpu_adapter;

use super::{SIZES, gpu};

/// Content beyond the end of a result.
const BEYOND: [u32; 6] = [0xABCD; 6];

pub(crate) fn forms(gpu: &Gpu) -> Vec<Form> {
    if gpu.has_subgroups() { vec![Form::Portable, Form::Subgroups] } else { vec![Form::Portable] }
}

/// A GPU of its own that takes 7 workgroups per dimension: 45 tiles are spread over 7 rows of 7, four too many.
pub(crate) fn narrow_gpu() -> Option<Gpu> {
    let adapter = gpu_adapter(adapter::choose(adapter::list(), None).ok())?;
    let mut gpu = Gpu::open(&adapter).expect("the adapter opens");
    gpu.description.limits.workgroups = 7;
    Some(gpu)
}

/// Words in 45 tiles.
pub(crate) const WORDS_OF_45_TILES: usize = 45 * 4096 - 1;

/// The sum before each word, modulo 2^32, by its definition.
fn sums_before(words: &[u32]) -> Vec<u32> {
    let mut total = 0_u64;
    let mut sums = Vec::with_capacity(words.len());
    for word in words {
        sums.push(u32::try_from(total).expect("reduced"));
        total = (total + u64::from(*word)) % (1 << 32);
    }
    sums
}

/// Scans on the GPU, twice by the same program, and compares all of it.
fn check(gpu: &Gpu, form: Form, words: &[u32]) {
    let count = u32::try_from(words.len()).expect("a count");
    let from = gpu.upload("words", words).expect("uploaded");
    let to = gpu.upload("sums", &[vec![7; words.len()], BEYOND.to_vec()].concat()).expect("uploaded");
    let program = scan::exclusive_sum(gpu, form, &from, &to, count).expect("prepared");
    let expected = sums_before(words);
    for run in ["first", "second"] {
        gpu.run(&program).expect("ran");
        let found = gpu.download(&to, (words.len() + BEYOND.len()) as u64).expect("downloaded");
        assert!(found[..words.len()] == expected, "{form:?}, {count} words, {run} run");
        assert_eq!(found[words.len()..], BEYOND, "{form:?}, {count} words: beyond the end");
    }
}

#[test]
fn a_word_becomes_the_sum_of_the_words_before_it() {
    let Some(gpu) = gpu() else { return };
    for form in forms(&gpu) {
        for size in SIZES.into_iter().chain([2, 3, 1023, 1025, 8191, 100_001]) {
            check(&gpu, form, &Generator::new(1).words_below(size as usize, 1000));
        }
    }
}

#[test]
fn sums_wrap_around_at_two_to_the_32() {
    let Some(gpu) = gpu() else { return };
    for form in forms(&gpu) {
        for size in SIZES {
            check(&gpu, form, &vec![u32::MAX; size as usize]);
            check(&gpu, form, &Generator::new(2).words(size as usize));
        }
    }
}

#[test]
fn more_tiles_than_a_tile_has_words_are_scanned_on_a_third_level() {
    let Some(gpu) = gpu() else { return };
    check(&gpu, Form::preferred(&gpu), &Generator::new(3).words(4096 * 4096 + 1));
}

#[test]
fn tiles_are_spread_over_two_dimensions() {
    let Some(gpu) = narrow_gpu() else { return };
    for form in forms(&gpu) {
        check(&gpu, form, &Generator::new(5).words(WORDS_OF_45_TILES));
    }
}

#[test]
fn the_preferred_form_is_what_callers_get() {
    let Some(gpu) = gpu() else { return };
    let words = Generator::new(4).words(5_000);
    let from = gpu.upload("words", &words).expect("uploaded");
    let to = gpu.buffer("sums", 5_000).expect("a buffer");
    gpu.run(&scan::exclusive_sum(&gpu, Form::preferred(&gpu), &from, &to, 5_000).expect("prepared")).expect("ran");
    assert!(gpu.download(&to, 5_000).expect("downloaded") == sums_before(&words));
}
