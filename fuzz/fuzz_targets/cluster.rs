//! Reads bytes as a recorded cluster.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| crossover_fuzz::cluster(bytes));
