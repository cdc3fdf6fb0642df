//! Arithmetic on values in registers.

use crossover_gpu_bench::kernels::compute;

use super::gpu;

#[test]
fn every_chain_of_every_invocation_takes_all_its_steps() {
    let Some(gpu) = gpu() else { return };
    for rows in [1_u32, 255, 256, 257, 3_000] {
        let sums = gpu.upload("sums", &vec![7; rows as usize + 4]).expect("uploaded");
        gpu.run(&compute::multiply_add(&gpu, &sums, rows).expect("prepared")).expect("ran");
        let found = gpu.download(&sums, u64::from(rows) + 4).expect("downloaded");
        // Eight chains that begin at row, row + 1 … row + 7 and add 1 for 512 times: 8 · (row + 512) + 28.
        let expected: Vec<u32> = (0..rows).map(|row| 8 * (row % 1024 + 512) + 28).collect();
        assert!(found[..rows as usize] == expected[..], "{rows} rows");
        assert_eq!(found[rows as usize..], [7; 4], "nothing beyond the end is touched");
    }
    assert_eq!(compute::FLOP_PER_ROW, 2 * 8 * 512);
}

#[test]
fn every_invocation_hashes_its_own_words() {
    let Some(gpu) = gpu() else { return };
    for rows in [1_u32, 255, 256, 257, 3_000] {
        let words = gpu.upload("words", &vec![7; rows as usize + 4]).expect("uploaded");
        gpu.run(&compute::hash(&gpu, &words, rows).expect("prepared")).expect("ran");
        let found = gpu.download(&words, u64::from(rows) + 4).expect("downloaded");
        let expected: Vec<u32> = (0..rows).map(compute::hashed).collect();
        assert!(found[..rows as usize] == expected[..], "{rows} rows");
        assert_eq!(found[rows as usize..], [7; 4], "nothing beyond the end is touched");
    }
}
