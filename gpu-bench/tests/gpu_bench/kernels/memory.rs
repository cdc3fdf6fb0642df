//! Words generated, copied, read, written and gathered.

use crossover_gpu_bench::cpu::gather;
use crossover_gpu_bench::gpu::Gpu;
use crossover_gpu_bench::kernels::{generate, memory};
use crossover_harness::generator::Generator;

use super::{SIZES, gpu};

#[test]
fn the_gpu_generates_the_words_of_the_cpu() {
    let Some(gpu) = gpu() else { return };
    for count in SIZES {
        for bound in [None, Some(1), Some(10), Some(0x8000_0001), Some(u32::MAX)] {
            let generator = Generator::new(42);
            let words = generate::words(&gpu, generator, count, bound).expect("generated");
            let words = gpu.download(&words, u64::from(count)).expect("downloaded");
            let expected = match bound {
                None => generator.words(count as usize),
                Some(bound) => generator.words_below(count as usize, u64::from(bound)),
            };
            assert!(words == expected, "{count} words below {bound:?}");
        }
    }
}

#[test]
fn a_copy_is_a_copy() {
    let Some(gpu) = gpu() else { return };
    for count in SIZES.map(|size| size / 4 * 4) {
        let words = Generator::new(5).words(count as usize);
        let from = gpu.upload("from", &words).expect("uploaded");
        let to = gpu.upload("to", &vec![7; count as usize + 4]).expect("uploaded");
        gpu.run(&memory::copy(&gpu, &from, &to, count).expect("prepared")).expect("ran");
        let found = gpu.download(&to, u64::from(count) + 4).expect("downloaded");
        assert!(found[..count as usize] == words, "{count} words");
        assert_eq!(found[count as usize..], [7; 4], "nothing beyond the end is touched");
    }
}

/// Runs a program twice; both times it leaves the same sum.
fn sum_of_two_runs(gpu: &Gpu, sum: &memory::Sum) -> u32 {
    let [first, second] = [(); 2].map(|()| {
        gpu.run(&sum.program).expect("ran");
        sum.total(gpu).expect("downloaded")
    });
    assert_eq!(first, second, "a second run gives the same");
    first
}

#[test]
fn a_read_adds_up_every_word_once() {
    let Some(gpu) = gpu() else { return };
    // And around the words of one workgroup.
    for count in SIZES.map(|size| size / 4 * 4).into_iter().chain([16_380, 16_384, 16_388]) {
        // What follows must not be added.
        let mut words = Generator::new(6).words(count as usize + 4);
        let from = gpu.upload("from", &words).expect("uploaded");
        words.truncate(count as usize);
        let expected = words.iter().fold(0_u32, |sum, word| sum.wrapping_add(*word));
        let sum = memory::read(&gpu, &from, count).expect("prepared");
        assert_eq!(sum_of_two_runs(&gpu, &sum), expected, "{count} words");
    }
}

#[test]
fn a_write_counts_up_and_stops_at_the_end() {
    let Some(gpu) = gpu() else { return };
    for count in SIZES.map(|size| size / 4 * 4) {
        let to = gpu.upload("to", &vec![7; count as usize + 4]).expect("uploaded");
        let program = memory::write(&gpu, &to, count, u32::MAX - 1).expect("prepared");
        for _ in 0..2 {
            gpu.run(&program).expect("ran");
            let found = gpu.download(&to, u64::from(count) + 4).expect("downloaded");
            let counted = (0..count).map(|place| place.wrapping_sub(2));
            assert!(found[..count as usize].iter().copied().eq(counted), "{count} words");
            assert_eq!(found[count as usize..], [7; 4], "nothing beyond the end is touched");
        }
    }
}

#[test]
fn a_gather_adds_up_the_words_at_the_places_of_the_generator() {
    let Some(gpu) = gpu() else { return };
    let places = Generator::new(8);
    for table_words in [1_u32, 3, 4_096, 100_003] {
        let table = Generator::new(9).words(table_words as usize);
        let on_gpu = gpu.upload("table", &table).expect("uploaded");
        for accesses in SIZES {
            let expected = (0..u64::from(accesses)).fold(0_u32, |sum, access| {
                let place = u64::from(places.at(access)) * u64::from(table_words) / (1 << 32);
                sum.wrapping_add(table[usize::try_from(place).expect("a place")])
            });
            let sum = memory::gather(&gpu, &on_gpu, table_words, places, accesses).expect("prepared");
            assert_eq!(sum_of_two_runs(&gpu, &sum), expected, "{accesses} of {table_words} words");
            assert_eq!(gather::sum(&table, places, u64::from(accesses)), expected);
            assert_eq!(gather::sum_parallel(&table, places, u64::from(accesses)), expected);
        }
    }
}

#[test]
fn workgroups_in_two_dimensions_do_what_one_row_of_them_does() {
    /// So few that a million words need seven rows, the last of which is not full.
    const IN_A_ROW: u32 = 10;
    let Some(mut gpu) = gpu() else { return };
    let words = Generator::new(21).words(1_000_000);
    let from = gpu.upload("from", &words).expect("uploaded");
    let to = gpu.upload("to", &vec![7; 1_000_004]).expect("uploaded");
    let real = std::mem::replace(&mut gpu.description.limits.workgroups, IN_A_ROW);
    let read = memory::read(&gpu, &from, 1_000_000);
    let gather = memory::gather(&gpu, &from, 1_000_000, Generator::new(22), 256_001);
    let copy = memory::copy(&gpu, &from, &to, 400_000);
    gpu.description.limits.workgroups = real;
    let expected = words.iter().fold(0_u32, |sum, word| sum.wrapping_add(*word));
    assert_eq!(sum_of_two_runs(&gpu, &read.expect("prepared")), expected);
    let expected = gather::sum(&words, Generator::new(22), 256_001);
    assert_eq!(sum_of_two_runs(&gpu, &gather.expect("prepared")), expected);
    gpu.run(&copy.expect("prepared")).expect("ran");
    let found = gpu.download(&to, 1_000_004).expect("downloaded");
    assert!(found[..400_000] == words[..400_000] && found[400_000..].iter().all(|word| *word == 7));
}
