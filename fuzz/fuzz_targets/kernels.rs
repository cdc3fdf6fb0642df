//! Reads bytes as profiles of kernels.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| crossover_fuzz::kernels(bytes));
