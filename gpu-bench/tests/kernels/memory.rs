//! Generated and copied words.

use crossover_gpu_bench::generator::Generator;
use crossover_gpu_bench::kernels::{generate, memory};

use crate::{SIZES, gpu};

#[test]
fn the_gpu_generates_the_words_of_the_cpu() {
    let gpu = gpu();
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
    let gpu = gpu();
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
