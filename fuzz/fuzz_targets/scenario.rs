//! Reads bytes as a scenario, or as a profile of engines.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| crossover_fuzz::scenario(bytes));
