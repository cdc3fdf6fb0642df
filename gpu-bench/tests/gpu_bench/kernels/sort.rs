//! Sorted keys and pairs, against the standard library's sort.

use crossover_gpu_bench::gpu::Gpu;
use crossover_gpu_bench::gpu::program::Program;
use crossover_gpu_bench::kernels::scan::Form;
use crossover_gpu_bench::kernels::sort::{self, Pairs};
use crossover_harness::generator::Generator;

use super::{SIZES, gpu};

/// Content behind the end of a buffer, which must not change.
const GUARD: [u32; 8] = [0xDEAD_BEEF; 8];

/// Programs that sort keys, and pairs of keys and rows, in one of the forms. Rows show whether equal keys
/// kept their order.
struct Sorter<'gpu> {
    gpu: &'gpu Gpu,
    form: Form,
    keys: wgpu::Buffer,
    rows: wgpu::Buffer,
    sorted_keys: wgpu::Buffer,
    sorted_rows: wgpu::Buffer,
    sort_keys: Program,
    sort_pairs: Program,
}

impl<'gpu> Sorter<'gpu> {
    /// One sorter for each form that the adapter can run.
    fn all(gpu: &'gpu Gpu, count: u32) -> Vec<Self> {
        let mut sorters = vec![Self::new(gpu, Form::Portable, count)];
        if gpu.has_subgroups() {
            sorters.push(Self::new(gpu, Form::Subgroups, count));
        }
        sorters
    }

    fn new(gpu: &'gpu Gpu, form: Form, count: u32) -> Self {
        let guarded = |words: Vec<u32>| gpu.upload("guarded", &[words, GUARD.to_vec()].concat()).expect("uploaded");
        let keys = guarded(vec![0; count as usize]);
        let rows = guarded((0..count).collect());
        let (sorted_keys, sorted_rows) = (guarded(vec![7; count as usize]), guarded(vec![7; count as usize]));
        let from = Pairs { keys: &keys, payloads: &rows };
        let to = Pairs { keys: &sorted_keys, payloads: &sorted_rows };
        let sort_keys = sort::keys(gpu, form, &keys, &sorted_keys, count).expect("prepared");
        let sort_pairs = sort::pairs(gpu, form, from, to, count).expect("prepared");
        Self { gpu, form, keys, rows, sorted_keys, sorted_rows, sort_keys, sort_pairs }
    }

    fn assert_sorts(&self, kind: &str, keys: &[u32]) {
        let what = format!("{} {kind} keys, {:?}", keys.len(), self.form);
        let mut expected_rows: Vec<u32> = (0..).take(keys.len()).collect();
        expected_rows.sort_by_key(|row| keys[*row as usize]);
        let expected_keys: Vec<u32> = expected_rows.iter().map(|row| keys[*row as usize]).collect();
        self.gpu.write(&self.keys, keys).expect("written");

        self.gpu.run(&self.sort_keys).expect("ran");
        assert!(self.content(&self.sorted_keys, keys.len()) == expected_keys, "keys alone: {what}");

        self.gpu.write(&self.sorted_keys, &vec![7; keys.len()]).expect("written");
        self.gpu.run(&self.sort_pairs).expect("ran");
        assert!(self.content(&self.sorted_keys, keys.len()) == expected_keys, "keys of pairs: {what}");
        assert!(self.content(&self.sorted_rows, keys.len()) == expected_rows, "payloads: {what}");

        assert!(self.content(&self.keys, keys.len()) == keys, "the input stays: {what}");
        let rows = self.content(&self.rows, keys.len());
        assert!(rows.into_iter().eq((0..).take(keys.len())), "the input stays: {what}");
    }

    /// The content of a buffer, after a look behind its end.
    fn content(&self, buffer: &wgpu::Buffer, count: usize) -> Vec<u32> {
        let mut words = self.gpu.download(buffer, (count + GUARD.len()) as u64).expect("downloaded");
        assert_eq!(words.split_off(count), GUARD, "nothing beyond the end of {count} words is touched");
        words
    }
}

#[test]
fn keys_of_every_kind_are_sorted_at_every_size_and_equal_ones_keep_their_order() {
    let Some(gpu) = gpu() else { return };
    let generator = Generator::new(31);
    for count in SIZES.into_iter().filter(|count| *count < 100_000) {
        let rows = 0..count;
        let kinds: [(&str, Vec<u32>); 7] = [
            ("random", generator.words(count as usize)),
            ("ascending", rows.clone().collect()),
            ("descending", rows.clone().rev().map(|row| row.wrapping_mul(0x0004_0201)).collect()),
            ("equal", vec![0x1234_5678; count as usize]),
            // The value that fills the last tile behind the end.
            ("largest", vec![u32::MAX; count as usize]),
            ("few distinct", generator.words_below(count as usize, 5)),
            ("one-digit", rows.map(|row| 0xFF << (8 * (generator.at(u64::from(row)) % 4))).collect()),
        ];
        for sorter in Sorter::all(&gpu, count) {
            for (kind, keys) in &kinds {
                sorter.assert_sorts(kind, keys);
            }
        }
    }
}

/// Here a workgroup has several tiles.
#[test]
fn a_million_keys_are_sorted_and_equal_ones_keep_their_order() {
    let Some(gpu) = gpu() else { return };
    let count = SIZES[8];
    let generator = Generator::new(32);
    for sorter in Sorter::all(&gpu, count) {
        sorter.assert_sorts("random", &generator.words(count as usize));
        let two_largest = |row: u32| u32::MAX - generator.at(u64::from(row)) % 2;
        sorter.assert_sorts("two largest", &(0..count).map(two_largest).collect::<Vec<u32>>());
    }
}

#[test]
fn a_program_sorts_anew_each_time() {
    let Some(gpu) = gpu() else { return };
    for sorter in Sorter::all(&gpu, 10_000) {
        for seed in [33, 34, 34] {
            sorter.assert_sorts("random", &Generator::new(seed).words(10_000));
        }
        let mut expected = Generator::new(34).words(10_000);
        expected.sort_unstable();
        gpu.write(&sorter.sorted_keys, &vec![7; 10_000]).expect("written");
        gpu.time(&sorter.sort_keys, 3).expect("three times in one submission");
        assert!(sorter.content(&sorter.sorted_keys, 10_000) == expected, "{:?}", sorter.form);
    }
}
